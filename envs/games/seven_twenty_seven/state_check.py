"""Seven Twenty-Seven: validation of states. See `core.checks`.

These parts determine a state: the deck and the owners of its cards, the seats still in, the seat to
act, the phase, the chips paid, and the declarations.
"""

from ...core.batch import Over
from ...core.checks import make_state_check
from ...core.kernel.cards import PACK_SIZE
from ...core.kernel.jit import jit
from ...core.kernel.table import wrap_seat
from ...core.schema import show_options, write_digits
from ...core.type_aliases import RulesRecord, Seat, State
from .kernel import (
    DECLARES,
    DRAWS,
    MOST_STANDS,
    bet_actions,
    can_draw,
    clear_seat,
    deal_card,
    distinct_level_actions,
    first_seat,
    is_betting,
    is_drawing,
    left_of_dealer,
    most_bet_rounds,
    pack_size,
    part_start,
    set_range,
    show_pot,
)
from .knowledge import bust_violation, view
from .rules import (
    ACTIONS,
    CLASSES,
    FACE,
    FEATURES,
    LEVELS,
    ROUNDS,
    SEATS,
    STATE,
    Declare,
    Nearness,
    Phase,
    Status,
)
from .showdown import LOWEST_BUST, finish_hand, write_ranks

ALLOWED = (
    ("dealer", "the number of a seat"),
    ("viewer", "the number of a seat"),
    ("lead", "the first seat of this round, which is at the dealer's left unless it rotates"),
    ("phase", "a phase of the rules, 1 to 7, during the hand; 0 if it is over"),
    ("next", "number of cards dealt plus number of cards taken since"),
    ("owner", "for cards before next, the seat that was dealt or took the card, plus 1; else 0"),
    ("taken", "numbers of cards that the rules allow a seat to take"),
    ("live", "a set of seats without busted seats, two or more during the hand"),
    ("turn", "a seat that is in and, if cards are drawn, may draw"),
    ("stands", "0 to 3, and at most the number that the rules allow"),
    ("said", "the declaration of each seat, 1 to 3, if it has declared; otherwise 0"),
    ("paid", "the ante plus a possible amount of bets; 0 for seats that are not in the game"),
    ("staked", "chips that each seat has bet in this betting round; 0 in other phases"),
    ("high", "the highest stake of this round, at least the cost of its raises"),
    ("raises", "0 to the number of raises that the rules allow; 0 before a bet"),
    ("bettor", "the seat that bet or raised last; -1 for none"),
    ("to_chips", "a range in which any_amount lets a seat choose a bet now; 0 for none"),
    ("seats", "for each seat, at most as many draw rounds with a card as cards taken"),
)
(
    DEALER,
    VIEWER,
    LEAD,
    PHASE,
    NEXT,
    OWNER,
    TAKEN,
    LIVE,
    TURN,
    STANDS,
    SAID,
    PAID,
    STAKED,
    HIGH,
    RAISES,
    BETTOR,
    RANGE,
    DREW,
) = range(1, len(ALLOWED) + 1)


@jit
def is_done(s: State, first: int, seat: Seat, players: int) -> bool:
    """Return whether a seat acts before the seat to act, counted from the first seat."""
    return (seat - first + players) % players < (s["turn"] - first + players) % players


@jit
def first_of_round(s: State, rules: RulesRecord) -> int:
    """Return the seat from which on seats act in this phase, or answer the last bet."""
    if is_betting(s) and s["high"]:
        return wrap_seat(s["bettor"] + 1, rules.players)
    return first_seat(s, rules)


# ---- wrong fields ---------------------------------------------------------------------------


@jit
def find_wrong_phase(s: State, rules: RulesRecord) -> int:
    """Return the number of the wrong field about seats and phase; 0 for none."""
    players, phase, live = rules.players, s["phase"], s["live"]
    if s["dealer"] < 0 or s["dealer"] >= players:
        return DEALER
    if s["viewer"] < 0 or s["viewer"] >= players:
        return VIEWER
    lead, left = s["lead"], left_of_dealer(s, rules)
    if lead < 0 or lead >= players or (lead != left and not rules.rotating_lead):
        return LEAD
    if live <= 0 or live >> players:
        return LIVE
    if phase < Phase.OVER or phase > Phase.AFTER_BET:
        return PHASE
    over = s["over"] == Over.TERMINATED or s["over"] == Over.ENDED_BEFORE_TURN
    if (phase == Phase.OVER) != over:
        return PHASE
    if phase == Phase.LAST_BET and not rules.last_bets:
        return PHASE
    if phase == Phase.DECLARING and rules.declare == Declare.CARDS_SPEAK:
        return PHASE
    if phase == Phase.FIRST_BET and not rules.bet_first:
        return PHASE
    if phase == Phase.AFTER_BET and not rules.bets_after:
        return PHASE
    if over:
        return 0
    if live & (live - 1) == 0:
        return LIVE
    return 0 if (live >> s["turn"]) & 1 else TURN


