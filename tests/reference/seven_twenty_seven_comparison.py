"""The compiled Seven Twenty-Seven compared with its reference: walkers, comparisons and counts.

`DealtReference` is the reference of the hand in row 0. It records the states of both
implementations, and `compare` compares them. The tests of the game use this module.
"""

from collections.abc import Callable, Iterator
from functools import cache, partial
from typing import Any

import numpy as np

from parlour.envs import GAMES
from parlour.envs.core.kernel.cards import RANKS
from parlour.envs.core.options import to_plain
from parlour.envs.core.rows import Rows, observation_codes, view_states
from parlour.envs.games.seven_twenty_seven.rules import FAR, Phase, Status
from tests.reference.match import legal_now, names
from tests.reference.seven_twenty_seven import (
    BETS,
    BOTH,
    CALL,
    DECLARE_7,
    DECLARE_27,
    FOLD,
    NEARNESS,
    SEVEN,
    TWENTY_SEVEN,
    SevenTwentySeven,
    best_total,
    shares,
    totals,
)
from tests.reference.seven_twenty_seven_table import BETTING

GAME = GAMES["seven_twenty_seven"]
SEATS = 10
PHASES = {
    "over": Phase.OVER,
    "ask": Phase.ASK,
    "bet": Phase.BET,
    "draw": Phase.DRAWING,
    "last_bet": Phase.LAST_BET,
    "declare": Phase.DECLARING,
    "first_bet": Phase.FIRST_BET,
    "after_bet": Phase.AFTER_BET,
}
DECLARE = ("cards_speak", "simultaneous", "sequential")
BOTH_TIE = ("loses", "shares")
NUMBERS = {
    word: number
    for words in (NEARNESS, DECLARE, BOTH_TIE, ("full", "mini"))
    for number, word in enumerate(words)
}
"""What the pieces have for the words of the options."""
TARGETS = (SEVEN, TWENTY_SEVEN)
SAID = {None: 0, DECLARE_7: 1, DECLARE_27: 2, BOTH: 3}
EXPLAINED = 3
"""Observations of each game that are also explained as a person would have them explained."""


