"""Self-play: MaskablePPO at one seat, a pool of players at the others.

In the pool are the learner as it is now, the game's players by rule, and snapshots of the learner's
past. Before each rollout some of them are drawn for it by prioritized fictitious self-play (Vinyals
et al., "Grandmaster level in StarCraft II using multi-agent reinforcement learning", 2019): with
weight ``(1 - p)**2``, where p is the chance that the learner beats them. That chance comes from
ratings by the Plackett-Luce model of Weng and Lin ("A Bayesian approximation method for online
ranking", 2011; package openskill), each hand a match, its order that of the nets.

``pool/`` in a seed's folder holds the snapshots, ``pool.png`` the ratings in the course of the run.
"""

from functools import partial
from pathlib import Path
from typing import Any, cast

import numpy as np
from matplotlib.figure import Figure
from openskill.models import PlackettLuce
from safetensors.torch import load as read_weights

from parlour.agents.learned import LearnedAgent
from parlour.agents.networks import build_network
from parlour.agents.registry import Agent, load_agent
from parlour.envs import Game
from parlour.envs.core.baselines import UniformAgent
from parlour.envs.core.batch import Autoreset, DealSource, Over, StepConfig
from parlour.envs.core.options import parse_bool
from parlour.envs.core.turn import random_floats
from parlour.envs.keywords import REWARD_NAMES, check_choice
from parlour.envs.seat import SeatRows

from ..evaluation.duplicate_play import play_duplicate
from ..evaluation.evaluate import EpisodeResults
from ..evaluation.plots import agent_colours
from ..files import write_bytes
from . import checkpoint, save_agent
from .curve import say_too_little, write_figure
from .ppo import CardPolicy, CardPPO
from .run import validation_key
from .run_network import NetworkRun, described, make_model
from .settings import SelfplaySettings

FOLDER, PICTURE = "pool", "pool.png"
LEARNER = "learner"
RATED_HANDS = 200
"""Hands ended in each rollout by which ratings change."""
SALT = 0x504F4F4C
"""Keeps the draws of opponents apart from those of agents."""


class Pool:
    """Who may sit at the other seats, with ratings; member 0 is the learner as it is now.

    ``cast`` are the agents, ``names`` theirs, ``ratings`` mean and spread of each, ``chances`` how
    often each is drawn for a seat in the present rollout.
    """

    def __init__(self, learner: Agent, players: list[Agent], self_share: float) -> None:
        self.cast, self.names = [learner, *players], [LEARNER, *(one.name for one in players)]
        self.model = PlackettLuce()
        self.ratings = [self.model.rating(name=name) for name in self.names]
        self.self_share = self_share
        self.chances = np.zeros(len(self.cast))
        self.chances[0] = 1.0
        self.played: list[tuple[np.ndarray, np.ndarray]] = []

    def add(self, agent: Agent) -> None:
        """Take in a snapshot of the learner, rated as the learner is."""
        now = self.ratings[0]
        self.cast.append(agent)
        self.names.append(agent.name)
        self.ratings.append(self.model.rating(mu=now.mu, sigma=now.sigma, name=agent.name))
        self.chances = np.append(self.chances, 0.0)

    def win_probability(self, member: int) -> float:
        """Return the chance that the learner beats a member, by their ratings."""
        chances = self.model.predict_win([[self.ratings[0]], [self.ratings[member]]])
        return float(chances[0])

    def choose(self, active: int, rng: np.random.Generator) -> None:
        """Draw the members of the next rollout: the learner, and ``active`` others."""
        members = np.arange(1, len(self.cast))
        weights = (
            np.array([(1 - self.win_probability(int(member))) ** 2 for member in members]) + 1e-3
        )
        count = min(active, len(members))
        drawn = rng.choice(members, count, replace=False, p=weights / weights.sum())
        self.chances = np.zeros(len(self.cast))
        self.chances[drawn] = (1 - self.self_share) / count
        self.chances[0] = self.self_share

    def draw(self, words: np.ndarray, seats: int) -> np.ndarray:
        """Return a member for each seat of each game, int64 (n, seats), by a word of each game."""
        shares = np.stack([random_floats(words, SALT + seat) for seat in range(seats)], axis=1)
        steps = np.cumsum(self.chances)
        return np.minimum(np.searchsorted(steps, shares * steps[-1], "right"), len(steps) - 1)

    def rate(self) -> None:
        """Rate by hands that ended since, by the order of the members' mean nets in each."""
        left = RATED_HANDS
        for members, nets in self.played:
            for row in range(min(len(members), left)):
                self._rate_hand(members[row], nets[row])
            left -= min(len(members), left)
        self.played = []

    def _rate_hand(self, members: np.ndarray, nets: np.ndarray) -> None:
        there = np.unique(members)
        if len(there) < 2:
            return
        means = [float(nets[members == member].mean()) for member in there]
        found = self.model.rate([[self.ratings[member]] for member in there], scores=means)
        for member, (rating,) in zip(there, found, strict=True):
            self.ratings[member] = rating

    def summary(self) -> list[dict[str, Any]]:
        """Return names and ratings as JSON has them."""
        return [
            {"name": name, "mu": float(one.mu), "sigma": float(one.sigma)}
            for name, one in zip(self.names, self.ratings, strict=True)
        ]


