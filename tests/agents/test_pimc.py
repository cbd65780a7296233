"""Perfect-information Monte Carlo. `test_leaks.py` tests that it sees no hidden cards."""

import numpy as np
import pytest

from parlour.agents.baselines import GreedyAgent
from parlour.agents.networks.learned import LearnedAgent
from parlour.agents.registry import Agent, Turn, choose_actions, load_agent, prepare_turn
from parlour.agents.saved import PRETRAINED_FOLDER
from parlour.agents.search.pimc import BLOCK, SURE, PimcAgent, find_known, sample_worlds
from parlour.envs import GAMES
from parlour.envs.core.batch import DealSource
from parlour.envs.core.rows import Rows, copy_states
from parlour.envs.core.turn import legal_masks
from parlour.training.evaluation.compare import evaluate

PYRAMID = GAMES["pyramid"]


def test_who_knows_all_cards_plays_as_well_as_can_be() -> None:
    """With a face-up stock, nothing is hidden: the agent wins exactly the winnable deals."""
    rules = PYRAMID.make_rules("open-stock", {"stock_view": "all"})
    rows = Rows(PYRAMID, rules, 40)
    rows.deal_numbered("pyramid-1", range(40))
    assert PYRAMID.solve is not None
    can = [PYRAMID.solve(rows.states[i], rules).winnable for i in range(40)]
    played = evaluate(
        "pyramid", "pimc@8", variant="open-stock", options={"stock_view": "all"}, deals=40
    )
    assert played.results.facts["won"].tolist() == can
    assert 10 < sum(map(bool, can)) < 40


def test_it_wins_more_than_greedy() -> None:
    won = [
        evaluate("pyramid", agent, deals=60).results.facts["won"].sum()
        for agent in ("pimc@4", "greedy")
    ]
    assert won[0] > won[1] + 8


def test_a_choice_is_the_same_alone_or_in_company() -> None:
    rules = PYRAMID.make_rules()
    rows, agent = Rows(PYRAMID, rules, 6), load_agent("pimc@10", PYRAMID, rules)
    rows.deal_numbered("pyramid-1", range(6))
    turn = prepare_turn(agent, PYRAMID, rules, rows.states, np.arange(6, dtype=np.uint64))
    together = choose_actions(agent, turn).tolist()
    for i in range(6):
        one = copy_states(rows.states, np.array([i]))
        alone = prepare_turn(agent, PYRAMID, rules, one, np.array([i], np.uint64))
        assert choose_actions(agent, alone).tolist() == together[i : i + 1]


def test_a_clock_lets_it_try_one_block_at_least() -> None:
    rules = PYRAMID.make_rules()
    rows = Rows(PYRAMID, rules, 3)
    rows.deal_numbered("pyramid-1", range(3))
    hasty = load_agent("pimc@0.001ms", PYRAMID, rules)
    block = load_agent(f"pimc@{BLOCK}", PYRAMID, rules)
    seeds = np.arange(3, dtype=np.uint64)
    turn = prepare_turn(hasty, PYRAMID, rules, rows.states, seeds)
    assert choose_actions(hasty, turn).tolist() == choose_actions(block, turn).tolist()


def test_who_decides_between_equals_is_named() -> None:
    rules = PYRAMID.make_rules()
    assert load_agent("pimc", PYRAMID, rules).name == "pimc"
    assert load_agent("pimc@5:uniform", PYRAMID, rules).name == "uniform-pimc@5"


class Opinionated:
    """Plays the legal action with the highest score, and reports its lead over the others."""

    name, sees_all = "opinionated", False

    def __init__(self, lead: float, temperature: float | None = 0.05) -> None:
        self.lead, self.temperature = lead, temperature

    def log_probabilities(self, turn: Turn) -> np.ndarray:
        """A policy in which each legal action is more likely than the next by a constant factor."""
        return np.where(turn.masks, self.lead * np.arange(turn.game.actions), -1e8)

    def act(self, turn: Turn) -> np.ndarray:
        return self.log_probabilities(turn).argmax(axis=1)


def ask(agent: Agent) -> tuple[Turn, np.ndarray, np.ndarray]:
    """Return a turn from the middle of games, the chosen actions, and the shares of the worlds."""
    rules, rng = PYRAMID.make_rules(), np.random.default_rng(0)
    rows = Rows(PYRAMID, rules, 200)
    rows.deal_numbered("pyramid-1", range(200))
    for _ in range(16):
        shares = rng.random(rows.buffers.masks.shape) * rows.buffers.masks
        rows.step(shares.argmax(axis=1))
    asked = (rows.states["over"] == 0) & (rows.buffers.masks.sum(axis=1) > 1)
    states = copy_states(rows.states, asked)
    plain = PimcAgent(PYRAMID, rules, GreedyAgent(), worlds=8)
    turn = prepare_turn(agent, PYRAMID, rules, states, np.arange(len(states), dtype=np.uint64))
    return turn, agent.act(turn), plain.judge(turn).values


