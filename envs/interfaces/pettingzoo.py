"""PettingZoo environments (AEC) for multiplayer games.

Install PettingZoo with ``pip install "parlour[pettingzoo]"``. In this example, six random agents
play a hand:

>>> import numpy as np
>>> from parlour.envs.interfaces import pettingzoo as aec
>>> rng = np.random.default_rng(7)
>>> env = aec.env("seven-twenty-seven", "six", ante=2)
>>> env.reset(seed=7)
>>> chips = {}
>>> for agent in env.agent_iter():
...     observation, reward, terminated, truncated, info = env.last()
...     if terminated or truncated:
...         chips[agent] = info["score"]
...         env.step(None)
...     else:
...         env.step(rng.choice(np.flatnonzero(observation["action_mask"])))
>>> sum(chips.values())
0
>>> env.close()

Importing this module registers every multiplayer game with PettingZoo under a name such as
``parlour/seven_twenty_seven-v0``:

>>> import pettingzoo
>>> env = pettingzoo.make("aec", "parlour/seven_twenty_seven-v0", variant="six", hands=8)
>>> env.possible_agents[-1]
'player_5'

For a Gymnasium environment of one seat against opponents, see `parlour.envs.CardEnv`.
"""

from collections.abc import Mapping
from typing import Any

import gymnasium as gym
import numpy as np

from parlour.extras import name_extra

from ..core.batch import FINISHED, Autoreset, DealSource, Over, Reward, StepConfig
from ..core.game import GAMES, Game, illegal_action_text
from ..core.game import find_game as find_game
from ..core.options import (
    check_range,
    choices_text,
    parse_bool,
    shorten,
    to_plain,
    unknown_text,
)
from ..core.rows import Rows, copy_states, observation_codes, view_states
from ..core.scene.scene import Scene, ansi
from ..render.pictures import METADATA, RenderedTable, Renderer
from . import arguments
from .arguments import kernel_action, whole_number

with name_extra(__name__):
    from pettingzoo import AECEnv
    from pettingzoo import register as register_env

__all__ = ["CardAECEnv", "env"]

API_TEST = {"options": 1}
"""Options that PettingZoo's ``api_test`` passes to every ``reset``; they are ignored."""


def env(game: str, variant: str | None = None, **keywords: Any) -> "CardAECEnv":
    """Make a PettingZoo environment by the name of its game.

    Args:
        game: Name of the game, with ``_`` or ``-``.
        variant: Name of the variant (None: the default variant).
        **keywords: Other arguments of `CardAECEnv`.

    Raises:
        ValueError: An argument is invalid, or the variant is for one player.
    """
    return CardAECEnv(find_game(game), variant, **keywords)


