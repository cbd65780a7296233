"""Rows with rules of their own: each is the single environment by the rules that it is played by.

That is so from deal to deal: a new game's rules come from the row's own generator, which deals from
where it stands, as that of an environment by those rules alone would.
"""

import copy
import pickle
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from gymnasium.vector import AutoresetMode

from parlour.envs import GAMES, CardEnv, CardVectorEnv, Game
from parlour.envs.core.batch import Autoreset, DealSource, StepConfig
from parlour.envs.core.options import to_plain
from parlour.envs.core.rows import Rows
from parlour.envs.core.rules_table import draw_option_sets, make_table, read_variants
from tests.marks import slow_if

MODES = list(AutoresetMode)
SEED, ROWS = 23, 6
KEYWORDS: dict[bool, dict[str, Any]] = {
    False: {"skip_forced": True, "max_moves": 30},
    True: {"opponents": ["greedy"], "seat": 1},
}
"""For games of several: by rule in compiled code; who is asked stands in a test of its own."""


def list_tables() -> Iterator[tuple[Game, bool, list[Any]]]:
    """Of each game, for one player and for several, some variants and some random option sets."""
    for game in GAMES.values():
        for several in sorted({game.num_players(one) > 1 for one in game.variants.values()}):
            known = [
                one for one in game.variants.values() if (game.num_players(one) > 1) == several
            ]
            players = game.num_players(known[0])
            known = [one for one in known if game.num_players(one) == players]
            sets = draw_option_sets(game, known[0], 4)
            yield game, several, list(dict.fromkeys([known[0], known[-1], *sets]))


TABLES = [pytest.param(*one, id=f"{one[0].name}-{'many' * one[1]}") for one in list_tables()]


def make_single(game: Game, rules: Any, **keywords: Any) -> CardEnv:
    return CardEnv(game, game.default, encoding="codes", **keywords, **to_plain(rules))


class Shadows:
    """For each row a single environment by its rules, which plays along."""

    def __init__(self, envs: CardVectorEnv, **keywords: Any) -> None:
        self.envs, self.keywords = envs, keywords
        self.envs_by_rules: dict[tuple[int, int], CardEnv] = {}
        self.now = [self.begin(row, SEED + row) for row in range(envs.num_envs)]

    def begin(self, row: int, seed: int | None = None, before: Any = None) -> CardEnv:
        """Begin the game that a row plays: with its seed, or from its generator of before."""
        number = int(self.envs.rows.buffers.rules[row])
        env = self.envs_by_rules.get((row, number))
        if env is None:
            rules = self.envs.table.rules[number]
            env = make_single(self.envs.game, rules, **self.keywords)
            env.reset(seed=SEED + row)  # the opponents' key, too
            self.envs_by_rules[row, number] = env
        if seed is None:
            env.rows.states["rng"] = before
        env.reset(seed=seed)
        return env

    def compare(self, rows: np.ndarray) -> None:
        envs = self.envs
        for row in np.flatnonzero(rows):
            env = self.now[row]
            assert env.state.tobytes() == envs.states[row].tobytes(), row
            assert np.array_equal(env.action_masks(), envs.action_masks()[row])
            assert env.rules == envs.rules_of(row) == envs.call("rules")[row]
            assert env.scene() == envs.scene(row)


def choose(envs: CardVectorEnv, rng: np.random.Generator) -> np.ndarray:
    """Random legal actions, at times one that is not."""
    masks = envs.action_masks()
    chosen = (rng.random(masks.shape) * masks).argmax(axis=1)
    return np.where(rng.random(len(masks)) < 0.01, rng.integers(-1, masks.shape[1]), chosen)


