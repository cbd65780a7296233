"""Pyramid (solitaire, one player): a slow, plain reference to test the fast kernel against.

Written only from the project's rule page `docs/rules/pyramid.md`, whose own sources are:
000 the web version with undo; 001 "Pyramid Solitaire"; 002 The Ultimate Book of Card Games;
003 "Pyramid Card Game". No code is shared with, or taken from, the kernel.

Places and actions have the same numbers: pyramid slots 0-27, extra row 28-34, waste tops
35-37, stock top or card held 38, DEAL 39, REDEAL 40, UNDO 41. Cards are strings such as "Th"
("10h" is taken too); a stock is listed from its top, a waste pile from its bottom.

Readings taken where the page leaves something open:

1. Repeated UNDO takes back one move after another down to the start; an UNDO takes back the
   last move not yet taken back, never an UNDO (there is no redo). "At the start" means that
   no move is left to take back.
2. What UNDO takes back counts as not having been for "some removal was legal since the last
   redeal": that memory goes back with the position.
3. "At some moment since the last redeal or the start" includes the position that the redeal
   itself made, and the first position of the game. (Neither 2 nor 3 should change what is
   legal: while no removal has been legal since a redeal, DEAL is the only way on.)
4. Known is what has been seen (after an unshuffled redeal: all of it). A card that could only
   be told by elimination, such as the last unseen one, counts as not known.
5. At the second and later shuffled redeals the "original order" handed to `shuffle` is that
   of the latest shuffle: the order the stock would have had without this one.
6. `max_moves` may be any integer from 1; an unknown option name is refused.
7. A move that reaches `max_moves` and also wins (or leaves nothing legal) wins (or loses).
8. `first_deal` deals even where `deal_when` "blocked" would forbid a DEAL: it is no move.
9. REDEAL's "some removal was possible" applies only with `passes` 0, without a shuffle and without
    `undo`, as written. With `passes` 0 and a shuffle, REDEAL requires that some order could help,
    at the first redeal as at any other.
10. `turn` cards go onto waste pile 1, then as many onto pile 2, and so on; they are turned one by
    one, so that the last of them lies on top, and a short stock stops in the middle of a pile.
    All of them have been seen. `first_deal` deals them too.
11. With `held` a DEAL turns up one card whatever `turn` is, as nothing is turned onto a pile.
12. A card held belongs neither to the stock nor to the waste: while there is one REDEAL is illegal
    and DEAL legal. The DEAL that only lays it down is a DEAL like any other: it is a move, can be
    taken back, and waits for `deal_when` "blocked". `clear_all` asks for the card held too.
13. The removal that an order of the new stock "would make legal" has a card of that stock in it,
    as each of the page's examples has. A set of pyramid and extra row alone, which is legal or
    not whatever the order, allows no redeal.
14. Pyramid and extra row are taken as they lie at the REDEAL: a card that another removal would
    have to free first does not count. What `match_cover` lets go together does, where
    `many_sum` makes room for a card of the stock beside it.
15. Which cards can meet is found by dealing the new stock out, with the options as they are and
    without a removal: two tops need two piles that get cards (three cards with `turn` 3 lie on
    one pile), the stock's top meets a pile's only if the first DEAL does not empty the stock.
"""

import copy
from collections.abc import Callable, Container
from dataclasses import dataclass, field, fields
from itertools import combinations
from typing import Any

# Cards, places and options

RANKS = "A23456789TJQK"
SUITS = "cdhs"
TARGET = 13

PYRAMID = range(0, 28)
EXTRA = range(28, 35)
WASTE_TOPS = range(35, 38)
STOCK_TOP = 38
DEAL, REDEAL, UNDO = 39, 40, 41


def slot(row: int, column: int) -> int:
    """The pyramid slot at `row` and `column`, both counted from 0."""
    return row * (row + 1) // 2 + column


def _direct_coverers() -> dict[int, list[int]]:
    """For each pyramid slot, the two slots that cover it (none for the bottom row)."""
    coverers: dict[int, list[int]] = {place: [] for place in PYRAMID}
    for row in range(6):
        for column in range(row + 1):
            below = [slot(row + 1, column), slot(row + 1, column + 1)]
            coverers[slot(row, column)] = below
    return coverers


COVERERS = _direct_coverers()


def value(card: str) -> int:
    """Ace 1, number cards their number, jack 11, queen 12, king 13."""
    return RANKS.index(card[0]) + 1


@dataclass(frozen=True)
class Rules:
    """The options of one game, with the page's defaults."""

    passes: int = 1
    shuffle_redeal: bool = False
    deal_when: str = "always"
    first_deal: bool = False
    extra_row: bool = False
    covered_kings: bool = False
    match_cover: bool = False
    many_sum: bool = False
    waste_piles: int = 1
    stock_view: str = "down"
    stock_play: bool = False
    clear_all: bool = False
    held: bool = False
    turn: int = 1
    undo: bool = False
    max_moves: int = 500


