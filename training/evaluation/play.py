"""Play: agents play numbered deals to the end, many games in one batch.

`play_deals` plays each deal of a game for one player once. `play_duplicate` plays each deal of a
game for several players from every seat. The result of a deal depends on the deal, the agents in
the seats, and the evaluation seed, but not on other games in the batch.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from time import process_time
from typing import Any, NamedTuple

import numpy as np

from parlour.agents.registry import Agent, FixedAgent, Turn, choose_actions, make_turn
from parlour.envs import Game
from parlour.envs.core.batch import MAX_MOVES, Autoreset, DealSource, Over, StepConfig
from parlour.envs.core.kernel.rng import (
    TRAINING_SEED_MASK,
    derive_key,
    key_words,
    new_key,
    shuffle_order,
    turn_seeds,
)
from parlour.envs.core.rows import Rows, copy_states

CHUNK = 4096
"""Number of games in a batch: enough for speed, with a few megabytes of memory."""

Progress = Callable[[int], None]
"""Called with the number of deals that have ended since the last call."""


@dataclass(frozen=True, eq=False, repr=False)
class EpisodeResults:
    """The results of an agent on n deals, in the order of their seeds.

    Attributes:
        facts: An array for each fact of the game (won, score, moves, and more) and for
            ``decisions``, the number of decisions of the agent. In games for one player, the arrays
            are (n,) and include ``truncated``. In games for several players, they are int64
            (n, players): column p is the agent's position, from 0 at the dealer's left to the
            dealer. Entries are sums over the ``hands`` of a deal, and ``net`` has the chips won.
        milliseconds: The CPU time per decision in the agent's ``act``, measured in batches.
        hands: The number of hands per deal.
        usage: What the agent used, such as requests and tokens, by name; see `Agent`.
    """

    facts: dict[str, np.ndarray]
    milliseconds: float
    hands: int = 1
    usage: dict[str, float] = field(default_factory=dict)

    def __repr__(self) -> str:
        """Return the number of deals and the names of the facts, since the arrays are long."""
        deals = len(self.facts["net" if "net" in self.facts else "score"])
        return f"<{type(self).__name__}: {deals} deals, {', '.join(self.facts)}>"

    @property
    def score(self) -> np.ndarray:
        """The score of each deal, int64 (n,), in games for one player."""
        return self.facts["score"]

    @property
    def nets(self) -> np.ndarray:
        """The chips won in each deal at each position, int64 (n, players), in games for several."""
        return self.facts["net"]

    @property
    def moves(self) -> np.ndarray:
        """The moves made in each deal, int64 (n,) or (n, players)."""
        return self.facts["moves"]

    @property
    def decisions(self) -> int:
        """The total number of decisions of the agent."""
        return int(self.facts["decisions"].sum())


class PlayedGames(NamedTuple):
    """Games that have ended, k of them.

    Attributes:
        deal_indices: The index of each game's deal among the seeds, int64 (k,).
        hands: The index of each game among the hands of its deal, int64 (k,).
        dealers: The seat of the dealer, int64 (k,).
        seating: The agent in each seat, int64 (k, players): 0 is the evaluated agent, the others
            follow in the given order.
        actions: The actions of all seats.
        states: The last state of each game (k,).
    """

    deal_indices: np.ndarray
    hands: np.ndarray
    dealers: np.ndarray
    seating: np.ndarray
    actions: list[list[int]]
    states: np.ndarray


RecordGames = Callable[[PlayedGames], None]
"""Called with games as they end."""


class Step(NamedTuple):
    """One step of each running game.

    ``games``, int64 (k,), has the rows that made a step, ``seats``, int64 (k,), the acting seats.
    ``actions``, int64 (n,), has an entry for each row; the array is reused in the next step.
    """

    games: np.ndarray
    seats: np.ndarray
    actions: np.ndarray


def play_steps(
    rows: Rows,
    agents: Sequence[Agent],
    words: np.ndarray,
    *,
    seating: np.ndarray | None = None,
    seating_numbers: np.ndarray | int = 0,
    order: np.ndarray | None = None,
    progress: Progress | None = None,
) -> Iterator[Step]:
    """Play games until all are over, one step of each game at a time, and yield each step.

    One call of an agent covers all running games in which it acts.

    Args:
        rows: The games.
        agents: The agents, one for each seat unless ``seating`` is given.
        words: The words of the key from which draws derive (`rng.key_words`).
        seating: The index of the agent in each seat, int64 (n, players) (None: one per seat).
        seating_numbers: The number of each game's seating, on which draws depend, int64 (n,).
        order: The order in which agents see the games, int64 (n,) (None: the order of the rows).
        progress: Called with numbers of finished games.
    """
    actions = np.zeros(rows.n, np.int64)
    order = np.arange(rows.n) if order is None else order
    seating_numbers = np.broadcast_to(seating_numbers, rows.n)
    num_running = rows.n
    while num_running:
        running = order[rows.states["over"][order] == Over.RUNNING]
        if progress is not None and len(running) < num_running:
            progress(num_running - len(running))
        num_running = len(running)
        if num_running == 0:
            return
        states = copy_states(rows.states, running)
        seeds, seats = turn_seeds(words, states, seating_numbers[running]), states["turn"]
        asked = seats if seating is None else seating[running, seats]
        for number, agent in enumerate(agents):
            if len(agents) == 1:
                turn = make_turn(agent, rows.game, rows.rules, states, seeds)
                actions[running] = choose_actions(agent, turn)
            elif len(mine := np.flatnonzero(asked == number)):
                own_states = copy_states(states, mine)
                turn = make_turn(agent, rows.game, rows.rules, own_states, seeds[mine])
                actions[running[mine]] = choose_actions(agent, turn)
        rows.step(actions)
        yield Step(running, seats, actions)


class ActionLog:
    """A log of the actions of each running game, handed over when the game ends.

    ``ended`` is called with rows, int64 (k,), the actions of each row, and copies of the final
    states (k,). If it is None, nothing is logged.
    """

    def __init__(self, rows: Rows, ended: "Ended | None") -> None:
        self.rows, self.ended = rows, ended
        self.actions: list[list[int]] = [[] for _ in range(rows.n if ended else 0)]
        self._hand_over(np.arange(rows.n))  # a game may be over at the deal

    def add(self, step: Step) -> None:
        """Add a step of the games."""
        if self.ended is None:
            return
        for row, action in zip(step.games.tolist(), step.actions[step.games].tolist(), strict=True):
            self.actions[row].append(action)
        self._hand_over(step.games)

    def _hand_over(self, games: np.ndarray) -> None:
        if self.ended is None:
            return
        over = games[self.rows.states["over"][games] != Over.RUNNING]
        if len(over):
            actions = [self.actions[row] for row in over.tolist()]
            self.ended(over, actions, copy_states(self.rows.states, over))


Ended = Callable[[np.ndarray, list[list[int]], np.ndarray], None]


class TimedAgent(FixedAgent):
    """An agent with measured CPU times of its decisions, without the first call, which may compile.

    Other programs on the machine hardly change CPU time, and an agent with several threads needs as
    much of it as with one.
    """

    def __init__(self, agent: Agent) -> None:
        super().__init__(agent)
        self.act = self.act_timed
        self.used_before = dict(getattr(agent, "usage", {}))
        self.calls = self.decisions = 0
        self.seconds = 0.0

    def act_timed(self, turn: Turn) -> np.ndarray:
        """Return the agent's actions, and measure the CPU time."""
        begun = process_time()
        actions = self.agent.act(turn)
        seconds = process_time() - begun
        if self.calls <= 1:
            self.seconds, self.decisions = 0.0, 0
        self.calls += 1
        self.seconds += seconds
        self.decisions += len(turn.masks)
        return actions

    @property
    def own_usage(self) -> dict[str, float]:
        """The increase of the agent's ``usage`` since this object exists."""
        usage = getattr(self.agent, "usage", {})
        return {name: count - self.used_before.get(name, 0) for name, count in usage.items()}

    @property
    def milliseconds(self) -> float:
        """The CPU time per decision."""
        return 1000 * self.seconds / max(self.decisions, 1)


