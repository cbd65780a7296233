"""Views, inference, resampling and hidden cards in Fifty-Six.

Resampling treats the two cards of a kind as different cards, so a world with one copy in each of
two hands is twice as likely.
"""

import numpy as np

from ...core.game import HiddenCards
from ...core.kernel.jit import jit
from ...core.kernel.rng import random_below
from ...core.kernel.table import NO_SUIT, make_turned_codes
from ...core.schema import Piece, whole_number
from ...core.type_aliases import Action, RulesRecord, Seat, State, States
from ..bidding.knowledge import (
    HiddenHands,
    is_void,
    make_resample,
    note_asking,
    note_bidder,
    note_voids,
    view_table,
)
from ..bidding.play import (
    opponents_lack_trumps,
    same_side,
    speaking_order,
    trump_suit,
)
from ..bidding.rules import NO_TRUMP_YET, SUITS
from .play import (
    copies_held,
    count_hand,
    is_dealt_again,
    lowest_rank,
    place_of,
    put_card,
    write_legal,
)
from .rules import ASK, BIDS, CARDS, CODES, COPIES, RANKS, SEATS

# ---- views ----------------------------------------------------------------------------------

TURNED = make_turned_codes(SEATS)


@jit
def view(s: State, rules: RulesRecord, seat: Seat) -> None:
    """Write the observation of a seat: public facts, with the seat as seat 0, and its own cards."""
    shown, players = s["shown"], rules.players
    turned = TURNED[players, seat]
    view_table(s, players, seat, turned)
    hand, twice = s["hands"][seat], s["twice"][seat]
    for card in range(CARDS):
        shown["own"][card] = (hand >> card & 1) + (twice >> card & 1)
    for copy in range(COPIES):
        shown["played_by"][copy] = turned[s["player_of"][copy] & 15]
    for bid in range(BIDS):
        shown["bids"][bid] = turned[s["bid_by"][bid] & 15]
        shown["doubles"][bid] = turned[s["doubled_by"][bid] & 15]
    shown["lead_by"] = turned[s["leader"] + 1]
    shown["redoubler"] = turned[s["redoubled_by"]]
    knows = shown["trumps_shown"] or seat == s["bidder"]
    shown["trump_suit"] = s["made"] if knows else NO_TRUMP_YET
    shown["laid"] = s["laid"] if knows else 0


# ---- inference from what is played ----------------------------------------------------------


@jit
def note_action(s: State, action: Action) -> None:
    """Record the public facts that follow from the action that the seat to act is about to make."""
    seat = s["turn"]
    if action == ASK:
        note_asking(s, RANKS)
        return
    if s["size"]:
        note_voids(s, action, RANKS)
    if seat == s["bidder"]:
        note_bidder(s, action, RANKS)
    s["seats"][seat]["hand"] -= 1
    copy = 2 * action + (s["player_of"][2 * action] != 0)
    s["player_of"][copy] = 1 + seat
    s["shown"]["when"][copy] = 1 + s["tricks"]


# ---- unseen cards and their holders ---------------------------------------------------------

APART = SEATS
"""Number of the holder of the face-down card, after the seats."""


@jit
def is_laid_card_seen(s: State, seat: Seat) -> bool:
    """Return whether a seat knows that the bidder holds the card that set trumps."""
    return s["bidder"] >= 0 and seat != s["bidder"] and s["shown"]["laid_back"] != 0


@jit
def list_unseen(s: State, rules: RulesRecord, seat: Seat, cards: np.ndarray) -> int:
    """Write the cards that a seat cannot locate, and return their number."""
    n = 0
    for card in range(CARDS):
        if card % RANKS < lowest_rank(rules):
            continue
        unseen = 2 - copies_held(s, seat, card)
        for copy in range(2 * card, 2 * card + 2):
            unseen -= s["player_of"][copy] != 0
        if card == s["laid"] - 1 and is_laid_card_seen(s, seat):
            unseen -= 1
        if card == s["card"] - 1 and seat == s["bidder"]:
            unseen -= 1
        for _ in range(unseen):
            cards[n] = card
            n += 1
    return n


@jit
def count_held(s: State, rules: RulesRecord, seat: Seat, sizes: np.ndarray) -> None:
    """Write, for each holder, the number of its cards that a seat cannot locate."""
    for other in range(rules.players):
        if other != seat:
            sizes[other] = count_hand(s, other)
    if is_laid_card_seen(s, seat):
        sizes[s["bidder"]] -= 1
    sizes[APART] = s["card"] > 0 and seat != s["bidder"]


@jit
def count_trumps(s: State, rules: RulesRecord) -> int:
    """Return the number of kinds of secret trumps, which are the suits."""
    return SUITS


