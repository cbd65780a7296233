"""Tables in the documentation that are made from the code: ``python -m parlour.training.cli.docs``.

A document holds them between ``<!-- generated: NAME -->`` and ``<!-- end -->``; everything else in
it is written by hand. ``--check`` changes nothing and fails where a table is out of date.
"""

import ast
import inspect
import re
import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from parlour.envs import GAMES, CardEnv, Game
from parlour.envs.core.options import changed_options, describe_options, options_text

from ..files import write_bytes
from .blocks import ROOT, markdown_table, renew_blocks
from .board import CARDS
from .board_page import CARD_FILE, write_tables
from .card import list_known, summarise_agent, write_card
from .main import COMMANDS

ARGUMENT = re.compile(r"^    (\S+): (.*(?:\n {8}.*)*)", re.MULTILINE)


def summary(game: Game) -> str:
    """The head of a page, as those of Gymnasium have it: spaces, seats, how to make one."""
    features = game.features
    onehot = f"`Box(0, 1, ({features.columns},), uint8)`"
    codes = f"`Box(0, {features.high.max()}, ({features.width},), int8)`"
    seats = [option.values for option in describe_options(game.rules) if option.name == "players"]
    rows = [
        ["Observation Space", f'{onehot}; with `encoding="codes"` {codes}'],
        ["Players", seats[0] if seats else "1"],
        ["Import", f'`gym.make("{game.id}")`'],
    ]
    return markdown_table(["Action Space", f"`Discrete({game.actions})`"], rows)


def options(game: Game) -> str:
    """Every option: values, default, what it does."""
    rows = [[f"`{o.name}`", o.values, o.default, o.doc] for o in describe_options(game.rules)]
    return markdown_table(["option", "values", "default", "what it does"], rows)


def variants(game: Game) -> str:
    """Every variant: what it changes and where it comes from."""
    rows = []
    for name, rules in game.variants.items():
        changed = options_text(changed_options(rules, game.rules())) or "nothing"
        mark = " (default)" if name == game.default else ""
        rows.append([f"`{name}`{mark}", changed, game.sources[name]])
    return markdown_table(["variant", "differs by", "source"], rows)


def references(game: Game) -> str:
    """What the numbers of the sources stand for."""
    return "".join(f"- {number}: {title}\n" for number, title in game.references.items())


def actions(game: Game) -> str:
    """Every action; runs of actions with the same first word share a line."""
    rows: list[list[str]] = []
    words = [game.label(action).split() for action in range(game.actions)]
    start = 0
    for action in range(1, game.actions + 1):
        if action == game.actions or words[action][0] != words[start][0]:
            first, last = " ".join(words[start]), " ".join(words[action - 1])
            one = start == action - 1
            rows.append([f"{start}" if one else f"{start}–{action - 1}"])
            rows[-1].append(first if one else f"{first} … {last}")
            start = action
    return markdown_table(["action", "name"], rows)


def observation(game: Game) -> str:
    """Every piece of the observation, in both encodings."""
    sizes = (
        f"`codes`: {game.features.width} entries int8; `onehot`: {game.features.columns} columns"
    )
    return f"{sizes} uint8.\n\n{game.features.markdown_table()}"


def commands() -> str:
    """Every command of ``parlour``."""
    return markdown_table(
        ["command", "what it does"], [[f"`parlour {n}`", d] for n, d in COMMANDS.items()]
    )


def games() -> str:
    """Every game."""
    rows = [
        [
            f"[{g.title}](envs/games/{g.name}/README.md)",
            f"`{g.id}`",
            str(len(g.variants)),
            str(g.actions),
        ]
        for g in GAMES.values()
    ]
    return markdown_table(["game", "id", "variants", "actions"], rows)


def card(folder: Path, board: Path) -> str:
    """The model card of an agent that comes along: it plays on the leaderboard, not for this."""
    return write_card(folder, list_known(folder, board))


def agents(trained: Path) -> str:
    """Every agent that comes along: what it plays, how it was trained."""
    rows = [
        [f"[{path.parent.name}]({path.parent.name}/{CARD_FILE})", *summarise_agent(path.parent)]
        for path in sorted(trained.glob("*/agent.json"))
    ]
    return markdown_table(["agent", "what it is", "trained by"], rows)


