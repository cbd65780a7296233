"""What the shells share: keywords, spaces, seeds."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import gymnasium as gym
import numpy as np

from .core.batch import How, Reset, Reward, Source
from .core.cards import parse_deck
from .core.deals import default_bank
from .core.game import Game
from .core.options import unknown, yes_or_no
from .core.rows import Rows
from .seat import Opponents, seat_rows
from .solvers import Winnable

ENCODINGS = ("onehot", "codes")
ILLEGAL = ("end", "raise")
REWARDS = tuple(reward.name.lower() for reward in Reward)
MAX_MOVES = 500


def one_of(field: str, value: str, allowed: tuple[str, ...]) -> str:
    """Return value if it is allowed; else raise ValueError naming field and what is allowed."""
    if value not in allowed:
        raise ValueError(unknown(field, str(value), allowed))
    return value


def limit(field: str, value: int | None) -> int:
    """Return a limit as kernels want it, 0 for none; ValueError if no positive whole number."""
    if value is None:
        return 0
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < 1:
        raise ValueError(f"{field}={value!r}: allowed are whole numbers from 1, or None")
    return int(value)


def make_rows(
    game: Game,
    n: int,
    variant: str | None,
    options: Mapping[str, Any],
    *,
    reward: str,
    max_moves: int | None,
    max_episode_steps: int | None,
    skip_forced: bool,
    reset: Reset,
    opponents: Opponents | None = None,
    seat: int = 0,
) -> Rows:
    """Check all keywords and return ``n`` rows. Raises ValueError naming what is wrong.

    For several players these are the rows of one seat; see `seat.SeatRows`.
    """
    rules = game.rules_of(variant, options)
    players = game.players_of(rules)
    if players == 1 and (opponents is not None or seat != 0):
        raise ValueError("opponents, seat: these rules are for one player")
    if players > 1:
        limits = {"max_episode_steps": max_episode_steps}
        if max_moves != MAX_MOVES:
            limits["max_moves"] = max_moves
        for field, value in limits.items():
            if value is not None:
                raise ValueError(f"{field}={value!r}: a game for several always ends; leave it out")
        max_moves = None
    how = How(
        int(Reward[one_of("reward", reward, REWARDS).upper()]),
        int(reset),
        limit("max_episode_steps", max_episode_steps),
        limit("max_moves", max_moves),
        int(yes_or_no("skip_forced", skip_forced)),
    )
    if players == 1:
        return Rows(game, rules, n, how)
    seat = seat_number("seat", seat, players)
    return seat_rows(game, rules, n, how, "uniform" if opponents is None else opponents, seat)


def truth_of(game: Game, rules: Any, truth: Any) -> Winnable | None:
    """Return what answers for ``info["winnable"]``, None if that is not wanted.

    Raises ValueError if it is wanted and the game, or its rules, have no solver.
    """
    return Winnable(game, rules) if yes_or_no("truth", truth) else None


def observation_space(game: Game, encoding: str, n: int | None = None) -> gym.spaces.Box:
    """Return the space of one observation, or of n stacked ones."""
    if one_of("encoding", encoding, ENCODINGS) == "codes":
        high: np.ndarray = game.features.high
        dtype: type = np.int8
    else:
        high, dtype = np.ones(game.features.columns, np.uint8), np.uint8
    if n is not None:
        high = np.tile(high, (n, 1))
    return gym.spaces.Box(np.zeros_like(high), high, dtype=dtype)


def observe(game: Game, encoding: str, codes: np.ndarray) -> np.ndarray:
    """Return observations in the encoding wanted, in an array of their own."""
    return codes.copy() if encoding == "codes" else game.features.onehot(codes)


def whole_numbers(actions: Any, n: int) -> np.ndarray:
    """Return actions as an integer array (n,); ValueError for any other type or shape."""
    array = np.asarray(actions)
    if array.dtype.kind not in "iu" or array.shape != (n,):
        raise ValueError(
            f"actions must be whole numbers, shape ({n},), got {array.dtype} {array.shape}"
        )
    return array


class Chosen(NamedTuple):
    """A deck, numbered deals of a bank, or a dealer, that a reset is to begin with."""

    deck: np.ndarray | None
    bank: str
    deals: np.ndarray | None
    dealer: int | None

    def begin(self, rows: Rows) -> None:
        """Begin it on all rows."""
        if self.deck is not None:
            rows.deal_deck(self.deck, self.dealer)
        elif self.deals is not None:
            rows.deal_bank(self.bank, self.deals, self.dealer)
        else:
            rows.start(Source.DRAW, dealer=self.dealer)


def chosen_deal(
    game: Game, rules: Any, options: Mapping[str, Any] | None, n: int = 1
) -> Chosen | None:
    """Read reset's ``options`` ``deck``, or ``deal`` and ``bank``, for n rows; None if not given.

    In a game with a dealer ``dealer``, a seat, may stand beside them or alone. Raises ValueError
    for an option that does not exist or has no sense, before anything changes.
    """
    given = dict(options or {})
    has_dealer = "dealer" in (game.state.names or ())
    allowed_keys = ("deck", "deal", "bank", *(("dealer",) if has_dealer else ()))
    for key in given:
        if key not in allowed_keys:
            raise ValueError(unknown("reset option", str(key), allowed_keys))
    dealer = given.pop("dealer", None)
    if dealer is not None:
        dealer = seat_number("reset option dealer", dealer, game.players_of(rules))
    if "deck" in given:
        if len(given) > 1:
            raise ValueError("reset options: give a deck, or a deal and its bank, not both")
        return Chosen(parse_deck(given["deck"], game.pack(rules)), "", None, dealer)
    if "deal" not in given:
        if "bank" in given:
            raise ValueError("reset option 'bank' needs 'deal', the number of a deal in it")
        return None if dealer is None else Chosen(None, "", None, dealer)
    deals = np.asarray(given["deal"])
    if deals.dtype.kind not in "iu" or deals.shape not in ((), (n,)) or (deals < 0).any():
        allowed = "a whole number from 0" + (f", or {n} of them" if n > 1 else "")
        raise ValueError(f"reset option deal={given['deal']!r}: allowed is {allowed}")
    bank = given.get("bank", default_bank(game.name))
    if not isinstance(bank, str) or not bank:
        raise ValueError(f"reset option bank={bank!r}: allowed is the name of a bank")
    return Chosen(None, bank, np.broadcast_to(deals, n), dealer)


def seat_number(field: str, value: Any, players: int) -> int:
    """Return a seat, 0 .. players - 1; ValueError naming the field for anything else."""
    whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
    if not whole or not 0 <= value < players:
        raise ValueError(f"{field}={value!r}: allowed are the seats 0–{players - 1}")
    return int(value)
