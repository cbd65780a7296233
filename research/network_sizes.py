"""Which network, and which size, learns most from the same positions in equal time?

    parlour train pyramid --preset distill --name teacher      # saves judged positions
    python -m research.network_sizes runs/pyramid-three-passes-teacher/seed-0/positions

The positions are those of a run of method ``distill``, with the last of its files held out. Every
network learns minibatches of the others until its processor time is spent, with the settings of the
preset ``distill``; judging the positions is not timed. The table has the positions learned, the
regret on the held-out ones (the value of the best action minus that of the network's action) and
the deals won without search, with a 95 % interval.
"""

import json
import os
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np
import torch
import tyro
from matplotlib.figure import Figure

from benchmarks.reports import write_json
from parlour.agents.networks.build import CardNetwork, build_network, make_network_function
from parlour.agents.networks.learned import LearnedAgent
from parlour.envs import Game, find_game
from parlour.envs.core.turn import best_actions
from parlour.training.evaluation.compare import evaluate
from parlour.training.evaluation.report.plots import COLOURS, plain_axes
from parlour.training.evaluation.result import describe_machine
from parlour.training.learning.methods.distill import (
    DistillLoss,
    Positions,
    concatenate,
    read_folder,
)
from parlour.training.learning.network_run import learning_precision
from parlour.training.learning.settings.files import preset
from parlour.training.learning.settings.methods import DistillSettings
from parlour.training.learning.summary import write_figure

STANDARD = (
    *("embedding:128x2", "embedding:512x2", "bonds:128x2", "bonds:256x3"),
    *("ranks:32x2", "ranks:64x2", "ranks:96x3", "ranks:128x3", "attention:32x2"),
)


@dataclass(frozen=True)
class Options:
    """The networks to compare, and the conditions."""

    positions: tyro.conf.Positional[Path]
    """The folder of judged positions of a run."""
    game: str = "pyramid"
    networks: tuple[str, ...] = STANDARD
    """Networks, each as NAME:WIDTHxDEPTH, with +OPTION for each option to turn on."""
    minutes: float = 4.0
    """Processor time of learning, for each network."""
    deals: int = 4000
    deal_set: str = "pyramid-validation"
    precision: Literal["highest", "high", "medium"] = "medium"
    seed: int = 0
    threads: int = 1
    picture: Path | None = None
    """A PNG file: deals won against the time of a position."""
    json: Path | None = None
    """A file for all figures; networks whose figures are in it are not trained again."""


def parse_network(text: str) -> tuple[str, int, int, dict[str, bool]]:
    """Return name, width, depth and options of NAME:WIDTHxDEPTH, NAME:WIDTHxDEPTH+OPTION etc.

    Raises:
        ValueError: for other texts.
    """
    name, _, size = text.partition(":")
    size, *options = size.split("+")
    width, _, depth = size.partition("x")
    if not (width.isdigit() and depth.isdigit()):
        raise ValueError(
            f"network {text!r}: allowed is NAME:WIDTHxDEPTH, such as ranks:64x2, and options after "
            "it, such as ranks:64x2+relations"
        )
    return name, int(width), int(depth), dict.fromkeys(options, True)


def read_all(folder: Path, game: Game) -> tuple[Positions, Positions]:
    """Return the positions to learn and those held out; raise ValueError without two files."""
    parts = read_folder(folder, game)
    if len(parts) < 2:
        raise ValueError(f"{folder}: one file of positions; at least 2 are needed")
    return concatenate(parts[:-1]), parts[-1]


def learn(
    network: CardNetwork,
    game: Game,
    options: Options,
    known: Positions,
    loss: type[DistillLoss] = DistillLoss,
) -> int:
    """Train a network until its time is spent; return the number of positions it learned."""
    settings = preset(game.name, "distill")
    assert isinstance(settings, DistillSettings)
    settings = replace(settings, device="cpu", precision=options.precision)
    student = loss(network, game, settings)
    spent, budget = 0.0, 60 * options.minutes
    with learning_precision(settings):
        while spent < budget:
            begun = time.process_time()
            student.set_learning_rate(spent / budget)
            student.learn(known, len(known.actions))
            spent += time.process_time() - begun
    return student.updates * settings.batch_size


