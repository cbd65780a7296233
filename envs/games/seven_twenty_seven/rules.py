"""Seven Twenty-Seven: what is played.

Each of two to ten seats tries to hold cards that total nearly 7, nearly 27 or both: king, queen and
jack count a half, 2 to 10 their number, an ace 1 or 11, chosen for each target. A hand is dealt, a
card is offered once, then rounds of betting and of drawing follow one another until nobody draws.
Half the pot goes to the nearest to 7, half to the nearest to 27.

Totals are in half points: the targets are 14 and 54. Chips are whole numbers. Seats are numbered
around the table, the dealer's is one of them; the seat at the dealer's left is the first in every
round. In an observation seat 0 is the viewer's, the others follow clockwise.

A bet has one of five levels between the limits: a departure from the sources, which allow any
amount.

Sources: 000 the web page from which the rules started; "house": other published pages.
"""

from enum import IntEnum
from typing import Annotated, NamedTuple

from ...core.kernel.cards import full_pack, parse_card
from ...core.options import Option

SEATS = 10
SEVEN, TWENTY_SEVEN = 14, 54
ACE_MORE = 20
"""By how much an ace counts more as 11 than as 1."""
CLASSES = 11
"""Kinds of cards that differ in what they count: ace, 2 to 10, and the three faces together."""
FACE = 10
LEVELS = 5
ROUNDS = 8
"""Draw rounds that are remembered card by card."""
MOST_RAISES = 60
MOST_CHIPS = 1000
"""Of ante and bets: whatever a hand can cost then fits the digits of the observation."""
FAR = 62
"""A total so far from its target, or farther, is shown as that far; one more: it cannot win."""

FOLD, CALL, RAISE, DRAW, STAND, DECLARE = 0, 1, 2, 7, 8, 9
DECLARE_7, DECLARE_27, DECLARE_BOTH = DECLARE, DECLARE + 1, DECLARE + 2
"""CALL is a check where there is nothing to call; RAISE + level bets where nobody has bet."""
ACTIONS = 12
LABELS = (
    "fold",
    "check or call",
    *(f"bet or raise {level}" for level in range(LEVELS)),
    "draw",
    "stand",
    "declare 7",
    "declare 27",
    "declare both",
)


class Nearness(IntEnum):
    """Which of two totals is nearer to a target where that is not plain."""

    NEAREST = 0
    OVER_IS_BUST = 1
    UNDER_BEATS_OVER = 2
    OVER_BEATS_UNDER = 3
    INSIDE_BEATS_OUTSIDE = 4
    OUTSIDE_BEATS_INSIDE = 5


class Declare(IntEnum):
    """Whether the cards speak, or seats say for what they try."""

    CARDS_SPEAK = 0
    SIMULTANEOUS = 1
    SEQUENTIAL = 2


class BothTie(IntEnum):
    """What becomes of a seat that declared both and ties on a side."""

    LOSES = 0
    SHARES = 1


class Pack(IntEnum):
    """Which cards are played with."""

    FULL = 0
    MINI = 1


class Phase(IntEnum):
    """Where a hand stands."""

    OVER = 0
    ASK = 1
    BET = 2
    DRAWING = 3
    LAST_BET = 4
    DECLARING = 5
    FIRST_BET = 6
    AFTER_BET = 7


class Status(IntEnum):
    """What has become of a seat."""

    NONE = 0
    IN = 1
    FOLDED = 2
    BUSTED = 3


