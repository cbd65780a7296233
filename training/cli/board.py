"""``parlour board``: a leaderboard of which every line can be played again."""

import argparse
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from parlour.agents.reading import one_line
from parlour.agents.registry import IllegalActionError
from parlour.envs import GAMES, find_game

from ..cluster.tasks import Cluster, join_cluster
from ..evaluation.leaderboard import Entry, make_claimed, put_entry, read_board
from ..evaluation.leaderboard_play import find_change, judge_claim, make_claim
from ..files import sole_use
from .arguments import MOST_DEALS, Parser, read_path, read_whole
from .blocks import ROOT, renew_page, write_page
from .board_page import BLOCK_NAME, PAGE_TITLE, claim_text, unit_text, write_tables
from .cluster import CHUNKS, add_cluster, use_cluster
from .progress import progress_bars

BOARD_FILE = ROOT / "docs" / "leaderboard.csv"
CARDS = "../agents/trained"
"""The way from its page to the model cards."""
DIFFERS = 1
"""Exit status where a claim does not hold, or the page is not that of the file."""


def add_board(parser: Parser) -> None:
    """Add the arguments of ``parlour board``."""
    parser.add_argument(
        "--run",
        "--update",
        action="store_true",
        help="play what is new, stale or marked, and write what came of it",
    )
    parser.add_argument(
        "--check", action="store_true", help="only look whether the page is that of the file"
    )
    parser.add_argument(
        "--only",
        nargs="+",
        metavar="GAME",
        help=f"the lines of these games alone; of: {', '.join(GAMES)}",
    )
    parser.add_argument(
        "--deals",
        type=read_whole(MOST_DEALS),
        help="to verify, play so many of each line's deals (default: those kept for it, 10 to 200)",
    )
    add_file(parser)
    add_cluster(parser)


def add_file(parser: Parser) -> None:
    """Add ``--file``, which leaderboard is meant."""
    parser.add_argument(
        "--file",
        type=read_path,
        default=BOARD_FILE,
        metavar="CSV",
        help="a leaderboard of your own; its page lies beside it (default: docs/leaderboard.csv "
        "of the clone)",
    )


def run_board(arguments: argparse.Namespace) -> int:
    """Verify the claims of a leaderboard, or with ``--run`` make those that are missing."""
    path: Path = arguments.file
    page = path.with_suffix(".md")
    make = partial(write_tables, path, CARDS if path == BOARD_FILE else "")
    if arguments.check:
        return _check_page(page, make)
    if arguments.deals is not None and arguments.deals < 1:
        raise ValueError(f"--deals {arguments.deals}: allowed are whole numbers from 1")
    with sole_use(path, "written"):
        entries = [one for one in read_board(path) if _is_wanted(one, arguments.only)]
        chunks = path.with_name(f".{path.stem}{CHUNKS}")
        try:
            with use_cluster(arguments, chunks) as cluster, join_cluster(cluster):
                if arguments.run:
                    return _run_all(path, entries, cluster)
                return _verify_all(path, entries, arguments.deals, cluster)
        finally:  # what was done before an interruption is on the page, too
            write_page(page, PAGE_TITLE, BLOCK_NAME, make)


def _is_wanted(entry: Entry, games: Sequence[str] | None) -> bool:
    return games is None or entry.game in [find_game(name) for name in games]


def _check_page(page: Path, make: Callable[[], str]) -> int:
    new = renew_page(page, PAGE_TITLE, BLOCK_NAME, make)
    if page.is_file() and page.read_text(encoding="utf-8") == new:
        return 0
    print(f"out of date: {page}")
    return DIFFERS


def _run_all(path: Path, entries: Sequence[Entry], cluster: Cluster | None) -> int:
    """Play what is due, one entry after the other; each is written as soon as it is done."""
    due = [entry for entry in entries if _is_due(entry)]
    failed = 0
    for number, entry in enumerate(due, 1):
        new = play_entry(entry, cluster)
        put_entry(path, new)
        failed += bool(new.mark)
        print(f"{number}/{len(due)}  {_describe(new)}", flush=True)
    print(f"played {len(due)} of {len(entries)} lines; {failed} could not be played")
    return DIFFERS if failed else 0


def _is_due(entry: Entry) -> bool:
    """Whether an entry is new, changed by hand, marked or stale."""
    if entry.claim is None or entry.mark or not entry.is_sealed:
        return True
    try:
        return bool(find_change(entry))
    except ValueError:  # to play it says what is wrong
        return True


def play_entry(entry: Entry, cluster: Cluster | None = None) -> Entry:
    """Return an entry with its claim made anew; marked, and with its old claim, if that fails."""
    try:
        with progress_bars(entry.deals) as bars:
            return make_claimed(entry, make_claim(entry, bars, cluster))
    except (ValueError, IllegalActionError) as error:
        return replace(entry, mark=f"cannot be played: {one_line(error)}")


def _verify_all(
    path: Path, entries: Sequence[Entry], deals: int | None, cluster: Cluster | None
) -> int:
    """Verify every claim; write a mark where one does not hold, and take it away where it does."""
    wrong = 0
    claims = [entry for entry in entries if entry.claim]
    for entry in claims:
        with progress_bars(deals or entry.deals) as bars:
            new = replace(entry, mark=judge_claim(entry, deals, bars, cluster))
        if new.mark != entry.mark:
            put_entry(path, new)
        wrong += bool(new.mark)
        print(_describe(new), flush=True)
    left = len(entries) - len(claims)
    print(
        f"{len(claims)} claims: {len(claims) - wrong} hold, {wrong} do not; {left} not played yet"
    )
    return DIFFERS if wrong else 0


def _describe(entry: Entry) -> str:
    """Say in one line how an entry stands: its line in the file, and what is wrong with it."""
    if entry.mark:
        return f"{entry.title}: line {entry.line}: {entry.mark}"
    said = claim_text(entry, entry.claim) if entry.claim else "not played yet"
    return f"{entry.title}: {unit_text(entry)} {said}"
