"""Functions for tests that read finished runs."""

import json
from pathlib import Path
from typing import Any

from parlour.training.learning import progress


def read_result(folder: Path, seed: int = 0) -> dict[str, Any]:
    """Return the result of a seed of a run."""
    result: dict[str, Any] = json.loads((folder / f"seed-{seed}" / "result.json").read_text())
    return result


def read_log(folder: Path) -> list[dict[str, Any]]:
    """Return the log of seed 0 without the times."""
    lines = progress.read(folder / "seed-0" / "progress.jsonl")
    return [{name: line[name] for name in line if name != "time"} for line in lines]
