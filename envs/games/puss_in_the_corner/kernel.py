"""Kernels of Puss in the Corner. They do not check that actions are legal."""

from ...core.batch import Over, make_batch_kernels
from ...core.kernel.cards import PACK_SIZE, shuffle
from ...core.kernel.jit import jit
from ...core.schema import show_options
from ...core.type_aliases import Action, CardCode, RulesRecord, State
from .rules import (
    ACES,
    ACTIONS,
    BUILT,
    CARDS,
    DEAL,
    END,
    FIRST,
    FOUNDATION,
    GATHER,
    PACKET,
    PILE,
    PILES,
    PLACE,
    PLAY,
    REDEAL,
    SEVEN,
    STOCK,
    TURNED,
    UNSEEN,
    packet_piles,
)

ALL_PLACES = (1 << PILES) - 1
piles_of_packet = jit(packet_piles)


@jit
def find_foundation(s: State, rules: RulesRecord, card: CardCode) -> int:
    """Return the lowest-numbered foundation that a card fits; -1 for none or for no card (0)."""
    suit = card & 3
    for foundation in range(ACES):
        is_same_color = foundation == ACES - 1 - suit and not rules.suits
        next_value = s["shown"]["foundations"][foundation] + 1
        if (foundation == suit or is_same_color) and next_value == card >> 2:
            return foundation
    return -1


@jit
def playable_tops(s: State, rules: RulesRecord) -> int:
    """Return the set of PLAY actions of all piles whose top card fits a foundation."""
    actions = 0
    for pile in range(PILES):
        top = s["shown"]["tops"][pile]
        if top and find_foundation(s, rules, top) >= 0:
            actions |= 1 << (PLAY + pile)
    return actions


@jit
def record_place(s: State, card: CardCode, where: int, order: int) -> None:
    """Record the location of a card. Cards become known only through this kernel."""
    s["shown"]["where"][card - FIRST] = where
    s["shown"]["order"][card - FIRST] = order


@jit
def build_foundation(s: State, rules: RulesRecord, card: CardCode) -> None:
    """Put a card on the foundation that it fits."""
    s["shown"]["foundations"][find_foundation(s, rules, card)] = card >> 2
    record_place(s, card, BUILT, 0)
    s["score"] += 1


@jit
def put_on_pile(s: State, pile: int, card: CardCode) -> None:
    """Put a card on a reserve pile."""
    s["pile"][pile][s["count"][pile]] = card
    s["count"][pile] += 1
    s["shown"]["tops"][pile] = card
    record_place(s, card, PILE + pile, s["count"][pile])


@jit
def take_from_pile(s: State, pile: int) -> int:
    """Take the top card off a reserve pile and return it."""
    s["count"][pile] -= 1
    height = s["count"][pile]
    card = s["pile"][pile][height]
    s["pile"][pile][height] = 0
    s["shown"]["tops"][pile] = s["pile"][pile][height - 1] if height else 0
    return card


@jit
def packet_actions(s: State) -> int:
    """Return the set of legal PACKET actions: any two piles with cards, once after a seven."""
    actions = 0
    if s["shown"]["packet_left"]:
        for action in range(PACKET, ACTIONS):
            pile, other = piles_of_packet(action)
            if s["count"][pile] and s["count"][other]:
                actions |= 1 << action
    return actions


@jit
def card_actions(s: State, rules: RulesRecord) -> int:
    """Return the set of legal actions while a card is turned up."""
    actions = ALL_PLACES << PLACE | packet_actions(s)
    if rules.direct and find_foundation(s, rules, s["shown"]["card"]) >= 0:
        actions |= 1 << FOUNDATION
    return actions


@jit
def show_next(s: State, rules: RulesRecord) -> None:
    """Show the top card of the stock if it is face up."""
    shown = s["shown"]
    shown["next_card"] = 0
    if rules.next_open and shown["stock_count"]:
        card = s["deck"][s["next"]]
        shown["next_card"] = card
        if shown["where"][card - FIRST] == UNSEEN:
            record_place(s, card, STOCK, 0)


@jit
def turn_card(s: State, rules: RulesRecord) -> None:
    """Turn up the top card of the stock."""
    card = s["deck"][s["next"]]
    s["next"] += 1
    s["shown"]["stock_count"] -= 1
    s["shown"]["card"] = card
    s["shown"]["packet_left"] = rules.sevens and card >> 2 == SEVEN
    record_place(s, card, TURNED, 0)
    show_next(s, rules)
    s["legal"] = card_actions(s, rules)


@jit
def begin_group(s: State, rules: RulesRecord) -> None:
    """Turn up the first card of a group. The last group may have fewer cards."""
    s["shown"]["group_left"] = min(rules.deal_size, s["shown"]["stock_count"])
    turn_card(s, rules)


