"""Test parameters with marks."""

from typing import Any

import pytest


def slow_if(slow: bool, *given: Any, name: str | None = None) -> Any:
    """Return a test parameter, marked as slow if ``slow`` is true.

    A parameter is slow if it takes more than a few seconds and faster ones cover the same code.
    """
    return pytest.param(*given, marks=[pytest.mark.slow] if slow else [], id=name)
