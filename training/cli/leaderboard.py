"""``parlour leaderboard``: verify the entries of a leaderboard, evaluate new ones, write its page.

The page has a table for each game and set of rules. It depends on the leaderboard file alone.
"""

import argparse
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import replace
from functools import partial
from pathlib import Path

from parlour.agents.registry import IllegalActionError
from parlour.agents.saved import PRETRAINED_FOLDER
from parlour.agents.validation import join_lines
from parlour.envs import GAMES, find_game

from ..evaluation.leaderboard.claims import (
    EVALUATION_SEED,
    OPPONENTS,
    SPREAD_FACTOR,
    TIME_FACTOR,
    TIME_LEAST,
    UNCHECKED,
    check_claim,
    make_claim,
    make_spec,
    verify_entry,
)
from ..evaluation.leaderboard.entries import (
    Claim,
    Entry,
    find_folder,
    make_claimed,
    put_entry,
    read_leaderboard,
    resolve_agent,
)
from ..evaluation.report.terminal import time_text
from ..evaluation.result import per_hand
from ..evaluation.stats import Estimate
from ..files import sole_use
from ..parallel.tasks import Cluster, join_cluster
from .arguments import MOST_DEALS, read_path, read_whole
from .cluster import CHUNKS, add_cluster, use_cluster
from .output import ROOT, markdown_table, progress_bars, renew_page, write_page

BOARD_FILE = ROOT / "docs" / "leaderboard.csv"
BOARD_PAGE = ROOT / "docs" / "results" / "leaderboard.md"
CARDS = "../../agents/pretrained"
"""The path from the leaderboard's page to the model cards."""
DIFFERS = 1
"""Exit status if a claim fails, or the page is out of date."""
ALL = "all"
COVERED = (
    f"Checked for each entry without playing: seal (digest of the line), rules, saved agent, upper "
    f"bound, and the consistency of score, interval, and deals. Checked by playing: results of the "
    f"first deals, sees_all, and time per decision. The time must be within a factor of "
    f"{TIME_FACTOR} of the time on this machine; times below {1000 * TIME_LEAST:g} µs count as "
    f"{1000 * TIME_LEAST:g} µs."
)
SAMPLED = (
    f"If only some deals are played, score and interval are checked against this sample: its 99.9 "
    f"% interval must overlap the interval of the entry, and its standard deviation must agree "
    f"within a factor of {SPREAD_FACTOR}. --deals {ALL} verifies every digit."
)
NOT_COVERED = f"Columns that cannot be verified: {', '.join(UNCHECKED)}."
PAGE_TITLE, BLOCK_NAME = "Leaderboard", "leaderboard"
CARD_FILE = "README.md"
"""File name of the model card in a saved agent's folder."""
NOTHING = "–"
MARK = "✗"
"""Sign in front of an agent whose claim failed its last verification."""
HEADS = (
    "below upper bound",
    "time per decision",
    "sees hidden cards",
    "deals",
    "deal set",
    "source",
)
"""Heads of the columns after agent and score."""
EXAMPLES = {
    "leaderboard": """\
  parlour leaderboard                            verify every entry
  parlour leaderboard --only pyramid --deals all   verify every digit of the Pyramid entries
  parlour leaderboard --update                   evaluate new, failed, or outdated entries
  parlour leaderboard --update --page --file mine.csv   your own leaderboard, and its page

A leaderboard is a CSV file with one entry per line: the result of an agent on numbered deals. To
add an entry, write its first cells (game, variant, options, agent, deal set, deals), such as
"pyramid,three-passes,,pimc@16,pyramid-1,1000". --update evaluates the agent and fills in the other
cells. After an interruption, run the same command again to resume.

Verification does not change the file; --mark saves its result there. The exit status is 1 if
an entry fails. Paths of agents are relative to the CSV file.
""",
}


