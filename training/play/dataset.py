"""Datasets of games in Minari's format, for offline learning.

Install Minari with ``pip install "parlour[minari]"``. An episode has observations and rewards of a
`CardEnv`, the actions of an agent, and infos at the reset and after each step. The infos include
the action masks. Deals are random and in none of the deal sets.
"""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import gymnasium as gym
import numpy as np
from gymnasium.vector import AutoresetMode

from parlour import __version__
from parlour.agents.registry import Agent, choose_actions, load_agent
from parlour.envs import CardVectorEnv, Game
from parlour.envs.core.kernel.rng import key_words
from parlour.envs.core.options import check_range, shorten
from parlour.envs.core.rows import are_finished
from parlour.extras import name_extra

from ..evaluation.play import Progress
from ..files import check_folder, whole_folder
from .solitaire import make_agent_turn

BATCH = 64
"""Number of games in a batch. A batch is kept in memory until all of its games have ended."""
FIELDS = ("rewards", "terminations", "truncations")


class DatasetChoice(NamedTuple):
    """The games of a dataset.

    ``keywords`` are the arguments and options of the environment, as for `gymnasium.make`. Episode
    i is the game of ``reset(seed=seed + i)``. ``name`` is the id of the dataset (None: see
    `name_dataset`).
    """

    game: Game
    keywords: Mapping[str, Any]
    agent: str
    episodes: int = 1000
    seed: int = 0
    name: str | None = None


class WrittenDataset(NamedTuple):
    """A dataset on disk: its id, its folder, and its numbers of episodes and steps."""

    name: str
    folder: Path
    episodes: int
    steps: int


class Episode(NamedTuple):
    """A game of T steps: arrays (T, ...), and arrays (T + 1, ...) that begin at the reset."""

    seed: int
    observations: np.ndarray
    """(T + 1, ...)."""
    actions: np.ndarray
    rewards: np.ndarray
    terminations: np.ndarray
    truncations: np.ndarray
    infos: dict[str, np.ndarray]
    """Arrays (T + 1, ...) by key."""


def name_dataset(game: Game, variant: str | None, agent: Agent) -> str:
    """Return the id of a dataset, such as ``parlour/pyramid-three-passes/greedy-v0``."""
    name = re.sub(r"[^A-Za-z0-9_]+", "-", agent.name).strip("-") or "agent"
    return f"parlour/{game.name}-{variant or game.default}/{name}-v0"


def write_dataset(
    choice: DatasetChoice, root: Path | None = None, progress: Progress = lambda _: None
) -> WrittenDataset:
    """Let an agent play games, and write them as a dataset that ``minari.load_dataset`` loads.

    Args:
        choice: The games.
        root: Folder of Minari datasets (None: Minari's own folder).
        progress: Called with the number of finished games.

    Raises:
        ValueError: An argument is invalid, or the dataset exists.
        ModuleNotFoundError: Minari is not installed.
    """
    with name_extra("a dataset"):
        import minari
        from minari.data_collector import EpisodeBuffer
        from minari.dataset.minari_dataset import parse_dataset_id
        from minari.dataset.minari_storage import MinariStorage
        from minari.storage.datasets_root_dir import get_dataset_path

    check_range("episodes", choice.episodes, 1)
    check_range("seed", choice.seed, 0)
    single = gym.make(choice.game.id, **choice.keywords)
    rules = single.unwrapped.rules  # type: ignore[attr-defined]
    agent = load_agent(choice.agent, choice.game, rules, choice.seed)
    name = choice.name or name_dataset(choice.game, choice.keywords.get("variant"), agent)
    try:
        parse_dataset_id(name)
    except (TypeError, ValueError):  # TypeError without a version
        raise ValueError(
            f"name must be the id of a Minari dataset, such as 'pyramid/greedy-v0', got "
            f"{shorten(name)}"
        ) from None
    folder = (get_dataset_path("") if root is None else root) / name
    if folder.exists():
        raise ValueError(f"dataset {name} must be new, but {folder} exists: choose another name")
    check_folder(folder)
    steps = 0
    with whole_folder(folder) as aside:
        storage = MinariStorage.new(aside.absolute() / "data", env_spec=single.spec)
        storage.update_metadata(
            {
                "dataset_id": name,
                "algorithm_name": agent.name,
                "description": f"{choice.game.title} of Parlour {__version__}, played by "
                f"{agent.name}, with action masks in the infos",
                "minari_version": minari.__version__,
            }
        )
        for batch in _play_batches(choice, agent):
            storage.update_episodes([EpisodeBuffer(**each._asdict()) for each in batch])
            steps += sum(len(each.actions) for each in batch)
            progress(len(batch))
    return WrittenDataset(name, folder, choice.episodes, steps)


