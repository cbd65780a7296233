"""Validation of the arguments of environments: keywords, seeds, reset options and actions."""

import inspect
from collections.abc import Mapping
from typing import Any, NamedTuple

import gymnasium as gym
import numpy as np
from gymnasium.vector import AutoresetMode

from ..core.batch import MAX_MOVES, Autoreset, DealSource, IllegalMode, Reward, StepConfig
from ..core.game import Game, illegal_action_text
from ..core.kernel.cards import default_deal_set
from ..core.legal import list_actions
from ..core.options import (
    check_range,
    is_integer,
    parse_bool,
    range_text,
    shorten,
    unknown_text,
)
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
"""Attributes that all rows share; `CardVectorEnv.call` returns them once per row."""
VECTOR_KEYWORDS = ("num_envs", "variants", "autoreset_mode", "copy", "num_threads")
"""Keywords of `CardVectorEnv` that `CardEnv` does not have."""
MOST_STEPS = 2**31 - 1
"""Largest limit of moves or steps. States count both in int32."""
MOST_ROWS = 2**24
"""Largest number of rows in a batch. More rows would not fit into memory."""
MOST_THREADS = 1024
"""Largest number of threads of a batch."""


BROKEN = "an opponent raised an exception during the last step: call reset() first"
"""Error message after an exception inside a step. The game may be at the turn of another seat."""


class KeywordError(ValueError, TypeError):
    """Error for an unknown keyword of an environment.

    The class is a ValueError, like all errors for invalid values, and also a TypeError, because
    libraries that test whether a keyword exists catch the TypeError that Python raises.
    """


def check_options(game: Game, options: Mapping[str, Any], environment: type) -> None:
    """Check that all keywords that an environment does not declare are options of the game.

    Args:
        game: The game.
        options: The keywords that the environment does not declare.
        environment: Class of the environment, whose keywords the error message lists.

    Raises:
        KeywordError: A keyword is not an option of the game.
    """
    for name in options:
        if name not in game.rules._fields:
            declared = [
                parameter.name
                for parameter in inspect.signature(environment).parameters.values()
                if parameter.name != "game" and parameter.kind is not parameter.VAR_KEYWORD
            ]
            text = unknown_text("keyword", name, [*declared, *game.rules._fields])
            if name in VECTOR_KEYWORDS:
                text = "it is an argument of gym.make_vec, not of gym.make"
            raise KeywordError(f"unexpected keyword argument {name!r}: {text}")


def check_choice(field: str, value: Any, allowed: tuple[str, ...]) -> str:
    """Return ``value`` if it is one of ``allowed``; otherwise raise ValueError naming ``field``."""
    if not isinstance(value, str) or value not in allowed:
        raise ValueError(unknown_text(field, value, allowed))
    return value


AUTORESETS = {
    AutoresetMode.NEXT_STEP: Autoreset.NEXT_STEP,
    AutoresetMode.SAME_STEP: Autoreset.SAME_STEP,
    AutoresetMode.DISABLED: Autoreset.DISABLED,
}


def autoreset_mode(mode: str | AutoresetMode) -> AutoresetMode:
    """Return an autoreset mode by its name; raise ValueError for an unknown name."""
    if isinstance(mode, AutoresetMode):
        return mode
    names = {known.name.lower(): known for known in AutoresetMode}
    values = {known.value.lower(): known for known in AutoresetMode}
    name = mode.lower() if isinstance(mode, str) else mode
    if isinstance(name, str) and name in values:
        return values[name]
    return names[check_choice("autoreset_mode", name, tuple(names))]


def illegal_mode(illegal: str) -> int:
    """Return the `IllegalMode` of the keyword ``illegal``; raise ValueError for an unknown name.

    The interfaces handle ``"raise"`` themselves, so an illegal action never reaches a kernel then.
    """
    check_choice("illegal", illegal, ILLEGAL_MODES)
    return int(IllegalMode.END if illegal == "raise" else IllegalMode[illegal.upper()])


def is_other(value: Any, default: int) -> bool:
    """Return whether a value of any type differs from an integer default."""
    return not (is_integer(value) and value == default)


