"""Write the output of ``make demo`` and its picture into the documentation.

make demo | python -m benchmarks.demo
"""

import shutil
import sys

from benchmarks.reports import ROOT, put_block

BLOCK = "benchmarks.demo"
FIRST, LAST = "Pyramid, deals ", "Evaluation seed: "
"""Beginnings of the first and the last line of the tables."""
WRITTEN, PICTURE = "written: ", "comparison.png"


def main() -> None:
    """Read stdin, then write README.md and docs/demo.png."""
    lines = [line.rstrip() for line in sys.stdin.read().splitlines()]
    begins = [number for number, line in enumerate(lines) if line.startswith(FIRST)]
    ends = [number for number, line in enumerate(lines) if line.startswith(LAST)]
    pictures = [line.removeprefix(WRITTEN) for line in lines if line.endswith(PICTURE)]
    if not begins or not ends or not pictures:
        sys.exit("the input must be the output of make demo")
    table = "\n".join(lines[begins[0] : ends[-1] + 1])
    put_block(ROOT / "README.md", BLOCK, f"```txt\n{table}\n```")
    shutil.copy(ROOT / pictures[-1], ROOT / "docs" / "demo.png")


if __name__ == "__main__":
    main()
