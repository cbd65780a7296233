"""No hidden card leaks: dealing anew what the player cannot know changes nothing that it sees.

In two ways. ``hide`` a position, and look at it: that finds what is read from hidden cards when
asked for. Or put the cards so dealt into the deck and play the same game again up to there: that
finds what was noted down on the way, before anyone asked.
"""

import numpy as np
import pytest

from parlour.agents.agent import BUILT_IN, Turn, choose, load, look
from parlour.envs import Game
from parlour.envs.core.batch import Source
from parlour.envs.core.cards import GAMMA
from parlour.envs.core.rows import Rows, codes_of, hidden
from parlour.envs.core.scene import ansi, svg
from parlour.envs.shell import draw_seed
from parlour.training import play
from tests.contract.cases import Case, positions, random_cases
from tests.walkers import WALKERS

DEALS = 6
"""How often the hidden cards of each position are dealt anew."""
DRAWN = 3
"""How many of these are drawn, too; and this at every DRAW_EVERY-th step."""
DRAW_EVERY = 7
PLAYERS = [name for name in BUILT_IN if name != "human"]


def dealt_anew(case: Case, state: np.ndarray, seed: int) -> np.ndarray:
    """The state, and behind it DEALS copies of it with other hidden cards."""
    return np.concatenate([state, hidden(case.game, case.rules, state.repeat(DEALS), seed)])


def what_is_seen(case: Case, states: np.ndarray) -> list[tuple[object, ...]]:
    """All that each of the states shows to the player, and what the judges think of it."""
    game, rules = case.game, case.rules
    codes = codes_of(states)
    flat = game.features.onehot(codes)
    judges = [None, *game.players]
    scores = np.stack([game.judged(states, rules, player=one) for one in judges], axis=1)
    facts = game.results(states, rules)
    seen: list[tuple[object, ...]] = []
    for i in range(len(states)):
        row: tuple[object, ...] = (
            codes[i].tobytes(),
            flat[i].tobytes(),
            scores[i].tobytes(),
            *(states[head][i].item() for head in game.state.names[1:8]),
            *(fact[i].item() for fact in facts.values()),
        )
        seen.append(row)
    return seen


def drawings(case: Case, states: np.ndarray) -> set[tuple[str, ...]]:
    scenes = [case.game.layout(state, case.rules) for state in states]
    return {(ansi(scene, colour=True), svg(scene)) for scene in scenes}


def check(case: Case, games: int, seed: int, every: int = 1) -> float:
    """Walk through games and look at their positions; return the share that had cards to hide."""
    env = case.env(encoding="codes", max_moves=100)
    looked = differing = 0
    for steps in positions(env, games, seed, every):
        looked += 1
        states = dealt_anew(case, env.clone(), steps)
        said = f"{case}: step {steps} shows something hidden"
        assert len(set(what_is_seen(case, states))) == 1, said
        assert steps % DRAW_EVERY or len(drawings(case, states[:DRAWN])) == 1, said
        decks = {deck.tobytes() for deck in states["deck"]}
        differing += len(decks) > 1
        if len(decks) > 1:
            assert len(set(states["rng"].tolist())) > 1, "the chance to come is not hidden"
    return differing / looked


def test_nothing_hidden_is_seen(case: Case) -> None:
    check(case, 9, seed=40)


def test_nothing_hidden_is_seen_with_random_options() -> None:
    for i, case in enumerate(random_cases(55, seed=7)):
        check(case, 3, seed=1000 + 3 * i, every=3)


def unshuffled(earlier: np.ndarray, later: np.ndarray) -> bool:
    """Whether nothing was left to chance between two states of a game."""
    return all(earlier[field].tobytes() == later[field].tobytes() for field in ("rng", "deck"))


