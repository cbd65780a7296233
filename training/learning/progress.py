"""The log of a training run, which survives a killed process, and the progress bar.

``progress.jsonl`` is the log, with one line per iteration (a rollout and its update). The
TensorBoard files are a copy of the log. Resuming a run rewrites them, so that no step is missing or
duplicated.
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

from parlour.agents.validation import name_file_in_errors, read_bytes

from ..files import FileDigest, name_path, sync, write_bytes

FILE, BOARD = "progress.jsonl", "tensorboard"
MOST = 1 << 32
"""Maximum size of a log in bytes."""
BAR = "{desc} {percentage:.0f}%|{bar}| {n_fmt}/{total_fmt} {rate_fmt} {remaining} left{postfix}"
"""Format of the bar, which fits into 80 columns."""
LINE_SECONDS = 30.0
"""Seconds between progress lines, if stderr is not a terminal."""


class RunLog:
    """The log of one training seed. Opening a log drops all lines after ``steps``."""

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
        """Log the values of an iteration that ended at step ``steps``."""
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
        """Write the whole log to disk, before a checkpoint is saved."""
        with name_path(self.path):
            self.file.flush()
            sync(self.path)
        with name_path(self.path.parent / BOARD):
            self.board.flush()

    def digest(self) -> FileDigest:
        """Return the size and the SHA-256 of the log so far."""
        return FileDigest(self.bytes, self.hash.hexdigest())

    def close(self) -> None:
        """Close the files."""
        try:
            self.file.close()
        finally:
            self.board.close()


def read(path: Path) -> list[dict[str, Any]]:
    """Return the lines of a log, without incomplete lines at its end.

    Raises ValueError for a damaged line that is followed by complete lines.
    """
    if not path.exists():
        return []
    with name_file_in_errors(path):
        text = read_bytes(path, MOST).decode("utf-8-sig", errors="replace")
    lines = [_read_line(line) for line in text.split("\n")[:-1] if line.strip()]
    while lines and lines[-1] is None:
        lines.pop()
    if None in lines:
        number = lines.index(None) + 1
        raise ValueError(f"{path}: line {number} is damaged. Repair or remove the line")
    return [line for line in lines if line is not None]


def _read_line(text: str) -> dict[str, Any] | None:
    """Return a line of a log, or None if it is damaged."""
    try:
        line = json.loads(text)
        has_numbers = all(type(value) in (int, float) for value in line.values())
        return line if type(line["steps"]) is int and has_numbers and "time" in line else None
    except (ValueError, TypeError, AttributeError, LookupError, RecursionError):
        return None


class Bar:
    """Progress of a run: a bar on a terminal, otherwise lines.

    It shows completed steps, steps per second, the success rate and the time left. ``unit`` is the
    unit of the steps.
    """

    def __init__(
        self, label: str, total: int, done: int, quiet: bool = False, unit: str = "steps"
    ) -> None:
        is_drawn = sys.stderr.isatty() and not quiet
        self.bar = tqdm(
            total=total,
            initial=done,
            desc=label,
            unit=f" {unit}",
            unit_scale=True,
            dynamic_ncols=True,
            bar_format=BAR,
            disable=not is_drawn,
        )
        self.prints_lines = not is_drawn and not quiet
        self.label, self.total, self.first, self.done = label, total, done, done
        self.unit = unit
        self.begun = self.last_line = time.monotonic()

    def __enter__(self) -> "Bar":
        """Return the bar itself."""
        return self

    def __exit__(
        self,
        error_type: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close the bar."""
        self.bar.close()

    def update(
        self, done: int, note: str, always: bool = False, seconds_left: float | None = None
    ) -> None:
        """Show the progress.

        Args:
            done: number of completed steps.
            note: text at the end of the line.
            always: whether to write a line now, if stderr is not a terminal.
            seconds_left: seconds until the time limit of the run (None: no limit).
        """
        now = time.monotonic()
        speed, total = (done - self.first) / (now - self.begun), self.total
        if seconds_left is not None:
            total = min(total, done + int(speed * max(seconds_left, 0)))
        self.bar.total = total
        self.bar.set_postfix_str(note, refresh=False)
        self.bar.update(done - self.done)
        self.done = done
        if self.prints_lines and (always or now - self.last_line >= LINE_SECONDS):
            self.last_line = now
            left = max(total - done, 0) / speed if speed else 0.0
            print(
                f"{self.label}: {done:,}/{total:,} {self.unit}, "
                f"{speed:,.0f}/s, {note}, {left:,.0f} s left",
                file=sys.stderr,
                flush=True,
            )