class DealtReference(SevenTwentySeven):
    """The reference of the hand dealt in row 0. Its ``marks`` record the rules that applied."""

    def __init__(self, rows: Rows) -> None:
        s, self.rules = rows.states[0], to_plain(rows.rules)
        self.players: int = self.rules["players"]
        self.options = {name: NUMBERS.get(said, said) for name, said in self.rules.items()}
        self.marks = [f"{self.players} seats", self.rules["pack"]]
        self.checked: set[int] = set()
        self.codes = s["deck"].copy()
        self.deck = [str(card) for card in names(self.codes[: s["size"]])]
        self.states: list[np.ndarray] = []
        self.rewards: list[np.ndarray] = []
        self.told: list[dict[str, Any]] = []
        self.tables: list[list[list[int]]] = []
        self.viewers: list[list[list[int]]] = []
        super().__init__(self.deck, int(s["dealer"]), **self.rules)

    def all_states(self) -> np.ndarray:
        """Row 0 after each step."""
        return np.frombuffer(b"".join(state.tobytes() for state in self.states), GAME.state)

    def note(self, rows: Rows) -> None:
        """Remember how row 0 and the reference stand."""
        self.states.append(rows.states.copy())
        self.rewards.append(rows.buffers.rewards.copy())
        self.told.append(told_state(self))
        self.tables.append(told_seats(self))
        self.viewers.append([told_viewer(self, seat) for seat in range(self.players)])

    @property
    def bettor(self) -> int | None:
        """Who bet or raised last in the latest round of bets."""
        return self._last_bettor

    @property
    def said(self) -> list[int | None]:
        """What each seat has declared, public or not."""
        return self._said

    def missing(self, seat: int) -> int:
        """The chips that this seat must add to stay in, even if it is not to act."""
        return self._missing(seat) if seat in self.live else 0

    def branches(self, action: int | None) -> Iterator[str]:
        """The rules that applied since the last call, and that the next action exercises."""
        yield from self.marks
        self.marks.clear()
        if action is not None and self.phase in BETTING:
            yield from self.branches_of_bets(action)

    def branches_of_bets(self, action: int) -> Iterator[str]:
        assert self.turn is not None
        levels = len(self.legal() & set(BETS))
        if self.rules["any_amount"]:
            if action in BETS and len(self._parts()[BETS.index(action)]) > 1:
                yield "range chosen again" if self._amounts else "range chosen"
            elif action in BETS:
                yield "amount chosen from a range" if self._amounts else "amount chosen directly"
        if self._amounts:
            return
        if levels == 0:
            yield "no raise allowed" if self.rules["max_raises"] == 0 else "raises used up"
            if len(self.live) == 2 and self.rules["max_raises"]:
                yield "raises used up by two"
        else:
            yield {5: "five levels", 1: "one level"}.get(levels, "equal levels")
        if action == CALL and not self.to_call:
            self.checked.add(self.turn)
        elif self.turn in self.checked:
            yield {FOLD: "fold", CALL: "call"}.get(action, "raise") + " after a check"
        if action in BETS and self.phase != "bet":
            yield f"bet in {self.phase}"
        if action == FOLD and self.phase == "after_bet":
            yield "fold after declaring"
        if self.rules["max_raises"] - self.raises_left == 10:
            yield "tenth raise"

    def _begin_betting(self, phase: str) -> None:
        super()._begin_betting(phase)
        self.checked.clear()
        if self.lead != (self.dealer + 1) % self.players and self.rules["rotating_lead"]:
            self.marks.append("lead moved")
        if phase == "last_bet":
            self.marks.append("last bets" if self.stock else "last bets with an empty stock")

    def _begin_declaring(self) -> None:
        super()._begin_declaring()
        if self._queue[0] != self.live[0]:
            self.marks.append("declarations from the last bettor")
        elif self.rules["declare"] == "sequential" and self._last_bettor is None:
            self.marks.append("declarations from the first seat in")

    def _draw(self, seat: int) -> None:
        super()._draw(seat)
        self.marks.append("card up" if self.hands[seat][-1][1] else "card down")
        if self.busted[seat]:
            self.marks.append("bust in a draw round")
        if len(self.live) == 1:
            self.marks.append("end inside a draw round")

    def _deal(self) -> None:
        super()._deal()
        if any(self.busted):
            self.marks.append("bust after the deal")
        if len(self.live) == 1:
            self.marks.append("over after the deal")

    def _skip_those_who_cannot_draw(self) -> None:
        before = list(self._queue)
        super()._skip_those_who_cannot_draw()
        for seat in before[: len(before) - len(self._queue)]:
            for option, done in (("max_extra", self.taken), ("max_stands", self.stands)):
                if self.rules[option] and done[seat] >= self.rules[option]:
                    self.marks.append(f"skipped by {option}")
            if not self.stock:
                self.marks.append("skipped with an empty stock")

    def _finish(self, got: dict[int, int]) -> None:
        if len(self.live) == 1:
            self.marks.append("one is left")
        elif self.rules["declare"] == "cards_speak":
            self.marks += self.branches_of_cards(got)
        else:
            self.marks += self.branches_of_declarations(got)
        super()._finish(got)

    def branches_of_cards(self, got: dict[int, int]) -> Iterator[str]:
        """Which options decided: the pot would have been shared otherwise without them."""
        hands = {seat: self.cards(seat) for seat in self.live}
        nearness, half_tens = self.rules["nearness"], self.rules["half_tens"]
        perfect = self.rules["perfect"]
        by = {each: shares(self.pot, hands, each, half_tens, perfect=perfect) for each in NEARNESS}
        if nearness != "nearest" and by[nearness] != by["nearest"]:
            yield f"{nearness} decides"
        if nearness == "nearest" and by["under_beats_over"] != by["over_beats_under"]:
            yield "below and above share"
        if half_tens and shares(self.pot, hands, nearness, perfect=perfect) != got:
            yield "half tens decide"
        sevens = [best_total(hand, SEVEN, nearness, half_tens) for hand in hands.values()]
        if not any(sevens):
            yield "none can win 7"
        if self.pot % 2:
            yield "odd pot"
        if any(one - other == 1 for one in got.values() for other in got.values() if other):
            yield "remainder"

    def branches_of_declarations(self, got: dict[int, int]) -> Iterator[str]:
        said = {self._said[seat] for seat in self.live}
        hands = ["".join(sorted(card[0] for card in self.cards(seat))) for seat in self.live]
        if self.rules["perfect"] and "5AA" in hands and said != {BOTH}:
            yield "perfect takes all"
        winners = [seat for seat in self.live if got[seat]]
        if BOTH in said:
            alone = len(winners) == 1 and self._said[winners[0]] == BOTH
            yield "both wins" if alone else "both drops out"
        shares_side = self.rules["both_tie"] == "shares" and len(winners) > 1 and said != {BOTH}
        if shares_side and any(self._said[seat] == BOTH for seat in winners):
            yield "both shares"
        if said == {BOTH} and len(winners) > 1:
            yield "all drop out"
        elif DECLARE_7 not in said or DECLARE_27 not in said:
            yield "side without a declarer"
        yield self.rules["declare"]


