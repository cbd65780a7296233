"""A search for settings by Ray Tune: the same trials and the same study, on Ray's workers."""

import os
import shutil
import warnings
from functools import partial
from typing import Any

from optuna import Study
from ray import tune
from ray.tune.schedulers import (
    AsyncHyperBandScheduler,
    FIFOScheduler,
    MedianStoppingRule,
    TrialScheduler,
)
from ray.tune.search.optuna import OptunaSearch

from parlour.agents.validation import one_line

from ..parallel.engines import find_ray, join_ray
from .study import (
    ERROR,
    STARTUP,
    claim,
    draw_params,
    fail,
    list_counted,
    list_own,
    make_sampler,
    marking,
    open_storage,
    open_study,
    requeue,
    requeue_dead,
)
from .trial import TunePlan, run_trial

VALUE, PART, RUN = "value", "part", "run"
STORAGE = "ray"
"""The folder of Ray's own files while it runs: pickles, which Parlour never reads. A search resumes
from its study."""
MOST_FAILURES = 3
"""How often a trial whose worker has died is begun anew: it goes on with its run."""
ENVIRONMENT = {"RAY_CHDIR_TO_TRIAL_DIR": "0"}
"""Of workers: paths in settings stay what they are."""


class SharedSearch(OptunaSearch):
    """Ray's OptunaSearch, which also says which trials were ended early and which failed."""

    def __init__(self, plan: TunePlan, study: Study, number: int) -> None:
        self.parts, self.study = plan.parts, study
        super().__init__(
            space=partial(define, plan),
            metric=VALUE,
            mode="max",
            study_name=study.study_name,
            storage=open_storage(plan),
            sampler=make_sampler(plan.seed, number),
        )

    def on_trial_result(self, trial_id: str, result: dict[str, Any]) -> None:
        """Report an evaluation to the study; a trial that was begun anew repeats some."""
        if ERROR in result:
            return
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self._ot_trials[trial_id].report(result[VALUE], result[PART])

    def on_trial_complete(
        self, trial_id: str, result: dict[str, Any] | None = None, error: bool = False
    ) -> None:
        """Tell the study of a trial; one that was ended early is pruned, not done."""
        said = f"it failed {MOST_FAILURES + 1} times" if error else (result or {}).get(ERROR)
        if said:
            fail(self.study, self._ot_trials[trial_id], said)
            self._completed_trials.add(trial_id)
            return
        early = result is None or result.get(PART, 0) < self.parts
        super().on_trial_complete(trial_id, None if early else result)


def define(plan: TunePlan, trial: Any) -> dict[str, Any]:
    """Return what a worker is to try: settings, and the name of the run."""
    return {RUN: claim(trial), **draw_params(plan, trial)}


def train_trial(plan: TunePlan, config: dict[str, Any]) -> None:
    """Run a trial on a worker; settings that fail are reported, for by them all workers would."""
    params = {name: value for name, value in config.items() if name != RUN}

    def report(part: int, value: float) -> None:
        tune.report({VALUE: value, PART: part})

    try:
        run_trial(plan, config[RUN], params, report)
    except (ValueError, ArithmeticError) as error:
        said = f"{type(error).__name__}: {one_line(error)}"
        tune.report({VALUE: float("-inf"), PART: 0, ERROR: said})


def work_by_ray(plan: TunePlan, jobs: int, address: str | None) -> None:
    """Let Ray try settings until there are enough trials.

    Raises ValueError if no cluster answers at an address, KeyboardInterrupt after Ctrl-C.
    """
    study = open_study(plan)
    requeue_dead(study)
    counted = len(list_counted(study))
    if counted >= plan.trials:
        return
    threads, storage = getattr(plan.base, "threads", 1), plan.folder / STORAGE
    os.environ |= {"TUNE_DISABLE_SIGINT_HANDLER": "1", "TUNE_DISABLE_AUTO_CALLBACK_LOGGERS": "1"}
    with join_ray(address, jobs * threads, ENVIRONMENT), marking(study):
        tuner = tune.Tuner(
            tune.with_resources(lambda config: train_trial(plan, config), {"cpu": threads}),
            tune_config=tune.TuneConfig(
                metric=VALUE,
                mode="max",
                search_alg=SharedSearch(plan, study, counted),
                scheduler=make_scheduler(plan),
                num_samples=plan.trials - counted,
                max_concurrent_trials=find_most(jobs, address),
                reuse_actors=True,  # torch takes seconds to load
            ),
            run_config=tune.RunConfig(
                name=f"search-{len(study.get_trials(deepcopy=False))}",
                storage_path=str(storage),
                failure_config=tune.FailureConfig(max_failures=MOST_FAILURES),
                verbose=0,
            ),
        )
        try:
            tuner.fit()
        finally:
            for trial in list_own(study):
                requeue(study, trial)
            shutil.rmtree(storage, ignore_errors=True)


def find_most(jobs: int, address: str | None) -> int | None:
    """Return how many trials may run at once; None: as many as a cluster that runs has room for."""
    return jobs if find_ray(address) is None else None


def make_scheduler(plan: TunePlan) -> TrialScheduler:
    """Return what ends trials early, as `tune_study.make_pruner` does."""
    if plan.pruner == "median":
        return MedianStoppingRule(time_attr=PART, grace_period=2, min_samples_required=STARTUP)
    if plan.pruner == "hyperband":
        return AsyncHyperBandScheduler(
            time_attr=PART, max_t=plan.parts, grace_period=1, reduction_factor=3
        )
    return FIFOScheduler()
