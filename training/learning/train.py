"""Train agents with any learning method. Each training run is a folder.

The folder ``runs/GAME-VARIANT-NAME/`` holds ``settings.json``, ``rules.json``, ``result.json`` and
one subfolder ``seed-K`` per training seed. A subfolder holds ``progress.jsonl``, a TensorBoard log,
checkpoints, ``result.json`` and the saved agent (``agent/``). A run may be interrupted at any time
and resumed.

Training with the same settings, the same seed and one thread gives bit-identical weights. A
different number of threads or environments, or a different version of PyTorch, gives different
weights.
"""

import importlib
import sys

if __name__ == "__main__" and not __package__:  # run as a script, from a clone
    sys.path.pop(0)  # this folder, whose modules must not be importable as top-level modules
    try:
        installed = importlib.import_module("parlour.training.learning.train")
    except ModuleNotFoundError as error:
        sys.exit(f"{error}: install the repository first, with: pip install -e '.[train]'")
    sys.exit(installed.main())

import os
import shutil
import signal
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from hashlib import sha256
from pathlib import Path
from typing import Any

from parlour import __version__
from parlour.agents.validation import name_file_in_errors, read_json, shorten
from parlour.envs import Game, find_game
from parlour.envs.core.game import digest16

from ..evaluation.lineups import digest_game_code
from ..evaluation.report.terminal import print_notice
from ..files import aside_of, sole_use, write_json
from .checkpoint import FOLDER as CHECKPOINTS
from .methods import load_method
from .progress import Bar
from .run import AGENT, RESULT_FILE, SETTINGS_FILE, Stop, Watch
from .save_agent import describe_table
from .settings.base import Settings
from .settings.command import Resume, print_error, read_command
from .settings.files import preset, read_saved, refuse_code
from .settings.methods import check_seats, make_settings
from .summary import report, summarise, time_table

__all__ = [
    "Interrupted",
    "Settings",
    "main",
    "make_settings",
    "preset",
    "report",
    "resume",
    "train",
]

RULES, CODE = "rules.json", "code"
TRAINED = "trained"
MOST_NAMED = 5
"""Maximum number of runs that an error message lists when a run is missing."""


class Interrupted(KeyboardInterrupt):
    """Raised after a signal stopped a run and a checkpoint was saved; says how to resume it."""

    def __init__(self, folder: Path, signum: int) -> None:
        agents = ", ".join(map(str, sorted(folder.glob(f"seed-*/{AGENT}"))))
        super().__init__(
            f"Interrupted. Checkpoint saved; current agent: {agents}. "
            f"To resume: parlour train --resume {folder}"
        )
        self.folder, self.signum = folder, signum


def train(settings: Settings, *, quiet: bool = False, watch: Watch | None = None) -> Path:
    """Train one agent per training seed, one after the other, and return the run's folder.

    Args:
        settings: the settings of the run.
        quiet: whether to suppress all output.
        watch: function that is called after each evaluation with a dictionary: ``steps``, and for
            each measure a dictionary with its ``mean``. An exception raised by ``watch`` ends the
            run, which can then be resumed.

    Raises:
        ValueError: a run of that name exists, another process is training it, or the run cannot
            begin. In the last case, no folder is left.
        Interrupted: after SIGINT or SIGTERM.
    """
    check_seats(settings)
    settings = settings.resolve_device()
    folder = name_folder(settings)
    folder.parent.mkdir(parents=True, exist_ok=True)
    with sole_use(folder, TRAINED):
        _begin(settings, folder)
        try:
            with _naming_resume_command(folder):
                return _train_all(settings, folder, quiet, watch)
        except Exception:
            if _is_empty(folder, {RULES, SETTINGS_FILE}):
                # Settings first: a process that dies in between leaves a folder that can be reused.
                (folder / SETTINGS_FILE).unlink()
                shutil.rmtree(
                    folder
                )  # otherwise the corrected command would fail because the folder exists
            raise


