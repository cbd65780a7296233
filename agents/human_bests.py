"""The best result that a person has reached alone by each set of rules, kept in a small file.

The file is ``parlour/best.json`` in the user's state folder (``XDG_STATE_HOME``, else
``~/.local/state``). A game never fails because it cannot be read or written.
"""

import json
import os
import uuid
from pathlib import Path
from typing import Any, NamedTuple

from parlour.envs import Game


class Best(NamedTuple):
    """A result: later fields decide only between results with equal earlier ones."""

    won: bool
    score: int
    moves: int
    seconds: float
    taken_back: bool = False
    """Whether moves were taken back, or the deal begun again, which the rules do not have."""

    def better_than(self, other: "Best | None") -> bool:
        """Whether it is better: won, score, nothing taken back, fewer moves, less time."""
        return other is None or self._rank() > other._rank()

    def _rank(self) -> tuple[bool, int, bool, int, float]:
        return self.won, self.score, not self.taken_back, -self.moves, -self.seconds

    def __str__(self) -> str:
        result = "won" if self.won else f"score {self.score}"
        mark = ", with moves taken back" if self.taken_back else ""
        return f"{result} in {self.moves} moves, {duration_text(self.seconds)}{mark}"


def duration_text(seconds: float) -> str:
    """Write a time as ``3:07`` or ``1:02:03``."""
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def rules_key(game: Game, rules: Any) -> str:
    """Return the name under which results by these rules are kept."""
    return f"{game.name} {game.rules_digest(rules)}"


def best_file() -> Path:
    """Return where results are kept. Raises RuntimeError if there is no home folder."""
    state = os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state"
    return Path(state) / "parlour" / "best.json"


def load_best(rules: str) -> Best | None:
    """Return the best result for a `rules_key`, or None if there is none or it cannot be read."""
    try:
        won, score, moves, seconds, *more = _read()[rules]  # older files have four
        return Best(bool(won), int(score), int(moves), float(seconds), any(more))
    except (KeyError, TypeError, ValueError):
        return None


def keep_best(rules: str, best: Best) -> bool:
    """Write a result down if it is better than the one kept; whether it was, and could be."""
    if not best.better_than(load_best(rules)):
        return False
    try:
        path = best_file()
        path.parent.mkdir(parents=True, exist_ok=True)
        part = path.with_name(f".{path.name}.{uuid.uuid4().hex}")
        part.write_text(json.dumps(_read() | {rules: list(best)}, indent=1), encoding="utf-8")
        part.replace(path)
    except (OSError, RuntimeError):
        return False
    return True


def _read() -> dict[str, Any]:
    try:
        found = json.loads(best_file().read_text(encoding="utf-8-sig"))
    except (OSError, RuntimeError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}
