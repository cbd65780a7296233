"""Damaged and invalid files are read correctly or refused with a one-line error naming them."""

import json
import os
import shutil
import signal
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import MISSING, fields, replace
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from safetensors.numpy import save as tensor_bytes

from parlour.agents.networks import policy_table
from parlour.agents.registry import load_agent
from parlour.envs import find_game
from parlour.envs.core.rules_table import make_table
from parlour.training.evaluation.labels import labelling, labels
from parlour.training.learning.save_agent import save_agent
from parlour.training.learning.settings.base import Settings
from parlour.training.learning.settings.files import preset, read_saved
from parlour.training.learning.settings.methods import SETTINGS, CmaEsSettings, PPOSettings
from parlour.training.learning.train import resume, train
from tests.fake_solver import solved
from tests.marks import slow_if
from tests.training.learning.test_locks import SMALL
from tests.training.learning.test_save_agent import GAME, RULES, make

DEEP: Any = []
for _ in range(400):
    DEEP = [DEEP]
ODD: list[Any] = [
    None, True, False, -1, 0, 1.5, 10**30, 10**400, float("nan"), float("inf"), "", "x", "a\nb\0",
    "x" * 9000, [], [1], [[1]], {}, {"a": {"b": 1}}, DEEP,
]  # fmt: skip
ALLOWED = 10  # seconds


@contextmanager
def quick() -> Iterator[None]:
    """Fail if a test hangs."""

    def late(*_: Any) -> None:
        raise AssertionError("it hangs")

    before = signal.signal(signal.SIGALRM, late)
    signal.alarm(ALLOWED)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def tried(do: Callable[[], Any], named: str) -> Any:
    """Return the result, or None for a ValueError of one short line that contains ``name``."""
    try:
        with quick(), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return do()
    except ValueError as error:
        output = str(error)
        assert named in output and "\n" not in output and len(output) < 3000, output
        return None


def paths_in(value: Any, at: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Yield the path to every value in a JSON document."""
    if isinstance(value, dict):
        return [at] * bool(at) + [p for key in value for p in paths_in(value[key], (*at, key))]
    return [at]


def spoil(document: dict[str, Any], rng: np.random.Generator) -> dict[str, Any]:
    """Change, remove or add one value at a random place."""
    made = deepcopy(document)
    ways = paths_in(made)
    *way, last = ways[rng.integers(len(ways))]
    inner = made
    for key in way:
        inner = inner[key]
    kind = rng.integers(8)
    if kind == 0:
        del inner[last]
    elif kind == 1:
        inner["odd one"] = 1
    else:
        inner[last] = ODD[rng.integers(len(ODD))]
    return made


def spoil_bytes(data: bytes, rng: np.random.Generator) -> bytes:
    """Flip bits, truncate, fill with zeros, or insert invalid UTF-8."""
    made, at = bytearray(data), int(rng.integers(len(data)))
    kind = rng.integers(5)
    if kind == 0:
        return bytes(made[:at])
    if kind == 1:
        made[at : at + 16] = bytes(len(made[at : at + 16]))
    elif kind == 2:
        made[at:at] = b"\xff\xfe"
    else:
        made[at] ^= 1 << int(rng.integers(8))
    return bytes(made)


def save_policy_table(folder: Path) -> None:
    """Save a table of probabilities."""
    probabilities = np.full((3, GAME.actions), 1 / GAME.actions)
    data = tensor_bytes(
        {
            policy_table.KEYS_TENSOR: np.arange(3, dtype=np.uint64),
            policy_table.POLICY_TABLE_NETWORK: probabilities,
        }
    )
    net = {
        "name": policy_table.POLICY_TABLE_NETWORK,
        "encoding": "codes",
        "width": 3,
        "depth": 0,
        "options": {},
    }
    save_agent(folder, "table", make_table(GAME, RULES), data, net, {}, {}, samples=True)


def make_heuristic(folder: Path) -> None:
    """Save weights of the heuristic."""
    names = list(GAME.heuristic_weights)
    net = {"name": "heuristic", "encoding": "none", "width": 3, "depth": 0, "options": {}}
    data = tensor_bytes({"weights": np.ones(len(names))})
    config = {"settings": {"reward": "win", "method": "cma-es"}, "weights": names}
    save_agent(folder, "mine", make_table(GAME, RULES), data, net, config, {})


def numbers_of(agent: Any) -> list[bytes]:
    """Return the numbers that determine the actions of an agent."""
    if hasattr(agent, "network"):
        return [t.numpy().tobytes() for t in agent.network.state_dict().values()]
    return [agent.policy.tobytes() if hasattr(agent, "policy") else agent.weights.tobytes()]


@pytest.mark.parametrize("maker", [make, save_policy_table, make_heuristic])
def test_agents(maker: Callable[[Path], Any], tmp_path: Path) -> None:
    maker(tmp_path)
    card, file = tmp_path / "agent.json", tmp_path / "weights.safetensors"
    whole, data = json.loads(card.read_text()), file.read_bytes()
    wanted, rng, loaded = (
        numbers_of(load_agent(str(tmp_path), GAME, RULES)),
        np.random.default_rng(7),
        0,
    )
    for k in range(90):
        text, spoilt = json.dumps(whole).encode(), data
        if k % 3 == 0:
            text = json.dumps(spoil(whole, rng)).encode()
        elif k % 3 == 1:
            text = spoil_bytes(text, rng)
        else:
            spoilt = spoil_bytes(data, rng)
            if k % 2:
                again = whole | {"weights_sha256": sha256(spoilt).hexdigest()}
                text = json.dumps(again).encode()
        card.write_bytes(text)
        file.write_bytes(spoilt)
        actual = tried(lambda: load_agent(str(tmp_path), GAME, RULES), str(tmp_path))
        if actual is not None:
            loaded += 1
            tried(lambda: load_agent(f"mcts:{tmp_path}", GAME, RULES), "")
            assert spoilt != data or numbers_of(actual) == wanted
    assert loaded < 60


def as_toml(value: Any) -> str:
    """Write a plain value as TOML."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(k)} = {as_toml(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(as_toml, value)) + "]"
    if isinstance(value, float):
        return repr(value)
    return json.dumps(value)


