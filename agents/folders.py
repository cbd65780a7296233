"""Folders of saved agents: those that come with Parlour, and those that a run has made."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from parlour.envs import Game

from .saved import AGENT_FILE, read_rules

TRAINED_SPEC = "trained"
"""The agent that comes with Parlour for the rules played."""
TRAINED_FOLDER = Path(__file__).parent / "trained"
"""Their folders, GAME-VARIANT, and GAME-many of one network for many rules."""
MANY_RULES = "many"


def trained_folder(game: Game, rules: Any, any_rules: bool = False) -> Path:
    """Return the folder of the agent that comes with Parlour for some rules; ValueError if none.

    That is the one for their variant alone, or else the one for many rules, if these are among
    them. With ``any_rules``, where there is none for these: the one for many rules, or that of the
    game's default, or of the first variant that has one.
    """
    for name in _list_names(game, rules, any_rules):
        folder = TRAINED_FOLDER / f"{game.name}-{name}"
        if folder.is_dir():
            return folder
    there = sorted(path.name for path in TRAINED_FOLDER.glob("*-*"))
    raise ValueError(
        f"agent {TRAINED_SPEC!r}: none comes with Parlour for these rules; there are "
        f"{', '.join(there)} (any_rules lets another one of the game play)"
    )


def _list_names(game: Game, rules: Any, any_rules: bool) -> Iterator[str]:
    """Yield the names, behind that of the game, of folders that may play, the best first."""
    if variant := game.variant_name(rules):
        yield variant
    many = TRAINED_FOLDER / f"{game.name}-{MANY_RULES}"
    if any_rules or (many.is_dir() and rules in read_rules(many, game)):
        yield MANY_RULES
    if any_rules:
        yield from (game.default, *game.variants)


def find_agent_folder(folder: Path) -> Path:
    """The one agent that a training run, or one seed of it, has made; another path as it is.

    Raises ValueError if there are several, or none, such as where a run has not been finished.
    """
    if not folder.is_dir() or (folder / AGENT_FILE).exists():
        return folder
    made = sorted(card.parent for card in folder.glob(f"agent/{AGENT_FILE}"))
    made = made or sorted(card.parent for card in folder.glob(f"seed-*/agent/{AGENT_FILE}"))
    if len(made) == 1:
        return made[0]
    if made:
        raise ValueError(f"{folder}: several agents, name one: {', '.join(map(str, made))}")
    for run in (folder, folder.parent):
        if (run / "settings.json").exists():
            raise ValueError(f"{run}: this run is not finished; parlour train --resume {run}")
    raise ValueError(f"{folder}: no agent in this folder, nor below it: no {AGENT_FILE} is there")
