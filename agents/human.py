"""A person at a terminal: sees the table and names cards or places, in any order, or an action."""

import re
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from parlour.envs import Game
from parlour.envs.core.legal import list_actions
from parlour.envs.core.rows import Rows
from parlour.envs.core.scene.scene import ansi
from parlour.envs.core.turn import Agent, Turn

from . import human_bests
from .baselines.greedy import GreedyAgent
from .human_cards import find_drawn, is_drawn, spell_word
from .human_reasons import explain_card, explain_stuck

HELP = """\
Name what you move, in any order: cards (Th, 10h or T♥) or the numbers beside them, with blanks or
commas between. One card is enough where only one move has it.
h hint   u undo   restart   ? help and all moves   q quit"""
HELP_BY_WORDS = """\
Type the word in front of a move, or a card on the table (8c). If the card can go to several places,
name its target, too (8c 9d).
h hint   u undo   restart   ? help and all moves   q quit"""
HELP_AMONG_SEVERAL = """\
Say what you do, in full or by the short word beside it.
h hint   ? help and all moves   q quit"""
MAX_LISTED = 40
"""So many moves are listed in full."""
MAX_PROMPTED = 8
"""So many, among several players, before each answer, too."""


class PlayerQuit(Exception):
    """The person has left the game."""


class PlayerUndo(Exception):
    """The person takes the last move back."""


class PlayerRestart(Exception):
    """The person begins the same deal again."""


TAKEN_BACK: dict[str, type[Exception]] = {
    **dict.fromkeys(("u", "undo"), PlayerUndo),
    **dict.fromkeys(("restart",), PlayerRestart),
}
"""Words of a person alone, by whatever rules; a word of the game's own comes first."""


class HumanAgent:
    """Asks a person for each move. ``ask`` is like `input`, ``say`` like `print`.

    ``answers`` are further words that a person may type, with what says the answer. With
    ``takes_back`` the words of `TAKEN_BACK` raise what is there; who calls ``act`` handles it.
    """

    name = "human"
    sees_all = False
    at_once = 1
    """Games that it can play side by side."""

    def __init__(
        self,
        ask: Callable[[str], str] | None = None,
        say: Callable[[str], None] = print,
        colour: bool = False,
        answers: Mapping[str, Callable[[], str]] | None = None,
        takes_back: bool = False,
    ) -> None:
        self.ask, self.say, self.colour = ask or input, say, colour
        self.answers, self.takes_back = dict(answers or {}), takes_back
        self.clicks: list[int] = []
        self.begun, self.deal = time.monotonic(), b""
        self.best: human_bests.Best | None = None

    def act(self, turn: Turn) -> np.ndarray:
        """Return the next click of the person's move, int64 (1,).

        Raises PlayerQuit when they leave, PlayerUndo and PlayerRestart (see the class).
        """
        if len(turn.masks) != 1:
            raise ValueError(f"a person plays one game at a time, not {len(turn.masks)}")
        if turn.states["steps"][0] == 0:
            self.clicks = []
            deal = turn.observations.tobytes()
            if deal != self.deal:  # else moves were taken back: the clock goes on
                self.deal, self.begun = deal, time.monotonic()
            alone = turn.game.num_players(turn.rules) == 1
            self.best = (
                human_bests.load_best(human_bests.rules_key(turn.game, turn.rules))
                if alone
                else None
            )
        if not self.clicks or not turn.masks[0, self.clicks[0]]:
            self.clicks = self._ask(turn)
        return np.array([self.clicks.pop(0)])

    @property
    def seconds(self) -> float:
        """How long the game has been going on."""
        return time.monotonic() - self.begun

    def _ask(self, turn: Turn) -> list[int]:
        game, rules, states = turn.game, turn.rules, turn.states
        words = game.action_words(states[0], rules)
        self.say("\n" + ansi(game.layout(states[0], rules), self.colour))
        while True:
            text = self._read(f"{self._status(turn, words)} > ")
            if not text or self._answer(text, turn, words):
                continue
            try:
                return parse_move(text, game, rules, states)
            except ValueError as error:
                self.say(str(error))

    def _answer(self, text: str, turn: Turn, words: dict[int, tuple[str, ...]]) -> bool:
        """Do what a word asks for that is no move; whether it was one."""
        if text in ("q", "quit"):
            raise PlayerQuit
        if text in ("h", "hint"):
            self.say(f"hint: {move_text(suggest_move(turn), words)}")
        elif text in ("?", "help"):
            self.say(_help(turn.game, turn.rules, turn.states, words))
            if self.answers:
                self.say(f"also: {', '.join(self.answers)}")
        elif text in self.answers:
            self.say(self.answers[text]())
        elif text in TAKEN_BACK and not _match_phrase(text, words):
            if self.takes_back:
                raise TAKEN_BACK[text]
            self.say("nothing is taken back here")
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
            few = [words[action][0] for action in legal if len(legal) <= MAX_PROMPTED]
            return ", ".join([*few, "? for help"])
        best = f", best: {self.best}" if self.best else ""
        short = [_action_text(action, words) for action in legal if _is_short(action, words)]
        can = ", ".join([*short, "? for help"])
        time = human_bests.duration_text(self.seconds)
        return f"moves {turn.states['moves'][0]}, {time}{best}; {can}"


