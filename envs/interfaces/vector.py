"""Many games at once as a Gymnasium vector environment, over the same kernel."""

from collections.abc import Mapping, Sequence
from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium.vector import AutoresetMode
from gymnasium.vector.utils import batch_space

from ..core.batch import MAX_MOVES
from ..core.game import Game
from ..core.options import check_range, is_integer, parse_bool, shorten, unknown_text
from ..core.rows import Rows, copy_states, mask_states, observation_codes
from ..core.rules_table import RulesTable, Variants
from ..core.scene.scene import Scene, svg_grid
from ..render.pictures import METADATA, Renderer, draw_grid
from . import arguments
from .arguments import SHARED_NAMES, as_array, check_actions, refuse_illegal
from .seat import Opponents

SHOWN_TABLES = 12
"""Of many, in a notebook."""


class CardVectorEnv(gym.vector.VectorEnv):
    """``num_envs`` games in one kernel call; row i plays as the single env seeded with seed + i.

    Keywords are those of `CardEnv`, and: ``autoreset_mode`` (NEXT_STEP, SAME_STEP, DISABLED or its
    name) and ``copy`` (False hands out the buffers themselves, overwritten by the next step; with
    ``onehot`` too). ``info["action_mask"]`` is int8 (num_envs, actions). When an episode ends, the
    facts of its game (won, score, moves ...) are arrays in ``info`` with their ``_key`` masks; with
    SAME_STEP they are in ``info["final_info"]``, together with its last ``action_mask``. With
    ``illegal="random"`` ``info["played_action"]`` is int64 (num_envs,), -1 of rows that begin. With
    ``winnable=True`` ``info["winnable"]`` is int8 (num_envs,) for the current positions, and in
    ``final_info`` for the games that ended.

    ``variants`` in place of ``variant``: each new game of a row is played by one of
    these rules, which the row's generator chooses: ``"all"``, or a list of names of variants and
    of dictionaries such as ``{"variant": "book", "passes": 2}``; options beside it are put into
    each. They are in ``table.rules``, in
    their order; ``info["rules_index"]``, int64 (num_envs,), says which a row is played by, and the
    facts of an end by which it was. A fact that only some rules have is 0 by the others. `reset`
    takes ``options={"rules": 3}``, or one number a row.
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
        render_mode: str | None = None,
        picture: dict[str, Any] | None = None,
        **options: Any,
    ) -> None:
        num_envs = check_range("num_envs", num_envs, 1, arguments.MOST_ROWS)
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
        """The rules played, a NamedTuple; ValueError where there are several: see `rules_of`."""
        return self.rows.rules

    @property
    def table(self) -> RulesTable:
        """The rules that rows are played by: one for all, or several."""
        return self.rows.table

    def rules_of(self, row: int) -> Any:
        """Return the rules that a row is played by now; ValueError if there is no such row."""
        return self.rows.rules_of(self._check_row(row))

    @property
    def states(self) -> np.ndarray:
        """The states as they are now: records of the game's ``state`` dtype (no copy)."""
        return self.rows.states

    def reset(
        self,
        *,
        seed: int | list[int | None] | None = None,
        options: Mapping[str, Any] | None = None,
    ) -> tuple[np.ndarray, dict[str, Any]]:
        """Begin new games; ``options`` as for one env, ``deal`` as a list of one number a row.

        With DISABLED, ``options={"reset_mask": bool (num_envs,)}`` names the rows to begin anew.
        """
        given = arguments.read_options(options)
        which = self._reset_rows(given.pop("reset_mask", None))
        chosen = arguments.read_reset_options(self.game, self.table, given, self.num_envs)
        if chosen is not None and not which.all():
            raise ValueError(
                "reset options: 'reset_mask' cannot go with a deck, deal, dealer or rules"
            )
        if self._broken and not which.all():
            raise gym.error.ResetNeeded(f"{arguments.BROKEN}, without reset_mask")
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
                f"reset_mask: expected a bool array ({self.num_envs},) with at least one True, "
                f"got {mask.dtype} {mask.shape}"
            )
        if not self._started:
            raise gym.error.ResetNeeded("the first reset begins every row: leave out reset_mask")
        return mask

    def _seeds(self, seed: Any) -> list[int | None]:
        """Return the seed of each row, None where its generator goes on."""
        if isinstance(seed, list | tuple) or (isinstance(seed, np.ndarray) and seed.ndim):
            seeds = [arguments.seed_number(one) for one in seed]
        else:
            first = arguments.seed_number(seed)
            if first is not None:
                self._np_random, self._np_random_seed = gym.utils.seeding.np_random(first)
            seeds = [None if first is None else first + i for i in range(self.num_envs)]
        if len(seeds) != self.num_envs:
            raise ValueError(f"seed: {len(seeds)} seeds for {self.num_envs} environments")
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
        """Play one action in every game."""
        if not self._started:
            raise gym.error.ResetNeeded("no game is begun: call reset() first")
        if self._broken:
            raise gym.error.ResetNeeded(arguments.BROKEN)
        out = self.rows.buffers
        self._actions[:] = check_actions(actions, self.num_envs)
        if self.illegal == "raise":
            refuse_illegal(self.rows, self._actions)
        was_over = out.terminated | out.truncated
        if self.autoreset_mode == AutoresetMode.SAME_STEP:
            was_over[:] = False  # those rows have begun anew
        self._broken = True  # until all have played: an opponent may raise
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
        self.game.features.onehot(self.rows.codes, self._flat)
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
        """Return which actions are legal, bool (num_envs, actions)."""
        return self.rows.buffers.masks.astype(np.bool_)

    def explain(self, observation: np.ndarray) -> dict[str, Any]:
        """Name what one observation says, in either encoding."""
        return self.game.features.explain(observation)

    def clone(self) -> np.ndarray:
        """Return a copy of all states, to be given to `restore`."""
        return copy_states(self.rows.states)

    def restore(self, states: np.ndarray) -> tuple[np.ndarray, dict[str, Any]]:
        """Go back to cloned states; returns what `reset` would."""
        self.rows.restore(states)
        self._started, self._broken = True, False
        return self._observations(), self._infos(np.zeros(self.num_envs, np.bool_))

    def call(self, name: str, *args: Any, **keywords: Any) -> tuple[Any, ...]:
        """Return for each row what a single environment has, or returns, under this name.

        As of Gymnasium's own vector environments. What only a row of its own could do is refused:
        AttributeError.
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
            raise AttributeError(unknown_text("name", name, allowed))
        attribute = getattr(self, name)
        return tuple(
            attribute(*args, **keywords) if callable(attribute) else attribute for _ in rows
        )

    def get_attr(self, name: str) -> tuple[Any, ...]:
        """Return an attribute of each row; see `call`."""
        return self.call(name)

    def scene(self, row: int) -> Scene:
        """Return which card lies where in one game, by its row; ValueError if there is none."""
        return self.rows.scene(self._check_row(row))

    def _check_row(self, row: Any) -> int:
        if not is_integer(row) or not 0 <= row < self.num_envs:
            raise ValueError(f"row={shorten(row)}: allowed are the rows 0–{self.num_envs - 1}")
        return int(row)

    def _scenes(self, most: int | None = None) -> list[Scene]:
        return [self.rows.scene(row) for row in range(self.num_envs)[:most]]

    def render(self) -> tuple[Any, ...] | None:
        """Return every table as text, or as pixels, uint8 (height, width, 3).

        That is what Gymnasium's wrappers for vectors make films of. With ``render_mode="human"``
        the window shows all tables as a grid.
        """
        return None if self.render_mode is None else self._renderer.draw_rows(self._scenes())

    def render_grid(self, columns: int | None = None) -> np.ndarray:
        """Return all tables as one picture, uint8 (height, width, 3), whatever the render mode."""
        return draw_grid(self._scenes(), self._renderer.style, columns)

    def close_extras(self, **kwargs: Any) -> None:
        """Close the window, if there is one."""
        self._renderer.close()

    def _repr_svg_(self) -> str:
        """The first tables as a grid."""
        return svg_grid(self._scenes(SHOWN_TABLES), **self._renderer.style._asdict())
