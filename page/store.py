"""Results of games, kept in an SQLite file in the user's data folder."""

import os
import sqlite3
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

COLUMNS = {
    "game": "TEXT",
    "variant": "TEXT",
    "rules": "TEXT",
    "source": "TEXT",
    "players": "TEXT",
    "won": "INTEGER",
    "score": "INTEGER",
    "moves": "INTEGER",
    "seconds": "REAL",
    "taken_back": "INTEGER",
    "agent_moves": "INTEGER",
}
"""What is kept of a game: ``taken_back``: 1 where moves were that the rules do not take back.

``rules`` is the digest of the rules, ``agent_moves`` how many an agent made for the player.
"""
_MAKE = (
    "CREATE TABLE IF NOT EXISTS results (id INTEGER PRIMARY KEY, played TEXT DEFAULT "
    f"CURRENT_TIMESTAMP, {', '.join(f'{name} {kind}' for name, kind in COLUMNS.items())})"
)


def data_file() -> Path:
    """Return where results are kept if nothing else is said."""
    data = os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share"
    return Path(data) / "parlour" / "results.sqlite"


class Tally(NamedTuple):
    """What has come of games by the same rules: how many, and the score and moves of the best."""

    played: int
    won: int
    score: int | None
    moves: int | None


class ResultStore:
    """The results in one file; any thread may call it. OSError if it cannot be written."""

    def __init__(self, path: Path) -> None:
        self.lock = threading.Lock()
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            self.connection = sqlite3.connect(path, check_same_thread=False)
            with self.connection:
                self.connection.execute(_MAKE)
        except sqlite3.Error as error:
            raise OSError(f"db={str(path)!r}: {error}") from error

    def add(self, result: Mapping[str, Any]) -> None:
        """Write one result down: a value for each of `COLUMNS`."""
        marks = ", ".join("?" * len(COLUMNS))
        with self.lock, self.connection:
            self.connection.execute(
                f"INSERT INTO results ({', '.join(COLUMNS)}) VALUES ({marks})",
                [result[name] for name in COLUMNS],
            )

    def rows(self) -> list[dict[str, Any]]:
        """Return all results, the first ones first."""
        with self.lock:
            found = self.connection.execute(f"SELECT {', '.join(COLUMNS)} FROM results ORDER BY id")
            return [dict(zip(COLUMNS, row, strict=True)) for row in found]

    def tally(self, game: str, rules: str) -> Tally:
        """Return what has come of one's games by rules, named by their digest.

        The best one is the one won, with the highest score, in the fewest moves; those in which
        moves were taken back against the rules, or made by an agent, only count as played.
        """
        own = "agent_moves = 0 AND taken_back = 0"
        with self.lock:
            played, won = self.connection.execute(
                f"SELECT COUNT(*), COALESCE(SUM(won AND {own}), 0) FROM results "
                "WHERE game = ? AND rules = ?",
                (game, rules),
            ).fetchone()
            best = self.connection.execute(
                f"SELECT score, moves FROM results WHERE game = ? AND rules = ? AND {own} "
                "ORDER BY won DESC, score DESC, moves LIMIT 1",
                (game, rules),
            ).fetchone()
        return Tally(played, won, *(best or (None, None)))

    def close(self) -> None:
        """Close the file."""
        with self.lock:
            self.connection.close()
