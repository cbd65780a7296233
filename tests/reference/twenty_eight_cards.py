"""Twenty-Eight: packs, points and the numbers of the actions. Used by `twenty_eight`, in whose
header the readings are listed.
"""

RANKS = "678QKTA9J"  # from the weakest to the strongest
SUITS = "cdhs"
POINTS = {"J": 3, "9": 2, "A": 1, "T": 1, "K": 0, "Q": 0, "8": 0, "7": 0, "6": 0}
ALL_POINTS = 28  # without the last trick
CARDS = [rank + suit for suit in SUITS for rank in RANKS]  # by their actions, 0 to 35

LOWEST_BID, HIGHEST_BID = 12, 29
BIDS = {36 + number - LOWEST_BID: number for number in range(LOWEST_BID, HIGHEST_BID + 1)}
PASS, DOUBLE, REDOUBLE, ASK, SHOW, SINGLE = 54, 55, 56, 57, 58, 59
SUIT_ACTIONS = {60: "c", 61: "d", 62: "h", 63: "s"}
SEVENTH, NO_TRUMPS, REVERSED, REDEAL, SET = 64, 65, 66, 67, 68

PACK = {3: "QKTA9J", 4: "78QKTA9J", 6: RANKS}  # the ranks by the number of players
FIRST_CARDS = {3: 4, 4: 4, 6: 6}  # cards of a seat before the auction
SEVENTH_AT = 6  # where the third of the second four lies in a hand as dealt


def card_action(card: str) -> int:
    """The action that plays this card, or lays it down."""
    return CARDS.index(card)


def card_actions(cards: list[str]) -> set[int]:
    """The actions that play these cards."""
    return {card_action(card) for card in cards}


def bid_action(number: int) -> int:
    """The action that bids this number."""
    return 36 + number - LOWEST_BID


def points(cards: list[str]) -> int:
    """The card points of these cards."""
    return sum(POINTS[card[0]] for card in cards)


def of_suit(cards: list[str], suit: str | None) -> list[str]:
    """Those of the cards that are of this suit; none if there is no such suit."""
    return [card for card in cards if card[1] == suit]


def full_pack(players: int) -> list[str]:
    """Every card of the pack."""
    return [card for card in CARDS if card[0] in PACK[players]]


def deal(deck: list[str], players: int) -> list[tuple[list[str], list[str]]]:
    """The first and the second cards of each seat in the order of dealing, first speaker first.

    Two lists of four; of six and none with 6 players.
    """
    size = FIRST_CARDS[players]
    packets = [deck[at : at + size] for at in range(0, len(deck), size)]
    if len(packets) == players:
        return [(packet, []) for packet in packets]
    return list(zip(packets[:players], packets[players:], strict=True))


def is_same_side(players: int, one: int, other: int) -> bool:
    """Whether two seats are of one side; of three players each is a side of its own."""
    return one == other if players == 3 else (one - other) % 2 == 0
