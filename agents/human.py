"""The human agent: shows the game in a terminal and reads moves, named by cards or words."""

import re
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

import numpy as np

from parlour.envs import Game
from parlour.envs.core.kernel.cards import card_name, parse_card
from parlour.envs.core.moves import list_complete_moves, move_text
from parlour.envs.core.rows import Rows, describe_move
from parlour.envs.core.scene.scene import Item, Scene, ansi
from parlour.envs.core.turn import Turn

from . import human_bests
from .baselines import GreedyAgent

HELP = """\
Type a move as it is listed. A card alone is enough if it has one move.
Write a card as 10h, Th or T♥."""
HELP_AMONG_SEVERAL = """\
Type your action as it is listed. Write a card as 10h, Th or T♥.
On the table, D marks the dealer and * the seat to act."""
HELP_BY_NUMBERS = "The numbers next to the cards also name them."
MAX_LISTED = 40
"""Maximum number of moves that are listed in full."""
MAX_LINES = 14
"""Maximum number of moves that are listed on a line each; more moves are listed without phrases."""
MAX_PROMPTED = 8
"""Maximum number of moves that the prompt of a game for several players lists."""


class PlayerQuit(Exception):
    """The player quits the game."""


class PlayerUndo(Exception):
    """The player takes back the last move."""


class PlayerRestart(Exception):
    """The player restarts the deal."""


TAKEN_BACK: dict[str, type[Exception]] = {
    **dict.fromkeys(("u", "undo"), PlayerUndo),
    **dict.fromkeys(("restart",), PlayerRestart),
}
"""Words for undo and restart in solitaires; words of the game take precedence."""


class Answer(NamedTuple):
    """What the game answers to a word that is not a move."""

    about: str
    """Description of the answer for the help."""
    make: Callable[[], str]
    """Returns the answer."""


