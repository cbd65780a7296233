"""Generate tables of the documentation, model cards, and the file of ``parlour list`` from code.

Run ``python -m parlour.training.cli.docs``. With ``--check``, the command changes nothing and fails
if a file is out of date. Generated text in a document is between ``<!-- generated: NAME -->`` and
``<!-- end -->``; the rest of the document is written by hand.
"""

import ast
import inspect
import json
import re
import sys
from collections.abc import Callable, Sequence
from dataclasses import fields
from functools import partial
from itertools import groupby
from pathlib import Path

from parlour.agents.agent_spec import SpecKind, parse_spec
from parlour.agents.saved import AGENT_FILE, read_description
from parlour.envs import GAMES, CardEnv, Game, find_game
from parlour.envs.core.options import changed_options, describe_options, options_text

from ..benchmark.entries import BenchmarkEntry, read_results
from ..benchmark.leaderboard import (
    NOTHING,
    Row,
    describe_unit,
    find_model,
    list_leaderboards,
)
from ..benchmark.report import group_methods
from ..benchmark.tasks import ALL_TASKS, NONE, Task
from ..datasets.dataset import make_schema
from ..datasets.dataset_card import column_table
from ..evaluation.stats import Estimate
from ..files import write_bytes
from ..learning.settings.base import default_of
from ..learning.settings.command import GROUPS, read_docs
from ..learning.settings.methods import SETTINGS
from .benchmark import CARD_FILE, make_markdown, write_leaderboards
from .main import COMMANDS, GAMES_FILE
from .model_card import list_known, summarise_agent, write_card
from .output import ROOT, markdown_table, renew_blocks

CARD_LABEL = re.compile("[A2-9TJQK][cdhs]")
"""Label of an action that is a card, such as Th."""
ARGUMENT = re.compile(r"^    (\S+): (.*(?:\n {8}.*)*)", re.MULTILINE)


def summary(game: Game) -> str:
    """Return the table at the top of a game's page, in the layout of Gymnasium's pages."""
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
    """Return the table of options: values, default, and effect."""
    rows = [[f"`{o.name}`", o.values, o.default, o.doc] for o in describe_options(game.rules)]
    return markdown_table(["option", "values", "default", "description"], rows)


def how_to_play(game: Game) -> str:
    """Return the explanation of the default variant as a list."""
    return "".join(f"- {line}\n" for line in game.how_to_play(game.variants[game.default]))


def variants(game: Game) -> str:
    """Return the table of variants: note, changed options and source."""
    rows = []
    for name, rules in game.variants.items():
        changed = options_text(changed_options(rules, game.rules())) or "none"
        mark = " (default)" if name == game.default else ""
        rows.append([f"`{name}`{mark}", game.variant_notes[name], changed, game.sources[name]])
    return markdown_table(["variant", "in short", "changed options", "source"], rows)


def references(game: Game) -> str:
    """Return the list of sources by number."""
    return "".join(f"- {number}: {title}\n" for number, title in game.references.items())


def actions(game: Game) -> str:
    """Return the table of actions.

    A row has a run of actions with the same first word, or the cards of one suit.
    """
    labels = [game.label(action) for action in range(game.actions)]
    rows: list[list[str]] = []
    for _, run in groupby(enumerate(labels), lambda pair: _group_of_label(pair[1])):
        numbers, names = zip(*run, strict=True)
        is_one = len(numbers) == 1
        span = f"{numbers[0]}" if is_one else f"{numbers[0]}–{numbers[-1]}"
        are_cards = CARD_LABEL.fullmatch(names[0])
        several = " ".join(names) if are_cards else f"{names[0]} … {names[-1]}"
        rows.append([span, names[0] if is_one else several])
    return markdown_table(["action", "name"], rows)


def _group_of_label(label: str) -> str:
    """Return the suit of a card's label, or the first word of another label."""
    return label[1] if CARD_LABEL.fullmatch(label) else label.split()[0]


