"""The table of the reference Pyramid: what lies where, what is in play, what a DEAL does."""

from dataclasses import dataclass, field

from tests.reference.pyramid_rules import EXTRA, PYRAMID, WASTE_TOPS, Rules


@dataclass
class Position:
    """Everything that UNDO takes back: the table and the memories that go with it."""

    pyramid: list[str | None]
    extra: list[str | None]
    stock: list[str]  # without the card held
    held: str | None = None
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
    if rules.held:
        return table.held
    # the stock's top card may be seen and yet not be in play
    in_play = rules.stock_play and table.stock
    return table.stock[0] if in_play else None


def may_deal(table: Position) -> bool:
    """Whether a DEAL would do something: turn a card, or lay down the card held."""
    return bool(table.stock) or table.held is not None


def deal(table: Position, rules: Rules) -> None:
    """Turn `turn` cards onto each waste pile, as long as there are cards in the stock.

    With `held` lay the card held onto waste pile 1 instead, and hold the stock's top card.
    """
    if rules.held:
        _lay_down(table)
        table.held = table.stock.pop(0) if table.stock else None
        return
    for pile in table.wastes[: rules.waste_piles]:
        for _ in range(rules.turn):
            if table.stock:
                pile.append(table.stock.pop(0))


def _lay_down(table: Position) -> None:
    """Lay the card held, if there is one, onto waste pile 1."""
    if table.held is not None:
        table.wastes[0].append(table.held)
