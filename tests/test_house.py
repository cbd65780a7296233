"""Repository conventions: import order, public names, links, and forbidden calls and names."""

from __future__ import annotations

import ast
import importlib
import importlib.util
import json
import posixpath
import re
import subprocess
import sys
import textwrap
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path

import pytest

import parlour
from parlour.training.cli.docs import PUBLIC as API_PAGES
from parlour.training.cli.docs import list_public_names

ROOT = Path(__file__).resolve().parents[1]
TOPS = ("envs", "agents", "training", "page")
INTERFACES = ("arguments", "single", "vector", "seat", "wrappers", "pettingzoo", "rllib", "sb3")
SHELLS = tuple(f"envs/interfaces/{name}.py" for name in INTERFACES)
"""Interfaces that know no particular game. The OpenSpiel interface registers each game by name."""
LEARNING = {"torch", "stable_baselines3", "sb3_contrib"}
# llvmlite is the back end of Numba, so every installation of Numba has it.
CORE = {"numpy", "numba", "llvmlite"} | set(sys.stdlib_module_names)
GAME_WORDS = ("pyramid", "poker", "puss")

ELSEWHERE = re.compile(r"(?<![\w.~-])/(?:work|tmp|home|root|Users)/|\b[A-Z]:\\Users\\")
REGISTRY = re.compile(
    r"py(?:pi|thonhosted)\.org|download\.pytorch\.org|anaconda\.org|npmjs\.(?:org|com)"
    r"|pypi\.nvidia\.com|crates\.io|--(?:extra-index|index|find)-(?:url|links)"
)


