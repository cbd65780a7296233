"""The tasks of the benchmark."""

import numpy as np
import pytest

from parlour.envs.core.kernel.cards import deal_seeds
from parlour.training.benchmark import tasks
from parlour.training.benchmark.measure import measure_task
from parlour.training.benchmark.tasks import (
    ALL_TASKS,
    DEAL_SET,
    OTHER_TASKS,
    TASKS,
    classify_time,
    find_task,
)
from parlour.training.learning.settings.base import ManyRulesSettings
from parlour.training.learning.settings.files import preset

SOLO = [task for task in TASKS.values() if not task.is_multiplayer]


@pytest.mark.parametrize("task", TASKS.values(), ids=list(TASKS))
def test_reference_scores_are_0_and_1(task: tasks.Task) -> None:
    assert task.reference is not None
    low, high, _ = task.reference
    assert low < high
    assert task.normalize(low) == 0 and task.normalize(high) == pytest.approx(1)


@pytest.mark.parametrize("task", OTHER_TASKS.values(), ids=list(OTHER_TASKS))
def test_other_tasks_have_no_normalized_score(task: tasks.Task) -> None:
    assert task.list_test_rules() == [task.rules] and task.kind == "deals"
    with pytest.raises(ValueError, match=r"task must be one of pyramid-three-passes, .* got"):
        task.normalize(1.0)


def test_no_two_tasks_are_the_same() -> None:
    assert len(ALL_TASKS) == len(TASKS) + len(OTHER_TASKS)
    assert len({task.rules_digest for task in ALL_TASKS.values()}) == len(ALL_TASKS)


@pytest.mark.parametrize("task", SOLO, ids=lambda task: task.name)
def test_the_uniform_agent_scores_0(task: tasks.Task) -> None:
    measured = measure_task(task, "uniform")
    assert len(measured.values) == task.num_values and not measured.sees_all
    error = measured.values.std() / np.sqrt(task.num_values)
    assert task.reference is not None
    assert abs(measured.values.mean() - task.reference.low) < 4 * max(error, 0.001)


def test_deals_of_tasks_are_no_validation_deals() -> None:
    seeds = deal_seeds(DEAL_SET, np.arange(2000))
    for task in ALL_TASKS.values():
        for deal_set in (f"{task.game}-validation", f"{task.game}-1", f"{task.game}-2"):
            assert not set(seeds.tolist()) & set(deal_seeds(deal_set, np.arange(10_000)).tolist())


def test_rules_for_training_and_for_tests_differ() -> None:
    task = TASKS["pyramid-rules"]
    settings = preset(task.game, "many", method="distill")
    assert isinstance(settings, ManyRulesSettings)
    changed = type(settings)(
        game=task.game, variant=task.variant, eval_deals=2000, **task.train
    )  # fmt: skip
    trained = set(changed.list_rules().rules)
    tested = task.list_test_rules()
    assert len(set(tested)) == task.test_sets == 40
    assert not trained & set(tested)


def test_time_classes_are_ordered() -> None:
    assert [classify_time(ms) for ms in (0.1, 0.11, 1, 10, 10.1)] == [
        *("0.1ms", "1ms", "1ms", "10ms", "slow")
    ]


def test_an_unknown_task_is_named() -> None:
    with pytest.raises(ValueError, match=r"task must be one of .* got 'pyramid'"):
        find_task("pyramid")
