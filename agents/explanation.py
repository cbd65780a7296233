"""What an agent thinks of a turn, in one call: chances, values, statistics, and what it plays."""

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
"""So many games are shown as tables; ``to_pandas()`` has all."""
ALMOST = 1e-6
"""By so much the chances of a game may miss 1."""


@dataclass(frozen=True, eq=False, repr=False)
class Explanation:
    """What an agent thinks of n games, and the actions that it takes there.

    What the agent does not have is None. Arrays "by action" are (n, ``turn.game.actions``); a value
    is nan where the action is illegal, or the agent has not looked at it.
    """

    agent: str
    """Its name."""
    turn: Turn
    """What it was asked: game, rules, masks and the states as it saw them."""
    actions: np.ndarray
    """What it plays, int64 (n,): exactly what ``agent.act(turn)`` returns."""
    probabilities: np.ndarray | None = None
    """The chance with which it plays each action, float64, by action; 0 for illegal ones."""
    policy: np.ndarray | None = None
    """What its policy gives each action before it chooses, float64, by action; 0 for illegal ones.

    Of one that plays the likeliest action, ``probabilities`` are 1 there.
    """
    state_values: np.ndarray | None = None
    """What it thinks the position is worth, float64 (n,)."""
    action_values: np.ndarray | None = None
    """What it thinks each action is worth, float64, by action."""
    unit: str = ""
    """What its values count, in words."""
    statistics: Mapping[str, np.ndarray] | None = None
    """Of its search: an array (n,), or by action, for each name, such as ``worlds``, ``visits``."""
    sees_all: bool = False
    """Whether it knew the hidden cards: then all this tells of them."""

    def __len__(self) -> int:
        """How many games there are."""
        return len(self.actions)

    def rows(self, game: int = 0) -> list[dict[str, Any]]:
        """Return what it thinks of each legal action of one game, as JSON has it.

        An action has its number, ``label``, ``word`` (what a person may call it), whether it is
        ``played``, and, where the agent has them, ``probability``, ``policy``, ``value`` and the
        statistics by action; what is not known is None.
        """
        turn = self.turn
        words = turn.game.action_words(turn.states[game], turn.rules)
        columns = self._by_action()
        return [
            {
                "action": action,
                "label": turn.game.label(action),
                "word": words[action][0] if words.get(action) else "",
                "played": bool(action == self.actions[game]),
                **{name: _plain(values[game, action]) for name, values in columns.items()},
            }
            for action in np.flatnonzero(turn.masks[game]).tolist()
        ]

    def summary(self, game: int = 0) -> dict[str, Any]:
        """Return all of one game as JSON has it; ``actions`` are the `rows`."""
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
        """Return a row for each game and legal action: `rows`, and what there is of the game.

        Raises ModuleNotFoundError where pandas is not installed.
        """
        found = []
        for game in range(len(self)):
            said = self.summary(game)
            fields = {name: said[name] for name in said if name not in _NOT_OF_GAME}
            found += [{"game": game, **row, **fields} for row in said["actions"]]
        return import_module("pandas").DataFrame(found)

    def _by_action(self) -> dict[str, np.ndarray]:
        found = {
            "probability": self.probabilities,
            "policy": self.policy,
            "value": self.action_values,
            **(self.statistics or {}),
        }
        return {
            name: values for name, values in found.items() if values is not None and values.ndim > 1
        }

    def _heading(self, game: int) -> str:
        """One line of what it plays there, and of what it says of the game as a whole."""
        said = self.summary(game)
        parts = [f"{name} {_text(said[name])}" for name in said if name not in _NOT_OF_GAME]
        unit = [f"values: {self.unit}"] if self.unit else []
        knows = ["sees the hidden cards"] if self.sees_all else []
        label = self.turn.game.label(int(self.actions[game]))
        return f"{self.agent} plays {label}" + "".join(f"; {part}" for part in parts + unit + knows)

    def _cells(self, game: int) -> list[list[str]]:
        """The table of a game as text: its head, then its rows, what is played marked."""
        rows = self.rows(game)
        names = [name for name in rows[0] if name not in ("action", "played")]
        lines = [["" if row[name] is None else _text(row[name]) for name in names] for row in rows]
        marks = ["→" if row["played"] else "" for row in rows]
        return [["", *names], *([mark, *line] for mark, line in zip(marks, lines, strict=True))]

    def __str__(self) -> str:
        """The tables, as text: what ``print`` shows."""
        return "\n\n".join(
            [self._heading(game) + "\n" + _align(self._cells(game)) for game in self._shown()]
            + self._left_out()
        )

    def _repr_html_(self) -> str:
        tables = [
            f"<p>{escape(self._heading(game))}</p>{_html_table(self._cells(game))}"
            for game in self._shown()
        ]
        return "".join([*tables, *(f"<p>{text}</p>" for text in self._left_out())])

    def _shown(self) -> range:
        return range(min(len(self), SHOWN_GAMES))

    def _left_out(self) -> list[str]:
        left = len(self) - SHOWN_GAMES
        return [f"... and {left} more games"] if left > 0 else []

    def __repr__(self) -> str:
        """One line: the arrays are long."""
        fields = ("probabilities", "policy", "state_values", "action_values", "statistics")
        has = [name for name in fields if getattr(self, name) is not None]
        games = f"{len(self)} game{'s' * (len(self) != 1)} of {self.turn.game.title}"
        return f"<{type(self).__name__}: {self.agent}, {games}; {', '.join(has) or 'no more'}>"


