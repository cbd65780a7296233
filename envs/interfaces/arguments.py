"""What the shells share: keywords, spaces, seeds."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import gymnasium as gym
import numpy as np
from gymnasium.vector import AutoresetMode

from ..core.batch import MAX_MOVES, Autoreset, DealSource, IllegalMode, Reward, StepConfig
from ..core.deals import default_bank
from ..core.game import Game
from ..core.options import is_whole, one_line, parse_bool, unknown_text
from ..core.rows import Rows
from ..core.rules_table import RulesTable, Variants, make_table, read_variants
from ..core.schema import ENCODINGS
from ..core.upper_bound import WinnableInfo
from .actions import as_array
from .seat import Opponents, make_seat_rows

ILLEGAL_MODES = ("end", "raise", "random", "penalty")
REWARD_NAMES = tuple(reward.name.lower() for reward in Reward)
SHARED_NAMES = (
    "game",
    "rules",
    "encoding",
    "illegal",
    "metadata",
    "render_mode",
    "spec",
    "explain",
    "single_observation_space",
    "single_action_space",
)
"""What all rows have in common, for `CardVectorEnv.call`."""
MOST_STEPS = 2**31 - 1
"""Of limits: states count moves and steps in int32."""
MOST_ROWS = 2**24
"""Of a batch: more is a slip, and would not fit into memory."""


BROKEN = "an opponent raised an exception in the middle of this game: call reset() first"
"""Why no action is taken: it might be played for another seat."""


class KeywordError(ValueError, TypeError):
    """A keyword that an environment does not take.

    It is a ValueError as all bad values are, and the TypeError that Python raises for keywords
    nobody knows: libraries that probe for a keyword go on after that.
    """


def check_options(game: Game, options: Mapping[str, Any]) -> None:
    """Raise KeywordError for a keyword that is no option of the game, and so no keyword at all."""
    for name in options:
        if name not in game.rules._fields:
            raise KeywordError(
                f"unexpected keyword argument {name!r}: "
                f"{unknown_text('option', name, game.rules._fields)}"
            )


def check_choice(field: str, value: Any, allowed: tuple[str, ...]) -> str:
    """Return value if it is allowed; else raise ValueError naming field and what is allowed."""
    if not isinstance(value, str) or value not in allowed:
        raise ValueError(unknown_text(field, value, allowed))
    return value


AUTORESETS = {
    AutoresetMode.NEXT_STEP: Autoreset.NEXT_STEP,
    AutoresetMode.SAME_STEP: Autoreset.SAME_STEP,
    AutoresetMode.DISABLED: Autoreset.DISABLED,
}


def autoreset_mode(mode: str | AutoresetMode) -> AutoresetMode:
    """Return when the next game of a row begins; ValueError naming what is allowed."""
    if isinstance(mode, AutoresetMode):
        return mode
    names = {known.name.lower(): known for known in AutoresetMode}
    names |= {known.value.lower(): known for known in AutoresetMode}
    name = mode.lower() if isinstance(mode, str) else mode
    return names[check_choice("autoreset_mode", name, tuple(names))]


def illegal_mode(illegal: str) -> int:
    """Return what kernels do with an illegal action; ValueError naming what is allowed.

    ``"raise"`` is up to the shells: such an action never comes to a kernel.
    """
    check_choice("illegal", illegal, ILLEGAL_MODES)
    return int(IllegalMode.END if illegal == "raise" else IllegalMode[illegal.upper()])


def is_other(value: Any, default: int) -> bool:
    """Whether a keyword, a value of any type, differs from its default, a number."""
    return not (is_whole(value) and value == default)


def check_limit(field: str, value: int | None, none: str = "None") -> int:
    """Return a limit for kernels, 0 for none. Raises ValueError naming what is allowed.

    With ``none="None or -1"``, -1 also means no limit, as in `gymnasium.make`.
    """
    if value is None or (is_whole(value) and value == -1 and "-1" in none):
        return 0
    if not is_whole(value) or not 1 <= value <= MOST_STEPS:
        allowed = f"a whole number from 1 to {MOST_STEPS}, or {none} for no limit"
        raise ValueError(f"{field} must be {allowed}, got {one_line(value)}")
    return int(value)


def rows_number(value: Any) -> int:
    """Return how many games a batch has; ValueError for anything but a whole number in range."""
    if not is_whole(value) or not 1 <= value <= MOST_ROWS:
        raise ValueError(f"num_envs={one_line(value)}: allowed are whole numbers 1–{MOST_ROWS}")
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
    reset: Autoreset,
    illegal: str = "end",
    opponents: Opponents | None = None,
    seat: int = 0,
    variants: Variants | None = None,
) -> Rows:
    """Check all keywords and return ``n`` rows. Raises ValueError naming what is wrong.

    Of a keyword that does not exist it is a `KeywordError`. For several players these are the rows
    of one seat; see `seat.SeatRows`. ``variants`` is what `rules_table.read_variants` takes.
    """
    check_options(game, options)
    rules = make_rows_table(game, variant, options, variants)
    players = rules.players
    if players == 1 and (opponents is not None or is_other(seat, 0)):
        raise ValueError("opponents, seat: these rules are for one player")
    if players > 1:
        if is_other(max_moves, MAX_MOVES):
            said = one_line(max_moves)
            raise ValueError(f"max_moves must be left out in games for several players, got {said}")
        max_moves = None
    config = StepConfig(
        int(Reward[check_choice("reward", reward, REWARD_NAMES).upper()]),
        int(reset),
        check_limit("max_episode_steps", max_episode_steps, "None or -1"),
        check_limit("max_moves", max_moves),
        int(parse_bool("skip_forced", skip_forced)),
        illegal_mode(illegal),
    )
    if players == 1:
        return Rows(game, rules, n, config)
    seat = check_seat("seat", seat, players)
    return make_seat_rows(
        game, rules, n, config, "greedy" if opponents is None else opponents, seat
    )


def make_rows_table(
    game: Game, variant: str | None, options: Mapping[str, Any], variants: Variants | None
) -> RulesTable:
    """Return the rules of rows: those of one variant, or several; ValueError if both are given."""
    if variants is None:
        return make_table(game, game.make_rules(variant, options))
    if variant is not None:
        raise ValueError(f"variant={one_line(variant)}: leave it out with variants")
    return read_variants(game, variants, options)


def make_winnable_info(rows: Rows, truth: Any) -> WinnableInfo | None:
    """Return what answers for ``info["winnable"]``, None if that is not wanted.

    Raises ValueError if it is wanted and the game, or its rules, have no solver, or are several.
    """
    if not parse_bool("truth", truth):
        return None
    if rows.table.has_several:
        raise ValueError("truth: a solver answers for one variant; leave it out with variants")
    return WinnableInfo(rows.game, rows.rules)


def observation_space(game: Game, encoding: str, n: int | None = None) -> gym.spaces.Box:
    """Return the space of one observation, or of n stacked ones."""
    if check_choice("encoding", encoding, ENCODINGS) == "codes":
        high: np.ndarray = game.features.high
        dtype: type = np.int8
    else:
        high, dtype = np.ones(game.features.columns, np.uint8), np.uint8
    if n is not None:
        high = np.tile(high, (n, 1))
    return gym.spaces.Box(np.zeros_like(high), high, dtype=dtype)


def encode_observations(game: Game, encoding: str, codes: np.ndarray) -> np.ndarray:
    """Return observations in the encoding wanted, in an array of their own."""
    return game.features.encode(codes, encoding)


def seed_number(seed: Any) -> int | None:
    """Return the seed of a reset; ValueError for anything but a whole number from 0, or None."""
    if seed is None:
        return None
    if not is_whole(seed) or seed < 0:
        raise ValueError(f"seed={one_line(seed)}: allowed are whole numbers from 0, or None")
    return int(seed)


class ChosenDeal(NamedTuple):
    """A deck, numbered deals, a dealer or rules that a reset is to begin with."""

    deck: np.ndarray | None
    bank: str
    deals: np.ndarray | None
    dealer: int | None
    rules: np.ndarray | None = None
    """Numbers of the rows' rules, (n,), where they are not left to chance."""

    def start(self, rows: Rows) -> None:
        """Begin it on all rows."""
        if self.deck is not None:
            rows.draw_seeds()  # later chance, such as an opponent's, is another each time
            rows.deal_deck(self.deck, self.dealer, self.rules)
        elif self.deals is not None:
            rows.deal_bank(self.bank, self.deals, self.dealer, self.rules)
        else:
            rows.start(DealSource.DRAW, dealer=self.dealer, rules=self.rules)


