"""What each command of ``parlour`` does; `cli` reads the command line and tells the errors."""

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext, redirect_stdout
from pathlib import Path
from typing import Any

from parlour.envs import GAMES, Game, game
from parlour.envs.core.deals import default_bank
from parlour.envs.core.options import changed_options, describe_options, options_text

from ..evaluation.evaluate import MAX_MOVES, Progress
from ..evaluation.outputs import check_folder
from ..evaluation.terminal import wrap_beside
from .arguments import AGENTS, read_options, split_options

ROOT = Path(__file__).resolve().parents[2]
"""The clone, if this is one."""


def run_list(_: argparse.Namespace) -> int:
    """Print games, their variants, and the agents that can play."""
    for one in GAMES.values():
        print(f"{one.name}  {one.title}, {one.id}: {one.actions} actions")
        _print_wrapped(
            "variants", ", ".join(f"{n} (default)" if n == one.default else n for n in one.variants)
        )
        if one.rule_agents:
            _print_wrapped("players by rule", ", ".join(one.rule_agents))
    _print_wrapped("agents", AGENTS)
    return 0


def run_rules(given: argparse.Namespace) -> int:
    """Print all options and variants of a game, or the options of one variant."""
    one = game(given.game)
    options = read_options(given.option)
    if given.variant is None and not options:
        _print_game(one)
    else:
        _print_variant(one, one.make_rules(given.variant, options))
    print("\nsources")
    for number, title in one.references.items():
        _print_wrapped(number, title)
    return 0


def _print_game(one: Game) -> None:
    print(f"{one.title}\n\noptions (default: where a variant does not change it)")
    for option in describe_options(one.rules):
        _print_wrapped(option.name, f"{option.values} (default {option.default}): {option.doc}")
    print("\nvariants, with the options that they change")
    for name, known in one.variants.items():
        changed = options_text(changed_options(known, one.rules())) or "nothing"
        mark = "; played when none is named" if name == one.default else ""
        _print_wrapped(name, f"{changed} [{one.sources[name]}]{mark}")


def _print_variant(one: Game, rules: Any) -> None:
    name = one.variant_name(rules)
    print(f"{one.title}, {f'{name} [{one.sources[name]}]' if name else 'rules of your own'}\n")
    changed = changed_options(rules, one.rules())
    for option in describe_options(rules):
        mark = " (changed)" if option.name in changed else ""
        _print_wrapped(option.name, f"{option.default}{mark}: {option.doc}")


def run_train(words: Sequence[str]) -> int:
    """Hand all arguments to the trainer; ``--option a=b`` becomes one of its settings."""
    from ..learning.train import main as train

    rest, options = split_options(words)
    pairs = [word for pair in options.items() for word in pair]
    return train([*rest, "--options", *pairs] if pairs else rest)


def run_exploit(words: Sequence[str]) -> int:
    """Hand all arguments to the solver."""
    from .exploit import run

    return run(words, "parlour exploit")


def run_evaluate(given: argparse.Namespace) -> int:
    """Print how one agent plays, alone or in a field of others."""
    given.agents = [given.agent]
    given.variant = None if given.variant is None else [given.variant]
    return run_compare(given)


def run_compare(given: argparse.Namespace) -> int:
    """Print how several agents play the same deals, each alone or at tables of several seats."""
    one, options = game(given.game), read_options(given.option)
    single = given.command == "evaluate"
    variants = given.variant if single else variants_of(one, given.variant, options)
    several = _for_several(one, variants, options)
    keywords: dict[str, Any]
    if several:
        _refuse(given, ("max_moves",), "a game for several always ends")
        _refuse(given, ("truth",), "deals of a game for several have no solver")
        keywords = {"field": given.field, "hands": 1 if given.hands is None else given.hands}
    else:
        _refuse(given, ("field", "hands"), f"{one.title} as chosen is for one player")
        keywords = {"max_moves": MAX_MOVES if given.max_moves is None else given.max_moves}
        keywords["truth"] = given.truth
    compare, found_by, report = _comparison_kind(several, not given.json or bool(given.out))
    if given.out:
        check_folder(given.out, report.FILES)
    finished: list[Any] = []
    failed: BaseException | None = None
    with (
        redirect_stdout(sys.stderr) if given.json else nullcontext(),
        progress_bars(given.deals) as bars,
    ):
        try:
            compare(
                one,
                given.agents,
                variants=variants,
                options=options,
                deals=given.deals,
                bank=given.bank,
                first=given.first,
                seed=given.seed,
                key=given.key,
                report=bars,
                finished=finished,
                **keywords,
            )
        except (Exception, KeyboardInterrupt, SystemExit) as error:
            if not finished:
                raise
            failed = error
    found = found_by(finished)
    try:  # what was played for is said first: to save it may fail
        if given.json:
            print(json.dumps(finished[0].summary() if single else found.summary()), flush=True)
        else:
            _show(report, found)
    finally:
        written = report.save(found, given.out) if given.out else []
    if not given.json:
        for path in written:
            print(f"written: {path}")
    if failed is not None:
        raise failed  # what the others did before it is kept all the same
    return 0


def _show(report: Any, found: Any) -> None:
    from ..evaluation.fitting import open_console

    report.show(found, open_console())
    sys.stdout.flush()


def _comparison_kind(several: bool, shown: bool) -> tuple[Any, Any, Any]:
    """What compares, what holds that together, and what shows it, if it is to be shown.

    That is imported before playing: what is missing is said at once.
    """
    if several:
        from ..evaluation.duplicate import compare
        from ..evaluation.duplicate_results import DuplicateComparison

        if not shown:
            return compare, DuplicateComparison, None
        from ..evaluation import duplicate_report

        return compare, DuplicateComparison, duplicate_report
    from ..evaluation.compare import Comparison
    from ..evaluation.compare import compare as compare_alone

    if not shown:
        return compare_alone, Comparison, None
    from ..evaluation import report

    return compare_alone, Comparison, report


