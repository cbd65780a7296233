"""The cache, tried out in processes of their own on small packages with a copy of ``jit.py``."""

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from parlour.envs.core.kernel import jit as door
from parlour.envs.core.kernel.jit import jit, plain_python

HELPER = """
from .core.jit import jit
PLUS = 1
@jit
def helper(x):
    return x + PLUS
"""
CALLER = """
from .core.jit import jit
from .helper import helper
@jit
def caller(x):
    return 10 * helper(x)
"""
PLAIN = """
from .caller import caller
SEEN = {"call": 1}
def plain(x):
    return SEEN and caller(x)
"""
FACTORY = """
from .core.jit import jit
@jit
def one(x):
    return x + 100
@jit
def two(x):
    return x + 200
def make(step, repeats):
    @jit
    def play(x):
        for i in range(repeats):
            x = step(x) ^ i
        return x
    return play
"""


class House:
    """A package ``house`` in a folder, with the door to Numba in it, and processes that use it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.cache = folder / "cache"
        for name in ("jit.py", "shipped.py"):
            self.write(f"house/core/{name}", Path(door.__file__).with_name(name).read_text())

    def write(self, name: str, text: str) -> None:
        file = self.folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def start(self, code: str, **settings: str) -> subprocess.Popen[str]:
        environment = dict(os.environ, PYTHONPATH=str(self.folder), PYTHONDONTWRITEBYTECODE="1")
        environment |= {"NUMBA_CACHE_DIR": str(self.cache)} | settings
        report = "\nfrom house.core.jit import count_compilations as count"
        report += "\nprint('compiled', count())"
        return subprocess.Popen(
            [sys.executable, "-c", code + report],
            env=environment,
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )

    def run(self, code: str, **settings: str) -> tuple[str, int]:
        """Return what a process printed, and how many kernels it compiled."""
        return self.result(self.start(code, **settings))[:2]

    def result(self, process: subprocess.Popen[str]) -> tuple[str, int, str]:
        printed, errors = process.communicate(timeout=120)
        assert process.returncode == 0, errors
        printed, _, compiled = printed.rpartition("compiled ")
        return printed.strip(), int(compiled), errors

    def files(self) -> list[Path]:
        return sorted(self.cache.rglob("*.*"))


@pytest.fixture
def house(tmp_path: Path) -> House:
    made = House(tmp_path)
    made.write("house/helper.py", HELPER)
    made.write("house/caller.py", CALLER)
    made.write("house/factory.py", FACTORY)
    return made


CALL = "from house.caller import caller; print(caller(5))"


def test_a_second_process_compiles_nothing(house: House) -> None:
    assert house.run(CALL) == ("60", 2)
    assert house.run(CALL) == ("60", 0)


def test_an_edited_helper_in_another_file_is_noticed(house: House) -> None:
    house.run(CALL)
    house.write("house/helper.py", HELPER.replace("PLUS = 1", "PLUS = 2"))
    assert house.run(CALL) == ("70", 2)
    assert len(house.files()) == 2, "the new version did not replace the old one"


def test_an_edit_of_what_a_kernel_does_not_reach_recompiles_nothing(house: House) -> None:
    house.run(CALL)
    house.write("house/helper.py", HELPER.replace("PLUS = 1", "PLUS = 1  # a comment\nMINUS = 1"))
    house.write("house/factory.py", FACTORY.replace("100", "300"))
    assert house.run(CALL) == ("60", 0)


@pytest.mark.parametrize("dotted", [False, True])
@pytest.mark.slow
def test_an_edited_helper_is_noticed_outside_the_package_too(house: House, dotted: bool) -> None:
    helper = HELPER.replace("from .core", "from house.core")
    caller = CALLER.replace("from .core", "from house.core")
    if dotted:
        caller = caller.replace("from .helper import helper", "from . import helper")
        caller = caller.replace("helper(x)", "helper.helper(x)")
    house.write("guest/caller.py", caller)
    house.write("guest/helper.py", helper)
    call = CALL.replace("house", "guest")
    assert [house.run(call), house.run(call)] == [("60", 2), ("60", 0)]
    house.write("guest/helper.py", helper.replace("x +", "x -"))
    assert house.run(call) == ("40", 2)


@pytest.mark.slow
def test_an_edited_helper_behind_the_dot_of_a_module_is_noticed(house: House) -> None:
    dotted = CALLER.replace("from .helper import helper", "from .helpers import all")
    house.write("house/caller.py", dotted.replace("helper(x)", "all.helper(x)"))
    house.write("house/helpers/__init__.py", "")
    house.write("house/helpers/all.py", "from ..helper import helper")
    assert [house.run(CALL), house.run(CALL)] == [("60", 2), ("60", 0)]
    house.write("house/helper.py", HELPER.replace("x +", "x -"))
    assert house.run(CALL) == ("40", 2)


@pytest.mark.slow
def test_the_digest_of_code_is_that_of_what_is_reached(house: House) -> None:
    house.write("house/plain.py", PLAIN)
    ask = "from house.core.jit import digest_code; from house.plain import plain"
    ask += "\nprint(digest_code(plain))"
    before, _ = house.run(ask)
    house.write("house/factory.py", FACTORY.replace("100", "300"))
    assert house.run(ask)[0] == house.run(ask, PYTHONHASHSEED="3")[0] == before
    house.write("house/helper.py", HELPER.replace("PLUS = 1", "PLUS = 2"))
    assert house.run(ask)[0] != before


DIGESTED = """
PLUS = 1
def add(x):
    return x + PLUS
