"""CMA-ES: tune the weights of a game's heuristic.

CMA-ES is the covariance matrix form of the cross-entropy method. Each generation draws candidates
from a normal distribution, lets all of them play the same random deals, and moves the distribution
towards the candidates with the highest ``reward``. The method needs no gradients and no network.
The result is the greedy agent with better weights. The library `cma` implements the search.
"""

import sys
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
from safetensors.numpy import save as tensor_bytes

from parlour.agents.baselines import HEURISTIC_NETWORK, WEIGHTS_TENSOR, GreedyAgent
from parlour.agents.saved import NO_ENCODING
from parlour.envs import Game, find_game
from parlour.envs.core.afterstates import best_legal
from parlour.envs.core.batch import DealSource, Over
from parlour.envs.core.kernel.cards import deal_seeds
from parlour.envs.core.kernel.jit import jit
from parlour.envs.core.kernel.rng import TRAINING_SEED_MASK
from parlour.envs.core.options import as_record
from parlour.envs.core.type_aliases import RulesRecords, Scores, States, Weights

from .. import checkpoint
from ..run import Run, validation_deal_set
from ..settings.methods import CmaEsSettings

SCALE_FLOOR = 0.1
"""Scale of a weight of 0, as a fraction of the mean absolute weight."""
LIMITED_GENERATIONS, SAMPLE_DEALS = 20, 100
"""Number of generations of a run with a limit of timesteps, and of the deals that show how many
timesteps games have."""
USED_PART = 0.9
"""Part of the timesteps that such a run should use, because better weights may play longer."""
STREAM = 0x434D41
"""Separates the random numbers drawn here from those of other methods with the same seed."""


@cache
def make_heuristic_player(name: str) -> Callable[..., int]:
    """Return the compiled ``player(states, rules, weights, scores, max_moves)`` of a game.

    The function plays each deal, given by the generator in the state, to its end with the
    heuristic, and returns the number of steps. ``scores`` is a scratch array for one row of scores,
    float64 (1, actions).
    """
    game = find_game(name)
    begin, step = game.kernels.begin, game.kernels.step
    score_rows, actions = game.score_rows, game.actions

    @jit
    def player(
        states: States, records: RulesRecords, weights: Weights, scores: Scores, max_moves: int
    ) -> int:
        rules, steps = records[0], 0
        for i in range(len(states)):
            s = states[i]
            begin(s, rules, DealSource.SEED)
            while s["over"] == Over.RUNNING and s["moves"] < max_moves:
                for action in range(actions):
                    scores[0, action] = 0.0
                score_rows(states[i : i + 1], records, weights, scores)
                step(s, rules, best_legal(s["legal"], scores[0]))
                steps += 1
        return steps

    return player


def play(
    game: Game, rules: Any, weights: np.ndarray, seeds: np.ndarray, max_moves: int
) -> tuple[np.ndarray, int]:
    """Play deals with the heuristic and the given weights.

    Returns:
        The final states (n,), and the number of timesteps of all games.
    """
    states = np.zeros(len(seeds), game.state)
    states["rng"] = seeds
    steps = make_heuristic_player(game.name)(
        states, as_record(rules), weights, np.zeros((1, game.actions)), max_moves
    )
    return states, steps


class Normal:
    """A source of normal random numbers with its own generator."""

    def __init__(self, seed: int) -> None:
        self.rng = np.random.default_rng([seed, STREAM])

    def __call__(self, *shape: int) -> np.ndarray:
        """Return random numbers of the given shape."""
        return self.rng.standard_normal(shape)


def load_cma() -> Any:
    """Import `cma`. Raises ValueError under ``python -OO``, where the import fails."""
    if sys.flags.optimize > 1:
        raise ValueError(
            "method 'cma-es' must run with PYTHONOPTIMIZE unset or 1, got "
            f"{sys.flags.optimize}: its library cma reads docstrings, which this setting removes"
        )
    import cma

    return cma


def make_search(settings: CmaEsSettings, seed: int, n: int) -> Any:
    """Return a search over n numbers that starts at 0 with standard deviation ``sigma``."""
    # Disable the signals file: cma would evaluate code from such a file in the current folder.
    options: dict[str, Any] = {"randn": Normal(seed), "verbose": -9, "signals_filename": ""}
    if settings.population:
        options["popsize"] = settings.population
    return load_cma().CMAEvolutionStrategy(np.zeros(n), settings.sigma, options)


