"""Kernels of Higher or Lower. They trust the mask and allocate nothing."""

from parlour.envs.core.batch import Over, make_batch_kernels
from parlour.envs.core.kernel.cards import FIRST_CARD, PACK_SIZE, shuffle, shuffle_pack
from parlour.envs.core.kernel.jit import jit
from parlour.envs.core.schema import show_options
from parlour.envs.core.type_aliases import Action, ActionSet, CardCode, RulesRecord, Seat, State
from tests.example_game.rules import ACE, ACTIONS, GUESSES, HIGHER, KING, LOWER


@jit
def value_of(card: CardCode, rules: RulesRecord) -> int:
    """Return the value of a card, 1 to 13; 2 to 14 if aces are high."""
    value = card >> 2
    return KING + 1 if rules.aces_high and value == ACE else value


@jit
def legal_guesses(card: CardCode, rules: RulesRecord) -> ActionSet:
    """Return the guesses that can be right on a card."""
    value = value_of(card, rules)
    higher = value < KING + rules.aces_high
    lower = value > ACE + rules.aces_high
    return higher << HIGHER | lower << LOWER


@jit
def is_right(before: CardCode, after: CardCode, rules: RulesRecord, action: Action) -> bool:
    """Whether a guess is right, given the cards before and after it."""
    first, second = value_of(before, rules), value_of(after, rules)
    return second > first if action == HIGHER else second < first


@jit
def turn_card_up(s: State) -> None:
    """Turn up the next card: the only place where the player learns about the deck."""
    card = s["deck"][s["next"]]
    s["next"] += 1
    s["shown"]["card"] = card
    s["shown"]["unseen"][(card >> 2) - 1] -= 1


@jit
def write_outcome(s: State, rules: RulesRecord) -> None:
    """Write whether the game is over and won, and the legal guesses."""
    won = s["score"] == rules.target
    over = won or s["shown"]["lives_left"] == 0
    s["won"] = won
    s["over"] = Over.TERMINATED if over else Over.RUNNING
    s["legal"] = 0 if over else legal_guesses(s["shown"]["card"], rules)


@jit
def step(s: State, rules: RulesRecord, action: Action) -> None:
    """Play a guess: turn up the next card and score it."""
    shown = s["shown"]
    before = shown["card"]
    turn_card_up(s)
    s["moves"] += 1
    if is_right(before, shown["card"], rules, action):
        s["score"] += 1
        shown["right"] += 1
    else:
        shown["lives_left"] -= 1
    write_outcome(s, rules)


@jit
def deal(s: State, rules: RulesRecord) -> None:
    """Lay out a game from the deck in the state."""
    shown = s["shown"]
    show_options(shown, rules)
    for value in range(KING):
        shown["unseen"][value] = 4
    shown["right"] = 0
    shown["lives_left"] = rules.lives
    s["next"] = 0
    turn_card_up(s)
    write_outcome(s, rules)


@jit
def fill_deck(s: State, rules: RulesRecord) -> None:
    """Fill the deck from the state's generator."""
    shuffle_pack(s, s["deck"])


@jit
def resample_hidden(s: State, rules: RulesRecord, seat: Seat) -> None:
    """Shuffle the stock; sorting it first removes every trace of its order."""
    seen = 0
    for place in range(s["next"]):
        seen |= 1 << s["deck"][place]
    place = s["next"]
    for card in range(FIRST_CARD, FIRST_CARD + PACK_SIZE):
        if (seen >> card) & 1 == 0:
            s["deck"][place] = card
            place += 1
    shuffle(s, s["deck"], s["next"], PACK_SIZE)


kernels = make_batch_kernels(fill_deck, deal, step, ACTIONS, 1 / GUESSES)