ALLOWED: dict[str, Container[Any]] = {
    "passes": range(0, 10),
    "deal_when": ("always", "blocked"),
    "waste_piles": (1, 2, 3),
    "stock_view": ("down", "top", "all"),
    "turn": (1, 2, 3),
}


def refused(options: dict[str, Any]) -> bool:
    """Whether the page refuses these options (those not named have their default).

    True as well for a value out of range and for a name that is no option.
    """
    if not set(options) <= {option.name for option in fields(Rules)}:
        return True
    rules = Rules(**options)
    if not isinstance(rules.max_moves, int) or rules.max_moves < 1:
        return True
    for option in fields(Rules):
        allowed = ALLOWED.get(option.name, (False, True))
        if option.name != "max_moves" and getattr(rules, option.name) not in allowed:
            return True
    if rules.shuffle_redeal and (rules.passes == 1 or rules.undo):
        return True
    if rules.stock_play and rules.stock_view == "down":
        return True
    return rules.held and _is_refused_with_held(rules)


def _is_refused_with_held(rules: Rules) -> bool:
    several = rules.waste_piles > 1
    return several or rules.stock_view != "down" or rules.stock_play or rules.first_deal


def read_deck(deck: list[str]) -> list[str]:
    """The deck with "10h" written "Th"; ValueError unless it is a 52-card pack."""
    cards = ["T" + card[2:] if card.startswith("10") else card for card in deck]
    if sorted(cards) != sorted(rank + suit for rank in RANKS for suit in SUITS):
        raise ValueError(f"not a pack of 52 cards: {deck}")
    return cards


# The table: locations of cards, cards in play, the effect of a DEAL


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


