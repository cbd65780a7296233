"""Kernels of Seven Twenty-Seven. They do not check that actions are legal, and allocate no memory.

`showdown` divides the pot, and `knowledge` writes the observations of seats. Chips are whole
numbers.
"""

import numpy as np

from ...core.batch import Over, make_batch_kernels
from ...core.kernel.bits import highest, lowest
from ...core.kernel.cards import FIRST_CARD, PACK_SIZE, shuffle
from ...core.kernel.jit import jit
from ...core.kernel.rng import random_below
from ...core.kernel.table import next_seat, wrap_seat
from ...core.schema import DIGIT_BASE, show_options, write_digits
from ...core.type_aliases import Action, RulesRecord, Seat, State
from .knowledge import view
from .rules import (
    ACTIONS,
    CALL,
    CLASSES,
    DECLARE,
    DRAW,
    FACE,
    FOLD,
    LEVELS,
    MINI,
    RAISE,
    ROUNDS,
    STAND,
    Declare,
    Nearness,
    Pack,
    Phase,
    Status,
)
from .showdown import (
    HALF_POINTS,
    LOWEST_BUST,
    class_of,
    finish_hand,
    show_declarations,
    write_ranks,
)

MINI_PACK = np.array(MINI, np.int8)
DRAWS = 1 << DRAW | 1 << STAND
DECLARES = 0b111 << DECLARE
MOST_STANDS = 3
"""Largest number of stands of a seat that is counted."""
BETTING_PHASES = 1 << Phase.BET | 1 << Phase.LAST_BET | 1 << Phase.FIRST_BET | 1 << Phase.AFTER_BET

# ---- bets and the pot -----------------------------------------------------------------------


@jit
def show_pot(s: State, rules: RulesRecord) -> None:
    """Write the chips in the pot to the observation."""
    shown = s["shown"]
    write_digits(shown["pot"], s["pot"])
    antes = s["pot"] if rules.ante == 1 else s["pot"] // rules.ante
    top = highest(antes)
    half = (antes >> (top - 1)) & 1 if top else 0
    shown["antes"] = min(2 * top + half, 2 * DIGIT_BASE)


@jit
def pay_chips(s: State, rules: RulesRecord, seat: Seat, chips: int) -> None:
    """Move chips from a seat to the pot."""
    if chips == 0:
        return
    s["paid"][seat] += chips
    s["staked"][seat] += chips
    s["pot"] += chips
    public = s["seats"][seat]
    write_digits(public["paid"], s["paid"][seat])
    write_digits(public["staked"], s["staked"][seat])
    show_pot(s, rules)


@jit
def is_betting(s: State) -> bool:
    """Return whether the phase is a betting round."""
    return (BETTING_PHASES >> s["phase"]) & 1 != 0


@jit
def is_drawing(s: State) -> bool:
    """Return whether the phase is a round in which seats take cards."""
    return s["phase"] == Phase.ASK or s["phase"] == Phase.DRAWING


@jit
def level_chips(rules: RulesRecord, level: int) -> int:
    """Return the chips of a bet or raise."""
    return rules.min_bet + (rules.max_bet - rules.min_bet) * level // (LEVELS - 1)


@jit
def part_start(low: int, high: int, part: int) -> int:
    """Return the lowest amount of one of the `LEVELS` parts of a range; high + 1 after the last."""
    return low + ((high - low + 1) * part + LEVELS - 1) // LEVELS


@jit
def part_actions(low: int, high: int) -> int:
    """Return the set of actions that choose a part of a range. Empty parts have no action."""
    actions = 0
    for part in range(LEVELS):
        if part_start(low, high, part) < part_start(low, high, part + 1):
            actions |= 1 << (RAISE + part)
    return actions


@jit
def chosen_range(s: State, rules: RulesRecord) -> tuple[int, int]:
    """Return the lowest and the highest amount from which a seat chooses a bet."""
    if s["to_chips"]:
        return s["from_chips"], s["to_chips"]
    return rules.min_bet, rules.max_bet


@jit
def set_range(s: State, low: int, high: int) -> None:
    """Write the range of a bet that is being chosen; 0 and 0 for none."""
    s["from_chips"] = low
    s["to_chips"] = high
    write_digits(s["shown"]["from_chips"], low)
    write_digits(s["shown"]["to_chips"], high)


