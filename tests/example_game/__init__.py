"""Higher or Lower, the example of docs/develop/add_game.md: a game to copy.

Its folder has the same structure as those in envs/games/. It is not a game of Parlour: only the
tests of this folder register it.
"""

from parlour.envs.core.batch import make_resample_rows, make_score_rows
from parlour.envs.core.game import Game
from tests.example_game.guide import VARIANT_NOTES, how_to_play, prompt, refusal
from tests.example_game.heuristic import WEIGHTS, heuristic
from tests.example_game.kernel import kernels, resample_hidden
from tests.example_game.knowledge import STATE_CHECK
from tests.example_game.layout import action_words, describe_action, final_info, layout
from tests.example_game.rules import (
    ACTIONS,
    DEFAULT,
    FEATURES,
    GUESSES,
    REFERENCES,
    SOURCES,
    STATE,
    VARIANTS,
    Rules,
    check,
    label,
)

GAME = Game(
    name="higher_or_lower",
    title="Higher or Lower",
    rules=Rules,
    variants=VARIANTS,
    sources=SOURCES,
    variant_notes=VARIANT_NOTES,
    references=REFERENCES,
    default=DEFAULT,
    check=check,
    features=FEATURES,
    state=STATE,
    actions=ACTIONS,
    label=label,
    kernels=kernels,
    resample_rows=make_resample_rows(resample_hidden),
    score_rows=make_score_rows(heuristic),
    heuristic_weights=WEIGHTS,
    layout=layout,
    action_words=action_words,
    describe_action=describe_action,
    how_to_play=how_to_play,
    prompt=prompt,
    refusal=refusal,
    final_info=final_info,
    score_range=(0, GUESSES),
    state_check=STATE_CHECK,
)
"""The game, in the form of the entries of `parlour.envs.GAMES`."""

__all__ = ["GAME", "VARIANTS", "Rules"]
