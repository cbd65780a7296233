"""Explanations: an agent's probabilities, values, search statistics and actions for a turn."""

from collections.abc import Mapping
from dataclasses import dataclass
from html import escape
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np

from parlour.envs.core.turn import (
    Agent,
    Turn,
    agent_field,
    agent_name,
    check_actions,
    choose_actions,
)

if TYPE_CHECKING:
    from pandas import DataFrame

SHOWN_GAMES = 4
"""Maximum number of games shown as tables; ``to_pandas()`` has all games."""
TOLERANCE = 1e-6
"""Allowed deviation of the sum of a game's probabilities from 1."""


@dataclass(frozen=True, eq=False, repr=False)
class Explanation:
    """An agent's actions in n games, with the probabilities, values and statistics behind them.

    Fields that the agent does not provide are None. Arrays "by action" have shape (n,
    ``turn.game.actions``). A value is nan if the action is illegal or was not considered.
    """

    agent: str
    """Name of the agent."""
    turn: Turn
    """The turn: game, rules, masks, and the states as the agent saw them."""
    actions: np.ndarray
    """The actions that ``agent.act(turn)`` returns, int64 (n,)."""
    probabilities: np.ndarray | None = None
    """Probability that the agent plays each action, float64, by action; 0 for illegal actions."""
    policy: np.ndarray | None = None
    """Probability of each action under the agent's policy, float64, by action; 0 for illegal
    actions.

    If the agent always plays the most likely action, ``probabilities`` is 1 for that action.
    """
    state_values: np.ndarray | None = None
    """Values of the positions, float64 (n,)."""
    action_values: np.ndarray | None = None
    """Values of the actions, float64, by action."""
    unit: str = ""
    """Unit of the values, in words."""
    statistics: Mapping[str, np.ndarray] | None = None
    """Search statistics: arrays, (n,) or by action, by names such as ``worlds`` or ``visits``."""
    sees_all: bool = False
    """Whether the agent knew the hidden cards, so that the explanation reveals them."""

    def __len__(self) -> int:
        """Return the number of games."""
        return len(self.actions)

    def rows(self, game: int = 0) -> list[dict[str, Any]]:
        """Return one dictionary of JSON values per legal action of a game.

        Args:
            game: Index of the game in the turn, from 0.

        Returns:
            Dictionaries with these keys: ``action``, the number of the action; ``label``, its short
            name; ``text``, the phrase of `Game.describe_action`; ``word``, the name that people
            type; and ``played``, whether the agent plays the action. If the agent provides them,
            the keys ``probability``, ``policy`` and ``value`` and the names of the statistics by
            action are added. Unknown values are None.
        """
        turn = self.turn
        words = turn.game.action_words(turn.states[game], turn.rules)
        columns = self._by_action()
        return [
            {
                "action": action,
                "label": turn.game.label(action),
                "text": turn.describe_action(game, action),
                "word": words[action][0] if words.get(action) else "",
                "played": bool(action == self.actions[game]),
                **{name: _plain(values[game, action]) for name, values in columns.items()},
            }
            for action in np.flatnonzero(turn.masks[game]).tolist()
        ]

    def summary(self, game: int = 0) -> dict[str, Any]:
        """Return all fields for one game as JSON values. ``actions`` is the result of `rows`.

        Args:
            game: Index of the game in the turn, from 0.
        """
        by_game = {"state_value": self.state_values, **(self.statistics or {})}
        return {
            "agent": self.agent,
            "sees_all": self.sees_all,
            "unit": self.unit,
            "action": int(self.actions[game]),
            **{
                name: _plain(values[game])
                for name, values in by_game.items()
                if values is not None and values.ndim == 1
            },
            "actions": self.rows(game),
        }

    def to_pandas(self) -> "DataFrame":
        """Return a data frame with the `rows` of all games; each row includes its game's values.

        Raises:
            ModuleNotFoundError: pandas is not installed.
        """
        records = []
        for game in range(len(self)):
            summary = self.summary(game)
            fields = {name: summary[name] for name in summary if name not in _NOT_OF_GAME}
            records += [{"game": game, **row, **fields} for row in summary["actions"]]
        return import_module("pandas").DataFrame(records)

    def _by_action(self) -> dict[str, np.ndarray]:
        columns = {
            "probability": self.probabilities,
            "policy": self.policy,
            "value": self.action_values,
            **(self.statistics or {}),
        }
        return {
            name: values
            for name, values in columns.items()
            if values is not None and values.ndim > 1
        }

    def _heading(self, game: int) -> str:
        """Return one line with the action of the agent in a game and the values of the game."""
        summary = self.summary(game)
        parts = [f"{name} {_text(summary[name])}" for name in summary if name not in _NOT_OF_GAME]
        if self.unit:
            parts.append(f"values: {self.unit}")
        if self.sees_all:
            parts.append("sees the hidden cards")
        action_text = self.turn.describe_action(game, int(self.actions[game]))
        return f"{self.agent}: {action_text}" + "".join(f"; {part}" for part in parts)

    def _cells(self, game: int) -> list[list[str]]:
        """Return the table of a game as text: header, then rows, with the played action marked."""
        rows = self.rows(game)
        names = [name for name in rows[0] if name not in ("action", "label", "played")]
        lines = [["" if row[name] is None else _text(row[name]) for name in names] for row in rows]
        marks = ["→" if row["played"] else "" for row in rows]
        heads = ["action" if name == "text" else name for name in names]
        return [["", *heads], *([mark, *line] for mark, line in zip(marks, lines, strict=True))]

    def __str__(self) -> str:
        """Return the tables of the first games as text."""
        return "\n\n".join(
            [self._heading(game) + "\n" + _align(self._cells(game)) for game in self._shown()]
            + self._omitted()
        )

    def _repr_html_(self) -> str:
        tables = [
            f"<p>{escape(self._heading(game))}</p>{_html_table(self._cells(game))}"
            for game in self._shown()
        ]
        return "".join([*tables, *(f"<p>{text}</p>" for text in self._omitted())])

    def _shown(self) -> range:
        return range(min(len(self), SHOWN_GAMES))

    def _omitted(self) -> list[str]:
        count = len(self) - SHOWN_GAMES
        return [f"... and {count} more games"] if count > 0 else []

    def __repr__(self) -> str:
        """Return a one-line summary without the arrays."""
        fields = ("probabilities", "policy", "state_values", "action_values", "statistics")
        has = [name for name in fields if getattr(self, name) is not None]
        games = f"{len(self)} game{'s' * (len(self) != 1)} of {self.turn.game.title}"
        return f"<{type(self).__name__}: {self.agent}, {games}; {', '.join(has) or 'actions only'}>"


