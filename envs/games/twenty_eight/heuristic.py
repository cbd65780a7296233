"""Action scores of the greedy and rule-based agents of Twenty-Eight and Twenty-Nine.

Both agents use only what their seat knows. The greedy agent estimates the points of its hand with
the best trumps, as a sum over its cards, and bids up to this number. It plays cards by the scores
in `envs.games.bidding.heuristic`.

The rule-based agent plays as beginners are taught. It bids by the length, jack and nine of its best
suit. It leads jacks, then low cards of its longest suit. It takes a trick with the lowest card that
wins, adds points to a trick that its side is winning, and otherwise plays its least valuable card.
It asks for trumps when its opponents are winning a trick with points.
"""

from ...core.kernel.bits import count, lowest
from ...core.kernel.jit import jit
from ...core.kernel.table import card_strength, suit_set
from ...core.legal import first_action, has_action, next_action
from ...core.type_aliases import Action, Places, RulesRecord, Scores, Seat, State, Weights
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
from ..bidding.play import led_suit, same_side, trick_points
from ..bidding.rules import SUITS
from .play import find_winner
from .rules import (
    ASK,
    BID,
    CARDS,
    DOUBLE,
    JACK,
    LOWEST_BID,
    LOWEST_RANK,
    MAKE,
    MAKE_SEVENTH,
    PASS,
    PLAY,
    RANKS,
    REDEAL,
    REDOUBLE,
    REVERSED,
    SHOW,
    SINGLE,
)

# Optimized with CMA-ES against earlier weights, half on each game's classic rules, and rounded.
WEIGHTS = {
    "base": 11.89,
    "length": 1.36,
    "trump_ten": 0.39,
    "trump_ace": 0.75,
    "trump_nine": 1.15,
    "trump_jack": 0.26,
    "side_ten": -0.18,
    "side_ace": -0.46,
    "side_nine": -0.27,
    "side_jack": 0.02,
    "over_partner": -5.17,
    "over_other": 2.03,
    "lay_low": -0.78,
    "double": 53.0,
    "ask": 0.78,
    "ask_points": -0.03,
    "ask_ours": -1.62,
    "ask_bidder": -0.14,
    "rest": 0.21,
    "partner": 0.07,
    "ruff": 0.39,
    "keep_trump": 1.42,
    "keep_jack": 1.44,
    "keep_nine": 0.71,
    "keep_other": 0.23,
    "lead_trump": -0.3,
}
"""Weights of the greedy agent.

- base to side_jack: terms of the estimated points of a hand, for given trumps
- over_partner, over_other: change of this number when bidding over the own side's bid, or another's
- lay_low: cost of laying down a card, for each rank
- double: estimated points from which on it doubles
- ask, ask_points, ask_ours, ask_bidder: value of asking for trumps: in general, for each point in
  the trick, if the own side is winning, and for the bidder's side
- the remaining weights: see `CARD_WEIGHTS`
"""
(
    BASE,
    LENGTH,
    TRUMP_TEN,
    TRUMP_ACE,
    TRUMP_NINE,
    TRUMP_JACK,
    SIDE_TEN,
    SIDE_ACE,
    SIDE_NINE,
    SIDE_JACK,
    OVER_PARTNER,
    OVER_OTHER,
    LAY_LOW,
    DOUBLING_AT,
    ASKING,
    ASK_POINTS,
    ASK_OURS,
    ASK_BIDDER,
) = range(len(WEIGHTS) - len(CARD_WEIGHTS))
TEN = 5
"""The lowest rank that counts card points."""
REDEAL_MARGIN = 1.5
"""Score of demanding a redeal. A bid is better if the estimate of the pointless hand exceeds the
bid by more than this. In 40,000 hands of greedy agents, the side of a first speaker without points
lost 0.18 stakes on average with four players, and won 0.23 with three."""


@jit
def whole_hand(s: State, seat: Seat) -> Places:
    """Return the set of a seat's cards, including a card that it has laid down."""
    hand = s["hands"][seat]
    if s["card"] and seat == s["maker"]:
        hand |= 1 << (s["card"] - 1)
    return hand


@jit
def is_reversed(s: State) -> bool:
    """Return whether the ranks are reversed and all seats know it."""
    return s["shown"]["trumps_shown"] != 0 and s["made"] == REVERSED


# ---- bids and trumps of the greedy agent ----------------------------------------------------


@jit
def hand_worth(hand: Places, trumps: int, weights: Weights) -> float:
    """Return the estimated points of a hand with these trumps."""
    worth = weights[BASE]
    while hand:
        card = lowest(hand)
        hand &= hand - 1
        rank = card % RANKS
        is_trump = card // RANKS == trumps
        if is_trump:
            worth += weights[LENGTH]
        if rank >= TEN:
            worth += weights[(TRUMP_TEN if is_trump else SIDE_TEN) + rank - TEN]
    return worth


@jit
def best_worth(hand: Places, weights: Weights) -> float:
    """Return the estimated points of a hand with its best trumps."""
    best = 0.0
    for suit in range(SUITS):
        best = max(best, hand_worth(hand, suit, weights))
    return best


