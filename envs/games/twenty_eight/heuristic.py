"""Twenty-Eight and Twenty-Nine: what the greedy agent thinks. Uses only what its seat knows.

It bids by what its cards should bring: a sum over them, for the best trumps. A card is worth the
points that its side should win or lose by it in this trick, less what it is worth later.
"""

from ...core.aliases import Places, RulesRecord, Scores, Seat, State, Weights
from ...core.kernel.bits import count, lowest
from ...core.kernel.jit import jit
from ...core.legal import first_action, has_action, next_action
from ...core.seating import next_seat
from ...core.tricks.tricks import NO_SUIT, card_strength, suit_set
from .auction import side_of
from .play import strength_at, winner_of_trick
from .rules import (
    ASK,
    BID,
    CARDS,
    DOUBLE,
    LOWEST_BID,
    LOWEST_RANK,
    MAKE,
    MAKE_SEVENTH,
    PASS,
    RANK_POINTS,
    RANKS,
    REDOUBLE,
    SHOW,
    SINGLE,
)
from .state import NONE, PLAY, REVERSED

# Found by CMA-ES on hands dealt for it, half of them by each game's classic rules, against its own
# earlier weights; rounded.
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
"""base to side_jack: the points that a hand should bring with such trumps; over_…: how much more it
bids over its own side's bid, or another's; lay_low: how much it minds the rank of
the card laid down; double: the points at which it doubles; ask…: what asking for trumps is worth,
by the trick's points, where its side is winning, and for the bidder; rest: points that each player
still to come brings; partner: how often the partner wins what one's card does not; ruff: how often
a void hand trumps; keep…: what a card is worth later; lead_trump: what leading trumps is worth."""
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
    REST,
    PARTNER,
    RUFF,
    KEEP_TRUMP,
    KEEP_JACK,
    KEEP_NINE,
    KEEP_OTHER,
    LEAD_TRUMP,
) = range(len(WEIGHTS))
HONOURS = 5
"""The first rank that counts points."""
NEVER = -100.0


# ---- what is said ---------------------------------------------------------------------------


@jit
def hand_worth(hand: Places, trumps: int, weights: Weights) -> float:
    """The points that a hand should bring its side with these trumps."""
    found = weights[BASE]
    while hand:
        card = lowest(hand)
        hand &= hand - 1
        rank = card % RANKS
        own = card // RANKS == trumps
        if own:
            found += weights[LENGTH]
        if rank >= HONOURS:
            found += weights[(TRUMP_TEN if own else SIDE_TEN) + rank - HONOURS]
    return found


@jit
def best_worth(hand: Places, weights: Weights) -> float:
    """The points that a hand should bring with its best trumps."""
    best = 0.0
    for suit in range(4):
        best = max(best, hand_worth(hand, suit, weights))
    return best


@jit
def whole_hand(s: State, seat: Seat) -> Places:
    """The cards of a seat, one that it has laid down among them."""
    hand = s["hands"][seat]
    if s["card"] and seat == s["maker"]:
        hand |= 1 << (s["card"] - 1)
    return hand


@jit
def score_words(s: State, rules: RulesRecord, weights: Weights, scores: Scores) -> None:
    """Score what may be said: the lowest bid is best, if the hand is worth it."""
    seat, bidder = s["turn"], s["bidder"]
    hand = whole_hand(s, seat)
    worth = best_worth(hand, weights)
    margin = 0.0
    if bidder >= 0:
        ours = (side_of(rules, bidder) >> seat) & 1 != 0
        margin = weights[OVER_PARTNER] if ours else weights[OVER_OTHER]
    action = first_action(s["legal"])
    while action >= 0:
        if BID <= action < PASS:
            scores[action] = worth + margin - (action - BID + LOWEST_BID)
        elif action == DOUBLE:
            scores[action] = worth - weights[DOUBLING_AT]
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


# ---- what is played -------------------------------------------------------------------------


@jit
def unseen_by(s: State, rules: RulesRecord, seat: Seat) -> Places:
    """The cards that others may hold, as far as a seat knows."""
    found = 0
    for card in range(CARDS):
        if card % RANKS >= LOWEST_RANK[rules.players] and s["player_of"][card] == 0:
            found |= 1 << card
    return found & ~whole_hand(s, seat)


@jit
def known_trumps(s: State, seat: Seat) -> int:
    """The suit of trumps, if the seat knows it."""
    made = s["made"]
    known = s["shown"]["trumps_shown"] or seat == s["maker"]
    return made - 1 if known and 0 < made < NONE else NO_SUIT


