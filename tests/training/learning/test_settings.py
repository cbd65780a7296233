"""Settings by method: what a method has not is refused by name; old names go on for a release."""

import json
import re
import warnings
from dataclasses import fields, replace
from pathlib import Path
from typing import Any, get_type_hints

import pytest

from parlour.envs import GAMES
from parlour.training import Settings, make_settings, preset
from parlour.training.learning.limits import Range
from parlour.training.learning.settings import (
    CloningSettings,
    DistillSettings,
    LearnerSettings,
    LookaheadSettings,
    PolicySearchSettings,
    PPOSettings,
    PQNSettings,
    SelfplaySettings,
    TDSettings,
)
from parlour.training.learning.settings_command import parse
from parlour.training.learning.settings_files import plain, read_saved
from parlour.training.learning.settings_names import DROPPED, METHODS, RENAMED, WARM_UPS
from parlour.training.learning.train import main

ROOT = Path(__file__).parents[3]
EXAMPLES: tuple[Settings, ...] = (
    PPOSettings(clip_range=0.3, curriculum=0.25, options={"passes": 2}),
    LookaheadSettings(warm_up=0.7, ent_coef=0.2),
    CloningSettings(lessons=0.6, teacher="pimc@8", vf_coef=0.1),
    DistillSettings(teacher="mcts@200", temperature=0.5),
    PQNSettings(epsilon=0.3, layer_norm=False),
    SelfplaySettings(game="seven_twenty_seven", opponents=("tight", "loose")),
    TDSettings(game="poker_squares", pretrain=0.4, seeds=(3, 4)),
    PolicySearchSettings(game="poker_squares", generations=3),
)


LATER = {"distill", "pqn"}
"""Methods that came when each had settings of its own."""


def as_of_old(settings: Settings) -> dict[str, Any]:
    """What a run kept when one dataclass had the settings of all methods, by other names."""
    old: dict[str, Any] = {"warm_up": 0.2}
    for kind in METHODS.values():
        if kind.method in LATER:
            continue
        game = "poker_squares" if kind is TDSettings else "pyramid"
        old = plain(kind(game=game)) | old
    old |= plain(settings)
    later = ["minutes", "critic", "variants", "option_sets", "option_names", "option_split"]
    later += ["magnet_coef", "magnet_rate", "magnet_interval", "precision"]
    later += ["pretrain_agent", "adaptive", "average", "actors", "backend", "address"]
    later += ["base", "lift", "samples"]
    for name in later:
        del old[name]  # which they had not yet
    old |= dict.fromkeys(DROPPED, 3)
    for was, now in RENAMED.items():
        old[was] = old.pop(now)
    own = WARM_UPS.get(settings.method)
    for now in WARM_UPS.values():
        value = old.pop(now)
        if now == own:
            old["warm_up"] = value
    found: dict[str, Any] = json.loads(json.dumps(old))
    return found


@pytest.mark.parametrize("settings", EXAMPLES, ids=lambda one: one.method)
def test_runs_of_any_version_keep_their_settings_in_silence(settings: Settings) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert read_saved(json.loads(json.dumps(plain(settings))), "here") == settings
        if settings.method in LATER:
            return
        old = as_of_old(settings)
        assert len(old) == 52 and {"clip", "warm_up", "generations"} <= set(old)
        found = read_saved(old, "here")
        assert getattr(found, "precision", "highest") == "highest"  # by what they learned
        if isinstance(settings, LearnerSettings):
            found = replace(found, precision=settings.precision)
        assert found == settings


def test_settings_of_the_agents_that_come_along_are_read() -> None:
    cards = sorted((ROOT / "agents" / "trained").glob("*/agent.json"))
    assert len(cards) == len(list((ROOT / "agents" / "trained").glob("*/"))) > 0
    for card in cards:
        trained = json.loads(card.read_text())["trained"]["settings"]
        found = read_saved(trained, "here")
        assert (found.method, found.reward) == (trained["method"], trained["reward"])
        if isinstance(found, TDSettings):
            assert found.pretrain == trained.get("pretrain", trained.get("warm_up"))


