"""The Gymnasium environment of one game."""

from collections.abc import Mapping
from typing import Any, ClassVar

import gymnasium as gym
import numpy as np

from parlour.extras import explain_missing

from ..core.batch import MAX_MOVES, Autoreset
from ..core.game import Game, illegal_action_text
from ..core.legal import list_actions
from ..core.options import to_plain
from ..core.rows import Rows
from ..core.scene.scene import Scene, ansi
from ..render.pictures import METADATA, RenderedTable, Renderer
from . import arguments
from .arguments import kernel_action, whole_number
from .seat import Opponents


class CardEnv(RenderedTable, gym.Env[np.ndarray, np.int64]):
    """Gymnasium environment of a card game for one player, or of one seat in a multiplayer game.

    Description:
        ``gym.make("parlour/Pyramid-v0", variant="three-passes", passes=2)`` makes the variant
        ``three-passes`` of Pyramid with the option ``passes`` set to 2. The page of each game lists
        its variants, options and sources.

    Action Space:
        ``Discrete(actions)``. ``info["action_mask"]`` (int8) and ``action_masks()`` (bool) mark the
        legal actions. The mask of a terminated game is all ones, so that a masked policy never
        divides by zero. The mask of a truncated game has the legal actions of its last position.

    Observation Space:
        With ``encoding="onehot"``, a uint8 array of zeros and ones; with ``encoding="codes"``, an
        int8 array of card codes and numbers. ``explain(observation)`` returns the values by name.

    Rewards:
        - ``reward="progress"``: the change of the score times ``game.kernels.score_scale``, plus
          ``game.kernels.win_bonus`` for a win. In Pyramid, the scaled score is the score divided by
          the best possible score, and the bonus is 1.
        - ``reward="win"``: 1 for a win, otherwise 0. In a game that is played for its score, 1 when
          the score reaches the game's goal.
        - ``reward="score"``: the score, at the end of the episode.

        In a multiplayer game, the seat is rewarded at the end of the game: with its net result
        divided by the game's unit, such as the ante in chips (``"progress"``); with 1 if the net
        result is above 0 (``"win"``); or with the undivided net result (``"score"``). An illegal
        action is rewarded with -1; see ``illegal``.

    Episode End:
        The episode terminates when the game is won or no action is legal. It is truncated after
        ``max_moves`` moves or ``max_episode_steps`` steps. A multiplayer game always ends, so
        ``max_moves`` must be left out, and ``max_episode_steps`` counts the steps of the seat. If a
        multiplayer game ends before the first turn of the seat, the first step reports the end and
        ignores its action.

    Info:
        The keys are the same after every reset and step, and describe the game so far:

        - ``action_mask``: int8 (actions,), 1 for legal actions.
        - ``won``, or the key ``game.goal`` in a game that is played for its score: whether the goal
          is reached. ``is_success`` has the same value.
        - ``score``: the score; 0 until the end in a multiplayer game.
        - ``moves``: the number of moves.
        - ``illegal_action``: whether the player has chosen an illegal action in this game.
        - ``winnable``, ``played_action``: see the arguments ``winnable`` and ``illegal``.
        - Further keys that the page of the game lists.

    Arguments:
        game: The game; `parlour.envs.find_game` returns it by name.
        variant: Name of the variant (None: the default variant of the game).
        encoding: Encoding of observations: ``"onehot"`` or ``"codes"``.
        reward: Reward function: ``"progress"``, ``"win"`` or ``"score"``.
        illegal: Effect of an illegal action. ``"end"``: the reward is -1 and the episode
            terminates; in a multiplayer game, the reward is reduced by 1, and the game continues
            with another action, such as a fold.
            ``"raise"``: the step raises `gymnasium.error.InvalidAction` and changes nothing.
            ``"random"``: a random legal action is played instead, without a penalty, and
            ``info["played_action"]`` is the action that was played (-1 after a reset).
            ``"penalty"``: the reward is -1 and the position stays the same; set
            ``max_episode_steps``, because the episode of an agent that never chooses a legal action
            does not end otherwise.
        max_moves: Number of moves after which the game is truncated (None: no limit).
        max_episode_steps: Number of steps after which the episode is truncated (None or -1: no
            limit). ``gym.make(id, max_episode_steps=...)`` does not set this argument. It adds
            Gymnasium's ``TimeLimit`` wrapper instead, with the same result.
        skip_forced: Whether the environment plays forced actions itself: a step then continues
            while only one action is legal.
        opponents: Agents in the other seats of a multiplayer game, clockwise from the seat after
            ``seat`` (None: ``"greedy"``). One agent for all seats, or one for each. An agent is a
            name (``"uniform"``, ``"greedy"`` or a rule-based agent) or a
            `parlour.envs.core.Agent`.
        seat: Seat of the learner in a multiplayer game.
        winnable: Whether to add ``info["winnable"]`` (int8): 1 if a player who knew all cards could
            still win, 0 if not, -1 if the solver reached its limit; after the end, whether the game
            was won. The value reveals hidden cards and costs a solver run in every step. Use it for
            training targets and analysis, not as an input of an agent.
        render_mode: ``"ansi"`` for text; ``"rgb_array"`` for pixels, uint8 (height, width, 3),
            which needs ``parlour[pictures]``; ``"human"`` for a window, which needs
            ``parlour[window]`` and a display; None for no rendering.
        picture: Style of pictures: a dictionary with the keys ``"theme"`` (``"light"`` or
            ``"dark"``), ``"four_colours"`` (whether each suit has its own color) and ``"width"``
            (in pixels), all optional.
        **options: Options of the game that differ from the variant.

    Raises:
        ValueError: An argument has an invalid value, or ``winnable`` is set for a game or rules
            without a solver.
        RenderModeError: The render mode is unknown or cannot be used here.
        KeywordError: A keyword is neither an argument nor an option of the game.

    Version History:
        v0: First version. The number changes when the expected results of a policy change.
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
        arguments.check_options(game, options, CardEnv)
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
        """The rules of the game, a NamedTuple."""
        return self.rows.rules

    @property
    def state(self) -> np.void:
        """The current state: a record with the dtype ``game.state``. It is a view, not a copy."""
        return self.rows.states[0]

    def reset(
        self, *, seed: int | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[np.ndarray, dict[str, Any]]:
        """Begin a new game.

        Args:
            seed: Seed of the random generator (None: continue with the current generator).
            options: The deal to play (None: a random deal): ``{"deck": [...]}`` for a chosen deck,
                card names or codes in dealing order; ``{"deal": 17}`` for a numbered deal, with
                ``"deal_set"`` for a deal set other than the default one. ``"dealer"`` sets the seat
                that deals, in games with a dealer (default: the last seat for a chosen deck,
                otherwise a random seat).

        Returns:
            The first observation and ``info``.

        Raises:
            ValueError: The seed or an option is invalid.
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
        """Play an action.

        Args:
            action: Number of the action, an integer.

        Returns:
            Observation, reward, terminated, truncated and ``info``.

        Raises:
            ResetNeeded: No game has begun, or the game is over.
            ValueError: The action is not an integer.
            InvalidAction: The action is illegal, with ``illegal="raise"``.
        """
        rows, out = self.rows, self.rows.buffers
        if not self._started or self._is_done:
            raise gym.error.ResetNeeded("no game is running: call reset() first")
        if self._broken:
            raise gym.error.ResetNeeded(arguments.BROKEN)
        number = whole_number(action)
        if self.illegal == "raise":
            self._refuse(number)
        self._actions[0] = kernel_action(number)
        self._broken = True  # An opponent may raise in the middle of the step.
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
            return  # The game ended before the seat could act, so the action is ignored.
        legal = list_actions(self.rows.states["legal"][0])
        if action not in legal:
            state = self.rows.states[0]
            message = illegal_action_text(self.game, self.rules, state, action, legal)
            raise gym.error.InvalidAction(f"{message}\n{ansi(self.scene())}")

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
        """Return the mask of legal actions, bool (actions,), as sb3-contrib needs it."""
        return self.rows.buffers.masks[0].astype(np.bool_)

    def explain(self, observation: np.ndarray) -> dict[str, Any]:
        """Return the values of an observation by name; see `Features.explain`."""
        return self.game.features.explain(observation)

    def clone(self) -> np.ndarray:
        """Return a copy of the state, (1,), for `restore`."""
        return self.rows.states.copy()

    def restore(self, state: np.ndarray) -> tuple[np.ndarray, dict[str, Any]]:
        """Restore a state that `clone` returned.

        Opponents that choose at random repeat their choices after a restore if the environment that
        made the clone was last seeded with the same seed as this environment.

        Returns:
            The observation and ``info``, as `reset` does.

        Raises:
            ValueError: The state is not a valid state of the game.
        """
        self.rows.restore(state)
        self._started, self._broken = True, False
        self._renderer.show(self.render)
        return self._observation(), self._info()

    def scene(self) -> Scene:
        """Return the table as the player sees it."""
        return self.game.layout(self.state, self.rules)

    def widget(self) -> Any:
        """Return a notebook widget of the table; clicks on it step the environment.

        The widget is redrawn after every reset, step and `restore`. A new widget replaces the
        previous one, which is no longer redrawn.

        Raises:
            DependencyNotInstalled: ``parlour[notebook]`` is not installed.
        """
        try:
            from ..render.widget import TableWidget
        except ImportError as missing:
            text = explain_missing("a widget", "anywidget")
            raise gym.error.DependencyNotInstalled(text) from missing
        table = TableWidget(self)
        self._renderer.watchers = [table.refresh]
        return table

    def __repr__(self) -> str:
        """Return the title and the rules of the game."""
        name = self.game.variant_name(self.rules) or to_plain(self.rules)
        return f"<CardEnv {self.game.title}, {name}>"