class HumanAgent:
    """Asks a person for each move.

    Args:
        ask: a function like `input`, which shows a prompt and returns the answer.
        say: a function like `print`.
        colour: whether to draw the game in color.
        answers: further words that the player may type, and their answers.
        takes_back: whether the words of `TAKEN_BACK` raise their exceptions, which the caller of
            ``act`` then handles.
    """

    name = "human"
    sees_all = False
    max_batch = 1
    """Maximum number of games in a turn."""

    def __init__(
        self,
        ask: Callable[[str], str] | None = None,
        say: Callable[[str], None] = print,
        colour: bool = False,
        answers: Mapping[str, Answer] | None = None,
        takes_back: bool = False,
    ) -> None:
        self.ask, self.say, self.colour = ask or input, say, colour
        self.answers, self.takes_back = dict(answers or {}), takes_back
        self.clicks: list[int] = []
        self.typed = ""
        """The last text that was typed as a move."""
        self.begun, self.deal = time.monotonic(), b""
        self.best: human_bests.Best | None = None

    def act(self, turn: Turn) -> np.ndarray:
        """Return the next action of the player's move, int64 (1,).

        Raises PlayerQuit if the player quits, and the exceptions of `TAKEN_BACK`.
        """
        if len(turn.masks) != 1:
            raise ValueError(f"a human agent plays one game at a time, got {len(turn.masks)} games")
        if turn.states["steps"][0] == 0:
            self.clicks = []
            deal = turn.observations.tobytes()
            if (
                deal != self.deal
            ):  # otherwise the player undid all moves, and the clock keeps running
                self.deal, self.begun = deal, time.monotonic()
            alone = turn.game.num_players(turn.rules) == 1
            self.best = (
                human_bests.load_best(human_bests.rules_key(turn.game, turn.rules))
                if alone
                else None
            )
        if not self.clicks or not turn.masks[0, self.clicks[0]]:
            self.clicks = self._continue(turn) or self._ask(turn)
        return np.array([self.clicks.pop(0)])

    @property
    def seconds(self) -> float:
        """Seconds since the game began."""
        return time.monotonic() - self.begun

    def _continue(self, turn: Turn) -> list[int]:
        """Return the next action of a choice in several steps, such as the amount of a bet.

        The text that named the previous step may name the next one, too.
        """
        if not turn.game.is_choosing(turn.states[0]):
            return []
        clicks = _match_exactly(self.typed, turn.game.action_words(turn.states[0], turn.rules))
        return clicks if len(clicks) == 1 and turn.masks[0, clicks[0]] else []

    def _ask(self, turn: Turn) -> list[int]:
        game, rules, states = turn.game, turn.rules, turn.states
        words = game.action_words(states[0], rules)
        self.say("\n" + ansi(game.layout(states[0], rules), self.colour))
        self.say(game.prompt(states[0], rules))
        while True:
            text = self._read(f"{self._status(turn, words)} > ")
            if not text or self._answer(text, turn, words):
                continue
            try:
                move = parse_move(text, game, rules, states)
                self.typed = text
                return move
            except ValueError as error:
                self.say(str(error))

    def _answer(self, text: str, turn: Turn, words: dict[int, tuple[str, ...]]) -> bool:
        """Handle a word that is not a move; return whether it was such a word."""
        if text in ("q", "quit"):
            raise PlayerQuit
        if text == "hint":
            hint = suggest_move(turn)
            phrase = describe_move(turn.game, turn.rules, turn.states, hint)
            self.say(f"hint: {move_text(hint, words)} ({phrase})")
        elif text in ("?", "help"):
            self.say(self._help(turn, words))
        elif text == "h":
            self.say("\n".join(turn.game.how_to_play(turn.rules)))
        elif text in self.answers:
            self.say(self.answers[text].make())
        elif text in TAKEN_BACK and not _match_phrase(text, words):
            if self.takes_back:
                raise TAKEN_BACK[text]
            self.say("undo and restart are not available in this game")
        else:
            return False
        return True

    def _read(self, prompt: str) -> str:
        try:
            return self.ask(prompt).strip().lower()
        except EOFError:
            raise PlayerQuit from None

    def _status(self, turn: Turn, words: dict[int, tuple[str, ...]]) -> str:
        legal = np.flatnonzero(turn.masks[0]).tolist()
        if turn.game.num_players(turn.rules) > 1:
            listed = _list_moves(turn, [[action] for action in legal], words)
            shown = [word for word, _ in listed if len(listed) <= MAX_PROMPTED]
            return ", ".join([*shown, "? for help"])
        best = f", best: {self.best}" if self.best else ""
        shown = [_action_text(action, words) for action in legal if _is_short(action, words)]
        time_text = human_bests.duration_text(self.seconds)
        choices = ", ".join([*shown, "? for help"])
        return f"moves {turn.states['moves'][0]}, {time_text}{best}; {choices}"

    def _help(self, turn: Turn, words: dict[int, tuple[str, ...]]) -> str:
        """Return the moves, how to type them, and the other words that the player may type."""
        moves = list_complete_moves(turn.game, turn.rules, turn.states)
        is_alone = turn.game.num_players(turn.rules) == 1
        listed = _list_moves(turn, moves[:MAX_LISTED], words, with_short=not is_alone)
        omitted = [f"{len(moves) - MAX_LISTED} more"] if len(moves) > MAX_LISTED else []
        if len(listed) > MAX_LINES:
            lines = [f"moves now: {', '.join([*(word for word, _ in listed), *omitted])}"]
        else:
            lines = ["moves now:", *_align(listed)]
        lines += ["", HELP if is_alone else HELP_AMONG_SEVERAL]
        scene = turn.game.layout(turn.states[0], turn.rules)
        if any(item.note.isdigit() for item in scene.items):
            lines.append(HELP_BY_NUMBERS)
        commands = [("h", "how to play"), ("hint", "suggest a move")]
        commands += [(word, answer.about) for word, answer in self.answers.items()]
        if self.takes_back:
            commands += [("u", "take back a move"), ("restart", "start the deal again")]
        return "\n".join([*lines, "", "commands:", *_align([*commands, ("q", "quit")])])


def _align(rows: Sequence[tuple[str, str]]) -> list[str]:
    """Return rows of a word and its description as lines with two columns."""
    wide = max((len(word) for word, _ in rows), default=0)
    return [f"  {word:<{wide}}  {about}" for word, about in rows]


