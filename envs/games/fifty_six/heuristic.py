"""Fifty-Six: what the greedy agent thinks. Uses only what its seat knows.

It bids by what its cards should bring: a sum over them, for the best strain. A card is worth the
points that its side should win or lose by it in this trick, less what it is worth later.
"""

from ...core.aliases import RulesRecord, Scores, Seat, State, Weights
from ...core.kernel.jit import jit
from ...core.legal import first_action, has_action, next_action
from ...core.seating import wrap_seat
from ...core.tricks.tricks import NO_SUIT, card_strength
from .auction import same_side
from .cards import copies_held
from .play import in_force, strength_at, trump_suit, winner_of_trick
from .rules import (
    ASK,
    BID,
    CARDS,
    DOUBLE,
    LOWEST_BID,
    PASS,
    RANK_POINTS,
    RANKS,
    REDOUBLE,
    STRAIN,
)
from .state import NONE, PLAY

# Found by CMA-ES on hands of classic, four and hidden, against its own earlier weights.
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
"""base to side_jack: the points that a hand should bring in a strain, with trumps and other suits;
no_trumps: how much more without any; partner_suit: for one's own side's strain; over_…: how much
more it bids over its own side's bid, or another's; double: from what sum of the bid and its own
worth on it doubles; lay_low: how much it minds the rank of the card laid down; ask…: what asking
for trumps is worth, where its side is winning, and on the bidder's side; rest: points that each
player still to come brings; partner: how often the partners win what one's card does not; ruff: how
often a void hand trumps; keep…: what a card is worth later; lead_trump: what leading trumps is
worth."""
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
    REST,
    PARTNER,
    RUFF,
    KEEP_TRUMP,
    KEEP_JACK,
    KEEP_NINE,
    KEEP_OTHER,
    LEAD_TRUMP,
) = range(len(WEIGHTS))
ACE, NINE, JACK = RANKS - 3, RANKS - 2, RANKS - 1
NEVER = -100.0


# ---- what is said ---------------------------------------------------------------------------


@jit
def copies_owned(s: State, seat: Seat, card: int) -> int:
    """How many of a card a seat has, one that it has laid down among them."""
    return copies_held(s, seat, card) + (seat == s["bidder"] and card == s["card"] - 1)


@jit
def partner_strain(s: State, seat: Seat) -> int:
    """The strain of the highest bid if it is that of a partner; -1: it is not."""
    bidder = s["bidder"]
    if bidder < 0 or bidder == seat or not same_side(bidder, seat):
        return -1
    return s["seats"][bidder]["strain"] - 1


@jit
def hand_worth(s: State, seat: Seat, strain: int, weights: Weights) -> float:
    """The points that a hand should bring its side in a strain: a suit, or 4 without trumps."""
    found = weights[BASE]
    if strain == NONE - 1:
        found += weights[WITHOUT]
    if strain == partner_strain(s, seat):
        found += weights[PARTNER_SUIT]
    for card in range(CARDS):
        rank, own = card % RANKS, card // RANKS == strain
        worth = weights[LENGTH] if own else 0.0
        if rank >= NINE:
            worth += weights[(TRUMP_NINE if own else SIDE_NINE) + rank - NINE]
        elif rank == ACE and not own:
            worth += weights[SIDE_ACE]
        found += worth * copies_owned(s, seat, card)
    return found


@jit
def best_worth(s: State, seat: Seat, rules: RulesRecord, weights: Weights) -> float:
    """The points that a hand should bring in its best strain."""
    best = 0.0
    for strain in range(NONE - (rules.trumps != 0)):
        best = max(best, hand_worth(s, seat, strain, weights))
    return best