@jit
def find_wrong_owners(s: State, rules: RulesRecord) -> int:
    """Return the number of the wrong field about the owners of cards; 0 for none."""
    players, size, num_dealt = rules.players, pack_size(rules), s["next"]
    num_at_start = players * (1 + rules.start_down)
    if (
        num_dealt < num_at_start
        or num_dealt > size
        or (s["phase"] == Phase.FIRST_BET and num_dealt > num_at_start)
    ):
        return NEXT
    for place in range(PACK_SIZE):
        owner = s["owner"][place]
        if place < num_at_start:
            if owner != 1 + (s["dealer"] + 1 + place) % players:
                return OWNER
        elif (owner < 1 or owner > players) if place < num_dealt else owner != 0:
            return OWNER
    for seat in range(players):
        taken = 0
        for place in range(num_at_start, num_dealt):
            taken += s["owner"][place] == seat + 1
        if s["taken"][seat] != taken or (rules.max_extra and taken > rules.max_extra):
            return TAKEN
        num_rounds = 0
        for k in range(ROUNDS):
            num_rounds += s["seats"][seat]["drew"][k]
            if s["seats"][seat]["drew"][k] < 0 or s["seats"][seat]["drew"][k] > 1:
                return DREW
        if num_rounds > taken:
            return DREW
    return 0


@jit
def find_wrong_declarations(s: State, rules: RulesRecord) -> int:
    """Return the number of the wrong field about stands and declarations; 0 for none."""
    first = first_of_round(s, rules)
    live = s["live"]
    declares, phase = rules.declare != Declare.CARDS_SPEAK, s["phase"]
    shown = phase == Phase.OVER and live & (live - 1) != 0 and declares
    after = rules.bets_after and (phase == Phase.OVER or phase == Phase.AFTER_BET)
    for seat in range(rules.players):
        stands, said = s["stands"][seat], s["said"][seat]
        if stands < 0 or stands > MOST_STANDS or (rules.max_stands and stands > rules.max_stands):
            return STANDS
        is_in = (live >> seat) & 1 != 0
        done = phase == Phase.DECLARING and is_done(s, first, seat, rules.players)
        must = is_in and (shown or done or phase == Phase.AFTER_BET)
        if said < must or said > 3 * (must or after):
            return SAID
    return 0


@jit
def most_paid(rules: RulesRecord) -> int:
    """Return the maximum number of chips that a seat can pay."""
    return rules.ante + most_bet_rounds(rules) * (1 + rules.max_raises) * rules.max_bet


@jit
def find_wrong_stakes(s: State, rules: RulesRecord) -> int:
    """Return the number of the wrong field about this betting round; 0 for none."""
    high, bettor, betting = s["high"], s["bettor"], is_betting(s)
    if bettor < -1 or bettor >= rules.players or (betting and (bettor >= 0) != (high > 0)):
        return BETTOR
    if high < 0 or (high and not betting):
        return HIGH
    raises = s["raises"]
    if raises < 0 or raises > rules.max_raises or (raises and high == 0):
        return RAISES
    if high < (raises + (high > 0)) * rules.min_bet or high > (raises + 1) * rules.max_bet:
        return HIGH
    if high and (s["staked"][bettor] != high or not (s["live"] >> bettor) & 1):
        return BETTOR
    if high and s["turn"] == bettor:
        return TURN
    first = first_of_round(s, rules)
    for seat in range(rules.players):
        staked = s["staked"][seat]
        if staked < 0 or staked > high:
            return STAKED
        if high and (s["live"] >> seat) & 1:
            done = seat == bettor or is_done(s, first, seat, rules.players)
            if done != (staked == high):
                return STAKED
    return 0


@jit
def is_range_possible(s: State, rules: RulesRecord) -> bool:
    """Return whether the seat to act can be choosing a bet in this range of amounts."""
    if s["from_chips"] == 0 and s["to_chips"] == 0:
        return True
    has_raise = s["high"] == 0 or s["raises"] < rules.max_raises
    if not rules.any_amount or not is_betting(s) or not has_raise:
        return False
    low, high = rules.min_bet, rules.max_bet
    while low < high:
        part = LEVELS - 1
        while part and part_start(low, high, part) > s["from_chips"]:
            part -= 1
        low, high = part_start(low, high, part), part_start(low, high, part + 1) - 1
        if low == s["from_chips"] and high == s["to_chips"]:
            return low < high
    return False


@jit
def find_wrong_chips(s: State, rules: RulesRecord) -> int:
    """Return the number of the wrong field about chips; 0 for none."""
    wrong = find_wrong_stakes(s, rules)
    if wrong:
        return wrong
    if not is_range_possible(s, rules):
        return RANGE
    most = most_paid(rules)
    for seat in range(rules.players):
        if s["paid"][seat] < rules.ante + s["staked"][seat] or s["paid"][seat] > most:
            return PAID
    return 0


