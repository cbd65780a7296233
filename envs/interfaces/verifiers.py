"""The games as a taskset and an environment of ``verifiers``.

``verifiers`` finds both by the name of a module at the top level of the import path. A file
``parlour_cards.py`` with the line ``from parlour.envs.interfaces.verifiers import *`` and
``__all__ = ["CardTaskset", "CardGameEnv"]`` makes them the taskset ``parlour-cards``.
"""

from collections.abc import Iterator
from typing import Any

from parlour.extras import name_extra

from .text import TextEnv

with name_extra("parlour.envs.interfaces.verifiers"):
    import verifiers.v1 as vf

__all__ = ["CardGameEnv", "CardTaskset"]


class CardTaskData(vf.TaskData):
    """A numbered deal."""

    deal: int


class CardTask(vf.Task[CardTaskData]):
    """The game of a deal. `CardGameEnv` opens the conversation and computes the rewards."""


class CardTasksetConfig(vf.TasksetConfig):
    """The game, its rules and its deals."""

    game: str = "pyramid"
    """Name of the game."""
    variant: str | None = None
    """Name of the variant (None: the default variant)."""
    options: dict[str, Any] = {}
    """Further arguments of `TextEnv`: options of the rules, ``penalty``, ``disguise`` and so on."""
    first: int = 0
    """Number of the first deal."""
    deals: int = 1000
    """Number of deals."""


class CardTaskset(vf.Taskset[CardTask, CardTasksetConfig]):
    """The deals of a game."""

    def load(self) -> Iterator[CardTask]:
        """Yield a task for each deal."""
        config = self.config
        for deal in range(config.first, config.first + config.deals):
            name = f"{config.game}-{config.variant or 'default'}-{deal}"
            data = CardTaskData(name=name, deal=deal)
            yield CardTask(data, config.task)


class CardGameEnvConfig(vf.EnvConfig):
    """The agent that plays: a chat without tools."""

    agent: vf.AgentConfig = vf.AgentConfig(harness={"id": "null"})


class CardGameEnv(vf.Env[CardGameEnvConfig]):
    """A game of one agent, which the environment answers like a user.

    The reward ``game`` is the sum of the rewards of the game. The metrics are ``won``, ``score``,
    ``moves`` and ``mistakes``.
    """

    async def run(self, task: CardTask, agents: vf.Agents) -> None:
        """Play the deal of a task."""
        config = self.taskset.config
        env = TextEnv(config.game, config.variant, **config.options)
        text, total, done = env.reset(options={"deal": task.data.deal}), 0.0, False
        info: dict[str, Any] = {}
        async with agents.agent.interaction(task) as player:
            while not done:
                segment = await player.turn(text)
                if segment.terminated:
                    break
                text, reward, done, info = env.step(segment.last_reply)
                total += reward
            player.trace.record_reward("game", total)
            goal = env.game.goal_name(env.rules)
            for name, fact in (
                ("won", goal),
                *((one, one) for one in ("score", "moves", "mistakes")),
            ):
                player.trace.record_metric(name, float(info.get(fact, 0)))
