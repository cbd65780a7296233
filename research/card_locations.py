"""Can a network that locates the unseen cards improve the sampled worlds of a search?

    python -m research.card_locations twenty_eight

The network learns which seat holds each unseen card. It learns from hands in which one side plays
like `pretrained` and the other like greedy, from the decisions of the first side. The first table
has the log loss per unseen card in other such hands. The second table has the net results of
searches against greedy opponents on the same deals. Intervals are 95 % intervals.

A search with weights, SAMPLER:POWER, samples 4 worlds for each world that it needs, uniformly or by
the bids (`rollouts-bids`), and selects from them with weights. The weight of a world is a product
over the unseen cards: the network's probability of the card's holder, divided by the share of the
sampled worlds with this holder, to the power of POWER. Otherwise the search is that of `rollouts`.
Ctrl+C ends the comparison of the searches early and prints the table of the deals so far.
"""

import sys
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Literal, NamedTuple

import numpy as np
import torch
import tyro
from safetensors.torch import load_file, save_file
from torch import Tensor, nn

from parlour.agents import load_agent
from parlour.agents.baselines import GreedyAgent
from parlour.agents.explanation import rows_with_choice
from parlour.agents.networks.build import NETWORKS, CardNetwork, masked_logits
from parlour.agents.search.inference import is_bidding, make_resample
from parlour.agents.search.playout import (
    Guide,
    Playout,
    make_guide,
    make_playout,
    playout_kernels,
)
from parlour.agents.search.rollouts import TIE, RolloutAgent, make_result
from parlour.envs import Game, find_game
from parlour.envs.core.afterstates import best_legal
from parlour.envs.core.kernel.cards import deal_seeds, default_deal_set
from parlour.envs.core.kernel.jit import jit
from parlour.envs.core.legal import has_action
from parlour.envs.core.options import as_record
from parlour.envs.core.rows import copy_states, observation_codes
from parlour.envs.core.turn import Agent, Turn
from parlour.envs.core.type_aliases import RulesRecords, States
from parlour.training.evaluation.play import play_seated
from parlour.training.evaluation.result import describe_machine
from parlour.training.evaluation.stats import student_mean

CARDS, RANKS, SUITS, PLAYERS = 36, 9, 4, 4
UNKNOWN, APART = 0, 6
"""Code of an unknown card in the observation, and of the face-down card among hidden cards."""
HOLDERS = 5
"""Classes of an unseen card: not dealt yet, the three seats after the viewer, face down. The same
classes of the entry after the cards are secret trumps without a face-down card."""
SMOOTHING = 1.0
"""Number of sampled worlds that the uniform distribution over the possible holders counts for."""
LEAST_LOG = -20.0
BLOCK = 50
"""Deals that all searches play before the next deals begin."""


class Located(NamedTuple):
    """The log probability of each holder, and whether the holder is possible, (..., 37, 5)."""

    logs: np.ndarray
    possible: np.ndarray


Locate = Callable[[np.ndarray, np.ndarray], Located]
"""Function of observations and `Positions.holders`, of which it uses the numbers of cards only."""


@dataclass(frozen=True)
class Options:
    """The hands to learn from, the searches to compare, and the conditions."""

    game: tyro.conf.Positional[Literal["twenty_eight", "twenty_nine"]] = "twenty_eight"
    weights: Path | None = None
    """File of the network's weights (default: runs/card-locations/GAME.safetensors). If it exists,
    the network is not trained again; delete it to train with other settings."""
    agent: str = "pretrained"
    """The agent in the seats whose decisions are recorded; greedy plays against it."""
    hands: int = 150_000
    minutes: float = 8.0
    """Processor time of learning."""
    width: int = 128
    depth: int = 3
    batch: int = 1024
    learning_rate: float = 2e-3
    examined: int = 2000
    """Held-out positions for the log loss; 0: no such table."""
    worlds: int = 40
    draws: int = 4
    """Sampled worlds for each world that a search with weights needs."""
    weighted: tuple[str, ...] = ("uniform:0.25", "bids:0.25")
    """Searches with weights, each as SAMPLER:POWER; the sampler is uniform or bids."""
    deals: int = 1000
    deal_set: str | None = None
    evaluation_seed: str = "locations"
    seed: int = 0