def _derive_own_key(game: Game, rules: Any, evaluation_seed: str | None) -> str:
    """Return the key of all draws under these rules; without an evaluation seed, a random one."""
    return derive_key(
        new_key() if evaluation_seed is None else evaluation_seed, game.rules_digest(rules)
    )


def play_deal(
    game: Game,
    rules: Any,
    state: np.ndarray,
    agents: Sequence[Agent],
    evaluation_seed: str | None = None,
    max_moves: int = MAX_MOVES,
) -> list[int]:
    """Play a deal from a position (1,) with one agent per seat, and return the actions.

    The agents' draws derive from ``evaluation_seed`` (None: a random one), as in `play_deals`.
    """
    own_key = _derive_own_key(game, rules, evaluation_seed)
    rows = Rows(game, rules, 1, StepConfig(reset=int(Autoreset.DISABLED), max_moves=max_moves))
    rows.take_over(state)
    return [int(step.actions[0]) for step in play_steps(rows, agents, key_words(own_key))]


def play_deals(
    game: Game,
    rules: Any,
    agent: Agent,
    seeds: np.ndarray,
    *,
    max_moves: int | None = MAX_MOVES,
    evaluation_seed: str | None = None,
    progress: Progress | None = None,
    record: RecordGames | None = None,
    chunk: int = CHUNK,
) -> EpisodeResults:
    """Play each deal of a game for one player once.

    The agent's draws and the resampled hidden cards depend only on the evaluation seed, the rules,
    the deal, and the turn. So an agent without its own random generator gets the same results in
    any batch. The evaluation seed also shuffles the games, so that neither the index in a batch nor
    the seeds reveal the deal to the agent.

    Args:
        game: The game.
        rules: Rules for one player.
        agent: The agent.
        seeds: The seeds of the deals, uint64 (n,), see `cards.deal_seeds`.
        max_moves: Number of moves after which a game is truncated (None or 0: no limit).
        evaluation_seed: Any text, from which all random draws derive (None: a random one).
        progress: Called with numbers of finished deals.
        record: Called with games as they end.
        chunk: Number of games in one batch.

    Raises:
        ValueError: There are no seeds.
        IllegalActionError: The agent chose an illegal action.
    """
    if len(seeds) == 0:
        raise ValueError("seeds must have at least one seed, got none")
    timed, max_moves = TimedAgent(agent), max_moves or 0
    chunk = timed.max_batch or chunk  # a human player plays one game at a time
    own_key = _derive_own_key(game, rules, evaluation_seed)
    order, words = shuffle_order(own_key, len(seeds)), key_words(own_key)
    chunks = []
    for begin in range(0, len(seeds), chunk):
        deal_indices = order[begin : begin + chunk]
        rows = Rows(
            game,
            rules,
            len(deal_indices),
            StepConfig(reset=Autoreset.DISABLED, max_moves=max_moves),
        )
        rows.seed(seeds[deal_indices])
        rows.start(DealSource.SEED)
        log = ActionLog(rows, _record_deals(record, deal_indices))
        for step in play_steps(rows, [timed], words, progress=progress):
            log.add(step)
        chunks.append(_read_facts(rows))
    return EpisodeResults(_join_facts(chunks, order), timed.milliseconds, usage=timed.own_usage)


