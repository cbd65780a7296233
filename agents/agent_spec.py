"""The grammar of agent specs such as ``mcts@200:pretrained``. Parsing loads and imports nothing.

A spec is the text by which users name an agent::

    [NAME=] uniform | greedy | human | pretrained | a rule-based agent of the game
          | oracle[:fewest]
          | SEARCH[@BUDGET][:SPEC]      a search, and the agent that guides it
          | llm:URL                     a language model behind a server
          | PATH                        the folder of a saved agent or run, or its agent.json
          | MODULE:ATTRIBUTE            an agent class or object in the user's own code

All code that interprets specs calls `parse_spec`. A second parser could disagree with it, and a
file that names an agent could then import code unnoticed.
"""

import re
from enum import Enum
from pathlib import Path
from typing import NamedTuple

from parlour.envs import Game
from parlour.envs.core.options import check_range

from .saved import AGENT_FILE, PRETRAINED_SPEC

HUMAN = "human"
BUILT_IN = ("uniform", "greedy", HUMAN)
"""Agents that play every game."""
ORACLE = "oracle"
"""Follows the game's solver, which sees all cards; ``oracle:fewest`` wins in the fewest moves."""
LLM = "llm"
"""A language model; the URL of its server follows."""
MCTS, PIMC, HINDSIGHT = "mcts", "pimc", "hindsight"
MAX_NUMBER, MAX_MILLISECONDS = 10_000_000, 3_600_000.0
"""The largest search budgets. Larger ones would run for days or exceed the memory."""


class SearchWord(NamedTuple):
    """The properties of a search, such as ``mcts``."""

    leader: str = ""
    """The agent that guides the search if the spec names none; empty: the spec must name one."""
    counts: str = ""
    """The unit of a numeric search budget; empty: the search takes no budget."""
    is_timed: bool = True
    """Whether a search budget may also be a time in milliseconds."""
    several: bool = False
    """Whether the search plays games for several players."""
    solved: bool = False
    """Whether the search plays those games for several players that have an exact solver."""


_ITERATIONS = "iterations"
_WORLDS = "worlds"
SEARCHES = {
    "expectimax": SearchWord(),
    "rollouts": SearchWord(counts=_WORLDS, several=True),
    "rollouts-cards": SearchWord(counts=_WORLDS, several=True),
    "rollouts-bids": SearchWord(counts=_WORLDS, several=True),
    MCTS: SearchWord("greedy", _ITERATIONS, several=True),
    PIMC: SearchWord("greedy", _WORLDS, solved=True),
    "pimc-bids": SearchWord("greedy", _WORLDS, solved=True),
    HINDSIGHT: SearchWord("greedy", _ITERATIONS, is_timed=False),
    "nested": SearchWord("greedy", _WORLDS, is_timed=False),
}
"""All searches, by the word that a spec begins with; `registry` creates them."""


class SpecKind(Enum):
    """The kind of agent that a spec names."""

    BUILT_IN = "a built-in agent"
    ORACLE = "the oracle"
    RULE_AGENT = "a rule-based agent of the game"
    PRETRAINED = "the pretrained agent for the rules"
    SEARCH = "a search guided by another agent"
    SAVED = "the folder of a saved agent or run"
    LLM = "a language model behind a server"
    CODE = "an agent of the user's own code"
    UNKNOWN = "an unknown agent"


class AgentSpec(NamedTuple):
    """The parts of a spec."""

    text: str
    """The spec without the name that it gives the agent."""
    kind: SpecKind
    name: str | None = None
    """The name that the spec gives the agent, as in ``mine=PATH``."""
    word: str = ""
    """The text before the first ``:`` (for a search, before the search budget)."""
    budget: str | None = None
    """The text between ``@`` and ``:`` (searches only)."""
    rest: str = ""
    """The text after the first ``:``."""
    leader: "AgentSpec | None" = None
    """The agent that guides a search; None if the spec names none."""
    path: Path = Path()
    """The path of a saved agent."""

    @property
    def is_saved(self) -> bool:
        """Whether the agent is loaded from a folder."""
        return self.kind in (SpecKind.SAVED, SpecKind.PRETRAINED)

    @property
    def innermost(self) -> "AgentSpec":
        """The agent that guides the innermost search; the spec itself if it is no search."""
        return self if self.leader is None else self.leader.innermost


