"""Decks on the command line: as printed, from standard input, and from other programs."""

import codecs
import io
import json
import os
import pty
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from parlour.envs import GAMES
from parlour.envs.core.kernel.cards import card_name, full_pack
from parlour.envs.core.solve import deal_position
from parlour.training.cli.main import main
from parlour.training.cli.solve import read_actions
from tests.marks import slow_if

SIGNS = str.maketrans("cdhs", "♣♦♥♠")
NAMES = [card_name(code) for code in full_pack()]
PRINTED = " ".join(NAMES).translate(SIGNS)
WAYS = {
    "printed": PRINTED,
    "emoji": PRINTED.replace("♥", "♥\ufe0f").replace("T", "10"),
    "white suits": PRINTED.translate(str.maketrans("♣♦♥♠", "♧♢♡♤")),
    "lower case, bars": PRINTED.lower().replace(" ", "|"),
    "semicolons": "; ".join(NAMES),
    "lines": "\n".join(NAMES) + "\n",
}
FORMATS = [
    (game, notation) for game in GAMES.values() for notation in ("parlour", *game.deck_formats)
]


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


def give(monkeypatch: pytest.MonkeyPatch, data: bytes) -> None:
    """Make these bytes the standard input, with an encoding in which they are invalid."""
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(data), encoding="ascii"))


@pytest.mark.parametrize(
    "command", [slow_if(one == "play", one) for one in ("solve", "play", "convert-deal")]
)
@pytest.mark.parametrize("from_input", [False, True], ids=["argument", "standard input"])
@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
def test_every_command_reads_a_deck_as_it_is_printed(
    way: str, from_input: bool, command: str, capsys: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    if from_input:
        give(monkeypatch, codecs.BOM_UTF8 + way.encode())
    more = {"solve": ["--limit", "1", "--json"], "play": ["--agent", "greedy", "--delay", "0"]}
    words = [*command.split(), "klondike", *more.get(command, []), "--deck"]
    assert main([*words, "-" if from_input else way]) == 0
    output = capsys.readouterr().out
    if command == "solve":
        output = json.loads(output)["deck"]
    assert " ".join(NAMES) in " ".join(output.split())  # `play` wraps its headline


@pytest.mark.parametrize(
    ("data", "output"),
    [
        (codecs.BOM_UTF16_LE + "Ah".encode("utf-16-le"), "text must be UTF-8, got UTF-16"),
        (codecs.BOM_UTF16_BE + "Ah".encode("utf-16-be"), "text must be UTF-8, got UTF-16"),
        ("Ah".encode("utf-32"), "text must be UTF-8, got UTF-32"),
        (b"Ah \xff", "text must be UTF-8, got byte 0xff at 3"),
        (b"", "deck must have all 52 cards, got 0"),
    ],
)
@pytest.mark.parametrize("command", ["solve", "play", "convert-deal"])
def test_other_encodings_are_named(
    command: str, data: bytes, output: str, capsys: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    give(monkeypatch, data)
    assert main([*command.split(), "klondike", "--deck", "-"]) == 2
    result = capsys.readouterr()
    assert output in result.err and not result.out


@pytest.mark.parametrize("command", ["solve", "play", "convert-deal"])
def test_a_deal_with_unknown_cards_is_refused_with_their_number(command: str, capsys: Any) -> None:
    deck = " ".join([*NAMES[:33], *["??"] * 19])
    assert main([*command.split(), "klondike", "--deck", deck]) == 2
    output = "deck must have 52 known cards, got 33 known and 19 unknown"
    assert output in capsys.readouterr().err


@pytest.mark.parametrize(("game", "notation"), FORMATS, ids=lambda one: getattr(one, "name", one))
def test_every_notation_goes_there_and_back(
    game: Any, notation: str, capsys: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    convert = ["convert-deal", game.name]
    assert main([*convert, "--deal", "3", "--to", notation]) == 0
    written = capsys.readouterr().out
    state = deal_position(game, game.make_rules(), f"{game.name}-1", 3)
    names = [card_name(int(card)) for card in state["deck"][0] if card]
    assert main([*convert, "--from", notation, "--deck", written]) == 0
    assert capsys.readouterr().out.split() == names
    give(monkeypatch, codecs.BOM_UTF8 + written.replace("\n", "\r\n").encode())
    assert main([*convert, "--from", notation, "--deck", "-"]) == 0
    assert capsys.readouterr().out.split() == names


@pytest.mark.parametrize("name", GAMES)
def test_actions_that_are_cards_are_read_as_they_are_printed(name: str) -> None:
    game = GAMES[name]
    rules = game.make_rules()
    state = deal_position(game, rules, f"{name}-1", 3)
    labels = [game.label(action) for action in range(game.actions)]
    cards = [label for label in labels if label in NAMES]
    assert bool(cards) == (name in ("twenty_eight", "twenty_nine", "fifty_six"))
    for written in (cards, [card.translate(SIGNS) for card in cards]):
        result = read_actions(game, rules, state, written)
        assert [labels[action] for action in result] == cards


def test_a_person_plays_a_deck_from_standard_input(tmp_path: Path) -> None:
    """The deck comes from a pipe, the moves come from the terminal."""
    Path("deck.txt").write_text(PRINTED, encoding="utf-8")
    command = f"cat deck.txt | {sys.executable} -m parlour play klondike --deck -"
    process, terminal = pty.fork()
    if not process:
        os.execvpe("sh", ["sh", "-c", command], os.environ | {"PYTHONIOENCODING": "utf-8"})
    output = b""
    with os.fdopen(terminal, "rb+", buffering=0) as stream:
        while b"? for help" not in output:
            output += stream.read(4096)
        stream.write(b"q\n")
        try:
            while more := stream.read(4096):
                output += more
        except OSError:  # how Linux says that the other side is closed
            pass
    assert os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]) == 0
    assert "Goodbye." in output.decode()


def test_without_a_terminal_the_person_has_left(tmp_path: Path) -> None:
    words = [sys.executable, "-m", "parlour", "play", "klondike", "--deck", "-"]
    done = subprocess.run(
        words, input=PRINTED.encode(), capture_output=True, start_new_session=True, timeout=120
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.endswith(b"Goodbye.\n")