def _record_deals(record: RecordGames | None, deal_indices: np.ndarray) -> Ended | None:
    """Return the callback of an `ActionLog` for deals with these indices."""
    if record is None:
        return None

    def ended(rows: np.ndarray, actions: list[list[int]], states: np.ndarray) -> None:
        zeros = np.zeros(len(rows), np.int64)
        record(PlayedGames(deal_indices[rows], zeros, zeros, zeros[:, None], actions, states))

    return ended


def _read_facts(rows: Rows) -> dict[str, np.ndarray]:
    """Return the facts of finished games for one player."""
    facts = rows.game.results(rows.states, rows.rules)
    del facts["illegal_action"]  # `choose_actions` raises on the first one
    facts["truncated"] = rows.states["over"] == Over.TRUNCATED
    facts["decisions"] = rows.states["steps"].astype(np.int64)
    return facts


class HandResults(NamedTuple):
    """The results of n hands, by seat.

    ``nets``, int64 (n, players), has the chips that each seat won minus those it paid; they add up
    to 0. ``dealers``, int64 (n,), has the dealers' seats; in games without a dealer, the last seat,
    so that seat 0 is at its left. ``facts`` has an array int64 (n, players) for each fact of the
    game (won, moves, and more) and for ``decisions``, the number of decisions of each seat.
    """

    nets: np.ndarray
    dealers: np.ndarray
    facts: dict[str, np.ndarray]


def _require_several_players(game: Game, players: int) -> None:
    """Raise ValueError if the rules are for one player."""
    if players < 2:
        raise ValueError(f"rules must be for several players, got {game.title} for one player")


