"""Poker Squares for two players matches its reference, and no placement is revealed too early."""

from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from parlour.envs import GAMES, Game
from parlour.envs.core.batch import Autoreset, Reward, StepConfig
from parlour.envs.core.kernel.cards import FIRST_CARD, card_name
from parlour.envs.core.options import to_plain
from parlour.envs.core.rows import (
    Rows,
    observation_codes,
    resample_copies,
    view_states,
    write_states,
)
from parlour.envs.core.rules_table import random_options
from tests.marks import slow_if
from tests.reference.match import Match, legal_now, names
from tests.reference.poker_squares_duel import Duel
from tests.walkers import WALKERS

GAME = GAMES["poker_squares"]
VARIANTS = [name for name, rules in GAME.variants.items() if rules.players == 2]
PAID = "a difference is paid"
OPEN = ("rng", "steps", "deck")
"""Fields in which two games may differ that have come to the same position."""


class DealtReference(Duel):
    """The reference of the duel dealt in row 0, and the totals that both seats know."""

    def __init__(self, rows: Rows) -> None:
        self.rules = to_plain(rows.rules)
        assert self.rules.pop("players") == 2
        super().__init__([card_name(int(card)) for card in rows.states["deck"][0]], **self.rules)
        self.kept = self.open_totals = super().totals
        self.moves = 0

    @property
    def totals(self) -> list[int]:
        """Those of the reference, worked out once a step."""
        return self.kept

    def step(self, square: int) -> None:
        super().step(square)
        self.moves += 1
        self.kept = super().totals
        if self.turn != 1:
            self.open_totals = self.kept

    def branches(self) -> Iterator[str]:
        """What shows in this position."""
        if self.turn is not None:
            free = {square for square in range(25) if self.grids[self.turn][square] is None}
            if self.legal() != free:
                yield f"player_{self.turn} {self.rules['adjacent']}"
        if self.totals != self.open_totals:
            yield "secret points"
        if self.over:
            yield self.rules["scoring"]
            yield {1: "player_0 wins", 0: "a tie", -1: "player_1 wins"}[int(np.sign(self.net[0]))]
            if self.rules["wager"] == "points" and abs(self.net[0]) not in (0, 1):
                yield PAID


def seat_of(seat: int) -> np.ndarray:
    return np.array([seat])


def paid(reference: DealtReference) -> list[int]:
    """What each seat wins, in points where these are the wager."""
    unit = 25 if reference.rules["wager"] == "points" else 1
    return [round(unit * net) for net in reference.net]


def cards(output: list[str]) -> list[str | None]:
    return [None if card == "--" else card for card in output]


def compare(rows: Rows, reference: DealtReference) -> None:
    s = rows.states[0]
    assert legal_now(rows) == reference.legal()
    assert bool(s["over"]) == reference.over
    assert (None if s["over"] else int(s["turn"])) == reference.turn
    assert int(s["viewer"]) == int(s["turn"])
    assert int(s["moves"]) == reference.moves
    assert s["net"].tolist() == paid(reference)
    assert rows.buffers.rewards[0].tolist() == reference.net
    assert bool(s["won"]) == (reference.net[0] > 0)
    own, other = reference.totals[s["viewer"]], reference.totals[1 - s["viewer"]]
    assert [int(s["score"]), int(s["other_score"])] == [own, other]
    assert names(s["other_grid"]) == reference.grids[1 - s["viewer"]]
    unseen = s["shown"]["unseen"].reshape(13, 4)
    assert s["suits"].tolist() == unseen.sum(axis=0).tolist()
    assert s["ranks"].tolist() == unseen.sum(axis=1).tolist()
    assert view_states(GAME, rows.rules, rows.states, s["turn"].reshape(1)).tobytes() == s.tobytes()
    for seat in range(2):
        compare_seat(rows, reference, seat)


def compare_seat(rows: Rows, reference: DealtReference, seat: int) -> None:
    """The observation of a seat, and the state of the game as reported to it."""
    states = view_states(GAME, rows.rules, rows.states, seat_of(seat))
    output = GAME.features.explain(observation_codes(states)[0])
    seen = reference.seen_by(seat)
    assert cards(output["grid"]) == seen["own"]
    assert cards(output["other"]) == seen["other"]
    assert cards([output["card"]]) == [seen["card"]]
    assert {card_name(FIRST_CARD + i) for i in range(52) if output["unseen"][i]} == seen["unseen"]
    assert output["turn"] == {None: 0, seat: 1, 1 - seat: 2}[seen["turn"]]
    assert (output["seat"], output["players"]) == (seat == 1, 2)
    assert output["placed"] == 25 - seen["own"].count(None)
    results = GAME.results(states, rows.rules, seat_of(seat))
    known = reference.totals[0] if seat == 0 else reference.open_totals[0]
    totals = known, reference.totals[1]
    assert (results["total"][0], results["other_total"][0]) == (totals[seat], totals[1 - seat])
    assert results["score"][0] == paid(reference)[seat]
    assert results["won"][0] == (reference.net[seat] > 0)


