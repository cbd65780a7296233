"""``parlour board``: a leaderboard on which every claim can be verified."""

import argparse
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import replace
from functools import partial
from pathlib import Path

from parlour.agents.registry import IllegalActionError
from parlour.agents.validation import one_line
from parlour.envs import GAMES, find_game

from ..evaluation.leaderboard.leaderboard import Entry, make_claimed, put_entry, read_board
from ..evaluation.leaderboard.leaderboard_checks import (
    SPREAD_FACTOR,
    TIME_FACTOR,
    TIME_LEAST,
    UNCHECKED,
    check_claim,
)
from ..evaluation.leaderboard.leaderboard_play import make_claim, verify_entry
from ..files import sole_use
from ..parallel.tasks import Cluster, join_cluster
from .arguments import MOST_DEALS, Parser, read_path, read_whole
from .blocks import ROOT, renew_page, write_page
from .board_page import BLOCK_NAME, PAGE_TITLE, claim_text, unit_text, write_tables
from .cluster import CHUNKS, add_cluster, use_cluster
from .progress import progress_bars

BOARD_FILE = ROOT / "docs" / "leaderboard.csv"
CARDS = "../agents/trained"
"""The path from the leaderboard's page to the model cards."""
DIFFERS = 1
"""Exit status if a claim fails, or the page is out of date."""
ALL = "all"
COVERED = (
    f"Checked for each claim without playing: seal, rules, saved agent, bound, and whether score, "
    f"interval, and deals fit together. Checked by playing: results of the first deals, sees_all, "
    f"and time per decision, which must be within a factor of {TIME_FACTOR} of that on this "
    f"machine (less than {1000 * TIME_LEAST:g} µs counts as {1000 * TIME_LEAST:g} µs)."
)
SAMPLED = (
    f"If only some deals are played, this sample checks score and interval: its 99.9 % interval "
    f"must overlap the claimed one, and its spread must fit within a factor of {SPREAD_FACTOR}. "
    f"--deals {ALL} checks every digit."
)
NOT_COVERED = f"Not checked, since this is impossible: {', '.join(UNCHECKED)}."


def add_board(parser: Parser) -> None:
    """Add the arguments of ``parlour board``."""
    parser.add_argument(
        "--run",
        "--update",
        action="store_true",
        help="play lines that are new, marked as failed, or out of date, and write their claims to "
        "the file, instead of verifying",
    )
    parser.add_argument(
        "--mark", action="store_true", help="write the result of verification to the file"
    )
    parser.add_argument(
        "--page",
        action="store_true",
        help="write the page, FILE.md next to the file; used alone, play nothing",
    )
    parser.add_argument(
        "--check", action="store_true", help="only check that the page is up to date"
    )
    parser.add_argument(
        "--only",
        nargs="+",
        metavar="GAME",
        help=f"only the lines of these games (allowed: {', '.join(GAMES)})",
    )
    parser.add_argument(
        "--deals",
        type=_read_deals,
        metavar=f"N|{ALL}",
        help="number of deals of each line to verify (default: all deals if that takes about ten "
        "seconds or less, else the 10 to 200 whose results have a digest in the line); "
        f"{ALL}: check every digit",
    )
    parser.add_argument(
        "--allow-code",
        action="store_true",
        help="allow agents that are code (module:Class), and run this code (default: built-in "
        "agents and saved folders only)",
    )
    add_file(parser)
    add_cluster(parser)


def _read_deals(text: str) -> int:
    return MOST_DEALS if text == ALL else read_whole(MOST_DEALS)(text)


def add_file(parser: Parser) -> None:
    """Add ``--file``, which leaderboard is meant."""
    parser.add_argument(
        "--file",
        type=read_path,
        default=BOARD_FILE,
        metavar="CSV",
        help="a leaderboard file; its agents' paths are relative to it (default: "
        "docs/leaderboard.csv of the clone)",
    )


def run_board(arguments: argparse.Namespace) -> int:
    """Verify the claims of a leaderboard, or with ``--run`` make those that are missing."""
    path: Path = arguments.file
    page = path.with_suffix(".md")
    make = partial(write_tables, path, CARDS if path == BOARD_FILE else "")
    _check_words(arguments)
    if arguments.check:
        return _check_page(page, make)
    writes = arguments.run or arguments.mark or arguments.page
    with sole_use(path, "written") if writes else nullcontext():
        entries = [one for one in read_board(path) if _is_wanted(one, arguments.only)]
        try:
            return _run_or_verify(arguments, entries)
        finally:  # after an interruption, too
            if arguments.page:
                write_page(page, PAGE_TITLE, BLOCK_NAME, make)


