"""Trees, CFR+, and best responses, compared with a plain walk, play, and OpenSpiel."""

import json
from collections import defaultdict
from enum import Enum
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from parlour.agents.baselines import GreedyAgent, UniformAgent
from parlour.agents.networks.policy_table import PolicyTableAgent
from parlour.agents.registry import (
    IllegalActionError,
    Turn,
    choose_actions,
    prepare_turn,
    random_floats,
)
from parlour.envs import GAMES
from parlour.envs.core.kernel.compiling import MESSAGE as COMPILING
from parlour.envs.core.kernel.rng import key_words, turn_seeds
from parlour.envs.core.rows import Rows
from parlour.envs.games.seven_twenty_seven.chance import CHANCE, END, ExplicitHand
from parlour.training.cli.main import main
from parlour.training.equilibrium.cfr import Solver, exploit, own_reach, play_against
from parlour.training.equilibrium.exploitability import (
    SAMPLES,
    checkpoints,
    extract_policy,
    find_equilibrium,
    make_policy_table,
    run_cfr,
    save_equilibrium,
)
from parlour.training.equilibrium.game_tree import Tree, build_tree
from tests.marks import slow_if

GAME = GAMES["seven_twenty_seven"]
SMALL: list[dict[str, Any]] = [
    {"start_down": 2},
    {"max_stands": 1},
    {"max_stands": 1, "max_raises": 0, "draw_up": True, "ante": 3},
    {"start_down": 2, "declare": "simultaneous"},
    {"start_down": 2, "declare": "sequential"},
    {"max_stands": 1, "declare": "simultaneous", "bets_after": True, "max_raises": 0},
    {"max_stands": 1, "nearness": "over_is_bust", "last_bets": True, "max_raises": 0},
    {"players": 3, "max_raises": 0},
]


def rules(options: dict[str, Any]) -> Any:
    return GAME.make_rules("mini", options)


@pytest.fixture(scope="module")
def mini() -> Tree:
    return build_tree(rules({}))


@pytest.fixture(scope="module")
def small() -> Tree:
    return build_tree(rules({"max_stands": 1}))


def some_policy(tree: Tree, seed: int = 0) -> np.ndarray:
    drawn = np.random.default_rng(seed).random((tree.infosets, GAME.actions))
    legal = np.zeros_like(drawn)
    legal[np.repeat(np.arange(tree.infosets), np.diff(tree.starts)), tree.actions] = 1
    return tree.policy(drawn * legal / (drawn * legal).sum(axis=1, keepdims=True))


def reached(tree: Tree) -> np.ndarray:
    """Return the probability of each node under the uniform policy."""
    result, weights = np.ones(tree.nodes), tree.uniform()
    for node in range(1, tree.nodes):
        arc = tree.arc[node]
        result[node] = result[tree.parent[node]] * (tree.chance[node] if arc < 0 else weights[arc])
    return result


def test_the_size_of_mini(mini: Tree) -> None:
    assert (mini.nodes, mini.ends, mini.infosets) == (238_647, 127_332, 52_416)
    assert (mini.player >= 0).sum() == 98_064
    assert build_tree(rules({}), dealer=1).ends == 63_666


@pytest.mark.parametrize(
    "options", [*SMALL[:5], *(slow_if(True, one) for one in SMALL[5:])], ids=str
)
def test_the_tree_is_what_a_hand_can_become(options: dict[str, Any]) -> None:
    """The tree equals a walk through all hands that tracks each seat's observations as text."""
    tree = build_tree(rules(options))
    words: dict[int, str] = {}
    reach = reached(tree)
    todo = [(0, ExplicitHand(tree.rules))]
    while todo:
        node, hand = todo.pop()
        assert tree.player[node] == hand.current_player
        ways = hand.outcome_ways()
        assert tree.branches[node] == len(ways) * (hand.current_player != END)
        if hand.current_player == END:
            assert tree.returns[node].tolist() == hand.returns()
            continue
        if hand.current_player != CHANCE:
            own = hand.information_state_string(hand.current_player)
            assert words.setdefault(int(tree.infoset[node]), own) == own
            assert tree.owner[tree.infoset[node]] == hand.current_player
        for child, (outcome, n) in enumerate(ways.items(), tree.first[node]):
            assert tree.parent[child] == node and tree.outcome[child] == outcome
            if hand.current_player == CHANCE:
                assert tree.chance[child] == n / sum(ways.values())
            else:
                assert tree.actions[tree.arc[child]] == outcome
            after = hand.copy()
            after.apply_outcome(outcome)
            todo.append((child, after))
    assert len(words) == len(set(words.values())) == tree.infosets
    assert reach[tree.player == END].sum() == pytest.approx(1)
    assert np.abs(tree.returns.sum(axis=1)).max() < 1e-12


