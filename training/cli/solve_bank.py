"""The commands ``parlour solve`` and ``parlour bank``: what could be reached, all cards known."""

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from parlour.envs import GAMES, Game, game
from parlour.envs.core.batch import Over
from parlour.envs.core.deals import default_bank
from parlour.envs.core.options import unknown
from parlour.envs.core.rows import Rows, taken
from parlour.envs.core.truth import (
    LOST,
    UNDECIDED,
    WINNABLE,
    Solution,
    position,
    replayed,
    solver_of,
)

from ..evaluation.evaluate import DEALS, check_number, rules_name
from ..evaluation.labels import FOLDER, NO_SCORE, SHIPPED, UNKNOWN, Labels, is_scored, load
from ..evaluation.outputs import check_folder
from ..evaluation.stats import rate
from ..evaluation.terminal import find_width, wrap_words
from ..evaluation.truth import proven
from .arguments import MOST_DEALS, MOST_JOBS, read_options, read_path, read_text, read_whole
from .commands import bars_of, variants_of

SURE = (0.95, 0.99)
"""Confidence of the two intervals that are shown of a bank."""
WORDS = {True: "yes", False: "no", None: "undecided"}
MOST = 100
"""Different values of which it is counted how often each occurs."""
BAR = 50
"""Width of the longest bar of a histogram."""
SIDES = 21
"""Columns beside it: the value, and how many deals have it."""


def add_solve(made: argparse.ArgumentParser) -> None:
    """Add the arguments of ``parlour solve`` beside game and rules."""
    made.add_argument("--deal", type=read_whole(), help="a numbered deal of the bank")
    made.add_argument("--bank", type=read_text, help="bank of numbered deals (default: GAME-1)")
    made.add_argument("--deck", type=read_text, help="a chosen deck: card names in dealing order")
    made.add_argument(
        "--actions",
        nargs="+",
        default=[],
        metavar="ACTION",
        help="numbers or names of actions: the position after them is solved",
    )
    made.add_argument("--fewest", action="store_true", help="look for the shortest way to win")
    _add_limit(made)
    made.add_argument("--json", action="store_true", help="print JSON")


def add_bank(made: argparse.ArgumentParser, add_rules: Any) -> None:
    """Add ``make`` and ``show`` with their arguments; ``add_rules`` adds game and rules."""
    ways = made.add_subparsers(title="what to do", metavar="make|show", dest="way", required=True)
    make = ways.add_parser("make", help="solve numbered deals and write their labels")
    add_rules(make, many=True)
    make.add_argument(
        "--deals", type=read_whole(MOST_DEALS), default=DEALS, help=f"how many (default: {DEALS})"
    )
    make.add_argument(
        "--first", type=read_whole(), default=0, help="number of the first (default: 0)"
    )
    make.add_argument("--bank", type=read_text, help="bank of numbered deals (default: GAME-1)")
    make.add_argument(
        "--optimal",
        action=argparse.BooleanOptionalAction,
        default=True,
        help="look for the fewest moves of each deal, too (default: yes)",
    )
    _add_limit(make)
    make.add_argument(
        "--jobs",
        type=read_whole(MOST_JOBS),
        default=-1,
        help="deals are solved side by side (default: each core)",
    )
    make.add_argument(
        "--backend",
        type=read_text,
        help="joblib's: loky (default), multiprocessing, threading; dask and ray for a cluster, "
        "where these are installed (DASK_SCHEDULER_ADDRESS, RAY_ADDRESS say which)",
    )
    make.add_argument(
        "--out", type=read_path, metavar="FOLDER", default=FOLDER, help=f"(default: {FOLDER})"
    )
    make.set_defaults(parser=make)
    show = ways.add_parser("show", help="show what labels say")
    show.add_argument("game", metavar="GAME|FILE", help=f"a file, or one of: {', '.join(GAMES)}")
    show.add_argument("--variant", metavar="NAME", nargs="+", help="only these")
    show.add_argument("--json", action="store_true", help="print JSON")
    show.set_defaults(parser=show)


def _add_limit(made: argparse.ArgumentParser) -> None:
    made.add_argument(
        "--limit",
        type=read_whole(),
        metavar="NODES",
        help="positions to look at (default: the solver's)",
    )


