"""Runs of the benchmark: train a method on each task, measure its agents, and write the entries."""

import shutil
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import date
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from parlour import __version__
from parlour.agents.registry import Agent, digest_saved, find_saved, load_agent
from parlour.agents.saved import (
    AGENT_FILE,
    PRETRAINED_FOLDER,
    WEIGHTS,
    read_description,
)
from parlour.agents.validation import join_lines, read_json

from ..evaluation.compare import ProgressFactory
from ..evaluation.replays.replay_files import load_replays
from ..evaluation.result import describe_machine
from ..learning.methods import load_method
from ..learning.run import AGENT, RESULT_FILE
from ..learning.settings.base import Settings, list_settings
from ..learning.settings.files import preset, presets, read_saved
from ..learning.settings.methods import SETTINGS, check_seats
from ..parallel.tasks import Cluster
from .entries import FIELDS, RUNS, BenchmarkEntry, locate_entry, read_entry, write_entry
from .games import SUFFIX, order_replays, write_games
from .measure import check_repeated, measure_task, time_decisions
from .tasks import (
    BUDGETS,
    NONE,
    RUN_BUDGETS,
    SLOW,
    TASKS,
    UNLIMITED,
    Task,
    classify_time,
    find_task,
)

TRAINED = tuple(SETTINGS)
"""The learning methods."""
INTERVALS = {"checkpoint_interval": 20, "eval_interval": 5}
"""Number of checkpoints and evaluations of a run."""
SMALL = 1 << 18
"""Most bytes of the weights of a saved agent that is copied next to its entry in a solitaire."""


class Skipped(NamedTuple):
    """A task that a method cannot play, and the reason."""

    task: str
    reason: str


def run_method(
    method: str,
    folder: Path,
    *,
    budget: str = "small",
    seeds: Sequence[int] = (0,),
    tasks: Sequence[str] | None = None,
    quiet: bool = False,
    report: ProgressFactory | None = None,
    finished: Callable[[BenchmarkEntry], object] = lambda entry: None,
    cluster: Cluster | None = None,
) -> list[Skipped]:
    """Run a method on tasks, and write one entry for each task and seed.

    Finished entries are not run again, and an interrupted training run is resumed.

    Args:
        method: A learning method (`TRAINED`), or the spec of an agent, which is not trained.
        folder: The folder of results.
        budget: The training budget, ``small``, ``medium`` or ``large``. An agent has the budget
            ``unlimited`` if a saved agent is part of it, else ``none``.
        seeds: The training seeds. An agent is measured once, as seed 0.
        tasks: Names of the tasks (None: the scored ones).
        quiet: Whether training prints nothing.
        report: See `parlour.training.evaluation.compare.compare`.
        finished: Called with each new entry.
        cluster: Plays chunks of deals in other processes (None: all in this process).

    Returns:
        The tasks that the method cannot play.

    Raises:
        ValueError: A name is unknown, or the method can play none of the tasks.
        Interrupted: After SIGINT or SIGTERM during training.
    """
    chosen = [find_task(name) for name in tasks or TASKS]
    is_trained = method in TRAINED
    if is_trained and budget not in RUN_BUDGETS:
        allowed = ", ".join(RUN_BUDGETS)
        raise ValueError(f"budget must be one of {allowed} for method {method}, got {budget!r}")
    name = f"{method}-{budget}" if is_trained else method
    if not FIELDS["method"].fits(name):
        raise ValueError(
            f"method must be {FIELDS['method'].allowed}, got {name!r}. To add another agent, use "
            "parlour benchmark add"
        )
    skipped = []
    for task in chosen:
        if reason := _find_obstacle(task, method, folder):
            skipped.append(Skipped(task.name, reason))
            continue
        for seed in seeds if is_trained else (0,):
            path = locate_entry(folder, name, task.name, seed)
            if path.exists():
                read_entry(path)
                continue
            if is_trained:
                training = train_task(task, method, budget, seed, folder, quiet)
            else:
                training = describe_training(task, method)
            entry = measure_entry(
                task, name, training, folder, seed, report=report, cluster=cluster
            )
            write_entry(folder, entry)
            finished(entry)
    if len(skipped) == len(chosen):
        reason = skipped[0].reason
        if is_trained:
            raise ValueError(f"method {method} must be able to play one of the tasks: {reason}")
        allowed = f"a learning method ({', '.join(TRAINED)}) or an agent"
        raise ValueError(f"method must be {allowed}, got {method!r}: {reason}")
    return skipped