@jit
def turn_piles_over(s: State, rules: RulesRecord) -> None:
    """Make the gathered piles the stock. In the deck, cards on foundations follow the stock."""
    shown = s["shown"]
    place = 0
    for turn_of in range(1, PILES + 1):
        for pile in range(PILES):
            if shown["gathered"][pile] == turn_of:
                for i in range(s["count"][pile]):
                    card = s["pile"][pile][i]
                    s["pile"][pile][i] = 0
                    s["deck"][place] = card
                    place += 1
                    record_place(s, card, STOCK, place)
    shown["stock_count"] = place
    for card in range(CARDS):
        if shown["where"][card] == BUILT:
            s["deck"][place] = FIRST + card
            place += 1
    for pile in range(PILES):
        s["count"][pile] = 0
        shown["tops"][pile] = 0
        shown["gathered"][pile] = 0
    s["gathered"] = 0
    s["next"] = 0
    shown["redeals_left"] -= 1
    begin_group(s, rules)


@jit
def gather(s: State, rules: RulesRecord) -> None:
    """Let the player gather piles while there is a choice, then turn the packet over."""
    shown = s["shown"]
    left = several = last = 0
    for pile in range(PILES):
        if s["count"][pile] and not shown["gathered"][pile]:
            several = left
            left |= 1 << (GATHER + pile)
            last = pile
            if not rules.choose_pickup:
                s["gathered"] += 1
                shown["gathered"][pile] = s["gathered"]
    if rules.choose_pickup:
        if several:
            s["legal"] = left
            return
        s["gathered"] += 1
        shown["gathered"][last] = s["gathered"]
    turn_piles_over(s, rules)


@jit
def lay_packet(s: State, pile: int, other: int) -> None:
    """Move the cards of a pile onto another pile in unchanged order."""
    high = s["count"][pile]
    s["count"][pile] = 0
    s["shown"]["tops"][pile] = 0
    for place in range(high):
        card = s["pile"][pile][place]
        s["pile"][pile][place] = 0
        put_on_pile(s, other, card)
    s["shown"]["packet_left"] = 0


@jit
def finish_group(s: State, rules: RulesRecord) -> None:
    """Continue after a group: let the player choose, deal the next group, or end the game."""
    shown = s["shown"]
    shown["card"] = 0
    legal = playable_tops(s, rules)
    packets = packet_actions(s)
    s["legal"] = 0
    if s["score"] == PACK_SIZE:
        s["won"] = 1
        s["over"] = Over.TERMINATED
    elif legal and not rules.hold_back:
        s["legal"] = legal
    elif shown["stock_count"]:
        if rules.hold_back:
            s["legal"] = legal | packets | 1 << DEAL
        else:
            begin_group(s, rules)
    elif shown["redeals_left"]:
        if rules.hold_back:
            s["legal"] = legal | packets | 1 << REDEAL
        else:
            gather(s, rules)
    elif legal:
        s["legal"] = legal | packets | 1 << END
    else:
        s["over"] = Over.TERMINATED


@jit
def step(s: State, rules: RulesRecord, action: Action) -> None:
    """Make a legal action."""
    shown = s["shown"]
    s["moves"] += 1
    if action < PLAY or action == FOUNDATION:
        if action == FOUNDATION:
            build_foundation(s, rules, shown["card"])
        else:
            put_on_pile(s, action - PLACE, shown["card"])
        shown["group_left"] -= 1
        if shown["group_left"]:
            turn_card(s, rules)
        else:
            finish_group(s, rules)
    elif action < FOUNDATION:
        build_foundation(s, rules, take_from_pile(s, action - PLAY))
        finish_group(s, rules)
    elif action == DEAL:
        begin_group(s, rules)
    elif action == END:
        s["legal"] = 0
        s["over"] = Over.TERMINATED
    elif action >= PACKET:
        pile, other = piles_of_packet(action)
        lay_packet(s, pile, other)
        if shown["card"]:
            s["legal"] = card_actions(s, rules)
        else:
            finish_group(s, rules)
    else:
        if action >= GATHER:
            s["gathered"] += 1
            shown["gathered"][action - GATHER] = s["gathered"]
        gather(s, rules)


@jit
def deal(s: State, rules: RulesRecord) -> None:
    """Begin a game with the deck in the state."""
    shown = s["shown"]
    show_options(shown, rules)
    for pile in range(PILES):
        s["count"][pile] = 0
        shown["tops"][pile] = 0
        shown["gathered"][pile] = 0
        shown["foundations"][pile] = 1
        for i in range(CARDS):
            s["pile"][pile][i] = 0
    for card in range(CARDS):
        shown["where"][card] = UNSEEN
        shown["order"][card] = 0
    shown["stock_count"] = CARDS
    shown["redeals_left"] = rules.redeals
    s["gathered"] = 0
    s["next"] = 0
    s["score"] = ACES
    begin_group(s, rules)


@jit
def new_deck(s: State, rules: RulesRecord) -> None:
    """Shuffle a new deck with the state's generator."""
    for card in range(CARDS):
        s["deck"][card] = FIRST + card
    shuffle(s, s["deck"], 0, CARDS)


kernels = make_batch_kernels(new_deck, deal, step, ACTIONS, 1 / PACK_SIZE)
