"""A game for several seats as a PettingZoo environment: its agents act one after another (AEC).

PettingZoo comes with the extra ``pettingzoo``: ``pip install "parlour[pettingzoo]"``. Here six
seats play a hand at random, each knowing its own cards:

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

For one seat against agents of Parlour, as a Gymnasium environment, see `parlour.envs.make`.
"""

from collections.abc import Mapping
from typing import Any

import gymnasium as gym
import numpy as np

from ..core.batch import FINISHED, Autoreset, Over, Reward, StepConfig
from ..core.game import Game
from ..core.game import find_game as find_game
from ..core.options import parse_bool, to_plain, unknown_text
from ..core.rows import Rows, copy_states, observation_codes, view_states
from ..core.scene.scene import Scene, ansi
from ..render.pictures import METADATA, RenderedTable, Renderer
from . import arguments
from .arguments import kernel_action, whole_number

try:
    from pettingzoo import AECEnv
except ModuleNotFoundError as error:
    raise ModuleNotFoundError(
        f"parlour.envs.interfaces.pettingzoo needs PettingZoo ({error}): "
        'pip install "parlour[pettingzoo]"',
        name=error.name,
    ) from error

__all__ = ["CardAECEnv", "env"]

API_TEST = {"options": 1}
"""What PettingZoo's ``api_test`` hands to every ``reset``: no option of ours."""


def env(game: str, variant: str | None = None, **keywords: Any) -> "CardAECEnv":
    """Make a table by the game's name, with ``_`` or ``-``; keywords are those of `CardAECEnv`."""
    return CardAECEnv(find_game(game), variant, **keywords)


