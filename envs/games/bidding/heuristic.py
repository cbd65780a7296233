"""Card scores of the greedy and rule-based agents of the bidding games.

The score of a card is the number of points that its side should win or lose with it in this trick,
minus the card's value in later tricks. The kernels use only what the seat to act knows.
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
"""Weights for the scores of cards. They are the last weights of each game.

- rest: points that each later player is expected to add to the trick
- partner: probability that a partner wins the trick if this card does not
- ruff: probability that a hand without the suit led plays a trump
- keep_...: value of a card in later tricks
- lead_trump: value of leading trumps
"""
(REST, PARTNER, RUFF, KEEP_TRUMP, KEEP_JACK, KEEP_NINE, KEEP_OTHER, LEAD_TRUMP) = range(
    -len(CARD_WEIGHTS), 0
)


@jit
def known_trumps(s: State, seat: Seat, maker: Seat) -> int:
    """Return the trump suit that ``maker`` chose if a seat knows it, otherwise `NO_SUIT`."""
    return trump_suit(s) if s["shown"]["trumps_shown"] or seat == maker else NO_SUIT


@jit
def shown_trumps(s: State) -> int:
    """Return the trump suit if all seats know it, otherwise `NO_SUIT`."""
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
    """Return the probability that no opponent still to play beats a card.

    Args:
        s: The state.
        rules: The rules.
        playing: The seats that play to the trick.
        led: The suit led.
        higher: Number of unseen cards of the suit led that beat the card.
        unseen: Number of unseen cards.
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
    """Return the value of keeping a card."""
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
    """Return the score of a card that the seat to act may play.

    Args:
        s: The state.
        card: The card.
        ranks: The number of ranks of a suit.
        trumps: The trump suit if the seat knows it, otherwise `NO_SUIT`.
        wins: Whether the seat's side wins the trick so far if it plays this card.
        hold: Probability that no opponent beats the winning card.
        later: Number of seats that play after this one.
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
    """Return the score of leading a card: jacks first, then low cards of the longest suit.

    ``length`` is the number of cards that the hand has in the suit.
    """
    if card % ranks == ranks - 1:
        return 100.0
    return length - 2.0 * card_points(card, ranks)


@jit(inline="always")
def score_follow(
    s: State, card: int, ranks: int, lowest_winner: int, best: int, ours: bool, reverse: bool
) -> float:
    """Return the score of a card that is not led.

    The best card gives points to the seat's own side, otherwise wins with a low card, otherwise
    loses few points.

    Args:
        s: The state.
        card: The card.
        ranks: The number of ranks of a suit.
        lowest_winner: The lowest rank with which the agent tries to win a trick.
        best: The strength of the best card in the trick.
        ours: Whether the best card belongs to the seat's side.
        reverse: Whether the ranks are reversed.
    """
    points = card_points(card, ranks)
    if ours:
        return 10.0 * points - card % ranks
    strength = card_strength(card, led_suit(s, ranks), shown_trumps(s), ranks, reverse)
    if strength > best and card % ranks >= lowest_winner:
        return 100.0 - strength
    return -10.0 * points - card % ranks
