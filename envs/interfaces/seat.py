"""One seat at a table of several: the other seats are played by agents, inside each step."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..core.baselines import TurnTable, make_baseline, make_turn_table
from ..core.batch import Autoreset, DealSource, Over, StepConfig
from ..core.game import Game
from ..core.keys import draw_words, turn_seeds
from ..core.options import one_line
from ..core.read_states import read_table_states
from ..core.rows import Rows, are_finished, copy_states, view_states, write_states
from ..core.rules_table import make_table
from ..core.seat_kernels import add_own, hold_ends, sort_rows, tell_ends
from ..core.turn import Agent, FixedAgent, choose_actions, make_turn

RUNNING = int(Over.RUNNING)
"""NumPy takes 10 µs to compare with a member of an enumeration."""
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
            try:
                agent = make_baseline(agent, game, seed + place)
            except ValueError as error:
                raise ValueError(f"opponents: {error}") from None
        elif isinstance(agent, type) or not callable(getattr(agent, "act", None)):
            raise ValueError(
                "opponents must be names of agents, or objects with act(turn), got "
                f"{one_line(agent)}"
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
    result. ``config.max_steps`` limits the steps of the seat: the count begins with
    the hand, or with `restore`.
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
        inner = config._replace(reset=int(Autoreset.DISABLED), max_steps=0)
        super().__init__(
            game, rules, n, inner
        )  # without its step limit, which counts the steps of all seats
        self.reset, self.max_steps = config.reset, config.max_steps
        self.own_steps = np.zeros(n, np.int64)
        self.agents, self.seating = list(cast), who
        self.own_seat = np.broadcast_to(np.asarray(own, np.int64), n).copy()
        self._rewards, self._played = np.zeros(n), np.full(n, -1)
        self._actions = np.zeros(n, np.int64)
        self._running, self._untold, self._ended, self._told = np.zeros((4, n), np.bool_)
        self.turn_table: TurnTable | None = None
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
        self,
        source: DealSource,
        which: np.ndarray | None = None,
        dealer: int | None = None,
        rules: np.ndarray | None = None,
    ) -> None:
        """See `Rows.start`; the others play up to one's own first turn."""
        which = self.all_rows if which is None else which
        super().start(source, which, dealer, rules)
        self._play_others(which, *self._play_baselines(which))
        hold_ends(self.states, which, self.own_steps, self._rewards, self._played, self.buffers)

    def step(self, actions: np.ndarray, which: np.ndarray | None = None) -> None:
        """See `Rows.step`: one decision of one's own seat, and all turns up to its next."""
        which = self.all_rows if which is None else which
        running, untold, ended = self._running, self._untold, self._ended
        any_untold, any_ended = sort_rows(
            self.states, which, running, untold, ended, self.own_steps, self._rewards, self._played
        )
        ended_now = self._play_own(actions, running)
        if any_untold:
            self.states["over"][untold] = Over.TERMINATED
            self.game.kernels.pay_finished(
                self.states, self.rules_record, self.config_record, untold, self.buffers
            )
            self._add_rewards(untold)
            running |= untold
        if any_ended and self.reset == Autoreset.NEXT_STEP:
            self.start(DealSource.DRAW, ended)
        told = self._told
        if not (ended_now or any_untold or self.max_steps):
            return
        any_told = tell_ends(
            self.states, running, self.own_steps, self.max_steps, told, self.buffers
        )
        if self.reset == Autoreset.SAME_STEP and any_told:
            rewards, played = self._rewards[told], self._played[told]
            truncated = self.buffers.truncated[told]
            write_states(self.buffers.final_states, told, copy_states(self.states, told))
            self.start(DealSource.DRAW, told)
            self._rewards[told], self._played[told] = rewards, played
            self.buffers.terminated[told], self.buffers.truncated[told] = ~truncated, truncated

    def restore(self, states: np.ndarray) -> None:
        """See `Rows.restore`. Raises ValueError, too, where it is not one's own turn."""
        found = read_table_states(self.table, states, self.n)
        others = ~are_finished(found) & (found["turn"] != self.own_seat)
        if others.any():
            row = int(others.argmax())
            raise ValueError(
                f"row {row}: it is the turn of seat {found['turn'][row]}, "
                f"these rows are those of seat {self.own_seat[row]}"
            )
        self.take_over(self._view(found, self.own_seat))
        self.own_steps[:] = 0
        self._rewards[:] = 0

    def state_dict(self) -> dict[str, np.ndarray]:
        """See `Rows.state_dict`."""
        own = {"keys": self.keys.copy(), "own_steps": self.own_steps.copy()}
        return super().state_dict() | own

    def load_state_dict(self, saved: dict[str, np.ndarray]) -> None:
        """See `Rows.load_state_dict`."""
        super().load_state_dict(saved)
        self.keys[:] = saved["keys"]
        self.own_steps[:] = saved["own_steps"]

    def _add_rewards(self, which: np.ndarray) -> None:
        add_own(self.buffers, which, self.own_seat, self._rewards)

    def _play_own(self, actions: np.ndarray, which: np.ndarray) -> int:
        """Play one's own turn in these games, and then those of the others; how many are over?"""
        if self.turn_table is not None:
            return self._play_others(which, *self._play_baselines(which, actions))
        super().step(actions, which)
        np.copyto(self._played, self.buffers.played, where=which)
        self._add_rewards(which)
        return self._play_others(which, self.n, self.n)

    def _play_others(self, which: np.ndarray, waiting: int, ended: int) -> int:
        """Let the others act until it is one's own turn, or the end; how many games are over?

        ``waiting`` for an agent who is to be asked, or ``ended``, are at most so many games.
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
            own = copy_states(states, places)
            shown = view_states(self.game, self.table.rules[number], own, seats[places])
            write_states(seen, places, shown)
        return seen

    def _play_baselines(
        self, which: np.ndarray, actions: np.ndarray | None = None
    ) -> tuple[int, int]:
        """Play the turns for which nobody is asked, with ``actions`` one's own before them.

        Returns how many games wait for others, and how many are over; all where all are asked.
        """
        if (table := self.turn_table) is None:
            return self.n, self.n
        return self.game.play_turns(
            self.states,
            self.rules_record,
            self.config_record,
            which,
            actions is not None,
            self._actions if actions is None else actions,
            self.own_seat,
            self.seating,
            self.keys,
            *table,
            self._rewards,
            self._played,
            self.buffers,
        )

    def _ask(self, acting: np.ndarray) -> None:
        """Ask each agent once for all games by the same rules in ``acting`` that wait for it."""
        states, order = self.states, self.keys[:, 0].argsort()
        rows = order[acting[order]]
        numbers = self.buffers.rules[rows]
        players = self.seating[rows, states["turn"][rows]]
        for player, number in sorted(set(zip(players.tolist(), numbers.tolist(), strict=True))):
            asked = rows[(players == player) & (numbers == number)]
            agent, rules = self.agents[player], self.table.rules[number]
            asking = copy_states(states, asked)
            seeds = turn_seeds(self.keys[asked], asking)
            turn = make_turn(agent, self.game, rules, asking, seeds)
            self._actions[asked] = choose_actions(agent, turn)


def make_seat_rows(
    game: Game,
    rules: Any,
    n: int,
    config: StepConfig,
    opponents: Opponents = "greedy",
    own: int = 0,
) -> SeatRows:
    """Return rows in which one seat is the caller's; for ``opponents`` see `make_opponents`."""
    table = make_table(game, rules)
    players = table.players
    others = make_opponents(game, table.rules[0], opponents)
    cast = list({id(agent): agent for agent in others}.values())
    numbers = {id(agent): number for number, agent in enumerate(cast)}
    who = np.zeros((n, game.max_players), np.int64)
    for place, agent in enumerate(others):
        who[:, (own + 1 + place) % players] = numbers[id(agent)]
    rows = SeatRows(game, table, n, config, cast, who, own)
    rows.turn_table = make_turn_table(cast, game)
    return rows
