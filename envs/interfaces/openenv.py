"""The games as environments of OpenEnv, for servers and their clients.

``make_app("pyramid", "classic")`` returns the application of a server, which uvicorn runs.
"""

from functools import partial
from typing import Any

from parlour.extras import name_extra

from .text import TextEnv

with name_extra("parlour.envs.interfaces.openenv"):
    from openenv.core.env_server import create_fastapi_app
    from openenv.core.env_server.interfaces import Environment
    from openenv.core.env_server.types import Action, Observation, State

__all__ = ["CardEnvironment", "TextAction", "TextObservation", "make_app"]

SESSIONS = 64
"""Default number of games that a server plays at a time."""


class TextAction(Action):
    """An answer of the model."""

    text: str


class TextObservation(Observation):
    """A prompt, or a reply to a mistake."""

    text: str
    legal_actions: list[str]


class CardEnvironment(Environment[TextAction, TextObservation, State]):
    """One game; see `TextEnv` for the texts and the rewards.

    ``reset`` takes a seed, or a numbered deal as ``deal``. The metadata of an observation has the
    kind of a mistake, and whether the game was truncated.

    Args:
        game: The game, or its name.
        variant: Name of the variant (None: the default variant).
        **keywords: Further arguments of `TextEnv`.
    """

    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self, game: Any, variant: str | None = None, **keywords: Any) -> None:
        super().__init__()
        self._env = TextEnv(game, variant, **keywords)
        self._state = State()

    def reset(
        self,
        seed: int | None = None,
        episode_id: str | None = None,
        deal: int | None = None,
        **_: Any,
    ) -> TextObservation:
        """Begin a game."""
        options = None if deal is None else {"deal": deal}
        self._state = State(episode_id=episode_id, step_count=0)
        text = self._env.reset(seed=seed, options=options)
        return TextObservation(text=text, legal_actions=self._env.legal_actions())

    def step(self, action: TextAction, timeout_s: float | None = None, **_: Any) -> TextObservation:
        """Play the move that an answer names."""
        text, reward, done, info = self._env.step(action.text)
        self._state.step_count += 1
        return TextObservation(
            text=text,
            legal_actions=self._env.legal_actions(),
            done=done,
            reward=reward,
            metadata={name: info[name] for name in ("mistake", "mistakes", "truncated")},
        )

    @property
    def state(self) -> State:
        """The identity of the episode and its number of steps, without any card."""
        return self._state


def make_app(
    game: Any, variant: str | None = None, *, sessions: int = SESSIONS, **keywords: Any
) -> Any:
    """Return the FastAPI application of a server.

    Args:
        game: The game, or its name.
        variant: Name of the variant (None: the default variant).
        sessions: Maximum number of games at a time.
        **keywords: Further arguments of `TextEnv`.
    """
    make = partial(CardEnvironment, game, variant, **keywords)
    make()  # raises ValueError for wrong arguments before the server starts
    return create_fastapi_app(make, TextAction, TextObservation, max_concurrent_envs=sessions)