@jit
def find_wrong(s: State, rules: RulesRecord) -> int:
    """Return the number of the first invalid field; 0 for none."""
    wrong = find_wrong_phase(s, rules)
    if wrong == 0:
        wrong = find_wrong_owners(s, rules)
    if wrong == 0:
        wrong = find_wrong_chips(s, rules)
    if wrong == 0:
        wrong = find_wrong_declarations(s, rules)
    if wrong == 0 and is_drawing(s) and not can_draw(s, rules, s["turn"]):
        wrong = TURN
    return wrong


# ---- fields that follow from other fields ---------------------------------------------------


@jit
def derive_cards(s: State, rules: RulesRecord) -> None:
    """Deal all cards again to their owners."""
    for seat in range(SEATS):
        for kind in range(CLASSES):
            s["cards"][seat][kind] = 0
        s["low"][seat] = 0
        public = s["seats"][seat]
        for kind in range(FACE):
            public["up"][kind] = 0
        public["up_faces"] = 0
        public["hidden"] = 0
    num_at_start, num_dealt = rules.players * (1 + rules.start_down), s["next"]
    s["up"] = 0
    s["next"] = 0
    for place in range(num_dealt):
        face_up = place < rules.players or (place >= num_at_start and rules.draw_up)
        deal_card(s, rules, s["owner"][place] - 1, face_up)
    for seat in range(rules.players):
        write_ranks(s, rules, seat)


@jit
def derive_busts(s: State, rules: RulesRecord) -> None:
    """With ``over_is_bust``, take busted seats out of the hand, and take back their later cards."""
    for seat in range(rules.players):
        if bust_violation(s, rules, seat):
            if (s["live"] >> seat) & 1:
                s["live"] &= ~(1 << seat)
            else:
                place = s["next"] - 1
                while s["owner"][place] != seat + 1:
                    place -= 1
                s["owner"][place] = 0


@jit
def is_declared_openly(s: State, rules: RulesRecord) -> bool:
    """Return whether declarations are public: with sequential ones, or if all have declared."""
    waits = s["phase"] == Phase.DECLARING or (s["phase"] == Phase.OVER and not rules.bets_after)
    return rules.declare == Declare.SEQUENTIAL or not waits


@jit
def derive_seats(s: State, rules: RulesRecord) -> None:
    """Write the public facts of each seat."""
    busts = rules.nearness == Nearness.OVER_IS_BUST
    s["pot"] = 0
    s["drawn"] = 0
    for seat in range(rules.players):
        public = s["seats"][seat]
        status_out = Status.BUSTED if busts and s["low"][seat] >= LOWEST_BUST else Status.FOLDED
        public["status"] = Status.IN if (s["live"] >> seat) & 1 else status_out
        public["taken"] = s["taken"][seat]
        public["stands"] = s["stands"][seat]
        public["declared"] = s["said"][seat] if is_declared_openly(s, rules) else 0
        write_digits(public["paid"], s["paid"][seat])
        write_digits(public["staked"], s["staked"][seat])
        s["net"][seat] = 0
        s["pot"] += s["paid"][seat]
        s["drawn"] |= public["drew"][0]
    for seat in range(rules.players, SEATS):
        clear_seat(s, seat)
        s["shown"]["seats"][seat] = s["seats"][seat]


@jit
def derive_turn(s: State, rules: RulesRecord) -> None:
    """Write the seats that still must act, and the legal actions."""
    first, betting = first_of_round(s, rules), is_betting(s)
    s["pending"] = 0
    for seat in range(rules.players):
        if not is_done(s, first, seat, rules.players):
            s["pending"] |= 1 << seat
    s["pending"] &= s["live"]
    if betting and s["high"]:
        s["pending"] &= ~(1 << s["bettor"])
    if betting:
        s["legal"] = bet_actions(s, rules, s["turn"])
    else:
        s["legal"] = DRAWS if is_drawing(s) else DECLARES


@jit
def derive(s: State, rules: RulesRecord) -> None:
    """Write the fields that follow from other fields."""
    shown = s["shown"]
    s["size"] = pack_size(rules)
    s["levels"] = distinct_level_actions(rules)
    show_options(s["shown"], rules)
    derive_cards(s, rules)
    derive_seats(s, rules)
    if rules.nearness == Nearness.OVER_IS_BUST:
        derive_busts(s, rules)
    show_pot(s, rules)
    set_range(s, s["from_chips"], s["to_chips"])
    shown["stock"] = s["size"] - s["next"]
    shown["phase"] = s["phase"]
    shown["raises_left"] = rules.max_raises - s["raises"] if is_betting(s) else 0
    s["won"] = 0
    s["score"] = 0
    if s["phase"] == Phase.OVER:
        s["pending"] = s["live"]
        if s["live"]:
            finish_hand(s, rules)
    else:
        s["over"] = Over.RUNNING
        derive_turn(s, rules)
    view(s, rules, s["viewer"])


STATE_CHECK = make_state_check(STATE, FEATURES, ACTIONS, ALLOWED, find_wrong, derive)
