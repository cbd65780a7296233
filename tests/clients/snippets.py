"""A snippet of docs/guides/libraries.md, run as printed, twice: the first run also compiles.

python tests/clients/snippets.py TorchRL
"""

import argparse
import re
import time
from pathlib import Path

import numpy as np

from parlour.envs.core.rows import Rows

GUIDE = Path(__file__).parents[2] / "docs" / "guides" / "libraries.md"


def read_snippet(library: str) -> str:
    """The code block below the heading of a library."""
    section = GUIDE.read_text(encoding="utf-8").partition(f"\n## {library}\n")[2]
    (code,) = re.findall(r"^```py\n(.*?)^```$", section.partition("\n## ")[0], re.M | re.S)
    return code


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("library")
    arguments = parser.parse_args()
    code, steps, step = read_snippet(arguments.library), 0, Rows.step

    def count(rows: Rows, actions: np.ndarray, which: np.ndarray | None = None) -> None:
        nonlocal steps
        steps += rows.n if which is None else int(which.sum())
        step(rows, actions, which)

    Rows.step = count
    program = compile(code, f"{GUIDE.name}, {arguments.library}", "exec")
    for _ in range(2):
        begun, steps = time.perf_counter(), 0
        exec(program, {"__name__": "__main__"})
    print(f"{steps / (time.perf_counter() - begun):,.0f} steps/s")


if __name__ == "__main__":
    main()