def _find_obstacle(task: Task, method: str, folder: Path) -> str:
    """Return why a method cannot learn or play a task, empty if it can."""
    try:
        if method in TRAINED:
            make_task_settings(task, method, "small", 0, folder)
        else:
            rules = task.list_test_rules()[0]
            load_agent(method, task.game_object, rules, 0, task.allows_rules_mismatch)
    except ValueError as error:
        return join_lines(error)
    return ""


class Training(NamedTuple):
    """The result of training: the agent to measure."""

    agent: str
    """The spec of the agent; a path is relative to the folder of results."""
    budget: str
    steps: int
    seconds: float


def describe_training(task: Task, agent: str) -> Training:
    """Return the training of an agent of Parlour: that of the saved agent in it, if there is one.

    Raises ValueError if the saved agent cannot be read.
    """
    saved = find_saved(
        agent, task.game_object, task.list_test_rules()[0], task.allows_rules_mismatch
    )
    if saved is None:
        return Training(agent, NONE, 0, 0.0)
    description = read_description(saved)
    trained = description["trained"]
    steps = trained.get("timesteps", description["scored"].get("steps", 0))
    return Training(agent, UNLIMITED, steps, trained.get("seconds", 0))


def make_task_settings(task: Task, method: str, budget: str, seed: int, folder: Path) -> Settings:
    """Return the training settings of a task.

    They are those of the game's preset for the method (its name, or the first one with that
    method), or else those of its default preset that the method uses; with the task's rules and the
    budget's number of timesteps.

    Raises:
        ValueError: The method cannot learn the task.
    """
    named = {name: preset(task.game, name).method for name in presets(task.game)}
    fitting = [name for name, one in named.items() if one == method]
    name = method if method in fitting else fitting[0] if fitting else "default"
    settings: Any = replace(preset(task.game, name, method=method), variant=task.variant)
    unused = [name for name in task.train if name not in list_settings(type(settings))]
    if unused:
        raise ValueError(f"method {method} has no setting {', '.join(unused)}")
    check_seats(settings)
    steps = int(BUDGETS[budget])
    settings = load_method(method).limit_timesteps(settings, steps)
    total = getattr(settings, "total_steps", steps)
    changes: dict[str, Any] = {
        "seeds": (seed,),
        "runs": str(folder / RUNS / task.name),
        "name": f"{method}-{budget}-{seed}",
        "minutes": 0,
        **{name: max(total // parts, 1) for name, parts in INTERVALS.items()},
        **task.train,
    }
    known = list_settings(type(settings))
    return replace(settings, **{name: changes[name] for name in changes if name in known})


def train_task(
    task: Task, method: str, budget: str, seed: int, folder: Path, quiet: bool = False
) -> Training:
    """Train a method on a task, or resume its interrupted run, and return the agent.

    Raises:
        ValueError: The method cannot learn the task, or the run has other settings.
    """
    from ..learning.train import name_folder, resume, train

    settings = make_task_settings(task, method, budget, seed, folder)
    run = name_folder(settings)
    if (run / "settings.json").exists():
        saved = read_saved(read_json(run / "settings.json"), str(run))
        if _without_device(saved) != _without_device(settings):
            raise ValueError(
                f"{run}: the run must have the settings of the benchmark; remove the folder to "
                "train again"
            )
        resume(run, quiet=quiet)
    else:
        train(settings, quiet=quiet)
    seed_folder = run / f"seed-{seed}"
    result = read_json(seed_folder / RESULT_FILE)
    agent = (seed_folder / AGENT).relative_to(folder).as_posix()
    return Training(agent, budget, int(result["timesteps"]), float(result["seconds"]))


def _without_device(settings: Settings) -> dict[str, Any]:
    return {name: value for name, value in settings.plain().items() if name != "device"}


def find_agent(folder: Path, agent: str) -> str:
    """Return the spec of an entry's agent for `load_agent`.

    Paths are relative to ``folder``; the agents that ship with Parlour are ``pretrained/NAME``.
    """
    for path in (folder / agent, PRETRAINED_FOLDER.parent / agent):
        if (path / AGENT_FILE).is_file():
            return str(path)
    return agent


def digest_spec(task: Task, spec: str) -> str:
    """Return the digest of the saved agent that plays a task, empty if the spec names none.

    Raises ValueError if the saved agent cannot be read.
    """
    rules = task.list_test_rules()[0]
    return digest_saved(spec, task.game_object, rules, task.allows_rules_mismatch)


def copy_agent(saved: Path, folder: Path, method: str, task: str, seed: int) -> str:
    """Copy a saved agent next to its entry, and return its path relative to ``folder``."""
    target = locate_entry(folder, method, task, seed).with_suffix(".agent")
    if saved.resolve() != target.resolve():
        target.mkdir(parents=True, exist_ok=True)
        for name in (AGENT_FILE, WEIGHTS):
            shutil.copyfile(saved / name, target / name)
    return target.relative_to(folder).as_posix()


def measure_entry(
    task: Task,
    method: str,
    training: Training,
    folder: Path,
    seed: int,
    *,
    loaded: Agent | None = None,
    report: ProgressFactory | None = None,
    cluster: Cluster | None = None,
) -> BenchmarkEntry:
    """Measure an agent on a task and return its entry.

    An agent of a training run is copied next to the entry if it is small. Large agents are not
    published; their recorded games prove the values, but the time per decision is then unknown. In
    games for several players, recorded games prove nothing, so agents of any size are copied.
    Other agents are in the folder of results already, or ship with Parlour. ``loaded`` is an agent
    that only its own program can load, such as a model of another library.

    Raises:
        ValueError: The agent cannot play the task, or does not repeat its values on the same deals.
    """
    spec = find_agent(folder, training.agent)
    games, agent = "", training.agent
    # The digest comes before playing, so that a damaged folder fails early.
    agent_digest = "" if loaded else digest_spec(task, spec)
    is_run = loaded is None and agent.startswith(f"{RUNS}/")
    is_copied = is_run and (task.is_multiplayer or (Path(spec) / WEIGHTS).stat().st_size <= SMALL)
    keeps_games = loaded is not None or (is_run and not is_copied)
    with TemporaryDirectory() as temporary:
        record = Path(temporary, "games.jsonl") if keeps_games else None
        player = spec if loaded is None else loaded
        measured = measure_task(task, player, record=record, report=report, cluster=cluster)
        check_repeated(task, player, measured)
        if record is not None:
            path = locate_entry(folder, method, task.name, seed).with_suffix(SUFFIX)
            write_games(path, order_replays(task, load_replays(record)))
            games = path.name
    if is_copied:
        agent = copy_agent(Path(spec), folder, method, task.name, seed)
    ms, single_ms = measured.ms, time_decisions(task, player)
    if keeps_games:
        agent, agent_digest, ms, single_ms = "", "", 0.0, 0.0
    return BenchmarkEntry(
        method=method,
        task=task.name,
        budget=training.budget,
        seed=seed,
        agent=agent,
        agent_digest=agent_digest,
        games=games,
        rules_digest=task.rules_digest,
        steps=training.steps,
        training_seconds=round(training.seconds, 1),
        time_class=SLOW if keeps_games else classify_time(ms),
        ms=float(f"{ms:.3g}"),
        single_ms=float(f"{single_ms:.3g}"),
        sees_all=measured.sees_all,
        values=tuple(float(f"{value:.9g}") for value in measured.values),
        parlour=__version__,
        machine=describe_machine(),
        date=date.today().isoformat(),
    )
