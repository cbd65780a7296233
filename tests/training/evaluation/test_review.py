"""Reviews: costs add up, agree with the solver, and reveal no hidden cards."""

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest

from parlour.agents.baselines import UniformAgent
from parlour.agents.registry import FixedAgent, load_agent
from parlour.envs import Game, find_game
from parlour.envs.core.rows import resample_copies
from parlour.envs.core.solve import WinnableInfo, deal_position, trace_actions
from parlour.training.evaluation.evaluation_spec import make_specs
from parlour.training.evaluation.labels.labels import find_labels
from parlour.training.evaluation.play import play_deal
from parlour.training.evaluation.reviews.review import (
    REVIEW_FILES,
    Review,
    action_kind,
    review_deal,
    review_game,
)
from parlour.training.evaluation.reviews.review_deal_set import (
    DealSetReview,
    review_deal_set,
    review_spec,
)
from parlour.training.evaluation.reviews.review_judges import (
    Judged,
    PlayOutJudge,
    SolverJudge,
    make_judge,
)

PYRAMID = find_game("pyramid")
RULES = PYRAMID.make_rules()
CLOSE = 1e-6


class NoJudge(SolverJudge):
    """A judge without judgments, for values that depend on all cards alone."""

    def judge(self, states: np.ndarray, numbers: np.ndarray) -> Judged:
        result = Judged.empty(len(states), self.game.actions)
        result.values[:] = 0.0
        return result


def actions_of(
    game: Game, rules: object, deal: int, agent: str = "greedy", seats: int = 1
) -> list[int]:
    state = deal_position(game, rules, f"{game.name}-1", deal)
    player = FixedAgent(load_agent(agent, game, rules))
    return play_deal(game, rules, state, [player] * seats, evaluation_seed="k")


def walked(deal: int) -> tuple[list[int], np.ndarray]:
    """Return greedy's actions in a deal of Pyramid, and all positions."""
    actions = actions_of(PYRAMID, RULES, deal)
    first = deal_position(PYRAMID, RULES, "pyramid-1", deal)
    return actions, trace_actions(PYRAMID, RULES, first, actions, 500)


@cache
def played(
    deal: int, worlds: int = 8, variant: str = "three-passes", agent: str = "greedy"
) -> Review:
    rules = PYRAMID.make_rules(variant)
    actions = actions_of(PYRAMID, rules, deal, agent)
    return review_game(PYRAMID, rules, deal, actions, worlds=worlds, max_moves=500)


def assert_telescopes(review: Review) -> None:
    totals = review.totals()
    left = review.chances[0] - review.losses.sum() - review.unseen.sum() + review.luck.sum()
    assert left == pytest.approx(totals["outcome"], abs=CLOSE)
    if review.open_values is not None:
        assert review.open_losses.sum() == review.open_values[0] - review.outcome
        assert (review.unseen >= -CLOSE).all()


@pytest.mark.parametrize("deals", [12, pytest.param(200, marks=pytest.mark.slow)])
def test_thrown_away_are_exactly_the_decisions_where_the_solvers_answer_changes(deals: int) -> None:
    """Greedy plays; every action is judged, not only choices."""
    judge, winnable = NoJudge(PYRAMID, RULES, 1, 0), WinnableInfo(PYRAMID, RULES)
    labels, thrown = find_labels(PYRAMID, RULES, "pyramid-1", 0, deals), 0
    assert labels is not None
    for deal in range(deals):
        actions, states = walked(deal)
        review = review_deal(judge, deal, actions, max_moves=500)
        answers = winnable(states)
        changes = np.flatnonzero((answers[:-1] == 1) & (answers[1:] == 0))
        assert review.steps[review.made_unwinnable].tolist() == changes.tolist(), deal
        assert review.open_values is not None
        assert review.open_values[0] == labels.winnable[deal]
        assert review.outcome == states["won"][-1]
        assert review.open_losses.sum() == review.open_values[0] - review.outcome
        assert review.made_unwinnable.sum() == review.open_values[0] - review.outcome
        thrown += len(changes)
    assert deals / 5 < thrown < deals * 3 / 5


