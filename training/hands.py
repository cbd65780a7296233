"""Hands at a table of several seats: agents play them side by side, in sessions, in all seats.

What comes of a hand depends on its deal, on who sits where and on the seed of what agents draw:
never on the hands that are played beside it.
"""

from collections.abc import Iterator, Sequence
from hashlib import sha256
from typing import Any, NamedTuple

import numpy as np

from parlour.agents.agent import Agent, choose, look
from parlour.envs import Game
from parlour.envs.core.batch import How, Over, Reset, Source
from parlour.envs.core.cards import TRAINING_SEEDS
from parlour.envs.core.rows import Rows, taken
from parlour.envs.core.turn import STRIDE

from .evaluate import CHUNK, Progress, Timed, deal_keys


class Hands(NamedTuple):
    """What came of n hands, by seat.

    ``nets``, int64 (n, players), are the chips that each seat won less those it paid: 0 in sum.
    ``dealers``, int64 (n,), are seats; in a game without a dealer it is the last, so that the first
    sits at its left. ``facts`` has int64 (n, players) for each fact of the game (won, moves and
    more) and ``decisions``, how often a seat was asked.
    """

    nets: np.ndarray
    dealers: np.ndarray
    facts: dict[str, np.ndarray]


class Duplicate(NamedTuple):
    """What came of n deals, each played by one agent from every seat, with others in the rest.

    Arrays are int64 (n, players): column p is the agent's position, 0 at the dealer's left, the
    dealer last; entries are sums over the ``hands`` of a deal. ``nets`` are chips, ``facts`` those
    of `Hands`. ``milliseconds`` is the time of one decision in the agent's own ``act``, asked for a
    whole batch of hands at once.
    """

    nets: np.ndarray
    facts: dict[str, np.ndarray]
    hands: int
    milliseconds: float


def seated(
    game: Game,
    rules: Any,
    agents: Sequence[Agent],
    seeds: np.ndarray,
    *,
    hands: int = 1,
    seed: int = 0,
    progress: Progress | None = None,
    chunk: int = CHUNK,
) -> Hands:
    """Let agents, one a seat, play a session of hands for each of ``seeds`` (see `hand_seeds`).

    Rows are in the order of the seeds, then of the hands. ``seed`` is that of what agents draw and
    of hidden cards dealt anew, as in `evaluate.play_deals`. Raises ValueError for a wrong number of
    agents or no seeds, IllegalChoice for an action that is not legal.
    """
    players = game.players_of(rules)
    if len(agents) != players or players < 2:
        raise ValueError(f"agents: {len(agents)} given; these rules have {players} seats")
    cast, who = _cast(agents)
    parts = []
    for some, ended in _parts(seeds, hands, chunk, progress):
        plan = _plan(game, rules, seeds[some], hands, who[None, None], seed)
        parts.append(_play(game, rules, cast, plan, ended))
    nets, dealers, facts = zip(*parts, strict=True)
    return Hands(np.concatenate(nets), np.concatenate(dealers), _joined(facts))


def session(
    game: Game,
    rules: Any,
    agents: Sequence[Agent],
    seeds: np.ndarray,
    hands: int,
    *,
    seed: int = 0,
    progress: Progress | None = None,
) -> np.ndarray:
    """Return what the seats win in sessions, int64 (n, hands, players): the nets of `seated`.

    The running totals are ``nets.cumsum(axis=1)``.
    """
    found = seated(game, rules, agents, seeds, hands=hands, seed=seed, progress=progress)
    return found.nets.reshape(len(seeds), hands, -1)