def check_limit(field: str, value: int | None, none: str = "None") -> int:
    """Return a limit in the form that kernels take, with 0 for no limit.

    Args:
        field: Name of the limit in the error message.
        value: The limit, or None for no limit.
        none: The values that mean "no limit", as the error message states them. With
            ``"None or -1"``, -1 is one of them, as in `gymnasium.make`.

    Raises:
        ValueError: The limit is not an integer from 1 to `MOST_STEPS`.
    """
    if value is None or (is_integer(value) and value == -1 and "-1" in none):
        return 0
    if not is_integer(value) or not 1 <= value <= MOST_STEPS:
        allowed = f"{range_text(1, MOST_STEPS)}, or {none} for no limit"
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
    num_threads: int = 1,
) -> Rows:
    """Check the keywords of an environment and return its rows.

    In a multiplayer game, the rows are those of one seat (`seat.SeatRows`).

    Args:
        game: The game.
        n: Number of rows.
        variant: Name of the variant (None: the default variant).
        options: Options of the game that differ from the variant.
        reward: See `CardEnv`, like the keywords below.
        max_moves: Maximum number of moves.
        max_episode_steps: Maximum number of steps.
        skip_forced: Whether to play forced actions automatically.
        reset: When the next game of a finished row begins.
        illegal: Effect of an illegal action.
        opponents: Agents in the other seats.
        seat: The seat of the learner.
        variants: Several variants instead of one; see `rules_table.read_variants`.
        num_threads: Number of threads that share the rows.

    Raises:
        ValueError: A keyword has an invalid value, or an option does not exist.
    """
    rules = make_rows_table(game, variant, options, variants)
    players = rules.players
    if players == 1 and (opponents is not None or is_other(seat, 0)):
        raise ValueError("opponents and seat must be left out in games for one player")
    if players > 1:
        if is_other(max_moves, MAX_MOVES):
            limit_text = shorten(max_moves)
            raise ValueError(f"max_moves must be left out in multiplayer games, got {limit_text}")
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
        return Rows(game, rules, n, config, num_threads)
    seat = check_seat("seat", seat, players)
    others = "greedy" if opponents is None else opponents
    return make_seat_rows(game, rules, n, config, others, seat, num_threads)


def make_rows_table(
    game: Game, variant: str | None, options: Mapping[str, Any], variants: Variants | None
) -> RulesTable:
    """Return a table with the rules of ``variant``, or of ``variants``; ValueError for both."""
    if variants is None:
        return make_table(game, game.make_rules(variant, options))
    if variant is not None:
        raise ValueError(f"variant must be left out if variants is given, got {shorten(variant)}")
    return read_variants(game, variants, options)


def make_winnable_info(rows: Rows, winnable: Any) -> WinnableInfo | None:
    """Return the function that computes ``info["winnable"]``; None if ``winnable`` is False.

    Raises:
        ValueError: The game or its rules have no solver, or the rows have different rules.
    """
    if not parse_bool("winnable", winnable):
        return None
    if rows.table.has_several:
        raise ValueError(
            "winnable must be left out if variants is given: it needs a single variant"
        )
    return WinnableInfo(rows.game, rows.rules)


def observation_space(game: Game, encoding: str, n: int | None = None) -> gym.spaces.Box:
    """Return the space of one observation, or of a batch of ``n`` observations."""
    if check_choice("encoding", encoding, ENCODINGS) == "codes":
        high: np.ndarray = game.features.high
        dtype: type = np.int8
    else:
        high, dtype = np.ones(game.features.columns, np.uint8), np.uint8
    if n is not None:
        high = np.tile(high, (n, 1))
    return gym.spaces.Box(np.zeros_like(high), high, dtype=dtype)


def encode_observations(game: Game, encoding: str, codes: np.ndarray) -> np.ndarray:
    """Return ``codes`` (n, width) in the given encoding, in a new array."""
    return game.features.encode(codes, encoding)


def seed_number(seed: Any) -> int | None:
    """Return the seed of a reset; raise ValueError unless it is an integer >= 0 or None."""
    if seed is None:
        return None
    if not is_integer(seed) or seed < 0:
        raise ValueError(f"seed must be {range_text(0)} or None, got {shorten(seed)}")
    return int(seed)


class ChosenDeal(NamedTuple):
    """The deck, numbered deals, dealer and rules that a caller chose for a reset."""

    deck: np.ndarray | None
    """Card codes in dealing order, int8; None: no chosen deck."""
    deal_set: str
    """Name of the deal set of ``deals``."""
    deals: np.ndarray | None
    """Number of the deal in each row, (n,); None: no numbered deals."""
    dealer: int | None
    """The seat that deals; None: drawn at random."""
    rules: np.ndarray | None = None
    """Index of the rules of each row, (n,); None: drawn at random."""


def start_rows(rows: Rows, chosen: ChosenDeal | None, which: np.ndarray | None = None) -> None:
    """Begin new games: the chosen deal on all rows, or random deals on the rows in ``which``."""
    if chosen is None:
        rows.start(DealSource.DRAW, which)
    elif chosen.deck is not None:
        rows.draw_seeds()  # Later random draws, such as an opponent's, then differ each time.
        rows.deal_deck(chosen.deck, chosen.dealer, chosen.rules)
    elif chosen.deals is not None:
        rows.deal_numbered(chosen.deal_set, chosen.deals, chosen.dealer, chosen.rules)
    else:
        rows.start(DealSource.DRAW, dealer=chosen.dealer, rules=chosen.rules)


def read_options(options: Any) -> dict[Any, Any]:
    """Return a copy of the ``options`` of a reset; ValueError if they are not a dictionary."""
    if options is None:
        return {}
    if not isinstance(options, Mapping):
        raise ValueError(f"reset options must be a dictionary or None, got {shorten(options)}")
    return dict(options)


