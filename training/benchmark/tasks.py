"""The tasks of the benchmark, with their deals and the numbers that normalize their scores.

A version of the benchmark fixes all of this for the scored tasks, `TASKS`: changing one of them,
its deals, or a reference score makes a new version. Results of different versions are not
comparable. `OTHER_TASKS` have the same deals, but no reference scores, so their results are shown
on leaderboards only.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from math import inf
from typing import Any, Literal, NamedTuple

from parlour.envs import Game, find_game
from parlour.envs.core.game import digest16
from parlour.envs.core.options import unknown_text
from parlour.envs.core.rules_table import draw_option_sets

from ..evaluation.evaluation_spec import EvaluationSpec, make_specs

VERSION = 1
"""The version of the benchmark."""
DEAL_SET = f"benchmark-{VERSION}"
"""The deal set of all tasks. Environments never draw numbered deals in play, so no training run
plays these deals unless it asks for them by name."""
EVALUATION_SEED = f"benchmark-{VERSION}"
"""The evaluation seed of all entries."""
OPTION_SETS = 200
"""Number of option sets of a task across rules: half of them for training, half for tests."""
OPPONENTS = ("greedy",)
"""The opponents in games for several players."""
FIXED_OPTIONS = {"shuffle_redeal": False, "undo": False}
"""Options that no option set varies: solvers cannot know shuffled redeals, and undo has no end."""


class Reference(NamedTuple):
    """The raw scores that normalize the results of a task."""

    low: float
    """Raw score with normalized score 0: that of the uniform agent."""
    high: float
    """Raw score with normalized score 1: the exact upper bound or the best known result."""
    source: str
    """Origin of ``high``."""


@dataclass(frozen=True)
class Task:
    """One task: rules, deals, and reference scores.

    An entry has one value per deal. Its raw score is their mean, and its normalized score is
    ``(raw - low) / (high - low)``.
    """

    name: str
    game: str
    variant: str
    measure: str
    """Description of the values, for tables."""
    deals: int
    """Number of deals, from deal 0 of the deal set `DEAL_SET`; of each option set for ``rules``."""
    reference: Reference | None = None
    """The reference scores (None: the task is not scored)."""
    kind: Literal["deals", "rules", "exploitability"] = "deals"
    """How values are measured. deals: play numbered deals; rules: play numbered deals under many
    option sets; exploitability: compute a best response, which gives a single value."""
    train: dict[str, Any] = field(default_factory=dict)
    """Training settings that belong to the task, besides game and variant."""
    test_sets: int = 0
    """Number of option sets that are tested, for ``rules``."""

    @property
    def game_object(self) -> Game:
        """The game."""
        return find_game(self.game)

    @property
    def rules(self) -> Any:
        """The rules of the variant."""
        return self.game_object.make_rules(self.variant)

    @property
    def rules_digest(self) -> str:
        """The digest of the rules that an entry is tested on, 16 hex digits."""
        digests = [self.game_object.rules_digest(rules) for rules in self.list_test_rules()]
        return digests[0] if len(digests) == 1 else digest16(digests)

    @property
    def is_multiplayer(self) -> bool:
        """Whether the game has several seats."""
        return self.game_object.num_players(self.rules) > 1

    @property
    def num_values(self) -> int:
        """The number of values of an entry."""
        if self.kind == "exploitability":
            return 1
        return self.deals * (self.test_sets or 1)

    @property
    def times(self) -> int:
        """The factor of results in tables: 100 for shares of deals won, shown in percent."""
        return 100 if self.measure == "won" else 1

    @property
    def allows_rules_mismatch(self) -> bool:
        """Whether saved agents play rules that they were not trained on."""
        return self.kind == "rules"

    def normalize(self, raw: Any) -> Any:
        """Return the normalized score of a raw score (a number or an array).

        Raises ValueError for a task without reference scores.
        """
        if self.reference is None:
            raise ValueError(f"task must be one of {', '.join(TASKS)}, got {self.name!r}")
        low, high, _ = self.reference
        return (raw - low) / (high - low)

    def list_test_rules(self) -> list[Any]:
        """Return the rules that an entry is tested on, one element for most tasks."""
        if self.kind != "rules":
            return [self.rules]
        base = self.game_object.make_rules(self.variant, FIXED_OPTIONS)
        names = [
            name
            for name in self.game_object.rules._fields
            if name not in ("players", *FIXED_OPTIONS)
        ]
        return draw_option_sets(self.game_object, base, OPTION_SETS, names, "odd")[: self.test_sets]

    def make_specs(
        self,
        deals: int | None = None,
        deal_set: str = DEAL_SET,
        record: Any = None,
        first: int = 0,
    ) -> Iterator[EvaluationSpec]:
        """Yield the evaluation of each set of rules.

        Args:
            deals: The number of deals (None: all of the task).
            deal_set: The deal set.
            record: A new file for recorded games.
            first: The number of the first deal.
        """
        (spec,) = make_specs(
            self.game,
            [self.variant],
            deals=self.deals if deals is None else deals,
            deal_set=deal_set,
            first=first,
            evaluation_seed=EVALUATION_SEED,
            labels="no",
            record=record,
            allow_rules_mismatch=self.allows_rules_mismatch,
        )
        for rules in self.list_test_rules():
            yield replace(spec, rules=rules)


BOUND = "exact upper bound of deals 0 to 9,999 of {}-1"

TASKS = {
    task.name: task
    for task in (
        Task(
            *("pyramid-three-passes", "pyramid", "three-passes", "won", 2000),
            Reference(0.0101, 0.6579, BOUND.format("pyramid")),
        ),
        Task(
            *("pyramid-rules", "pyramid", "three-passes", "won", 50),
            Reference(0.0435, 0.3915, "oracle, which sees all cards, on the same deals"),
            kind="rules",
            train={
                "options": FIXED_OPTIONS,
                "option_sets": OPTION_SETS,
                "option_split": "even",
            },
            test_sets=40,
        ),
        Task(
            *("poker-squares-classic", "poker_squares", "classic", "score", 2000),
            Reference(
                14.3821, 125.609, "pretrained agent, mean of 10,000 deals each of two deal sets"
            ),
        ),
        Task(
            *("puss-no-redeal", "puss_in_the_corner", "no-redeal", "won", 2000),
            Reference(0.0, 0.252, "rollouts@40:hopeful, mean of 1,000 deals each of two deal sets"),
        ),
        Task(
            *("klondike-draw-one", "klondike", "draw-one", "won", 2000),
            Reference(0.0, 0.9074, BOUND.format("klondike")),
        ),
        Task(
            *("klondike-classic", "klondike", "classic", "won", 2000),
            Reference(0.0, 0.8172, BOUND.format("klondike")),
        ),
        Task(
            *("seven-twenty-seven-home", "seven_twenty_seven", "home", "net", 1000),
            Reference(
                -10.9136, 1.34081, "pretrained agent, mean of 2,000 deals each of two deal sets"
            ),
        ),
        Task(
            *("seven-twenty-seven-mini", "seven_twenty_seven", "mini", "-exploitability", 1),
            Reference(-1.5328, 0.0, "equilibrium"),
            kind="exploitability",
        ),
        Task(
            *("twenty-eight-classic", "twenty_eight", "classic", "net", 500),
            Reference(-0.98175, 0.10775, "rollouts@40:greedy on 2,000 deals of twenty_eight-1"),
        ),
        Task(
            *("fifty-six-classic", "fifty_six", "classic", "net", 500),
            Reference(
                -4.79375, 0.0396667, "rollouts-cards@10:greedy on 1,000 deals of fifty_six-1"
            ),
        ),
    )
}
"""The scored tasks by name."""

OTHER_TASKS = {
    task.name: task
    for task in (
        *(
            Task(f"pyramid-{variant}", "pyramid", variant, "won", 2000)
            for variant in ("open-stock", "book", "classic", "turn-back", "book-pyramid")
        ),
        Task("poker-squares-book", "poker_squares", "book", "score", 2000),
        Task("puss-book", "puss_in_the_corner", "book", "won", 2000),
        Task("klondike-thoughtful", "klondike", "thoughtful", "won", 2000),
        Task("twenty-nine-classic", "twenty_nine", "classic", "net", 500),
    )
}
"""Further tasks by name, which have no reference scores and are never part of aggregate scores."""
ALL_TASKS = TASKS | OTHER_TASKS
"""All tasks by name; the scored ones first."""

OVERRUN = 1.05
"""Largest allowed number of timesteps, as a multiple of the budget, since a run ends with a
whole update."""
NONE, UNLIMITED = "none", "unlimited"
BUDGETS: dict[str, float] = {
    NONE: 0,
    "small": 1_000_000,
    "medium": 10_000_000,
    "large": 1_000_000_000,
    UNLIMITED: inf,
}
"""Training budgets in timesteps. Agents that learn nothing have the budget none. Agents with any
amount of training, such as the pretrained agents, have the budget unlimited."""
RUN_BUDGETS = tuple(name for name, steps in BUDGETS.items() if 0 < steps < inf)
"""The budgets with which the benchmark trains methods itself."""

SLOW = "slow"
TIME_CLASSES = {"0.1ms": 0.1, "1ms": 1.0, "10ms": 10.0, SLOW: float("inf")}
"""Upper limits of the time per decision, in milliseconds, on one core."""


def find_task(name: str) -> Task:
    """Return a task, scored or not. Raises ValueError for an unknown name."""
    if name not in ALL_TASKS:
        raise ValueError(unknown_text("task", name, ALL_TASKS))
    return ALL_TASKS[name]


def classify_time(milliseconds: float) -> str:
    """Return the smallest time class that a time per decision fits into."""
    return next(name for name, limit in TIME_CLASSES.items() if milliseconds <= limit)
