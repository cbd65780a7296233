"""The texts that a person reads to play: in plain words, always there, and without hidden cards."""

import re
from typing import Any

import numpy as np
import pytest

from parlour.envs import Game
from parlour.envs.core.rows import resample_copies, view_states
from tests.contract.cases import Case, positions, random_cases
from tests.walkers import legal_actions

LONGEST = 100
"""Characters of a prompt: a line of the page."""
RESAMPLED = 3
"""Number of sampled worlds in which each position is described again."""


def is_sentence(text: str) -> bool:
    return (
        re.fullmatch(r"[A-Z0-9].*[.!?]", text) is not None
        and "  " not in text
        and not re.search(r"--|None|\{|\}|_", text.replace("player_", ""))
    )


def check_explanation(game: Game, rules: Any) -> None:
    lines = game.how_to_play(rules)
    assert [line.split(":")[0] for line in lines[:3]] == ["Aim", "Cards", "Points"]
    assert 4 <= len(lines) <= 10 + 11, "each of up to eleven rare rules has a line"
    assert all(map(is_sentence, lines)), lines
    assert all(len(line) <= 170 for line in lines), lines


def test_every_variant_is_explained(case: Case) -> None:
    check_explanation(case.game, case.rules)
    assert is_sentence(case.game.variant_notes[case.variant])
    assert len(case.game.variant_notes[case.variant]) <= 80


def test_random_options_are_explained() -> None:
    for case in random_cases(20, seed=73):
        check_explanation(case.game, case.rules)


def texts_of(case: Case, state: Any) -> list[str]:
    """The prompt, and the refusals of all clicks and of some drags."""
    game, rules = case.game, case.rules
    items = game.layout(state, rules).items
    selected = [item.action for item in items if item.action >= 0 and item.card and item.face_up]
    prompts = [game.prompt(state, rules)]
    if case.players == 1:
        prompts += [game.prompt(state, rules, [action]) for action in selected[:3]]
    assert all(is_sentence(text) and len(text) <= LONGEST for text in prompts), prompts
    others = items[:: max(1, len(items) // 6)]
    refusals = [game.refusal(state, rules, item) for item in items]
    refusals += [game.refusal(state, rules, one, other) for one in items for other in others]
    assert all(map(is_sentence, refusals)), [one for one in refusals if not is_sentence(one)]
    return prompts + refusals


def viewed(case: Case, states: np.ndarray, seat: int) -> np.ndarray:
    if case.players == 1:
        return states
    return view_states(case.game, case.rules, states, np.full(len(states), seat))


def check(case: Case, games: int, seed: int, every: int) -> None:
    game, rules = case.game, case.rules
    keywords = {"max_moves": 150} if case.players == 1 else {}
    env = case.whole(encoding="codes", **keywords)
    for step in positions(env, games, seed, every):
        state = env.clone()
        for viewer in range(min(case.players, 3)):
            texts = texts_of(case, viewed(case, state, viewer)[0])
            asked = case.players == 1 or int(state["turn"][0]) == viewer
            if asked and legal_actions(env.rows) and not state["over"][0]:
                assert not texts[0].startswith(("Waiting", "The game is over", "The hand is over"))
            if env.rows.states["over"][0]:
                continue
            seat = -1 if case.players == 1 else viewer
            others = resample_copies(game, rules, state.repeat(RESAMPLED), step, seat)
            for other in viewed(case, others, viewer):
                assert texts_of(case, other) == texts, f"{case}: step {step} shows a hidden card"


def test_prompts_and_refusals_show_no_hidden_card(case: Case) -> None:
    check(case, 2, seed=74, every=6)


@pytest.mark.parametrize("each", [2, pytest.param(10, marks=pytest.mark.slow)])
def test_prompts_and_refusals_with_random_options(each: int) -> None:
    for case in random_cases(each, seed=75):
        check(case, 1, seed=76, every=9)