class CmaEsRun(Run):
    """A run of CMA-ES. Its ``steps`` are games.

    The run saves a checkpoint after each generation and evaluates the agent at the end.
    """

    settings: CmaEsSettings
    unit = "games"

    @classmethod
    def limit_timesteps(cls, settings: CmaEsSettings, timesteps: int) -> CmaEsSettings:
        """See `Run.limit_timesteps`.

        The number of deals per candidate fills the timesteps. The estimate assumes that candidates
        play as long as the heuristic with its default weights.
        """
        game = find_game(settings.game)
        weights, deals = game.default_weights, range(SAMPLE_DEALS)
        rules = settings.list_rules().rules[0]
        seeds = deal_seeds(validation_deal_set(game.name), deals)
        _, steps = play(game, rules, weights, seeds, settings.max_moves)
        candidates = LIMITED_GENERATIONS * make_search(settings, 0, len(weights)).popsize
        most = int(USED_PART * timesteps / candidates * len(deals) / steps)
        return replace(settings, generations=LIMITED_GENERATIONS, candidate_deals=max(most, 1))

    @property
    def timesteps(self) -> int:
        """See `Run.timesteps`."""
        return self.played

    def prepare(self, saved: checkpoint.Checkpoint | None) -> None:
        """See `Run.prepare`."""
        self.begin = self.game.default_weights
        initial = self.initial()
        if initial:
            weights = GreedyAgent.load(initial, self.game).weights
            assert weights is not None
            self.begin = weights
        size = np.abs(self.begin)
        self.scale = size + SCALE_FLOOR * (size.mean() or 1.0)
        self.search = make_search(self.settings, self.seed, len(self.begin))
        self.losses: list[list[float]] = []
        self.played = 0
        if saved:
            self._replay(saved)
            self.played = saved.values["timesteps"]

    def _replay(self, saved: checkpoint.Checkpoint) -> None:
        """Bring the search to the state of a checkpoint.

        The search is deterministic: the same losses lead to the same state. A checkpoint therefore
        contains only the losses, not the internals of `cma`. Raises ValueError if the replayed
        search differs, because the settings or the version of `cma` have changed.
        """
        losses, middle = saved.arrays["losses"], saved.arrays["middle"]
        if losses.shape[1:] != (self.search.popsize,) or middle.shape != self.search.mean.shape:
            raise ValueError(
                f"{saved.folder} does not match the run's settings: its shapes are "
                f"{losses.shape[1:]} for candidates and {middle.shape} for weights, expected "
                f"({self.search.popsize},) and {self.search.mean.shape}"
            )
        for generation in losses.tolist():
            self._tell(self.search.ask(), generation)
        if not np.allclose(self.search.mean, middle, rtol=1e-9, atol=1e-12):
            raise ValueError(
                f"{saved.folder} cannot be resumed: cma {load_cma().__version__} does not "
                f"reproduce the search of cma {saved.values['cma']}. The setting sigma, the "
                "initial weights "
                "or the version of cma has changed"
            )

    def _tell(self, points: list[np.ndarray], losses: list[float]) -> None:
        self.search.tell(points, losses)
        self.losses.append(losses)

    @property
    def games(self) -> int:
        """Number of games in one generation."""
        return int(self.search.popsize) * self.settings.candidate_deals

    @property
    def total(self) -> int:  # type: ignore[override]
        """Number of games in the whole run."""
        return self.settings.generations * self.games

    @property
    def steps(self) -> int:  # type: ignore[override]
        """Number of games played so far."""
        return int(self.search.countiter) * self.games

    @property
    def weights(self) -> np.ndarray:
        """The current weights: the mean of the search distribution."""
        return self._weights_at(self.search.mean)

    def _weights_at(self, point: np.ndarray) -> np.ndarray:
        return self.begin + self.scale * point

    def iterate(self) -> dict[str, float]:
        """Let all candidates play the same deals, and return the median result for the log."""
        draws = np.random.default_rng([self.seed, STREAM, int(self.search.countiter)])
        deals = self.settings.candidate_deals
        seeds = draws.integers(0, int(TRAINING_SEED_MASK), deals, np.uint64, endpoint=True)
        points = self.search.ask()
        rewards, measures = np.array([self._play(point, seeds) for point in points]).T
        self._tell(points, (-rewards).tolist())
        return {
            f"play/{self.game.measure}": float(np.median(measures)),
            "play/best": float(rewards.max()),
            "train/sigma": float(self.search.sigma),
        }

    def _play(self, point: np.ndarray, seeds: np.ndarray) -> tuple[float, float]:
        """Return the mean reward of a candidate, and the mean of the game's measure."""
        weights, limit = self._weights_at(point), self.settings.max_moves
        states, steps = play(self.game, self.rules, weights, seeds, limit)
        self.played += steps
        score, won = float(states["score"].mean()), float(states["won"].mean())
        progress = self.game.kernels.score_scale * score + self.game.kernels.win_bonus * won
        rewards = {"win": won, "score": score, "progress": progress}
        return rewards[self.settings.reward], float(states[self.game.measure].mean())

    def agent(self) -> GreedyAgent:
        """See `Run.agent`."""
        return GreedyAgent(weights=self.weights)

    def save(self) -> None:
        """See `Run.save`."""
        arrays = {"losses": np.array(self.losses), "middle": self.search.mean}
        values = self.checkpoint_values() | {
            "cma": load_cma().__version__,
            "timesteps": self.timesteps,
        }
        checkpoint.save_arrays(self.folder, arrays, values)

    def agent_weights(self) -> bytes:
        """See `Run.agent_weights`."""
        return tensor_bytes({WEIGHTS_TENSOR: self.weights})

    def network_spec(self) -> dict[str, Any]:
        """See `Run.network_spec`."""
        return {
            "name": HEURISTIC_NETWORK,
            "encoding": NO_ENCODING,
            "width": len(self.game.heuristic_weights),
            "depth": 0,
            "options": {},
        }

    def training_facts(self) -> dict[str, Any]:
        """See `Run.training_facts`; adds the weights' names and the version of `cma`."""
        names = list(self.game.heuristic_weights)
        return super().training_facts() | {"weights": names, "cma": load_cma().__version__}

    def result(self) -> dict[str, Any]:
        """See `Run.result`."""
        weights = dict(zip(self.game.heuristic_weights, self.weights.tolist(), strict=True))
        return {"weights": weights}


METHOD = CmaEsRun