def play(x):
    return add(x) * 2
"""


@pytest.mark.parametrize(
    ("old", "new", "is_same"),
    [
        ("def add(x):", 'def add(x):\n    """Add one."""', True),
        ("    return x + PLUS", "    # why\n    return (\n        x + PLUS  # why\n    )", False),
        ("    return x + PLUS", "    # why\n\n    return x + PLUS  # why", True),
        ("    return x + PLUS", '    y = "text"\n    return x + PLUS', False),
        ("PLUS = 1", "PLUS = 2", False),
        ("x + PLUS", "x - PLUS", False),
        ("add", "plus", False),
    ],
)
def test_a_digest_of_code_leaves_out_what_does_not_run(
    tmp_path: Path, old: str, new: str, is_same: bool
) -> None:
    """Comments, docstrings and the name of the module; brackets count."""
    digests = []
    for name, text in (("first", DIGESTED), ("second", DIGESTED.replace(old, new))):
        file = tmp_path / f"{name}.py"
        file.write_text(text)
        spec = importlib.util.spec_from_file_location(name, file)
        assert spec is not None and spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        digests.append(door.digest_code(module.play))
    assert (digests[0] == digests[1]) == is_same


@pytest.mark.slow
def test_a_module_edited_and_reloaded_leaves_nothing_stale(house: House) -> None:
    edit = (
        "import importlib, pathlib, house.helper as module\n"
        "assert module.helper(5) == 6\n"
        "file = pathlib.Path(module.__file__)\n"
        "file.write_text(file.read_text().replace('PLUS = 1', 'PLUS = 30'))\n"
        "print(importlib.reload(module).helper(5))\n"
    )
    assert house.run("from house.helper import helper; helper(5)") == ("", 1)
    assert house.run(edit) == ("35", 1)
    house.write("house/helper.py", HELPER)
    assert house.run("from house.helper import helper; print(helper(5))") == ("6", 1)


@pytest.mark.slow
def test_settings_of_numba_count(house: House) -> None:
    house.run(CALL)
    assert house.run(CALL, NUMBA_BOUNDSCHECK="1") == ("60", 2)
    assert house.run(CALL) == ("60", 0)


PLAY = "from house.factory import *; print({}(1))"


@pytest.mark.slow
def test_kernels_of_a_factory_are_found_and_distinguished(house: House) -> None:
    products = ("make(one, 1)", "101", 2), ("make(two, 1)", "201", 2), ("make(one, 3)", "302", 1)
    for product, result, compiled in products:
        assert house.run(PLAY.format(product)) == (result, compiled)
    for product, result, _ in products:
        assert house.run(PLAY.format(product)) == (result, 0)


def test_products_compiled_in_different_processes_work_in_one_caller(house: House) -> None:
    # Numba names both alike, and would link one of them for both.
    house.run(PLAY.format("make(one, 1)"))
    house.run(PLAY.format("make(two, 1)"))
    both = """
from house.factory import *
a, b, again = make(one, 1), make(two, 1), make(one, 1)
a(1), b(1), again(1)
@jit
def all_three(x):
    return a(x), b(x), again(x)
print(all_three(1), a(1), b(1), again(1))
"""
    assert house.run(both) == ("(101, 201, 101) 101 201 101", 1)


@pytest.mark.slow
def test_arrays_and_named_tuples_are_distinguished(house: House) -> None:
    house.write(
        "house/tables.py",
        """
from collections import namedtuple
import numpy as np
from .core.jit import jit
def make(table):
    @jit
    def look(i):
        return table[i]
    return look
def rules(fields):
    return namedtuple("Rules", fields)(3, 4)
@jit
def first(rules):
    return rules.a
