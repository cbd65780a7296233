"""Every worked example and every number of the rules of Seven Twenty-Seven, played by the kernel.

In all of it the seats' hands are named from the dealer's left.
"""

from typing import Any

import numpy as np
import pytest

from parlour.envs import GAMES
from parlour.envs.core.kernel.cards import RANKS, SUITS, card_name, parse_card
from parlour.envs.core.rows import Rows, observation_codes, view_states
from parlour.envs.games.seven_twenty_seven.kernel import level_chips
from parlour.envs.games.seven_twenty_seven.rules import (
    ACTIONS,
    CALL,
    DRAW,
    FOLD,
    LEVELS,
    RAISE,
    STAND,
    Nearness,
    Phase,
    Rules,
    Status,
)

GAME = GAMES["seven_twenty_seven"]
PACK = [rank + suit for rank in RANKS for suit in SUITS]
MINI = ["5c", "5d", "Ac", "Ad", "Tc", "Td"]
MINI_GAME: dict[str, Any] = {
    "players": 2,
    "pack": "mini",
    "max_bet": 1,
    "max_raises": 1,
    "max_extra": 1,
}
SEVEN, TWENTY_SEVEN, BOTH = 9, 10, 11
SAYS = {SEVEN, TWENTY_SEVEN, BOTH}
BETS = [RAISE + level for level in range(5)]
RULES = [nearness.name.lower() for nearness in Nearness]
BUST: dict[str, Any] = {"nearness": "over_is_bust"}


class Table:
    """One hand in the kernel. Lists of seats begin at the dealer's left."""

    def __init__(self, deck: list[str], dealer: int, **options: Any) -> None:
        self.rows = Rows(GAME, GAME.make_rules(None, options), 1)
        self.rows.deal_deck(deck, dealer)
        players = self.rows.rules.players
        self.order = [(dealer + 1 + k) % players for k in range(players)]

    @property
    def s(self) -> Any:
        return self.rows.states[0]

    @property
    def over(self) -> bool:
        return bool(self.s["over"])

    @property
    def phase(self) -> Phase:
        return Phase(int(self.s["phase"]))

    @property
    def legal(self) -> set[int]:
        legal = 0 if self.over else int(self.s["legal"])
        return {action for action in range(ACTIONS) if legal >> action & 1}

    @property
    def turn(self) -> int:
        """Who acts, as a place in the order."""
        assert not self.over
        return self.order.index(int(self.s["turn"]))

    def of(self, field: str) -> list[int]:
        """A field of the state that each seat has."""
        return [int(self.s[field][seat]) for seat in self.order]

    @property
    def won(self) -> list[int]:
        assert self.over and self.s["net"].sum() == 0 and self.s["paid"].sum() == self.s["pot"]
        return [net + paid for net, paid in zip(self.of("net"), self.of("paid"), strict=True)]

    def public(self, field: str) -> list[Any]:
        """What all see of each seat."""
        return [self.s["seats"][seat][field].tolist() for seat in self.order]

    @property
    def status(self) -> list[int]:
        return self.public("status")

    def hand(self, at: int) -> list[str]:
        """The cards of a seat as dealt, those that lie face up with a +."""
        mine = np.flatnonzero(self.s["owner"] == self.order[at] + 1)
        up = int(self.s["up"])
        return [card_name(int(self.s["deck"][p])) + "+" * (up >> int(p) & 1) for p in mine]

    @property
    def stock(self) -> list[str]:
        return [card_name(int(card)) for card in self.s["deck"][self.s["next"] : self.s["size"]]]

    def seen(self, at: int) -> dict[str, Any]:
        """What a seat sees."""
        rows, seats = self.rows, np.array([self.order[at]])
        return GAME.features.explain(
            observation_codes(view_states(GAME, rows.rules, rows.states, seats))
        )

    def play(self, *actions: int) -> "Table":
        for action in actions:
            assert action in self.legal, f"{action} is not legal: {self.legal}"
            self.rows.step(np.array([action]))
        return self

    def until(self, phase: Phase) -> "Table":
        """Stand and check up to a phase."""
        while self.phase != phase:
            self.play(CALL if CALL in self.legal else STAND)
        return self


def deal(*hands: str, then: str = "", dealer: int | None = None, **options: Any) -> Table:
    """Deal these hands, the first card of each face up, with `then` on top of the stock."""
    dealt = [hand.split() for hand in hands]
    begin = [hand[at] for at in range(len(dealt[0])) for hand in dealt] + then.split()
    options = {"players": len(hands), "start_down": len(dealt[0]) - 1, **options}
    rest = [card for card in PACK if card not in begin]
    return Table(begin + rest, len(hands) - 1 if dealer is None else dealer, **options)


