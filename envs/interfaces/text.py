"""Text interface: games as prompts and typed answers, for language models and scripts.

`TextEnv` is the environment. `TextPosition` is one decision as text, and `explain_rules` the rules;
agents use both without an environment.
"""

import json
import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any

import gymnasium as gym
import numpy as np

from ..core.batch import MAX_MOVES
from ..core.game import Game, find_game
from ..core.kernel.cards import SUIT_SIGNS, SUITS, WHITE_SUIT_SIGNS, card_name
from ..core.moves import list_complete_moves, mark_moves, move_text
from ..core.options import check_range, describe_options, shorten, unknown_text
from ..core.rows import describe_move
from ..core.scene.items import RANK_WORDS, SUIT_WORDS
from ..core.scene.scene import Scene, ansi
from .disguise import Disguise
from .seat import Opponents
from .single import CardEnv

__all__ = ["AnswerError", "Disguise", "TextEnv", "TextPosition", "explain_rules"]

FORMS = "text", "json"
"""Forms of the state in prompts."""
LONGEST_ANSWER = 80
"""Maximum length of a marked answer."""
MOST_NAMED = 20
"""Maximum number of legal moves that a reply to a mistake names."""
CONTINUE = "continue"
"""The answer to a hand that ended before the first turn of the seat; any answer is accepted."""
StepReward = Callable[[np.ndarray, int], float]
"""Returns the reward of an action, given the state before it, (1,)."""

_MARKS = (
    re.compile(r"<answer>(.*?)</answer>", re.IGNORECASE | re.DOTALL),
    re.compile(r"\\boxed\{(?:\\text\{)?([^{}]*)\}"),
    re.compile(
        r"(?:^|[^\w<])(?:answer|move|action)[\"'*_` ]*(?::|=|\bis\b)[ ]*([^\n]+)", re.IGNORECASE
    ),
)
"""Marks of an answer, in the order of preference. The last mark of a text counts."""
_THOUGHTS = re.compile(r"<think>.*?(?:</think>|\Z)", re.DOTALL | re.IGNORECASE)
_SIGNS = {
    ord(sign): letter
    for signs in (SUIT_SIGNS, WHITE_SUIT_SIGNS)
    for sign, letter in zip(signs, SUITS, strict=True)
} | dict.fromkeys(map(ord, "\ufe0e\ufe0f\ufeff\u200b"))
_FULL_NAME = re.compile(rf"\b({'|'.join(RANK_WORDS)}|10|[2-9tjqka]) of ({'|'.join(SUIT_WORDS)})\b")
_RANK_LETTERS = dict(zip(RANK_WORDS, "a23456789tjqk", strict=True))

INSTRUCTION = """\
Think first if you like. End with one legal move, exactly as listed before the colon, between \
<answer> and </answer>, such as <answer>{example}</answer>."""
"""The default format of answers."""
LEGEND = """\
Cards are written as rank and suit, such as {cards}. {ten}In the drawing of the table, ▒▒ is a \
face-down card and ·· an empty place. [ ] marks what a move can use now, < > a selected card or \
one that only you see, ( ) a card of the current trick. Of cards that overlap, the last one is on \
top: the lowest or the rightmost. Numbers and letters next to cards name their places. Columns and \
piles are numbered from left to right."""
SEAT_LEGEND = (
    "D is the dealer, * the seat to act. Seats are numbered clockwise, in the order of their turns."
)
JSON_LEGEND = """\
Cards are written as rank and suit, such as {cards}. {ten}The position is JSON: cards from bottom \
to top of each place, and lines of text. A card has the face "down" if it is face down, and the \
mark "legal" if a move can use it now, "hidden" if only you see it, or "last" if it belongs to the \
current trick. "count" is the number of cards in its pile."""
MOVE_LIMIT = "The game ends after {limit} at the latest."


class AnswerError(ValueError):
    """Error for an answer that names no legal move; its text is a reply of one line.

    Attributes:
        kind: ``"unreadable"`` if the answer names no move of the game, ``"illegal"`` if it names a
            move that is not legal now.
    """

    def __init__(self, text: str, kind: str) -> None:
        super().__init__(text)
        self.kind = kind


