"""Comparison of agents on the decisions of datasets.

Each agent chooses an action in every decision that has values. The regret of its choice is the best
value minus the value of the action. All agents face the same positions, whoever reached them, so a
comparison takes seconds and is much less noisy than games. In a dataset with exact values, a
mistake throws a win away.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from parlour.agents.registry import FixedAgent, load_agent
from parlour.envs import Game
from parlour.envs.core.batch import Autoreset, DealSource, Over, StepConfig
from parlour.envs.core.kernel.rng import draw_seed, key_words, turn_seeds
from parlour.envs.core.rows import Rows, copy_states
from parlour.envs.core.turn import choose_actions, is_person, make_turn

from ..evaluation.play import TimedAgent
from ..evaluation.reviews.review import PHASES, action_kind
from ..evaluation.reviews.review_judges import best_values, find_regrets, takes_back
from ..evaluation.stats import Estimate, student_ratio
from .dataset import Dataset, load_dataset
from .decisions import are_equal

if TYPE_CHECKING:
    from rich.console import Console

SEED = "dataset"
"""Default evaluation seed."""
CHUNK = 1 << 12
"""Number of decisions per call of an agent."""
COLUMNS = ["episode", "step", "agent", "action", "values"]
SEVERAL = "several kinds"


class AgentRegrets(NamedTuple):
    """The choices of an agent: its name, regrets (n,), and its time per decision in ms."""

    agent: str
    regrets: np.ndarray
    milliseconds: float


@dataclass(frozen=True)
class DatasetComparison:
    """Regrets of agents in the same n decisions.

    Attributes:
        game: The game.
        variant: The rules as text.
        games: Number of the game of each decision, int64 (n,), from 0 in order.
        matters: Whether the actions differ in value, bool (n,).
        groups: Decisions of each group by its name, bool (n,): those of a player, of a third of the
            game, or with best actions of one kind.
        agents: The agents with their regrets.
    """

    game: Game
    variant: str
    games: np.ndarray
    matters: np.ndarray
    groups: Mapping[str, np.ndarray]
    agents: Sequence[AgentRegrets]

    def mean_by_game(self, values: np.ndarray) -> Estimate:
        """Return the mean over decisions of values (n,), with an interval over games."""
        counts = np.bincount(self.games).astype(np.float64)
        return student_ratio(np.bincount(self.games, values), counts)

    def summary(self) -> dict[str, Any]:
        """Return the comparison for JSON."""
        first = self.agents[0].regrets
        return {
            "game": self.game.name,
            "variant": self.variant,
            "games": int(self.games[-1]) + 1,
            "decisions": len(self.games),
            "matters": int(self.matters.sum()),
            "groups": {name: int(group.sum()) for name, group in self.groups.items()},
            "agents": [
                {
                    "agent": one.agent,
                    "mistakes": self.mean_by_game(one.regrets > 0)._asdict(),
                    "regret": self.mean_by_game(one.regrets)._asdict(),
                    "difference": self.mean_by_game(one.regrets - first)._asdict(),
                    "ms_per_decision": one.milliseconds,
                    "groups": {
                        name: float((one.regrets[group] > 0).mean())
                        for name, group in self.groups.items()
                    },
                }
                for one in self.agents
            ],
        }

    def show(self, console: "Console") -> None:
        """Print the tables of the comparison."""
        from rich.text import Text

        from ..evaluation.report.terminal_tables import make_terminal_table, print_fitting

        n, first = len(self.games), self.agents[0]
        console.print(
            Text(
                f"{self.game.title}, {self.variant}: {n:,} decisions of "
                f"{self.games[-1] + 1:,} games; in {self.matters.sum():,} of them actions differ",
                "bold",
            )
        )
        minus = f"minus {first.agent}"
        table = make_terminal_table("", "agent", "mistakes %", "regret × 100", minus, "time")
        for one in self.agents:
            table.add_row(
                Text(one.agent),
                self.mean_by_game(one.regrets > 0).text(100, 3),
                self.mean_by_game(one.regrets).text(100, 3),
                ""
                if one is first
                else self.mean_by_game(one.regrets - first.regrets).text(100, 3, "+"),
                f"{1000 * one.milliseconds:,.1f} µs",
            )
        print_fitting(console, [table])
        names = [one.agent for one in self.agents]
        table = make_terminal_table("Mistakes % by group", "decisions", "number", *names)
        for name, group in self.groups.items():
            shares = [100 * (one.regrets[group] > 0).mean() for one in self.agents]
            table.add_row(Text(name), f"{group.sum():,}", *(f"{share:.2f}" for share in shares))
        print_fitting(console, [table])
        console.print(
            Text(
                "Mistakes: share of actions with a lower value than the best action. Regret: best "
                "value minus value of the action. Brackets show 95 % intervals over games.",
                "dim",
            )
        )


def compare_on_datasets(
    paths: Sequence[Path | str], agents: Sequence[Any], evaluation_seed: str = SEED
) -> DatasetComparison:
    """Compare agents on the decisions of datasets that have values.

    Args:
        paths: Folders or files of datasets with the same game and rules.
        agents: The agents, or their specs.
        evaluation_seed: Seed of the agents' random draws.

    Raises:
        ValueError: The datasets differ in game, rules or code of the game, have no decisions with
            values or only one game, or an agent cannot be loaded.
    """
    parts = [load_dataset(path, COLUMNS) for path in paths]
    game, rules, variant = parts[0].game, parts[0].rules, parts[0].metadata["variant"]
    for path, data in zip(paths, parts, strict=True):
        if (data.game, data.rules) != (game, rules):
            raise ValueError(
                f"datasets must have the same game and rules, got {game.title}, {variant} in "
                f"{paths[0]} and {data.game.title}, {data.metadata['variant']} in {path}"
            )
        if "values" not in data.columns:
            raise ValueError(f"{path}: the dataset must have decisions with values, got none")
    loaded = [_load(agent, game, rules) for agent in agents]
    judged = [np.flatnonzero(~np.isnan(data["values"]).all(axis=1)) for data in parts]
    states = np.concatenate(
        [replay_states(data, rows) for data, rows in zip(parts, judged, strict=True)]
    )
    values = np.concatenate(
        [data["values"][rows] for data, rows in zip(parts, judged, strict=True)]
    )
    games = _number_games(parts, judged)
    if games[-1] == 0:
        raise ValueError("datasets must have decisions of at least 2 games, got 1")
    return DatasetComparison(
        game,
        variant,
        games,
        ~are_equal(game, values),
        _find_groups(game, parts, judged, values),
        [_choose(agent, game, rules, states, values, evaluation_seed) for agent in loaded],
    )


def _load(agent: Any, game: Game, rules: Any) -> FixedAgent:
    loaded = FixedAgent(load_agent(agent, game, rules) if isinstance(agent, str) else agent)
    if is_person(loaded):
        raise ValueError(f"agents must not be human players, got {agent!r}")
    return loaded


def replay_states(data: Dataset, rows: np.ndarray) -> np.ndarray:
    """Return the states before decisions of a dataset, (k,), given their indices in order.

    Raises ValueError if the games cannot be replayed, because the code of the game has changed.
    """
    game, rules = data.game, data.rules
    episodes, starts = np.unique(data["episode"], return_index=True)
    lengths = np.diff([*starts, len(data)])
    config = StepConfig(reset=int(Autoreset.DISABLED), max_moves=data.metadata["max_moves"])
    tables = Rows(game, rules, len(episodes), config)
    tables.seed([draw_seed(np.random.default_rng(episode)) for episode in episodes.tolist()])
    tables.start(DealSource.DRAW)
    states, place = np.zeros(len(rows), game.state), np.full(len(data), -1)
    place[rows] = np.arange(len(rows))
    for step in range(int(lengths.max())):
        running = np.flatnonzero(lengths > step)
        wanted = place[starts[running] + step]
        states[wanted[wanted >= 0]] = copy_states(tables.states, running[wanted >= 0])
        actions = np.zeros(len(episodes), np.int64)
        actions[running] = data["action"][starts[running] + step]
        tables.step(actions)
    ends = tables.states["over"] != Over.RUNNING
    if not ends.all() or (states["steps"] != data["step"][rows]).any():
        raise ValueError("dataset must be of this version of Parlour: its games end differently")
    return states


def _number_games(parts: Sequence[Dataset], judged: Sequence[np.ndarray]) -> np.ndarray:
    """Return the number of each decision's game, from 0 without gaps, int64 (n,)."""
    episodes = [data["episode"][rows] for data, rows in zip(parts, judged, strict=True)]
    changes = [np.diff(one, prepend=-1) != 0 for one in episodes]
    return np.asarray(np.cumsum(np.concatenate(changes)) - 1)