def showdown(
    *hands: str, said: tuple[int, ...] = (), dealer: int | None = None, **options: Any
) -> list[int]:
    """What each of these hands gets of a pot of two chips of each, if it does not bust, and one.

    Cards beyond the first two, or three, are drawn. One more seat, the dealer, folds.
    """
    size = 1 + options.get("start_down", 1)
    cards = [[*hand.split()] for hand in hands]
    waiting = [hand[size:] for hand in cards] + [[]]
    top: list[str] = []
    for number in range(max(map(len, waiting))):
        top += [hand[number] for hand in waiting if number < len(hand)]
    folder = [card for card in PACK if card[0] in "2J" and card not in " ".join(hands)][:size]
    dealt = [" ".join(hand[:size]) for hand in cards] + [" ".join(folder)]
    if said:
        options["declare"] = "simultaneous"
    table = deal(*dealt, then=" ".join(top), dealer=dealer, **options)
    folds = len(hands)
    words = list(said)
    while not table.over:
        at, can = table.turn, table.legal
        if DRAW in can:
            table.play(DRAW if waiting[at] else STAND)
            waiting[at] = waiting[at][1:]
        elif FOLD in can:
            table.play(FOLD if at == folds else CALL)
        elif CALL in can:
            table.play(BETS[0] if at == 0 and table.of("paid")[at] == 1 else CALL)
        else:
            table.play(words.pop(0))
    assert table.s["pot"] == 2 * len(hands) + 1 - table.status.count(Status.BUSTED)
    assert table.status[folds] == Status.FOLDED and table.won[folds] == 0
    return table.won[:folds]


# What cards count


@pytest.mark.parametrize("half_tens", [False, True])
def test_what_each_card_counts(half_tens: bool) -> None:
    """Faces a half, 2 to 10 their number, an ace 1 or 11: 12 of 52 cards are half a point."""
    halves = 0
    for card in PACK:
        nine, *rest = [other for other in ("9c", "9d", "8c", "8d") if other != card]
        table = deal(f"{card} {nine}", " ".join(rest[-2:]), half_tens=half_tens)
        points = {"A": 1, "T": 10, "J": 0.5, "Q": 0.5, "K": 0.5}
        worth = points[card[0]] if card[0] in points else int(card[0])
        if card[0] == "T" and half_tens:
            worth = 0.5
        halves += worth == 0.5
        assert table.seen(0)["low"] == 2 * (9 + worth)
        assert table.seen(0)["off_27"] == 54 - 2 * (9 + worth) - 20 * (card[0] == "A")
    assert halves == (16 if half_tens else 12)


@pytest.mark.parametrize("nearness", RULES)
def test_5_a_a_is_exactly_7_and_exactly_27(nearness: str) -> None:
    table = deal("5c Ac Ad", "6c Kc Kd", nearness=nearness)
    seen = table.seen(0)
    assert (seen["off_7"], seen["off_27"], seen["over_7"], seen["over_27"]) == (0, 0, False, False)
    assert showdown("5c Ac Ad", "6c Kc", "Tc Td 7c", nearness=nearness) == [5, 0, 2]
    assert showdown("5c Ac Ad", "6c Kc", "Tc Td 6d", nearness=nearness) == [7, 0, 0]


@pytest.mark.parametrize(
    ("nearness", "low", "high"),
    [
        ("nearest", 4, 44),
        ("over_is_bust", 4, 44),
        ("under_beats_over", 4, 44),
        ("over_beats_under", 24, 64),
        ("inside_beats_outside", 24, 44),
        ("outside_beats_inside", 4, 64),
    ],
)
def test_equally_far_on_both_sides_the_rule_chooses(nearness: str, low: int, high: int) -> None:
    """2 or 12 against 7, 22 or 32 against 27. By `nearest` both are worth the same."""
    seen = deal("Kc Kd Ac", "Th Td 2d", then="9h", nearness=nearness).seen(0)
    assert seen["off_7"] == 10 and seen["over_7"] == (low > 14)
    seen = deal("Tc 9c Ac", "Th Td 2d", then="2c", nearness=nearness).play(DRAW).seen(0)
    assert seen["off_27"] == 10 and seen["over_27"] == (high > 54)


def test_over_is_bust_takes_the_highest_total_not_above() -> None:
    seen = deal("6c Ac", "8c Kc", **BUST).seen(0)
    assert seen["off_7"] == 0 and seen["off_27"] == 54 - 34
    seen = deal("6c Ac", "8c Kc", **BUST).seen(1)
    assert seen["off_7"] == 63 and not seen["over_7"] and seen["off_27"] == 54 - 17
    seen = deal("Tc 8c Ac", "8d Kc Kd", **BUST).seen(0)
    assert seen["off_27"] == 54 - 38 and not seen["over_27"], "19, not 29"
    seen = deal("Tc 8c Ac", "8d Kc Kd").seen(0)
    assert seen["off_27"] == 58 - 54 and seen["over_27"], "29 is nearer where only that counts"


# The deal


@pytest.mark.parametrize("dealer", range(4))
def test_the_deal_begins_at_the_dealers_left_with_one_card_up(dealer: int) -> None:
    table = Table(PACK, dealer)
    assert table.order[-1] == dealer and table.turn == 0 and table.phase == Phase.ASK
    assert [table.hand(at) for at in range(4)] == [[PACK[k] + "+", PACK[4 + k]] for k in range(4)]
    assert table.of("paid") == [1] * 4 and table.s["pot"] == 4 and table.legal == {DRAW, STAND}
    table = Table(PACK, dealer, start_down=2, ante=3)
    assert table.hand(1) == [PACK[1] + "+", PACK[5], PACK[9]] and table.stock == PACK[12:]
    assert table.s["pot"] == 12


