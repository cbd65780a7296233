"""Validation of what callers pass to environments: keywords, seeds, reset options and actions."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import gymnasium as gym
import numpy as np
from gymnasium.vector import AutoresetMode

from ..core.batch import MAX_MOVES, Autoreset, DealSource, IllegalMode, Reward, StepConfig
from ..core.game import Game
from ..core.kernel.cards import default_deal_set
from ..core.options import is_integer, parse_bool, shorten, unknown_text
from ..core.rows import Rows, first_illegal
from ..core.rules_table import RulesTable, Variants, make_table, read_variants
from ..core.scene.scene import ansi
from ..core.schema import ENCODINGS
from ..core.solve import WinnableInfo
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
"""Attributes that all rows share, for `CardVectorEnv.call`."""
MOST_STEPS = 2**31 - 1
"""The largest limit: states count moves and steps in int32."""
MOST_ROWS = 2**24
"""The largest batch: more rows would not fit into memory."""


BROKEN = "an opponent raised an exception in the middle of this game: call reset() first"
"""Error text after an exception inside a step: an action could be played for another seat."""


class KeywordError(ValueError, TypeError):
    """An unknown keyword of an environment.

    It is a ValueError, as for all bad values, and the TypeError that Python raises for unknown
    keywords: libraries that probe for a keyword catch that.
    """


def check_options(game: Game, options: Mapping[str, Any]) -> None:
    """Raise KeywordError for a keyword that is no option of the game."""
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
    """Return the autoreset mode of a name; ValueError naming what is allowed."""
    if isinstance(mode, AutoresetMode):
        return mode
    names = {known.name.lower(): known for known in AutoresetMode}
    names |= {known.value.lower(): known for known in AutoresetMode}
    name = mode.lower() if isinstance(mode, str) else mode
    return names[check_choice("autoreset_mode", name, tuple(names))]


def illegal_mode(illegal: str) -> int:
    """Return the `IllegalMode` of a keyword; ValueError naming what is allowed.

    ``"raise"`` is handled by the interfaces: such an action never reaches a kernel.
    """
    check_choice("illegal", illegal, ILLEGAL_MODES)
    return int(IllegalMode.END if illegal == "raise" else IllegalMode[illegal.upper()])


def is_other(value: Any, default: int) -> bool:
    """Whether a value of any type differs from the default, a whole number."""
    return not (is_integer(value) and value == default)


def check_limit(field: str, value: int | None, none: str = "None") -> int:
    """Return a limit for kernels, 0 for none. Raises ValueError naming what is allowed.

    With ``none="None or -1"``, -1 also means no limit, as in `gymnasium.make`.
    """
    if value is None or (is_integer(value) and value == -1 and "-1" in none):
        return 0
    if not is_integer(value) or not 1 <= value <= MOST_STEPS:
        allowed = f"a whole number from 1 to {MOST_STEPS}, or {none} for no limit"
        raise ValueError(f"{field} must be {allowed}, got {shorten(value)}")
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
    """Check all keywords and return ``n`` rows; for several players those of one seat.

    The keywords are those of `CardEnv`; ``variants`` is what `rules_table.read_variants` takes.
    Raises ValueError naming what is wrong, `KeywordError` for an unknown keyword.
    """
    check_options(game, options)
    rules = make_rows_table(game, variant, options, variants)
    players = rules.players
    if players == 1 and (opponents is not None or is_other(seat, 0)):
        raise ValueError("opponents, seat: these rules are for one player")
    if players > 1:
        if is_other(max_moves, MAX_MOVES):
            limit_text = shorten(max_moves)
            raise ValueError(
                f"max_moves must be left out in games for several players, got {limit_text}"
            )
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
    """Return the rules of one variant, or of several; ValueError if both are given."""
    if variants is None:
        return make_table(game, game.make_rules(variant, options))
    if variant is not None:
        raise ValueError(f"variant={shorten(variant)}: leave it out with variants")
    return read_variants(game, variants, options)


def make_winnable_info(rows: Rows, winnable: Any) -> WinnableInfo | None:
    """Return the source of ``info["winnable"]``; None without ``winnable``.

    Raises ValueError if the game or its rules have no solver, or if there are several rules.
    """
    if not parse_bool("winnable", winnable):
        return None
    if rows.table.has_several:
        raise ValueError("winnable: a solver answers for one variant; leave it out with variants")
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
    """Return observations in an encoding, in a new array."""
    return game.features.encode(codes, encoding)


def seed_number(seed: Any) -> int | None:
    """Return the seed of a reset; ValueError for anything but a whole number from 0, or None."""
    if seed is None:
        return None
    if not is_integer(seed) or seed < 0:
        raise ValueError(f"seed={shorten(seed)}: allowed are whole numbers from 0, or None")
    return int(seed)


class ChosenDeal(NamedTuple):
    """The deck, numbered deals, dealer or rules that a reset begins with."""

    deck: np.ndarray | None
    deal_set: str
    deals: np.ndarray | None
    dealer: int | None
    rules: np.ndarray | None = None
    """Indices of the rows' rules, (n,); None: drawn."""


def start_rows(rows: Rows, chosen: ChosenDeal | None, which: np.ndarray | None = None) -> None:
    """Begin new games: the chosen deal on all rows, or drawn ones on the rows in ``which``."""
    if chosen is None:
        rows.start(DealSource.DRAW, which)
    elif chosen.deck is not None:
        rows.draw_seeds()  # so that later chance, such as an opponent's, differs each time
        rows.deal_deck(chosen.deck, chosen.dealer, chosen.rules)
    elif chosen.deals is not None:
        rows.deal_numbered(chosen.deal_set, chosen.deals, chosen.dealer, chosen.rules)
    else:
        rows.start(DealSource.DRAW, dealer=chosen.dealer, rules=chosen.rules)


