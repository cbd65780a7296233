"""Double dummy: can a side take so many points, all cards known to all?

A zero-window search with a table of what is known at the start of a trick. Its positions are
records with the fields of a state that the play reads and writes, so the rules of play are those of
`play`. The showing of secret trumps is a move like any other. Pairs are not thought of.
"""

import numpy as np

from ...core.aliases import Places, RulesRecord, State
from ...core.bits import count, lowest
from ...core.jit import jit
from ...core.seating import next_seat
from ...core.splitmix import GAMMA, finish_word
from ...core.tricks import card_strength
from ..play import (
    ask_for_trumps,
    may_ask,
    play_card,
    playable_cards,
    show_trumps,
    strength_at,
    take_trick,
    trump_suit,
    winner_of_trick,
)
from ..rules import ASK, PACK_POINTS, RANK_POINTS, RANKS, SEATS
from ..state import HAND, NONE

POSITION = np.dtype(
    [
        ("hands", np.int64, (SEATS,)),
        ("seen", np.int64, (SEATS,)),
        ("taken_by", np.int8, (HAND,)),
        ("playing", np.int8),
        ("card", np.int8),
        ("made", np.int8),
        ("tricks", np.int8),
        ("size", np.int8),
        ("leader", np.int8),
        ("bidder", np.int8),
        ("maker", np.int8),
        ("asker", np.int8),
        ("alone", np.int8),
        ("turn", np.int8),
        ("last", np.int8),  # number of the last trick, from 0
        ("ours", np.int8),  # points that the side has taken
        ("left", np.int8),  # points that are not taken
        ("moves", np.int64),  # set of cards that are still to be tried
        ("key", np.uint64),
        ("salt", np.uint64),  # keeps apart in the table what the searches of several deals found
        ("asks", np.int8),  # asking is still to be tried
        ("first", np.int8),  # what is tried first, -1: nothing is known
        ("tried", np.int8),
        ("best", np.int8),  # the best strength in the trick
        ("winning", np.int8),  # it is of the mover's side
        ("mover", np.int8),  # 1: the side is at turn
        (
            "shown",
            [
                ("trick", np.int8, (SEATS,)),
                ("trumps_shown", np.int8),
                ("shown_trick", np.int8),
                ("shown_after", np.int8),
                ("must_trump", np.int8),
                ("apart", np.int8),
            ],
        ),
        ("seats", [("hand", np.int8), ("points", np.int8), ("tricks", np.int8)], (SEATS,)),
    ]
)
"""A position of the search."""
DEPTH = SEATS * HAND + 4
"""Moves from the first card to the last, with one to ask."""
ENTRIES = 1 << 17
ENTRY = np.dtype([("key", np.uint64), ("low", np.int8), ("high", np.int8), ("move", np.int8)])
"""What is known of a position at the start of a trick: bounds of what the side takes from there."""
UNKNOWN = OPEN = -1
GROUP = np.array([0, 0, 0, 0, 0, 5, 5, 7, 8], np.int64)
"""For each rank the lowest that counts the same; those between do, too."""


@jit
def read_position(s: State, rules: RulesRecord, side: int, w: State) -> None:
    """Write to ``w`` the position of a state in play, for a side, a set of seats."""
    for seat in range(SEATS):
        w["hands"][seat] = s["hands"][seat]
        w["seen"][seat] = 0
        w["shown"]["trick"][seat] = s["shown"]["trick"][seat]
        w["seats"][seat]["hand"] = s["seats"][seat]["hand"]
        w["seats"][seat]["points"] = s["seats"][seat]["points"]
        w["seats"][seat]["tricks"] = s["seats"][seat]["tricks"]
    for trick in range(HAND):
        w["taken_by"][trick] = s["taken_by"][trick]
    w["playing"] = s["playing"]
    w["card"] = s["card"]
    w["made"] = s["made"]
    w["tricks"] = s["tricks"]
    w["size"] = s["size"]
    w["leader"] = s["leader"]
    w["bidder"] = s["bidder"]
    w["maker"] = s["maker"]
    w["asker"] = s["asker"]
    w["alone"] = s["alone"]
    w["turn"] = s["turn"]
    shown = s["shown"]
    w["shown"]["trumps_shown"] = shown["trumps_shown"]
    w["shown"]["shown_trick"] = shown["shown_trick"]
    w["shown"]["shown_after"] = shown["shown_after"]
    w["shown"]["must_trump"] = shown["must_trump"]
    held = s["seats"][s["turn"]]["hand"] + (s["card"] > 0 and s["turn"] == s["bidder"])
    w["last"] = s["tricks"] + held - 1
    w["ours"] = 0
    w["left"] = PACK_POINTS + rules.last_trick
    for seat in range(rules.players):
        points = s["seats"][seat]["points"]
        w["left"] -= points
        if (side >> seat) & 1:
            w["ours"] += points


