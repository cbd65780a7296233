"""The page of a leaderboard: a table for each game and set of rules, made of its file alone."""

from collections.abc import Sequence
from pathlib import Path

from parlour.agents.folders import TRAINED_FOLDER
from parlour.agents.reading import one_line
from parlour.agents.registry import find_saved

from ..evaluation.duplicate_results import per_hand
from ..evaluation.leaderboard import Claim, Entry, read_board
from ..evaluation.leaderboard_play import FIELD, KEY, make_spec
from ..evaluation.stats import Estimate
from ..evaluation.terminal import time_text
from .blocks import markdown_table

PAGE_TITLE, BLOCK_NAME = "Leaderboard", "leaderboard"
CARD_FILE = "README.md"
"""The model card in a saved agent's folder."""
NOTHING = "–"
MARK = "✗"
"""Stands before a claim that does not hold."""
HEADS = ("bound less it", "a decision", "sees hidden cards", "deals", "bank", "how to get it")
"""The columns behind agent and score."""


def write_tables(path: Path, cards: str = "") -> str:
    """Return all tables of a leaderboard's file, as its page has them; for ``cards`` `write_table`.

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
    """Return the table of entries of one game and set of rules, and what belongs below it.

    ``cards`` is the way from the page to the folder of the agents that come along (empty: there are
    no links to their model cards). ``own`` is the digest of an agent whose rows are to stand out.
    """
    rows = [_row(entry, group, cards, own) for entry in _rank(group)]
    table = markdown_table(["agent", unit_text(group[0]), *HEADS], rows)
    return f"{table}\n{_command(group[0])}\n{_conditions(group)}{_marks(group)}"


def _heading(entry: Entry) -> str:
    return f"## {entry.game.title}, {entry.rules_name}"


def unit_text(entry: Entry) -> str:
    """Return what a claim is counted in."""
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
    claim, name = entry.claim, f"`{entry.agent}`"
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
    """Return what is claimed, with its interval: per cent where deals are won."""
    return Estimate(claim.score, claim.low, claim.high, entry.deals).text(entry.times)


def _gap(entry: Entry, claim: Claim, group: Sequence[Entry]) -> str:
    """How far below the bound: that of the labels, else the best that sees all on this bank."""
    if claim.bound is not None:
        return f"{entry.times * (claim.bound - claim.score):.2f}"
    seen = [
        one.claim.score
        for one in group
        if one.claim and one.claim.sees_all and one.bank == entry.bank and not one.mark
    ]
    return f"≈ {entry.times * (max(seen) - claim.score):.2f}" if seen else NOTHING


def _source(entry: Entry, cards: str) -> str:
    """Where the agent comes from: the model card of one that comes along, a folder, or nowhere."""
    try:
        folder = find_saved(entry.agent, entry.game, entry.rules)
    except ValueError as error:
        return one_line(error)
    if folder is None:
        return "built in"
    if folder.resolve().parent != TRAINED_FOLDER.resolve():
        return f"`{folder}`"
    return f"[{folder.name}]({cards}/{folder.name}/{CARD_FILE})" if cards else folder.name


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
    marked = [f"- {MARK} `{one.agent}`, {one.bank}: {one.mark}\n" for one in group if one.mark]
    return "\n" + "".join(marked) if marked else ""
