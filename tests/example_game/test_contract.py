"""The unchanged contract tests, run on the example.

The tests are those with a parameter ``case`` or ``game``, those with random options, and those that
Hypothesis drives. Tests of several seats and of afterstate values do not apply to the example.
"""

import inspect
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

from tests.contract import (
    test_bad_input,
    test_deals,
    test_gaps,
    test_gymnasium,
    test_illegal,
    test_leaks,
    test_legality,
    test_plain_python,
    test_properties,
    test_records,
    test_scenes,
    test_states,
    test_vector,
)
from tests.contract.cases import Case, random_cases
from tests.contract.test_second_process import CODE
from tests.example_game import GAME

MODULES = (
    *(test_bad_input, test_deals, test_gaps, test_gymnasium, test_leaks, test_legality),
    *(test_plain_python, test_properties, test_records, test_scenes, test_states, test_vector),
)
ELSEWHERE = {
    "test_made_by_module_and_id_in_a_process_that_imported_nothing",  # lists Parlour's games
    "test_rows_are_single_environments_with_random_options",  # it needs games with several seats
}
ALONE = "from tests.example_game.alone import enter_alone; enter_alone()\n"


def is_taken(name: str, test: Any) -> bool:
    if not name.startswith("test_") or not callable(test) or name in ELSEWHERE:
        return False
    asked = {"case", "game"} & inspect.signature(test).parameters.keys()
    return bool(asked) or name.endswith("random_options") or hasattr(test, "hypothesis")


def list_tests(module: ModuleType) -> dict[str, Callable[..., None]]:
    return {name: test for name, test in vars(module).items() if is_taken(name, test)}


TAKEN = [list_tests(module) for module in MODULES]
globals().update(name_and_test for tests in TAKEN for name_and_test in tests.items())


def test_no_test_hides_another() -> None:
    names = [name for tests in TAKEN for name in tests]
    assert all(TAKEN)
    assert len(set(names)) == len(names) > 80


def test_rows_are_single_environments_by_random_options() -> None:
    modes, settings = test_vector.MODES, test_vector.SETTINGS
    ends = [
        test_vector.play(case, modes[i % 3], 6, 80, **settings[i % 4])
        for i, case in enumerate(random_cases(12, seed=5))
    ]
    for kind in ("terminated", "truncated", "illegal", "won"):
        assert any(end[kind] for end in ends), kind


def test_illegal_actions_do_what_the_modes_say(case: Case) -> None:
    """The contract tests choose their own games for these, with more actions than two."""
    test_illegal.test_a_random_legal_action_is_played_instead(case)
    test_illegal.test_a_penalty_changes_nothing_and_continues(case)


def run_alone(code: str) -> list[str]:
    """Run code in a separate process with the example as the only game; return its output lines."""
    root = Path(__file__).parents[2]
    run = subprocess.run([sys.executable, "-c", ALONE + code], capture_output=True, cwd=root)
    assert run.returncode == 0 and not run.stderr, run.stderr.decode()
    return run.stdout.decode().splitlines()


def test_a_second_process_compiles_nothing() -> None:
    assert [run_alone(CODE) for _ in range(2)][1] == ["compiled 0"]


def test_corrupted_records_are_rejected_or_safe() -> None:
    lines = run_alone(f"from tests.fuzz_records import main; main({GAME.name!r}, 200, 8, 1)")
    taken, refused = (sum(int(line.split()[at]) for line in lines) for at in (-2, -1))
    assert len(lines) == len(GAME.variants) + 8
    assert taken > len(lines) and refused > taken
