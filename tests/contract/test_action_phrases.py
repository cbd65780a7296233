"""Phrases of actions: each names one legal action by cards and verbs, and shows no hidden card."""

import re

import pytest

from parlour.envs import Game
from parlour.envs.core.kernel.cards import RANKS, SUIT_SIGNS
from parlour.envs.core.rows import resample_copies
from tests.contract.cases import Case, positions, random_cases
from tests.walkers import legal_actions

LONGEST = 48
"""Characters of a phrase. Only sums of many cards in Pyramid are longer than 40."""
CARD = f"[{RANKS}][{SUIT_SIGNS}]"
COUNTED = {"column", "pile", "bid", "bet", "call", "by", "declare", "both", "and", "from", "to"}
"""The words before a number: piles that the table numbers, bids, chips and totals."""
RESAMPLED = 3
"""Number of sampled worlds in which each position is described again."""


def is_plain(phrase: str) -> bool:
    """Whether a phrase begins with a verb, and names no place or card by number or letter."""
    words = phrase.split(" ")
    numbers = [i for i, word in enumerate(words) if word.isdigit()]
    return (
        re.fullmatch("[a-z]+", words[0]) is not None
        and all(words[i - 1] in COUNTED for i in numbers)
        and all(re.fullmatch(CARD, one) for one in re.findall(rf"\S[{SUIT_SIGNS}]", phrase))
        and not re.search(rf"\b[{RANKS}][cdhs]\b", phrase)
        and "--" not in phrase
    )


def check(case: Case, games: int, seed: int, every: int) -> None:
    game, rules = case.game, case.rules
    keywords = {"max_moves": 150} if case.players == 1 else {}
    env = case.whole(encoding="codes", **keywords)
    for step in positions(env, games, seed, every):
        if env.rows.states["over"][0]:
            continue
        state = env.clone()
        seat = -1 if case.players == 1 else int(state["turn"][0])
        legal = legal_actions(env.rows)
        phrases = [game.describe_action(state[0], rules, action) for action in legal]
        assert all(isinstance(phrase, str) and len(phrase) <= LONGEST for phrase in phrases)
        assert all(map(is_plain, phrases)), (str(case), phrases)
        assert len(set(phrases)) == len(phrases), (str(case), sorted(phrases))
        whole = [game.describe_action(state[0], rules, one) for one in range(game.actions)]
        assert all(whole)
        for other in resample_copies(game, rules, state.repeat(RESAMPLED), step, seat):
            again = [game.describe_action(other, rules, one) for one in range(game.actions)]
            assert again == whole, f"{case}: a phrase of step {step} shows a hidden card"


def test_each_legal_action_has_its_own_phrase_without_hidden_cards(case: Case) -> None:
    check(case, 3, seed=70, every=2 if case.players == 1 else 3)


@pytest.mark.parametrize("each", [4, pytest.param(15, marks=pytest.mark.slow)])
def test_phrases_with_random_options(each: int) -> None:
    for case in random_cases(each, seed=71):
        check(case, 2, seed=72, every=5)


def test_an_action_that_does_not_exist_is_an_error(game: Game) -> None:
    case = Case(game, game.default)
    env = case.whole(encoding="codes")
    env.reset(seed=1)
    for action in (-1, game.actions):
        with pytest.raises(ValueError, match=rf"action must be from 0 to \d+, got {action}"):
            game.describe_action(env.clone()[0], case.rules, action)


@pytest.mark.parametrize(
    ("phrase", "is_fine"),
    [
        ("take J♦ with 2♣", True),
        ("move 7♥ to column 5", True),
        ("bid 17", True),
        ("raise by 3 chips", True),
        ("declare both 7 and 27", True),
        ("pyramid 27", False),
        ("play Jh", False),
        ("DEAL", False),
        ("choose --", False),
        ("place 9♦ at 14", False),
    ],
)
def test_plain_phrases(phrase: str, is_fine: bool) -> None:
    assert is_plain(phrase) == is_fine
