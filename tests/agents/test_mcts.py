"""Tree search: legal actions, no use of hidden cards, independence of the batch, strength."""

from time import perf_counter

import numpy as np
import pytest

from parlour.agents.networks.build import build_network
from parlour.agents.networks.learned import LearnedAgent
from parlour.agents.registry import Agent, choose_actions, load_agent, prepare_turn
from parlour.agents.search.mcts import MCTSAgent
from parlour.agents.search.mcts_kernel import combine_keys
from parlour.agents.search.rollouts import RolloutAgent
from parlour.envs import GAMES, Game, make
from parlour.envs.core.baselines import UniformAgent
from parlour.envs.core.kernel.cards import card_name
from parlour.envs.core.kernel.rng import GAMMA, WORD_MASK, plain_finish
from parlour.envs.core.rows import Rows, copy_states, resample_copies
from tests.marks import slow_if

ROWS = 6
BLIND = {
    "pyramid": ("uniform", "greedy", "rollouts@3:greedy", "mcts@30", "mcts@30:uniform", "pimc@3"),
    "poker_squares": (
        *("greedy", "columns", "pretrained", "expectimax:pretrained", "rollouts@3:pretrained"),
        *("mcts@30", "mcts@30:pretrained"),
    ),
    "puss_in_the_corner": (
        *("greedy", "tip", "pretrained", "expectimax:pretrained", "rollouts@3:greedy"),
        *("rollouts@3:pretrained", "mcts@30", "mcts@30:uniform", "mcts@30:pretrained", "pimc@2"),
    ),
    "seven_twenty_seven": (
        *(
            "uniform",
            "greedy",
            "tight",
            "pretrained",
            "mcts@15",
            "mcts@30:uniform",
            "mcts@8:pretrained",
        ),
    ),
}
SLOW = {
    ("puss_in_the_corner", "pimc@2"),
    ("puss_in_the_corner", "rollouts@3:greedy"),
    ("puss_in_the_corner", "rollouts@3:pretrained"),
    ("poker_squares", "rollouts@3:pretrained"),
}
"""Searches that compile for long: others of their kind are tested each time."""
SPECS = [(game, spec) for game, specs in BLIND.items() for spec in specs]