class CardAECEnv(RenderedTable, AECEnv):
    """PettingZoo environment (AEC) of a multiplayer game.

    Description:
        The agents are ``player_0``, ``player_1`` and so on, clockwise by seat. For example,
        ``env("seven-twenty-seven", "declare", players=6)`` makes the variant ``declare`` with the
        option ``players`` set to 6.

    Action Space:
        ``Discrete(actions)`` for each agent.

    Observation Space:
        A dictionary with two arrays:

        - ``"observation"``: the view of the agent's seat, also while other seats act. A uint8 array
          of zeros and ones with ``encoding="onehot"``, an int8 array of card codes and numbers with
          ``encoding="codes"``. ``explain(observation)`` returns the values by name.
        - ``"action_mask"``: int8 (actions,), 1 for legal actions of the agent that acts next; all
          zeros for the other agents.

        ``state()`` stacks the observations of all seats, for centralized critics.

    Rewards:
        Each agent is rewarded at the end of each hand: with its net result divided by the game's
        unit, such as the ante in chips (``reward="progress"``); with 1 if the net result is above 0
        (``"win"``); or with the undivided net result (``"score"``). An illegal action is rewarded
        with -1; see ``illegal``.

    Episode End:
        All agents terminate together at the end of the hand, or of the last hand of a match. Each
        agent then steps one more time with the action None. If the rules end a hand at the deal,
        all agents are terminated after ``reset``. Agents are truncated only after `restore` of a
        truncated hand; the action mask then has the legal actions of its last position.

    Infos:
        The keys are the same after every reset and step, and describe the hand so far from the
        agent's seat:

        - ``won``: whether the net result is above 0. ``is_success`` has the same value.
        - ``score``: the net result; 0 until the end.
        - ``moves``: the number of moves.
        - ``illegal_action``: whether the seat has chosen an illegal action in this hand.
        - Further keys that the page of the game lists.
        - With ``hands`` above 1: ``hand``, the number of the hand, from 0; and ``match_score``, the
          sum of the seat's net results in all hands of the match that have ended.

    Arguments:
        game: The game; `parlour.envs.find_game` returns it by name.
        variant: Name of the variant (None: the default variant of the game).
        encoding: Encoding of observations: ``"onehot"`` or ``"codes"``.
        reward: Reward function: ``"progress"``, ``"win"`` or ``"score"``.
        illegal: Effect of an illegal action; see `parlour.envs.CardEnv`. With ``"random"``, the
            ``"played_action"`` of seats that did not act is -1.
        skip_forced: Whether a step also plays the forced actions that follow, in all seats. An
            action is forced if it is the only legal one.
        hands: Number of hands in an episode. With more than one, an episode is a match: the step
            that ends a hand also deals the next one, and the deal passes to the next seat. In games
            without a dealer, only the cards change.
        render_mode: See `parlour.envs.CardEnv`.
        picture: See `parlour.envs.CardEnv`.
        **options: Options of the game that differ from the variant.

    Raises:
        ValueError: An argument has an invalid value, or the variant is for one player.
        RenderModeError: The render mode is unknown or cannot be used here.
        KeywordError: A keyword is neither an argument nor an option of the game.
    """

    metadata: dict[str, Any] = METADATA | {"name": "parlour", "is_parallelizable": False}

    def __init__(
        self,
        game: Game,
        variant: str | None = None,
        *,
        encoding: str = "onehot",
        reward: str = "progress",
        illegal: str = "end",
        skip_forced: bool = False,
        hands: int = 1,
        render_mode: str | None = None,
        picture: dict[str, Any] | None = None,
        **options: Any,
    ) -> None:
        super().__init__()
        arguments.check_options(game, options, CardAECEnv)
        rules = game.make_rules(variant, options)
        players = game.num_players(rules)
        if players < 2:
            raise ValueError(_single_player_text(game, variant))
        self.game = game
        self.encoding = encoding
        self.illegal = illegal
        self.hands = check_range("hands", hands, 1)
        self._renderer = Renderer(render_mode, picture, game.title)
        self.render_mode = self._renderer.mode
        self.metadata = type(self).metadata | {"name": f"{game.name}_v{game.version}"}
        config = StepConfig(
            reward=int(
                Reward[arguments.check_choice("reward", reward, arguments.REWARD_NAMES).upper()]
            ),
            reset=int(Autoreset.DISABLED),
            skip_forced=int(parse_bool("skip_forced", skip_forced)),
            illegal=arguments.illegal_mode(illegal),
        )
        self.rows = Rows(game, rules, 1, config)
        self.possible_agents = [f"player_{seat}" for seat in range(players)]
        self.observation_spaces = {agent: self._space() for agent in self.possible_agents}
        self.action_spaces = {
            agent: gym.spaces.Discrete(game.actions) for agent in self.possible_agents
        }
        self.state_space = arguments.observation_space(game, encoding, players)
        self.agents: list[str] = []
        self.agent_selection = self.possible_agents[0]
        self._actions = np.zeros(1, np.int64)
        self._acted = 0
        self._played = -1
        self._hand = 0
        self._ended_net = np.zeros(players, np.int64)
        """Net results of the seats in the hands of the match before the current one."""
        self._started = False

    def _space(self) -> gym.spaces.Dict:
        mask = gym.spaces.Box(0, 1, (self.game.actions,), np.int8)
        seen = arguments.observation_space(self.game, self.encoding)
        return gym.spaces.Dict({"observation": seen, "action_mask": mask})

    @property
    def rules(self) -> Any:
        """The rules of the game, a NamedTuple."""
        return self.rows.rules

    def observation_space(self, agent: str) -> gym.spaces.Dict:
        """Return the observation space of an agent, always the same object."""
        return self.observation_spaces[self._check_agent(agent)]

    def action_space(self, agent: str) -> gym.spaces.Discrete:
        """Return the action space of an agent, always the same object."""
        return self.action_spaces[self._check_agent(agent)]

    def reset(self, seed: int | None = None, options: Mapping[str, Any] | None = None) -> None:
        """Begin a new hand, or a new match.

        Args:
            seed: Seed of the random generator (None: continue with the current generator).
            options: The deal to play (None: a random deal); see `parlour.envs.CardEnv.reset`. In a
                match, the options apply to the first hand.

        Raises:
            ValueError: The seed or an option is invalid.
        """
        given = None if isinstance(options, Mapping) and options == API_TEST else options
        chosen = arguments.read_reset_options(self.game, self.rules, given)
        seed = arguments.seed_number(seed)
        if seed is not None or not self._started:
            rng, _ = gym.utils.seeding.np_random(seed)
            self.rows.reseed(0, rng)
        arguments.start_rows(self.rows, chosen)
        self._hand = 0
        self._ended_net[:] = 0
        self._begin()

    def step(self, action: Any) -> None:
        """Play an action of the agent that acts (``agent_selection``).

        Args:
            action: Number of the action, an integer; None if the agent is terminated or truncated.

        Raises:
            ResetNeeded: No hand has begun, or all agents have made their last step.
            ValueError: The action is not an integer.
            InvalidAction: The action is illegal, with ``illegal="raise"``.
        """
        self._need_reset(not self.agents)
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        chosen = whole_number(action)
        if self.illegal == "raise":
            self._refuse(agent, chosen)
        self._actions[0] = kernel_action(chosen)
        self._acted = self._seat(agent)
        self.rows.step(self._actions)
        self._cumulative_rewards[agent] = 0.0
        self._publish_step()

    def agent_iter(self, max_iter: int = 2**63) -> Any:
        """Iterate over the agents in the order in which they act; each must step in turn."""
        self._need_reset(not self._started)
        return super().agent_iter(max_iter)

    def last(self, observe: bool = True) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Return the observation, reward and info of the agent that acts.

        Args:
            observe: Whether to return the observation; otherwise None takes its place.

        Returns:
            The agent's observation, the sum of its rewards since its last step, terminated,
            truncated and info.

        Raises:
            ResetNeeded: No hand has begun, or all agents have made their last step.
        """
        self._need_reset(not self.agents)
        return super().last(observe)

    def _begin(self) -> None:
        self._started = True
        self.agents = list(self.possible_agents)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self._publish_step()

    def _publish_step(self) -> None:
        """Update rewards, ends, infos and the acting agent after a step or the deal."""
        players = len(self.agents)
        self._played = int(self.rows.played[0])
        paid = self.rows.buffers.rewards[0, :players].copy()
        while self.rows.states["over"][0] in FINISHED and self._hand + 1 < self.hands:
            self._deal_next_hand()
            paid += self.rows.buffers.rewards[0, :players]
        over = int(self.rows.states["over"][0])
        truncated = over == Over.TRUNCATED
        terminated = over in FINISHED
        self.terminations = dict.fromkeys(self.agents, terminated)
        self.truncations = dict.fromkeys(self.agents, truncated)
        self.rewards = dict(zip(self.agents, paid.tolist(), strict=True))
        self._accumulate_rewards()
        self.infos = self._infos()
        turn = 0 if terminated else int(self.rows.states["turn"][0])
        self.agent_selection = self.possible_agents[turn]
        self._renderer.show(self.render)

    def _deal_next_hand(self) -> None:
        """Deal the next hand of the match; the deal passes to the next seat."""
        state = self.rows.states[0]
        self._ended_net += state["net"][: len(self._ended_net)]
        self._hand += 1
        dealer = None
        if self.game.has_dealer:
            dealer = (int(state["dealer"]) + 1) % len(self.possible_agents)
        self.rows.start(DealSource.DRAW, dealer=dealer)

    def _infos(self) -> dict[str, dict[str, Any]]:
        seats = np.arange(len(self.possible_agents))
        facts = self.game.info_facts(self._repeat_state(len(seats)), self.rules, seats)
        if self.illegal == "random":
            facts["played_action"] = np.where(seats == self._acted, self._played, -1)
        if self.hands > 1:
            facts["hand"] = np.full(len(seats), self._hand)
            facts["match_score"] = self._ended_net + facts["score"]
        rows = zip(*(values.tolist() for values in facts.values()), strict=True)
        return {
            agent: dict(zip(facts, row, strict=True))
            for agent, row in zip(self.possible_agents, rows, strict=True)
        }

    def _refuse(self, agent: str, action: int) -> None:
        mask = self._mask(self._seat(agent))
        if not 0 <= action < self.game.actions or not mask[action]:
            legal = np.flatnonzero(mask).tolist()
            message = illegal_action_text(
                self.game, self.rules, self.rows.states[0], action, legal, f"action of {agent}"
            )
            raise gym.error.InvalidAction(f"{message}\n{ansi(self.scene(agent))}")

    def _check_agent(self, agent: str) -> str:
        if not isinstance(agent, str) or agent not in self.action_spaces:
            raise ValueError(unknown_text("agent", agent, self.possible_agents))
        return agent

    def _seat(self, agent: str) -> int:
        return self.possible_agents.index(self._check_agent(agent))

    def _need_reset(self, wrong: bool) -> None:
        if wrong:
            raise gym.error.ResetNeeded("no hand is running: call reset() first")

    def _view_states(self, *seats: int) -> np.ndarray:
        """Return copies of the state as the seats see it, one for each seat."""
        self._need_reset(not self._started)
        return view_states(self.game, self.rules, self._repeat_state(len(seats)), np.array(seats))

    def _repeat_state(self, times: int) -> np.ndarray:
        return copy_states(self.rows.states, np.zeros(times, np.int64))

    def _mask(self, seat: int) -> np.ndarray:
        states = self.rows.states
        asked = states["over"][0] not in FINISHED and states["turn"][0] == seat
        return self.rows.buffers.masks[0] * np.int8(asked)

    def observe(self, agent: str) -> dict[str, np.ndarray]:
        """Return the current observation and action mask of an agent as new arrays."""
        seat = self._seat(agent)
        codes = observation_codes(self._view_states(seat))
        seen = arguments.encode_observations(self.game, self.encoding, codes)[0]
        return {"observation": seen, "action_mask": self._mask(seat)}

    def state(self) -> np.ndarray:
        """Return the stacked observations of all seats, (players, width or columns)."""
        codes = observation_codes(self._view_states(*range(len(self.possible_agents))))
        return arguments.encode_observations(self.game, self.encoding, codes)

    def explain(self, observation: Mapping[str, np.ndarray] | np.ndarray) -> dict[str, Any]:
        """Return the values of an observation by name; see `Features.explain`.

        Args:
            observation: The dictionary of an observation, or its array.

        Raises:
            ValueError: The observation is not one of this game.
        """
        seen = observation
        if isinstance(observation, Mapping):
            if "observation" not in observation:
                raise ValueError(
                    f"observation must have the key 'observation', got {shorten(list(observation))}"
                )
            seen = observation["observation"]
        return self.game.features.explain(seen)

    def clone(self) -> np.ndarray:
        """Return a copy of the state, (1,), for `restore`."""
        return self.rows.states.copy()

    def restore(self, state: np.ndarray) -> None:
        """Restore a state that `clone` returned. All agents are live again.

        Rewards that `last` has not returned yet are lost. The state replaces the current hand. In a
        match, the number of the hand and the results of earlier hands do not change.

        Args:
            state: The state, (1,).

        Raises:
            ValueError: The state is not a valid state of the game.
        """
        self.rows.restore(state)
        self._begin()

    def scene(self, agent: str | None = None) -> Scene:
        """Return the table as an agent sees it (None: the agent that acts)."""
        self._need_reset(not self._started)
        seat = self._seat(self.agent_selection if agent is None else agent)
        return self.game.layout(self._view_states(seat)[0], self.rules)

    def __repr__(self) -> str:
        """Return the title and the rules of the game."""
        name = self.game.variant_name(self.rules) or to_plain(self.rules)
        return f"<CardAECEnv {self.game.title}, {name}>"


def _single_player_text(game: Game, variant: str | None) -> str:
    """Return the error message for a variant for one player, with the multiplayer variants."""
    several = [name for name, rules in game.variants.items() if game.num_players(rules) > 1]
    hint = f"For one player, use parlour.envs.make({game.name!r}, ...)"
    if not several:
        return f"game must be a multiplayer game, got {game.name!r}. {hint}"
    return (
        f"variant must be {choices_text(several)}, got {variant or game.default!r}, which is for "
        f"one player. {hint}"
    )


for _game in GAMES.values():
    if _game.max_players > 1:
        register_env(
            "aec",
            f"parlour/{_game.name}-v{_game.version}",
            "parlour.envs.interfaces.pettingzoo:env",
            kwargs={"game": _game.name},
        )
