"""What a solver says, as arrays have it."""

import pytest

from parlour.envs.core.contract import LOST, UNDECIDED, WINNABLE, Solution


@pytest.mark.parametrize(("winnable", "code"), [(None, UNDECIDED), (False, LOST), (True, WINNABLE)])
def test_the_code_of_winnable(winnable: bool | None, code: int) -> None:
    assert Solution(winnable, None, 1).winnable_code == code


def test_codes_are_minus_one_zero_and_one() -> None:
    assert (UNDECIDED, LOST, WINNABLE) == (-1, 0, 1)
