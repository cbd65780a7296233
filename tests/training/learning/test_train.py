"""Training: equal seeds give equal weights, and an interrupted run resumes to the same weights."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

from parlour.agents.networks.learned import LearnedAgent
from parlour.agents.registry import load_agent
from parlour.envs import GAMES, find_game
from parlour.training.evaluation.compare import evaluate
from parlour.training.learning.methods.ppo import PPORun
from parlour.training.learning.settings.command import parse
from parlour.training.learning.settings.files import preset, presets
from parlour.training.learning.settings.methods import PPOSettings, make_settings
from parlour.training.learning.train import Interrupted, main, resume, train
from tests.marks import slow_if
from tests.training.learning.runs import Killed, read_log, read_result

ROOT = Path(__file__).parents[3]
ROLLOUT = 16 * 16
SMALL = PPOSettings(
    variant="classic",
    network="embedding",
    width=16,
    depth=1,
    total_steps=6 * ROLLOUT,
    n_envs=16,
    n_steps=16,
    batch_size=64,
    n_epochs=2,
    eval_interval=2 * ROLLOUT,
    eval_deals=10,
    checkpoint_interval=ROLLOUT,
    device="cpu",
    name="small",
)


def trained(runs: Path, **changed: Any) -> Path:
    return train(replace(SMALL, runs=str(runs), **changed), quiet=True)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An uninterrupted run."""
    return trained(tmp_path_factory.mktemp("whole"))


def board(folder: Path, tag: str) -> list[tuple[int, float]]:
    actual = EventAccumulator(str(folder / "seed-0" / "tensorboard"), {"scalars": 0})
    actual.Reload()
    return [(event.step, event.value) for event in actual.Scalars(tag)]


def assert_same(folder: Path, whole: Path) -> None:
    """Check that a run has the weights, evaluations and log of the uninterrupted run."""
    for name in ("steps", "final", "evaluations", "weights_sha256"):
        assert read_result(folder)[name] == read_result(whole)[name], name
    assert read_log(folder) == read_log(whole)
    for tag in ("play/score", "train/value_loss", "eval/won"):
        assert board(folder, tag) == board(whole, tag)


def test_a_run_leaves_all_that_it_should(whole: Path) -> None:
    steps = [k * ROLLOUT for k in range(1, 7)]
    assert whole.name == "pyramid-classic-small"
    assert [line["steps"] for line in read_log(whole)] == steps
    assert [step for step, _ in board(whole, "play/won")] == steps
    assert [one["steps"] for one in read_result(whole)["evaluations"]] == steps[1::2]
    kept = sorted(path.name for path in (whole / "seed-0" / "checkpoints").iterdir())
    assert kept == [f"{step:012d}" for step in steps[-2:]]
    rules = json.loads((whole / "rules.json").read_text())
    pyramid = find_game("pyramid")
    assert rules["rules_digest"] == pyramid.rules_digest(pyramid.make_rules("classic"))
    split = read_result(whole)["seconds_by_phase"]
    assert set(split) == {
        "env", "forward", "distribution", "buffer", "update", "evaluation", "other"
    }  # fmt: skip
    assert all(seconds >= 0 for seconds in split.values())


def test_the_agent_of_a_run_plays(whole: Path) -> None:
    pyramid = find_game("pyramid")
    rules = pyramid.make_rules("classic")
    agent = load_agent(str(whole / "seed-0" / "agent"), pyramid, rules)
    assert isinstance(agent, LearnedAgent)
    actual = evaluate(
        pyramid, agent, variant="classic", deals=10, deal_set="pyramid-validation"
    ).estimate("score")
    assert actual.mean == read_result(whole)["final"]["score"]["mean"]
    assert agent.name == whole.name  # nothing that two runs could share


