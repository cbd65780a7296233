"""Check of state records of Higher or Lower. See `envs/core/checks.py`.

Three fields determine a state: the deck, ``next``, and the number of right guesses.
"""

from parlour.envs.core.checks import make_state_check
from parlour.envs.core.kernel.bits import count
from parlour.envs.core.kernel.jit import jit
from parlour.envs.core.schema import show_options
from parlour.envs.core.type_aliases import RulesRecord, State
from tests.example_game.kernel import legal_guesses, value_of, write_outcome
from tests.example_game.rules import ACTIONS, FEATURES, GUESSES, KING, STATE

ALLOWED = (
    ("next", "1 to 52"),
    ("shown.right", "a number that the cards turned up allow"),
)
NEXT, RIGHT = 1, 2


@jit
def could_be(s: State, rules: RulesRecord, place: int, right: int) -> bool:
    """Whether a guess on a card of the deck can have been right (1) or wrong (0)."""
    before, after = s["deck"][place], s["deck"][place + 1]
    if value_of(before, rules) == value_of(after, rules):
        return right == 0
    return right == 1 or count(legal_guesses(before, rules)) == 2


@jit
def could_end(s: State, rules: RulesRecord, guesses: int, right: int, last: int) -> bool:
    """Whether ``right`` of the guesses can have been right, the last one being right or not."""
    least = most = 0
    for place in range(guesses - 1):
        least += not could_be(s, rules, place, 0)
        most += could_be(s, rules, place, 1)
    earlier = right - last
    running = earlier < rules.target and guesses - 1 - earlier < rules.lives
    return running and least <= earlier <= most and could_be(s, rules, guesses - 1, last)


@jit
def find_wrong(s: State, rules: RulesRecord) -> int:
    """Return the number of the first field out of its range; 0 for none."""
    guesses, right = s["next"] - 1, s["shown"]["right"]
    if guesses < 0 or guesses > GUESSES:
        return NEXT
    if guesses == 0:
        return RIGHT if right else 0
    for last in range(2):
        if could_end(s, rules, guesses, right, last):
            return 0
    return RIGHT


@jit
def derive(s: State, rules: RulesRecord) -> None:
    """Write all fields that follow from the others."""
    shown = s["shown"]
    show_options(shown, rules)
    for value in range(KING):
        shown["unseen"][value] = 4
    for place in range(s["next"]):
        shown["unseen"][(s["deck"][place] >> 2) - 1] -= 1
    shown["card"] = s["deck"][s["next"] - 1]
    s["moves"] = s["next"] - 1
    s["score"] = shown["right"]
    shown["lives_left"] = rules.lives - (s["moves"] - s["score"])
    write_outcome(s, rules)


STATE_CHECK = make_state_check(STATE, FEATURES, ACTIONS, ALLOWED, find_wrong, derive)