@pytest.mark.parametrize("draw_up", [False, True])
def test_later_cards_go_in_the_order_of_asking(draw_up: bool) -> None:
    table = deal("5h Kh", "5d Kd", "5s Ks", then="2c 3c 4c", draw_up=draw_up)
    table.play(STAND, DRAW, DRAW, *[CALL] * 3, DRAW)
    mark = "+" * draw_up
    assert [table.hand(at)[2:] for at in range(3)] == [["4c" + mark], ["2c" + mark], ["3c" + mark]]


def test_the_dealer_is_drawn_and_can_be_set() -> None:
    rows = Rows(GAME, GAME.make_rules(None, {"players": 5}), 5000)
    rows.deal_numbered("dealers", range(5000))
    decks, counts = rows.states["deck"].copy(), np.bincount(rows.states["dealer"])
    assert ((counts - 1000) ** 2 / 1000).sum() < 18.47, "0.1 % bound for 4 degrees of freedom"
    rows.deal_numbered("dealers", range(5000), dealer=3)
    assert (rows.states["dealer"] == 3).all() and (rows.states["deck"] == decks).all()
    assert (rows.states["turn"] == 4).all()


def test_the_opening_ask_is_always_followed_by_betting() -> None:
    table = deal("5h Kh", "5d Kd").play(STAND, STAND)
    assert table.phase == Phase.BET
    assert table.play(CALL, CALL).phase == Phase.DRAWING and table.play(STAND, STAND).over
    mini = Table(MINI, 1, **{**MINI_GAME, "start_down": 2})
    assert mini.phase == Phase.BET and mini.play(CALL, CALL).over, "no stock: nobody is asked"


# Betting


@pytest.mark.parametrize(
    ("low", "high", "chips"),
    [
        (1, 5, [1, 2, 3, 4, 5]),
        (3, 3, [3, 3, 3, 3, 3]),
        (1, 3, [1, 1, 2, 2, 3]),
        (2, 13, [2, 4, 7, 10, 13]),
        (1, 1000, [1, 250, 500, 750, 1000]),
    ],
)
def test_of_five_levels_equal_ones_are_legal_once(low: int, high: int, chips: list[int]) -> None:
    limits: dict[str, Any] = {"min_bet": low, "max_bet": high}
    rules = GAME.make_rules(None, limits)
    assert [level_chips(rules, level) for level in range(LEVELS)] == chips
    for level, bet in enumerate(chips):
        table = deal("5h Kh", "5d Kd", **limits).until(Phase.BET)
        assert table.legal == {CALL, *(BETS[chips.index(each)] for each in chips)}
        if BETS[level] in table.legal:
            table.play(BETS[level], BETS[level])
            assert table.of("staked") == [bet, 2 * bet], "a raise is put on top of the call"


def test_any_amount_is_chosen_in_steps() -> None:
    limits: dict[str, Any] = {"max_bet": 25, "any_amount": True}
    table = deal("5h Kh", "5d Kd", **limits).until(Phase.BET)
    assert table.legal == {CALL, *BETS}
    words = GAME.action_words(table.s, table.rows.rules)
    assert words[BETS[3]][:2] == ("bet 16-20", "b16-20") and "bet 17" in words[BETS[3]]
    assert GAME.describe_action(table.s, table.rows.rules, BETS[3]) == (
        "choose a bet from 16 to 20 chips"
    )
    table.play(BETS[3])
    assert (table.turn, table.legal, table.of("paid")) == (0, {*BETS}, [1, 1])
    assert [table.seen(at)[one] for at in (0, 1) for one in ("from_chips", "to_chips")] == [
        16, 20, 16, 20
    ]  # fmt: skip
    assert GAME.prompt(table.s, table.rows.rules) == "Choose the amount of your bet."
    assert GAME.describe_action(table.s, table.rows.rules, BETS[1]) == "bet 17 chips"
    table.play(BETS[1])
    assert (table.turn, table.of("paid"), table.s["to_chips"]) == (1, [18, 1], 0)
    assert table.legal == {FOLD, CALL, *BETS}
    table.play(BETS[0], BETS[4])
    assert table.of("paid") == [18, 23] and table.turn == 0


@pytest.mark.parametrize(("low", "high"), [(1, 1), (3, 4), (1, 5), (2, 8), (1, 100), (1, 1000)])
def test_each_amount_can_be_bet(low: int, high: int) -> None:
    limits: dict[str, Any] = {"min_bet": low, "max_bet": high, "any_amount": True}
    begin = deal("5h Kh", "5d Kd", **limits).until(Phase.BET)
    rows, found = begin.rows, set[int]()
    waiting = [(rows.states.copy(), 0)]
    while waiting:
        states, steps = waiting.pop()
        rows.restore(states)
        assert rows.states.tobytes() == states.tobytes()
        for action in BETS:
            if action in begin.legal:
                rows.step(np.array([action]))
                if rows.states["to_chips"][0]:
                    waiting.append((rows.states.copy(), steps + 1))
                else:
                    found.add(int(rows.states["high"][0]))
                    assert steps < 5
                rows.restore(states)
    assert found == set(range(low, high + 1))