def _list_moves(
    turn: Turn,
    moves: Sequence[list[int]],
    words: dict[int, tuple[str, ...]],
    with_short: bool = False,
) -> list[tuple[str, str]]:
    """Return the word and the phrase of each move.

    Actions that differ only by consecutive numbers are one row, such as ``("16 to 28", "bid")``.
    ``with_short`` adds shorter words, as in ``"fold or f"``.
    """
    rows: list[tuple[str, str]] = []
    series: list[str] = []  # the first and the last number of the current row
    for move in moves:
        word = _move_in_full(move, words)
        phrase = describe_move(turn.game, turn.rules, turn.states, move)
        verb, _, end = phrase.rpartition(" ")
        is_number = word.isdigit() and end == word
        if is_number and series and rows[-1][1] == verb and int(series[-1]) == int(word) - 1:
            series = [series[0], word]
            rows[-1] = f"{series[0]} to {word}", verb
        else:
            series = [word] if is_number else []
            short = [one for one in words[move[-1]][1:2] if with_short and len(one) < len(word)]
            rows.append((" or ".join([word, *short]), verb if is_number else phrase))
    return rows


def parse_move(text: str, game: Game, rules: Any, states: np.ndarray) -> list[int]:
    """Return the actions of the move that a text names, in a legal order.

    The text contains words of `Game.action_words` in any order. Words that follow from the others
    may be missing. Alternatively, the text names a card or a pile on the table, and its target if
    there are several. ``>`` may separate a card from its target: ``5♣>6♥``.

    Raises ValueError for an unknown word, for an ambiguous move, and for a card that cannot move.
    """
    words, scene = game.action_words(states[0], rules), game.layout(states[0], rules)
    typed = [spell_word(word) for word in re.split(r"[\s,;|+>]+", text) if word]
    if not typed:
        raise ValueError("type at least one card")
    is_alone = game.num_players(rules) == 1
    wanted = _match_phrase(" ".join(typed), words)
    if not wanted and is_alone:
        named = [_find_action(word, words) for word in dict.fromkeys(typed)]
        wanted = [] if None in named else [action for action in named if action is not None]
    moves = list_complete_moves(game, rules, states)
    usable = {action for move in moves for action in move}
    if not wanted or not usable.issuperset(wanted):
        drawn = [action for action in find_drawn(typed, scene) if action in usable]
        if len(drawn) > 1:
            ways = [
                (_action_text(action, words), game.describe_action(states[0], rules, action))
                for action in drawn
            ]
            lines = [f"{' '.join(typed)} names several moves; choose one:", *_align(ways)]
            raise ValueError("\n".join(lines))
        wanted = drawn or wanted
    if not wanted:
        raise ValueError(_refusal(text, typed, game, rules, states))
    return match_move(wanted, game, rules, states)


def _refusal(text: str, typed: Sequence[str], game: Game, rules: Any, states: np.ndarray) -> str:
    """Return the reason why there is no move with these words."""
    scene = game.layout(states[0], rules)
    items = [item for word in typed for item in _find_items(word, scene)[:1]]
    if len(items) == len(typed) <= 2:
        return game.refusal(states[0], rules, *items)
    for word in typed:
        with suppress(ValueError):  # another word than a card
            if not is_drawn(card_name(parse_card(word)), scene):
                return f"{word} is not on the table; ? lists the moves"
    return f"{text!r} is not a legal move; ? lists the moves"


def match_move(wanted: list[int], game: Game, rules: Any, states: np.ndarray) -> list[int]:
    """Return the move that has the wanted actions.

    That is the move with exactly these actions, in any order, or the only move that includes them.
    Raises ValueError as `parse_move` does.
    """
    words = game.action_words(states[0], rules)
    moves = list_complete_moves(game, rules, states)
    if wanted in moves:
        return wanted
    exact = [move for move in moves if set(move) == set(wanted)]
    longer = [move for move in moves if set(move) > set(wanted)]
    if exact or len(longer) == 1:
        return (exact or longer)[0]
    named = move_text(wanted, words)
    if longer:
        raise ValueError(
            f"{named} is part of several moves; type a whole move: {_moves_text(longer, words)}"
        )
    scene = game.layout(states[0], rules)
    items = [item for action in wanted for item in _find_items(words[action][0], scene)[:1]]
    if len(items) == len(wanted) <= 2:
        raise ValueError(game.refusal(states[0], rules, *items))
    phrases = [game.describe_action(states[0], rules, action) for action in wanted]
    raise ValueError(f"you cannot {' and '.join(phrases)} now")


