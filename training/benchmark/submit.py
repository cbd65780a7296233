"""Submission of results from outside: an agent trained elsewhere, or its recorded games."""

from datetime import date
from pathlib import Path

from parlour import __version__
from parlour.agents.agent_spec import SpecKind, parse_spec
from parlour.agents.registry import find_saved
from parlour.agents.saved import PRETRAINED_FOLDER
from parlour.agents.validation import check_fields

from ..evaluation.replays.replay_files import load_replays
from .entries import FIELDS, BenchmarkEntry, locate_entry
from .games import SUFFIX, check_recordable, order_replays, replay_values, write_games
from .run import Training, copy_agent, measure_entry
from .tasks import BUDGETS, NONE, SLOW, Task

MACHINE = "recorded games"


def add_agent(
    folder: Path,
    task: Task,
    method: str,
    agent: str,
    *,
    budget: str = "none",
    seed: int = 0,
    steps: int = 0,
    training_seconds: float = 0.0,
) -> BenchmarkEntry:
    """Measure an agent on a task, and return its entry.

    The folder of a saved agent is copied into the folder of results, so that the results can be
    verified anywhere. The agents that ship with Parlour are not copied.

    Args:
        folder: The folder of results.
        task: The task.
        method: The name of the method.
        agent: The spec of the agent: a name, the folder of a saved agent, or ``module:Class``.
        budget: The training budget that the agent stayed within, a name in `tasks.BUDGETS`.
        seed: The training seed.
        steps: Number of timesteps of training.
        training_seconds: Wall time of training.

    Raises:
        ValueError: A field is wrong, the agent cannot play the task, it does not repeat its values
            on the same deals, it is a saved agent without a budget, or it was trained for more
            timesteps than its budget.
    """
    _check_facts(method, budget, seed, steps, training_seconds)
    saved = find_saved(
        agent, task.game_object, task.list_test_rules()[0], task.allows_rules_mismatch
    )
    if saved is not None:
        if budget == NONE:
            raise ValueError(f"budget must not be {NONE} for a trained agent, got {agent!r}")
        agent = _name_saved(agent, saved, folder, method, task, seed)
    training = Training(agent, budget, steps, training_seconds)
    return measure_entry(task, method, training, folder, seed)


def _name_saved(agent: str, saved: Path, folder: Path, method: str, task: Task, seed: int) -> str:
    """Return the spec of a saved agent for an entry; first copy the agent if it is not Parlour's.

    Raises ValueError for a search that an agent outside of Parlour guides.
    """
    is_folder = parse_spec(agent, task.game_object).kind is SpecKind.SAVED
    if saved.resolve().is_relative_to(PRETRAINED_FOLDER.resolve()):
        return f"{PRETRAINED_FOLDER.name}/{saved.name}" if is_folder else agent
    if is_folder:
        return copy_agent(saved, folder, method, task.name, seed)
    raise ValueError(
        f"agent must be the folder itself, a built-in agent, or module:Class, got {agent!r}"
    )


def add_games(
    folder: Path,
    task: Task,
    method: str,
    games: Path,
    *,
    budget: str = "none",
    seed: int = 0,
    steps: int = 0,
    training_seconds: float = 0.0,
) -> BenchmarkEntry:
    """Return the entry of recorded games of all deals of a task, whose values the kernel computes.

    The time per decision is unknown, so the entry is in the time class ``slow``. See `add_agent`
    for the arguments.

    Raises:
        ValueError: A field is wrong, the task is a game for several players, a deal is missing, or
            a game breaks the rules.
        OSError: The file cannot be read.
    """
    _check_facts(method, budget, seed, steps, training_seconds)
    check_recordable(task)
    path = locate_entry(folder, method, task.name, seed).with_suffix(SUFFIX)
    if path.exists():
        raise ValueError(f"{path} exists already: choose another method or seed")
    actions = order_replays(task, load_replays(games))
    values = replay_values(task, actions)
    write_games(path, actions)
    return BenchmarkEntry(
        method=method,
        task=task.name,
        budget=budget,
        seed=seed,
        agent="",
        agent_digest="",
        games=path.name,
        rules_digest=task.rules_digest,
        steps=steps,
        training_seconds=training_seconds,
        time_class=SLOW,
        ms=0.0,
        single_ms=0.0,
        sees_all=False,
        values=tuple(values.tolist()),
        parlour=__version__,
        machine=MACHINE,
        date=date.today().isoformat(),
    )


def _check_facts(method: str, budget: str, seed: int, steps: int, training_seconds: float) -> None:
    """Raise ValueError for a value that is not allowed, or more timesteps than the budget."""
    facts = {
        "method": method,
        "budget": budget,
        "seed": seed,
        "steps": steps,
        "training_seconds": training_seconds,
    }
    check_fields(facts, {name: FIELDS[name] for name in facts})
    if steps > BUDGETS[budget]:
        raise ValueError(
            f"steps must be at most {BUDGETS[budget]:,} with budget {budget}, got {steps:,}"
        )