def played_again(case: Case, states: list[np.ndarray], actions: list[int], seed: int) -> int:
    """Play a game again with other cards where the last of its states hides them.

    Everything seen on the way must be as it was. Begins where the deck was last shuffled; returns
    how many steps were played with a deck that differs.
    """
    *_, last = states
    deck = hidden(case.game, case.rules, last, seed)["deck"]
    if (deck == last["deck"]).all():
        return 0
    first = len(actions)
    while first and unshuffled(states[first - 1], last):
        first -= 1
    env = case.env(encoding="codes", max_moves=100)
    if first == 0:
        env.reset(seed=seed, options={"deck": deck[0]})
    else:
        begin = states[first].copy()
        begin["deck"] = deck
        env.restore(begin)
    for step in range(first, len(actions)):
        said = f"{case}: step {step} tells of cards hidden at step {len(actions)}"
        pair = np.concatenate([states[step], env.rows.states])
        assert len(set(what_is_seen(case, pair))) == 1, said
        env.step(actions[step])
    pair = np.concatenate([last, env.rows.states])
    assert len(set(what_is_seen(case, pair))) == 1, f"{case}: the last of {len(actions)} steps"
    assert len(drawings(case, pair)) == 1, f"{case}: the drawing after {len(actions)} steps"
    return len(actions) - first


def play_again(case: Case, games: int, seed: int, every: int) -> int:
    """Play games, and parts of them again; return how many steps were compared."""
    env = case.env(encoding="codes", max_moves=100)
    rng = np.random.default_rng(seed)
    compared = 0
    for number in range(games):
        env.reset(seed=seed + number)
        walker = list(WALKERS.values())[number % len(WALKERS)]
        states, actions = [env.clone()], list[int]()
        while not states[-1]["over"][0]:
            actions.append(walker(env.rows, rng))
            env.step(actions[-1])
            states.append(env.clone())
            if len(actions) % every == 0:
                compared += played_again(case, states, actions, seed)
    return compared


def test_nothing_hidden_was_seen_on_the_way(case: Case) -> None:
    play_again(case, 3, seed=45, every=8)


def test_nothing_hidden_was_seen_on_the_way_with_random_options() -> None:
    for case in random_cases(55, seed=71):
        play_again(case, 3, seed=45, every=14)


def test_there_is_something_to_hide(game: Game) -> None:
    """Else the tests above show nothing: most variants hide cards in half of their positions."""
    found = {variant: check(Case(game, variant), 3, seed=9) for variant in game.variants}
    hiding = [variant for variant, share in found.items() if share > 0.5]
    assert len(hiding) > len(found) / 2, found
    again = {variant: play_again(Case(game, variant), 3, 9, every=2) for variant in hiding}
    assert all(again.values()), again


def test_the_shells_show_nothing_hidden(case: Case) -> None:
    """The same through both environments: what ``restore`` returns, and all ways to look."""
    for encoding in ("onehot", "codes"):
        env = case.env(encoding=encoding, render_mode="ansi", max_moves=100)
        envs = case.vec(DEALS + 1, encoding=encoding, render_mode="ansi")
        envs.reset(seed=0)
        for steps in positions(env, 3, seed=50, every=7):
            states = dealt_anew(case, env.clone(), steps)
            seen = []
            for state in states:
                observation, info = env.restore(state[None])
                said = {key: np.asarray(value).tolist() for key, value in info.items()}
                masks = env.action_masks().tolist()
                pictures = env.render(), env._repr_svg_(), repr(env)
                seen.append((observation.tolist(), said, masks, pictures, env.explain(observation)))
            assert all(one == seen[0] for one in seen)
            observations, infos = envs.restore(states)
            assert (observations == observations[0]).all()
            assert (infos["action_mask"] == infos["action_mask"][0]).all()
            assert len(set(envs.render() or ())) == 1


@pytest.mark.parametrize("name", PLAYERS)
def test_no_agent_chooses_by_what_is_hidden(case: Case, name: str) -> None:
    """Neither by what it is handed, nor if it were handed the true states."""
    check_choices(case, name)


def test_no_player_by_rule_chooses_by_what_is_hidden(case: Case) -> None:
    for name in case.game.players:
        check_choices(case, name)


def check_choices(case: Case, name: str) -> None:
    agent = load(name, case.game, case.rules, seed=1)
    assert not agent.sees_all
    env = case.env(encoding="codes")
    for steps in positions(env, 3, seed=60, every=3):
        if env.state["over"]:
            continue
        states = dealt_anew(case, env.clone(), steps)
        answers = []
        for i in range(DEALS):
            fresh = load(name, case.game, case.rules, seed=steps)
            answers.append(int(choose(fresh, look(fresh, case.game, case.rules, states[:1], i))[0]))
        masks = (states["legal"][:, None] >> np.arange(case.game.actions) & 1).astype(np.bool_)
        for i in range(DEALS):
            fresh = load(name, case.game, case.rules, seed=steps)
            row = slice(i, i + 1)
            turn = Turn(case.game, case.rules, states[row], codes_of(states[row]), masks[row])
            answers.append(int(choose(fresh, turn)[0]))
        assert len(set(answers)) == 1