@jit
def chance_to_hold(
    s: State, rules: RulesRecord, weights: Weights, card: int, unseen: Places, strength: int
) -> float:
    """How likely no opponent that is still to play beats a strength in this trick."""
    seat = s["turn"]
    led = card // RANKS if s["size"] == 0 else (s["shown"]["trick"][0] - 1) // RANKS
    trumps = known_trumps(s, seat) if s["shown"]["trumps_shown"] else NO_SUIT
    reverse = s["shown"]["trumps_shown"] and s["made"] == REVERSED
    higher, rest = 0, unseen & suit_set(led, RANKS)
    while rest:
        one = lowest(rest)
        rest &= rest - 1
        higher += card_strength(one, led, trumps, RANKS, reverse) > strength
    others = max(count(unseen), 1)
    chance = 1.0
    after = next_seat(s["playing"], seat + 1)
    for _ in range(count(s["playing"]) - s["size"] - 1):
        if not (side_of(rules, seat) >> after) & 1:
            public = s["seats"][after]
            if public["voids"][led]:
                if trumps != NO_SUIT and trumps != led and not public["voids"][trumps]:
                    chance *= 1.0 - weights[RUFF]
            else:
                lacks = 1.0 - min(public["hand"] / others, 1.0)
                for _ in range(higher):
                    chance *= lacks
        after = next_seat(s["playing"], after + 1)
    return chance


@jit
def worth_later(s: State, weights: Weights, card: int, trumps: int) -> float:
    """What a card is worth if it is kept."""
    rank = card % RANKS
    found = weights[KEEP_OTHER] * rank
    if rank == RANKS - 1:
        found += weights[KEEP_JACK]
    elif rank == RANKS - 2:
        found += weights[KEEP_NINE]
    if card // RANKS == trumps:
        found += weights[KEEP_TRUMP]
    return found


@jit
def score_card(
    s: State,
    rules: RulesRecord,
    weights: Weights,
    card: int,
    unseen: Places,
    best: int,
    ours: bool,
    points: int,
) -> float:
    """Score a card by the points of this trick, less what it is worth later.

    ``best`` is the best strength so far, ``ours`` whether it is one's own side's.
    """
    seat = s["turn"]
    size, players = s["size"], count(s["playing"])
    trumps = known_trumps(s, seat)
    force = trumps if s["shown"]["trumps_shown"] else NO_SUIT
    led = card // RANKS if size == 0 else (s["shown"]["trick"][0] - 1) // RANKS
    reverse = s["shown"]["trumps_shown"] != 0 and s["made"] == REVERSED
    strength = card_strength(card, led, force, RANKS, reverse)
    beats = strength > best
    hold = chance_to_hold(s, rules, weights, card, unseen, max(strength, best))
    later = players - size - 1
    partner = weights[PARTNER] if later > 1 else 0.0
    win = hold + (1.0 - hold) * partner if beats or ours else partner
    stake = points + RANK_POINTS[card % RANKS] + weights[REST] * later
    found = (2.0 * win - 1.0) * stake - worth_later(s, weights, card, trumps)
    if size == 0 and card // RANKS == trumps:
        found += weights[LEAD_TRUMP]
    return found


@jit
def score_play(s: State, rules: RulesRecord, weights: Weights, scores: Scores) -> None:
    """Score cards, asking for trumps and showing the pair."""
    seat, trick = s["turn"], s["shown"]["trick"]
    best, points, ours = -1, 0, False
    for place in range(s["size"]):
        best = max(best, strength_at(s, rules, place))
        points += RANK_POINTS[(trick[place] - 1) % RANKS]
    if s["size"]:
        ours = (side_of(rules, winner_of_trick(s, rules)) >> seat) & 1 != 0
    unseen = unseen_by(s, rules, seat)
    top = NEVER
    action = first_action(s["legal"])
    while action >= 0:
        if action < CARDS:
            scores[action] = score_card(s, rules, weights, action, unseen, best, ours, points)
            top = max(top, scores[action])
        elif action == SHOW:
            scores[action] = -NEVER
        action = next_action(s["legal"], action)
    if has_action(s["legal"], ASK):
        worth = weights[ASKING] + weights[ASK_POINTS] * points
        worth += weights[ASK_OURS] if ours else 0.0
        worth += weights[ASK_BIDDER] if (side_of(rules, s["bidder"]) >> seat) & 1 else 0.0
        scores[ASK] = max(top, NEVER) + worth


@jit
def heuristic(s: State, rules: RulesRecord, weights: Weights, scores: Scores) -> None:
    """Write a score for each legal action: points, more or less."""
    if s["over"]:
        return
    if s["shown"]["phase"] == PLAY:
        score_play(s, rules, weights, scores)
    else:
        score_words(s, rules, weights, scores)