class PoolRows(SeatRows):
    """`SeatRows` whose other seats a pool fills anew for each hand."""

    def __init__(self, pool: Pool, *given: Any) -> None:
        super().__init__(*given)
        self.pool = pool
        self.agents = pool.cast  # the list itself: it grows

    def start(
        self, source: DealSource, which: np.ndarray | None = None, dealer: int | None = None
    ) -> None:
        """See `SeatRows.start`."""
        which = self.all_rows if which is None else which
        done = which & (self.states["over"] == Over.TERMINATED)
        players = self.game.num_players(self.rules)
        if done.any():
            members = self.seating[done, :players].copy()
            members[np.arange(len(members)), self.own_seat[done]] = 0
            self.pool.played.append((members, self.states["net"][done, :players]))
        self.seating[which] = self.pool.draw(self.states["rng"][which], self.game.max_players)
        super().start(source, which, dealer)

    def state_dict(self) -> dict[str, np.ndarray]:
        """See `Rows.state_dict`."""
        return super().state_dict() | {"who": self.seating.copy()}

    def load_state_dict(self, saved: dict[str, np.ndarray]) -> None:
        """See `Rows.load_state_dict`."""
        super().load_state_dict(saved)
        self.seating[:] = saved["who"]


def make_pool_rows(
    pool: Pool,
    game: Game,
    n: int,
    variant: str | None,
    options: dict[str, Any],
    *,
    reward: str,
    skip_forced: bool,
    reset: Autoreset,
    **_: Any,
) -> PoolRows:
    """Return rows for training: what `shell.make_rows` does, with a pool at the other seats."""
    rules = game.make_rules(variant, options)
    players = game.num_players(rules)
    kind = REWARD_NAMES.index(check_choice("reward", reward, REWARD_NAMES))
    config = StepConfig(kind, int(reset), skip_forced=int(parse_bool("skip_forced", skip_forced)))
    who = np.zeros((n, game.max_players), np.int64)
    return PoolRows(pool, game, rules, n, config, pool.cast, who, np.arange(n) % players)


