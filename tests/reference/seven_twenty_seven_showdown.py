"""Seven Twenty-Seven: values of hands and division of the pot. Used by `seven_twenty_seven`, in
whose header the readings are listed.

Totals are in half points, so that the targets 7 and 27 are 14 and 54.
"""

RANKS = "A23456789TJQK"
SUITS = "cdhs"

SEVEN, TWENTY_SEVEN = 14, 54
DECLARE_7, DECLARE_27, BOTH = 9, 10, 11

NEARNESS = (
    "nearest",
    "over_is_bust",
    "under_beats_over",
    "over_beats_under",
    "inside_beats_outside",
    "outside_beats_inside",
)


def values(card: str, half_tens: bool = False) -> list[int]:
    """What a card may count, in half points: two values for an ace, one for any other card."""
    rank = card[0]
    if rank == "A":
        return [2, 22]
    if rank in "JQK" or (rank == "T" and half_tens):
        return [1]
    return [2 * (RANKS.index(rank) + 1)]


def totals(cards: list[str], half_tens: bool = False) -> list[int]:
    """All totals these cards can make, in half points, from the lowest."""
    made = {0}
    for card in cards:
        made = {total + value for total in made for value in values(card, half_tens)}
    return sorted(made)


def is_favoured(total: int, target: int, nearness: str) -> bool:
    """Whether `nearness` lets this total win against one as far off on the other side."""
    if nearness == "under_beats_over":
        return total < target
    if nearness == "over_beats_under":
        return total > target
    inside = total > target if target == SEVEN else total < target
    if nearness == "inside_beats_outside":
        return inside
    if nearness == "outside_beats_inside":
        return not inside
    return False  # the other two rules know no such case


def rank(total: int, target: int, nearness: str) -> tuple[int, int]:
    """A key for totals: the smaller wins, equal ones share."""
    return abs(total - target), 0 if is_favoured(total, target, nearness) else 1


def best_total(
    cards: list[str], target: int, nearness: str = "nearest", half_tens: bool = False
) -> int | None:
    """The total with which these cards try for `target`, None if they cannot win it.

    Of two totals that are worth the same the lower.
    """
    possible = totals(cards, half_tens)
    if nearness == "over_is_bust":
        possible = [total for total in possible if total <= target]
    return min(possible, key=lambda total: rank(total, target, nearness), default=None)


# One side of the pot, as the seats that contest it with the rank of their total
Side = dict[int, tuple[int, int]]


def _side(
    target: int, hands: dict[int, list[str]], seats: list[int], nearness: str, half_tens: bool
) -> Side:
    """Those of these seats that can win this target."""
    side: Side = {}
    for seat in seats:
        total = best_total(hands[seat], target, nearness, half_tens)
        if total is not None:
            side[seat] = rank(total, target, nearness)
    return side


def _winners(side: Side) -> list[int]:
    """The seats with the best rank, in the order of `side`."""
    return [seat for seat in side if side[seat] == min(side.values())]


def _stays(seat: int, side: Side, both_tie: str) -> bool:
    """Whether a seat that declared BOTH is good enough on this side."""
    if both_tie == "shares":
        return seat in _winners(side)
    return _winners(side) == [seat]


def is_perfect(cards: list[str]) -> bool:
    """Whether these are a five and two aces, and nothing else."""
    return sorted(card[0] for card in cards) == ["5", "A", "A"]


def split(chips: int, seats: list[int]) -> dict[int, int]:
    """Equal shares; the chips left over go one each to the first of these seats."""
    share, over = divmod(chips, len(seats))
    return {seat: share + (1 if at < over else 0) for at, seat in enumerate(seats)}


def shares(
    pot: int,
    hands: dict[int, list[str]],
    nearness: str = "nearest",
    half_tens: bool = False,
    declared: dict[int, int] | None = None,
    *,
    perfect: bool = False,
    both_tie: str = "loses",
) -> dict[int, int]:
    """What each seat gets of the pot at a showdown.

    hands: the cards of each seat still in, the seats in order from the dealer's left.
    declared: DECLARE_7, DECLARE_27 or BOTH for each of them; None where the cards speak.
    perfect: whether 5-A-A takes the whole pot.
    both_tie: result of a BOTH seat that ties for the best total on a side.
    """
    seats = list(hands)
    if perfect:
        holders = [seat for seat in seats if is_perfect(hands[seat])]
        if holders:
            return {seat: 0 for seat in seats} | split(pot, holders)
    low, high = seats, seats
    if declared is not None:
        low = [seat for seat in seats if declared[seat] in (DECLARE_7, BOTH)]
        high = [seat for seat in seats if declared[seat] in (DECLARE_27, BOTH)]
    sevens = _side(SEVEN, hands, low, nearness, half_tens)
    others = _side(TWENTY_SEVEN, hands, high, nearness, half_tens)

    if declared is not None:
        both = [seat for seat in seats if declared[seat] == BOTH]
        good = [
            seat
            for seat in both
            if _stays(seat, sevens, both_tie) and _stays(seat, others, both_tie)
        ]
        for seat in both:
            if seat not in good:
                sevens.pop(seat, None)
                others.pop(seat, None)
    return _divide(pot, seats, _winners(sevens), _winners(others))


def _divide(pot: int, seats: list[int], sevens: list[int], others: list[int]) -> dict[int, int]:
    """Half the pot to each of two groups of winners, or all of it to the one there is."""
    parts = [(pot // 2, sevens), (pot - pot // 2, others)]
    if not sevens or not others:
        parts = [(pot, sevens or others or seats)]
    got = dict.fromkeys(seats, 0)
    for chips, winners in parts:
        for seat, share in split(chips, winners).items():
            got[seat] += share
    return got