# The removals that are legal, now and after a redeal that shuffles

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
    """The sets of a limited number of removable cards with this total, places descending.

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


# The game

Shuffle = Callable[[list[str]], list[str]]


class Pyramid:
    """One game of Pyramid, played click by click.

    deck: 52 cards in dealing order: pyramid from the top row down, each row from the left,
    then the extra row if there is one, then the stock from its top.
    shuffle: the game's only chance. Called at each redeal under `shuffle_redeal` with the
    cards of the new stock in the order in which the stock would have been without a shuffle
    (the deck's order, after an earlier shuffle that shuffle's order); returns the new order,
    top first. Needed with `shuffle_redeal`, else never called.
    options: those of the rule page, and the most moves a game may take. Raises ValueError for
    options that `refused` refuses, for a deck that is no pack, and for a missing or wrong
    `shuffle`.

    won, lost, truncated: how the game ended, at most one of them True.
    moves: completed removals, deals, redeals and undos.
    picked: places of the half-clicked removal, in click order.
    """

    def __init__(self, deck: list[str], *, shuffle: Shuffle | None = None, **options: Any) -> None:
        if refused(options):
            raise ValueError(f"these options are refused: {options}")
        self._rules = Rules(**options)
        if self._rules.shuffle_redeal and shuffle is None:
            raise ValueError("shuffle_redeal needs a shuffle function")
        self._shuffle = shuffle
        self.won = self.lost = self.truncated = False
        self.moves = 0
        self.picked: list[int] = []
        self._history: list[Position] = []
        self._seen: set[str] = set()  # cards seen in the stock or on the waste
        self._lay_out(read_deck(deck))
        self._settle()

    def _lay_out(self, cards: list[str]) -> None:
        stock_from = 35 if self._rules.extra_row else 28
        extra: list[str | None] = [None] * 7
        if self._rules.extra_row:
            extra = list(cards[28:35])
        self._stock_order = cards[stock_from:]
        self._now = Position(list(cards[:28]), extra, list(self._stock_order))
        if self._rules.first_deal:
            deal(self._now, self._rules)

    # What the game says about itself

    @property
    def over(self) -> bool:
        """Whether the game has ended, for whatever reason."""
        return self.won or self.lost or self.truncated

    @property
    def score(self) -> int:
        """Pyramid cards removed, 0 to 28."""
        return self._now.pyramid.count(None)

    @property
    def passes_used(self) -> int:
        """Passes through the stock begun: 1 at the start, 1 more for each redeal."""
        return self._now.passes_used

    @property
    def held(self) -> str | None:
        """The held card, which is face up and in play at place 38; None if there is none."""
        return self._now.held

    @property
    def stuck(self) -> bool:
        """Whether UNDO alone is legal, or would be if the limit of moves had not ended the game."""
        return not self.won and not self.lost and self._actions_here() == {UNDO}

    def known(self) -> dict[str, list[Any]]:
        """What the player knows: a card, or None for no card or (stock) one not known.

        "pyramid" 28 places, "extra" 7 places, "wastes" three piles from the bottom,
        "stock" from the top, without the card held.
        """
        return {
            "pyramid": list(self._now.pyramid),
            "extra": list(self._now.extra),
            "wastes": [list(pile) for pile in self._now.wastes],
            "stock": [card if card in self._seen else None for card in self._now.stock],
        }

    # What may be done

    def legal(self) -> set[int]:
        """The legal actions; empty when the game is over."""
        return set() if self.over else self._actions_here()

    def _actions_here(self) -> set[int]:
        clicked = tuple(self.picked)
        actions = {
            removal[len(clicked)]
            for removal in self._removals
            if removal[: len(clicked)] == clicked
        }
        if not clicked:
            actions |= self._legal_besides_removals()
        return actions

    def _legal_besides_removals(self) -> set[int]:
        actions = set()
        held_back = self._rules.deal_when == "blocked" and len(self._removals) > 0
        if may_deal(self._now) and not held_back:
            actions.add(DEAL)
        if self._redeal_is_left() and not held_back:
            actions.add(REDEAL)
        if self._history:
            actions.add(UNDO)
        return actions

    def _redeal_is_left(self) -> bool:
        if may_deal(self._now) or not any(self._now.wastes):
            return False
        if self._rules.passes > 0:
            return self._now.passes_used < self._rules.passes
        if self._rules.shuffle_redeal:
            return shuffle_may_help(self._now, self._rules)
        return self._rules.undo or self._now.removal_was_legal

    # What is done

    def step(self, action: int) -> None:
        """Carry out one click, deal, redeal or undo; ValueError if it is not legal."""
        if action not in self.legal():
            raise ValueError(f"illegal action {action}; legal are {sorted(self.legal())}")
        if action <= STOCK_TOP:
            self.picked.append(int(action))
            if tuple(self.picked) not in self._removals:
                return  # the removal is still incomplete
        if action == UNDO:
            self._now = self._history.pop()
        else:
            self._make_move(action)
        self.moves += 1
        self._settle()

    def _make_move(self, action: int) -> None:
        if self._rules.undo:
            self._history.append(copy.deepcopy(self._now))
        if action == DEAL:
            deal(self._now, self._rules)
        elif action == REDEAL:
            self._redeal()
        else:
            self._remove_picked()

    def _remove_picked(self) -> None:
        for place in self.picked:
            if place in PYRAMID:
                self._now.pyramid[place] = None
            elif place in EXTRA:
                self._now.extra[place - EXTRA.start] = None
            elif place in WASTE_TOPS:
                self._now.wastes[place - WASTE_TOPS.start].pop()
            elif self._rules.held:
                self._now.held = None
            else:
                self._now.stock.pop(0)
        self.picked = []

    def _redeal(self) -> None:
        left = [card for pile in self._now.wastes for card in pile]
        stock = [card for card in self._stock_order if card in left]
        if self._rules.shuffle_redeal:
            stock = self._shuffled(stock)
            self._stock_order = list(stock)
            self._seen.clear()  # which cards they are is known, their order is not
        self._now.stock = stock
        self._now.wastes = [[], [], []]
        self._now.passes_used += 1
        self._now.removal_was_legal = False

    def _shuffled(self, cards: list[str]) -> list[str]:
        assert self._shuffle is not None  # __init__ has seen to it
        order = list(self._shuffle(list(cards)))
        if sorted(order) != sorted(cards):
            raise ValueError(f"shuffle made {order} of {cards}")
        return order

    # What follows from each move

    def _settle(self) -> None:
        """After the layout and each completed move: look, remember, see if it is over."""
        self._look()
        self._removals = removals(self._now, self._rules)
        if self._removals:
            self._now.removal_was_legal = True
        self.won = self._is_won()
        self.lost = not self.won and not self.legal()
        self.truncated = not self.won and not self.lost and self._out_of_moves()

    def _look(self) -> None:
        for pile in self._now.wastes:
            self._seen.update(pile)
        if self._now.held is not None:
            self._seen.add(self._now.held)
        if self._rules.stock_view == "all":
            self._seen.update(self._now.stock)
        elif self._rules.stock_view == "top":
            self._seen.update(self._now.stock[:1])

    def _is_won(self) -> bool:
        if any(card is not None for card in self._now.pyramid):
            return False
        now = self._now
        others_left = now.stock or now.held or any(now.wastes) or any(now.extra)
        return not (self._rules.clear_all and others_left)

    def _out_of_moves(self) -> bool:
        return self.moves >= self._rules.max_moves