class SelfplayRun(NetworkRun):
    """A run of MaskablePPO against a pool; see the module."""

    settings: SelfplaySettings
    samples = True

    def prepare(self, found: checkpoint.Checkpoint | None) -> None:
        """See `Run.prepare`."""
        settings = self.settings
        field = [load_agent(name, self.game, self.rules, 1) for name in settings.opponents]
        self.field = field
        self.pool = Pool(UniformAgent(), field, settings.self_share)
        if found:
            self._read_pool()
        else:
            self.history["pool"] = []
        super().prepare(found)  # last: it puts the random generators back where they were

    def _make_model(self) -> CardPPO:
        model = make_model(self.settings, self.seed, partial(make_pool_rows, self.pool))
        network = cast(CardPolicy, model.policy).network
        self.pool.cast[0] = LearnedAgent(network, LEARNER, deterministic=False)
        return model

    def _read_pool(self) -> None:
        """Take the members of the last checkpoint, and their ratings."""
        members = self.history["pool"][-1]["members"]
        for member in members[len(self.pool.cast) :]:
            self.pool.add(self._snapshot(member["name"]))
        self.pool.ratings = [
            self.pool.model.rating(mu=one["mu"], sigma=one["sigma"], name=one["name"])
            for one in members
        ]
        self.pool.chances = np.array(self.history["pool"][-1]["chances"])

    def _snapshot(self, name: str) -> LearnedAgent:
        net = described(self.settings)
        network = build_network(net["name"], self.game, net["width"], net["depth"], net["options"])
        data = (self.folder / FOLDER / f"{name}.safetensors").read_bytes()
        network.load_state_dict(read_weights(data))
        return LearnedAgent(network.eval(), name, deterministic=False, seed=len(self.pool.cast))

    def iterate(self) -> dict[str, float]:
        """See `Run.iterate`."""
        settings, before = self.settings, self.steps
        rng = np.random.default_rng([SALT, self.seed, before])
        self.pool.choose(settings.pool_active, rng)
        values = super().iterate()
        self.pool.rate()
        if self.passed(before, settings.snapshot_interval):
            self._take_snapshot()
        self.history["pool"].append(
            {
                "steps": self.steps,
                "members": self.pool.summary(),
                "chances": self.pool.chances.tolist(),
            }
        )
        learner = self.pool.ratings[0]
        return values | {"pool/rating": float(learner.mu), "pool/members": len(self.pool.cast)}

    def _take_snapshot(self) -> None:
        name = f"{LEARNER}-{self.steps}"
        folder = self.folder / FOLDER
        folder.mkdir(exist_ok=True)
        write_bytes(folder / f"{name}.safetensors", save_agent.weights_bytes(self.network))
        self.pool.add(self._snapshot(name))

    def agent(self) -> LearnedAgent:
        """See `Run.agent`."""
        return LearnedAgent(self.network, deterministic=False)

    def play_validation(self) -> EpisodeResults:
        """Let the agent play every deal from every seat among the players by rule, in turn."""
        key = validation_key(self.seed)
        found = play_duplicate(self.game, self.rules, self.agent(), self.field, self.deals, key=key)
        nets = found.nets / self.game.reward_unit(self.rules)
        facts = {"won": (found.nets > 0).reshape(-1), "score": nets.mean(axis=1)}
        return EpisodeResults(facts, found.milliseconds)

    def write_agent(self, folder: Path, trained: dict[str, Any], scored: dict[str, Any]) -> bytes:
        """See `Run.write_agent`."""
        write_figure(self.folder / PICTURE, picture(self.history["pool"]))
        return super().write_agent(folder, trained, scored)

    def result(self) -> dict[str, Any]:
        """See `Run.result`."""
        return {"pool": self.pool.summary()}


def picture(history: list[dict[str, Any]]) -> Figure:
    """Return the ratings of all members in the course of a run, with twice their spread."""
    figure = Figure(figsize=(9, 5), dpi=110, layout="constrained")
    axes = figure.subplots()
    names = [member["name"] for member in history[-1]["members"]]
    colours = agent_colours(name for name in names if not name.startswith(f"{LEARNER}-"))
    for place, name in enumerate(names):
        known = [entry for entry in history if len(entry["members"]) > place]
        steps = np.array([entry["steps"] for entry in known])
        mean = np.array([entry["members"][place]["mu"] for entry in known])
        spread = np.array([entry["members"][place]["sigma"] for entry in known])
        past = name.startswith(f"{LEARNER}-")
        (line,) = axes.plot(
            steps,
            mean,
            lw=2.4 if name == LEARNER else 1.0,
            color="#999999" if past else colours[name],
            alpha=0.6 if past else 1.0,
            label=None if past else name,
        )
        if not past:
            axes.fill_between(
                steps, mean - 2 * spread, mean + 2 * spread, color=line.get_color(), alpha=0.15
            )
    if len(history) < 2:
        say_too_little(axes, "one rollout, and a line needs two")
    axes.plot([], [], color="#999999", label="the learner's past")
    axes.set_xlabel("steps")
    axes.set_ylabel("rating (Plackett-Luce, mean and twice the spread)")
    axes.set_title("Ratings in the pool", loc="left", fontweight="bold")
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(color="#dddddd", lw=0.6)
    axes.legend(frameon=False)
    return figure
