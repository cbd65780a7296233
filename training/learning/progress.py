"""What a training run says of itself: a log that survives being killed, and a progress bar.

``progress.jsonl`` is the log: one line for each rollout and update. TensorBoard's files are a copy
of it, written anew on resuming, so that no step is in either of them twice or missing.
"""

import json
import shutil
import sys
import time
from hashlib import sha256
from pathlib import Path
from types import TracebackType
from typing import Any, TextIO

from torch.utils.tensorboard import SummaryWriter
from tqdm import tqdm

from parlour.agents.validation import naming, read_bytes

from ..files import FileDigest, name_path, sync, write_bytes

FILE, BOARD = "progress.jsonl", "tensorboard"
MOST = 1 << 32
"""Bytes that a log may have."""
BAR = "{desc} {percentage:.0f}%|{bar}| {n_fmt}/{total_fmt} {rate_fmt} {remaining} left{postfix}"
"""So that all of it, and a bar, fits into 80 columns."""
LINE_SECONDS = 30.0
"""Seconds between two lines where no progress bar can be drawn."""


class RunLog:
    """The log of one training seed. ``steps``: keep what was logged up to there, drop the rest."""

    def __init__(self, folder: Path, steps: int = 0) -> None:
        self.path = folder / FILE
        kept = [line for line in read(self.path) if line["steps"] <= steps]
        text = "".join(json.dumps(line) + "\n" for line in kept)
        write_bytes(self.path, text.encode())
        self.hash, self.bytes = sha256(text.encode()), len(text.encode())
        shutil.rmtree(folder / BOARD, ignore_errors=True)
        self.board = SummaryWriter(folder / BOARD)
        for line in kept:
            self._to_board(line)
        self.file: TextIO = self.path.open("a", encoding="utf-8")

    def write(self, steps: int, values: dict[str, float]) -> None:
        """Log the values of one rollout and update, ended after so many steps."""
        line = {"steps": steps, "time": round(time.time(), 3)} | values
        text = json.dumps(line) + "\n"
        with name_path(self.path):
            self.file.write(text)
            self.file.flush()
        self.hash.update(text.encode())
        self.bytes += len(text.encode())
        with name_path(self.path.parent / BOARD):
            self._to_board(line)

    def _to_board(self, line: dict[str, float]) -> None:
        for name, value in line.items():
            if name not in ("steps", "time"):
                self.board.add_scalar(name, value, int(line["steps"]), line["time"])

    def sync(self) -> None:
        """Bring all that was logged to disk: to be called before a checkpoint."""
        with name_path(self.path):
            self.file.flush()
            sync(self.path)
        with name_path(self.path.parent / BOARD):
            self.board.flush()

    def digest(self) -> FileDigest:
        """Return size and SHA-256 of the log so far."""
        return FileDigest(self.bytes, self.hash.hexdigest())

    def close(self) -> None:
        """Close the files."""
        try:
            self.file.close()
        finally:
            self.board.close()


def read(path: Path) -> list[dict[str, Any]]:
    """Return the whole lines of a log; what was cut short at its end is left out.

    Raises ValueError naming a damaged line that whole ones follow.
    """
    if not path.exists():
        return []
    with naming(path):
        text = read_bytes(path, MOST).decode("utf-8-sig", errors="replace")
    found = [_line(line) for line in text.split("\n")[:-1] if line.strip()]
    while found and found[-1] is None:
        found.pop()
    if None in found:
        number = found.index(None) + 1
        raise ValueError(f"{path}: line {number} is damaged: mend it, or remove it")
    return [line for line in found if line is not None]


def _line(text: str) -> dict[str, Any] | None:
    try:
        line = json.loads(text)
        numbers = all(type(value) in (int, float) for value in line.values())
        return line if type(line["steps"]) is int and numbers and "time" in line else None
    except (ValueError, TypeError, AttributeError, LookupError, RecursionError):
        return None


class Bar:
    """Steps done, steps/s, success rate, time left: a bar on a terminal, else a line at times.

    ``unit`` is what is counted, where it is not steps.
    """

    def __init__(
        self, label: str, total: int, done: int, quiet: bool = False, unit: str = "steps"
    ) -> None:
        drawn = sys.stderr.isatty() and not quiet
        self.bar = tqdm(
            total=total,
            initial=done,
            desc=label,
            unit=f" {unit}",
            unit_scale=True,
            dynamic_ncols=True,
            bar_format=BAR,
            disable=not drawn,
        )
        self.lines = not drawn and not quiet
        self.label, self.total, self.first, self.done = label, total, done, done
        self.unit = unit
        self.begun = self.said = time.monotonic()

    def __enter__(self) -> "Bar":
        """Return the bar itself."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Leave the bar as it stands."""
        self.bar.close()

    def update(
        self, done: int, note: str, always: bool = False, most_left: float | None = None
    ) -> None:
        """Show that so many steps are done; ``always``: where lines are written, write one now.

        ``most_left``: seconds after which it ends whatever is done by then; None: no such limit.
        """
        now = time.monotonic()
        speed, total = (done - self.first) / (now - self.begun), self.total
        if most_left is not None:
            total = min(total, done + int(speed * max(most_left, 0)))
        self.bar.total = total
        self.bar.set_postfix_str(note, refresh=False)
        self.bar.update(done - self.done)
        self.done = done
        if self.lines and (always or now - self.said >= LINE_SECONDS):
            self.said = now
            left = max(total - done, 0) / speed
            print(
                f"{self.label}: {done:,}/{total:,} {self.unit}, "
                f"{speed:,.0f}/s, {note}, {left:,.0f} s left",
                file=sys.stderr,
                flush=True,
            )