def test_equal_settings_give_equal_weights_and_another_seed_others(
    whole: Path, tmp_path: Path
) -> None:
    again = trained(tmp_path, seeds=(0, 1), eval_interval=0)
    assert read_result(again)["weights_sha256"] == read_result(whole)["weights_sha256"]
    assert read_result(again, 1)["weights_sha256"] != read_result(whole)["weights_sha256"]
    cards = [json.loads((again / f"seed-{k}/agent/agent.json").read_text()) for k in (0, 1)]
    assert [card["name"] for card in cards] == [f"{again.name}/seed-{k}" for k in (0, 1)]
    for seed, card in enumerate(cards):  # how long it took, for its model card
        assert 0 < card["trained"]["seconds"] <= read_result(again, seed)["seconds"] + 0.1
        assert card["trained"]["machine"]
    summary = json.loads((again / "result.json").read_text())
    scores = [read_result(again, seed)["final"]["score"]["mean"] for seed in (0, 1)]
    assert summary["score"]["by_seed"] == scores
    assert summary["score"]["standard_deviation"] == pytest.approx(np.std(scores, ddof=1))


def test_the_name_of_a_long_run_is_cut_in_the_middle() -> None:
    run = PPORun.__new__(PPORun)
    run.folder, run.settings = Path("a" * 100 + "-end") / "seed-7", replace(SMALL, seeds=(7, 8))
    name = run.agent_name
    assert len(name) == 80 and name.startswith("aaa") and name.endswith("-end/seed-7")