@jit
def give_out(
    s: State, rules: RulesRecord, seat: Seat, cards: np.ndarray, world: np.ndarray
) -> None:
    """Give the unseen cards to their holders in a sampled world."""
    for other in range(rules.players):
        if other != seat:
            s["hands"][other] = 0
            s["twice"][other] = 0
    if is_laid_card_seen(s, seat):
        put_card(s, s["bidder"], s["laid"] - 1)
    for i in range(len(cards)):
        if world[i] == APART:
            s["card"] = 1 + cards[i]
            s["laid"] = 1 + cards[i]
        else:
            put_card(s, world[i], cards[i])


@jit
def is_playable(s: State, rules: RulesRecord) -> bool:
    """Return whether a sampled world fits the fact that the hand was not void."""
    suit = trump_suit(s)
    if not rules.void_without or suit == NO_SUIT or is_void(s):
        return True
    for copy in range(2 * suit * RANKS, 2 * (suit + 1) * RANKS):
        player = s["player_of"][copy] - 1
        if player >= 0 and not same_side(rules, s["bidder"], player):
            return True
    return not opponents_lack_trumps(s, rules, RANKS)


@jit
def fits(s: State, rules: RulesRecord, seat: Seat) -> bool:
    """Return whether a sampled world fits what a seat knows besides hand sizes and voids."""
    return is_playable(s, rules) and not is_dealt_again(s, rules)


# ---- the deck and the history of a sampled world --------------------------------------------


@jit
def stack_hand(s: State, rules: RulesRecord, seat: Seat) -> None:
    """Write the cards that a seat was dealt to the deck, in a random order."""
    order = speaking_order(s, rules, seat)
    n = 0
    for card in range(CARDS):
        copies = copies_held(s, seat, card)
        for copy in range(2 * card, 2 * card + 2):
            copies += s["player_of"][copy] == 1 + seat
        copies += seat == s["bidder"] and card == s["card"] - 1
        for _ in range(copies):
            # The first n cards are in a random order. After this exchange, n + 1 cards are.
            other = place_of(rules, order, random_below(s, n + 1))
            s["deck"][place_of(rules, order, n)] = s["deck"][other]
            s["deck"][other] = CODES[card]
            n += 1


@jit
def stack_deck(
    s: State, rules: RulesRecord, seat: Seat, cards: np.ndarray, world: np.ndarray
) -> None:
    """Write a deck from which the hands of a sampled world would have been dealt."""
    for other in range(rules.players):
        if other != seat:
            stack_hand(s, rules, other)


@jit
def rewrite_history(s: State, rules: RulesRecord, seat: Seat) -> None:
    """Replace the action that laid a card down if the seat does not know the card."""
    if s["card"] and seat != s["bidder"]:
        s["history"][s["laid_at"]] = s["laid"]


resample_hidden = make_resample(
    HiddenHands(
        ranks=RANKS,
        pack_size=COPIES,
        holders=SEATS + 1,
        apart=APART,
        maker="bidder",
        list_unseen=list_unseen,
        count_held=count_held,
        count_trumps=count_trumps,
        give_out=give_out,
        stack_deck=stack_deck,
        fits=fits,
        rewrite_history=rewrite_history,
        write_legal=write_legal,
        view=view,
    )
)

# ---- the hidden cards as an observation piece -----------------------------------------------


def read_hidden(states: States) -> np.ndarray:
    """Return the facts that the seats to act do not see: holders of cards, and secret trumps.

    Returns:
        int8 (n, 2 * 32 + 1). The first 32 entries are for the first card of each kind: k if the
        k-th seat after the seat to act holds it, 8 if it is face down, otherwise 0. The next 32
        entries are for the second card of each kind. The last entry is the trumps, coded as in
        ``made``, if the seat does not know them.
    """
    rows, turn, kinds = np.arange(len(states)), states["turn"], np.arange(CARDS)
    players = states["shown"]["players"].astype(np.int64)
    holders = np.zeros((len(states), COPIES + 1), np.int8)
    first, second = holders[:, :CARDS], holders[:, CARDS:COPIES]
    for k in range(1, SEATS):
        seat = (turn + k) % players
        for sets in ("hands", "twice"):
            cards = np.where(k < players, states[sets][rows, seat], 0)
            is_held = (cards[:, None] >> kinds & 1).astype(np.bool_)
            second[is_held & (first > 0)] = k
            first[is_held & (first == 0)] = k
    is_secret = (states["bidder"] != turn) & (states["shown"]["trumps_shown"] == 0)
    apart = np.flatnonzero(is_secret & (states["card"] > 0))
    laid = states["card"][apart] - 1
    holders[apart, np.where(holders[apart, laid] > 0, CARDS, 0) + laid] = APART
    holders[:, COPIES] = np.where(is_secret, states["made"], 0)
    return holders


HIDDEN = HiddenCards(
    Piece(
        "others",
        COPIES + 1,
        whole_number(APART),
        "for the first, then for the second card of each kind: the holder as its distance after "
        "the viewer, 8: face down; then secret trumps",
    ),
    read_hidden,
)
"""See `core.game.HiddenCards`."""