def read_options(options: Any) -> dict[Any, Any]:
    """Return a copy of reset's ``options``; ValueError if they are no dictionary."""
    if options is None:
        return {}
    if not isinstance(options, Mapping):
        raise ValueError(f"reset options={shorten(options)}: allowed is a dictionary, or None")
    return dict(options)


def read_reset_options(
    game: Game, rules: Any, options: Mapping[str, Any] | None, n: int = 1
) -> ChosenDeal | None:
    """Return the deal that reset's ``options`` choose for n rows; None without options.

    The options are ``deck``, or ``deal`` and ``deal_set``. A game with a dealer has ``dealer``, a
    seat; a table of several rules has ``rules``, an index or one for each row. Both go with the
    others or alone. Raises ValueError for an unknown or wrong option, before anything changes.
    """
    given, table = read_options(options), make_table(game, rules)
    allowed_keys = ["deck", "deal", "deal_set"]
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
            raise ValueError("reset options: give a deck, or a deal and its deal set, not both")
        return ChosenDeal(table.read_deck(given["deck"]), "", None, dealer, chosen)
    if "deal" not in given:
        if "deal_set" in given:
            raise ValueError("reset option 'deal_set' needs 'deal', the number of a deal in it")
        is_left = dealer is None and chosen is None
        return None if is_left else ChosenDeal(None, "", None, dealer, chosen)
    deals = _read_numbers("deal", given["deal"], n)
    deal_set = given.get("deal_set", default_deal_set(game.name))
    if not isinstance(deal_set, str) or not deal_set:
        raise ValueError(
            f"reset option deal_set={shorten(deal_set)}: allowed is the name of a deal set"
        )
    return ChosenDeal(None, deal_set, deals, dealer, chosen)


def _read_numbers(option: str, given: Any, n: int, most: int | None = None) -> np.ndarray:
    """Return a whole number, or one a row, as integers (n,); ValueError naming the option."""
    numbers = as_array(given)
    fits = numbers.dtype.kind in "iu" and numbers.shape in ((), (n,)) and not (numbers < 0).any()
    if not fits or (most is not None and (numbers > most).any()):
        allowed = "a whole number from 0" + ("" if most is None else f" to {most}")
        allowed += f", or {n} of them" if n > 1 else ""
        raise ValueError(f"reset option {option}={shorten(given)}: allowed is {allowed}")
    return np.broadcast_to(numbers, n)


def check_seat(field: str, value: Any, players: int) -> int:
    """Return a seat, 0 .. players - 1; ValueError naming the field for anything else."""
    if not is_integer(value) or not 0 <= value < players:
        raise ValueError(f"{field}={shorten(value)}: allowed are the seats 0–{players - 1}")
    return int(value)


# ---- actions --------------------------------------------------------------------------------


def whole_number(action: Any) -> int:
    """Return an action as a whole number; ValueError for anything else.

    An action is an integer of Python or NumPy, or an array or tensor of an integer type without
    dimensions: what `gymnasium.spaces.Discrete` contains, and also tensors. Booleans, floats,
    lists, and arrays with dimensions are not actions. `check_actions` applies the same rule to
    many games.
    """
    if is_integer(action):
        return int(action)
    array = as_array(action)
    if array.dtype.kind in "iu" and array.shape == ():
        return int(array)
    has_item = array.shape and array.size == 1 and hasattr(action, "item")
    hint = "; take its only number by action.item()" if has_item else ""
    raise ValueError(f"action={shorten(action)}: allowed is a whole number, such as 0{hint}")


def kernel_action(action: int) -> int:
    """Return an action as an int64; a number that does not fit becomes -1, which is illegal."""
    return action if -(2**63) <= action < 2**63 else -1


def as_array(value: Any) -> np.ndarray:
    """Return a value as an array; an object array if NumPy cannot read it or entries are masked."""
    if isinstance(value, np.ma.MaskedArray) and np.ma.is_masked(value):
        return np.zeros((), object)
    try:
        return np.asarray(value)
    except Exception:  # lists of different lengths, tensors of another device, any object
        return np.zeros((), object)


def check_actions(actions: Any, n: int) -> np.ndarray:
    """Return actions as int64 (n,); ValueError for any other type or shape.

    ``actions`` is a list, an array or a tensor of n actions; see `whole_number`. Numbers that
    do not fit int64 become -1, which is illegal.
    """
    array = as_array(actions)
    is_read = array.dtype.kind in "iu" or not isinstance(actions, list | tuple | np.ndarray)
    if not is_read and array.shape == (n,) and all(map(is_integer, actions)):
        array = np.array([kernel_action(int(action)) for action in actions], np.int64)
    if array.dtype.kind not in "iu" or array.shape != (n,):
        raise ValueError(
            f"actions must be whole numbers, shape ({n},), got {array.dtype} {array.shape}"
        )
    return array if array.dtype != np.uint64 else np.minimum(array, 2**63 - 1).astype(np.int64)


def refuse_illegal(rows: Rows, actions: np.ndarray) -> None:
    """Raise InvalidAction naming the first row whose action, int64 (n,), is not legal."""
    row = first_illegal(rows.states, actions, rows.game.actions)
    if row >= 0:
        table = ansi(rows.scene(row))
        raise gym.error.InvalidAction(f"row {row}: action {actions[row]} is not legal\n{table}")
