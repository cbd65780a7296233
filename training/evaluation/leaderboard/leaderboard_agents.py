"""The agents that a leaderboard may name: built-in names and saved folders.

A leaderboard file may come from anybody. Its agents are resolved without importing code or reading
the current folder, and without depending on a clock.
"""

from pathlib import Path
from typing import NamedTuple

from parlour.agents.folders import TRAINED_SPEC
from parlour.agents.registry import BUILT_IN, ORACLE, PREFIXES, find_saved
from parlour.agents.saved import AGENT_FILE, digest_agent

from .leaderboard import Entry

HUMAN = "human"


class ResolvedAgent(NamedTuple):
    """An agent as `load_agent` takes it from any folder; ``code`` is the ``module:Class`` in it."""

    spec: str
    code: str = ""


def resolve_agent(entry: Entry) -> ResolvedAgent:
    """Return the agent of an entry, with paths relative to the leaderboard file made absolute.

    Imports nothing. Raises ValueError for an agent that is not found, and for one whose results
    nobody can reproduce: a person, or a search with a time limit.
    """
    return _resolve(entry.agent, entry)


def _resolve(spec: str, entry: Entry) -> ResolvedAgent:
    kind, colon, rest = spec.partition(":")
    word, _, budget = kind.partition("@")
    if word in PREFIXES:
        if budget.endswith("ms"):
            raise ValueError(
                f"agent {entry.agent!r} must have a search budget without a time limit, such as "
                f"{word}@100, got {budget}: timed results cannot be reproduced"
            )
        inner = _resolve(rest, entry) if colon else ResolvedAgent("")
        return ResolvedAgent(kind + colon + inner.spec, inner.code)
    if spec == HUMAN:
        raise ValueError(
            f"agent {entry.agent!r} must not be a person, whose results cannot be reproduced"
        )
    if spec in BUILT_IN or spec in entry.game.rule_agents or spec == TRAINED_SPEC or kind == ORACLE:
        return ResolvedAgent(spec)
    path = entry.folder / spec
    if spec and _is_agent(path):
        return ResolvedAgent(str(path.absolute()))
    if colon and kind.replace(".", "_").isidentifier():
        return ResolvedAgent(spec, spec)
    raise ValueError(
        f"agent {entry.agent!r} not found: it is neither a built-in agent nor a folder {path}"
    )


def _is_agent(path: Path) -> bool:
    try:
        return path.is_dir() or (path.name == AGENT_FILE and path.is_file())
    except (OSError, ValueError):  # too long for a path, or with NUL in it
        return False


def find_folder(entry: Entry) -> Path | None:
    """Return the folder of the saved agent that an entry names, alone or within a search.

    None if there is none in its name. Raises ValueError as `resolve_agent` does, and for a folder
    without an agent.
    """
    return find_saved(resolve_agent(entry).spec, entry.game, entry.rules)


def digest_saved(entry: Entry) -> str:
    """Return the digest of the saved agent that an entry names, empty if it names none."""
    folder = find_folder(entry)
    return "" if folder is None else digest_agent(folder)


def check_code(entry: Entry, allow_code: bool) -> str:
    """Return the agent of an entry for `load_agent`.

    Raises ValueError as `resolve_agent` does, and unless ``allow_code`` for ``module:Class``, since
    loading it would run code.
    """
    spec, code = resolve_agent(entry)
    if code and not allow_code:
        raise ValueError(
            f"agent {entry.agent!r} must be a built-in agent or a saved folder, got code: "
            f"--allow-code imports {code}"
        )
    return spec