def midway(game: Game, variant: str | None = None, turns: int = 5, n: int = ROWS) -> np.ndarray:
    """Return states of running games with random play; later rows are further from their deal."""
    rules = game.make_rules(variant)
    rows, agent = Rows(game, rules, 4 * n), UniformAgent(1)
    rows.deal_numbered(f"{game.name}-1", range(4 * n))
    for turn in range(turns * n):
        go_on = (np.arange(4 * n) % n > turn // turns) & (rows.states["over"] == 0)
        asked = prepare_turn(
            agent, game, rules, rows.states, np.arange(4 * n, dtype=np.uint64) + turn
        )
        rows.step(agent.act(asked), go_on)
    running = np.flatnonzero(rows.states["over"] == 0)
    return copy_states(rows.states, running[:n])


def ask(agent: Agent, game: Game, states: np.ndarray, variant: str | None = None) -> list[int]:
    n = len(states)
    states = states.repeat(2) if n == 1 else states  # for one game kernels are compiled once more
    seeds = np.arange(7, 7 + len(states), dtype=np.uint64)
    turn = prepare_turn(agent, game, game.make_rules(variant), states, seeds)
    return choose_actions(agent, turn).tolist()[:n]


@pytest.mark.parametrize(("title", "spec"), [slow_if(pair in SLOW, *pair) for pair in SPECS])
def test_hidden_cards_change_no_choice(title: str, spec: str) -> None:
    """Resample, in the true states, the cards that the seat to act does not know."""
    game = GAMES[title]
    variant = "book" if game.name == "puss_in_the_corner" else None  # has a value table
    rules, states = game.make_rules(variant), midway(game, variant)
    agent = load_agent(spec, game, rules, seed=3)
    result = ask(agent, game, states, variant)
    for other in (1, 2):
        dealt = resample_copies(game, rules, states, other)
        assert (dealt["deck"] != states["deck"]).any(axis=1).sum() >= ROWS - 1
        before = dealt.tobytes()
        assert ask(agent, game, dealt, variant) == result
        assert dealt.tobytes() == before


@pytest.mark.parametrize(
    ("title", "copies"), [("pyramid", 2), *(slow_if(True, title, 1) for title in GAMES)]
)
def test_a_choice_is_the_same_alone_or_in_company(title: str, copies: int) -> None:
    """With one copy kernels are compiled once more."""
    game = GAMES[title]
    states = midway(game)
    agent = load_agent("mcts@30:uniform", game, game.make_rules())
    seeds = np.arange(len(states), dtype=np.uint64)
    turn = prepare_turn(agent, game, game.make_rules(), states, seeds)
    together = choose_actions(agent, turn).tolist()
    backwards = prepare_turn(
        agent, game, game.make_rules(), copy_states(states, slice(None, None, -1)), seeds[::-1]
    )
    assert choose_actions(agent, backwards).tolist() == together[::-1]
    for i in range(len(states)):
        one, seed = states[i : i + 1].repeat(copies), seeds[i : i + 1].repeat(copies)
        alone = prepare_turn(agent, game, game.make_rules(), one, seed)
        assert choose_actions(agent, alone).tolist() == together[i : i + 1] * copies


@pytest.mark.parametrize(
    ("title", "variant"),
    [("pyramid", "web"), ("poker_squares", "duel"), ("seven_twenty_seven", "mini")],
)
def test_other_rules(title: str, variant: str) -> None:
    """Games with undo, two grids or exact endings: actions are legal and games end."""
    game = GAMES[title]
    agent = load_agent("mcts@20:uniform", game, game.make_rules(variant))
    assert len(ask(agent, game, midway(game, variant), variant)) == ROWS


def last_card() -> tuple[Rows, int]:
    """Return a state with one card left, which completes the royal flush in only one place."""
    env = make("poker_squares", "classic", encoding="codes")
    first = "Ah Kh Qh Jh 2c 3d 4s 5c 7d 8s 9c 2d 3s 4c 5h 6d 8c 9s 2h 3c 4d 6s 7c"
    rest = [card for card in map(card_name, env.game.pack(env.rules)) if card not in f"{first} Th"]
    env.reset(options={"deck": f"{first} Th {' '.join(rest)}"})
    for place in [0, 1, 2, 3, *range(5, 23), 24]:
        env.step(place)
    return env.rows, 4


@pytest.mark.parametrize("spec", ["mcts@16", "mcts@16:uniform", "mcts@16:pretrained"])
def test_a_win_in_sight_is_taken(spec: str) -> None:
    rows, place = last_card()
    assert ask(load_agent(spec, rows.game, rows.rules), rows.game, rows.states) == [place]


@pytest.mark.slow
def test_more_iterations_see_further() -> None:
    """Near the end of a game, even a search with random playouts finds better actions."""
    game = GAMES["puss_in_the_corner"]
    late = midway(game, turns=40, n=1).repeat(24)
    reached = []
    for iterations in (1, 200):
        agent, rows = (
            MCTSAgent(UniformAgent(), iterations),
            Rows(game, game.make_rules(), len(late)),
        )
        rows.restore(late)
        actions = np.zeros(len(late), np.int64)
        while len(live := np.flatnonzero(rows.states["over"] == 0)):
            actions[live] = ask(agent, game, copy_states(rows.states, live))
            rows.step(actions)
        reached.append(rows.states["score"].mean())
    assert reached[1] > reached[0] + 1


def test_a_clock_stops_it() -> None:
    game = GAMES["pyramid"]
    states = midway(game)
    for spec in ("mcts@20ms:uniform", "rollouts@20ms:greedy"):
        agent = load_agent(spec, game, game.make_rules())
        ask(agent, game, states)
        begun = perf_counter()
        ask(agent, game, states)
        assert perf_counter() - begun < 5
        assert isinstance(agent, RolloutAgent) or agent.iterated >= 1  # type: ignore[attr-defined]
    ask(load_agent("mcts@0.001ms:uniform", game, game.make_rules()), game, states)
    ask(load_agent("rollouts@0.001ms:greedy", game, game.make_rules()), game, states)


def test_a_full_table_is_gone_through_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    game = GAMES["puss_in_the_corner"]
    monkeypatch.setattr(MCTSAgent, "_room", 4)
    ask(MCTSAgent(UniformAgent(), 200), game, midway(game))


def test_a_network_leads_it() -> None:
    """A network is the prior and the leaf evaluation, and hidden cards have no effect."""
    game = GAMES["pyramid"]
    network = build_network("embedding", game, 8, 1).eval()
    agent, states = MCTSAgent(LearnedAgent(network), 12), midway(game)
    result = ask(agent, game, states)
    assert ask(agent, game, resample_copies(game, game.make_rules(), states, 5)) == result


def test_budgets_and_prefixes() -> None:
    game = GAMES["puss_in_the_corner"]
    rules = game.make_rules("book")  # its pretrained agent is a value table
    agent = load_agent("mcts@800:pretrained", game, rules)
    assert isinstance(agent, MCTSAgent) and (agent.iterations, agent.milliseconds) == (800, None)
    assert agent.name == "puss_in_the_corner-book-mcts@800" and not agent.sees_all
    timed = load_agent("mcts@2.5ms", game, rules)
    assert isinstance(timed, MCTSAgent) and timed.milliseconds == 2.5
    assert timed.name == "greedy-mcts@2.5ms"
    rollouts = load_agent("rollouts@20:greedy", game, rules)
    assert isinstance(rollouts, RolloutAgent) and rollouts.worlds == 20


@pytest.mark.parametrize(
    ("spec", "output"),
    [
        (
            "mcts@0",
            "search budget must be a number of iterations >= 1, such as mcts@500, or .* got '0'",
        ),
        ("mcts@fast", "or a time in milliseconds, such as mcts@50ms, got 'fast'"),
        ("rollouts@-3:greedy", "search budget must be a number of worlds >= 1"),
        ("rollouts@0ms:greedy", "search budget must be .*, got '0ms'"),
        ("expectimax@3:pretrained", "expectimax takes no search budget"),
        ("mcts:", "mcts must have a guide after a colon, such as mcts:greedy or mcts:pretrained"),
        ("rollouts@20", "rollouts must have a guide after a colon"),
        (
            "mcts:human",
            "the guide of mcts must be uniform, greedy, a rule-based agent, .*, got 'human'",
        ),
        ("mcts:expectimax:pretrained", "the guide of mcts must be uniform"),
        (
            "mcts:nobody",
            "got 'nobody'.* and searches with a guide: expectimax:AGENT, rollouts:AGENT, "
            "rollouts-cards:AGENT, rollouts-bids:AGENT, mcts:AGENT, pimc:AGENT, pimc-bids:AGENT, "
            "hindsight:AGENT, nested:AGENT",
        ),
    ],
)
def test_what_is_refused(spec: str, output: str) -> None:
    game = GAMES["puss_in_the_corner"]
    with pytest.raises(ValueError, match=output):
        load_agent(spec, game, game.make_rules("book"))


def test_numbers_that_make_no_sense() -> None:
    with pytest.raises(ValueError, match="iterations must be an integer >= 1, got 0"):
        MCTSAgent(UniformAgent(), 0)
    with pytest.raises(ValueError, match="milliseconds must be a number above 0, got 0"):
        MCTSAgent(UniformAgent(), milliseconds=0)
    table = GAMES["seven_twenty_seven"]
    with pytest.raises(ValueError, match="expectimax plays only games for one player"):
        load_agent("expectimax:pretrained", table, table.make_rules())


def test_keys_are_mixed_by_a_stride_of_their_own() -> None:
    """Recorded results of the tree search depend on these hashes."""
    for one, other in ((1, 0), (1, 2), (2**63, 7), (0xDEADBEEF, 2**64 - 1)):
        word = one ^ (other * 0xD1342543DE82EF95 & WORD_MASK)
        wanted = plain_finish((word + int(GAMMA)) & WORD_MASK) | 1
        assert int(combine_keys(np.uint64(one), np.uint64(other))) == wanted
