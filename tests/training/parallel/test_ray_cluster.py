"""A Ray cluster of two nodes loses no work when one node is killed."""

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from parlour.envs import find_game
from parlour.training.evaluation.compare import compare
from parlour.training.evaluation.labels.labelling import make_labels
from parlour.training.evaluation.labels.labels import load_labels

pytestmark = pytest.mark.slow
PYRAMID = find_game("pyramid")


@pytest.fixture
def nodes() -> Iterator[Any]:
    """A cluster of two nodes with one CPU each, as processes on this machine."""
    from ray.cluster_utils import Cluster as Nodes

    result = Nodes(initialize_head=True, head_node_args={"num_cpus": 1})
    result.second = result.add_node(num_cpus=1)
    result.wait_for_nodes()
    yield result
    result.shutdown()


def run_parlour(nodes: Any, *words: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "parlour", *words]
    return subprocess.Popen(
        [*command, "--backend", "ray", "--address", nodes.address],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def kill_second(nodes: Any, process: subprocess.Popen[str], chunks: Path, most: int) -> None:
    """Kill a node when some but not all parts are finished; then wait for the end."""
    for _ in range(1200):
        if len(list(chunks.parent.glob(f"{chunks.name}/*"))) >= 3 or process.poll() is not None:
            break
        time.sleep(0.1)
    assert process.poll() is None
    assert 3 <= len(list(chunks.parent.glob(f"{chunks.name}/*"))) < most
    nodes.remove_node(nodes.second, allow_graceful=False)
    out, errors = process.communicate(timeout=600)
    assert process.returncode == 0, out + errors


def test_a_deal_set(nodes: Any, tmp_path: Path) -> None:
    words = ("--variant", "classic", "--deals", "2000", "--first", "20000", "--out", str(tmp_path))
    process = run_parlour(nodes, "deals", "make", "pyramid", "--no-optimal", *words)
    kill_second(nodes, process, tmp_path / ".pyramid-classic*", 40)
    (file,) = tmp_path.glob("*.parquet")
    given: dict[str, Any] = {"deals": 2000, "first": 20000, "optimal": False, "jobs": 1}
    whole = load_labels(make_labels(PYRAMID, "classic", **given, out=tmp_path / "serial"))
    result = load_labels(file)
    for name, values in whole.columns.items():
        np.testing.assert_array_equal(values, result.columns[name], err_msg=name)


def test_a_comparison(nodes: Any, tmp_path: Path) -> None:
    agents, words = (
        ("greedy", "pimc@2"),
        ("--deals", "10000", "--evaluation-seed", "k", "--out", str(tmp_path)),
    )
    process = run_parlour(nodes, "compare", "pyramid", "--agents", *agents, *words)
    kill_second(nodes, process, tmp_path / ".chunks", 200)
    result = pd.read_parquet(tmp_path / "episodes.parquet")
    for one in compare("pyramid", agents, deals=10_000, evaluation_seed="k").evaluations:
        rows = result[result["agent"] == one.agent].sort_values("deal")
        for fact in ("score", "won", "moves", "decisions"):
            np.testing.assert_array_equal(rows[fact], one.results.facts[fact], err_msg=fact)


def test_a_search_for_settings(nodes: Any, tmp_path: Path) -> None:
    words = ("--preset", "td", "--total-steps", "300000", "--trials", "12")
    process = run_parlour(nodes, "tune", "poker-squares", *words, "--runs", str(tmp_path), "--json")
    for _ in range(3000):
        if len(list(tmp_path.rglob("seed-*"))) >= 3 or process.poll() is not None:
            break
        time.sleep(0.1)
    assert process.poll() is None
    nodes.remove_node(nodes.second, allow_graceful=False)
    out, errors = process.communicate(timeout=900)
    assert process.returncode == 0, out + errors
    trials = json.loads(out)["trials"]
    assert len(trials) == 12
    assert {one["state"] for one in trials} <= {"done", "pruned"}
