"""The training environments.

`make_env` returns a `CardVecEnv`. Three variants extend it:

- **Wider observations** (`WiderVecEnv`). A critic that sees the hidden cards separates luck from
  skill better (Pinto and others, "Asymmetric actor critic for image-based robot learning", 2018; in
  card games Suphx and PerfectDou). The critic is a second network, which reads the player's
  observation with one more piece at its end. The policy reads only the player's observation, and
  the saved agent does not include the critic. A network that improves on a rule-based agent
  (`parlour.agents.networks.options`) reads that agent's action, in training and in play.
- **Games that end when they are lost** (`EndLostVecEnv`). The solver knows all cards and tells
  when the game can no longer be won.
- **Self-play** (`SelfPlayEnv`). The learner plays several or all seats of a table, and a step is
  one decision of one of these seats. The agents in the other seats are drawn for each hand, one
  agent per side, so partners are the same agent. One seat of every table, its home seat, always
  belongs to the learner. Results and rewards are those of the home seat.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from parlour.agents.networks.build import network_class
from parlour.agents.networks.options import base_piece, mark_base_actions, show_more
from parlour.envs import Game, find_game
from parlour.envs.core.baselines import UniformAgent, make_turn_table
from parlour.envs.core.batch import Autoreset, DealSource, Over, StepConfig
from parlour.envs.core.options import parse_bool
from parlour.envs.core.rows import Rows, copy_states, view_states, write_states
from parlour.envs.core.rules_table import RulesTable
from parlour.envs.core.schema import Features, Piece, whole_number
from parlour.envs.core.turn import Agent, random_floats
from parlour.envs.interfaces.arguments import (
    REWARD_NAMES,
    ChosenDeal,
    check_choice,
    make_rows,
    observation_space,
)
from parlour.envs.interfaces.sb3 import EPISODE_RECORD, CardVecEnv
from parlour.envs.interfaces.seat import SeatRows

from .settings.base import LearnerSettings

SOLVER_LIMIT = 2000
"""Search limit of the solver for one state, in positions. At the limit, it gives no answer."""
MOST_DRAWS = 10_000
"""Number of deals in a row without a winnable one after which a run ends."""
LEARNER = 0
"""The learner's number among the agents; opponents have greater numbers."""
RUNNING, TERMINATED = int(Over.RUNNING), int(Over.TERMINATED)
SALT = 0x504F4F4C
"""Separates the random draws of the seating from those of agents."""


def make_env(
    settings: LearnerSettings, make: Callable[..., Rows] = make_rows, rows: int | None = None
) -> CardVecEnv:
    """Return the environments of a run.

    Args:
        settings: the settings of the run.
        make: creates the rows, as `make_rows` does.
        rows: number of environments (None: ``n_envs``).
    """
    keywords = settings.env_keywords()
    env_class = WiderVecEnv if keywords.keys() & {"critic", "base"} else CardVecEnv
    if keywords.pop("end_lost", False):
        env_class = EndLostVecEnv
    return env_class(
        find_game(settings.game),
        settings.n_envs if rows is None else rows,
        encoding=network_class(settings.network).encoding,
        reward=settings.reward,
        skip_forced=settings.skip_forced,
        num_threads=settings.threads,
        make=make,
        **keywords,
    )


class ExtraPiece(NamedTuple):
    """An additional piece at the end of the player's observation."""

    piece: Piece
    read: Callable[[np.ndarray, RulesTable], np.ndarray]
    """Function from states and rules to codes, int8 (n, ``piece.size``)."""


def make_cards_piece(game: Game) -> ExtraPiece:
    """Return a piece with the hidden cards."""
    assert game.hidden_cards is not None
    piece, read = game.hidden_cards
    return ExtraPiece(piece, lambda states, table: read(states))


def make_winnable_piece(game: Game) -> ExtraPiece:
    """Return a piece that tells whether the game can still be won with all cards known."""

    def read(states: np.ndarray, table: RulesTable) -> np.ndarray:
        assert game.winnable_after is not None
        best = game.winnable_after(states, table.only, SOLVER_LIMIT).max(axis=1, keepdims=True)
        return np.select([best == 1, best == 0], [2, 1], 0).astype(np.int8)

    doc = "whether the game can still be won with all cards known: 1 no, 2 yes, 0 unknown"
    return ExtraPiece(Piece("winnable", 1, whole_number(2), doc), read)