def play_seated(
    game: Game,
    rules: Any,
    agents: Sequence[Agent],
    seeds: np.ndarray,
    *,
    hands: int = 1,
    evaluation_seed: str | None = None,
) -> HandResults:
    """Play a session of hands for each seed, with one agent per seat (see `hand_seeds`).

    Rows are in the order of the seeds, then of the hands. The agents' draws and the resampled
    hidden cards derive from ``evaluation_seed``, as in `play_deals`. Raises ValueError for rules
    for one player, a wrong number of agents or no seeds, IllegalActionError for an illegal action.
    """
    players = game.num_players(rules)
    _require_several_players(game, players)
    if len(agents) != players:
        raise ValueError(f"agents must be one for each of {players} seats, got {len(agents)}")
    different, seating = _list_different(agents)
    own_key = _derive_own_key(game, rules, evaluation_seed)
    order, words = shuffle_order(own_key, len(seeds)), key_words(own_key)
    chunks: list[HandResults] = []
    for deal_indices, count_ended in _split_deals(order, hands, CHUNK, None):
        plan = _plan_hands(game, rules, seeds[deal_indices], hands, seating[None, None])
        row_order = shuffle_order(derive_key(own_key, len(chunks)), len(plan.seeds))
        chunks.append(_play_hands(game, rules, different, plan, words, row_order, count_ended))
    nets, dealers, facts = zip(*chunks, strict=True)
    return HandResults(
        _restore_order(nets, order), _restore_order(dealers, order), _join_facts(facts, order)
    )


def play_duplicate(
    game: Game,
    rules: Any,
    agent: Agent,
    opponents: Sequence[Agent],
    seeds: np.ndarray,
    *,
    order: np.ndarray | None = None,
    hands: int = 1,
    evaluation_seed: str | None = None,
    progress: Progress | None = None,
    record: RecordGames | None = None,
    chunk: int = CHUNK,
    partner: Agent | None = None,
) -> EpisodeResults:
    """Play each deal once from every seat, with the same deck and dealer.

    Draws depend on deal, turn, seat, and seating, so no agent can tell that two of its seats belong
    to one deal. A deterministic agent among copies of itself wins exactly 0 over the seats of a
    deal; a stochastic one wins 0 on average.

    Args:
        game: The game.
        rules: Rules for several players.
        agent: The agent.
        opponents: The agents in the opposing seats, repeated clockwise from the seat after the
            agent's.
        seeds: The seeds of the deals, uint64 (n,).
        order: The index of the opponent that comes first in each deal, int64 (n,) (None: 0).
        hands: Number of hands per deal.
        evaluation_seed: Any text, from which all random draws derive (None: a random one).
        progress: Called with numbers of finished deals.
        record: Called with hands as they end.
        chunk: Number of hands in one batch.
        partner: The agent in the partners' seats, in games with partners (see `Seats.sides`; None:
            the agent itself).

    Raises:
        ValueError: There are no seeds or no opponents, or the rules are for one player.
        IllegalActionError: An agent chose an illegal action.
    """
    players = game.num_players(rules)
    _require_several_players(game, players)
    if not opponents:
        raise ValueError("opponents must have at least one agent, got none")
    different, given = _list_different([agent, *opponents, agent if partner is None else partner])
    timed = TimedAgent(agent)
    different[0] = timed
    begin = np.zeros(len(seeds), np.int64) if order is None else order
    assert game.seats is not None
    sides = game.seats.sides(rules)
    own_key = _derive_own_key(game, rules, evaluation_seed)
    deal_order, words = shuffle_order(own_key, len(seeds)), key_words(own_key)
    chunks: list[dict[str, np.ndarray]] = []
    for deal_indices, count_ended in _split_deals(deal_order, hands * players, chunk, progress):
        seating = _seat_around(given[1:-1], begin[deal_indices], sides, given[-1])
        plan = _plan_hands(game, rules, seeds[deal_indices], hands, seating)
        row_order = shuffle_order(derive_key(own_key, len(chunks)), len(plan.seeds))
        ended = _record_hands(record, plan, deal_indices, hands, given)
        played = _play_hands(game, rules, different, plan, words, row_order, count_ended, ended)
        chunks.append(_sum_by_position(played, hands))
    return EpisodeResults(
        _join_facts(chunks, deal_order), timed.milliseconds, hands, timed.own_usage
    )


