"""``parlour replay``: recorded games, verified by the kernel, and shown."""

import argparse
import json
from collections import Counter
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from parlour.envs.core.scene.scene import ansi, svg

from ..evaluation.replays.replay import Fault, Replay, verify_replays
from ..evaluation.replays.replay_files import iterate_replays
from ..evaluation.replays.replay_view import review_replay, save_film, save_html
from ..evaluation.report.terminal import as_line, print_notice, print_wrapped
from ..evaluation.reviews.review_judges import WORLDS
from ..files import write_bytes
from .arguments import MOST_ROWS, read_path, read_seconds, read_whole, refuse_flags

LISTED = 20
"""Number of games that are listed."""
FAULTY = 1
"""Exit status if a game is not as recorded."""
ONE_GAME = ("move", "seat", "svg", "film", "html", "worlds", "delay")
"""Arguments that need --game."""


EXAMPLES = {
    "replay": """\
  parlour evaluate pyramid --agent greedy --deals 100 --record greedy.jsonl
  parlour replay greedy.jsonl                   list the games, and verify all of them
  parlour replay greedy.jsonl --verify --json   verify: exit status 1 if one is not as recorded
  parlour replay greedy.jsonl --game 3          step by step, as text
  parlour replay greedy.jsonl --game 3 --move 10 --svg position.svg
  parlour replay greedy.jsonl --game 3 --film game.gif
  parlour replay greedy.jsonl --game 3 --html game.html
""",
}


def add_replay(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``parlour replay``."""
    parser.add_argument("file", type=read_path, metavar="FILE", help="what --record has written")
    parser.add_argument("--verify", action="store_true", help="verify all games, and list none")
    parser.add_argument(
        "--game", type=read_whole(), metavar="K", help="show game K of the file, from 1"
    )
    parser.add_argument(
        "--move",
        type=read_whole(),
        metavar="M",
        help="only the position after M actions; 0 is the deal, -1 the end",
    )
    parser.add_argument(
        "--seat",
        type=read_whole(),
        help="in games for several: what this seat sees (default: the one that acts)",
    )
    parser.add_argument(
        "--svg", type=read_path, metavar="FILE", help="write a position as a picture (default: end)"
    )
    parser.add_argument("--film", type=read_path, metavar="FILE", help="write the game as a GIF")
    parser.add_argument(
        "--delay", type=read_seconds, help="seconds of a picture in the film (default: 0.8)"
    )
    parser.add_argument(
        "--html",
        type=read_path,
        metavar="FILE",
        help="write the game as one page for any browser, with a review of it",
    )
    parser.add_argument(
        "--worlds",
        type=read_whole(MOST_ROWS),
        help=f"of each decision in that review; 0: no review (default: {WORLDS})",
    )
    parser.add_argument("--json", action="store_true", help="print JSON on stdout")


def run_replay(arguments: argparse.Namespace) -> int:
    """Verify the games of a file, or show one of them."""
    if arguments.game is None:
        refuse_flags(arguments, ONE_GAME, "name a game, with --game")
        return _verify(arguments)
    if arguments.verify:
        raise ValueError("--verify: all games are verified; leave --game out")
    replay = _find(arguments.file, arguments.game)
    _require_sound(replay)
    if arguments.json:
        print(json.dumps(_describe(replay)))
    elif arguments.svg or arguments.film or arguments.html:
        _write(replay, arguments)
    else:
        _show(replay, arguments.move, arguments.seat)
    return 0


def _verify(arguments: argparse.Namespace) -> int:
    counted: Counter[str] = Counter()
    listed: list[Replay] = []

    def count() -> Iterator[Replay]:
        for one in iterate_replays(arguments.file, print_notice):
            counted["games"] += 1
            if len(listed) < LISTED:
                listed.append(one)
            yield one

    faults = list(verify_replays(count()))
    if not counted["games"]:
        raise ValueError(f"{arguments.file} must contain at least one game, got none")
    if arguments.json:
        said = [{"game": one.replay.line, "fault": one.text} for one in faults]
        print(json.dumps({"games": counted["games"], "faults": said}))
    else:
        _print_games([] if arguments.verify else listed, counted["games"], faults)
    return FAULTY if faults else 0


def _print_games(listed: list[Replay], games: int, faults: list[Fault]) -> None:
    for one in listed:
        print_wrapped(f"{one.line}  {as_line(one.headline)}")
    if listed and games > len(listed):
        print(f"... and {games - len(listed):,} more")
    for fault in faults:
        print_wrapped(f"game {fault.replay.line}: {as_line(fault.replay.headline)}: {fault.text}")
    wrong = f"{len(faults):,} not as recorded" if faults else "all as recorded"
    print(f"{games:,} game{'s' * (games != 1)}, {wrong}")


def _find(path: Path, number: int) -> Replay:
    """The game of that number in a file; ValueError if there is none."""
    if number < 1:
        raise ValueError(f"--game {number}: games are numbered from 1")
    found = next(islice(iterate_replays(path, print_notice), number - 1, None), None)
    if found is None:
        raise ValueError(f"--game {number}: {path} has fewer games")
    return found


def _require_sound(replay: Replay) -> None:
    for fault in verify_replays([replay]):
        raise ValueError(f"game {replay.line} is not as recorded: {fault.text}")


def _describe(replay: Replay) -> dict[str, object]:
    actions = [
        {"action": action, "text": replay.action_text(move)}
        for move, action in enumerate(replay.actions)
    ]
    return {"game": replay.line, "headline": replay.headline, "actions": actions}


def _write(replay: Replay, arguments: argparse.Namespace) -> None:
    if arguments.svg:
        move = -1 if arguments.move is None else arguments.move
        write_bytes(arguments.svg, svg(replay.scene(move, arguments.seat)).encode())
        print(f"written: {arguments.svg}")
    if arguments.film:
        seconds = 0.8 if arguments.delay is None else arguments.delay
        save_film(replay, arguments.film, arguments.seat, seconds)
        print(f"written: {arguments.film}")
    if arguments.html:
        _write_html(replay, arguments)


def _write_html(replay: Replay, arguments: argparse.Namespace) -> None:
    """One page; at a table of several as one seat sees it, or else the first."""
    seat = arguments.seat or 0
    worlds = WORLDS if arguments.worlds is None else arguments.worlds
    review = review_replay(replay, seat, worlds) if worlds else None
    save_html(replay, arguments.html, seat, review)
    print(f"written: {arguments.html}")


def _show(replay: Replay, move: int | None, seat: int | None) -> None:
    """Print positions as text, and what was done in each."""
    print_wrapped(as_line(replay.headline))
    last = len(replay.actions)
    for number in range(last + 1) if move is None else [last if move == -1 else move]:
        print(f"\n{ansi(replay.scene(number, seat))}")
        if number < last:
            print_wrapped(f"{number + 1}: {as_line(replay.action_text(number))}")