def add_leaderboard(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``parlour leaderboard``."""
    parser.add_argument(
        "--update",
        action="store_true",
        help="evaluate entries that are new, marked as failed, or out of date, and write their "
        "results to the file; verify nothing",
    )
    parser.add_argument(
        "--mark", action="store_true", help="save the result of verification in the file"
    )
    parser.add_argument(
        "--page",
        action="store_true",
        help="write the page of tables, a .md file next to the CSV file; without other flags, play "
        "nothing",
    )
    parser.add_argument(
        "--check",
        action="store_true",
        help="check whether the page is up to date, and do nothing else",
    )
    parser.add_argument(
        "--only",
        nargs="+",
        metavar="GAME",
        help=f"games of the entries to verify or play: {', '.join(GAMES)} (default: all)",
    )
    parser.add_argument(
        "--deals",
        type=_read_deals,
        metavar=f"N|{ALL}",
        help=f"number of deals to play for each entry; {ALL}: all deals of the entry, which "
        "verifies every digit of its results. Each entry has a digest of the results of its first "
        "10 to 200 deals, which are always played (default: all deals if they take about ten "
        "seconds or less, otherwise only those with the digest)",
    )
    parser.add_argument(
        "--allow-code",
        action="store_true",
        help="allow agents given as module:Class, and run their code (default: only built-in and "
        "saved agents)",
    )
    add_file(parser)
    add_cluster(parser)


def _read_deals(text: str) -> int:
    return MOST_DEALS if text == ALL else read_whole(MOST_DEALS)(text)


def add_file(parser: argparse.ArgumentParser) -> None:
    """Add ``--file``, the leaderboard file."""
    parser.add_argument(
        "--file",
        type=read_path,
        default=BOARD_FILE,
        metavar="CSV",
        help="leaderboard file; paths of agents are relative to it (default: docs/leaderboard.csv "
        "of the cloned repository)",
    )


def run_leaderboard(arguments: argparse.Namespace) -> int:
    """Verify the claims of a leaderboard; with ``--update``, play missing ones instead."""
    path: Path = arguments.file
    page = BOARD_PAGE if path == BOARD_FILE else path.with_suffix(".md")
    make = partial(write_tables, path, CARDS if path == BOARD_FILE else "")
    _check_words(arguments)
    if arguments.check:
        return _check_page(page, make)
    writes = arguments.update or arguments.mark or arguments.page
    with sole_use(path, "written") if writes else nullcontext():
        entries = [entry for entry in read_leaderboard(path) if _is_wanted(entry, arguments.only)]
        try:
            return _run_or_verify(arguments, entries)
        finally:  # also after an interruption
            if arguments.page:
                write_page(page, PAGE_TITLE, BLOCK_NAME, make)


def _check_words(arguments: argparse.Namespace) -> None:
    flags = [
        f"--{name}" for name in ("update", "mark", "page", "check") if getattr(arguments, name)
    ]
    if arguments.update and arguments.mark:
        raise ValueError(
            "--update and --mark must not be combined: --update evaluates, --mark verifies"
        )
    if arguments.check and len(flags) > 1:
        raise ValueError(
            f"--check must not be combined with {flags[0]}: --check only checks the page"
        )
    if arguments.deals is None:
        return
    if arguments.deals < 1:
        raise ValueError(f"--deals must be an integer >= 1, or {ALL}, got {arguments.deals}")
    if flags and not arguments.mark:
        raise ValueError(
            f"--deals must not be combined with {flags[0]}: --deals limits a verification"
        )


def _run_or_verify(arguments: argparse.Namespace, entries: Sequence[Entry]) -> int:
    path: Path = arguments.file
    if arguments.page and not arguments.update and not arguments.mark:
        return 0
    # Verification saves no chunks, so that it writes nothing and trusts no stored results.
    chunks = path.with_name(f".{path.stem}{CHUNKS}") if arguments.update else None
    with use_cluster(arguments, chunks) as cluster, join_cluster(cluster):
        if arguments.update:
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
    """Play the entries that are due; write each one as soon as it is done."""
    due = [entry for entry in entries if _is_due(entry)]
    failed = 0
    for number, entry in enumerate(due, 1):
        new = play_entry(entry, cluster, allow_code)
        put_entry(path, new)
        failed += bool(new.mark)
        print(f"{number}/{len(due)}  {_describe(new)}", flush=True)
    print(f"Played {len(due)} of {len(entries)} lines; {failed} could not be played.")
    return DIFFERS if failed else 0


def _is_due(entry: Entry) -> bool:
    """Return whether an entry is new, marked, or found to be wrong without playing."""
    return entry.claim is None or bool(entry.mark) or bool(check_claim(entry))


def play_entry(entry: Entry, cluster: Cluster | None = None, allow_code: bool = False) -> Entry:
    """Play an entry and return it with a new claim; on failure, with its old claim and a mark."""
    try:
        with progress_bars(entry.deals) as bars:
            return make_claimed(entry, make_claim(entry, bars, cluster, allow_code))
    except (ValueError, IllegalActionError) as error:
        return replace(entry, mark=f"cannot be played: {join_lines(error)}")


def _verify_all(
    arguments: argparse.Namespace, entries: Sequence[Entry], cluster: Cluster | None
) -> int:
    """Verify every claim; with ``--mark``, mark each claim that fails, and remove other marks."""
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
    some = f" ({timed} only in time per decision; the machine may be busy)" if timed else ""
    counts = f"{len(claims) - failed} verified, {failed} failed{some}; {left} not played yet"
    print(f"{len(claims)} entries with results: {counts}")
    if claims:
        print("\n".join([COVERED, *[SAMPLED] * bool(sampled), NOT_COVERED]))
    return DIFFERS if failed else 0


def _describe(entry: Entry, deals: int = 0) -> str:
    """Return one line about an entry: its claim and the number of verified deals, or its mark."""
    if entry.mark:
        return f"{entry.title}: line {entry.line}: {entry.mark}"
    if entry.claim is None:
        return f"{entry.title}: not played yet"
    text = f"{entry.title}: {unit_text(entry)} {claim_text(entry, entry.claim)}"
    if not deals:
        return text
    part = f"all {deals:,}" if deals == entry.deals else f"the first {deals:,} of {entry.deals:,}"
    return f"{text}: verified on {part} deals"


def write_tables(path: Path, cards: str = "") -> str:
    """Return all tables of a leaderboard file for its page; for ``cards`` see `write_table`.

    Raises as `entries.read_leaderboard` does.
    """
    groups = group_entries(read_leaderboard(path)).values()
    return "\n".join(f"{_heading(group[0])}\n\n{write_table(group, cards)}" for group in groups)


def group_entries(entries: Sequence[Entry]) -> dict[tuple[str, str], list[Entry]]:
    """Return entries by game and rules, in the order of the file."""
    groups: dict[tuple[str, str], list[Entry]] = {}
    for entry in entries:
        groups.setdefault((entry.game.name, entry.rules_name), []).append(entry)
    return groups


def write_table(group: Sequence[Entry], cards: str = "", digest: str = "") -> str:
    """Return the table of entries of one game and set of rules, with its notes.

    ``cards`` is the path from the page to the folder of the pretrained agents (empty: no links to
    their model cards). ``digest`` is the digest of an agent whose rows are printed in bold.
    """
    rows = [_row(entry, group, cards, digest) for entry in _rank(group)]
    table = markdown_table(["agent", unit_text(group[0]), *HEADS], rows)
    return f"{table}\n{_command(group[0])}\n{_conditions(group)}{_marks(group)}"


def _heading(entry: Entry) -> str:
    return f"## {entry.game.title}, {entry.rules_name}"


def unit_text(entry: Entry) -> str:
    """Return the unit of a claim's score."""
    if entry.is_multiplayer:
        return f"{per_hand(make_spec(entry, 2))}, opponents: {', '.join(OPPONENTS)}"
    return "won, %" if entry.game.measure == "won" else "score"


def _rank(group: Sequence[Entry]) -> list[Entry]:
    """Return entries by deal set, in the order of the file, then by score, best first."""
    deal_sets = list(dict.fromkeys(entry.deal_set for entry in group))

    def place(entry: Entry) -> tuple[int, float]:
        score = -entry.claim.score if entry.claim else float("inf")
        return deal_sets.index(entry.deal_set), score

    return sorted(group, key=place)


def _row(entry: Entry, group: Sequence[Entry], cards: str, digest: str) -> list[str]:
    claim, name = entry.claim, f"`{agent_text(entry)}`"
    source = _source(entry, cards)
    if claim is None:
        return [name, "not played yet", *[NOTHING] * 3, f"{entry.deals:,}", entry.deal_set, source]
    score = claim_text(entry, claim)
    if entry.mark:
        name, score = f"{MARK} {name}", f"~~{score}~~"
    return [
        f"**{name}**" if digest and claim.agent_digest == digest else name,
        score,
        _gap(entry, claim, group),
        time_text(claim.ms),
        "yes" if claim.sees_all else "no",
        f"{entry.deals:,}",
        entry.deal_set,
        source,
    ]


def claim_text(entry: Entry, claim: Claim) -> str:
    """Return the claimed score with its interval, in percent for shares of deals won."""
    return Estimate(claim.score, claim.low, claim.high, entry.deals).text(entry.times)


def _gap(entry: Entry, claim: Claim, group: Sequence[Entry]) -> str:
    """Return the gap to the upper bound, or with ≈ to the best agent that sees all cards."""
    if claim.bound is not None:
        return f"{entry.times * (claim.bound - claim.score):.2f}"
    seen = [
        other.claim.score
        for other in group
        if other.claim
        and other.claim.sees_all
        and other.deal_set == entry.deal_set
        and not other.mark
    ]
    return f"≈ {entry.times * (max(seen) - claim.score):.2f}" if seen else NOTHING


def agent_text(entry: Entry) -> str:
    """Return the agent's name for tables; for a pretrained agent, the name of its folder."""
    folder = find_pretrained(entry)
    search, colon, path = entry.agent.rpartition(":")
    return f"{search}{colon}{folder.name}" if folder and "/" in path else entry.agent


def is_pretrained(folder: Path) -> bool:
    """Return whether a folder belongs to a pretrained agent, in this clone or another one."""
    return folder.resolve().parent.parts[-2:] == PRETRAINED_FOLDER.parts[-2:]


def find_pretrained(entry: Entry) -> Path | None:
    """Return the folder of an entry's agent if it is a pretrained one, else None."""
    try:
        folder = find_folder(entry)
    except ValueError:
        return None
    return folder if folder and is_pretrained(folder) else None


def _source(entry: Entry, cards: str) -> str:
    """Return the source of the agent: a model card, a folder, code, or Parlour itself."""
    if folder := find_pretrained(entry):
        return f"[{folder.name}]({cards}/{folder.name}/{CARD_FILE})" if cards else folder.name
    try:
        if code := resolve_agent(entry).code:
            return f"code: `{code}`"
        return "built in" if find_folder(entry) is None else f"`{entry.agent}`"
    except ValueError as error:
        return join_lines(error)


def _command(entry: Entry) -> str:
    options = "".join(f" --option {pair}" for pair in entry.options.split())
    opponents = f" --opponents {' '.join(OPPONENTS)}" if entry.is_multiplayer else ""
    words = f"parlour evaluate {entry.game.name} --variant {entry.variant}{options}{opponents}"
    deals = "--agent AGENT --deal-set DEAL_SET --deals DEALS"
    return f"`{words} {deals} --evaluation-seed {EVALUATION_SEED}`\n"


def _conditions(group: Sequence[Entry]) -> str:
    claims = [entry.claim for entry in group if entry.claim]
    if not claims:
        return ""
    machines, versions, dates = (
        sorted({getattr(claim, name) for claim in claims})
        for name in ("machine", "parlour", "date")
    )
    days = dates[0] if len(dates) == 1 else f"{dates[0]} to {dates[-1]}"
    return f"Measured with Parlour {', '.join(versions)}, {days}, on {'; '.join(machines)}.\n"


def _marks(group: Sequence[Entry]) -> str:
    marked = [
        f"- {MARK} `{agent_text(entry)}`, {entry.deal_set}: {entry.mark}\n"
        for entry in group
        if entry.mark
    ]
    return "\n" + "".join(marked) if marked else ""