long = np.arange(5000)
other = long.copy()
other[2500] = -1
""",
    )
    code = "from house.tables import *; print(make({})(2500), first(rules('{}')))"
    assert house.run(code.format("long", "a b")) == ("2500 3", 2)
    assert house.run(code.format("other", "b a")) == ("-1 4", 2)


@pytest.mark.slow
def test_concurrent_processes_do_not_corrupt_the_cache(house: House) -> None:
    calls = [f"from house.caller import caller; print(caller({x}))" for x in ("5", "5.5", "5")]
    for process in [house.start(call) for call in calls]:
        house.result(process)
    assert [house.run(call) for call in calls[:2]] == [("60", 0), ("65.0", 0)]
    assert len(house.files()) == 4


@pytest.mark.parametrize("damage", [pytest.param("cut", marks=pytest.mark.slow), "changed"])
def test_damaged_files_are_compiled_again(house: House, damage: str) -> None:
    house.run(CALL)
    for file in house.files():
        data = bytearray(file.read_bytes())
        data[len(data) // 2] ^= 1
        file.write_bytes(data if damage == "changed" else data[:99])
    assert house.run(CALL) == ("60", 2)
    assert house.run(CALL) == ("60", 0)


def test_without_a_writable_folder_it_warns_once_and_continues(house: House) -> None:
    house.write("file", "where a folder would have to be")
    house.write("house/__pycache__", "")
    nowhere = {
        name: str(house.folder / "file")
        for name in ("NUMBA_CACHE_DIR", "HOME", "XDG_CACHE_HOME", "LOCALAPPDATA")
    }
    for _ in range(2):
        printed, compiled, errors = house.result(house.start(CALL, **nowhere))
        assert (printed, compiled) == ("60", 2)
        assert errors.count("RuntimeWarning") == 1
        assert "NUMBA_CACHE_DIR" in errors


READ_ONLY = """
import tempfile
write = tempfile.TemporaryFile
def refuse(*_, dir=None, **__):
    if {allowed!r} not in str(dir):
        raise PermissionError(13, "Permission denied")
    return write(dir=dir)
tempfile.TemporaryFile = refuse
"""
"""Numba writes such a file to find out whether a folder can be written. Root can write any."""


@pytest.mark.slow
@pytest.mark.parametrize("allowed", ["nowhere", "elsewhere"])
def test_kernels_in_a_package_that_cannot_be_written_are_used(house: House, allowed: str) -> None:
    beside = {"NUMBA_CACHE_DIR": ""}
    assert house.run(CALL, **beside) == ("60", 2)
    assert list((house.folder / "house/__pycache__").glob("*.nbc"))
    other = {"NUMBA_CACHE_DIR": str(house.folder / "elsewhere")}
    call = READ_ONLY.format(allowed=allowed) + CALL
    printed, compiled, errors = house.result(house.start(call, **other))
    assert (printed, compiled, errors) == ("60", 0, "")
    house.write("house/helper.py", HELPER.replace("PLUS = 1", "PLUS = 2"))
    printed, compiled, errors = house.result(house.start(call, **other))
    assert (printed, compiled) == ("70", 2), "a stale kernel was used"
    assert errors.count("RuntimeWarning") == (allowed == "nowhere")
    again = house.run(call, **other)
    assert again == ("70", 2 if allowed == "nowhere" else 0)


@pytest.mark.slow
def test_a_full_disk_warns_once_and_continues(house: House) -> None:
    full = "import pathlib\ndef full(*_): raise OSError(28, 'No space left on device')\n"
    full += "pathlib.Path.write_bytes = full\n"
    printed, compiled, errors = house.result(house.start(full + CALL))
    assert (printed, compiled, errors.count("RuntimeWarning")) == ("60", 2, 1)
    assert "No space left" in errors


def test_without_compilation_everything_still_runs(house: House) -> None:
    assert house.run(CALL, NUMBA_DISABLE_JIT="1") == ("60", 0)


@jit
def _wide(x):
    return x["a"][0] + 100


@jit
def _sum(x, n):
    return 0 if n == 0 else _wide(x) + _sum(x, n - 1)


def _subtract(step):
    @jit
    def less(x, n):
        return step(x, n) - 1

    return less


@jit(twin=lambda x: -1)
def _named(x):
    return x


@jit
def _calls_named(x):
    return _named(x), _sum


def test_plain_reaches_helpers_cells_and_itself() -> None:
    compiled = _subtract(_sum)
    interpreted = plain_python(compiled)
    (step,) = (cell.cell_contents for cell in interpreted.__closure__)
    assert not any(hasattr(f, "py_func") for f in (interpreted, step, step.__globals__["_wide"]))
    assert step.__globals__["_sum"] is step
    states = np.array([([127],)], [("a", np.int8, 1)])
    assert compiled(states[0], 3) == interpreted({"a": [127]}, 3) == 3 * 227 - 1
    assert hasattr(_sum, "py_func"), "the kernel itself was changed"


def test_plain_takes_the_twin() -> None:
    assert plain_python(_named)(7) == plain_python(_calls_named)(7)[0] == -1
    assert _named(7) == 7


def test_plain_leaves_plain_functions_alone() -> None:
    assert plain_python(_subtract) is _subtract
