"""What a game lacks, or has forgotten, in words: which game, what, and where to put it.

The other contract tests would fail, too, but by what comes of it. Each function returns a line for
each gap; none means that nothing is missing.
"""

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from parlour.envs import Game
from parlour.envs.core.batch import Autoreset, DealSource, Over, StepConfig, make_state_head
from parlour.envs.core.checks import read_states
from parlour.envs.core.legal import unpack_actions
from parlour.envs.core.options import as_record, to_plain
from parlour.envs.core.rows import Rows
from parlour.envs.core.schema import CARD, RANK
from tests.contract.cases import Case, Crowd, random_cases
from tests.walkers import MOST_STEPS, no_end

ROWS, STEPS, MIXED = 32, 60, 12
"""So many games are watched at once, for so many steps, by so many combinations of options."""
HEAD = {name for name, *_ in make_state_head(1)}


def find_missing_files(game: Game, root: Path) -> list[str]:
    """Say which files of a game are not in a clone of the repository."""
    name = game.name
    wanted = {
        f"envs/games/{name}/README.md": "its page; the other games' show the headings",
        f"docs/rules/{name}.md": "its rules, whole, with their sources",
        f"docs/api/{name}.md": "its page of the API: copy another game's",
        f"tests/reference/{name}.py": "the game once more, plain, from the rules alone",
        **{
            f"tests/golden/{name}/{variant}.txt": f"its golden games: make goldens GAME={name}"
            for variant in game.variants
        },
    }
    result = [
        f"{name}: no {path}: {what}" for path, what in wanted.items() if not (root / path).exists()
    ]
    return result + find_missing_lines(game, root)


def find_missing_lines(game: Game, root: Path) -> list[str]:
    """Say in which files of the repository a game is not named, or its reference not used."""
    name, result = game.name, []
    site = (root / "mkdocs.yml").read_text(encoding="utf-8")
    for page in (f"games/{name}.md", f"rules/{name}.md", f"api/{name}.md"):
        if f": {page}\n" not in site:
            result.append(f"{name}: no line in mkdocs.yml below nav: '- {game.title}: {page}'")
    for path in (f"envs/games/{name}/README.md", f"tests/reference/{name}.py"):
        file = root / path
        if file.exists() and f"docs/rules/{name}.md" not in file.read_text(encoding="utf-8"):
            result.append(f"{name}: {path} does not name docs/rules/{name}.md, the rules it is by")
    tests = sorted((root / "tests/games").glob("*.py"))
    if not any(f"tests.reference.{name}" in test.read_text(encoding="utf-8") for test in tests):
        result.append(
            f"{name}: no test in tests/games plays it beside tests/reference/{name}.py: "
            f"write tests/games/test_{name}_matches_reference.py, with tests.reference.match"
        )
    return result


def find_no_end(game: Game) -> list[str]:
    """Say that some game of the default variant does not end by itself, whoever plays.

    A game that may go round for ever ends in no test but by ``max_moves``.
    """
    case = Case(game, game.default)
    rows, crowd = begin(case), Crowd(case, ROWS, 1)
    for _ in range(MOST_STEPS):
        over = rows.states["over"] == Over.TERMINATED
        nothing = ~unpack_actions(rows.states["legal"], game.actions).any(axis=1)
        if (over != nothing).any():
            return [
                f"{game.name}: a game is over and something legal, or nothing is legal and it is "
                'not over: at the end step writes s["over"] = Over.TERMINATED and s["legal"] = 0'
                f"{in_file(game, 'kernel')}"
            ]
        if over.all():
            return []
        rows.step(crowd.choose(rows.states, rows.buffers.masks))
    return [] if game.may_cycle else [no_end(rows, MOST_STEPS)]


def begin(case: Case, reset: Autoreset = Autoreset.DISABLED) -> Rows:
    rows = Rows(case.game, case.rules, ROWS, StepConfig(reset=int(reset)))
    rows.seed(np.arange(1, ROWS + 1, dtype=np.uint64))
    rows.start(DealSource.DRAW)
    return rows


def in_file(game: Game, module: str) -> str:
    return f" (envs/games/{game.name}/{module}.py)"


def watch(case: Case, seed: int) -> Iterator[Rows]:
    """Play games by some rules, one after another in each row; yield after every step."""
    rows, crowd = begin(case, Autoreset.NEXT_STEP), Crowd(case, ROWS, seed)
    for _ in range(STEPS):
        yield rows
        rows.step(crowd.choose(rows.states, rows.buffers.masks))


def watched_cases(game: Game) -> list[Case]:
    cases = [Case(game, variant) for variant in game.variants]
    return cases + list(random_cases(MIXED, seed=3, games=[game]))


def list_fields(record: np.dtype, place: str = "", start: int = 0) -> Iterator[tuple[str, Any]]:
    """Each field of a record, those of records inside it, too: its name, and its bytes.

    Records that there are several of count as one: a field that one of them writes is written.
    """
    for name in record.names or ():
        kind, offset, *_ = record.fields[name]  # type: ignore[index]
        first = start + offset
        if kind.base.names:
            for inner, taken in list_fields(kind.base, f"{place}{name}.", first):
                steps = np.arange(int(np.prod(kind.shape, dtype=int))) * kind.base.itemsize
                yield inner, (taken[None, :] + steps[:, None]).ravel()
        else:
            yield f"{place}{name}", np.arange(first, first + kind.itemsize)