# ---- positions ------------------------------------------------------------------------------


class Positions(NamedTuple):
    """Positions with a choice, as their players see them, and what the players do not see."""

    observations: np.ndarray
    """int8 (n, width)."""
    holders: np.ndarray
    """Class of the holder of each unseen card, then of secret trumps, int8 (n, 37); -1: none."""
    states: np.ndarray
    """The states (n,)."""


@dataclass
class Recorder:
    """An agent that plays like another one and records its decisions."""

    agent: Agent
    keeps_states: bool
    sees_all: bool = True
    name: str = "recorder"
    parts: list[Positions] = field(default_factory=list)

    def act(self, turn: Turn) -> np.ndarray:
        """Return the actions of the recorded agent."""
        rows = rows_with_choice(turn)
        if len(rows):
            states, seen = copy_states(turn.states, rows), turn.observations[rows]
            holders = list_holders(turn.game, states, seen)
            self.parts.append(Positions(seen, holders, states[: len(rows) * self.keeps_states]))
        return self.agent.act(turn)


def list_holders(game: Game, states: np.ndarray, observations: np.ndarray) -> np.ndarray:
    """Return the classes of the holders in states, for their observations; see `Positions`."""
    assert game.hidden_cards is not None
    holders = game.hidden_cards.read(states)
    where = observations[:, game.features.entry_range("where")]
    holders[holders == APART] = HOLDERS - 1
    is_unseen = (where == UNKNOWN) & (np.arange(CARDS) % RANKS > 0)
    holders[:, :CARDS] = np.where(is_unseen, holders[:, :CARDS], -1)
    is_apart = (holders[:, :CARDS] == HOLDERS - 1).any(axis=1)
    holders[is_apart | (holders[:, CARDS] == 0), CARDS] = -1
    return holders


def find_possible(game: Game, observations: np.ndarray, holders: np.ndarray) -> np.ndarray:
    """Return which holders have room for a card and may have its suit, bool (n, 37, 5).

    The numbers of cards of the holders are public, so the function counts them in ``holders``.
    """
    room = (holders[:, :CARDS, None] == np.arange(HOLDERS)).any(axis=1)
    possible = np.repeat(room[:, None], CARDS + 1, axis=1)
    suits = np.arange(CARDS) // RANKS
    for seat in range(1, PLAYERS):
        voids = observations[:, game.features.entry_range(f"seats.{seat}.voids")] > 0
        possible[:, :CARDS, seat] &= ~voids[:, suits]
    possible[:, CARDS] = np.arange(HOLDERS) > 0
    return possible


