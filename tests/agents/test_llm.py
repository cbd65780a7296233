"""The agent llm:URL, tested with a stub of a server on this machine."""

import json
import re
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from parlour.agents import llm
from parlour.agents.agent_spec import SpecKind, imports_code, parse_spec
from parlour.agents.registry import Turn, is_reserved, load_agent
from parlour.envs import Game, find_game
from parlour.envs.interfaces.text import TextPosition
from parlour.training import evaluate
from parlour.training.cli.main import main
from tests.llm_server import first_listed, serve

PYRAMID = find_game("pyramid")


class FirstListed:
    """Plays the first listed move, without a server."""

    name = "first"

    def __init__(self) -> None:
        self.rest: dict[bytes, list[int]] = {}

    def act(self, turn: Turn) -> np.ndarray:
        actions = []
        for row in range(len(turn.masks)):
            position = TextPosition(turn.game, turn.rules, turn.states[row : row + 1])
            picked = turn.game.name == "pyramid" and turn.states[row]["shown"]["picked"].any()
            move = position.actions_of(position.answers[0])
            actions.append(move[-1] if picked else move[0])
        return np.array(actions)


@pytest.mark.parametrize("name", ["pyramid", "klondike", "twenty_eight", "poker_squares"])
def test_a_model_plays_the_moves_that_it_answers(name: str) -> None:
    with serve(first_listed) as stub:
        spec = f"llm:{stub.url}?parallel=4"
        ours = evaluate(name, spec, deals=5, evaluation_seed="t", max_moves=40)
    other = evaluate(name, FirstListed(), deals=5, evaluation_seed="t", max_moves=40)
    assert ours.agent == "llm:tiny"
    for fact, values in other.results.facts.items():
        assert ours.results.facts[fact].tolist() == values.tolist(), fact
    usage = ours.results.usage
    assert usage["requests"] == len(stub.bodies) <= usage["moves"]
    assert usage["prompt tokens"] == 100 * usage["requests"]
    assert usage["random moves"] == usage["retries"] == usage["unreadable answers"] == 0
    assert ours.summary()["usage"] == usage
    assert "completion tokens" in str(ours)


def test_requests_run_in_parallel() -> None:
    def slow(messages: list[dict[str, str]]) -> str:
        time.sleep(0.05)
        return first_listed(messages)

    with serve(slow) as stub:
        evaluate("poker-squares", f"llm:{stub.url}?parallel=6", deals=6)
        assert 2 <= stub.busiest <= 6


def test_unreadable_answers_become_random_moves_and_are_counted() -> None:
    with serve(lambda messages: "I pass on this one." if len(messages) < 4 else "no") as stub:
        result = evaluate("poker-squares", f"llm:{stub.url}?tries=2", deals=2, evaluation_seed="a")
        again = evaluate("poker-squares", f"llm:{stub.url}?tries=2", deals=2, evaluation_seed="a")
    usage = result.results.usage
    assert usage["random moves"] == usage["moves"] - 2 == 2 * 24  # the last square is forced
    assert usage["unreadable answers"] == usage["requests"] == 2 * 2 * 24
    assert result.results.score.tolist() == again.results.score.tolist()
    last = stub.bodies[-1]["messages"]
    assert [message["role"] for message in last] == ["system", "user", "assistant", "user"]
    assert last[3]["content"].startswith("'I pass on this one.' is not a legal move.")


def test_a_second_answer_is_accepted() -> None:
    with serve(lambda said: "hm" if len(said) == 2 else first_listed(said)) as stub:
        usage = evaluate("poker-squares", f"llm:{stub.url}", deals=1).results.usage
    assert usage["random moves"] == 0 and usage["requests"] == 48