def find_unwritten(game: Game) -> list[str]:
    """Say which fields of the state, and pieces of the observation, nothing ever writes."""
    written = np.zeros(game.state.itemsize, bool)
    for seed, case in enumerate(watched_cases(game)):
        for rows in watch(case, seed):
            written |= rows.states.view(np.uint8).reshape(ROWS, -1).any(axis=0)
    return [
        f"{game.name}: {words(name)} is 0 in all positions by all rules: deal and step write it"
        f"{in_file(game, 'kernel')}"
        for name, taken in list_fields(game.state)
        if name not in HEAD and not written[taken].any()
    ]


def words(field: str) -> str:
    shown = field.startswith("shown.")
    return f"piece {field[6:]!r} of the observation" if shown else f"field {field!r} of the state"


def find_out_of_range(game: Game) -> list[str]:
    """Say which pieces of the observation show a number that their kind does not have."""
    wrong = np.zeros(game.features.width, bool)
    for seed, case in enumerate(watched_cases(game)):
        for rows in watch(case, seed):
            wrong |= ((rows.codes < 0) | (rows.codes > game.features.high)).any(axis=0)
    return [
        f"{game.name}: piece {name!r} of the observation shows numbers below 0 or above "
        f"{game.features.high[taken[0]]}: its kind in FEATURES, or what writes it, is wrong "
        f"(envs/games/{game.name}/rules.py, kernel.py)"
        for name, taken in list_fields(game.features.dtype)
        if wrong[taken].any()
    ]


def find_left_over(game: Game) -> list[str]:
    """Say which fields a deal leaves as they were: the new game then begins with the old one's."""
    differs = np.zeros(game.state.itemsize, bool)
    for seed, case in enumerate(watched_cases(game)):
        *_, used = watch(case, seed)
        fresh = Rows(game, case.rules, ROWS)
        for rows in (used, fresh):
            rows.deal_numbered("gaps", range(ROWS))
        pair = [rows.states.view(np.uint8).reshape(ROWS, -1) for rows in (used, fresh)]
        differs |= (pair[0] != pair[1]).any(axis=0)
    return [
        f"{game.name}: {words(name)} keeps what an earlier game left there: deal must set it"
        f"{in_file(game, 'kernel')}"
        for name, taken in list_fields(game.state)
        if differs[taken].any()
    ]


def find_hidden_options(game: Game) -> list[str]:
    """Say which options the observation shows with another value than is played."""
    result: dict[str, None] = {}
    for case in watched_cases(game):
        output = game.features.explain(begin(case).codes[0])
        plain = to_plain(case.rules)
        result |= {one: None for one in plain if not np.array_equal(output[one], plain[one])}
    return [
        f"{game.name}: the observation does not show the option {option!r} as it is played: deal "
        f'writes s["shown"]["{option}"]{in_file(game, "kernel")}'
        for option in result
    ]


def find_not_on_the_table(game: Game) -> list[str]:
    """Say which pieces of the observation have cards that never lie face up in the scene."""
    known, lying = Counter[str](), Counter[str]()
    for seed, case in enumerate(watched_cases(game)):
        for number, rows in enumerate(watch(case, seed)):
            row = number % ROWS
            if rows.states["over"][row] == Over.RUNNING:
                items = game.layout(rows.states[row], case.rules).items
                face_up = {item.card for item in items if item.face_up}
                for name, codes in card_pieces(game, rows.codes[row]):
                    known[name] += len(codes)
                    lying[name] += len(codes & face_up)
    return [
        f"{game.name}: cards that piece {name!r} of the observation shows never lie face up on the "
        f"table: layout returns an Item for each{in_file(game, 'layout')}"
        for name in known
        if known[name] and not lying[name]
    ]


def card_pieces(game: Game, codes: np.ndarray) -> Iterator[tuple[str, set[int]]]:
    """Each piece of cards, and those that it shows; pieces of several seats count as one."""
    kinds = {re.sub(r"\.\d+\.", ".", piece.name): piece.kind for piece in game.features.pieces}
    for name, taken in list_fields(game.features.dtype):
        if kinds[name] in (CARD, RANK):
            yield name, set(codes[taken].tolist()) - {0}


def find_unchecked(game: Game) -> list[str]:
    """Say which fields `restore` takes with any value, by all rules."""
    left = dict(list_fields(game.state))
    for seed, case in enumerate(watched_cases(game)):
        *_, played = watch(case, seed)
        for name, taken in [one for one in left.items() if one[0] not in HEAD]:
            if any(is_refused(case, state, taken) for state in np.split(played.states[:8], 8)):
                del left[name]
    return [
        f"{game.name}: restore takes any value of {words(name)}: derive must write it, or "
        f"find_wrong refuse it{in_file(game, 'knowledge')}"
        for name in left
        if name not in HEAD
    ]


def is_refused(case: Case, state: np.ndarray, taken: np.ndarray) -> bool:
    """Whether a state (1,) is refused with other bytes in a field."""
    for byte in (0x7F, 0x80, 0xFF):
        record = state.copy()
        record.view(np.uint8)[taken] = byte
        try:
            read_states(case.game, case.rules, as_record(case.rules), record, 1)
        except ValueError:
            return True
    return False


BY_PLAY = (
    *(find_no_end, find_unwritten, find_out_of_range, find_left_over, find_hidden_options),
    *(find_not_on_the_table, find_unchecked),
)
"""What is found by playing."""
