"""Twenty-Eight and Twenty-Nine: tricks with trumps that may still be secret."""

from ...core.aliases import Places, RulesRecord, Seat, State
from ...core.kernel.jit import jit
from ...core.legal import add_action, add_members
from ...core.seating import next_seat
from ...core.tricks.tricks import NO_SUIT, card_strength, suit_set
from .auction import return_card, side_of
from .rules import ASK, KING, QUEEN, RANK_POINTS, RANKS, SHOW, Ask, Force
from .state import NO_TRUMP_YET, NONE, REVERSED

SUITS = 4


@jit
def trump_suit(s: State) -> int:
    """The suit that is trumps, known or not; `NO_SUIT` where none is."""
    made = s["made"]
    return made - 1 if NO_TRUMP_YET < made < NONE else NO_SUIT


@jit
def show_trumps(s: State) -> None:
    """Let all know what trumps are; a card that makes them comes back for all to see."""
    shown = s["shown"]
    if s["card"]:
        s["seen"][s["maker"]] |= 1 << (s["card"] - 1)
        return_card(s)
    shown["trumps_shown"] = 1
    shown["shown_trick"] = 1 + s["tricks"]
    shown["shown_after"] = s["size"]


@jit
def in_force(s: State, rules: RulesRecord, place: int) -> bool:
    """Whether trumps are in force for the card at a place of this trick."""
    shown = s["shown"]
    if not shown["trumps_shown"]:
        return False
    if shown["shown_trick"] <= s["tricks"] or rules.force == Force.WHOLE:
        return True
    return place >= shown["shown_after"]


@jit
def is_turned(s: State, rules: RulesRecord) -> bool:
    """Whether a ranking that is turned over holds in this trick."""
    shown = s["shown"]
    if not shown["trumps_shown"]:
        return False
    return shown["shown_trick"] <= s["tricks"] or rules.force == Force.WHOLE