def run_solve(given: argparse.Namespace) -> int:
    """Print whether a deal, or a position of it, can still be won, and how."""
    one = game(given.game)
    rules = one.rules_of(given.variant, read_options(given.option))
    check_number("limit", 1 if given.limit is None else given.limit, 1)
    solve = solver_of(one, rules)
    state, named = _begun(one, rules, given)
    state = replayed(one, rules, state, [_action(one, word) for word in given.actions])
    if state["over"][0] != Over.RUNNING:
        found, spent = Solution(bool(state["won"][0]), [], 0, [], int(state["score"][0])), 0.0
    else:
        begun = perf_counter()
        found = solve(state, rules, optimal=given.fewest, limit=given.limit)
        spent = 1000 * (perf_counter() - begun)
        proven(one, rules, state, found)
    said = {
        "game": one.name,
        "variant": rules_name(one, rules, given.variant),
        **named,
        "winnable": found.winnable,
        "score": found.score,
        "fewest": found.fewest,
        "moves": found.moves,
        "actions": None if found.actions is None else [int(action) for action in found.actions],
        "nodes": int(found.nodes),
        "ms": spent,
    }
    print(json.dumps(said) if given.json else _solution(one, said))
    return 0


def _begun(one: Game, rules: Any, given: argparse.Namespace) -> tuple[np.ndarray, dict[str, Any]]:
    """The position at the start, (1,), and what the JSON calls the deal."""
    if (given.deal is None) == (given.deck is None):
        raise ValueError("name what to solve: --deal NUMBER, or --deck CARDS")
    if given.deck is not None:
        if given.bank:
            raise ValueError("--bank goes with --deal, not with --deck")
        return position(one, rules, given.deck), {"deck": given.deck}
    bank = given.bank or default_bank(one.name)
    rows = Rows(one, rules, 1)
    rows.deal_bank(bank, [given.deal])
    return taken(rows.states), {"deal": given.deal, "bank": bank}


def _action(one: Game, word: str) -> int:
    """The action of this number or name, in any case; ValueError naming all there are."""
    names = {one.label(action).lower(): action for action in range(one.actions)}
    names |= {str(action): action for action in range(one.actions)}
    if word.lower() not in names:
        labels = [f"{action} {one.label(action)}" for action in range(one.actions)]
        raise ValueError(unknown("action", word, labels))
    return names[word.lower()]


def _solution(one: Game, said: dict[str, Any]) -> str:
    deal = f"deal {said['deal']}, bank {said['bank']}" if "deal" in said else "a chosen deck"
    lines = [f"{one.title}, {said['variant']}, {deal}"]
    moves = said["moves"] or []
    if is_scored(one):
        score = "none" if said["score"] is None else said["score"]
        lines.append(f"best score found: {score}, {len(moves)} moves")
    else:
        way = f", in {len(moves)} moves" if moves else ""
        fewest = " (no way is shorter)" if said["fewest"] is not None and moves else ""
        lines.append(f"winnable: {WORDS[said['winnable']]}{way}{fewest}")
    lines += [f"{number:>4}  {move}" for number, move in enumerate(moves, 1)]
    lines.append(f"{said['nodes']:,} positions looked at, {said['ms']:.3g} ms")
    return "\n".join(lines)


def run_bank(given: argparse.Namespace) -> int:
    """Make labels of a bank, or show what they say."""
    return _make(given) if given.way == "make" else _show(given)


def _make(given: argparse.Namespace) -> int:
    from ..evaluation.labelling import make

    one, options = game(given.game), read_options(given.option)
    variants = _solvable(one, variants_of(one, given.variant, options) or [one.default], given)
    check_folder(given.out)
    with bars_of(given.deals) as bars:
        for variant in variants:
            path = make(
                one,
                variant,
                options,
                bank=given.bank,
                first=given.first,
                deals=given.deals,
                optimal=given.optimal,
                limit=given.limit,
                jobs=given.jobs,
                backend=given.backend,
                out=given.out,
                progress=bars("deals solved", variant) if bars else None,
            )
            print(f"labels: {path}", file=sys.stderr)
            print("\n".join(_lines(load(path))))
    return 0


def _solvable(one: Game, variants: list[str], given: argparse.Namespace) -> list[str]:
    """The variants that can be solved, of all; ValueError for one that was named and cannot."""
    found, options = [], read_options(given.option)
    for variant in variants:
        rules = one.rules_of(variant, options)
        try:
            solver_of(one, rules)
        except ValueError as error:
            if given.variant != ["all"]:
                raise
            print(f"{variant} left out: {error}", file=sys.stderr)
        else:
            found.append(variant)
    if not found:
        raise ValueError(f"{one.title}: no variant can be solved by its solver")
    return found


def _show(given: argparse.Namespace) -> int:
    found = [load(path) for path in _files(given.game, given.variant)]
    if given.json:
        print(json.dumps([summary(labels) for labels in found]))
    else:
        print("\n\n".join("\n".join(_lines(labels)) for labels in found))
    return 0


