"""The best result of a person in each solitaire and set of rules, saved in a small file.

The file is ``parlour/best.json`` in the user's state folder (``XDG_STATE_HOME``, else
``~/.local/state``). An unreadable file counts as empty.
"""

import json
import os
import uuid
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from parlour.envs import Game


class Best(NamedTuple):
    """The result of one game."""

    won: bool
    score: int
    moves: int
    seconds: float
    taken_back: bool = False
    """Whether the player undid moves or restarted the deal, which no rules allow."""

    def better_than(self, other: "Best | None") -> bool:
        """Return whether the result is better: by win, score, no undo, fewer moves, less time."""
        return other is None or self._rank() > other._rank()

    def _rank(self) -> tuple[bool, int, bool, int, float]:
        return self.won, self.score, not self.taken_back, -self.moves, -self.seconds

    def __str__(self) -> str:
        result = "won" if self.won else f"score {self.score}"
        mark = ", with moves taken back" if self.taken_back else ""
        return f"{result} in {self.moves} moves, {duration_text(self.seconds)}{mark}"


def duration_text(seconds: float) -> str:
    """Format a duration as ``3:07`` or ``1:02:03``."""
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def rules_key(game: Game, rules: Any) -> str:
    """Return the key of a set of rules in the file."""
    return f"{game.name} {game.rules_digest(rules)}"


def best_file() -> Path:
    """Return the path of the file. Raises OSError if there is no home folder."""
    try:
        state = os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state"
    except RuntimeError as error:
        raise OSError(str(error)) from error
    return Path(state) / "parlour" / "best.json"


def load_best(rules: str, path: Path | None = None) -> Best | None:
    """Return the best result for a `rules_key`, or None if there is none or it is unreadable.

    ``path`` is the file (None: `best_file`).
    """
    try:
        won, score, moves, seconds, *taken_back = _read(path)[rules]
        return Best(bool(won), int(score), int(moves), float(seconds), any(taken_back))
    except (KeyError, TypeError, ValueError):
        return None


def save_if_best(rules: str, best: Best, path: Path | None = None) -> bool:
    """Save a result if it is better than the saved one; return whether it was.

    ``path`` is the file (None: `best_file`). Raises OSError if the file cannot be written.
    """
    if not best.better_than(load_best(rules, path)):
        return False
    path = path or best_file()
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f".{path.name}.{uuid.uuid4().hex}")
    try:
        part.write_text(json.dumps(_read(path) | {rules: list(best)}, indent=1), encoding="utf-8")
        part.replace(path)
    except OSError:
        with suppress(OSError):
            part.unlink()
        raise
    return True


def _read(path: Path | None) -> dict[str, Any]:
    try:
        content = json.loads((path or best_file()).read_text(encoding="utf-8-sig"))
    except (OSError, ValueError):
        return {}
    return content if isinstance(content, dict) else {}
