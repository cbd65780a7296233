"""Helpers of benchmarks and studies: summaries of numbers, JSON files, document blocks."""

import json
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
END = "<!-- end -->"


def put_block(path: Path, name: str, text: str) -> None:
    """Put text between a document's ``<!-- generated: NAME -->`` and the next ``<!-- end -->``.

    Raises SystemExit if the document has no such block.
    """
    begin = f"<!-- generated: {name} -->"
    before, marker, rest = path.read_text(encoding="utf-8").partition(begin)
    if not marker or END not in rest:
        raise SystemExit(f"{path.name} has no line {begin}")
    after = rest.partition(END)[2]
    path.write_text(f"{before}{begin}\n\n{text.strip()}\n\n{END}{after}", encoding="utf-8")


def write_json(path: Path, figures: Any, indent: int = 1) -> None:
    """Write figures as a JSON file."""
    path.write_text(json.dumps(figures, indent=indent) + "\n", encoding="utf-8")


def spread(values: Any) -> dict[str, float]:
    """Return the mean, the median, the 99th percentile and the maximum of numbers."""
    return {
        "mean": float(np.mean(values)),
        "median": float(np.median(values)),
        "p99": float(np.quantile(values, 0.99)),
        "worst": float(np.max(values)),
    }


def range_text(values: Sequence[float], places: int, unit: str = "") -> str:
    """Return the median and the range of numbers, such as ``1.77 (1.00–1.97)``."""
    return f"{median(values):.{places}f}{unit} ({min(values):.{places}f}–{max(values):.{places}f})"
