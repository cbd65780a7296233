"""Values of plans: the functions of a game whose plans a learned network compares.

A plan is a sequence of actions up to the next card that is turned up. Its value is the chance of
winning from the position that it leads to, before the card is known. `PlanNetwork` estimates the
value from the features of that position.
"""

from typing import Any, NamedTuple, Protocol

import numpy as np

from .contract import Plan
from .kernel.jit import jit
from .type_aliases import FeatureIds, States, Word

PART_BITS = 24
"""Number of bits with which a random word is compared with a probability."""


class PlanNetwork(NamedTuple):
    """Weights of a network with two hidden layers, all float32.

    The first layer is the sum of one row of ``embedding`` per feature.
    """

    embedding: np.ndarray
    """(features, width)."""
    hidden: np.ndarray
    """(units, width)."""
    hidden_bias: np.ndarray
    """(units,)."""
    output: np.ndarray
    """(units,)."""
    output_bias: np.ndarray
    """(1,)."""


@jit
def evaluate_features(ids: FeatureIds, count: int, network: PlanNetwork, sums: np.ndarray) -> float:
    """Return the network's logit of winning.

    Args:
        ids: The features; the first ``count`` entries are used.
        count: Number of features.
        network: The network.
        sums: Scratch space, float32 (width,).

    Returns:
        The logit.
    """
    width = len(sums)
    for j in range(width):
        sums[j] = 0.0
    for k in range(count):
        row = network.embedding[ids[k]]
        for j in range(width):
            sums[j] += row[j]
    for j in range(width):
        sums[j] = max(sums[j], np.float32(0.0))
    logit = network.output_bias[0]
    for unit in range(len(network.output)):
        weights, total = network.hidden[unit], network.hidden_bias[unit]
        for j in range(width):
            total += weights[j] * sums[j]
        if total > 0:
            logit += network.output[unit] * total
    return logit


class PlayedPlans(NamedTuple):
    """The plans of games that a network played, in the order of play."""

    ids: np.ndarray
    """Features of the position after each plan, int16 (n, most active features). ``num_features``
    fills the rest of a row."""
    logits: np.ndarray
    """The network's logit of each plan, float64 (n,)."""
    games: np.ndarray
    """The game of each plan, int64 (n,), ascending."""
    won: np.ndarray
    """Whether each game was won, bool (games,)."""
    num_hidden: np.ndarray
    """Number of cards that were still hidden when each game was lost, int64 (games,)."""


def allocate_plans(
    num_games: int, max_plans: int, max_active: int, num_features: int
) -> PlayedPlans:
    """Return `PlayedPlans` with room for ``max_plans`` plans of each game, all of them lost.

    Args:
        num_games: Number of games.
        max_plans: Maximum number of plans per game.
        max_active: Largest number of features of a position.
        num_features: Number of features.
    """
    most = num_games * max_plans
    return PlayedPlans(
        np.full((most, max_active), num_features, np.int16),
        np.empty(most),
        np.empty(most, np.int64),
        np.zeros(num_games, np.bool_),
        np.zeros(num_games, np.int64),
    )


def trim_plans(played: PlayedPlans, size: int) -> PlayedPlans:
    """Return the first ``size`` plans."""
    ids, logits, games = played.ids[:size], played.logits[:size], played.games[:size]
    return played._replace(ids=ids, logits=logits, games=games)


class SearchedPlans(NamedTuple):
    """The plans of a game that a search played, and other plans that the search tried."""

    ids: np.ndarray
    """Features of the position after each plan, as in `PlayedPlans`, int16 (n, most active)."""
    visits: np.ndarray
    """Number of visits of each plan, int64 (n,)."""
    positions: np.ndarray
    """The position from which each plan starts, int64 (n,), ascending from 0."""
    chosen: np.ndarray
    """Whether each plan was played, bool (n,): one plan of each position."""
    won: bool
    """Whether the game was won."""


@jit
def chance_of_winning(logit: float) -> float:
    """Return the chance of winning, from 0 to 1, of a network's logit."""
    return float(1 / (1 + np.exp(-logit)))


@jit
def is_explored(word: Word, explore: float) -> bool:
    """Return whether a random word decides for a random plan, which has probability ``explore``."""
    return word >> np.uint64(64 - PART_BITS) < np.uint64(explore * (1 << PART_BITS))


class PlayGames(Protocol):
    """Function that plays games with a network, and records its plans."""

    def __call__(
        self, rules: Any, network: PlanNetwork, seeds: np.ndarray, explore: float, /
    ) -> PlayedPlans:
        """Play one deal for each seed.

        Args:
            rules: The rules.
            network: The network. The plan with the highest logit is played.
            seeds: Seeds of the deals, uint64 (games,).
            explore: Probability of a random plan, among those that do not surely lose.

        Raises:
            ValueError: The rules are not supported.
        """


class SearchGame(Protocol):
    """Function that plays a game with a search for plans, and records the plans."""

    def __call__(self, rules: Any, iterations: int, seed: int, /) -> SearchedPlans:
        """Play one deal.

        Args:
            rules: The rules.
            iterations: Number of iterations of each search.
            seed: The seed of the deal.

        Raises:
            ValueError: The rules are not supported.
        """


class ChoosePlan(Protocol):
    """Function that returns the plan that a network prefers."""

    def __call__(self, states: States, rules: Any, network: PlanNetwork, /) -> Plan:
        """Return the plan for one state, shape (1,), and the chance of winning as its value.

        The plan is empty if there is none, or if no card is hidden.

        Raises:
            ValueError: The rules are not supported.
        """


class CheckRules(Protocol):
    """Function that checks whether rules have plans."""

    def __call__(self, rules: Any, /) -> None:
        """Raise ValueError for rules that are not supported."""


class PlanValues(NamedTuple):
    """Features of the positions after plans, and functions that choose plans by their values."""

    num_features: int
    """Number of features. Features are numbered from 0."""
    max_plans: int
    """Maximum number of plans per game."""
    check_rules: CheckRules
    """Checks whether rules have plans."""
    play_games: PlayGames
    """Plays games with a network."""
    choose_plan: ChoosePlan
    """Returns the plan that a network prefers."""
    symmetries: np.ndarray
    """Numberings of the features that do not change the value, int64 (k, num_features + 1). The
    last column is ``num_features``, which stands for no feature."""
    search_game: SearchGame | None = None
    """Plays a game with a search for plans (None: the game has no such search)."""
    max_length: float | None = None
    """Maximum mean number of actions of the plans of a game. None: not known, but plans get only a
    little longer as the network learns."""
    version: int = 1
    """Version of the features. It changes when features are added or change their meaning; a saved
    network works only with the version that it was trained with."""
