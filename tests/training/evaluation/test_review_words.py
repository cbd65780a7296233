"""Words of reviews: whole moves in cards, what they lost, better moves, and no hidden card."""

import re
from dataclasses import replace
from functools import cache

import pytest

from parlour.agents.human import list_complete_moves
from parlour.envs import GAMES, find_game
from parlour.envs.core.rows import resample_copies
from parlour.training.evaluation.replays.paths import find_path
from parlour.training.evaluation.reviews.review import Review
from parlour.training.evaluation.reviews.review_deal_set import review_deal_set
from parlour.training.evaluation.reviews.review_words import (
    gerund,
    list_moves,
    review_data,
    tell_move,
)

WORLDS = 4
SENTENCE = re.compile(
    r"[A-Z][a-z]+ing( .+)? (threw (the win|the last chance) away; .+ kept it at \d+ %"
    r"|(made the deal unwinnable and )?lowered the chance to \d+ %; .+ kept it at \d+ %"
    r"|lost \d+\.\d\d (points|stakes|antes) on average; .+ing.* was better"
    r"|made the deal unwinnable, but the known cards suggested no better move"
    r"|changed nothing: no sampled world could be won"
    r"|was (the only move|the best move|as good as any other move"
    r"|\S+ (%|points|stakes|antes) below the best move, within the error of the estimate))\."
    r"( With all cards known, it lost \d+ card points? for its side\.)?"
)


@cache
def review_of(name: str) -> Review:
    """Return a review of a game of the uniform agent."""
    player = None if find_game(name).solving and find_game(name).seats is None else "greedy"
    reviewed = review_deal_set(
        name, "uniform", deals=1, first=1, worlds=WORLDS, player=player, evaluation_seed="words"
    )
    return reviewed.reviews[0]


@pytest.mark.parametrize("name", GAMES)
def test_each_move_has_a_sentence_in_cards(name: str) -> None:
    review = review_of(name)
    moves = list_moves(review)
    assert [i for move in moves for i in range(move.first, move.stop)] == [
        *range(len(review.actions))
    ]
    for move in moves:
        text = tell_move(review, move)
        assert SENTENCE.fullmatch(text), text
        assert not re.search(r"\b[2-9TJQKA][cdhs]\b|--|\bpyramid \d", text), text
        assert not text.startswith("Choosing"), text
        is_lost = bool(review.lost[move.first : move.stop].any())
        assert bool(move.better) <= is_lost
        if move.better:
            assert move.better_phrase != move.phrase


@pytest.mark.parametrize("name", GAMES)
def test_words_and_paths_show_no_hidden_card(name: str) -> None:
    """With resampled hidden cards, the words and the paths stay the same."""
    review = replace(review_of(name), open_values=None, points=None)
    seat = -1 if review.game.num_players(review.rules) == 1 else review.seat
    again = replace(
        review, positions=resample_copies(review.game, review.rules, review.positions, 5, seat)
    )
    assert review_data(again)["moves"] == review_data(review)["moves"]
    for move in list_moves(review)[:10]:
        action = review.played[review.steps[move.first] : review.steps[move.first] + 1].tolist()
        states = slice(move.first, move.first + 1)
        paths = [
            find_path(one.game, one.rules, one.positions[states], action, review.seat)
            for one in (review, again)
        ]
        assert paths[0] == paths[1]


def test_the_better_move_is_a_whole_legal_move() -> None:
    review = review_of("pyramid")
    better = [(move.first, move.better) for move in list_moves(review) if move.better]
    assert any(len(actions) > 1 for _, actions in better)
    for first, actions in better:
        state = review.positions[first : first + 1]
        assert list(actions) in list_complete_moves(review.game, review.rules, state)


def test_a_thrown_away_win_is_told_with_the_better_move() -> None:
    reviewed = review_deal_set(
        "pyramid", "greedy", deals=1, worlds=50, evaluation_seed="demo", variant="three-passes"
    ).reviews[0]
    texts = [tell_move(reviewed, move) for move in list_moves(reviewed)]
    assert "Taking 3♥ with T♦ threw the win away; dealing from the stock kept it at 94 %." in texts
    (lost,) = [one for one in review_data(reviewed)["moves"] if one["lost"]]
    assert lost["path"] == [(0.0, 4.25), (1.25, 4.25)]  # from the stock to the waste


@pytest.mark.parametrize(
    ("phrase", "noun"),
    [
        ("take 2♣ with J♦", "taking 2♣ with J♦"),
        ("bid 17", "bidding 17"),
        ("pass", "passing"),
        ("bet 3 chips", "betting 3 chips"),
        ("undo the last move", "undoing the last move"),
        ("raise by 3 chips", "raising by 3 chips"),
    ],
)
def test_phrases_become_nouns(phrase: str, noun: str) -> None:
    assert gerund(phrase) == noun
