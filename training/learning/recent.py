"""The games that ended last: what the running averages of a run are of."""

import numpy as np

RECENT = 2000
"""How many of the last finished games the running averages cover."""
EPISODE_RECORD = np.dtype(
    [
        ("won", np.int8),
        ("score", np.int32),
        ("moves", np.int32),
        ("steps", np.int32),
        ("return", float),
    ]
)


class RecentGames:
    """The last `RECENT` finished games, in a ring of records of `EPISODE_RECORD`."""

    def __init__(self) -> None:
        self.ring = np.zeros(RECENT, EPISODE_RECORD)
        self.finished = 0

    def clear(self) -> None:
        """Begin anew, with no game."""
        self.finished = 0

    def add(self, games: np.ndarray) -> None:
        """Add games that have ended, records (n,), the oldest first."""
        places = (self.finished + np.arange(len(games))) % RECENT
        self.ring[places] = games
        self.finished += len(games)

    @property
    def games(self) -> np.ndarray:
        """The games, records (n,), unsorted: a view."""
        return self.ring[: self.finished]
