"""Steps per second of Parlour and its peers in one run; writes the table of the documentation.

    python -m benchmarks.steps              # measure and print the table
    python -m benchmarks.steps --rows all   # include every variant
    python -m benchmarks.steps --write      # write docs/results/figures.md and steps.json

Every row is measured ``--rounds`` times, each time in a new process on one core. The rows
alternate, so that a slow minute of the machine affects all of them. Ratios are computed within a
round, and the table shows their median. A peer that is not installed is listed with the reason.
"""

import argparse
import json
import subprocess
import sys
from collections.abc import Sequence
from statistics import median
from typing import Any

from benchmarks.reports import ROOT, put_block, write_json
from parlour.training.evaluation.result import describe_machine

FIGURES, RECORD = ROOT / "docs" / "results" / "figures.md", ROOT / "benchmarks" / "steps.json"
BLOCK = "benchmarks.steps"
ROWS = (
    *("pyramid-classic-kernel-4096", "pyramid-classic-vector-4096", "pyramid-classic-single"),
    *("poker_squares-classic-kernel-4096", "puss_in_the_corner-no-redeal-kernel-4096"),
    *("klondike-classic-kernel-4096", "seven_twenty_seven-home-kernel-1024"),
    *("twenty_eight-classic-kernel-1024", "twenty_nine-classic-kernel-1024"),
    *("fifty_six-classic-kernel-1024", "openspiel-solitaire-observer", "rlcard-limit-holdem"),
    *("pgx-kuhn", "pgx-leduc", "pgx-bridge", "envpool-blackjack", "gymnasium-blackjack"),
    *("pyramid-classic-kernel-1", "pyramid-classic-kernel-64", "pyramid-web-kernel-4096"),
    *("pyramid-classic-kernel-4096-onehot", "pyramid-classic-vector-4096-onehot"),
    *("seven_twenty_seven-home-seat", "openspiel-solitaire"),
)
"""Rows measured by default: one variant of each game, each interface, and each peer."""
BASE = "openspiel-solitaire-observer"
"""Default base row of the ratios: the faster of OpenSpiel's two observation functions."""


def names(module: str) -> list[str]:
    """Return the names of the rows of ``benchmarks.parlour_steps`` or ``benchmarks.peer_steps``."""
    listing = subprocess.run(
        [sys.executable, "-m", f"benchmarks.{module}", "--list"],
        cwd=ROOT, capture_output=True, text=True, check=True,
    )  # fmt: skip
    return [line.split()[0] for line in listing.stdout.splitlines()]


def once(module: str, name: str, seconds: float) -> dict[str, Any]:
    """Measure one row once in a new process."""
    command = [sys.executable, "-m", f"benchmarks.{module}", name, "--json"]
    command += ["--repeats", "1", "--seconds", str(seconds)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    if done.returncode:
        last = done.stderr.strip().splitlines()[-1:] or ["no output"]
        return {"name": name, "error": last[0]}
    result: dict[str, Any] = json.loads(done.stdout.strip().splitlines()[-1])
    return result


def measure(rounds: int, seconds: float, chosen: Sequence[str]) -> dict[str, list[dict[str, Any]]]:
    """Return the results of every row, one per round."""
    rows = [(module, name) for module in ("parlour_steps", "peer_steps") for name in names(module)]
    rows = [(module, name) for module, name in rows if name in chosen]
    results: dict[str, list[dict[str, Any]]] = {name: [] for _, name in rows}
    for number in range(rounds):
        for module, name in rows:
            if any("error" in result for result in results[name]):
                continue
            results[name].append(once(module, name, seconds))
            print(f"round {number + 1}/{rounds}: {name}", file=sys.stderr, flush=True)
    return results


def speeds(results: list[dict[str, Any]]) -> list[float]:
    """Return the steps per second of each round."""
    return [result["steps_per_second"]["median"] for result in results]


def summary(by_row: dict[str, list[dict[str, Any]]], base_row: str = BASE) -> list[dict[str, Any]]:
    """Return the median, the range and the median ratio to the base row of every row."""
    base = by_row.get(base_row, [])
    lines = []
    for name, results in by_row.items():
        if "error" in results[-1]:
            lines.append({"name": name, "error": results[-1]["error"]})
            continue
        row_speeds = speeds(results)
        described = {key: results[0][key] for key in ("kind", "batch", "version")}
        line = {"name": name, **described, "median": median(row_speeds)}
        line |= {"low": min(row_speeds), "high": max(row_speeds)}
        if base and "error" not in base[-1]:
            line["ratio"] = median(a / b for a, b in zip(row_speeds, speeds(base), strict=True))
        lines.append(line)
    return lines


def table(lines: list[dict[str, Any]], rounds: int, seconds: float, base_row: str = BASE) -> str:
    """Return the result as Markdown, with the conditions of the measurement."""
    out = [
        f"| environment | call | games per call | steps/s, median (range) | speed ÷ {base_row} |"
    ]
    out.append("|---|---|---:|---:|---:|")
    for line in lines:
        if "error" in line:
            out.append(f"| {line['name']} | not measured: {line['error']} | | | |")
            continue
        speed = f"{_short(line['median'])} ({_short(line['low'])}–{_short(line['high'])})"
        ratio = f"{line['ratio']:.3g}" if "ratio" in line else ""
        out.append(f"| {line['name']} | {line['kind']} | {line['batch']} | {speed} | {ratio} |")
    versions = sorted({v for line in lines for v in line.get("version", "").split(", ") if v})
    out += [
        "",
        f"Random legal play on one core, {rounds} alternating rounds of {seconds:g} s per row, ",
    ]
    out[-1] += f"each in a new process; {describe_machine()}; {', '.join(versions)}. "
    out[-1] += "Written by `python -m benchmarks.steps --write`."
    return "\n".join(out) + "\n"


def _short(speed: float) -> str:
    return f"{speed / 1e6:.2f} M" if speed >= 1e6 else f"{speed / 1e3:.1f} k"


def write(text: str, lines: list[dict[str, Any]]) -> None:
    """Write the table into the page of figures, and the record next to this file."""
    put_block(FIGURES, BLOCK, text)
    write_json(RECORD, {"machine": describe_machine(), "rows": lines})


def main() -> None:
    """Measure and print the rows."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.steps", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument(
        "--rounds", type=int, default=5, help="number of rounds over all rows (default: 5)"
    )
    parser.add_argument(
        "--seconds", type=float, default=0.5, help="seconds per row and round (default: 0.5)"
    )
    parser.add_argument(
        "--rows", nargs="+", default=ROWS, help="names of rows, or all (default: a selection)"
    )
    parser.add_argument("--base", default=BASE, help=f"base row of the ratios (default: {BASE})")
    parser.add_argument("--write", action="store_true", help="write figures.md and steps.json")
    given = parser.parse_args()
    if given.rounds < 1 or given.seconds <= 0:
        parser.error("--rounds and --seconds must be positive")
    known = [name for module in ("parlour_steps", "peer_steps") for name in names(module)]
    chosen = known if list(given.rows) == ["all"] else list(given.rows)
    if unknown := set(chosen) - set(known):
        parser.error(f"--rows must be names of rows, or all, got {', '.join(sorted(unknown))}")
    lines = summary(measure(given.rounds, given.seconds, chosen), given.base)
    text = table(lines, given.rounds, given.seconds, given.base)
    print(text)
    if given.write:
        write(text, lines)


if __name__ == "__main__":
    main()
