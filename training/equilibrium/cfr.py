"""CFR+, exact values, and exact best responses on a `game_tree.Tree`, each in one loop.

CFR+ follows Tammelin ("Solving large imperfect information games using CFR+", 2014): regrets never
fall below zero, the seats are updated one after the other, and iteration t has weight t in the
average. With two players, the average converges to an equilibrium; with more players, there is no
such guarantee.
"""

from typing import NamedTuple

import numpy as np

from parlour.envs.core.kernel.jit import jit

from .game_tree import Tree


class TreeArrays(NamedTuple):
    """The arrays of a tree that the loops read, by the names in `Tree`."""

    parent: np.ndarray
    first: np.ndarray
    branches: np.ndarray
    player: np.ndarray
    infoset: np.ndarray
    arc: np.ndarray
    chance: np.ndarray
    returns: np.ndarray


def tree_arrays(tree: Tree) -> TreeArrays:
    """Return the arrays of a tree that the loops read."""
    return TreeArrays(*(getattr(tree, name) for name in TreeArrays._fields))


@jit
def write_reach(
    tree: TreeArrays, seat: int, policy: np.ndarray, seat_reach: np.ndarray, other_reach: np.ndarray
) -> None:
    """Write the reach probabilities of each node: by a seat's choices, and by all others."""
    seat_reach[0] = other_reach[0] = 1.0
    for node in range(1, len(tree.parent)):
        above, arc = tree.parent[node], tree.arc[node]
        seat_reach[node], other_reach[node] = seat_reach[above], other_reach[above]
        if arc < 0:
            other_reach[node] *= tree.chance[node]
        elif tree.player[above] == seat:
            seat_reach[node] *= policy[arc]
        else:
            other_reach[node] *= policy[arc]


@jit
def write_values(tree: TreeArrays, seat: int, policy: np.ndarray, values: np.ndarray) -> None:
    """Write the value of each node to a seat if all seats play a policy."""
    for node in range(len(tree.parent) - 1, -1, -1):
        value = tree.returns[node, seat]
        first = tree.first[node]
        for child in range(first, first + tree.branches[node]):
            arc = tree.arc[child]
            value += values[child] * (tree.chance[child] if arc < 0 else policy[arc])
        values[node] = value


@jit
def iterate(
    tree: TreeArrays,
    starts: np.ndarray,
    owner: np.ndarray,
    first: int,
    last: int,
    policy: np.ndarray,
    regrets: np.ndarray,
    sums: np.ndarray,
    seat_reach: np.ndarray,
    other_reach: np.ndarray,
    values: np.ndarray,
) -> None:
    """Run iterations ``first`` to ``last - 1`` of CFR+, counted from 1."""
    for iteration in range(first, last):
        for seat in range(tree.returns.shape[1]):
            write_reach(tree, seat, policy, seat_reach, other_reach)
            write_values(tree, seat, policy, values)
            for node in range(len(tree.parent)):
                if tree.player[node] != seat:
                    continue
                begin = tree.first[node]
                for child in range(begin, begin + tree.branches[node]):
                    arc = tree.arc[child]
                    regrets[arc] += other_reach[node] * (values[child] - values[node])
                    sums[arc] += iteration * seat_reach[node] * policy[arc]
            match_regrets(starts, owner, seat, regrets, policy)


@jit
def match_regrets(
    starts: np.ndarray, owner: np.ndarray, seat: int, regrets: np.ndarray, policy: np.ndarray
) -> None:
    """Set a seat's negative regrets to 0, and its policy in proportion to the others."""
    for infoset in range(len(owner)):
        if owner[infoset] != seat:
            continue
        begin, end = starts[infoset], starts[infoset + 1]
        total = 0.0
        for entry in range(begin, end):
            regrets[entry] = max(regrets[entry], 0.0)
            total += regrets[entry]
        for entry in range(begin, end):
            policy[entry] = regrets[entry] / total if total > 0 else 1.0 / (end - begin)


@jit
def best_response(
    tree: TreeArrays,
    levels: np.ndarray,
    starts: np.ndarray,
    seat: int,
    policy: np.ndarray,
    others: np.ndarray,
    gains: np.ndarray,
    best: np.ndarray,
    values: np.ndarray,
) -> None:
    """Write the value of each node to a seat that plays a best response to the others' policy.

    All nodes of an information set are on one level, since they follow equally many events.

    Args:
        tree: the arrays of the tree.
        levels: `Tree.levels`.
        starts: `Tree.starts`.
        seat: the seat.
        policy: the policy of the others.
        others: the reach probabilities by the others, from `write_reach`.
        gains: zeros, one for each entry of a policy.
        best: receives the entry that is chosen in each of the seat's information sets.
        values: receives the values.
    """
    for level in range(len(levels) - 2, -1, -1):
        begin, end = levels[level], levels[level + 1]
        write_level_values(tree, begin, end, seat, policy, others, gains, values)
        choose_level(tree, begin, end, starts, seat, gains, best, values)


@jit
def write_level_values(
    tree: TreeArrays,
    begin: int,
    end: int,
    seat: int,
    policy: np.ndarray,
    others: np.ndarray,
    gains: np.ndarray,
    values: np.ndarray,
) -> None:
    """Write the values of the nodes of a level where others act, and the ``gains`` of the seat."""
    for node in range(begin, end):
        first, mine = tree.first[node], tree.player[node] == seat
        value = tree.returns[node, seat]
        for child in range(first, first + tree.branches[node]):
            arc = tree.arc[child]
            if mine:
                gains[arc] += others[node] * values[child]
            else:
                value += values[child] * (tree.chance[child] if arc < 0 else policy[arc])
        values[node] = value