def count_branches(hits: Counter[str], reference: DealtReference, action: int | None) -> None:
    hits.update(reference.branches())


def for_two(game: Game, rng: np.random.Generator) -> dict[str, object]:
    return random_options(game, rng) | {"players": 2}


MATCH = Match(GAME, DealtReference, compare, count_branches, options=for_two)


@pytest.mark.parametrize(
    ("variant", "games"),
    [
        ("duel", 100),
        *((one, 20) for one in VARIANTS[1:]),
        *(slow_if(True, one, 100) for one in VARIANTS),
    ],
)
def test_variant_matches_reference(variant: str, games: int) -> None:
    hits = MATCH.games(variant, games)
    if games < 100:
        return
    assert all(hits[one] for one in ("player_0 wins", "player_1 wins", "secret points"))
    assert bool(hits["player_0 all"]) == bool(hits["player_1 all"]) == (variant == "duel")


@pytest.mark.slow
@pytest.mark.parametrize("variant", VARIANTS)
def test_variant_matches_reference_on_2000_games(variant: str) -> None:
    assert MATCH.games(variant, 2000)["a tie"]


def test_random_options_match_reference_and_reach_every_branch() -> None:
    hits = MATCH.random_sets(0, 60)
    wanted = [f"player_{seat} {which}" for seat in range(2) for which in ("first", "all", "wins")]
    missed = [one for one in (*wanted, "american", "english", "custom", PAID) if not hits[one]]
    assert not missed, f"no game reached {missed}; reached were {hits}"


@pytest.mark.slow
def test_2000_random_option_sets_match_reference() -> None:
    MATCH.random_sets(1000, 2000)


