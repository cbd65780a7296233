"""One game as a Gymnasium environment: a batch of one."""

from collections.abc import Mapping
from typing import Any, ClassVar

import gymnasium as gym
import numpy as np

from ..core.batch import MAX_MOVES, Autoreset
from ..core.game import Game
from ..core.legal import list_actions
from ..core.options import to_plain
from ..core.rows import Rows
from ..core.scene.scene import Scene, ansi
from ..render.pictures import METADATA, RenderedTable, Renderer
from . import arguments
from .arguments import kernel_action, whole_number
from .seat import Opponents


class CardEnv(RenderedTable, gym.Env[np.ndarray, np.int64]):
    """A card game for one player, or one seat of a game for several.

    Description:
        ``gym.make("parlour/Pyramid-v0", variant="three-passes", passes=2)`` is that variant with
        one option changed. Each game's page lists its options, variants and sources.

    Action Space:
        ``Discrete(actions)``. ``info["action_mask"]`` (int8) and ``action_masks()`` (bool) mark
        the legal actions. All actions of a terminated game count as legal, so that no policy
        divides by zero; a truncated game keeps the legal actions of its last position.

    Observation Space:
        ``encoding="onehot"``: uint8 0/1, the game's one-hot columns; ``"codes"``: int8 card codes.
        ``explain(observation)`` names each piece.

    Rewards:
        ``"progress"``: score gained times ``game.kernels.score_scale``, plus
        ``game.kernels.win_bonus`` for a win (Pyramid: a share of the best score, and 1); ``"win"``:
        1 at a win, or when the score reaches the target in a game without winning; ``"score"``: the
        score, when the episode ends. An illegal action gives -1 and ends the episode; see
        ``illegal``. In a game for several the reward is that of the seat: at the end its net in the
        game's unit, 1 if that is above 0 (``"win"``), or as it is (``"score"``).

    Episode End:
        Terminated when the game is won or no action is legal; truncated after ``max_moves`` moves
        of the game or ``max_episode_steps`` steps. A game for several always ends and refuses
        ``max_moves``; its steps are those of the seat. If it ends before the seat's first turn, the
        first step reports the end and ignores its action.

    Info:
        The same keys from the reset on, each as the game stands: ``action_mask``; won
        (``game.goal``), and the same as ``is_success``; ``score``, ``moves``, ``illegal_action``,
        whether the player has chosen one in this game; and what the game adds. In a game for
        several the score is 0 until the end.

    Arguments:
        game: The game, as `parlour.envs.find_game` returns it.
        variant: The name of rules; None: the game's default.
        encoding: ``"onehot"`` or ``"codes"``.
        reward: ``"progress"``, ``"win"`` or ``"score"``.
        illegal: What an illegal action does. ``"end"``: it gives -1 and ends the episode; in a game
            for several it counts as the game says, such as a fold. ``"raise"``: it raises
            `gymnasium.error.InvalidAction` and changes nothing. ``"random"``: a random legal action
            is played instead, at no cost; ``"played_action"`` in each ``info`` says which was
            played, -1 after a reset. ``"penalty"``: it gives -1, and the position stays the same;
            only ``max_episode_steps`` ends the episode of one who never chooses a legal action.
        max_moves: Number of moves after which the game is truncated; None: no limit.
        max_episode_steps: Number of steps after which the episode is truncated; None or -1: no
            limit. ``gym.make(id, max_episode_steps=...)`` applies Gymnasium's own time limit around
            this class instead, with the same result.
        skip_forced: After a step, take actions at once while exactly one is legal.
        opponents: In a game for several, who plays the seats after ``seat``, clockwise: names
            ("uniform", "greedy", a rule-based agent) or agents (`parlour.envs.core.Agent`), one for
            each seat or one for all; None: "greedy".
        seat: In a game for several, the seat of the learner.
        winnable: Put ``"winnable"``, int8, into ``info`` of each reset and step: whether a player
            who knew all cards could still win: 1 yes, 0 no, -1 undecided by the solver; at the end,
            whether the game was won. It reveals hidden cards and takes a solver's time at each
            step: it is meant for targets and studies, not as input of an agent. ValueError where
            the game or the rules have no solver.
        render_mode: ``"ansi"``: text; ``"rgb_array"``: pixels, uint8 (height, width, 3), for which
            ``parlour[pictures]`` is needed; ``"human"``: a window, which needs a display and
            ``parlour[window]``; or None. What is missing is named by a `RenderModeError`.
        picture: How pixels look: a dictionary with ``"theme"`` (``"light"`` or ``"dark"``),
            ``"four_colours"`` (True gives each suit its own) and ``"width"`` in pixels.
        **options: The game's options, in place of the variant's.

    Version History:
        v0: the first; its number changes when the expected results of a policy change.
    """

    metadata: ClassVar[dict[str, Any]] = METADATA  # type: ignore[misc]

    def __init__(
        self,
        game: Game,
        variant: str | None = None,
        *,
        encoding: str = "onehot",
        reward: str = "progress",
        illegal: str = "end",
        max_moves: int | None = MAX_MOVES,
        max_episode_steps: int | None = None,
        skip_forced: bool = False,
        opponents: Opponents | None = None,
        seat: int = 0,
        winnable: bool = False,
        render_mode: str | None = None,
        picture: dict[str, Any] | None = None,
        **options: Any,
    ) -> None:
        self.game = game
        self.encoding = encoding
        self.illegal = illegal
        self._renderer = Renderer(render_mode, picture, game.title)
        self.render_mode = self._renderer.mode
        self.rows: Rows = arguments.make_rows(
            game,
            1,
            variant,
            options,
            reward=reward,
            max_moves=max_moves,
            max_episode_steps=max_episode_steps,
            skip_forced=skip_forced,
            opponents=opponents,
            seat=seat,
            illegal=illegal,
            reset=Autoreset.DISABLED,
        )
        self._winnable = arguments.make_winnable_info(self.rows, winnable)
        self.observation_space = arguments.observation_space(game, encoding)
        self.action_space = gym.spaces.Discrete(game.actions)
        self._actions = np.zeros(1, np.int64)
        self._started = False
        self._broken = False

    @property
    def rules(self) -> Any:
        """The rules played, a NamedTuple."""
        return self.rows.rules

    @property
    def state(self) -> np.void:
        """The state as it is now: a record of the game's ``state`` dtype (a view, not a copy)."""
        return self.rows.states[0]

    def reset(
        self, *, seed: int | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[np.ndarray, dict[str, Any]]:
        """Begin a new game: seeded, chosen (``options``), or the next of the generator.

        ``options={"deck": [...]}`` plays a chosen deck, ``{"deal": 17}`` a numbered one, of
        ``"deal_set"`` if that is given, ``{"dealer": 2}`` the seat that deals, where one does (of a
        chosen deck without it the last).
        """
        chosen = arguments.read_reset_options(self.game, self.rules, options)
        seed = arguments.seed_number(seed)
        super().reset(seed=seed)
        if seed is not None or not self._started:
            self.rows.reseed(0, self.np_random)
            self._started = True
        self._broken = True
        arguments.start_rows(self.rows, chosen)
        self._broken = False
        self._renderer.show(self.render)
        return self._observation(), self._info()

    def step(self, action: Any) -> tuple[np.ndarray, float, bool, bool, dict[str, Any]]:
        """Play an action. Raises ResetNeeded before the first reset or after the end.

        ValueError for what is no whole number.
        """
        rows, out = self.rows, self.rows.buffers
        if not self._started or self._is_done:
            raise gym.error.ResetNeeded("this game is over or not begun: call reset() first")
        if self._broken:
            raise gym.error.ResetNeeded(arguments.BROKEN)
        number = whole_number(action)
        if self.illegal == "raise":
            self._refuse(number)
        self._actions[0] = kernel_action(number)
        self._broken = True  # until all have played: an opponent may raise
        rows.step(self._actions)
        self._broken = False
        self._renderer.show(self.render)
        return (
            self._observation(),
            float(rows.rewards[0]),
            bool(out.terminated[0]),
            bool(out.truncated[0]),
            self._info(),
        )

    @property
    def _is_done(self) -> bool:
        return bool(self.rows.buffers.terminated[0] or self.rows.buffers.truncated[0])

    def _refuse(self, action: int) -> None:
        if self.rows.states["over"][0]:
            return  # over before this seat could act: any action brings the result
        legal = list_actions(self.rows.states["legal"][0])
        if action not in legal:
            can = ", ".join(f"{one} {self.game.label(one)}" for one in legal)
            name = self.game.label(action) if 0 <= action < self.game.actions else "no action"
            raise gym.error.InvalidAction(
                f"action {action} ({name}) is not legal here; legal are: {can}\n"
                f"{ansi(self.scene())}"
            )

    def _observation(self) -> np.ndarray:
        return arguments.encode_observations(self.game, self.encoding, self.rows.codes)[0]

    def _info(self) -> dict[str, Any]:
        info: dict[str, Any] = {"action_mask": self.rows.buffers.masks[0].copy()}
        info |= self.rows.one_result()
        if self.illegal == "random":
            info["played_action"] = int(self.rows.played[0])
        if self._winnable is not None:
            info["winnable"] = self._winnable(self.rows.states)[0]
        return info

    def action_masks(self) -> np.ndarray:
        """Return which actions are legal, bool (actions,): what sb3-contrib asks for."""
        return self.rows.buffers.masks[0].astype(np.bool_)

    def explain(self, observation: np.ndarray) -> dict[str, Any]:
        """Name what an observation of this game says, in either encoding."""
        return self.game.features.explain(observation)

    def clone(self) -> np.ndarray:
        """Return a copy of the whole state, to be given to `restore`."""
        return self.rows.states.copy()

    def restore(self, state: np.ndarray) -> tuple[np.ndarray, dict[str, Any]]:
        """Go back to a cloned state; returns what `reset` would.

        Opponents who draw go on as they did where the environment had the same seed.
        """
        self.rows.restore(state)
        self._started, self._broken = True, False
        self._renderer.show(self.render)
        return self._observation(), self._info()

    def scene(self) -> Scene:
        """Return which card lies where, as the player sees it."""
        return self.game.layout(self.state, self.rules)

    def widget(self) -> Any:
        """Return the table as a widget for notebooks: a click on it steps this environment.

        It follows every reset, step and `restore`; the last one that was asked for does.
        Raises DependencyNotInstalled without ``parlour[widget]``, ResetNeeded before a reset.
        """
        try:
            from ..render.widget import TableWidget
        except ImportError as missing:
            raise gym.error.DependencyNotInstalled(
                "a widget needs anywidget: pip install 'parlour[widget]'"
            ) from missing
        table = TableWidget(self)
        self._renderer.watchers = [table.refresh]
        return table

    def __repr__(self) -> str:
        """Name the game and its rules."""
        name = self.game.variant_name(self.rules) or to_plain(self.rules)
        return f"<CardEnv {self.game.title}, {name}>"
