"""One seat at a table of several: the other seats are played by agents, inside each step."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from .core.baselines import make_baseline
from .core.batch import Autoreset, DealSource, Over, StepConfig
from .core.game import Game
from .core.keys import draw_words, turn_seeds
from .core.read_states import read_states
from .core.rows import Rows, copy_states, view_states, write_states
from .core.turn import Agent, FixedAgent, choose_actions, make_turn

Opponents = str | Agent | Sequence[str | Agent]


def make_opponents(game: Game, rules: Any, opponents: Opponents, seed: int = 0) -> list[Agent]:
    """Return the agents of the seats after one's own, clockwise: one for each, or one for all.

    Names are those of `baselines.make_baseline`; the players of a list of names draw by ``seed``,
    ``seed`` + 1 and so on. Raises ValueError for a wrong number, an unknown name or what is no
    agent.
    """
    others = game.num_players(rules) - 1
    agents = list(opponents) if isinstance(opponents, list | tuple) else [opponents]
    if len(agents) not in (1, others):
        allowed = "1" if others == 1 else f"1, for all, or {others}, one for each"
        raise ValueError(f"opponents: {len(agents)} given; allowed are {allowed}")
    found: list[Agent] = []
    for place, agent in enumerate(agents):
        if isinstance(agent, str):
            agent = make_baseline(agent, game, seed + place)
        elif isinstance(agent, type) or not callable(getattr(agent, "act", None)):
            raise ValueError(
                f"opponents: {agent!r} is neither a name nor an agent; allowed are names and "
                "objects with act(turn)"
            )
        found.append(FixedAgent(agent))
    return found * others if len(found) == 1 else found


class SeatRows(Rows):
    """``n`` games, in each of which one seat is the caller's; see `Rows`.

    A step is one decision of that seat, and then all the turns of the others up to its next one, or
    the end: ``rewards`` are its own of all these turns. ``own``, int64 (n,), is its number;
    ``cast`` are the agents, ``who``, int64 (n, seats), says which of them plays a seat. The agents
    choose by seeds of deal and turn (`Turn.seeds`), so a game takes the same course in any batch,
    and a restored one goes on as it did. The seeds come from ``keys``, uint64 (n, 2), which nobody
    is told and which `reseed` draws: whoever knows the seed of the environment can find them, and
    the deals with them. Each agent is asked once for all the games that wait for it,
    in an order that tells nothing of the rows.

    A hand may end before the seat's first turn: then its next step, whatever the action, brings the
    result.
    """

    def __init__(
        self,
        game: Game,
        rules: Any,
        n: int,
        config: StepConfig,
        cast: Sequence[Agent],
        who: np.ndarray,
        own: np.ndarray | int = 0,
    ) -> None:
        super().__init__(game, rules, n, config._replace(reset=int(Autoreset.DISABLED)))
        self.reset = config.reset
        self.agents, self.seating = list(cast), who
        self.own_seat = np.broadcast_to(np.asarray(own, np.int64), n).copy()
        self._rewards, self._played = np.zeros(n), np.full(n, -1)
        self._actions = np.zeros(n, np.int64)
        fresh = np.random.default_rng()  # from the operating system, until `reseed`
        self.keys = np.stack([draw_words(fresh) for _ in range(n)])

    @property
    def rewards(self) -> np.ndarray:
        """The last step's rewards of one's own seat, float64 (n,)."""
        return self._rewards

    @property
    def played(self) -> np.ndarray:
        """The last action of one's own seat; see `Rows.played`."""
        return self._played

    @property
    def seats(self) -> np.ndarray:
        """One's own seat in each game, int64 (n,)."""
        return self.own_seat

    def reseed(self, row: int, rng: np.random.Generator) -> None:
        """See `Rows.reseed`; the key of the others' draws is drawn, too."""
        super().reseed(row, rng)
        self.keys[row] = draw_words(rng)

    def start(
        self, source: DealSource, which: np.ndarray | None = None, dealer: int | None = None
    ) -> None:
        """See `Rows.start`; the others play up to one's own first turn."""
        which = self.all_rows if which is None else which
        super().start(source, which, dealer)
        self._play_others(which)
        self.states["over"][which & (self.states["over"] != Over.RUNNING)] = Over.ENDED_BEFORE_TURN
        self._rewards[which] = 0
        self._played[which] = -1
        self.buffers.terminated[which] = False

    def step(self, actions: np.ndarray, which: np.ndarray | None = None) -> None:
        """See `Rows.step`: one decision of one's own seat, and all turns up to its next."""
        which = self.all_rows if which is None else which
        over = np.where(which, self.states["over"], -1)
        self._rewards[which] = 0
        running, untold = over == Over.RUNNING, over == Over.ENDED_BEFORE_TURN
        ended = (over == Over.TERMINATED) | (over == Over.TRUNCATED)
        super().step(actions, running)
        self._played[which] = np.where(running, self.buffers.played, -1)[which]
        self._add_rewards(running)
        self._play_others(running)
        if untold.any():
            self.states["over"][untold] = Over.TERMINATED
            self.game.kernels.pay_finished(
                self.states, self.rules_record, self.config_record, untold, self.buffers
            )
            self._add_rewards(untold)
        if ended.any() and self.reset == Autoreset.NEXT_STEP:
            self.start(DealSource.DRAW, ended)
        told = (running | untold) & (self.states["over"] != Over.RUNNING)
        if self.reset == Autoreset.SAME_STEP and told.any():
            rewards, played = self._rewards[told], self._played[told]
            write_states(self.buffers.final_states, told, copy_states(self.states, told))
            self.start(DealSource.DRAW, told)
            self._rewards[told], self._played[told] = rewards, played
        self.buffers.terminated[running | untold] = told[running | untold]

    def restore(self, states: np.ndarray) -> None:
        """See `Rows.restore`. Raises ValueError, too, where it is not one's own turn."""
        found = read_states(self.game, self.rules, self.rules_record, states, self.n)
        others = (found["over"] == Over.RUNNING) & (found["turn"] != self.own_seat)
        if others.any():
            row = int(others.argmax())
            raise ValueError(
                f"row {row}: it is the turn of seat {found['turn'][row]}, "
                f"these rows are those of seat {self.own_seat[row]}"
            )
        self.take_over(view_states(self.game, self.rules, found, self.own_seat))
        self._rewards[:] = 0

    def state_dict(self) -> dict[str, np.ndarray]:
        """See `Rows.state_dict`."""
        return super().state_dict() | {"keys": self.keys.copy()}

    def load_state_dict(self, saved: dict[str, np.ndarray]) -> None:
        """See `Rows.load_state_dict`."""
        super().load_state_dict(saved)
        self.keys[:] = saved["keys"]

    def _add_rewards(self, which: np.ndarray) -> None:
        own = self.buffers.rewards[np.arange(self.n), self.own_seat]
        self._rewards[which] += own[which]

    def _play_others(self, which: np.ndarray) -> None:
        """Let the others act until it is one's own turn, or the end, in each of these games."""
        states, order = self.states, self.keys[:, 0].argsort()
        while True:
            acting = which & (states["over"] == Over.RUNNING) & (states["turn"] != self.own_seat)
            rows = order[acting[order]]
            if len(rows) == 0:
                break
            players = self.seating[rows, states["turn"][rows]]
            for player in np.unique(players):
                asked, agent = rows[players == player], self.agents[player]
                asking = copy_states(states, asked)
                seeds = turn_seeds(self.keys[asked], asking)
                turn = make_turn(agent, self.game, self.rules, asking, seeds)
                self._actions[asked] = choose_actions(agent, turn)
            super().step(self._actions, acting)
            self._add_rewards(acting)
        ended = which & (states["over"] != Over.RUNNING)
        if ended.any():
            seen = view_states(
                self.game, self.rules, copy_states(states, ended), self.own_seat[ended]
            )
            write_states(states, ended, seen)


def make_seat_rows(
    game: Game,
    rules: Any,
    n: int,
    config: StepConfig,
    opponents: Opponents = "uniform",
    own: int = 0,
) -> SeatRows:
    """Return rows in which one seat is the caller's; for ``opponents`` see `make_opponents`."""
    players = game.num_players(rules)
    others = make_opponents(game, rules, opponents)
    cast = list({id(agent): agent for agent in others}.values())
    numbers = {id(agent): number for number, agent in enumerate(cast)}
    who = np.zeros((n, game.max_players), np.int64)
    for place, agent in enumerate(others):
        who[:, (own + 1 + place) % players] = numbers[id(agent)]
    return SeatRows(game, rules, n, config, cast, who, own)