@pytest.mark.parametrize(
    "mode", [slow_if(mode != AutoresetMode.SAME_STEP, mode, name=mode.name) for mode in MODES]
)
@pytest.mark.parametrize(("kind", "several", "rules"), TABLES)
def test_rows_are_single_environments_by_their_own_rules(
    kind: Game, several: bool, rules: list[Any], mode: AutoresetMode
) -> None:
    keywords = KEYWORDS[several]
    envs = CardVectorEnv(
        kind, ROWS, variants=rules, autoreset_mode=mode, encoding="codes", **keywords
    )
    _, infos = envs.reset(seed=SEED)
    assert np.array_equal(infos["rules_index"], envs.rows.buffers.rules)
    shadows, rng = Shadows(envs, **keywords), np.random.default_rng(0)
    every = np.ones(ROWS, np.bool_)
    shadows.compare(every)
    over, played = np.zeros(ROWS, np.bool_), set[int]()
    for _ in range(120):
        numbers = envs.rows.buffers.rules.copy()
        played |= set(numbers.tolist())
        before, actions = envs.states["rng"].copy(), choose(envs, rng)
        waits = over & (mode is AutoresetMode.NEXT_STEP)
        _, rewards, terminated, truncated, infos = envs.step(actions)
        over = terminated | truncated
        facts = infos.get("final_info", infos)
        for row in range(ROWS):
            if waits[row]:
                shadows.now[row] = shadows.begin(row, before=before[row])
                continue
            env = shadows.now[row]
            _, reward, end, cut, info = env.step(actions[row])
            assert (reward, end, cut) == (rewards[row], terminated[row], truncated[row])
            if not over[row]:
                continue
            assert facts["rules_index"][row] == numbers[row]
            for name in info.keys() - {"action_mask"}:
                assert facts[name][row] == info[name], name
            if mode is AutoresetMode.SAME_STEP:
                assert np.array_equal(infos["final_obs"][row], env.rows.codes[0])
                last = envs.rows.buffers.final_states["rng"][row]
                shadows.now[row] = shadows.begin(row, before=last)
        if mode is AutoresetMode.DISABLED and over.any():
            before = envs.states["rng"].copy()
            envs.reset(options={"reset_mask": over})
            for row in np.flatnonzero(over):
                shadows.now[row] = shadows.begin(row, before=before[row])
        shadows.compare(every)
    assert len(played) > 2, "several of the rules"
    envs.restore(envs.clone())  # nothing of other rules' games is left in the states


class Asked:
    """An opponent who is asked in Python, and remembers by which rules."""

    name, sees_all = "asked", False

    def __init__(self) -> None:
        self.seen: set[Any] = set()

    def act(self, turn: Any) -> np.ndarray:
        self.seen.add(turn.rules)
        table = make_table(turn.game, turn.rules)
        shown = turn.states["shown"]
        for name, value in table.rules[0]._asdict().items():
            if np.ndim(value) == 0 and shown[name].ndim == 1:
                assert len(np.unique(shown[name])) == 1, "one batch, one set of rules"
        return np.asarray(turn.masks.argmax(axis=1))


@pytest.mark.parametrize(("kind", "several", "rules"), [one for one in TABLES if one.values[1]])
def test_opponents_are_asked_by_the_rules_of_the_game(
    kind: Game, several: bool, rules: list[Any]
) -> None:
    player = Asked()
    keywords = {"opponents": player, "autoreset_mode": "same_step", "encoding": "codes"}
    envs = CardVectorEnv(kind, 12, variants=rules, **keywords)
    alone = {one: make_single(kind, one, opponents=Asked()) for one in rules}
    envs.reset(seed=SEED)
    rng = np.random.default_rng(2)
    first = [alone[envs.rules_of(0)]]
    first[0].reset(seed=SEED)
    for _ in range(30):
        assert first[0].state.tobytes() == envs.states[0].tobytes()
        actions = choose(envs, rng)
        *_, infos = envs.step(actions)
        _, _, end, cut, info = first[0].step(actions[0])
        if end or cut:
            for name in info.keys() - {"action_mask"}:
                assert infos["final_info"][name][0] == info[name]
            break
    assert len(player.seen) > 2


def test_a_row_is_played_by_what_its_seed_says_in_any_batch(game: Game) -> None:
    rules = draw_option_sets(game, game.make_rules(), 7)

    def numbers(n: int, row: int, seed: int) -> list[int]:
        config = StepConfig(reset=int(Autoreset.SAME_STEP), max_moves=3)
        rows = Rows(game, rules, n, config)
        for i in range(n):
            rows.reseed(i, np.random.default_rng(seed + i))
        rows.start(DealSource.DRAW)
        result = []
        for _ in range(150):
            result.append(int(rows.buffers.rules[row]))
            rows.step(rows.buffers.masks.argmax(axis=1))
        return result

    one = numbers(1, 0, 8)
    assert one == numbers(5, 3, 5)
    assert one != numbers(1, 0, 9)


def test_rules_are_drawn_alike_and_apart_from_the_cards() -> None:
    """Of 30 000 deals each rules plays its part, and so it does of those with one first card."""
    game = GAMES["pyramid"]
    rows = Rows(game, draw_option_sets(game, game.make_rules(), 5), 30_000)
    rows.seed(np.arange(30_000))
    rows.start(DealSource.DRAW)
    for which in (rows.states["deck"][:, 0] > 0, rows.states["deck"][:, 0] < 30):
        shares = np.bincount(rows.buffers.rules[which], minlength=5) / which.sum()
        assert np.abs(shares - 0.2).max() < 0.02


