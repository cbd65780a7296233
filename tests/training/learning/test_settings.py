"""Settings by method, and errors for settings that a method does not use."""

import json
import re
from dataclasses import fields
from pathlib import Path
from typing import get_type_hints

import pytest

from parlour.envs import GAMES
from parlour.training import Settings, make_settings, preset
from parlour.training.learning.settings.base import Range, list_settings
from parlour.training.learning.settings.command import parse
from parlour.training.learning.settings.files import read_saved
from parlour.training.learning.settings.methods import (
    SETTINGS,
    CmaEsSettings,
    DistillSettings,
    PlanSearchSettings,
    PlanTDSettings,
    PPOSettings,
    PQNSettings,
    SelfplaySettings,
    TDSettings,
)
from parlour.training.learning.train import main

ROOT = Path(__file__).parents[3]
EXAMPLES: tuple[Settings, ...] = (
    PPOSettings(clip_range=0.3, options={"passes": 2}),
    DistillSettings(teacher="mcts@200", temperature=0.5),
    PQNSettings(epsilon=0.3, layer_norm=False),
    SelfplaySettings(game="seven_twenty_seven", opponents=("tight", "loose")),
    TDSettings(game="poker_squares", pretrain=0.4, seeds=(3, 4)),
    PlanTDSettings(game="klondike", games=100, td_lambda=0.5),
    PlanSearchSettings(game="klondike", games=50, search_iterations=100),
    CmaEsSettings(game="poker_squares", generations=3),
)


@pytest.mark.parametrize("settings", EXAMPLES, ids=lambda one: one.method)
def test_a_run_reads_the_settings_that_it_saved(settings: Settings) -> None:
    assert read_saved(json.loads(json.dumps(settings.plain())), "here") == settings


def test_settings_of_the_agents_that_come_along_are_read() -> None:
    cards = sorted((ROOT / "agents" / "pretrained").glob("*/agent.json"))
    assert len(cards) == len(list((ROOT / "agents" / "pretrained").glob("*/"))) > 0
    for card in cards:
        trained = json.loads(card.read_text())["trained"]["settings"]
        result = read_saved(trained, "here")
        assert (result.method, result.reward) == (trained["method"], trained["reward"])
        assert result.plain() == {"method": result.method} | {
            name: tuple(value) if isinstance(value, list) else value
            for name, value in trained.items()
        }  # nothing is missing, nothing is left out


def test_a_run_of_unknown_settings_is_refused() -> None:
    for wrong in ({"odd one": 1}, {"method": "magic"}, {"method": []}, {"explore": 2.0}):
        with pytest.raises(
            ValueError, match=r"^here: (setting must be one of|method must be|explore must be)"
        ):
            read_saved({"method": "distill"} | wrong, "here")
    with pytest.raises(ValueError, match=r"^here: method 'distill' does not use setting 'epsilon'"):
        read_saved({"method": "distill", "epsilon": 0.5}, "here")


FOREIGN = [
    ("ppo", "generations", "cma-es"),
    ("ppo", "teacher", "distill"),
    ("pqn", "clip_range", "ppo, selfplay"),
    ("selfplay", "max_moves", "ppo, distill, pqn, td, plan-td, plan-search, cma-es"),
    ("td", "gamma", "ppo, pqn, selfplay"),
    ("cma-es", "eval_interval", "ppo, distill, pqn, selfplay, td, plan-td, plan-search"),
]