@jit
def bet_range(s: State, rules: RulesRecord, level: int) -> tuple[int, int]:
    """Return the lowest and the highest amount of a bet or raise action; equal for one amount."""
    if not rules.any_amount:
        chips = level_chips(rules, level)
        return chips, chips
    low, high = chosen_range(s, rules)
    return part_start(low, high, level), part_start(low, high, level + 1) - 1


@jit
def distinct_level_actions(rules: RulesRecord) -> int:
    """Return the set of actions that bet or raise. Of levels with equal chips only the lowest."""
    if rules.any_amount:
        return part_actions(rules.min_bet, rules.max_bet)
    actions, last = 0, 0
    for level in range(LEVELS):
        chips = level_chips(rules, level)
        if chips > last:
            actions |= 1 << (RAISE + level)
        last = chips
    return actions


@jit
def raise_bet(s: State, rules: RulesRecord, seat: Seat, chips: int) -> None:
    """Bet, or call and raise. All other seats still in must answer."""
    if s["high"]:
        s["raises"] += 1
        s["shown"]["raises_left"] = rules.max_raises - s["raises"]
    pay_chips(s, rules, seat, s["high"] - s["staked"][seat] + chips)
    s["high"] = s["staked"][seat]
    s["bettor"] = seat
    s["pending"] = s["live"] & ~(1 << seat)


@jit
def bet_actions(s: State, rules: RulesRecord, seat: Seat) -> int:
    """Return the legal actions of a seat in a betting round."""
    if s["to_chips"]:
        return part_actions(s["from_chips"], s["to_chips"])
    legal = 1 << CALL
    if s["high"] > s["staked"][seat]:
        legal |= 1 << FOLD
        if s["raises"] >= rules.max_raises:
            return legal
    return legal | s["levels"]


# ---- limits of a hand -----------------------------------------------------------------------


@jit
def pack_size(rules: RulesRecord) -> int:
    """Return the number of cards in the deck."""
    return len(MINI_PACK) if rules.pack == Pack.MINI else PACK_SIZE


@jit
def most_draws(rules: RulesRecord) -> int:
    """Return the maximum number of cards that all seats together can take after the deal."""
    stock = pack_size(rules) - rules.players * (1 + rules.start_down)
    return min(stock, rules.players * rules.max_extra) if rules.max_extra else stock


@jit
def most_bet_rounds(rules: RulesRecord) -> int:
    """Return the maximum number of betting rounds in a hand."""
    return 1 + most_draws(rules) + rules.last_bets + rules.bet_first + rules.bets_after


@jit
def left_of_dealer(s: State, rules: RulesRecord) -> int:
    """Return the seat to the dealer's left."""
    return wrap_seat(s["dealer"] + 1, rules.players)


# ---- cards ----------------------------------------------------------------------------------


@jit
def deal_card(s: State, rules: RulesRecord, seat: Seat, face_up: int) -> None:
    """Give a seat the top card of the stock. Cards become known only through this kernel."""
    place = s["next"]
    kind = class_of(s["deck"][place])
    s["next"] = place + 1
    s["owner"][place] = seat + 1
    s["cards"][seat][kind] += 1
    s["low"][seat] += HALF_POINTS[rules.half_tens, kind]
    public = s["seats"][seat]
    if not face_up:
        public["hidden"] += 1
        return
    s["up"] |= 1 << place
    if kind == FACE:
        public["up_faces"] += 1
    else:
        public["up"][kind] += 1


@jit
def remove_seat(s: State, seat: Seat, status: int) -> None:
    """Take a seat out of the hand."""
    s["live"] &= ~(1 << seat)
    s["seats"][seat]["status"] = status


@jit
def draw_card(s: State, rules: RulesRecord, seat: Seat) -> None:
    """Let a seat draw a card, and remove it from the hand if it busts."""
    deal_card(s, rules, seat, rules.draw_up)
    write_ranks(s, rules, seat)
    public = s["seats"][seat]
    s["taken"][seat] += 1
    public["taken"] += 1
    public["drew"][0] = 1
    s["drawn"] = 1
    s["shown"]["stock"] = s["size"] - s["next"]
    if rules.nearness == Nearness.OVER_IS_BUST and s["low"][seat] >= LOWEST_BUST:
        remove_seat(s, seat, Status.BUSTED)


@jit
def can_draw(s: State, rules: RulesRecord, seat: Seat) -> bool:
    """Return whether a seat can take a card."""
    return (
        s["next"] < s["size"]
        and (rules.max_extra == 0 or s["taken"][seat] < rules.max_extra)
        and (rules.max_stands == 0 or s["stands"][seat] < rules.max_stands)
    )


