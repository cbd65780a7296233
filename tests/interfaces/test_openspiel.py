"""The game of OpenSpiel: it plays what the kernel plays, chance is right, and nothing leaks."""

import copy
import itertools
import random
import subprocess
import sys
from collections import Counter
from typing import Any

import numpy as np
import pytest

from parlour.envs import GAMES
from parlour.envs.core.rows import Rows
from parlour.envs.core.rules_table import random_options
from parlour.envs.games.seven_twenty_seven.chance import CARDS, ExplicitHand
from parlour.envs.games.seven_twenty_seven.showdown import class_of
from tests.marks import slow_if

GAME = GAMES["seven_twenty_seven"]
NAME = "parlour_seven_twenty_seven"
FOUND = [{"variant": variant} for variant in GAME.variants]
MIXED = [random_options(GAME, np.random.default_rng(seed)) for seed in range(12)]
BUSTS = {"variant": "bust", "start_down": 2, "declare": "simultaneous", "players": 3}
PLAYED = [*FOUND, *MIXED, BUSTS, {"variant": "mini", "dealer": 1}]


LONG = [{"variant": "ten"}, *MIXED[2:]]
"""Those with which the longest tests are slow."""


def test_parlour_does_without_openspiel() -> None:
    code = "import sys, parlour.envs; sys.exit('pyspiel' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0


def test_the_error_for_a_missing_library_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyspiel", None)
    monkeypatch.delitem(sys.modules, "parlour.envs.interfaces.openspiel", raising=False)
    with pytest.raises(ImportError, match=r'pip install "parlour\[openspiel\]"'):
        import parlour.envs.interfaces.openspiel  # noqa: F401


@pytest.fixture(scope="module")
def pyspiel() -> Any:
    result = pytest.importorskip("pyspiel")
    import parlour.envs.interfaces.openspiel

    assert parlour.envs.interfaces.openspiel.NAME == NAME
    return result


def load(pyspiel: Any, options: dict[str, Any]) -> Any:
    plain = {k: int(v) if isinstance(v, bool) else v for k, v in options.items()}
    return pyspiel.load_game(NAME, plain)


def hands(game: Any, n: int, seed: int = 0) -> Any:
    """Random hands, as the states at each of their points."""
    draw = random.Random(seed)
    for _ in range(n):
        state = game.new_initial_state()
        points = [state.clone()]
        while not state.is_terminal():
            if state.is_chance_node():
                outcomes, chances = zip(*state.chance_outcomes(), strict=True)
                state.apply_action(draw.choices(outcomes, chances)[0])
            else:
                state.apply_action(draw.choice(state.legal_actions()))
            points.append(state.clone())
        yield points


def name(options: dict[str, Any]) -> str:
    return "-".join(f"{option}={value}" for option, value in options.items())[:60]


@pytest.mark.parametrize(
    ("options", "games"),
    [
        slow_if(games > 1 or one in LONG, one, games, name=f"{name(one)}-{games}")
        for one in PLAYED
        for games in (1, 3)
    ],
)
def test_openspiels_own_test(pyspiel: Any, options: dict[str, Any], games: int) -> None:
    pyspiel.random_sim_test(load(pyspiel, options), num_sims=games, serialize=True, verbose=False)


@pytest.mark.parametrize("options", PLAYED, ids=name)
def test_it_is_the_kernels_game(pyspiel: Any, options: dict[str, Any]) -> None:
    game = load(pyspiel, options)
    for points in hands(game, 8):
        last = points[-1].hand.states
        rows = Rows(GAME, game.rules, 1)
        deck = last["deck"][0, : last["size"][0]].tolist()
        rows.deal_deck(deck, int(last["dealer"][0]))
        for point, after in itertools.pairwise(points):
            if point.is_chance_node():
                continue
            assert point.current_player() == rows.seats[0]
            assert point.legal_actions() == np.flatnonzero(rows.buffers.masks[0]).tolist()
            seat = point.current_player()
            onehot = GAME.features.onehot(rows.codes)[0]
            assert np.array_equal(point.observation_tensor(seat), onehot)
            rows.step(np.array([after.history()[len(point.history())]]))
        assert points[-1].returns() == rows.buffers.rewards[0, : game.num_players()].tolist()
        assert sum(points[-1].returns()) == pytest.approx(0, abs=1e-9)
        for field in set(last.dtype.names) - {"rng", "steps"}:
            assert np.array_equal(last[field], rows.states[field]), field


