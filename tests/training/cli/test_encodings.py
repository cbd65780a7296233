"""Output in encodings that lack some characters: no text is lost, and columns stay aligned."""

import io
import json
import re
import sys
from collections import Counter
from contextlib import suppress
from pathlib import Path

import pytest
from rich.console import Console
from rich.text import Text

from parlour.envs import GAMES
from parlour.envs.core.kernel.cards import SUIT_SIGNS, SUITS
from parlour.training.cli import main
from parlour.training.evaluation.report.terminal import plain_text
from parlour.training.evaluation.report.terminal_tables import make_terminal_table, print_fitting
from tests.marks import slow_if

HELP = [f"{command} --help" for command in main.COMMANDS if command != "evaluate"]
ENCODINGS = ("cp1252", "latin-1", "ascii")
COMMANDS = [
    "list",
    *(f"rules {game}" for game in GAMES),
    "rules pyramid --variant web",
    "evaluate pyramid --agent greedy --deals 20 --evaluation-seed k",
    "evaluate twenty_eight --agent greedy --deals 2 --evaluation-seed k",
    "compare pyramid --agents uniform greedy --deals 20 --evaluation-seed k",
    "compare pyramid --variant book classic --agents uniform greedy --deals 20 --evaluation-seed k",
    "compare twenty_nine --agents uniform greedy --deals 2 --evaluation-seed k",
    *(f"play {game} --agent greedy --deal 3 --delay 0 --evaluation-seed k" for game in GAMES),
    "play klondike --agent greedy --deal 3 --delay 0 --evaluation-seed k --explain",
    "replay games.jsonl",
    "replay games.jsonl --game 2",
    "replay games.jsonl --game 2 --json",
    "review pyramid --deal-set pyramid-1 --deals 2 --agent greedy --worlds 2 --evaluation-seed k",
    "solve klondike --deal 1 --variant draw-one",
    "convert-deal klondike --deal 1 --to pysol",
    "exploitability --option max_stands=1 --iterations 30 --agents greedy uniform",
    "completion bash",
    *(f"{command} --help" for command in main.COMMANDS),
    "--help",
    "play klondike --deck T♥|♥T",
    "play pyramid --variant wéb♥",
    "rules piramid",
]


@pytest.fixture(autouse=True)
def empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("COLUMNS", "200")


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("recorded") / "games.jsonl"
    words = f"evaluate pyramid --agent greedy --deals 3 --record {path}"
    assert main.main(words.split()) == 0
    return path


def run(words: list[str], encoding: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """Return the output of a command if the terminal, or a redirection, has this encoding."""
    streams = [io.TextIOWrapper(io.BytesIO(), encoding=encoding) for _ in range(2)]
    with monkeypatch.context() as patch:
        patch.setattr(sys, "stdout", streams[0])
        patch.setattr(sys, "stderr", streams[1])
        with suppress(SystemExit):  # The option --help exits.
            main.main(words)
        for stream in streams:
            stream.flush()
    out, err = (stream.buffer.getvalue().decode(encoding) for stream in streams)  # type: ignore[attr-defined]
    if "--json" in words:  # JSON escapes characters, so it is always ASCII.
        assert out.isascii()
        out = json.dumps(json.loads(out), ensure_ascii=False)
    return out + err


def words_of(text: str, encoding: str) -> list[str]:
    """Return the words of a text without times, which differ between runs, and table borders."""
    text = plain_text(re.sub(r"[\d.,]+ (µs|us|ms|s)\b", "TIME", text), encoding)
    text = re.sub(r"\d+\.\d+", "N", text)  # Seconds in tables differ between runs.
    text = re.sub(r"^(Compiling kernels|parlour: loading).*", "", text, flags=re.M)
    return [word for word in text.split() if word.strip("-+|_")]


def cards_in(text: str) -> Counter[str]:
    return Counter(re.findall(rf"(?<!\w)[A2-9TJQK][{SUITS}{SUIT_SIGNS}](?!\w)", text))


@pytest.mark.parametrize(
    "line", [slow_if(line.startswith("exploitability") or line in HELP, line) for line in COMMANDS]
)
def test_nothing_is_lost_in_any_encoding(
    line: str, recorded: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = line.replace("games.jsonl", str(recorded)).split()
    wanted = run(words, "utf-8", monkeypatch)
    letters = str.maketrans(SUIT_SIGNS, SUITS)
    for encoding in ENCODINGS:
        result = run(words, encoding, monkeypatch)
        # `parlour train` arranges its columns differently in different encodings.
        arrange = sorted if line.startswith("train") else list
        assert arrange(words_of(result, encoding)) == arrange(words_of(wanted, encoding))
        assert result.count("?") == wanted.count("?")
        assert cards_in(result.translate(letters)) == cards_in(wanted.translate(letters))
        if "é" not in line:
            assert not re.search(r"\\x|\\u|\\N", result.replace("\\x1b", ""))


@pytest.mark.parametrize(
    ("encoding", "written"),
    [
        ("utf-8", "9♦ J♥ ♤ 0–9 −1 ±2 3 µs → a… ▒▒ ·· é"),
        ("cp1252", "9d Jh s 0–9 -1 ±2 3 µs > a… ## ·· é"),
        ("latin-1", "9d Jh s 0-9 -1 ±2 3 µs > a... ## ·· é"),
        ("ascii", r"9d Jh s 0-9 -1 +/-2 3 us > a... ## .. \xe9"),
    ],
)
def test_special_characters_have_a_plain_form(encoding: str, written: str) -> None:
    assert plain_text("9♦ J♥ ♤ 0–9 −1 ±2 3 µs → a… ▒▒ ·· é", encoding) == written


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_columns_of_tables_stay_aligned(encoding: str) -> None:
    file = io.TextIOWrapper(io.BytesIO(), encoding=encoding, errors="strict")
    table = make_terminal_table("a title with ±", "agent", "± of it", "time")
    table.add_row(Text("one…♥", "bold"), "1.5 ±0.1", "3 µs")
    table.add_row(Text("another"), "[red]−22.5 ±10.1[/]", "–")
    print_fitting(Console(file=file, width=80, emoji=False), [table])
    file.flush()
    lines = file.buffer.getvalue().decode(encoding).splitlines()  # type: ignore[attr-defined]
    rows = [line for line in lines if line.strip() and "title" not in line]
    assert len({len(row) for row in rows}) == 1, rows
    ends = [{result.end() for result in re.finditer(r"\S+(?= {2,}|\s*$)", row)} for row in rows]
    assert len(ends[0] & ends[2] & ends[3]) >= 2, rows