@jit
def strength_at(s: State, rules: RulesRecord, place: int) -> int:
    """What the card at a place of this trick is worth in it."""
    trick = s["shown"]["trick"]
    force = in_force(s, rules, place)
    trumps = trump_suit(s) if force else NO_SUIT
    reverse = s["made"] == REVERSED and is_turned(s, rules)
    return card_strength(trick[place] - 1, (trick[0] - 1) // RANKS, trumps, RANKS, reverse)


@jit
def top_of_trick(s: State, rules: RulesRecord) -> tuple[Seat, int]:
    """Who takes this trick, as far as it was played, and how strong the best card is (-1: none)."""
    best, seat = -1, s["leader"]
    winner = seat
    for place in range(s["size"]):
        strength = strength_at(s, rules, place)
        if strength > best:
            best, winner = strength, seat
        seat = next_seat(s["playing"], seat + 1)
    return winner, best


@jit
def winner_of_trick(s: State, rules: RulesRecord) -> Seat:
    """Who takes this trick, as far as it has been played."""
    return top_of_trick(s, rules)[0]


@jit
def highest_trump(s: State, rules: RulesRecord) -> int:
    """The highest rank of a trump in force in this trick; -1: there is none."""
    best, trumps = -1, trump_suit(s)
    for place in range(s["size"]):
        card = s["shown"]["trick"][place] - 1
        if in_force(s, rules, place) and card // RANKS == trumps:
            best = max(best, card % RANKS)
    return best


@jit
def beating_trumps(s: State, rules: RulesRecord) -> int:
    """The set of all trumps that beat those in this trick."""
    return suit_set(trump_suit(s), RANKS) & ~(
        ((1 << (highest_trump(s, rules) + 1)) - 1) << (max(trump_suit(s), 0) * RANKS)
    )


@jit
def can_ask(s: State) -> bool:
    """Whether trumps are there to be asked for."""
    return s["alone"] < 0 and not s["shown"]["trumps_shown"]


@jit
def lead_cards(s: State, seat: Seat) -> int:
    """The cards that a seat may lead: of the bidder no trumps while they are secret, if it can."""
    hand = s["hands"][seat]
    if seat == s["bidder"] and can_ask(s):
        others = hand & ~suit_set(trump_suit(s), RANKS)
        if others:
            return others
    return hand


@jit
def loose_cards(s: State, rules: RulesRecord, seat: Seat) -> int:
    """The cards that a seat may play which cannot follow suit."""
    hand = s["hands"][seat]
    if not s["shown"]["trumps_shown"]:
        return 0 if can_ask(s) and rules.ask == Ask.MUST and seat != s["bidder"] else hand
    trumps = hand & suit_set(trump_suit(s), RANKS)
    allowed = hand
    if s["shown"]["must_trump"] and trumps:
        allowed = trumps
    if rules.overtrump:
        beating = trumps & beating_trumps(s, rules)
        if beating:
            allowed &= beating | ~trumps
    return allowed


@jit
def pair_of(suit: int) -> int:
    """The set of king and queen of a suit."""
    return (1 << KING | 1 << QUEEN) << (suit * RANKS)


@jit
def may_show_pair(s: State, rules: RulesRecord, seat: Seat) -> bool:
    """Whether a seat may show king and queen of trumps."""
    suit = trump_suit(s)
    if not rules.pair or s["pair_by"] >= 0 or not s["shown"]["trumps_shown"] or suit == NO_SUIT:
        return False
    if s["hands"][seat] & pair_of(suit) != pair_of(suit):
        return False
    side = side_of(rules, seat)
    for trick in range(s["shown"]["shown_trick"] - 1, s["tricks"]):
        if (side >> (s["taken_by"][trick] - 1)) & 1:
            return True
    return False


@jit
def cannot_follow(s: State, seat: Seat) -> bool:
    """Whether a seat has no card of the suit led; nobody leads."""
    led = suit_set((s["shown"]["trick"][0] - 1) // RANKS, RANKS)
    return s["hands"][seat] & led == 0


@jit
def playable_cards(s: State, rules: RulesRecord, seat: Seat) -> Places:
    """The cards that a seat may play; none where it must ask for trumps first."""
    if s["size"] == 0:
        return lead_cards(s, seat)
    led = suit_set((s["shown"]["trick"][0] - 1) // RANKS, RANKS)
    own = s["hands"][seat] & led
    return own if own else loose_cards(s, rules, seat)


@jit
def may_ask(s: State, seat: Seat) -> bool:
    """Whether a seat may ask for trumps."""
    return s["size"] > 0 and can_ask(s) and cannot_follow(s, seat)


@jit
def add_cards(s: State, rules: RulesRecord) -> None:
    """Write what the seat at turn may play, ask and show."""
    seat, legal = s["turn"], s["legal"]
    add_members(legal, playable_cards(s, rules, seat))
    if may_ask(s, seat):
        add_action(legal, ASK)
    if may_show_pair(s, rules, seat):
        add_action(legal, SHOW)


@jit
def ask_for_trumps(s: State, rules: RulesRecord) -> None:
    """Let the seat at turn, which cannot follow suit, have trumps shown."""
    s["asker"] = s["turn"]
    show_trumps(s)
    s["shown"]["must_trump"] = rules.asker_trumps and trump_suit(s) != NO_SUIT


@jit
def play_card(s: State, card: int) -> None:
    """Put a card of the seat at turn into the trick."""
    seat, shown = s["turn"], s["shown"]
    shown["must_trump"] = 0
    s["hands"][seat] &= ~(1 << card)
    shown["trick"][s["size"]] = 1 + card
    s["size"] += 1


@jit
def take_trick(s: State, rules: RulesRecord, last: bool) -> None:
    """Give a full trick to who has won it, who leads the next."""
    give_trick(s, rules, winner_of_trick(s, rules), last)


@jit
def give_trick(s: State, rules: RulesRecord, winner: Seat, last: bool) -> int:
    """Give a full trick to a seat, which leads the next; return its points."""
    shown = s["shown"]
    points = rules.last_trick if last else 0
    for place in range(s["size"]):
        points += RANK_POINTS[(shown["trick"][place] - 1) % RANKS]
        shown["trick"][place] = 0
    public = s["seats"][winner]
    public["points"] += points
    public["tricks"] += 1
    s["taken_by"][s["tricks"]] = 1 + winner
    s["tricks"] += 1
    s["size"] = 0
    s["leader"] = winner
    return points