def find_regret(network: CardNetwork, held_out: Positions) -> float:
    """Return the mean value that the network's actions lose on held-out positions."""
    function, losses = make_network_function(network), []
    for start in range(0, len(held_out.actions), 4096):
        part = held_out.take(np.arange(start, min(start + 4096, len(held_out.actions))))
        chosen = best_actions(part.masks, function(np.ascontiguousarray(part.observations))[0])
        values = part.values.astype(np.float64)
        losses.append(values.max(axis=1) - values[np.arange(len(chosen)), chosen])
    return float(np.concatenate(losses).mean())


def measure(text: str, game: Game, options: Options, parts: Sequence[Positions]) -> dict[str, Any]:
    """Return the figures of one network."""
    torch.manual_seed(options.seed)
    name, width, depth, switches = parse_network(text)
    network = build_network(name, game, width, depth, switches).train()
    learned = learn(network, game, options, parts[0])
    agent = LearnedAgent(network.eval(), text)
    won = evaluate(game.name, agent, deals=options.deals, deal_set=options.deal_set).estimate("won")
    return {
        "network": text,
        "weights": sum(one.numel() for one in network.parameters()),
        "learned": learned,
        "microseconds": 60e6 * options.minutes / learned,
        "regret": find_regret(network, parts[1]),
        "won": [100 * part for part in (won.mean, won.low, won.high)],
    }


def draw(rows: Sequence[dict[str, Any]], options: Options) -> Figure:
    """Return the picture: deals won against the time that a position takes to learn."""
    figure = Figure(figsize=(8, 5), dpi=110, layout="constrained")
    axes = figure.subplots()
    families = list(dict.fromkeys(parse_network(row["network"])[0] for row in rows))
    for place, family in enumerate(families):
        of_family = [row for row in rows if parse_network(row["network"])[0] == family]
        of_family.sort(key=lambda row: row["microseconds"])
        times, means = (
            [row["microseconds"] for row in of_family],
            [row["won"][0] for row in of_family],
        )
        spans = np.abs(np.array([row["won"][1:] for row in of_family]).T - means)
        axes.errorbar(times, means, spans, fmt="o-", capsize=3, color=COLOURS[place], label=family)
        for k, row in enumerate(of_family):
            size = row["network"].partition(":")[2].replace("x", " × ")
            at, beside = (row["microseconds"], row["won"][0]), (6, -14 if k % 2 else 6)
            axes.annotate(size, at, beside, textcoords="offset points", fontsize=8)
    axes.set_xscale("log")
    axes.set_xlabel("processor time to learn a position, µs")
    axes.set_ylabel("deals won, %")
    title = f"{options.minutes:g} minutes of learning each; width × depth; {options.deals:,} deals"
    axes.set_title(title, loc="left")
    plain_axes(axes)
    axes.legend(frameon=False)
    return figure


def read_done(options: Options) -> dict[str, Any]:
    """Return the figures in the file; raise ValueError if it is for other conditions."""
    same = {**vars(options), "positions": str(options.positions), "networks": None}
    same |= {"picture": None, "json": None}
    if options.json and options.json.exists():
        figures: dict[str, Any] = json.loads(options.json.read_text(encoding="utf-8"))
        if figures["options"] == same:
            return figures
        raise ValueError(f"{options.json}: figures of other conditions; name another file")
    machine = f"{describe_machine()}, {os.cpu_count()} cores"
    return {"options": same, "machine": machine, "torch": torch.__version__, "rows": {}}


def main(options: Options) -> None:
    """Compare the networks and print the table."""
    torch.set_num_threads(options.threads)
    game, figures = find_game(options.game), read_done(options)
    missing = [text for text in options.networks if text not in figures["rows"]]
    for text in options.networks:
        parse_network(text)
    parts = read_all(options.positions, game) if missing else ()
    print(f"{'network':<24}{'weights':>9}{'learned':>10}{'µs each':>9}{'regret':>8}  won, %")
    for text in options.networks:
        if text in missing:
            figures["rows"][text] = measure(text, game, options, parts)
            if options.json:
                write_json(options.json, figures)
        row = figures["rows"][text]
        mean, low, high = row["won"]
        print(
            f"{text:<24}{row['weights']:>9,}{row['learned'] / 1e6:>9.2f}M"
            f"{row['microseconds']:>9.0f}{row['regret']:>8.4f}  {mean:.2f} [{low:.2f}, {high:.2f}]",
            flush=True,
        )
    if options.picture:
        rows = [figures["rows"][text] for text in options.networks]
        write_figure(options.picture, draw(rows, options))


if __name__ == "__main__":
    main(tyro.cli(Options, description=__doc__))
