"""No hidden card leaks: dealing anew what the player cannot know changes nothing that it sees.

In two ways. ``hide`` a position, and look at it: that finds what is read from hidden cards when
asked for. Or put the cards so dealt into the deck and play the same game again up to there: that
finds what was noted down on the way, before anyone asked. At a table of several each seat is asked
at every turn, whosever it is, and at the end, where the hands still in lie open.
"""

import json

import numpy as np
import pytest

from parlour.agents.agent_spec import BUILT_IN
from parlour.agents.registry import Turn, choose_actions, load_agent, prepare_turn
from parlour.envs import Game
from parlour.envs.core.batch import DealSource, StepConfig
from parlour.envs.core.kernel.rng import GAMMA, draw_seed
from parlour.envs.core.legal import list_actions, unpack_actions
from parlour.envs.core.rows import Rows, observation_codes, resample_copies, view_states
from parlour.envs.core.scene.scene import ansi, svg
from parlour.training.cli import play
from tests.contract.cases import Case, ended, positions, random_cases
from tests.marks import slow_if
from tests.walkers import WALKERS

DEALS = 6
"""How often the hidden cards of each position are dealt anew."""
DRAWN = 3
"""How many of these are drawn, too; and this at every DRAW_EVERY-th step."""
DRAW_EVERY = 7
MOST = 100
"""Moves of a game for one player."""
PLAYERS = [name for name in BUILT_IN if name != "human"]


def dealt_anew(case: Case, state: np.ndarray, seed: int, seat: int = -1) -> np.ndarray:
    """The state, and behind it DEALS copies of it with other cards hidden from the seat."""
    return np.concatenate(
        [state, resample_copies(case.game, case.rules, state.repeat(DEALS), seed, seat)]
    )


def viewed_by(case: Case, states: np.ndarray, seat: int) -> np.ndarray:
    if case.players == 1:
        return states
    return view_states(case.game, case.rules, states, np.full(len(states), seat))


def what_is_seen(case: Case, states: np.ndarray, seat: int = 0) -> list[tuple[object, ...]]:
    """All that each of the states shows to a seat, and what the judges think of it.

    What may be done, and the judges of it, are there for the seat whose turn it is.
    """
    game, rules = case.game, case.rules
    states = viewed_by(case, states, seat)
    codes = observation_codes(states)
    flat = game.features.onehot(codes)
    asked = case.players == 1 or (states["turn"][0] == seat and not states["over"][0])
    judges = [None, *game.rule_agents] if asked else []
    scores = [game.score_actions(states, rules, rule_agent=one) for one in judges]
    heads = [head for head in game.state.names[1:8] if asked or head != "legal"]
    facts = game.results(states, rules, np.full(len(states), seat))
    seen: list[tuple[object, ...]] = []
    for i in range(len(states)):
        row: tuple[object, ...] = (
            codes[i].tobytes(),
            flat[i].tobytes(),
            *(score[i].tobytes() for score in scores),
            *(states[head][i].tobytes() for head in heads),
            *(fact[i].item() for fact in facts.values()),
        )
        seen.append(row)
    return seen


def drawings(case: Case, states: np.ndarray, seat: int = 0) -> set[tuple[str, ...]]:
    scenes = [case.game.layout(state, case.rules) for state in viewed_by(case, states, seat)]
    return {(ansi(scene, colour=True), svg(scene), json.dumps(scene.to_dict())) for scene in scenes}


def check(case: Case, games: int, seed: int, every: int = 1) -> float:
    """Walk through games and look at their positions; return the share that had cards to hide."""
    env = case.whole(encoding="codes", max_moves=MOST)
    looked = differing = 0
    for steps in positions(env, games, seed, every):
        looked += 1
        several = set()
        for seat in range(case.players):
            states = dealt_anew(case, env.clone(), steps, seat)
            output = f"{case}: step {steps} shows something hidden to seat {seat}"
            assert len(set(what_is_seen(case, states, seat))) == 1, output
            assert steps % DRAW_EVERY or len(drawings(case, states[:DRAWN], seat)) == 1, output
            decks = {deck.tobytes() for deck in states["deck"]}
            several.add(len(decks) > 1)
            if len(decks) > 1:
                assert len(set(states["rng"].tolist())) > 1, "the chance to come is not hidden"
        differing += all(several)
    return differing / looked


@pytest.mark.parametrize(("games", "every"), [(3, 2), slow_if(True, 9, 1)])
def test_nothing_hidden_is_seen(case: Case, games: int, every: int) -> None:
    check(case, games if case.players == 1 else 3, seed=40, every=every)


