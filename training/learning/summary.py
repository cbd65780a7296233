"""What a finished run came to: over its seeds, in a few lines, and where the time went."""

from pathlib import Path
from typing import Any

import numpy as np

from parlour.agents.validation import NUMBER, TABLE, TEXT, check_fields, naming, read_json, whole
from parlour.envs import find_game
from parlour.envs.core.contract import WINNABLE

from ..evaluation.labels.label_checks import NO_SCORE
from ..evaluation.labels.labels import find_labels, is_scored
from ..files import seal, unseal, write_json
from .curve import PICTURE, plot_curve, write_figure
from .rules_of_run import list_rules
from .run import RESULT_FILE
from .settings import Settings

RESULT_FIELDS = {
    "steps": whole(0, 10**18),
    "seconds": NUMBER,
    "final": TABLE,
    "baselines": TABLE._replace(optional=True),
    "unit": TEXT._replace(optional=True),
}
"""What is read in the result of a seed."""


def summarise(settings: Settings, folder: Path) -> None:
    """Write ``result.json`` of a run from those of its seeds, and its learning curve.

    Raises ValueError, naming file and field, for one of them that says something else.
    """
    game = find_game(settings.game)
    goal = game.goal_name(list_rules(settings).rules[0])
    seeds = [_result_of(folder / f"seed-{k}" / RESULT_FILE, goal) for k in settings.seeds]
    summary: dict[str, Any] = {"seeds": list(settings.seeds), "steps": seeds[0]["steps"]}
    if "unit" in seeds[0]:
        summary["unit"] = seeds[0]["unit"]
    for fact in (goal, "score"):
        values = np.array([one["final"][fact]["mean"] for one in seeds])
        spread = float(values.std(ddof=1)) if len(values) > 1 else None
        summary[fact] = {
            "mean": float(values.mean()),
            "standard_deviation": spread,
            "by_seed": values.tolist(),
        }
    summary["seconds"] = [one["seconds"] for one in seeds]
    lines = [*_baselines(seeds), *_bound(settings)]
    figure = plot_curve(game, folder, settings.seeds, summary.get("unit", "steps"), lines)
    write_figure(folder / PICTURE, figure)
    write_json(folder / RESULT_FILE, seal(summary))


def _baselines(seeds: list[dict[str, Any]]) -> list[tuple[str, float]]:
    """What baselines came to, the mean over training seeds; an older run has none."""
    known = [one["baselines"] for one in seeds if "baselines" in one]
    return [
        (name, float(np.mean([one[name] for one in known]))) for name in (known[0] if known else ())
    ]


def _bound(settings: Settings) -> list[tuple[str, float]]:
    """What could be reached on the labelled deals of the game's own bank; none for many rules.

    The validation deals have no labels, but are of the same kind.
    """
    table = list_rules(settings)
    labels = None if table.has_several else find_labels(table.game, table.rules[0])
    if labels is None:
        return []
    name = "best found" if is_scored(table.game) else "winnable"
    if is_scored(table.game):
        values = labels.score[labels.score != NO_SCORE]
    else:
        values = labels.winnable == WINNABLE
    return [(f"{name}, {labels.bank}", float(values.mean()))] if len(values) else []


def _result_of(file: Path, goal: str) -> dict[str, Any]:
    with naming(file):
        found = unseal(read_json(file), file.name)
        check_fields(found, RESULT_FIELDS)
        baselines = found.get("baselines", {})
        check_fields(baselines, dict.fromkeys(baselines, NUMBER), "baselines.")
        check_fields(found["final"], {goal: TABLE, "score": TABLE}, "final.")
        for fact in (goal, "score"):
            check_fields(found["final"][fact], {"mean": NUMBER}, f"final.{fact}.")
        return found


def report(folder: Path) -> str:
    """Say in a few lines how a finished run came out."""
    with naming(folder / RESULT_FILE):
        summary = unseal(read_json(folder / RESULT_FILE), RESULT_FILE)
    goal = next(fact for fact in summary if fact not in ("seeds", "steps", "unit"))
    reached, score = summary[goal], summary["score"]
    played = f"{summary['steps']:,} {summary.get('unit', 'steps')}"
    lines = [f"{folder}: {played}, evaluated on its validation deals:"]
    for k, seed in enumerate(summary["seeds"]):
        lines.append(
            f"  seed {seed}: {goal} {reached['by_seed'][k]:.1%}, score {score['by_seed'][k]:.2f}, "
            f"{summary['seconds'][k]:,.0f} s, agent in {folder / f'seed-{seed}' / 'agent'}"
        )
    if (folder / PICTURE).exists():  # runs of an older version have none
        lines.append(f"  learning curve: {folder / PICTURE}")
    if len(summary["seeds"]) > 1:
        shown = [
            f"{name} {one['mean']:{form}}, standard deviation over seeds "
            f"{one['standard_deviation']:{form}}"
            for name, one, form in ((goal, reached, ".1%"), ("score", score, ".2f"))
        ]
        lines.append(f"  all: {'; '.join(shown)}")
    return "\n".join(lines)


def time_table(folder: Path) -> str:
    """Say where the time of each seed went."""
    lines = []
    for path in sorted(folder.glob(f"seed-*/{RESULT_FILE}")):
        with naming(path):
            result = unseal(read_json(path), path.name)
        seconds = result["seconds_by_phase"]
        whole, unit = sum(seconds.values()), result.get("unit", "steps")
        parts = ", ".join(f"{name} {part / whole:.1%}" for name, part in seconds.items())
        speed = f"{result['steps_per_second']:,.0f} {unit}/s"
        lines.append(f"  seed {result['seed']}: {speed}: {parts}")
    return "\n".join(lines)