# ---- from phase to phase --------------------------------------------------------------------


@jit
def enter_phase(s: State, rules: RulesRecord, phase: int) -> None:
    """Begin a phase in which all seats still in must act."""
    for seat in range(rules.players):
        if s["staked"][seat]:
            s["staked"][seat] = 0
            write_digits(s["seats"][seat]["staked"], 0)
    s["phase"] = phase
    s["shown"]["phase"] = phase
    s["pending"] = s["live"]
    s["high"] = 0
    s["raises"] = 0
    betting = is_betting(s)
    if rules.rotating_lead and (betting or is_drawing(s)):
        onward = wrap_seat(s["lead"] + (phase == Phase.DRAWING), rules.players)
        s["lead"] = next_seat(s["live"], onward)  # if this seat is out, the next seat still in
    s["shown"]["raises_left"] = rules.max_raises if betting else 0
    if betting:
        s["bettor"] = -1
    elif is_drawing(s):
        s["drawn"] = 0
        for seat in range(rules.players):
            drew = s["seats"][seat]["drew"]
            for k in range(ROUNDS - 1, 0, -1):
                drew[k] = drew[k - 1]
            drew[0] = 0


@jit
def first_seat(s: State, rules: RulesRecord) -> int:
    """Return the seat that acts first in a phase, even if it is not in."""
    if s["phase"] != Phase.DECLARING:
        return s["lead"]
    if rules.declare == Declare.SEQUENTIAL and s["bettor"] >= 0:
        return s["bettor"]
    return left_of_dealer(s, rules)


@jit
def next_phase(s: State, rules: RulesRecord) -> int:
    """Enter the next phase or end the hand, and return the first seat of the phase."""
    phase = s["phase"]
    if phase == Phase.FIRST_BET:
        enter_phase(s, rules, Phase.ASK)
    elif phase == Phase.ASK or (phase == Phase.DRAWING and s["drawn"]):
        enter_phase(s, rules, Phase.BET)
    elif phase == Phase.BET:
        enter_phase(s, rules, Phase.DRAWING)
    elif phase == Phase.DRAWING and rules.last_bets:
        enter_phase(s, rules, Phase.LAST_BET)
    elif phase < Phase.DECLARING and rules.declare != Declare.CARDS_SPEAK:
        enter_phase(s, rules, Phase.DECLARING)
    elif phase == Phase.DECLARING and rules.bets_after:
        show_declarations(s)
        enter_phase(s, rules, Phase.AFTER_BET)
    else:
        enter_phase(s, rules, Phase.OVER)
        finish_hand(s, rules)
    return first_seat(s, rules)


@jit
def advance_to_decision(s: State, rules: RulesRecord, seat: Seat) -> None:
    """Go to the next seat with a choice, from a seat on, through phases and up to the end."""
    if s["live"] & (s["live"] - 1) == 0:
        enter_phase(s, rules, Phase.OVER)
        finish_hand(s, rules)
    while s["over"] == Over.RUNNING:
        draws = is_drawing(s)
        while s["pending"]:
            seat = next_seat(s["pending"], seat)
            if not draws or can_draw(s, rules, seat):
                break
            s["pending"] &= ~(1 << seat)
        if s["pending"]:
            s["turn"] = seat
            declares = s["phase"] == Phase.DECLARING
            s["legal"] = DRAWS if draws else DECLARES if declares else bet_actions(s, rules, seat)
            break
        seat = next_phase(s, rules)
    view(s, rules, s["turn"])


@jit
def step(s: State, rules: RulesRecord, action: Action) -> None:
    """Make an action of the seat to act."""
    seat = s["turn"]
    s["moves"] += 1
    if RAISE <= action < DRAW and rules.any_amount:
        low, high = bet_range(s, rules, action - RAISE)
        set_range(s, low, high)
        if low < high:  # the seat chooses on
            s["legal"] = bet_actions(s, rules, seat)
            view(s, rules, seat)
            return
    s["pending"] &= ~(1 << seat)
    if action == FOLD:
        remove_seat(s, seat, Status.FOLDED)
    elif action == CALL:
        pay_chips(s, rules, seat, s["high"] - s["staked"][seat])
    elif action < DRAW:
        chips = s["from_chips"] if rules.any_amount else level_chips(rules, action - RAISE)
        set_range(s, 0, 0)
        raise_bet(s, rules, seat, chips)
    elif action == DRAW:
        draw_card(s, rules, seat)
    elif action == STAND:
        s["stands"][seat] = min(s["stands"][seat] + 1, MOST_STANDS)
        s["seats"][seat]["stands"] = s["stands"][seat]
    else:
        s["said"][seat] = action - DECLARE + 1
        if rules.declare == Declare.SEQUENTIAL:
            s["seats"][seat]["declared"] = s["said"][seat]
    advance_to_decision(s, rules, seat + 1)


