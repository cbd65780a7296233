"""Action scores of the greedy and rule-based agents of Fifty-Six.

Both agents use only what their seat knows, and say all bids with the number first. The greedy agent
estimates the points of its hand in the best strain, as a sum over its cards, and bids up to this
number. It plays cards by the scores in `envs.games.bidding.heuristic`.

The rule-based agent plays as beginners are taught. It bids by the jacks, nines and length of its
best suit, and never doubles. It leads jacks, then low cards of its longest suit. It takes a trick
with the lowest card that wins, adds points to a trick that its side is winning, and otherwise plays
its least valuable card. It asks for trumps when its opponents are winning a trick with points.
"""

from ...core.kernel.jit import jit
from ...core.kernel.table import card_strength
from ...core.legal import first_action, has_action, next_action
from ...core.type_aliases import Action, RulesRecord, Scores, Seat, State, Weights
from ..bidding.heuristic import (
    CARD_WEIGHTS,
    NEVER,
    chance_to_hold,
    known_trumps,
    score_card,
    score_follow,
    score_lead,
    shown_trumps,
)
from ..bidding.play import all_seats, led_suit, same_side, trick_points
from ..bidding.rules import NONE, SUITS
from .play import copies_held, find_winner
from .rules import (
    ASK,
    BID,
    CARDS,
    DOUBLE,
    LOWEST_BID,
    NO_TRUMPS,
    PASS,
    PLAY,
    RANKS,
    REDOUBLE,
    STRAIN,
    STRAIN_FIRST,
)

# Optimized with CMA-ES against earlier weights, on hands of classic, four and hidden.
WEIGHTS = {
    "base": 12.81,
    "length": 3.96,
    "trump_nine": 2.6,
    "trump_jack": 3.66,
    "side_ace": -0.03,
    "side_nine": -0.02,
    "side_jack": 0.18,
    "no_trumps": -1.79,
    "partner_suit": 1.68,
    "over_partner": -2.6,
    "over_other": 0.05,
    "double": 133.47,
    "lay_low": 0.24,
    "ask": 0.64,
    "ask_ours": -1.71,
    "ask_bidder": -0.01,
    "rest": 0.07,
    "partner": -0.2,
    "ruff": 0.5,
    "keep_trump": 1.79,
    "keep_jack": 1.71,
    "keep_nine": 0.26,
    "keep_other": 0.3,
    "lead_trump": -0.8,
}
"""Weights of the greedy agent.

- base to side_jack: terms of the estimated points of a hand in a strain
- no_trumps, partner_suit: change of this number without trumps, and in the partner's strain
- over_partner, over_other: change when bidding over the own side's bid, or another's
- double: sum of the bid and the estimated points from which on it doubles
- lay_low: value of laying down a card, for each rank
- ask, ask_ours, ask_bidder: value of asking for trumps: in general, if the own side is winning, and
  for the bidder's side
- the remaining weights: see `CARD_WEIGHTS`
"""
(
    BASE,
    LENGTH,
    TRUMP_NINE,
    TRUMP_JACK,
    SIDE_ACE,
    SIDE_NINE,
    SIDE_JACK,
    WITHOUT,
    PARTNER_SUIT,
    OVER_PARTNER,
    OVER_OTHER,
    DOUBLING_AT,
    LAY_LOW,
    ASKING,
    ASK_OURS,
    ASK_BIDDER,
) = range(len(WEIGHTS) - len(CARD_WEIGHTS))
ACE, NINE, JACK = RANKS - 3, RANKS - 2, RANKS - 1


@jit
def copies_owned(s: State, seat: Seat, card: int) -> int:
    """Return the number of copies of a card that a seat has, including a card laid down."""
    return copies_held(s, seat, card) + (seat == s["bidder"] and card == s["card"] - 1)


# ---- bids and strains of the greedy agent ---------------------------------------------------