def compare(rows: Rows, reference: DealtReference) -> None:
    """Compare the legal actions, and record everything else for the comparison after the hand."""
    s = rows.states[0]
    assert legal_now(rows) == reference.legal()
    assert (s["over"] == 1) == reference.over == bool(rows.buffers.terminated[0])
    assert reference.over or s["turn"] == reference.turn
    reference.note(rows)
    if reference.over:
        compare_states(rows, reference)
        compare_views(rows, reference)


def compare_states(rows: Rows, reference: DealtReference) -> None:
    """The kernel's state after each step equals that of the reference."""
    states, rewards = reference.all_states(), np.concatenate(reference.rewards)
    assert (states["deck"] == reference.codes).all()
    assert (rewards == states["net"] / reference.rules["ante"]).all()
    assert not states["illegal"].any() and not rows.buffers.truncated[0]
    for name in reference.told[0]:
        told = np.array([told[name] for told in reference.told])
        same(states[name], told, partial("{} after step {}".format, name))
    seats = np.arange(reference.players)
    facts = GAME.results(states[-1:].repeat(reference.players), rows.rules, seats)
    assert facts["score"].tolist() == reference.net
    assert facts["won"].tolist() == [net > 0 for net in reference.net]
    assert facts["paid"].tolist() == reference.paid and facts["pot"][0] == reference.pot
    assert facts["showdown"].all() == facts["showdown"].any() == (len(reference.live) > 1)