@jit
def score_words(s: State, rules: RulesRecord, weights: Weights, scores: Scores) -> None:
    """Score what may be said: the lowest bid is best, if the hand is worth it."""
    seat, bidder = s["turn"], s["bidder"]
    worth, margin = best_worth(s, seat, rules, weights), 0.0
    if bidder >= 0:
        margin = weights[OVER_PARTNER] if same_side(bidder, seat) else weights[OVER_OTHER]
    action = first_action(s["legal"])
    while action >= 0:
        if action < CARDS:
            low = weights[LAY_LOW] * (action % RANKS)
            scores[action] = hand_worth(s, seat, action // RANKS, weights) + low
        elif action < STRAIN:
            scores[action] = worth + margin - (action - BID + LOWEST_BID)
        elif action < PASS:
            scores[action] = hand_worth(s, seat, action - STRAIN, weights)
        elif action == DOUBLE:
            scores[action] = s["shown"]["number"] + worth - weights[DOUBLING_AT]
        else:
            scores[action] = NEVER if action == REDOUBLE else 0.0
        action = next_action(s["legal"], action)


# ---- what is played -------------------------------------------------------------------------


@jit
def known_trumps(s: State, seat: Seat) -> int:
    """The suit of trumps, if the seat knows it."""
    return trump_suit(s) if s["shown"]["trumps_shown"] or seat == s["bidder"] else NO_SUIT


@jit
def count_higher(s: State, seat: Seat, led: int, trumps: int, strength: int) -> int:
    """How many cards of the suit led that others may have beat a strength."""
    found = 0
    for card in range(led * RANKS, (led + 1) * RANKS):
        if card_strength(card, led, trumps, RANKS, False) > strength:
            played = (s["player_of"][2 * card] != 0) + (s["player_of"][2 * card + 1] != 0)
            found += 2 - played - copies_owned(s, seat, card)
    return found


@jit
def chance_to_hold(
    s: State, rules: RulesRecord, weights: Weights, led: int, trumps: int, above: int, unseen: int
) -> float:
    """How likely no opponent that is still to play has one of the cards above, or trumps."""
    seat, chance = s["turn"], 1.0
    for k in range(1, rules.players - s["size"]):
        other = wrap_seat(seat + k, rules.players)
        if same_side(other, seat):
            continue
        public = s["seats"][other]
        if public["voids"][led]:
            if trumps != NO_SUIT and trumps != led and not public["voids"][trumps]:
                chance *= 1.0 - weights[RUFF]
        else:
            lacks = 1.0 - min(public["hand"] / max(unseen, 1), 1.0)
            for _ in range(above):
                chance *= lacks
    return chance


@jit
def worth_later(weights: Weights, card: int, trumps: int) -> float:
    """What a card is worth if it is kept."""
    rank = card % RANKS
    found = weights[KEEP_OTHER] * rank
    if rank >= NINE:
        found += weights[KEEP_NINE] if rank == NINE else weights[KEEP_JACK]
    return found + weights[KEEP_TRUMP] if card // RANKS == trumps else found


@jit
def count_unseen(s: State, rules: RulesRecord) -> int:
    """How many cards the others have in their hands."""
    found = 0
    for other in range(rules.players):
        if other != s["turn"]:
            found += s["seats"][other]["hand"]
    return found


@jit
def score_cards(
    s: State,
    rules: RulesRecord,
    weights: Weights,
    best: int,
    ours: bool,
    points: int,
    scores: Scores,
) -> float:
    """Score the legal cards; return the best score.

    ``best`` is the best strength so far, ``ours`` whether it is one's own side's.
    """
    seat, size = s["turn"], s["size"]
    trumps, unseen = known_trumps(s, seat), count_unseen(s, rules)
    force = trumps if in_force(s, size) else NO_SUIT
    later = rules.players - size - 1
    top = NEVER
    action = first_action(s["legal"])
    while 0 <= action < CARDS:
        led = action // RANKS if size == 0 else (s["shown"]["trick"][0] - 1) // RANKS
        strength = card_strength(action, led, force, RANKS, False)
        above = count_higher(s, seat, led, force, max(strength, best))
        hold = chance_to_hold(s, rules, weights, led, force, above, unseen)
        partner = weights[PARTNER] if later > 1 else 0.0
        win = hold + (1.0 - hold) * partner if strength > best or ours else partner
        stake = points + RANK_POINTS[action % RANKS] + weights[REST] * later
        scores[action] = (2.0 * win - 1.0) * stake - worth_later(weights, action, trumps)
        if size == 0 and action // RANKS == trumps:
            scores[action] += weights[LEAD_TRUMP]
        top = max(top, scores[action])
        action = next_action(s["legal"], action)
    return top


@jit
def score_play(s: State, rules: RulesRecord, weights: Weights, scores: Scores) -> None:
    """Score cards, and asking for trumps."""
    seat, trick = s["turn"], s["shown"]["trick"]
    best, points, ours = -1, 0, False
    for place in range(s["size"]):
        best = max(best, strength_at(s, place))
        points += RANK_POINTS[(trick[place] - 1) % RANKS]
    if s["size"]:
        ours = same_side(winner_of_trick(s, rules), seat)
    top = score_cards(s, rules, weights, best, ours, points, scores)
    if has_action(s["legal"], ASK):
        worth = weights[ASKING] + (weights[ASK_OURS] if ours else 0.0)
        scores[ASK] = top + worth + (weights[ASK_BIDDER] if same_side(s["bidder"], seat) else 0.0)


@jit
def heuristic(s: State, rules: RulesRecord, weights: Weights, scores: Scores) -> None:
    """Write a score for each legal action: points, more or less."""
    if s["over"]:
        return
    if s["shown"]["phase"] == PLAY:
        score_play(s, rules, weights, scores)
    else:
        score_words(s, rules, weights, scores)