@jit
def partner_strain(s: State, rules: RulesRecord, seat: Seat) -> int:
    """Return the strain of the highest bid if a partner made it, otherwise -1."""
    bidder = s["bidder"]
    if bidder < 0 or bidder == seat or not same_side(rules, bidder, seat):
        return -1
    return s["seats"][bidder]["strain"] - 1


@jit
def hand_worth(s: State, rules: RulesRecord, seat: Seat, strain: int, weights: Weights) -> float:
    """Return the estimated points of a hand in a strain: a suit, or 4 for no trumps."""
    total = weights[BASE]
    if strain == NONE - 1:
        total += weights[WITHOUT]
    if strain == partner_strain(s, rules, seat):
        total += weights[PARTNER_SUIT]
    for card in range(CARDS):
        rank, is_trump = card % RANKS, card // RANKS == strain
        worth = weights[LENGTH] if is_trump else 0.0
        if rank >= NINE:
            worth += weights[(TRUMP_NINE if is_trump else SIDE_NINE) + rank - NINE]
        elif rank == ACE and not is_trump:
            worth += weights[SIDE_ACE]
        total += worth * copies_owned(s, seat, card)
    return total


@jit
def best_worth(s: State, rules: RulesRecord, seat: Seat, weights: Weights) -> float:
    """Return the estimated points of a hand in its best strain."""
    best = 0.0
    for strain in range(NONE - (rules.trumps != 0)):
        best = max(best, hand_worth(s, rules, seat, strain, weights))
    return best


