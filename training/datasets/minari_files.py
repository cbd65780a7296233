"""Datasets of games in Minari's format, for offline learning.

Install Minari with ``pip install "parlour[minari]"``. An episode has observations and rewards of a
`CardEnv`, the actions of an agent, and infos at the reset and after each step. The infos include
the action masks and the values of the actions. In games for one player, the games are those of the
Parquet files. In games for several players, an episode has the decisions of one seat, and the
environment plays the other seats.
"""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import gymnasium as gym
import numpy as np
from gymnasium.vector import AutoresetMode

from parlour import __version__
from parlour.agents.registry import Agent, choose_actions, make_turn
from parlour.envs import CardVectorEnv, Game
from parlour.envs.core.batch import MAX_MOVES, Over
from parlour.envs.core.kernel.rng import turn_seeds
from parlour.envs.core.options import shorten
from parlour.envs.core.rows import are_finished, copy_states
from parlour.envs.core.turn import legal_masks
from parlour.extras import name_extra

from ..evaluation.play import Progress
from ..files import check_folder, whole_folder
from .decisions import DRAWS, DatasetSpec, judge_decisions, label_deals

BATCH = 64
"""Number of games in a batch. A batch is kept in memory until all of its games have ended."""
FIELDS = ("rewards", "terminations", "truncations")


class WrittenMinari(NamedTuple):
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


def write_minari(
    spec: DatasetSpec,
    root: Path | None = None,
    name: str | None = None,
    encoding: str = "onehot",
    reward: str = "progress",
    progress: Progress = lambda _: None,
) -> WrittenMinari:
    """Let an agent play games, and write them as a dataset that ``minari.load_dataset`` loads.

    Args:
        spec: The games, and the judge of the decisions. In games for several players, the opponents
            must be names that `CardEnv` accepts.
        root: Folder of Minari datasets (None: Minari's own folder).
        name: The id of the dataset (None: see `name_dataset`).
        encoding: Encoding of the observations.
        reward: Reward function.
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

    game, keywords = spec.game, _read_keywords(spec) | {"encoding": encoding, "reward": reward}
    single = gym.make(game.id, **keywords)
    agent = spec.load_agents()[spec.seat or 0]
    name = name or name_dataset(game, spec.variant, agent)
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
    values = "" if spec.judge is None else f" and action values in the infos: {spec.judge.text}"
    steps = 0
    with whole_folder(folder) as aside:
        storage = MinariStorage.new(aside.absolute() / "data", env_spec=single.spec)
        storage.update_metadata(
            {
                "dataset_id": name,
                "algorithm_name": agent.name,
                "description": f"{game.title} of Parlour {__version__}, played by {agent.name}, "
                f"with action masks{values or ' in the infos'}",
                "minari_version": minari.__version__,
            }
        )
        for batch in _play_batches(spec, agent, keywords):
            storage.update_episodes([EpisodeBuffer(**each._asdict()) for each in batch])
            steps += sum(len(each.actions) for each in batch)
            progress(len(batch))
    return WrittenMinari(name, folder, spec.episodes, steps)


def _read_keywords(spec: DatasetSpec) -> dict[str, Any]:
    """Return the keywords of the environment, as for `gymnasium.make`."""
    fields = ("variant", "seat", "opponents")
    given = {name: getattr(spec, name) for name in fields if getattr(spec, name) is not None}
    if spec.max_moves != MAX_MOVES:
        given["max_moves"] = spec.max_moves
    return given | dict(spec.options)


def _play_batches(
    spec: DatasetSpec, agent: Agent, keywords: Mapping[str, Any]
) -> Iterator[list[Episode]]:
    """Play all games, in order; yield the episodes of each batch."""
    envs = None
    for first in range(0, spec.episodes, BATCH):
        seeds = [spec.seed + i for i in range(first, min(first + BATCH, spec.episodes))]
        if envs is None or envs.num_envs != len(seeds):
            envs = CardVectorEnv(
                spec.game,
                len(seeds),
                autoreset_mode=AutoresetMode.DISABLED,
                **keywords,
            )
        yield play_episodes(spec, envs, agent, seeds)


def play_episodes(
    spec: DatasetSpec, envs: CardVectorEnv, agent: Agent, seeds: list[int]
) -> list[Episode]:
    """Play one game in each row to its end; return the episodes.

    Args:
        spec: The dataset, which judges the decisions.
        envs: The environments, with the autoreset mode DISABLED.
        agent: The agent.
        seeds: Seed of the game in each row.
    """
    observations, infos = envs.reset(seed=[*seeds])
    labels = label_deals(spec, envs.states)
    seen, facts = [observations], [_read_infos(spec, envs, infos, seeds) | labels]
    actions: list[np.ndarray] = []
    outcomes: dict[str, list[np.ndarray]] = {name: [] for name in FIELDS}
    lengths = np.zeros(len(seeds), np.int64)
    running = np.ones(len(seeds), np.bool_)
    while running.any():
        asked = running & ~are_finished(envs.states)
        chosen = np.zeros(len(seeds), np.int64)  # ignored if the game ended before the first turn
        if asked.any():
            states = copy_states(envs.states, asked)
            turn = make_turn(agent, envs.game, envs.rules, states, turn_seeds(DRAWS, states))
            chosen[asked] = choose_actions(agent, turn)
        observations, *results, infos = envs.step(chosen)
        actions.append(chosen)
        for name, values in zip(FIELDS, results, strict=True):
            outcomes[name].append(values)
        seen.append(observations)
        facts.append(_read_infos(spec, envs, infos, seeds) | labels)
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


def _read_infos(
    spec: DatasetSpec, envs: CardVectorEnv, infos: Mapping[str, Any], seeds: list[int]
) -> dict[str, np.ndarray]:
    """Return the infos that a single environment would have, and the values, as arrays (n, ...)."""
    everywhere = np.ones(envs.num_envs, np.bool_)
    facts = {"action_mask": infos["action_mask"], **envs.rows.results(envs.states, everywhere)}
    if spec.judge is None:
        return facts
    values = np.full((envs.num_envs, envs.game.actions), np.nan, np.float32)
    running = np.flatnonzero(envs.states["over"] == Over.RUNNING)
    states = copy_states(envs.states, running)
    masks = legal_masks(envs.game, states)
    values[running] = judge_decisions(spec, states, masks, np.array(seeds)[running])
    return facts | {"action_values": values}