@cache
def files() -> tuple[str, ...]:
    """Return the path of every file that git tracks or would track, from the root."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return tuple(sorted(name for name in listed.split("\0") if name and (ROOT / name).is_file()))


def modules(*folders: str) -> list[str]:
    """Return the Python files under `folders` (paths from the root; none: all Python files)."""
    under = tuple(f"{folder}/" for folder in folders) or ("",)
    return [name for name in files() if name.endswith(".py") and name.startswith(under)]


def source(name: str) -> str:
    """Return the text of a Python file, or of the code cells of a notebook."""
    text = (ROOT / name).read_text(encoding="utf-8")
    if not name.endswith(".ipynb"):
        return text
    cells = [cell for cell in json.loads(text)["cells"] if cell["cell_type"] == "code"]
    lines = "\n".join("".join(cell["source"]) for cell in cells)
    return re.sub(r"^( *)[%!].*", r"\1pass", lines, flags=re.MULTILINE)


def import_source(path: str, node: ast.ImportFrom) -> str:
    """Return the dotted name of the module that a file imports from."""
    folder = ["parlour", *path.split("/")[:-1]]
    base = folder[: len(folder) - node.level + 1] if node.level else []
    return ".".join([*base, *([node.module] if node.module else [])])


@cache
def tree(name: str) -> ast.Module:
    """Return the syntax tree of a Python file, or of the code cells of a notebook."""
    return ast.parse(source(name), name)


@cache
def imports(name: str) -> tuple[tuple[int, str, bool], ...]:
    """Return the imports of a file as (line, full dotted name, whether the import is relative)."""
    result = []
    for node in ast.walk(tree(name)):
        if isinstance(node, ast.Import):
            result += [(node.lineno, alias.name, False) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            path = import_source(name, node)
            result += [
                (node.lineno, f"{path}.{alias.name}", node.level > 0) for alias in node.names
            ]
    return tuple(result)


def is_inside(module: str, package: str) -> bool:
    """Return whether the dotted name `module` is `package` or a name in `package`."""
    return module == package or module.startswith(package + ".")


def games() -> list[str]:
    """Return the names of the folders of the games."""
    return sorted(
        {name.split("/")[2] for name in modules("envs/games") if name.count("/") > 2} - {"bidding"}
    )


def wrong_imports(names: Iterable[str], wrong: Callable[[str, str, bool], bool]) -> list[str]:
    """Return `path:line: import` for each import with a true ``wrong(path, module, relative)``."""
    return [
        f"{name}:{line}: {module}"
        for name in names
        for line, module, relative in imports(name)
        if wrong(name, module, relative)
    ]


def find_imports(names: Iterable[str], *packages: str) -> list[str]:
    """Return `path:line: import` for each import of one of `packages` or of a name in them."""
    return wrong_imports(
        names, lambda _, module, __: any(is_inside(module, each) for each in packages)
    )


def find_matches(names: Iterable[str], pattern: re.Pattern[str]) -> list[str]:
    """Return `path:line: text` for each match of `pattern` in a text file."""
    result = []
    for name in names:
        try:
            lines = (ROOT / name).read_text(encoding="utf-8").splitlines()
        except UnicodeDecodeError:
            continue
        for number, line in enumerate(lines, 1):
            result += [f"{name}:{number}: {match[0]}" for match in pattern.finditer(line)]
    return result


UNPICKLING = {
    # This is the format of Numba's kernel cache. The cache is in the user's own folder, so it is
    # never exchanged with results.
    "envs/core/kernel/jit.py": {"pickle"},
}
PICKLERS = ("pickle", "cloudpickle", "dill", "marshal", "shelve", "jsonpickle")
RUNS_CODE = {
    *("torch.load", "torch.save", "joblib.load", "joblib.dump", "yaml.load"),
    *("pd.read_pickle", "pandas.read_pickle", "np.save", "eval", "exec"),
}
READS_PICKLES = {"to_pickle", "load_from_zip_file", "save_to_zip_file", "set_parameters"}
"""Methods of pandas and of Stable-Baselines3 objects that read or write pickles."""
WRITES_ARRAYS = "training/files.py"
"""The module with `pack_arrays`, which rejects arrays of objects: NumPy would pickle them."""


def called(node: ast.Call) -> str:
    """Return the dotted name of the called function, or "" if the function has no such name."""
    parts, function = [], node.func
    while isinstance(function, ast.Attribute):
        parts.append(function.attr)
        function = function.value
    return ".".join([function.id, *parts[::-1]]) if isinstance(function, ast.Name) else ""


def is_unsafe(name: str, node: ast.Call) -> bool:
    """Return whether a call may run code from a file, or write a file that runs code."""
    dotted = called(node)
    if dotted in ("np.load", "numpy.load"):
        given = {one.arg: one.value for one in node.keywords}.get("allow_pickle")
        return not (isinstance(given, ast.Constant) and given.value is False)
    if dotted.removeprefix("numpy.").removeprefix("np.") in ("savez", "savez_compressed"):
        return name != WRITES_ARRAYS
    attribute = node.func.attr if isinstance(node.func, ast.Attribute) else ""
    return dotted in RUNS_CODE or attribute in READS_PICKLES


def unsafe_calls(name: str, module: ast.Module) -> list[str]:
    """Return `path:line: call` for each unsafe call in the text of a module."""
    calls = [node for node in ast.walk(module) if isinstance(node, ast.Call)]
    return [f"{name}:{one.lineno}: {ast.unparse(one)}" for one in calls if is_unsafe(name, one)]


def test_no_file_runs_code() -> None:
    """Only Numba's kernel cache uses pickle, because users exchange results and training runs."""
    names = modules(*TOPS)
    wrong = wrong_imports(
        names,
        lambda name, module, _: (
            module.split(".")[0] in PICKLERS
            and module.split(".")[0] not in UNPICKLING.get(name, ())
        ),
    )
    assert wrong == []
    assert [one for name in names for one in unsafe_calls(name, tree(name))] == []
    assert set(UNPICKLING) <= set(names)


@pytest.mark.parametrize(
    "line",
    [
        "torch.load(path)",
        "torch.load(path, weights_only=False)",
        "np.load(path)",
        "np.load(path, allow_pickle=True)",
        "np.savez(path, objects)",
        "joblib.load(path)",
        "frame.to_pickle(path)",
        "model.set_parameters('model.zip')",
        "eval(text)",
    ],
)
def test_calls_that_may_run_code_are_found(line: str) -> None:
    assert unsafe_calls("agents/some.py", ast.parse(line)) != []


@pytest.mark.parametrize(
    "line", ["np.load(p, allow_pickle=False)", "network.eval()", "json.load(f)"]
)
def test_calls_that_run_no_code_are_allowed(line: str) -> None:
    assert unsafe_calls("agents/some.py", ast.parse(line)) == []


def test_top_level_folders_and_their_links_exist() -> None:
    for name in ("__init__.py", "__main__.py"):
        assert (ROOT / ".typing/parlour" / name).resolve() == ROOT / "parlour" / name
    for top in TOPS:
        assert f"{top}/__init__.py" in files()
        assert (ROOT / ".typing/parlour" / top).resolve() == ROOT / top