@jit
def fallback_action(s: State, rules: RulesRecord) -> int:
    """Return the action that replaces an illegal one: fold, check, stand or declare 7.

    While a seat chooses the amount of a bet, it is the action with the lowest amounts.
    """
    for action in (FOLD, CALL, STAND, DECLARE):
        if (s["legal"] >> action) & 1:
            return action
    return lowest(s["legal"])


# ---- the deal -------------------------------------------------------------------------------


@jit
def clear_seat(s: State, seat: Seat) -> None:
    """Reset a seat to its state before the deal."""
    s["net"][seat] = 0
    s["paid"][seat] = 0
    s["staked"][seat] = 0
    s["low"][seat] = 0
    s["taken"][seat] = 0
    s["stands"][seat] = 0
    s["said"][seat] = 0
    for kind in range(CLASSES):
        s["cards"][seat][kind] = 0
    public = s["seats"][seat]
    public["status"] = Status.NONE
    for kind in range(FACE):
        public["up"][kind] = 0
    public["up_faces"] = 0
    public["hidden"] = 0
    public["taken"] = 0
    for k in range(ROUNDS):
        public["drew"][k] = 0
    public["stands"] = 0
    write_digits(public["paid"], 0)
    write_digits(public["staked"], 0)
    public["declared"] = 0


@jit
def clear_state(s: State, rules: RulesRecord) -> None:
    """Reset all fields to their values before the deal."""
    s["size"] = pack_size(rules)
    for place in range(PACK_SIZE):
        s["owner"][place] = 0
    for seat in range(max(s["shown"]["players"], rules.players)):  # others are clear
        clear_seat(s, seat)
        if seat >= rules.players:
            s["shown"]["seats"][seat] = s["seats"][seat]
    s["next"] = 0
    s["up"] = 0
    s["pot"] = 0
    s["high"] = 0
    set_range(s, 0, 0)
    s["bettor"] = -1
    s["drawn"] = 0
    s["legal"] = 0


@jit
def deal(s: State, rules: RulesRecord) -> None:
    """Begin a hand with the deck and the dealer in the state."""
    players = rules.players
    clear_state(s, rules)
    show_options(s["shown"], rules)
    s["levels"] = distinct_level_actions(rules)
    s["live"] = (1 << players) - 1
    left = left_of_dealer(s, rules)
    for seat in range(players):
        s["seats"][seat]["status"] = Status.IN
        pay_chips(s, rules, seat, rules.ante)
    for turn in range(1 + rules.start_down):
        for k in range(players):
            deal_card(s, rules, wrap_seat(left + k, players), turn == 0)
    for k in range(players):
        seat = wrap_seat(left + k, players)
        write_ranks(s, rules, seat)
        if (
            rules.nearness == Nearness.OVER_IS_BUST
            and s["low"][seat] >= LOWEST_BUST
            and s["live"] & (s["live"] - 1)
        ):
            remove_seat(s, seat, Status.BUSTED)
    s["shown"]["stock"] = s["size"] - s["next"]
    s["turn"] = left
    s["lead"] = left
    enter_phase(s, rules, Phase.FIRST_BET if rules.bet_first else Phase.ASK)
    advance_to_decision(s, rules, left)


@jit
def new_deck(s: State, rules: RulesRecord) -> None:
    """Draw the dealer, then the deck, with the state's generator."""
    s["dealer"] = random_below(s, rules.players)
    size = pack_size(rules)
    for place in range(PACK_SIZE):
        s["deck"][place] = 0
    for place in range(size):
        s["deck"][place] = FIRST_CARD + place if size == PACK_SIZE else MINI_PACK[place]
    shuffle(s, s["deck"], 0, size)


@jit
def reward_unit(rules: RulesRecord) -> float:
    """Return the unit of a seat's reward in chips, which is the ante."""
    return float(rules.ante)


kernels = make_batch_kernels(
    new_deck, deal, step, ACTIONS, fallback_action=fallback_action, reward_unit=reward_unit
)
