"""Games for one player: an agent plays deals side by side, asked for all of them at once.

What comes of a deal depends on the deal, the rules and the key that draws come from: never on what
is played beside it.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from time import perf_counter
from typing import Any

import numpy as np

from parlour.agents.registry import Agent, FixedAgent, Turn
from parlour.envs import Game
from parlour.envs.core.batch import MAX_MOVES, Autoreset, DealSource, Over, StepConfig
from parlour.envs.core.kernel.rng import derive_key, key_words, new_key, shuffle_order
from parlour.envs.core.rows import Rows

from .play_steps import Progress as Progress
from .play_steps import play_steps
from .replays.action_log import ActionLog

CHUNK = 4096
"""Games played side by side: enough for speed, some megabytes of memory."""


@dataclass(frozen=True, eq=False, repr=False)
class EpisodeResults:
    """What came of n deals, in the order of their seeds.

    ``facts`` has an array (n,) for each fact of the game (won, score, moves and more) and
    ``truncated``, ``decisions`` (how often the agent was asked). ``milliseconds`` is the time of
    one decision in the agent's own ``act``, asked for a whole batch of games at once.
    """

    facts: dict[str, np.ndarray]
    milliseconds: float

    def __repr__(self) -> str:
        """Return on one line what there is: the arrays are long."""
        return f"<{type(self).__name__}: {len(self.score)} deals, {', '.join(self.facts)}>"

    @property
    def score(self) -> np.ndarray:
        """The game's score of each deal, int64 (n,)."""
        return self.facts["score"]

    @property
    def moves(self) -> np.ndarray:
        """The moves made in each deal, int64 (n,)."""
        return self.facts["moves"]

    @property
    def decisions(self) -> int:
        """How many decisions the agent made in all."""
        return int(self.facts["decisions"].sum())


RecordGames = Callable[[np.ndarray, list[list[int]], np.ndarray], None]
"""Called as games end: the places of their seeds, int64 (k,), actions and last states (k,)."""


class TimedAgent(FixedAgent):
    """An agent whose time to think is measured, without its first call: that one compiles."""

    def __init__(self, agent: Agent) -> None:
        super().__init__(agent)
        self.act = self.act_timed
        self.calls = self.decisions = 0
        self.seconds = 0.0

    def act_timed(self, turn: Turn) -> np.ndarray:
        """Return what the agent chooses, and measure it."""
        begun = perf_counter()
        actions = self.agent.act(turn)
        seconds = perf_counter() - begun
        if self.calls <= 1:
            self.seconds, self.decisions = 0.0, 0
        self.calls += 1
        self.seconds += seconds
        self.decisions += len(turn.masks)
        return actions

    @property
    def milliseconds(self) -> float:
        """The time of one decision."""
        return 1000 * self.seconds / max(self.decisions, 1)


def play_deals(
    game: Game,
    rules: Any,
    agent: Agent,
    seeds: np.ndarray,
    *,
    max_moves: int | None = MAX_MOVES,
    key: str | None = None,
    progress: Progress | None = None,
    record: RecordGames | None = None,
    chunk: int = CHUNK,
) -> EpisodeResults:
    """Let an agent play one game for each of ``seeds`` (uint64 (n,), see `deals.bank_seeds`).

    Games are cut off after ``max_moves`` moves (None or 0: never). What the agent draws, and the
    hidden cards that are dealt anew for it, depend on ``key`` (any text; None: a new secret), the
    rules, the deal and the turn alone: so whoever makes no random choices of his own gets the same
    results in any batch. The games are played in an order that the key tells, too: neither the
    place in a batch nor the seeds say which deal it is. ``record`` is told of each game as it ends.
    Raises IllegalActionError for an action that is not legal, ValueError if there are no seeds.
    """
    if len(seeds) == 0:
        raise ValueError("no deals to play: give at least one seed")
    timed, max_moves = TimedAgent(agent), max_moves or 0
    chunk = timed.at_once or chunk  # a person plays one game at a time
    own = derive_key(new_key() if key is None else key, game.rules_digest(rules))
    order, words = shuffle_order(own, len(seeds)), key_words(own)
    parts = []
    for i in range(0, len(seeds), chunk):
        some = order[i : i + chunk]
        log = None if record is None else partial(_record_places, record, some)
        parts.append(_play_chunk(game, rules, timed, seeds[some], max_moves, words, progress, log))
    facts = {name: np.empty(len(seeds), values.dtype) for name, values in parts[0].items()}
    for name, values in facts.items():
        values[order] = np.concatenate([part[name] for part in parts])
    return EpisodeResults(facts, timed.milliseconds)


def _record_places(
    record: RecordGames,
    places: np.ndarray,
    rows: np.ndarray,
    actions: list[list[int]],
    states: np.ndarray,
) -> None:
    record(places[rows], actions, states)


def _play_chunk(
    game: Game,
    rules: Any,
    agent: Agent,
    seeds: np.ndarray,
    max_moves: int,
    words: np.ndarray,
    progress: Progress | None,
    record: RecordGames | None,
) -> dict[str, np.ndarray]:
    """Play some deals side by side, asking only for the games that still run."""
    rows = Rows(game, rules, len(seeds), StepConfig(reset=Autoreset.DISABLED, max_moves=max_moves))
    rows.seed(seeds)
    rows.start(DealSource.SEED)
    log = ActionLog(rows, record)
    for live, actions in play_steps(rows, [agent], words, progress):
        log.add(live, actions)
    facts = game.results(rows.states, rules)
    del facts["illegal_action"]  # `choose_actions` raises on the first one
    facts["truncated"] = rows.states["over"] == Over.TRUNCATED
    facts["decisions"] = rows.states["steps"].astype(np.int64)
    return facts
