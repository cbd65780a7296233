"""Twenty-Eight and Twenty-Nine: a player by rule, as beginners are taught.

It bids by jacks and nines in its longest suit. It leads jacks, then its longest suit from below. It
takes a trick as cheaply as it can, gives points to a trick that its side has, and else throws away
what counts least. It asks for trumps when the others have points in the trick.
"""

from ...core.aliases import RulesRecord, Scores, State, Weights
from ...core.kernel.bits import count
from ...core.kernel.jit import jit
from ...core.legal import first_action, next_action
from ...core.tricks.tricks import NO_SUIT, card_strength, suit_set
from .auction import side_of
from .heuristic import HONOURS, NEVER, whole_hand
from .play import strength_at, trump_suit, winner_of_trick
from .rules import (
    ASK,
    BID,
    CARDS,
    JACK,
    LOWEST_BID,
    MAKE,
    MAKE_SEVENTH,
    PASS,
    RANK_POINTS,
    RANKS,
    SHOW,
)
from .state import PLAY, REVERSED

OPENING = 12.0
"""What a hand without any strength is worth."""
ASKS_FROM = 2
"""Points in a trick of the others from which on it asks."""


@jit
def suit_strength(hand: int, suit: int) -> float:
    """How good a suit would be as trumps: a point for each card, and for jack and nine."""
    own = hand & suit_set(suit, RANKS)
    found = 1.0 * count(own)
    for rank in range(JACK - 1, JACK + 1):
        found += (own >> (suit * RANKS + rank)) & 1
    return found


@jit
def score_word(s: State, action: int, hand: int) -> float:
    """Score a bid, trumps, or any other word: the lowest bid, as long as the hand is worth it."""
    if BID <= action < PASS:
        worth = 0.0
        for suit in range(4):
            worth = max(worth, suit_strength(hand, suit))
        return OPENING + worth - (action - BID + LOWEST_BID)
    if MAKE <= action < MAKE_SEVENTH:
        return suit_strength(hand, action - MAKE)
    if action < CARDS:
        return suit_strength(hand, action // RANKS) - 0.1 * (action % RANKS)
    return 0.0 if action == PASS else NEVER


@jit
def score_lead(hand: int, card: int) -> float:
    """Score a card to lead: jacks, then the longest suit from below."""
    if card % RANKS == JACK:
        return 100.0
    return count(hand & suit_set(card // RANKS, RANKS)) - 2.0 * RANK_POINTS[card % RANKS]


@jit
def score_follow(s: State, card: int, best: int, ours: bool) -> float:
    """Score a card to follow with: give to one's side, else win cheaply, else lose little."""
    points = RANK_POINTS[card % RANKS]
    if ours:
        return 10.0 * points - card % RANKS
    shown = s["shown"]["trumps_shown"] != 0
    trumps = trump_suit(s) if shown else NO_SUIT
    led = (s["shown"]["trick"][0] - 1) // RANKS
    strength = card_strength(card, led, trumps, RANKS, shown and s["made"] == REVERSED)
    if strength > best and card % RANKS >= HONOURS:
        return 100.0 - strength
    return -10.0 * points - card % RANKS


@jit
def rule(s: State, rules: RulesRecord, weights: Weights, scores: Scores) -> None:
    """Write a score for each legal action."""
    seat, trick = s["turn"], s["shown"]["trick"]
    hand, best, points, ours = whole_hand(s, seat), -1, 0, False
    playing = s["shown"]["phase"] == PLAY
    if playing and s["size"]:
        for place in range(s["size"]):
            best = max(best, strength_at(s, rules, place))
            points += RANK_POINTS[(trick[place] - 1) % RANKS]
        ours = (side_of(rules, winner_of_trick(s, rules)) >> seat) & 1 != 0
    action = first_action(s["legal"])
    while action >= 0 and not s["over"]:
        if not playing:
            scores[action] = score_word(s, action, hand)
        elif action == ASK:
            scores[action] = 1000.0 if points >= ASKS_FROM and not ours else NEVER
        elif action == SHOW:
            scores[action] = 1000.0
        elif s["size"] == 0:
            scores[action] = score_lead(hand, action)
        else:
            scores[action] = score_follow(s, action, best, ours)
        action = next_action(s["legal"], action)
