"""Rows of one seat in a multiplayer game; agents play the other seats inside each step."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..core.baselines import make_baseline, make_turn_table
from ..core.batch import Autoreset, DealSource, Over, StepConfig
from ..core.checks import read_table_states
from ..core.game import Game
from ..core.kernel.rng import draw_words, turn_seeds
from ..core.options import shorten
from ..core.rows import Rows, are_finished, copy_states, view_states, write_states
from ..core.rules_table import make_table
from ..core.seat_kernels import (
    SeatArrays,
    TurnTable,
    add_rewards,
    classify_rows,
    defer_terminal,
    report_terminal,
)
from ..core.turn import Agent, FixedAgent, choose_actions, make_turn

SPLIT_TURNS = True, False, False, True, False, True, (False, False, False, True), True, True
"""Which arguments of `seat_kernels.make_play_turns` have an entry per row; see `ThreadPool.run`."""
RUNNING = int(Over.RUNNING)
"""A plain int, because NumPy takes 10 µs to compare with an enumeration member."""
Opponents = str | Agent | Sequence[str | Agent]


def make_opponents(game: Game, rules: Any, opponents: Opponents) -> list[Agent]:
    """Return the agents in the other seats, clockwise from the seat after the caller's.

    Args:
        game: The game.
        rules: Its rules.
        opponents: One agent for all seats, or one for each. An agent is an `Agent` or a name that
            `baselines.make_baseline` knows; agents given by name get the seeds 0, 1, and so on.

    Raises:
        ValueError: The number of agents is wrong, a name is unknown, or an object is not an agent.
    """
    others = game.num_players(rules) - 1
    agents = list(opponents) if isinstance(opponents, list | tuple) else [opponents]
    if len(agents) not in (1, others):
        allowed = "1 agent" if others == 1 else f"1 agent or {others} agents"
        raise ValueError(f"opponents must be {allowed}, got {len(agents)}")
    fixed: list[Agent] = []
    for seed, agent in enumerate(agents):
        if isinstance(agent, str):
            try:
                agent = make_baseline(agent, game, seed)
            except ValueError as error:
                raise ValueError(f"opponents: {error}") from None
        elif isinstance(agent, type) or not callable(getattr(agent, "act", None)):
            raise ValueError(
                f"opponents must be names of agents or objects with act(turn), got {shorten(agent)}"
            )
        fixed.append(FixedAgent(agent))
    return fixed * others if len(fixed) == 1 else fixed


class SeatRows(Rows):
    """Batch of ``n`` multiplayer games in which the caller plays one seat; see `Rows`.

    A step is one decision of the caller's seat, followed by all turns of the other seats until the
    next decision of the caller's seat or the end. ``rewards`` is the sum of the rewards of the
    caller's seat in these turns.

    The random choices of the agents derive from the deal and the turn (`Turn.seeds`), so a game is
    the same in every batch, and a restored game repeats the same choices. The seeds are computed
    from ``keys``, uint64 (n, 2), which `reseed` draws. No agent can see the keys, but the seed of
    the environment determines them, as it determines the deals. Each agent is called once for all
    games that wait for it, in an order that does not reveal the rows.

    If a hand ends before the first turn of the caller's seat, the next step reports the result and
    ignores the action. ``config.max_steps`` limits the steps of the caller's seat since the start
    of the hand or the last `restore`.

    Args:
        game: The game.
        rules: Its rules, or a table of several rules.
        n: Number of rows.
        config: Reward, limits and other settings of the rows.
        agents: The agents in the other seats.
        seating: Index in ``agents`` of each seat, int64 (n, seats).
        own_seat: The caller's seat, an int or int64 (n,).
        num_threads: See `Rows`. Only one thread calls agents that are not baselines.
    """

    def __init__(
        self,
        game: Game,
        rules: Any,
        n: int,
        config: StepConfig,
        agents: Sequence[Agent],
        seating: np.ndarray,
        own_seat: np.ndarray | int = 0,
        num_threads: int = 1,
    ) -> None:
        # The limit applies to the steps of the caller's seat; `Rows` would count those of all
        # seats.
        inner = config._replace(reset=int(Autoreset.DISABLED), max_steps=0)
        super().__init__(game, rules, n, inner, num_threads)
        self.reset, self.max_steps = config.reset, config.max_steps
        self.own_steps = np.zeros(n, np.int64)
        self.agents, self.seating = list(agents), seating
        self.own_seat = np.broadcast_to(np.asarray(own_seat, np.int64), n).copy()
        self._rewards, self._played = np.zeros(n), np.full(n, -1)
        self._actions = np.zeros(n, np.int64)
        self._running, self._deferred, self._ended, self._over = np.zeros((4, n), np.bool_)
        self.turn_table: TurnTable | None = None
        rng = np.random.default_rng()  # Fresh entropy; `reseed` replaces these keys.
        self.keys = np.stack([draw_words(rng) for _ in range(n)])
        self.seat_arrays = SeatArrays(
            self.own_seat, self.seating, self.keys, self._rewards, self._played
        )

    @property
    def rewards(self) -> np.ndarray:
        """Rewards of the caller's seat in the last step, float64 (n,)."""
        return self._rewards

    @property
    def played(self) -> np.ndarray:
        """The last action of the caller's seat; see `Rows.played`."""
        return self._played

    @property
    def seats(self) -> np.ndarray:
        """The caller's seat in each game, int64 (n,)."""
        return self.own_seat

    def reseed(self, row: int, rng: np.random.Generator) -> None:
        """Seed a row as `Rows.reseed` does, and draw the key of the agents' random choices."""
        super().reseed(row, rng)
        self.keys[row] = draw_words(rng)

    def start(
        self,
        source: DealSource,
        which: np.ndarray | None = None,
        dealer: int | None = None,
        rules: np.ndarray | None = None,
    ) -> None:
        """Begin games as `Rows.start` does, and play the other seats until the caller's turn."""
        which = self.all_rows if which is None else which
        super().start(source, which, dealer, rules)
        self._play_others(which, *self._play_baselines(which))
        defer_terminal(
            self.states, which, self.own_steps, self._rewards, self._played, self.buffers
        )

    def step(self, actions: np.ndarray, which: np.ndarray | None = None) -> None:
        """Play one decision of the caller's seat, and all turns until its next decision."""
        which = self.all_rows if which is None else which
        running, deferred, ended = self._running, self._deferred, self._ended
        any_deferred, any_ended = classify_rows(
            self.states,
            which,
            running,
            deferred,
            ended,
            self.own_steps,
            self._rewards,
            self._played,
        )
        num_over = self._play_own(actions, running)
        if any_deferred:
            self.states["over"][deferred] = Over.TERMINATED
            self.game.kernels.pay_finished(
                self.states, self.rules_record, self.config_record, deferred, self.buffers
            )
            self._add_rewards(deferred)
            running |= deferred
        if any_ended and self.reset == Autoreset.NEXT_STEP:
            self.start(DealSource.DRAW, ended)
        if not (num_over or any_deferred or self.max_steps):
            return
        over = self._over
        any_over = report_terminal(
            self.states, running, self.own_steps, self.max_steps, over, self.buffers
        )
        if self.reset == Autoreset.SAME_STEP and any_over:
            rewards, played = self._rewards[over], self._played[over]
            truncated = self.buffers.truncated[over]
            write_states(self.buffers.final_states, over, copy_states(self.states, over))
            self.start(DealSource.DRAW, over)
            self._rewards[over], self._played[over] = rewards, played
            self.buffers.terminated[over], self.buffers.truncated[over] = ~truncated, truncated

    def restore(self, states: np.ndarray) -> None:
        """Restore states as `Rows.restore` does.

        Raises:
            ValueError: A state is not valid, or it is the turn of another seat.
        """
        checked = read_table_states(self.table, states, self.n)
        others = ~are_finished(checked) & (checked["turn"] != self.own_seat)
        if others.any():
            row = int(others.argmax())
            raise ValueError(
                f"state of {self.game.title}, row {row}: turn must be {self.own_seat[row]}, the "
                f"seat of this row, got {checked['turn'][row]}"
            )
        self.take_over(self._view(checked, self.own_seat))
        self.own_steps[:] = 0
        self._rewards[:] = 0

    def state_dict(self) -> dict[str, np.ndarray]:
        """Return copies of everything that the next games depend on; see `Rows.state_dict`."""
        extra = {"keys": self.keys.copy(), "own_steps": self.own_steps.copy()}
        return super().state_dict() | extra

    def load_state_dict(self, saved: dict[str, np.ndarray]) -> None:
        """Restore what `state_dict` returned; see `Rows.load_state_dict`."""
        super().load_state_dict(saved)
        self.keys[:] = saved["keys"]
        self.own_steps[:] = saved["own_steps"]

    def _add_rewards(self, which: np.ndarray) -> None:
        add_rewards(self.buffers, which, self.own_seat, self._rewards)

    def _play_own(self, actions: np.ndarray, which: np.ndarray) -> int:
        """Play the caller's turns, then the others'; return the number of finished games."""
        if self.turn_table is not None:
            return self._play_others(which, *self._play_baselines(which, actions))
        super().step(actions, which)
        np.copyto(self._played, self.buffers.played, where=which)
        self._add_rewards(which)
        return self._play_others(which, self.n, self.n)

    def _play_others(self, which: np.ndarray, waiting: int, ended: int) -> int:
        """Play the other seats until the caller's turn; return the number of finished games.

        ``waiting`` and ``ended`` are upper bounds of the numbers of games that wait for an agent
        and of finished games.
        """
        while waiting:
            acting = which & (self.states["over"] == RUNNING)
            acting &= self.states["turn"] != self.own_seat
            if not acting.any():
                break
            self._ask(acting)
            super().step(self._actions, acting)
            self._add_rewards(acting)
            waiting, ended = self._play_baselines(which)
        if ended:
            over = which & (self.states["over"] != RUNNING)
            seen = self._view(copy_states(self.states, over), self.own_seat[over])
            write_states(self.states, over, seen)
        return ended

    def _view(self, states: np.ndarray, seats: np.ndarray) -> np.ndarray:
        """Return copies of states as ``seats`` (n,) see them, each by its own rules."""
        if not self.table.has_several:
            return view_states(self.game, self.table.only, states, seats)
        seen = copy_states(states)
        for number, places in self.table.split(states):
            part = copy_states(states, places)
            view = view_states(self.game, self.table.rules[number], part, seats[places])
            write_states(seen, places, view)
        return seen

    def _play_baselines(
        self, which: np.ndarray, actions: np.ndarray | None = None
    ) -> tuple[int, int]:
        """Play the turns of baselines, after the caller's ``actions`` if they are given.

        Returns:
            The number of games that wait for other agents, and the number of finished games. Both
            are n if no agent is a baseline.
        """
        if (table := self.turn_table) is None:
            return self.n, self.n
        arguments = (
            self.states,
            self.rules_record,
            self.config_record,
            which,
            actions is not None,
            self._actions if actions is None else actions,
            table,
            self.seat_arrays,
            self.buffers,
        )
        sums: tuple[int, int] = self.call(self.game.play_turns, arguments, SPLIT_TURNS, True)
        return sums

    def _ask(self, acting: np.ndarray) -> None:
        """Call each agent once for all games with the same rules in ``acting`` that wait for it."""
        states, order = self.states, self.keys[:, 0].argsort()
        rows = order[acting[order]]
        numbers = self.buffers.rules[rows]
        indices = self.seating[rows, states["turn"][rows]]
        for index, number in sorted(set(zip(indices.tolist(), numbers.tolist(), strict=True))):
            asked = rows[(indices == index) & (numbers == number)]
            agent, rules = self.agents[index], self.table.rules[number]
            copies = copy_states(states, asked)
            turn = make_turn(agent, self.game, rules, copies, turn_seeds(self.keys[asked], copies))
            self._actions[asked] = choose_actions(agent, turn)


def make_seat_rows(
    game: Game,
    rules: Any,
    n: int,
    config: StepConfig,
    opponents: Opponents = "greedy",
    own_seat: int = 0,
    num_threads: int = 1,
) -> SeatRows:
    """Return `SeatRows` for the caller's seat; see `make_opponents` for ``opponents``."""
    table = make_table(game, rules)
    players = table.players
    others = make_opponents(game, table.rules[0], opponents)
    agents = list({id(agent): agent for agent in others}.values())
    indices = {id(agent): index for index, agent in enumerate(agents)}
    seating = np.zeros((n, game.max_players), np.int64)
    for place, agent in enumerate(others):
        seating[:, (own_seat + 1 + place) % players] = indices[id(agent)]
    rows = SeatRows(game, table, n, config, agents, seating, own_seat, num_threads)
    rows.turn_table = make_turn_table(agents, game, 1 if rows.pool is None else n)
    return rows
