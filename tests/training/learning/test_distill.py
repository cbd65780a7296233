"""Distillation: the teacher's values are saved and learned, also after an interruption."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest
import torch

from parlour.agents.networks.build import build_network
from parlour.agents.networks.learned import LearnedAgent
from parlour.agents.registry import load_agent
from parlour.agents.saved import load_saved_agent
from parlour.envs import find_game
from parlour.envs.core.rows import Rows, observation_codes
from parlour.envs.core.rules_table import make_table
from parlour.envs.core.turn import prepare_turn
from parlour.training.evaluation.compare import evaluate
from parlour.training.learning.methods.distill import (
    POSITIONS_FOLDER,
    DistillLoss,
    DistillRun,
    augment_symmetry,
    concatenate,
    describe,
    read_folder,
    read_positions,
    reorder,
    write_positions,
)
from parlour.training.learning.run import RESULT_FILE
from parlour.training.learning.save_agent import weights_bytes
from parlour.training.learning.settings.methods import DistillSettings, make_settings
from parlour.training.learning.train import Interrupted, resume, train
from research import network_sizes

GAME = find_game("pyramid")
RULES = GAME.make_rules("three-passes")
ROUND = 32 * 4
SMALL = DistillSettings(
    network="ranks",
    width=8,
    depth=1,
    total_steps=4 * ROUND,
    n_envs=32,
    n_steps=4,
    batch_size=64,
    n_epochs=2,
    eval_interval=0,
    eval_deals=10,
    checkpoint_interval=ROUND,
    teacher="pimc@1",
    device="cpu",
    name="small",
)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return train(replace(SMALL, runs=str(tmp_path_factory.mktemp("whole"))), quiet=True)


def network_of(folder: Path) -> bytes:
    agent = load_agent(str(folder / "seed-0" / "agent"), GAME, RULES)
    assert isinstance(agent, LearnedAgent)
    return weights_bytes(agent.network)


def files_of(folder: Path) -> dict[str, bytes]:
    return {
        file.name: file.read_bytes() for file in (folder / "seed-0" / POSITIONS_FOLDER).iterdir()
    }


def stop_after(rounds: int, patch: pytest.MonkeyPatch) -> None:
    """Interrupt the next run of this kind after a number of rounds."""
    learn, count = DistillRun._learn, 0

    def stopping(self: Any, new: int) -> dict[str, float]:
        nonlocal count
        count += 1
        if count > rounds:  # its round is written already: it must be played again
            raise KeyboardInterrupt
        return learn(self, new)

    patch.setattr(DistillRun, "_learn", stopping)


def stop_and_resume(
    settings: DistillSettings, rounds: int, name: str, monkeypatch: pytest.MonkeyPatch
) -> Path:
    """Train with an interruption after a number of rounds, and resume; return the run's folder."""
    with monkeypatch.context() as patch:
        stop_after(rounds, patch)
        with pytest.raises((KeyboardInterrupt, Interrupted)):
            train(settings, quiet=True)
    return resume(Path(settings.runs) / name, quiet=True)


