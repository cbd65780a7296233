"""``parlour model-card``: model cards from saved files and evaluations."""

import json
import shutil
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest
from safetensors.numpy import load_file

from parlour.agents.saved import PRETRAINED_FOLDER
from parlour.training.benchmark.entries import read_results
from parlour.training.cli import main
from parlour.training.cli import model_card as card
from parlour.training.cli.benchmark import RESULTS
from parlour.training.learning.settings.command import parse
from parlour.training.learning.settings.files import (
    WITHOUT_EFFECT,
    preset,
    read_saved,
    write_command,
)

FOLDERS = sorted(path.parent for path in PRETRAINED_FOLDER.glob("*/agent.json"))


@pytest.fixture
def mine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A saved agent in a folder of its own."""
    monkeypatch.chdir(tmp_path)
    for name in ("agent.json", "weights.safetensors"):
        (tmp_path / "mine").mkdir(exist_ok=True)
        shutil.copy(PRETRAINED_FOLDER / "poker_squares-classic" / name, tmp_path / "mine")
    return tmp_path / "mine"


def edit(folder: Path, scored: Mapping[str, object] = MappingProxyType({}), **trained: Any) -> None:
    """Change scores and training facts of a saved agent (None: remove), and make it sample."""
    file = folder / "agent.json"
    output = json.loads(file.read_text())
    known = output["trained"] | trained
    output["trained"] = {name: value for name, value in known.items() if value is not None}
    output["scored"] |= scored
    output["samples"] = True
    file.write_text(json.dumps(output))


def test_an_agent_of_ones_own_plays_for_its_card(
    mine: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    score = {"mean": 125.333, "low": 124.47, "high": 126.21, "n": 5000}
    settings = preset("poker_squares", "td").plain()
    edit(
        mine,
        {"steps": 12_000_000, "score": score, "deal_set": "poker_squares-validation"},
        **{"seconds": 93.0, "machine": "a slow one", "settings": settings},
        versions={"python": "3.11.7", "stable_baselines3": "2.9.2"},
    )
    (table,) = load_file(mine / "weights.safetensors").values()
    words = ["model-card", "mine", "--deals", "30", "--search", "columns"]
    assert main.main(words) == 0
    assert capsys.readouterr().out == "written: mine/README.md\n"
    text = (mine / "README.md").read_text(encoding="utf-8")
    for part in (
        "# mine\n",
        "| game | Poker Squares, `classic` |",
        "| kind | table of afterstate values |",
        f"| size | {table.size:,} parameters, {table.nbytes / 2**20:.2f} MiB |",
        "| wall time | 1.6 minutes on a slow one |",
        "| steps | 12,000,000 |",
        "score 125.33 [124.47, 126.21], 5,000 deals of the deal set `poker_squares-validation`",
        "parlour train poker_squares --preset td\n",
        "| versions | python 3.11.7, stable_baselines3 2.9.2 |",
        "**`poker_squares-classic`**",
        "plays only the rules for which it was trained",
    ):
        assert part in text, part
    table = text.partition("## Results")[2].partition("##")[0]
    for agent in ("`uniform`", "`greedy`", "`columns`"):
        assert table.count(f"| {agent} | ") == 1, agent
    assert "Deals 0 to 29 of poker_squares-1." in table


def test_words_of_ones_own_beside_the_card_are_kept(mine: Path) -> None:
    edit(mine, seconds=None)
    (mine / "README.md").write_text("# A title\n\nMy words.\n")
    assert main.main(["model-card", "mine", "--deals", "5", "--search", "columns"]) == 0
    first = (mine / "README.md").read_text(encoding="utf-8")
    assert first.startswith("# A title\n\nMy words.\n\n<!-- generated: card -->")
    assert "| wall time | not recorded |" in first


def test_wrong_folders_and_agents_are_told(
    mine: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for words, error in (
        ("nowhere", "nowhere/agent.json: "),
        (str(tmp_path), "neither the folder nor its subfolders have an agent.json"),
        ("mine --search nobody", "agent must be one of "),
    ):
        edit(mine)
        assert main.main(["model-card", *words.split(), "--deals", "5"]) == 2
        assert error in capsys.readouterr().err
    assert not (mine / "README.md").exists()


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_the_cards_of_pretrained_agents_have_their_results_from_the_benchmark(folder: Path) -> None:
    results = card.list_known(folder, RESULTS)
    text = (folder / "README.md").read_text(encoding="utf-8")
    for one in results:
        assert one.table in text
        assert "**`pretrained`**" in one.table or "**`pyramid-many`**" in one.table
        for agent in ("uniform", "greedy"):
            assert f"| `{agent}` |" in one.table
    assert results


@pytest.mark.parametrize(
    ("part", "values", "error"),
    [
        (
            "trained",
            {"seed": "x"},
            "agent.json: field trained.seed must be an integer from 0 to .*, got 'x'",
        ),
        (
            "trained",
            {"seconds": "long"},
            "agent.json: field trained.seconds must be a finite number, got 'long'",
        ),
        (
            "scored",
            {"steps": -1},
            "agent.json: field scored.steps must be an integer from 0 to .*, got -1",
        ),
        (
            "scored",
            {"score": {"mean": 1}},
            "agent.json: field scored.score.low must be a finite number",
        ),
    ],
)
def test_what_no_card_can_say_is_refused_by_its_field(
    mine: Path, part: str, values: dict[str, object], error: str
) -> None:
    file = mine / "agent.json"
    output = json.loads(file.read_text())
    output[part] |= values
    file.write_text(json.dumps(output))
    with pytest.raises(ValueError, match=error):
        card.write_card(mine, [])


def test_an_agent_without_an_entry_has_no_results_from_the_benchmark(mine: Path) -> None:
    assert card.list_known(mine, RESULTS)  # the copy is the same agent
    edit(mine)
    assert card.list_known(mine, RESULTS) == []
    assert card.list_known(mine, mine / "nowhere") == []
    assert "The agent has no result yet." in card.write_card(mine, [])


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_the_command_on_a_card_has_the_settings_of_the_agent(folder: Path) -> None:
    trained = json.loads((folder / "agent.json").read_text())["trained"]
    command = write_command(trained["settings"], trained["seed"], "here").split()
    assert command[:2] == ["parlour", "train"]
    now, then = parse(command[2:]), read_saved(trained["settings"], "here")
    assert now.seeds == (trained["seed"],)
    for one in fields(now):
        if one.name not in {*WITHOUT_EFFECT, "seeds"}:
            assert getattr(now, one.name) == getattr(then, one.name), one.name


@pytest.mark.parametrize(("steps", "name"), [(50_000_000, "long"), (15_000_000, "td")])
def test_of_presets_alike_the_command_names_that_of_like_length(steps: int, name: str) -> None:
    """Both presets differ from these settings only in steps and pretrain."""
    saved = preset("poker_squares", "td").plain() | {"total_steps": steps, "pretrain": 0.003}
    start = f"parlour train poker_squares --preset {name} "
    words = write_command(saved, 0, "here").removeprefix(start)
    assert sorted(words.split()) == sorted(["--total-steps", str(steps), "--pretrain", "0.003"])


def test_every_pretrained_agent_has_benchmark_entries() -> None:
    entries = [one for one in read_results(RESULTS) if one.method in ("pretrained", "pyramid-many")]
    assert {one.agent_digest for one in entries} == set(map(card.digest_agent, FOLDERS))


def test_a_card_has_a_table_for_each_task_of_the_agent() -> None:
    folder = PRETRAINED_FOLDER / "pyramid-many"
    text = card.write_card(folder, card.list_known(folder, RESULTS))
    for rules in ("three-passes", "classic", "turn-back", "40 sets of rules"):
        assert f"\n### Pyramid, {rules}\n\n| method |" in text
    assert "The run continued from other runs" in text


def test_the_card_names_a_better_agent_that_does_not_see_hidden_cards(mine: Path) -> None:
    results = [card.Results("Poker Squares, classic", "", "best"), card.Results("other", "", "")]
    text = card.write_card(mine, results[:1])
    assert "- `best`, which does not see hidden cards either, has a higher score" in text
    text = card.write_card(mine, results)
    assert "- Poker Squares, classic: `best`, which does not see" in text
    assert text.count("has a higher score") == 1