def observation(game: Game) -> str:
    """Return the table of the observation, in both encodings."""
    sizes = (
        f"`codes`: {game.features.width} entries int8; `onehot`: {game.features.columns} columns"
    )
    return f"{sizes} uint8.\n\n{game.features.markdown_table()}"


def dataset_columns() -> str:
    """Return the table of the columns of a dataset, with the types for Pyramid."""
    return column_table(make_schema(find_game("pyramid")))


def commands() -> str:
    """Return the table of commands."""
    return markdown_table(
        ["command", "description"],
        [[f"`parlour {name}`", one.text] for name, one in COMMANDS.items()],
    )


REFERENCES = ("uniform", "greedy", "best learned", "best search", "upper bound")
"""Columns of the table of games: the best such agents of the leaderboard, and the upper bound."""
CARDS = "../../agents/pretrained"
"""The path from the leaderboard's page to the model cards."""


def find_main_task(game: Game) -> Task:
    """Return the task with the default variant of a game."""
    return next(
        task
        for task in ALL_TASKS.values()
        if (task.game, task.variant, task.kind) == (game.name, game.default, "deals")
    )


def games(results: Path) -> str:
    """Return the table of games, each with reference scores from the leaderboard."""
    rows, tables = [], list_leaderboards(read_results(results))
    for game in GAMES.values():
        task = find_main_task(game)
        best = {
            reference_column(row): reference_text(row)
            for row in reversed(tables.get(task.name, []))
        }
        measure = "net per hand" if task.is_multiplayer else describe_unit(task)
        rows.append(
            [
                f"[{game.title}](envs/games/{game.name}/README.md)",
                f"`{game.id}`",
                f"`{task.variant}`: {measure}",
                *(best.get(column, NOTHING) for column in REFERENCES),
            ]
        )
    heads = ["game", "environment", "variant: measure", *REFERENCES]
    return markdown_table(heads, rows)


def reference_column(row: Row) -> str:
    """Return the column of the table of games in which a row belongs, or another word."""
    first = row.entries[0]
    if row.sees_all:
        return "upper bound"
    if parse_spec(first.agent).kind is SpecKind.SEARCH:
        return "best search"
    return row.method if first.budget == NONE else "best learned"


def reference_text(row: Row) -> str:
    """Return a score of the table of games, and its method unless the column names the method."""
    text = score_text(row.task.times * row.estimate.mean)
    if row.sees_all:
        return f"≈ {text}"
    return text if reference_column(row) == row.method else f"{text} (`{row.method}`)"


def score_text(score: float) -> str:
    """Return a score of the table of games."""
    return f"{score:.2f}" if abs(score) < 10 else f"{score:.1f}"


def describe_games() -> str:
    """Return the content of the file about all games that ``parlour list`` reads."""
    games = [
        {
            "name": game.name,
            "title": game.title,
            "id": game.id,
            "actions": game.actions,
            "default": game.default,
            "variants": list(game.variants),
            "rule_agents": list(game.rule_agents),
        }
        for game in GAMES.values()
    ]
    rows = ",\n".join(json.dumps(fact, ensure_ascii=False) for fact in games)
    return f"[\n{rows}\n]\n"


def card(folder: Path, results: Path) -> str:
    """Return the model card of a pretrained agent, from its entries of the benchmark."""
    return write_card(folder, list_known(folder, results))


def agents(trained: Path) -> str:
    """Return the table of pretrained agents: kind and training command."""
    rows = [
        [f"[{path.parent.name}]({path.parent.name}/{CARD_FILE})", *summarise_agent(path.parent)]
        for path in sorted(trained.glob(f"*/{AGENT_FILE}"))
    ]
    return markdown_table(["agent", "kind", "training command"], rows)


def arguments() -> str:
    """Return the table of an environment's arguments, from the docstring of the class."""
    part = (inspect.getdoc(CardEnv) or "").partition("Arguments:\n")[2].partition("\n\n")[0]
    rows = []
    for name, text in ARGUMENT.findall(part):
        default = inspect.signature(CardEnv).parameters[name.lstrip("*")].default
        shown = "" if default is inspect.Parameter.empty else f"`{default!r}`"
        rows.append([f"`{name}`", shown, " ".join(text.replace("``", "`").split())])
    return markdown_table(
        ["keyword", "default", "description"], rows[1:]
    )  # without the game, the first argument


