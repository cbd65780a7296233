"""``parlour deals``: make, show, and verify solver labels of numbered deals."""

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
from parlour.envs.core.options import add_allowed
from parlour.envs.core.solve import solver_of

from ..evaluation.labels.label_verification import (
    DETECTION,
    SAMPLE,
    LabelVerification,
    count_sample,
    verify_labels,
)
from ..evaluation.labels.labels import (
    NO_SCORE,
    OWN_FOLDER,
    SHIPPED_FOLDER,
    UNKNOWN_FEWEST,
    Labels,
    is_scored,
    load_labels,
)
from ..evaluation.report.terminal import find_width, wrap_words
from ..evaluation.stats import wilson_rate
from ..files import check_folder
from ..parallel.tasks import Cluster, join_cluster
from .arguments import (
    MOST_DEALS,
    add_deal_range,
    add_game_and_rules,
    add_json,
    read_options,
    read_path,
    read_variants,
    read_whole,
)
from .cluster import add_cluster, print_kept, use_cluster
from .output import progress_bars
from .solve import add_limit

WRONG = 1
"""Exit status if a label is wrong."""
SURE = (0.95, 0.99)
"""Confidence levels of the two intervals of the winnable share."""
MOST = 100
"""Most different values of a distribution that is printed in full."""
BAR = 50
"""Width of the longest bar of a histogram."""
SIDES = 21
"""Columns next to the bar: the value, and the number of deals with it."""
SHOWN = 20
"""Most wrong labels that are listed."""


EXAMPLES = {
    "deals": """\
  parlour deals make pyramid --deals 10000
  parlour deals make pyramid --variant all --no-optimal --jobs 8
  parlour deals make pyramid --deals 1000000 --backend ray --address auto
  parlour deals show pyramid
  parlour deals show pyramid --verify 200        solve a random sample of the deals again

If a deal set has solver labels, "parlour evaluate" and "parlour compare" also compare each agent
with the upper bound: the result with all cards known. After an interruption, run the same command
again to resume.
""",
}