def _help(game: Game, rules: Any, states: np.ndarray, words: dict[int, tuple[str, ...]]) -> str:
    moves = list_complete_moves(game, rules, states)
    if game.num_players(rules) == 1:
        if any(len(known) > 1 and known[1].isdigit() for known in words.values()):
            return f"{HELP}\nmoves now: {_moves_text(moves, words)}"
        said = (f"{move_text(move, words)} ({_labels(game, move)})" for move in moves)
        return f"{HELP_BY_WORDS}\nmoves now: {', '.join(said)}"
    can = (words[action] for (action, *_) in moves)
    said = (first + "".join(f" ({word})" for word in more[:1]) for first, *more in can)
    return f"{HELP_AMONG_SEVERAL}\nmoves now: {', '.join(said)}"


def list_complete_moves(game: Game, rules: Any, states: np.ndarray) -> list[list[int]]:
    """Return every move of one game (states (1,)), each as the actions that make it up.

    A move is complete when the game's count of moves goes up, or the game is over.
    """
    rows, action = Rows(game, rules, 1), np.zeros(1, np.int64)
    before = states["moves"][0]
    found: list[list[int]] = []
    begun: list[tuple[np.ndarray, list[int]]] = [(states.copy(), [])]
    while begun:
        state, made = begun.pop()
        for action[0] in list_actions(state["legal"][0]):
            rows.restore(state)
            rows.step(action)
            clicks = [*made, int(action[0])]
            if rows.states["over"][0] or rows.states["moves"][0] != before:
                found.append(clicks)
            else:
                begun.append((rows.states.copy(), clicks))
    return sorted(found)


def parse_move(text: str, game: Game, rules: Any, states: np.ndarray) -> list[int]:
    """Return the actions of the move that a text names, in the order in which they are legal.

    The text has words of `Game.action_words`, in any order; words that only one move allows may be
    left out. Or it names a card or pile on the table, and a target if there are several. Raises
    ValueError naming the unknown word, the moves of the card, or the reason why it cannot move.
    """
    words, scene = game.action_words(states[0], rules), game.layout(states[0], rules)
    typed = [spell_word(word) for word in re.split(r"[\s,;|+]+", text) if word]
    if not typed:
        raise ValueError("name at least one card")
    is_alone = game.num_players(rules) == 1
    wanted = _match_phrase(" ".join(typed), words)
    unknown = ""
    if not wanted and is_alone:
        found = {word: _find_action(word, words) for word in typed}
        unknown = next((word for word, action in found.items() if action is None), "")
        wanted = [] if unknown else [action for action in found.values() if action is not None]
    moves = list_complete_moves(game, rules, states)
    usable = {action for move in moves for action in move}
    if not wanted or not usable.issuperset(wanted):
        drawn = [action for action in find_drawn(typed, scene) if action in usable]
        if len(drawn) > 1:
            ways = ", ".join(_way_text(game, action, words) for action in drawn)
            raise ValueError(f"{' '.join(typed)} must name one of several moves: {ways}")
        wanted = drawn or wanted
    if not wanted and not is_alone:
        raise ValueError(f"{text!r} is no move now; ? lists the moves")
    if not wanted:
        if is_drawn(unknown, scene):
            raise ValueError(f"not possible now: {unknown}{explain_card(scene, unknown)}")
        raise ValueError(f"{unknown!r} is not on the table; ? lists the moves")
    return match_move(wanted, game, rules, states)