@jit
def squeeze(cards: Places, there: Places) -> Places:
    """Move cards down to where they would lie if those not ``there`` had never been.

    Within a suit and among cards that count the same, which lie side by side: so positions are
    one that differ only in cards that are gone.
    """
    found = 0
    while cards:
        card = lowest(cards)
        cards &= cards - 1
        first = card // RANKS * RANKS + GROUP[card % RANKS]
        found |= 1 << (first + count(there & ((1 << card) - (1 << first))))
    return found


@jit
def hash_position(w: State) -> np.uint64:
    """Return the key of a position at the start of a trick."""
    there = 1 << (w["card"] - 1) if w["card"] else 0
    for seat in range(SEATS):
        there |= w["hands"][seat]
    apart = squeeze(1 << (w["card"] - 1), there) if w["card"] else 0
    word = finish_word(np.uint64(apart) + w["salt"])
    word ^= np.uint64(w["turn"]) | np.uint64(w["shown"]["trumps_shown"]) << np.uint64(8)
    for seat in range(SEATS):
        if w["hands"][seat]:
            word = finish_word(word + np.uint64(squeeze(w["hands"][seat], there)))
        word = finish_word(word + GAMMA)
    return word


@jit
def thin_out(w: State, cards: Places) -> Places:
    """Leave of cards that are as good as each other the lowest.

    Two of one suit are if they count the same and no other hand or the trick has one between.
    """
    hand = w["hands"][w["turn"]]
    others = 0
    for seat in range(SEATS):
        others |= w["hands"][seat]
    others &= ~hand
    for place in range(w["size"]):
        others |= 1 << (w["shown"]["trick"][place] - 1)
    if w["card"]:
        others |= 1 << (w["card"] - 1)
    kept, before = 0, -1
    rest = cards
    while rest:
        card = lowest(rest)
        rest &= rest - 1
        same = (
            before >= 0
            and before // RANKS == card // RANKS
            and RANK_POINTS[before % RANKS] == RANK_POINTS[card % RANKS]
            and others & ((1 << card) - (1 << before)) == 0
        )
        if not same:
            kept |= 1 << card
        before = card
    return kept


@jit
def best_of_trick(w: State, rules: RulesRecord) -> int:
    """The strength of the best card of this trick; -1 where none was played."""
    best = -1
    for place in range(w["size"]):
        best = max(best, strength_at(w, rules, place))
    return best


@jit
def rate_card(w: State, rules: RulesRecord, card: int, best: int, winning: bool) -> int:
    """Return how early a card is tried; ``winning``: the trick is one's own side's so far."""
    points = RANK_POINTS[card % RANKS]
    if w["size"] == 0:
        return 8 * (card % RANKS)
    trumps = trump_suit(w) if w["shown"]["trumps_shown"] else -1
    led = (w["shown"]["trick"][0] - 1) // RANKS
    strength = card_strength(card, led, trumps, RANKS, w["made"] > NONE)
    last = w["size"] + 1 == count(w["playing"])
    if winning:
        return 16 * points - card % RANKS
    if strength > best:
        return 100 + (16 * points - card % RANKS if last else card % RANKS)
    return -16 * points - card % RANKS


@jit
def play_move(w: State, rules: RulesRecord, move: int, side: int) -> None:
    """Play a card, or ask."""
    if move == ASK:
        ask_for_trumps(w, rules)
        return
    play_card(w, move)
    if w["size"] < count(w["playing"]):
        w["turn"] = next_seat(w["playing"], w["turn"] + 1)
        return
    last = w["tricks"] == w["last"]
    winner = winner_of_trick(w, rules)
    points = w["seats"][winner]["points"]
    take_trick(w, rules, last)
    points = w["seats"][winner]["points"] - points
    w["left"] -= points
    if (side >> winner) & 1:
        w["ours"] += points
    w["turn"] = w["leader"]


