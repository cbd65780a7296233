"""Train agents: MaskablePPO over the native vector environment, one folder a run.

``runs/GAME-VARIANT-NAME/`` holds ``settings.json``, ``rules.json``, ``result.json`` and a folder
``seed-K`` for each training seed, with ``progress.jsonl`` and a TensorBoard log, checkpoints,
``result.json`` and the agent as an artefact (``agent/``). A run may be stopped at any moment and
resumed. With equal settings, seed and one thread the weights are equal bit by bit; other numbers of
threads or environments, and other versions of torch, give other weights.
"""

import importlib
import sys

if __name__ == "__main__" and not __package__:  # executed as a file, from a clone
    sys.path.pop(0)  # this folder: its modules are not top-level ones
    try:
        installed = importlib.import_module("parlour.training.train")
    except ModuleNotFoundError as error:
        sys.exit(f"{error}: install the repository first, with: pip install -e '.[train]'")
    sys.exit(installed.main())

import json
import os
import re
import shutil
import signal
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, redirect_stderr
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np

from parlour.agents.values import values_of
from parlour.envs import game as game_named
from parlour.envs.core.options import plain as plain_rules

from .config import Settings, parse, plain, preset, read
from .files import write_json
from .network_run import NetworkRun
from .progress import Bar
from .run import RESULT, Run, Stop
from .selfplay import SelfplayRun
from .value_run import ValueRun
from .weights import WeightsRun

__all__ = ["Interrupted", "Settings", "main", "preset", "resume", "train"]

SETTINGS, RULES = "settings.json", "rules.json"
METHODS: dict[str, type[Run]] = {
    "ppo": NetworkRun,
    "lookahead": NetworkRun,
    "cloning": NetworkRun,
    "selfplay": SelfplayRun,
    "values": ValueRun,
    "weights": WeightsRun,
}
"""Who trains by each method."""
COLOUR = re.compile(r"\x1b\[[\d;]*m")


class Interrupted(KeyboardInterrupt):
    """A run was asked to stop and has saved a checkpoint; the text says how to resume it."""

    def __init__(self, folder: Path, signum: int) -> None:
        super().__init__(f"stopped and saved; to go on: parlour train --resume {folder}")
        self.folder, self.signum = folder, signum


def train(settings: Settings, *, quiet: bool = False) -> Path:
    """Train one agent for each seed, one after the other; return the run's folder.

    Raises ValueError if a run of that name exists or cannot begin, Interrupted after SIGINT or
    SIGTERM. A run that could not begin leaves no folder.
    """
    game = game_named(settings.game)
    several = game.players_of(game.rules_of(settings.variant, settings.options)) > 1
    if several != (settings.method == "selfplay"):
        raise ValueError(
            f"method={settings.method!r}: 'selfplay' is for games of several seats, and only it is"
        )
    folder = _new_folder(settings)
    write_json(folder / RULES, _rules(settings))
    write_json(folder / SETTINGS, plain(settings))
    try:
        return _train_all(settings, folder, quiet)
    except Exception:
        if {path.name for path in folder.rglob("*") if path.is_file()} <= {RULES, SETTINGS}:
            shutil.rmtree(folder)  # or the corrected command would find that it exists
        raise


def resume(folder: Path, *, quiet: bool = False) -> Path:
    """Go on with a run from its last checkpoints, with its own settings; return its folder.

    Raises ValueError if there is no run, or if rules or features have changed since.
    """
    folder = Path(folder)
    if not (folder / SETTINGS).exists() and (folder.parent / SETTINGS).exists():
        folder = folder.parent  # the folder of one seed was named
    try:
        settings = read(json.loads((folder / SETTINGS).read_text()), str(folder / SETTINGS))
        was = json.loads((folder / RULES).read_text())
    except (OSError, json.JSONDecodeError) as error:
        raise ValueError(f"{folder}: no run to resume: {error}") from error
    now = _rules(settings)
    for name in now:
        if was.get(name) != now[name]:
            raise ValueError(
                f"{folder / RULES}: {name} was {was.get(name)!r} and is now {now[name]!r}: "
                "the game has changed; begin a new run"
            )
    return _train_all(settings, folder, quiet)


def _rules(settings: Settings) -> dict[str, Any]:
    game = game_named(settings.game)
    rules = game.rules_of(settings.variant, settings.options)
    return {
        "game": game.name,
        "variant": settings.variant or game.default,
        "rules": plain_rules(rules),
        "rules_digest": game.rules_digest(rules),
        "features_digest": game.features_digest,
        "learned": _learned(settings),
    }


def _learned(settings: Settings) -> Any:
    """What else a checkpoint of this method depends on: it must not be resumed with another."""
    game = game_named(settings.game)
    if settings.method == "values":
        values = values_of(game)
        return {"size": values.size, "version": values.version}
    return dict(game.weights) if settings.method == "weights" else None


def _new_folder(settings: Settings) -> Path:
    variant = settings.variant or game_named(settings.game).default
    start = f"{settings.game}-{variant}"
    folder = Path(settings.runs) / f"{start}-{settings.name or time.strftime('%Y%m%d-%H%M%S')}"
    try:
        folder.mkdir(parents=True)
    except FileExistsError:
        raise ValueError(
            f"{folder} exists: choose another --name, remove it, or go on with --resume {folder}"
        ) from None
    return folder


def _train_all(settings: Settings, folder: Path, quiet: bool) -> Path:
    with _stoppable() as stop:
        for seed in settings.seeds:
            place = folder / f"seed-{seed}"
            if not (place / RESULT).exists() and not _train_seed(
                settings, seed, place, quiet, stop
            ):
                raise Interrupted(folder, stop.asked)
    _summarise(settings, folder)
    return folder