@jit
def score_calls(s: State, rules: RulesRecord, weights: Weights, scores: Scores) -> None:
    """Write the scores of all calls. The lowest bid is best, as long as the hand is worth it."""
    seat, bidder = s["turn"], s["bidder"]
    hand = whole_hand(s, seat)
    worth = best_worth(hand, weights)
    margin = 0.0
    if bidder >= 0:
        ours = same_side(rules, bidder, seat)
        margin = weights[OVER_PARTNER] if ours else weights[OVER_OTHER]
    action = first_action(s["legal"])
    while action >= 0:
        if BID <= action < PASS:
            scores[action] = worth + margin - (action - BID + LOWEST_BID)
        elif action == DOUBLE:
            scores[action] = worth - weights[DOUBLING_AT]
        elif action == REDEAL:
            scores[action] = REDEAL_MARGIN
        elif action in (REDOUBLE, SINGLE) or action >= MAKE_SEVENTH:
            scores[action] = NEVER
        elif action >= MAKE:
            scores[action] = hand_worth(hand, action - MAKE, weights)
        elif action < CARDS:
            low = weights[LAY_LOW] * (action % RANKS)
            scores[action] = hand_worth(hand, action // RANKS, weights) - low
        else:
            scores[action] = 0.0
        action = next_action(s["legal"], action)


# ---- cards of the greedy agent --------------------------------------------------------------


@jit
def unseen_by(s: State, rules: RulesRecord, seat: Seat) -> Places:
    """Return the set of cards that other seats may hold as far as a seat knows."""
    cards = 0
    for card in range(CARDS):
        if card % RANKS >= LOWEST_RANK[rules.players] and s["player_of"][card] == 0:
            cards |= 1 << card
    return cards & ~whole_hand(s, seat)


@jit
def count_higher(s: State, led: int, unseen: Places, strength: int) -> int:
    """Return the number of unseen cards of the suit led that beat a strength."""
    higher, rest = 0, unseen & suit_set(led, RANKS)
    while rest:
        card = lowest(rest)
        rest &= rest - 1
        higher += card_strength(card, led, shown_trumps(s), RANKS, is_reversed(s)) > strength
    return higher


@jit
def score_play(s: State, rules: RulesRecord, weights: Weights, scores: Scores) -> None:
    """Write the scores of cards, of asking for trumps and of showing the pair.

    A bidder that must play the card that it shows by asking scores this card as a winning trump.
    """
    seat, playing = s["turn"], s["playing"]
    winner, best = find_winner(s, rules)
    ours = s["size"] > 0 and same_side(rules, winner, seat)
    points, later = trick_points(s, RANKS), count(playing) - s["size"] - 1
    trumps, unseen = known_trumps(s, seat, s["maker"]), unseen_by(s, rules, seat)
    top = NEVER
    action = first_action(s["legal"])
    while action >= 0:
        if action < CARDS:
            led = action // RANKS if s["size"] == 0 else led_suit(s, RANKS)
            strength = card_strength(action, led, shown_trumps(s), RANKS, is_reversed(s))
            higher = count_higher(s, led, unseen, max(strength, best))
            hold = chance_to_hold(s, rules, playing, led, higher, count(unseen), weights)
            wins = strength > best or ours
            scores[action] = score_card(
                s, action, RANKS, trumps, wins, hold, later, points, weights
            )
            top = max(top, scores[action])
        elif action == SHOW:
            scores[action] = -NEVER
        action = next_action(s["legal"], action)
    if not has_action(s["legal"], ASK):
        return
    if rules.play_shown and s["card"] and seat == s["bidder"]:
        card = s["card"] - 1
        scores[ASK] = score_card(s, card, RANKS, trumps, True, 1.0, later, points, weights)
    else:
        worth = weights[ASKING] + weights[ASK_POINTS] * points
        worth += weights[ASK_OURS] if ours else 0.0
        worth += weights[ASK_BIDDER] if same_side(rules, s["bidder"], seat) else 0.0
        scores[ASK] = top + worth


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

OPENING = 12.0
"""The rule-based agent's highest bid with a hand of no strength."""
ASKS_FROM = 2
"""Points in a trick that the opponents are winning, from which on the agent asks for trumps."""


@jit
def suit_strength(hand: Places, suit: int) -> float:
    """Return the strength of a suit as trumps: 1 for each card, and 1 more for jack and nine."""
    cards = hand & suit_set(suit, RANKS)
    strength = 1.0 * count(cards)
    for rank in range(JACK - 1, JACK + 1):
        strength += (cards >> (suit * RANKS + rank)) & 1
    return strength


@jit
def score_call(action: Action, hand: Places) -> float:
    """Return the score of a call. The lowest bid is best, as long as the hand is worth it."""
    if BID <= action < PASS:
        best = 0.0
        for suit in range(SUITS):
            best = max(best, suit_strength(hand, suit))
        return OPENING + best - (action - BID + LOWEST_BID)
    if MAKE <= action < MAKE_SEVENTH:
        return suit_strength(hand, action - MAKE)
    if action < CARDS:
        return suit_strength(hand, action // RANKS) - 0.1 * (action % RANKS)
    if action == REDEAL:
        return REDEAL_MARGIN
    return 0.0 if action == PASS else NEVER


@jit
def rule(s: State, rules: RulesRecord, weights: Weights, scores: Scores) -> None:
    """Write the rule-based agent's score of each legal action."""
    if s["over"]:
        return
    hand, playing = whole_hand(s, s["turn"]), s["shown"]["phase"] == PLAY
    winner, best, ours, points = 0, -1, False, 0
    if playing and s["size"]:
        winner, best = find_winner(s, rules)
        ours = same_side(rules, winner, s["turn"])
        points = trick_points(s, RANKS)
    action = first_action(s["legal"])
    while action >= 0:
        if not playing:
            scores[action] = score_call(action, hand)
        elif action == ASK:
            scores[action] = 1000.0 if points >= ASKS_FROM and not ours else NEVER
        elif action == SHOW:
            scores[action] = 1000.0
        elif s["size"] == 0:
            length = count(hand & suit_set(action // RANKS, RANKS))
            scores[action] = score_lead(action, RANKS, length)
        else:
            scores[action] = score_follow(s, action, RANKS, TEN, best, ours, is_reversed(s))
        action = next_action(s["legal"], action)
