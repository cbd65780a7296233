"""One agent on numbered deals: the results are the same alone and in a batch."""

import numpy as np
import pytest

from parlour.agents.baselines import GreedyAgent, UniformAgent
from parlour.agents.registry import IllegalActionError, Turn, load_agent
from parlour.envs import CardEnv, find_game
from parlour.envs.core.batch import Over
from parlour.envs.core.kernel.cards import deal_seeds
from parlour.envs.core.rules_table import describe_rules
from parlour.training.evaluation.compare import evaluate
from parlour.training.evaluation.play import play_deals
from parlour.training.evaluation.result import TableEvaluation

GAME = find_game("pyramid")
RULES = GAME.make_rules("three-passes")
SEEDS = deal_seeds("pyramid-1", range(60))


class Dreamer(GreedyAgent):
    """Plays by the resampled hidden cards; random only through its input."""

    name = "dreamer"

    def act(self, turn: Turn) -> np.ndarray:
        wished = turn.states["deck"].astype(np.int64).cumsum(axis=1)[:, -5] % turn.game.actions
        return np.where(
            turn.masks[np.arange(len(wished)), wished], wished, turn.masks.argmax(axis=1)
        )


class Wrong:
    name, sees_all = "wrong", False

    def act(self, turn: Turn) -> np.ndarray:
        return np.full(len(turn.masks), 40)


def by_the_environment(deal: int) -> dict[str, object]:
    env = CardEnv(GAME, "three-passes", encoding="codes")
    _, info = env.reset(options={"deal": deal})
    agent = GreedyAgent()
    while env.state["over"] == Over.RUNNING:
        masks = info["action_mask"][None].astype(bool)
        turn = Turn(GAME, env.rules, env.rows.states, env.rows.codes, masks, np.zeros(1, np.uint64))
        *_, info = env.step(agent.act(turn)[0])
    return info


def test_the_results_are_those_of_the_environment() -> None:
    played = play_deals(GAME, RULES, GreedyAgent(), SEEDS[:12])
    for deal in range(12):
        info = by_the_environment(deal)
        for fact in ("won", "score", "moves", "passes_used"):
            assert played.facts[fact][deal] == info[fact], (deal, fact)


@pytest.mark.parametrize("agent", [GreedyAgent(), Dreamer()])
def test_a_deal_does_not_depend_on_the_deals_beside_it(agent: GreedyAgent) -> None:
    whole = play_deals(GAME, RULES, agent, SEEDS, evaluation_seed="three")
    parts = [
        play_deals(GAME, RULES, agent, SEEDS[i : i + 20], evaluation_seed="three")
        for i in (0, 20, 40)
    ]
    small = play_deals(GAME, RULES, agent, SEEDS, evaluation_seed="three", chunk=7)
    backwards = play_deals(GAME, RULES, agent, SEEDS[::-1], evaluation_seed="three")
    for fact, values in whole.facts.items():
        assert np.array_equal(values, np.concatenate([part.facts[fact] for part in parts])), fact
        assert np.array_equal(values, small.facts[fact]), fact
        assert np.array_equal(values, backwards.facts[fact][::-1]), fact


def test_seed_and_key_decide() -> None:
    def scores(seed: int, key: str) -> list[int]:
        return evaluate(
            GAME, "uniform", deals=50, seed=seed, evaluation_seed=key
        ).results.score.tolist()

    assert scores(1, "a") == scores(1, "a") != scores(2, "a")
    assert scores(1, "a") != scores(1, "b")
    dreams = [
        play_deals(GAME, RULES, Dreamer(), SEEDS, evaluation_seed=key).moves for key in ("a", "b")
    ]
    assert not np.array_equal(*dreams)


def test_hidden_cards_are_hidden_from_those_who_do_not_see_all() -> None:
    decks: dict[bool, np.ndarray] = {}

    class Spy(GreedyAgent):
        def act(self, turn: Turn) -> np.ndarray:
            decks.setdefault(self.sees_all, turn.states["deck"].copy())
            return super().act(turn)

    honest, peeking = Spy(), Spy()
    peeking.sees_all = True  # type: ignore[misc]
    for agent in (honest, peeking):
        play_deals(GAME, RULES, agent, SEEDS, evaluation_seed="the same order")
    assert np.array_equal(decks[False][:, :28], decks[True][:, :28])
    assert (decks[False][:, 28:] != decks[True][:, 28:]).any(axis=1).all()


def test_an_illegal_action_is_told() -> None:
    with pytest.raises(
        IllegalActionError,
        match=r"action of agent 'wrong' must be .*, got 40 \(turn the waste over\)",
    ):
        evaluate(GAME, Wrong(), deals=3)


def test_games_are_cut_off_and_counted() -> None:
    played = evaluate(GAME, "uniform", variant="web", deals=20, max_moves=5)
    assert played.results.facts["truncated"].all()
    assert (played.results.moves == 5).all()
    assert "stuck" in played.results.facts
    assert played.results.milliseconds > 0
    assert played.results.decisions >= 20 * 5


def test_no_limit_is_none_or_0() -> None:
    played = [evaluate(GAME, "greedy", deals=20, max_moves=limit).results for limit in (None, 0)]
    assert played[0].moves.tolist() == played[1].moves.tolist()
    assert not played[0].facts["truncated"].any()


def test_progress_counts_every_deal_once() -> None:
    ended: list[int] = []
    play_deals(GAME, RULES, UniformAgent(), SEEDS, chunk=25, progress=ended.append)
    assert sum(ended) == len(SEEDS)


def test_rules_are_named() -> None:
    assert describe_rules(GAME, GAME.make_rules()) == "three-passes"
    assert describe_rules(GAME, GAME.make_rules("classic"), "classic") == "classic"
    made = GAME.make_rules("classic", {"passes": 2, "undo": True})
    assert describe_rules(GAME, made, "classic") == "classic + passes=2, undo=yes"
    assert (
        describe_rules(GAME, GAME.make_rules("excerpt", {"clear_all": True}), "excerpt")
        == "excerpt-all"
    )


def test_wrong_numbers_are_refused() -> None:
    for keywords in ({"deals": 0}, {"seed": -1}, {"max_moves": -1}, {"first": -1}):
        with pytest.raises(ValueError, match=r"0|-1"):
            evaluate(GAME, "uniform", **keywords)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="at least one seed"):
        play_deals(GAME, RULES, UniformAgent(), SEEDS[:0])


def test_a_game_for_several_is_played_from_every_seat() -> None:
    played = evaluate("seven_twenty_seven", "uniform", deals=3, options={"players": 2})
    assert isinstance(played, TableEvaluation) and played.nets.shape == (3, 2)
    assert played.label_comparison is None


def test_agents_are_found_by_name() -> None:
    with pytest.raises(ValueError, match="Did you mean 'greedy'"):
        load_agent("gredy", GAME, RULES)