class CardAECEnv(RenderedTable, AECEnv):
    """A card game for several; its seats are the agents ``player_0``, ``player_1`` ..., clockwise.

    Description:
        ``aec.env("seven-twenty-seven", "declare", players=6)`` is that variant with one option
        changed. The agent whose turn it is (``agent_selection``) steps; ``last()`` has its
        observation, its rewards since its last step, and its info.

    Action Space:
        ``Discrete(actions)`` for each agent.

    Observation Space:
        A dict. ``"observation"`` is what the agent's seat sees, whosever turn it is:
        ``encoding="onehot"``: uint8 0/1, the game's one-hot columns; ``"codes"``: int8 card codes;
        ``explain(observation)`` names each piece. ``"action_mask"``, int8 (actions,), has the legal
        actions of the seat that is asked, and is all zeros for every other. ``state()``, all seats'
        observations one below the other, is for critics that may see every hand.

    Rewards:
        Each seat is paid its own at the end of the hand: ``"progress"``: its net in the game's
        unit, such as antes; ``"win"``: 1 if that is above 0; ``"score"``: the net as it is. An
        illegal action gives -1 to the seat that chose it, and counts as the game says, such as a
        fold; see ``illegal``.

    Episode End:
        All agents terminate together when the hand is over; then each steps once more with None.
        So do all agents after `restore` of a truncated hand; its mask stays the same.
        Where a rule ends a hand at the deal, all are terminated after ``reset``.

    Infos:
        The same keys from the reset on, each as the hand stands for the seat: won, and the same as
        ``is_success``; ``score``, which is 0 until the end; ``moves``; ``illegal_action``, whether
        the seat has chosen one in this hand; and what the game adds.

    Arguments:
        game: The game, as `parlour.envs.find_game` returns it.
        variant: The name of rules; None: the game's default.
        encoding: ``"onehot"`` or ``"codes"``.
        reward: ``"progress"``, ``"win"`` or ``"score"``.
        illegal: What an illegal action does, as in `parlour.envs.CardEnv`; with ``"random"`` the
            ``"played_action"`` of a seat that did not act is -1.
        skip_forced: After a step, take actions at once while exactly one is legal, whosever they
            are.
        render_mode, picture: As of `parlour.envs.CardEnv`.
        **options: The game's options, in place of the variant's.

    ``reset(options={"deck": [...]})`` plays a chosen deck, ``{"deal": 17}`` a numbered one, of
    ``"deal_set"`` if that is given; ``"dealer"``, a seat, deals where there is a dealer. A reset
    without a seed goes on with the generator.
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
        render_mode: str | None = None,
        picture: dict[str, Any] | None = None,
        **options: Any,
    ) -> None:
        super().__init__()
        arguments.check_options(game, options)
        rules = game.make_rules(variant, options)
        players = game.num_players(rules)
        if players < 2:
            raise ValueError(_single_player_text(game, variant))
        self.game = game
        self.encoding = encoding
        self.illegal = illegal
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
        self._started = False

    def _space(self) -> gym.spaces.Dict:
        mask = gym.spaces.Box(0, 1, (self.game.actions,), np.int8)
        seen = arguments.observation_space(self.game, self.encoding)
        return gym.spaces.Dict({"observation": seen, "action_mask": mask})

    @property
    def rules(self) -> Any:
        """The rules played, a NamedTuple."""
        return self.rows.rules

    def observation_space(self, agent: str) -> gym.spaces.Dict:
        """Return the space of an agent's observations, the same object each time."""
        return self.observation_spaces[self._check_agent(agent)]

    def action_space(self, agent: str) -> gym.spaces.Discrete:
        """Return the space of an agent's actions, the same object each time."""
        return self.action_spaces[self._check_agent(agent)]

    def reset(self, seed: int | None = None, options: Mapping[str, Any] | None = None) -> None:
        """Begin a new hand: seeded, chosen (``options``), or the next of the generator."""
        given = None if isinstance(options, Mapping) and options == API_TEST else options
        chosen = arguments.read_reset_options(self.game, self.rules, given)
        seed = arguments.seed_number(seed)
        if seed is not None or not self._started:
            rng, _ = gym.utils.seeding.np_random(seed)
            self.rows.reseed(0, rng)
        arguments.start_rows(self.rows, chosen)
        self._begin()

    def step(self, action: Any) -> None:
        """Play an action for the agent whose turn it is; None where it is terminated.

        Raises ResetNeeded before the first reset and after the last agent's end.
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
        """Go round the agents whose turn it is; each must step before the next is asked."""
        self._need_reset(not self._started)
        return super().agent_iter(max_iter)

    def last(self, observe: bool = True) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Return observation, rewards since its last step, ends and info of who is to step."""
        self._need_reset(not self.agents)
        return super().last(observe)

    def _begin(self) -> None:
        self._started = True
        self.agents = list(self.possible_agents)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self._publish_step()

    def _publish_step(self) -> None:
        """Say what the last step, or the deal, has brought to all."""
        over = int(self.rows.states["over"][0])
        truncated = over == Over.TRUNCATED
        terminated = over in FINISHED
        self.terminations = dict.fromkeys(self.agents, terminated)
        self.truncations = dict.fromkeys(self.agents, truncated)
        paid = self.rows.buffers.rewards[0, : len(self.agents)].tolist()
        self.rewards = dict(zip(self.agents, paid, strict=True))
        self._accumulate_rewards()
        self.infos = self._infos()
        turn = 0 if terminated else int(self.rows.states["turn"][0])
        self.agent_selection = self.possible_agents[turn]
        self._renderer.show(self.render)

    def _infos(self) -> dict[str, dict[str, Any]]:
        seats = np.arange(len(self.possible_agents))
        facts = self.game.info_facts(self._repeat_state(len(seats)), self.rules, seats)
        if self.illegal == "random":
            facts["played_action"] = np.where(seats == self._acted, self.rows.played[0], -1)
        rows = zip(*(values.tolist() for values in facts.values()), strict=True)
        return {
            agent: dict(zip(facts, row, strict=True))
            for agent, row in zip(self.possible_agents, rows, strict=True)
        }

    def _refuse(self, agent: str, action: int) -> None:
        mask = self._mask(self._seat(agent))
        if not 0 <= action < self.game.actions or not mask[action]:
            can = ", ".join(f"{a} {self.game.label(a)}" for a in np.flatnonzero(mask).tolist())
            name = self.game.label(action) if 0 <= action < self.game.actions else "no action"
            raise gym.error.InvalidAction(
                f"action {action} ({name}) is not legal here for {agent}; legal are: {can}\n"
                f"{ansi(self.scene(agent))}"
            )

    def _check_agent(self, agent: str) -> str:
        if not isinstance(agent, str) or agent not in self.action_spaces:
            raise ValueError(unknown_text("agent", agent, self.possible_agents))
        return agent

    def _seat(self, agent: str) -> int:
        return self.possible_agents.index(self._check_agent(agent))

    def _need_reset(self, wrong: bool) -> None:
        if wrong:
            raise gym.error.ResetNeeded("this hand is over or not begun: call reset() first")

    def _view_states(self, *seats: int) -> np.ndarray:
        """The state as each of the seats sees it."""
        self._need_reset(not self._started)
        return view_states(self.game, self.rules, self._repeat_state(len(seats)), np.array(seats))

    def _repeat_state(self, times: int) -> np.ndarray:
        return copy_states(self.rows.states, np.zeros(times, np.int64))

    def _mask(self, seat: int) -> np.ndarray:
        states = self.rows.states
        asked = states["over"][0] not in FINISHED and states["turn"][0] == seat
        return self.rows.buffers.masks[0] * np.int8(asked)

    def observe(self, agent: str) -> dict[str, np.ndarray]:
        """Return what an agent sees now, and which actions it can take: arrays of their own."""
        seat = self._seat(agent)
        codes = observation_codes(self._view_states(seat))
        seen = arguments.encode_observations(self.game, self.encoding, codes)[0]
        return {"observation": seen, "action_mask": self._mask(seat)}

    def state(self) -> np.ndarray:
        """Return what all seats together see: their observations, (players, width or columns)."""
        codes = observation_codes(self._view_states(*range(len(self.possible_agents))))
        return arguments.encode_observations(self.game, self.encoding, codes)

    def explain(self, observation: Mapping[str, np.ndarray] | np.ndarray) -> dict[str, Any]:
        """Name what an observation of this game says, in either encoding."""
        seen = observation
        if isinstance(observation, Mapping):
            if "observation" not in observation:
                raise ValueError("observation: a dictionary has to have the key 'observation'")
            seen = observation["observation"]
        return self.game.features.explain(seen)

    def clone(self) -> np.ndarray:
        """Return a copy of the whole state, to be given to `restore`."""
        return self.rows.states.copy()

    def restore(self, state: np.ndarray) -> None:
        """Go back to a cloned state, all agents there; rewards not yet collected are forgotten."""
        self.rows.restore(state)
        self._begin()

    def scene(self, agent: str | None = None) -> Scene:
        """Return which card lies where, as an agent sees it (None: the one that is to step)."""
        self._need_reset(not self._started)
        seat = self._seat(self.agent_selection if agent is None else agent)
        return self.game.layout(self._view_states(seat)[0], self.rules)

    def __repr__(self) -> str:
        """Name the game and its rules."""
        name = self.game.variant_name(self.rules) or to_plain(self.rules)
        return f"<CardAECEnv {self.game.title}, {name}>"


def _single_player_text(game: Game, variant: str | None) -> str:
    """Say that rules are for one player, and which are not."""
    several = [name for name, rules in game.variants.items() if game.num_players(rules) > 1]
    hint = f" Variants for several: {', '.join(several)}." if several else ""
    return (
        f"{game.title}, variant {variant or game.default!r}, is for one player: "
        f"use parlour.envs.make({game.name!r}, ...).{hint}"
    )
