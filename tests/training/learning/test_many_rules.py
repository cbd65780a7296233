"""A run with many rules resumes to the same weights, and its agent plays all of them."""

import json
import signal
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from parlour.agents import saved as artefact
from parlour.agents.networks.learned import LearnedAgent
from parlour.agents.registry import load_agent
from parlour.agents.saved import SavedAgentError, read_rules
from parlour.envs import CardVectorEnv, find_game
from parlour.envs.core.rules_table import draw_option_sets
from parlour.envs.interfaces.sb3 import CardVecEnv
from parlour.training.cli.main import main as parlour
from parlour.training.evaluation.play import play_deals
from parlour.training.learning.methods import ppo
from parlour.training.learning.methods.ppo import PPORun
from parlour.training.learning.run import Stop, interleave
from parlour.training.learning.settings.command import parse
from parlour.training.learning.settings.methods import PPOSettings, make_settings
from parlour.training.learning.train import main, resume, train
from tests.training.learning.runs import read_result

GAME = find_game("pyramid")
NAMES = ("classic", "book", "web")
ROLLOUT = 16 * 16
SMALL = PPOSettings(
    variants=NAMES,
    width=16,
    depth=1,
    total_steps=3 * ROLLOUT,
    n_envs=16,
    n_steps=16,
    batch_size=64,
    n_epochs=1,
    eval_interval=ROLLOUT,
    eval_deals=8,
    checkpoint_interval=ROLLOUT,
    device="cpu",
    name="small",
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return train(replace(SMALL, runs=str(tmp_path_factory.mktemp("runs"))), quiet=True)


def test_its_agent_plays_any_of_the_rules_and_refuses_others(folder: Path) -> None:
    assert folder.name == "pyramid-many-small"
    wanted = tuple(GAME.make_rules(name) for name in NAMES)
    agent = folder / "seed-0" / "agent"
    assert read_rules(agent, GAME) == wanted
    for rules in wanted:
        for allow_rules_mismatch in (False, True):
            actual = load_agent(str(folder), GAME, rules, allow_rules_mismatch=allow_rules_mismatch)
            assert not getattr(actual, "other_rules", False)
    other = GAME.make_rules("book", {"passes": 2})
    with pytest.raises(
        SavedAgentError, match="other rules: 3 sets of rules, the nearest with passes 3, not 2"
    ):
        load_agent(str(folder), GAME, other)
    assert load_agent(str(folder), GAME, other, allow_rules_mismatch=True).other_rules  # type: ignore[attr-defined]
    card = json.loads((agent / "agent.json").read_text())
    assert card["variant"] is None and len(card["more_rules"]) == 2


def test_it_plays_as_the_one_that_comes_along_where_a_variant_has_none_of_its_own(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    many, own = tmp_path / "pyramid-many", tmp_path / f"pyramid-{NAMES[0]}"
    many.symlink_to(folder / "seed-0" / "agent")
    own.mkdir()
    monkeypatch.setattr(artefact, "PRETRAINED_FOLDER", tmp_path)
    actual = [artefact.find_pretrained_folder(GAME, GAME.make_rules(name)) for name in NAMES]
    assert actual == [own, *[many] * (len(NAMES) - 1)]
    other = GAME.make_rules("book", {"passes": 2})
    with pytest.raises(ValueError, match="Parlour has no pretrained agent for these rules"):
        load_agent("pretrained", GAME, other)
    assert load_agent("pretrained", GAME, other, allow_rules_mismatch=True).other_rules  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"more_rules": 3}, "field more_rules must be a list of objects, got 3"),
        ({"more_rules": [{"rules": {}}]}, "field more_rules.0.rules_digest"),
        ({"more_rules": [{"rules": {}, "rules_digest": "0" * 16}]}, "rules digest .* got 0000"),
        (
            {"more_rules": [{"rules": {"passes": 77}, "rules_digest": ""}]},
            "option passes must be an integer from 0 to 9, got 77",
        ),
        (
            {"more_rules": [{"rules": {}, "rules_digest": "", "x": 1}]},
            "field must be one of more_rules.0.rules, .*, got 'more_rules.0.x'",
        ),
    ],
    ids=str,
)
def test_wrong_rules_in_its_file_are_refused(
    folder: Path, change: dict[str, Any], message: str, tmp_path: Path
) -> None:
    source = folder / "seed-0" / "agent"
    card = json.loads((source / "agent.json").read_text()) | change
    (tmp_path / "agent.json").write_text(json.dumps(card))
    (tmp_path / "weights.safetensors").write_bytes((source / "weights.safetensors").read_bytes())
    with pytest.raises(SavedAgentError, match=message):
        LearnedAgent.load(tmp_path, GAME)