def test_a_second_way_to_ask_the_solver_names_the_same_decisions() -> None:
    """Values before each action must agree with values after it, as in the review."""
    judge, thrown = NoJudge(PYRAMID, RULES, 1, 0), 0
    for deal in range(12):
        actions, states = walked(deal)
        review = review_deal(judge, deal, actions, max_moves=500)
        after = PYRAMID.winnable_after(states[review.steps], RULES)
        taken = after[np.arange(len(after)), review.actions]
        assert ((after.max(axis=1) == 1) & (taken == 0)).tolist() == review.made_unwinnable.tolist()
        thrown += review.made_unwinnable.sum()
    assert thrown > 2


@pytest.mark.parametrize("deal", range(6))
def test_losses_unseen_and_luck_add_up_to_the_outcome(deal: int) -> None:
    assert_telescopes(played(deal))


def test_where_nothing_is_hidden_there_is_no_luck_and_losses_are_the_truth() -> None:
    known = 0
    for deal in range(6):
        review = played(deal)
        seen = review.judged.chance_errors == 0
        assert (review.judged.errors[seen][review.masks[seen]] == 0).all()
        assert (review.unseen[seen] == 0).all()
        assert (review.luck[seen] == 0).all()
        assert review.losses[seen].tolist() == review.open_losses[seen].tolist()
        known += seen.sum()
    assert known > 20


def test_luck_is_0_on_average() -> None:
    """Luck is 0 on average, unless worlds are sampled wrongly."""
    luck = np.concatenate([played(deal).luck for deal in range(6)])
    assert abs(luck.mean()) < 4 * luck.std() / np.sqrt(len(luck))


def test_taking_back_takes_a_loss_back() -> None:
    rules = PYRAMID.make_rules("web")
    undo = next(a for a in range(PYRAMID.actions) if PYRAMID.label(a) == "UNDO")
    actions = actions_of(PYRAMID, rules, 3)[:9]
    taken = review_game(PYRAMID, rules, 3, [*actions, undo], worlds=4)
    first = deal_position(PYRAMID, rules, "pyramid-1", 3)
    states = trace_actions(PYRAMID, rules, first, [*actions, undo])
    assert taken.open_values is not None
    assert taken.open_values[-1] == WinnableInfo(PYRAMID, rules)(states[-1:])[0]
    assert taken.actions[-1] == undo
    assert taken.losses[-1] <= CLOSE
    assert (taken.losses[:-1] >= -CLOSE).all()
    assert taken.open_losses.sum() == taken.open_values[0] - taken.open_values[-1]


def permuted(game: Game, rules: object, deal: int, actions: list[int], seed: int) -> np.ndarray:
    """Return a deck with the same visible cards for these actions, but other hidden cards."""
    first = deal_position(game, rules, f"{game.name}-1", deal)
    now = trace_actions(game, rules, first, actions)[-1:]
    other = resample_copies(game, rules, now, seed)
    assert other["deck"].tolist() != now["deck"].tolist()
    return other["deck"][0]


@pytest.mark.parametrize("name", ["pyramid", "poker_squares"])
def test_a_review_during_play_tells_nothing_that_is_hidden(name: str) -> None:
    """The review does not depend on hidden cards or the generator, to the last digit."""
    game = find_game(name)
    rules = game.make_rules()
    actions = actions_of(game, rules, 5)[:12]
    given: dict[str, Any] = {"worlds": 6, "player": None if name == "pyramid" else "greedy"}
    reviews = []
    for seed in (1, 2, 3):
        deck = permuted(game, rules, 5, actions, seed)
        reviews.append(review_game(game, rules, deck, actions, open_cards=False, **given).summary())
    assert reviews[0] == reviews[1] == reviews[2]
    assert reviews[0]["outcome"] is None
    assert all(one["open_value_before"] is None for one in reviews[0]["decisions"])
    whole = review_game(game, rules, 5, actions, open_cards=False, **given).summary()
    assert whole["decisions"] == reviews[0]["decisions"]


