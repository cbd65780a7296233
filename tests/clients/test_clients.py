"""The table of clients is whole, and its script says what came of each."""

import subprocess
import sys
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from benchmarks import clients
from benchmarks.clients import CLIENTS, PLACES, Client, Outcome

ROOT = Path(__file__).parents[2]


def client_files() -> set[str]:
    """The examples, and the clients that are no examples."""
    examples = {f"examples/{file.name}" for file in (ROOT / "examples").glob("*.py")}
    others = {file.name for file in Path(__file__).parent.glob("[!_]*.py")}
    return examples | {f"tests/clients/{name}" for name in others if not name.startswith("test_")}


def test_every_file_is_a_client_and_every_client_has_a_file() -> None:
    assert {client.file for client in CLIENTS} == client_files()
    names = [client.name for client in CLIENTS]
    assert len(names) == len(set(names))
    assert {client.place for client in CLIENTS} == set(PLACES)


@pytest.mark.parametrize("place", PLACES)
def test_requirements_parse_and_torch_is_the_pinned_one(place: str) -> None:
    own, *others = map(Requirement, PLACES[place])
    assert own.name == "parlour"
    assert all(other.name != "torch" or not other.specifier for other in others)
    first, *rest = clients.installed(place)
    trains = "train" in own.extras or "torch" in PLACES[place]
    assert (first == [clients.torch_pin()]) == trains == bool(rest)


def test_the_guide_and_the_page_of_examples_list_them() -> None:
    guide = clients.GUIDE.read_text(encoding="utf-8")
    block = guide.partition(f"<!-- generated: {clients.BLOCK} -->")[2].partition("<!-- end -->")[0]
    assert [one.name for one in CLIENTS if f"[{one.name}](../../{one.file}) |" not in block] == []
    page = (ROOT / "examples" / "README.md").read_text(encoding="utf-8")
    examples = [Path(one.file).name for one in CLIENTS if one.file.startswith("examples/")]
    assert [name for name in examples if f"[{name}]({name}) |" not in page] == []
    assert "[examples](examples/README.md)" in (ROOT / "README.md").read_text(encoding="utf-8")


def test_every_client_says_how_it_is_run() -> None:
    for file in client_files():
        assert f"python {file}" in (ROOT / file).read_text(encoding="utf-8"), file


def test_an_environment_is_made_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """And again where the last installation was not finished, or of other needs."""
    made: list[list[str]] = []

    def install(command: list[str], **_: object) -> None:
        if len(made) == 1:
            made.append(command)
            raise subprocess.CalledProcessError(1, command, stderr="no network")
        made.append(command)

    monkeypatch.setattr(clients, "FOLDER", tmp_path)
    monkeypatch.setattr(clients.venv, "create", lambda place, **_: place.mkdir(exist_ok=True))
    monkeypatch.setattr(subprocess, "run", install)
    with pytest.raises(subprocess.CalledProcessError):
        clients.prepare("skrl")  # torch comes, skrl does not
    for needs in ("skrl>=2", "skrl>=2", "skrl>=3"):
        monkeypatch.setitem(PLACES, "skrl", ("parlour", "torch", needs))
        assert clients.prepare("skrl") == tmp_path / "skrl" / "bin" / "python"
    assert len(made) == 6
    assert made[-1][-3:] == ["-e", ".", "skrl>=3"]


def make_client(folder: Path, monkeypatch: pytest.MonkeyPatch, text: str) -> Client:
    """A client that needs nothing."""
    monkeypatch.setattr(clients, "prepare", lambda place: Path(sys.executable))
    file = folder / "client.py"
    file.write_text(text, encoding="utf-8")
    return Client("mine", "pettingzoo", "numpy", "prints", f"{file} --fast")


def test_a_client_that_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = "import os, sys\nprint(os.getcwd() == os.environ['HOME'], sys.argv[1:])\n"
    client = make_client(tmp_path, monkeypatch, text + "print('1,234 steps/s')\n")
    result = clients.run(client)
    assert result.error == ""
    assert result.steps_per_second == "1,234"
    assert result.version.startswith("numpy ")
    assert "| runs | 1,234 |" in clients.table([result])


def test_a_client_that_says_no_rate_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    result = clients.run(make_client(tmp_path, monkeypatch, "print('done')"))
    assert "steps/s" in result.error


def test_a_client_that_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    client = make_client(tmp_path, monkeypatch, "raise ValueError('a | b')")
    result = clients.run(client)
    assert result.error == "ValueError: a | b"
    assert "| fails: ValueError: a / b |" in clients.table([result])


def test_the_status_is_1_where_one_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    def run(client: Client) -> Outcome:
        return Outcome(client, "", "boom" if client.place == "rllib" else "", "")

    monkeypatch.setattr(clients, "run", run)
    for names, status in ((["rllib"], 1), (["tianshou"], 0), ([], 1)):
        monkeypatch.setattr(sys, "argv", ["clients", *names])
        with pytest.raises(SystemExit) as ended:
            clients.main()
        assert int(ended.value.code or 0) == status


def test_a_client_nobody_knows_is_refused() -> None:
    command = [sys.executable, "-m", "benchmarks.clients", "tianshu"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 2
    assert "client must be one of " in done.stderr
    assert "got 'tianshu'. Did you mean 'tianshou'?" in done.stderr
