"""Hands at a table of several seats: agents play them side by side, in sessions, in all seats.

What comes of a hand depends on its deal, on who sits where and on the key that agents' draws come
from: never on the hands that are played beside it.
"""

from collections.abc import Iterator, Sequence
from hashlib import sha256
from typing import Any, NamedTuple

import numpy as np

from parlour.agents.registry import Agent, FixedAgent, choose_actions, make_turn
from parlour.envs import Game
from parlour.envs.core.batch import Autoreset, DealSource, Over, StepConfig
from parlour.envs.core.kernel.rng import (
    TRAINING_SEED_MASK,
    derive_key,
    key_words,
    new_key,
    shuffle_order,
    turn_seeds,
)
from parlour.envs.core.rows import Rows, copy_states

from .deal_play import CHUNK, Progress, TimedAgent
from .replays.action_log import ActionLog, Ended
from .replays.hand_log import RecordHands, log_hands


class HandResults(NamedTuple):
    """What came of n hands, by seat.

    ``nets``, int64 (n, players), are the chips that each seat won less those it paid: 0 in sum.
    ``dealers``, int64 (n,), are seats; in a game without a dealer it is the last, so that the first
    sits at its left. ``facts`` has int64 (n, players) for each fact of the game (won, moves and
    more) and ``decisions``, how often a seat was asked.
    """

    nets: np.ndarray
    dealers: np.ndarray
    facts: dict[str, np.ndarray]


class DuplicateResults(NamedTuple):
    """What came of n deals, each played by one agent from every seat, with others in the rest.

    Arrays are int64 (n, players): column p is the agent's position, 0 at the dealer's left, the
    dealer last; entries are sums over the ``hands`` of a deal. ``nets`` are chips, ``facts`` those
    of `HandResults`. ``milliseconds`` is the time of one decision in the agent's own ``act``, asked
    for a whole batch of hands at once.
    """

    nets: np.ndarray
    facts: dict[str, np.ndarray]
    hands: int
    milliseconds: float

    def __repr__(self) -> str:
        """Return on one line what there is: the arrays are long."""
        return f"<{type(self).__name__}: {len(self.nets)} deals, net, {', '.join(self.facts)}>"


def play_seated(
    game: Game,
    rules: Any,
    agents: Sequence[Agent],
    seeds: np.ndarray,
    *,
    hands: int = 1,
    key: str | None = None,
    progress: Progress | None = None,
    chunk: int = CHUNK,
) -> HandResults:
    """Let agents, one a seat, play a session of hands for each of ``seeds`` (see `hand_seeds`).

    Rows are in the order of the seeds, then of the hands. ``key`` is the secret of what agents draw
    and of hidden cards dealt anew, as in `evaluate.play_deals`. Raises ValueError for a wrong
    number of agents or no seeds, IllegalActionError for an action that is not legal.
    """
    players = game.num_players(rules)
    if len(agents) != players or players < 2:
        raise ValueError(f"agents: {len(agents)} given; these rules have {players} seats")
    cast, who = _distinct_agents(agents)
    own = derive_key(new_key() if key is None else key, game.rules_digest(rules))
    order, words = shuffle_order(own, len(seeds)), key_words(own)
    parts: list[HandResults] = []
    for some, ended in _split_deals(order, hands, chunk, progress):
        plan = _plan_hands(game, rules, seeds[some], hands, who[None, None])
        rows = shuffle_order(derive_key(own, len(parts)), len(plan.seeds))
        parts.append(_play_hands(game, rules, cast, plan, words, rows, ended))
    nets, dealers, facts = zip(*parts, strict=True)
    return HandResults(
        _sort_rows(nets, order), _sort_rows(dealers, order), _concatenate(facts, order)
    )


def play_sessions(
    game: Game,
    rules: Any,
    agents: Sequence[Agent],
    seeds: np.ndarray,
    hands: int,
    *,
    key: str | None = None,
    progress: Progress | None = None,
) -> np.ndarray:
    """Return what the seats win in sessions, int64 (n, hands, players): the nets of `play_seated`.

    The running totals are ``nets.cumsum(axis=1)``.
    """
    found = play_seated(game, rules, agents, seeds, hands=hands, key=key, progress=progress)
    return found.nets.reshape(len(seeds), hands, -1)