@pytest.mark.parametrize(("times", "every"), [(45, 4), slow_if(True, 150, 1)])
def test_settings(times: int, every: int, tmp_path: Path) -> None:
    """Of files, and of saved tables, in which each field meets odd values."""
    mine = PPOSettings(game="poker_squares", name="mine")
    whole = {"default": {k: v for k, v in mine.plain().items() if v is not None}}
    whole["default"] |= {"options": {"target": 10}, "seeds": [0, 1]}
    del whole["default"]["game"]
    file, rng, refused = tmp_path / "mine.toml", np.random.default_rng(8), 0
    for k in range(times):
        made = spoil(whole, rng) if k % 3 else whole
        body = made.get("default", {})
        if not isinstance(body, dict):
            lines = [f"default = {as_toml(body)}"]
        else:
            lines = ["[default]", *(f"{json.dumps(n)} = {as_toml(v)}" for n, v in body.items())]
        data = "\n".join(lines).encode()
        file.write_bytes(data if k % 3 else spoil_bytes(data, rng))
        actual = tried(lambda: preset("poker_squares", file=file), str(file))
        refused += actual is None
        assert actual is None or isinstance(actual, Settings)
    assert refused > times / 2
    for kind in SETTINGS.values():
        known = fields(kind)
        kept = {one.name: one.default for one in known if one.default is not MISSING}
        kept |= {"method": kind.method, "game": "poker_squares"}
        for number, name in enumerate(kept):
            for odd in ODD[number % every :: every]:
                tried(lambda table=kept | {name: odd}: read_saved(table, "here"), "here: ")  # type: ignore[misc]


@pytest.mark.parametrize("value", [10**9, 10**30, -(10**30)])
@pytest.mark.parametrize(
    "name",
    [
        *("depth", "width", "n_envs", "n_steps", "batch_size", "total_steps", "n_epochs"),
        *("max_moves", "generations", "candidate_deals", "population", "eval_deals", "threads"),
        "eval_interval",
    ],
)
def test_absurd_sizes(name: str, value: int) -> None:
    if (name, value) not in (("total_steps", 10**9), ("eval_interval", 10**9)):
        with pytest.raises(ValueError, match=f"^{name} must be (0 or )?an integer from [014] to "):
            searched = name in ("generations", "candidate_deals", "population")
            (CmaEsSettings if searched else PPOSettings)(**{name: value})
    with pytest.raises(
        ValueError, match="n_envs x n_steps must be at most 67108864, got 16384 x 16384"
    ):
        PPOSettings(n_envs=1 << 14, n_steps=1 << 14)
    with pytest.raises(ValueError, match="width x width x depth must be at most"):
        PPOSettings(width=8192, depth=128)


def deal_set_file(folder: Path, name: str) -> Path:
    one = find_game(name)
    with solved(one):
        return labelling.make_labels(one, deals=12, jobs=1, out=folder)