def test_ranges_that_no_choice_leads_to_are_refused() -> None:
    table = deal("5h Kh", "5d Kd", max_bet=25, any_amount=True).until(Phase.BET).play(BETS[3])
    for low, high in ((1, 25), (16, 19), (17, 20), (20, 20), (0, 20), (16, 0), (26, 30), (-5, 0)):
        states = table.rows.states.copy()
        states["from_chips"], states["to_chips"] = low, high
        with pytest.raises(ValueError, match="to_chips must be a range"):
            table.rows.restore(states)


def test_fold_is_illegal_with_nothing_to_call() -> None:
    table = deal("5h Kh", "5d Kd", "5c Kc").until(Phase.BET)
    assert table.legal == {CALL, *BETS}
    assert table.play(CALL).legal == {CALL, *BETS}
    assert table.play(BETS[0]).legal == {FOLD, CALL, *BETS}


def test_who_checked_may_fold_call_or_raise_and_a_bettor_acts_again_only_if_raised() -> None:
    checked = (CALL, BETS[3])
    table = deal("5h Kh", "5d Kd", "5c Kc").until(Phase.BET).play(*checked, CALL)
    assert table.turn == 0 and table.legal == {FOLD, CALL, *BETS}
    assert table.play(CALL).phase == Phase.DRAWING, "seat 1 has bet and was not raised"
    table = deal("5h Kh", "5d Kd", "5c Kc").until(Phase.BET).play(*checked, BETS[1])
    assert table.seen(0)["to_call"] == 6 and table.seen(1)["to_call"] == 2
    assert table.play(BETS[0]).turn == 1, "raised twice since"
    assert table.play(CALL, CALL).phase == Phase.DRAWING and table.of("paid") == [8] * 3
    table = deal("5h Kh", "5d Kd", "5c Kc").until(Phase.BET).play(*checked, CALL, FOLD)
    assert table.phase == Phase.DRAWING and table.of("paid") == [1, 5, 5]


def test_all_checked_ends_the_round() -> None:
    table = deal("5h Kh", "5d Kd", "5c Kc").until(Phase.BET).play(CALL, CALL, CALL)
    assert table.phase == Phase.DRAWING and table.s["pot"] == 3


def test_rounds_begin_at_the_dealers_left_whoever_raised_last() -> None:
    table = deal("5h Kh", "5d Kd", "5c Kc", then="2c").until(Phase.BET).play(CALL, CALL, BETS[0])
    table.play(CALL, CALL, STAND, DRAW, STAND)
    assert table.phase == Phase.BET and table.turn == 0
    table.play(BETS[0], CALL, CALL, STAND, STAND, DRAW, BETS[0], FOLD, CALL, DRAW, STAND)
    assert table.phase == Phase.BET and table.turn == 0 and table.status[1] == Status.FOLDED


@pytest.mark.parametrize("players", [2, 3])
@pytest.mark.parametrize("most", range(10))
def test_max_raises_counts_without_the_opening_bet_also_heads_up(players: int, most: int) -> None:
    hands = ["5h Kh", "5d Kd", "5c Kc"][:players]
    table = deal(*hands, max_raises=most).until(Phase.BET).play(BETS[0])
    for left in range(most, 0, -1):
        assert table.legal == {FOLD, CALL, *BETS} and table.seen(0)["raises_left"] == left
        table.play(BETS[0])
    assert table.legal == {FOLD, CALL} and table.seen(0)["raises_left"] == 0
    table.play(*[CALL] * (players - 1))
    assert table.phase == Phase.DRAWING and table.of("paid") == [2 + most] * players
    table.play(DRAW, *[STAND] * (players - 1))
    assert table.seen(0)["raises_left"] == most, "a new round has raises of its own"


def test_one_seat_left_takes_the_pot_and_shows_nothing() -> None:
    table = deal("Tc Td", "5d Ad", "5c Kc").until(Phase.BET).play(BETS[4], FOLD)
    assert not table.over
    assert table.play(FOLD).over and table.won == [8, 0, 0]
    assert [table.hand(at) for at in range(3)] == [["Tc+", "Td"], ["5d+", "Ad"], ["5c+", "Kc"]]
    assert table.public("hidden") == [1, 1, 1]


# Drawing


def test_a_seat_that_cannot_draw_is_skipped_and_counts_as_standing() -> None:
    table = deal("5h Kh", "5d Kd", max_stands=1).play(DRAW, STAND, CALL, CALL)
    assert table.play(DRAW).phase == Phase.BET, "seat 1 stood in the opening ask"
    table.play(CALL, CALL)
    assert table.turn == 0 and table.play(STAND).over and table.of("stands") == [1, 1]
    table = deal("5h Kh", "5d Kd", max_stands=2).play(DRAW, STAND, CALL, CALL, DRAW)
    assert table.turn == 1, "it may stand twice"
    table = deal("5h Kh", "5d Kd", max_extra=1).play(DRAW, STAND, CALL, CALL)
    assert table.turn == 1 and table.play(DRAW).play(CALL, CALL).over
    mini = Table(MINI, 1, **{**MINI_GAME, "max_extra": 0})
    assert mini.play(DRAW, STAND, CALL, CALL, DRAW).phase == Phase.BET, "the stock has run out"
    assert mini.stock == [] and mini.play(CALL, CALL).over


