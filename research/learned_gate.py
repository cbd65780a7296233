"""Can a learned gate decide when Pyramid's network hands a decision to a search?

    python -m research.learned_gate
    python -m research.learned_gate --deal-set pyramid-1 --deals 10000 --gates head:solve:20@2

A *gated agent* plays the network's most likely action unless the score of the position exceeds a
threshold; then a search decides. The score is one of

- ``head``: the gain of the search, which a small head predicts from the network's hidden layer,
  margin, highest probability and value;
- ``own``: the same, with the hidden layer of a copy of the network that is trained with the head;
- ``margin``: minus the margin, the difference between the log probabilities of the network's two
  most likely actions;
- ``random``: a random number.

The *gain* is the value of the action of ``pimc@4:pretrained`` minus that of the network's action,
in other sampled worlds than those of the search, so that noise does not bias it. The *regret* is
the highest value minus that of the network's action; noise makes its mean too high. The network
plays one half of the training games, the search the other half. The first table shows how much of
gain and regret the gates find in other games of the network, the second one the results of play,
with CPU time per decision. The script saves positions and trained gates in ``--out``; later calls
read them.
"""

from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np
import torch
import tyro
from torch import Tensor, nn

from parlour.agents.explanation import rows_with_choice
from parlour.agents.networks.build import masked_logits
from parlour.agents.networks.learned import LearnedAgent
from parlour.agents.networks.tokens import RankTokens
from parlour.agents.registry import load_agent
from parlour.agents.search.pimc import PimcAgent
from parlour.envs import find_game
from parlour.envs.core.kernel.cards import deal_seeds
from parlour.envs.core.turn import Agent, Turn, random_floats
from parlour.training.evaluation.compare import evaluate
from parlour.training.evaluation.play import play_deals
from parlour.training.evaluation.result import SolitaireEvaluation, describe_machine

GAME, VARIANT = find_game("pyramid"), "three-passes"
RULES = GAME.variants[VARIANT]
UNSEEN = GAME.features.entry_range("unseen")
OTHER_WORLDS = np.uint64(0x6A7E)
"""Changes the seeds of the worlds that judge the search's action."""
EXTRAS = 4
"""Number of inputs of a head that describe the network's policy and value."""
CHUNK = 8192
"""Positions that a network reads together."""
SUMS = (2, 5, 10, 20)
"""Percentages of the choices in the first table."""
Positions = dict[str, np.ndarray]


@dataclass(frozen=True)
class Options:
    """The conditions; percentages are those of decisions with several legal actions."""

    deal_set: str = "pyramid-9"
    deals: int = 1000
    gates: tuple[str, ...] = (
        *("random:solve:0@1", "head:solve:20@1", "head:solve:40@1", "head:solve:60@1"),
        *("margin:solve:40@1", "random:solve:40@1", "head:solve:20@2", "head:solve:40@2"),
        *("margin:solve:20@2", "random:solve:20@2", "own:solve:20@2"),
        *("head:solve:40@4", "head:gate:40@4", "margin:gate:40@4", "own:gate:40@4"),
    )
    """Gates, each as GATE:KNOWN:PERCENT@WORLDS. KNOWN says who decides if nothing is hidden: solve,
    always the search; gate, the gate, as in other positions. PERCENT is the share of the held-out
    choices that the gate hands to the search; with solve, of those with hidden cards. WORLDS is the
    number of worlds of the search."""
    agents: tuple[str, ...] = (
        *("pretrained", "pimc@4:pretrained", "pimc@2:pretrained", "pimc@1:pretrained", "pimc@1"),
    )
    """Other agents. The differences in the second table are those to the first two."""
    games: int = 8000
    """Training games; a third as many are held out."""
    worlds: int = 8
    """Sampled worlds that judge the actions of a position."""
    epochs: int = 4
    batch_size: int = 1024
    learning_rate: float = 1e-3
    seed: int = 0
    out: Path = Path("runs/learned-gate")


