"""Runs that die at each of their file operations in turn, and what comes of them afterwards.

``python -m tests.training.learning.killed_processes WHAT FOLDER EVERY`` prints a line for each
death after which it did not come to the same end. It is a process of its own because it forks: a
fork dies as a killed process does, without `finally` or `except`, and leaves a file that it was
writing half written.
"""

import json
import os
import sys
import warnings
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

from parlour.envs import find_game
from parlour.training.evaluation.labels import labelling, labels
from parlour.training.learning.settings.base import Settings
from parlour.training.learning.settings.methods import make_settings
from parlour.training.learning.train import resume, train
from tests.fake_solver import solved

DEAD = 7
EVENTS = {"open", "os.rename", "os.mkdir", "os.remove", "os.rmdir", "os.link"}
WRITING = os.O_WRONLY | os.O_RDWR
ROLLOUT = 64
SMALL: dict[str, dict[str, Any]] = {
    "cma-es": {"generations": 3, "population": 4, "candidate_deals": 4},
    "ppo": {
        "n_envs": 8,
        "n_steps": 8,
        "batch_size": 32,
        "width": 8,
        "depth": 1,
        "total_steps": 3 * ROLLOUT,
        "eval_interval": ROLLOUT,
        "checkpoint_interval": ROLLOUT,
        "device": "cpu",
    },
}


def die_at(number: int, inside: Path) -> list[int]:
    """Die at the operation of this number, from 0, in a folder; return a list that counts them.

    A file that is about to be written then, is left half written.
    """
    count = [0]
    mark = f"{inside}{os.sep}"

    def watch(event: str, given: tuple[Any, ...]) -> None:
        if event not in EVENTS or not given or not isinstance(given[0], str | os.PathLike):
            return
        path = os.fspath(given[0])
        within = isinstance(path, str) and (path.startswith(mark) or not os.path.isabs(path))
        if not within or count[0] > number >= 0:
            return
        count[0] += 1
        if count[0] == number + 1:
            if event == "open" and given[2] & WRITING and not path.endswith(".lock"):
                count[0] += 1  # this opening is none of them
                with open(path, "wb") as file:
                    file.write(b"PK{half")
            os._exit(DEAD)

    sys.addaudithook(watch)
    return count


def in_fork(do: Callable[[], Any]) -> tuple[int, Any]:
    """Do something in a fork; return its exit status, and what it returned where that was 0."""
    ours, theirs = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            output = json.dumps(do()).encode()
            os.write(theirs, output)
            os._exit(0)
        except BaseException as error:
            print(f"{type(error).__name__}: {error}", file=sys.stderr, flush=True)
            os._exit(1)
    os.close(theirs)
    with os.fdopen(ours, "rb") as answer:
        output = answer.read()
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    return status, json.loads(output) if status == 0 else None


def settings(method: str, runs: Path) -> Settings:
    name = "poker_squares" if method == "cma-es" else "pyramid"
    given = {"eval_deals": 4, "name": "small", **SMALL[method]}
    return make_settings(method, game=name, runs=str(runs), **given)


def begin(what: str, folder: Path) -> None:
    if what == "deal_set":
        make_deal_set(folder)
    else:
        train(settings(what, folder), quiet=True)


def go_on(what: str, folder: Path) -> None:
    """Do what a person would: resume; and where there is no run, begin it again."""
    if what == "deal_set":
        make_deal_set(folder)
        return
    made = settings(what, folder)
    run = folder / f"{made.game}-{find_game(made.game).default}-small"
    try:
        resume(run, quiet=True)
    except ValueError as error:
        if "no run to resume" not in str(error):
            raise
        train(made, quiet=True)


def make_deal_set(folder: Path) -> None:
    one = find_game("pyramid")
    with solved(one):
        labels.load_labels(labelling.make_labels(one, deals=60, jobs=1, out=folder / "labels"))


def end_of(folder: Path) -> dict[str, str]:
    """What there is in the end: every file with what must be equal in it."""
    result = {}
    for path in sorted(folder.rglob("*")):
        name = str(path.relative_to(folder))
        if path.is_dir() or "tensorboard" in name or name.endswith(".json"):
            continue
        output = path.read_bytes()
        if path.name == "progress.jsonl":
            lines = [json.loads(line) for line in output.splitlines()]
            output = repr([line | {"time": 0} for line in lines]).encode()
        fixed = path.suffix in (".safetensors", ".parquet", ".jsonl")
        result[name] = sha256(output).hexdigest() if fixed else ""
    for path in sorted(folder.rglob("*.json")):
        told = json.loads(path.read_text())
        kept = ("steps", "final", "evaluations", "weights_sha256", "rules")
        result[str(path.relative_to(folder))] = repr([told.get(name) for name in kept])
    return result


def main(what: str, place: Path, first: int, every: int) -> None:
    """Die at every so manyth operation; print how many there were, and what went wrong."""
    warnings.simplefilter("ignore")

    begin(what, place / "warm")  # compiles, and imports, all that the forks need

    def undisturbed() -> int:
        count = die_at(-1, place / "whole")
        begin(what, place / "whole")
        return count[0]

    status, number = in_fork(undisturbed)
    assert status == 0
    wanted = end_of(place / "whole")
    assert wanted
    died = 0
    for k in range(first, number, every):
        folder = place / str(k)
        folder.mkdir()

        def dies(k: int = k, folder: Path = folder) -> None:
            die_at(k, folder)
            begin(what, folder)

        status, _ = in_fork(dies)
        died += status == DEAD
        status, _ = in_fork(lambda folder=folder: go_on(what, folder))  # type: ignore[misc]
        got = end_of(folder) if status == 0 else {}
        if got != wanted:
            odd = sorted(set(got.items()) ^ set(wanted.items()))
            print(f"operation {k}: status {status}, {odd}")
    print(json.dumps({"operations": number, "died": died}))


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]).resolve(), int(sys.argv[3]), int(sys.argv[4]))
