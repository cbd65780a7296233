"""The environment of verifiers plays deals with a stub of a model, as `TextEnv` plays them.

python tests/clients/verifiers_game.py
"""

import asyncio
import sys
import time
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parents[2]), str(Path.cwd())]

import verifiers.v1 as vf  # noqa: E402

from parlour.envs.interfaces.text import TextEnv  # noqa: E402
from tests.llm_server import serve  # noqa: E402

DEALS = 2
PLUGIN = """\
from parlour.envs.interfaces.verifiers import *

__all__ = ["CardTaskset", "CardGameEnv"]
"""


def first_of_last(messages: list[dict[str, str]]) -> str:
    """Answer with the first legal move of the last message; begin with a mistake."""
    if len(messages) == 1:
        return "hello"
    text = messages[-1]["content"]
    if "Legal moves:" not in text:
        return text.rpartition("move: ")[2].partition(",")[0].rstrip(".")
    return text.partition("Legal moves:\n- ")[2].partition(": ")[0]


async def play(url: str) -> list[vf.Episode]:
    from parlour_cards import CardGameEnv
    from verifiers.v1.configs.client import EvalClientConfig

    config_class = CardGameEnv.__orig_bases__[0].__args__[0]
    config = config_class.model_validate(
        {
            "taskset": {"id": "parlour-cards", "game": "twenty_eight", "deals": DEALS},
            "agent": {"harness": {"id": "null"}, "runtime": {"type": "subprocess"}},
        }
    )
    env = CardGameEnv(config)
    client = EvalClientConfig(base_url=f"{url}/v1", api_key_var="NO_KEY")
    context = vf.ModelContext(model="stub/tiny", client=client)
    async with env.serving():
        return [await env.run_episode(task, context) for task in env.taskset]


def main() -> None:
    Path("parlour_cards.py").write_text(PLUGIN, encoding="utf-8")
    begun, steps = time.perf_counter(), 0
    with serve(first_of_last) as stub:
        episodes = asyncio.run(play(stub.url))
    own = TextEnv("twenty_eight")
    for deal, episode in enumerate(episodes):
        assert episode.ok, [error.message for error in episode.errors] + [
            error.message for trace in episode.traces for error in trace.errors
        ]
        own.reset(options={"deal": deal})
        total, done = 0.0, False
        while not done:
            _, reward, done, info = own.step(own.legal_actions()[0])
            total += reward
            steps += 1
        (trace,) = episode.traces
        assert abs(trace.rewards["game"].value - total) < 1e-9
        assert trace.metrics["score"] == info["score"] and trace.metrics["mistakes"] == 1
    print(f"{DEALS} deals equal to TextEnv")
    print(f"{round(steps / (time.perf_counter() - begun)):,} steps/s")


if __name__ == "__main__":
    main()