@pytest.mark.parametrize("options", PLAYED, ids=name)
def test_utilities_and_lengths_keep_within_their_bounds(
    pyspiel: Any, options: dict[str, Any]
) -> None:
    game = load(pyspiel, options)
    for points in hands(game, 8, seed=1):
        actions = sum(not point.is_chance_node() for point in points[:-1])
        assert actions <= game.max_game_length()
        for paid in points[-1].returns():
            assert game.min_utility() <= paid <= game.max_utility()


@pytest.mark.parametrize("options", PLAYED, ids=name)
def test_each_card_that_is_left_is_as_likely(pyspiel: Any, options: dict[str, Any]) -> None:
    game = load(pyspiel, options)
    for points in hands(game, 3, seed=2):
        left = Counter(class_of(card) for card in GAME.pack(game.rules))
        for point, after in itertools.pairwise(points):
            if not point.is_chance_node():
                continue
            outcome = after.history()[-1]
            chances = dict(point.chance_outcomes())
            if not point.history() and "dealer" not in options:
                assert chances == dict.fromkeys(range(game.num_players()), 1 / game.num_players())
                continue
            assert chances == {k: n / left.total() for k, n in left.items() if n}
            assert point.action_to_string(outcome) == f"card {CARDS[outcome]}"
            left[outcome] -= 1


@pytest.mark.parametrize("options", PLAYED, ids=name)
def test_a_seat_forgets_nothing(pyspiel: Any, options: dict[str, Any]) -> None:
    game = load(pyspiel, options)
    for points in hands(game, 3, seed=3):
        for seat in range(game.num_players()):
            seen = [point.information_state_string(seat) for point in points]
            for before, after in itertools.pairwise(seen):
                assert after.startswith(before + " ")


@pytest.mark.parametrize("options", [slow_if(one in LONG, one, name=name(one)) for one in PLAYED])
def test_a_seat_cannot_distinguish_resampled_cards(pyspiel: Any, options: dict[str, Any]) -> None:
    game = load(pyspiel, options)
    draw, differ, tried = random.Random(4), 0, 0
    for points in hands(game, 3, seed=4):
        open_points = [point for point in points if point.current_player() >= 0]
        for point in draw.sample(open_points, min(4, len(open_points))):
            for seat in range(game.num_players()):
                other = point.resample_from_infostate(seat, draw.random)
                assert other.current_player() == point.current_player()
                assert other.legal_actions() == point.legal_actions()
                assert other.information_state_string(seat) == point.information_state_string(seat)
                assert other.observation_tensor(seat) == point.observation_tensor(seat)
                assert other.observation_string(seat) == point.observation_string(seat)
                differ, tried = differ + (other.history() != point.history()), tried + 1
    assert tried == 0 or differ > 0


def test_copies_go_their_own_way(pyspiel: Any) -> None:
    game = load(pyspiel, {"variant": "mini"})
    state = game.new_initial_state()
    for outcome in (0, 9, 0, 9, 0, 8):
        state.apply_action(outcome)
    before = str(state), state.history(), state.hand.states.tobytes()
    for made in (state.clone(), copy.deepcopy(state)):
        assert str(made) == before[0]
        made.apply_action(7)
        made.apply_action(made.chance_outcomes()[0][0])
        made.apply_action(1)
        assert (str(state), state.history(), state.hand.states.tobytes()) == before
    hand = state.hand
    for made in (copy.copy(hand), copy.deepcopy(hand)):
        made.apply_outcome(8)
        assert (made.events == hand.events) is False
        assert hand.states.tobytes() == before[2]


def test_it_reads_well(pyspiel: Any) -> None:
    game = load(pyspiel, {"variant": "mini"})
    state = game.new_initial_state()
    assert state.action_to_string(1) == "dealer 1"
    for outcome in (1, 9, 0, 9, 4, 8, 7, 0):
        state.apply_action(outcome)
    assert state.information_state_string(0) == "seat0 dealer1 10 A 10 ? - + ?"
    assert state.information_state_string(1) == "seat1 dealer1 10 A ? 5 - + A"
    assert "own=[1, 0, 0, 0, 1, 0" not in state.observation_string(0)
    assert "own=[2, 0, 0, 0, 1, 0" in state.observation_string(1)
    assert [state.action_to_string(a) for a in state.legal_actions()] == [
        "check or call",
        "bet or raise 0",
    ]


