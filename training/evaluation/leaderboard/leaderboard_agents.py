"""The agents that a leaderboard may name: built-in names and saved folders.

A leaderboard file may come from anybody. Its agents are resolved without importing code or reading
the current folder, and without depending on a clock.
"""

from pathlib import Path
from typing import NamedTuple

from parlour.agents.registry import find_saved
from parlour.agents.saved import digest_agent
from parlour.agents.specs import AgentSpec, SpecKind, parse_spec

from .leaderboard import Entry

HUMAN = "human"
BY_WORD = (SpecKind.BUILT_IN, SpecKind.RULE_AGENT, SpecKind.PRETRAINED, SpecKind.ORACLE)
"""Kinds of agents that a word names."""


class ResolvedAgent(NamedTuple):
    """An agent as `load_agent` takes it from any folder; ``code`` is the ``module:Class`` in it."""

    spec: str
    code: str = ""


def resolve_agent(entry: Entry) -> ResolvedAgent:
    """Return the agent of an entry, with paths relative to the leaderboard file made absolute.

    Imports nothing. Raises ValueError for an agent that is not found, and for one whose results
    nobody can reproduce: a person, or a search with a time limit.
    """
    return _resolve(parse_spec(entry.agent, entry.game, entry.folder), entry)


def _resolve(spec: AgentSpec, entry: Entry) -> ResolvedAgent:
    if spec.kind is SpecKind.SEARCH and spec.name is None:
        return _resolve_search(spec, entry)
    if spec.text == HUMAN:
        raise ValueError(
            f"agent {entry.agent!r} must not be a person, whose results cannot be reproduced"
        )
    if spec.kind in BY_WORD and spec.name is None:
        return ResolvedAgent(spec.text)
    if spec.kind is SpecKind.SAVED and spec.name is None and spec.path.exists():
        return ResolvedAgent(str(spec.path.absolute()))
    is_module = spec.word.replace(".", "_").isidentifier()
    if spec.kind is SpecKind.CODE and spec.name is None and is_module:
        return ResolvedAgent(spec.text, spec.text)
    raise ValueError(
        f"agent {entry.agent!r} not found: it is neither a built-in agent nor a folder "
        f"{entry.folder / spec.text}"
    )


def _resolve_search(spec: AgentSpec, entry: Entry) -> ResolvedAgent:
    if spec.budget is not None and spec.budget.endswith("ms"):
        raise ValueError(
            f"agent {entry.agent!r} must have a search budget without a time limit, such as "
            f"{spec.word}@100, got {spec.budget}: timed results cannot be reproduced"
        )
    head, colon, _ = spec.text.partition(":")
    if not colon or spec.leader is None:
        return ResolvedAgent(spec.text)
    leader = _resolve(spec.leader, entry)
    return ResolvedAgent(f"{head}:{leader.spec}", leader.code)


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