def test_imports_within_a_folder_are_relative_and_across_folders_absolute() -> None:
    def wrong(name: str, module: str, relative: bool) -> bool:
        return is_inside(module, f"parlour.{name.split('/')[0]}") != relative

    assert wrong_imports(modules(*TOPS), wrong) == []


def test_nothing_imports_a_bare_folder() -> None:
    code = modules() + [name for name in files() if name.endswith(".ipynb")]
    assert find_imports(code, *TOPS) == []


@pytest.mark.parametrize("top", TOPS)
def test_a_bare_import_is_refused(top: str) -> None:
    with pytest.raises(ImportError, match=f"import parlour.{top}"):
        importlib.import_module(top)


def test_envs_import_neither_agents_nor_training() -> None:
    assert find_imports(modules("envs"), "parlour.agents", "parlour.training") == []


def test_agents_do_not_import_training() -> None:
    assert find_imports(modules("agents"), "parlour.training") == []


def test_only_the_command_serve_imports_the_page() -> None:
    """The page imports training, so training may import the page only when it is opened."""
    result = find_imports(modules("envs", "agents", "training"), "parlour.page")
    assert {at.split(":")[0] for at in result} == {"training/cli/serve.py"}
    names = [*modules("envs", "agents", "training"), "page/session.py"]
    assert find_imports(names, "starlette", "uvicorn", "websockets") == []


MODULES_WITH_TORCH = ("card_network", "learned", "build", "tokens")


def test_learning_libraries_stay_in_training_and_networks() -> None:
    names = set(modules("envs", "agents")) - {
        f"agents/networks/{name}.py" for name in MODULES_WITH_TORCH
    }
    assert find_imports(sorted(names - {"envs/interfaces/sb3.py"}), *LEARNING) == []


def test_only_the_sb3_interface_imports_stable_baselines3() -> None:
    """No other module of `envs` and `agents` imports the library or the interface."""
    assert find_imports(["envs/interfaces/sb3.py"], *LEARNING - {"stable_baselines3"}) == []
    assert find_imports(modules("envs", "agents"), "parlour.envs.interfaces.sb3") == []


def test_only_two_interfaces_import_pettingzoo() -> None:
    assert (
        find_imports(sorted(set(modules(*TOPS)) - {"envs/interfaces/pettingzoo.py"}), "pettingzoo")
        == []
    )
    result = find_imports(modules(*TOPS), "parlour.envs.interfaces.pettingzoo")
    assert {at.split(":")[0] for at in result} == {"envs/interfaces/rllib.py"}


def test_only_the_rllib_interface_imports_rllib() -> None:
    assert (
        find_imports(sorted(set(modules(*TOPS)) - {"envs/interfaces/rllib.py"}), "ray.rllib") == []
    )
    assert find_imports(modules("envs", "agents"), "parlour.envs.interfaces.rllib") == []


def test_libraries_of_the_tests_are_not_imported() -> None:
    assert find_imports(modules(*TOPS), "scipy", "hypothesis", "pytest") == []


def test_core_imports_only_numpy_numba_and_the_standard_library() -> None:
    def wrong(_: str, module: str, relative: bool) -> bool:
        if relative:
            return not is_inside(module, "parlour.envs.core")
        return module.split(".")[0] not in CORE

    assert wrong_imports(modules("envs/core"), wrong) == []


def test_core_knows_no_game() -> None:
    words = [*GAME_WORDS, *(game.replace("_", "[ _-]?") for game in games())]
    result = find_matches(modules("envs/core"), re.compile("|".join(words), re.IGNORECASE))
    assert result == []


def test_shells_and_agents_import_no_particular_game() -> None:
    packages = [*games(), "bidding"]
    names = [*modules("agents"), *SHELLS]
    assert find_imports(names, *(f"parlour.envs.games.{name}" for name in packages)) == []


def test_every_interface_is_a_shell_or_openspiel() -> None:
    others = {"envs/interfaces/__init__.py", "envs/interfaces/openspiel.py"}
    assert set(modules("envs/interfaces")) - others == set(SHELLS)


def test_no_utils_and_no_name_of_the_standard_library() -> None:
    for name in modules():
        *folders, file = name.removesuffix(".py").split("/")
        own = {file, *folders} - {"__init__"}
        assert not own & ({"utils"} | sys.stdlib_module_names), name