def _find_groups(
    game: Game, parts: Sequence[Dataset], judged: Sequence[np.ndarray], values: np.ndarray
) -> dict[str, np.ndarray]:
    """Return the decisions of each group: by player, by phase, and by kind of the best actions."""
    players = np.concatenate(
        [data["agent"][rows] for data, rows in zip(parts, judged, strict=True)]
    )
    groups = {f"games of {name}": players == name for name in dict.fromkeys(players.tolist())}
    phases = np.concatenate(
        [_find_phases(data)[rows] for data, rows in zip(parts, judged, strict=True)]
    )
    groups |= {phase: phases == i for i, phase in enumerate(PHASES)}
    kinds = np.array([action_kind(game.label(action)) for action in range(game.actions)])
    best = (values >= best_values(game, values)[:, None]) & ~takes_back(game)
    matters = ~are_equal(game, values)
    names = np.full(len(values), SEVERAL, object)
    for kind in dict.fromkeys(kinds.tolist()):
        names[~best[:, kinds != kind].any(axis=1)] = kind
    for name in sorted(set(names[matters].tolist())):
        groups[f"best action: {name}"] = matters & (names == name)
    return {name: group for name, group in groups.items() if group.any()}


def _find_phases(data: Dataset) -> np.ndarray:
    """Return the third of the game of each decision, int64 (n,), from 0."""
    _, starts, numbers = np.unique(data["episode"], return_index=True, return_inverse=True)
    lengths = np.diff([*starts, len(data)])
    return np.asarray(3 * data["step"].astype(np.int64) // lengths[numbers])


def _choose(
    agent: FixedAgent,
    game: Game,
    rules: Any,
    states: np.ndarray,
    values: np.ndarray,
    evaluation_seed: str,
) -> AgentRegrets:
    """Let an agent choose an action in each state, and return its regrets."""
    timed, words = TimedAgent(agent), key_words(evaluation_seed)
    actions = np.zeros(len(states), np.int64)
    size = min(CHUNK, agent.max_batch or CHUNK)
    for i in range(0, len(states), size):
        chunk = copy_states(states, np.arange(i, min(i + size, len(states))))
        turn = make_turn(timed, game, rules, chunk, turn_seeds(words, chunk))
        actions[i : i + size] = choose_actions(timed, turn)
    return AgentRegrets(agent.name, find_regrets(game, values, actions), timed.milliseconds)