def write_labels(file: Path, columns: dict[str, Any], output: dict[str, Any], rehash: bool) -> None:
    """Write labels; with ``rehash``, all hashes in the file are correct."""
    if rehash and isinstance(output.get("columns"), dict):
        output["columns"] = {n: labels._column_digest(np.asarray(v)) for n, v in columns.items()}
    if rehash:
        output["content"] = labels._metadata_digest(output)
    table, buffer = pa.table(columns), BytesIO()
    pq.write_table(table.replace_schema_metadata({"parlour": json.dumps(output)}), buffer)
    file.write_bytes(buffer.getvalue())
    labels._load.cache_clear()


def parts_of(file: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    table = pq.read_table(file)
    columns = {name: table[name].to_numpy().copy() for name in table.column_names}
    return columns, json.loads(table.schema.metadata[b"parlour"])


def test_labels(tmp_path: Path) -> None:
    file = deal_set_file(tmp_path, "pyramid")
    data, (columns, output) = file.read_bytes(), parts_of(file)
    rng, loaded = np.random.default_rng(9), 0
    for k in range(160):
        if k % 2:
            file.write_bytes(spoil_bytes(data, rng))
            labels._load.cache_clear()
        else:
            write_labels(file, columns, spoil(output, rng), rehash=k % 4 == 0)
        actual = tried(lambda: labels.load_labels(file), str(file))
        if actual is not None:
            loaded += 1
            assert all(np.array_equal(actual.columns[n], v) for n, v in columns.items())
            json.dumps(actual.metadata())
    assert loaded < 60


@pytest.mark.parametrize(
    ("name", "column", "value", "output"),
    [
        ("pyramid", "winnable", 2, "column winnable must be -1, 0 or 1, got 2 at deal 3"),
        ("pyramid", "winnable", 0, "column fewest must be -1 for a deal that is not labeled winn"),
        (
            "pyramid",
            "fewest",
            -2,
            "column fewest must be -1 or at least 15, got -2 at deal 3",
        ),
        ("pyramid", "fewest", 13, "column fewest must be -1 or at least 15, got 13"),
        ("pyramid", "nodes", -1, "column nodes must be at least 0, got -1 at deal 3"),
        ("pyramid", "deck", 5, "deck must be that of deal 3 of the deal set"),
        ("poker_squares", "score", 10**6, "column score must be from "),
        (
            "poker_squares",
            "winnable",
            1,
            "column winnable must be -1 in a game without winners, got 1 at deal 3",
        ),
    ],
)
def test_labels_that_cannot_be(
    name: str, column: str, value: int, output: str, tmp_path: Path
) -> None:
    file = deal_set_file(tmp_path, name)
    columns, told = parts_of(file)
    if name == "pyramid":
        columns["winnable"][3], columns["fewest"][3] = 1, 20
    write_labels(file, columns, told, rehash=True)
    labels.load_labels(file)
    columns[column][3] = value
    write_labels(file, columns, told, rehash=True)
    with pytest.raises(ValueError, match=output):
        labels.load_labels(file)


@pytest.mark.parametrize(
    ("field", "value", "output"),
    [
        ("first", -1, "field first must be an integer from 0"),
        ("first", True, "field first must be .* got True"),
        ("n", 11, "n must be the number of rows, 12, got 11"),
        ("limit", 0, "field limit must be .*, or null, got 0"),
        ("optimal", 1, "field optimal must be true or false, got 1"),
        ("game", "whist", "got 'whist'"),
        ("rules", [], "field rules must be an object"),
        ("more", 1, "field must be one of format, .*, got 'more'"),
    ],
)
def test_metadata_that_cannot_be(field: str, value: Any, output: str, tmp_path: Path) -> None:
    file = deal_set_file(tmp_path, "pyramid")
    columns, told = parts_of(file)
    write_labels(file, columns, told | {field: value}, rehash=True)
    with pytest.raises(ValueError, match=rf"pyramid-.*parquet.*{output}"):
        labels.load_labels(file)


def test_columns_of_other_types_and_gaps(tmp_path: Path) -> None:
    file = deal_set_file(tmp_path, "pyramid")
    columns, told = parts_of(file)
    gaps = pa.array([None, *columns["fewest"][1:]], pa.int16())
    for changed in (
        {"fewest": columns["fewest"].astype(np.int32)},
        {"fewest": gaps.to_numpy(False)},
    ):
        write_labels(file, columns | changed, dict(told), rehash=True)
        with pytest.raises(ValueError, match=r"columns must be .*fewest int16.*, without nulls"):
            labels.load_labels(file)


@pytest.fixture(scope="module")
def half(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A run of two seeds, the second one unfinished, and its final weights."""
    runs = tmp_path_factory.mktemp("runs")
    run = train(replace(SMALL, seeds=(0, 1), generations=4, runs=str(runs)), quiet=True)
    wanted = sha256((run / "seed-1" / "agent" / "weights.safetensors").read_bytes()).hexdigest()
    shutil.rmtree(run / "seed-1" / "agent")
    (run / "seed-1" / "result.json").unlink()
    (run / "result.json").unlink()
    shutil.rmtree(sorted((run / "seed-1" / "checkpoints").iterdir())[-1])
    return run, wanted


@pytest.mark.slow
def test_runs(half: tuple[Path, str], tmp_path: Path) -> None:
    whole, wanted = half
    files = [p for p in sorted(whole.rglob("*")) if p.suffix in (".json", ".jsonl", ".npz")]
    files = [p.relative_to(whole) for p in files if "agent" not in p.parts]
    rng, ended = np.random.default_rng(10), 0
    for k in range(100):
        run = tmp_path / str(k)
        shutil.copytree(whole, run)
        file = run / files[k % len(files)]
        data = file.read_bytes()
        if file.suffix == ".json" and k % 2:
            file.write_text(json.dumps(spoil(json.loads(data), rng)))
        else:
            file.write_bytes(spoil_bytes(data, rng))
        if tried(lambda run=run: resume(run, quiet=True), str(run)) is not None:  # type: ignore[misc]
            ended += 1
            made = (run / "seed-1" / "agent" / "weights.safetensors").read_bytes()
            if file.name != "settings.json":
                assert sha256(made).hexdigest() == wanted, file
        shutil.rmtree(run)
    assert 20 < ended < 90


KINDS = ["pipe", "device", "folder", "gigantic"]


def put_in_place(file: Path, kind: str) -> None:
    """Replace a file by something that is not a file, or that is far too large."""
    file.unlink()
    if kind == "pipe":
        os.mkfifo(file)
    elif kind == "device":
        file.symlink_to("/dev/zero")
    elif kind == "folder":
        file.mkdir()
    else:
        with file.open("wb") as made:
            made.truncate(1 << 40)


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_no_file_is_not_opened(kind: str, half: tuple[Path, str], tmp_path: Path) -> None:
    output = {kind: f"must be a file, got a {kind}" for kind in ("pipe", "device", "folder")}
    refusal = f": .*{output.get(kind, 'must have at most .* bytes, got')}"

    def refused(file: Path, do: Callable[[], Any]) -> None:
        put_in_place(file, kind)
        with quick(), pytest.raises(ValueError, match=f"({file.name}|/dev/zero){refusal}"):
            do()

    for number, name in enumerate(("agent.json", "weights.safetensors")):
        folder = tmp_path / str(number)
        make(folder)
        refused(folder / name, lambda folder=folder: load_agent(str(folder), GAME, RULES))  # type: ignore[misc]
    deal_set_at = deal_set_file(tmp_path, "pyramid")
    refused(deal_set_at, lambda: labels.load_labels(deal_set_at))
    toml = tmp_path / "mine.toml"
    toml.touch()
    refused(toml, lambda: preset("pyramid", file=toml))
    for name in ("settings.json", "rules.json", "seed-0/result.json", "seed-1/progress.jsonl"):
        run = tmp_path / name.replace("/", "-")
        shutil.copytree(half[0], run)
        refused(run / name, lambda run=run: resume(run, quiet=True))  # type: ignore[misc]


@pytest.mark.parametrize(
    ("network", "output"),
    [
        ({"depth": 10**9}, "depth must be an integer from 1 to 128, got 1000000000"),
        ({"depth": 10**12}, "field network.depth must be an integer from 0 to"),
        ({"width": 10**9}, "width must be an integer from 1 to 8192, got 1000000000"),
        ({"width": 8192, "depth": 128}, "weights must have .* bytes for this network, got "),
        ({"width": True}, "field network.width must be .* got True"),
        ({"options": {"__class__": 1}}, "has no option '__class__'"),
        (
            {"more": 1},
            "field must be one of network.name, .*, got 'network.more'",
        ),
    ],
)
def test_networks_of_absurd_size(network: dict[str, Any], output: str, tmp_path: Path) -> None:
    make(tmp_path)
    card = json.loads((tmp_path / "agent.json").read_text())
    card["network"] |= network
    (tmp_path / "agent.json").write_text(json.dumps(card))
    with quick(), pytest.raises(ValueError, match=output):
        load_agent(str(tmp_path), GAME, RULES)