def test_no_path_of_one_machine_and_no_registry_host() -> None:
    assert find_matches(files(), ELSEWHERE) == []
    assert find_matches(files(), REGISTRY) == []


def module_of(name: str) -> str:
    """Return the dotted name of a Parlour module, from its path."""
    return "parlour." + name.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def import_graph() -> dict[str, set[str]]:
    """Return the Parlour modules that each module imports, including imports in functions."""
    known = {module_of(name) for name in modules(*TOPS)}
    result: dict[str, set[str]] = {}
    for name in modules(*TOPS):
        here = module_of(name)
        targets = (word for _, word, _ in imports(name))
        ways = {word if word in known else word.rpartition(".")[0] for word in targets}
        result[here] = {way for way in ways if way in known and way != here}
    return result


def find_reachable(graph: dict[str, set[str]], begin: str) -> set[str]:
    """Return every module that ``begin`` imports, directly or through other modules."""
    seen: set[str] = set()
    left = [begin]
    while left:
        for way in graph[left.pop()] - seen:
            seen.add(way)
            left.append(way)
    return seen


def test_there_are_no_circular_imports() -> None:
    """Imports inside functions count: they may delay a library, but not hide a circle."""
    graph = import_graph()
    assert len(graph) > 100
    assert [name for name in graph if name in find_reachable(graph, name)] == []


def test_only_the_registry_knows_all_agents() -> None:
    """Only one module creates agents from their names."""
    wanted = {
        "parlour.agents.baselines",
        *(f"parlour.agents.search.{name}" for name in ("mcts", "pimc", "planner", "rollouts")),
        "parlour.agents.human",
        "parlour.agents.networks.learned",
    }
    assert [name for name, ways in import_graph().items() if wanted <= ways] == [
        "parlour.agents.registry"
    ]


ROOMS = (
    *("envs.core", "envs.games", "envs.render", "envs.interfaces", "envs"),
    *("agents", "training.files", "training.parallel", "training.evaluation", "training.datasets"),
    *("training.learning", "training.tuning", "training.equilibrium", "training.benchmark"),
    *("training.play", "training", "page", "training.cli"),
)
"""The rooms in import order: each room imports only itself and the rooms before it."""


def find_room(module: str) -> str:
    """Return the room of a module: the longest entry of `ROOMS` that contains the module."""
    return max((room for room in ROOMS if is_inside(module, f"parlour.{room}")), key=len)


def test_rooms_import_only_the_rooms_before_them() -> None:
    """Imports inside functions and for type checkers count, too."""
    wrong = [
        f"{module} imports {target}"
        for module, targets in import_graph().items()
        for target in targets
        if ROOMS.index(find_room(target)) > ROOMS.index(find_room(module))
    ]
    assert wrong == []


def test_no_code_tests_which_method_settings_belong_to() -> None:
    """The differences between learning methods belong in the modules of the methods."""
    asks = re.compile(r"isinstance\([\w.]*settings\b|settings\.method (?:==|!=|in)")
    result = find_matches(modules("training"), asks)
    assert result == []


def test_every_folder_of_training_is_a_room() -> None:
    folders = {
        "training." + name.split("/")[1] for name in modules("training") if name.count("/") > 1
    }
    assert folders <= set(ROOMS)


def test_the_picture_of_the_architecture_shows_the_import_order() -> None:
    """The picture shows every room, bottom layer first; `envs` and `training` consist of rooms."""
    text = (ROOT / "docs/rooms.svg").read_text(encoding="utf-8")
    shown: dict[int, list[str]] = {}
    for y, name in re.findall(r'class="room" x="\d+" y="(\d+)">([\w.]+)<', text):
        shown.setdefault(int(y), []).append(name)
    order = [name for y in sorted(shown, reverse=True) for name in shown[y]]
    assert order == [room for room in ROOMS if room not in ("envs", "training", "training.files")]


NOT_IN_MAP = (
    *(".", "agents/pretrained/", "benchmarks/results/"),
    *("tests/training/", "tests/golden/"),
)
"""Beginnings of folders that the map of the architecture omits."""


