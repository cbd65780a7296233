"""Explanations agree with the actions of the agent and contain nothing about illegal actions."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from sb3_contrib import MaskablePPO
from stable_baselines3 import DQN

from parlour.agents import Explanation, explain, from_sb3
from parlour.agents.networks.build import build_network
from parlour.agents.networks.learned import LearnedAgent
from parlour.agents.networks.policy_table import PolicyTableAgent, observation_digests
from parlour.agents.networks.value_table import ValueTableAgent
from parlour.agents.registry import (
    Agent,
    FixedAgent,
    IllegalActionError,
    Turn,
    load_agent,
    make_turn,
)
from parlour.agents.search.pimc import PimcAgent
from parlour.agents.search.planner import OracleAgent
from parlour.envs import GAMES, Game, find_game
from parlour.envs.core.batch import Autoreset, Over, StepConfig
from parlour.envs.core.kernel.rng import key_words, turn_seeds
from parlour.envs.core.rows import Rows, copy_states
from parlour.envs.interfaces.sb3 import CardVecEnv
from tests.marks import slow_if

WORDS = key_words("a test of explanations")
PYRAMID = find_game("pyramid")


def turns(
    agent: Agent, chosen: Game, rules: Any, n: int = 8, steps: int = 24, every: int = 6
) -> Iterator[Turn]:
    """Yield turns of games with random legal actions, as this agent may see them."""
    # Hands are short, so multiplayer games yield more often.
    every = every if chosen.num_players(rules) == 1 else 2
    rows = Rows(chosen, rules, n, StepConfig(reset=int(Autoreset.DISABLED)))
    rows.deal_numbered("a test", range(n))
    rng = np.random.default_rng(1)
    for step in range(steps):
        live = np.flatnonzero(rows.states["over"] == Over.RUNNING)
        if not len(live):
            return
        if step % every == 0:
            states = copy_states(rows.states, live)
            seats = states["turn"]
            # All games of a turn have the same seat to act.
            asked = copy_states(states, seats == seats[0])
            yield make_turn(agent, chosen, rules, asked, turn_seeds(WORDS, asked))
        shares = rng.random(rows.buffers.masks.shape) * rows.buffers.masks
        rows.step(shares.argmax(axis=1))


def check(agent: Agent, chosen: Game, rules: Any, **keywords: Any) -> list[Explanation]:
    """Check that explanations have the actions of ``act`` and no values of illegal actions."""
    all_found = []
    for turn in turns(agent, chosen, rules, **keywords):
        result = explain(agent, turn)
        np.testing.assert_array_equal(result.actions, agent.act(turn))
        n = np.arange(len(result))
        assert turn.masks[n, result.actions].all()
        for probabilities in (result.probabilities, result.policy):
            if probabilities is not None:
                assert probabilities.dtype == np.float64
                assert (probabilities[~turn.masks] == 0).all()
                np.testing.assert_allclose(probabilities.sum(axis=1), 1)
                assert (probabilities[n, result.actions] > 0).all()
        if result.action_values is not None:
            assert np.isnan(result.action_values[~turn.masks]).all()
        for values in (result.statistics or {}).values():
            if values.ndim > 1:
                assert not np.nan_to_num(values[~turn.masks]).any()
        all_found.append(result)
    assert len(all_found) > 2
    return all_found


def specs(chosen: Game, rules: Any) -> list[str]:
    """Return specs of all kinds of agents for these rules, with small search budgets."""
    result = ["uniform", "greedy", *chosen.rule_agents, "mcts@20"]
    result.append("rollouts@9:greedy")
    alone = chosen.num_players(rules) == 1
    if (chosen.solve if alone else chosen.winnable_after) is not None:
        result.append("oracle")
    if not alone:
        return result
    result.append("mcts@20:uniform")
    if chosen.winnable_after is not None:
        result.append("pimc@6")
    return result


def case(chosen: Game, variant: str, spec: str) -> Any:
    """Return a test case; it is slow if it compiles code that fast cases compile for Pyramid."""
    slow = chosen is not PYRAMID and ("@" in spec or spec == "oracle")
    return slow_if(slow, chosen, variant, spec, name=f"{chosen.name}-{variant}-{spec}")


CASES = [
    case(chosen, variant, spec)
    for chosen in GAMES.values()
    for variant in dict.fromkeys((chosen.default, list(chosen.variants)[-1]))
    for spec in specs(chosen, chosen.make_rules(variant))
]


@pytest.mark.parametrize(("chosen", "variant", "spec"), CASES)
def test_explained_actions_are_the_played_actions(chosen: Game, variant: str, spec: str) -> None:
    rules = chosen.make_rules(variant)
    few = {"n": 2, "steps": 9, "every": 4} if spec in ("oracle", "pimc@6") else {}
    agent = load_agent(spec, chosen, rules, seed=3)
    if isinstance(agent, OracleAgent):
        agent.limit = 300
    if isinstance(agent, PimcAgent):
        agent.world_limit, agent.known_limit = 30, 300
    check(agent, chosen, rules, **few)


TRAINED = [
    ("pyramid", "three-passes", "pretrained"),
    ("pyramid", "three-passes", "pimc@4:pretrained"),
    ("pyramid", "three-passes", "mcts@12:pretrained"),
    ("puss_in_the_corner", "book", "pretrained"),
    ("puss_in_the_corner", "book", "expectimax:pretrained"),
    ("puss_in_the_corner", "book", "rollouts@9:pretrained"),
    ("poker_squares", "classic", "pretrained"),
    ("poker_squares", "classic", "expectimax:pretrained"),
    ("seven_twenty_seven", "home", "pretrained"),
    ("seven_twenty_seven", "mini", "pretrained"),
]


@pytest.mark.parametrize(
    ("name", "variant", "spec"), [slow_if(":" in case[-1], *case) for case in TRAINED]
)
def test_explained_actions_of_trained_agents_are_the_played_actions(
    name: str, variant: str, spec: str
) -> None:
    rules = find_game(name).make_rules(variant)
    spec = spec.replace("expectimax:pretrained", f"expectimax:agents/pretrained/{name}-{variant}")
    check(load_agent(spec, find_game(name), rules), find_game(name), rules)


@pytest.mark.parametrize("deterministic", [True, False])
@pytest.mark.parametrize("chosen", GAMES.values(), ids=lambda one: one.name)
def test_a_network_explains_policy_probabilities_and_value(
    chosen: Game, deterministic: bool
) -> None:
    agent = LearnedAgent(build_network("mlp", chosen, 8, 1).eval(), deterministic=deterministic)
    for result in check(agent, chosen, chosen.make_rules()):
        assert result.policy is not None and result.probabilities is not None
        assert result.state_values is not None and result.action_values is None
        np.testing.assert_allclose(result.probabilities, agent.probabilities(result.turn))
        assert (result.probabilities.max(axis=1) == 1).all() == deterministic or (
            result.turn.masks.sum(axis=1) == 1
        ).all()


@pytest.mark.parametrize(("kind", "has"), [(MaskablePPO, "state_values"), (DQN, "action_values")])
def test_a_model_of_stable_baselines_explains_the_values_it_has(kind: Any, has: str) -> None:
    envs = CardVecEnv(PYRAMID, 4, encoding="onehot")
    agent = from_sb3(kind("MlpPolicy", envs, device="cpu", seed=0))
    for result in check(agent, PYRAMID, PYRAMID.make_rules()):
        for field in ("state_values", "action_values"):
            assert (getattr(result, field) is not None) == (field == has)


def test_a_policy_table_explains_its_probabilities() -> None:
    table, rules = (
        find_game("seven_twenty_seven"),
        find_game("seven_twenty_seven").make_rules("mini"),
    )
    seen = list(turns(load_agent("uniform", table, rules), table, rules))
    keys, first = np.unique(
        observation_digests(np.concatenate([one.observations for one in seen])), return_index=True
    )
    probabilities = np.concatenate([one.masks for one in seen])[first] * np.arange(1.0, 13.0)
    agent = PolicyTableAgent(keys, probabilities / probabilities.sum(axis=1, keepdims=True))
    for result in check(agent, table, rules):
        np.testing.assert_array_equal(result.probabilities, agent.probabilities(result.turn))


def test_fields_that_an_agent_lacks_are_none() -> None:
    rules = PYRAMID.make_rules()
    result = check(load_agent("uniform", PYRAMID, rules), PYRAMID, rules)[0]
    assert (result.policy, result.state_values, result.action_values, result.statistics) == (
        None,
    ) * 4
    (counts,) = {one.masks.sum(axis=1).tobytes() for one in [result.turn]}
    shares = 1 / np.frombuffer(counts, np.int64)
    np.testing.assert_allclose(np.max(result.probabilities, axis=1), shares)
    result = check(load_agent("greedy", PYRAMID, rules), PYRAMID, rules)[0]
    assert (result.policy, result.state_values, result.statistics) == (None,) * 3
    assert result.action_values is not None and result.unit == "heuristic scores"


def test_a_search_explains_visits_and_votes() -> None:
    rules = PYRAMID.make_rules()
    for result in check(load_agent("mcts@20", PYRAMID, rules), PYRAMID, rules):
        assert result.statistics is not None
        visits, several = result.statistics["visits"], result.turn.masks.sum(axis=1) > 1
        assert (visits.sum(axis=1) == 20 * several).all()
        assert (result.statistics["worlds"] == 20 * several).all()
        assert (np.isnan(result.action_values) == (visits == 0)).all()
        n = np.flatnonzero(several)
        assert (visits[n, result.actions[n]] == visits[n].max(axis=1)).all()
    agent = load_agent("pimc@6", PYRAMID, rules)
    assert isinstance(agent, PimcAgent)
    for result in check(agent, PYRAMID, rules):
        assert result.statistics is not None and result.action_values is not None
        votes, worlds = result.statistics["votes"], result.statistics["worlds"]
        assert set(worlds.tolist()) <= {0, 1, 6}
        rows = np.flatnonzero(worlds)
        np.testing.assert_allclose(votes[rows], result.action_values[rows] * worlds[rows, None])
        best = np.nanmax(result.action_values[rows], axis=1)
        np.testing.assert_allclose(result.action_values[rows, result.actions[rows]], best)


@pytest.mark.slow
def test_rollouts_explain_the_means_of_actions_in_the_last_round() -> None:
    rules = PYRAMID.make_rules()
    for result in check(load_agent("rollouts@9:greedy", PYRAMID, rules), PYRAMID, rules):
        several = np.flatnonzero(result.turn.masks.sum(axis=1) > 1)
        assert result.action_values is not None and len(several)
        best = np.nanargmax(result.action_values[several], axis=1)
        np.testing.assert_array_equal(best, result.actions[several])
        kept = np.isfinite(result.action_values[several]).sum(axis=1)
        np.testing.assert_array_equal(kept, (result.turn.masks[several].sum(axis=1) + 1) // 2)
        # Sums over rollouts would be larger.
        assert (np.nan_to_num(result.action_values) <= 200).all()


def test_the_oracle_explains_the_result_of_the_solver() -> None:
    rules = PYRAMID.make_rules()
    agent = load_agent("oracle", PYRAMID, rules)
    assert isinstance(agent, OracleAgent)
    for result in check(agent, PYRAMID, rules, n=4, steps=9, every=4):
        assert result.sees_all and result.state_values is not None
        states = copy_states(result.turn.states)
        for i, value in enumerate(result.state_values.tolist()):
            output = agent.solve(states[i : i + 1], rules).winnable
            assert value == output or (output is None and np.isnan(value))


def test_expectimax_explains_only_the_actions_it_compared() -> None:
    puss = find_game("puss_in_the_corner")
    rules = puss.make_rules("book")
    agent = load_agent("pretrained", puss, rules)
    assert isinstance(agent, ValueTableAgent)
    ahead = ValueTableAgent(agent.table, width=2)
    for result in check(ahead, puss, rules):
        known = np.isfinite(result.action_values).sum(axis=1)
        assert (known == np.minimum(2, result.turn.masks.sum(axis=1))).all()


class Silent:
    name, sees_all = "silent", False

    def act(self, turn: Turn) -> np.ndarray:
        return turn.masks.argmax(axis=1)


class Talker(Silent):
    name = "talker"

    def __init__(self, **fields: Any) -> None:
        self.fields = fields

    def explain(self, turn: Turn) -> Explanation:
        made = {name: make(turn) for name, make in self.fields.items()}
        return Explanation(self.name, turn, **({"actions": self.act(turn)} | made))


def one_turn(agent: Agent, n: int = 3) -> Turn:
    return next(turns(agent, PYRAMID, PYRAMID.make_rules(), n=n))


def test_your_own_agent_may_explain_itself() -> None:
    silent = explain(Silent(), one_turn(Silent()))
    assert silent.probabilities is None and (silent.actions == silent.turn.masks.argmax(1)).all()
    talker = Talker(state_values=lambda turn: np.ones(len(turn.masks)))
    for agent in (talker, FixedAgent(talker, "renamed")):
        result = explain(agent, one_turn(agent))
        assert result.state_values is not None and result.state_values.tolist() == [1, 1, 1]


@pytest.mark.parametrize(
    ("fields", "output"),
    [
        ({"probabilities": lambda turn: np.ones(turn.masks.shape)}, "of illegal actions must be 0"),
        (
            {"policy": lambda turn: turn.masks * 1.0},
            "policy of each game must be nonnegative numbers with sum 1",
        ),
        (
            {"state_values": lambda turn: np.ones(2)},
            r"state_values must have shape \(3,\), got \(2,\)",
        ),
        (
            {"statistics": lambda turn: {"visits": np.ones(7)}},
            r"statistics\['visits'\] must have shape \(3,\) or \(3, 42\), got \(7,\)",
        ),
    ],
)
def test_invalid_explanations_are_rejected(fields: Any, output: str) -> None:
    agent = Talker(**fields)
    with pytest.raises(ValueError, match=f"agent 'talker': explain: .*{output}|{output}"):
        explain(agent, one_turn(agent))


def test_illegal_actions_and_missing_explanations_are_rejected() -> None:
    agent: Any = Talker(actions=lambda turn: (~turn.masks).argmax(axis=1))
    with pytest.raises(IllegalActionError, match="action of agent 'talker' must be "):
        explain(agent, one_turn(agent))
    agent.explain = lambda turn: {"actions": 1}
    with pytest.raises(ValueError, match="explain must return an Explanation, got dict"):
        explain(agent, one_turn(agent))


def test_an_explanation_is_shown_and_converted() -> None:
    agent = load_agent("pimc@6", PYRAMID, PYRAMID.make_rules())
    result = explain(agent, one_turn(agent, n=6))
    text = repr(result)
    assert text.startswith("<Explanation: pimc@6, 6 games of Pyramid; probabilities")
    assert len(text) < 120
    rows = result.rows(1)
    assert [row["action"] for row in rows] == np.flatnonzero(result.turn.masks[1]).tolist()
    assert [row["label"] for row in rows] == [PYRAMID.label(row["action"]) for row in rows]
    assert [row["text"] for row in rows] == [
        result.turn.describe_action(1, row["action"]) for row in rows
    ]
    assert all(row["text"] in str(result) and row["label"] not in str(result) for row in rows)
    assert sum(row["played"] for row in rows) == 1 and all(row["word"] for row in rows)
    output = result.summary(1)
    assert (output["worlds"], output["unit"]) == (
        6,
        "fraction of sampled worlds that can still be won",
    )
    assert output["actions"] == rows
    frame = result.to_pandas()
    assert len(frame) == result.turn.masks.sum() and set(rows[0]) < set(frame.columns)
    assert frame[frame["played"]]["action"].tolist() == result.actions.tolist()
    html, lines = result._repr_html_(), str(result)
    assert html.count("<table>") == lines.count("pimc@6: ") == 4 and "and 2 more games" in html
    assert "<script" not in html and rows[0]["word"] in lines


def test_names_are_escaped() -> None:
    agent: Any = Talker()
    agent.name = "<b>&"
    assert "<b>" not in explain(agent, one_turn(agent))._repr_html_()