@pytest.mark.parametrize("each", [2, slow_if(True, 19)])
def test_nothing_hidden_is_seen_with_random_options(each: int) -> None:
    for i, case in enumerate(random_cases(each, seed=7)):
        if case.players == 1:
            check(case, 3, seed=1000 + 3 * i, every=3)
        else:
            check(case, 2, seed=1000 + 3 * i, every=5)


def unshuffled(earlier: np.ndarray, later: np.ndarray) -> bool:
    """Whether nothing was left to chance between two states of a game."""
    return all(earlier[field].tobytes() == later[field].tobytes() for field in ("rng", "deck"))


class Replay:
    """A game to be played again, from where its deck was last shuffled, with other cards."""

    def __init__(self, case: Case, states: list[np.ndarray], actions: list[int]) -> None:
        self.case, self.states, self.actions = case, states, actions
        self.first = len(actions)
        while self.first and unshuffled(states[self.first - 1], states[-1]):
            self.first -= 1
        limits = StepConfig(max_moves=MOST) if case.players == 1 else StepConfig()
        self.rows = Rows(case.game, case.rules, 1, limits)

    def play(self, deck: np.ndarray, actions: list[int]) -> list[np.ndarray]:
        """Return the states with this deck, of the first step and all further ones."""
        self.rows.restore(self.states[self.first])
        self.rows.states["deck"] = deck  # a state that shows other cards than it has: no record
        if self.first == 0:
            self.rows.start(DealSource.DECK)
        passed = [self.rows.states.copy()]
        for action in actions[self.first :]:
            self.rows.step(np.array([action]))
            passed.append(self.rows.states.copy())
        return passed

    def secret(self, step: int, seat: int) -> list[int]:
        """The actions that another seat could have taken in a step without this one noticing."""
        here, taken = self.states[step], self.actions[step]
        if here["turn"][0] == seat:
            return []
        result = []
        then = what_is_seen(self.case, self.states[step + 1], seat)
        for action in list_actions(here["legal"][0]):
            self.rows.restore(here)
            self.rows.step(np.array([action]))
            if action != taken and what_is_seen(self.case, self.rows.states, seat) == then:
                result.append(int(action))
        return result

    def towards(self, other: np.ndarray, seat: int) -> tuple[list[np.ndarray], list[int]]:
        """Play with the deck of another last state, and with secret actions that lead to it.

        A state that keeps the history of its actions says which. Returns the states and all
        actions.
        """
        actions = list(self.actions)
        if "history" in (other.dtype.names or ()):
            actions = (other["history"][0, : len(actions)] - 1).tolist()
        passed = self.play(other["deck"][0], actions)
        for step in range(len(actions) - 1, self.first - 1, -1):
            if distance(self.case, passed[-1], other, seat) == 0:
                break
            for action in self.secret(step, seat):
                tried = [*actions[:step], action, *actions[step + 1 :]]
                again = self.play(other["deck"][0], tried)
                ways = (distance(self.case, one[-1], other, seat) for one in (again, passed))
                if next(ways) < next(ways):
                    actions, passed = tried, again
        return passed, actions


def distance(case: Case, one: np.ndarray, other: np.ndarray, seat: int) -> int:
    """In how many bytes two states differ, their generators apart, as a seat views them."""
    pair = viewed_by(case, np.concatenate([one, other]), seat)
    pair["rng"] = 0
    return int((pair[:1].view(np.int8) != pair[1:].view(np.int8)).sum())


def played_again(
    case: Case, states: list[np.ndarray], actions: list[int], seed: int, seat: int
) -> int:
    """Play a game again with other cards where the last of its states hides them from a seat.

    Everything that the seat sees on the way must be as it was, and the end is what hiding makes of
    the last state: nothing else is hidden than what could have been so. Returns how many steps were
    played with a deck that differs.
    """
    *_, last = states
    other = resample_copies(case.game, case.rules, last, seed, seat)
    replay = Replay(case, states, actions)
    passed, _ = replay.towards(other, seat)
    for step, state in enumerate(passed, replay.first):
        output = f"{case}: step {step} tells seat {seat} of what is hidden at step {len(actions)}"
        pair = np.concatenate([states[step], state])
        assert len(set(what_is_seen(case, pair, seat))) == 1, output
    assert len(drawings(case, pair, seat)) == 1, f"{case}: the drawing after {len(actions)} steps"
    assert distance(case, passed[-1], other, seat) == 0, f"{case}: {len(actions)}, seat {seat}"
    same = (other["deck"] == last["deck"]).all()
    return 0 if same else len(actions) - replay.first