def test_the_map_of_the_architecture_is_the_tree() -> None:
    """The map lists every folder, and no folder that does not exist."""
    text = (ROOT / "docs/develop/architecture.md").read_text(encoding="utf-8")
    chart = text.split("```")[1]
    named = {line.split()[0].rstrip("/") for line in chart.strip().splitlines()}
    folders = {str(Path(name).parent) for name in files() if "/" in name}
    rooms = {
        re.sub(rf"^envs/games/({'|'.join(games())})", "envs/games/<game>", folder)
        for folder in folders
        if not folder.startswith(NOT_IN_MAP)
    }
    assert rooms - named == set()
    assert named - rooms == set()


PUBLIC = ("parlour", "parlour.envs", "parlour.envs.core", "parlour.agents", "parlour.training")
OPTIONAL = tuple(
    f"parlour.envs.interfaces.{name}" for name in ("pettingzoo", "openspiel", "rllib", "sb3")
)
"""Public modules that need an optional library."""


@pytest.mark.parametrize("name", PUBLIC)
def test_public_names_exist_and_have_docstrings(name: str) -> None:
    package = importlib.import_module(name)
    assert sorted(package.__all__, key=str) == sorted(set(package.__all__), key=str)
    for word in package.__all__:
        thing = getattr(package, word)
        described = isinstance(thing, str | dict) or (thing.__doc__ or "").strip()
        assert described, f"{name}.{word} has no docstring"
    with pytest.raises(AttributeError):
        _ = package.no_such_name


def test_documents_import_only_public_modules() -> None:
    """Readers copy code from documents, so a private name there would become public by use."""
    words = re.compile(r"^\s*\"?(?:>>> )?(?:from|import) (parlour[\w.]*)", re.MULTILINE)
    allowed = {*PUBLIC, *OPTIONAL, *(f"parlour.envs.games.{game}" for game in games())}
    texts = [name for name in files() if name.endswith((".md", ".ipynb"))]
    result = {
        (name, word)
        for name in texts
        for word in words.findall((ROOT / name).read_text(encoding="utf-8"))
    }
    assert len(result) > 10
    assert sorted((name, word) for name, word in result if word not in allowed) == []


def statements(path: str) -> list[tuple[ast.stmt, ast.stmt | None]]:
    """Return each statement of a module, including its `if` and `try` blocks, with the next one."""
    blocks = (ast.Module, ast.If, ast.Try)
    bodies = [node.body for node in ast.walk(tree(path)) if isinstance(node, blocks)]
    return [pair for body in bodies for pair in zip(body, [*body[1:], None], strict=True)]


def find_docstring(module: str, name: str) -> str | None:
    """Return the docstring of a name from its definition, following imports."""
    path = module.replace(".", "/").removeprefix("parlour/")
    path = f"{path}.py" if f"{path}.py" in files() else f"{path}/__init__.py"
    for node, after in statements(path):
        if isinstance(node, ast.ImportFrom):
            known = {alias.asname or alias.name: alias.name for alias in node.names}
            if name in known:
                return find_docstring(import_source(path, node), known[name])
        elif isinstance(node, ast.FunctionDef | ast.ClassDef) and node.name == name:
            return ast.get_docstring(node)
        elif re.match(rf"{name}(:.*)? = ", ast.unparse(node)):
            return ast.unparse(after) if isinstance(after, ast.Expr) else None
    return None


@pytest.mark.parametrize("page", API_PAGES)
def test_public_names_are_on_an_api_page_and_have_docstrings(page: str) -> None:
    package = API_PAGES[page]
    names = list_public_names(package)
    text = read_page(f"docs/api/{page}.md", "its page of the API, like those of the others")
    assert re.findall(r"^::: (\S+)$", text, re.MULTILINE) == [f"{package}.{n}" for n in names]
    assert [name for name in names if not find_docstring(package, name)] == []


def documents() -> list[str]:
    """Return the path of every Markdown document, from the root."""
    return [name for name in files() if name.endswith(".md")]


@cache
def anchors(document: str) -> frozenset[str]:
    """Return the anchors of a document's headings, as GitHub and the site create them."""
    text = re.sub(r"^```.*?^```$", "", (ROOT / document).read_text("utf-8"), flags=re.M | re.S)
    heads = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return frozenset(re.sub(r"[^\w\- ]", "", head.lower()).replace(" ", "-") for head in heads)