def test_a_review_at_a_table_tells_a_seat_nothing_of_other_hands() -> None:
    game = find_game("seven_twenty_seven")
    rules = game.make_rules("mini")
    judge = make_judge(game, rules, 6, 0, "greedy")
    first = deal_position(game, rules, "seven_twenty_seven-1", 4)
    seat = int(first["turn"][0])
    judged = [
        judge.judge(resample_copies(game, rules, first, seed), np.array([0])) for seed in range(4)
    ]
    for other in judged[1:]:
        for one, two in zip(judged[0], other, strict=True):
            np.testing.assert_array_equal(one, two)
    assert seat in range(game.num_players(rules))


def test_the_same_seed_gives_the_same_review_and_another_seed_another() -> None:
    actions = actions_of(PYRAMID, RULES, 2)
    one, two, other = (
        review_game(PYRAMID, RULES, 2, actions, worlds=6, seed=seed, open_cards=False)
        for seed in (1, 1, 2)
    )
    assert one.summary() == two.summary()
    assert not np.array_equal(one.judged.values, other.judged.values, equal_nan=True)


def test_more_worlds_mean_smaller_errors() -> None:
    few, many = played(0, 4), played(0, 16)
    assert few.judged.chance_errors[0] > many.judged.chance_errors[0] > 0
    hidden = few.judged.chance_errors > 0
    assert (few.judged.errors[few.masks & hidden[:, None]] > 0).all()


def test_where_there_is_no_solver_worlds_are_played_out_and_it_says_so() -> None:
    game = find_game("poker_squares")
    rules = game.make_rules()
    review = review_game(
        game, rules, 1, actions_of(game, rules, 1, "uniform"), worlds=4, player="greedy"
    )
    assert "played out by greedy (an estimate, no proof)" in review.judge.text
    assert "played out by greedy" in str(review)
    assert (review.open_values, review.judge.unit) == (None, "score")
    assert_telescopes(review)
    assert review.outcome == review.facts["score"]
    assert review.losses.sum() > 0
    assert isinstance(make_judge(game, rules), PlayOutJudge)
    assert isinstance(make_judge(PYRAMID, PYRAMID.make_rules("book")), SolverJudge)
    shuffled = PYRAMID.make_rules(options={"shuffle_redeal": True})
    assert isinstance(make_judge(PYRAMID, shuffled), PlayOutJudge)


@pytest.mark.slow
def test_the_play_of_a_table_is_judged_double_dummy() -> None:
    game = find_game("twenty_eight")
    rules = game.make_rules()
    actions = actions_of(game, rules, 3, seats=4)
    reviews = [
        review_game(game, rules, 3, actions, seat=seat, worlds=10, player="double-dummy")
        for seat in range(4)
    ]
    for review in reviews:
        assert_telescopes(review)
        assert (review.judge.unit, review.judge.exact, review.open_values) == ("won", False, None)
        assert "double-dummy solver, all cards known" in review.judge.text
        calls = (review.actions >= 36) & (review.actions < 57)  # bids, passes, doubles
        assert len(review.actions)
        assert not calls.any()
        values = review.judged.values
        assert ((values >= 0) & (values <= 1) | ~review.masks).all()
    assert sum(float(review.losses.sum()) for review in reviews) > 0
    with pytest.raises(ValueError, match="have no double-dummy solver, got 'double-dummy'"):
        make_judge(PYRAMID, RULES, player="double-dummy")


def test_a_seat_at_a_table_is_reviewed_in_its_unit() -> None:
    game = find_game("seven_twenty_seven")
    rules = game.make_rules("mini")
    seats = game.num_players(rules)
    actions = actions_of(game, rules, 0, seats=seats)
    for seat in range(seats):
        review = review_game(game, rules, 0, actions, seat=seat, worlds=4, player="greedy")
        assert review.judge.unit == "net"
        if len(review.actions):
            assert_telescopes(review)
            assert review.outcome == review.facts["score"] / game.reward_unit(rules)
    with pytest.raises(
        ValueError, match=f"seat must be an integer from 0 to {seats - 1}, got {seats}"
    ):
        review_game(game, rules, 0, actions, seat=seats, player="greedy")


