"""Verification of a random sample detects false solver labels in every game with labels."""

import json
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from math import comb
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import numpy as np
import pytest

from parlour.envs import GAMES, find_game
from parlour.training.cli import main
from parlour.training.evaluation.labels import label_verification as verification
from parlour.training.evaluation.labels.labelling import make_labels
from parlour.training.evaluation.labels.labels import (
    NO_SCORE,
    SHIPPED_FOLDER,
    Labels,
    is_scored,
    load_labels,
    save_labels,
)
from parlour.training.parallel.tasks import Cluster
from tests.fake_solver import solved

LABELLED = [
    name
    for name, one in GAMES.items()
    if one.solve is not None and one.num_players(one.make_rules()) == 1
]
DEALS = 8
MADE: dict[str, tuple[str | None, int]] = {
    "pyramid": (None, 10_000),
    "poker_squares": (None, 2000),
    "puss_in_the_corner": ("no-redeal", 18_000),
    "klondike": (None, 2000),
}
"""Rules and search limits with which some deals are decided and others undecided."""


@cache
def labels_of(name: str) -> Labels:
    """Return true labels of some deals of a game."""
    folder = Path(mkdtemp())
    variant, limit = MADE[name]
    path = make_labels(GAMES[name], variant, deals=DEALS, limit=limit, jobs=1, out=folder)
    return load_labels(path)


def forge(labels: Labels, folder: Path, **columns: np.ndarray) -> Labels:
    """Write labels with changed columns and correct digests to a file, and load it."""
    path = folder / "forged.parquet"
    save_labels(replace(labels, columns=labels.columns | columns, source=None), path)
    return load_labels(path)


def test_games_with_labels_are_known() -> None:
    assert LABELLED == ["pyramid", "poker_squares", "puss_in_the_corner", "klondike"]
    shipped = {load_labels(path).game.name for path in SHIPPED_FOLDER.glob("*.parquet")}
    assert shipped <= set(LABELLED)


@pytest.mark.parametrize("name", LABELLED)
def test_true_labels_agree(name: str) -> None:
    labels = labels_of(name)
    verified = verification.verify_labels(labels, DEALS, seed=3)
    assert verified.same_solver and verified.seed == 3 and verified.disagreements == []
    assert sum(kind.solved for kind in verified.kinds) == DEALS
    assert {(kind.unconfirmed, kind.outdated) for kind in verified.kinds} == {(0, 0)}


def all_winnable(labels: Labels) -> dict[str, np.ndarray]:
    return {"winnable": np.ones(DEALS, np.int8)}


def all_lost(labels: Labels) -> dict[str, np.ndarray]:
    return {"winnable": np.zeros(DEALS, np.int8), "fewest": np.full(DEALS, -1, np.int16)}


def all_undecided(labels: Labels) -> dict[str, np.ndarray]:
    return {"winnable": np.full(DEALS, -1, np.int8), "fewest": np.full(DEALS, -1, np.int16)}


def longer_wins(labels: Labels) -> dict[str, np.ndarray]:
    shortest = labels.game.shortest(labels.rules)
    fewest = np.where(labels.winnable == 1, np.maximum(labels.fewest, shortest) + 2, -1)
    return {"fewest": fewest.astype(np.int16)}


def more_nodes(labels: Labels) -> dict[str, np.ndarray]:
    return {"nodes": labels.nodes + 1}


def better_scores(labels: Labels) -> dict[str, np.ndarray]:
    return {"score": labels.score + 1}


def no_scores(labels: Labels) -> dict[str, np.ndarray]:
    return {"score": np.full(DEALS, NO_SCORE, np.int32)}


FORGERIES = {
    False: [all_winnable, all_lost, all_undecided, longer_wins, more_nodes],
    True: [better_scores, no_scores, more_nodes],
}


@pytest.mark.parametrize(
    ("name", "forgery"),
    [(name, one) for name in LABELLED for one in FORGERIES[is_scored(GAMES[name])]],
)
def test_forged_labels_are_found(
    tmp_path: Path, name: str, forgery: Callable[[Labels], dict[str, np.ndarray]]
) -> None:
    labels = labels_of(name)
    columns = forgery(labels)
    forged = forge(labels, tmp_path, **columns)
    wrong = {
        (labels.first + row, column)
        for column, values in columns.items()
        for row in np.flatnonzero(values != labels.columns[column])
    }
    verified = verification.verify_labels(forged, DEALS, seed=1)
    assert wrong and {(one.deal, one.column) for one in verified.disagreements} == wrong
    for one in verified.disagreements:
        assert str(one).startswith(f"deal {one.deal}: {one.column} must be {one.solved}, got ")


def test_each_kind_of_label_is_sampled(tmp_path: Path) -> None:
    """The sample includes a single undecided deal among many others."""
    labels = labels_of("pyramid")
    winnable = labels.winnable.copy()
    row = int(np.flatnonzero(winnable != -1)[0])
    winnable[:] = 1
    winnable[row] = -1
    fewest = np.full(DEALS, -1, np.int16)
    forged = forge(labels, tmp_path, winnable=winnable, fewest=fewest)
    for seed in range(3):
        verified = verification.verify_labels(forged, 1, seed=seed)
        assert [kind.name for kind in verified.kinds] == ["winnable", "undecided"]
        assert [kind.solved for kind in verified.kinds] == [1, 1]
        assert row in [one.deal for one in verified.disagreements if one.column == "winnable"]


