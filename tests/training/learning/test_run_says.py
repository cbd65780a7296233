"""The output of a run: its first line, its progress, its learning curve, and its time limit."""

import json
import os
import re
import signal
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib.figure import Figure
from tqdm import tqdm

from parlour.agents.registry import load_agent
from parlour.envs import find_game
from parlour.envs.core.kernel.cards import deal_seeds
from parlour.training.cli.arguments import read_whole
from parlour.training.evaluation.play import play_deals
from parlour.training.files import seal, write_json
from parlour.training.learning import progress, summary
from parlour.training.learning.methods.ppo import PPORun
from parlour.training.learning.run import RESULT_FILE, validation_key
from parlour.training.learning.settings.base import list_settings
from parlour.training.learning.settings.command import (
    GROUPS,
    group_settings,
    parse,
    ungroup_settings,
)
from parlour.training.learning.settings.methods import SETTINGS, PPOSettings, make_settings
from parlour.training.learning.summary import TOO_LITTLE, plot_curve
from parlour.training.learning.train import Interrupted, describe_run, main, train

GAME = find_game("pyramid")
ROLLOUT = 16 * 16
SMALL = PPOSettings(
    variant="classic",
    width=16,
    depth=1,
    total_steps=3 * ROLLOUT,
    n_envs=16,
    n_steps=16,
    batch_size=64,
    n_epochs=1,
    eval_interval=ROLLOUT,
    eval_deals=10,
    device="cpu",
    name="small",
)
WORDS = "--variant classic --width 16 --n-envs 16 --n-steps 16 --batch-size 64 --eval-deals 10"


def test_a_run_begins_by_saying_what_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    words = f"pyramid --preset ppo --seeds 0 --name one --total-steps 5.12e2 --device cpu {WORDS}"
    assert main(words.split()) == 0
    message = capsys.readouterr()
    first = (
        "training pyramid classic with ppo on cpu: 512 timesteps, rounded up to whole updates; "
        "folder runs/pyramid-classic-one"
    )
    assert message.err.splitlines()[0] == first
    assert "learning curve: runs/pyramid-classic-one/curve.png" in message.out
    assert (tmp_path / "runs/pyramid-classic-one/curve.png").read_bytes().startswith(b"\x89PNG")
    result = json.loads((tmp_path / "runs/pyramid-classic-one/seed-0/result.json").read_text())
    rules = GAME.make_rules("classic")
    for name in ("uniform", "greedy"):
        played = play_deals(
            GAME,
            rules,
            load_agent(name, GAME, rules),
            deal_seeds("pyramid-validation", range(10)),
            max_moves=500,
            evaluation_seed=validation_key(0),
        )
        assert result["baselines"][name] == played.facts["won"].mean()