def test_standing_does_not_give_up_later_draws() -> None:
    table = deal("5h Kh", "5d Kd").until(Phase.DRAWING)
    for _ in range(5):
        table.play(STAND, DRAW, CALL, CALL)
    assert table.play(DRAW, DRAW).of("taken") == [1, 6]
    assert table.play(CALL, CALL, STAND, STAND).over


def test_last_bets_are_exactly_one_round_without_a_further_draw() -> None:
    table = deal("5h Kh", "5d Kd", last_bets=True).play(STAND, STAND)
    assert table.phase == Phase.BET, "the opening ask excepted"
    assert table.play(CALL, CALL, STAND, STAND).phase == Phase.LAST_BET
    assert table.legal == {CALL, *BETS} and table.seen(0)["raises_left"] == 3
    assert table.play(CALL, BETS[0], BETS[0], CALL).over and table.s["pot"] == 6
    mini = Table(MINI, 1, **{**MINI_GAME, "last_bets": True}).play(DRAW, DRAW, CALL, CALL)
    assert mini.phase == Phase.LAST_BET and mini.stock == [], "also when the stock is empty"
    assert mini.play(CALL, CALL).over


# The showdown

FOUR = ("5h Kh", "7h Kd", "Th Td 6h", "Tc Ts 8h")


@pytest.mark.parametrize(
    ("nearness", "won"),
    [
        ("nearest", [0, 4, 3, 2]),
        ("over_is_bust", [4, 0, 4, 0]),  # the 28 is out before it could bet
        ("under_beats_over", [0, 4, 5, 0]),
        ("over_beats_under", [0, 4, 0, 5]),
        ("inside_beats_outside", [0, 4, 5, 0]),
        ("outside_beats_inside", [0, 4, 0, 5]),
    ],
)
def test_four_hold_5_5_and_7_5_and_26_and_28(nearness: str, won: list[int]) -> None:
    assert showdown(*FOUR, nearness=nearness) == won


@pytest.mark.parametrize("nearness", RULES)
def test_two_hold_6_5_and_one_25(nearness: str) -> None:
    assert showdown("6h Kh", "Td Th 5d", "6d Kd", nearness=nearness) == [2, 4, 1]
    table = deal("6h Kh", "Td Th", "6d Kd", then="5d", ante=4, nearness=nearness)
    table.play(STAND, DRAW, STAND).until(Phase.OVER)
    assert table.won == [3, 6, 3], "half, and a quarter each"


@pytest.mark.parametrize(
    ("nearness", "won"),
    [
        ("nearest", [2, 2, 3, 2]),
        ("over_is_bust", [4, 0, 4, 0]),  # the 28 is out before it could bet
        ("under_beats_over", [4, 0, 5, 0]),
        ("over_beats_under", [0, 4, 0, 5]),
        ("inside_beats_outside", [0, 4, 5, 0]),
        ("outside_beats_inside", [4, 0, 0, 5]),
    ],
)
def test_four_hold_6_5_and_7_5_and_26_and_28(nearness: str, won: list[int]) -> None:
    assert showdown("6h Kh", "7h Kd", "Th Td 6d", "Tc Ts 8h", nearness=nearness) == won


@pytest.mark.parametrize("nearness", [rule for rule in RULES if rule != "over_is_bust"])
def test_only_equal_distances_are_decided_by_side(nearness: str) -> None:
    assert showdown("6h Kh", "7h 2h", "Tc Td 6s", "Ts Th 9h", nearness=nearness) == [4, 0, 5, 0]
    assert showdown("4h Kh", "7h Kd", "Tc Td 4s", "Ts Th 8h", nearness=nearness) == [0, 4, 0, 5]


def test_the_7_side_is_half_rounded_down_and_one_seat_may_win_both() -> None:
    assert showdown("7h Kh", "Tc Td 6d") == [2, 3]
    assert showdown("5h Ah Ad", "Tc Td 6d") == [5, 0]


@pytest.mark.parametrize("dealer", [5, 1, 3])
def test_remainders_go_from_the_dealers_left_in_each_part(dealer: int) -> None:
    """Pot 11: 5 for three 7s, 6 for two 27s; pot 9 with two of each: 4 and 5."""
    sevens = ["5h 2h", "4d 3d", "5c 2c"]
    others = ["Th Td 7d", "Tc Ts 7c"]
    hands = [sevens[0], others[0], sevens[1], others[1], sevens[2]]
    assert showdown(*hands, dealer=dealer) == [2, 3, 2, 3, 1]
    assert showdown(*hands[:4], dealer=dealer - 1) == [2, 3, 2, 2]


@pytest.mark.parametrize("dealer", range(4))
def test_the_dealer_is_the_last_to_get_of_a_remainder(dealer: int) -> None:
    """Pot 7: three hold the same, 3 is shared evenly, of 4 the first gets one more."""
    table = deal("Th Td", "6h Kh", "6d Kd", "6c Kc", dealer=dealer).until(Phase.BET)
    table.play(CALL, BETS[0], CALL, CALL, FOLD).until(Phase.OVER)
    assert table.won == [0, 3, 2, 2] and table.of("net") == [-1, 1, 0, 0]


