"""The worth of each house rule of Twenty-Eight, Twenty-Nine and Fifty-Six to the bidding side.

    python -m research.house_rules twenty_eight --agent pretrained --deals 20000

The same agent plays all seats of the same deals, once by the classic rules and once with one rule
changed. The first table has the score of the bidder's side a hand, how often it makes its contract,
and the difference to the classic rules, paired by deal, with 95 % intervals; a void hand counts as
not made. The second table has how often contracts of each level are made by the classic rules.

An agent that was trained by the classic rules plays all rules by what it learned there. An agent
with random draws, such as a search, plays a deal differently each time: its intervals are wider.
"""

import argparse
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from parlour.agents import load_agent
from parlour.envs import find_game
from parlour.envs.core.kernel.cards import deal_seeds, default_deal_set
from parlour.training.evaluation.play import play_seated
from parlour.training.evaluation.stats import wilson_rate

CHANGES: dict[str, list[dict[str, Any]]] = {
    "twenty_eight": [
        {"pair": True},
        {"overtrump": True},
        {"ask": "must"},
        {"asker_trumps": False},
        {"force": "whole"},
        {"last_trick": 1},
        {"trump_by": "suit"},
    ],
    "twenty_nine": [
        {"pair": False},
        {"overtrump": True},
        {"ask": "may"},
        {"asker_trumps": True},
        {"force": "later"},
        {"last_trick": 0},
        {"never_shown": "plays"},
    ],
    "fifty_six": [
        {"leader": "bidder"},
        {"forced": False},
        {"honours": True},
        {"doubling": "none"},
        {"trumps": "hidden", "leader": "bidder"},
    ],
}
"""The changes of the classic rules, one at a time."""


class HandResults(NamedTuple):
    """The results of deals, arrays (n,)."""

    scores: np.ndarray
    """The scores of the bidder's side."""
    made: np.ndarray
    bids: np.ndarray
    """The bids, 0 if nobody bid."""


LEVELS = {
    "twenty_eight": (14, 16, 18, 20, 24, 28),
    "twenty_nine": (15, 17, 19, 21, 24, 28),
    "fifty_six": (28, 32, 36, 40, 48, 56),
}
"""The lowest bid of each group of bids."""


def play(
    name: str, agent: str, options: dict[str, Any], seeds: np.ndarray, evaluation_seed: str
) -> HandResults:
    """Let an agent play all seats of these deals."""
    game = find_game(name)
    rules = game.make_rules(None, options)
    player = load_agent(agent, game, rules, allow_rules_mismatch=True)
    played = play_seated(
        game, rules, [player] * rules.players, seeds, evaluation_seed=evaluation_seed
    )
    bidders = played.facts["bidder"][:, 0]
    scores = played.nets[np.arange(len(seeds)), np.maximum(bidders, 0)] * (bidders >= 0)
    return HandResults(scores.astype(float), scores > 0, played.facts["bid"][:, 0])


def interval(values: np.ndarray) -> str:
    """Write a mean with half its 95 % interval."""
    return f"{values.mean():+.3f} ± {1.96 * values.std(ddof=1) / np.sqrt(len(values)):.3f}"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("game", choices=CHANGES)
    parser.add_argument("--agent", default="greedy")
    parser.add_argument("--deals", type=int, default=5000)
    parser.add_argument("--evaluation-seed", default="house rules")
    given = parser.parse_args()
    seeds = deal_seeds(default_deal_set(given.game), range(given.deals))
    base = play(given.game, given.agent, {}, seeds, given.evaluation_seed)
    print(
        f"{given.agent} in all seats, deals 0 to {given.deals - 1} of "
        f"{default_deal_set(given.game)}"
    )
    print("\n| rules | bidder's side a hand | made | more than by the classic rules |")
    print("| --- | --- | --- | --- |")
    print(f"| classic | {interval(base.scores)} | {base.made.mean():.1%} | |")
    for options in CHANGES[given.game]:
        results = play(given.game, given.agent, options, seeds, given.evaluation_seed)
        changes = ", ".join(f"{name}={value}" for name, value in options.items())
        scores, gain = interval(results.scores), interval(results.scores - base.scores)
        print(f"| {changes} | {scores} | {results.made.mean():.1%} | {gain} |", flush=True)
    print_levels(base, LEVELS[given.game])


def print_levels(results: HandResults, levels: tuple[int, ...]) -> None:
    """Print how often contracts are made, by level of the bid."""
    print("\n| bid | hands | made |\n| --- | --- | --- |")
    for low, high in pairwise((*levels, 100)):
        chosen = (results.bids >= low) & (results.bids < high)
        if chosen.any():
            made = wilson_rate(results.made[chosen])
            name = f"{low}–{high - 1}" if high < 100 else f"{low} or more"
            shown = f"{made.mean:.1%} [{made.low:.1%}, {made.high:.1%}]"
            print(f"| {name} | {chosen.sum()} | {shown} |")


if __name__ == "__main__":
    main()
