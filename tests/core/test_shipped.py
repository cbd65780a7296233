"""Kernels of a wheel: they are used if processor and versions fit, and never otherwise."""

import json
import shutil
from pathlib import Path

import pytest

from parlour.envs.core.kernel.compiling import CompilationListener, target_processor
from parlour.envs.core.kernel.shipped import (
    PROCESSOR,
    REQUIRED,
    Shipped,
    explain_compiling,
    has_instructions,
    list_versions,
    read_shipped,
    write_manifest,
)
from tests.core.test_jit import CALL, House, house

__all__ = ["house"]

TARGET = ("x86_64-unknown-linux-gnu", PROCESSOR, "")
FEATURES = ",".join(f"+{one}" for one in sorted(REQUIRED))
needs_level = pytest.mark.skipif(
    not has_instructions(target_processor()[2]), reason=f"the processor is below {PROCESSOR}"
)


def ship(house: House) -> Path:
    """Compile the example for every processor, and put the kernels where a wheel has them."""
    generic = {"NUMBA_CPU_NAME": PROCESSOR, "NUMBA_CPU_FEATURES": ""}
    assert house.run(CALL, **generic) == ("60", 2)
    folder = house.folder / "house" / "core" / "compiled"
    folder.mkdir()
    for file in house.cache.rglob("*.nbc"):
        shutil.copy(file, folder / file.name)
    shutil.rmtree(house.cache)
    write_manifest(folder, (target_processor()[0], PROCESSOR, ""))
    return folder


@needs_level
def test_the_kernels_of_a_wheel_are_used(house: House) -> None:
    ship(house)
    assert house.run(CALL) == ("60", 0)
    assert house.files() == [], "nothing is copied to the cache"


@needs_level
def test_an_edited_kernel_is_compiled(house: House) -> None:
    ship(house)
    helper = house.folder / "house" / "helper.py"
    helper.write_text(helper.read_text().replace("PLUS = 1", "PLUS = 2"))
    assert house.run(CALL) == ("70", 2)
    assert house.run(CALL) == ("70", 0)


@needs_level
def test_another_processor_compiles(house: House) -> None:
    ship(house)
    assert house.run(CALL, NUMBA_CPU_NAME="generic") == ("60", 2)


@needs_level
def test_a_damaged_kernel_is_compiled(house: House) -> None:
    for file in ship(house).glob("*.nbc"):
        file.write_bytes(file.read_bytes()[:-20])
    assert house.run(CALL) == ("60", 2)


def test_a_manifest_is_read_as_it_was_written(tmp_path: Path) -> None:
    assert read_shipped(tmp_path) is None
    write_manifest(tmp_path, TARGET)
    shipped = read_shipped(tmp_path)
    assert shipped is not None
    assert (shipped.folder, shipped.target, shipped.versions) == (
        tmp_path,
        TARGET,
        list_versions(),
    )


@pytest.mark.parametrize(
    ("triple", "features", "fits"),
    [
        (TARGET[0], FEATURES, True),
        (TARGET[0], FEATURES + ",-avx512f,+sse4.2", True),
        (TARGET[0], FEATURES.replace("+avx2", "-avx2"), False),
        (TARGET[0], "", False),
        ("aarch64-unknown-linux-gnu", FEATURES, False),
    ],
)
def test_a_processor_needs_all_instructions(triple: str, features: str, fits: bool) -> None:
    shipped = Shipped(Path(), TARGET, list_versions())
    assert shipped.can_run(triple, "any", features) == fits


def test_the_reason_for_compiling_is_explained() -> None:
    here = (TARGET[0], "znver4", FEATURES)
    fitting = Shipped(Path(), TARGET, list_versions())
    other = Shipped(Path(), TARGET, list_versions() | {"Numba": "0.1"})
    assert explain_compiling(None, here) == explain_compiling(fitting, here) == ""
    assert explain_compiling(fitting, (TARGET[0], "old", "")) == (
        "The kernels in the wheel need a processor of the level x86-64-v3."
    )
    text = explain_compiling(other, here)
    assert text.startswith("The kernels in the wheel need Numba 0.1, but ")


def test_the_reason_is_said_once(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    module = "parlour.envs.core.kernel.compiling"
    monkeypatch.setattr(f"{module}.explain_compiling", lambda *_: "Because.")
    monkeypatch.setattr(f"{module}.PAUSE", 0.0)
    listener = CompilationListener()
    listener.always = True
    for _ in range(2):
        listener.on_start(None)
        listener.on_end(None)
    lines = capsys.readouterr().err.splitlines()
    assert [line[:9] for line in lines] == ["Because.", "Compiling", "Compiling"]


def test_the_manifest_is_json(tmp_path: Path) -> None:
    write_manifest(tmp_path, TARGET)
    assert set(json.loads((tmp_path / "manifest.json").read_text())) == {"target", "versions"}