def test_simultaneous_declarations_are_secret(pyspiel: Any) -> None:
    game = load(pyspiel, {"variant": "mini", "declare": "simultaneous"})
    state = game.new_initial_state()
    for outcome in (1, 9, 0, 9, 4, 8, 8, 1, 1, 8, 8, 9):
        state.apply_action(outcome)
    assert state.information_state_string(0).endswith("- - =7")
    assert state.information_state_string(1).endswith("- - =?")
    output = {
        state.resample_from_infostate(1, random.Random(seed).random).history()[-1]
        for seed in range(40)
    }
    assert output == {9, 10, 11}


def test_who_goes_bust_is_seen_by_all() -> None:
    hand = ExplicitHand(GAME.make_rules("bust", {"players": 2, "start_down": 2}), dealer=1)
    for outcome in (9, 9, 9, 0, 9, 0, 7, 9):  # seat 0 has three tens, and is over at once
        if hand.current_player == -2:
            break
        hand.apply_outcome(outcome)
    assert hand.current_player == -2
    assert hand.information_state_string(1) == "seat1 10 10 ? A ? A !0"
    assert hand.returns() == [-1, 1]


def test_wrong_parameters_are_named(pyspiel: Any) -> None:
    for options, output in (
        ({"variant": "minni"}, "Did you mean 'mini'"),
        ({"players": 11}, "players must be an integer from 2 to 10, got 11"),
        ({"nearness": "near"}, "nearness must be one of nearest.*, got 'near'"),
        ({"variant": "mini", "dealer": 2}, "dealer must be a seat from 0 to 1, got 2"),
    ):
        with pytest.raises(ValueError, match=output):
            load(pyspiel, options)


def test_impossible_outcomes_are_rejected(pyspiel: Any) -> None:
    hand = ExplicitHand(GAME.make_rules("mini"))
    with pytest.raises(ValueError, match=r"outcome must be one of 0, 1.*, got 2"):
        hand.apply_outcome(2)
    state = load(pyspiel, {"variant": "mini"}).new_initial_state()
    with pytest.raises(ValueError, match="cannot be resampled"):
        state.resample_from_infostate(0, random.random)
    game = load(pyspiel, {})
    with pytest.raises(ValueError, match="params must be empty, got "):
        game.make_py_observer(None, {"a": 1})
    nothing = pyspiel.PrivateInfoType.NONE
    kind = pyspiel.IIGObservationType(perfect_recall=False, private_info=nothing)
    assert game.make_py_observer(kind) is None, "as OpenSpiel asks, not an error"


def test_openspiel_writes_playthroughs(pyspiel: Any) -> None:
    """Its generator asks for observers of every kind, and leaves out what is None."""
    generator = pytest.importorskip("open_spiel.python.algorithms.generate_playthrough")
    for one in GAMES:
        text = generator.playthrough(f"parlour_{one}", None, seed=1)
        assert "IsTerminal() = True" in text
        assert "ObservationTensor(0)" in text


def test_seats_outcomes_and_samplers_are_checked(pyspiel: Any) -> None:
    for point in next(hands(load(pyspiel, {"variant": "mini"}), 1, seed=4)):
        for outcome in (-1, 12, 999):
            with pytest.raises(ValueError, match=rf"outcome must be from 0 to \d+, got {outcome}"):
                point.action_to_string(0, outcome)
        for seat in (10**9, 2**70, -1, 2, None, 0.5):
            with pytest.raises(ValueError, match=r"player_id must be an integer from 0 to 1, got "):
                point.resample_from_infostate(seat, random.random)
    for share in (1.0, -0.1, float("nan"), "a"):
        with pytest.raises(
            ValueError, match=r"sampler must return a number x with 0 <= x < 1, got "
        ):
            point.resample_from_infostate(0, lambda share=share: share)


def test_is_mcts_plays(pyspiel: Any) -> None:
    from open_spiel.python.algorithms import ismcts
    from open_spiel.python.algorithms.mcts import RandomRolloutEvaluator

    game = load(pyspiel, {"variant": "home"})
    draws = np.random.RandomState(0)
    bot = ismcts.ISMCTSBot(game, RandomRolloutEvaluator(1, draws), 5.0, 20, random_state=draws)
    points = next(hands(game, 1, seed=5))
    for point in points:
        if point.current_player() >= 0:
            assert bot.step(point) in point.legal_actions()