@jit
def score_calls(s: State, rules: RulesRecord, weights: Weights, scores: Scores) -> None:
    """Write the scores of all calls. The lowest bid is best, as long as the hand is worth it."""
    seat, bidder = s["turn"], s["bidder"]
    worth, margin = best_worth(s, rules, seat, weights), 0.0
    if bidder >= 0:
        ours = same_side(rules, bidder, seat)
        margin = weights[OVER_PARTNER] if ours else weights[OVER_OTHER]
    action = first_action(s["legal"])
    while action >= 0:
        if action < CARDS:
            low = weights[LAY_LOW] * (action % RANKS)
            scores[action] = hand_worth(s, rules, seat, action // RANKS, weights) + low
        elif action < STRAIN:
            scores[action] = worth + margin - (action - BID + LOWEST_BID)
        elif action < PASS:
            scores[action] = hand_worth(s, rules, seat, action - STRAIN, weights)
        elif action == DOUBLE:
            scores[action] = s["shown"]["number"] + worth - weights[DOUBLING_AT]
        else:
            scores[action] = NEVER if action == REDOUBLE or action >= STRAIN_FIRST else 0.0
        action = next_action(s["legal"], action)


# ---- cards of the greedy agent --------------------------------------------------------------


@jit
def count_higher(s: State, led: int, strength: int) -> int:
    """Return the number of unseen cards of the suit led that beat a strength."""
    higher = 0
    for card in range(led * RANKS, (led + 1) * RANKS):
        if card_strength(card, led, shown_trumps(s), RANKS, False) > strength:
            played = (s["player_of"][2 * card] != 0) + (s["player_of"][2 * card + 1] != 0)
            higher += 2 - played - copies_owned(s, s["turn"], card)
    return higher


@jit
def count_unseen(s: State, rules: RulesRecord) -> int:
    """Return the number of cards in the hands of the other seats."""
    unseen = 0
    for other in range(rules.players):
        if other != s["turn"]:
            unseen += s["seats"][other]["hand"]
    return unseen


@jit
def score_play(s: State, rules: RulesRecord, weights: Weights, scores: Scores) -> None:
    """Write the scores of cards and of asking for trumps."""
    seat, size, playing = s["turn"], s["size"], all_seats(rules)
    winner, best = find_winner(s, rules)
    ours = size > 0 and same_side(rules, winner, seat)
    points, later = trick_points(s, RANKS), rules.players - size - 1
    trumps, unseen = known_trumps(s, seat, s["bidder"]), count_unseen(s, rules)
    top = NEVER
    action = first_action(s["legal"])
    while 0 <= action < CARDS:
        led = action // RANKS if size == 0 else led_suit(s, RANKS)
        strength = card_strength(action, led, shown_trumps(s), RANKS, False)
        higher = count_higher(s, led, max(strength, best))
        hold = chance_to_hold(s, rules, playing, led, higher, unseen, weights)
        wins = strength > best or ours
        scores[action] = score_card(s, action, RANKS, trumps, wins, hold, later, points, weights)
        top = max(top, scores[action])
        action = next_action(s["legal"], action)
    if has_action(s["legal"], ASK):
        worth = weights[ASKING] + (weights[ASK_OURS] if ours else 0.0)
        ask_bidder = weights[ASK_BIDDER] if same_side(rules, s["bidder"], seat) else 0.0
        scores[ASK] = top + worth + ask_bidder


@jit
def heuristic(s: State, rules: RulesRecord, weights: Weights, scores: Scores) -> None:
    """Write the greedy agent's score of each legal action, roughly in points."""
    if s["over"]:
        return
    if s["shown"]["phase"] == PLAY:
        score_play(s, rules, weights, scores)
    else:
        score_calls(s, rules, weights, scores)


# ---- the rule-based agent -------------------------------------------------------------------

OPENING = 22.0
"""The rule-based agent's highest bid with a hand of no strength."""
ASKS_FROM = 3
"""Points in a trick that the opponents are winning, from which on the agent asks for trumps."""


@jit
def suit_strength(s: State, seat: Seat, suit: int) -> float:
    """Return the strength of a suit as trumps: 3 for a jack, 2 for a nine, 1 for other cards."""
    strength = 0.0
    for rank in range(RANKS):
        worth = 3.0 if rank == JACK else 2.0 if rank == NINE else 1.0
        strength += worth * copies_owned(s, seat, suit * RANKS + rank)
    return strength


@jit
def suit_length(s: State, seat: Seat, suit: int) -> int:
    """Return the number of cards of a suit that a seat has."""
    length = 0
    for card in range(suit * RANKS, (suit + 1) * RANKS):
        length += copies_owned(s, seat, card)
    return length


@jit
def score_call(s: State, seat: Seat, action: Action) -> float:
    """Return the score of a call. The lowest bid is best, as long as the hand is worth it."""
    if BID <= action < STRAIN:
        best = 0.0
        for suit in range(SUITS):
            best = max(best, suit_strength(s, seat, suit))
        return OPENING + best - (action - BID + LOWEST_BID)
    if STRAIN <= action < NO_TRUMPS:
        return suit_strength(s, seat, action - STRAIN)
    if action < CARDS:
        return suit_strength(s, seat, action // RANKS) - 0.1 * (action % RANKS)
    return 0.0 if action == PASS else NEVER


@jit
def rule(s: State, rules: RulesRecord, weights: Weights, scores: Scores) -> None:
    """Write the rule-based agent's score of each legal action."""
    if s["over"]:
        return
    seat, playing = s["turn"], s["shown"]["phase"] == PLAY
    winner, best, ours, points = 0, -1, False, 0
    if playing and s["size"]:
        winner, best = find_winner(s, rules)
        ours = same_side(rules, winner, seat)
        points = trick_points(s, RANKS)
    action = first_action(s["legal"])
    while action >= 0:
        if not playing:
            scores[action] = score_call(s, seat, action)
        elif action == ASK:
            scores[action] = 1000.0 if points >= ASKS_FROM and not ours else NEVER
        elif s["size"] == 0:
            length = suit_length(s, seat, action // RANKS)
            scores[action] = score_lead(action, RANKS, length)
        else:
            scores[action] = score_follow(s, action, RANKS, ACE, best, ours, False)
        action = next_action(s["legal"], action)