def _check_words(arguments: argparse.Namespace) -> None:
    given = [f"--{name}" for name in ("run", "mark", "page", "check") if getattr(arguments, name)]
    if arguments.run and arguments.mark:
        raise ValueError("--run and --mark must not be combined: --run plays, --mark verifies")
    if arguments.check and len(given) > 1:
        raise ValueError(f"--check writes nothing: leave {given[0]} out")
    if arguments.deals is None:
        return
    if arguments.deals < 1:
        raise ValueError(f"--deals must be a whole number from 1, or {ALL}, got {arguments.deals}")
    if given and not arguments.mark:
        raise ValueError(f"--deals is only for verification: leave it or {given[0]} out")


def _run_or_verify(arguments: argparse.Namespace, entries: Sequence[Entry]) -> int:
    path: Path = arguments.file
    if arguments.page and not arguments.run and not arguments.mark:
        return 0
    # Verification keeps no parts, so that it writes nothing and believes no stored results.
    chunks = path.with_name(f".{path.stem}{CHUNKS}") if arguments.run else None
    with use_cluster(arguments, chunks) as cluster, join_cluster(cluster):
        if arguments.run:
            return _run_all(path, entries, cluster, arguments.allow_code)
        return _verify_all(arguments, entries, cluster)


def _is_wanted(entry: Entry, games: Sequence[str] | None) -> bool:
    return games is None or entry.game in [find_game(name) for name in games]


def _check_page(page: Path, make: Callable[[], str]) -> int:
    new = renew_page(page, PAGE_TITLE, BLOCK_NAME, make)
    if page.is_file() and page.read_text(encoding="utf-8") == new:
        return 0
    print(f"out of date: {page}")
    return DIFFERS


def _run_all(
    path: Path, entries: Sequence[Entry], cluster: Cluster | None, allow_code: bool
) -> int:
    """Play the entries that are due; each is written as soon as it is done."""
    due = [entry for entry in entries if _is_due(entry)]
    failed = 0
    for number, entry in enumerate(due, 1):
        new = play_entry(entry, cluster, allow_code)
        put_entry(path, new)
        failed += bool(new.mark)
        print(f"{number}/{len(due)}  {_describe(new)}", flush=True)
    print(f"played {len(due)} of {len(entries)} lines; {failed} could not be played")
    return DIFFERS if failed else 0


def _is_due(entry: Entry) -> bool:
    """Whether an entry is new or marked, or is seen to be wrong without playing."""
    return entry.claim is None or bool(entry.mark) or bool(check_claim(entry))


def play_entry(entry: Entry, cluster: Cluster | None = None, allow_code: bool = False) -> Entry:
    """Return an entry with a new claim; if playing fails, marked and with its old claim."""
    try:
        with progress_bars(entry.deals) as bars:
            return make_claimed(entry, make_claim(entry, bars, cluster, allow_code))
    except (ValueError, IllegalActionError) as error:
        return replace(entry, mark=f"cannot be played: {one_line(error)}")


def _verify_all(
    arguments: argparse.Namespace, entries: Sequence[Entry], cluster: Cluster | None
) -> int:
    """Verify every claim; with ``--mark`` write a mark for each that fails, and remove others."""
    failed = sampled = timed = 0
    claims = [entry for entry in entries if entry.claim]
    for entry in claims:
        with progress_bars(min(arguments.deals or entry.deals, entry.deals)) as bars:
            verdict = verify_entry(entry, arguments.deals, bars, cluster, arguments.allow_code)
        new = replace(entry, mark=verdict.mark)
        if arguments.mark and new.mark != entry.mark:
            put_entry(arguments.file, new)
        failed += bool(new.mark)
        timed += verdict.is_time_only
        sampled += 0 < verdict.deals < entry.deals
        print(_describe(new, verdict.deals), flush=True)
    left = len(entries) - len(claims)
    some = f" ({timed} only by time per decision; the machine may be busy)" if timed else ""
    counts = f"{len(claims) - failed} hold, {failed} fail{some}; {left} not played yet"
    print(f"{len(claims)} claims: {counts}")
    if claims:
        print("\n".join([COVERED, *[SAMPLED] * bool(sampled), NOT_COVERED]))
    return DIFFERS if failed else 0


def _describe(entry: Entry, deals: int = 0) -> str:
    """Return one line on an entry: its claim and the deals it was verified by, or its mark."""
    if entry.mark:
        return f"{entry.title}: line {entry.line}: {entry.mark}"
    if entry.claim is None:
        return f"{entry.title}: not played yet"
    said = f"{entry.title}: {unit_text(entry)} {claim_text(entry, entry.claim)}"
    if not deals:
        return said
    part = f"all {deals:,}" if deals == entry.deals else f"the first {deals:,} of {entry.deals:,}"
    return f"{said}: holds on {part} deals"
