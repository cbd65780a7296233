"""The vector environment for Stable-Baselines3.

One kernel call steps all rows. Python code runs for a row only when its game ends. This module
needs Stable-Baselines3; no other module of `parlour.envs` imports it.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import gymnasium as gym
import numpy as np

from parlour.extras import name_extra

from ..core.batch import MAX_MOVES, Autoreset, DealSource
from ..core.game import Game, find_game
from ..core.options import check_range, unknown_text
from ..core.rows import Rows, copy_states, mask_states, observation_codes
from ..core.rules_table import RulesTable, Variants
from ..core.schema import Features
from .arguments import (
    BROKEN,
    MOST_ROWS,
    MOST_THREADS,
    ChosenDeal,
    check_actions,
    check_options,
    make_rows,
    observation_space,
    read_options,
    read_reset_options,
    refuse_illegal,
    seed_number,
    start_rows,
)
from .seat import Opponents

with name_extra(__name__):
    from stable_baselines3.common.monitor import Monitor
    from stable_baselines3.common.vec_env import VecEnv

__all__ = ["CardVecEnv"]

ROW_OPTIONS = ("deal", "rules")
"""Reset options that may differ between the rows."""
RECENT = 2000
"""Number of finished games in the running averages."""
EPISODE_RECORD = np.dtype(
    [
        ("won", np.int8),
        ("score", np.int32),
        ("moves", np.int32),
        ("steps", np.int32),
        ("return", float),
    ]
)


class RecentGames:
    """Ring buffer of the last `RECENT` finished games, as records of `EPISODE_RECORD`."""

    def __init__(self) -> None:
        self.ring = np.zeros(RECENT, EPISODE_RECORD)
        self.finished = 0

    def clear(self) -> None:
        """Remove all games."""
        self.finished = 0

    def add(self, games: np.ndarray) -> None:
        """Add finished games, records (n,), the oldest first."""
        places = (self.finished + np.arange(len(games))) % RECENT
        self.ring[places] = games
        self.finished += len(games)

    @property
    def games(self) -> np.ndarray:
        """The games, records (n,), in no particular order. The array is a view."""
        return self.ring[: self.finished]


class CardVecEnv(VecEnv):
    """Stable-Baselines3 ``VecEnv`` that steps ``num_envs`` games in one kernel call.

    Row i plays the same games as a `parlour.envs.CardEnv` that is seeded with seed + i. Rows are
    reset in the step in which their episode ends.

    Masks:
        ``env_method("action_masks")``, which sb3-contrib calls, and `masks` return the legal
        actions.

    Infos:
        The info of a row is empty until its episode ends, except for ``played_action`` with
        ``illegal="random"``. At the end of an episode it has the results of the game and these
        keys:

        - ``terminal_observation``: the last observation.
        - ``terminal_action_mask``: bool (actions,), the legal actions of a truncated game, all ones
          for a terminated game.
        - ``TimeLimit.truncated``: whether the episode was truncated.
        - ``episode``: return ``r``, length ``l`` and time ``t``, as in ``Monitor``.
        - ``rules_index`` (only with ``variants``): the index of the rules in ``table.rules``.

    Arguments:
        game: The game, or its name.
        num_envs: Number of games.
        variant: See `parlour.envs.CardEnv`, which also describes the arguments that are not listed
            here.
        variants: See `parlour.envs.CardVectorEnv`.
        num_threads: See `parlour.envs.CardVectorEnv`. The threads end when the environment is
            deleted.
        make: Function that makes the `parlour.envs.core.Rows` (default: `make_rows`).
        **options: Options of the game that differ from the variant.

    Raises:
        ValueError: An argument has an invalid value.
        KeywordError: A keyword is neither an argument nor an option of the game.
    """

    def __init__(
        self,
        game: Game | str,
        num_envs: int,
        variant: str | None = None,
        *,
        variants: Variants | None = None,
        encoding: str = "onehot",
        reward: str = "progress",
        illegal: str = "end",
        max_moves: int | None = MAX_MOVES,
        max_episode_steps: int | None = None,
        skip_forced: bool = False,
        opponents: Opponents | None = None,
        seat: int = 0,
        num_threads: int = 1,
        make: Callable[..., Rows] = make_rows,
        **options: Any,
    ) -> None:
        num_envs = check_range("num_envs", num_envs, 1, MOST_ROWS)
        num_threads = check_range("num_threads", num_threads, 1, MOST_THREADS)
        game = find_game(game) if isinstance(game, str) else game
        check_options(game, options, CardVecEnv)
        self.game, self.encoding, self.illegal = game, encoding, illegal
        table = {"seat": seat} if opponents is None else {"seat": seat, "opponents": opponents}
        self.rows: Rows = make(
            game,
            num_envs,
            variant,
            options,
            **({} if variants is None else {"variants": variants}),
            reward=reward,
            max_moves=max_moves,
            max_episode_steps=max_episode_steps,
            skip_forced=skip_forced,
            illegal=illegal,
            **table,
            reset=Autoreset.SAME_STEP,
            num_threads=num_threads,
        )
        self.returns = np.zeros(num_envs)
        self.ended_games = RecentGames()
        self.ended = np.zeros(0, np.int64)
        self._actions = np.zeros(num_envs, np.int64)
        self._broken = False
        self._begun = time.time()
        space, actions = observation_space(game, encoding), gym.spaces.Discrete(game.actions)
        super().__init__(num_envs, space, actions)
        self.seed()

    @property
    def rules(self) -> Any:
        """The rules of all rows, a NamedTuple; ValueError with ``variants`` (see `table`)."""
        return self.rows.rules

    @property
    def table(self) -> RulesTable:
        """The `RulesTable` with the distinct rules of the rows."""
        return self.rows.table

    def seed(self, seed: int | None = None) -> Sequence[int | None]:
        """Seed row i with seed + i at the next reset.

        Args:
            seed: Seed of row 0, an integer >= 0 (None: continue with the current generators).

        Returns:
            The seeds of all rows.

        Raises:
            ValueError: The seed is invalid.
        """
        seeds: Sequence[int | None] = super().seed(seed_number(seed))
        return seeds

    def set_options(self, options: list[dict[str, Any]] | dict[str, Any] | None = None) -> None:
        """Set the options of the next reset; see `parlour.envs.CardVectorEnv.reset`.

        Args:
            options: One dictionary for all rows, or a list with one dictionary per row. The
                dictionaries may differ only in ``"deal"`` and ``"rules"``.

        Raises:
            ValueError: An option is invalid. In this case, the options stay the same.
        """
        given = options if isinstance(options, list) else [options] * self.num_envs
        if len(given) != self.num_envs:
            raise ValueError(
                f"options must have {self.num_envs} entries, one per row, got {len(given)}"
            )
        self._read_options(given)
        super().set_options([dict(one or {}) for one in given])

    def _read_options(self, given: Sequence[Mapping[str, Any] | None]) -> ChosenDeal | None:
        """Return the deals that the options, one per row, choose; None if they choose none."""
        rows = [read_options(one) for one in given]
        first = rows[0]
        masked = dict.fromkeys(ROW_OPTIONS, 0)
        if any({**row, **masked} != {**first, **masked} for row in rows):
            raise ValueError(
                "reset options must be equal in all rows, except for 'deal' and 'rules'"
            )
        for name in ROW_OPTIONS:
            values = [row.get(name) for row in rows]
            if any(value is not values[0] for value in values):
                first = first | {name: values}
        return read_reset_options(self.game, self.table, first, self.num_envs)

    def reset(self) -> np.ndarray:
        """Begin a new game in each row and return the observations.

        The seeds of `seed` and the options of `set_options` apply to this reset only.
        """
        chosen = self._read_options(self._options)
        for i, seed in enumerate(self._seeds):
            if seed is not None:
                rng, _ = gym.utils.seeding.np_random(seed)
                self.rows.reseed(i, rng)
        self._reset_seeds()
        self._reset_options()
        return self.begin(chosen)

    def set_rules(self, rules: Any) -> None:
        """Replace the rules of all rows. Begin new games in all rows afterwards."""
        self.rows.set_rules(rules)

    def begin(self, chosen: ChosenDeal | None = None) -> np.ndarray:
        """Begin a new game in each row without seeding, and clear the `recent` games.

        Args:
            chosen: The deals to play (None: random deals).

        Returns:
            The observations.
        """
        self._broken = True
        start_rows(self.rows, chosen)
        self._broken = False
        self.returns[:] = 0
        self.ended_games.clear()
        return self.observations()

    def observations(self) -> np.ndarray:
        """Return the current observations in a new array."""
        return self._observe(self.rows.states, self.rows.codes)

    @property
    def features(self) -> Features:
        """The pieces of the observations."""
        return self.game.features

    def codes(self) -> np.ndarray:
        """Return the current observations as ``codes``, int8 (num_envs, width), in a new array."""
        return self._see(self.rows.states, self.rows.codes).copy()

    def _see(self, states: np.ndarray, codes: np.ndarray) -> np.ndarray:
        """Return the codes of states; a subclass may append pieces of the observation."""
        return codes

    def _observe(self, states: np.ndarray, codes: np.ndarray) -> np.ndarray:
        """Return the observations of states, given their codes, in a new array."""
        return self.features.encode(self._see(states, codes), self.encoding)

    def masks(self) -> np.ndarray:
        """Return the masks of legal actions, bool (num_envs, actions), in a new array."""
        return self.rows.buffers.masks.view(np.bool_).copy()

    def step_async(self, actions: np.ndarray) -> None:
        """Set the actions of the next step.

        Args:
            actions: The actions, integers (num_envs,).

        Raises:
            ValueError: The actions have another type or shape.
        """
        self._actions[:] = check_actions(actions, self.num_envs)

    def step_wait(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, list[dict[str, Any]]]:
        """Step all rows and return observations, rewards (float32), dones and infos."""
        if self._broken:
            raise gym.error.ResetNeeded(BROKEN)
        if self.illegal == "raise":
            refuse_illegal(self.rows, self._actions)
        out = self.rows.buffers
        self._broken = True  # An opponent may raise in the middle of the step.
        self.rows.step(self._actions)
        self._broken = False
        self.returns += self.rows.rewards
        infos = self._infos()
        done = out.terminated | out.truncated
        self.ended = np.flatnonzero(done)
        if len(self.ended):
            self._finish(self.ended, infos)
        return self.observations(), self.rows.rewards.astype(np.float32), done, infos

    def _infos(self) -> list[dict[str, Any]]:
        if self.illegal == "random":
            return [{"played_action": action} for action in self.rows.played.tolist()]
        return [{} for _ in range(self.num_envs)]

    def leave(self, which: np.ndarray) -> None:
        """Abandon the games in some rows, and begin new games there.

        Args:
            which: Mask of the rows, bool (num_envs,).
        """
        self._broken = True
        self.rows.start(DealSource.DRAW, which)
        self._broken = False
        self.returns[which] = 0

    def _finish(self, which: np.ndarray, infos: list[dict[str, Any]]) -> None:
        ended = copy_states(self.rows.buffers.final_states, which)
        last = self._observe(ended, observation_codes(ended))
        masks = mask_states(self.game, ended)
        self.results = self._facts(ended, which)
        facts = {name: array.tolist() for name, array in self.results.items()}
        cut = self.rows.buffers.truncated[which].tolist()
        returns = self.returns[which].round(6).tolist()
        lengths = ended["steps"].tolist()
        seconds = round(time.time() - self._begun, 6)
        for k, i in enumerate(which.tolist()):
            info = infos[i]
            for name, values in facts.items():
                info[name] = values[k]
            info["terminal_observation"] = last[k]
            info["terminal_action_mask"] = masks[k]
            info["TimeLimit.truncated"] = cut[k]
            info["episode"] = {"r": returns[k], "l": lengths[k], "t": seconds}
        self._remember(ended, which)

    def _facts(self, ended: np.ndarray, which: np.ndarray) -> dict[str, np.ndarray]:
        finished = np.zeros(self.num_envs, np.bool_)
        finished[which] = True
        return self.rows.results(ended, finished)

    def _remember(self, ended: np.ndarray, which: np.ndarray) -> None:
        games = np.zeros(len(which), EPISODE_RECORD)
        games["won"], games["score"] = self.results["is_success"], self.results["score"]
        games["moves"], games["steps"] = ended["moves"], ended["steps"]
        games["return"] = self.returns[which]
        self.ended_games.add(games)
        self.returns[which] = 0

    @property
    def recent(self) -> np.ndarray:
        """The last finished games, at most 2000 records, in no particular order.

        The fields are ``won``, ``score``, ``moves``, ``steps`` and ``return``.
        """
        return self.ended_games.games

    def state(self) -> dict[str, np.ndarray]:
        """Return copies of the arrays that determine the next steps and the `recent` games."""
        return {
            **self.rows.state_dict(),
            "returns": self.returns.copy(),
            "recent": self.ended_games.ring.copy(),
            "finished": np.array(self.ended_games.finished),
        }

    def restore(self, state: dict[str, np.ndarray]) -> np.ndarray:
        """Restore the arrays of `state`.

        Args:
            state: The arrays that `state` returned.

        Returns:
            The observations.

        Raises:
            ValueError: An array is missing, or has another shape or dtype.
        """
        for name, current in self.state().items():
            given = state.get(name)
            expected = current.dtype, current.shape
            if not isinstance(given, np.ndarray) or (given.dtype, given.shape) != expected:
                got = (
                    f"{given.dtype} of shape {given.shape}"
                    if isinstance(given, np.ndarray)
                    else type(given).__name__
                )
                raise ValueError(
                    f"state {name!r} must be an array of {current.dtype} of shape {current.shape}, "
                    f"got {got}"
                )
        self.rows.load_state_dict(state)
        self._broken = False
        self.returns[:] = state["returns"]
        self.ended_games.ring[:] = state["recent"]
        self.ended_games.finished = int(state["finished"])
        self._reset_seeds()
        return self.observations()

    def take_over(self, states: np.ndarray, returns: np.ndarray) -> np.ndarray:
        """Continue games that another environment with the same arguments has played.

        Args:
            states: Valid states, (num_envs,).
            returns: The returns of the episodes so far, float64 (num_envs,).

        Returns:
            The observations.
        """
        self.rows.take_over(states)
        self.returns[:] = returns
        return self.observations()

    def close(self) -> None:
        """Do nothing. Threads of the environment end when it is deleted."""

    def _indices(self, indices: Any) -> Sequence[int]:
        return list(self._get_indices(indices))

    def has_attr(self, attr_name: str) -> bool:
        """Return whether the environment has this attribute."""
        return hasattr(self, attr_name)

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        """Return an attribute of the environment once for each row in ``indices``."""
        value = None if attr_name == "render_mode" else getattr(self, attr_name)
        return [value for _ in self._indices(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        """Raise AttributeError, because the rows share all attributes."""
        raise AttributeError(
            f"attribute {attr_name!r} cannot be set: the rows of a CardVecEnv share all attributes"
        )

    def env_method(
        self, method_name: str, *method_args: Any, indices: Any = None, **method_kwargs: Any
    ) -> Any:
        """Call the method ``action_masks`` or ``scene`` for some rows.

        Returns:
            For ``action_masks``, the masks, bool (rows, actions); for ``scene``, a list of scenes.
        """
        if method_name == "action_masks":
            masks = self.masks()
            return masks if indices is None else masks[self._indices(indices)]
        if method_name == "scene":
            return [self.rows.scene(i) for i in self._indices(indices)]
        raise AttributeError(unknown_text("method", method_name, ("action_masks", "scene")))

    def env_is_wrapped(self, wrapper_class: type[gym.Wrapper], indices: Any = None) -> list[bool]:
        """Return True for ``Monitor``, because the infos have ``episode``, and False for others."""
        return [issubclass(wrapper_class, Monitor) for _ in self._indices(indices)]

    def action_masks(self) -> np.ndarray:
        """Return the masks of legal actions, bool (num_envs, actions); see `masks`."""
        return self.masks()