def _train_seed(settings: Settings, seed: int, folder: Path, quiet: bool, stop: Stop) -> bool:
    run = METHODS[settings.method](settings, seed, folder)
    try:
        with Bar(f"seed {seed}", run.total, run.steps, quiet, run.unit) as bar:
            return run.train(bar, stop)
    finally:
        run.close()


@contextmanager
def _stoppable() -> Iterator[Stop]:
    """Let SIGINT and SIGTERM ask for a stop; a second one ends the process at once."""
    stop = Stop()

    def ask(signum: int, _: Any) -> None:
        stop.asked = signum
        signal.signal(signum, before[signum])
        os.write(2, b"\nstopping after this update ...\n")

    before: dict[int, Any] = {}
    if threading.current_thread() is threading.main_thread():
        before = {signum: signal.signal(signum, ask) for signum in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield stop
    finally:
        for signum, handler in before.items():
            signal.signal(signum, handler)


def _summarise(settings: Settings, folder: Path) -> None:
    seeds = [json.loads((folder / f"seed-{k}" / RESULT).read_text()) for k in settings.seeds]
    summary: dict[str, Any] = {"seeds": list(settings.seeds), "steps": seeds[0]["steps"]}
    if "unit" in seeds[0]:
        summary["unit"] = seeds[0]["unit"]
    game = game_named(settings.game)
    goal = game.goal_of(game.rules_of(settings.variant, settings.options))
    for fact in (goal, "score"):
        values = np.array([one["final"][fact]["mean"] for one in seeds])
        spread = float(values.std(ddof=1)) if len(values) > 1 else None
        summary[fact] = {
            "mean": float(values.mean()),
            "standard_deviation": spread,
            "by_seed": values.tolist(),
        }
    summary["seconds"] = [one["seconds"] for one in seeds]
    write_json(folder / RESULT, summary)


def report(folder: Path) -> str:
    """Say in a few lines how a finished run came out."""
    summary = json.loads((folder / RESULT).read_text())
    goal = next(fact for fact in summary if fact not in ("seeds", "steps", "unit"))
    reached, score = summary[goal], summary["score"]
    played = f"{summary['steps']:,} {summary.get('unit', 'steps')}"
    lines = [f"{folder}: {played}, evaluated on its validation deals:"]
    for k, seed in enumerate(summary["seeds"]):
        lines.append(
            f"  seed {seed}: {goal} {reached['by_seed'][k]:.1%}, score {score['by_seed'][k]:.2f}, "
            f"{summary['seconds'][k]:,.0f} s, agent in {folder / f'seed-{seed}' / 'agent'}"
        )
    if len(summary["seeds"]) > 1:
        shown = [
            f"{name} {one['mean']:{form}}, standard deviation over seeds "
            f"{one['standard_deviation']:{form}}"
            for name, one, form in ((goal, reached, ".1%"), ("score", score, ".2f"))
        ]
        lines.append(f"  all: {'; '.join(shown)}")
    return "\n".join(lines)


def split_table(folder: Path) -> str:
    """Say where the time of each seed went."""
    lines = []
    for path in sorted(folder.glob(f"seed-*/{RESULT}")):
        result = json.loads(path.read_text())
        seconds = result["seconds_by_phase"]
        whole, unit = sum(seconds.values()), result.get("unit", "steps")
        parts = ", ".join(f"{name} {part / whole:.1%}" for name, part in seconds.items())
        speed = f"{result['steps_per_second']:,.0f} {unit}/s"
        lines.append(f"  seed {result['seed']}: {speed}: {parts}")
    return "\n".join(lines)


def _parsed(words: Sequence[str]) -> Settings:
    """Read a command line; what tyro finds wrong becomes a ValueError."""
    drawn = StringIO()
    try:
        with redirect_stderr(drawn):
            return parse(words, "parlour train")
    except SystemExit as left:
        if not left.code:
            raise
    raise ValueError(_one_line(drawn.getvalue()))


def _one_line(drawn: str) -> str:
    """What stands in a box as tyro draws it: a title, parts between rules, where help is."""
    rows = [row.strip("│|╭╮╰╯+ ") for row in COLOUR.sub("", drawn).splitlines()[1:]]
    parts = [row if row.strip("─-") else ";" for row in rows]  # - and | where there is no Unicode
    said = " ".join(row for row in parts if not row.startswith("For full helptext"))
    return said.replace(" ;", ";").strip("; ").removeprefix("Error parsing Settings: ")


def main(arguments: Sequence[str] | None = None) -> int:
    """Train by command line; return the exit code: 0, 2 for wrong input, 130 when stopped."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    try:
        if "--resume" in words:
            if words == ["--resume"]:
                raise ValueError(
                    "--resume RUN: RUN is missing, the folder of the run to go on with"
                )
            if len(words) != 2 or words[0] != "--resume":
                raise ValueError("--resume RUN takes nothing else: a run keeps its own settings")
            folder, profile = resume(Path(words[1])), False
        else:
            settings = _parsed(words)
            folder, profile = train(settings), settings.profile
    except Interrupted as stopped:
        print(stopped, file=sys.stderr)
        return 128 + stopped.signum
    except ValueError as error:
        print(f"parlour: error: {error} (see parlour train --help)", file=sys.stderr)
        return 2
    print(report(folder))
    if profile:
        print(split_table(folder))
    return 0


if __name__ == "__main__":
    sys.exit(main())