class Rules(NamedTuple):
    """The options of Seven Twenty-Seven; the defaults are those all variants differ from."""

    players: Annotated[int, Option("seats; the game is for 4–10", 2, SEATS)] = 4
    ante: Annotated[int, Option("chips that each seat pays for the deal", 1, MOST_CHIPS)] = 1
    min_bet: Annotated[int, Option("lowest bet or raise, in chips", 1, MOST_CHIPS)] = 1
    max_bet: Annotated[int, Option("highest bet or raise, in chips", 1, MOST_CHIPS)] = 5
    max_raises: Annotated[
        int,
        Option(
            "raises in one round, the opening bet not among them: 3 is a house rule, 60 is as "
            "good as no limit",
            0,
            MOST_RAISES,
        ),
    ] = 3
    start_down: Annotated[int, Option("hidden cards at the start", 1, 2)] = 1
    draw_up: Annotated[bool, Option("cards taken later lie face up")] = False
    nearness: Annotated[
        Nearness,
        Option(
            "nearest: only the distance counts; over_is_bust: a total above 7 cannot win that "
            "half, one above 27 nothing, and who cannot stay at 27 is out; the others decide "
            "between equal distances: below, above, between 7 and 27, or not between them"
        ),
    ] = Nearness.NEAREST
    declare: Annotated[
        Declare, Option("whether seats say for which half they try, together or one by one")
    ] = Declare.CARDS_SPEAK
    max_extra: Annotated[int, Option("cards that a seat may take in all; 0: any number", 0, 9)] = 0
    max_stands: Annotated[
        int, Option("after so many stands a seat may draw no more (house); 0: never", 0, 3)
    ] = 0
    last_bets: Annotated[
        bool, Option("one more round of bets after the round in which nobody drew (house)")
    ] = False
    half_tens: Annotated[bool, Option("tens count a half (house)")] = False
    pack: Annotated[Pack, Option("full: 52 cards; mini: ace, 5 and 10, twice each")] = Pack.FULL
    bet_first: Annotated[
        bool, Option("a round of bets before the first card is offered (house)", is_later=True)
    ] = False
    rotating_lead: Annotated[
        bool,
        Option(
            "who is first to draw and to bet moves on a seat with each round (house)", is_later=True
        ),
    ] = False
    perfect: Annotated[
        bool, Option("5-A-A takes the whole pot; several share it (house)", is_later=True)
    ] = False
    bets_after: Annotated[
        bool, Option("a round of bets after the declarations (house)", is_later=True)
    ] = False
    both_tie: Annotated[
        BothTie,
        Option(
            "a seat that declared both, is beaten on neither side and ties on one: loses, or "
            "shares that half (house)",
            is_later=True,
        ),
    ] = BothTie.LOSES


DEFAULT = "home"
"""The variant played when none is named."""

VARIANTS = {
    "home": Rules(),
    "no-cap": Rules(max_raises=MOST_RAISES),
    "sarrett": Rules(rotating_lead=True, perfect=True),
    "six": Rules(players=6),
    "ten": Rules(players=10),
    "bust": Rules(nearness=Nearness.OVER_IS_BUST),
    "low-wins-ties": Rules(nearness=Nearness.UNDER_BEATS_OVER),
    "declare": Rules(declare=Declare.SIMULTANEOUS),
    "open-cards": Rules(draw_up=True),
    "three-card": Rules(start_down=2),
    "mini": Rules(players=2, max_bet=1, max_raises=1, max_extra=1, pack=Pack.MINI),
}
"""The rules that have a name, by that name."""
SOURCES = {
    **dict.fromkeys(VARIANTS, "000"),
    "home": "000; three raises a round are a house rule",
    "sarrett": "the page that 000 cites",
    "mini": "this project: small enough for exact equilibria",
}
REFERENCES = {
    "000": "the web page from which the rules started",
    "house": "rules that other published pages give",
}
"""What the short names in SOURCES and in the options stand for."""

MINI = tuple(parse_card(card) for card in ("Ac", "Ad", "5c", "5d", "Tc", "Td"))


def check(rules: Rules) -> None:
    """Raise ValueError for options that do not go together, naming them."""
    if rules.max_bet < rules.min_bet:
        raise ValueError(
            f"option max_bet={rules.max_bet}: allowed are {rules.min_bet}–{MOST_CHIPS}, "
            f"for min_bet={rules.min_bet}"
        )
    dealt, there = rules.players * (1 + rules.start_down), len(pack(rules))
    if dealt > there:
        raise ValueError(
            f"option pack={rules.pack.name.lower()}: {there} cards are too few for "
            f"players={rules.players} with start_down={rules.start_down}: {dealt} are dealt"
        )
    if rules.bets_after and rules.declare == Declare.CARDS_SPEAK:
        raise ValueError(
            "bets_after needs declarations: allowed are declare simultaneous or sequential"
        )


def pack(rules: Rules) -> tuple[int, ...]:
    """Return the codes of the cards played with. Of the mini pack only the ranks matter."""
    return MINI if rules.pack == Pack.MINI else full_pack(rules)


def label(action: int) -> str:
    """Name an action: ``"fold"``, ``"bet or raise 0"`` (the lowest level) and so on."""
    if not 0 <= action < ACTIONS:
        raise ValueError(f"action {action}: Seven Twenty-Seven has actions 0 to {ACTIONS - 1}")
    return LABELS[action]
