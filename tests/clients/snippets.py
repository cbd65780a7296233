"""A snippet of docs/guides/libraries.md, run as printed; counts the steps of all games.

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
    code, steps, step = read_snippet(parser.parse_args().library), 0, Rows.step

    def count(rows: Rows, actions: np.ndarray, which: np.ndarray | None = None) -> None:
        nonlocal steps
        steps += rows.n if which is None else int(which.sum())
        step(rows, actions, which)

    Rows.step = count
    begun = time.perf_counter()
    exec(compile(code, str(GUIDE), "exec"), {"__name__": "__main__"})
    print(f"{steps / (time.perf_counter() - begun):,.0f} steps/s")


if __name__ == "__main__":
    main()
