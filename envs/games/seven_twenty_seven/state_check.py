"""Seven Twenty-Seven: which records are states of a hand. See `core.state_check`.

What says everything are the deck and who owns which card of it, who is still in, whose turn it is
in which phase, what was paid, and what each seat has said.
"""

from ...core.aliases import RulesRecord, State
from ...core.batch import Over
from ...core.checks import make_state_check
from ...core.kernel.cards import PACK_SIZE
from ...core.kernel.jit import jit
from .chips import is_betting, is_drawing
from .derive import derive, first_of_round, is_done
from .kernel import MOST_STANDS, can_draw, left_of_dealer, most_bet_rounds, pack_size
from .rules import ACTIONS, ROUNDS, Declare, Phase
from .state import FEATURES, STATE

ALLOWED = (
    ("dealer", "the number of a seat"),
    ("viewer", "the number of a seat"),
    ("lead", "the seat from which this round begins: at the dealer's left, if it does not rotate"),
    ("phase", "1 to 7 while the hand runs, of those that the rules have, and 0 when it is over"),
    ("next", "the cards dealt, and those taken since"),
    ("owner", "1 more than the seat that each card up to next was dealt to, or taken by, else 0"),
    ("taken", "what the rules allow a seat to take"),
    ("live", "a set of seats, of two or more while the hand runs; who has busted is not in it"),
    ("turn", "a seat that is in and, where cards are drawn, may draw"),
    ("stands", "0 to 3, and not more than the rules allow"),
    ("said", "what each seat has declared, 1 to 3, in its turn; else 0"),
    ("paid", "the ante and what a seat can have bet since; nothing where nobody sits"),
    ("staked", "while bets are made what each seat has bet in this round, else 0"),
    ("high", "the highest stake of this round, not below what so many raises cost"),
    ("raises", "0 to the raises that the rules allow, 0 before a bet"),
    ("bettor", "the seat that bet or raised last, -1 for nobody"),
    ("seats", "of each seat, that it drew as often as it took cards, or in fewer rounds"),
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
    DREW,
) = range(1, len(ALLOWED) + 1)


@jit
def find_wrong_phase(s: State, rules: RulesRecord) -> int:
    """Return what is wrong about seats and phase; 0 for nothing."""
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
    """Return what is wrong about who has which card, and how many; 0 for nothing."""
    players, size, at = rules.players, pack_size(rules), s["next"]
    dealt = players * (1 + rules.start_down)
    if at < dealt or at > size or (s["phase"] == Phase.FIRST_BET and at > dealt):
        return NEXT
    for place in range(PACK_SIZE):
        owner = s["owner"][place]
        if place < dealt:
            if owner != 1 + (s["dealer"] + 1 + place) % players:
                return OWNER
        elif (owner < 1 or owner > players) if place < at else owner != 0:
            return OWNER
    for seat in range(players):
        taken = 0
        for place in range(dealt, at):
            taken += s["owner"][place] == seat + 1
        if s["taken"][seat] != taken or (rules.max_extra and taken > rules.max_extra):
            return TAKEN
        drew = 0
        for k in range(ROUNDS):
            drew += s["seats"][seat]["drew"][k]
            if s["seats"][seat]["drew"][k] < 0 or s["seats"][seat]["drew"][k] > 1:
                return DREW
        if drew > taken:
            return DREW
    return 0


@jit
def find_wrong_words(s: State, rules: RulesRecord) -> int:
    """Return what is wrong about what seats have said; 0 for nothing."""
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
    """The most chips that a seat can pay."""
    return rules.ante + most_bet_rounds(rules) * (1 + rules.max_raises) * rules.max_bet


@jit
def find_wrong_stakes(s: State, rules: RulesRecord) -> int:
    """Return what is wrong about this round of bets; 0 for nothing."""
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
def find_wrong_chips(s: State, rules: RulesRecord) -> int:
    """Return what is wrong about the chips; 0 for nothing."""
    wrong = find_wrong_stakes(s, rules)
    if wrong:
        return wrong
    most = most_paid(rules)
    for seat in range(rules.players):
        if s["paid"][seat] < rules.ante + s["staked"][seat] or s["paid"][seat] > most:
            return PAID
    return 0


@jit
def find_wrong(s: State, rules: RulesRecord) -> int:
    """Return the number of the first field out of its range; 0 for none."""
    wrong = find_wrong_phase(s, rules)
    if wrong == 0:
        wrong = find_wrong_owners(s, rules)
    if wrong == 0:
        wrong = find_wrong_chips(s, rules)
    if wrong == 0:
        wrong = find_wrong_words(s, rules)
    if wrong == 0 and is_drawing(s) and not can_draw(s, rules, s["turn"]):
        wrong = TURN
    return wrong


STATE_CHECK = make_state_check(STATE, FEATURES, ACTIONS, ALLOWED, find_wrong, derive)
