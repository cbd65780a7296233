"""Fifty-Six: packs, points and the numbers of the actions. Used by `fifty_six`, in whose header
the readings are listed.
"""

RANKS = "78QKTA9J"  # from the weakest to the strongest
SUITS = "cdhs"
POINTS = {"J": 3, "9": 2, "A": 1, "T": 1, "K": 0, "Q": 0, "8": 0, "7": 0}
CARDS = [rank + suit for suit in SUITS for rank in RANKS]  # by their actions, 0 to 31

LOWEST, HIGHEST = 28, 56
NUMBERS = {32 + number - LOWEST: number for number in range(LOWEST, HIGHEST + 1)}
NO_TRUMPS = "n"
STRAINS = {61: "c", 62: "d", 63: "h", 64: "s", 65: NO_TRUMPS}
PASS, DOUBLE, REDOUBLE, ASK = 66, 67, 68, 69
STRAINS_FIRST = {70: "c", 71: "d", 72: "h", 73: "s", 74: NO_TRUMPS}
KEEPING = {75: "plus", 76: "noes", 77: "pass"}  # forms that keep the strain

AT_A_TIME = 4  # cards dealt to a seat; three where six are dealt in all


def card_action(card: str) -> int:
    """The action that plays this card, or lays it down."""
    return CARDS.index(card)


def card_actions(cards: list[str]) -> set[int]:
    """The actions that play these cards."""
    return {card_action(card) for card in cards}


def number_action(number: int) -> int:
    """The action that bids this number."""
    return 32 + number - LOWEST


def points(cards: list[str]) -> int:
    """The card points of these cards."""
    return sum(POINTS[card[0]] for card in cards)


def of_suit(cards: list[str], suit: str | None) -> list[str]:
    """Those of the cards that are of this suit; none if there is no such suit."""
    return [card for card in cards if card[1] == suit]


def ranks_in_play(players: int, small_pack: bool, six_each: bool = False) -> str:
    """The ranks of the pack, from the weakest to the strongest."""
    if players == 8 and not six_each:
        return RANKS
    if players == 4 and small_pack:
        return "TA9J"
    return "QKTA9J"


def full_pack(players: int, small_pack: bool, six_each: bool = False) -> list[str]:
    """Every card of the pack, each twice."""
    ranks = ranks_in_play(players, small_pack, six_each)
    return [card for card in CARDS if card[0] in ranks for _ in range(2)]


def deal(deck: list[str], players: int) -> list[list[str]]:
    """The hands in the order of dealing, the first speaker's first: four cards to each in turn.

    Where each gets six, three cards at a time.
    """
    hands: list[list[str]] = [[] for _ in range(players)]
    size = 3 if len(deck) == 6 * players else AT_A_TIME
    packets = [deck[at : at + size] for at in range(0, len(deck), size)]
    for at, packet in enumerate(packets):
        hands[at % players] += packet
    return hands