def play_duplicate(
    game: Game,
    rules: Any,
    agent: Agent,
    field: Sequence[Agent],
    seeds: np.ndarray,
    *,
    order: np.ndarray | None = None,
    hands: int = 1,
    key: str | None = None,
    progress: Progress | None = None,
    record: RecordHands | None = None,
    chunk: int = CHUNK,
    partner: Agent | None = None,
) -> DuplicateResults:
    """Let an agent play each deal once from every seat: the same deck, the same dealer.

    Where seats play together (`Seats.sides`) its partners' seats are ``partner``'s (None: its own,
    too). The others are the field's, taken round from the seat after its own, clockwise; ``order``,
    int64 (n,), says with which of the field to begin (None: the first). With several ``hands`` a
    deal is a session.

    Draws depend on deal, turn, seat and seating, so no agent can tell that two of its seats belong
    to one deal: whoever draws nothing and sits among none but itself wins exactly 0 over the seats
    of a deal, whoever draws only on average. ``record`` is told of each hand as it ends. Raises as
    `play_seated` does.
    """
    players = game.num_players(rules)
    if not field or players < 2:
        raise ValueError(f"field: {len(field)} agents given; these rules have {players} seats")
    cast, places = _distinct_agents([agent, *field, agent if partner is None else partner])
    timed = TimedAgent(agent)
    cast[0] = timed
    begin = np.zeros(len(seeds), np.int64) if order is None else order
    assert game.seats is not None
    sides = game.seats.sides(rules)
    own = derive_key(new_key() if key is None else key, game.rules_digest(rules))
    shuffled, words = shuffle_order(own, len(seeds)), key_words(own)
    parts: list[tuple[np.ndarray, dict[str, np.ndarray]]] = []
    for some, ended in _split_deals(shuffled, hands * players, chunk, progress):
        who = _seat_around(places[1:-1], begin[some], sides, places[-1])
        plan = _plan_hands(game, rules, seeds[some], hands, who)
        rows = shuffle_order(derive_key(own, len(parts)), len(plan.seeds))
        log = log_hands(record, plan.who, plan.dealers, some, hands, places)
        found = _play_hands(game, rules, cast, plan, words, rows, ended, log)
        parts.append(_sum_by_position(found, hands))
    nets, facts = zip(*parts, strict=True)
    joined = _concatenate(facts, shuffled)
    return DuplicateResults(_sort_rows(nets, shuffled), joined, hands, timed.milliseconds)


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
    return (found & TRAINING_SEED_MASK) | (seeds[:, None] & ~TRAINING_SEED_MASK)


def first_dealers(game: Game, rules: Any, seeds: np.ndarray) -> np.ndarray:
    """Return the seat that deals in the deal of each seed, int64 (n,); the last where none does."""
    if not game.has_dealer:
        return np.full(len(seeds), game.num_players(rules) - 1)
    rows = Rows(game, rules, len(seeds))
    rows.seed(seeds)
    rows.start(DealSource.SEED)
    return rows.states["dealer"].astype(np.int64)


class _HandPlan(NamedTuple):
    """Hands to be played: arrays of n.

    ``seeds`` make the deals, ``dealers`` are seats; ``who`` (n, players) says which of the agents
    plays a seat; ``seatings`` number the ways in which a deal is seated.
    """

    seeds: np.ndarray
    dealers: np.ndarray
    who: np.ndarray
    seatings: np.ndarray


def _plan_hands(
    game: Game, rules: Any, seeds: np.ndarray, hands: int, who: np.ndarray
) -> _HandPlan:
    """Plan sessions: for each deal and hand one row for each seating in ``who``.

    ``who`` is (n, seatings, players), or (1, ...) for all deals.
    """
    decks = hand_seeds(seeds, hands)
    first, players = first_dealers(game, rules, seeds), game.num_players(rules)
    dealers = (first[:, None] + np.arange(hands)) % players
    if not game.has_dealer:
        dealers = np.broadcast_to(first[:, None], decks.shape)
    shape = (*decks.shape, who.shape[1])

    def spread(values: np.ndarray) -> np.ndarray:
        return np.broadcast_to(values[:, :, None], shape).reshape(-1)

    seats = np.broadcast_to(who[:, None], (*shape, players)).reshape(-1, players)
    seatings = np.broadcast_to(np.arange(shape[2]), shape).reshape(-1)
    return _HandPlan(spread(decks), spread(dealers), seats, seatings)