def make_base_piece(game: Game, base: str) -> ExtraPiece:
    """Return a piece with the action of a rule-based agent."""

    def read(states: np.ndarray, table: RulesTable) -> np.ndarray:
        marks = np.zeros((len(states), game.actions), np.int8)
        for number, rows in table.split(states):
            rules, states_of_rules = table.rules[number], copy_states(states, rows)
            marks[rows] = mark_base_actions(game, rules, states_of_rules, base)
        return marks

    return ExtraPiece(base_piece(game.actions, base), read)


CRITICS: dict[str, Callable[[Game], ExtraPiece]] = {
    "cards": make_cards_piece,
    "solver": make_winnable_piece,
}
"""The piece that each value of the setting ``critic`` adds; ``own`` adds none."""


class WiderVecEnv(CardVecEnv):
    """`CardVecEnv` with additional pieces at the end of its observations.

    Args:
        base: a rule-based agent whose action becomes a piece.
        critic: a key of `CRITICS`, whose piece follows that of ``base``.

    ``wide_game`` is the game with these pieces.
    """

    def __init__(
        self,
        game: Game,
        num_envs: int,
        variant: str | None = None,
        *,
        critic: str = "own",
        base: str | None = None,
        **rest: Any,
    ):
        self.extra = [] if base is None else [make_base_piece(game, base)]
        self.extra += [] if critic == "own" else [CRITICS[critic](game)]
        self.wide_game = game
        for extra in self.extra:
            self.wide_game = show_more(self.wide_game, extra.piece)
        super().__init__(game, num_envs, variant, **rest)
        self.observation_space = observation_space(self.wide_game, self.encoding)

    @property
    def features(self) -> Features:
        """See `CardVecEnv.features`."""
        return self.wide_game.features

    def _see(self, states: np.ndarray, codes: np.ndarray) -> np.ndarray:
        pieces = [extra.read(states, self.table) for extra in self.extra]
        return np.concatenate([codes, *pieces], axis=1)


class EndLostVecEnv(WiderVecEnv):
    """`WiderVecEnv` in which a game ends when the solver proves that it cannot be won any more.

    The solver knows all cards. Such a game ends with reward 0, and its info is empty; it is not in
    `ended` and `results`. Deals that cannot be won from the start are left out. A game that the
    solver cannot decide within `SOLVER_LIMIT` continues.
    """

    def begin(self, chosen: ChosenDeal | None = None) -> np.ndarray:
        """See `CardVecEnv.begin`. Deals that cannot be won are replaced, also chosen ones."""
        super().begin(chosen)
        self._replace(self._find_lost())
        return self.observations()

    def step_wait(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, list[dict[str, Any]]]:
        """See `CardVecEnv.step_wait`."""
        observations, rewards, done, infos = super().step_wait()
        lost = self._find_lost()
        if not lost.any():
            return observations, rewards, done, infos
        self._record(lost & ~done)
        truncated = self.rows.buffers.truncated.copy()
        self._replace(lost)
        self.rows.buffers.truncated[:] = truncated  # still describes this step
        return self.observations(), rewards, done | lost, infos

    def _find_lost(self, which: np.ndarray | None = None) -> np.ndarray:
        """Return which games, among some rows or all, cannot be won, bool (num_envs,)."""
        assert self.game.winnable_after is not None
        which = np.ones(self.num_envs, np.bool_) if which is None else which
        states = copy_states(self.rows.states, which)
        lost = np.zeros(self.num_envs, np.bool_)
        lost[which] = self.game.winnable_after(states, self.rules, SOLVER_LIMIT).max(axis=1) == 0
        return lost

    def _record(self, which: np.ndarray) -> None:
        """Add the games in some rows to the finished games, as lost."""
        states = copy_states(self.rows.states, which)
        games = np.zeros(len(states), EPISODE_RECORD)
        for name in ("score", "moves", "steps"):
            games[name] = states[name]
        games["return"] = self.returns[which]
        self.ended_games.add(games)

    def _replace(self, which: np.ndarray) -> None:
        """Begin new games in some rows, until all of them can be won."""
        for _ in range(MOST_DRAWS):
            if not which.any():
                return
            self.leave(which)
            which = self._find_lost(which)
        raise ValueError(
            f"end_lost must be no: {MOST_DRAWS:,} deals in a row cannot be won under these rules"
        )