def _way_text(game: Game, action: int, words: dict[int, tuple[str, ...]]) -> str:
    """Return the word for an action, with its label if the label lacks the word."""
    first, label = _action_text(action, words), game.label(action)
    return first if first in label else f"{first} ({label})"


def match_move(wanted: list[int], game: Game, rules: Any, states: np.ndarray) -> list[int]:
    """Return the one move that consists of some actions, in whatever order, or has them among it.

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
    said = move_text(wanted, words)
    if longer:
        raise ValueError(
            f"{said} is part of several moves, name all of one: {_moves_text(longer, words)}"
        )
    usable = {action for move in moves for action in move}
    stuck = [action for action in dict.fromkeys(wanted) if action not in usable]
    if stuck:
        why = explain_stuck(game.layout(states[0], rules), stuck, words)
        raise ValueError(
            f"not possible now: {move_text(stuck, words)} ({_labels(game, stuck)}){why}"
        )
    raise ValueError(f"{said} cannot go together")


def suggest_move(turn: Turn) -> list[int]:
    """Return the move that the game's own heuristic would make, as its actions."""
    rows, agent = Rows(turn.game, turn.rules, 1), GreedyAgent()
    rows.restore(turn.states)
    clicks: list[int] = []
    while not rows.states["over"][0] and rows.states["moves"][0] == turn.states["moves"][0]:
        masks = rows.buffers.masks.astype(np.bool_)
        actions = np.asarray(agent.act(turn._replace(states=rows.states, masks=masks)), np.int64)
        clicks.append(int(actions[0]))
        rows.step(actions)
    return clicks


def move_text(move: Sequence[int], words: dict[int, tuple[str, ...]]) -> str:
    """Write actions in the first words for them: ``"Th 3s"``."""
    return " ".join(words[action][0] for action in dict.fromkeys(move))


def _match_phrase(text: str, words: dict[int, tuple[str, ...]]) -> list[int]:
    """The action that goes by the whole of a text, or by what it begins with if none else does."""
    said = " ".join(text.lower().split())
    exact = [action for action, known in words.items() if said in (one.lower() for one in known)]
    if exact or not said:
        return exact
    begun = [action for action, known in words.items() if known[0].startswith(f"{said} ")]
    if len(begun) > 1:
        raise ValueError(f"{said} what? {', '.join(words[action][0] for action in begun)}")
    return begun


def _find_action(word: str, words: dict[int, tuple[str, ...]]) -> int | None:
    """Return the action that a word names; None if there is none."""
    for action, known in words.items():
        if word.lower() in (one.lower() for one in known):
            return action
    return None


def _moves_text(moves: list[list[int]], words: dict[int, tuple[str, ...]]) -> str:
    more = f" and {len(moves) - MAX_LISTED} more" if len(moves) > MAX_LISTED else ""
    return ", ".join(_move_in_full(move, words) for move in moves[:MAX_LISTED]) + more


def _move_in_full(move: Sequence[int], words: dict[int, tuple[str, ...]]) -> str:
    return " ".join(_action_text(action, words) for action in dict.fromkeys(move))


def _action_text(action: int, words: dict[int, tuple[str, ...]]) -> str:
    """The first word for an action; with the next where that is what the first is short for."""
    return " ".join(words[action][: 1 + _is_short(action, words)])


def _is_short(action: int, words: dict[int, tuple[str, ...]]) -> bool:
    first, *more = words[action]
    return bool(more) and more[0].startswith(first)


def _labels(game: Game, actions: Sequence[int]) -> str:
    return ", ".join(game.label(action) for action in actions)


def make(seed: int = 0) -> Agent:
    """Return the agent."""
    return HumanAgent()
