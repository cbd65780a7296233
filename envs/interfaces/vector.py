"""The Gymnasium vector environment: many games in one kernel call."""

from collections.abc import Mapping, Sequence
from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium.vector import AutoresetMode
from gymnasium.vector.utils import batch_space

from ..core.batch import MAX_MOVES
from ..core.game import Game
from ..core.options import check_range, parse_bool, unknown_text
from ..core.rows import Rows, copy_states, mask_states, observation_codes
from ..core.rules_table import RulesTable, Variants
from ..core.scene.scene import Scene, svg_grid
from ..core.schema import write_onehot
from ..render.pictures import METADATA, Renderer, draw_grid
from . import arguments
from .arguments import SHARED_NAMES, as_array, check_actions, refuse_illegal
from .seat import Opponents

SPLIT_ONEHOT = True, False, True
"""Which arguments of `schema.write_onehot` have one entry per row; see `threads.ThreadPool.run`."""
SHOWN_TABLES = 12
"""Maximum number of tables in the picture that a notebook shows."""


class CardVectorEnv(gym.vector.VectorEnv):
    """Gymnasium vector environment that steps ``num_envs`` games in one kernel call.

    Row i plays the same games as a `CardEnv` that is seeded with seed + i.

    Info:
        - ``action_mask``: int8 (num_envs, actions), 1 for legal actions.
        - ``played_action`` (only with ``illegal="random"``): int64 (num_envs,), the action that was
          played, -1 in rows that begin a game.
        - ``winnable`` (only with ``winnable=True``): int8 (num_envs,), for the current positions.
        - ``rules_index`` (only with ``variants``): int64 (num_envs,), the index of the rules of
          each row in ``table.rules``.
        - ``won``, ``score``, ``moves`` and the other results of a game (only in steps in which an
          episode ends): arrays (num_envs,). As usual in Gymnasium, a bool array such as ``_score``
          marks the rows that have the result. With the autoreset mode SAME_STEP, the results are
          in ``final_info``, together with the ``action_mask``, ``played_action`` and ``winnable``
          of the finished games. A result that exists only under some sets of rules is 0 in rows
          with other rules.

    Arguments:
        game: The game; `parlour.envs.find_game` returns it by name.
        num_envs: Number of games.
        variant: See `CardEnv`, which also describes the arguments that are not listed here.
        variants: Several sets of rules instead of one variant: ``"all"``, or a list of names of
            variants and of dictionaries such as ``{"variant": "book", "passes": 2}``. The random
            generator of a row chooses one set for each new game. The options in ``**options`` apply
            to all sets.
        autoreset_mode: When the next game of a finished row begins: a member of
            ``gymnasium.vector.AutoresetMode`` or its name.
        copy: Whether `reset` and `step` return copies. If False, they return the internal buffers,
            which the next step overwrites.
        num_threads: Number of threads that share the rows; fewer than 1024 rows use one thread. The
            results do not depend on it. More threads than free cores make the steps slower. The
            threads end when the environment is closed.
        **options: Options of the game that differ from the variant.

    Raises:
        ValueError: An argument has an invalid value.
        RenderModeError: The render mode is unknown or cannot be used here.
        KeywordError: A keyword is neither an argument nor an option of the game.
    """

    metadata: dict[str, Any] = METADATA

    def __init__(
        self,
        game: Game,
        num_envs: int = 1,
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
        winnable: bool = False,
        autoreset_mode: str | AutoresetMode = AutoresetMode.NEXT_STEP,
        copy: bool = True,
        num_threads: int = 1,
        render_mode: str | None = None,
        picture: dict[str, Any] | None = None,
        **options: Any,
    ) -> None:
        arguments.check_options(game, options, CardVectorEnv)
        num_envs = check_range("num_envs", num_envs, 1, arguments.MOST_ROWS)
        num_threads = check_range("num_threads", num_threads, 1, arguments.MOST_THREADS)
        self.game = game
        self.num_envs = num_envs
        self.encoding = encoding
        self.illegal = illegal
        self._renderer = Renderer(render_mode, picture, game.title)
        self.render_mode = self._renderer.mode
        self.copy = parse_bool("copy", copy)
        self.autoreset_mode = arguments.autoreset_mode(autoreset_mode)
        self.metadata = type(self).metadata | {"autoreset_mode": self.autoreset_mode}
        self.rows: Rows = arguments.make_rows(
            game,
            num_envs,
            variant,
            options,
            reward=reward,
            max_moves=max_moves,
            max_episode_steps=max_episode_steps,
            skip_forced=skip_forced,
            opponents=opponents,
            seat=seat,
            variants=variants,
            illegal=illegal,
            reset=arguments.AUTORESETS[self.autoreset_mode],
            num_threads=num_threads,
        )
        self._winnable = arguments.make_winnable_info(self.rows, winnable)
        self.single_observation_space = arguments.observation_space(game, encoding)
        self.observation_space = arguments.observation_space(game, encoding, num_envs)
        self.single_action_space = gym.spaces.Discrete(game.actions)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._actions = np.zeros(num_envs, np.int64)
        self._started = False
        self._broken = False
        self._flat = (
            None if encoding == "codes" else np.zeros((num_envs, game.features.columns), np.uint8)
        )

    @property
    def rules(self) -> Any:
        """The rules of all rows, a NamedTuple; ValueError with ``variants`` (see `rules_of`)."""
        return self.rows.rules

    @property
    def table(self) -> RulesTable:
        """The `RulesTable` with the distinct rules of the rows."""
        return self.rows.table

    def rules_of(self, row: int) -> Any:
        """Return the rules of the current game in a row.

        Args:
            row: Index of the row.

        Raises:
            ValueError: The row does not exist.
        """
        return self.rows.rules_of(self._check_row(row))

    @property
    def states(self) -> np.ndarray:
        """The current states, (num_envs,), with the dtype ``game.state``. The array is a view."""
        return self.rows.states

    def reset(
        self,
        *,
        seed: int | list[int | None] | None = None,
        options: Mapping[str, Any] | None = None,
    ) -> tuple[np.ndarray, dict[str, Any]]:
        """Begin new games.

        Args:
            seed: Seed of row 0 (row i then has seed + i), or a list with one seed per row (None:
                continue with the current generators).
            options: See `CardEnv.reset`. ``"deal"`` may be a list with one number per row.
                With ``variants``, ``"rules"`` is the index of the rules in ``table.rules``: one
                index for all rows, or one per row. ``"reset_mask"``, bool (num_envs,), marks the
                rows to reset, for the autoreset mode DISABLED; all other rows continue.

        Returns:
            The observations and ``info``.

        Raises:
            ValueError: A seed or an option is invalid.
            ResetNeeded: ``"reset_mask"`` is used before the first reset of all rows.
        """
        given = arguments.read_options(options)
        which = self._reset_rows(given.pop("reset_mask", None))
        chosen = arguments.read_reset_options(self.game, self.table, given, self.num_envs)
        if chosen is not None and not which.all():
            raise ValueError(
                "reset option reset_mask must not be combined with deck, deal, dealer or rules"
            )
        if self._broken and not which.all():
            raise gym.error.ResetNeeded(f"{arguments.BROKEN} without reset_mask")
        self._seed(self._seeds(seed), which)
        self._broken = True
        arguments.start_rows(self.rows, chosen, which)
        self._broken = False
        self._renderer.show(self.render)
        return self._observations(), self._infos(np.zeros(self.num_envs, np.bool_))

    def _reset_rows(self, mask: Any) -> np.ndarray:
        if mask is None:
            return np.ones(self.num_envs, np.bool_)
        mask = as_array(mask)
        if mask.shape != (self.num_envs,) or mask.dtype != np.bool_ or not mask.any():
            raise ValueError(
                f"reset option reset_mask must be a bool array of shape ({self.num_envs},) with at "
                f"least one True, got {mask.dtype} of shape {mask.shape}"
            )
        if not self._started:
            raise gym.error.ResetNeeded("the first reset must be called without reset_mask")
        return mask

    def _seeds(self, seed: Any) -> list[int | None]:
        """Return the seed of each row, None for rows whose generator continues."""
        if isinstance(seed, list | tuple) or (isinstance(seed, np.ndarray) and seed.ndim):
            seeds = [arguments.seed_number(one) for one in seed]
        else:
            first = arguments.seed_number(seed)
            if first is not None:
                self._np_random, self._np_random_seed = gym.utils.seeding.np_random(first)
            seeds = [None if first is None else first + i for i in range(self.num_envs)]
        if len(seeds) != self.num_envs:
            raise ValueError(
                f"seed must have {self.num_envs} entries, one per row, got {len(seeds)}"
            )
        return seeds

    def _seed(self, seeds: Sequence[int | None], which: np.ndarray) -> None:
        for row, one in enumerate(seeds):
            if which[row] and (one is not None or not self._started):
                rng, _ = gym.utils.seeding.np_random(one)
                self.rows.reseed(row, rng)
        self._started = True

    def step(
        self, actions: Any
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        """Play one action in each row.

        Args:
            actions: The actions, integers (num_envs,).

        Returns:
            Observations, rewards, terminated, truncated and ``info``.

        Raises:
            ResetNeeded: No game has begun.
            ValueError: The actions have another type or shape.
            InvalidAction: An action is illegal, with ``illegal="raise"``.
        """
        if not self._started:
            raise gym.error.ResetNeeded("no game is running: call reset() first")
        if self._broken:
            raise gym.error.ResetNeeded(arguments.BROKEN)
        out = self.rows.buffers
        self._actions[:] = check_actions(actions, self.num_envs)
        if self.illegal == "raise":
            refuse_illegal(self.rows, self._actions)
        was_over = out.terminated | out.truncated
        if self.autoreset_mode == AutoresetMode.SAME_STEP:
            was_over[:] = False  # The last step has already reset these rows.
        self._broken = True  # An opponent may raise in the middle of the step.
        self.rows.step(self._actions)
        self._broken = False
        self._renderer.show(self.render)
        done = (out.terminated | out.truncated) & ~was_over
        return (
            self._observations(),
            self._copy_if_asked(self.rows.rewards),
            self._copy_if_asked(out.terminated),
            self._copy_if_asked(out.truncated),
            self._infos(done),
        )

    def _copy_if_asked(self, array: np.ndarray) -> np.ndarray:
        return array.copy() if self.copy else array

    def _observations(self) -> np.ndarray:
        if self._flat is None:
            return self._copy_if_asked(self.rows.codes)
        encoded = self.rows.codes, self.game.features.onehot_places, self._flat
        self.rows.call(write_onehot, encoded, SPLIT_ONEHOT)
        return self._copy_if_asked(self._flat)

    def _infos(self, done: np.ndarray) -> dict[str, Any]:
        info: dict[str, Any] = {"action_mask": self._copy_if_asked(self.rows.buffers.masks)}
        if self._winnable is not None:
            info["winnable"] = self._winnable(self.rows.states)
        if self.table.has_several:
            info["rules_index"] = self.rows.buffers.rules.copy()
        random = self.illegal == "random"
        if random:
            info["played_action"] = self.rows.played.copy()
        if not done.any():
            return info
        same = self.autoreset_mode == AutoresetMode.SAME_STEP
        states = copy_states(self.rows.buffers.final_states if same else self.rows.states, done)
        facts: dict[str, Any] = {}
        for fact, values in self.rows.results(states, done).items():
            facts[fact] = np.zeros(self.num_envs, values.dtype)
            facts[fact][done] = values
            facts[f"_{fact}"] = done
        if not same:
            return facts | info
        facts["action_mask"] = np.zeros((self.num_envs, self.game.actions), np.int8)
        facts["action_mask"][done] = mask_states(self.game, states)
        facts["_action_mask"] = done
        if random:
            facts["played_action"] = np.where(done, info["played_action"], 0)
            facts["_played_action"] = done
            info["played_action"][done] = -1
        if self._winnable is not None:
            facts["winnable"] = np.zeros(self.num_envs, np.int8)
            facts["winnable"][done] = self._winnable(states)
            facts["_winnable"] = done
        final = np.full(self.num_envs, None, dtype=object)
        observations = arguments.encode_observations(
            self.game, self.encoding, observation_codes(states)
        )
        for row, observation in zip(np.flatnonzero(done), observations, strict=True):
            final[row] = observation
        return info | {
            "final_obs": final,
            "_final_obs": done,
            "final_info": facts,
            "_final_info": done,
        }

    def action_masks(self) -> np.ndarray:
        """Return the masks of legal actions, bool (num_envs, actions)."""
        return self.rows.buffers.masks.astype(np.bool_)

    def explain(self, observation: np.ndarray) -> dict[str, Any]:
        """Return the values of one observation by name; see `Features.explain`."""
        return self.game.features.explain(observation)

    def clone(self) -> np.ndarray:
        """Return a copy of all states, (num_envs,), for `restore`."""
        return copy_states(self.rows.states)

    def restore(self, states: np.ndarray) -> tuple[np.ndarray, dict[str, Any]]:
        """Restore states that `clone` returned.

        Returns:
            The observations and ``info``, as `reset` does.

        Raises:
            ValueError: A state is not a valid state of the game.
        """
        self.rows.restore(states)
        self._started, self._broken = True, False
        return self._observations(), self._infos(np.zeros(self.num_envs, np.bool_))

    def call(self, name: str, *args: Any, **keywords: Any) -> tuple[Any, ...]:
        """Return an attribute of each row, or the result of a method, as Gymnasium's classes do.

        Args:
            name: Name of an attribute or method of `CardEnv` that is available for single rows.
            *args: Arguments of the method.
            **keywords: Keyword arguments of the method.

        Returns:
            Tuple with one value per row.

        Raises:
            AttributeError: The name is not available for single rows.
        """
        rows = range(self.num_envs)
        if name == "action_masks":
            return tuple(self.action_masks())
        if name == "state":
            return tuple(self.states)
        if name == "rules":
            return tuple(self.rows.rules_of(row) for row in rows)
        if name == "scene":
            return tuple(self.scene(row) for row in rows)
        if name == "render":
            return self.render() or (None,) * self.num_envs
        if name in ("observation_space", "action_space"):
            name = f"single_{name}"
        if name not in SHARED_NAMES:
            allowed = ("action_masks", "scene", "render", "state", *SHARED_NAMES)
            raise AttributeError(unknown_text("attribute", name, allowed))
        attribute = getattr(self, name)
        return tuple(
            attribute(*args, **keywords) if callable(attribute) else attribute for _ in rows
        )

    def get_attr(self, name: str) -> tuple[Any, ...]:
        """Return an attribute of each row; see `call`."""
        return self.call(name)

    def scene(self, row: int) -> Scene:
        """Return the scene of one row.

        Args:
            row: Index of the row.

        Raises:
            ValueError: The row does not exist.
        """
        return self.rows.scene(self._check_row(row))

    def _check_row(self, row: Any) -> int:
        return check_range("row", row, 0, self.num_envs - 1)

    def _scenes(self, most: int | None = None) -> list[Scene]:
        return [self.rows.scene(row) for row in range(self.num_envs)[:most]]

    def render(self) -> tuple[Any, ...] | None:
        """Return one rendered game per row: text, or pixels, uint8 (height, width, 3).

        Gymnasium's vector wrappers record videos of the rendered games. With
        ``render_mode="human"``, the window shows all games as a grid, and the result is None.
        """
        return None if self.render_mode is None else self._renderer.draw_rows(self._scenes())

    def render_grid(self, columns: int | None = None) -> np.ndarray:
        """Return one picture of all games, uint8 (height, width, 3), in every render mode."""
        return draw_grid(self._scenes(), self._renderer.style, columns)

    def close_extras(self, **kwargs: Any) -> None:
        """End the threads, and close the window if one is open."""
        self.rows.close()
        self._renderer.close()

    def _repr_svg_(self) -> str:
        """Return a grid of the first tables as SVG, for notebooks."""
        return svg_grid(self._scenes(SHOWN_TABLES), **self._renderer.style._asdict())