@cache
def of_deal_set() -> DealSetReview:
    return review_deal_set("pyramid", "greedy", deals=3, evaluation_seed="k", worlds=4)


def test_a_deal_set_is_summed_up_by_kind_phase_and_worst() -> None:
    result = of_deal_set()
    losses = np.concatenate([one.losses for one in result.reviews])
    assert result.estimates["loss"].mean == pytest.approx(losses.sum() / 3)
    for groups in (result.by_kind, result.by_phase):
        assert sum(one["loss_a_deal"] for one in groups) == pytest.approx(losses.sum() / 3)
        assert sum(one["made_unwinnable"] for one in groups) == result.made_unwinnable
    worst = [one.losses[i] for one, i in result.worst]
    assert len(worst) <= 10
    assert worst == sorted(losses[losses > 0], reverse=True)[: len(worst)]
    assert {"pyramid", "waste"} <= {one["name"] for one in result.by_kind}
    assert result.summary()["worst"][0]["deal"].startswith("deal ")


def test_a_deal_set_that_is_stopped_keeps_what_was_done() -> None:
    (spec,) = make_specs("pyramid", deals=3, evaluation_seed="k")
    done: list[Review] = []

    def stop(_: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        review_spec(
            spec, "greedy", NoJudge(PYRAMID, RULES, 1, 0), progress=lambda _: stop, finished=done
        )
    assert len(done) == 1


def test_it_is_kept_and_shown(tmp_path: Path) -> None:
    for number, result in enumerate((played(0), of_deal_set())):
        paths = result.save(tmp_path / str(number))
        assert [path.name for path in paths] == list(REVIEW_FILES)
        assert all(path.stat().st_size > 500 for path in paths)
        rows = pq.read_table(paths[0])
        assert rows.num_rows == len(result.to_pandas()) > 10
        assert "made unwinnable" in str(result)
        assert "<pre" in result._repr_html_()
        assert repr(result).startswith(f"<{type(result).__name__}: pyramid, three-passes, ")
        assert len(repr(result)) < 150


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"worlds": 0}, "worlds must be an integer >= 1, got 0"),
        ({"worlds": 10**9}, "worlds must be at most 100,000, got 1000000000"),
        ({"seed": -1}, "seed must be an integer >= 0, got -1"),
        ({"seat": 1}, "seat must be 0, got 1"),
        ({"player": "oracle"}, "player must not see the hidden cards, got 'oracle'"),
        ({"actions": [27]}, r"action 1 must be .*, got 27 \(choose ..\)"),
        ({"actions": [99]}, "action 1 must be .*, got 99"),
        ({"deal": "2h", "deal_set": "x"}, "deal_set must be None unless deal is a number"),
        ({"deal": -1}, "-1"),
    ],
)
def test_bad_input_is_named(change: dict[str, object], message: str) -> None:
    deck_first = review_game(PYRAMID, RULES, 0, [], worlds=1).actions
    assert len(deck_first) == 0
    given: dict[str, object] = {"deal": 0, "actions": []} | change
    deal, actions = given.pop("deal"), given.pop("actions")
    with pytest.raises(ValueError, match=message):
        review_game(PYRAMID, RULES, deal, actions, **given)  # type: ignore[arg-type]


def test_kinds_have_neither_numbers_nor_places() -> None:
    labels = ["pyramid 4", "DEAL", "square a1", "PACKET 1 upon 2", "bet or raise 0", "GATHER 3"]
    kinds = ["pyramid", "DEAL", "square", "PACKET", "bet or raise", "GATHER"]
    assert [action_kind(label) for label in labels] == kinds


def test_an_agent_object_plays_too() -> None:
    (spec,) = make_specs("pyramid", deals=1, evaluation_seed="k")
    result = review_spec(spec, UniformAgent(0), NoJudge(PYRAMID, RULES, 1, 0))
    assert result.agent == "uniform"