def hand_seeds(seeds: np.ndarray, hands: int) -> np.ndarray:
    """Return the seeds of the hands of sessions, uint64 (n, hands), from the sessions' seeds.

    The first hand has the session's seed; the seeds of the other hands derive from it and stay in
    the same half of the seeds. The first dealer is the dealer of that deal; after each hand, the
    next seat deals.
    """
    by_hand = np.empty((len(seeds), hands), np.uint64)
    for row, seed in zip(by_hand, seeds.tolist(), strict=True):
        row[0] = seed
        for hand in range(1, hands):
            digest = sha256(f"{seed}/hand {hand}".encode()).digest()
            row[hand] = int.from_bytes(digest[:8], "little")
    return (by_hand & TRAINING_SEED_MASK) | (seeds[:, None] & ~TRAINING_SEED_MASK)


def first_dealers(game: Game, rules: Any, seeds: np.ndarray) -> np.ndarray:
    """Return the dealer of each seed's deal, int64 (n,); the last seat in games without dealer."""
    if not game.has_dealer:
        return np.full(len(seeds), game.num_players(rules) - 1)
    rows = Rows(game, rules, len(seeds))
    rows.seed(seeds)
    rows.start(DealSource.SEED)
    return rows.states["dealer"].astype(np.int64)


class _HandPlan(NamedTuple):
    """A plan of n hands.

    ``seeds`` (n,) determine the deals, ``dealers`` (n,) are seats. ``seating`` (n, players) has the
    number of the agent in each seat; ``seating_numbers`` (n,) number the seatings of one deal.
    """

    seeds: np.ndarray
    dealers: np.ndarray
    seating: np.ndarray
    seating_numbers: np.ndarray


def _plan_hands(
    game: Game, rules: Any, seeds: np.ndarray, hands: int, seating: np.ndarray
) -> _HandPlan:
    """Plan sessions, with one row for each deal, hand, and seating.

    ``seating`` is (n, seatings, players), or (1, ...) for all deals.
    """
    decks = hand_seeds(seeds, hands)
    first, players = first_dealers(game, rules, seeds), game.num_players(rules)
    dealers = (first[:, None] + np.arange(hands)) % players
    if not game.has_dealer:
        dealers = np.broadcast_to(first[:, None], decks.shape)
    shape = (*decks.shape, seating.shape[1])

    def spread(values: np.ndarray) -> np.ndarray:
        return np.broadcast_to(values[:, :, None], shape).reshape(-1)

    seats = np.broadcast_to(seating[:, None], (*shape, players)).reshape(-1, players)
    seating_numbers = np.broadcast_to(np.arange(shape[2]), shape).reshape(-1)
    return _HandPlan(spread(decks), spread(dealers), seats, seating_numbers)


def _play_hands(
    game: Game,
    rules: Any,
    agents: Sequence[Agent],
    plan: _HandPlan,
    words: np.ndarray,
    order: np.ndarray,
    count_ended: Progress,
    ended: Ended | None = None,
) -> HandResults:
    """Play planned hands in one batch.

    Agents see them in ``order``, which derives from the evaluation seed and so reveals nothing
    about deal, seating, or hand.
    """
    rows = Rows(game, rules, len(plan.seeds), StepConfig(reset=int(Autoreset.DISABLED)))
    rows.seed(plan.seeds)
    rows.start(DealSource.SEED)
    if game.has_dealer:
        rows.states["dealer"] = plan.dealers
        rows.start(DealSource.DECK)
    decisions, log = np.zeros(plan.seating.shape, np.int64), ActionLog(rows, ended)
    for step in play_steps(
        rows,
        agents,
        words,
        seating=plan.seating,
        seating_numbers=plan.seating_numbers,
        order=order,
        progress=count_ended,
    ):
        decisions[step.games, step.seats] += 1
        log.add(step)
    return _read_hands(game, rules, rows.states, plan.dealers, decisions)


def _read_hands(
    game: Game, rules: Any, states: np.ndarray, dealers: np.ndarray, decisions: np.ndarray
) -> HandResults:
    """Return the results of finished hands."""
    players = game.num_players(rules)
    nets = states["net"][:, :players].astype(np.int64)
    if nets.sum(axis=1).any():
        raise RuntimeError(f"{game.title}: the net results of a hand must add up to 0")
    by_seat = [game.results(states, rules, np.full(len(states), seat)) for seat in range(players)]
    facts = {
        name: np.stack([seat_facts[name].astype(np.int64) for seat_facts in by_seat], axis=1)
        for name in by_seat[0]
        if name
        not in ("score", "illegal_action")  # the net; `choose_actions` raises on the first one
    }
    return HandResults(nets, dealers, facts | {"decisions": decisions})


