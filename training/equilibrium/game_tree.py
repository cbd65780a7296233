"""The whole tree of a hand of Seven Twenty-Seven, in flat arrays, for small rules.

It is built level by level over the compiled kernel: every dealer, every class of card that can
come, every legal action. Nodes are numbered level by level, the children of one node stand
together, and a node's parent comes before it, so one loop over the arrays is a walk.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from parlour.envs.core.options import as_record
from parlour.envs.core.rows import copy_states
from parlour.envs.games.seven_twenty_seven.chance import (
    CHANCE,
    END,
    PLAY,
    SEEN_LIMIT,
    WIDTH,
    apply_outcomes,
    count_ways,
    initial_states,
)
from parlour.envs.games.seven_twenty_seven.rules import Rules

MOST_NODES = 5_000_000
"""Of a tree, if nothing else is said: some four gigabytes while it grows."""


class Tree(NamedTuple):
    """A game in full: ``n`` nodes, their information sets, and what is paid at the ends.

    A *policy* is float64 (entries,): for each information set, from ``starts[i]`` to
    ``starts[i + 1]``, the probabilities of its legal actions, in the order of their numbers.
    """

    rules: Rules
    dealer: int | None
    """The seat that deals; None: chance chooses it."""
    parent: np.ndarray
    """int32 (n,), of the root 0."""
    first: np.ndarray
    """int32 (n,), the first child."""
    branches: np.ndarray
    """int8 (n,), how many children; they stand together, by the numbers of their outcomes."""
    player: np.ndarray
    """int8 (n,), the seat that acts, CHANCE or END."""
    infoset: np.ndarray
    """int32 (n,), of the seat that acts, else -1."""
    outcome: np.ndarray
    """int8 (n,), by which action or outcome a node is reached."""
    arc: np.ndarray
    """int32 (n,), the entry of a policy by which a node is reached; -1: chance does it."""
    chance: np.ndarray
    """float64 (n,), how likely chance takes to this node; 1 where a seat does."""
    returns: np.ndarray
    """float64 (n, players), in antes; 0 before the end."""
    levels: np.ndarray
    """int64 (depth + 1,), the first node of each level, and n."""
    starts: np.ndarray
    """int32 (information sets + 1,), the first entry of each in a policy."""
    actions: np.ndarray
    """int8 (entries,), the number of each entry's action."""
    owner: np.ndarray
    """int8 (information sets,), whose it is."""
    states: np.ndarray
    """(information sets,) a state of each, as its seat sees it."""

    @property
    def nodes(self) -> int:
        """How many nodes there are: histories, the ends among them."""
        return len(self.parent)

    @property
    def ends(self) -> int:
        """How many ends there are."""
        return int((self.player == END).sum())

    @property
    def infosets(self) -> int:
        """How many information sets there are."""
        return len(self.owner)

    @property
    def players(self) -> int:
        """How many seats play."""
        return self.returns.shape[1]

    @property
    def begins(self) -> np.ndarray:
        """The nodes at which the dealer is known, and no card yet."""
        return np.arange(1, 1 + self.branches[0]) if self.dealer is None else np.zeros(1, np.int64)

    @property
    def dealers(self) -> np.ndarray:
        """The seat that deals, from each of these on."""
        return self.outcome[self.begins] if self.dealer is None else np.array([self.dealer])

    def uniform(self) -> np.ndarray:
        """Return the policy that plays every legal action equally often."""
        return np.repeat(1.0 / np.diff(self.starts), np.diff(self.starts))

    def policy(self, probabilities: np.ndarray) -> np.ndarray:
        """Return the policy of probabilities for each information set, (infosets, actions).

        Raises ValueError naming the first set where those of legal actions do not add up to 1.
        """
        found = probabilities[
            np.repeat(np.arange(self.infosets), np.diff(self.starts)), self.actions
        ]
        sums = np.add.reduceat(found, self.starts[:-1])
        fine = (np.abs(sums - 1) < 1e-4) & (np.minimum.reduceat(found, self.starts[:-1]) >= 0)
        if not fine.all():
            worst = int(np.argmin(fine))
            raise ValueError(f"probabilities of information set {worst} add up to {sums[worst]}")
        return found / np.repeat(sums, np.diff(self.starts))


class Level(NamedTuple):
    """The nodes of one level while the tree is built, and what each seat has seen of them."""

    states: np.ndarray
    stages: np.ndarray
    seen: np.ndarray
    """int64 (n, players), a number for each sequence that a seat can have seen."""
    parent: np.ndarray
    outcome: np.ndarray
    chance: np.ndarray


