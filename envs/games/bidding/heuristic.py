"""Scores of cards that the greedy and rule-based agents of the three games share.

A card is worth the points that its side should win or lose by it in this trick, less what it is
worth later. The kernels use only what the seat at turn knows.
"""

from ...core.kernel.jit import jit
from ...core.kernel.table import NO_SUIT, card_strength, next_seat
from ...core.type_aliases import RulesRecord, Seat, SeatSet, State, Weights
from .play import card_points, led_suit, same_side, trump_suit

NEVER = -100.0
"""The score of an action that an agent avoids."""
CARD_WEIGHTS = (
    "rest",
    "partner",
    "ruff",
    "keep_trump",
    "keep_jack",
    "keep_nine",
    "keep_other",
    "lead_trump",
)
"""Weights that the scores of cards need; the list of each game's weights ends with them.

rest: points that each player still to come brings; partner: how often the partners win what one's
card does not; ruff: how often a void hand trumps; keep…: what a card is worth later; lead_trump:
what leading trumps is worth.
"""
(REST, PARTNER, RUFF, KEEP_TRUMP, KEEP_JACK, KEEP_NINE, KEEP_OTHER, LEAD_TRUMP) = range(
    -len(CARD_WEIGHTS), 0
)


@jit
def known_trumps(s: State, seat: Seat, maker: Seat) -> int:
    """Return the suit of the trumps that ``maker`` made, if a seat knows it."""
    return trump_suit(s) if s["shown"]["trumps_shown"] or seat == maker else NO_SUIT


@jit
def shown_trumps(s: State) -> int:
    """Return the suit of trumps if all know it, so that it counts for the next card."""
    return trump_suit(s) if s["shown"]["trumps_shown"] else NO_SUIT


@jit
def chance_to_hold(
    s: State,
    rules: RulesRecord,
    playing: SeatSet,
    led: int,
    higher: int,
    unseen: int,
    weights: Weights,
) -> float:
    """Return how likely it is that no opponent still to play beats a card.

    Args:
        s: The state.
        rules: The rules.
        playing: The seats that play to the trick.
        led: The suit led.
        higher: How many unseen cards of the suit led beat the card.
        unseen: How many cards are unseen.
        weights: The weights.
    """
    seat, trumps = s["turn"], shown_trumps(s)
    chance = 1.0
    other = next_seat(playing, seat + 1)
    while other != s["leader"]:
        if not same_side(rules, seat, other):
            public = s["seats"][other]
            if public["voids"][led]:
                if trumps != NO_SUIT and trumps != led and not public["voids"][trumps]:
                    chance *= 1.0 - weights[RUFF]
            else:
                lacks = 1.0 - min(public["hand"] / max(unseen, 1), 1.0)
                for _ in range(higher):
                    chance *= lacks
        other = next_seat(playing, other + 1)
    return chance


@jit(inline="always")
def worth_later(card: int, ranks: int, trumps: int, weights: Weights) -> float:
    """Return what a card is worth if it is kept."""
    rank = card % ranks
    worth = weights[KEEP_OTHER] * rank
    if rank == ranks - 1:
        worth += weights[KEEP_JACK]
    elif rank == ranks - 2:
        worth += weights[KEEP_NINE]
    if card // ranks == trumps:
        worth += weights[KEEP_TRUMP]
    return worth


@jit(inline="always")
def score_card(
    s: State,
    card: int,
    ranks: int,
    trumps: int,
    wins: bool,
    hold: float,
    later: int,
    points: int,
    weights: Weights,
) -> float:
    """Score a card that the seat at turn may play.

    Args:
        s: The state.
        card: The card.
        ranks: The number of ranks of a suit.
        trumps: The suit of trumps if the seat knows it.
        wins: The trick is won by the seat's side so far, with this card.
        hold: How likely it is that no opponent beats that.
        later: How many seats play after this one.
        points: The card points in the trick so far.
        weights: The weights.
    """
    partner = weights[PARTNER] if later > 1 else 0.0
    win = hold + (1.0 - hold) * partner if wins else partner
    stake = points + card_points(card, ranks) + weights[REST] * later
    score = (2.0 * win - 1.0) * stake - worth_later(card, ranks, trumps, weights)
    if s["size"] == 0 and card // ranks == trumps:
        score += weights[LEAD_TRUMP]
    return score


# ---- the rule-based agent -------------------------------------------------------------------


@jit(inline="always")
def score_lead(card: int, ranks: int, length: int) -> float:
    """Score a card to lead: jacks, then the longest suit, ``length``, from below."""
    if card % ranks == ranks - 1:
        return 100.0
    return length - 2.0 * card_points(card, ranks)


@jit(inline="always")
def score_follow(
    s: State, card: int, ranks: int, lowest_winner: int, best: int, ours: bool, reverse: bool
) -> float:
    """Score a card to follow with: points for one's side, else win cheaply, else lose little.

    Args:
        s: The state.
        card: The card.
        ranks: The number of ranks of a suit.
        lowest_winner: The lowest rank to win a trick with.
        best: The strength of the best card in the trick.
        ours: The best card is of the seat's side.
        reverse: The ranks are turned over.
    """
    points = card_points(card, ranks)
    if ours:
        return 10.0 * points - card % ranks
    strength = card_strength(card, led_suit(s, ranks), shown_trumps(s), ranks, reverse)
    if strength > best and card % ranks >= lowest_winner:
        return 100.0 - strength
    return -10.0 * points - card % ranks
