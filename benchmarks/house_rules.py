"""What each house rule of Twenty-Eight, Twenty-Nine and Fifty-Six is worth to the side that bids.

    python -m benchmarks.house_rules twenty_eight --agent trained --deals 20000

The same agent plays all seats of the same deals, once by the classic rules and once with one rule
changed. The table says what the bidder's side scores a hand, how often it makes its contract, and
how much more that is than by the classic rules, paired by deal, with 95 % intervals; a hand that is
void counts as not made. A second table says how often contracts of each level are made by the
classic rules.

An agent that was trained by the classic rules plays the others by what it learned there. One that
draws, as searches do, plays a deal otherwise each time: its intervals are wider.
"""

import argparse
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from parlour.agents import load_agent
from parlour.envs import find_game
from parlour.envs.core.deals import bank_seeds, default_bank
from parlour.training.evaluation.duplicate_play import play_seated
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
"""One rule each that differs from the classic ones."""


class Worth(NamedTuple):
    """What came of deals, arrays (n,)."""

    scores: np.ndarray
    """Of the bidder's side."""
    made: np.ndarray
    bids: np.ndarray
    """0 where nobody bid."""


LEVELS = {
    "twenty_eight": (14, 16, 18, 20, 24, 28),
    "twenty_nine": (15, 17, 19, 21, 24, 28),
    "fifty_six": (28, 32, 36, 40, 48, 56),
}
"""From where on bids are counted together."""


def play(name: str, agent: str, options: dict[str, Any], seeds: np.ndarray, key: str) -> Worth:
    """Let an agent play all seats of these deals."""
    game = find_game(name)
    rules = game.make_rules(None, options)
    player = load_agent(agent, game, rules, any_rules=True)
    found = play_seated(game, rules, [player] * rules.players, seeds, key=key)
    bidders = found.facts["bidder"][:, 0]
    scores = found.nets[np.arange(len(seeds)), np.maximum(bidders, 0)] * (bidders >= 0)
    return Worth(scores.astype(float), scores > 0, found.facts["bid"][:, 0])


def interval(values: np.ndarray) -> str:
    """Write a mean with half its 95 % interval."""
    return f"{values.mean():+.3f} ± {1.96 * values.std(ddof=1) / np.sqrt(len(values)):.3f}"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("game", choices=CHANGES)
    parser.add_argument("--agent", default="greedy")
    parser.add_argument("--deals", type=int, default=5000)
    parser.add_argument("--key", default="house rules")
    given = parser.parse_args()
    seeds = bank_seeds(default_bank(given.game), range(given.deals))
    base = play(given.game, given.agent, {}, seeds, given.key)
    print(f"{given.agent} in all seats, deals 0 to {given.deals - 1} of {default_bank(given.game)}")
    print("\n| rules | bidder's side a hand | made | more than by the classic rules |")
    print("| --- | --- | --- | --- |")
    print(f"| classic | {interval(base.scores)} | {base.made.mean():.1%} | |")
    for options in CHANGES[given.game]:
        found = play(given.game, given.agent, options, seeds, given.key)
        said = ", ".join(f"{name}={value}" for name, value in options.items())
        more = interval(found.scores - base.scores)
        print(
            f"| {said} | {interval(found.scores)} | {found.made.mean():.1%} | {more} |", flush=True
        )
    print_levels(base, LEVELS[given.game])


def print_levels(found: Worth, levels: tuple[int, ...]) -> None:
    """Print how often contracts are made, by level."""
    print("\n| bid | hands | made |\n| --- | --- | --- |")
    for low, high in pairwise((*levels, 100)):
        those = (found.bids >= low) & (found.bids < high)
        if those.any():
            made = wilson_rate(found.made[those])
            name = f"{low}–{high - 1}" if high < 100 else f"{low} or more"
            shown = f"{made.mean:.1%} [{made.low:.1%}, {made.high:.1%}]"
            print(f"| {name} | {those.sum()} | {shown} |")


if __name__ == "__main__":
    main()