def add_deals(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``parlour deals make`` and ``parlour deals show``."""
    actions = parser.add_subparsers(
        title="commands", metavar="make|show", dest="action", required=True
    )
    text = "solve numbered deals and save their solver labels"
    make: Any = actions.add_parser("make", help=text, description=f"{text.capitalize()}.")
    make.words = getattr(parser, "words", ())
    add_game_and_rules(make, many=True)
    add_deal_range(make)
    make.add_argument(
        "--optimal",
        action=argparse.BooleanOptionalAction,
        default=True,
        help="also find the fewest moves that win each deal (default: yes)",
    )
    add_limit(make)
    add_cluster(make, jobs=-1)
    make.add_argument(
        "--out",
        type=read_path,
        metavar="FOLDER",
        default=OWN_FOLDER,
        help=f"folder for the solver labels (default: {OWN_FOLDER})",
    )
    make.set_defaults(parser=make)
    text = "show or verify solver labels"
    show = actions.add_parser("show", help=text, description=f"{text.capitalize()}.")
    show.add_argument(
        "game", metavar="GAME|FILE", help=f"label file, or name of a game: {', '.join(GAMES)}"
    )
    show.add_argument(
        "--variant", metavar="NAME", nargs="+", help="variants to show (default: all)"
    )
    add_json(show)
    _add_verify(show)
    show.set_defaults(parser=show)


def _add_verify(show: argparse.ArgumentParser) -> None:
    """Add ``--verify`` and the arguments that belong to it."""
    show.add_argument(
        "--verify",
        type=read_whole(MOST_DEALS),
        metavar="N",
        nargs="?",
        const=SAMPLE,
        help="solve a random sample of the deals again: N deals with each result, such as winnable "
        f"and undecided (default: {SAMPLE}); the exit status is 1 if a solver label is wrong",
    )
    show.add_argument(
        "--seed",
        type=read_whole(),
        help="seed of the sample; printed with the result (default: random)",
    )
    add_cluster(show)


def run_deals(arguments: argparse.Namespace) -> int:
    """Make labels, or show them."""
    return _make(arguments) if arguments.action == "make" else _show(arguments)


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
    with _naming_chunks(arguments.out), join_cluster(cluster), bars_of as bars:
        for variant in variants:
            path = make_labels(
                game,
                variant,
                options,
                deal_set=arguments.deal_set,
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
def _naming_chunks(folder: Path) -> Iterator[None]:
    """Print the folder of finished chunks on stderr if an error or Ctrl-C ends the block."""
    try:
        yield
    except BaseException:
        if any(folder.glob(".*/*.npz")):
            print_kept(folder)
        raise


def _solvable(game: Game, variants: Sequence[str], arguments: argparse.Namespace) -> list[str]:
    """Return the variants that the solver supports; ValueError for a named one that it does not."""
    solvable, options = [], read_options(arguments.option)
    for variant in variants:
        rules = game.make_rules(variant, options)
        try:
            solver_of(game, rules)
        except ValueError as error:
            if arguments.variant != ["all"]:
                raise
            print(f"{variant} skipped: {error}", file=sys.stderr)
        else:
            solvable.append(variant)
    if not solvable:
        raise ValueError(f"{game.title} has no solver for any of these variants")
    return solvable


def _show(arguments: argparse.Namespace) -> int:
    files = [load_labels(path) for path in _files(arguments.game, arguments.variant)]
    verifications = _verify_files(arguments, files)
    if arguments.json:
        print(json.dumps([_summary(*pair) for pair in zip(files, verifications, strict=True)]))
    else:
        texts = ("\n".join(_lines(*pair)) for pair in zip(files, verifications, strict=True))
        print("\n\n".join(texts))
    return WRONG if any(one and one.disagreements for one in verifications) else 0


def _summary(labels: Labels, verification: LabelVerification | None) -> dict[str, Any]:
    verified = {} if verification is None else {"verification": verification.summary()}
    return summary(labels) | verified


def _lines(labels: Labels, verification: LabelVerification | None) -> list[str]:
    verified = [] if verification is None else _verification_lines(verification)
    return [*_summary_lines(labels), *verified]


def _files(word: str, variants: Sequence[str] | None) -> list[Path]:
    """Return the named label file, or those of a game or some variants, the user's files first.

    Raises ValueError for an unknown variant, or if there is no file.
    """
    if Path(word).suffix or Path(word).is_file():
        if variants:
            raise ValueError(
                "--variant must not be given with a label file: --variant selects files of a game"
            )
        return [Path(word)]
    try:
        game = find_game(word)
    except ValueError as error:
        raise ValueError(add_allowed(str(error), "a label file")) from None
    for variant in variants or ():
        game.make_rules(variant)
    names = [f"{game.name}-{variant}" for variant in variants or ["*"]]
    paths = [
        path
        for folder in (OWN_FOLDER, SHIPPED_FOLDER)
        for name in names
        for end in (".parquet", "@*.parquet", "+*.parquet")
        for path in sorted(folder.glob(f"{name}{end}"))
    ]
    paths = list(dict.fromkeys(paths))
    if not paths:
        solver_of(
            game, game.make_rules(variants[0] if variants else None)
        )  # raises ValueError if no labels can be made
        raise ValueError(
            f"{game.title} has no label files in {OWN_FOLDER}, and none ship with Parlour: run "
            f"parlour deals make {game.name}"
        )
    return paths


def summary(labels: Labels) -> dict[str, Any]:
    """Return a summary of labels as JSON values."""
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
    """Return statistics of numbers, and the count of each if there are at most `MOST`."""
    if len(values) == 0:
        return None
    known, counts = np.unique(values, return_counts=True)
    statistics: dict[str, Any] = {
        "n": len(values),
        "mean": float(values.mean()),
        "median": float(np.median(values)),
        "min": int(values.min()),
        "max": int(values.max()),
    }
    if len(known) <= MOST:
        statistics["counts"] = dict(zip(map(str, known.tolist()), counts.tolist(), strict=True))
    return statistics


def _summary_lines(labels: Labels) -> list[str]:
    """Return a summary of labels as lines of text."""
    facts = summary(labels)
    last = labels.first + len(labels) - 1
    head = f"{labels.game.title}, {labels.variant}, deals {labels.first} to {last} of deal set "
    lines = [head + labels.deal_set]
    if facts["winnable"] is not None:
        share = facts["winnable"]["95"]["mean"]
        sides = [
            f"{sure} % [{100 * stats['low']:.2f}, {100 * stats['high']:.2f}]"
            for sure, stats in facts["winnable"].items()
        ]
        counts = facts["counts"]
        lines.append(f"  winnable     {100 * share:.2f} %, Wilson {', '.join(sides)}")
        lines.append(
            f"  deals        {counts['winnable']:,} winnable, {counts['lost']:,} not winnable, "
            f"{counts['undecided']:,} undecided"
        )
    for name, words, unit in (
        ("fewest", "fewest moves", ""),
        ("score", "best score", ""),
        ("nodes", "searched", " positions"),
    ):
        if (stats := facts[name]) is not None:
            lines.append(
                f"  {words:<13}mean {stats['mean']:,.2f}, median {stats['median']:,.10g}, "
                f"{stats['min']:,} to {stats['max']:,}{unit}, of {stats['n']:,} deals"
            )
    limit = "default" if labels.limit is None else f"{labels.limit:,}"
    asked = "shortest wins" if labels.optimal else "any win"
    lines += [
        f"  goal         {'best scores' if is_scored(labels.game) else asked}; limit of positions: "
        f"{limit}",
        f"  deck digest  {facts['decks']}",
        f"  label digest {facts['content']}",
        f"  file         {labels.source}",
    ]
    measured = facts["score"] if is_scored(labels.game) else facts["fewest"]
    width = find_width()
    lines = [line if len(line) <= width else wrap_words(line, width, "    ", "") for line in lines]
    head = "score" if is_scored(labels.game) else "moves"
    return lines + _histogram(head, measured or {}, max(min(BAR, width - SIDES), 1))


def _histogram(head: str, statistics: dict[str, Any], bar: int) -> list[str]:
    """Return a heading and a bar for each value; nothing for more than `MOST` values.

    Args:
        head: Heading of the values, such as ``"moves"``.
        statistics: Statistics of the values.
        bar: Length of the longest bar, in characters.
    """
    counts: dict[str, int] = statistics.get("counts", {})
    longest = max(counts.values(), default=1)
    if not counts:
        return []
    return [f"  {head:>9}  deals"] + [
        f"  {value:>9}  {'█' * max(round(bar * count / longest), 1)} {count:,}"
        for value, count in counts.items()
    ]


def _verify_files(
    arguments: argparse.Namespace, files: Sequence[Labels]
) -> list[LabelVerification] | list[None]:
    """Verify a sample of each file's deals; without ``--verify``, return None for each file."""
    if arguments.verify is None:
        for name in ("seed", "jobs", "backend", "address"):
            if getattr(arguments, name) is not None:
                raise ValueError(f"--{name} needs --verify: add --verify, or leave --{name} out")
        return [None] * len(files)
    verifications = []
    with use_cluster(arguments, None) as cluster, join_cluster(cluster):
        for labels in files:
            with progress_bars(count_sample(labels, arguments.verify)) as bars:
                bar = bars("deals verified", labels.variant)
                verifications.append(
                    verify_labels(labels, arguments.verify, arguments.seed, cluster, bar)
                )
    return verifications


def _verification_lines(verification: LabelVerification) -> list[str]:
    """Return the result of solving a sample again, as lines of text."""
    lines = [f"  verified     random sample of deals solved again, sample seed {verification.seed}"]
    for kind in verification.kinds:
        text = f"{kind.name}: {kind.solved:,} of {kind.total:,} labels, {kind.disagree} wrong"
        if kind.unconfirmed:
            text += f", {kind.unconfirmed} not confirmed by the current solver"
        if kind.outdated:
            text += f", {kind.outdated} undecided labels that the current solver decides"
        if kind.solved < kind.total:
            share = f"{100 * kind.detectable:.2g} %"
            text += (
                f"; such a sample finds a wrong label with probability {100 * DETECTION:.0f} % if "
                f"{share} of the labels are wrong"
            )
        lines.append(f"    {text}")
    if not verification.same_solver:
        lines.append(
            "    Another or an unknown version of the solver made the labels, so only "
            "contradictory answers count as wrong."
        )
    shown = verification.disagreements[:SHOWN]
    lines += [f"    {one}" for one in shown]
    if hidden := len(verification.disagreements) - len(shown):
        lines.append(f"    and {hidden:,} more")
    width = find_width()
    return [wrap_words(line, width, "      ", "") if len(line) > width else line for line in lines]
