"""The validated specification of an evaluation: deals, rules, and statistics."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from parlour.agents.adapters import as_agent
from parlour.agents.registry import Agent, FixedAgent, load_agent
from parlour.envs import Game, find_game
from parlour.envs.core.batch import MAX_MOVES
from parlour.envs.core.kernel.cards import deal_seeds, default_deal_set
from parlour.envs.core.kernel.rng import new_key
from parlour.envs.core.options import check_range, to_plain
from parlour.envs.core.rules_table import describe_rules

from ..files import make_record_file
from .labels.labels import Labels, find_requested_labels
from .stats import CONFIDENCE

DEALS = 10_000


@dataclass(frozen=True, eq=False, repr=False)
class EvaluationSpec:
    """Deals ``first`` .. ``first + deals - 1`` of a deal set, with one set of rules.

    `make_specs` validates all fields.
    """

    game: Game
    rules: Any
    """An instance of the game's `rules`: a variant, possibly with changed options."""
    base_variant: str
    """The name of the variant on which the rules are based."""
    deal_set: str
    first: int
    deals: int
    seed: int
    """The seed that is passed to agents; it does not affect the deals."""
    evaluation_seed: str
    """Any text, from which `Turn.seeds`, the agents' draws, and resampled cards derive."""
    confidence: float
    """The confidence level of all intervals."""
    max_moves: int | None = MAX_MOVES
    """Number of moves after which games for one player are truncated; None or 0: no limit."""
    hands: int = 1
    """Number of hands per deal, in games for several players (see `play.hand_seeds`)."""
    allow_rules_mismatch: bool = False
    """Whether to allow saved agents trained with other rules of the game."""
    labels: Labels | None = None
    """Solver labels of all or some of these deals, in games for one player."""
    record: Path | None = None
    """The file of recorded games; None: no record."""

    @property
    def variant(self) -> str:
        """The rules' name for tables (``"classic"``, ``"classic + passes=2"``)."""
        return describe_rules(self.game, self.rules, self.base_variant)

    @property
    def num_players(self) -> int:
        """The number of seats."""
        return self.game.num_players(self.rules)

    @property
    def is_multiplayer(self) -> bool:
        """Whether the game has several seats, so that each deal is played from every seat."""
        return self.num_players > 1

    def load_agent(self, agent: Agent | str) -> FixedAgent:
        """Load an agent for these rules, from its spec or any object that `as_agent` accepts."""
        if isinstance(agent, str):
            agent = load_agent(agent, self.game, self.rules, self.seed, self.allow_rules_mismatch)
        return FixedAgent(as_agent(agent))

    @property
    def numbers(self) -> np.ndarray:
        """The numbers of the deals in their deal set, int64 (deals,)."""
        return np.arange(self.first, self.first + self.deals)

    @cached_property
    def seeds(self) -> np.ndarray:
        """The seeds of the deals, uint64 (deals,)."""
        return deal_seeds(self.deal_set, self.numbers)

    def __repr__(self) -> str:
        """Return game, variant and deals on one line."""
        return f"<{type(self).__name__}: {self.game.name}, {self.variant}, {self.deals_text}>"

    @property
    def deals_text(self) -> str:
        """The deals, as text for one line."""
        return f"deals {self.first} to {self.first + self.deals - 1} of deal set {self.deal_set}"

    def rules_summary(self) -> dict[str, Any]:
        """Return the game and the rules for JSON."""
        return {
            "game": self.game.name,
            "variant": self.variant,
            "rules": to_plain(self.rules),
            "rules_digest": self.game.rules_digest(self.rules),
        }


def make_specs(
    game: Game | str,
    variants: str | Sequence[str] | None = None,
    options: Mapping[str, Any] | None = None,
    *,
    deals: int = DEALS,
    deal_set: str | None = None,
    first: int = 0,
    seed: int = 0,
    evaluation_seed: str | None = None,
    confidence: float = CONFIDENCE,
    max_moves: int | None = MAX_MOVES,
    hands: int = 1,
    labels: Labels | Path | str | None = None,
    allow_rules_mismatch: bool = False,
    record: Path | str | None = None,
) -> list[EvaluationSpec]:
    """Return the validated specification of each variant (None: the game's default).

    The arguments are those of `compare.evaluate`. Games for several players ignore ``max_moves``
    and ``labels``. ``record`` is created as an empty file. Raises ValueError naming the invalid
    value and the allowed values.
    """
    game = find_game(game) if isinstance(game, str) else game
    variants = [variants] if isinstance(variants, str) else variants
    is_multiplayer = is_for_several(game, variants, options)
    check_range("deals", deals, 2 if is_multiplayer else 1)  # Student's interval needs two values
    check_range("seed", seed, 0)
    check_range("max_moves", max_moves or 0, 0)
    if check_range("hands", hands, 1) > 1 and not is_multiplayer:
        raise ValueError(f"hands must be 1 in a game for one player, got {hands}")
    deal_set = deal_set or default_deal_set(game.name)
    evaluation_seed = new_key() if evaluation_seed is None else evaluation_seed
    deal_seeds(deal_set, [first])  # raises ValueError for a negative number
    specs = []
    for variant, rules in _read_variants(game, variants, options).items():
        deal_labels = None
        if not is_multiplayer:
            deal_labels = find_requested_labels(labels, game, rules, deal_set, first, deals)
        spec = EvaluationSpec(
            game=game,
            rules=rules,
            base_variant=variant,
            deal_set=deal_set,
            first=first,
            deals=deals,
            seed=seed,
            evaluation_seed=evaluation_seed,
            confidence=confidence,
            max_moves=max_moves,
            hands=hands,
            allow_rules_mismatch=allow_rules_mismatch,
            labels=deal_labels,
            record=None if record is None else Path(record),
        )
        specs.append(spec)
    if record is not None:
        make_record_file(Path(record))
    return specs


def _read_variants(
    game: Game, variants: Sequence[str] | None, options: Mapping[str, Any] | None
) -> dict[str, Any]:
    """Return the rules of each variant; ValueError if two variants have the same rules."""
    variant_of: dict[Any, str] = {}
    for variant in variants or [game.default]:
        rules = game.make_rules(variant, options)
        if rules in variant_of:
            raise ValueError(
                "variants must have different rules, got the same rules for "
                f"{variant_of[rules]!r} and {variant!r}"
            )
        variant_of[rules] = variant
    return {variant: rules for rules, variant in variant_of.items()}


def is_for_several(
    game: Game, variants: Sequence[str] | None, options: Mapping[str, Any] | None
) -> bool:
    """Return whether rules are for several players.

    Raises ValueError if some variants are for one player and others for several.
    """
    by_several: dict[bool, list[str]] = {}
    for name in variants or [game.default]:
        several = game.num_players(game.make_rules(name, options)) > 1
        by_several.setdefault(several, []).append(name)
    if len(by_several) > 1:
        raise ValueError(
            "variants must all be for one player or all for several, got "
            f"{', '.join(by_several[False])} for one and {', '.join(by_several[True])} for "
            "several. Compare them separately"
        )
    return True in by_several


def read_options(pairs: Iterable[str]) -> dict[str, str]:
    """Return ``name=value`` pairs as a dictionary; ValueError for a pair without ``=``."""
    options = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not equals:
            raise ValueError(f"option must be NAME=VALUE, such as --option passes=2, got {pair!r}")
        options[name.strip()] = value.strip()
    return options
