"""Chosen decks, numbered deals of a deal set, and deals that are drawn in play."""

from typing import Any

import numpy as np
import pytest

from parlour.envs import CardEnv, CardVectorEnv, Game
from parlour.envs.core.batch import (
    DealSource,
)
from parlour.envs.core.kernel.cards import RANKS, SUIT_SIGNS, default_deal_set
from parlour.envs.core.kernel.cards import card_name as card_name
from parlour.envs.core.kernel.jit import plain_python
from parlour.envs.core.kernel.rng import next_random_word
from parlour.envs.core.rows import Rows
from tests.contract.cases import Case

TOP_BIT = 1 << 63


def shuffled(case: Case, seed: int) -> list[int]:
    pack = case.game.pack(case.rules)
    return [int(card) for card in np.random.default_rng(seed).permutation(pack)]


def packs(game: Game) -> dict[tuple[int, ...], list[Any]]:
    """Which cards the variants of a game have, and the rules that have them."""
    result: dict[tuple[int, ...], list[Any]] = {}
    for rules in game.variants.values():
        result.setdefault(game.pack(rules), []).append(rules)
    return result


def ten(name: str) -> str:
    return name.replace("T", "10")


def test_a_chosen_deck_is_dealt_in_its_order(case: Case) -> None:
    codes = shuffled(case, 1)
    none = [0] * (case.game.state["deck"].shape[0] - len(codes))
    names = [card_name(code) for code in codes]
    ways: list[Any] = [
        codes,
        np.array(codes),
        names,
        [ten(name) for name in names],
        [name.lower() for name in names],
        " ".join(names),
        ", ".join(ten(name) for name in names),
        [name if i % 2 else code for i, (name, code) in enumerate(zip(names, codes, strict=True))],
    ]
    env, envs = case.env(encoding="codes"), case.vec(2, encoding="codes")
    for way in ways:
        observation, info = env.reset(seed=5, options={"deck": way})
        assert env.state["deck"].tolist() == codes + none
        observations, infos = envs.reset(options={"deck": way})
        assert envs.states["deck"].tolist() == [codes + none] * 2
        assert np.array_equal(observations, [observation, observation])
        assert np.array_equal(infos["action_mask"], [info["action_mask"]] * 2)


def test_a_chosen_deck_again_has_other_chance_and_by_one_seed_the_same(case: Case) -> None:
    env, envs, chosen = case.env(), case.vec(1), {"deck": shuffled(case, 1)}

    def chance(**seed: int) -> tuple[int, int]:
        env.reset(options=chosen, **seed)
        envs.reset(options=chosen, **seed)
        return int(env.state["rng"]), int(envs.states["rng"][0])

    first, again, seeded = chance(seed=5), chance(), chance(seed=5)
    assert first == seeded and first[0] == first[1]
    assert again[0] == again[1] != first[0]


def wrong_decks(game: Game) -> list[tuple[list[Any], str]]:
    names = [card_name(code) for code in shuffled(Case(game, game.default), 2)]
    copies, other = names.count(names[4]), next(n for n in names[9:] if n != names[4])
    often = "twice" if copies == 1 else "3 times"
    place = 9 + names[9:].index(other)
    places = [n for n, name in enumerate(names) if name == names[4]]
    wrong = max(place, *places) if copies > 1 else place
    twice = [*names[:place], names[4], *names[place + 1 :]]
    return [
        (twice, f"card {wrong + 1}: {names[4]} is in the deck {often}"),
        (names[:-1], f"missing: {names[-1]}"),
        (names[:-2], f"all {len(names)} cards, got {len(names) - 2}; missing: "),
        ([*names, names[0]], f"card {len(names) + 1}: {names[0]} is in the deck {often}"),
        ([*names[:3], "1h", *names[4:]], "card must be .*, got '1h'"),
        ([*names[:3], "Tx", *names[4:]], "card must be .*, got 'Tx'"),
        ([*names[:3], "", *names[4:]], "card must be .*, got ''"),
        ([*names[:3], 0, *names[4:]], f"got {len(names) - 1} known and 1 unknown"),
        ([*names[:9], *["??"] * (len(names) - 9)], f"9 known and {len(names) - 9} unknown"),
        ([*names[:3], 56, *names[4:]], "card 4: 56 is not a card of the game"),
        ([], f"all {len(names)} cards, got 0"),
    ]


def test_an_invalid_deck_is_rejected_and_changes_nothing(game: Game) -> None:
    for deck, output in wrong_decks(game):
        env, envs = CardEnv(game), CardVectorEnv(game, 2)
        env.reset(seed=1)
        envs.reset(seed=1)
        here, rows = env.clone(), envs.clone()
        for way in (deck, " ".join(map(str, deck))):
            if way is not deck and (0 in deck or 56 in deck or "" in deck):
                continue
            with pytest.raises(ValueError, match=output):
                env.reset(seed=9, options={"deck": way})
            with pytest.raises(ValueError, match=output):
                envs.reset(seed=9, options={"deck": way})
            assert env.clone().tobytes() == here.tobytes()
            assert envs.clone().tobytes() == rows.tobytes()