# Going over where that is bust


def test_nobody_can_win_7_and_the_27_side_takes_the_whole_pot() -> None:
    assert showdown("9h 8h", "9d 8d", "9c 8c", **BUST) == [3, 2, 2], "one part, one remainder"
    assert showdown("9h 8h", "9d 9s", "9c 8c", **BUST) == [0, 7, 0]
    assert showdown("9h 8h", "9d 9s", "6c Kc", **BUST) == [0, 4, 3]


def test_who_is_above_27_folds_at_once_and_publicly_its_cards_staying_hidden() -> None:
    table = deal("Th 9h", "7h Kd", "Tc Kc", then="8h", **BUST).play(DRAW)
    assert table.status[0] == Status.IN, "27 is not above"
    table = deal("Th 9h", "7h Kd", "Tc Kc", then="9c", **BUST).play(DRAW)
    assert table.status == [Status.BUSTED, Status.IN, Status.IN] and table.turn == 1
    assert table.hand(0) == ["Th+", "9h", "9c"] and table.seen(1)["seats.2.hidden"] == 2
    assert table.seen(1)["seats.2.status"] == Status.BUSTED
    table.until(Phase.OVER)
    assert table.hand(0) == ["Th+", "9h", "9c"] and table.hand(1) == ["7h+", "Kd+"]
    assert table.won == [0, 0, 3]
    assert deal("Th 9h", "7h Kd", then="Ac", **BUST).play(DRAW).status[0] == Status.IN
    assert deal("Th 9h", "7h Kd", then="9c", half_tens=True, **BUST).play(DRAW).turn == 1
    for nearness in RULES:
        if nearness != "over_is_bust":
            assert not deal("Th 9h", "7h Kd", then="Tc", nearness=nearness).play(DRAW).over


def test_the_hand_can_end_inside_a_draw_round() -> None:
    table = deal("Th 9h", "Td 9d", "Tc 9c", then="Ts 9s", **BUST).play(DRAW)
    assert not table.over and table.play(DRAW).over
    assert table.won == [0, 0, 3] and table.of("stands") == [0, 0, 0], "seat 2 was not asked"
    assert table.public("hidden") == [2, 2, 1]


def test_a_card_that_busts_counts_as_drawn() -> None:
    table = deal("Th 9h", "Td 9d", "5c Kc", then="Ts", **BUST).until(Phase.DRAWING)
    assert table.play(DRAW, STAND, STAND).phase == Phase.BET and table.turn == 1


def test_busts_after_the_deal_stop_when_one_is_left() -> None:
    table = deal("Th 9h 9s", "Td 9d Kd", "5c Kc Ac", **BUST)
    assert table.status == [Status.BUSTED, Status.IN, Status.IN] and table.turn == 1
    table = deal("Td 9d Kd", "Th 9h 9s", **BUST)
    assert table.over and table.won == [2, 0]
    table = deal("Th 9h 9s", "Td 9d 9c", "Tc 8c Ts", ante=2, **BUST)
    assert table.over and table.status == [Status.BUSTED, Status.BUSTED, Status.IN]
    assert table.won == [0, 0, 6] and table.of("net") == [-2, -2, 4]
    assert (
        table.rows.buffers.rewards[0, :3].tolist() == [-1, -1, 2]
        and table.rows.buffers.terminated[0]
    )
    assert table.hand(2) == ["Tc+", "8c", "Ts"]


# Declaring

EACH = ("7h Kh", "Th Td", "9c Kc", "8c Qc")


def test_simultaneous_is_in_seat_order_and_hidden_until_all_have() -> None:
    table = deal(*EACH[:3], declare="simultaneous").until(Phase.BET)
    table.play(CALL, BETS[0], CALL, CALL, *[STAND] * 3)
    for at, word in enumerate([SEVEN, BOTH, TWENTY_SEVEN]):
        assert table.phase == Phase.DECLARING and table.turn == at and table.legal == SAYS
        assert table.public("declared") == [0, 0, 0]
        table.play(word)
    assert table.over and table.public("declared") == [1, 3, 2]
    assert table.won == [3, 0, 3]


def test_sequential_is_from_the_last_raiser_each_seeing_the_ones_before() -> None:
    table = deal(*EACH, declare="sequential").until(Phase.BET)
    table.play(BETS[0], CALL, BETS[1], FOLD, CALL, CALL, *[STAND] * 3)
    assert table.phase == Phase.DECLARING and table.turn == 2
    assert table.play(SEVEN).turn == 0 and table.public("declared") == [0, 0, 1, 0]
    assert table.play(TWENTY_SEVEN).turn == 1
    assert [table.seen(1)[f"seats.{k}.declared"] for k in range(4)] == [0, 1, 0, 2]
    assert table.play(BOTH).over and table.public("declared") == [2, 3, 1, 0]


