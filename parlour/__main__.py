"""Run the command ``parlour`` as ``python -m parlour``."""

import sys

from parlour.training.cli.start import main

if __name__ == "__main__":
    sys.exit(main())
