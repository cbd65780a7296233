"""Tables in the documentation that are made from the code: ``python -m parlour.training.cli.docs``.

A README holds them between ``<!-- generated: NAME -->`` and ``<!-- end -->``; everything else in it
is written by hand. ``--check`` changes nothing and fails where a table is out of date.
"""

import re
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from parlour.envs import GAMES, Game
from parlour.envs.core.options import changed_options, describe_options, options_text

from ..files import write_bytes
from .main import COMMANDS

ROOT = Path(__file__).resolve().parents[2]
BLOCK = re.compile(r"(<!-- generated: (.+?) -->\n)(.*?)(<!-- end -->)", re.DOTALL)


def markdown_table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a Markdown table."""
    lines = [head, ["---"] * len(head), *rows]
    return "".join(f"| {' | '.join(cell.replace('|', '/') for cell in line)} |\n" for line in lines)


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
        [f"[{g.title}](envs/{g.name}/README.md)", f"`{g.id}`", str(len(g.variants)), str(g.actions)]
        for g in GAMES.values()
    ]
    return markdown_table(["game", "id", "variants", "actions"], rows)


ABOUT_GAME = (options, variants, references, actions, observation)
ABOUT_ALL = (commands, games)


def list_documents(root: Path) -> dict[Path, dict[str, Callable[[], str]]]:
    """Return each README under a clone's root, with what can be generated in it."""
    found: dict[Path, dict[str, Callable[[], str]]] = {
        root / "README.md": {make.__name__: make for make in ABOUT_ALL}
    }
    for game in GAMES.values():
        found[root / "envs" / game.name / "README.md"] = {
            make.__name__: _about(make, game) for make in ABOUT_GAME
        }
    return found


def _about(make: Callable[[Game], str], game: Game) -> Callable[[], str]:
    return lambda: make(game)


MEASURED = "benchmarks."
"""Blocks of this name hold measurements: the benchmark that made them writes them."""


def renew_blocks(text: str, blocks: Mapping[str, Callable[[], str]], source: str) -> str:
    """Return a document with its generated blocks made anew.

    Raises ValueError naming ``source`` for a block that nothing makes, or that has no end.
    """
    if text.count("<!-- generated: ") != len(BLOCK.findall(text)):
        raise ValueError(f"{source}: a generated block has no <!-- end -->")

    def fill(found: re.Match[str]) -> str:
        if found[2].startswith(MEASURED):
            return found[0]
        if found[2] not in blocks:
            raise ValueError(f"{source}: no block {found[2]!r}; there are {', '.join(blocks)}")
        return f"{found[1]}\n{blocks[found[2]]().strip()}\n\n{found[4]}"

    return BLOCK.sub(fill, text)


def main(arguments: Sequence[str] | None = None, root: Path = ROOT) -> int:
    """Write the generated blocks anew, or with ``--check`` say which files need it (status 1)."""
    if not (root / "README.md").is_file():
        print(f"{root} is no clone of the repository: there is no README.md", file=sys.stderr)
        return 2
    check = "--check" in (sys.argv[1:] if arguments is None else arguments)
    old = []
    for path, blocks in list_documents(root).items():
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