def _play_hands(
    game: Game,
    rules: Any,
    cast: Sequence[Agent],
    plan: _HandPlan,
    words: np.ndarray,
    order: np.ndarray,
    ended: Progress,
    record: Ended | None = None,
) -> HandResults:
    """Play hands side by side; each agent is asked at once for all rows where it is to act.

    It sees them in ``order``, which is the key's and so says nothing of deal, seating or hand;
    ``words`` are those of the key that draws come from.
    """
    rows = Rows(game, rules, len(plan.seeds), StepConfig(reset=int(Autoreset.DISABLED)))
    rows.seed(plan.seeds)
    rows.start(DealSource.SEED)
    if game.has_dealer:
        rows.states["dealer"] = plan.dealers
        rows.start(DealSource.DECK)
    actions, decisions = np.zeros(rows.n, np.int64), np.zeros(plan.who.shape, np.int64)
    left, log = rows.n, ActionLog(rows, record)
    while left:
        live = order[rows.states["over"][order] == Over.RUNNING]
        ended(left - len(live))
        left = len(live)
        states = copy_states(rows.states, live)
        asked = plan.who[live, states["turn"]]
        seeds = turn_seeds(words, states, plan.seatings[live])
        for place in np.unique(asked):
            these = np.flatnonzero(asked == place)
            turn = make_turn(cast[place], game, rules, copy_states(states, these), seeds[these])
            actions[live[these]] = choose_actions(cast[place], turn)
        decisions[live, states["turn"]] += 1
        rows.step(actions)
        log.add(live, actions)
    return _hand_results(game, rules, rows.states, plan.dealers, decisions)


def _hand_results(
    game: Game, rules: Any, states: np.ndarray, dealers: np.ndarray, decisions: np.ndarray
) -> HandResults:
    players = game.num_players(rules)
    nets = states["net"][:, :players].astype(np.int64)
    if nets.sum(axis=1).any():
        raise RuntimeError(f"{game.title}: a hand has made chips, or lost some")
    by_seat = [game.results(states, rules, np.full(len(states), seat)) for seat in range(players)]
    facts = {
        name: np.stack([found[name].astype(np.int64) for found in by_seat], axis=1)
        for name in by_seat[0]
        if name
        not in ("score", "illegal_action")  # the net; `choose_actions` raises on the first one
    }
    return HandResults(nets, dealers, facts | {"decisions": decisions})


def _sum_by_position(found: HandResults, hands: int) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """What the agent that sat in seat k of row k, of each hand, made of deals (n, players)."""
    rows, players = found.nets.shape
    row = np.arange(rows)
    seats, deals = row % players, row // (players * hands)
    positions = (seats - found.dealers - 1) % players

    def sum_cells(values: np.ndarray) -> np.ndarray:
        sums = np.zeros((rows // (players * hands), players), np.int64)
        np.add.at(sums, (deals, positions), values[row, seats])
        return sums

    return sum_cells(found.nets), {name: sum_cells(values) for name, values in found.facts.items()}


def _distinct_agents(agents: Sequence[Agent]) -> tuple[list[Agent], np.ndarray]:
    """The different agents, the first one first, and the place of each given one among them."""
    cast = {id(agent): FixedAgent(agent) for agent in agents}
    places = {one: place for place, one in enumerate(cast)}
    return list(cast.values()), np.array([places[id(agent)] for agent in agents])


def _seat_around(
    field: np.ndarray, begin: np.ndarray, sides: Sequence[int], partner: int
) -> np.ndarray:
    """Who sits where, (n, seatings, players): agent 0 in seat k, its partner, the field."""
    players, side = len(sides), np.array(sides)
    after = (np.arange(players) - np.arange(players)[:, None]) % players  # seats after one's own
    taken = (begin[:, None, None] + after - 1) % len(field)
    ours = np.where(np.eye(players, dtype=bool), 0, partner)
    return np.where(side == side[:, None], ours, field[taken])


class _DealCounter:
    """Counts hands that have ended, and tells of whole deals of so many hands each."""

    def __init__(self, each: int, progress: Progress | None) -> None:
        self.each, self.progress, self.hands = each, progress, 0

    def __call__(self, hands: int) -> None:
        before = self.hands // self.each
        self.hands += hands
        deals = self.hands // self.each - before
        if deals and self.progress is not None:
            self.progress(deals)


def _split_deals(
    order: np.ndarray, each: int, chunk: int, progress: Progress | None
) -> Iterator[tuple[np.ndarray, Progress]]:
    """Cut deals of so many hands each into parts; with each comes what counts its ended hands."""
    if len(order) == 0 or each < 1:
        raise ValueError("no deals to play: give at least one seed, and one hand")
    size = max(1, chunk // each)
    count = _DealCounter(each, progress)
    for begin in range(0, len(order), size):
        yield order[begin : begin + size], count


def _concatenate(
    parts: Sequence[dict[str, np.ndarray]], order: np.ndarray
) -> dict[str, np.ndarray]:
    return {name: _sort_rows([part[name] for part in parts], order) for name in parts[0]}


def _sort_rows(parts: Sequence[np.ndarray], order: np.ndarray) -> np.ndarray:
    """Put the rows of deals, so many each, that were played in some order back into their own."""
    rows = np.concatenate(parts)
    by_deal = rows.reshape(len(order), -1, *rows.shape[1:])
    found = np.empty_like(by_deal)
    found[order] = by_deal
    return found.reshape(rows.shape)