def play_again(case: Case, games: int, seed: int, every: int) -> int:
    """Play games, and parts of them again; return how many steps were compared."""
    env = case.whole(encoding="codes", max_moves=MOST)
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
            if len(actions) % every == 0 or (case.players > 1 and states[-1]["over"][0]):
                for seat in range(case.players):
                    compared += played_again(case, states, actions, seed, seat)
    return compared


@pytest.mark.parametrize("every", [16, slow_if(True, 8)])
def test_nothing_hidden_was_seen_on_the_way(case: Case, every: int) -> None:
    play_again(case, 3, seed=45, every=every)


@pytest.mark.parametrize("each", [1, slow_if(True, 19)])
def test_nothing_hidden_was_seen_on_the_way_with_random_options(each: int) -> None:
    for i, case in enumerate(random_cases(each, seed=71)):
        if case.players == 1:
            play_again(case, 3, seed=45, every=14)
        else:
            play_again(case, 1, seed=45 + i, every=14)


@pytest.mark.parametrize(
    ("games", "every_variant"), [(1, False), slow_if(True, 1, True), slow_if(True, 3, True)]
)
def test_there_is_something_to_hide(game: Game, games: int, every_variant: bool) -> None:
    """Else the tests above show nothing: most variants hide cards in half of their positions."""
    variants = list(game.variants) if every_variant else [game.default]
    cases = {variant: Case(game, variant) for variant in variants}
    result = {
        variant: check(case, games, seed=9, every=1 if case.players == 1 else 6)
        for variant, case in cases.items()
    }
    least = 0.5 if every_variant else 0.25
    hiding = [case for variant, case in cases.items() if result[variant] > least]
    assert len(hiding) > len(result) / 2, result
    for case in hiding:
        assert play_again(case, games, 9, 2) if case.players == 1 else play_again(case, 1, 9, 9)


@pytest.mark.parametrize(("games", "every"), [(1, 21), slow_if(True, 3, 7)])
def test_the_shells_show_nothing_hidden(case: Case, games: int, every: int) -> None:
    """The same through both environments: what ``restore`` returns, and all ways to look."""
    for i, encoding in enumerate(("onehot", "codes")):
        seated = {"seat": i * (case.players - 1)} if case.players > 1 else {}
        env = case.env(encoding=encoding, render_mode="ansi", max_moves=MOST, **seated)
        envs = case.vec(DEALS + 1, encoding=encoding, render_mode="ansi", **seated)
        envs.reset(seed=0)
        for steps in positions(env, games, seed=50, every=every):
            states = dealt_anew(case, env.clone(), steps, int(env.rows.seats[0]))
            seen = []
            for state in states:
                observation, info = env.restore(state[None])
                output = {key: np.asarray(value).tolist() for key, value in info.items()}
                masks = env.action_masks().tolist()
                pictures = env.render(), env._repr_svg_(), repr(env)
                seen.append(
                    (observation.tolist(), output, masks, pictures, env.explain(observation))
                )
            assert all(one == seen[0] for one in seen)
            observations, infos = envs.restore(states)
            assert (observations == observations[0]).all()
            assert (infos["action_mask"] == infos["action_mask"][0]).all()
            assert len(set(envs.render() or ())) == 1


@pytest.mark.parametrize("every", [9, slow_if(True, 3)])
@pytest.mark.parametrize("name", PLAYERS)
def test_no_agent_depends_on_hidden_cards(case: Case, name: str, every: int) -> None:
    """Neither by what it is handed, nor if it were handed the true states."""
    check_choices(case, name, every)


@pytest.mark.parametrize("every", [9, slow_if(True, 3)])
def test_no_rule_based_agent_depends_on_hidden_cards(case: Case, every: int) -> None:
    for name in case.game.rule_agents:
        check_choices(case, name, every)


def check_choices(case: Case, name: str, every: int) -> None:
    agent = load_agent(name, case.game, case.rules, seed=1)
    assert not agent.sees_all
    env = case.whole(encoding="codes")
    for steps in positions(env, 3, seed=60, every=every):
        if env.state["over"]:
            continue
        states = dealt_anew(case, env.clone(), steps)
        answers, seeds = [], np.array([steps], np.uint64)
        for i in range(DEALS):
            fresh = load_agent(name, case.game, case.rules, seed=steps)
            turn = prepare_turn(fresh, case.game, case.rules, states[:1], i)._replace(seeds=seeds)
            answers.append(int(choose_actions(fresh, turn)[0]))
        masks = unpack_actions(states["legal"], case.game.actions)
        for i in range(DEALS):
            fresh = load_agent(name, case.game, case.rules, seed=steps)
            row = slice(i, i + 1)
            codes = observation_codes(states[row])
            turn = Turn(case.game, case.rules, states[row], codes, masks[row], seeds)
            answers.append(int(choose_actions(fresh, turn)[0]))
        assert len(set(answers)) == 1