def test_a_stopped_run_goes_on_to_the_same_weights(folder: Path, tmp_path: Path) -> None:
    class Stopping(PPORun):
        def save(self) -> None:
            super().save()
            asked.asked = signal.SIGINT

    settings, asked = replace(SMALL, runs=str(tmp_path)), Stop()
    other = tmp_path / folder.name
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ppo, "METHOD", Stopping)
        patch.setattr("parlour.training.learning.train.Stop", lambda: asked)
        with pytest.raises(KeyboardInterrupt):
            train(settings, quiet=True)
    assert not (other / "seed-0" / "result.json").exists()
    resume(other, quiet=True)
    for name in ("steps", "final", "evaluations", "weights_sha256"):
        assert read_result(other)[name] == read_result(folder)[name], name


def test_a_run_whose_rules_have_changed_is_not_resumed(folder: Path, tmp_path: Path) -> None:
    saved = json.loads((folder / "rules.json").read_text())
    assert [one["rules_digest"] for one in saved["more_rules"]] == [
        GAME.rules_digest(GAME.make_rules(name)) for name in NAMES[1:]
    ]
    for name in ("settings.json", "rules.json"):
        (tmp_path / name).write_text((folder / name).read_text())
    saved["more_rules"][1]["rules"]["passes"] = 5
    (tmp_path / "rules.json").write_text(json.dumps(saved))
    with pytest.raises(ValueError, match=r"more_rules was .* The game has changed"):
        resume(tmp_path, quiet=True)