@pytest.mark.parametrize("after", [slow_if(after != 3, after) for after in (1, 3, 5)])
@pytest.mark.parametrize("where", ["checkpoint", "update"])
def test_killed_at_any_point_it_ends_bit_equal(
    after: int, where: str, whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    save, iterate = PPORun.save, PPORun.iterate

    def save_and_die(self: PPORun) -> None:
        save(self)
        if self.steps >= after * ROLLOUT:
            raise Killed

    def iterate_and_die(self: PPORun) -> dict[str, float]:
        values = iterate(self)
        if self.steps >= after * ROLLOUT:
            raise Killed
        return values

    with monkeypatch.context() as patch, pytest.raises(Killed):
        if where == "checkpoint":
            patch.setattr(PPORun, "save", save_and_die)
        else:
            patch.setattr(PPORun, "iterate", iterate_and_die)
        trained(tmp_path)
    np.random.seed(99)  # whatever the next process begins with
    assert resume(tmp_path / "pyramid-classic-small", quiet=True) == tmp_path / whole.name
    assert_same(tmp_path / whole.name, whole)


def test_a_damaged_checkpoint_is_passed_over(whole: Path, tmp_path: Path) -> None:
    folder = stopped(tmp_path, after=4)
    newest = sorted((folder / "seed-0" / "checkpoints").iterdir())[-1]
    arrays = newest / "arrays.npz"
    arrays.write_bytes(arrays.read_bytes()[:-200])
    (newest.parent / ".000000099999.part").mkdir()
    message = (
        r"damaged and is skipped: checkpoint file arrays.npz has changed: expected sha256 \w{64}"
    )
    with pytest.warns(UserWarning, match=message):
        resume(folder / "seed-0", quiet=True)
    assert_same(folder, whole)


def test_a_log_cut_short_is_made_whole(whole: Path, tmp_path: Path) -> None:
    folder = stopped(tmp_path, after=3)
    with (folder / "seed-0" / "progress.jsonl").open("a") as file:
        file.write('{"steps": 1024, "time": 1.0, "play/won": 0.0}\n{"steps": 1280, "ti')
    resume(folder, quiet=True)
    assert_same(folder, whole)


def stopped(runs: Path, after: int) -> Path:
    """Return a run that SIGINT stopped after a number of rollouts."""
    iterate, before = PPORun.iterate, signal.getsignal(signal.SIGINT)

    def interrupted(self: PPORun) -> dict[str, float]:
        values = iterate(self)
        if self.steps == after * ROLLOUT:
            os.kill(os.getpid(), signal.SIGINT)
        return values

    with pytest.MonkeyPatch.context() as patch, pytest.raises(Interrupted) as caught:
        patch.setattr(PPORun, "iterate", interrupted)
        trained(runs)
    folder = runs / "pyramid-classic-small"
    message = str(caught.value)
    agent = folder / "seed-0" / "agent"
    assert message.startswith(f"Interrupted. Checkpoint saved; current agent: {agent}. ")
    assert message.endswith(f". To resume: parlour train --resume {folder}")
    assert signal.getsignal(signal.SIGINT) is before
    return folder


def test_sigint_saves_and_resuming_ends_bit_equal(whole: Path, tmp_path: Path) -> None:
    folder = stopped(tmp_path, after=3)
    assert not (folder / "seed-0" / "result.json").exists()
    assert main(["--resume", str(folder)]) == 0
    assert_same(folder, whole)


def read_agent(folder: Path) -> dict[str, Any]:
    """Return the content of an agent's folder without its training time."""
    card = json.loads((folder / "agent.json").read_text())
    assert card["trained"].pop("seconds") > 0
    files = {file.name: file.read_bytes() for file in folder.iterdir()}
    return card | {"files": {**files, "agent.json": None}}


def test_a_run_resumed_at_its_very_end_saves_the_same_agent(tmp_path: Path) -> None:
    """Killed between its last checkpoint and its result, a run only has to save its result."""
    folder = trained(tmp_path)
    agent, digest = folder / "seed-0" / "agent", read_result(folder)["weights_sha256"]
    before = read_agent(agent)
    shutil.rmtree(agent)
    (folder / "seed-0" / "result.json").unlink()
    resume(folder, quiet=True)
    assert read_result(folder)["weights_sha256"] == digest
    assert read_agent(agent) == before


def test_training_can_begin_with_a_saved_agent(whole: Path, tmp_path: Path) -> None:
    start = {"initial": str(whole), "options": {"passes": 2}, "total_steps": ROLLOUT}
    second = trained(tmp_path, name="second", learning_rate=0.0, **start)
    assert read_result(second)["weights_sha256"] == read_result(whole)["weights_sha256"]
    with pytest.raises(
        ValueError, match="setting initial must name an agent with the same network, got "
    ):
        trained(tmp_path, name="third", width=32, **start)


@pytest.mark.parametrize(("network", "added"), [("ranks", 3), ("attention", 1)])
def test_training_can_add_relations_to_a_saved_agent(
    network: str, added: int, tmp_path: Path
) -> None:
    """The network with relations begins with the weights of the agent without them."""
    shape: dict[str, Any] = {"network": network, "width": 16, "depth": 1}
    first = trained(tmp_path, name="first", **shape)
    shape |= {"network_options": {"relations": True}, "initial": str(first), "learning_rate": 0.0}
    second = trained(tmp_path, name="second", **shape)
    game = find_game(SMALL.game)
    before, after = (
        LearnedAgent.load(folder / "seed-0" / "agent", game).network.state_dict()
        for folder in (first, second)
    )
    assert len(after) == len(before) + added
    assert all(torch.equal(after[name], weights) for name, weights in before.items())
    assert not after[
        "layers.0.receive.weight" if network == "ranks" else "layers.0.bias.weight"
    ].any()


def test_a_finished_run_is_not_trained_again(whole: Path) -> None:
    before = (whole / "seed-0" / "progress.jsonl").read_bytes()
    resume(whole, quiet=True)
    assert (whole / "seed-0" / "progress.jsonl").read_bytes() == before


def test_resuming_refuses_changed_rules_and_no_run(whole: Path, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="no run to resume"):
        resume(tmp_path)
    rules = json.loads((whole / "rules.json").read_text())
    (tmp_path / "settings.json").write_bytes((whole / "settings.json").read_bytes())
    (tmp_path / "rules.json").write_text(json.dumps(rules | {"features_digest": "0"}))
    with pytest.raises(ValueError, match="features_digest was '0' and is now"):
        resume(tmp_path)


def test_a_run_is_not_written_over(whole: Path) -> None:
    with pytest.raises(ValueError, match=r"already exists\. Choose another --name"):
        trained(whole.parent)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (
            {"network_options": {"foo": 1}},
            "network 'embedding' has no option 'foo'; its options: layer_norm",
        ),
        (
            {"network": "ranks", "network_options": {"foo": 1}},
            "network 'ranks' has no option 'foo'; its options: layer_norm, names_ranks, relations",
        ),
        ({"initial": "nowhere/at-all"}, r"nowhere.at-all.agent\.json: .*No such file"),
    ],
)
def test_a_run_that_cannot_begin_leaves_no_folder(
    wrong: dict[str, Any], message: str, tmp_path: Path
) -> None:
    for _ in range(2):  # the second time it does not say that the run exists
        with pytest.raises(ValueError, match=message):
            trained(tmp_path, **wrong)
    assert list(tmp_path.iterdir()) == []