def test_of_another_solver_only_what_excludes_its_answers_is_wrong(tmp_path: Path) -> None:
    labels = replace(labels_of("pyramid"), solver="0" * 16)
    assert {-1, 1} <= set(labels.winnable.tolist())
    verified = verification.verify_labels(forge(labels, tmp_path, **more_nodes(labels)), DEALS)
    assert not verified.same_solver and verified.disagreements == []
    verified = verification.verify_labels(forge(labels, tmp_path, **all_undecided(labels)), DEALS)
    assert verified.disagreements == []
    assert [kind.outdated for kind in verified.kinds] == [int((labels.winnable != -1).sum())]
    verified = verification.verify_labels(forge(labels, tmp_path, **all_winnable(labels)), DEALS)
    assert [kind.unconfirmed for kind in verified.kinds] == [int((labels.winnable == -1).sum())]
    lost = np.flatnonzero(labels.winnable == 0)
    assert [one.deal for one in verified.disagreements] == lost.tolist()
    verified = verification.verify_labels(forge(labels, tmp_path, **all_lost(labels)), DEALS)
    assert len(verified.disagreements) == (labels.winnable == 1).sum()


def test_the_seed_chooses_the_sample_and_is_told() -> None:
    with solved(find_game("pyramid")):
        labels = load_labels(make_labels(find_game("pyramid"), deals=200, jobs=1, out=mkdtemp()))
        flipped = np.where(labels.winnable == 1, 0, labels.winnable).astype(np.int8)
        fewest = np.full(200, -1, np.int16)
        forged = replace(labels, columns=labels.columns | {"winnable": flipped, "fewest": fewest})
        deals = [
            [one.deal for one in verification.verify_labels(forged, 20, seed=seed).disagreements]
            for seed in (1, 1, 2)
        ]
        assert deals[0] == deals[1] != deals[2]
        seeds = {verification.verify_labels(labels, 1).seed for _ in range(3)}
        assert len(seeds) == 3


def test_in_parallel_it_is_the_same() -> None:
    with solved(find_game("pyramid")):
        labels = load_labels(make_labels(find_game("pyramid"), deals=60, jobs=1, out=mkdtemp()))
        lies = replace(labels, columns=labels.columns | {"nodes": labels.nodes + 1})
        ended: list[int] = []
        two = Cluster("threading", 2)
        verified = verification.verify_labels(lies, 10, 5, two, ended.append)
        assert verified == verification.verify_labels(lies, 10, 5)
        assert sum(ended) == verification.count_sample(lies, 10) == len(verified.disagreements)


@pytest.mark.parametrize(
    ("solved_", "total", "wrong"), [(3, 10, 2), (5, 10, 1), (10, 10, 1), (1, 1, 1)]
)
def test_the_probability_of_detection_is_hypergeometric(
    solved_: int, total: int, wrong: int
) -> None:
    expected = 1 - comb(total - wrong, solved_) / comb(total, solved_)
    assert verification.find_detection(solved_, total, wrong) == pytest.approx(expected)


def test_detectable_is_the_smallest_number_of_wrong_labels() -> None:
    for solved_, total in ((100, 6579), (20, 20), (1, 50), (299, 10_000)):
        least = verification.find_detectable(solved_, total)
        assert verification.find_detection(solved_, total, least) >= 0.95
        assert verification.find_detection(solved_, total, least - 1) < 0.95


@pytest.fixture
def files(tmp_path: Path) -> Callable[..., str]:
    def write(**columns: Any) -> str:
        forge(labels_of("klondike"), tmp_path, **columns)
        return str(tmp_path / "forged.parquet")

    return write


def test_the_command_says_what_it_solved(
    files: Callable[..., str], capsys: pytest.CaptureFixture[str]
) -> None:
    honest = files()
    assert main.main(["deals", "show", honest, "--verify", "2", "--seed", "4"]) == 0
    message = capsys.readouterr().out
    assert "  verified     random sample of deals solved again, sample seed 4\n" in message
    assert ": 2 of " in message and " labels, 0 wrong; such a sample " in message
    assert "finds a wrong label with probability 95 %" in " ".join(message.split())
    assert main.main(["deals", "show", honest, "--verify", "--json"]) == 0
    (summary,) = json.loads(capsys.readouterr().out)
    assert summary["verification"]["same_solver"] is True
    assert sum(kind["solved"] for kind in summary["verification"]["kinds"]) == DEALS


def test_the_command_fails_for_forged_labels(
    files: Callable[..., str], capsys: pytest.CaptureFixture[str]
) -> None:
    labels = labels_of("klondike")
    forged = files(**all_winnable(labels))
    assert main.main(["deals", "show", forged]) == 0  # every digest is right
    assert main.main(["deals", "show", forged, "--verify"]) == 1
    message = capsys.readouterr().out
    for row in np.flatnonzero(labels.winnable != 1):
        assert f"deal {row}: winnable must be {labels.winnable[row]}, got 1" in message


@pytest.mark.parametrize(
    ("words", "error"),
    [
        ("--verify 0", "sample must be an integer >= 1, got 0"),
        ("--seed 4", "--seed needs --verify"),
        ("--jobs 2", "--jobs needs --verify"),
    ],
)
def test_wrong_words_are_named(
    files: Callable[..., str], capsys: pytest.CaptureFixture[str], words: str, error: str
) -> None:
    assert main.main(["deals", "show", files(), *words.split()]) == 2
    assert error in capsys.readouterr().err
