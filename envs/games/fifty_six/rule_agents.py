"""Fifty-Six: a player by rule, as beginners are taught.

It bids by jacks, nines and length in its best suit, and doubles nobody. It leads jacks, then its
longest suit from below. It takes a trick as cheaply as it can, gives points to a trick that its
side has, and else throws away what counts least. It asks for trumps when the others have points
there.
"""

from ...core.aliases import RulesRecord, Scores, Seat, State, Weights
from ...core.kernel.jit import jit
from ...core.legal import first_action, next_action
from ...core.tricks.tricks import NO_SUIT, card_strength
from .auction import same_side
from .heuristic import ACE, JACK, NEVER, NINE, copies_owned
from .play import in_force, strength_at, trump_suit, winner_of_trick
from .rules import (
    ASK,
    BID,
    CARDS,
    LOWEST_BID,
    NO_TRUMPS,
    PASS,
    RANK_POINTS,
    RANKS,
    STRAIN,
)
from .state import PLAY

OPENING = 22.0
"""What a hand without any strength is worth."""
ASKS_FROM = 3
"""Points in a trick of the others from which on it asks."""


@jit
def suit_strength(s: State, seat: Seat, suit: int) -> float:
    """How good a suit would be as trumps: 1 for each card, 2 more for a jack, 1 for a nine."""
    found = 0.0
    for rank in range(RANKS):
        worth = 3.0 if rank == JACK else 2.0 if rank == NINE else 1.0
        found += worth * copies_owned(s, seat, suit * RANKS + rank)
    return found


@jit
def score_word(s: State, seat: Seat, action: int) -> float:
    """Score any word: the lowest bid is best, as long as the hand is worth it."""
    if BID <= action < STRAIN:
        worth = 0.0
        for suit in range(4):
            worth = max(worth, suit_strength(s, seat, suit))
        return OPENING + worth - (action - BID + LOWEST_BID)
    if STRAIN <= action < NO_TRUMPS:
        return suit_strength(s, seat, action - STRAIN)
    if action < CARDS:
        return suit_strength(s, seat, action // RANKS) - 0.1 * (action % RANKS)
    return 0.0 if action == PASS else NEVER


@jit
def score_lead(s: State, seat: Seat, card: int) -> float:
    """Score a card to lead: jacks, then the longest suit from below."""
    if card % RANKS == JACK:
        return 100.0
    length = 0
    for rank in range(RANKS):
        length += copies_owned(s, seat, card // RANKS * RANKS + rank)
    return length - 2.0 * RANK_POINTS[card % RANKS]


@jit
def score_follow(s: State, card: int, best: int, ours: bool) -> float:
    """Score a card to follow with: give to one's side, else win cheaply, else lose little."""
    points = RANK_POINTS[card % RANKS]
    if ours:
        return 10.0 * points - card % RANKS
    trumps = trump_suit(s) if in_force(s, s["size"]) else NO_SUIT
    led = (s["shown"]["trick"][0] - 1) // RANKS
    strength = card_strength(card, led, trumps, RANKS, False)
    if strength > best and card % RANKS >= ACE:
        return 100.0 - strength
    return -10.0 * points - card % RANKS


@jit
def rule(s: State, rules: RulesRecord, weights: Weights, scores: Scores) -> None:
    """Write a score for each legal action."""
    seat, trick, best, points = s["turn"], s["shown"]["trick"], -1, 0
    playing, size = s["shown"]["phase"] == PLAY, s["size"]
    for place in range(size):
        best = max(best, strength_at(s, place))
        points += RANK_POINTS[(trick[place] - 1) % RANKS]
    ours = size > 0 and same_side(winner_of_trick(s, rules), seat)
    action = first_action(s["legal"])
    while action >= 0 and not s["over"]:
        if not playing:
            scores[action] = score_word(s, seat, action)
        elif action == ASK:
            scores[action] = 1000.0 if points >= ASKS_FROM and not ours else NEVER
        elif size == 0:
            scores[action] = score_lead(s, seat, action)
        else:
            scores[action] = score_follow(s, action, best, ours)
        action = next_action(s["legal"], action)
