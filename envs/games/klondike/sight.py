"""Klondike: what the player sees. All that becomes known passes through `show_card`."""

from ...core.aliases import CardCode, RulesRecord, State
from ...core.kernel.cards import FIRST_CARD
from ...core.kernel.jit import jit
from .rules import COLUMN, COLUMNS, STOCK


@jit
def show_card(s: State, card: CardCode, where: int, place: int) -> None:
    """Write down where a card is. All that the player learns passes through here."""
    s["shown"]["where"][card - FIRST_CARD] = where
    s["shown"]["place"][card - FIRST_CARD] = place


@jit
def show_ends(s: State, column: int) -> None:
    """Write down the first and the last card face up of a column."""
    shown, high = s["shown"], s["count"][column]
    shown["first"][column] = s["column"][column][shown["face_down"][column]] if high else 0
    shown["last"][column] = s["column"][column][high - 1] if high else 0


@jit
def show_waste(s: State) -> None:
    """Write down the top of the waste."""
    high = s["shown"]["waste_count"]
    s["shown"]["waste_top"] = s["waste"][high - 1] if high else 0


@jit
def show_face_down(s: State) -> None:
    """Write down which cards lie face down in the columns."""
    for column in range(COLUMNS):
        for row in range(s["shown"]["face_down"][column]):
            show_card(s, s["column"][column][row], COLUMN + column, row + 1)


@jit
def show_stock(s: State) -> None:
    """Write down which cards lie in the stock."""
    high = s["shown"]["waste_count"] + s["shown"]["stock_count"]
    for place in range(s["shown"]["stock_count"]):
        show_card(s, s["stock"][place], STOCK, high - place)


@jit
def show_rules(s: State, rules: RulesRecord) -> None:
    """Write the options into the observation."""
    shown = s["shown"]
    shown["draw"] = rules.draw
    shown["passes"] = rules.passes
    shown["partial_runs"] = rules.partial_runs
    shown["worry_back"] = rules.worry_back
    shown["thoughtful"] = rules.thoughtful
    shown["scoring"] = rules.scoring
