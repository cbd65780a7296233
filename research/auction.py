"""Can PPO with a magnet learn an auction, if greedy plays the cards?

    python -m research.auction twenty_eight
    python -m research.auction twenty_eight --steps 16000000 --self-shares 1

The learner makes all decisions before the play: its bids, passes and choice of trumps. As soon as
the play begins, ``greedy`` plays the hand to its end in all seats, inside a compiled kernel. The
learner is that of method ``selfplay`` (PPO with a penalty towards a slowly moving copy of the
policy). Evaluations combine an agent for the auction with an agent for the cards. Each combination
plays all seats of one side, and ``greedy`` those of the other side.
The last columns are shares of the combination's calls: before the first bid, and passes after one.
Differences to the auction of ``pretrained`` are paired by deal.
Finished and interrupted runs are kept below ``--runs``; the same command resumes.
"""

import time
from dataclasses import dataclass
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any, Literal

import numpy as np
import torch
import tyro

from parlour.agents.registry import Agent, load_agent
from parlour.agents.search.inference import is_bidding
from parlour.envs import Game, find_game
from parlour.envs.core.turn import Turn
from parlour.envs.games.twenty_eight.rules import AUCTION, PASS
from parlour.training.evaluation.compare import evaluate
from parlour.training.evaluation.result import TableEvaluation, describe_machine
from parlour.training.learning.envs import RUNNING, SelfPlayEnv, make_env, make_selfplay_env
from parlour.training.learning.methods.selfplay import SelfplayRun
from parlour.training.learning.progress import Bar
from parlour.training.learning.run import AGENT, Stop
from parlour.training.learning.settings.methods import SelfplaySettings

GREEDY = 1
"""The number of ``greedy`` among the agents of the environment; 0 is the learner."""
NOBODY = -1
"""Home seat of hands in the play. The kernel for baselines never plays for the home seat."""


@dataclass(frozen=True)
class Options:
    """The training runs and evaluations."""

    game: tyro.conf.Positional[Literal["twenty_eight", "twenty_nine"]] = "twenty_eight"
    """The game."""
    steps: int = 6_000_000
    """Decisions of a training run (0: only measure the speed of the environment)."""
    seeds: tuple[int, ...] = (0,)
    """Training seeds."""
    self_shares: tuple[float, ...] = (1.0, 0.2)
    """Probabilities that the learner, and not greedy, bids for the opposing side; one training run
    for each. With 1, the learner bids in all seats."""
    critic: Literal["own", "cards"] = "own"
    """Input of the value function: own or cards (the cards of all seats)."""
    magnet_coef: float = 0.05
    """Coefficient of the penalty KL(policy || magnet)."""
    samples: bool = False
    """Evaluate the agent with sampled bids instead of the most likely ones."""
    deals: int = 10_000
    """Deals of each evaluation."""
    deal_sets: tuple[str, ...] = ()
    """Deal sets of the evaluations (default: GAME-1 and GAME-2)."""
    runs: Path = Path("runs/auction")
    """The folder of the training runs."""


# ---- the environment ------------------------------------------------------------------------


class AuctionEnv(SelfPlayEnv):
    """`SelfPlayEnv` in which ``greedy`` plays the cards in all seats; see the module."""

    def _play_others(self, which: np.ndarray, *_: int) -> int:
        """Let greedy act where it bids, and play all hands in which the auction is over."""
        while True:
            super()._play_others(which)
            playing = which & (self.states["over"] == RUNNING) & ~is_bidding(self.game, self.states)
            if not playing.any():
                return self.n
            homes = self.own_seat.copy()
            self.seating[playing] = GREEDY
            self.own_seat[playing] = NOBODY
            super()._play_others(playing)
            self.own_seat[:] = homes


# ---- agents and training --------------------------------------------------------------------


class Combination:
    """Agent that acts as ``bidder`` until the play begins, and then as ``player``.

    Attributes:
        openings: How often the agent chose each action before the first bid.
        answers: The number of its decisions after a bid of another seat, and that of its passes.
    """

    sees_all = False

    def __init__(self, game: Game, bidder: Agent, player: Agent) -> None:
        self.name = f"{bidder.name} + {player.name}"
        self.game, self.bidder, self.player = game, bidder, player
        self.openings, self.answers = np.zeros(game.actions, np.int64), np.zeros(2, np.int64)

    def act(self, turn: Turn) -> np.ndarray:
        """Return the actions of the agent for the auction or of that for the cards."""
        actions, bids = np.zeros(len(turn.masks), np.int64), is_bidding(turn.game, turn.states)
        for agent, rows in ((self.bidder, bids), (self.player, ~bids)):
            if rows.any():
                actions[rows] = agent.act(turn.take(np.flatnonzero(rows)))
        self._count(turn, actions)
        return actions

    def _count(self, turn: Turn, actions: np.ndarray) -> None:
        shown = turn.states["shown"]
        free = (shown["phase"] == AUCTION) & (turn.masks.sum(axis=1) > 1)
        opens = free & (shown["bid"] == 0)
        np.add.at(self.openings, actions[opens], 1)
        answers = actions[free & ~opens]
        self.answers += len(answers), (answers == PASS).sum()

    def describe_bids(self) -> tuple[str, str]:
        """Return the shares of the calls before the first bid, and of passes after one, as text."""
        shares = self.openings / self.openings.sum()
        words = [
            f"{self.game.label(action).removeprefix('bid ')}: {share:.0%}"
            for action, share in enumerate(shares.tolist())
            if share >= 0.005
        ]
        return ", ".join(words), f"{self.answers[1] / self.answers[0]:.0%}"


