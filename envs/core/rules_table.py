"""Rules of a batch: tables of the rules of its rows, and random combinations of options."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import cached_property
from types import MappingProxyType
from typing import Any, TypeAlias, get_origin, get_type_hints

import numpy as np

from .batch import DealSource, StepConfig, make_buffers
from .game import Game
from .kernel.cards import parse_deck
from .options import (
    as_record,
    changed_options,
    options_text,
    replace_options,
    shorten,
    unknown_text,
)
from .type_aliases import RulesRecords, States

Variants: TypeAlias = str | Sequence[str | Mapping[str, Any] | Any]
"""Argument of `read_variants`."""
ALL = "all"
"""Name that stands for all variants with as many players as the default variant."""
MOST_RULES = 1 << 16
"""Largest number of rules in a table: `batch.RULES_BITS` must cover all indices."""


@dataclass(frozen=True, eq=False)
class RulesTable:
    """Table of the rules of a batch, one of which applies to each row; see `make_table`.

    The rules are different, and all have the same number of players.
    """

    game: Game
    rules: tuple[Any, ...]

    @cached_property
    def records(self) -> RulesRecords:
        """The rules in the form that kernels take, a structured array (k,)."""
        return np.concatenate([as_record(one) for one in self.rules])

    @property
    def has_several(self) -> bool:
        """Whether the table has more than one entry."""
        return len(self.rules) > 1

    @property
    def only(self) -> Any:
        """The only rules; ValueError if there are several."""
        if self.has_several:
            raise ValueError(
                f"rules must be the same in all rows, got {len(self.rules)} different rules. "
                "Use rules_of(row)"
            )
        return self.rules[0]

    @property
    def players(self) -> int:
        """Number of players, the same for all rules."""
        return self.game.num_players(self.rules[0])

    @cached_property
    def pack(self) -> tuple[int, ...]:
        """The card codes of a deck; ValueError if rules of the table use different decks."""
        packs = {self.game.pack(one) for one in self.rules}
        if len(packs) > 1:
            raise ValueError("deck must be left out if the rules of the rows use different decks")
        return packs.pop()

    def read_deck(self, cards: Any) -> np.ndarray:
        """Return the codes of a chosen deck; ValueError if any of the rules forbid the deck."""
        deck, seats = parse_deck(cards, self.pack), self.game.seats
        if seats is not None and seats.check_deck is not None:
            for rules in self.rules:
                seats.check_deck(deck, rules)
        return deck

    @cached_property
    def _columns(self) -> np.ndarray:
        """Indices of the bytes of a state that show the options."""
        fields = self.game.state.fields
        assert fields is not None
        shown, start = fields["shown"][:2]
        assert shown.fields is not None
        pieces = [shown.fields[name] for name in self.game.rules._fields]
        return np.concatenate([start + at + np.arange(kind.itemsize) for kind, at, *_ in pieces])

    @cached_property
    def _numbers(self) -> dict[bytes, int]:
        """Index of the rules by the bytes that show them, which are read from a deal."""
        k = len(self.rules)
        states = np.zeros(k, self.game.state)
        out = make_buffers(k, self.game.actions, self.game.state, self.game.max_players)
        out.rules[:] = range(k)
        every, config = np.ones(k, np.bool_), as_record(StepConfig())
        self.game.kernels.reset_rows(states, self.records, config, every, int(DealSource.SEED), out)
        return {shown: number for number, shown in enumerate(self._shown_options(states))}

    def _shown_options(self, states: States) -> list[bytes]:
        raw = np.ascontiguousarray(states).view(np.int8)
        raw = raw.reshape(len(states), states.itemsize)
        return [row.tobytes() for row in raw[:, self._columns]]

    def find(self, states: States) -> np.ndarray:
        """Return the index of the rules that each state shows, int64 (n,).

        Raises:
            ValueError: A state shows rules that are not in the table.
        """
        if not self.has_several:
            return np.zeros(len(states), np.int64)
        numbers = [self._numbers.get(shown, -1) for shown in self._shown_options(states)]
        if -1 in numbers:
            raise ValueError(
                f"state of {self.game.title}, row {numbers.index(-1)}: rules must be one of the "
                f"{len(self.rules)} rules that the rows use, got other rules"
            )
        return np.array(numbers, np.int64)

    def split(self, states: States) -> Iterator[tuple[int, np.ndarray]]:
        """Yield each index of rules that states show, and the rows of these states, int64 (m,)."""
        numbers = self.find(states)
        for number in np.unique(numbers).tolist():
            yield number, np.flatnonzero(numbers == number)

    def gather(
        self, states: States, read: Callable[[Any, np.ndarray], Mapping[str, np.ndarray]]
    ) -> dict[str, np.ndarray]:
        """Return results of states with different rules, as arrays (n,) by name.

        Args:
            states: The states, (n,).
            read: Function ``read(rules, rows)`` that returns the results of the states in ``rows``,
                which all have these rules.

        Returns:
            The results, and ``rules_index``, the index of the rules. Results that some rules do not
            have are 0 in their rows.
        """
        facts = {"rules_index": np.zeros(len(states), np.int64)}
        for number, places in self.split(states):
            facts["rules_index"][places] = number
            for name, values in read(self.rules[number], places).items():
                facts.setdefault(name, np.zeros(len(states), values.dtype))[places] = values
        return facts


def make_table(game: Game, rules: Any) -> RulesTable:
    """Return a table of rules.

    Args:
        game: The game.
        rules: A table, which is returned unchanged; the game's ``Rules``; or several ``Rules``.

    Raises:
        ValueError: There are no rules, too many, equal ones, or different numbers of players.
    """
    if isinstance(rules, RulesTable):
        return rules
    if isinstance(rules, game.rules):
        return RulesTable(game, (rules,))
    all_rules = tuple(rules)
    if not 1 <= len(all_rules) <= MOST_RULES:
        raise ValueError(f"variants must have 1 to {MOST_RULES} entries, got {len(all_rules)}")
    if len(set(all_rules)) < len(all_rules):
        twice = next(one for one in all_rules if all_rules.count(one) > 1)
        raise ValueError(f"variants must be different, got {describe_rules(game, twice)} twice")
    for one in all_rules:
        if game.num_players(one) != game.num_players(all_rules[0]):
            raise ValueError(
                "variants must have the same number of players, got "
                f"{describe_rules(game, all_rules[0])} for {game.num_players(all_rules[0])} and "
                f"{describe_rules(game, one)} for {game.num_players(one)}"
            )
    return RulesTable(game, all_rules)


def read_variants(
    game: Game, variants: Any, options: Mapping[str, Any] = MappingProxyType({})
) -> RulesTable:
    """Return the table of rules for the keyword ``variants``.

    Args:
        game: The game.
        variants: ``"all"`` for all variants with the default number of players; or a sequence whose
            entries are names of variants, dictionaries of options, optionally with ``"variant"``,
            or ``Rules``.
        options: Options that apply to all entries. The options of a dictionary take precedence.

    Raises:
        ValueError: The argument has another type, or an entry is invalid.
    """
    if isinstance(variants, str) and variants == ALL:
        all_rules = [game.make_rules(name, options) for name in list_variants(game)]
        return make_table(game, dict.fromkeys(all_rules))
    if isinstance(variants, str | Mapping) or not isinstance(variants, Sequence):
        raise ValueError(
            f"variants must be {ALL!r} or a list of names of variants and dictionaries of options, "
            f"got {shorten(variants)}"
        )
    if isinstance(variants, game.rules):
        variants = [variants]
    return make_table(game, [_read_one(game, one, options) for one in variants])


def list_variants(game: Game) -> list[str]:
    """Return the names of all variants with as many players as the default variant."""
    players = game.num_players(game.variants[game.default])
    return [name for name, one in game.variants.items() if game.num_players(one) == players]


def _read_one(game: Game, given: Any, options: Mapping[str, Any]) -> Any:
    if isinstance(given, game.rules):
        rules = replace_options(given, options)
        game.check(rules)
        return rules
    if isinstance(given, Mapping):
        merged = {**options, **given}
        return game.make_rules(merged.pop("variant", None), merged)
    if isinstance(given, str):
        return game.make_rules(given, options)
    raise ValueError(
        "entries of variants must be names of variants or dictionaries of options, "
        f"got {shorten(given)}"
    )


def describe_rules(game: Game, rules: Any, variant: str | None = None) -> str:
    """Return a short description of rules: ``"book"``, or ``"book + passes=2"``.

    Args:
        game: The game.
        rules: The rules.
        variant: The variant to compare with (None: the default variant).
    """
    variant = game.default if variant is None else variant
    changed = changed_options(rules, game.variants[variant])
    if not changed:
        return variant
    return game.variant_name(rules) or f"{variant} + {options_text(changed)}"


# ---- random options -------------------------------------------------------------------------

FIXED_SEED = 0x53455453
"""Seed of `draw_option_sets`. The sets are always the same, so that a half can be held out."""
TRIES = 200
"""Number of draws per requested set after which `draw_option_sets` gives up."""


def random_options(
    game: Game,
    rng: np.random.Generator,
    names: Collection[str] | None = None,
    base: Any = None,
) -> dict[str, Any]:
    """Return a random valid combination of options.

    Args:
        game: The game.
        rng: The random generator.
        names: The options to draw (None: all).
        base: Rules that supply the other options (None: the default variant).
    """
    hints = get_type_hints(game.rules, include_extras=True)
    drawn = {name: hint for name, hint in hints.items() if names is None or name in names}
    start = game.variants[game.default] if base is None else base
    while True:
        chosen = {name: _draw_value(hint, rng) for name, hint in drawn.items()}
        try:
            game.check(replace_options(start, chosen))
        except ValueError:
            continue
        return chosen


def _draw_value(hint: Any, rng: np.random.Generator) -> Any:
    kind, option = hint.__origin__, hint.__metadata__[0]
    if isinstance(kind, type) and issubclass(kind, IntEnum):
        return rng.choice([member.name.lower() for member in kind])
    if kind is bool:
        return bool(rng.random() < 0.4)
    if get_origin(kind) is tuple:
        return tuple(rng.integers(option.low, option.high + 1, option.size).tolist())
    return int(rng.choice(option.values or range(option.low, option.high + 1)))


def draw_option_sets(
    game: Game, base: Any, k: int, names: Collection[str] = (), split: str = "all"
) -> list[Any]:
    """Return k different rules with random options, the same in every call.

    Args:
        game: The game.
        base: Rules that supply the options that are not drawn.
        k: Number of rules.
        names: The options to draw (empty: all). The number of players is never drawn.
        split: ``"all"``; or ``"even"`` or ``"odd"``, to return only the rules with such an index.

    Raises:
        ValueError: An option does not exist, or there are fewer than k combinations.
    """
    for name in names:
        if name not in game.rules._fields or name == "players":
            allowed = [field for field in game.rules._fields if field != "players"]
            raise ValueError(unknown_text("option to draw", name, allowed))
    rng, sets = np.random.default_rng(FIXED_SEED), dict[Any, None]()
    drawn = names or [field for field in game.rules._fields if field != "players"]
    for _ in range(k * TRIES):
        if len(sets) == k:
            break
        sets[replace_options(base, random_options(game, rng, drawn, base))] = None
    if len(sets) < k:
        raise ValueError(
            f"number of option sets must be at most {len(sets)}, the number of combinations found, "
            f"got {k}"
        )
    step = {"all": slice(None), "even": slice(0, None, 2), "odd": slice(1, None, 2)}
    return list(sets)[step[split]]
