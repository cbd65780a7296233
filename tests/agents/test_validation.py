"""Text files: UTF-8 with or without a byte order mark; other encodings are named."""

import ast
import codecs
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from parlour.agents.human_bests import Best, best_file, load_best, save_if_best
from parlour.agents.validation import decode_text, read_json, read_text
from parlour.training.benchmark.entries import read_entry
from parlour.training.cli.main import main
from parlour.training.learning import progress
from parlour.training.learning.settings.files import PRESETS_FOLDER, preset

ROOT = Path(__file__).parents[2]
PACKAGES = ("envs", "agents", "training", "page", "benchmarks", "research")
BOM = codecs.BOM_UTF8


def test_a_byte_order_mark_is_skipped() -> None:
    assert decode_text("T♥".encode()) == decode_text(BOM + "T♥".encode()) == "T♥"


@pytest.mark.parametrize("encoding", ["utf-16", "utf-32"])
def test_other_encodings_are_named(encoding: str, tmp_path: Path) -> None:
    with pytest.raises(
        ValueError, match=f"text must be UTF-8, got {encoding.upper()}. Save the file"
    ):
        decode_text('{"a": 1}'.encode(encoding))
    path = tmp_path / "file"
    path.write_text('{"a": 1}', encoding=encoding)
    for read in (read_text, read_json):
        with pytest.raises(ValueError, match=f"got {encoding.upper()}"):
            read(path)


def test_what_is_not_utf_8_is_named_with_its_place() -> None:
    with pytest.raises(ValueError, match="text must be UTF-8, got byte 0xe9 at 3"):
        decode_text("café".encode("latin-1"))


def add_mark(path: Path) -> Path:
    path.write_bytes(BOM + path.read_bytes())
    return path


def test_files_with_a_byte_order_mark_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    results = "benchmarks/results/greedy/klondike-classic-seed-0.json"
    entry = Path(shutil.copy(ROOT / results, tmp_path))
    known_entry = read_entry(entry)
    assert read_entry(add_mark(entry)) == known_entry
    settings = Path(shutil.copy(PRESETS_FOLDER / "pyramid.toml", tmp_path))
    known = preset("pyramid", file=settings)
    assert preset("pyramid", file=add_mark(settings)) == known
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    assert save_if_best("x", Best(True, 28, 60, 1.0))
    add_mark(best_file())
    assert load_best("x") == Best(True, 28, 60, 1.0)


def test_a_saved_agent_with_a_byte_order_mark_plays(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "agent"
    shutil.copytree(ROOT / "agents" / "pretrained" / "poker_squares-classic", folder)
    add_mark(folder / "agent.json")
    words = ["evaluate", "poker_squares", "--deals", "1", "--agent", str(folder), "--json"]
    assert main(words) == 0
    assert "poker_squares-classic" in capsys.readouterr().out


def test_a_log_may_have_a_byte_order_mark_and_blank_lines(tmp_path: Path) -> None:
    path = tmp_path / progress.FILE
    path.write_bytes(BOM + b'\r\n{"steps": 1, "time": 0.5}\r\n \n\n{"steps": 2, "time": 1.0}\n\n')
    assert [line["steps"] for line in progress.read(path)] == [1, 2]


def is_text_file(call: ast.Call) -> bool:
    """Return whether a call reads or writes a text file."""
    name = getattr(call.func, "attr", getattr(call.func, "id", ""))
    base = getattr(call.func, "value", None)
    if name in ("read_text", "write_text"):
        return base is not None  # a function of that name is our own, for UTF-8
    if name != "open" or isinstance(base, ast.Call) or getattr(base, "id", "") in ("os", "Image"):
        return False
    modes = [one.value for one in call.args if isinstance(one, ast.Constant)]
    return not any(isinstance(mode, str) and "b" in mode for mode in modes)


def text_files() -> Iterator[tuple[str, ast.Call]]:
    for path in (path for name in PACKAGES for path in (ROOT / name).rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and is_text_file(node):
                yield f"{path.relative_to(ROOT)}:{node.lineno}", node


def test_every_text_file_names_its_encoding() -> None:
    """Without a named encoding, a file would use the terminal's, which may lack the suits."""
    result = list(text_files())
    assert len(result) > 10
    assert not {
        where: 1 for where, call in result if "encoding" not in {one.arg for one in call.keywords}
    }


def test_the_error_for_a_file_without_json_names_the_format(tmp_path: Path) -> None:
    path = tmp_path / "agent.json"
    path.write_text("hello", encoding="utf-8")
    with pytest.raises(ValueError, match="text must be JSON: Expecting value"):
        read_json(path)
