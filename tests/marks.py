"""Marks of parameters, the same for all tests."""

from typing import Any

import pytest


def slow_if(slow: bool, *given: Any, name: str | None = None) -> Any:
    """A parameter, marked if it takes more than a few seconds and others are of its kind."""
    return pytest.param(*given, marks=[pytest.mark.slow] if slow else [], id=name)