def test_a_run_that_fails_later_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(self: PPORun) -> dict[str, float]:
        raise RuntimeError("a fault")

    monkeypatch.setattr(PPORun, "iterate", fail)
    with pytest.raises(RuntimeError, match="a fault"):
        trained(tmp_path)
    assert (tmp_path / "pyramid-classic-small" / "seed-0").is_dir()


@pytest.mark.parametrize("name", list(GAMES))
def test_every_game_has_settings_that_are_valid(name: str) -> None:
    for one in presets(name):
        assert preset(name, one).game == name


def test_command_line_changes_what_the_preset_says() -> None:
    words = ["pyramid", "--preset", "ppo", "--gae-lambda", "0.5", "--seeds", "3", "4"]
    given = parse([*words, "--options", "passes", "2", "undo", "yes"])
    expected = replace(preset("pyramid", "ppo"), gae_lambda=0.5, seeds=(3, 4))
    assert given == replace(expected, options={"passes": 2, "undo": "yes"})


def test_a_table_on_the_command_line_replaces_that_of_the_preset() -> None:
    base = preset("pyramid", "fine-tune")
    assert isinstance(base, PPOSettings) and base.network_options == {"relations": True}
    words = ["pyramid", "--preset", "fine-tune", "--network-options"]
    for pairs, options in (([], {}), (["relations", "no"], {"relations": "no"})):
        assert parse([*words, *pairs]) == replace(base, network_options=options)
    assert parse(words[:-1]) == base


