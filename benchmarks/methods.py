"""The table of learning methods: each preset trained once, evaluated on the same numbered deals.

    python -m benchmarks.methods --list                        # the presets of all games
    python -m benchmarks.methods pyramid:ppo klondike:ppo      # train, evaluate and record them
    python -m benchmarks.methods --page                        # write docs/results/methods.md again

A preset is trained with its first training seed in a process of its own, on one thread. The trained
agent and the game's greedy agent play the same deals. The record in benchmarks/methods.json holds
the scores, their paired difference, and the processor and wall time of training. The scores of
pretrained agents come from the leaderboard.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from benchmarks.reports import ROOT, put_block, write_json
from parlour.agents.agent_spec import SpecKind, parse_spec
from parlour.envs import GAMES, find_game
from parlour.training import compare, preset
from parlour.training.cli.leaderboard import BOARD_FILE, claim_text, find_pretrained, unit_text
from parlour.training.cli.output import markdown_table
from parlour.training.evaluation.leaderboard.entries import read_leaderboard
from parlour.training.evaluation.result import describe_machine
from parlour.training.evaluation.stats import Estimate
from parlour.training.learning.settings.files import presets

RECORD, PAGE = ROOT / "benchmarks" / "methods.json", ROOT / "docs" / "results" / "methods.md"
BLOCK = "benchmarks.methods"
SEED = "methods"
"""Evaluation seed of all rows."""


def train_preset(game: str, name: str, folder: Path) -> tuple[Path, float, float]:
    """Train a preset with its first seed; return the agent, processor and wall seconds."""
    words = ["train", game, "--preset", name, "--seeds", str(preset(game, name).seeds[0])]
    environment = os.environ | {"OMP_NUM_THREADS": "1"}
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    subprocess.run(
        [sys.executable, "-m", "parlour", *words, "--name", "methods"],
        cwd=folder,
        env=environment,
        check=True,
    )
    after, wall = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic() - start
    processor = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    (agent,) = (folder / "runs").glob("*/seed-*/agent")
    return agent, processor, wall


def measure(game: str, name: str, deals: int) -> dict[str, Any]:
    """Train and evaluate a preset; return its row."""
    settings = preset(game, name)
    with tempfile.TemporaryDirectory() as folder:
        agent, processor, wall = train_preset(game, name, Path(folder))
        result = compare(
            game,
            ["greedy", f"trained={agent}"],
            variants=[settings.variant],
            deals=deals,
            evaluation_seed=SEED,
        )
    greedy, trained = result.evaluations
    measured = find_game(game).measure
    difference = trained.subtract(greedy)
    gain = difference.reached if measured == trained.goal else difference.score
    return {
        "game": game,
        "variant": settings.variant,
        "preset": name,
        "method": settings.method,
        "seed": settings.seeds[0],
        "measure": measured,
        "score": list(trained.estimate(measured)),
        "greedy": list(greedy.estimate(measured)),
        "gain": list(gain),
        "deals": deals,
        "processor_seconds": round(processor, 1),
        "wall_seconds": round(wall, 1),
        "machine": describe_machine(),
    }


def write_table(record: dict[str, Any]) -> str:
    """Return the table of the page: the trained presets, then the pretrained agents."""
    rows = []
    for row in record.values():
        percent = 100 if row["measure"] == "won" else 1
        rows.append(
            [
                find_game(row["game"]).title,
                f"`{row['variant']}`",
                f"`{row['method']}`",
                f"`--preset {row['preset']}`",
                duration_text(row["processor_seconds"]),
                "won (%)" if percent == 100 else "score",
                Estimate(*row["score"]).text(percent),
                Estimate(*row["gain"]).text(percent, sign="+"),
                f"{row['deals']:,}",
            ]
        )
    for entry in read_leaderboard(BOARD_FILE):
        folder = find_pretrained(entry)
        if folder is None or entry.claim is None or not entry.deal_set.endswith("-1"):
            continue
        if parse_spec(entry.agent).kind is SpecKind.SEARCH:
            continue
        trained = json.loads((folder / "agent.json").read_text(encoding="utf-8"))["trained"]
        rows.append(
            [
                entry.game.title,
                f"`{entry.variant}`",
                f"`{trained['settings']['method']}`",
                f"[{folder.name}](../../agents/pretrained/{folder.name}/README.md)",
                duration_text(trained.get("seconds")),
                unit_text(entry).replace("won, %", "won (%)"),
                claim_text(entry, entry.claim),
                "–",
                f"{entry.deals:,}",
            ]
        )
    heads = ["game", "variant", "method", "preset or pretrained agent", "training time", "measure"]
    table = markdown_table([*heads, "score", "minus greedy, paired", "deals"], sorted(rows))
    machines = ", ".join(sorted({row["machine"] for row in record.values()}))
    return f"{table}\nMachine of the trained presets: {machines}.\n"


def duration_text(seconds: float | None) -> str:
    """Return a duration in minutes."""
    return "not recorded" if seconds is None else f"{max(seconds, 6) / 60:.1f} min"


def main() -> None:
    """Train what is named, and write the record and the page."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.methods", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("presets", nargs="*", metavar="GAME:PRESET")
    parser.add_argument("--list", action="store_true", help="print the presets of all games")
    parser.add_argument("--page", action="store_true", help="write the page from the record")
    parser.add_argument(
        "--deals", type=int, default=10_000, help="deals of a row (default: 10,000)"
    )
    arguments = parser.parse_args()
    if arguments.list:
        print("\n".join(f"{game}:{name}" for game in GAMES for name in presets(game)))
    record = json.loads(RECORD.read_text(encoding="utf-8")) if RECORD.is_file() else {}
    for text in arguments.presets:
        game, _, name = text.partition(":")
        find_game(game)
        record[text] = measure(game, name, arguments.deals)
        write_json(RECORD, dict(sorted(record.items())))
        print(json.dumps(record[text]), flush=True)
    if arguments.presets or arguments.page:
        put_block(PAGE, BLOCK, write_table(record))


if __name__ == "__main__":
    main()