@jit
def open_position(w: State, rules: RulesRecord, side: int, need: int, table: np.ndarray) -> int:
    """Answer whether the side takes ``need`` points in all, or list the moves; return `OPEN` then.

    Trumps are shown as the bidder comes to play with nothing else left.
    """
    if w["ours"] >= need:
        return True
    if w["ours"] + w["left"] < need:
        return False
    seat = w["turn"]
    if w["card"] and seat == w["bidder"] and w["hands"][seat] == 0:
        show_trumps(w)
    w["first"] = -1
    if w["size"] == 0:
        w["key"] = hash_position(w)
        entry = table[np.int64(w["key"] & np.uint64(len(table) - 1))]
        if entry["key"] == w["key"]:
            if entry["low"] >= need - w["ours"]:
                return True
            if entry["high"] < need - w["ours"]:
                return False
            w["first"] = entry["move"]
    w["moves"] = thin_out(w, playable_cards(w, rules, seat))
    w["asks"] = may_ask(w, seat)
    w["mover"] = (side >> seat) & 1
    w["best"] = best_of_trick(w, rules)
    w["winning"] = w["size"] > 0 and (side >> winner_of_trick(w, rules)) & 1 == w["mover"]
    return OPEN


@jit
def next_move(w: State, rules: RulesRecord) -> int:
    """Return the move that is tried next, and take it off those left."""
    if w["asks"]:
        w["asks"] = 0
        return ASK
    best, winning = w["best"], w["winning"] != 0
    chosen, rate, rest = -1, -10000, w["moves"]
    while rest:
        card = lowest(rest)
        rest &= rest - 1
        rated = rate_card(w, rules, card, best, winning) if card != w["first"] else 10000
        if rated > rate:
            chosen, rate = card, rated
    w["moves"] &= ~(1 << chosen)
    w["tried"] = chosen
    return chosen


@jit
def close_position(w: State, need: int, found: int, table: np.ndarray) -> None:
    """Keep what was found out about a position at the start of a trick."""
    if w["size"]:
        return
    entry = table[np.int64(w["key"] & np.uint64(len(table) - 1))]
    if entry["key"] != w["key"]:
        entry["key"] = w["key"]
        entry["low"] = 0
        entry["high"] = w["left"]
    entry["move"] = w["tried"]
    more = need - w["ours"]
    if found:
        entry["low"] = max(entry["low"], more)
    else:
        entry["high"] = min(entry["high"], more - 1)


@jit
def can_take(
    work: np.ndarray,
    rules: RulesRecord,
    side: int,
    need: int,
    table: np.ndarray,
    nodes: np.ndarray,
) -> bool:
    """Whether a side takes at least ``need`` points in all from position ``work[0]``.

    ``nodes`` (2,) counts positions, and says how many are looked at at most; beyond them the answer
    means nothing.
    """
    depth, answer = 0, open_position(work[0], rules, side, need, table)
    while nodes[0] < nodes[1]:
        if answer != OPEN:
            if depth == 0:
                break
            depth -= 1
            w = work[depth]
            if answer == w["mover"] or (w["moves"] == 0 and not w["asks"]):
                close_position(w, need, answer, table)
                continue
        work[depth + 1] = work[depth]
        move = next_move(work[depth], rules)
        play_move(work[depth + 1], rules, move, side)
        depth += 1
        nodes[0] += 1
        answer = open_position(work[depth], rules, side, need, table)
    return answer == 1


@jit
def most_points(
    work: np.ndarray, rules: RulesRecord, side: int, table: np.ndarray, nodes: np.ndarray
) -> int:
    """Return how many points a side takes in all from ``work[0]``; -1: the limit was met."""
    low, high = work[0]["ours"], work[0]["ours"] + work[0]["left"]
    while low < high:
        need = (low + high + 1) // 2
        if can_take(work, rules, side, need, table, nodes):
            low = need
        else:
            high = need - 1
        if nodes[0] >= nodes[1]:
            return UNKNOWN
    return low