def test_a_run_of_unknown_settings_is_refused() -> None:
    for wrong in ({"odd one": 1}, {"method": "magic"}, {"method": []}, {"warm_up": 2.0}):
        with pytest.raises(ValueError, match=r"^here: (unknown|method=|lessons=2\.0)"):
            read_saved({"method": "cloning"} | wrong, "here")


FOREIGN = [
    ("ppo", "generations", "weights"),
    ("ppo", "warm_up", "lookahead"),
    ("lookahead", "lessons", "cloning, selfplay"),
    ("cloning", "curriculum", "ppo"),
    ("pqn", "clip_range", "ppo, lookahead, cloning, selfplay"),
    ("selfplay", "max_moves", "ppo, lookahead, cloning, distill, pqn, values, weights"),
    ("values", "gamma", "ppo, lookahead, cloning, pqn, selfplay"),
    ("weights", "eval_interval", "ppo, lookahead, cloning, distill, pqn, selfplay, values"),
]


@pytest.mark.parametrize(("method", "name", "users"), FOREIGN)
def test_what_a_method_does_not_use_is_refused_by_name(
    method: str, name: str, users: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    said = f"method '{method}' does not use it; it is of {users}"
    made = next(one for one in EXAMPLES if one.method == method)
    with pytest.raises(ValueError, match=f"^setting '{name}': {said}$"):
        make_settings(method, **{name: 1})
    with pytest.raises(ValueError, match=f"^setting '{name}': {said}$"):
        replace(made, **{name: 1})
    file = tmp_path / "mine.toml"
    for start, table in (("[default]", "default"), ("[default]\n[mine]", "mine")):
        file.write_text(f"{start}\nmethod = '{method}'\n{name} = 1")
        with pytest.raises(ValueError, match=rf"\[{table}\]: setting '{name}': {said}$"):
            preset(made.game, table, file)
    flag = f"--{name.replace('_', '-')}"
    assert main([made.game, "--method", method, flag, "1"]) == 2
    assert capsys.readouterr().err.startswith(f"parlour: error: {flag}: {said} (see")


def test_presets_of_several_methods_share_one_default(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(
        "[default]\ngenerations = 7\nn_envs = 32\n[search]\nmethod = 'weights'\n[other]\nwidth = 8"
    )
    found = preset("pyramid", "search", file)
    assert isinstance(found, PolicySearchSettings) and found.generations == 7
    other = preset("pyramid", "other", file)
    assert isinstance(other, PPOSettings) and (other.n_envs, other.width) == (32, 8)
    file.write_text("[default]\ngenerations = 7")
    alone = preset("pyramid", file=file, method="weights")
    assert isinstance(alone, PolicySearchSettings) and alone.generations == 7


def test_another_method_takes_what_it_has_in_common_with_the_preset() -> None:
    long = preset("pyramid", "long")
    assert isinstance(long, LookaheadSettings) and long.warm_up == 0.15
    taught = preset("pyramid", "long", method="cloning")
    assert isinstance(taught, CloningSettings)
    assert (taught.network, taught.study, taught.lessons) == ("bonds", 0.5, 0.2)
    assert taught == parse(["pyramid", "--preset", "long", "--method", "cloning"], pytest.fail)


def test_a_preset_of_another_method_may_be_set_right_by_the_words(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text("[default]\ngamma = 0.9")
    words = ["pyramid", "--settings", str(file), "--method", "lookahead"]
    with pytest.raises(ValueError, match=r"gamma=0\.9: method 'lookahead' plays undiscounted"):
        parse(words, pytest.fail)
    assert isinstance(parse([*words, "--gamma", "1"], pytest.fail), LookaheadSettings)
    file.write_text("[default]\nn_envs = 'many'")
    with pytest.raises(ValueError, match=rf"{file} \[default\]: n_envs='many'"):
        parse(words, pytest.fail)


OLD = [
    *(("ppo", was, now) for was, now in RENAMED.items()),
    *((method, "warm_up", now) for method, now in WARM_UPS.items()),
]


@pytest.mark.parametrize(("method", "was", "now"), OLD)
def test_old_names_are_taken_with_a_notice(
    method: str, was: str, now: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    game = "poker_squares" if method == "values" else "pyramid"
    wanted = make_settings(method, game=game, **{now: 0.125})
    said = f"setting '{was}' is now '{now}'; the old name goes with the next release"
    file = tmp_path / "mine.toml"
    file.write_text(f"[default]\nmethod = '{method}'\n[mine]\n{was} = 0.125")
    for make, text in (
        (lambda: make_settings(method, game=game, **{was: 0.125}), said),
        (lambda: METHODS[method](game=game, **{was: 0.125}), said),
        (lambda: replace(make_settings(method, game=game), **{was: 0.125}), said),
        (lambda: preset(game, "mine", file), f"{file} [mine]: {said}"),
    ):
        with pytest.warns(FutureWarning) as caught:
            assert make() == wanted
        assert [(str(one.message), one.filename) for one in caught] == [(text, __file__)]
    flags = [f"--{name.replace('_', '-')}" for name in (was, now)]
    notices: list[str] = []
    words = [game, "--settings", str(file), "--preset", "default", "--method", method]
    for given in ([flags[0], "0.125"], [f"{flags[0]}=0.125"]):
        assert parse([*words, *given], notices.append) == wanted
    told = f"{flags[0]} is now {flags[1]}; the old name goes with the next release"
    assert notices == [told, told]
    with pytest.raises(ValueError, match=f"{flags[0]} and {flags[1]} are one"):
        parse([*words, flags[0], "0.1", flags[1], "0.1"], notices.append)
    file.write_text(f"{file.read_text()}\n{now} = 0.125")
    with pytest.raises(ValueError, match=rf"\[mine\]: settings '{was}' and '{now}' are one"):
        preset(game, "mine", file)
    assert main([*words, flags[0], "700"]) == 2
    rows = capsys.readouterr().err.splitlines()
    assert rows[0] == f"parlour: notice: {told}" and len(rows) == 2
    assert rows[1].startswith(f"parlour: error: {now}=700.0: allowed are numbers from 0")


@pytest.mark.parametrize("method", list(METHODS))
def test_help_shows_the_settings_of_one_method(
    method: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as left:
        main(["pyramid", "--method", method, "--help"])
    assert left.value.code == 0
    said = capsys.readouterr().out
    own = {one.name for one in fields(METHODS[method])}
    every = {one.name for kind in METHODS.values() for one in fields(kind)}
    flags = re.findall(r"^\W+--([a-z][a-z-]*)", said, re.MULTILINE)
    shown = {flag.replace("-", "_") for flag in flags}
    assert shown == own < every
    assert f"settings of method {method}." in said
    assert all(f"- {name}: " in said for name in METHODS)


def test_every_number_has_its_range_beside_it() -> None:
    for kind in METHODS.values():
        bare, full = get_type_hints(kind), get_type_hints(kind, include_extras=True)
        for one in fields(kind):
            marks = getattr(full[one.name], "__metadata__", ())
            limited = any(isinstance(mark, Range) for mark in marks)
            assert limited == (bare[one.name] in (int, float) and one.name != "population")


def test_settings_are_of_a_method() -> None:
    with pytest.raises(TypeError, match="Settings is of no method: use make_settings"):
        Settings()
    with pytest.raises(ValueError, match="unknown method 'pp'; did you mean 'ppo'"):
        make_settings("pp")
    with pytest.raises(ValueError, match="unknown method 'pp'"):
        preset("pyramid", method="pp")
    with pytest.raises(ValueError, match=r"method='values': use make_settings\(METHOD"):
        replace(EXAMPLES[0], method="values")
    with pytest.raises(ValueError, match="unknown setting 'gama'; did you mean 'gamma'"):
        make_settings(gama=1.0)
    assert [one.method for one in EXAMPLES] == list(METHODS)
    assert all(preset(name).game == name for name in GAMES)