class SelfPlayEnv(SeatRows):
    """`SeatRows` in which the caller plays every seat of the learner; finished rows restart.

    Before a step, ``waiting``, bool (n,), marks the games in which the learner acts. The other
    games are over; a step starts new ones, whatever the action. After a step, ``actors``, int64
    (n,), are the seats that acted, and ``pays``, float64 (n, seats), are the payoffs of the hands
    that ended.
    """

    def __init__(
        self,
        game: Game,
        rules: Any,
        n: int,
        config: StepConfig,
        others: Sequence[Agent],
        share: float,
        num_threads: int = 1,
    ) -> None:
        players = game.num_players(rules)
        seating = np.zeros((n, game.max_players), np.int64)
        agents, home = [UniformAgent(), *others], np.arange(n) % players
        super().__init__(game, rules, n, config, agents, seating, home, num_threads)
        self.share = share
        assert game.seats is not None
        self.sides = np.array(game.seats.sides(rules))
        self.turn_table = make_turn_table([_Learner(), *others], game)
        self.pays = np.zeros((n, players))
        self.actors = np.zeros(n, np.int64)

    @property
    def waiting(self) -> np.ndarray:
        """The games in which it is the learner's turn, bool (n,)."""
        return np.asarray(self.states["over"] == RUNNING)

    def start(
        self,
        source: DealSource,
        which: np.ndarray | None = None,
        dealer: int | None = None,
        rules: np.ndarray | None = None,
    ) -> None:
        """See `Rows.start`; the opponents play up to the learner's first turn."""
        which = self.all_rows if which is None else which
        self.seating[which, : len(self.sides)] = self._draw_players(which)
        Rows.start(self, source, which, dealer, rules)
        self._play_others(which)

    def _draw_players(self, which: np.ndarray) -> np.ndarray:
        """Draw an agent for each seat of some games, int64 (m, seats)."""
        words, home = self.states["rng"][which], self.sides[self.own_seat[which]]
        others = len(self.agents) - 1
        shares = [random_floats(words, SALT + side) for side in range(self.sides.max() + 1)]
        drawn = np.stack(shares, axis=1) - self.share  # below 0: the learner
        players = np.ceil(drawn / max(1 - self.share, 1e-9) * others).clip(LEARNER, others)
        players[np.arange(len(words)), home] = LEARNER
        return players.astype(np.int64)[:, self.sides]

    def step(self, actions: np.ndarray, which: np.ndarray | None = None) -> None:
        """Make one decision in every game, and play the opponents' turns up to the next one."""
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
        """Save the last states of the hands that ended, and start new hands."""
        self.states["over"][ended] = TERMINATED
        last = copy_states(self.states, ended)
        views = view_states(self.game, self.rules, last, self.own_seat[ended])
        write_states(self.buffers.final_states, ended, views)
        self.start(DealSource.DRAW, ended)

    def _play_others(self, which: np.ndarray, *_: int) -> int:
        """Let the opponents act until it is the learner's turn or the hand is over."""
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


class _Learner(UniformAgent):
    """Placeholder that keeps compiled code from playing the turns of the learner."""

    def act(self, turn: Any) -> np.ndarray:
        """Raise AssertionError, because the caller's steps are the learner's actions."""
        raise AssertionError("the learner's actions come from the caller of step")


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
    num_threads: int,
    table: type[SelfPlayEnv] = SelfPlayEnv,
    **_: Any,
) -> SelfPlayEnv:
    """Return tables for training, with the keywords of `arguments.make_rows`.

    ``share`` is the probability that the learner also plays a seat other than its home seat.
    ``table`` is the class of the tables.
    """
    rules = game.make_rules(variant, options)
    kind = REWARD_NAMES.index(check_choice("reward", reward, REWARD_NAMES))
    config = StepConfig(kind, int(reset), skip_forced=int(parse_bool("skip_forced", skip_forced)))
    return table(game, rules, n, config, others, share, num_threads)
