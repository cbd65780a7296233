"""The grammar of agent specs: what each spec names, and that parsing never imports code."""

from pathlib import Path

import pytest

from parlour.agents.agent_spec import (
    SEARCHES,
    Budget,
    SpecKind,
    imports_code,
    parse_spec,
    read_budget,
)
from parlour.agents.registry import find_saved, load_agent
from parlour.agents.saved import PRETRAINED_FOLDER
from parlour.envs import find_game

POKER = find_game("poker_squares")
RULES = POKER.make_rules()


@pytest.mark.parametrize(
    ("spec", "kind", "name", "innermost"),
    [
        ("uniform", SpecKind.BUILT_IN, None, SpecKind.BUILT_IN),
        ("columns", SpecKind.RULE_AGENT, None, SpecKind.RULE_AGENT),
        ("oracle", SpecKind.ORACLE, None, SpecKind.ORACLE),
        ("oracle:fewest", SpecKind.ORACLE, None, SpecKind.ORACLE),
        ("pretrained", SpecKind.PRETRAINED, None, SpecKind.PRETRAINED),
        ("mine=pretrained", SpecKind.PRETRAINED, "mine", SpecKind.PRETRAINED),
        ("mcts", SpecKind.SEARCH, None, SpecKind.BUILT_IN),
        ("x=mcts@5ms:mine=pretrained", SpecKind.SEARCH, "x", SpecKind.PRETRAINED),
        ("pimc@3:mcts@2:some/agent.json", SpecKind.SEARCH, None, SpecKind.SAVED),
        ("expectimax", SpecKind.SEARCH, None, SpecKind.SEARCH),
        ("mcts:", SpecKind.SEARCH, None, SpecKind.SEARCH),
        ("some/agent.json", SpecKind.SAVED, None, SpecKind.SAVED),
        ("module:Class", SpecKind.CODE, None, SpecKind.CODE),
        ("mcts@5:module:Class", SpecKind.SEARCH, None, SpecKind.CODE),
        ("unifrom", SpecKind.UNKNOWN, None, SpecKind.UNKNOWN),
        ("", SpecKind.UNKNOWN, None, SpecKind.UNKNOWN),
        ("x" * 5000, SpecKind.UNKNOWN, None, SpecKind.UNKNOWN),
        ("nul\0", SpecKind.UNKNOWN, None, SpecKind.UNKNOWN),
    ],
)
def test_a_spec_is_taken_apart(
    spec: str, kind: SpecKind, name: str | None, innermost: SpecKind
) -> None:
    parsed = parse_spec(spec, POKER)
    assert (parsed.kind, parsed.name, parsed.innermost.kind) == (kind, name, innermost)
    assert imports_code(spec) == (innermost is SpecKind.CODE)


def test_paths_begin_in_the_folder_that_is_given(tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    (tmp_path / "a=b").mkdir()
    assert parse_spec("run", POKER).kind is SpecKind.UNKNOWN
    assert parse_spec("run", POKER, tmp_path).path == tmp_path / "run"
    assert parse_spec("a=b", POKER, tmp_path).name is None
    assert parse_spec("a=b", POKER).name == "a"


@pytest.mark.parametrize("spec", ["no_such_module:Agent", "mcts@2:no_such_module:Agent"])
def test_a_file_of_that_name_does_not_let_code_through(
    spec: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Loading imports the module, so every reader of a spec must report it."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / spec).touch()
    assert imports_code(spec)
    assert find_saved(spec, POKER, RULES) is None
    with pytest.raises(ValueError, match="No module named"):
        load_agent(spec, POKER, RULES)


def test_the_saved_agent_in_a_spec_is_found(tmp_path: Path) -> None:
    own = PRETRAINED_FOLDER / "poker_squares-classic"
    for spec in (
        *("pretrained", "mine=pretrained", "expectimax:pretrained", "mcts@9:pretrained"),
        str(own),
    ):
        assert find_saved(spec, POKER, RULES) == own, spec
    for spec in ("greedy", "columns", "mcts@9", "oracle", "oracle:fewest", "expectimax", "a:B"):
        assert find_saved(spec, POKER, RULES) is None, spec
    with pytest.raises(
        ValueError, match=r"neither the folder nor its subfolders have an agent\.json"
    ):
        find_saved(str(tmp_path), POKER, RULES)
    other = POKER.make_rules("duel")
    with pytest.raises(ValueError, match="no pretrained agent for these rules"):
        find_saved("pretrained", POKER, other)
    assert find_saved("pretrained", POKER, other, allow_rules_mismatch=True) == own


def test_budgets_are_read_from_the_spec() -> None:
    for spec, budget in (
        ("mcts", Budget()),
        ("mcts@7", Budget(7)),
        ("pimc@2.5ms:pretrained", Budget(None, 2.5)),
    ):
        assert read_budget(parse_spec(spec)) == budget
    for word, search in SEARCHES.items():
        takes_time = search.counts and search.is_timed
        for text in ("@", "@0", "@-1", "@5s", *([] if takes_time else ["@5ms"])):
            with pytest.raises(ValueError, match="budget"):
                read_budget(parse_spec(word + text))