@pytest.mark.parametrize("way", [copy.deepcopy, lambda envs: pickle.loads(pickle.dumps(envs))])
@pytest.mark.parametrize(("kind", "several", "rules"), TABLES)
def test_copies_and_restored_states_keep_their_rules(
    kind: Game, several: bool, rules: list[Any], way: Any
) -> None:
    config = StepConfig(reset=int(Autoreset.SAME_STEP), max_moves=9)
    rows = Rows(kind, rules, 5, config)
    rows.seed(np.arange(5))
    rows.start(DealSource.DRAW)
    play_on(rows, 7)
    other = way(rows)
    fresh = Rows(kind, rules, 5, config)
    fresh.load_state_dict(rows.state_dict())
    turned = Rows(kind, rules[::-1], 5, config)
    turned.restore(rows.states.copy())
    assert [turned.rules_of(i) for i in range(5)] == [rows.rules_of(i) for i in range(5)]
    result = play_on(rows, 60)
    assert result == play_on(other, 60) == play_on(fresh, 60)
    assert len({numbers for numbers, _ in result}) > 1


def play_on(rows: Rows, steps: int) -> list[tuple[bytes, bytes]]:
    result = []
    for _ in range(steps):
        rows.step(rows.buffers.masks.argmax(axis=1))
        result.append((rows.buffers.rules.tobytes(), rows.states.tobytes()))
    return result


def test_every_rules_is_known_by_what_a_state_shows(game: Game) -> None:
    rules = [*dict.fromkeys([game.make_rules(), *draw_option_sets(game, game.make_rules(), 100)])]
    rows = Rows(game, rules, 2 * len(rules))
    numbers = np.tile(np.arange(len(rules)), 2)
    rows.start(DealSource.DRAW, rules=numbers)
    for _ in range(5):
        assert np.array_equal(rows.table.find(rows.states), numbers)
        rows.step(rows.buffers.masks.argmax(axis=1))
    others = Rows(game, rules[1:], 1)
    rows.start(DealSource.DRAW, rules=np.zeros(rows.n, np.int64))
    with pytest.raises(ValueError, match=f"row 0: rules must be one of the {len(rules) - 1} rules"):
        others.restore(rows.states[:1].copy())


def test_a_wrong_state_is_named_by_its_row_and_changes_nothing() -> None:
    envs = CardVectorEnv(GAMES["pyramid"], 4, variants="all")
    envs.reset(seed=1)
    before, wrong = envs.clone(), envs.clone()
    wrong["deck"][2, 0] = 0
    with pytest.raises(ValueError, match="row 2: deck must be all cards "):
        envs.restore(wrong)
    assert envs.states.tobytes() == before.tobytes()


def test_deals_and_rules_are_chosen_row_by_row(game: Game) -> None:
    rules = draw_option_sets(game, game.make_rules(), 5)
    several = game.num_players(rules[0]) > 1
    envs = CardVectorEnv(game, 4, variants=rules, encoding="codes")
    observations, infos = envs.reset(seed=0, options={"deal": [3, 3, 9, 4], "rules": [0, 4, 2, 2]})
    assert infos["rules_index"].tolist() == [0, 4, 2, 2]
    if not several:  # whose opponents' first turns are of another key
        for row, (deal, number) in enumerate([(3, 0), (3, 4), (9, 2), (4, 2)]):
            wanted, _ = make_single(game, rules[number]).reset(options={"deal": deal})
            assert np.array_equal(observations[row], wanted)
    assert envs.reset(options={"rules": 3})[1]["rules_index"].tolist() == [3] * 4
    drawn = [envs.reset(options={"deal": 5})[1]["rules_index"].tolist() for _ in range(3)]
    assert drawn[0] == drawn[1] == drawn[2] and len(set(drawn[0])) == 1
    for wrong in (5, -1, [0, 1], "book", [0.5] * 4):
        with pytest.raises(
            ValueError,
            match="reset option rules must be an integer from 0 to 4, or a list of 4 such ",
        ):
            envs.reset(options={"rules": wrong})
    with pytest.raises(ValueError, match=r"reset option must be .*got 'rules'"):
        CardVectorEnv(game, 2).reset(options={"rules": 0})
    with pytest.raises(ValueError, match="reset_mask must not be combined with"):
        envs.reset(options={"rules": 0, "reset_mask": np.arange(4) > 1})


