"""``parlour replay``: verify recorded games with the kernel, and show them."""

import argparse
import json
from collections.abc import Iterator
from pathlib import Path

from parlour.envs.core.scene.scene import ansi
from parlour.envs.render.pictures import save_picture

from ..evaluation.replays.replay import Fault, Replay, verify_replays
from ..evaluation.replays.replay_files import iterate_replays
from ..evaluation.replays.replay_view import save_film, save_html
from ..evaluation.report.terminal import as_line, print_notice, print_wrapped
from ..evaluation.reviews.review import review_replay
from ..evaluation.reviews.review_judges import WORLDS
from .arguments import MOST_ROWS, add_json, read_path, read_seconds, read_whole, refuse_flags

LISTED = 20
"""Most games that are listed."""
FAULTY = 1
"""Exit status if a game does not match its record."""
ONE_GAME = ("move", "seat", "picture", "film", "html", "worlds", "delay")
"""Arguments that need --game."""


EXAMPLES = {
    "replay": """\
  parlour evaluate pyramid --agent greedy --deals 100 --record greedy.jsonl
  parlour replay greedy.jsonl                   verify all games; exit status 1 if one is wrong
  parlour replay greedy.jsonl --game 3          show a game step by step
  parlour replay greedy.jsonl --game 3 --move 10 --picture position.svg
  parlour replay greedy.jsonl --game 3 --film game.gif
  parlour replay greedy.jsonl --game 3 --html game.html
""",
}


def add_replay(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``parlour replay``."""
    parser.add_argument(
        "file", type=read_path, metavar="FILE", help="file of recorded games, written by --record"
    )
    parser.add_argument(
        "--game", type=read_whole(), metavar="K", help="number of the game to show, from 1"
    )
    parser.add_argument(
        "--move",
        type=read_whole(),
        metavar="M",
        help="number of actions before the position to show; 0: the deal, -1: the end (default: "
        "all positions)",
    )
    parser.add_argument(
        "--seat",
        type=read_whole(),
        help="games for several players: seat whose view is shown (default: the acting seat)",
    )
    parser.add_argument(
        "--picture",
        type=read_path,
        metavar="FILE",
        help="SVG or PNG file for the position of --move, or without --move for the final position",
    )
    parser.add_argument(
        "--film", type=read_path, metavar="FILE", help="GIF file for an animation of the game"
    )
    parser.add_argument(
        "--delay", type=read_seconds, help="seconds per frame of the animation (default: 0.8)"
    )
    parser.add_argument(
        "--html",
        type=read_path,
        metavar="FILE",
        help="HTML file for the game and its review, viewable in any browser",
    )
    parser.add_argument(
        "--worlds",
        type=read_whole(MOST_ROWS),
        help=f"number of sampled worlds per decision of the review in --html; 0: no review "
        f"(default: {WORLDS})",
    )
    add_json(parser)


def run_replay(arguments: argparse.Namespace) -> int:
    """Verify the games of a file, or show one of them."""
    if arguments.game is None:
        refuse_flags(arguments, ONE_GAME, "allowed only with --game K")
        return _verify(arguments)
    replay = _find_game(arguments.file, arguments.game)
    _require_sound(replay)
    if arguments.json:
        print(json.dumps(_describe(replay)))
    elif arguments.picture or arguments.film or arguments.html:
        _write(replay, arguments)
    else:
        _show(replay, arguments.move, arguments.seat)
    return 0


def _verify(arguments: argparse.Namespace) -> int:
    listed: list[Replay] = []
    games = 0

    def count() -> Iterator[Replay]:
        nonlocal games
        for replay in iterate_replays(arguments.file, print_notice):
            games += 1
            if len(listed) < LISTED:
                listed.append(replay)
            yield replay

    faults = list(verify_replays(count()))
    if not games:
        raise ValueError(f"{arguments.file} must contain at least one game, got none")
    if arguments.json:
        wrong = [{"game": fault.replay.line, "fault": fault.text} for fault in faults]
        print(json.dumps({"games": games, "faults": wrong}))
    else:
        _print_games(listed, games, faults)
    return FAULTY if faults else 0


def _print_games(listed: list[Replay], games: int, faults: list[Fault]) -> None:
    for replay in listed:
        print_wrapped(f"{replay.line}  {as_line(replay.headline)}")
    if listed and games > len(listed):
        print(f"... and {games - len(listed):,} more")
    for fault in faults:
        print_wrapped(f"game {fault.replay.line}: {as_line(fault.replay.headline)}: {fault.text}")
    wrong = f"{len(faults):,} wrong" if faults else "all verified"
    print(f"{games:,} game{'s' * (games != 1)}, {wrong}")


def _find_game(path: Path, number: int) -> Replay:
    """Return the game with a number in a file; ValueError if there is no such game."""
    if number < 1:
        raise ValueError(f"--game must be an integer >= 1, got {number}")
    games = 0
    for games, replay in enumerate(iterate_replays(path, print_notice), 1):
        if games == number:
            return replay
    raise ValueError(f"--game must be at most {games}, the number of games in {path}, got {number}")


def _require_sound(replay: Replay) -> None:
    for fault in verify_replays([replay]):
        raise ValueError(f"game {replay.line} does not match its record: {fault.text}")


def _describe(replay: Replay) -> dict[str, object]:
    actions = [
        {"action": action, "text": replay.action_text(move)}
        for move, action in enumerate(replay.actions)
    ]
    return {"game": replay.line, "headline": replay.headline, "actions": actions}


def _write(replay: Replay, arguments: argparse.Namespace) -> None:
    if arguments.picture:
        move = -1 if arguments.move is None else arguments.move
        save_picture(replay.scene(move, arguments.seat), arguments.picture)
        print(f"written: {arguments.picture}")
    if arguments.film:
        seconds = 0.8 if arguments.delay is None else arguments.delay
        save_film(replay, arguments.film, arguments.seat, seconds)
        print(f"written: {arguments.film}")
    if arguments.html:
        _write_html(replay, arguments)


def _write_html(replay: Replay, arguments: argparse.Namespace) -> None:
    """Write one page, with the view of ``--seat`` (default: the first seat)."""
    seat = arguments.seat or 0
    worlds = WORLDS if arguments.worlds is None else arguments.worlds
    review = review_replay(replay, seat, worlds) if worlds else None
    save_html(replay, arguments.html, seat, review)
    print(f"written: {arguments.html}")


def _show(replay: Replay, move: int | None, seat: int | None) -> None:
    """Print positions as text, and the action taken in each."""
    print_wrapped(as_line(replay.headline))
    last = len(replay.actions)
    for number in range(last + 1) if move is None else [last if move == -1 else move]:
        print(f"\n{ansi(replay.scene(number, seat))}")
        if number < last:
            print_wrapped(f"{number + 1}: {as_line(replay.action_text(number))}")
