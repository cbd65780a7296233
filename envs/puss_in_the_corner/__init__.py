"""Puss in the Corner, a patience for one player: rules and sources are in README.md beside this."""

from ..core.batch import make_resample_kernel, make_score_kernel
from ..core.cards import PACK
from ..core.game import Game
from .heuristic import WEIGHTS, heuristic
from .kernel import hide, play
from .layout import facts, layout, words
from .record import RECORD
from .rule_agents import tip
from .rules import (
    ACES,
    ACTIONS,
    DEFAULT,
    FEATURES,
    REFERENCES,
    SOURCES,
    STATE,
    VARIANTS,
    Rules,
    check,
    label,
    pack,
)
from .solver.solve import outcomes, solve
from .values import VALUES

GAME = Game(
    name="puss_in_the_corner",
    title="Puss in the Corner",
    rules=Rules,
    variants=VARIANTS,
    sources=SOURCES,
    references=REFERENCES,
    default=DEFAULT,
    check=check,
    features=FEATURES,
    state=STATE,
    actions=ACTIONS,
    label=label,
    play=play,
    hide=make_resample_kernel(hide),
    judge=make_score_kernel(heuristic),
    weights=WEIGHTS,
    layout=layout,
    words=words,
    facts=facts,
    scores=(ACES, PACK),
    values=VALUES,
    solve=solve,
    outcomes=outcomes,
    record=RECORD,
    pack=pack,
    players={"tip": make_score_kernel(tip)},
)

__all__ = ["GAME", "VARIANTS", "Rules"]