class TextPosition:
    """A decision as text: the state, the legal moves, and the move that an answer names.

    An answer is a whole move, such as a pair of cards, even if the environment plays the move as
    several actions.

    Args:
        game: The game.
        rules: Its rules.
        states: The state, (1,), in the view of the seat to act. Hidden cards have no influence.
        form: Form of the state: ``"text"``, a drawing of the table, or ``"json"``.
        disguise: Invented names of the cards (None: ordinary names).
        instruction: The required format of answers, with ``{example}`` in place of a move.
    """

    def __init__(
        self,
        game: Game,
        rules: Any,
        states: np.ndarray,
        form: str = "text",
        disguise: Disguise | None = None,
        instruction: str = INSTRUCTION,
    ) -> None:
        self.game, self.rules, self.states = game, rules, states
        self.form, self.disguise, self.instruction = form, disguise, instruction
        self._words = game.action_words(states[0], rules)
        moves = [] if states["over"][0] else list_complete_moves(game, rules, states)
        by_cards = {frozenset(move): move for move in reversed(moves)}
        self._moves = {move_text(move, self._words): move for move in by_cards.values()}
        self._moves = dict(sorted(self._moves.items(), key=lambda entry: entry[1]))

    @cached_property
    def answers(self) -> list[str]:
        """The legal moves, as they are listed and answered."""
        return [self._hide(answer) for answer in self._moves]

    def actions_of(self, answer: str) -> list[int]:
        """Return the actions of a listed move."""
        return self._moves[self._read(answer)]

    def answer_of(self, actions: Sequence[int]) -> str:
        """Return the listed move that is the beginning of a sequence of actions.

        Raises:
            ValueError: The sequence begins with no legal move.
        """
        for answer, move in self._moves.items():
            if set(move) == set(actions[: len(move)]):
                return self._hide(answer)
        raise ValueError(f"actions must begin with a legal move, got {shorten(list(actions))}")

    @cached_property
    def state_text(self) -> str:
        """The state as a drawing of the table or as JSON."""
        scene = self.game.layout(self.states[0], self.rules)
        scene = (scene.terminal or scene)._replace(title="", terminal=None)
        scene = mark_moves(scene, self._moves.values(), self._words)
        if self.form == "json":
            return self._hide(json.dumps(describe_scene(scene), ensure_ascii=False))
        return self._hide(ansi(scene))

    @cached_property
    def text(self) -> str:
        """The state, what the player can do, the legal moves, and the format of the answer."""
        prompt = self._hide(self.game.prompt(self.states[0], self.rules))
        lines = [self.state_text, "", prompt]
        if self._moves:
            instruction = self.instruction.replace("{example}", self.answers[0])
            lines += ["Legal moves:", *self._list_moves(), "", instruction]
        return "\n".join(lines)

    def read_answer(self, text: str) -> list[int]:
        r"""Return the actions of the move that an answer names.

        The answer is marked as ``<answer>Th 3s</answer>``, ``\boxed{Th 3s}`` or
        ``Answer: Th 3s``, or it is the only line or the last line of the text. Cards may be in any
        order and spelling (``Th``, ``10H``, ``T♥``, ``ten of hearts``). A part of a move, or a
        card on the table and its target, is enough if only one move has it.

        Raises:
            AnswerError: The text names no legal move.
        """
        answer = find_answer(text)
        if not answer:
            raise self._error("No answer found.", "unreadable")
        if len(answer) > LONGEST_ANSWER:
            raise self._error(f"The answer {shorten(answer)} is too long.", "unreadable")
        folded = fold(self._read(answer))
        named = self._by_answer.get(folded) or self._names.get(folded)
        if named:
            return named
        chosen = {self._by_word.get(word, -1) for word in folded.split()}
        if chosen and -1 not in chosen:
            exact = [move for move in self._moves.values() if chosen == set(move)]
            longer = [move for move in self._moves.values() if chosen < set(move)]
            if exact or len(longer) == 1:
                return (exact or longer)[0]
            if longer:
                raise self._error(f"{shorten(answer)} is part of several moves.", "illegal")
        if folded in self._phrases or (chosen and -1 not in chosen):
            raise self._error(f"{shorten(answer)} is not a legal move now.", "illegal")
        raise self._error(f"{shorten(answer)} is not a legal move.", "unreadable")

    def _error(self, reason: str, kind: str) -> AnswerError:
        named = ", ".join(self.answers[:MOST_NAMED])
        more = len(self._moves) - MOST_NAMED
        tail = f" and {more} more" if more > 0 else ""
        return AnswerError(f"{reason} Answer with one legal move: {named}{tail}.", kind)

    def _list_moves(self) -> list[str]:
        return [
            f"- {self._hide(answer)}: "
            f"{self._hide(describe_move(self.game, self.rules, self.states, move))}"
            for answer, move in self._moves.items()
        ]

    @cached_property
    def _by_answer(self) -> dict[str, list[int]]:
        return {fold(answer): move for answer, move in self._moves.items()}

    @cached_property
    def _names(self) -> dict[str, list[int]]:
        """The legal moves by further texts that name exactly one of them."""
        further: dict[str, set[tuple[int, ...]]] = {}
        for move in self._moves.values():
            texts = [describe_move(self.game, self.rules, self.states, move)]
            if len(move) == 1:
                texts += [*self._words[move[0]], self.game.label(move[0])]
            for text in texts:
                further.setdefault(fold(text), set()).add(tuple(move))
        for text, action in self._list_drawn():
            further.setdefault(fold(text), set()).add((action,))
        return {text: list(*moves) for text, moves in further.items() if len(moves) == 1}

    def _list_drawn(self) -> list[tuple[str, int]]:
        """Return names of single actions by cards on the table, and by cards and their targets."""
        usable = {move[0] for move in self._moves.values() if len(move) == 1}
        items = self.game.layout(self.states[0], self.rules).items
        shown = [item for item in items if item.card and item.face_up]
        on_top = {item.place: card_name(item.card) for item in shown}  # the last one counts
        names = []
        for item in shown:
            card = card_name(item.card)
            names += [(card, action) for action in (item.action, *dict(item.drops).values())]
            for place, action in item.drops:
                targets = (place, place.partition("-")[0], on_top.get(place, place))
                names += [(f"{card} {target}", action) for target in targets]
                names += [(f"{card}>{on_top[place]}", action)] if place in on_top else []
        return [(name, action) for name, action in names if action in usable]

    @cached_property
    def _by_word(self) -> dict[str, int]:
        """The action of each word; legal actions take precedence."""
        usable = {action for move in self._moves.values() for action in move}
        ordered = sorted(self._words, key=lambda action: action in usable)
        return {fold(word): action for action in ordered for word in self._words[action]}

    @cached_property
    def _phrases(self) -> set[str]:
        """The words and labels of all actions, legal or not."""
        labels = {fold(self.game.label(action)) for action in range(self.game.actions)}
        return labels | {fold(word) for words in self._words.values() for word in words}

    def _hide(self, text: str) -> str:
        return text if self.disguise is None else self.disguise.hide(text)

    def _read(self, answer: str) -> str:
        return answer if self.disguise is None else self.disguise.read(answer)