def test_the_picture_has_baselines_and_the_bound(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[Any] = []
    monkeypatch.setattr(summary, "plot_curve", lambda *given: seen.append(given[4]) or Figure())
    log = tmp_path / "seed-0"
    log.mkdir()
    fact = {"mean": 0.5}
    final = {"won": fact, "score": fact}
    result = {"steps": 1, "unit": "steps", "seconds": 1.0, "final": final}
    write_json(log / RESULT_FILE, seal(result | {"baselines": {"greedy": 0.25}}))
    settings = replace(SMALL, variant="three-passes")
    summary.summarise(settings, tmp_path)
    (name, greedy), (bound, winnable) = seen[0]
    assert (name, greedy, bound) == ("greedy", 0.25, "winnable, pyramid-1")
    assert 0.64 < winnable < 0.68  # as the README says
    write_json(log / RESULT_FILE, seal(result | {"baselines": {"greedy": "much"}}))
    with pytest.raises(ValueError, match=r"baselines\.greedy"):
        summary.summarise(settings, tmp_path)


def test_levels_are_lines_with_their_names(tmp_path: Path) -> None:
    figure = plot_curve(GAME, tmp_path, [0], "steps", [("greedy", 0.25), ("winnable", 0.5)])
    message = [text.get_text() for text in figure.axes[0].texts]
    assert {"greedy 25", "winnable 50"} <= set(message)
    levels = [line.get_ydata()[0] for line in figure.axes[0].lines if line.get_linestyle() == "--"]  # type: ignore[index]
    assert levels == [25, 50]
    near = plot_curve(GAME, tmp_path, [0], "steps", [("greedy", 0.5), ("uniform", 0.5), ("x", 0.6)])
    names = [text for text in near.axes[0].texts if "50" in text.get_text()]
    low, high = sorted(text.xy[1] for text in names)  # type: ignore[attr-defined]
    assert high - low >= 0.05 * np.ptp(near.axes[0].get_ylim())


def test_the_first_line_names_the_length_of_every_method() -> None:
    timed = replace(SMALL, minutes=1.5, seeds=(0, 1))
    message = describe_run(timed, Path("runs/x"))
    assert (
        "2 seeds, each 768 timesteps, rounded up to whole updates, at most 1.5 minutes; "
        "folder runs/x" in message
    )
    searched = make_settings("cma-es", game="poker_squares", generations=7)
    assert "with cma-es on cpu: 7 generations; " in describe_run(searched, Path("x"))


def test_minutes_end_a_run_whose_agent_plays(tmp_path: Path) -> None:
    begun = time.monotonic()
    folder = train(replace(SMALL, runs=str(tmp_path), total_steps=10**9, minutes=0.02), quiet=True)
    assert time.monotonic() - begun < 60
    assert (folder / RESULT_FILE).exists()
    assert load_agent(str(folder), GAME, GAME.make_rules("classic")).name == "pyramid-classic-small"
    last = progress.read(folder / "seed-0" / progress.FILE)[-1]
    assert last["train/entropy_weight"] < SMALL.ent_coef / 2  # the schedule ended with the minutes


def test_sigterm_leaves_an_agent_that_plays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    iterate = PPORun.iterate

    def ended(self: PPORun) -> dict[str, float]:
        os.kill(os.getpid(), signal.SIGTERM)
        return iterate(self)

    monkeypatch.setattr(PPORun, "iterate", ended)
    with pytest.raises(Interrupted) as caught:
        train(replace(SMALL, runs=str(tmp_path)), quiet=True)
    assert caught.value.signum == signal.SIGTERM
    folder = tmp_path / "pyramid-classic-small"
    assert f"current agent: {folder / 'seed-0' / 'agent'}. " in str(caught.value)
    assert load_agent(str(folder), GAME, GAME.make_rules("classic")).name == "pyramid-classic-small"


@pytest.mark.parametrize("note", ["won 37.1%, eval 38.0%", "score -124.50, eval 124.50"])
def test_progress_is_whole_at_80_columns(note: str) -> None:
    line = tqdm.format_meter(
        n=1_310_720,
        total=2_015_232,
        elapsed=4000.0,
        ncols=80,
        prefix="seed 10",
        unit=" steps",
        unit_scale=True,
        rate=2818.0,
        bar_format=progress.BAR,
        postfix=note,
    )
    assert line.endswith(note)
    assert len(line) <= 80
    assert re.search(r"\|.+\| 1\.31M/2\.02M 2\.82k steps/s 04:(09|10) left, ", line), line


def test_a_line_of_progress_fits_too(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: False)
    bar = progress.Bar("seed 10", 2_015_232, 0)
    bar.begun -= 400
    bar.update(1_310_720, "won 37.1%, eval 38.0%", always=True)
    (line,) = capsys.readouterr().err.splitlines()
    assert line.endswith("won 37.1%, eval 38.0%, 215 s left")
    assert len(line) <= 80


def test_a_limit_of_time_is_estimated_anew_each_time(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: False)
    bar = progress.Bar("seed 0", 2_000_000, 0)
    bar.begun -= 100  # the first steps took long
    bar.update(1000, "won 1%", always=True, seconds_left=50)
    bar.begun += 90
    bar.update(8000, "won 2%", always=True, seconds_left=40)
    slow, fast = capsys.readouterr().err.splitlines()
    assert "1,000/1," in slow and slow.endswith(", 50 s left")
    assert "8,000/3" in fast and fast.endswith(", 40 s left")


@pytest.mark.parametrize("text", ["1e6", "1_000_000", "1.0e+6", "1000000", "10E5"])
def test_numbers_as_people_write_them(text: str) -> None:
    for words in (["--total-steps", text], [f"--total-steps={text}"]):
        assert parse(["pyramid", *words]).total_steps == 10**6
    assert read_whole()(text) == 10**6


def test_files_and_python_take_them_too(tmp_path: Path) -> None:
    made = make_settings(total_steps=1e6, seeds=(0,), n_envs=64.0)
    assert (made.total_steps, made.n_envs) == (10**6, 64)
    assert type(made.total_steps) is int
    file = tmp_path / "mine.toml"
    file.write_text("[mine]\ntotal_steps = 2e5")
    words = ["pyramid", "--settings", str(file), "--preset", "mine"]
    assert parse(words).total_steps == 200_000
    with pytest.raises(ValueError, match=r"total_steps must be an integer, got 1\.5"):
        make_settings(total_steps=1.5)


@pytest.mark.parametrize("text", ["1.5", "1e-3", "1e999", "e6", "1.23e1"])
def test_what_is_no_whole_number_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=f"total_steps must be an integer, got {text!r}"):
        parse(["pyramid", "--total-steps", text])


@pytest.mark.parametrize("method", SETTINGS)
def test_every_setting_stands_in_one_group(method: str) -> None:
    games = {
        "selfplay": "seven_twenty_seven",
        "td": "poker_squares",
        "plan-td": "klondike",
        "plan-search": "klondike",
    }
    base = make_settings(method, game=games.get(method, "pyramid"))
    grouped: Any = group_settings(base)
    assert ungroup_settings(grouped) == {
        name: getattr(base, name) for name in list_settings(type(base))
    }
    assert list(vars(grouped))[-1] == method.replace("-", "_")
    named = [name for names in GROUPS.values() for name in names]
    assert len(named) == len(set(named))
    assert set(named) <= {name for one in SETTINGS.values() for name in list_settings(one)}


def test_help_shows_the_groups(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        parse(["pyramid", "--method", "ppo", "--help"])
    heads = re.findall(r"^\W*(\w+) options\b\W*$", capsys.readouterr().out, re.MULTILINE)
    assert heads == [*GROUPS, "ppo"]


def words_in(figure: Figure) -> str:
    return " ".join(text.get_text() for text in figure.axes[0].texts)


def test_pictures_say_when_there_is_too_little_to_draw(tmp_path: Path) -> None:
    log = tmp_path / "seed-0" / progress.FILE
    log.parent.mkdir()
    line = '{"steps": %d, "time": 1.0, "play/won": 0.5, "eval/won": 0.25}\n'
    log.write_text(line % 1)
    assert TOO_LITTLE in words_in(plot_curve(GAME, tmp_path, [0]))
    log.write_text(line % 1 + line % 2)
    figure = plot_curve(GAME, tmp_path, [0])
    assert TOO_LITTLE not in words_in(figure)
    assert figure.axes[0].lines[1].get_ydata().tolist() == [25.0, 25.0]  # type: ignore[union-attr]