def test_it_is_compared_on_all_its_rules(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["compare", "pyramid", "--agents", "greedy", str(folder), "--deals", "5", "--json"]
    assert parlour([*words, "--variant", *NAMES]) == 0
    actual = json.loads(capsys.readouterr().out)["results"]
    assert [one["variant"] for one in actual[::2]] == list(NAMES)
    assert not any(one["other_rules"] for one in actual)
    assert parlour([*words, "--variant", "all"]) == 2
    assert "trained on other rules: 3 sets of rules" in capsys.readouterr().err
    assert parlour([*words, "--variant", "all", "--allow-rules-mismatch"]) == 0
    actual = json.loads(capsys.readouterr().out)["results"][1::2]
    assert [one["variant"] for one in actual if not one["other_rules"]] == [
        name for name in GAME.variants if name in NAMES
    ]


def test_validation_deals_go_round_the_rules() -> None:
    agent = load_agent("greedy", GAME, GAME.make_rules())
    seeds = np.arange(2**63, 2**63 + 11, dtype=np.uint64)
    rules = [GAME.make_rules(name) for name in NAMES]
    parts = [play_deals(GAME, one, agent, seeds[i::3]) for i, one in enumerate(rules)]
    actual = interleave(parts, 11)
    for deal in range(11):
        alone = play_deals(GAME, rules[deal % 3], agent, seeds[deal : deal + 1])
        for name, values in actual.facts.items():
            assert values[deal] == alone.facts[name][0], name
    assert "stuck" in parts[2].facts and "stuck" not in actual.facts
    assert actual.decisions == sum(part.decisions for part in parts)


def test_all_stands_for_every_variant_for_as_many_players() -> None:
    squares = find_game("poker_squares")
    table = PPOSettings(game="poker_squares", variants=("all",)).list_rules()
    assert table.rules == tuple(squares.make_rules(name) for name in ("book", "classic", "british"))
    beside = replace(SMALL, options={"passes": 7}).list_rules().rules
    assert [one.passes for one in beside] == [7, 7, 7]
    parsed = parse(["pyramid", "--variants", "classic", "book"])
    assert isinstance(parsed, PPOSettings) and parsed.variants == ("classic", "book")


def test_halves_of_the_option_sets_have_nothing_in_common_and_stay() -> None:
    base = GAME.make_rules("three-passes")
    whole, even, odd = (
        draw_option_sets(GAME, base, 40, (), split) for split in ("all", "even", "odd")
    )
    assert even == whole[::2] and odd == whole[1::2] and not set(even) & set(odd)
    assert draw_option_sets(GAME, base, 10) == whole[:10]
    run = PPOSettings(option_sets=40, option_split="odd", eval_deals=20).list_rules()
    assert list(run.rules) == odd
    for one in whole:
        GAME.check(one)
    squares = find_game("poker_squares")
    named = {"scoring": "custom", "starter": True}
    sets = PPOSettings(game="poker_squares", option_sets=9, option_names=("points",), options=named)
    actual = sets.list_rules().rules
    assert len({one.points for one in actual}) == 9
    assert {one._replace(points=()) for one in actual} == {
        squares.make_rules(None, named)._replace(points=())
    }
    both = PPOSettings(variants=("book", "web"), option_sets=3).list_rules().rules
    assert both[:2] == (GAME.make_rules("book"), GAME.make_rules("web")) and len(both) == 5


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"variants": ("bok",)}, "got 'bok'"),
        ({"variants": ("book", "book")}, "variants must be different, got book twice"),
        ({"variants": ("all", "book")}, "variants must not combine 'all'"),
        (
            {"variants": ("book", "web"), "critic": "cards"},
            "critic must be 'own' with variants or option_sets, got 'cards'",
        ),
        (
            {"option_names": ("undo",)},
            r"option_names requires option_sets of 1 or more, got option_names=\('undo',\)",
        ),
        (
            {"option_split": "odd"},
            "option_split requires option_sets of 1 or more, got option_split='odd'",
        ),
        ({"option_sets": 2, "option_split": "left"}, "option_split must be one of .*, got 'left'"),
        ({"option_sets": 2, "option_names": ("undoo",)}, "got 'undoo'"),
        (
            {"option_sets": 5, "option_names": ("undo",)},
            "number of option sets must be at most 2, ",
        ),
        ({"option_sets": -1}, "option_sets must be an integer from 0 to 10000, got -1"),
        (
            {"variants": ("book", "web", "classic"), "eval_deals": 2},
            "eval_deals must be at least 3, one deal for each set of rules, got 2",
        ),
    ],
    ids=str,
)
def test_settings_that_make_no_sense_are_refused(given: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        PPOSettings(**given).list_rules()


def test_other_methods_refuse_them_by_name() -> None:
    with pytest.raises(ValueError, match="method 'pqn' does not use setting 'variants'"):
        make_settings("pqn", variants=("book",))
    with pytest.raises(ValueError, match="which belongs to ppo, distill"):
        make_settings("pqn", option_sets=3)


def test_a_run_that_cannot_begin_leaves_no_folder(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["pyramid", "--variants", "bok", "--runs", str(tmp_path)]
    assert main(words) == 2
    assert "got 'bok'. Did you mean 'book'" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def test_the_sb3_environment_plays_as_the_vector_environment() -> None:
    keywords: dict[str, Any] = {"variants": list(NAMES), "encoding": "codes", "max_moves": 20}
    env = CardVecEnv(GAME, 6, **keywords)
    other = CardVectorEnv(GAME, 6, autoreset_mode="same_step", **keywords)
    env.seed(3)
    seen, ended = env.reset(), 0
    assert np.array_equal(seen, other.reset(seed=3)[0])
    for _ in range(150):
        actions = env.masks().argmax(axis=1)
        seen, rewards, dones, infos = env.step(actions)
        observations, others, *_, info = other.step(actions)
        assert np.array_equal(seen, observations) and np.allclose(rewards, others)
        for row in np.flatnonzero(dones):
            ended += 1
            for name in ("rules_index", "score", "passes_used"):
                assert infos[row][name] == info["final_info"][name][row]
    assert ended > 20
    saved = env.state()
    fresh = CardVecEnv(GAME, 6, **keywords)
    assert np.array_equal(fresh.restore(saved), env.observations())
    assert fresh.env_method("scene") == env.env_method("scene")
    env.set_options([{"deal": row, "rules": row % 3} for row in range(6)])
    env.reset()
    assert env.rows.buffers.rules.tolist() == [0, 1, 2, 0, 1, 2]
    assert env.table.rules == other.table.rules


def test_one_rules_gives_the_run_that_the_variant_gives(tmp_path: Path) -> None:
    """The files of a run with one variant have no ``more_rules``."""
    short = replace(SMALL, total_steps=ROLLOUT)
    one = train(replace(short, variants=("book",), runs=str(tmp_path / "a")), quiet=True)
    other = train(replace(short, variants=(), variant="book", runs=str(tmp_path / "b")), quiet=True)
    assert read_result(one)["weights_sha256"] == read_result(other)["weights_sha256"]
    assert "more_rules" not in json.loads((other / "rules.json").read_text())