_NOT_OF_GAME = ("agent", "sees_all", "unit", "action", "actions")


def explain(agent: Agent, turn: Turn) -> Explanation:
    """Return the validated explanation of an agent's actions in a turn.

    For an agent without an ``explain`` method, the explanation contains the actions, and the
    probabilities if the agent has a method ``probabilities(turn)``.

    Raises:
        IllegalActionError: an action is not legal.
        ValueError: the agent does not return a valid `Explanation` of this turn.
    """
    method = getattr(agent, "explain", None)
    if method is None:
        name, sees_all = agent_name(agent), agent_field(agent, "sees_all")
        actions, probabilities = choose_actions(agent, turn), getattr(agent, "probabilities", None)
        return Explanation(
            name,
            turn,
            actions,
            None if probabilities is None else probabilities(turn),
            sees_all=sees_all,
        )
    explanation = method(turn)
    if not isinstance(explanation, Explanation):
        raise ValueError(
            f"agent {agent_name(agent)!r}: explain must return an Explanation, got "
            f"{type(explanation).__name__}"
        )
    check_actions(agent, turn, explanation.actions)
    _check(explanation, turn)
    return explanation


def _check(explanation: Explanation, turn: Turn) -> None:
    """Raise ValueError for arrays of the wrong shape and for invalid probabilities."""
    by_game, by_action = (len(turn.masks),), turn.masks.shape
    of_agent = f"agent {explanation.agent!r}: explain:"
    fields: list[tuple[str, np.ndarray | None, list[tuple[int, ...]]]] = [
        ("probabilities", explanation.probabilities, [by_action]),
        ("policy", explanation.policy, [by_action]),
        ("state_values", explanation.state_values, [by_game]),
        ("action_values", explanation.action_values, [by_action]),
    ]
    for name, statistic in (explanation.statistics or {}).items():
        fields.append((f"statistics[{name!r}]", statistic, [by_game, by_action]))
    for field, values, shapes in fields:
        if values is not None and np.shape(values) not in shapes:
            needed = " or ".join(map(str, shapes))
            raise ValueError(f"{of_agent} {field} must have shape {needed}, got {np.shape(values)}")
    for field, probabilities, _ in fields[:2]:
        if probabilities is None:
            continue
        if (probabilities[~turn.masks] != 0).any():
            raise ValueError(f"{of_agent} {field} of illegal actions must be 0")
        if not (probabilities >= 0).all() or (abs(probabilities.sum(axis=1) - 1) > TOLERANCE).any():
            raise ValueError(
                f"{of_agent} {field} of each game must be nonnegative numbers with sum 1"
            )


def one_hot_choice(turn: Turn, actions: np.ndarray) -> np.ndarray:
    """Return a probability of 1 for each of these actions, float64 (n, actions)."""
    return np.asarray(np.eye(turn.game.actions)[actions])


def mask_illegal(turn: Turn, values: np.ndarray) -> np.ndarray:
    """Return values by action as float64, with nan for illegal actions."""
    return np.where(turn.masks, np.asarray(values, np.float64), np.nan)


def rows_with_choice(turn: Turn) -> np.ndarray:
    """Return the rows of a turn in which several actions are legal, int64 (k,)."""
    return np.flatnonzero(turn.masks.sum(axis=1) > 1)


def _plain(value: Any) -> Any:
    """Return a number as a plain Python number; None for nan."""
    number = value.item() if isinstance(value, np.generic) else value
    return None if isinstance(number, float) and not np.isfinite(number) else number


def _text(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.4g}"
    return "–" if value is None else str(value)


def _align(cells: list[list[str]]) -> str:
    """Return the lines of a table, with words aligned left and numbers aligned right."""
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    lines = [
        "  ".join(
            cell.ljust(width) if place < 3 else cell.rjust(width)
            for place, (cell, width) in enumerate(zip(line, widths, strict=True))
        )
        for line in cells
    ]
    return "\n".join(line.rstrip() for line in lines)


def _html_table(cells: list[list[str]]) -> str:
    head, *rows = (
        [f"<{tag}>{escape(cell)}</{tag}>" for cell in line]
        for tag, line in zip(["th"] + ["td"] * (len(cells) - 1), cells, strict=True)
    )
    lines = "".join(f"<tr>{''.join(line)}</tr>" for line in (head, *rows))
    return f"<table>{lines}</table>"