def test_agents_get_resampled_hidden_cards(game: Game) -> None:
    """`prepare_turn` deals anew for who does not see all, and only for them."""
    agent = load_agent("uniform", game, game.make_rules())
    env = Case(game, game.default).env()
    env.reset(seed=2)
    here = env.clone()
    states = here.repeat(5)
    turn = prepare_turn(agent, game, env.rules, states, seed=3)
    assert states.tobytes() == here.repeat(5).tobytes(), "the game itself was changed"
    assert not np.shares_memory(turn.states, states)
    assert here["deck"].tobytes() not in {deck.tobytes() for deck in turn.states["deck"]}
    assert len({deck.tobytes() for deck in turn.states["deck"]}) == 5
    assert np.array_equal(turn.observations, observation_codes(states))
    assert not np.isin(turn.states["rng"], states["rng"]).any()
    agent.sees_all = True
    assert prepare_turn(agent, game, env.rules, states, seed=3).states.tobytes() == states.tobytes()


def test_hiding_is_a_pure_function_of_state_and_seed(case: Case) -> None:
    """And of the seat; -1 stands for that whose turn it is."""
    env = case.whole()
    for steps in positions(env, 2, seed=70, every=9):
        state = env.clone().repeat(3)
        for seat in range(-1, case.players):
            once, again = (
                resample_copies(case.game, case.rules, state, steps, seat) for _ in range(2)
            )
            other = resample_copies(case.game, case.rules, state, steps + 1, seat)
            assert once.tobytes() == again.tobytes()
            assert once["rng"].tolist() != other["rng"].tolist()
            if seat == env.state["turn"]:
                turns = resample_copies(case.game, case.rules, state, steps)
                assert once.tobytes() == turns.tobytes()


def test_hiding_one_state_does_not_depend_on_its_neighbours(game: Game) -> None:
    """With a seed for each state: it is the same alone, among others and in another order."""
    case = Case(game, game.default)
    envs = case.vec(8)
    envs.reset(seed=4)
    states, seeds = envs.clone(), np.arange(100, 108, dtype=np.uint64)
    whole = resample_copies(game, case.rules, states, seeds)
    assert (
        resample_copies(game, case.rules, states[::-1], seeds[::-1])[::-1].tobytes()
        == whole.tobytes()
    )
    for i in range(8):
        row = slice(i, i + 1)
        assert (
            resample_copies(game, case.rules, states[row], seeds[row]).tobytes()
            == whole[row].tobytes()
        )


STEPS_AWAY = 60
"""No deal takes so many words of its generator."""


def decks_around(case: Case, words: np.ndarray) -> set[bytes]:
    """All decks dealt from generators up to STEPS_AWAY steps before and after these words."""
    steps = np.arange(-STEPS_AWAY, STEPS_AWAY + 1).astype(np.uint64)
    around = (words[:, None] + steps * GAMMA).ravel()
    rows, result = Rows(case.game, case.rules, len(around)), set()
    for source in (DealSource.SEED, DealSource.DRAW):
        rows.seed(around)
        rows.start(source)
        result |= {deck.tobytes() for deck in rows.states["deck"]}
    return result


class Noting:
    """Plays the first legal action and keeps the generators that it is handed."""

    name = "noting"
    sees_all = False

    def __init__(self) -> None:
        self.words: list[int] = []

    def act(self, turn: Turn) -> np.ndarray:
        self.words += turn.states["rng"].tolist() + turn.seeds.tolist()
        return turn.masks.argmax(axis=1)


@pytest.mark.parametrize("seed", [1, slow_if(True, 7), slow_if(True, 12345)])
def test_the_deck_cannot_be_rebuilt_from_the_generator(
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
        choose_actions(agent, prepare_turn(agent, game, case.rules, states, seed))
    if case.players > 1:
        env = case.env(opponents=agent)
        env.reset(seed=seed)
        assert env.state["deck"].tobytes() == deck
        while not ended(env):
            env.step(env.action_masks().argmax())
    monkeypatch.setattr(play, "load_agent", lambda *args: agent)
    table = play.TerminalGame(game, case.variant, seed=seed, delay=0, say=lambda text: None)
    play.play_solitaire(table, "noting")
    words = np.array(agent.words, np.uint64)
    assert len(words) > 16
    assert deck not in decks_around(case, words)