def resume(
    folder: Path,
    *,
    quiet: bool = False,
    watch: Watch | None = None,
    allow_code: bool = False,
) -> Path:
    """Resume a run from its last checkpoints, with its own settings, and return its folder.

    Args:
        folder: the folder of the run, or of one of its seeds.
        quiet: whether to suppress all output.
        watch: see `train`; it is called for new evaluations only.
        allow_code: whether the run's settings may name agents as ``module:Class``, which imports
            the module.

    Raises:
        ValueError: the run does not exist, another process is training it, its rules or features
            have changed, all of its checkpoints are damaged, or its settings name code while
            ``allow_code`` is False.
    """
    folder = Path(folder)
    if not (folder / SETTINGS_FILE).exists() and (folder.parent / SETTINGS_FILE).exists():
        folder = folder.parent  # the caller named the folder of one seed
    if not folder.exists():
        raise ValueError(
            f"{folder}: no run to resume: the folder does not exist{_name_runs(folder)}"
        )
    if not (folder / SETTINGS_FILE).exists():
        unbegun = "the run ended before it saved its settings; start it again with the same --name"
        reason = unbegun if _is_unbegun(folder) else f"the folder has no {SETTINGS_FILE}"
        raise ValueError(f"{folder}: no run to resume: {reason}")
    with sole_use(folder, TRAINED):
        settings = _read_settings(folder)
        if not allow_code:
            refuse_code(settings, folder / SETTINGS_FILE)
        with name_file_in_errors(folder / SETTINGS_FILE):
            settings = settings.resolve_device()
        with _naming_resume_command(folder):
            return _train_all(settings, folder, quiet, watch)


@contextmanager
def _naming_resume_command(folder: Path) -> Iterator[None]:
    """Add the command that resumes the run to an OSError, if a checkpoint has been saved."""
    try:
        yield
    except OSError as error:
        if any(folder.glob(f"seed-*/{CHECKPOINTS}/*/")):
            error.add_note(f"Checkpoints are kept. To resume: parlour train --resume {folder}")
        raise


def _name_runs(folder: Path) -> str:
    """Return the runs next to a folder, newest first, as the end of an error message."""
    runs = [path.parent for path in folder.parent.glob(f"*/{SETTINGS_FILE}")]
    runs.sort(key=lambda run: run.stat().st_mtime, reverse=True)
    named = ", ".join(map(str, runs[:MOST_NAMED])) + (", ..." if len(runs) > MOST_NAMED else "")
    return f"; existing runs: {named}" if runs else ""


def _read_settings(folder: Path) -> Settings:
    """Return a run's settings. Raises ValueError if its rules are no longer those of the game."""
    with name_file_in_errors(folder / SETTINGS_FILE):
        values = read_json(folder / SETTINGS_FILE)
    settings = read_saved(values, str(folder / SETTINGS_FILE))
    with name_file_in_errors(folder / RULES):
        was = read_json(folder / RULES)
    now = _describe_rules(settings)
    for name in now:
        if was.get(name) != now[name]:
            raise ValueError(
                f"{folder / RULES}: {name} was {shorten(was.get(name))} and is now "
                f"{shorten(now[name])}. The game has changed since the run began; start a new run"
            )
    if changes := list_changes(was.get(CODE), describe_code(find_game(settings.game))):
        print_notice(
            f"{folder}: the code has changed since the run began ({'; '.join(changes)}). The "
            "result may differ from that of a new run"
        )
    return settings


def _describe_rules(settings: Settings) -> dict[str, Any]:
    """Return everything that must not change between the start of a run and its resumption."""
    game = find_game(settings.game)
    return {
        "game": game.name,
        "variant": settings.name_rules(),
        **describe_table(settings.list_rules()),
        "features_digest": game.features_digest,
        "learned": settings.checkpoint_format(),
    }


def describe_code(game: Game) -> dict[str, str]:
    """Return the version and the digests of the code that a run depends on."""
    files = sorted(Path(__file__).parent.rglob("*.py"))
    return {
        "parlour": __version__,
        "kernels": digest_game_code(game),
        "learning": digest16(*(sha256(file.read_bytes()).hexdigest() for file in files)),
    }


def list_changes(was: Any, now: dict[str, str]) -> list[str]:
    """Return, as text, the parts of `describe_code` that have changed since a run began."""
    before = was if isinstance(was, dict) else {}
    return [
        f"{name} was {before.get(name)}, is {now[name]}"
        for name in now
        if before.get(name) != now[name]
    ]


def name_folder(settings: Settings) -> Path:
    """Return the folder of a run; without a ``name``, its name ends with the date and time."""
    start = f"{settings.game}-{settings.name_rules()}"
    name = time.strftime("%Y%m%d-%H%M%S") if settings.name is None else settings.name
    return Path(settings.runs) / f"{start}-{name}"