def test_equal_grids_are_a_tie() -> None:
    rows, hits = MATCH.rows("classic-duel", None), Counter[str]()
    rows.deal_numbered("reference", [5])
    reference = DealtReference(rows)
    for square in range(50):
        rows.step(np.array([square // 2]))
        reference.step(square // 2)
        compare(rows, reference)
    count_branches(hits, reference, None)
    assert hits["a tie"] and rows.buffers.terminated[0]


@pytest.mark.parametrize("reward", list(Reward))
def test_an_illegal_action_costs_and_the_first_legal_square_is_played(reward: Reward) -> None:
    rows = Rows(
        GAME, GAME.make_rules("duel"), 1, StepConfig(reward=reward, reset=Autoreset.DISABLED)
    )
    rows.deal_numbered("reference", [1])
    rows.step(np.array([7]))
    rows.step(np.array([0]))  # only the four squares next to the center are legal
    assert rows.buffers.rewards.tolist() == [[0, -1]]
    assert int(rows.states["illegal"][0]) == 0b10 and not rows.states["over"][0]
    assert rows.states["other_grid"][0, 7] == rows.states["shown"]["grid"][0, 7] != 0
    while not rows.states["over"][0]:
        rows.step(np.array([-1]))
    net = rows.states["net"][0]
    paid = net > 0 if reward == Reward.WIN else net
    assert rows.buffers.rewards[0].tolist() == [paid[0], paid[1] - 1]
    for seat in range(2):
        assert GAME.results(rows.states, rows.rules, seat_of(seat))["illegal_action"][0]


# What a seat does not know


def positions(rows: Rows, seed: int) -> Iterator[list[int]]:
    """Play one game; yield the actions so far at every step, and at the end."""
    rng, walk = np.random.default_rng(seed), list(WALKERS.values())[seed % len(WALKERS)]
    rows.deal_numbered("hidden", [seed])
    actions: list[int] = []
    yield actions
    while not rows.states["over"][0]:
        actions.append(walk(rows, rng))
        rows.step(np.array(actions[-1:]))
        yield actions


def replayed(rules: Any, deck: np.ndarray, actions: list[int]) -> np.ndarray:
    """The states (1,) after these actions from this deck."""
    rows = Rows(GAME, rules, 1)
    rows.deal_deck(deck.tolist())
    for action in actions:
        assert action in legal_now(rows)
        rows.step(np.array([action]))
    return rows.states


def same(one: np.ndarray, other: np.ndarray) -> bool:
    """Whether two states are one position, whatever the chance to come."""
    fields = [field for field in GAME.state.names or () if field not in OPEN]
    return all(one[field].tobytes() == other[field].tobytes() for field in fields)


def check_hiding(rules: Any, seed: int) -> int:
    """Play one game with resampling, and return the number of secret squares that moved."""
    rows = Rows(GAME, rules, 1, StepConfig(reset=Autoreset.DISABLED))
    moved = 0
    for actions in positions(rows, seed):
        state, step = rows.states, len(actions)
        turn, place = int(state["turn"][0]), int(state["next"][0])
        seeds = np.arange(8, dtype=np.uint64) + np.uint64(1000 * seed + step)
        for seat in range(2):
            result = resample_copies(GAME, rules, state.repeat(8), seeds, seat)
            if seat == turn:
                assert (
                    resample_copies(GAME, rules, state.repeat(8), seeds).tobytes()
                    == result.tobytes()
                )
            assert (result["deck"][:, :place] == state["deck"][:, :place]).all()
            assert (np.sort(result["deck"], axis=1) == np.arange(4, 56)).all()
            seats = np.full(8, seat)
            before = view_states(GAME, rules, state.repeat(8), seats)
            after = view_states(GAME, rules, result, seats)
            assert observation_codes(before).tobytes() == observation_codes(after).tobytes()
            for field in ("legal", "score", "over", "turn", "net"):
                assert before[field].tobytes() == after[field].tobytes()
            swapped = view_states(GAME, rules, state.repeat(8), 1 - seats)
            swapped = resample_copies(GAME, rules, swapped, seeds, seat)
            assert swapped.tobytes() == view_states(GAME, rules, result, 1 - seats).tobytes()
            if seat == 0 or turn == 0:
                assert all(same(one, state[0]) for one in result)
                continue
            secret = result["secret"]
            moved += int((secret != state["secret"][0]).sum())
            for number in range(2):
                then = [*actions[:-1], int(secret[number])]
                assert same(replayed(rules, state["deck"][0], then)[0], result[number])
    return moved


@pytest.mark.parametrize("variant", VARIANTS)
def test_hiding_keeps_what_a_seat_sees_and_moves_the_rest(variant: str) -> None:
    assert all(check_hiding(GAME.make_rules(variant), seed) > 100 for seed in range(6))


def test_hiding_with_random_options() -> None:
    for seed in range(20):
        options = for_two(GAME, np.random.default_rng(seed))
        assert check_hiding(GAME.make_rules(None, options), seed)


@pytest.mark.parametrize("variant", VARIANTS)
def test_what_is_hidden_does_not_depend_on_where_the_card_truly_lies(variant: str) -> None:
    rules = GAME.make_rules(variant)
    rows = Rows(GAME, rules, 1, StepConfig(reset=Autoreset.DISABLED))
    for seed in range(3):
        legal: set[int] = set()
        for actions in positions(rows, seed):
            if rows.states["turn"][0] == 1:
                deck = rows.states["deck"][0]
                worlds = [replayed(rules, deck, [*actions[:-1], square]) for square in legal]
                result = {resample_copies(GAME, rules, world, 7, 1).tobytes() for world in worlds}
                shown = {observation_codes(world).tobytes() for world in worlds}
                drawn = {str(GAME.layout(world[0], rules)) for world in worlds}
                results = [GAME.results(world, rules, seat_of(1)) for world in worlds]
                told = {str({fact: one[0] for fact, one in each.items()}) for each in results}
                assert len(result) == len(shown) == len(drawn) == len(told) == 1
            legal = legal_now(rows)


def test_a_secret_square_is_any_that_was_possible() -> None:
    """Each of them equally often."""
    rules = GAME.make_rules("duel")
    rows = Rows(GAME, rules, 1)
    for seed in range(4):
        legal: set[int] = set()
        for actions in positions(rows, seed):
            if len(actions) in (1, 9, 25, 45):
                n = 400 * len(legal)
                seeds = np.random.default_rng(seed).integers(0, 2**63, n, np.uint64)
                secret = resample_copies(GAME, rules, rows.states.repeat(n), seeds, 1)["secret"]
                squares, often = np.unique(secret, return_counts=True)
                assert set(squares.tolist()) == legal
                assert abs(often - 400).max() < 5 * 20
            legal = legal_now(rows)


def test_a_state_by_itself_is_one_of_the_game_for_one() -> None:
    """What judges one grid alone may look, and play on, as if there were no other."""
    alone = GAME.make_rules("book")
    rows = Rows(GAME, GAME.make_rules("duel"), 1, StepConfig(reset=Autoreset.DISABLED))
    solo = Rows(GAME, alone, 1, StepConfig(reset=Autoreset.DISABLED))
    for actions in positions(rows, 1):
        turn, deck = int(rows.states["turn"][0]), rows.states["deck"][0]
        own = actions[turn::2]
        write_states(solo.states, slice(None), rows.states)
        assert alike(solo.states, replayed(alone, deck, own))
        if not rows.states["over"][0]:
            square = min(legal_now(solo))
            solo.step(np.array([square]))
            assert alike(solo.states, replayed(alone, deck, [*own, square]))


def alike(one: np.ndarray, other: np.ndarray) -> bool:
    """Whether one grid, and all that its player knows, is as the other."""
    fields = ("legal", "score", "over", "filled", "next", "suits", "ranks")
    pieces = ("grid", "card", "unseen", "placed")
    return all(one[field].tolist() == other[field].tolist() for field in fields) and all(
        one["shown"][piece].tolist() == other["shown"][piece].tolist() for piece in pieces
    )
