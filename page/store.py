"""Results of games, saved in an SQLite file in the user's data folder."""

import os
import sqlite3
import threading
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager, suppress
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
"""The columns of a result. ``taken_back`` is 1 if moves were taken back against the rules.

``rules`` is the digest of the rules, and ``agent_moves`` is the number of moves that an agent made
for the player.
"""
_MAKE = (
    "CREATE TABLE IF NOT EXISTS results (id INTEGER PRIMARY KEY, played TEXT DEFAULT "
    f"CURRENT_TIMESTAMP, {', '.join(f'{name} {kind}' for name, kind in COLUMNS.items())})"
)
_ADD = f"INSERT INTO results ({', '.join(COLUMNS)}) VALUES ({', '.join('?' * len(COLUMNS))})"
PATIENCE = 0.5
"""Seconds to wait for a file that another program has locked; the page waits, too."""
MOST_UNSAVED = 1_000
"""Maximum number of results kept in memory while the file cannot be written."""


def data_file() -> Path:
    """Return the default file of results. Raises OSError if there is no home folder."""
    try:
        data = os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share"
    except RuntimeError as error:
        raise OSError(
            f"--db must name a file, because no home folder was found: {error}"
        ) from error
    return Path(data) / "parlour" / "results.sqlite"


class Tally(NamedTuple):
    """Counts of the games with the same rules, score and moves of the best game, total score."""

    played: int
    won: int
    score: int | None
    moves: int | None
    total: int = 0


class ResultStore:
    """The results in one file; any thread may use it.

    ``bests`` is the corresponding file of best results (None: `human_bests.best_file`). The file is
    opened for each call, so a file that was temporarily locked, full, moved or deleted works again
    afterwards. Raises OSError if the file cannot be read and written now.
    """

    def __init__(self, path: Path, bests: Path | None = None) -> None:
        self.path, self.bests = path, bests
        self.lock = threading.Lock()
        self.unsaved: list[list[Any]] = []
        """Results that could not be written yet; `add` and `close` try again."""
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with self._open() as connection:
                connection.execute("BEGIN IMMEDIATE")  # fails if the file cannot be written
        except OSError as error:
            why = error.strerror or error.__cause__
            raise OSError(f"--db must be a file that can be written, got {path}: {why}") from error

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        """Yield a connection, and commit at the end. Raises OSError naming the file."""
        try:
            with closing(sqlite3.connect(self.path, PATIENCE)) as connection, connection:
                connection.execute(_MAKE)
                yield connection
        except sqlite3.Error as error:
            raise OSError(f"{self.path}: {error}") from error

    def add(self, result: Mapping[str, Any]) -> None:
        """Save a result, a value for each of `COLUMNS`, and those that could not be saved before.

        Raises OSError if the file cannot be written; the result is then kept for the next call.
        """
        with self.lock:
            self.unsaved = [*self.unsaved, [result[name] for name in COLUMNS]][-MOST_UNSAVED:]
            self._write()

    def _write(self) -> None:
        if self.unsaved:
            with self._open() as connection:
                connection.executemany(_ADD, self.unsaved)
            self.unsaved = []

    def rows(self) -> list[dict[str, Any]]:
        """Return all results, oldest first. Raises OSError."""
        with self._open() as connection:
            rows = connection.execute(f"SELECT {', '.join(COLUMNS)} FROM results ORDER BY id")
            return [dict(zip(COLUMNS, row, strict=True)) for row in rows]

    def tally(self, game: str, rules: str) -> Tally:
        """Return the counts of games played and won with these rules (a digest). Raises OSError.

        The best game is the one that was won, with the highest score, in the fewest moves. Games in
        which moves were taken back against the rules count only as played. Games in which an agent
        made moves do not count.
        """
        is_own = "agent_moves = 0 AND taken_back = 0"
        with self._open() as connection:
            played, won, total = connection.execute(
                f"SELECT COUNT(*), COALESCE(SUM(won AND {is_own}), 0), "
                f"COALESCE(SUM(score * ({is_own})), 0) FROM results "
                "WHERE game = ? AND rules = ? AND agent_moves = 0",
                (game, rules),
            ).fetchone()
            best = connection.execute(
                f"SELECT score, moves FROM results WHERE game = ? AND rules = ? AND {is_own} "
                "ORDER BY won DESC, score DESC, moves LIMIT 1",
                (game, rules),
            ).fetchone()
        score, moves = best or (None, None)
        return Tally(played, won, score, moves, total)

    def close(self) -> int:
        """Try one last time to save the unsaved results; return the number of lost results."""
        with self.lock, suppress(OSError):
            self._write()
        return len(self.unsaved)