def rotated(
    game: Game,
    rules: Any,
    agent: Agent,
    field: Sequence[Agent],
    seeds: np.ndarray,
    *,
    order: np.ndarray | None = None,
    hands: int = 1,
    seed: int = 0,
    progress: Progress | None = None,
    chunk: int = CHUNK,
) -> Duplicate:
    """Let an agent play each deal once from every seat: the same deck, the same dealer.

    The seats after its own, clockwise, are the field's, taken round; ``order``, int64 (n,), says
    with which of the field to begin (None: the first). With several ``hands`` a deal is a session.
    Draws depend on deal and turn, not on the seat, so whoever sits among none but itself wins
    exactly 0 over the seats of a deal. Raises as `seated` does.
    """
    players = game.players_of(rules)
    if not field or players < 2:
        raise ValueError(f"field: {len(field)} agents given; these rules have {players} seats")
    cast, places = _cast([agent, *field])
    timed = Timed(agent)
    cast[0] = timed
    begin = np.zeros(len(seeds), np.int64) if order is None else order
    parts = []
    for some, ended in _parts(seeds, hands * players, chunk, progress):
        who = _around(places[1:], begin[some], players)
        plan = _plan(game, rules, seeds[some], hands, who, seed)
        parts.append(_by_position(_play(game, rules, cast, plan, ended), hands))
    nets, facts = zip(*parts, strict=True)
    return Duplicate(np.concatenate(nets), _joined(facts), hands, timed.milliseconds)


def hand_seeds(seeds: np.ndarray, hands: int) -> np.ndarray:
    """Return the seeds of the hands of sessions, uint64 (n, hands), from those of the sessions.

    The first hand is the deal that has the session's seed; the others follow from it, in the same
    half of the seeds. The first dealer is that deal's; after each hand the dealer moves on a seat.
    """
    found = np.empty((len(seeds), hands), np.uint64)
    for row, seed in zip(found, seeds.tolist(), strict=True):
        row[0] = seed
        for hand in range(1, hands):
            digest = sha256(f"{seed}/hand {hand}".encode()).digest()
            row[hand] = int.from_bytes(digest[:8], "little")
    return (found & TRAINING_SEEDS) | (seeds[:, None] & ~TRAINING_SEEDS)


def has_dealer(game: Game) -> bool:
    """Whether a seat deals, and position at the table is counted from it."""
    return "dealer" in (game.state.names or ())


def first_dealers(game: Game, rules: Any, seeds: np.ndarray) -> np.ndarray:
    """Return the seat that deals in the deal of each seed, int64 (n,); the last where none does."""
    if not has_dealer(game):
        return np.full(len(seeds), game.players_of(rules) - 1)
    rows = Rows(game, rules, len(seeds))
    rows.seed(seeds)
    rows.start(Source.SEED)
    return rows.states["dealer"].astype(np.int64)


class _Plan(NamedTuple):
    """Hands to be played: arrays of n.

    ``seeds`` make the deals, ``dealers`` are seats; ``who`` (n, players) says which of the agents
    plays a seat; ``keys`` begin the seeds of what is drawn: equal keys, equal draws.
    """

    seeds: np.ndarray
    dealers: np.ndarray
    who: np.ndarray
    keys: np.ndarray


def _plan(
    game: Game, rules: Any, seeds: np.ndarray, hands: int, who: np.ndarray, seed: int
) -> _Plan:
    """Plan sessions: for each deal and hand one row for each seating in ``who``.

    ``who`` is (n, seatings, players), or (1, ...) for all deals.
    """
    decks = hand_seeds(seeds, hands)
    first, players = first_dealers(game, rules, seeds), game.players_of(rules)
    dealers = (first[:, None] + np.arange(hands)) % players
    if not has_dealer(game):
        dealers = np.broadcast_to(first[:, None], decks.shape)
    keys = deal_keys(decks.reshape(-1), seed).reshape(decks.shape)
    shape = (*decks.shape, who.shape[1])

    def spread(values: np.ndarray) -> np.ndarray:
        return np.broadcast_to(values[:, :, None], shape).reshape(-1)

    seats = np.broadcast_to(who[:, None], (*shape, players)).reshape(-1, players)
    return _Plan(spread(decks), spread(dealers), seats, spread(keys))