def build(
    rules: Rules,
    dealer: int | None = None,
    most: int = MOST_NODES,
    report: Callable[[int], object] | None = None,
) -> Tree:
    """Return the tree of the hands by these rules; ``report`` is told the nodes found so far.

    Raises ValueError if there are more than ``most`` nodes, or no such seat as ``dealer``.
    """
    states, stages = initial_states(rules, dealer)
    zero = np.zeros(1, np.int64)
    level = Level(states, stages, np.zeros((1, rules.players), np.int64), zero, zero, np.ones(1))
    growing = _TreeBuilder(rules)
    table = as_record(rules)
    while len(level.states):
        counts = np.zeros((len(level.states), WIDTH), np.int8)
        count_ways(level.states, level.stages, table, counts)
        growing.add(level, counts)
        here, outcome = np.nonzero(counts)
        found = growing.nodes + len(here)
        if found > most:
            raise ValueError(
                f"the tree has more than {most} nodes (already {found}): exact play is for small "
                "rules, such as the variant mini"
            )
        if report is not None:
            report(growing.nodes)
        level = _next_level(level, counts, here, outcome, table, growing.nodes - len(counts))
    return growing.done(dealer)


def _next_level(
    level: Level,
    counts: np.ndarray,
    here: np.ndarray,
    outcome: np.ndarray,
    table: np.ndarray,
    first: int,
) -> Level:
    """The level after this one, whose first node has the number ``first``."""
    states, stages = copy_states(level.states, here), level.stages[here]
    seen = np.zeros((len(here), level.seen.shape[1]), np.int64)
    by_chance = stages != PLAY
    ways = counts[here, outcome] / counts.sum(axis=1)[here]
    apply_outcomes(states, stages, table, outcome, seen)
    for seat in range(seen.shape[1]):
        keys = level.seen[here, seat] * SEEN_LIMIT + seen[:, seat]
        seen[:, seat] = np.unique(keys, return_inverse=True)[1]
    return Level(states, stages, seen, here + first, outcome, np.where(by_chance, ways, 1.0))


class _TreeBuilder:
    """What is known of the levels built so far."""

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self.nodes = self.infosets = 0
        self.parts: dict[str, list[np.ndarray]] = {}
        self.levels = [0]

    def add(self, level: Level, counts: np.ndarray) -> None:
        """Put a level down; ``counts`` says how its nodes can go on."""
        n, states = len(counts), level.states
        acts = (level.stages == PLAY) & (states["over"] == 0)
        player = np.where(level.stages == PLAY, END, CHANCE)
        player[acts] = states["turn"][acts]
        infoset = np.full(n, -1)
        for seat in range(self.rules.players):
            mine = np.flatnonzero(player == seat)
            _, firsts, numbers = np.unique(
                level.seen[mine, seat], return_index=True, return_inverse=True
            )
            infoset[mine] = self.infosets + numbers
            self.infosets += len(firsts)
            self._keep(
                states=copy_states(states, mine[firsts]), owner=np.full(len(firsts), seat, np.int8)
            )
            self._keep(legal=counts[mine[firsts]])
        over = (player == END)[:, None]
        nets = states["net"][:, : self.rules.players] / self.rules.ante
        self._keep(
            parent=level.parent.astype(np.int32),
            branches=(counts > 0).sum(axis=1).astype(np.int8),
            player=player.astype(np.int8),
            infoset=infoset.astype(np.int32),
            outcome=level.outcome.astype(np.int8),
            chance=level.chance,
            returns=np.where(over, nets, 0.0),
        )
        self.nodes += n
        self.levels.append(self.nodes)

    def _keep(self, **arrays: np.ndarray) -> None:
        for name, array in arrays.items():
            self.parts.setdefault(name, []).append(array)

    def done(self, dealer: int | None) -> Tree:
        """Return the tree."""
        all_of: dict[str, Any] = {name: np.concatenate(part) for name, part in self.parts.items()}
        legal = all_of.pop("legal")
        sizes = (legal > 0).sum(axis=1)
        begins = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int32)
        first = 1 + np.concatenate([[0], np.cumsum(all_of["branches"][:-1], dtype=np.int64)])
        parent, infoset = all_of["parent"], all_of["infoset"]
        place = np.arange(self.nodes) - first[parent]
        arc = np.where(infoset[parent] < 0, -1, begins[infoset[parent]] + place)
        arc[0] = -1
        return Tree(
            rules=self.rules,
            dealer=dealer,
            first=first.astype(np.int32),
            arc=arc.astype(np.int32),
            levels=np.array(self.levels),
            starts=begins,
            actions=np.nonzero(legal)[1].astype(np.int8),
            **all_of,
        )