def test_sequential_goes_by_the_last_round_of_bets_held() -> None:
    options: dict[str, Any] = {"declare": "sequential", "last_bets": True}
    table = deal(*EACH, **options).until(Phase.BET).play(CALL, BETS[0], CALL, FOLD, CALL)
    assert table.until(Phase.DECLARING).turn == 0, "in the last bets nobody bet"
    table = deal(*EACH, **options).until(Phase.LAST_BET).play(CALL, CALL, BETS[0], FOLD, FOLD, CALL)
    assert table.phase == Phase.DECLARING and table.turn == 2
    table = deal(*EACH, declare="sequential").until(Phase.BET).play(CALL, BETS[0], CALL, CALL, FOLD)
    assert table.until(Phase.DECLARING).turn == 1
    table = deal(*EACH, declare="sequential", then="2c").until(Phase.BET)
    table.play(CALL, BETS[0], CALL, CALL, FOLD, DRAW, STAND, STAND, *[CALL] * 3)
    assert table.until(Phase.DECLARING).turn == 1, "the first still in: nobody bet after the draw"


@pytest.mark.parametrize(
    ("hands", "said", "won"),
    [
        # a seat contests only what it declared
        (("7h Kh", "9h 2h", "Td 9d"), (TWENTY_SEVEN, SEVEN, SEVEN), [4, 3, 0]),
        # BOTH is strictly best on each side: 5.5; 10 or 20; 11
        (("5h Kh", "9h Ah", "9d 2d"), (TWENTY_SEVEN, BOTH, SEVEN), [0, 7, 0]),
        # here it is not: 5.5 is nearer to 7
        (("5h Kh", "9h Ah", "9d 2d"), (SEVEN, BOTH, TWENTY_SEVEN), [3, 0, 4]),
        # 10 or 20 twice, 10.5: equal is not strictly best, on one side or the other
        (("9h Ah", "9d Ad", "Tc Jc"), (BOTH, SEVEN, TWENTY_SEVEN), [0, 3, 4]),
        (("9h Ah", "9d Ad", "Tc Jc"), (BOTH, TWENTY_SEVEN, SEVEN), [0, 4, 3]),
        # nor against another BOTH; the half of a side without any goes to the other
        (("9h Ah", "9d Ad", "Tc Jc"), (BOTH, BOTH, SEVEN), [0, 0, 7]),
        # 7.5 and 20 are in each other's way, although neither wins
        (("7h Kh", "Th Td", "9c Kc"), (BOTH, BOTH, SEVEN), [0, 0, 7]),
        (("7h Kh", "Th Td", "9c Kc"), (BOTH, BOTH, TWENTY_SEVEN), [0, 0, 7]),
        # one of two BOTH seats may win
        (("9h Ah", "Td Jd", "8c Kc"), (BOTH, BOTH, TWENTY_SEVEN), [7, 0, 0]),
        (("9h Ah", "Td Jd", "8c Kc"), (BOTH, BOTH, SEVEN), [0, 0, 7]),
        # judged once: without the first the second would be best on each side
        (("7h Kh", "9d Ad", "Tc Js"), (BOTH, BOTH, TWENTY_SEVEN), [0, 0, 7]),
        # all drop out: equally to all still in, remainder in seat order
        (("7h Kh", "Th Td", "9c Kc"), (BOTH, BOTH, BOTH), [3, 2, 2]),
        # alone on a side is best there
        (("7h Kh", "Th Td", "9c Kc"), (BOTH, SEVEN, SEVEN), [7, 0, 0]),
        (("7h Kh", "Th Td", "9c Kc"), (TWENTY_SEVEN, BOTH, TWENTY_SEVEN), [0, 7, 0]),
        # nobody declared 27, or 7: one part with one remainder
        (("6h Kh", "6d Kd", "Tc Ts"), (SEVEN, SEVEN, SEVEN), [4, 3, 0]),
        (("6h Kh", "6d Kd", "Tc Ts"), (TWENTY_SEVEN,) * 3, [0, 0, 7]),
        (("6h Kh", "6d Kd", "6c Kc"), (SEVEN, SEVEN, SEVEN), [3, 2, 2]),
    ],
)
def test_declarations(hands: tuple[str, ...], said: tuple[int, ...], won: list[int]) -> None:
    assert showdown(*hands, said=said) == won


@pytest.mark.parametrize(
    ("hands", "said", "won"),
    [
        # neither 7.5 nor 8 can win the 7 side: its half goes to the other
        (("7h Kh", "6d 2d", "Tc Kc"), (SEVEN, SEVEN, TWENTY_SEVEN), [0, 0, 7]),
        # nobody can win anything declared
        (("7h Kh", "6d 2d", "Tc Kc"), (SEVEN, SEVEN, SEVEN), [3, 2, 2]),
        # BOTH without a 7 cannot win and drops out at 27 too; with one it can
        (("5h Kh", "Td Ad"), (TWENTY_SEVEN, BOTH), [5, 0]),
        (("5h Kh", "6d Ad"), (TWENTY_SEVEN, BOTH), [0, 5]),
        # nor is it in the way of another BOTH where it cannot win
        (("5h Ah", "8d Kd"), (BOTH, BOTH), [5, 0]),
    ],
)
def test_declarations_where_over_is_bust(
    hands: tuple[str, ...], said: tuple[int, ...], won: list[int]
) -> None:
    assert showdown(*hands, said=said, **BUST) == won