def suggest_move(turn: Turn) -> list[int]:
    """Return the actions of the move that the game's heuristic would make."""
    rows, agent = Rows(turn.game, turn.rules, 1), GreedyAgent()
    rows.restore(turn.states)
    clicks: list[int] = []
    while not rows.states["over"][0] and rows.states["moves"][0] == turn.states["moves"][0]:
        masks = rows.buffers.masks.astype(np.bool_)
        actions = np.asarray(agent.act(turn._replace(states=rows.states, masks=masks)), np.int64)
        clicks.append(int(actions[0]))
        rows.step(actions)
    return clicks


def _match_exactly(text: str, words: dict[int, tuple[str, ...]]) -> list[int]:
    """Return the actions of which a word is the text, apart from capitals and spaces."""
    phrase = " ".join(text.lower().split())
    return [
        action
        for action, known in words.items()
        if phrase in (one.lower().replace(">", " ") for one in known)
    ]


def _match_phrase(text: str, words: dict[int, tuple[str, ...]]) -> list[int]:
    """Return the action that a text names exactly, or the only one whose words begin with it."""
    phrase = " ".join(text.lower().split())
    exact = _match_exactly(phrase, words)
    if exact or not phrase:
        return exact
    longer = [action for action, known in words.items() if known[0].startswith(f"{phrase} ")]
    if len(longer) > 1:
        choices = ", ".join(words[action][0] for action in longer)
        raise ValueError(f"{phrase!r} is incomplete; choose one: {choices}")
    return longer


def _find_action(word: str, words: dict[int, tuple[str, ...]]) -> int | None:
    """Return the action that a word names; None if there is none."""
    for action, known in words.items():
        if word.lower() in (one.lower() for one in known):
            return action
    return None


def _moves_text(moves: list[list[int]], words: dict[int, tuple[str, ...]]) -> str:
    omitted = f" and {len(moves) - MAX_LISTED} more" if len(moves) > MAX_LISTED else ""
    return ", ".join(_move_in_full(move, words) for move in moves[:MAX_LISTED]) + omitted


def _move_in_full(move: Sequence[int], words: dict[int, tuple[str, ...]]) -> str:
    return " ".join(_action_text(action, words) for action in dict.fromkeys(move))


def _action_text(action: int, words: dict[int, tuple[str, ...]]) -> str:
    """Return the first word for an action, plus the second if the first abbreviates it."""
    return " ".join(words[action][: 1 + _is_short(action, words)])


def _is_short(action: int, words: dict[int, tuple[str, ...]]) -> bool:
    first, *others = words[action]
    return bool(others) and others[0].startswith(first)


# Moves named by cards and piles on the table.


def spell_word(word: str) -> str:
    """Return the `card_name` if the word is a card, and any other word unchanged.

    The card may be in brackets, as on the table: ``[T♥]``.
    """
    with suppress(ValueError):
        return card_name(parse_card(word.strip("[]<>()")))
    return word


def find_drawn(words: Sequence[str], scene: Scene) -> list[int]:
    """Return the legal actions of the card or pile that the first word names.

    A second word names the target: a card, or a place such as ``column-3``. `spell_word` defines
    the spelling of words. The list is empty if nothing on the table has these names.
    """
    if not 1 <= len(words) <= 2:
        return []
    items = _find_items(words[0], scene)
    if len(words) == 1:
        actions = {action for item in items for _, action in item.drops}
        actions |= {item.action for item in items}
        return sorted(action for action in actions if action >= 0)
    targets = {words[1].lower(), *(item.place for item in _find_items(words[1], scene))}
    return sorted({action for item in items for place, action in item.drops if place in targets})


def is_drawn(word: str, scene: Scene) -> bool:
    """Return whether a word names a card or a pile on the table."""
    return bool(_find_items(word, scene))


def _find_items(word: str, scene: Scene) -> list[Item]:
    known = word.lower()
    return [
        item
        for item in scene.items
        if item.place == known or (item.card and item.face_up and card_name(item.card) == word)
    ]