def test_a_deck_is_read_as_it_is_printed(game: Game) -> None:
    """With suit signs, as in a terminal, and with what separates cards in other programs."""
    codes = shuffled(Case(game, game.default), 3)
    printed = [RANKS[(code >> 2) - 1] + SUIT_SIGNS[code & 3] for code in codes]
    env, envs = CardEnv(game), CardVectorEnv(game, 1)
    env.reset(seed=4, options={"deck": codes})
    wanted = env.clone()
    ways = [printed, " ".join(printed), "\n".join(printed), " | ".join(printed), ";".join(printed)]
    ways.append(",".join(printed).lower().replace("t", "10").replace("♥", "♥\ufe0f"))
    for way in ways:
        env.reset(seed=4, options={"deck": way})
        envs.reset(seed=4, options={"deck": way})
        assert env.clone().tobytes() == wanted.tobytes()
        assert envs.states["deck"][0].tobytes() == wanted["deck"].tobytes()


def test_a_refused_first_reset_begins_nothing(game: Game) -> None:
    env, envs = CardEnv(game), CardVectorEnv(game, 2)
    for one, action in ((env, 0), (envs, [0, 0])):
        with pytest.raises(ValueError, match=r"all \d+ cards"):
            one.reset(options={"deck": []})
        with pytest.raises(Exception, match="call reset"):
            one.step(action)


def test_options_of_reset_that_do_not_exist_are_named(game: Game) -> None:
    env = CardEnv(game)
    for options, output in (
        ({"dek": []}, "reset option must be .*, got 'dek'. Did you mean 'deck'"),
        ({"deck": [], "deal": 3}, "must have either deck or deal"),
        ({"deal_set": "mine"}, "deal_set needs deal"),
        ({"deal": -1}, "deal must be an integer >= 0"),
        ({"deal": 1.5}, "deal"),
        ({"deal": "x"}, "deal"),
        ({"deal": [1, 2]}, "deal"),
    ):
        with pytest.raises(ValueError, match=output):
            env.reset(options=options)


def test_numbered_deals(case: Case) -> None:
    """The same everywhere, whatever the seed was, and different from number to number.

    What opponents draw is not the deal's but the seed's: these draw nothing.
    """
    keywords = {"encoding": "codes", **case.drawless}
    env, envs = case.env(**keywords), case.vec(6, **keywords)
    numbers = [0, 1, 2, 17, 1, 10**12]
    observations, infos = envs.reset(seed=9, options={"deal": numbers})
    for row, number in enumerate(numbers):
        observation, info = env.reset(
            options={"deal": number, "deal_set": default_deal_set(case.game.name)}
        )
        assert np.array_equal(observation, observations[row])
        assert np.array_equal(info["action_mask"], infos["action_mask"][row])
        assert env.clone().tobytes() == envs.clone()[row : row + 1].tobytes()
    assert len({deck.tobytes() for deck in envs.states["deck"]}) == 5
    env.reset(options={"deal": 17, "deal_set": "another"})
    assert env.state["deck"].tobytes() != envs.states["deck"][3].tobytes()
    same, _ = envs.reset(options={"deal": 17})
    assert np.array_equal(same, [observations[3]] * 6)
    with pytest.raises(ValueError, match="deal"):
        envs.reset(options={"deal": [1, 2]})


def test_a_numbered_deal_has_one_deck_in_all_variants(game: Game) -> None:
    """As far as they have one pack."""
    for same in packs(game).values():
        decks = set()
        for rules in same:
            env = CardEnv(game, game.variant_name(rules))
            env.reset(options={"deal": 5})
            decks.add(env.state["deck"].tobytes())
        assert len(decks) == 1


def test_a_numbered_deal_is_followed_by_random_deals(game: Game) -> None:
    env = CardEnv(game)
    env.reset(seed=1, options={"deal": 5})
    deal_set = env.state["deck"].tobytes()
    env.reset()
    assert env.state["deck"].tobytes() != deal_set


def test_a_deal_drawn_in_play_is_the_deal_of_its_seed(game: Game) -> None:
    """100 000 deals: the seed is the generator's next word without its top bit."""
    rules, n = game.make_rules(), 5000
    drawn, again = Rows(game, rules, n), Rows(game, rules, n)
    drawn.seed(np.random.default_rng(1).integers(0, 2**64, n, np.uint64))
    word = plain_python(next_random_word)
    decks = set()
    for _ in range(20):
        seeds = [word({"rng": int(rng)}) % TOP_BIT for rng in drawn.states["rng"]]
        drawn.start(DealSource.DRAW)
        again.seed(seeds)
        again.start(DealSource.SEED)
        assert drawn.states.tobytes() == again.states.tobytes()
        decks.update(deck.tobytes() for deck in drawn.states["deck"])
    assert len(decks) == 20 * n
    deal_set = Rows(game, rules, 10_000)
    deal_set.deal_numbered(default_deal_set(game.name), range(10_000))
    assert decks.isdisjoint(deck.tobytes() for deck in deal_set.states["deck"])


def test_every_card_is_dealt_to_every_place_equally_often(game: Game) -> None:
    """Chi-square over places and cards of 40 000 deals, half drawn and half of a deal set."""
    for pack, (rules, *_) in packs(game).items():
        rows = Rows(game, rules, 20_000)
        rows.seed(np.arange(20_000))
        rows.start(DealSource.DRAW)
        drawn = rows.states["deck"].copy()
        rows.deal_numbered(default_deal_set(game.name), range(20_000))
        for decks in (drawn, rows.states["deck"]):
            codes, copies = np.unique(pack, return_counts=True)
            counts = (decks[:, : len(pack), None] == codes).sum(axis=0)
            expected = len(decks) * copies / len(pack)
            chi = ((counts - expected) ** 2 / expected).sum()
            freedom = (len(pack) - 1) * (len(codes) - 1)
            assert abs(chi - freedom) < 4.5 * (2 * freedom) ** 0.5