@jit
def choose_level(
    tree: TreeArrays,
    begin: int,
    end: int,
    starts: np.ndarray,
    seat: int,
    gains: np.ndarray,
    best: np.ndarray,
    values: np.ndarray,
) -> None:
    """Choose the entry with the largest gain in each set of the seat on a level."""
    for node in range(begin, end):
        if tree.player[node] != seat:
            continue
        infoset = tree.infoset[node]
        choice = starts[infoset]
        for entry in range(choice, starts[infoset + 1]):
            if gains[entry] > gains[choice]:
                choice = entry
        best[infoset] = choice
        values[node] = values[tree.first[node] + choice - starts[infoset]]


class Exploitability(NamedTuple):
    """The exact values of a policy, and the gains of best responses to it, in antes per hand.

    ``values``, float64 (players,), has the net result of each seat if all seats play the policy.
    ``gains`` has the increase for a seat that alone switches to its best response.
    ``position_values`` and ``position_gains`` are the same by position, from the first to act to
    the dealer. ``best`` has the best responses of all seats as one policy.
    """

    values: np.ndarray
    gains: np.ndarray
    position_values: np.ndarray
    position_gains: np.ndarray
    best: np.ndarray

    @property
    def nash_conv(self) -> float:
        """The sum of the gains: 0 at an equilibrium."""
        return float(self.gains.sum())

    @property
    def exploitability(self) -> float:
        """The mean gain over the seats."""
        return float(self.gains.mean())


def exploit(tree: Tree, policy: np.ndarray) -> Exploitability:
    """Return the exact values of a policy, and of each seat's best response to it."""
    walk, players, begins = tree_arrays(tree), tree.players, tree.begins
    seat_reach, other_reach, values = (np.zeros(tree.nodes) for _ in range(3))
    paid, answered = (np.zeros((players, len(begins))) for _ in range(2))
    best = np.zeros(tree.infosets, np.int64)
    for seat in range(players):
        write_values(walk, seat, policy, values)
        paid[seat] = values[begins]
        write_reach(walk, seat, policy, seat_reach, other_reach)
        room = np.zeros(len(tree.actions))
        best_response(walk, tree.levels, tree.starts, seat, policy, other_reach, room, best, values)
        answered[seat] = values[begins]
    pure = np.zeros(len(tree.actions))
    pure[best] = 1.0
    gains = answered - paid
    worths, wins = (by_position(table, tree.dealers) for table in (paid, gains))
    return Exploitability(paid.mean(axis=1), gains.mean(axis=1), worths, wins, pure)


def by_position(table: np.ndarray, dealers: np.ndarray) -> np.ndarray:
    """Return the means by position of values by seat and dealer, (players, dealers)."""
    players = len(table)
    turned = [np.roll(table[:, k], -dealer - 1) for k, dealer in enumerate(dealers)]
    return np.asarray(np.mean(turned, axis=0).reshape(players))


def own_reach(tree: Tree, policy: np.ndarray) -> np.ndarray:
    """Return the probability that the seat's own choices lead to each information set, float64."""
    walk, reach = tree_arrays(tree), np.zeros(tree.infosets)
    seat_reach, other_reach = np.zeros(tree.nodes), np.zeros(tree.nodes)
    for seat in range(tree.players):
        write_reach(walk, seat, policy, seat_reach, other_reach)
        mine = tree.player == seat
        reach[tree.infoset[mine]] = seat_reach[mine]  # the same at all nodes of a set
    return reach


def play_against(tree: Tree, policy: np.ndarray, others: np.ndarray) -> float:
    """Return the net result of a policy with another policy in all other seats, in antes per hand.

    The result is the mean over the seats of the first policy.
    """
    walk, values = tree_arrays(tree), np.zeros(tree.nodes)
    owner = np.repeat(tree.owner, np.diff(tree.starts))
    nets = []
    for seat in range(tree.players):
        write_values(walk, seat, np.where(owner == seat, policy, others), values)
        nets.append(values[0])
    return float(np.mean(nets))


class Solver:
    """The CFR+ solver of a tree: `run` iterations, then take the `average` policy."""

    def __init__(self, tree: Tree) -> None:
        self.tree, self.walk, self.iterations = tree, tree_arrays(tree), 0
        self.policy = tree.uniform()
        """The current policy; only the average converges."""
        self.regrets, self.sums = np.zeros(len(self.policy)), np.zeros(len(self.policy))
        self._room = [np.zeros(tree.nodes) for _ in range(3)]

    def run(self, iterations: int) -> None:
        """Run more iterations."""
        begin, self.iterations = self.iterations + 1, self.iterations + iterations
        starts, owner, end = self.tree.starts, self.tree.owner, self.iterations + 1
        tables = self.policy, self.regrets, self.sums
        iterate(self.walk, starts, owner, begin, end, *tables, *self._room)

    def average(self) -> np.ndarray:
        """Return the average policy; uniform in information sets that were never reached."""
        starts = self.tree.starts
        totals = np.repeat(np.add.reduceat(self.sums, starts[:-1]), np.diff(starts))
        with np.errstate(invalid="ignore"):
            return np.where(totals > 0, self.sums / totals, self.tree.uniform())