def _record_hands(
    record: RecordGames | None,
    plan: _HandPlan,
    deal_indices: np.ndarray,
    hands: int,
    given: np.ndarray,
) -> Ended | None:
    """Return the callback of an `ActionLog` for planned hands of deals with these indices.

    Rows are in the order of the deals, then of their hands, then of the agent's seats. ``given``
    has the number of each given agent among the different agents.
    """
    if record is None:
        return None
    _, first_given = np.unique(given, return_index=True)
    seats = plan.seating.shape[1]

    def ended(rows: np.ndarray, actions: list[list[int]], states: np.ndarray) -> None:
        deals, hand = rows // (hands * seats), rows // seats % hands
        seating = first_given[plan.seating[rows]]
        record(PlayedGames(deal_indices[deals], hand, plan.dealers[rows], seating, actions, states))

    return ended


def _sum_by_position(played: HandResults, hands: int) -> dict[str, np.ndarray]:
    """Return net and facts of deals by position, (n, players), of the agent in seat k of row k."""
    rows, players = played.nets.shape
    row = np.arange(rows)
    seats, deals = row % players, row // (players * hands)
    positions = (seats - played.dealers - 1) % players

    def sum_cells(values: np.ndarray) -> np.ndarray:
        sums = np.zeros((rows // (players * hands), players), np.int64)
        np.add.at(sums, (deals, positions), values[row, seats])
        return sums

    facts = {"net": played.nets} | played.facts
    return {name: sum_cells(values) for name, values in facts.items()}


def _list_different(agents: Sequence[Agent]) -> tuple[list[Agent], np.ndarray]:
    """Return the different agents, and the number of each given agent among them."""
    different = {id(agent): FixedAgent(agent) for agent in agents}
    numbers = {identity: number for number, identity in enumerate(different)}
    return list(different.values()), np.array([numbers[id(agent)] for agent in agents])


def _seat_around(
    opponents: np.ndarray, begin: np.ndarray, sides: Sequence[int], partner: int
) -> np.ndarray:
    """Return the agent in each seat, (n, seatings, players), with agent 0 in seat k."""
    players, side = len(sides), np.array(sides)
    after = (np.arange(players) - np.arange(players)[:, None]) % players  # seats after each seat
    taken = (begin[:, None, None] + after - 1) % len(opponents)
    ours = np.where(np.eye(players, dtype=bool), 0, partner)
    return np.where(side == side[:, None], ours, opponents[taken])


class DealCounter:
    """Counts finished hands, and reports whole deals of ``hands_of_deal`` hands each."""

    def __init__(self, hands_of_deal: int, progress: Progress | None) -> None:
        self.hands_of_deal, self.progress, self.hands = hands_of_deal, progress, 0

    def __call__(self, hands: int) -> None:
        """Count finished hands, and report the deals that they complete."""
        before = self.hands // self.hands_of_deal
        self.hands += hands
        deals = self.hands // self.hands_of_deal - before
        if deals and self.progress is not None:
            self.progress(deals)


def _split_deals(
    order: np.ndarray, hands_of_deal: int, chunk: int, progress: Progress | None
) -> Iterator[tuple[np.ndarray, Progress]]:
    """Split deals into chunks of ``chunk`` hands, each with the counter of finished hands."""
    if len(order) == 0 or hands_of_deal < 1:
        raise ValueError(
            "seeds and hands must be at least one each, "
            f"got {len(order)} seeds and {hands_of_deal} hands"
        )
    size = max(1, chunk // hands_of_deal)
    count = DealCounter(hands_of_deal, progress)
    for begin in range(0, len(order), size):
        yield order[begin : begin + size], count


def _join_facts(
    chunks: Sequence[dict[str, np.ndarray]], order: np.ndarray
) -> dict[str, np.ndarray]:
    return {name: _restore_order([chunk[name] for chunk in chunks], order) for name in chunks[0]}


def _restore_order(chunks: Sequence[np.ndarray], order: np.ndarray) -> np.ndarray:
    """Return the rows of deals, equally many each, in the order of the deals."""
    rows = np.concatenate(chunks)
    by_deal = rows.reshape(len(order), -1, *rows.shape[1:])
    restored = np.empty_like(by_deal)
    restored[order] = by_deal
    return restored.reshape(rows.shape)