def read_reset_options(
    game: Game, rules: Any, options: Mapping[str, Any] | None, n: int = 1
) -> ChosenDeal | None:
    """Return the deal that the ``options`` of a reset choose; None if they choose nothing.

    Args:
        game: The game.
        rules: Its rules, or a table of several rules.
        options: ``"deck"``; or ``"deal"``, with ``"deal_set"`` if it is not the default one. In
            addition ``"dealer"``, a seat, in games with a dealer, and ``"rules"``, an index or one
            index per row, with several rules.
        n: Number of rows.

    Raises:
        ValueError: An option is unknown or has an invalid value. No row has changed then.
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
            raise ValueError(
                "reset options must have either deck or deal (with deal_set), got both"
            )
        return ChosenDeal(table.read_deck(given["deck"]), "", None, dealer, chosen)
    if "deal" not in given:
        if "deal_set" in given:
            raise ValueError(
                "reset option deal_set needs deal, the number of a deal of the deal set"
            )
        is_left = dealer is None and chosen is None
        return None if is_left else ChosenDeal(None, "", None, dealer, chosen)
    deals = _read_numbers("deal", given["deal"], n)
    deal_set = given.get("deal_set", default_deal_set(game.name))
    if not isinstance(deal_set, str) or not deal_set:
        raise ValueError(
            f"reset option deal_set must be the name of a deal set, got {shorten(deal_set)}"
        )
    return ChosenDeal(None, deal_set, deals, dealer, chosen)


def _read_numbers(option: str, given: Any, n: int, most: int | None = None) -> np.ndarray:
    """Return one integer, or one integer per row, as an array (n,); ValueError names the option."""
    numbers = as_array(given)
    fits = numbers.dtype.kind in "iu" and numbers.shape in ((), (n,)) and not (numbers < 0).any()
    if not fits or (most is not None and (numbers > most).any()):
        allowed = range_text(0, most) + (f", or a list of {n} such integers" if n > 1 else "")
        raise ValueError(f"reset option {option} must be {allowed}, got {shorten(given)}")
    return np.broadcast_to(numbers, n)


def check_seat(field: str, value: Any, players: int) -> int:
    """Return a seat, an integer from 0 to players - 1; raise ValueError naming ``field`` if not."""
    return check_range(field, value, 0, players - 1)


# ---- actions --------------------------------------------------------------------------------


def whole_number(action: Any) -> int:
    """Return an action as an int.

    An action is a Python or NumPy integer, or a zero-dimensional integer array or tensor. These are
    the members of `gymnasium.spaces.Discrete`, and tensors in addition. Booleans, floats, lists and
    arrays with dimensions are not actions. `check_actions` applies the same rule to a batch.

    Raises:
        ValueError: The value is not an action.
    """
    if is_integer(action):
        return int(action)
    array = as_array(action)
    if array.dtype.kind in "iu" and array.shape == ():
        return int(array)
    has_item = array.shape and array.size == 1 and hasattr(action, "item")
    hint = ". Convert the array with action.item()" if has_item else ""
    raise ValueError(f"action must be an integer, got {shorten(action)}{hint}")


def kernel_action(action: int) -> int:
    """Return an action that fits int64; larger or smaller integers become -1, which is illegal."""
    return action if -(2**63) <= action < 2**63 else -1


def as_array(value: Any) -> np.ndarray:
    """Return a value as an array; an object array if conversion fails or entries are masked."""
    if isinstance(value, np.ma.MaskedArray) and np.ma.is_masked(value):
        return np.zeros((), object)
    try:
        return np.asarray(value)
    except Exception:  # Ragged lists, tensors on another device, arbitrary objects.
        return np.zeros((), object)


def check_actions(actions: Any, n: int) -> np.ndarray:
    """Return a batch of actions as an int64 array (n,).

    Args:
        actions: List, array or tensor of n actions; see `whole_number`. Integers that do not fit
            int64 become -1, which is illegal.
        n: Number of actions.

    Raises:
        ValueError: The type or the shape is wrong.
    """
    array = as_array(actions)
    is_read = array.dtype.kind in "iu" or not isinstance(actions, list | tuple | np.ndarray)
    if not is_read and array.shape == (n,) and all(map(is_integer, actions)):
        array = np.array([kernel_action(int(action)) for action in actions], np.int64)
    if array.dtype.kind not in "iu" or array.shape != (n,):
        raise ValueError(
            f"actions must be integers of shape ({n},), got {array.dtype} of shape {array.shape}"
        )
    return array if array.dtype != np.uint64 else np.minimum(array, 2**63 - 1).astype(np.int64)


def refuse_illegal(rows: Rows, actions: np.ndarray) -> None:
    """Raise InvalidAction if an action, int64 (n,), is illegal; the message names the first row."""
    row = first_illegal(rows.states, actions, rows.game.actions)
    if row >= 0:
        legal = list_actions(rows.states["legal"][row])
        action, state = int(actions[row]), rows.states[row]
        message = illegal_action_text(rows.game, rows.rules_of(row), state, action, legal)
        raise gym.error.InvalidAction(f"row {row}: {message}\n{ansi(rows.scene(row))}")
