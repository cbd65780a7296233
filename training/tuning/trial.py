"""One trial of a search for settings: an ordinary run, by settings that the search has drawn."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from parlour.agents.validation import naming, read_json
from parlour.envs import find_game

from ..files import unseal
from ..learning.settings.base import Settings
from ..learning.settings.files import read_saved
from .space import Space

Report = Callable[[int, float], None]
"""Takes the part of a run that is done, from 1, and what it then comes to; may end it."""


@dataclass(frozen=True)
class TunePlan:
    """What a search for settings is: see `tune.tune`. It can be pickled.

    ``storage``: URL of the data base, or a file of Optuna's journal. ``parts``: evaluations of a
    run, the last one at its end.
    """

    base: Settings
    space: Space
    folder: Path
    storage: str
    trials: int
    seed: int
    parts: int
    pruner: str
    quiet: bool = False

    @property
    def measure(self) -> str:
        """What trials are compared by: the game's `Game.measure`, more being better."""
        return find_game(self.base.game).measure

    def settings_of(self, run: str, params: Mapping[str, Any]) -> Settings:
        """Return the settings of a trial, whose run has that name."""
        given: dict[str, Any] = {"seeds": (self.seed,), "runs": str(self.folder / "trials")}
        return replace(self.base.with_evaluations(self.parts), **given, name=run, **params)

    def part_of(self, steps: int) -> int:
        """Return which part of a run has been done after so many steps, from 0 to ``parts``."""
        return self.base.count_evaluations(steps, self.parts)


@dataclass(frozen=True)
class TunedTrial:
    """A trial: its number, how it ended, what it came to, by which settings, in which run.

    ``state`` is done, pruned, failed or running; ``value`` the game's measure on the validation
    deals, of a pruned trial when it was ended (None: there is none); ``part`` of how many parts of
    the run were evaluated.
    """

    number: int
    state: str
    value: float | None
    part: int
    seconds: float | None
    settings: Mapping[str, Any]
    run: str
    error: str | None = None


def run_trial(plan: TunePlan, run: str, params: Mapping[str, Any], report: Report) -> float:
    """Train by a trial's settings; return what the run comes to on its validation deals.

    A run of that name goes on from its last checkpoint: ``report`` is then told of its earlier
    evaluations, too. What ``report`` raises ends the run, and is raised here. Raises ValueError for
    settings that do not go together, Interrupted as `train` does.
    """
    from ..learning.run import SETTINGS_FILE  # torch takes seconds
    from ..learning.train import name_folder, resume, train

    settings = plan.settings_of(run, params)
    folder = name_folder(settings)
    told = 0

    def watch(evaluation: Mapping[str, Any]) -> None:
        nonlocal told
        part = plan.part_of(evaluation["steps"])
        if told < part < plan.parts:  # the last one is told when the run is whole
            told = part
            report(part, float(evaluation[plan.measure]["mean"]))

    if (folder / SETTINGS_FILE).exists():
        _check_same(folder / SETTINGS_FILE, settings)
        for evaluation in _read_evaluations(folder / f"seed-{plan.seed}"):
            watch(evaluation)
        resume(folder, quiet=True, watch=watch, allow_code=True)  # the settings are the caller's
    else:
        train(settings, quiet=True, watch=watch)
    value = _read_evaluations(folder / f"seed-{plan.seed}")[-1][plan.measure]["mean"]
    report(plan.parts, float(value))
    return float(value)


def _check_same(file: Path, settings: Settings) -> None:
    """Refuse to go on with a run that has other settings: it is of another search."""
    with naming(file):
        found = read_saved(read_json(file), str(file))
    was, now = found.plain(), settings.plain()
    names = (was.keys() | now.keys()) - {"runs"}  # the folder may have been moved
    other = sorted(name for name in names if was.get(name) != now.get(name))
    if other:
        raise ValueError(f"{file.parent}: a run of another search: {', '.join(other)} differ")


def _read_evaluations(folder: Path) -> list[dict[str, Any]]:
    """Return the evaluations of one seed's run so far, the first one first."""
    from ..learning import checkpoint
    from ..learning.run import RESULT_FILE

    if (folder / RESULT_FILE).exists():
        with naming(folder / RESULT_FILE):
            result = unseal(read_json(folder / RESULT_FILE), RESULT_FILE)
            return list(result["evaluations"])
    found = checkpoint.latest(folder)
    return list(found.values["history"]["evaluations"]) if found else []