@pytest.mark.parametrize(("method", "name", "users"), FOREIGN)
def test_what_a_method_does_not_use_is_refused_by_name(
    method: str, name: str, users: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    message = f"method '{method}' does not use setting '{name}', which belongs to {users}"
    made = next(one for one in EXAMPLES if one.method == method)
    with pytest.raises(ValueError, match=f"^{message}$"):
        make_settings(method, **{name: 1})
    file = tmp_path / "mine.toml"
    for start, table in (("[default]", "default"), ("[default]\n[mine]", "mine")):
        file.write_text(f"{start}\nmethod = '{method}'\n{name} = 1")
        with pytest.raises(ValueError, match=rf"\[{table}\]: {message}$"):
            preset(made.game, table, file)
    flag = f"--{name.replace('_', '-')}"
    assert main([made.game, "--method", method, flag, "1"]) == 2
    of_flag = message.replace(f"setting '{name}'", flag)
    assert capsys.readouterr().err.startswith(f"parlour: error: {of_flag} (see")


def test_presets_of_several_methods_share_one_default(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(
        "[default]\ngenerations = 7\nn_envs = 32\n[search]\nmethod = 'cma-es'\n[other]\nwidth = 8"
    )
    result = preset("pyramid", "search", file)
    assert isinstance(result, CmaEsSettings) and result.generations == 7
    other = preset("pyramid", "other", file)
    assert isinstance(other, PPOSettings) and (other.n_envs, other.width) == (32, 8)
    file.write_text("[default]\ngenerations = 7")
    alone = preset("pyramid", file=file, method="cma-es")
    assert isinstance(alone, CmaEsSettings) and alone.generations == 7


def test_another_method_takes_what_it_has_in_common_with_the_preset() -> None:
    demo = preset("pyramid", "demo")
    assert isinstance(demo, DistillSettings) and demo.teacher_share == 0.3
    taught = preset("pyramid", "demo", method="pqn")
    assert isinstance(taught, PQNSettings)
    assert (taught.network, taught.n_steps, taught.epsilon) == ("ranks", 16, 0.5)
    assert taught == parse(["pyramid", "--preset", "demo", "--method", "pqn"])


def test_a_preset_of_another_method_may_be_set_right_by_the_words(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text("[default]\nreward = 'win'")
    words = ["poker_squares", "--settings", str(file), "--method", "td"]
    with pytest.raises(ValueError, match=r"reward must be 'progress' for method 'td', got 'win'"):
        parse(words)
    assert isinstance(parse([*words, "--reward", "progress"]), TDSettings)
    file.write_text("[default]\nn_envs = 'many'")
    with pytest.raises(ValueError, match=rf"{file} \[default\]: n_envs must be .*, got 'many'"):
        parse(["pyramid", "--settings", str(file), "--method", "pqn"])


@pytest.mark.parametrize("method", list(SETTINGS))
def test_help_shows_the_settings_of_one_method(
    method: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as left:
        main(["pyramid", "--method", method, "--help"])
    assert left.value.code == 0
    message = capsys.readouterr().out
    own = set(list_settings(SETTINGS[method]))
    every = {name for one in SETTINGS.values() for name in list_settings(one)}
    flags = re.findall(r"^\W+--([a-z][a-z-]*)", message, re.MULTILINE)
    shown = {flag.replace("-", "_") for flag in flags}
    assert shown == own < every
    assert f"The settings below are those of method {method}." in message
    assert all(f"- {name}: " in message for name in SETTINGS)


def test_every_number_has_its_range_beside_it() -> None:
    for kind in SETTINGS.values():
        bare, full = get_type_hints(kind), get_type_hints(kind, include_extras=True)
        for one in fields(kind):
            marks = getattr(full[one.name], "__metadata__", ())
            limited = any(isinstance(mark, Range) for mark in marks)
            assert limited == (bare[one.name] in (int, float) and one.name != "population")


def test_help_shows_without_a_check_of_the_other_words(capsys: pytest.CaptureFixture[str]) -> None:
    for words in (["--lr", "1"], ["--n-envs", "many"], ["--teacher", "pimc"]):
        with pytest.raises(SystemExit) as left:
            main(["pyramid", *words, "--help"])
        assert left.value.code == 0 and "(default: pyramid)" in capsys.readouterr().out


def test_the_error_for_an_unknown_setting_suggests_one() -> None:
    with pytest.raises(ValueError, match=r"got 'lr'. Did you mean 'learning_rate'\?$"):
        make_settings("ppo", lr=1e-3)
    with pytest.raises(ValueError, match=r"got 'timesteps'. Did you mean 'total_steps'\?$"):
        make_settings("ppo", timesteps=1000)


def test_settings_are_of_a_method() -> None:
    with pytest.raises(ValueError, match=r"method must be .*, got 'pp'. Did you mean 'ppo'"):
        make_settings("pp")
    with pytest.raises(ValueError, match=r"method must be .*, got 'pp'"):
        preset("pyramid", method="pp")
    with pytest.raises(ValueError, match=r"setting must be .*, got 'gama'. Did you mean 'gamma'"):
        make_settings(gama=1.0)
    assert [one.method for one in EXAMPLES] == list(SETTINGS)
    assert all(preset(name).game == name for name in GAMES)