def _begin(settings: Settings, folder: Path) -> None:
    """Create the folder of a new run, with its settings last: they make the run resumable.

    The function reuses the folder of a run that ended before it wrote its settings. Raises
    ValueError if any other folder of that name exists.
    """
    if not _is_unbegun(folder):
        try:
            folder.mkdir()
        except FileExistsError:
            raise ValueError(
                f"{folder} already exists. Choose another --name, remove the folder, or resume the "
                f"run with --resume {folder}"
            ) from None
    code = {CODE: describe_code(find_game(settings.game))}
    write_json(folder / RULES, _describe_rules(settings) | code)
    write_json(folder / SETTINGS_FILE, settings.plain())


def _is_unbegun(folder: Path) -> bool:
    """Return whether a folder belongs to a run that ended before it wrote its settings."""
    return folder.is_dir() and _is_empty(folder, {RULES, aside_of(RULES), aside_of(SETTINGS_FILE)})


def _is_empty(folder: Path, names: set[str]) -> bool:
    """Return whether a folder holds only folders and files with these names."""
    inside = list(folder.rglob("*"))
    return all(path.name in names or (path.is_dir() and not path.is_symlink()) for path in inside)


def _train_all(settings: Settings, folder: Path, quiet: bool, watch: Watch | None) -> Path:
    if not quiet:
        print(describe_run(settings, folder), file=sys.stderr, flush=True)
    with _catch_signals() as stop:
        for seed in settings.seeds:
            seed_folder = folder / f"seed-{seed}"
            if (seed_folder / RESULT_FILE).exists():
                continue
            if not _train_seed(settings, seed, seed_folder, quiet, stop, watch):
                raise Interrupted(folder, stop.asked)
    summarise(settings, folder)
    if (
        stop.asked and watch is not None
    ):  # too late for this run, but the caller may train more runs
        signal.raise_signal(stop.asked)
    return folder


def describe_run(settings: Settings, folder: Path) -> str:
    """Return the first output line of a run: game, method, device, length and folder."""
    count = len(settings.list_rules().rules)
    rules = settings.name_rules() if count == 1 else f"({count} sets of rules)"
    length = settings.describe_length()
    if settings.minutes:
        length += f", at most {settings.minutes:g} minutes"
    seeds = f"{len(settings.seeds)} seeds, each " if len(settings.seeds) > 1 else ""
    return (
        f"training {settings.game} {rules} with {settings.method} on {settings.describe_device()}: "
        f"{seeds}{length}; folder {folder}"
    )


def _train_seed(
    settings: Settings, seed: int, folder: Path, quiet: bool, stop: Stop, watch: Watch | None
) -> bool:
    """Train one seed; return False if the run was asked to stop before its end."""
    run = load_method(settings.method)(settings, seed, folder)
    run.watch = watch
    try:
        with Bar(f"seed {seed}", run.total, run.steps, quiet, run.unit) as bar:
            return run.train(bar, stop)
    finally:
        run.close()


@contextmanager
def _catch_signals() -> Iterator[Stop]:
    """Let SIGINT and SIGTERM request a stop; a second signal ends the process immediately."""
    stop = Stop()

    def ask(signum: int, _: Any) -> None:
        stop.asked = signum
        signal.signal(signum, before[signum])
        with suppress(OSError):  # stderr may be closed
            os.write(2, b"\nStopping after this update ...\n")

    before: dict[int, Any] = {}
    if threading.current_thread() is threading.main_thread():
        before = {signum: signal.signal(signum, ask) for signum in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield stop
    finally:
        for signum, handler in before.items():
            signal.signal(signum, handler)


def main(arguments: Sequence[str] | None = None) -> int:
    """Train as a command line asks, and return the exit code.

    The exit code is 0 for success, 2 for invalid input, and 130 after SIGINT.
    """
    try:
        command = read_command(sys.argv[1:] if arguments is None else arguments)
    except (ValueError, OSError) as error:
        return print_error(error)
    return run_command(command)


def run_command(command: Settings | Resume) -> int:
    """Train or resume as a command line asks, print the result, and return as `main` does."""
    try:
        if isinstance(command, Resume):
            folder, profile = resume(command.folder, allow_code=command.allow_code), False
        else:
            folder, profile = train(command), command.profile
    except Interrupted as stopped:
        print(stopped, file=sys.stderr)
        return 128 + stopped.signum
    except (ValueError, OSError) as error:
        return print_error(error)
    print(report(folder))
    if profile:
        print(time_table(folder))
    return 0


if __name__ == "__main__":
    sys.exit(main())