@pytest.mark.parametrize("rounds", [1, 3])
def test_a_run_stopped_and_resumed_comes_to_the_same_weights(
    rounds: int, whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    again = stop_and_resume(replace(SMALL, runs=str(tmp_path)), rounds, whole.name, monkeypatch)
    assert network_of(again) == network_of(whole)
    assert files_of(again) == files_of(whole)


def test_which_games_are_left_is_drawn_on_where_a_run_was_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = replace(SMALL, lost_drop_prob=0.5)
    wanted = train(replace(settings, runs=str(tmp_path / "whole")), quiet=True)
    again = stop_and_resume(replace(settings, runs=str(tmp_path)), 2, wanted.name, monkeypatch)
    assert network_of(again) == network_of(wanted)
    assert files_of(again) == files_of(wanted)


@pytest.mark.slow
def test_it_learns_what_the_search_says(tmp_path: Path) -> None:
    settings = replace(SMALL, width=24, n_envs=128, n_steps=8, total_steps=6 * 1024, n_epochs=6)
    settings = replace(settings, learning_rate=4e-3, checkpoint_interval=10**6, runs=str(tmp_path))
    folder = train(settings, quiet=True)
    agent = str(folder / "seed-0" / "agent")
    learned, uniform = (
        evaluate("pyramid", spec, deals=1000).estimate("score") for spec in (agent, "uniform")
    )
    print(learned, uniform)
    assert learned.low > uniform.high


def test_positions_are_kept_for_other_networks(whole: Path) -> None:
    files = sorted((whole / "seed-0" / POSITIONS_FOLDER).iterdir())
    assert [file.stem for file in files] == [f"{k * ROUND:012d}" for k in range(1, 5)]
    for file in files:
        positions = read_positions(file, GAME)
        n = len(positions.actions)
        assert n and positions.observations.shape == (n, GAME.features.width)
        assert positions.masks[np.arange(n), positions.actions].all()
        assert (positions.masks.sum(axis=1) > 1).all()
        assert not positions.values[~positions.masks].any()
        assert (positions.values.max(axis=1) > 0).all() and (positions.values <= 1).all()
    assert pq.read_schema(files[0]).names == ["observation", "action_mask", "values", "action"]


@pytest.mark.parametrize("share", [1.0, 0.5, 0.0])
def test_games_that_the_teacher_sees_lost_are_left_or_played_on(
    share: float, tmp_path: Path
) -> None:
    settings = replace(SMALL, lost_drop_prob=share, tie_keep_prob=1.0, runs=str(tmp_path))
    positions = concatenate(
        read_folder(train(settings, quiet=True) / "seed-0" / POSITIONS_FOLDER, GAME)
    )
    lost = positions.values.max(axis=1) == 0
    assert lost.any() == (share < 1)
    assert positions.masks[lost, positions.actions[lost]].all()


def test_files_of_other_games_and_damaged_ones_are_refused(whole: Path, tmp_path: Path) -> None:
    file = sorted((whole / "seed-0" / POSITIONS_FOLDER).iterdir())[0]
    with pytest.raises(ValueError, match=r"positions must be of 'poker_squares' .* got 'pyramid'"):
        read_positions(file, find_game("poker_squares"))
    torn = tmp_path / "torn.parquet"
    torn.write_bytes(file.read_bytes()[:-100])
    with pytest.raises(ValueError, match=r"torn.parquet: not a valid file of positions"):
        read_positions(torn, GAME)
    other = tmp_path / "other.parquet"
    pq.write_table(pq.read_table(file).replace_schema_metadata(None), other)
    with pytest.raises(ValueError, match=r"other.parquet: not a valid file of positions"):
        read_positions(other, GAME)


def test_what_is_written_is_read(whole: Path, tmp_path: Path) -> None:
    file = sorted((whole / "seed-0" / POSITIONS_FOLDER).iterdir())[0]
    positions = read_positions(file, GAME)
    some = positions.take(np.arange(5))
    write_positions(tmp_path / "some.parquet", some, describe(make_table(GAME, RULES), GAME))
    for written, read in zip(some, read_positions(tmp_path / "some.parquet", GAME), strict=True):
        np.testing.assert_array_equal(written, read)


def test_a_teacher_that_judges_nothing_is_refused(tmp_path: Path) -> None:
    settings = replace(SMALL, teacher="greedy", runs=str(tmp_path))
    with pytest.raises(
        ValueError, match=r"teacher must be a pimc, mcts or rollouts search.* got 'greedy'"
    ):
        train(settings, quiet=True)
    assert not list(tmp_path.iterdir())


def test_a_game_of_points_learns_from_a_tree_search(tmp_path: Path) -> None:
    settings = make_settings(
        "distill",
        game="poker_squares",
        network="embedding",
        width=8,
        teacher="mcts@8",
        temperature=0.2,
        n_envs=8,
        n_steps=4,
        total_steps=64,
        batch_size=16,
        eval_deals=5,
        runs=str(tmp_path),
        name="points",
    )
    folder = train(settings, quiet=True)
    positions = [
        read_positions(f, find_game("poker_squares")) for f in folder.glob("*/positions/*.parquet")
    ]
    assert sum(len(one.actions) for one in positions) > 16


def remove(rows: Rows, places: set[int]) -> None:
    """Click on some places, highest first, to remove their cards."""
    for place in sorted(places, reverse=True):
        rows.step(np.array([place]))


@pytest.mark.parametrize("variant", ["three-passes", "book", "web"])
def test_a_mirrored_table_is_the_same_game(variant: str) -> None:
    """The removals in a mirrored pyramid are the mirrored removals.

    The order of the two clicks is an exception: the higher place comes first in both.
    """
    order, rng = GAME.features.symmetries[0], np.random.default_rng(0)
    entries = reorder(GAME, order).entries
    here, there = (Rows(GAME, GAME.make_rules(variant), 1) for _ in range(2))
    deck = rng.permutation(np.arange(4, 56))
    mirrored = deck.copy()
    mirrored[:28] = deck[order[:28]]
    here.deal_deck(deck.tolist())
    there.deal_deck(mirrored.tolist())
    for _ in range(40):
        codes, turned = (observation_codes(rows.states) for rows in (here, there))
        np.testing.assert_array_equal(codes[:, entries], turned)
        if here.states["over"][0]:
            break
        places = {int(rng.choice(np.flatnonzero(here.buffers.masks[0])))}
        here.step(np.array([min(places)]))
        while here.states["picked"][0]:
            places.add(int(rng.choice(np.flatnonzero(here.buffers.masks[0]))))
            here.step(np.array([min(places)]))
        remove(there, {int(order[place]) if place < len(order) else place for place in places})


def test_positions_turn_with_their_actions(whole: Path) -> None:
    """Applying a symmetry twice restores the positions, and the best action stays the best."""
    orders = [reorder(GAME, order) for order in GAME.features.symmetries]
    positions = read_positions(sorted((whole / "seed-0" / POSITIONS_FOLDER).iterdir())[0], GAME)
    for _ in range(8):
        turned = augment_symmetry(positions, orders)
        n = np.arange(len(positions.actions))
        np.testing.assert_array_equal(
            turned.values[n, turned.actions], positions.values[n, positions.actions]
        )
        assert turned.masks[n, turned.actions].all()


@pytest.mark.parametrize("bonus", [0.0, 0.3])
def test_the_policy_learned_is_the_softmax_of_values(bonus: float, whole: Path) -> None:
    """The target is softmax(values / temperature), with the bonus for the teacher's action."""
    torch.manual_seed(0)
    positions = read_positions(sorted((whole / "seed-0" / POSITIONS_FOLDER).iterdir())[0], GAME)
    network = build_network("embedding", GAME, 16, 2)
    settings = replace(SMALL, teacher_bonus=bonus, temperature=0.1, vf_coef=0.0)
    student = DistillLoss(network, GAME, settings)
    logits = network(torch.tensor(positions.observations))[0].detach().double().numpy()
    losses = []
    for row, mask in enumerate(positions.masks):
        worth = positions.values[row].astype(float)
        worth[positions.actions[row]] += bonus
        target = np.exp(worth[mask] / 0.1) / np.exp(worth[mask] / 0.1).sum()
        logs = logits[row, mask] - np.log(np.exp(logits[row, mask]).sum())
        losses.append(-(target * logs).sum())
    assert student.loss(positions).item() == pytest.approx(np.mean(losses), rel=1e-4)


@pytest.mark.parametrize("spec", ["pimc@4", "mcts@20"])
def test_a_search_says_what_it_plays(spec: str) -> None:
    rows = Rows(GAME, RULES, 6)
    rows.deal_numbered("pyramid-1", range(6))
    agent: Any = load_agent(spec, GAME, RULES)
    turn = prepare_turn(agent, GAME, RULES, rows.states, 1)
    judged = agent.judge(turn)
    np.testing.assert_array_equal(judged.actions, agent.act(turn))
    assert judged.values.shape == turn.masks.shape and not judged.values[~turn.masks].any()
    if spec.startswith("pimc"):
        best = judged.values.max(axis=1)
        np.testing.assert_array_equal(judged.values[np.arange(6), judged.actions], best)


def test_networks_are_compared_on_the_same_positions(
    whole: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    options = network_sizes.Options(
        whole / "seed-0" / POSITIONS_FOLDER,
        networks=("ranks:8x1", "attention:8x1"),
        minutes=0.01,
        deals=20,
        picture=tmp_path / "sizes.png",
        json=tmp_path / "sizes.json",
    )
    network_sizes.main(options)
    message = capsys.readouterr().out
    assert "ranks:8x1" in message and "attention:8x1" in message
    assert (tmp_path / "sizes.png").stat().st_size > 10_000
    network_sizes.main(options)  # nothing is learned again
    assert capsys.readouterr().out == message
    with pytest.raises(ValueError, match=r"sizes.json: figures of other conditions"):
        network_sizes.main(replace(options, seed=1))
    with pytest.raises(ValueError, match="network 'ranks': allowed is NAME:WIDTHxDEPTH"):
        network_sizes.main(replace(options, networks=("ranks",), json=None))
    with pytest.raises(ValueError, match="the folder has no files of positions"):
        network_sizes.main(replace(options, positions=tmp_path, json=None))


MANY = replace(SMALL, variants=("three-passes", "classic", "open-stock"), name="many")


def test_many_rules_are_learned_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every position is judged by its own rules, and the agent records all of them."""
    folder = train(replace(MANY, runs=str(tmp_path / "whole")), quiet=True)
    agent = load_saved_agent(folder / "seed-0" / "agent", GAME)
    assert [GAME.variant_name(rules) for rules in (agent.rules, *agent.more_rules)] == [
        *MANY.variants
    ]
    file = sorted((folder / "seed-0" / POSITIONS_FOLDER).iterdir())[0]
    about = json.loads(pq.read_schema(file).metadata[b"parlour"])
    assert about["rules_digest"] == GAME.rules_digest(RULES) and len(about["more_rules"]) == 2
    positions = read_positions(file, GAME)
    assert positions.masks[np.arange(len(positions.actions)), positions.actions].all()
    passes = {GAME.features.explain(row)["passes"] for row in positions.observations}
    assert len(passes) > 1  # positions by more than one of the rules
    stop_after(1, monkeypatch)
    with pytest.raises((KeyboardInterrupt, Interrupted)):
        train(replace(MANY, runs=str(tmp_path / "parts")), quiet=True)
    monkeypatch.undo()
    again = resume(tmp_path / "parts" / folder.name, quiet=True)
    assert network_of(again) == network_of(folder)


@pytest.mark.parametrize("limit", [1000, 5])
def test_every_position_is_judged_by_its_own_rules(limit: int, tmp_path: Path) -> None:
    settings = replace(
        MANY,
        teacher="pimc@3",
        teacher_limit=limit,
        teacher_known_limit=3 * limit,
        runs=str(tmp_path),
    )
    run = DistillRun(settings, 0, tmp_path / "seed-0")
    seeds = np.arange(run.env.num_envs, dtype=np.uint64)
    masks, judged = run._judge(seeds)
    rows = run.env.rows
    for number, places in run.env.table.split(rows.states):
        rules = run.env.table.rules[number]
        teacher: Any = load_agent("pimc@3", GAME, rules)
        teacher.world_limit, teacher.known_limit = limit, 3 * limit
        turn = prepare_turn(teacher, GAME, rules, rows.states[places], seeds[places])
        np.testing.assert_array_equal(judged.values[places], teacher.judge(turn).values)
        np.testing.assert_array_equal(masks[places], turn.masks)
    assert len(set(run.env.table.find(rows.states).tolist())) == 3
    run.close()


def test_rules_that_the_teacher_cannot_judge_by_are_named(tmp_path: Path) -> None:
    wrong = replace(MANY, variants=("three-passes", "second-chance"), runs=str(tmp_path))
    with pytest.raises(
        ValueError, match=r"teacher='pimc@1', with rules second-chance: .*shuffle_redeal"
    ):
        train(wrong, quiet=True)


def test_positions_of_another_run_are_learned_too(whole: Path, tmp_path: Path) -> None:
    folder = whole / "seed-0" / POSITIONS_FOLDER
    known = sum(len(part.actions) for part in read_folder(folder, GAME))
    again = replace(SMALL, positions=(str(folder),), runs=str(tmp_path), name="again")
    run = train(again, quiet=True)
    result = json.loads((run / "seed-0" / RESULT_FILE).read_text())
    own = sum(len(part.actions) for part in read_folder(run / "seed-0" / POSITIONS_FOLDER, GAME))
    assert result["positions"] == known + own and own
    assert network_of(run) != network_of(whole)
    with pytest.raises(ValueError, match=r"nowhere: the folder has no files of positions"):
        train(replace(again, positions=("nowhere",), name="none"), quiet=True)
