"""Tables at which the learner plays several seats, or all: a step is one decision of one of them.

Who sits where is drawn anew for each hand, a side at a time: partners are one player. One seat of
every table, its home seat, is always the learner's; results and rewards speak of that one.
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
"""The learner's number among the players; those after it are the others."""
RUNNING, TERMINATED = int(Over.RUNNING), int(Over.TERMINATED)
SALT = 0x504F4F4C
"""Keeps the draws of who sits where apart from those of agents."""


class TableRows(SeatRows):
    """`SeatRows` in which every seat of the learner is the caller's; finished rows begin anew.

    Before a step ``waiting``, bool (n,), says in which games the learner is to act; the others are
    over, and their step begins new ones whatever the action. After it ``actors``, int64 (n,), says
    who acted, and ``pays``, float64 (n, seats), what the hands that ended paid.
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
        """Return a player for each seat of some games, int64 (m, seats), by a word of each game."""
        words, home = self.states["rng"][which], self.sides[self.own_seat[which]]
        others = len(self.agents) - 1
        shares = [random_floats(words, SALT + side) for side in range(self.sides.max() + 1)]
        found = np.stack(shares, axis=1) - self.share  # below 0: the learner
        found = np.ceil(found / max(1 - self.share, 1e-9) * others).clip(LEARNER, others)
        found[np.arange(len(words)), home] = LEARNER
        return found.astype(np.int64)[:, self.sides]

    def step(self, actions: np.ndarray, which: np.ndarray | None = None) -> None:
        """Make one decision in every game, and the turns of the others up to the next one."""
        waiting = self.waiting
        self.actors = self.states["turn"].astype(np.int64)
        Rows.step(self, actions, waiting)
        np.copyto(self._played, np.where(waiting, self.buffers.played, -1))
        self._play_others(waiting)
        told = self.states["over"] != RUNNING
        self.game.kernels.pay_finished(
            self.states, self.rules_record, self.config_record, told, self.buffers
        )
        self.pays = np.where(told[:, None], self.buffers.rewards[:, : self.pays.shape[1]], 0.0)
        self._rewards[:] = self.pays[np.arange(self.n), self.own_seat]
        if told.any():
            self._begin_anew(told)
        self.buffers.terminated[:] = told

    def _begin_anew(self, told: np.ndarray) -> None:
        self.states["over"][told] = TERMINATED
        ended = copy_states(self.states, told)
        seen = view_states(self.game, self.rules, ended, self.own_seat[told])
        write_states(self.buffers.final_states, told, seen)
        self.start(DealSource.DRAW, told)

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
        return super().state_dict() | {"who": self.seating.copy()}

    def load_state_dict(self, saved: dict[str, np.ndarray]) -> None:
        """See `Rows.load_state_dict`."""
        super().load_state_dict(saved)
        self.seating[:] = saved["who"]


class _Asked(UniformAgent):
    """Stands for the learner: it is no player whose turns compiled code may play."""

    def act(self, turn: Any) -> np.ndarray:
        """Refuse: the learner acts by the steps of the caller."""
        raise AssertionError("the learner is not asked")


def make_table_rows(
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
) -> TableRows:
    """Return rows for training: what `keywords.make_rows` does, at tables of the learner.

    ``share`` is how often a seat beside the home seat is the learner's.
    """
    rules = game.make_rules(variant, options)
    kind = REWARD_NAMES.index(check_choice("reward", reward, REWARD_NAMES))
    config = StepConfig(kind, int(reset), skip_forced=int(parse_bool("skip_forced", skip_forced)))
    return TableRows(game, rules, n, config, others, share)
