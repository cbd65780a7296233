"""Reviews as plain arrays, for the parts that an interrupted command resumes from."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from ...parallel.task_cache import Packing
from .review import Review
from .review_judges import Judge, Judged

COUNT, FACT = "reviews", "fact."
FIELDS = ("deal", "agent", "seat", "steps", "actions", "length", "outcome", "truths", "points")
"""The fields of a review that are one array each. Those that are None are left out."""


def make_packing(judge: Judge) -> Packing:
    """Return the conversion of reviews by one judge to arrays and back."""
    return Packing(pack_reviews, partial(unpack_reviews, judge))


def pack_reviews(reviews: Sequence[Review]) -> dict[str, Any]:
    """Return reviews as arrays, without their judge."""
    arrays: dict[str, Any] = {COUNT: len(reviews)}
    for number, one in enumerate(reviews):
        values = {name: getattr(one, name) for name in FIELDS} | one.judged._asdict()
        values |= {f"{FACT}{name}": fact for name, fact in one.facts.items()}
        arrays |= {f"{number}.{name}": v for name, v in values.items() if v is not None}
    return arrays


def unpack_reviews(judge: Judge, arrays: Mapping[str, np.ndarray]) -> list[Review]:
    """Return the reviews that `pack_reviews` was given, with their judge."""
    found = []
    for number in range(int(arrays[COUNT])):
        prefix = f"{number}."
        own = {
            name.removeprefix(prefix): v for name, v in arrays.items() if name.startswith(prefix)
        }
        judged = Judged(*(own.pop(name) for name in Judged._fields))
        facts = {name: own.pop(name).item() for name in list(own) if name.startswith(FACT)}
        values = {name: v if v.ndim else v.item() for name, v in own.items()}
        missing: dict[str, Any] = dict.fromkeys(("truths", "points", "outcome"))
        found.append(
            Review(
                judge=judge,
                judged=judged,
                facts={name.removeprefix(FACT): fact for name, fact in facts.items()},
                **missing | values,
            )
        )
    return found