def benchmark(folder: Path) -> str:
    """Return the tables of benchmark results."""
    return make_markdown(group_methods(read_results(folder)))


def leaderboard(results: Path) -> str:
    """Return the leaderboards of all tasks with benchmark results."""
    return write_leaderboards(list_leaderboards(read_results(results)), CARDS)


def methods(file: Path, results: Path, trained: Path) -> str:
    """Return the table of learning methods: trained presets and pretrained agents.

    ``file`` is the record of ``python -m benchmarks.methods``, ``results`` the folder of benchmark
    results, and ``trained`` that of the pretrained agents.
    """
    record = json.loads(file.read_text(encoding="utf-8"))
    rows = []
    for row in record.values():
        percent = 100 if row["measure"] == "won" else 1
        rows.append(
            [
                find_game(row["game"]).title,
                f"`{row['variant']}`",
                f"`{row['method']}`",
                f"`--preset {row['preset']}`",
                duration_text(row["processor_seconds"]),
                "won (%)" if percent == 100 else "score",
                Estimate(*row["score"]).text(percent),
                Estimate(*row["gain"]).text(percent, sign="+"),
                f"{row['deals']:,}",
            ]
        )
    for entry in filter(_is_pretrained, read_results(results)):
        task, name = entry.task_object, find_model(entry.agent_digest)
        facts = read_description(trained / name)["trained"]
        rows.append(
            [
                task.game_object.title,
                f"`{task.variant}`",
                f"`{facts['settings']['method']}`",
                f"[{name}](../../agents/pretrained/{name}/{CARD_FILE})",
                duration_text(facts.get("seconds")),
                describe_unit(task).replace("won, %", "won (%)"),
                entry.raw.text(task.times),
                "–",
                f"{task.deals:,}",
            ]
        )
    heads = ["game", "variant", "method", "preset or pretrained agent", "training time", "measure"]
    table = markdown_table([*heads, "score", "minus greedy, paired", "deals"], sorted(rows))
    machines = ", ".join(sorted({row["machine"] for row in record.values()}))
    return f"{table}\nMachine of the trained presets: {machines}.\n"


def _is_pretrained(entry: BenchmarkEntry) -> bool:
    """Return whether an entry has the result of a pretrained agent alone on the deals of a task."""
    is_search = parse_spec(entry.agent).kind is SpecKind.SEARCH
    return (
        entry.task_object.kind == "deals" and not is_search and find_model(entry.agent_digest) != ""
    )


def duration_text(seconds: float | None) -> str:
    """Return a duration in minutes."""
    return "not recorded" if seconds is None else f"{max(seconds, 6) / 60:.1f} min"


def settings(method: str) -> str:
    """Return two tables of a learning method's settings: its own, and those of several methods."""
    settings_class = SETTINGS[method]
    docs, rows = read_docs(settings_class), {}
    for setting in fields(settings_class):
        meaning = docs[setting.name].replace("||", "\u2225").replace("``", "`")
        rows[setting.name] = [f"`{setting.name}`", f"`{default_of(setting)!r}`", meaning]
    names = [name for group in GROUPS.values() for name in group]
    shared = [rows[name] for name in names if name in rows and name != "game"]
    own = [row for name, row in rows.items() if name not in names]
    head = ["setting", "default", "meaning"]
    shared_table = markdown_table(head, shared)
    return f"{markdown_table(head, own)}\nSettings that several methods share:\n\n{shared_table}"


def list_public_names(package: str) -> list[str]:
    """Return ``__all__`` of a package or module of Parlour, without importing it.

    The package `parlour` repeats the names of its packages, which have pages of their own.
    """
    if package == "parlour":
        return ["__version__"]
    path = ROOT.joinpath(*package.split(".")[1:])
    path = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            return list(ast.literal_eval(node.value))
    raise ValueError(f"{package} has no __all__")