def test_pictures_in_html_exist() -> None:
    """Pictures in two themes are HTML, which checks of Markdown links do not read."""
    wrong, checked = [], 0
    for document in documents():
        text = (ROOT / document).read_text(encoding="utf-8")
        text = re.sub(r"^```.*?^```$", "", text, flags=re.M | re.S)
        for value in re.findall(r"\b(?:src|srcset|poster)=\"(?!\w+:|//)([^\"]*)\"", text):
            for path in (candidate.split()[0] for candidate in value.split(",")):
                wrong += [] if (ROOT / document).parent.joinpath(path).is_file() else [path]
                checked += 1
    assert checked >= 16
    assert wrong == []


def test_links_within_the_repository_lead_to_files_and_headings() -> None:
    """External links are not tested."""
    wrong, checked = [], 0
    for document in [*documents(), *(name for name in files() if name.endswith(".ipynb"))]:
        text = (ROOT / document).read_text(encoding="utf-8")
        for path, anchor in re.findall(r"\]\((?!\w+:)([^)#\s]*)(?:#([^)\s]+))?\)", text):
            target = posixpath.normpath(posixpath.join(posixpath.dirname(document), path))
            target = target if path else document
            there = (ROOT / target).exists() and (not anchor or anchor in anchors(target))
            wrong += [] if there else [f"{document}: {path}#{anchor}"]
            checked += 1
    assert checked > 50
    assert wrong == []


def list_imports(code: str) -> list[tuple[str, str]]:
    """Return the imports of a block of Python as (module, name), with name "" for whole modules."""
    nodes = list(ast.walk(ast.parse(code)))
    froms = [node for node in nodes if isinstance(node, ast.ImportFrom)]
    whole = [node for node in nodes if isinstance(node, ast.Import)]
    return [(str(node.module), alias.name) for node in froms for alias in node.names] + [
        (alias.name, "") for node in whole for alias in node.names
    ]


def can_be_imported(module: str, name: str) -> bool:
    """Return whether a name can be imported and, in Parlour's packages, is public."""
    public = set(API_PAGES.values())
    if module == "parlour":
        return not name or name in parlour.__all__
    if module in public:
        return not name or name in list_public_names(module) or f"{module}.{name}" in public
    # A guide shows the file patient.py and imports it.
    shown = {"patient"}
    return module in shown or importlib.util.find_spec(module) is not None


def test_blocks_of_python_compile_and_import_public_names() -> None:
    """Blocks marked `py` cannot run alone, so they must only compile."""
    fence = re.compile(r"^ *```(python|py)\n(.*?)^ *```$", re.MULTILINE | re.DOTALL)
    wrong = []
    for document in documents():
        for language, text in fence.findall((ROOT / document).read_text(encoding="utf-8")):
            result = list_imports(textwrap.dedent(text))
            if language == "python":
                wrong += [(document, *one) for one in result if not can_be_imported(*one)]
    assert wrong == []


HEADINGS = (
    *("Description", "Action Space", "Observation Space", "Rewards", "Starting State"),
    *("Episode End", "Information", "Arguments", "Variants", "Version History"),
)
"""The headings of Gymnasium's pages of environments, and "Variants"."""


def read_page(path: str, what: str) -> str:
    """Return the text of a document; fail with its path and expected content if there is none."""
    assert (ROOT / path).is_file(), f"no {path}: {what}"
    return (ROOT / path).read_text(encoding="utf-8")


@pytest.mark.parametrize("game", games())
def test_the_page_of_a_game_has_the_headings_of_gymnasium(game: str) -> None:
    text = read_page(f"envs/games/{game}/README.md", "the page of a game, like those of the others")
    assert tuple(re.findall(r"^## (.+)$", text, re.MULTILINE)) == HEADINGS


def test_the_site_shows_every_page() -> None:
    named = set(re.findall(r": (\S+\.md)$", (ROOT / "mkdocs.yml").read_text("utf-8"), re.M))
    own = {name.removeprefix("docs/") for name in documents() if name.startswith("docs/")}
    own |= {f"games/{game}.md" for game in games()}
    own |= {f"notebooks/{Path(name).stem}.md" for name in files() if name.endswith(".ipynb")}
    assert own <= named, f"mkdocs.yml has no line below nav: for {sorted(own - named)}"


def test_every_game_is_registered() -> None:
    known = {name for name in API_PAGES if name in games()}
    left = sorted(set(games()) - known)
    assert not left, (
        f"{left}: folders of envs/games/ that are not in NAMES of parlour/registration.py"
    )
