"""Fifty-Six, a trick-taking game with two decks.

README.md in this folder has the rules and sources.
"""

from ...core.batch import make_resample_rows, make_score_rows, make_view_rows
from ...core.contract import Seats, Solving
from ...core.game import Game
from .guide import VARIANT_NOTES, how_to_play, prompt, refusal
from .heuristic import WEIGHTS, heuristic, rule
from .kernel import STATE_CHECK, check_deck, kernels, reward_unit
from .knowledge import HIDDEN, resample_hidden, view
from .layout import action_words, describe_action, final_info, layout
from .rules import (
    ACTIONS,
    DEFAULT,
    EARLIER,
    FEATURES,
    REFERENCES,
    SEATS,
    SOURCES,
    STATE,
    VARIANTS,
    Rules,
    check,
    label,
    pack,
    sides,
)
from .solver import WORLD_LIMIT, solve, winnable_after

GAME = Game(
    name="fifty_six",
    title="Fifty-Six",
    nicknames=("56",),
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
    score_range=(-20, 20),
    seats=Seats(SEATS, make_view_rows(view), reward_unit, sides, check_deck),
    state_check=STATE_CHECK,
    hidden_cards=HIDDEN,
    solving=Solving(solve, winnable_after, world_limit=WORLD_LIMIT),
    pack=pack,
    rule_agents={"rule": make_score_rows(rule)},
    earlier=EARLIER,
)
"""The game, registered in `parlour.envs.GAMES`."""

__all__ = ["GAME", "VARIANTS", "Rules"]