def _play_batches(choice: DatasetChoice, agent: Agent) -> Iterator[list[Episode]]:
    """Play all games, in order; yield the episodes of each batch."""
    envs = None
    for first in range(0, choice.episodes, BATCH):
        seeds = [choice.seed + i for i in range(first, min(first + BATCH, choice.episodes))]
        if envs is None or envs.num_envs != len(seeds):
            envs = CardVectorEnv(
                choice.game,
                len(seeds),
                autoreset_mode=AutoresetMode.DISABLED,
                **choice.keywords,
            )
        yield play_episodes(envs, agent, seeds)


def play_episodes(envs: CardVectorEnv, agent: Agent, seeds: list[int]) -> list[Episode]:
    """Play one game in each row to its end; return the episodes.

    Args:
        envs: The environments, with the autoreset mode DISABLED.
        agent: The agent. Its random draws derive from the seeds.
        seeds: Seed of the game in each row.
    """
    words = np.concatenate([key_words(f"dataset {seed}") for seed in seeds])
    observations, infos = envs.reset(seed=[*seeds])
    seen, facts = [observations], [_read_infos(envs, infos)]
    actions: list[np.ndarray] = []
    outcomes: dict[str, list[np.ndarray]] = {name: [] for name in FIELDS}
    lengths = np.zeros(len(seeds), np.int64)
    running = np.ones(len(seeds), np.bool_)
    while running.any():
        asked = running & ~are_finished(envs.states)
        chosen = np.zeros(len(seeds), np.int64)  # ignored if the game ended before the first turn
        if asked.any():
            turn = make_agent_turn(agent, envs.game, envs.rules, envs.states[asked], words[asked])
            chosen[asked] = choose_actions(agent, turn)
        observations, *results, infos = envs.step(chosen)
        actions.append(chosen)
        for name, values in zip(FIELDS, results, strict=True):
            outcomes[name].append(values)
        seen.append(observations)
        facts.append(_read_infos(envs, infos))
        lengths += running
        running &= ~(outcomes["terminations"][-1] | outcomes["truncations"][-1])
    ended = {name: np.stack(values) for name, values in outcomes.items()}
    all_actions, all_seen = np.stack(actions), np.stack(seen)
    all_facts = {key: np.stack([each[key] for each in facts]) for key in facts[0]}
    return [
        Episode(
            seed,
            all_seen[: length + 1, row],
            all_actions[:length, row],
            **{name: values[:length, row] for name, values in ended.items()},
            infos={key: values[: length + 1, row] for key, values in all_facts.items()},
        )
        for row, (seed, length) in enumerate(zip(seeds, lengths.tolist(), strict=True))
    ]


def _read_infos(envs: CardVectorEnv, infos: Mapping[str, Any]) -> dict[str, np.ndarray]:
    """Return the infos that a single environment would have, as arrays (n, ...)."""
    everywhere = np.ones(envs.num_envs, np.bool_)
    return {"action_mask": infos["action_mask"], **envs.rows.results(envs.states, everywhere)}
