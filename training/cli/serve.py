"""``parlour serve``: serve a page on this machine, to play in a browser."""

import argparse
import sys
from pathlib import Path

from ..evaluation.replays.replay_files import load_replays
from ..evaluation.report.terminal import print_notice
from .arguments import AGENT_HELP, read_path, read_whole
from .process import STOPPED, stop_status

PORT = 8727
SWITCH = 0.0005
"""Interval of thread switches in seconds. With Python's 0.005, clicks would wait longer for the
solver."""


EXAMPLES = {
    "serve": """\
  parlour serve
  parlour serve --replay greedy.jsonl
  parlour serve --port 0 --db results.sqlite --agents runs/my-agent

The page is at http://localhost:8727 and is not reachable from other machines. The command needs
pip install "parlour[page]".
""",
}


def add_serve(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``parlour serve``."""
    parser.add_argument(
        "--port",
        type=read_whole(65535),
        default=PORT,
        help=f"port of the page; 0: any free port (default: {PORT})",
    )
    parser.add_argument(
        "--db",
        type=read_path,
        metavar="FILE",
        help="SQLite file for results; the best results go to a .best.json file of the same name "
        "(default: parlour/results.sqlite in the user data folder)",
    )
    parser.add_argument(
        "--agents",
        nargs="+",
        default=[],
        metavar="AGENT",
        help=f"additional agents on the page: {AGENT_HELP}",
    )
    parser.add_argument(
        "--replay",
        nargs="+",
        default=[],
        type=read_path,
        metavar="FILE",
        help="files of recorded games to show on the page, with reviews",
    )


def run_serve(arguments: argparse.Namespace) -> int:
    """Serve the page until Ctrl-C."""
    from parlour.page.server import end_process_if_busy, make_server, open_socket
    from parlour.page.session import MOST_REPLAYS
    from parlour.page.store import ResultStore, data_file

    if arguments.port < 0:
        raise ValueError(f"--port must be from 0 to 65535, got {arguments.port}")
    path: Path = arguments.db or data_file()
    bests = arguments.db and path.with_suffix(".best.json")
    replays = tuple(one for file in arguments.replay for one in load_replays(file))
    if len(replays) > MOST_REPLAYS:
        print_notice(
            f"--replay: the page lists only the first {MOST_REPLAYS} of {len(replays):,} games"
        )
    store = ResultStore(path, bests)
    listening = open_socket(arguments.port)
    sys.setswitchinterval(SWITCH)
    print(f"Parlour plays at http://localhost:{listening.getsockname()[1]} (Ctrl-C ends it)")
    print(f"results: {path}", flush=True)
    status = STOPPED
    try:
        make_server(store, tuple(arguments.agents), replays).run(sockets=[listening])
        # Only a signal ends the server, even if the signal's exception was lost.
        status = stop_status(KeyboardInterrupt())
    except KeyboardInterrupt as stopped:
        status = stop_status(stopped)
        raise
    finally:
        end_process_if_busy(status)
    return status