_NOT_OF_GAME = ("agent", "sees_all", "unit", "action", "actions")


def explain(agent: Agent, turn: Turn) -> Explanation:
    """Return what an agent thinks of a turn, checked; of one without ``explain`` what it plays.

    Raises IllegalActionError for an action that is not legal, ValueError, naming agent and field,
    for an answer that is no `Explanation` of this turn.
    """
    method = getattr(agent, "explain", None)
    if method is None:
        name, sees_all = agent_name(agent), agent_field(agent, "sees_all")
        return Explanation(name, turn, choose_actions(agent, turn), sees_all=sees_all)
    found = method(turn)
    if not isinstance(found, Explanation):
        raise ValueError(
            f"agent {agent_name(agent)!r}: explain returned {type(found).__name__}; an Explanation "
            "is needed"
        )
    check_actions(agent, turn, found.actions)
    _check(found, turn)
    return found


def _check(found: Explanation, turn: Turn) -> None:
    """Refuse arrays of another shape, and chances that are none."""
    n, whole = len(turn.masks), turn.masks.shape
    statistics = {f"statistics[{name!r}]": one for name, one in (found.statistics or {}).items()}
    for field, shapes in (
        ("probabilities", [whole]),
        ("policy", [whole]),
        ("state_values", [(n,)]),
        ("action_values", [whole]),
        *((name, [(n,), whole]) for name in statistics),
    ):
        values = statistics[field] if field in statistics else getattr(found, field)
        if values is not None and np.shape(values) not in shapes:
            needed = " or ".join(map(str, shapes))
            raise ValueError(
                f"agent {found.agent!r}: explain: {field} has shape {np.shape(values)}; needed is "
                f"{needed}"
            )
    for field in ("probabilities", "policy"):
        chances = getattr(found, field)
        if chances is None:
            continue
        if (chances[~turn.masks] != 0).any():
            raise ValueError(
                f"agent {found.agent!r}: explain: {field} of illegal actions must be 0"
            )
        if not (chances >= 0).all() or (abs(chances.sum(axis=1) - 1) > ALMOST).any():
            raise ValueError(
                f"agent {found.agent!r}: explain: {field} of each game must be numbers from 0 that "
                "add up to 1"
            )


def certain(turn: Turn, actions: np.ndarray) -> np.ndarray:
    """Return the probabilities of one who plays these actions for sure, float64, by action."""
    return np.asarray(np.eye(turn.game.actions)[actions])


def of_legal(turn: Turn, values: np.ndarray) -> np.ndarray:
    """Return values by action as float64, nan for illegal ones."""
    return np.where(turn.masks, np.asarray(values, np.float64), np.nan)


def _plain(value: Any) -> Any:
    """A number as JSON has it; None for nan."""
    found = value.item() if isinstance(value, np.generic) else value
    return None if isinstance(found, float) and not np.isfinite(found) else found


def _text(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.4g}"
    return "–" if value is None else str(value)


def _align(cells: list[list[str]]) -> str:
    """Lines of columns: words to the left, numbers to the right."""
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