def compare_views(rows: Rows, reference: DealtReference) -> None:
    """The observations of each seat after each step equal those of the reference."""
    players, steps = reference.players, len(reference.states)
    states = reference.all_states()
    seats = np.tile(np.arange(players), steps)
    views = view_states(GAME, rows.rules, states.repeat(players), seats)
    codes = observation_codes(views)
    table = np.array(reference.tables)
    around = [
        [(seat + k) % players if k < players else SEATS for k in range(SEATS)]
        for seat in range(players)
    ]
    told = np.concatenate(
        [table[:, around].reshape(len(seats), -1), np.concatenate(reference.viewers)], axis=1
    )
    same(decoded(codes), told, lambda at: f"step {at // players}, seat {at % players}")
    for at in range(steps % 7, len(seats), 1 + len(seats) // EXPLAINED):
        assert flat(GAME.features.explain(codes[at])) == told[at].tolist()
    acting = np.flatnonzero((seats == views["turn"]) & (views["over"] == 0))
    assert views[acting].tobytes() == states[:-1].tobytes(), "the kernel shows what who acts sees"


def same(here: np.ndarray, told: np.ndarray, where: Callable[[int], str]) -> None:
    """Assert that two tables are the same in every row."""
    if (here != told).any():
        row = int(np.flatnonzero((here != told).reshape(len(told), -1).any(axis=1))[0])
        raise AssertionError(f"{where(row)}: {here[row].tolist()}, told {told[row].tolist()}")


# What the reference tells, as the kernel's state and its observations have it


def told_state(reference: DealtReference) -> dict[str, Any]:
    """The table in terms of the fields of the kernel's state."""
    players = range(reference.players)
    owner, up = [0] * 52, 0
    for seat, hand in enumerate(reference.hands):
        for card, face_up in hand:
            place = reference.deck.index(card)
            owner[place] = seat + 1
            up |= face_up << place
    cards = [sorted_cards(reference, seat) for seat in players]
    lows = [worth(hand, "nearest", reference.rules["half_tens"])[0] for hand in cards]
    bettor = reference.bettor
    return {
        "phase": PHASES[reference.phase],
        "over": reference.over,
        "live": sum(1 << seat for seat in reference.live),
        "pot": reference.pot,
        "paid": pad(reference.paid),
        "staked": pad(reference.staked),
        "net": pad(reference.net),
        "taken": pad(reference.taken),
        "stands": pad([min(stands, 3) for stands in reference.stands]),
        "said": pad([SAID[word] for word in reference.said]),
        "next": len(reference.deck) - len(reference.stock),
        "size": len(reference.deck),
        "dealer": reference.dealer,
        "lead": lead_of(reference),
        "from_chips": reference.bet_range[0],
        "to_chips": reference.bet_range[1],
        "bettor": -1 if bettor is None else bettor,
        "owner": owner,
        "up": up,
        "low": pad(lows),
        "cards": [*map(kinds, cards), *[[0] * 11] * (SEATS - reference.players)],
    }


def lead_of(reference: DealtReference) -> int:
    """The seat from which the round begins; the kernel has the dealer's left if none rotates."""
    if reference.rules["rotating_lead"]:
        return reference.lead
    return (reference.dealer + 1) % reference.players


def told_seats(reference: DealtReference) -> list[list[int]]:
    """What is public of each seat, in the order of the pieces; last comes a seat that is not there.

    All see the same of it: another seat is asked at each step.
    """
    seen = reference.seen_by(len(reference.tables) % reference.players)
    rounds = range(reference.draw_rounds - 1, reference.draw_rounds - 9, -1)
    rows = []
    for seat in range(reference.players):
        out = Status.FOLDED if seen["folded"][seat] else Status.IN
        rows.append(
            [
                Status.BUSTED if seen["busted"][seat] else out,
                *kinds(tuple(seen["up"][seat])),
                seen["hidden"][seat],
                seen["taken"][seat],
                *(number in seen["drew_in"][seat] for number in rounds),
                min(seen["stands"][seat], 3),
                seen["paid"][seat],
                seen["staked"][seat],
                SAID[seen["declared"][seat]],
            ]
        )
    return rows + [[0] * len(rows[0])] * (SEATS + 1 - len(rows))


def told_viewer(reference: DealtReference, seat: int) -> list[int]:
    """What else a seat sees: its cards and the table, in the order of the pieces."""
    rules, own = reference.rules, sorted_cards(reference, seat)
    low, seven, others = worth(own, rules["nearness"], rules["half_tens"])
    pot, missing = reference.pot, reference.missing(seat)
    antes = pot // rules["ante"]
    top = antes.bit_length() - 1

    def turned(other: int | None) -> int:
        return 0 if other is None else 1 + (other - seat) % reference.players

    return [
        *kinds(own),
        low,
        FAR + 1 if seven is None else min(abs(seven - SEVEN), FAR),
        FAR + 1 if others is None else min(abs(others - TWENTY_SEVEN), FAR),
        seven is not None and seven > SEVEN,
        others is not None and others > TWENTY_SEVEN,
        PHASES[reference.phase],
        turned(reference.turn),
        turned(reference.dealer),
        turned(reference.bettor),
        pot,
        missing,
        16 * missing // (pot + missing),
        min(2 * top + (2 * antes >= 3 << top), 32),
        reference.raises_left,
        len(reference.stock),
        *(said for name, said in reference.options.items() if name != "any_amount"),
        turned(lead_of(reference)),
        reference.rules["any_amount"],
        *reference.bet_range,
    ]


def decoded(codes: np.ndarray) -> np.ndarray:
    """Observations as a table of numbers, digits read as the number that they make."""
    columns, start = [], 0
    for piece in GAME.features.pieces:
        part = codes[:, start : start + piece.size].astype(np.int64)
        start += piece.size
        columns.append(part @ 16 ** np.arange(piece.size)[::-1, None] if piece.read else part)
    return np.concatenate(columns, axis=1)


def flat(explained: dict[str, Any]) -> list[int]:
    """The same of one observation as it is explained."""
    told = [one for said in explained.values() for one in (said if type(said) is list else [said])]
    return [NUMBERS.get(one, one) for one in told]


def sorted_cards(reference: DealtReference, seat: int) -> tuple[str, ...]:
    return tuple(sorted(card for card, _ in reference.hands[seat]))


@cache
def kinds(cards: tuple[str, ...]) -> list[int]:
    """How many of these cards are aces, 2s … 10s, faces."""
    counts = [0] * 11
    for card in cards:
        counts[min(RANKS.index(card[0]), 10)] += 1
    return counts


@cache
def worth(
    cards: tuple[str, ...], nearness: str, half_tens: bool
) -> tuple[int, int | None, int | None]:
    """The lowest total, and the best for 7 and for 27."""
    low, *_ = totals(list(cards), half_tens)
    sides = [best_total(list(cards), target, nearness, half_tens) for target in TARGETS]
    return low, sides[0], sides[1]


def pad(numbers: list[Any]) -> list[Any]:
    """These numbers of the seats, and 0 for each seat that is not there."""
    return numbers + [0] * (SEATS - len(numbers))