def _files(word: str, variants: Sequence[str] | None) -> list[Path]:
    """The files of a game, or of some of its variants, one's own first; or the file that is named.

    Raises ValueError for an unknown variant, or if there is no file.
    """
    if Path(word).suffix or Path(word).is_file():
        if variants:
            raise ValueError("--variant goes with a game, not with a file")
        return [Path(word)]
    one = game(word)
    for variant in variants or ():
        one.rules_of(variant)
    names = [f"{one.name}-{variant}" for variant in variants or ["*"]]
    found = [
        path
        for folder in (FOLDER, SHIPPED)
        for name in names
        for end in (".parquet", "@*.parquet", "+*.parquet")
        for path in sorted(folder.glob(f"{name}{end}"))
    ]
    found = list(dict.fromkeys(found))
    if not found:
        raise ValueError(
            f"no labels of {one.title} in {FOLDER} or among those that come with Parlour: "
            f"parlour bank make {one.name}"
        )
    return found


def summary(labels: Labels) -> dict[str, Any]:
    """Return what labels say, as JSON has it: metadata, winnable with intervals, moves, scores."""
    counted = {
        name: int(np.count_nonzero(labels.winnable == code))
        for name, code in (("winnable", WINNABLE), ("lost", LOST), ("undecided", UNDECIDED))
    }
    shares = [rate(labels.winnable == WINNABLE, sure)._asdict() for sure in SURE]
    scored = is_scored(labels.game)
    return {
        **labels.metadata(),
        "file": str(labels.source),
        "counts": counted,
        "winnable": None if scored else dict(zip(("95", "99"), shares, strict=True)),
        "fewest": _spread(labels.fewest[labels.fewest != UNKNOWN]),
        "score": _spread(labels.score[labels.score != NO_SCORE]),
        "nodes": _spread(labels.nodes),
    }


def _spread(values: np.ndarray) -> dict[str, Any] | None:
    """Mean, median, lowest and highest of numbers, and how often each occurs if they are few."""
    if len(values) == 0:
        return None
    known, counts = np.unique(values, return_counts=True)
    found: dict[str, Any] = {
        "n": len(values),
        "mean": float(values.mean()),
        "median": float(np.median(values)),
        "min": int(values.min()),
        "max": int(values.max()),
    }
    if len(known) <= MOST:
        found["counts"] = dict(zip(map(str, known.tolist()), counts.tolist(), strict=True))
    return found


def _lines(labels: Labels) -> list[str]:
    """What labels say, as lines to be read."""
    said = summary(labels)
    last = labels.first + len(labels) - 1
    head = f"{labels.game.title}, {labels.variant}, deals {labels.first} to {last} of bank "
    lines = [head + labels.bank]
    if said["winnable"] is not None:
        share = said["winnable"]["95"]["mean"]
        sides = [
            f"{sure} % [{100 * found['low']:.2f}, {100 * found['high']:.2f}]"
            for sure, found in said["winnable"].items()
        ]
        counts = said["counts"]
        lines.append(f"  winnable     {100 * share:.2f} %, Wilson {', '.join(sides)}")
        lines.append(f"  deals        {', '.join(f'{n:,} {word}' for word, n in counts.items())}")
    for name, words in (("fewest", "fewest moves"), ("score", "best score"), ("nodes", "nodes")):
        if (found := said[name]) is not None:
            lines.append(
                f"  {words:<13}mean {found['mean']:,.2f}, median {found['median']:,.10g}, "
                f"{found['min']:,} to {found['max']:,}, of {found['n']:,} deals"
            )
    limit = "the solver's" if labels.limit is None else f"{labels.limit:,} nodes"
    asked = "shortest wins" if labels.optimal else "any win"
    lines += [
        f"  asked        {'best scores' if is_scored(labels.game) else asked}, limit {limit}",
        f"  decks        {said['decks']}",
        f"  content      {said['content']}",
        f"  file         {labels.source}",
    ]
    measured = said["score"] if is_scored(labels.game) else said["fewest"]
    width = find_width()
    lines = [line if len(line) <= width else wrap_words(line, width, "    ", "") for line in lines]
    return lines + _histogram(measured or {}, max(min(BAR, width - SIDES), 1))


def _histogram(found: dict[str, Any], bar: int) -> list[str]:
    """A bar of how many deals for each number of moves, or each score, if they are few."""
    counts: dict[str, int] = found.get("counts", {})
    longest = max(counts.values(), default=1)
    return [
        f"  {value:>9}  {'█' * max(round(bar * count / longest), 1)} {count:,}"
        for value, count in counts.items()
    ]