def best_of_equals(turn: Turn, shares: np.ndarray) -> np.ndarray:
    """Return the last of the legal actions with the highest share."""
    best = np.where(turn.masks, shares, -1.0) >= shares.max(axis=1, keepdims=True) - 1e-9
    return np.where(best, 1 + np.arange(turn.game.actions), 0).argmax(axis=1)


def led(lead: float) -> PimcAgent:
    return PimcAgent(PYRAMID, PYRAMID.make_rules(), Opinionated(lead), worlds=8)


def test_a_policy_that_is_sure_is_played_at_once() -> None:
    turn, chosen, shares = ask(led(SURE))
    np.testing.assert_array_equal(chosen, Opinionated(1).act(turn))
    assert (shares[np.arange(len(chosen)), chosen] < shares.max(axis=1)).any()


@pytest.mark.parametrize(("name", "distilled"), [("many", True), ("three-passes", False)])
def test_a_saved_agent_estimates_values_if_it_was_distilled(name: str, distilled: bool) -> None:
    folder = PRETRAINED_FOLDER / f"pyramid-{name}"
    pimc = PimcAgent(PYRAMID, PYRAMID.make_rules(), LearnedAgent.load(folder, PYRAMID), worlds=2)
    assert pimc.temperature == (0.05 if distilled else None)
    assert (pimc.policy is not None) == distilled


def test_a_policy_that_estimates_no_values_only_decides_between_equals() -> None:
    player = Opinionated(100, temperature=None)
    turn, chosen, shares = ask(PimcAgent(PYRAMID, PYRAMID.make_rules(), player, worlds=8))
    np.testing.assert_array_equal(chosen, best_of_equals(turn, shares))


def test_a_policy_decides_between_equals_and_adds_to_the_worlds() -> None:
    """A weak policy decides between equal actions; a strong one outweighs some of the worlds."""
    turn, chosen, shares = ask(led(0.001))
    np.testing.assert_array_equal(chosen, best_of_equals(turn, shares))
    _, moved, _ = ask(led(0.9 * SURE))
    lost = shares.max(axis=1) - shares[np.arange(len(moved)), moved]
    assert lost.max() > 0 and (lost == 0).any()


@pytest.mark.parametrize(
    ("game", "variant", "spec", "output"),
    [
        ("poker_squares", None, "pimc", "requires a game with an exact solver .*Poker Squares"),
        ("pyramid", "second-chance", "pimc@5", "shuffle_redeal"),
        ("pyramid", None, "pimc@0", "search budget must be .*, got '0'"),
        ("pyramid", None, "pimc:oracle", "must be an agent that does not see the hidden cards"),
        (
            "seven_twenty_seven",
            None,
            "pimc",
            "pimc requires a game with a solver, got Seven Twenty-Seven",
        ),
    ],
)
def test_what_it_refuses(game: str, variant: str | None, spec: str, output: str) -> None:
    with pytest.raises(ValueError, match=output):
        load_agent(spec, GAMES[game], GAMES[game].make_rules(variant))


def test_states_without_hidden_cards_are_those_of_which_all_worlds_are_equal() -> None:
    """The staged search for equal worlds has the result of sampling all worlds."""
    rules = PYRAMID.make_rules("three-passes")
    rows = Rows(PYRAMID, rules, 64)
    rows.seed(list(range(64)))
    rows.start(DealSource.DRAW)
    seeds, known_before = np.arange(64, dtype=np.uint64), 0
    for _ in range(70):
        masks = legal_masks(PYRAMID, rows.states)
        rows.step(masks.argmax(axis=1))
        running = np.flatnonzero(rows.states["over"] == 0)
        if len(running) == 0:
            break
        states = copy_states(rows.states, running)
        known, worlds = find_known(PYRAMID, rules, states, seeds[running], 5)
        all_worlds = sample_worlds(PYRAMID, rules, states, seeds[running], 0, 5).reshape(-1, 5)
        equal = (all_worlds == all_worlds[:, :1]).all(axis=1)
        assert np.array_equal(known, np.flatnonzero(equal))
        assert np.array_equal(worlds, all_worlds[equal, 0])
        known_before += len(known)
    assert known_before
