"""The page of a leaderboard: a table for each game and set of rules, made from its file alone."""

from collections.abc import Sequence
from pathlib import Path

from parlour.agents.folders import TRAINED_FOLDER
from parlour.agents.validation import one_line

from ..evaluation.duplicate_results import per_hand
from ..evaluation.leaderboard.leaderboard import Claim, Entry, read_board
from ..evaluation.leaderboard.leaderboard_agents import find_folder, resolve_agent
from ..evaluation.leaderboard.leaderboard_play import FIELD, KEY, make_spec
from ..evaluation.report.terminal import time_text
from ..evaluation.stats import Estimate
from .blocks import markdown_table

PAGE_TITLE, BLOCK_NAME = "Leaderboard", "leaderboard"
CARD_FILE = "README.md"
"""The model card in a saved agent's folder."""
NOTHING = "–"
MARK = "✗"
"""Sign in front of a claim that failed its last verification."""
HEADS = (
    "below upper bound",
    "time per decision",
    "sees hidden cards",
    "deals",
    "bank",
    "how to get it",
)
"""The columns after agent and score."""


def write_tables(path: Path, cards: str = "") -> str:
    """Return all tables of a leaderboard file for its page; ``cards`` as in `write_table`.

    Raises as `leaderboard.read_board` does.
    """
    groups = group_entries(read_board(path)).values()
    return "\n".join(f"{_heading(group[0])}\n\n{write_table(group, cards)}" for group in groups)


def group_entries(entries: Sequence[Entry]) -> dict[tuple[str, str], list[Entry]]:
    """Return entries by game and rules, in the order of the file."""
    groups: dict[tuple[str, str], list[Entry]] = {}
    for entry in entries:
        groups.setdefault((entry.game.name, entry.rules_name), []).append(entry)
    return groups


def write_table(group: Sequence[Entry], cards: str = "", own: str = "") -> str:
    """Return the table of entries of one game and set of rules, with its notes.

    ``cards`` is the path from the page to the folder of the pretrained agents (empty: no links to
    their model cards). ``own`` is the digest of an agent whose rows are printed in bold.
    """
    rows = [_row(entry, group, cards, own) for entry in _rank(group)]
    table = markdown_table(["agent", unit_text(group[0]), *HEADS], rows)
    return f"{table}\n{_command(group[0])}\n{_conditions(group)}{_marks(group)}"


def _heading(entry: Entry) -> str:
    return f"## {entry.game.title}, {entry.rules_name}"


def unit_text(entry: Entry) -> str:
    """Return the unit of a claim's score."""
    if entry.is_multiplayer:
        return f"{per_hand(make_spec(entry, 2))}, among {', '.join(FIELD)}"
    return "won, %" if entry.game.measure == "won" else "score"


def _rank(group: Sequence[Entry]) -> list[Entry]:
    """Return entries by bank, in the order of the file, then the best first."""
    banks = list(dict.fromkeys(entry.bank for entry in group))

    def place(entry: Entry) -> tuple[int, float]:
        score = -entry.claim.score if entry.claim else float("inf")
        return banks.index(entry.bank), score

    return sorted(group, key=place)


def _row(entry: Entry, group: Sequence[Entry], cards: str, own: str) -> list[str]:
    claim, name = entry.claim, f"`{agent_text(entry)}`"
    source = _source(entry, cards)
    if claim is None:
        return [name, "not played yet", *[NOTHING] * 3, f"{entry.deals:,}", entry.bank, source]
    score = claim_text(entry, claim)
    if entry.mark:
        name, score = f"{MARK} {name}", f"~~{score}~~"
    return [
        f"**{name}**" if own and claim.agent_digest == own else name,
        score,
        _gap(entry, claim, group),
        time_text(claim.ms),
        "yes" if claim.sees_all else "no",
        f"{entry.deals:,}",
        entry.bank,
        source,
    ]


def claim_text(entry: Entry, claim: Claim) -> str:
    """Return the claimed score with its interval, in per cent for shares of deals won."""
    return Estimate(claim.score, claim.low, claim.high, entry.deals).text(entry.times)


def _gap(entry: Entry, claim: Claim, group: Sequence[Entry]) -> str:
    """Return the gap to the bound: by labels, or to the best agent that sees all cards."""
    if claim.bound is not None:
        return f"{entry.times * (claim.bound - claim.score):.2f}"
    seen = [
        one.claim.score
        for one in group
        if one.claim and one.claim.sees_all and one.bank == entry.bank and not one.mark
    ]
    return f"≈ {entry.times * (max(seen) - claim.score):.2f}" if seen else NOTHING


def agent_text(entry: Entry) -> str:
    """Return the agent's name for tables: that of its folder for a pretrained one."""
    folder = _pretrained_folder(entry)
    search, colon, path = entry.agent.rpartition(":")
    return f"{search}{colon}{folder.name}" if folder and "/" in path else entry.agent


def is_pretrained(folder: Path) -> bool:
    """Return whether a folder is that of a pretrained agent, of this clone or another one."""
    return folder.resolve().parent.parts[-2:] == TRAINED_FOLDER.parts[-2:]


def _pretrained_folder(entry: Entry) -> Path | None:
    try:
        folder = find_folder(entry)
    except ValueError:
        return None
    return folder if folder and is_pretrained(folder) else None


def _source(entry: Entry, cards: str) -> str:
    """Return where to get the agent: a model card, a folder, code, or Parlour itself."""
    if folder := _pretrained_folder(entry):
        return f"[{folder.name}]({cards}/{folder.name}/{CARD_FILE})" if cards else folder.name
    try:
        if code := resolve_agent(entry).code:
            return f"code: `{code}`"
        return "built in" if find_folder(entry) is None else f"`{entry.agent}`"
    except ValueError as error:
        return one_line(error)


def _command(entry: Entry) -> str:
    options = "".join(f" --option {pair}" for pair in entry.options.split())
    field = f" --field {' '.join(FIELD)}" if entry.is_multiplayer else ""
    words = f"parlour evaluate {entry.game.name} --variant {entry.variant}{options}{field}"
    return f"`{words} --agent AGENT --bank BANK --deals DEALS --key {KEY}`\n"


def _conditions(group: Sequence[Entry]) -> str:
    claims = [entry.claim for entry in group if entry.claim]
    if not claims:
        return ""
    machines, versions, dates = (
        sorted({getattr(claim, name) for claim in claims})
        for name in ("machine", "parlour", "date")
    )
    days = dates[0] if len(dates) == 1 else f"{dates[0]} to {dates[-1]}"
    return f"Time: {'; '.join(machines)}. Parlour {', '.join(versions)}, {days}.\n"


def _marks(group: Sequence[Entry]) -> str:
    marked = [
        f"- {MARK} `{agent_text(one)}`, {one.bank}: {one.mark}\n" for one in group if one.mark
    ]
    return "\n" + "".join(marked) if marked else ""
