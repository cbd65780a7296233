"""What a game has that says what could be reached, and searches for it without hidden knowledge."""

from typing import Any, NamedTuple, Protocol

from .aliases import States
from .contract import Solve, WinnableAfter


class Plan(NamedTuple):
    """What to play from a position up to the next card that comes to light."""

    actions: list[int]
    """Empty where no way to win was found."""
    value: float | None
    """The share of worlds that it wins as far as was seen; None where nothing was looked at."""
    worlds: int = 0
    """Worlds dealt; 0 where nothing is hidden."""


class PlanAhead(Protocol):
    """Searches for the plan that wins in most worlds, without hidden knowledge."""

    def __call__(self, states: States, rules: Any, iterations: int, seed: int) -> Plan:
        """Return a plan for a position (1,), from so many iterations; ``seed`` deals the worlds.

        Raises ValueError for rules or numbers of iterations that it does not know.
        """


class Contract(NamedTuple):
    """What a side can take of an open deal, if one of its seats makes trumps."""

    seat: int
    """Who bids and makes trumps."""
    making: str
    """The action by which it does: the card that it lays face down, or a suit."""
    points: int | None
    """What its side then takes in all, all playing as well as they can; None: not found out.

    What the game counts for or against a contract, as a pair, counts as points.
    """


class ListContracts(Protocol):
    """Finds out what every contract of an open deal comes to."""

    def __call__(
        self, deck_or_state: Any, rules: Any, limit: int | None = None
    ) -> tuple[Contract, ...]:
        """Return the contracts of a deal that nobody has bid on, by at most ``limit`` positions.

        Each may look at so many. Raises ValueError for a position in which somebody has spoken.
        """


class Solving(NamedTuple):
    """What a game with a solver adds."""

    solve: Solve
    """Finds out what one who knew all cards could reach."""
    winnable_after: WinnableAfter | None = None
    """Says the same of every action; None in games that nobody wins."""
    plan_ahead: PlanAhead | None = None
    """Plays without hidden knowledge, by a search of its own; None where there is none."""
    world_limit: int = 5000
    """Positions that PIMC looks at in each world; where they do not suffice, a win counts half."""
    list_contracts: ListContracts | None = None
    """Says what each contract of an open deal comes to; None in games without an auction."""