def test_temporary_errors_are_retried(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(llm, "WAITS", (0.0, 0.0))
    statuses = iter([503, 429, *[0] * 100])

    def answer(messages: list[dict[str, str]]) -> str | int:
        return next(statuses) or first_listed(messages)

    with serve(answer) as stub:
        spec = f"llm:{stub.url}?parallel=1"
        assert evaluate("poker-squares", spec, deals=1).results.usage["retries"] == 2
    with serve(lambda _: 500) as stub, pytest.raises(ConnectionError, match="HTTP 500"):
        evaluate("poker-squares", f"llm:{stub.url}", deals=1)
    with pytest.raises(ConnectionError, match="chat/completions"):
        evaluate("poker-squares", f"llm:{stub.url}?model=gone", deals=1)


def test_the_key_comes_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(llm.KEY, "a-secret")
    with serve(lambda _: 401) as stub, pytest.raises(ConnectionError, match="401") as error:
        evaluate("poker-squares", f"llm:{stub.url}", deals=1)
    assert stub.headers[0]["Authorization"] == "Bearer a-secret"
    assert "secret" not in str(error.value)


def test_the_request_has_settings_and_a_disguise() -> None:
    with serve(lambda messages: re.findall(r"^- (.*?): ", messages[1]["content"], re.M)[0]) as stub:
        query = "model=a:b/c&temperature=0.7&max_tokens=50&disguise=3&form=json&parallel=2"
        result = evaluate("poker-squares", f"llm:{stub.url}/v1?{query}", deals=2)
    body = stub.bodies[0]
    assert (body["model"], body["temperature"], body["max_tokens"]) == ("a:b/c", 0.7, 50)
    assert "invented names" in body["messages"][0]["content"]
    assert '{"cards": [' in body["messages"][1]["content"]
    assert result.agent == "llm:c t=0.7 disguise=3"
    assert result.results.usage["random moves"] == 0


@pytest.mark.parametrize(
    ("url", "text"),
    [
        ("", "address must be http"),
        ("ftp://x", "address must be http"),
        ("http://u:p@x", "no password"),
        ("http://x?modell=a", "setting must be .*modell"),
        ("http://x?parallel=0", "parallel must be an integer from 1"),
        ("http://x?temperature=warm", "temperature must be a number from 0"),
        ("http://x?form=xml", "form must be one of text, json"),
        ("http://127.0.0.1:9?timeout=1", "Add \\?model=NAME"),
    ],
)
def test_wrong_specs_are_refused(url: str, text: str) -> None:
    with pytest.raises(ValueError, match=text):
        load_agent(f"llm:{url}", PYRAMID, PYRAMID.make_rules())


def test_a_server_with_several_models_needs_a_name() -> None:
    with serve(first_listed) as stub:
        stub.models = ["a", "b"]
        with pytest.raises(ValueError, match=r"one model, got a, b. Add \?model=NAME"):
            load_agent(f"llm:{stub.url}", PYRAMID, PYRAMID.make_rules())


def test_the_grammar_of_specs() -> None:
    spec = parse_spec("mine=llm:http://h:1/v1?model=a=b&temperature=1")
    assert (spec.kind, spec.name) == (SpecKind.LLM, "mine")
    assert spec.rest == "http://h:1/v1?model=a=b&temperature=1"
    assert parse_spec("rollouts@5:llm:http://h:1").innermost.rest == "http://h:1"
    assert imports_code("llm:http://h:1") and is_reserved("llm:x", PYRAMID)


def compare(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> tuple[int, str]:
    status = main(["compare", "poker-squares", *arguments])
    printed = capsys.readouterr()
    return status, printed.out + printed.err


def test_an_interrupted_comparison_resumes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Finished chunks are kept, and only the others are asked for again."""
    allowed = [200]

    def answer(messages: list[dict[str, str]]) -> str | int:
        allowed[0] -= 1
        return first_listed(messages) if allowed[0] >= 0 else 400

    out = tmp_path / "results"
    with serve(answer) as stub:
        spec = f"llm:{stub.url}?parallel=1&input_price=3&output_price=15"
        arguments = ["--agents", "uniform", spec, "--deals", "12", "--jobs", "1", "--out", str(out)]
        status, text = compare(arguments, capsys)
        assert status != 0 and "HTTP 400" in text and "Run the same command again" in text
        before, allowed[0] = len(stub.bodies), 10_000
        status, text = compare(arguments, capsys)
        assert status == 0, text
        asked = len(stub.bodies) - before
    assert 24 * 4 <= asked <= 24 * 8, "a chunk of four deals was lost or played again"
    usage = json.loads((out / "summary.json").read_text())["results"][1]["usage"]
    assert usage["requests"] == 24 * 12
    cost = (3 * usage["prompt tokens"] + 15 * usage["completion tokens"]) / 1e6
    assert usage["cost"] == pytest.approx(cost) and f", cost {cost:.4g}" in " ".join(text.split())
    assert "llm:tiny, classic: 300 moves, 0 random moves" in text


def test_every_game_can_be_played(game: Game) -> None:
    with serve(first_listed) as stub:
        agent: Any = load_agent(f"llm:{stub.url}?form=json", game, game.make_rules())
        evaluate(game, agent, deals=2, max_moves=15)
        assert agent.usage["random moves"] == 0 and agent.usage["requests"] == len(stub.bodies) > 0


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "game" in metafunc.fixturenames:
        from parlour.envs import GAMES

        metafunc.parametrize("game", GAMES.values(), ids=list(GAMES))