class Reader:
    """Reads a network's actions, a description of its policy, and its hidden layer."""

    def __init__(self, network: RankTokens) -> None:
        self.network, self.hidden = network, torch.zeros(0)
        network.value.register_forward_pre_hook(self._keep)

    def _keep(self, _: nn.Module, inputs: tuple[Tensor, ...]) -> None:
        self.hidden = inputs[0]

    def read(self, codes: Tensor, masks: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Return actions (n,), extra inputs of a head (n, `EXTRAS`), and the hidden layer."""
        logits, values = self.network(codes)
        best, actions = masked_logits(logits, masks).log_softmax(dim=1).topk(2, dim=1)
        margin = (best[:, 0] - best[:, 1]).clamp(max=20)
        extras = torch.stack([margin, best[:, 0].exp(), values, values.square()], dim=1)
        return actions[:, 0], extras, self.hidden


class GainHead(nn.Module):
    """Predicts the log of the gain from the player's hidden layer, or that of its own network."""

    def __init__(self, width: int, network: RankTokens | None) -> None:
        super().__init__()
        self.network = network
        self.reader = [Reader(network)] if network is not None else []
        inputs, last = 2 * width + EXTRAS, nn.Linear(64, 1)
        nn.init.constant_(last.bias, -4.0)  # the log of a typical gain
        self.layers = nn.Sequential(nn.LayerNorm(inputs), nn.Linear(inputs, 64), nn.ReLU(), last)

    def forward(self, codes: Tensor, extras: Tensor, hidden: Tensor) -> Tensor:
        """Return log gains (n,)."""
        for reader in self.reader:
            reader.network(codes)
            hidden = reader.hidden
        result: Tensor = self.layers(torch.cat([hidden, extras], dim=1)).squeeze(1)
        return result


def score(gate: GainHead | str, inputs: tuple[Tensor, ...], seeds: np.ndarray) -> np.ndarray:
    """Return the scores (n,) of a gate for codes, extra inputs and hidden layer."""
    if gate == "random":
        return random_floats(seeds, 1)
    if isinstance(gate, GainHead):
        return np.asarray(gate(*inputs).numpy())
    return np.asarray(-inputs[1][:, 0].numpy())


def is_known(codes: np.ndarray) -> np.ndarray:
    """Return whether at most one card is at an unknown position, bool (n,): nothing is hidden."""
    return np.asarray(codes[:, UNSEEN.start : UNSEEN.stop].sum(axis=1) <= 1)


def as_tensors(*arrays: np.ndarray) -> list[Tensor]:
    """Return copies of arrays as tensors."""
    return [torch.from_numpy(array.copy()) for array in arrays]


class GatedAgent:
    """Plays the network's action, unless a score exceeds a threshold; then a search decides."""

    sees_all = False

    def __init__(
        self, reader: Reader, search: Agent, gate: GainHead | str, threshold: float, solves: bool
    ) -> None:
        self.name, self.reader, self.search = "gated", reader, search
        self.gate, self.threshold, self.solves = gate, threshold, solves
        self.usage = {"searches": 0}

    @torch.inference_mode()
    def act(self, turn: Turn) -> np.ndarray:
        """Return one legal action for each game, int64 (n,)."""
        actions, rows = turn.masks.argmax(axis=1), rows_with_choice(turn)
        searched = is_known(turn.observations[rows]) & self.solves
        gated = np.flatnonzero(~searched)
        if len(gated):
            places = rows[gated]
            codes, masks = as_tensors(turn.observations[places], turn.masks[places])
            best, *inputs = self.reader.read(codes, masks)
            actions[places] = best.numpy()
            scores = score(self.gate, (codes, *inputs), turn.seeds[places])
            searched[gated] = scores > self.threshold
        rows = rows[searched]
        if len(rows):
            actions[rows] = self.search.act(turn.take(rows))
        self.usage["searches"] += len(rows)
        return np.asarray(actions, np.int64)


class Recorder:
    """Plays the network's or the search's actions, and records positions with gain and regret."""

    sees_all = False

    def __init__(self, reader: Reader, search: PimcAgent, judge: PimcAgent, searches: bool) -> None:
        self.name, self.reader, self.search, self.judge = "recorder", reader, search, judge
        self.searches, self.records = searches, list[Positions]()

    @torch.inference_mode()
    def act(self, turn: Turn) -> np.ndarray:
        """Return one legal action for each game, int64 (n,)."""
        actions, rows = turn.masks.argmax(axis=1), rows_with_choice(turn)
        if len(rows) == 0:
            return actions
        turn, each = turn.take(rows), np.arange(len(rows))
        best = self.reader.read(*as_tensors(turn.observations, turn.masks))[0].numpy()
        found = self.search.act(turn)
        values = self.judge.judge(turn._replace(seeds=turn.seeds ^ OTHER_WORLDS)).values
        above = values - values[each, best][:, None]
        self.records.append(
            {
                "codes": turn.observations,
                "masks": turn.masks,
                "regret": above.max(axis=1, where=turn.masks, initial=0).astype(np.float32),
                "gain": above[each, found].astype(np.float32),
                "known": is_known(turn.observations),
                "by_search": np.full(len(rows), self.searches),
            }
        )
        actions[rows] = found if self.searches else best
        return np.asarray(actions, np.int64)


class Study:
    """The steps of the study."""

    def __init__(self, options: Options) -> None:
        self.options, player = options, load_agent("pretrained", GAME, RULES)
        assert isinstance(player, LearnedAgent) and isinstance(player.network, RankTokens)
        self.untouched = deepcopy(player.network)  # without the hook of the reader
        self.player, self.reader = player, Reader(player.network.requires_grad_(False))
        positions = self.collect("pyramid-7", options.games)
        copied = deepcopy(self.untouched)
        heads = {"head": self.train("head", None, positions)}
        heads["own"] = self.train("own", copied, positions)
        self.gates: dict[str, GainHead | str] = {**heads, "margin": "margin", "random": "random"}
        self.held_out = self.collect("pyramid-8", options.games // 3)
        inputs = self.read_inputs(self.held_out)
        seeds = np.arange(len(inputs[0]), dtype=np.uint64)
        parts = [torch.split(one, CHUNK) for one in inputs]
        with torch.inference_mode():
            self.scores = {
                name: np.concatenate(
                    [
                        score(gate, part, seeds[k * CHUNK :][:CHUNK])
                        for k, part in enumerate(zip(*parts, strict=True))
                    ]
                )
                for name, gate in self.gates.items()
            }

    def make_search(self, worlds: int) -> PimcAgent:
        """Return the search with a number of worlds, guided by the network."""
        return PimcAgent(GAME, RULES, self.player, worlds)

    def collect(self, deal_set: str, games: int) -> Positions:
        """Return the positions of games on deals of a set, saved in a file."""
        path = self.options.out / f"{deal_set}-{games}-{self.options.worlds}.npz"
        half, begun = games // 2, process_time()
        if not path.exists():
            search, judge = self.make_search(4), self.make_search(self.options.worlds)
            records: list[Positions] = []
            for searches in (False, True):
                recorder = Recorder(self.reader, search, judge, searches)
                seeds = deal_seeds(deal_set, np.arange(half) + half * searches)
                name = "search" if searches else "network"
                play_deals(GAME, RULES, recorder, seeds, evaluation_seed=name)
                records += recorder.records
            joined: dict[str, Any] = {
                name: np.concatenate([one[name] for one in records]) for name in records[0]
            }
            np.savez(path, **joined)
            print(f"{deal_set}: {games} games, {process_time() - begun:.0f} s of CPU time")
        with np.load(path) as saved:
            return dict(saved)

    def read_inputs(self, positions: Positions) -> tuple[Tensor, Tensor, Tensor]:
        """Return a head's inputs: codes, extra inputs and hidden layer of the player's network."""
        codes, masks = as_tensors(positions["codes"], positions["masks"])
        pairs = zip(torch.split(codes, CHUNK), torch.split(masks, CHUNK), strict=True)
        parts = [self.reader.read(*pair)[1:] for pair in pairs]
        extras, hidden = (torch.cat(list(one)) for one in zip(*parts, strict=True))
        return codes, extras, hidden

    def train(self, name: str, network: RankTokens | None, positions: Positions) -> GainHead:
        """Return a head that has learned the gains, from its file if there is one.

        The Poisson loss is smallest where the prediction is the mean gain.
        """
        options, begun = self.options, process_time()
        torch.manual_seed(options.seed)
        head = GainHead(self.untouched.width, network)
        learning = f"{options.epochs}-{options.batch_size}-{options.learning_rate:g}"
        path = options.out / (
            f"{name}-{options.games}-{options.worlds}-{learning}-{options.seed}.pt"
        )
        if path.exists():
            head.load_state_dict(torch.load(path, weights_only=True))
            return head.requires_grad_(False)
        inputs, gains = self.read_inputs(positions), torch.from_numpy(positions["gain"])
        optimizer = torch.optim.Adam(head.parameters(), lr=options.learning_rate)
        steps = options.epochs * len(gains) // options.batch_size
        schedule = torch.optim.lr_scheduler.OneCycleLR(
            optimizer, options.learning_rate, steps + 1, pct_start=0.05
        )
        for _ in range(steps):
            rows = torch.randint(len(gains), (options.batch_size,))
            logs = head(*(part[rows] for part in inputs))
            loss = nn.functional.poisson_nll_loss(logs, gains[rows])
            optimizer.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            nn.utils.clip_grad_norm_(head.parameters(), 1.0)
            optimizer.step()
            schedule.step()
        torch.save(head.state_dict(), path)
        print(f"{name}: {len(gains):,} positions, {process_time() - begun:.0f} s of CPU time")
        return head.requires_grad_(False)

    def print_quality(self) -> None:
        """Print which part of gain and regret each gate finds in the network's held-out games."""
        titles = " | ".join(f"{k} %" for k in SUMS)
        print(f"\n| gate | positions | value | mean | {titles} |\n{'| --- ' * (4 + len(SUMS))}|")
        known, by_network = self.held_out["known"], ~self.held_out["by_search"]
        for kind, rows in (("hidden", ~known & by_network), ("known", known & by_network)):
            for target in ("gain", "regret"):
                values = self.held_out[target][rows].astype(np.float64)
                for name, scores in (
                    self.scores | {"best possible": self.held_out[target]}
                ).items():
                    found = values[np.argsort(-scores[rows])].cumsum() / values.sum()
                    shares = [f"{100 * found[len(values) * k // 100 - 1]:.1f} %" for k in SUMS]
                    cells = [f"{len(values):,} {kind}", target, f"{values.mean():.5f}", *shares]
                    print(f"| `{name}` | {' | '.join(cells)} |")

    def make_agent(self, text: str) -> Agent:
        """Return the gated agent of GATE:KNOWN:PERCENT@WORLDS."""
        name, known, rest = text.split(":")
        percent, _, worlds = rest.partition("@")
        solves = {"solve": True, "gate": False}[known]
        counted = self.scores[name][~self.held_out["known"] | (not solves)]
        threshold = float(np.quantile(counted, 1 - float(percent) / 100))
        search = self.make_search(int(worlds))
        return GatedAgent(self.reader, search, self.gates[name], threshold, solves)

    def play(self, agent: Agent | str) -> SolitaireEvaluation:
        """Return the results of an agent. All agents have the same name, so the same worlds."""
        result = evaluate(
            "pyramid",
            agent,
            variant=VARIANT,
            deals=self.options.deals,
            deal_set=self.options.deal_set,
            evaluation_seed=f"learned-gate-{self.options.seed}",
            name="agent",
        )
        assert isinstance(result, SolitaireEvaluation)
        return result


def main(options: Options) -> None:
    """Collect positions, train the gates, and print the tables."""
    torch.set_num_threads(1)
    options.out.mkdir(parents=True, exist_ok=True)
    study, results = Study(options), dict[str, SolitaireEvaluation]()
    study.print_quality()
    names = " | ".join(f"− `{one}`" for one in options.agents[:2])
    print(f"\n{options.deals:,} deals of {options.deal_set}, {describe_machine()}\n")
    print(f"| agent | searches | time | won, % | {names} |\n{'| --- ' * 6}|")
    for text in (*options.agents, *options.gates):
        result = study.play(text if text in options.agents else study.make_agent(text))
        share = result.results.usage.get("searches", np.nan) / result.results.decisions
        cells = [
            f"`{text}`",
            f"{100 * share:.1f} %",
            f"{1000 * result.results.milliseconds:.1f} µs",
        ]
        cells.append(result.estimate("won").text(100))
        for one in options.agents[:2]:
            cells.append(subtract(result, results[one]) if one in results else "–")
        print(f"| {' | '.join(cells).replace('nan %', '–')} |", flush=True)
        results[text] = result
    print("\n| difference | won, points |\n| --- | --- |")
    for text in (one for one in options.gates if one.startswith(("head", "own"))):
        same = [one for one in options.gates if one.partition(":")[2] == text.partition(":")[2]]
        for other in (*options.agents[2:], *same):
            if other != text:
                print(f"| `{text}` − `{other}` | {subtract(results[text], results[other])} |")


def subtract(result: SolitaireEvaluation, other: SolitaireEvaluation) -> str:
    """Return the paired difference of the deals won, in points."""
    return result.subtract(other).reached.text(100, sign="+")


if __name__ == "__main__":
    main(tyro.cli(Options, description=__doc__))
