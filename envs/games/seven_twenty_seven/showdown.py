"""Seven Twenty-Seven: who gets the pot."""

from ...core.aliases import RulesRecord, State
from ...core.batch import Over
from ...core.kernel.bits import count
from ...core.kernel.jit import jit
from ...core.seating import wrap_seat
from .rules import CLASSES, FACE, SEATS, BothTie, Declare
from .totals import NO_TOTAL

ACE, FIVE = 0, 4
"""Classes of cards."""
SAYS_7, SAYS_27 = 1, 2
"""What a seat has said is a set of these sides."""


@jit
def split_among_tied(s: State, rules: RulesRecord, chips: int, winners: int) -> None:
    """Divide chips among a set of seats; what is left over goes one each from the first on."""
    among = count(winners)
    each, over = chips // among, chips % among
    for k in range(1, rules.players + 1):
        seat = wrap_seat(s["dealer"] + k, rules.players)
        if (winners >> seat) & 1:
            s["net"][seat] += each + (over > 0)
            over -= over > 0


@jit
def nearest_seats(s: State, seats: int, side: int) -> int:
    """The set of those of a set of seats that are nearest to 7 (side 0) or 27 and may win there."""
    best, found = NO_TOTAL, 0
    for seat in range(SEATS):
        if (seats >> seat) & 1:
            rank = s["rank"][seat][side]
            if rank < best:
                best, found = rank, 0
            if rank == best and rank < NO_TOTAL:
                found |= 1 << seat
    return found


@jit
def declared_seats(s: State, word: int) -> int:
    """The set of seats still in that have declared a side, or both."""
    found = 0
    for seat in range(SEATS):
        if (s["live"] >> seat) & 1 and s["said"][seat] & word:
            found |= 1 << seat
    return found


@jit
def show_declarations(s: State) -> None:
    """Make public what all who are still in have declared."""
    for seat in range(SEATS):
        if (s["live"] >> seat) & 1:
            s["seats"][seat]["declared"] = s["said"][seat]


@jit
def perfect_seats(s: State) -> int:
    """The set of seats still in whose cards are a five and two aces."""
    found = 0
    for seat in range(SEATS):
        cards = s["cards"][seat]
        total = 0
        for kind in range(CLASSES):
            total += cards[kind]
        if (s["live"] >> seat) & 1 and total == 3 and cards[ACE] == 2 and cards[FIVE] == 1:
            found |= 1 << seat
    return found


@jit
def both_that_stay(s: State, rules: RulesRecord, low: int, high: int) -> int:
    """The set of seats that declared both and win, of those that try for 7 and for 27."""
    lowest, highest = nearest_seats(s, low, 0), nearest_seats(s, high, 1)
    stay = low & high & lowest & highest
    if rules.both_tie == BothTie.SHARES or (stay == lowest == highest and stay & (stay - 1) == 0):
        return stay
    return 0


@jit
def show_hands(s: State) -> None:
    """Turn up the cards of all who are still in, and their declarations."""
    for place in range(s["next"]):
        if (s["live"] >> (s["owner"][place] - 1)) & 1:
            s["up"] |= 1 << place
    for seat in range(SEATS):
        if (s["live"] >> seat) & 1:
            public = s["seats"][seat]
            public["hidden"] = 0
            for kind in range(FACE):
                public["up"][kind] = s["cards"][seat][kind]
            public["up_faces"] = s["cards"][seat][FACE]
    show_declarations(s)


@jit
def find_shares(s: State, rules: RulesRecord) -> tuple[int, int, int]:
    """Return the sets of seats that share 7's part of the pot and 27's, and 7's part in chips.

    Both sets are empty where nobody has won a side. Of perfect hands the first part is all.
    """
    perfect = perfect_seats(s) if rules.perfect else 0
    if perfect:
        return perfect, perfect, s["pot"]
    low = high = s["live"]
    if rules.declare != Declare.CARDS_SPEAK:
        low, high = declared_seats(s, SAYS_7), declared_seats(s, SAYS_27)
        drop_out = low & high & ~both_that_stay(s, rules, low, high)
        low, high = low & ~drop_out, high & ~drop_out
    sevens, others = nearest_seats(s, low, 0), nearest_seats(s, high, 1)
    if sevens and others:
        return sevens, others, s["pot"] // 2
    return sevens, others, s["pot"] if sevens else 0


@jit
def split_pot_by_sides(s: State, rules: RulesRecord) -> None:
    """Divide the pot between those who are nearest to 7 and to 27."""
    show_hands(s)
    sevens, others, part = find_shares(s, rules)
    if sevens:
        split_among_tied(s, rules, part, sevens)
    if others:
        split_among_tied(s, rules, s["pot"] - part, others)
    if not sevens | others:
        split_among_tied(s, rules, s["pot"], s["live"])


@jit
def finish_hand(s: State, rules: RulesRecord) -> None:
    """End the hand: the last seat left takes the pot, or the cards decide."""
    if s["live"] & (s["live"] - 1) == 0:
        split_among_tied(s, rules, s["pot"], s["live"])
    else:
        split_pot_by_sides(s, rules)
    for seat in range(rules.players):
        s["net"][seat] -= s["paid"][seat]
    s["over"] = Over.TERMINATED
    s["won"] = s["net"][0] > 0
    s["legal"] = 0
