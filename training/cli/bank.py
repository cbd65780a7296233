"""``parlour bank``: the deals of banks labelled with what a solver finds, and shown."""

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from parlour.envs import GAMES, Game, find_game
from parlour.envs.core.contract import LOST, UNDECIDED, WINNABLE
from parlour.envs.core.upper_bound import solver_of

from ..evaluation.check_outputs import check_folder
from ..evaluation.labels.label_checks import NO_SCORE, UNKNOWN_FEWEST
from ..evaluation.labels.label_verification import LabelVerification
from ..evaluation.labels.labels import (
    OWN_FOLDER,
    SHIPPED_FOLDER,
    Labels,
    is_scored,
    load_labels,
)
from ..evaluation.report.terminal import find_width, wrap_words
from ..evaluation.spec import DEALS
from ..evaluation.stats import wilson_rate
from ..parallel.tasks import Cluster, join_cluster
from .arguments import (
    MOST_DEALS,
    read_options,
    read_path,
    read_text,
    read_variants,
    read_whole,
)
from .bank_verify import add_verify, verification_lines, verify_files
from .cluster import add_cluster, say_kept
from .progress import progress_bars
from .solve import add_limit

WRONG = 1
"""Exit status where a label is wrong."""
SURE = (0.95, 0.99)
"""Confidence of the two intervals that are shown of a bank."""
MOST = 100
"""Different values of which it is counted how often each occurs."""
BAR = 50
"""Width of the longest bar of a histogram."""
SIDES = 21
"""Columns beside it: the value, and how many deals have it."""


def add_bank(parser: argparse.ArgumentParser, add_rules: Any) -> None:
    """Add ``make`` and ``show`` with their arguments; ``add_rules`` adds game and rules."""
    ways = parser.add_subparsers(title="what to do", metavar="make|show", dest="way", required=True)
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
    add_limit(make)
    add_cluster(make, jobs=-1)
    make.add_argument(
        "--out",
        type=read_path,
        metavar="FOLDER",
        default=OWN_FOLDER,
        help=f"(default: {OWN_FOLDER})",
    )
    make.set_defaults(parser=make)
    show = ways.add_parser("show", help="show solver labels, or verify them")
    show.add_argument("game", metavar="GAME|FILE", help=f"a file, or one of: {', '.join(GAMES)}")
    show.add_argument("--variant", metavar="NAME", nargs="+", help="only these")
    show.add_argument("--json", action="store_true", help="print JSON")
    add_verify(show)
    show.set_defaults(parser=show)


def run_bank(arguments: argparse.Namespace) -> int:
    """Make labels of a bank, or show what they say."""
    return _make(arguments) if arguments.way == "make" else _show(arguments)


def _make(arguments: argparse.Namespace) -> int:
    from ..evaluation.labels.labelling import make_labels

    game, options = find_game(arguments.game), read_options(arguments.option)
    variants = _solvable(
        game, read_variants(game, arguments.variant, options) or [game.default], arguments
    )
    check_folder(arguments.out)
    backend = arguments.backend or "loky"
    cluster = Cluster(backend, arguments.jobs, arguments.address) if len(variants) > 1 else None
    bars_of = progress_bars(arguments.deals)
    with _telling_of_parts(arguments.out), join_cluster(cluster), bars_of as bars:
        for variant in variants:
            path = make_labels(
                game,
                variant,
                options,
                bank=arguments.bank,
                first=arguments.first,
                deals=arguments.deals,
                optimal=arguments.optimal,
                limit=arguments.limit,
                jobs=arguments.jobs,
                backend=backend,
                address=arguments.address,
                out=arguments.out,
                progress=bars("deals solved", variant),
            )
            print(f"labels: {path}", file=sys.stderr)
            print("\n".join(_summary_lines(load_labels(path))))
    return 0


@contextmanager
def _telling_of_parts(folder: Path) -> Iterator[None]:
    """Say where finished parts are if an error, or Ctrl-C, ends the block."""
    try:
        yield
    except BaseException:
        if any(folder.glob(".*/*.npz")):
            say_kept(folder)
        raise


def _solvable(game: Game, variants: Sequence[str], arguments: argparse.Namespace) -> list[str]:
    """The variants that can be solved, of all; ValueError for one that was named and cannot."""
    found, options = [], read_options(arguments.option)
    for variant in variants:
        rules = game.make_rules(variant, options)
        try:
            solver_of(game, rules)
        except ValueError as error:
            if arguments.variant != ["all"]:
                raise
            print(f"{variant} left out: {error}", file=sys.stderr)
        else:
            found.append(variant)
    if not found:
        raise ValueError(f"{game.title}: no variant can be solved by its solver")
    return found


def _show(arguments: argparse.Namespace) -> int:
    found = [load_labels(path) for path in _files(arguments.game, arguments.variant)]
    verifications = verify_files(arguments, found)
    if arguments.json:
        print(json.dumps([_summary(*pair) for pair in zip(found, verifications, strict=True)]))
    else:
        texts = ("\n".join(_lines(*pair)) for pair in zip(found, verifications, strict=True))
        print("\n\n".join(texts))
    return WRONG if any(one and one.disagreements for one in verifications) else 0


def _summary(labels: Labels, verification: LabelVerification | None) -> dict[str, Any]:
    verified = {} if verification is None else {"verification": verification.summary()}
    return summary(labels) | verified


def _lines(labels: Labels, verification: LabelVerification | None) -> list[str]:
    verified = [] if verification is None else verification_lines(verification)
    return [*_summary_lines(labels), *verified]


def _files(word: str, variants: Sequence[str] | None) -> list[Path]:
    """The files of a game, or of some of its variants, one's own first; or the file that is named.

    Raises ValueError for an unknown variant, or if there is no file.
    """
    if Path(word).suffix or Path(word).is_file():
        if variants:
            raise ValueError("--variant goes with a game, not with a file")
        return [Path(word)]
    game = find_game(word)
    for variant in variants or ():
        game.make_rules(variant)
    names = [f"{game.name}-{variant}" for variant in variants or ["*"]]
    found = [
        path
        for folder in (OWN_FOLDER, SHIPPED_FOLDER)
        for name in names
        for end in (".parquet", "@*.parquet", "+*.parquet")
        for path in sorted(folder.glob(f"{name}{end}"))
    ]
    found = list(dict.fromkeys(found))
    if not found:
        solver_of(game, game.make_rules(variants[0] if variants else None))  # else none can be made
        raise ValueError(
            f"no labels of {game.title} in {OWN_FOLDER} or among those that come with Parlour: "
            f"parlour bank make {game.name}"
        )
    return found


def summary(labels: Labels) -> dict[str, Any]:
    """Return what labels say, as JSON has it: metadata, winnable with intervals, moves, scores."""
    counted = {
        name: int(np.count_nonzero(labels.winnable == code))
        for name, code in (("winnable", WINNABLE), ("lost", LOST), ("undecided", UNDECIDED))
    }
    shares = [wilson_rate(labels.winnable == WINNABLE, sure)._asdict() for sure in SURE]
    scored = is_scored(labels.game)
    return {
        **labels.metadata(),
        "file": str(labels.source),
        "counts": counted,
        "winnable": None if scored else dict(zip(("95", "99"), shares, strict=True)),
        "fewest": _distribution(labels.fewest[labels.fewest != UNKNOWN_FEWEST]),
        "score": _distribution(labels.score[labels.score != NO_SCORE]),
        "nodes": _distribution(labels.nodes),
    }


def _distribution(values: np.ndarray) -> dict[str, Any] | None:
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


def _summary_lines(labels: Labels) -> list[str]:
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