def record_hands(game: Game, options: Options, hands: int, keeps_states: bool) -> Positions:
    """Play hands and return the positions of two of the four seats."""
    recorder = Recorder(load_agent(options.agent, game, game.make_rules()), keeps_states)
    seeds = deal_seeds(f"locations-{keeps_states:d}", range(hands))
    agents: list[Agent] = [recorder, GreedyAgent()] * (PLAYERS // 2)
    play_seated(game, game.make_rules(), agents, seeds, evaluation_seed=str(options.seed))
    return Positions(*(np.concatenate(arrays) for arrays in zip(*recorder.parts, strict=True)))


# ---- the network ----------------------------------------------------------------------------


def find_logits(network: CardNetwork, observations: np.ndarray, possible: np.ndarray) -> Tensor:
    """Return the logits of the holders, (n, 37, 5)."""
    hidden = network.body(torch.from_numpy(np.ascontiguousarray(observations)))
    logits = network.policy(hidden).view(-1, CARDS + 1, HOLDERS)
    return masked_logits(logits, torch.from_numpy(possible))


def train(game: Game, network: CardNetwork, options: Options) -> None:
    """Train a network until its time is spent."""
    known = record_hands(game, options, options.hands, False)
    print(f"{len(known.holders):,} positions of {options.hands:,} hands", flush=True)
    optimizer = torch.optim.Adam(network.parameters(), options.learning_rate)
    draws = np.random.default_rng(options.seed)
    spent, learned, begun = 0.0, 0, time.process_time()
    while spent < 60 * options.minutes:
        for group in optimizer.param_groups:
            group["lr"] = options.learning_rate * (1 - spent / (60 * options.minutes))
        rows = draws.integers(0, len(known.holders), options.batch)
        seen, holders = known.observations[rows], known.holders[rows]
        logits = find_logits(network, seen, find_possible(game, seen, holders))
        targets = torch.from_numpy(holders).long().flatten()
        loss = nn.functional.cross_entropy(logits.flatten(0, 1), targets, ignore_index=-1)
        optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        optimizer.step()
        learned += options.batch
        spent = time.process_time() - begun
    print(f"{learned:,} positions learned in {spent / 60:.1f} minutes", flush=True)


def make_locate(game: Game, network: CardNetwork) -> Locate:
    """Return the function with which searches ask the network."""

    @torch.inference_mode()
    def locate(observations: np.ndarray, holders: np.ndarray) -> Located:
        possible = find_possible(game, observations, holders)
        logs = find_logits(network, observations, possible).log_softmax(dim=-1).numpy()
        return Located(np.maximum(logs, LEAST_LOG), possible)

    return locate


# ---- searches -------------------------------------------------------------------------------


@cache
def make_draw(name: str, by_bids: bool) -> Callable[..., None]:
    """Build a game's ``draw(root, pool, ...)``, which writes sampled worlds to ``pool``."""
    resample = make_resample(name, None, by_bids)

    @jit
    def draw(
        root: States, pool: States, playout: Playout, rules: RulesRecords, guide: Guide
    ) -> None:
        drawn, rng = np.empty(2, root.dtype), root[0]["rng"]
        for number in range(len(pool)):
            rng = resample(root[0], drawn, playout, rules, guide, rng)
            pool[number] = drawn[0]

    return draw


@cache
def make_roll(name: str) -> Callable[..., int]:
    """Build a game's ``roll(worlds, results, ...)``, which returns greedy's action.

    ``results``, float64 (worlds, actions), receives the result of each legal action.
    """
    step, result = find_game(name).kernels.step, make_result(name)
    rate, play_on = playout_kernels(name)

    @jit
    def roll(
        worlds: States, results: np.ndarray, playout: Playout, rules: RulesRecords, guide: Guide
    ) -> int:
        legal, seat, s = worlds[0]["legal"], worlds[0]["turn"], playout.states[0]
        playout.states[0] = worlds[0]
        rate(playout.states, rules, guide, playout.ids, playout.scores)
        base_action = best_legal(legal, playout.scores[0])
        for number in range(len(worlds)):
            for action in range(results.shape[1]):
                if has_action(legal, action):
                    playout.states[0] = worlds[number]
                    step(s, rules[0], action)
                    play_on(playout, rules, guide, playout.line, 0)
                    results[number, action] = result(s, rules[0], seat)
        return base_action

    return roll


def log_shares(holders: np.ndarray, weights: np.ndarray, possible: np.ndarray) -> np.ndarray:
    """Return the logs of the smoothed shares of the holders in weighted worlds, (37, 5)."""
    hits = (holders[:, :, None] == np.arange(HOLDERS)).astype(np.float32)
    counts = len(holders) * np.tensordot(weights, hits, 1)
    counts += SMOOTHING * possible / np.maximum(possible.sum(axis=1, keepdims=True), 1)
    return np.log(np.maximum(counts / (len(holders) + SMOOTHING), np.exp(LEAST_LOG)))


class LocatedAgent(RolloutAgent):
    """Rollouts of greedy in worlds that are selected from sampled worlds by a network."""

    def __init__(self, game: Game, locate: Locate, text: str, options: Options) -> None:
        super().__init__(GreedyAgent(), options.worlds)
        sampler, _, power = text.partition(":")
        if sampler not in ("uniform", "bids"):
            raise ValueError(f"weighted must be uniform:POWER or bids:POWER, got {text}")
        self.locate, self.power, self.name = locate, float(power), text
        self.pool = np.empty(options.worlds * options.draws, game.state)
        self.draw, self.roll = make_draw(game.name, sampler == "bids"), make_roll(game.name)
        guide = make_guide(self.player, game)
        self.buffers = make_playout(game), as_record(game.make_rules()), guide

    def weigh(
        self, game: Game, root: np.ndarray, located: Located
    ) -> tuple[np.ndarray, np.ndarray]:
        """Sample worlds of ``root``, (1,); return their holders, int8 (k, 37), and weights (k,)."""
        self.draw(root, self.pool, *self.buffers)
        held = list_holders(game, self.pool, np.tile(observation_codes(root), (len(self.pool), 1)))
        even = np.full(len(held), 1 / len(held))
        gains = located.logs - log_shares(held, even, located.possible)
        cards = np.flatnonzero(held[0] >= 0)
        sums = self.power * gains[cards, held[:, cards]].sum(axis=1)
        weights = np.exp(sums - sums.max())
        return held, weights / weights.sum()

    def _gains(
        self, turn: Turn, states: np.ndarray, worlds: int, trial: int = 0
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return sums of gains, their errors and the worlds, as `RolloutAgent` does."""
        sums, errors = np.zeros((2, len(states), turn.game.actions))
        seen = observation_codes(states)
        located = self.locate(seen, list_holders(turn.game, states, seen))
        for i in range(len(states)):
            parts = Located(located.logs[i], located.possible[i])
            _, weights = self.weigh(turn.game, states[i : i + 1], parts)
            first = np.random.default_rng(int(states["rng"][i])).random()
            places = weights.cumsum().searchsorted((first + np.arange(worlds)) / worlds)
            chosen = copy_states(self.pool, np.minimum(places, len(weights) - 1))
            results = np.zeros((worlds, turn.game.actions))
            base = self.roll(chosen, results, *self.buffers)
            gains = results - results[:, base, None]
            sums[i] = gains.sum(axis=0)
            errors[i] = np.sqrt(np.maximum((gains**2).sum(axis=0) - sums[i] ** 2 / worlds, 0)) + TIE
            errors[i, base] = 0
        return sums, errors, np.full(len(states), worlds)


# ---- the tables -----------------------------------------------------------------------------


def examine(game: Game, locate: Locate, options: Options) -> None:
    """Print the log loss per unseen card, by the number of tricks played."""
    draws, texts = np.random.default_rng(options.seed), ["uniform:0", "bids:0", *options.weighted]
    known = record_hands(game, options, options.examined, True)
    rows = draws.permutation(len(known.holders))[: options.examined]
    seen, holders, states = (part[rows] for part in known)
    states["rng"] = draws.integers(0, 2**63, len(rows), np.uint64)
    located = locate(seen, holders)
    agents = [LocatedAgent(game, locate, text, options) for text in texts]
    losses, effective = np.zeros((len(rows), 2 + len(agents))), np.zeros((len(rows), len(agents)))
    for i in range(len(rows)):
        parts = Located(located.logs[i], located.possible[i])
        alike = np.maximum(parts.possible.sum(axis=1, keepdims=True), 1)
        tables = [np.broadcast_to(-np.log(alike), parts.logs.shape), parts.logs]
        for k, agent in enumerate(agents):
            held, weights = agent.weigh(game, states[i : i + 1], parts)
            tables.append(log_shares(held, weights, parts.possible))
            effective[i, k] = 1 / (weights**2).sum()
        cards = np.flatnonzero(holders[i, :CARDS] >= 0)
        losses[i] = [-table[cards, holders[i, cards]].mean() for table in tables]
    stage = np.where(is_bidding(game, states), -1, states["tricks"])
    print("\nLog loss per unseen card, nats:\n")
    print(f"| tricks played | positions | holders alike | network | {' | '.join(texts)} |")
    print("| --- |" + " --- |" * (3 + len(texts)))
    rows_of = {"before the play" if at < 0 else str(at): stage == at for at in np.unique(stage)}
    for name, chosen in (rows_of | {"all": np.ones(len(stage), bool)}).items():
        cells = " | ".join(f"{mean:.3f}" for mean in losses[chosen].mean(axis=0))
        print(f"| {name} | {chosen.sum():,} | {cells} |")
    gaps = [student_mean(loss - losses[:, 2]) for loss in losses.T]
    cells = " | ".join(gap.text(decimals=3, sign="+") for gap in gaps)
    print(f"| all, minus `{texts[0]}` | | {cells} |")
    cells = " | ".join(f"{mean:.0f}" for mean in effective.mean(axis=0))
    print(f"| effective worlds of {len(agents[0].pool)} | | | | {cells} |", flush=True)


def play_block(game: Game, agent: Agent, seeds: np.ndarray, evaluation_seed: str) -> np.ndarray:
    """Return the net results of deals, (n,): the mean of both sides that an agent can play."""
    nets, greedy = np.zeros(len(seeds)), GreedyAgent()
    for side in range(2):
        agents: list[Agent] = [agent, greedy] if side == 0 else [greedy, agent]
        played = play_seated(
            game, game.make_rules(), agents * 2, seeds, evaluation_seed=evaluation_seed
        )
        nets += played.nets[:, side] / 2
    return nets


def compare_searches(game: Game, locate: Locate, options: Options) -> None:
    """Print the net results of the searches on the same deals, up to an interruption."""
    deal_set, rules = options.deal_set or default_deal_set(game.name), game.make_rules()
    texts = [f"rollouts{kind}@{options.worlds}:greedy" for kind in ("", "-bids")]
    agents = [load_agent(text, game, rules) for text in texts]
    agents += [LocatedAgent(game, locate, text, options) for text in options.weighted]
    texts += options.weighted
    blocks: list[np.ndarray] = []
    spent = np.zeros(len(agents))
    with suppress(KeyboardInterrupt):
        for first in range(0, options.deals, BLOCK):
            seeds = deal_seeds(deal_set, range(first, min(first + BLOCK, options.deals)))
            block, times = np.zeros((len(agents), len(seeds))), np.zeros(len(agents))
            for k, agent in enumerate(agents):
                begun = time.process_time()
                block[k] = play_block(game, agent, seeds, f"{options.evaluation_seed} {texts[k]}")
                times[k] = time.process_time() - begun
            blocks.append(block)
            spent += times
            means = " ".join(f"{mean:+.3f}" for mean in np.concatenate(blocks, axis=1).mean(axis=1))
            print(f"{first + len(seeds)} deals: {means}", file=sys.stderr, flush=True)
    nets = np.concatenate(blocks, axis=1)
    print(f"\n{nets.shape[1]:,} deals of {deal_set}, greedy opponents, stakes per hand:\n")
    print("| search | net | minus `rollouts` | minus `rollouts-bids` | CPU time per hand |")
    print("| --- | --- | --- | --- | --- |")
    for k, text in enumerate(texts):
        parts = [nets[k], *(nets[k] - nets[base] for base in range(min(k, 2)))]
        cells = [student_mean(part).text(decimals=3, sign="+") for part in parts]
        cells += [""] * (3 - len(cells)) + [f"{500 * spent[k] / nets.shape[1]:.0f} ms"]
        print(f"| {text} | {' | '.join(cells)} |", flush=True)


def main(options: Options) -> None:
    """Train the network unless its file exists, and print the tables."""
    torch.set_num_threads(1)
    torch.manual_seed(options.seed)
    game, outputs = find_game(options.game), (CARDS + 1) * HOLDERS
    network = NETWORKS["embedding"](game.features, outputs, options.width, options.depth)
    weights = options.weights or Path("runs", "card-locations", f"{options.game}.safetensors")
    if weights.exists():
        network.load_state_dict(load_file(weights))
    else:
        train(game, network, options)
        weights.parent.mkdir(parents=True, exist_ok=True)
        save_file(network.state_dict(), weights)
    print(describe_machine(), flush=True)
    locate = make_locate(game, network.eval())
    if options.examined:
        examine(game, locate, options)
    if options.deals:
        compare_searches(game, locate, options)


if __name__ == "__main__":
    main(tyro.cli(Options, description=__doc__))
