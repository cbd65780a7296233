"""What an evaluation plays and how it is counted: checked once, and then read by all of it."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from parlour.envs import Game, find_game
from parlour.envs.core.batch import MAX_MOVES
from parlour.envs.core.kernel.cards import bank_seeds, default_bank
from parlour.envs.core.kernel.rng import new_key
from parlour.envs.core.options import to_plain
from parlour.envs.core.rules_table import describe_rules

from .labels.labels import Labels
from .labels.truth import find_requested_labels
from .replays.replay_files import make_replay_file
from .stats import CONFIDENCE

DEALS = 10_000


@dataclass(frozen=True, eq=False, repr=False)
class EvaluationSpec:
    """What is played: deals ``first`` .. ``first + deals - 1`` of a bank, by one set of rules.

    `make_specs` makes one, and checks it.
    """

    game: Game
    rules: Any
    """One of the game's own `rules`: a variant, with options of one's own or without."""
    base_variant: str
    """The name of the variant that the rules were made from."""
    bank: str
    first: int
    deals: int
    seed: int
    """What agents are made with that take a seed; it deals nothing."""
    key: str
    """The secret that `Turn.seeds` come from, and with them agents' draws and hidden cards."""
    confidence: float
    """Of all intervals."""
    max_moves: int | None = MAX_MOVES
    """Where games for one player are cut off; None or 0: nowhere."""
    hands: int = 1
    """In games for several: each deal is a session of so many (see `duplicate_play.hand_seeds`)."""
    any_rules: bool = False
    """Whether saved agents may play that were trained by other rules of the game."""
    labels: Labels | None = None
    """In games for one player: what a solver found out about these deals, or some of them."""
    record: Path | None = None
    """The file that games are written to as they end; None: they are not (see `recording`)."""

    @property
    def variant(self) -> str:
        """The rules' name for tables (``"classic"``, ``"classic + passes=2"``)."""
        return describe_rules(self.game, self.rules, self.base_variant)

    @property
    def num_players(self) -> int:
        """How many seats there are."""
        return self.game.num_players(self.rules)

    @property
    def is_multiplayer(self) -> bool:
        """Whether each deal is played from every seat, among others."""
        return self.num_players > 1

    @property
    def numbers(self) -> np.ndarray:
        """The numbers of the deals in their bank, int64 (deals,)."""
        return np.arange(self.first, self.first + self.deals)

    @cached_property
    def seeds(self) -> np.ndarray:
        """The seeds of the deals, uint64 (deals,)."""
        return bank_seeds(self.bank, self.numbers)

    def __repr__(self) -> str:
        """Return on one line what is played."""
        return f"<{type(self).__name__}: {self.game.name}, {self.variant}, {self.deals_text}>"

    @property
    def deals_text(self) -> str:
        """Return which deals, for one line of text."""
        return f"deals {self.first} to {self.first + self.deals - 1} of bank {self.bank}"

    def rules_summary(self) -> dict[str, Any]:
        """Return by which rules is played, as JSON has it."""
        return {
            "game": self.game.name,
            "variant": self.variant,
            "rules": to_plain(self.rules),
            "rules_digest": self.game.rules_digest(self.rules),
        }


def make_specs(
    game: Game | str,
    variants: Sequence[str] | None = None,
    options: Mapping[str, Any] | None = None,
    *,
    several: bool = False,
    deals: int = DEALS,
    bank: str | None = None,
    first: int = 0,
    seed: int = 0,
    key: str | None = None,
    confidence: float = CONFIDENCE,
    max_moves: int | None = MAX_MOVES,
    hands: int = 1,
    truth: Labels | Path | str | None = None,
    any_rules: bool = False,
    record: Path | str | None = None,
) -> list[EvaluationSpec]:
    """Return what is to be played by each variant (None: the game's default), all of it checked.

    ``several``: rules are to be for several players; then ``max_moves`` and ``truth`` mean nothing,
    else ``hands``. ``bank`` None is the game's own, ``key`` None a new one; for ``truth`` see
    `truth.find_requested_labels`, for ``any_rules`` `registry.load_agent`. ``record`` is a file
    that is not there yet. Raises ValueError naming what is unknown or out of range, and what is
    allowed.
    """
    game = find_game(game) if isinstance(game, str) else game
    check_number("deals", deals, 2 if several else 1)  # Student's interval needs two values
    check_number("seed", seed, 0)
    check_number("max_moves", max_moves or 0, 0)
    check_number("hands", hands, 1)
    bank = bank or default_bank(game.name)
    key = new_key() if key is None else key
    bank_seeds(bank, [first])  # refuses a number below 0
    specs = []
    for variant, rules in _read_variants(game, variants, options, several).items():
        labels = None if several else find_requested_labels(truth, game, rules, bank, first, deals)
        spec = EvaluationSpec(
            game=game,
            rules=rules,
            base_variant=variant,
            bank=bank,
            first=first,
            deals=deals,
            seed=seed,
            key=key,
            confidence=confidence,
            max_moves=max_moves,
            hands=hands,
            any_rules=any_rules,
            labels=labels,
            record=None if record is None else Path(record),
        )
        specs.append(spec)
    if record is not None:
        make_replay_file(Path(record))
    return specs


def _read_variants(
    game: Game, variants: Sequence[str] | None, options: Mapping[str, Any] | None, several: bool
) -> dict[str, Any]:
    """The rules of each variant, of which no two are the same."""
    known: dict[Any, str] = {}
    for variant in variants or [game.default]:
        rules = game.make_rules(variant, options)
        if rules in known:
            raise ValueError(f"variants {known[rules]!r} and {variant!r} are the same rules here")
        check_player_count(game, rules, variant, several)
        known[rules] = variant
    return {variant: rules for rules, variant in known.items()}


def read_options(pairs: Iterable[str]) -> dict[str, str]:
    """Return ``name=value`` pairs as a dictionary. Raises ValueError for one without ``=``."""
    found = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not equals:
            raise ValueError(f"option {pair!r}: write NAME=VALUE, such as --option passes=2")
        found[name.strip()] = value.strip()
    return found


def check_number(name: str, value: int, low: int) -> None:
    """Raise ValueError, naming the number, if it is below ``low``."""
    if value < low:
        raise ValueError(f"{name}={value}: allowed are whole numbers from {low}")


def check_player_count(game: Game, rules: Any, variant: str, several: bool) -> None:
    """Raise ValueError if rules are not for one player, or with ``several`` if they are."""
    players = game.num_players(rules)
    if several and players == 1:
        raise ValueError(f"{game.title}, {variant}, is for one player")
    if not several and players > 1:
        raise ValueError(
            f"{game.title}, {variant}, is for {players} players: see "
            "parlour.training.evaluation.duplicate"
        )