def plain_best(tree: Tree, seat: int, policy: np.ndarray) -> float:
    """Compute the value of a best response in plain Python, by information sets."""
    children = [range(f, f + c) for f, c in zip(tree.first, tree.branches, strict=True)]
    others, order = np.ones(tree.nodes), np.zeros(tree.nodes, int)
    for node in range(1, tree.nodes):
        above, arc = tree.parent[node], tree.arc[node]
        weight = tree.chance[node] if arc < 0 else policy[arc]
        others[node] = others[above] * (1 if tree.player[above] == seat else weight)
        order[node] = order[above] + (tree.player[above] == seat)
    inside = defaultdict(list)
    for node in np.flatnonzero(tree.player == seat):
        inside[int(tree.infoset[node])].append(int(node))
    chosen: dict[int, int] = {}

    def value(node: int) -> float:
        if tree.player[node] == END:
            return float(tree.returns[node, seat])
        if tree.player[node] == seat:
            return value(children[node][chosen[int(tree.infoset[node])]])
        return sum(
            value(child) * (tree.chance[child] if tree.arc[child] < 0 else policy[tree.arc[child]])
            for child in children[node]
        )

    for infoset in sorted(inside, key=lambda one: -order[inside[one][0]]):
        sums = [
            sum(others[node] * value(children[node][k]) for node in inside[infoset])
            for k in range(tree.branches[inside[infoset][0]])
        ]
        chosen[infoset] = int(np.argmax(sums))
    return value(0)


@pytest.mark.parametrize("options", SMALL[:3], ids=str)
def test_best_responses_are_best(options: dict[str, Any]) -> None:
    tree = build_tree(rules(options), dealer=0)
    policy = some_policy(tree)
    result = exploit(tree, policy)
    for seat in range(tree.players):
        best = plain_best(tree, seat, policy)
        assert result.values[seat] + result.gains[seat] == pytest.approx(best)


@pytest.mark.parametrize("options", SMALL, ids=str)
def test_best_responses_win_what_they_promise(options: dict[str, Any]) -> None:
    tree = build_tree(rules(options))
    for policy in (tree.uniform(), some_policy(tree)):
        result = exploit(tree, policy)
        assert (result.gains >= 0).all()
        promised = (result.values + result.gains).mean()
        assert play_against(tree, result.best, policy) == pytest.approx(promised)
        assert play_against(tree, policy, policy) == pytest.approx(0, abs=1e-12)
        assert result.exploitability == pytest.approx(result.position_gains.mean())
        assert result.nash_conv == pytest.approx(result.position_gains.sum())


def test_positions_are_those_of_a_table_with_one_dealer() -> None:
    for options in ({"max_stands": 1}, {"players": 3, "max_raises": 0}):
        both = build_tree(rules(options))
        one = build_tree(rules(options), dealer=both.players - 1)
        every, fixed = exploit(both, both.uniform()), exploit(one, one.uniform())
        assert np.allclose(every.position_gains, fixed.gains)
        assert np.allclose(every.position_values, fixed.values)
        assert np.allclose(every.gains, every.gains.mean())


def test_cfr_plus_solves_mini(mini: Tree) -> None:
    solver, curve = run_cfr(mini, 100)
    result = [point.exploitability for point in curve]
    assert [point.iterations for point in curve] == [1, 2, 5, 10, 20, 50, 100]
    assert result == sorted(result, reverse=True)
    assert result[0] == pytest.approx(1.5328, abs=1e-4)
    assert result[-1] < 0.01
    average = exploit(mini, solver.average())
    assert average.exploitability == result[-1]
    # Being first is worth a fifth of an ante, all of it by the chip that is left over: it goes to
    # the dealer's left.
    assert average.position_values == pytest.approx([0.199, -0.199], abs=0.005)


def test_with_chips_that_can_be_halved_positions_are_equal() -> None:
    tree = build_tree(rules({"ante": 4, "min_bet": 4, "max_bet": 4}), dealer=1)
    solver, _ = run_cfr(tree, 200)
    assert exploit(tree, solver.average()).values == pytest.approx([0, 0], abs=0.002)


