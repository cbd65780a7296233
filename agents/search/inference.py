"""Inference from bids: select the sampled worlds that fit the auction best.

The auction is replayed in each world. Each bid that differs from the greedy heuristic's choice with
the cards of this world is evidence against the world.
"""

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from parlour.envs import Game, find_game
from parlour.envs.core.afterstates import best_legal
from parlour.envs.core.batch import DealSource
from parlour.envs.core.kernel.jit import jit
from parlour.envs.core.legal import has_choice
from parlour.envs.core.options import as_record
from parlour.envs.core.rows import copy_states
from parlour.envs.core.type_aliases import RulesRecords, State, States

from ..baselines import GreedyAgent
from .playout import Guide, Playout, make_guide, make_playout, playout_kernels

DRAWS = 16
"""Number of sampled worlds from which the one that fits the bids best is selected."""
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
def make_count_surprises(name: str) -> Callable[..., None]:
    """Build a game's ``count(worlds, playout, rules, guide, counts)``.

    ``counts``, int64 (n,), receives the number of surprises in each world: choices of the other
    seats before the first card that the greedy heuristic would not have made.
    """
    game = find_game(name)
    begin, step = game.kernels.begin, game.kernels.step
    rate, _ = playout_kernels(name)

    @jit
    def count_in(world: State, playout: Playout, rules: RulesRecords, guide: Guide) -> int:
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

    @jit
    def count(
        worlds: States, playout: Playout, rules: RulesRecords, guide: Guide, counts: np.ndarray
    ) -> None:
        for i in range(len(worlds)):
            counts[i] = count_in(worlds[i], playout, rules, guide)

    return count


def keep_likeliest(game: Game, rules: Any, worlds: np.ndarray) -> np.ndarray:
    """Return, of each `DRAWS` worlds in a row, the world that fits the bids best, states (n,).

    ``worlds`` are states (n * DRAWS,). Ties go to the first world, which is fair because the worlds
    are random.
    """
    counts = np.zeros(len(worlds), np.int64)
    guide = make_guide(GreedyAgent(), game)
    make_count_surprises(game.name)(worlds, make_playout(game), as_record(rules), guide, counts)
    best = counts.reshape(-1, DRAWS).argmin(axis=1)
    return copy_states(worlds, np.arange(len(best)) * DRAWS + best)
