"""Inference from bids: select the sampled worlds that fit the auction best.

The auction is replayed in each world. Each bid that the greedy heuristic, or a rule-based agent,
would not make with the cards of this world is evidence against the world.
"""

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from parlour.envs import Game, find_game
from parlour.envs.core.afterstates import best_legal
from parlour.envs.core.batch import DealSource
from parlour.envs.core.kernel.jit import jit
from parlour.envs.core.kernel.rng import GAMMA
from parlour.envs.core.legal import has_choice
from parlour.envs.core.options import as_record
from parlour.envs.core.rows import copy_states
from parlour.envs.core.type_aliases import RulesRecords, State, States, Word

from ..baselines import GreedyAgent
from .playout import Guide, Playout, make_guide, make_playout, playout_kernels

DRAWS = 16
"""Largest number of sampled worlds from which the one that fits the bids best is selected."""
AUCTION_FIELDS = {"history", "size", "tricks"}
"""State fields of games with an auction before the tricks."""


def check_auction(game: Game) -> None:
    """Raise ValueError for a game without an auction before its tricks."""
    if not set(game.state.names or ()) >= AUCTION_FIELDS:
        raise ValueError(f"the game must have an auction before its tricks, got {game.title}")


def is_bidding(game: Game, states: np.ndarray) -> np.ndarray:
    """Return whether each state comes before the play, the last phase of these games, bool (n,)."""
    play = next(piece.kind.max_code for piece in game.features.pieces if piece.name == "phase")
    return np.asarray(states["shown"]["phase"] != play)


@cache
def make_count_surprises(name: str, rule_agent: str | None = None) -> Callable[..., int]:
    """Build a game's ``count(world, playout, rules, guide)``.

    It returns the number of surprises in a world: choices of the other seats before the first card
    that the heuristic, or a rule-based agent, would not have made. The world must not be a view of
    the playout's state.
    """
    game = find_game(name)
    begin, step = game.kernels.begin, game.kernels.step
    rate, _ = playout_kernels(name, rule_agent)

    @jit
    def count(world: State, playout: Playout, rules: RulesRecords, guide: Guide) -> int:
        playout.states[0] = world
        s, surprises, move = playout.states[0], 0, 0
        begin(s, rules[0], DealSource.DECK)
        while move < world["moves"] and s["size"] + s["tricks"] == 0:
            action = world["history"][move] - 1
            if s["turn"] != world["turn"] and has_choice(s["legal"]):
                rate(playout.states, rules, guide, playout.ids, playout.scores)
                surprises += best_legal(s["legal"], playout.scores[0]) != action
            step(s, rules[0], action)
            move += 1
        return surprises

    return count


@jit
def count_none(world: State, playout: Playout, rules: RulesRecords, guide: Guide) -> int:
    """Return 0: without inference, no world is a surprise."""
    return 0


@cache
def make_resample(
    name: str, rule_agent: str | None = None, by_bids: bool = False
) -> Callable[..., Word]:
    """Build a game's ``resample(root, worlds, playout, rules, guide, rng)``.

    It resamples the hidden cards of ``root`` and writes the world to ``worlds[0]``, with
    ``worlds[1]`` as a buffer. With ``by_bids``, it resamples until no bid is a surprise, at most
    `DRAWS` times, and takes the world with the fewest surprises. Returns the ``rng`` of the last
    world.
    """
    count = make_count_surprises(name, rule_agent) if by_bids else count_none
    resample_rows = find_game(name).resample_rows

    @jit
    def resample(
        root: State,
        worlds: States,
        playout: Playout,
        rules: RulesRecords,
        guide: Guide,
        rng: Word,
    ) -> Word:
        fewest = -1
        for _ in range(DRAWS):
            rng += GAMMA
            worlds[1] = root
            worlds[1]["rng"] = rng
            resample_rows(worlds[1:], rules, -1)
            surprises = count(worlds[1], playout, rules, guide)
            if fewest < 0 or surprises < fewest:
                fewest = surprises
                worlds[0] = worlds[1]
            if fewest == 0:
                break
        return rng

    return resample


@cache
def _make_count_all(name: str) -> Callable[..., None]:
    """Build a game's ``count_all(worlds, playout, rules, guide, counts)`` of surprises."""
    count = make_count_surprises(name)

    @jit
    def count_all(
        worlds: States, playout: Playout, rules: RulesRecords, guide: Guide, counts: np.ndarray
    ) -> None:
        for i in range(len(worlds)):
            counts[i] = count(worlds[i], playout, rules, guide)

    return count_all


def count_surprises(game: Game, rules: Any, worlds: np.ndarray) -> np.ndarray:
    """Return the surprises in each world, states (n,), with the bids of greedy: int64 (n,)."""
    counts = np.zeros(len(worlds), np.int64)
    guide, playout = make_guide(GreedyAgent(), game), make_playout(game)
    _make_count_all(game.name)(worlds, playout, as_record(rules), guide, counts)
    return counts


def keep_likeliest(game: Game, rules: Any, worlds: np.ndarray) -> np.ndarray:
    """Return, of each `DRAWS` worlds in a row, the world that fits the bids best, states (n,).

    ``worlds`` are states (n * DRAWS,). Ties go to the first world, which is fair because the worlds
    are random.
    """
    counts = count_surprises(game, rules, worlds)
    best = counts.reshape(-1, DRAWS).argmin(axis=1)
    return copy_states(worlds, np.arange(len(best)) * DRAWS + best)