def arguments() -> str:
    """Every keyword of an environment, with its default, as the docstring of the class has it."""
    part = (inspect.getdoc(CardEnv) or "").partition("Arguments:\n")[2].partition("\n\n")[0]
    rows = []
    for name, text in ARGUMENT.findall(part):
        default = inspect.signature(CardEnv).parameters[name.lstrip("*")].default
        shown = "" if default is inspect.Parameter.empty else f"`{default!r}`"
        rows.append([f"`{name}`", shown, " ".join(text.replace("``", "`").split())])
    return markdown_table(["keyword", "default", "what it does"], rows[1:])  # the first is the game


def list_public_names(package: str) -> list[str]:
    """Return what a package or module of Parlour names in ``__all__``, without importing it."""
    path = ROOT.joinpath(*package.split(".")[1:] or [package])  # parlour itself is a folder, too
    path = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            return list(ast.literal_eval(node.value))
    raise ValueError(f"{package} has no __all__")


def names(package: str) -> str:
    """Every public name of a package, as mkdocstrings is asked for it."""
    return "\n\n".join(f"::: {package}.{name}" for name in list_public_names(package))


ABOUT_GAME = (summary, options, variants, references, actions, observation)
ABOUT_ALL = (commands, games)
PUBLIC = {
    "parlour": "parlour",
    "envs": "parlour.envs",
    "core": "parlour.envs.core",
    "agents": "parlour.agents",
    "training": "parlour.training",
    "aec": "parlour.envs.interfaces.pettingzoo",
    "openspiel": "parlour.envs.interfaces.openspiel",
    "rllib": "parlour.envs.interfaces.rllib",
    "sb3": "parlour.envs.interfaces.sb3",
    **{name: f"parlour.envs.games.{name}" for name in GAMES},
}
"""What is public, by its page in docs/api."""


def list_documents(root: Path) -> dict[Path, dict[str, Callable[[], str]]]:
    """Return each document under a clone's root, with what can be generated in it."""
    board, trained = root / "docs" / "leaderboard.csv", root / "agents" / "trained"
    found: dict[Path, dict[str, Callable[[], str]]] = {
        root / "README.md": {make.__name__: make for make in ABOUT_ALL},
        root / "docs" / "guides" / "environments.md": {"arguments": arguments},
        root / "docs" / "figures.md": {},
        root / "docs" / "leaderboard.md": {"leaderboard": partial(write_tables, board, CARDS)},
        trained / "README.md": {"agents": partial(agents, trained)},
    }
    for path in sorted(trained.glob("*/agent.json")):
        found[path.parent / CARD_FILE] = {"card": partial(card, path.parent, board)}
    for game in GAMES.values():
        found[root / "envs" / "games" / game.name / "README.md"] = {
            make.__name__: partial(make, game) for make in ABOUT_GAME
        }
    for page, package in PUBLIC.items():
        found[root / "docs" / "api" / f"{page}.md"] = {"names": partial(names, package)}
    return found


def main(arguments: Sequence[str] | None = None, root: Path = ROOT) -> int:
    """Write the generated blocks anew, or with ``--check`` say which files need it (status 1)."""
    documents = list_documents(root)
    missing = [str(path.relative_to(root)) for path in documents if not path.is_file()]
    if missing:
        print(f"{root}: a clone of the repository has {', '.join(missing)}", file=sys.stderr)
        return 2
    check = "--check" in (sys.argv[1:] if arguments is None else arguments)
    old = []
    for path, blocks in documents.items():
        text = path.read_text(encoding="utf-8")
        new = renew_blocks(text, blocks, str(path.relative_to(root)))
        if new != text:
            old.append(str(path.relative_to(root)))
            if not check:
                write_bytes(path, new.encode())
    if old:
        print(f"{'out of date' if check else 'written'}: {', '.join(old)}")
    return 1 if old and check else 0


if __name__ == "__main__":
    sys.exit(main())