def test_a_solver_goes_on_where_it_was(small: Tree) -> None:
    once, twice = Solver(small), Solver(small)
    once.run(20)
    for iterations in (3, 17):
        twice.run(iterations)
    assert np.array_equal(once.average(), twice.average())
    assert checkpoints(1) == [1] and checkpoints(70) == [1, 2, 5, 10, 20, 50, 70]
    with pytest.raises(ValueError, match="iterations must be an integer >= 1, got 0"):
        run_cfr(small, 0)


class Sometimes(UniformAgent):
    """Takes the first or the last legal action at random."""

    def act(self, turn: Turn) -> np.ndarray:
        last = turn.masks.shape[1] - 1 - turn.masks[:, ::-1].argmax(axis=1)
        return np.where(random_floats(turn.seeds, self.seed) < 0.5, turn.masks.argmax(axis=1), last)


class Chancy:
    name, sees_all = "chancy", False

    def act(self, turn: Turn) -> np.ndarray:
        return np.zeros(len(turn.masks), np.int64)


class Saying(Chancy):
    def probabilities(self, turn: Turn) -> np.ndarray:
        return turn.masks / turn.masks.sum(axis=1, keepdims=True)


def test_policies_of_agents(small: Tree) -> None:
    assert np.array_equal(extract_policy(UniformAgent(), small).policy, small.uniform())
    assert np.allclose(extract_policy(Saying(), small).policy, small.uniform())
    greedy = extract_policy(GreedyAgent(), small)
    assert greedy.asked == 0
    assert set(greedy.policy.tolist()) == {0, 1}
    assert np.add.reduceat(greedy.policy, small.starts[:-1]).tolist() == [1] * small.infosets
    with pytest.raises(IllegalActionError, match="chancy"):
        extract_policy(Chancy(), small)
    peeker = Saying()
    peeker.sees_all = True
    with pytest.raises(ValueError, match="must not see hidden cards"):
        extract_policy(peeker, small)


def test_who_plays_by_chance_is_asked_often(small: Tree) -> None:
    class Plain:
        name, sees_all, act = "plain", False, Sometimes().act

    played = extract_policy(Plain(), small)
    assert played.asked == SAMPLES
    exact = np.zeros(len(small.actions))
    exact[small.starts[:-1]] += 0.5
    exact[small.starts[1:] - 1] += 0.5
    assert played.policy.mean() == pytest.approx(exact.mean())
    assert np.abs(played.policy - exact).max() < 0.35
    assert np.abs(played.policy - exact).mean() < 0.06
    assert exploit(small, played.policy).exploitability > exploit(small, exact).exploitability


def test_networks_are_asked_for_their_chances(small: Tree) -> None:
    torch = pytest.importorskip("torch")
    from parlour.agents.networks.build import build_network as network
    from parlour.agents.networks.learned import LearnedAgent

    torch.manual_seed(0)  # of some networks two actions are equally likely
    made = network("mlp", GAME, 16, 1, {}).eval()
    drawn = extract_policy(LearnedAgent(made, deterministic=False), small)
    likeliest = extract_policy(LearnedAgent(made), small)
    assert drawn.asked == likeliest.asked == 0
    assert set(likeliest.policy.tolist()) == {0, 1}
    assert drawn.policy.min() > 0 and drawn.policy.max() < 1
    tops = np.maximum.reduceat(drawn.policy, small.starts[:-1])
    assert np.array_equal(drawn.policy == np.repeat(tops, np.diff(small.starts)), likeliest.policy)


@pytest.mark.parametrize("n", [6000, slow_if(True, 20_000)])
def test_hands_that_are_played_pay_what_the_tree_says(mini: Tree, n: int) -> None:
    solver = Solver(mini)
    solver.run(50)
    table = make_policy_table(mini, solver.average())
    agents = [table, UniformAgent()]
    rows = Rows(GAME, mini.rules, 2 * n)
    rows.deal_numbered("for-a-test", np.arange(2 * n) % n)  # each deal from either seat
    first = np.arange(2 * n) // n
    while (on := np.flatnonzero(rows.states["over"] == 0)).size:
        actions = np.zeros(2 * n, np.int64)
        for place, agent in enumerate(agents):
            mine = on[(rows.seats[on] ^ first[on]) == place]
            seeds = turn_seeds(key_words("k"), rows.states[mine])
            turn = prepare_turn(agent, GAME, mini.rules, rows.states[mine], seeds)
            actions[mine] = choose_actions(agent, turn)
        rows.step(actions, rows.states["over"] == 0)
    nets = rows.states["net"][np.arange(2 * n), first].reshape(2, n).mean(axis=0)
    exact = play_against(mini, extract_policy(table, mini).policy, mini.uniform())
    assert abs(nets.mean() - exact) < 4 * nets.std() / n**0.5
    assert exact > 0.7