def names(package: str) -> str:
    """Return the public names of a package as directives of mkdocstrings."""
    return "\n\n".join(f"::: {package}.{name}" for name in list_public_names(package))


ABOUT_GAME = (summary, how_to_play, options, variants, references, actions, observation)
PUBLIC = {
    "parlour": "parlour",
    "envs": "parlour.envs",
    "core": "parlour.envs.core",
    "agents": "parlour.agents",
    "training": "parlour.training",
    "text": "parlour.envs.interfaces.text",
    "pettingzoo": "parlour.envs.interfaces.pettingzoo",
    "openspiel": "parlour.envs.interfaces.openspiel",
    "rllib": "parlour.envs.interfaces.rllib",
    "sb3": "parlour.envs.interfaces.sb3",
    "trl": "parlour.envs.interfaces.trl",
    "verifiers": "parlour.envs.interfaces.verifiers",
    "openenv": "parlour.envs.interfaces.openenv",
    **{name: f"parlour.envs.games.{name}" for name in GAMES},
}
"""Public packages and modules, by their page in docs/api."""


def list_documents(root: Path) -> dict[Path, dict[str, Callable[[], str]]]:
    """Return the functions that make the generated blocks of each document of a clone."""
    results, trained = root / "benchmarks" / "results", root / "agents" / "pretrained"
    documents: dict[Path, dict[str, Callable[[], str]]] = {
        root / "README.md": {"games": partial(games, results)},
        root / "docs" / "guides" / "command_line.md": {"commands": commands},
        root / "docs" / "guides" / "datasets.md": {"dataset columns": dataset_columns},
        root / "docs" / "guides" / "environments.md": {"arguments": arguments},
        root / "docs" / "results" / "figures.md": {},
        root / "docs" / "results" / "benchmark.md": {"benchmark": partial(benchmark, results)},
        root / "docs" / "results" / "methods.md": {
            "methods": partial(methods, root / "benchmarks" / "methods.json", results, trained)
        },
        root / "docs" / "results" / "leaderboard.md": {
            "leaderboard": partial(leaderboard, results)
        },
        trained / "README.md": {"agents": partial(agents, trained)},
    }
    for path in sorted(trained.glob(f"*/{AGENT_FILE}")):
        documents[path.parent / CARD_FILE] = {"card": partial(card, path.parent, results)}
    for game in GAMES.values():
        documents[root / "envs" / "games" / game.name / "README.md"] = {
            make.__name__: partial(make, game) for make in ABOUT_GAME
        }
    for method in SETTINGS:
        page = f"{method.replace('-', '_')}.md"
        documents[root / "docs" / "guides" / "methods" / page] = {
            "settings": partial(settings, method)
        }
    for page, package in PUBLIC.items():
        documents[root / "docs" / "api" / f"{page}.md"] = {"names": partial(names, package)}
    return documents


def main(arguments: Sequence[str] | None = None, root: Path = ROOT) -> int:
    """Update all generated text; with ``--check``, only list outdated files (exit status 1)."""
    documents = list_documents(root)
    missing = [str(path.relative_to(root)) for path in documents if not path.is_file()]
    if missing:
        print(
            f"{root} must be a clone of the repository: {', '.join(missing)} missing",
            file=sys.stderr,
        )
        return 2
    check = "--check" in (sys.argv[1:] if arguments is None else arguments)
    list_file = root / GAMES_FILE.relative_to(ROOT)
    renewed = {list_file: describe_games()}
    for path, blocks in documents.items():
        text = path.read_text(encoding="utf-8")
        renewed[path] = renew_blocks(text, blocks, str(path.relative_to(root)))
    outdated = []
    for path, text in renewed.items():
        if not path.is_file() or path.read_text(encoding="utf-8") != text:
            outdated.append(str(path.relative_to(root)))
            if not check:
                write_bytes(path, text.encode())
    if outdated:
        print(f"{'out of date' if check else 'written'}: {', '.join(outdated)}")
    return 1 if outdated and check else 0


if __name__ == "__main__":
    sys.exit(main())
