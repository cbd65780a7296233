"""Puss in the Corner: the scene of the table, and the words for actions."""

from typing import Any

import numpy as np

from ...core.kernel.cards import SUITS, card_name, card_symbol
from ...core.scene.scene import Button, Item, Mark, Scene, Text
from .rules import (
    ACES,
    ACTIONS,
    BUILT,
    DEAL,
    END,
    FIRST,
    FOUNDATION,
    GATHER,
    PACKET,
    PILES,
    PLACE,
    PLAY,
    REDEAL,
    Rules,
    label,
    packet_piles,
)

BACK = 1
"""Code of every face-down card; no card has this code."""
LEFT, TOP = 2.75, 1.5
"""Corner of the first pile, to the right of the text and below the foundations."""
STEP, LEAST_STEP = 0.4, 0.3
"""Usual distance from one card of a pile to the next, and minimum distance in long piles."""
ROOM = 5.4
"""Height for the cards of a pile in every picture. Piles rarely have more than 19 cards."""
PLACES = tuple(f"pile-{pile + 1}" for pile in range(PILES))
FOUNDATIONS = tuple(f"foundation-{suit}" for suit in SUITS)


def layout(s: Any, rules: Rules) -> Scene:
    """Return the scene of the table as the player sees it. ``s`` is one record of states."""
    legal = int(s["legal"]) if not s["over"] else 0
    items = [_stock(s, legal)]
    if s["shown"]["card"]:
        items.append(_hand(s, legal))
    items += [
        Item(LEFT + suit, 0, _foundation(s, suit), place=FOUNDATIONS[suit]) for suit in range(ACES)
    ]
    longest = max(int(count) for count in s["count"])
    step = max(LEAST_STEP, min(STEP, ROOM / max(longest - 1, 1)))
    for pile in range(PILES):
        items += _pile(s, pile, legal, step)
    texts = tuple(_texts(s, rules, step))
    canvas = LEFT + PILES, TOP + ROOM + 1
    return Scene("Puss in the Corner", tuple(items), texts, canvas, _buttons(rules, legal))


def _stock(s: Any, legal: int) -> Item:
    """Return the stock, with its top card if it is face up. A click is DEAL or REDEAL."""
    shown = s["shown"]
    count = int(shown["stock_count"])
    turns = next((turn for turn in (DEAL, REDEAL) if legal >> turn & 1), -1)
    card, is_open = (int(shown["next_card"]), True) if shown["next_card"] else (BACK, False)
    return Item(
        0, 0, card if count else 0, is_open and bool(count), "", "", "stock", turns, (), count
    )


def _hand(s: Any, legal: int) -> Item:
    """Return the turned-up card, which can go to a pile or to the foundations."""
    can_build = bool(legal >> FOUNDATION & 1)
    mark: Mark = "legal" if can_build else "picked"
    drops = [(PLACES[pile], PLACE + pile) for pile in range(PILES) if legal >> PLACE + pile & 1]
    drops += [(place, FOUNDATION) for place in FOUNDATIONS if can_build]
    action = FOUNDATION if can_build else -1
    return Item(1, 0, int(s["shown"]["card"]), True, mark, "", "hand", action, tuple(drops))


def _foundation(s: Any, suit: int) -> int:
    """Return the top card of a foundation, which may have the other suit of its color.

    While the other foundation of the color is lower, only one card of this color and value is on a
    foundation. Otherwise both cards are, and either can be shown here.
    """
    card = 4 * int(s["shown"]["foundations"][suit]) + suit
    is_here = card < FIRST or s["shown"]["where"][card - FIRST] == BUILT
    return card if is_here else card - suit + len(SUITS) - 1 - suit


def _pile(s: Any, pile: int, legal: int, step: float) -> list[Item]:
    actions = [first + pile for first in (PLACE, PLAY, GATHER) if legal >> first + pile & 1]
    cards = [int(card) for card in s["pile"][pile][: s["count"][pile]]] or [0]
    x, place = LEFT + pile, PLACES[pile]
    below = [
        Item(x, TOP + step * i, card, place=place, drops=_packets(pile, legal) if not i else ())
        for i, card in enumerate(cards[:-1])
    ]
    return [
        *below,
        Item(
            x,
            TOP + step * len(below),
            cards[-1],
            True,
            "legal" if actions else "",
            "",
            place,
            actions[0] if actions else -1,
            _drops(pile, legal),
        ),
    ]


