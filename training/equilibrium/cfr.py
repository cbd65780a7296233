"""CFR+, exact values and exact best responses on a `game_tree.GameTree`, each in one loop.

CFR+ as Tammelin has it ("Solving large imperfect information games using CFR+", 2014): regrets
never fall below zero, the seats are updated in turn, the average weighs iteration t by t. At a
table of two its average goes to an equilibrium; with more seats nothing is promised.
"""

from typing import NamedTuple

import numpy as np

from parlour.envs.core.kernel.jit import jit

from .game_tree import Tree


class TreeArrays(NamedTuple):
    """What the loops read of a tree, by its names."""

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
    tree: TreeArrays, seat: int, policy: np.ndarray, own: np.ndarray, others: np.ndarray
) -> None:
    """Write how likely a seat's choices, and all others' and chance's, lead to each node."""
    own[0] = others[0] = 1.0
    for node in range(1, len(tree.parent)):
        above, arc = tree.parent[node], tree.arc[node]
        own[node], others[node] = own[above], others[above]
        if arc < 0:
            others[node] *= tree.chance[node]
        elif tree.player[above] == seat:
            own[node] *= policy[arc]
        else:
            others[node] *= policy[arc]


@jit
def write_values(tree: TreeArrays, seat: int, policy: np.ndarray, values: np.ndarray) -> None:
    """Write what each node is worth to a seat if all play by a policy."""
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
    own: np.ndarray,
    others: np.ndarray,
    values: np.ndarray,
) -> None:
    """Run iterations ``first`` to ``last - 1`` of CFR+; they are counted from 1."""
    for iteration in range(first, last):
        for seat in range(tree.returns.shape[1]):
            write_reach(tree, seat, policy, own, others)
            write_values(tree, seat, policy, values)
            for node in range(len(tree.parent)):
                if tree.player[node] != seat:
                    continue
                begin = tree.first[node]
                for child in range(begin, begin + tree.branches[node]):
                    arc = tree.arc[child]
                    regrets[arc] += others[node] * (values[child] - values[node])
                    sums[arc] += iteration * own[node] * policy[arc]
            match_regrets(starts, owner, seat, regrets, policy)


@jit
def match_regrets(
    starts: np.ndarray, owner: np.ndarray, seat: int, regrets: np.ndarray, policy: np.ndarray
) -> None:
    """Forget a seat's negative regrets, and let it play in proportion to the others."""
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
    """Write what each node is worth to a seat that answers all others' policy best.

    ``others`` is from `write_reach`; ``gains`` are zeros, one an entry; ``best`` gets the entry
    that is chosen in each of the seat's sets. The nodes of a set are all on one level: who has seen
    the same has seen as many events.
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
    """Write what the nodes of a level are worth where others choose, and ``gains`` of the seat."""
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
    """Choose the entry of most gain in each set of the seat on a level; write what it is worth."""
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
    """How a policy does against who knows it, exactly, in antes a hand.

    ``values``, float64 (players,), is what each seat gets if all play the policy, ``gains`` how
    much more if it alone plays its best response instead. ``position_values`` and
    ``position_gains`` are the same by position: the first acts first, the dealer is last. ``best``
    are the best responses of all seats, as one policy.
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
        """The mean gain of a seat: at a table of two, what a best response wins on average."""
        return float(self.gains.mean())


def exploit(tree: Tree, policy: np.ndarray) -> Exploitability:
    """Return the exact values of a policy, and of the best response of each seat to it."""
    walk, players, begins = tree_arrays(tree), tree.players, tree.begins
    own, others, values = (np.zeros(tree.nodes) for _ in range(3))
    paid, answered = (np.zeros((players, len(begins))) for _ in range(2))
    best = np.zeros(tree.infosets, np.int64)
    for seat in range(players):
        write_values(walk, seat, policy, values)
        paid[seat] = values[begins]
        write_reach(walk, seat, policy, own, others)
        room = np.zeros(len(tree.actions))
        best_response(walk, tree.levels, tree.starts, seat, policy, others, room, best, values)
        answered[seat] = values[begins]
    pure = np.zeros(len(tree.actions))
    pure[best] = 1.0
    gains = answered - paid
    worths, wins = (by_position(table, tree.dealers) for table in (paid, gains))
    return Exploitability(paid.mean(axis=1), gains.mean(axis=1), worths, wins, pure)


def by_position(table: np.ndarray, dealers: np.ndarray) -> np.ndarray:
    """Return the means by position of numbers by seat and dealer (players, dealers)."""
    players = len(table)
    turned = [np.roll(table[:, k], -dealer - 1) for k, dealer in enumerate(dealers)]
    return np.asarray(np.mean(turned, axis=0).reshape(players))


def own_reach(tree: Tree, policy: np.ndarray) -> np.ndarray:
    """Return how likely its own seat's choices lead to each information set, float64."""
    walk, found = tree_arrays(tree), np.zeros(tree.infosets)
    own, others = np.zeros(tree.nodes), np.zeros(tree.nodes)
    for seat in range(tree.players):
        write_reach(walk, seat, policy, own, others)
        mine = tree.player == seat
        found[tree.infoset[mine]] = own[mine]  # the same at all nodes of a set
    return found


def meet(tree: Tree, policy: np.ndarray, others: np.ndarray) -> float:
    """Return what a seat gets in antes a hand, on average, by a policy if all others play another.

    It sits in each seat in turn.
    """
    walk, values = tree_arrays(tree), np.zeros(tree.nodes)
    owner = np.repeat(tree.owner, np.diff(tree.starts))
    found = []
    for seat in range(tree.players):
        write_values(walk, seat, np.where(owner == seat, policy, others), values)
        found.append(values[0])
    return float(np.mean(found))


class Solver:
    """CFR+ on a tree: `run` some iterations, then take the `average`, and run on if need be."""

    def __init__(self, tree: Tree) -> None:
        self.tree, self.walk, self.iterations = tree, tree_arrays(tree), 0
        self.policy = tree.uniform()
        """What was played last; it is not what converges."""
        self.regrets, self.sums = np.zeros(len(self.policy)), np.zeros(len(self.policy))
        self._room = [np.zeros(tree.nodes) for _ in range(3)]

    def run(self, iterations: int) -> None:
        """Run so many iterations more."""
        begin, self.iterations = self.iterations + 1, self.iterations + iterations
        starts, owner, end = self.tree.starts, self.tree.owner, self.iterations + 1
        tables = self.policy, self.regrets, self.sums
        iterate(self.walk, starts, owner, begin, end, *tables, *self._room)

    def average(self) -> np.ndarray:
        """Return the average policy; uniform in a set that its seat has never come to."""
        starts = self.tree.starts
        totals = np.repeat(np.add.reduceat(self.sums, starts[:-1]), np.diff(starts))
        with np.errstate(invalid="ignore"):
            return np.where(totals > 0, self.sums / totals, self.tree.uniform())