def variants_of(one: Game, names: list[str] | None, options: Mapping[str, str]) -> list[str] | None:
    """The variants that are to be compared; ``all`` alone stands for every one.

    In a game for one player or several it stands for those that are as the default is.
    """
    if "all" not in (names or ()):
        return names
    if names != ["all"]:
        raise ValueError("variant 'all' goes alone: it stands for every variant")
    several = _for_several(one, None, options)
    return [name for name in one.variants if _for_several(one, [name], options) == several]


def _for_several(one: Game, variants: list[str] | None, options: Mapping[str, str]) -> bool:
    """Whether rules are for several players; ValueError if some are and others are not."""
    found: dict[bool, list[str]] = {}
    for name in variants or [one.default]:
        found.setdefault(one.num_players(one.make_rules(name, options)) > 1, []).append(name)
    if len(found) > 1:
        raise ValueError(
            f"variants for one player ({', '.join(found[False])}) and for several "
            f"({', '.join(found[True])}) are compared apart"
        )
    return True in found


def _refuse(given: argparse.Namespace, names: Iterable[str], reason: str) -> None:
    """Raise ValueError for options of the command line that were given and make no sense."""
    wrong = [f"--{name.replace('_', '-')}" for name in names if getattr(given, name) is not None]
    if wrong:
        raise ValueError(f"{', '.join(wrong)}: {reason}")


def run_play(given: argparse.Namespace) -> int:
    """Play in the terminal."""
    from .play_alone import Table, play

    one, options = game(given.game), read_options(given.option)
    chosen: dict[str, Any] = {"deck": given.deck} if given.deck else {}
    if given.deal is not None:
        chosen["deal"] = given.deal
    if given.bank or given.deal is not None:
        chosen["bank"] = given.bank or default_bank(one.name)
    if chosen and given.seed is not None and given.agent == "human":
        raise ValueError("--seed makes the deal: it cannot go with --deck or --deal")
    if given.seed is not None and given.seed < 0:
        raise ValueError(f"seed={given.seed}: allowed are whole numbers from 0")
    colour = sys.stdout.isatty() and not os.environ.get("NO_COLOR")
    table = Table(
        one, given.variant, options, chosen or None, given.seed, given.delay, colour, key=given.key
    )
    if not _for_several(one, given.variant and [given.variant], options):
        flags = ("seat", "opponents", "hands")
        _refuse(given, flags, f"{one.title} as chosen is for one player")
        play(table, given.agent)
        return 0
    from .play_seats import SeatChoice, play_session

    hands = 1 if given.hands is None else given.hands
    play_session(table, SeatChoice(given.seat or 0, given.opponents, hands), given.agent)
    return 0


def run_bench(given: argparse.Namespace) -> int:
    """Measure one game, or in a clone run all benchmarks."""
    if given.game is None and (ROOT / "benchmarks" / "steps.py").is_file():
        return _bench_all(given)
    from .bench import measure

    games = list(GAMES.values()) if given.game is None else [game(given.game)]
    options = read_options(given.option)
    rows = 1024 if given.rows is None else given.rows
    seconds = 1.0 if given.seconds is None else given.seconds
    found = [measure(g, g.make_rules(given.variant, options), rows, seconds) for g in games]
    if given.json:
        print(json.dumps(found[0] if given.game else found))
        return 0
    for one in found:
        print(f"{one['game']} {one['variant']}, random legal play with masks and codes, one core:")
        print(f"  {one['batched_steps_per_second']:>12,.0f} steps/s  batched, {one['rows']} rows")
        print(f"  {one['single_steps_per_second']:>12,.0f} steps/s  single environment")
    return 0


def _bench_all(given: argparse.Namespace) -> int:
    """Run all benchmarks of the clone; of the flags only --seconds has a sense there."""
    given_too = {
        "--variant": given.variant is not None,
        "--option": bool(given.option),
        "--rows": given.rows is not None,
        "--json": given.json,
    }
    wrong = [flag for flag, is_given in given_too.items() if is_given]
    if wrong:
        raise ValueError(
            f"without GAME all benchmarks of the clone are run, which take no {', '.join(wrong)}: "
            f"name a game, such as parlour bench {next(iter(GAMES))} (see parlour bench --help)"
        )
    print(
        "all benchmarks, some minutes; peers that are not installed are left out (make bench "
        "installs them)",
        file=sys.stderr,
    )
    words = [] if given.seconds is None else ["--seconds", str(given.seconds)]
    command = [sys.executable, "-m", "benchmarks.steps", *words]
    return subprocess.run(command, cwd=ROOT).returncode


@contextmanager
def progress_bars(deals: int) -> Iterator[Callable[[str, str], Progress | None] | None]:
    """Progress on stderr, if a person looks at it and tqdm is there."""
    try:
        from tqdm import tqdm
    except ModuleNotFoundError:
        tqdm = None
    if tqdm is None or not sys.stderr.isatty():
        yield None
        return
    open_bars: list[Any] = []

    def begin(agent: str, variant: str) -> Progress | None:
        while open_bars:
            open_bars.pop().close()
        if agent == "human":
            return None
        said = f"{variant}: {agent}"
        open_bars.append(tqdm(total=deals, desc=said, unit="deal", leave=False, file=sys.stderr))
        return open_bars[0].update

    try:
        yield begin
    finally:
        while open_bars:
            open_bars.pop().close()


def _print_wrapped(first: str, text: str) -> None:
    print(wrap_beside(first, text))