def _packets(pile: int, legal: int) -> tuple[tuple[str, int], ...]:
    """Return the places onto which a whole pile can be laid."""
    return tuple(
        (PLACES[packet_piles(action)[1]], action)
        for action in range(PACKET, ACTIONS)
        if legal >> action & 1 and packet_piles(action)[0] == pile
    )


def _drops(pile: int, legal: int) -> tuple[tuple[str, int], ...]:
    """Return the places for the top of a pile: foundations or, as a packet, other piles."""
    plays = [(place, PLAY + pile) for place in FOUNDATIONS if legal >> PLAY + pile & 1]
    return (*plays, *_packets(pile, legal))


def _buttons(rules: Rules, legal: int) -> tuple[Button, ...]:
    """Return the buttons at the lower left for actions without a card."""
    if not rules.hold_back:
        return ()  # the next group is dealt automatically
    named = {DEAL: "deal"} | ({REDEAL: "redeal"} if rules.redeals else {}) | {END: "end"}
    bottom = TOP + ROOM + 1
    return tuple(
        Button(0, bottom - 0.45 * (len(named) - i), 2, text, action, bool(legal >> action & 1))
        for i, (action, text) in enumerate(named.items())
    )


def _texts(s: Any, rules: Rules, step: float) -> list[Text]:
    """Return the numbers above the piles, and the lines of up to 15 characters to their left."""
    shown = s["shown"]
    lines = []
    if rules.redeals:
        lines.append(f"redeals left {int(shown['redeals_left'])}")
    lines += [f"score {int(s['score'])}", f"moves {int(s['moves'])}"]
    if shown["card"] and rules.deal_size > 1:
        lines.append(f"{int(shown['group_left'])} to be placed")
    turns = {int(turn): pile + 1 for pile, turn in enumerate(shown["gathered"]) if turn}
    if turns:
        lines.append("gathered " + " ".join(str(turns[turn]) for turn in sorted(turns)))
    numbers = [Text(LEFT + pile + 0.24, 1.15, str(pile + 1)) for pile in range(PILES)]
    stock = f"stock {int(shown['stock_count'])}"  # pictures have the number on the stock
    status = [Text(0, TOP + step * i, line, only="status") for i, line in enumerate(lines)]
    in_text = [Text(0, TOP + step * i, one, only="ansi") for i, one in enumerate([stock, *lines])]
    return [*numbers, *status, *in_text]


def action_words(s: Any, rules: Rules) -> dict[int, tuple[str, ...]]:
    """Return the words that a person can type for each action, such as a pile's number."""
    shown = s["shown"]
    words: dict[int, tuple[str, ...]] = {}
    for pile in range(PILES):
        number, top = str(pile + 1), int(shown["tops"][pile])
        if shown["card"]:
            words[PLACE + pile] = (number,)
        elif int(s["legal"]) >> GATHER & (1 << PILES) - 1:
            words[GATHER + pile] = (number,)
        elif top:
            words[PLAY + pile] = (card_name(top), number)
    if shown["card"]:
        words[FOUNDATION] = ("f", "foundation")
    for action in range(PACKET, ACTIONS):
        pile, other = packet_piles(action)
        words[action] = (f"{pile + 1}>{other + 1}",)
    return words | {DEAL: ("d", "deal"), REDEAL: ("r", "redeal"), END: ("e", "end")}


def describe_action(s: Any, rules: Rules, action: int) -> str:
    """Return an action as a phrase, such as ``"place 9♦ on pile 3"``."""
    turns = {DEAL: "deal from the stock", REDEAL: "redeal the piles", END: "end the game"}
    if action in turns:
        return turns[action]
    card = int(s["shown"]["card"])
    if PLAY <= action < PLAY + PILES:
        top = int(s["shown"]["tops"][action - PLAY])
        return f"play {card_symbol(top)} to its foundation" if top else label(action)
    if GATHER <= action < GATHER + PILES:
        return f"gather pile {action - GATHER + 1}"
    if PACKET <= action < ACTIONS:
        pile, other = packet_piles(action)
        return f"lay pile {pile + 1} on pile {other + 1}"
    if not card or not PLACE <= action <= FOUNDATION:
        return label(action)
    target = "its foundation" if action == FOUNDATION else f"pile {action - PLACE + 1}"
    return f"place {card_symbol(card)} on {target}"


def final_info(states: Any, rules: Any, seats: Any) -> dict[str, Any]:
    """Return the game's own entries of ``info``."""
    left = states["shown"]["redeals_left"].astype(np.int64)
    return {"redeals_used": rules.redeals - left}
