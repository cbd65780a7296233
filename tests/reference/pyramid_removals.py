"""What may be removed in the reference Pyramid, now and after a redeal that shuffles."""

from itertools import combinations

from tests.reference.pyramid_rules import (
    COVERERS,
    EXTRA,
    PYRAMID,
    STOCK_TOP,
    TARGET,
    WASTE_TOPS,
    Rules,
    value,
)
from tests.reference.pyramid_table import Position, card_at, deal, may_deal

EVERY_PLACE = range(STOCK_TOP, -1, -1)
PYRAMID_AND_EXTRA = range(EXTRA.stop - 1, -1, -1)


def may_go(table: Position, place: int, together_with: list[int], rules: Rules) -> bool:
    """Whether the card at `place` may go in one removal with those of `together_with`."""
    card = card_at(table, place, rules)
    if card is None:
        return False
    if place not in PYRAMID:
        return True  # card_at gives tops of piles only, as they are before the removal
    if rules.covered_kings and value(card) == TARGET:
        return True
    return all(
        table.pyramid[coverer] is None or (rules.match_cover and coverer in together_with)
        for coverer in COVERERS[place]
    )


def removals(table: Position, rules: Rules) -> list[tuple[int, ...]]:
    """All legal removals, each as its click sequence (places descending)."""
    return sets_that_total(TARGET, _most_cards(rules), table, EVERY_PLACE, rules)


def _most_cards(rules: Rules) -> int:
    """How many cards a removal may have."""
    return TARGET if rules.many_sum else 2


def sets_that_total(
    total: int, most_cards: int, table: Position, places: range, rules: Rules
) -> list[tuple[int, ...]]:
    """The sets of at most so many cards that may go and make up this total, places descending.

    A coverer has the higher place, so it is always among the places taken before: whether a
    card may go is decided when it is added. The total 0 is made up by no card at all.
    """
    cards = [(place, card_at(table, place, rules)) for place in places]
    offered = [(place, value(card)) for place, card in cards if card is not None]
    found: list[tuple[int, ...]] = []

    def extend(taken: list[int], missing: int, start: int) -> None:
        if missing == 0:
            found.append(tuple(taken))
        if missing == 0 or len(taken) == most_cards:
            return
        for at in range(start, len(offered)):
            place, worth = offered[at]
            if worth <= missing and may_go(table, place, taken, rules):
                extend([*taken, place], missing - worth, at + 1)

    extend([], total, 0)
    return found


def shuffle_may_help(table: Position, rules: Rules) -> bool:
    """Whether some order of the waste as the new stock makes a removal with a card of it legal.

    Tried with all cards of the new stock that can meet; the rest of the set must be free in the
    pyramid and the extra row as they are now.
    """
    stock = [card for pile in table.wastes for card in pile]
    most_cards = _most_cards(rules)
    for n_cards in range(1, min(most_in_play(stock, rules), most_cards) + 1):
        for worth in {sum(map(value, meeting)) for meeting in combinations(stock, n_cards)}:
            left = most_cards - n_cards
            if sets_that_total(TARGET - worth, left, table, PYRAMID_AND_EXTRA, rules):
                return True
    return False


def most_in_play(stock: list[str], rules: Rules) -> int:
    """How many cards of a stock are in play at once, at best, while it is dealt out.

    Any of its cards can be those, in some order of the stock.
    """
    table = Position(pyramid=[], extra=[], stock=list(stock))
    places = [*WASTE_TOPS, STOCK_TOP]
    most = sum(card_at(table, place, rules) is not None for place in places)
    while may_deal(table):
        deal(table, rules)
        most = max(most, sum(card_at(table, place, rules) is not None for place in places))
    return most
