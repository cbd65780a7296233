"""The table of the reference Pyramid: what lies where, what is in play, what a DEAL does."""

from dataclasses import dataclass, field

from tests.reference.pyramid_rules import EXTRA, PYRAMID, WASTE_TOPS, Rules


@dataclass
class Position:
    """Everything that UNDO takes back: the table and the memories that go with it."""

    pyramid: list[str | None]
    extra: list[str | None]
    stock: list[str]
    wastes: list[list[str]] = field(default_factory=lambda: [[], [], []])
    passes_used: int = 1
    removal_was_legal: bool = False  # at some moment since the last redeal or the start


def card_at(table: Position, place: int, rules: Rules) -> str | None:
    """The card that could be clicked at `place` if it is free, None if there is none."""
    if place in PYRAMID:
        return table.pyramid[place]
    if place in EXTRA:
        return table.extra[place - EXTRA.start]
    if place in WASTE_TOPS:
        pile = table.wastes[place - WASTE_TOPS.start]
        return pile[-1] if pile else None
    # the stock's top card may be seen and yet not be in play
    in_play = rules.stock_play and table.stock
    return table.stock[0] if in_play else None


def deal(table: Position, rules: Rules) -> None:
    """Turn `turn` cards onto each waste pile, as long as there are cards in the stock."""
    for pile in table.wastes[: rules.waste_piles]:
        for _ in range(rules.turn):
            if table.stock:
                pile.append(table.stock.pop(0))