def explain_rules(
    game: Game, rules: Any, form: str = "text", disguise: Disguise | None = None
) -> str:
    """Return the rules with exactly these options, the notation, and how to answer.

    Args:
        game: The game.
        rules: Its rules.
        form: Form of the state in the prompts: ``"text"`` or ``"json"``.
        disguise: Invented names of the cards, without the name of the game and with the rules in
            another order (None: ordinary names).
    """
    lines = game.how_to_play(rules)
    options = [
        f"{row.name} = {row.default} ({_SOURCE_MARK.sub('', row.doc)})"
        for row in describe_options(rules)
    ]
    title, cards, ten = f"the card game {game.title}", "T♥ or Th", "T is the ten. "
    glossary = []
    if disguise is not None:
        aim, *others = lines
        lines, options = [aim, *disguise.shuffle(others)], disguise.shuffle(options)
        title, cards, ten = "a card game", disguise.hide(cards), ""
        glossary = [disguise.glossary]
        lines, options = [[disguise.hide(one) for one in part] for part in (lines, options)]
    legend = (JSON_LEGEND if form == "json" else LEGEND).format(cards=cards, ten=ten)
    if game.num_players(rules) > 1:
        legend += f" {SEAT_LEGEND}"
    return "\n".join(
        [
            f"You play {title}.",
            *glossary,
            "",
            "Rules:",
            *(f"- {line}" for line in lines),
            "",
            "All options of these rules (for a yes-or-no option, the text describes yes):",
            *(f"- {line}" for line in options),
            "",
            legend,
        ]
    )


_SOURCE_MARK = re.compile(r" \((?:\d{3}|house)(?:, (?:\d{3}|house))*\)")
"""Marks of sources in the descriptions of options."""


def describe_scene(scene: Scene) -> dict[str, Any]:
    """Return a scene as values for JSON, without coordinates and drawings.

    ``cards`` has an entry for each card and each empty place that a move can use, and ``texts`` the
    lines of terminal text. A face-down card has no identity.
    """
    cards = []
    for item in scene.to_dict()["items"]:
        entry = {"place": item["place"], "card": item["card"]}
        entry |= {} if item["face"] == "up" else {"face": item["face"]}
        entry |= {"mark": item["mark"]} if item["mark"] else {}
        entry |= {"note": item["note"]} if item["note"] else {}
        entry |= {"count": item["count"]} if item["count"] else {}
        cards.append({key: value for key, value in entry.items() if value is not None})
    texts = sorted((text.y, text.x, text.text) for text in scene.texts if text.only in ("", "ansi"))
    return {"cards": cards, "texts": [text for *_, text in texts]}