def test_strictly_best_goes_by_the_nearness_rule() -> None:
    for nearness, won in (
        ("nearest", [0, 5]),
        ("under_beats_over", [5, 0]),
        ("over_beats_under", [0, 5]),
    ):
        hands = ("5h Kh Ah", "7d Kd 2h")  # 6.5 and 9.5
        assert showdown(*hands, said=(BOTH, SEVEN), nearness=nearness, start_down=2) == [5, 0]
        hands = ("5h Kh Ah", "7d Kd")  # 6.5 and 7.5
        assert showdown(*hands, said=(BOTH, SEVEN), nearness=nearness) == won


# What the environment gives


def test_the_variants_are_as_the_page_says() -> None:
    home = Rules(4, 1, 1, 5, 3, 1)
    assert home.nearness == Nearness.NEAREST
    changed: dict[str, dict[str, Any]] = {
        "home": {},
        "no-cap": {"max_raises": 60},
        "any-amount": {"max_bet": 25, "any_amount": True},
        "sarrett": {"rotating_lead": True, "perfect": True},
        "six": {"players": 6},
        "ten": {"players": 10},
        "bust": BUST,
        "low-wins-ties": {"nearness": "under_beats_over"},
        "declare": {"declare": "simultaneous"},
        "open-cards": {"draw_up": True},
        "three-card": {"start_down": 2},
        "mini": MINI_GAME,
    }
    assert home == GAME.variants["home"]
    assert {each: GAME.make_rules(None, changed[each]) for each in changed} == GAME.variants


def test_the_mini_game_has_about_100_000_histories_over_ranks() -> None:
    """1263 of each deal; six cards, each twice there, can be dealt in 90 ways."""
    rows = Rows(GAME, GAME.variants["mini"], 1)
    rows.deal_deck(MINI)
    count, ahead = 0, rows.states.copy()
    while len(ahead):
        count += len(ahead)
        grown = []
        for action in range(ACTIONS):
            can = ahead[(ahead["legal"] >> action & 1 != 0) & (ahead["over"] == 0)]
            if len(can):
                next_rows = Rows(GAME, rows.rules, len(can))
                next_rows.restore(can)
                next_rows.step(np.full(len(can), action))
                grown.append(next_rows.states)
        ahead = np.concatenate(grown) if grown else ahead[:0]
    assert count == 1263 and count * 90 == 113_670


def test_the_reward_is_the_net_in_antes_at_the_end() -> None:
    table = deal("5h Kh", "7h Kd", "Th Td", ante=4, max_bet=9).until(Phase.BET)
    table.play(BETS[4], CALL, FOLD)
    assert not table.rows.buffers.rewards.any()
    table.until(Phase.OVER)
    assert table.won == [0, 30, 0] and table.of("net") == [-13, 17, -4]
    assert table.rows.buffers.rewards[0, :3].tolist() == [-3.25, 4.25, -1]
    assert not table.rows.buffers.rewards[0, 3:].any() and (GAME.num_players(Rules()), 4 + 1) == (
        4,
        5,
    )


def test_an_illegal_action_counts_as_fold_check_stand_or_7_and_costs_1() -> None:
    table = deal("5h Kh", "7h Kd", "Th Td", declare="sequential")

    def wrong(action: int) -> list[float]:
        assert action not in table.legal
        table.rows.step(np.array([action]))
        return table.rows.buffers.rewards[0, :3].tolist()

    assert wrong(SEVEN) == [-1, 0, 0] and table.public("stands") == [1, 0, 0]
    table.play(STAND, STAND)
    assert wrong(FOLD) == [-1, 0, 0] and table.turn == 1 and table.of("paid") == [1, 1, 1]
    table.play(BETS[0])
    assert wrong(DRAW) == [0, 0, -1] and table.status[2] == Status.FOLDED
    table.play(CALL, STAND, STAND)
    assert wrong(99) == [0, -1, 0] and table.public("declared") == [0, 1, 0]
    assert table.turn == 0 and wrong(CALL) == [-1 - 2, 3, -1], "chips are conserved"
    assert table.over and table.s["illegal"] == 0b111 and table.public("declared") == [1, 1, 0]


def test_the_viewer_is_seat_0_and_sees_who_drew_in_which_of_the_last_8_rounds() -> None:
    table = Table([card for card in PACK if card[0] in "JQK"] + PACK[:40], 1, players=3)
    assert [parse_card(card.rstrip("+")) >> 2 for card in table.hand(0)] == [11, 11]
    for number in range(10):
        table.play(*([DRAW, STAND, STAND] if number % 3 else [STAND, STAND, DRAW]), *[CALL] * 3)
    table.play(DRAW)
    for at in range(3):
        seen = table.seen(at)
        drew = [seen[f"seats.{(k - at) % 3}.drew"] for k in range(3)]
        assert drew[0] == [n % 3 != 0 for n in range(10, 2, -1)]
        assert drew[1] == [False] * 8
        assert drew[2] == [False] + [n % 3 == 0 for n in range(9, 2, -1)]
        assert [seen[f"seats.{(k - at) % 3}.taken"] for k in range(3)] == [7, 0, 4]
        assert seen["turn"] == 1 + (1 - at) % 3 and seen["dealer"] == 1 + (2 - at) % 3
        assert [seen[f"seats.{(k - at) % 3}.stands"] for k in range(3)] == [3, 3, 3]
