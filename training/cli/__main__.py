"""``python -m parlour.training.cli``: as the command ``parlour``."""

import sys

from .start import main

sys.exit(main())