def find_answer(text: str) -> str:
    """Return the marked answer in a text, or its last line; empty if there is none."""
    text = _THOUGHTS.sub("", text)
    for mark in _MARKS:
        marked = mark.findall(text)
        if marked:
            return str(marked[-1]).strip()
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1] if lines else ""


def fold(text: str) -> str:
    """Return a text in the spelling in which answers and moves are compared."""
    text = unicodedata.normalize("NFKC", text.translate(_SIGNS)).casefold()
    text = re.sub(r"[→⇒➔]|-+>|=+>", ">", text)
    text = _FULL_NAME.sub(lambda name: _RANK_LETTERS.get(name[1], name[1]) + name[2][0], text)
    text = re.sub(r"\b10 ?(?=[cdhs]\b)", "t", text)
    text = re.sub(r"(?<=[a-z])-(?=[a-z\d])", " ", text)
    text = re.sub(
        r"\b(and|with|to|onto|on|its|the)\b|[\s,;|+&\"'`*_\[\](){}<]+|[.:!]+(?=\s|$)", " ", text
    )
    return " ".join(re.sub(r"\s*>\s*", ">", text).split())


def _count_moves(moves: int) -> str:
    return f"{moves} move" if moves == 1 else f"{moves} moves"


class TextEnv:
    """Environment of a card game whose observations and actions are texts.

    It plays the same games as `CardEnv`. An answer is a whole move: the environment plays all its
    actions and returns the sum of their rewards.

    Example:
        >>> from parlour.envs.interfaces.text import TextEnv
        >>> env = TextEnv("pyramid", "classic")
        >>> prompt = env.reset(seed=0)
        >>> observation, reward, done, info = env.step(f"Answer: {env.legal_actions()[0]}")

    The prompt of `reset` has the rules of exactly these options, the position, the legal moves and
    the format of answers. The observation of a step has the position, the prompt of the game and
    the legal moves.

    An answer that names no legal move changes nothing. The observation is a reply of one line, and
    the reward is ``-penalty``. After ``max_mistakes`` such answers in a row, the episode is
    truncated.

    Args:
        game: The game, or its name.
        variant: Name of the variant (None: the default variant).
        seat: Seat of the player in a multiplayer game.
        opponents: Agents in the other seats; see `CardEnv`.
        reward: A reward function of `CardEnv`: ``"progress"``, ``"win"`` or ``"score"``; or a
            function of the state, (1,), and the action, such as
            `parlour.training.ProcessReward`.
        form: Form of the state: ``"text"`` or ``"json"``.
        disguise: Seed of invented names for the cards; see `Disguise` (None: ordinary names).
        instruction: The required format of answers, with ``{example}`` in place of a move.
        penalty: Cost of an answer that names no legal move.
        max_mistakes: Number of such answers in a row after which the episode is truncated (None:
            no limit).
        max_moves: Number of moves after which a game for one player is truncated (None: no limit).
        **options: Options of the game that differ from the variant.

    Raises:
        ValueError: An argument has an invalid value.
    """

    def __init__(
        self,
        game: Game | str,
        variant: str | None = None,
        *,
        seat: int = 0,
        opponents: Opponents | None = None,
        reward: str | StepReward = "progress",
        form: str = "text",
        disguise: int | None = None,
        instruction: str = INSTRUCTION,
        penalty: float = 0.0,
        max_mistakes: int | None = 10,
        max_moves: int | None = MAX_MOVES,
        **options: Any,
    ) -> None:
        if form not in FORMS:
            raise ValueError(unknown_text("form", form, FORMS))
        if max_mistakes is not None:
            check_range("max_mistakes", max_mistakes, 1)
        self.env = CardEnv(
            find_game(game) if isinstance(game, str) else game,
            variant,
            encoding="codes",
            reward=reward if isinstance(reward, str) else "progress",
            illegal="raise",
            opponents=opponents,
            seat=seat,
            max_moves=max_moves,
            **options,
        )
        self.form, self.instruction = form, instruction
        self.penalty, self.max_mistakes = penalty, max_mistakes
        self.max_moves = max_moves
        self.disguise = None if disguise is None else Disguise(disguise)
        self._step_reward = None if isinstance(reward, str) else reward
        self._done = True
        self._truncated = False
        self._mistakes_in_row = self._mistakes = 0

    @property
    def game(self) -> Game:
        """The game."""
        return self.env.game

    @property
    def rules(self) -> Any:
        """The rules of the game, a NamedTuple."""
        return self.env.rules

    @cached_property
    def rules_text(self) -> str:
        """The rules and the format of answers, the first part of the prompt of `reset`."""
        text = explain_rules(self.game, self.rules, self.form, self.disguise)
        limit = self.max_moves
        can_be_reached = self.game.may_cycle or limit != MAX_MOVES
        if limit is None or not can_be_reached or self.game.num_players(self.rules) > 1:
            return text
        return f"{text} {MOVE_LIMIT.format(limit=_count_moves(limit))}"

    def reset(self, *, seed: int | None = None, options: Mapping[str, Any] | None = None) -> str:
        """Begin a new game.

        Args:
            seed: Seed of the random generator (None: continue with the current generator).
            options: The deal to play; see `CardEnv.reset`.

        Returns:
            The prompt: the rules, the position, the legal moves and the format of answers.
        """
        _, self._info = self.env.reset(seed=seed, options=options)
        self._done = self._truncated = False
        self._mistakes_in_row = self._mistakes = 0
        self._look()
        return f"{self.rules_text}\n\n{self.observation}"

    def step(self, text: str) -> tuple[str, float, bool, dict[str, Any]]:
        """Play the move that an answer names.

        Args:
            text: The answer; see `TextPosition.read_answer`.

        Returns:
            Observation, reward, whether the episode is over, and ``info``: that of `CardEnv` with
            ``"truncated"`` (whether the episode was truncated), ``"actions"`` (the actions played,
            empty for a mistake), ``"mistake"`` (``"unreadable"``, ``"illegal"`` or ``""``) and
            ``"mistakes"`` (their number in this episode).

        Raises:
            ResetNeeded: No game is running.
        """
        if self._done:
            raise gym.error.ResetNeeded("no game is running: call reset() first")
        try:
            actions = self._read(text)
        except AnswerError as error:
            self._mistakes += 1
            self._mistakes_in_row += 1
            self._done = self._mistakes_in_row == self.max_mistakes
            end = f" The episode ends after {self.max_mistakes} mistakes." if self._done else ""
            info = self._describe([], self._done, error.kind)
            return f"{error}{end}", -self.penalty, self._done, info
        self._mistakes_in_row, total, truncated = 0, 0.0, False
        for action in actions:
            judged = 0.0
            if self._step_reward is not None and not self._is_waiting:
                judged = self._step_reward(self.env.clone(), action)
            _, reward, terminated, truncated, self._info = self.env.step(action)
            total += reward if self._step_reward is None else judged
            self._done = terminated or truncated
        self._truncated = truncated
        self._look()
        return self.observation, total, self._done, self._describe(actions, truncated, "")

    def legal_actions(self) -> list[str]:
        """Return the legal moves as texts, each of which is an answer; empty after the end."""
        if self._done:
            return []
        return [CONTINUE] if self._is_waiting else self.position.answers

    @property
    def observation(self) -> str:
        """The text of the position; after the end, the table and the results."""
        if self._done:
            return f"{self.position.state_text}\n\n{self._result_text()}"
        if self._is_waiting:
            instruction = self.instruction.replace("{example}", CONTINUE)
            end = f"The hand ended before your first turn.\nLegal moves:\n- {CONTINUE}: see the end"
            return f"{self.position.state_text}\n\n{end}\n\n{instruction}"
        return self.position.text

    @property
    def _is_waiting(self) -> bool:
        """Whether the hand ended before the first turn of the seat, and the next step says so."""
        return not self._done and bool(self.env.state["over"])

    def _look(self) -> None:
        """Describe the current position."""
        self.position = TextPosition(
            self.game,
            self.rules,
            self.env.clone(),
            self.form,
            self.disguise,
            self.instruction,
        )

    def _read(self, text: str) -> list[int]:
        return [0] if self._is_waiting else self.position.read_answer(text)

    def _describe(self, actions: list[int], truncated: bool, mistake: str) -> dict[str, Any]:
        return self._info | {
            "truncated": truncated,
            "actions": actions,
            "mistake": mistake,
            "mistakes": self._mistakes,
        }

    def _result_text(self) -> str:
        goal = self.game.goal_name(self.rules)
        reached = "reached" if self._info[goal] else "not reached"
        end = "won" if self._info[goal] else "not won"
        result = end if goal == "won" else f"goal {reached}"
        after = f" after {_count_moves(self._info['moves'])}" if self._truncated else ""
        return f"The game is over{after}: {result}, score {self._info['score']}."
