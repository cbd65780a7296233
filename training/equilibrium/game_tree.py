"""The complete game tree of a hand of Seven Twenty-Seven with small rules, in flat arrays.

The compiled kernel builds the tree level by level, for every dealer, every class of card that can
be dealt, and every legal action. Nodes are numbered level by level, the children of a node have
consecutive numbers, and a parent comes before its children, so one loop visits the whole tree.
"""

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
"""Default maximum number of nodes, for which building the tree takes about four gigabytes."""


class Tree(NamedTuple):
    """A complete game tree: ``n`` nodes, information sets, and payoffs of the terminal nodes.

    A *policy* is float64 (entries,). Its entries from ``starts[i]`` to ``starts[i + 1]`` are the
    probabilities of the legal actions in information set ``i``, in the order of their numbers.
    """

    rules: Rules
    dealer: int | None
    """The seat of the dealer (None: random)."""
    parent: np.ndarray
    """int32 (n,), the parent of a node; 0 for the root."""
    first: np.ndarray
    """int32 (n,), the first child."""
    branches: np.ndarray
    """int8 (n,), the number of children, which are consecutive and sorted by outcome."""
    player: np.ndarray
    """int8 (n,), the seat that acts, CHANCE or END."""
    infoset: np.ndarray
    """int32 (n,), the information set of the seat that acts, or -1."""
    outcome: np.ndarray
    """int8 (n,), the action or outcome that leads to a node."""
    arc: np.ndarray
    """int32 (n,), the entry of a policy that leads to a node; -1: a chance event."""
    chance: np.ndarray
    """float64 (n,), the chance probability of a node given its parent; 1 for an action."""
    returns: np.ndarray
    """float64 (n, players), the net results in antes; 0 for nonterminal nodes."""
    levels: np.ndarray
    """int64 (depth + 1,), the first node of each level, and n."""
    starts: np.ndarray
    """int32 (information sets + 1,), the first entry of each in a policy."""
    actions: np.ndarray
    """int8 (entries,), the number of each entry's action."""
    owner: np.ndarray
    """int8 (information sets,), the seat that acts."""
    states: np.ndarray
    """(information sets,), one state of each."""

    @property
    def nodes(self) -> int:
        """The number of nodes: histories, including terminal ones."""
        return len(self.parent)

    @property
    def ends(self) -> int:
        """The number of terminal nodes."""
        return int((self.player == END).sum())

    @property
    def infosets(self) -> int:
        """The number of information sets."""
        return len(self.owner)

    @property
    def players(self) -> int:
        """The number of seats."""
        return self.returns.shape[1]

    @property
    def begins(self) -> np.ndarray:
        """The nodes at which the dealer is known, but no card is dealt."""
        return np.arange(1, 1 + self.branches[0]) if self.dealer is None else np.zeros(1, np.int64)

    @property
    def dealers(self) -> np.ndarray:
        """The dealer of each of these nodes."""
        return self.outcome[self.begins] if self.dealer is None else np.array([self.dealer])

    def uniform(self) -> np.ndarray:
        """Return the policy with equal probabilities of all legal actions."""
        return np.repeat(1.0 / np.diff(self.starts), np.diff(self.starts))

    def policy(self, probabilities: np.ndarray) -> np.ndarray:
        """Return the policy with these probabilities, (infosets, actions).

        Raises ValueError naming the first set whose legal actions do not have a sum of 1.
        """
        policy = probabilities[
            np.repeat(np.arange(self.infosets), np.diff(self.starts)), self.actions
        ]
        sums = np.add.reduceat(policy, self.starts[:-1])
        fine = (np.abs(sums - 1) < 1e-4) & (np.minimum.reduceat(policy, self.starts[:-1]) >= 0)
        if not fine.all():
            worst = int(np.argmin(fine))
            raise ValueError(
                f"probabilities of information set {worst} must add up to 1, got {sums[worst]}"
            )
        return policy / np.repeat(sums, np.diff(self.starts))


class Level(NamedTuple):
    """The nodes of one level while the tree is built, and the observations of each seat."""

    states: np.ndarray
    stages: np.ndarray
    seen: np.ndarray
    """int64 (n, players), the number of each seat's sequence of observations."""
    parent: np.ndarray
    outcome: np.ndarray
    chance: np.ndarray


def build_tree(rules: Rules, dealer: int | None = None, most: int = MOST_NODES) -> Tree:
    """Build the game tree of some rules.

    Args:
        rules: The rules.
        dealer: The seat of the dealer (None: random).
        most: Maximum number of nodes.

    Raises:
        ValueError: The tree has more than ``most`` nodes, or there is no seat ``dealer``.
    """
    states, stages = initial_states(rules, dealer)
    zero = np.zeros(1, np.int64)
    level = Level(states, stages, np.zeros((1, rules.players), np.int64), zero, zero, np.ones(1))
    builder = _TreeBuilder(rules)
    table = as_record(rules)
    while len(level.states):
        counts = np.zeros((len(level.states), WIDTH), np.int8)
        count_ways(level.states, level.stages, table, counts)
        builder.add(level, counts)
        here, outcome = np.nonzero(counts)
        nodes = builder.nodes + len(here)
        if nodes > most:
            raise ValueError(
                f"the game tree must have at most {most} nodes, got {nodes} or more. Use rules "
                "with a smaller tree, such as the variant mini, or raise the limit (--max-nodes)"
            )
        level = _next_level(level, counts, here, outcome, table, builder.nodes - len(counts))
    return builder.build(dealer)


def _next_level(
    level: Level,
    counts: np.ndarray,
    here: np.ndarray,
    outcome: np.ndarray,
    table: np.ndarray,
    first: int,
) -> Level:
    """Return the next level; ``first`` is the number of the first node of this level."""
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
    """Collects the arrays of the levels of a tree."""

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self.nodes = self.infosets = 0
        self.parts: dict[str, list[np.ndarray]] = {}
        self.levels = [0]

    def add(self, level: Level, counts: np.ndarray) -> None:
        """Add a level; ``counts`` has the number of ways of each outcome at its nodes."""
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

    def build(self, dealer: int | None) -> Tree:
        """Return the tree of all levels."""
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
