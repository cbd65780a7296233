import random

import pytest

from parlour.envs.core.kernel.bits import count, highest, lowest
from parlour.envs.core.kernel.jit import plain_python

_RANDOM = random.Random(1)
SETS = [1 << n for n in range(63)]
SETS += [_RANDOM.getrandbits(_RANDOM.randint(1, 63)) | 1 << _RANDOM.randrange(63) for _ in SETS * 9]
SETS += [2**63 - 1]


@pytest.mark.parametrize("n", range(63))
def test_one_member(n: int) -> None:
    assert (count(1 << n), lowest(1 << n), highest(1 << n)) == (1, n, n)


def test_members_of_any_set() -> None:
    for x in SETS:
        members = [n for n in range(63) if x >> n & 1]
        assert (count(x), lowest(x), highest(x)) == (len(members), members[0], members[-1])


def test_the_empty_set_has_no_members() -> None:
    assert count(0) == plain_python(count)(0) == 0


@pytest.mark.parametrize("kernel", [count, lowest, highest])
def test_compiled_and_plain_agree(kernel) -> None:
    interpreted = plain_python(kernel)
    assert not hasattr(interpreted, "py_func")
    assert [kernel(x) for x in SETS] == [interpreted(x) for x in SETS]