def read_options(options: Any) -> dict[Any, Any]:
    """Return reset's ``options`` in a dictionary of their own; ValueError if they are none."""
    if options is None:
        return {}
    if not isinstance(options, Mapping):
        raise ValueError(f"reset options={one_line(options)}: allowed is a dictionary, or None")
    return dict(options)


def read_reset_options(
    game: Game, rules: Any, options: Mapping[str, Any] | None, n: int = 1
) -> ChosenDeal | None:
    """Read reset's ``options`` ``deck``, or ``deal`` and ``bank``, for n rows; None if not given.

    In a game with a dealer ``dealer``, a seat, may stand beside them or alone; so may, where
    ``rules`` is a table of several, ``rules``, a number of theirs, or one a row. Raises ValueError
    for an option that does not exist or has no sense, before anything changes.
    """
    given, table = read_options(options), make_table(game, rules)
    allowed_keys = ["deck", "deal", "bank"]
    allowed_keys += ["dealer"] * game.has_dealer + ["rules"] * table.has_several
    for key in given:
        if key not in allowed_keys:
            raise ValueError(unknown_text("reset option", key, allowed_keys))
    dealer, chosen = given.pop("dealer", None), given.pop("rules", None)
    if dealer is not None:
        dealer = check_seat("reset option dealer", dealer, table.players)
    if chosen is not None:
        chosen = _read_numbers("rules", chosen, n, len(table.rules) - 1)
    if "deck" in given:
        if len(given) > 1:
            raise ValueError("reset options: give a deck, or a deal and its bank, not both")
        return ChosenDeal(table.read_deck(given["deck"]), "", None, dealer, chosen)
    if "deal" not in given:
        if "bank" in given:
            raise ValueError("reset option 'bank' needs 'deal', the number of a deal in it")
        is_left = dealer is None and chosen is None
        return None if is_left else ChosenDeal(None, "", None, dealer, chosen)
    deals = _read_numbers("deal", given["deal"], n)
    bank = given.get("bank", default_bank(game.name))
    if not isinstance(bank, str) or not bank:
        raise ValueError(f"reset option bank={one_line(bank)}: allowed is the name of a bank")
    return ChosenDeal(None, bank, deals, dealer, chosen)


def _read_numbers(option: str, given: Any, n: int, most: int | None = None) -> np.ndarray:
    """Return a whole number, or one a row, as integers (n,); ValueError naming the option."""
    found = as_array(given)
    fits = found.dtype.kind in "iu" and found.shape in ((), (n,)) and not (found < 0).any()
    if not fits or (most is not None and (found > most).any()):
        allowed = "a whole number from 0" + ("" if most is None else f" to {most}")
        allowed += f", or {n} of them" if n > 1 else ""
        raise ValueError(f"reset option {option}={one_line(given)}: allowed is {allowed}")
    return np.broadcast_to(found, n)


def check_seat(field: str, value: Any, players: int) -> int:
    """Return a seat, 0 .. players - 1; ValueError naming the field for anything else."""
    if not is_whole(value) or not 0 <= value < players:
        raise ValueError(f"{field}={one_line(value)}: allowed are the seats 0–{players - 1}")
    return int(value)
