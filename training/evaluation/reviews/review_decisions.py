"""A decision of a review as JSON has it."""

from typing import Any

import numpy as np


def describe_decision(found: Any, i: int) -> dict[str, Any]:
    """Return a decision of ``found``, a `review.Review`, as JSON has it; None: not known."""
    label, judged = found.game.label, found.judged
    truths = (None, None) if found.truths is None else found.truths[i : i + 2]
    points = (None, None) if found.points is None else found.points[i]
    return {
        "step": int(found.steps[i]),
        "action": int(found.actions[i]),
        "label": label(int(found.actions[i])),
        "chance": float(judged.chances[i]),
        "chance_error": float(judged.chance_errors[i]),
        "best_action": int(found.best_actions[i]),
        "best_label": label(int(found.best_actions[i])),
        "loss": float(found.losses[i]),
        "unseen": float(found.unseen[i]),
        "luck": _number(found.luck[i]),
        "truth_before": _number(truths[0]),
        "truth_after": _number(truths[1]),
        "threw_away": None if found.truths is None else bool(found.threw_away[i]),
        "points_before": _number(points[0]),
        "points_after": _number(points[1]),
        "undecided": int(judged.undecided[i]),
        "legal": [
            {
                "action": int(action),
                "label": label(int(action)),
                "value": float(judged.values[i, action]),
                "error": float(judged.errors[i, action]),
            }
            for action in np.flatnonzero(found.masks[i])
        ],
    }


def _number(value: Any) -> float | None:
    return None if value is None or np.isnan(value) else float(value)