def test_agents_are_handed_other_hidden_cards(game: Game) -> None:
    """`look` deals anew for who does not see all, and only for them."""
    agent = load("uniform", game, game.rules_of())
    env = Case(game, game.default).env()
    env.reset(seed=2)
    here = env.clone()
    states = here.repeat(5)
    turn = look(agent, game, env.rules, states, seed=3)
    assert states.tobytes() == here.repeat(5).tobytes(), "the game itself was changed"
    assert not np.shares_memory(turn.states, states)
    assert here["deck"].tobytes() not in {deck.tobytes() for deck in turn.states["deck"]}
    assert len({deck.tobytes() for deck in turn.states["deck"]}) == 5
    assert np.array_equal(turn.observations, codes_of(states))
    assert not np.isin(turn.states["rng"], states["rng"]).any()
    agent.sees_all = True
    assert look(agent, game, env.rules, states, seed=3).states.tobytes() == states.tobytes()


def test_hiding_is_a_pure_function_of_state_and_seed(case: Case) -> None:
    env = case.env()
    for steps in positions(env, 2, seed=70, every=9):
        state = env.clone().repeat(3)
        once, again = (hidden(case.game, case.rules, state, steps) for _ in range(2))
        other = hidden(case.game, case.rules, state, steps + 1)
        assert once.tobytes() == again.tobytes()
        assert once["rng"].tolist() != other["rng"].tolist()


def test_hiding_one_state_does_not_depend_on_its_neighbours(game: Game) -> None:
    """With a seed for each state: it is the same alone, among others and in another order."""
    case = Case(game, game.default)
    envs = case.vec(8)
    envs.reset(seed=4)
    states, seeds = envs.clone(), np.arange(100, 108, dtype=np.uint64)
    whole = hidden(game, case.rules, states, seeds)
    assert hidden(game, case.rules, states[::-1], seeds[::-1])[::-1].tobytes() == whole.tobytes()
    for i in range(8):
        row = slice(i, i + 1)
        assert hidden(game, case.rules, states[row], seeds[row]).tobytes() == whole[row].tobytes()


STEPS_AWAY = 60
"""No deal takes so many words of its generator."""


def decks_around(case: Case, words: np.ndarray) -> set[bytes]:
    """All decks dealt from generators up to STEPS_AWAY steps before and after these words."""
    steps = np.arange(-STEPS_AWAY, STEPS_AWAY + 1).astype(np.uint64)
    around = (words[:, None] + steps * GAMMA).ravel()
    rows, found = Rows(case.game, case.rules, len(around)), set()
    for source in (Source.SEED, Source.DRAW):
        rows.seed(around)
        rows.start(source)
        found |= {deck.tobytes() for deck in rows.states["deck"]}
    return found


class Noting:
    """Plays the first legal action and keeps the generators that it is handed."""

    name = "noting"
    sees_all = False

    def __init__(self) -> None:
        self.words: list[int] = []

    def act(self, turn: Turn) -> np.ndarray:
        self.words += turn.states["rng"].tolist()
        return turn.masks.argmax(axis=1)


@pytest.mark.parametrize("seed", [1, 7, 12345])
def test_the_deck_cannot_be_rebuilt_from_the_generator_handed_out(
    game: Game, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not even where hidden cards are dealt anew from the very seed of the game."""
    case = Case(game, game.default)
    env = case.env()
    env.reset(seed=seed)
    state = env.clone()
    deck = state["deck"][0].tobytes()
    assert deck in decks_around(case, state["rng"]), "the search would not find it"
    drawn = np.array([draw_seed(np.random.default_rng(seed))], np.uint64)
    assert deck in decks_around(case, drawn), "the search would not find it"

    agent = Noting()
    for states in (state, state.repeat(5)):
        choose(agent, look(agent, game, case.rules, states, seed))
    monkeypatch.setattr(play, "load", lambda *args: agent)
    table = play.Table(game, case.variant, seed=seed, delay=0, say=lambda text: None)
    play.play(table, "noting")
    words = np.array(agent.words, np.uint64)
    assert len(words) > 16
    assert deck not in decks_around(case, words)