def _play(game: Game, rules: Any, cast: Sequence[Agent], plan: _Plan, ended: Progress) -> Hands:
    """Play hands side by side; each agent is asked at once for all rows where it is to act."""
    rows = Rows(game, rules, len(plan.seeds), How(reset=int(Reset.DISABLED)))
    rows.seed(plan.seeds)
    rows.start(Source.SEED)
    if has_dealer(game):
        rows.states["dealer"] = plan.dealers
        rows.start(Source.DECK)
    actions, decisions = np.zeros(rows.n, np.int64), np.zeros(plan.who.shape, np.int64)
    left = rows.n
    while left:
        live = np.flatnonzero(rows.states["over"] == Over.RUNNING)
        ended(left - len(live))
        left = len(live)
        states = taken(rows.states, live)
        asked = plan.who[live, states["turn"]]
        seeds = plan.keys[live] + states["steps"].astype(np.uint64) * STRIDE
        for place in np.unique(asked):
            these = np.flatnonzero(asked == place)
            turn = look(cast[place], game, rules, taken(states, these), seeds[these])
            actions[live[these]] = choose(cast[place], turn)
        decisions[live, states["turn"]] += 1
        rows.step(actions)
    return _result(game, rules, rows.states, plan.dealers, decisions)


def _result(
    game: Game, rules: Any, states: np.ndarray, dealers: np.ndarray, decisions: np.ndarray
) -> Hands:
    players = game.players_of(rules)
    nets = states["net"][:, :players].astype(np.int64)
    if nets.sum(axis=1).any():
        raise RuntimeError(f"{game.title}: a hand has made chips, or lost some")
    by_seat = [game.results(states, rules, np.full(len(states), seat)) for seat in range(players)]
    facts = {
        name: np.stack([found[name].astype(np.int64) for found in by_seat], axis=1)
        for name in by_seat[0]
        if name not in ("score", "illegal_action")  # the net; `choose` raises on the first one
    }
    return Hands(nets, dealers, facts | {"decisions": decisions})


def _by_position(found: Hands, hands: int) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """What the agent that sat in seat k of row k, of each hand, made of deals (n, players)."""
    rows, players = found.nets.shape
    row = np.arange(rows)
    seats, deals = row % players, row // (players * hands)
    positions = (seats - found.dealers - 1) % players

    def summed(values: np.ndarray) -> np.ndarray:
        sums = np.zeros((rows // (players * hands), players), np.int64)
        np.add.at(sums, (deals, positions), values[row, seats])
        return sums

    return summed(found.nets), {name: summed(values) for name, values in found.facts.items()}


def _cast(agents: Sequence[Agent]) -> tuple[list[Agent], np.ndarray]:
    """The different agents, the first one first, and the place of each given one among them."""
    cast = list({id(agent): agent for agent in agents}.values())
    places = {id(agent): place for place, agent in enumerate(cast)}
    return cast, np.array([places[id(agent)] for agent in agents])


def _around(field: np.ndarray, begin: np.ndarray, players: int) -> np.ndarray:
    """Who sits where, (n, seatings, players): in seating k agent 0 in seat k, then the field."""
    after = (np.arange(players) - np.arange(players)[:, None]) % players  # seats after one's own
    taken = (begin[:, None, None] + after - 1) % len(field)
    return np.where(after == 0, 0, field[taken])


class _Count:
    """Counts hands that have ended, and tells of whole deals of so many hands each."""

    def __init__(self, each: int, progress: Progress | None) -> None:
        self.each, self.progress, self.hands = each, progress, 0

    def __call__(self, hands: int) -> None:
        before = self.hands // self.each
        self.hands += hands
        deals = self.hands // self.each - before
        if deals and self.progress is not None:
            self.progress(deals)


def _parts(
    seeds: np.ndarray, each: int, chunk: int, progress: Progress | None
) -> Iterator[tuple[slice, Progress]]:
    """Cut deals of so many hands each into parts; with each comes what counts its ended hands."""
    if len(seeds) == 0 or each < 1:
        raise ValueError("no deals to play: give at least one seed, and one hand")
    size = max(1, chunk // each)
    count = _Count(each, progress)
    for begin in range(0, len(seeds), size):
        yield slice(begin, begin + size), count


def _joined(parts: Sequence[dict[str, np.ndarray]]) -> dict[str, np.ndarray]:
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
