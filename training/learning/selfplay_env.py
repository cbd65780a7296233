"""Tables at which the learner plays several seats, or all: a step is one decision of one of them.

The players of the seats are drawn for each hand, a side at a time: partners are one player. One
seat of every table, its home seat, is always the learner's; results and rewards are those of it.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from parlour.envs import Game
from parlour.envs.core.baselines import UniformAgent, make_turn_table
from parlour.envs.core.batch import Autoreset, DealSource, Over, StepConfig
from parlour.envs.core.options import parse_bool
from parlour.envs.core.rows import Rows, copy_states, view_states, write_states
from parlour.envs.core.turn import Agent, random_floats
from parlour.envs.interfaces.arguments import REWARD_NAMES, check_choice
from parlour.envs.interfaces.seat import SeatRows

LEARNER = 0
"""The learner's number among the players; greater numbers are the others."""
RUNNING, TERMINATED = int(Over.RUNNING), int(Over.TERMINATED)
SALT = 0x504F4F4C
"""Separates the draws of the seating from those of agents."""


class SelfPlayEnv(SeatRows):
    """`SeatRows` in which the caller plays every seat of the learner; finished rows start again.

    Before a step, ``waiting``, bool (n,), marks the games in which the learner acts; the others are
    over, and their step starts new ones, whatever the action. After it, ``actors``, int64 (n,), are
    the seats that acted, and ``pays``, float64 (n, seats), the payoffs of the hands that ended.
    """

    def __init__(
        self,
        game: Game,
        rules: Any,
        n: int,
        config: StepConfig,
        others: Sequence[Agent],
        share: float,
    ) -> None:
        players = game.num_players(rules)
        seating = np.zeros((n, game.max_players), np.int64)
        super().__init__(
            game, rules, n, config, [UniformAgent(), *others], seating, np.arange(n) % players
        )
        self.share = share
        assert game.seats is not None
        self.sides = np.array(game.seats.sides(rules))
        self.turn_table = make_turn_table([_Asked(), *others], game)
        self.pays = np.zeros((n, players))
        self.actors = np.zeros(n, np.int64)

    @property
    def waiting(self) -> np.ndarray:
        """In which games the learner is to act, bool (n,)."""
        return np.asarray(self.states["over"] == RUNNING)

    def start(
        self,
        source: DealSource,
        which: np.ndarray | None = None,
        dealer: int | None = None,
        rules: np.ndarray | None = None,
    ) -> None:
        """See `Rows.start`; the others play up to the learner's first turn."""
        which = self.all_rows if which is None else which
        self.seating[which, : len(self.sides)] = self._draw_players(which)
        Rows.start(self, source, which, dealer, rules)
        self._play_others(which)

    def _draw_players(self, which: np.ndarray) -> np.ndarray:
        """Draw a player for each seat of some games, int64 (m, seats)."""
        words, home = self.states["rng"][which], self.sides[self.own_seat[which]]
        others = len(self.agents) - 1
        shares = [random_floats(words, SALT + side) for side in range(self.sides.max() + 1)]
        drawn = np.stack(shares, axis=1) - self.share  # below 0: the learner
        players = np.ceil(drawn / max(1 - self.share, 1e-9) * others).clip(LEARNER, others)
        players[np.arange(len(words)), home] = LEARNER
        return players.astype(np.int64)[:, self.sides]

    def step(self, actions: np.ndarray, which: np.ndarray | None = None) -> None:
        """Make one decision in every game, and the turns of the others up to the next one."""
        waiting = self.waiting
        self.actors = self.states["turn"].astype(np.int64)
        Rows.step(self, actions, waiting)
        np.copyto(self._played, np.where(waiting, self.buffers.played, -1))
        self._play_others(waiting)
        ended = self.states["over"] != RUNNING
        self.game.kernels.pay_finished(
            self.states, self.rules_record, self.config_record, ended, self.buffers
        )
        self.pays = np.where(ended[:, None], self.buffers.rewards[:, : self.pays.shape[1]], 0.0)
        self._rewards[:] = self.pays[np.arange(self.n), self.own_seat]
        if ended.any():
            self._start_again(ended)
        self.buffers.terminated[:] = ended

    def _start_again(self, ended: np.ndarray) -> None:
        """Keep the last states of the hands that ended, and start new ones."""
        self.states["over"][ended] = TERMINATED
        last = copy_states(self.states, ended)
        views = view_states(self.game, self.rules, last, self.own_seat[ended])
        write_states(self.buffers.final_states, ended, views)
        self.start(DealSource.DRAW, ended)

    def _play_others(self, which: np.ndarray, *_: int) -> int:
        """Let the others act until it is the learner's turn, or the end."""
        everywhere = np.arange(self.n)
        while True:
            self._play_baselines(which)
            acting = which & (self.states["over"] == RUNNING)
            acting &= self.seating[everywhere, self.states["turn"]] != LEARNER
            if not acting.any():
                return self.n
            self._ask(acting)
            Rows.step(self, self._actions, acting)

    def restore(self, states: np.ndarray) -> None:
        """See `Rows.restore`."""
        Rows.restore(self, states)

    def state_dict(self) -> dict[str, np.ndarray]:
        """See `Rows.state_dict`."""
        return super().state_dict() | {"seating": self.seating.copy()}

    def load_state_dict(self, saved: dict[str, np.ndarray]) -> None:
        """See `Rows.load_state_dict`."""
        super().load_state_dict(saved)
        self.seating[:] = saved["seating"]


class _Asked(UniformAgent):
    """Stands for the learner, so that compiled code does not play its turns."""

    def act(self, turn: Any) -> np.ndarray:
        """Refuse: the learner acts by the steps of the caller."""
        raise AssertionError("the learner is not asked")


def make_selfplay_env(
    others: Sequence[Agent],
    share: float,
    game: Game,
    n: int,
    variant: str | None,
    options: dict[str, Any],
    *,
    reward: str,
    skip_forced: bool,
    reset: Autoreset,
    **_: Any,
) -> SelfPlayEnv:
    """Return tables for training, with the keywords of `arguments.make_rows`.

    ``share`` is the probability that a seat beside the home seat is the learner's.
    """
    rules = game.make_rules(variant, options)
    kind = REWARD_NAMES.index(check_choice("reward", reward, REWARD_NAMES))
    config = StepConfig(kind, int(reset), skip_forced=int(parse_bool("skip_forced", skip_forced)))
    return SelfPlayEnv(game, rules, n, config, others, share)
