"""Plain words for names of agents and options, which people read on the page but never type."""

import re

from parlour.agents.agent_spec import SEARCHES, SpecKind, parse_spec
from parlour.envs import Game

NAMES = {
    "uniform": "random",
    "rule": "rule-based",
    "mcts": "tree search",
    "pimc": "world search",
    "hindsight": "hindsight search",
    "nested": "nested search",
}
"""Names of agents whose plain name differs from the word in their spec."""
DETAILS = {
    "uniform": "all moves equally likely",
    "pretrained": "network",
    "oracle": "sees all cards",
    "oracle:fewest": "sees all cards, fewest moves",
}
"""Further facts about agents that have no search budget."""


def name_agent(spec: str, game: Game) -> str:
    """Return the short name of an agent in plain words, such as ``"tree search"``."""
    parsed = parse_spec(spec, game)
    if parsed.name is not None:
        return parsed.name
    if parsed.kind is SpecKind.SAVED:
        path = parsed.path if parsed.path.is_dir() else parsed.path.parent
        return path.name
    if parsed.kind is SpecKind.CODE:
        return parsed.rest
    if parsed.kind is SpecKind.LLM:
        return "language model"
    return NAMES.get(parsed.word, parsed.word.replace("-", " "))


def describe_agent(spec: str, game: Game) -> str:
    """Return the name of an agent with its facts, such as ``"tree search (200 iterations)"``."""
    parsed, name = parse_spec(spec, game), name_agent(spec, game)
    details = [DETAILS[parsed.text]] if parsed.text in DETAILS else []
    if parsed.kind is SpecKind.RULE_AGENT and name != NAMES["rule"]:
        details.append("rule-based")
    if parsed.budget is not None:
        is_time = parsed.budget.endswith("ms")
        counts = SEARCHES[parsed.word].counts
        details.append(
            f"{parsed.budget.removesuffix('ms')} ms" if is_time else f"{parsed.budget} {counts}"
        )
    if parsed.leader is not None and parsed.leader.text != SEARCHES[parsed.word].leader:
        details.append(f"guided by {name_agent(parsed.leader.text, game)}")
    return f"{name} ({', '.join(details)})" if details else name


def spell_options(text: str) -> str:
    """Return a text with the names and values of options in words.

    ``"clear_all=yes"`` becomes ``"clear all: yes"``.
    """
    return re.sub(r"(?<=[a-z0-9])_(?=[a-z0-9])", " ", re.sub(r"(?<=\w)=(?=\w)", ": ", text))