def parse_spec(spec: str, game: Game | None = None, folder: Path | None = None) -> AgentSpec:
    """Parse a spec.

    Args:
        spec: the text of the spec.
        game: the game whose rule-based agents may be named (None: those are not recognized).
        folder: the folder that relative paths refer to (None: the current folder).

    Returns:
        The parts of the spec. The kind of an unknown agent is ``SpecKind.UNKNOWN``.
    """
    name, text = split_name(spec, folder)
    head, colon, rest = text.partition(":")
    word, at, budget = head.partition("@")
    if text in BUILT_IN:
        return AgentSpec(text, SpecKind.BUILT_IN, name, text)
    if head == ORACLE:
        return AgentSpec(text, SpecKind.ORACLE, name, head, rest=rest)
    if head == LLM and colon:
        return AgentSpec(text, SpecKind.LLM, name, head, rest=rest)
    if game is not None and text in game.rule_agents:
        return AgentSpec(text, SpecKind.RULE_AGENT, name, text)
    if word in SEARCHES:
        leads = rest if colon else SEARCHES[word].leader
        leader = parse_spec(leads, game, folder) if leads else None
        return AgentSpec(
            text, SpecKind.SEARCH, name, word, budget if at else None, rest, leader=leader
        )
    if text == PRETRAINED_SPEC:
        return AgentSpec(text, SpecKind.PRETRAINED, name, text)
    path = Path(text) if folder is None else folder / text
    if text and (path.name == AGENT_FILE or _is_folder(path)):
        return AgentSpec(text, SpecKind.SAVED, name, path=path)
    kind = SpecKind.CODE if colon else SpecKind.UNKNOWN
    return AgentSpec(text, kind, name, head, rest=rest, path=path)


def split_name(spec: str, folder: Path | None = None) -> tuple[str | None, str]:
    """Split a spec such as ``mine=PATH`` into the name (None if there is none) and the rest.

    ``folder`` is the folder that relative paths refer to (None: the current folder). An existing
    path that contains ``=`` gives no name.
    """
    named = re.fullmatch(r"([^=:/\\]+)=(.+)", spec)
    if named is None or _exists(Path(spec) if folder is None else folder / spec):
        return None, spec
    return named[1], named[2]


def imports_code(spec: str) -> bool:
    """Return whether loading an agent imports a module of the user, as ``module:Class`` does.

    ``llm:URL`` counts as such an agent, because it contacts a server. An agent that is named by a
    file, and not by the user, must not do either.
    """
    return parse_spec(spec).innermost.kind in (SpecKind.CODE, SpecKind.LLM)


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except (OSError, ValueError):  # the text is too long for a path, or contains NUL
        return False


def _is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except (OSError, ValueError):
        return False


# Search budgets.


class Budget(NamedTuple):
    """The search budget of a decision: a number of worlds or iterations, or a time.

    If both are None, the search uses its default.
    """

    number: int | None = None
    milliseconds: float | None = None


def read_budget(spec: AgentSpec) -> Budget:
    """Return the search budget in a spec. Raises ValueError for an invalid budget."""
    if spec.budget is None:
        return Budget()
    search, subject = SEARCHES[spec.word], f"agent {spec.text!r}: search budget"
    if not search.counts:
        raise ValueError(f"agent {spec.text!r}: {spec.word} takes no search budget")
    match = re.fullmatch(r"([0-9]+)|([0-9]+(?:\.[0-9]+)?)ms", spec.budget)
    number, milliseconds = match.groups() if match else (None, None)
    if not float(number or milliseconds or 0) or (milliseconds and not search.is_timed):
        example = f"{spec.word}@20"
        if search.is_timed:
            example = f"{spec.word}@500, or a time in milliseconds, such as {spec.word}@50ms"
        raise ValueError(
            f"{subject} must be a number of {search.counts} >= 1, such as {example}, got "
            f"{spec.budget!r}"
        )
    if float(number or 0) > MAX_NUMBER or float(milliseconds or 0) > MAX_MILLISECONDS:
        time_limit = f", or {MAX_MILLISECONDS:,.0f} ms" if search.is_timed else ""
        raise ValueError(
            f"{subject} must be at most {MAX_NUMBER:,} {search.counts}{time_limit}, got "
            f"{spec.budget!r}"
        )
    return Budget(int(number)) if number else Budget(None, float(milliseconds or 0))


def check_repeatable(spec: AgentSpec | None) -> None:
    """Raise ValueError for an agent that is, or is guided by, a person or a timed search."""
    while spec is not None:
        if spec.text == HUMAN:
            raise ValueError("agent must not be human: its results cannot be repeated")
        if spec.budget is not None and spec.budget.endswith("ms"):
            raise ValueError(
                f"agent must have a search budget without a time limit, such as {spec.word}@100, "
                f"got {spec.text}: its results cannot be repeated"
            )
        spec = spec.leader


def choose_number(name: str, number: int | None, default: int) -> int:
    """Return a number of worlds or iterations: ``number``, or ``default`` if it is None.

    Raises ValueError naming the argument ``name`` for a number below 1.
    """
    return default if number is None else check_range(name, number, 1)


def check_milliseconds(milliseconds: float | None) -> None:
    """Raise ValueError for a time limit of 0 or below."""
    if milliseconds is not None and not milliseconds > 0:
        raise ValueError(f"milliseconds must be a number above 0, got {milliseconds}")
