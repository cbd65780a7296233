"""Names given to agents: ``mine=PATH`` names the agent in a folder "mine"."""

import re
from copy import copy
from pathlib import Path

from parlour.envs.core.turn import Agent, FixedAgent, check_agent


def split_name(spec: str) -> tuple[str | None, str]:
    """Return the name that a spec gives, as ``mine=PATH`` does (else None), and the rest."""
    found = re.fullmatch(r"([^=:/\\]+)=(.+)", spec)
    if found is None or is_there(Path(spec)):
        return None, spec
    return found[1], found[2]


def is_there(path: Path) -> bool:
    """Return whether there is such a file or folder."""
    try:
        return path.exists()
    except (OSError, ValueError):  # too long for a path, or with NUL in it
        return False


def rename(agent: Agent, name: str) -> Agent:
    """Return a copy of an agent with another name."""
    renamed = copy(agent)  # the original may be shared by a user's module
    if isinstance(renamed, FixedAgent):
        return FixedAgent(renamed, name)
    renamed.name = name
    return check_agent(renamed)
