"""Kernels that a wheel brings, compiled in advance for every processor of a platform.

``make wheel`` puts them into the folder ``compiled`` beside this module, together with a manifest.
They are used if the processor, Python, Numba and NumPy fit; otherwise kernels are compiled on first
use, as in a checkout. A kernel that was compiled on this machine takes precedence, because it uses
all instructions of the processor.
"""

import functools
import json
import sys
from dataclasses import dataclass
from pathlib import Path

import llvmlite
import numba
import numpy as np

FOLDER = Path(__file__).with_name("compiled")
MANIFEST = "manifest.json"
PROCESSOR = "x86-64-v3"
"""The processor that `make wheel` compiles for: x86-64 processors from about 2015 on."""
REQUIRED = {"avx", "avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe"}
"""LLVM's names of the instructions that `PROCESSOR` has and older ones lack.

Source: the x86-64 psABI, table of the microarchitecture levels.
"""


@dataclass(frozen=True, eq=False)
class Shipped:
    """The kernels of a wheel.

    Attributes:
        folder: Folder of the kernels.
        target: LLVM's triple, name and features of the processor that they were compiled for.
        versions: Versions that they were compiled with, by the name of the library.
    """

    folder: Path
    target: tuple[str, str, str]
    versions: dict[str, str]

    @functools.cache  # noqa: B019 - a process has one such object
    def can_run(self, triple: str, processor: str, features: str) -> bool:
        """Return whether a processor, by LLVM's names, can run the kernels."""
        return triple == self.target[0] and has_instructions(features)


def has_instructions(features: str) -> bool:
    """Return whether a processor, by LLVM's list of features, has the required instructions."""
    return {one[1:] for one in features.split(",") if one.startswith("+")} >= REQUIRED


def read_shipped(folder: Path = FOLDER) -> Shipped | None:
    """Return the kernels in a folder; None if it has no manifest."""
    try:
        manifest = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    return Shipped(folder, tuple(manifest["target"]), manifest["versions"])


def write_manifest(folder: Path, target: tuple[str, str, str]) -> None:
    """Write the manifest of a folder of kernels that this process compiled for a target."""
    manifest = {"target": target, "versions": list_versions()}
    (folder / MANIFEST).write_text(json.dumps(manifest, indent=2) + "\n", encoding="utf-8")


def list_versions() -> dict[str, str]:
    """Return the versions on which machine code depends, by the name of the library."""
    return {
        "Python": f"{sys.version_info[0]}.{sys.version_info[1]}",
        "Numba": numba.__version__,
        "llvmlite": llvmlite.__version__,
        "NumPy": f"{np.__version__.partition('.')[0]}",
    }


def explain_compiling(shipped: Shipped | None, target: tuple[str, str, str]) -> str:
    """Return why the kernels of a wheel cannot be used; "" without a wheel or if they can."""
    if shipped is None:
        return ""
    if not shipped.can_run(*target):
        return f"The kernels in the wheel need a processor of the level {shipped.target[1]}."
    actual = list_versions()
    for name, version in shipped.versions.items():
        if actual[name] != version:
            return f"The kernels in the wheel need {name} {version}, but {actual[name]} is here."
    return ""


SHIPPED = read_shipped()
"""The kernels of the wheel from which Parlour was installed; None without any."""