def test_probabilities_must_add_up(small: Tree) -> None:
    class Wrong(Chancy):
        def probabilities(self, turn: Turn) -> np.ndarray:
            return np.full(turn.masks.shape, 0.1)

    with pytest.raises(ValueError, match="add up to"):
        extract_policy(Wrong(), small)


def test_the_table_and_who_reads_it(tmp_path: Path) -> None:
    result = find_equilibrium(["uniform", GreedyAgent()], iterations=200)
    names = [row.agent for row in result.rows]
    assert names == ["CFR+", "uniform", "greedy"]
    solved, uniform, greedy = result.rows
    assert solved.exploited.exploitability < 0.002
    assert solved.against == pytest.approx(0, abs=1e-12)
    assert uniform.exploited.exploitability == pytest.approx(1.5328, abs=1e-4)
    assert 0.002 < greedy.exploited.exploitability < uniform.exploited.exploitability
    for row in (uniform, greedy):
        assert row.against < 0
    output = json.loads(json.dumps(result.summary()))
    assert output["information_sets"] == 52_416
    assert output["curve"][-1]["iterations"] == 200
    assert [row["agent"] for row in output["agents"]] == names

    agent = make_policy_table(result.tree, result.solver.average())
    exact = exploit(result.tree, extract_policy(agent, result.tree).policy)
    assert exact.exploitability < 0.01  # a little is lost: an observation is not all of the past
    turn = next(iter_turns(result.tree))
    actions = agent.act(turn)
    assert turn.masks[np.arange(len(actions)), actions].all()

    pytest.importorskip("torch")
    row = save_equilibrium(result, tmp_path / "solved")
    again = PolicyTableAgent.load(tmp_path / "solved", GAME, result.tree.rules)
    assert row.exploited.exploitability == exact.exploitability
    assert np.array_equal(again.policy, agent.policy)
    assert np.array_equal(again.act(turn), actions)
    other = GAME.make_rules("mini", {"ante": 2})
    with pytest.raises(ValueError, match="other rules"):
        PolicyTableAgent.load(tmp_path / "solved", GAME, other)
    foreign = turn._replace(observations=np.zeros_like(turn.observations))
    with pytest.raises(ValueError, match="no entry"):
        again.act(foreign)


def iter_turns(tree: Tree) -> Any:
    from parlour.training.equilibrium.exploitability import _turns

    return _turns(UniformAgent(), tree, 0)


def test_own_reach_is_of_the_seat_alone(small: Tree) -> None:
    result = own_reach(small, small.uniform())
    first = small.owner == small.player[small.player >= 0][0]
    assert result.max() == 1 and result.min() > 0
    assert first.any()


def test_rules_that_are_too_large_are_refused() -> None:
    with pytest.raises(ValueError, match="at most 1000 nodes"):
        build_tree(rules({}), most=1000)
    with pytest.raises(ValueError, match="dealer must be a seat from 0 to 1, got 2"):
        build_tree(rules({}), dealer=2)