def test_one_rules_alone_is_as_if_it_were_the_variant() -> None:
    game = GAMES["pyramid"]
    one = CardVectorEnv(game, 3, "book", passes=2, autoreset_mode="same_step")
    other = CardVectorEnv(
        game, 3, variants=[{"variant": "book", "passes": 2}], autoreset_mode="same_step"
    )
    one.reset(seed=4)
    _, infos = other.reset(seed=4)
    assert infos.keys() == {"action_mask"} and one.rules == other.rules
    for _ in range(60):
        actions = one.action_masks().argmax(axis=1)
        one.step(actions)
        other.step(actions)
    assert one.states.tobytes() == other.states.tobytes()


def test_variants_are_names_dictionaries_rules_or_all() -> None:
    game = GAMES["pyramid"]
    made = game.make_rules("web")
    result = read_variants(game, ["book", {"variant": "classic", "passes": 2}, made, {}])
    assert result.rules == (
        game.make_rules("book"),
        game.make_rules("classic", {"passes": 2}),
        made,
        game.make_rules(),
    )
    assert len(read_variants(game, "all").rules) == len(set(game.variants.values()))
    squares = GAMES["poker_squares"]
    assert {squares.num_players(one) for one in read_variants(squares, "all").rules} == {1}
    beside = read_variants(game, ["book", {"passes": 1}], {"passes": 4})
    assert [one.passes for one in beside.rules] == [4, 1]


@pytest.mark.parametrize(
    ("variants", "output"),
    [
        ("book", "variants must be 'all' or a list .*, got 'book'"),
        ({"variant": "book"}, "variants must be 'all' or a list .*, got "),
        (3, "variants must be 'all' or a list .*, got 3"),
        ([], "variants must have 1 to 65536 entries, got 0"),
        (["bok"], "variant must be .*, got 'bok'. Did you mean 'book'"),
        ([{"pases": 1}], "option must be .*got 'pases'"),
        ([{"passes": 99}], "option passes must be an integer from 0 to 9, got 99"),
        ([4], "entries of variants must be names .*, got 4"),
        (["book", "classic", {"variant": "book"}], "variants must be different, got book twice"),
    ],
    ids=str,
)
def test_wrong_variants_are_refused(variants: Any, output: str) -> None:
    with pytest.raises(ValueError, match=output):
        CardVectorEnv(GAMES["pyramid"], 2, variants=variants)


def test_arguments_that_need_one_variant_are_rejected_with_several_rules() -> None:
    game, two = GAMES["pyramid"], ["book", "classic"]
    with pytest.raises(
        ValueError,
        match="variants must have the same number of players, got book for 1 and duel for 2",
    ):
        CardVectorEnv(GAMES["poker_squares"], 2, variants=["book", "duel"])
    with pytest.raises(
        ValueError, match="variant must be left out if variants is given, got 'web'"
    ):
        CardVectorEnv(game, 2, "web", variants=two)
    with pytest.raises(ValueError, match="winnable must be left out if variants is given"):
        CardVectorEnv(game, 2, variants=two, winnable=True)
    envs = CardVectorEnv(game, 2, variants=two)
    with pytest.raises(
        ValueError, match="rules must be the same in all rows, got 2 different rules"
    ):
        _ = envs.rules
    with pytest.raises(ValueError, match="row must be an integer from 0 to 1, got 2"):
        envs.rules_of(2)
    seven = CardVectorEnv(
        GAMES["seven_twenty_seven"], 2, variants=["mini", {"variant": "mini", "pack": "full"}]
    )
    with pytest.raises(
        ValueError, match="deck must be left out if the rules of the rows use different decks"
    ):
        seven.reset(options={"deck": "Ac 2c"})


def test_an_illegal_action_shows_the_table_by_the_rows_own_rules() -> None:
    envs = CardVectorEnv(GAMES["pyramid"], 2, variants=["book", "extra-row"], illegal="raise")
    envs.reset(seed=0, options={"rules": [0, 1]})
    legal = envs.action_masks()
    actions = np.array([legal[0].argmax(), legal[1].argmin()])
    with pytest.raises(Exception, match=r"^row 1: action must be .*, got ") as raised:
        envs.step(actions)
    env = CardEnv(GAMES["pyramid"], "extra-row", render_mode="ansi")
    env.restore(envs.states[1:].copy())
    assert str(env.render()) in str(raised.value)