class AuctionRun(SelfplayRun):
    """A run of method ``selfplay`` that learns only the auction."""

    table = AuctionEnv

    def agent(self) -> Any:
        """Return the policy with greedy's play of the cards, for validation."""
        return Combination(self.game, super().agent(), self.opponents[0])


def make_settings(options: Options, self_share: float, seed: int) -> SelfplaySettings:
    """Return the settings of a training run."""
    return SelfplaySettings(
        game=options.game,
        gamma=1.0,
        gae_lambda=1.0,  # auctions are short, and the reward comes at their end
        width=64,
        depth=2,
        n_envs=1024,
        n_steps=16,
        batch_size=2048,
        n_epochs=3,
        learning_rate=1e-3,
        ent_coef=0.003,
        ent_coef_final=0.0003,
        self_share=self_share,
        critic=options.critic,
        magnet_coef=options.magnet_coef,
        samples=options.samples,
        total_steps=max(options.steps, 1),
        eval_interval=500_000,
        checkpoint_interval=2_000_000,
        eval_deals=4000,
        device="cpu",
        seeds=(seed,),
        runs=str(options.runs),
    )


def train(options: Options, self_share: float, seed: int) -> Path:
    """Train with a seed or resume the run; return the folder of its agent."""
    changed = f"{options.steps}-{self_share:g}-{options.critic}-{options.magnet_coef:g}"
    changed += "-samples" if options.samples else ""
    folder = options.runs / f"{options.game}-{changed}" / f"seed-{seed}"
    run = AuctionRun(make_settings(options, self_share, seed), seed, folder)
    begun = time.process_time()
    if run.share_done() < 1:
        with Bar(f"seed {seed}", run.total, run.steps) as bar:
            run.train(bar, Stop())
        split = {name: round(seconds) for name, seconds in run.clock.split().items() if seconds > 1}
        print(f"seed {seed}: {time.process_time() - begun:.0f} s of CPU time, {split} s by phase")
    run.close()
    return folder / AGENT


# ---- measurements ---------------------------------------------------------------------------


def measure_speed(options: Options, seconds: float = 5.0) -> str:
    """Return the decisions per second of the environment alone, with greedy's bids."""
    settings = make_settings(options, 1.0, 0)
    game = find_game(options.game)
    greedy = load_agent("greedy", game, game.make_rules())
    env = make_env(settings, partial(make_selfplay_env, [greedy], 1.0, table=AuctionEnv))
    env.reset()
    spent, decisions, hands = 0.0, 0, 0
    while spent < seconds:
        scores = game.score_actions(env.rows.states, env.rules)
        actions = np.where(env.masks(), scores, -np.inf).argmax(axis=1)
        begun = time.process_time()
        env.step(actions)
        spent += time.process_time() - begun
        decisions, hands = decisions + env.num_envs, hands + len(env.ended)
    return (
        f"environment: {decisions / spent:,.0f} decisions per second of CPU time, "
        f"{decisions / hands:.1f} decisions per hand"
    )


def evaluate_all(options: Options, learned: dict[str, Agent]) -> None:
    """Print the stakes per hand of all combinations, with 95 % intervals, and their calls."""
    game = find_game(options.game)
    rules = game.make_rules()
    greedy, pretrained = (load_agent(name, game, rules) for name in ("greedy", "pretrained"))
    bidders = {"pretrained": pretrained, "greedy": greedy, **learned}
    players = {"greedy": greedy, "pretrained": pretrained}
    deal_sets = options.deal_sets or (f"{options.game}-1", f"{options.game}-2")
    by_set = (f"{one} | minus `pretrained`" for one in deal_sets)
    columns = ("auction", "cards", *by_set, "calls before the first bid", "passes")
    print(f"| {' | '.join(columns)} |\n|{' --- |' * (4 + 2 * len(deal_sets))}")
    compared: dict[tuple[str, str], TableEvaluation] = {}
    for player, bidder in product(players, bidders):
        agent, cells = Combination(game, bidders[bidder], players[player]), []
        for deal_set in deal_sets:
            result = evaluate(
                game,
                agent,
                deals=options.deals,
                deal_set=deal_set,
                opponents="greedy",
                evaluation_seed="auction",
            )
            assert isinstance(result, TableEvaluation)
            cells.append(result.net.text(decimals=3, sign="+"))
            control = compared.setdefault((player, deal_set), result)
            same = control is result
            cells.append("" if same else result.subtract(control).net.text(decimals=3, sign="+"))
        row = (bidder, player, *cells, *agent.describe_bids())
        print(f"| {' | '.join(row)} |", flush=True)


def main() -> None:
    """Train, evaluate and print the table."""
    options = tyro.cli(Options, description=__doc__)
    game = find_game(options.game)
    rules = game.make_rules()
    torch.set_num_threads(1)
    print(f"{describe_machine()}, one core")
    print(measure_speed(options))
    if not options.steps:
        return
    learned: dict[str, Agent] = {}
    for seed, share in product(options.seeds, options.self_shares):
        folder = train(options, share, seed)
        learned[f"learned, self-play {share:.0%}, seed {seed}"] = load_agent(
            str(folder), game, rules
        )
    evaluate_all(options, learned)


if __name__ == "__main__":
    main()