def test_the_command(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    words = ["--option", "max_stands=1", "--iterations", "30"]
    assert main(["exploitability", *words, "--json", "--agents", "greedy", "--dealer", "1"]) == 0
    out, err = capsys.readouterr()
    output = json.loads(out)
    assert err.replace(f"{COMPILING}\n", "") == ""
    assert (output["variant"], output["dealer"]) == ("mini + max_stands=1", 1)
    assert [row["agent"] for row in output["agents"]] == ["CFR+", "greedy"]
    pytest.importorskip("rich")
    pytest.importorskip("torch")
    assert main(["exploitability", *words, "--save", str(tmp_path / "one")]) == 0
    out, err = capsys.readouterr()
    assert "dealer: random" in out
    assert "uniform" in out and f"written: {tmp_path / 'one'}" in out
    assert (tmp_path / "one" / "agent.json").exists()


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (["--agents", "gredy"], "Did you mean 'greedy'"),
        (["--agents", "human"], "agent must not be human"),
        (["--variant", "minni"], "Did you mean 'mini'"),
        (["--variant", "home", "--max-nodes", "5000"], "at most 5000 nodes"),
        (["--iterations", "0"], "iterations must be an integer >= 1, got 0"),
        (["--option", "ante"], "NAME=VALUE"),
        (["--dealer", "7"], "dealer must be a seat from 0 to 1, got 7"),
    ],
)
def test_wrong_commands(words: list[str], text: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["exploitability", *words, "--json"]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert text in err and len(err.replace(f"{COMPILING}\n", "").splitlines()) == 1


# ---- beside OpenSpiel -----------------------------------------------------------------------


def spiel(tree: Tree) -> tuple[Any, dict[str, int]]:
    """Return the OpenSpiel game, and the tree's information sets by OpenSpiel strings."""
    pyspiel = pytest.importorskip("pyspiel")
    from parlour.envs.interfaces import openspiel as bridge

    options = {
        name: value.name.lower() if isinstance(value, Enum) else int(value)
        for name, value in tree.rules._asdict().items()
    }
    dealer = -1 if tree.dealer is None else tree.dealer
    game = pyspiel.load_game(bridge.NAME, options | {"dealer": dealer})
    result: dict[str, int] = {}
    todo = [(0, game.new_initial_state())]
    while todo:
        node, state = todo.pop()
        if state.is_terminal():
            assert state.returns() == tree.returns[node].tolist()
            continue
        if state.current_player() >= 0:
            own = state.information_state_string()
            assert result.setdefault(own, int(tree.infoset[node])) == tree.infoset[node]
        first, count = int(tree.first[node]), int(tree.branches[node])
        assert state.legal_actions() == tree.outcome[first : first + count].tolist()
        todo += [(first + k, state.child(a)) for k, a in enumerate(state.legal_actions())]
    assert len(result) == tree.infosets
    return game, result


def tabular(game: Any, sets: dict[str, int], tree: Tree, policy: np.ndarray) -> Any:
    from open_spiel.python.policy import TabularPolicy

    made = TabularPolicy(game)
    made.action_probability_array[:] = 0
    for own, infoset in sets.items():
        entries = slice(tree.starts[infoset], tree.starts[infoset + 1])
        made.policy_for_key(own)[tree.actions[entries]] = policy[entries]
    return made


def flat(made: Any, sets: dict[str, int], tree: Tree) -> np.ndarray:
    result = np.zeros(len(tree.actions))
    for own, infoset in sets.items():
        entries = slice(tree.starts[infoset], tree.starts[infoset + 1])
        result[entries] = made.policy_for_key(own)[tree.actions[entries]]
    return result


def beside_openspiel(tree: Tree, iterations: int) -> None:
    game, sets = spiel(tree)
    from open_spiel.python.algorithms import cfr, expected_game_score, exploitability

    theirs, ours = cfr.CFRPlusSolver(game), Solver(tree)
    for _ in range(iterations):
        theirs.evaluate_and_update_policy()
    ours.run(iterations)
    average = theirs.average_policy()
    assert flat(average, sets, tree) == pytest.approx(ours.average(), abs=1e-9)
    assert flat(theirs.current_policy(), sets, tree) == pytest.approx(ours.policy, abs=1e-9)
    for policy in (some_policy(tree), ours.average()):
        made, result = tabular(game, sets, tree, policy), exploit(tree, policy)
        conv = exploitability.nash_conv(game, made, return_only_nash_conv=False, use_cpp_br=False)
        assert result.nash_conv == pytest.approx(conv.nash_conv, abs=1e-9)
        assert result.gains.tolist() == pytest.approx(list(conv.player_improvements), abs=1e-9)
        root = game.new_initial_state()
        values = expected_game_score.policy_value(root, [made] * tree.players)
        assert result.values.tolist() == pytest.approx(list(values), abs=1e-9)
    if tree.players == 2:
        theirs_too = exploitability.exploitability(game, tabular(game, sets, tree, tree.uniform()))
        assert exploit(tree, tree.uniform()).exploitability == pytest.approx(theirs_too, abs=1e-9)


SLOW = [
    pytest.param(options, marks=pytest.mark.slow) for options in (*SMALL[1:4], SMALL[5], SMALL[-1])
]


@pytest.mark.parametrize("options", [SMALL[0], *SLOW], ids=str)
def test_it_says_what_openspiel_says(options: dict[str, Any]) -> None:
    beside_openspiel(build_tree(rules(options), dealer=1), iterations=4)


@pytest.mark.slow
def test_it_says_what_openspiel_says_of_a_dealer_by_chance() -> None:
    beside_openspiel(build_tree(rules({"start_down": 2})), iterations=4)


@pytest.mark.slow
def test_it_says_what_openspiel_says_of_mini() -> None:
    beside_openspiel(build_tree(rules({}), dealer=1), iterations=3)