@pytest.mark.parametrize(
    ("toml", "message"),
    [
        ("[default]\ngama = 0.9", "got 'gama'. Did you mean 'gamma'"),
        ("[default]\nvariant = 'clasic'", "got 'clasic'. Did you mean 'classic'"),
        ("[default.options]\npasses = 99", "passes must be an integer from 0 to 9, got 99"),
        ("[default]\nnetwork = 'mpl'", "got 'mpl'. Did you mean 'mlp'"),
        ("[default]\nn_envs = 0", "n_envs must be an integer from 1 to 1048576, got 0"),
        ("[default]\nn_envs = 'many'", "n_envs must be an integer, got 'many'"),
        (
            "[default]\nreward = 'money'",
            "reward must be one of 'progress', 'win', 'score', got 'mon",
        ),
        (
            "[default]\neval_interval = -5",
            "eval_interval must be an integer from 0 to 100000000000, got -5",
        ),
        ("[default]\ncheckpoint_interval = -1", "checkpoint_interval must be an integer from 1 "),
        ("[default]\nseeds = []", "seeds must be one or more different integers"),
        ("[default]\nseeds = [1, 1]", "seeds must be one or more different integers"),
        ("[default]\ngamma = 1.5", "gamma must be a number from 0 to 1, got 1.5"),
        (
            "[default]\nn_envs = 3\nn_steps = 3\nbatch_size = 4",
            "must not leave a minibatch of 1 timestep",
        ),
        ("[default\n", "toml"),
    ],
)
def test_wrong_settings_are_named(
    toml: str, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(toml)
    assert main(["pyramid", "--settings", str(file)]) == 2
    error = capsys.readouterr().err
    assert message in error and str(file) in error


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["piramid"], "got 'piramid'. Did you mean 'pyramid'"),
        (["pyramid", "--preset", "dmo"], "got 'dmo'. Did you mean 'demo'"),
        (["--resume", "nowhere"], "nowhere: no run to resume"),
        (
            ["pyramid", "--resume", "nowhere"],
            "--resume RUN must have no other argument than --allow-code",
        ),
        (["--resume"], "--resume must be followed by the folder of a run"),
        (["--variant", "clasic"], "got 'clasic'. Did you mean 'classic'? (see"),
        (
            ["--options", "passes", "99"],
            "error: option passes must be an integer from 0 to 9, got 99 (see",
        ),
        (["--gama", "0.9"], "of method 'ppo', got --gama. Did you mean --gamma? (see"),
        (["--lr", "1e-3"], "of method 'ppo', got --lr. Did you mean --learning-rate? (see"),
        (["--qq=1"], "error: argument must be a setting of method 'ppo', got --qq (see"),
        (["--n-envs", "many"], "error: n_envs must be an integer, got 'many' (see"),
        (["--n-envs=1.5"], "error: n_envs must be an integer, got '1.5' (see"),
        (["--seeds", "0", "b"], "error: seeds must be a list of integers, got 'b' (see"),
        (["--learning-rate", "fast"], "error: learning_rate must be a number, got 'fast' (see"),
        (["--reward", "money"], "error: reward must be one of progress, win, score, got 'money'"),
        (["--options", "passes"], "error: --options must have the form NAME VALUE ... (see"),
    ],
)
def test_wrong_words_are_named(
    words: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(words) == 2
    error = capsys.readouterr().err
    assert error.startswith("parlour: error: ") and error.count("\n") == 1
    assert message in error


def command(*words: str) -> list[str]:
    return [sys.executable, str(ROOT / "training" / "learning" / "train.py"), *words]


@pytest.mark.slow
def test_the_file_itself_runs_as_the_command_does() -> None:
    actual = subprocess.run(command("--help"), capture_output=True, text=True, check=True)
    assert "--learning-rate" in actual.stdout


@pytest.mark.slow
@pytest.mark.parametrize("method", ["ppo", "pqn"])
def test_killed_by_sigkill_at_random_moments(method: str, tmp_path: Path) -> None:
    defaults = make_settings(method).plain()
    small = {name: value for name, value in vars(SMALL).items() if name in defaults}
    small |= {"gamma": 1.0, "total_steps": 40 * ROLLOUT, "checkpoint_interval": 2 * ROLLOUT}
    settings = make_settings(method, **small | {"runs": str(tmp_path)})
    whole = train(replace(settings, runs=str(tmp_path / "whole")), quiet=True)
    ours = settings.plain()
    changed = {name: ours[name] for name in ours if ours[name] != defaults[name]}
    changed["method"] = method
    lines = [f"{name} = {json.dumps(value)}" for name, value in changed.items()]
    (tmp_path / "mine.toml").write_text("\n".join(["[default]", *lines]))
    folder = tmp_path / "pyramid-classic-small"
    rng = np.random.default_rng(int(time.time()))
    started, kills = ["pyramid", "--settings", str(tmp_path / "mine.toml")], 0
    while kills < 3:
        process = subprocess.Popen(command(*started), stderr=subprocess.DEVNULL)
        until = len(read_log(folder)) + int(rng.integers(2, 10)) if folder.exists() else 4
        while len(read_log(folder)) < until:
            assert process.poll() is None, "it ended before it was killed"
            time.sleep(float(rng.random()) / 20)
        process.kill()
        process.wait()
        kills += 1
        started = ["--resume", str(folder)]
    subprocess.run(command(*started), check=True, capture_output=True)
    assert_same(folder, whole)


@pytest.mark.slow
def test_a_short_run_learns(tmp_path: Path) -> None:
    settings = replace(
        preset("pyramid", "ppo"), total_steps=200_000, seeds=(0,), runs=str(tmp_path)
    )
    folder = train(settings, quiet=True)
    learned = evaluate("pyramid", str(folder / "seed-0" / "agent"), deals=2000).estimate("won")
    uniform = evaluate("pyramid", "uniform", deals=2000).estimate("won")
    assert learned.low > uniform.high
