"""Record games of a Parlour agent as a Minari dataset, with masks and infos, and read it back.

    python examples/minari_dataset.py --agent greedy --games 100 --folder datasets

The dataset names its environment, so `recover_environment` returns it with the same rules. Needs
``pip install "minari[create,hdf5]" pillow``.
"""

import argparse
import os
import re
import time
from pathlib import Path

import gymnasium as gym
import minari
import numpy as np

from parlour.agents import choose_actions, load_agent, prepare_turn
from parlour.envs import DictObservation  # the import registers the games


def record(collector: minari.DataCollector, agent_name: str, games: int) -> int:
    """Let the agent play some games; return the number of steps."""
    table = collector.unwrapped
    agent = load_agent(agent_name, table.game, table.rules)
    steps = 0
    for game in range(games):
        collector.reset(seed=game)
        over = False
        while not over:
            turn = prepare_turn(agent, table.game, table.rules, table.rows.states, seed=steps)
            action = choose_actions(agent, turn)[0]
            _, _, terminated, truncated, _ = collector.step(action)
            over, steps = terminated or truncated, steps + 1
    return steps


def describe(dataset: minari.MinariDataset) -> None:
    """Print a summary of a dataset."""
    won, scores, legal = [], [], []
    for episode in dataset:
        masks = episode.observations["action_mask"][: len(episode)]
        assert masks[np.arange(len(episode)), episode.actions].all(), "an illegal action"
        won.append(episode.infos["is_success"][-1])
        scores.append(episode.infos["score"][-1])
        legal.append(masks.sum(axis=1).mean())
    print(f"{dataset.id}: {dataset.total_episodes} games, {dataset.total_steps} steps")
    for name, array in episode.observations.items():
        print(f"{name}: {array.dtype}, shape {array.shape} in the last game")
    print(f"infos {', '.join(sorted(episode.infos))}")
    print(f"won {np.mean(won):.1%}, mean score {np.mean(scores):.2f}")
    print(f"legal actions per step {np.mean(legal):.1f}, every action taken was one of them")


def main() -> None:
    """Run the example."""
    parser = argparse.ArgumentParser(
        description=__doc__.splitlines()[0],
        formatter_class=argparse.ArgumentDefaultsHelpFormatter,
    )
    parser.add_argument("--id", default="parlour/Pyramid-v0", help="Gymnasium id of the game")
    parser.add_argument("--agent", default="greedy", help="name of the agent")
    parser.add_argument("--games", type=int, default=100, help="number of games")
    parser.add_argument(
        "--folder", type=Path, default=Path("datasets"), help="folder of the datasets"
    )
    arguments = parser.parse_args()

    os.environ["MINARI_DATASETS_PATH"] = str(arguments.folder.resolve())
    game, agent = arguments.id.split("/")[-1].split("-")[0], re.sub(r"\W+", "-", arguments.agent)
    name = f"{game.lower()}/{agent}-v0"
    if name in minari.list_local_datasets():
        parser.error(f"{arguments.folder} already contains {name}; choose another --folder")
    env = DictObservation(gym.make(arguments.id, encoding="codes", illegal="raise"))
    collector = minari.DataCollector(env, record_infos=True)
    begun = time.perf_counter()
    steps = record(collector, arguments.agent, arguments.games)
    rate = steps / (time.perf_counter() - begun)
    collector.create_dataset(
        dataset_id=name,
        algorithm_name=arguments.agent,
        author="me",
        author_email="me@example.org",
        code_permalink="https://example.org",
        description="Games of Parlour, with masks",
        eval_env=env,
    )
    dataset = minari.load_dataset(name)
    describe(dataset)
    again = dataset.recover_environment()
    print(f"recovered environment: {again.unwrapped}")
    print(f"{rate:,.0f} steps/s")


if __name__ == "__main__":
    main()
