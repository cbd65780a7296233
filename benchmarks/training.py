"""Cost of training: time by phase, and the environments' share compared with DummyVecEnv's.

``python -m benchmarks.training`` splits the wall time of a whole run for each network, compares its
speed with that of plain MaskablePPO over SB3's ``DummyVecEnv`` of the same compiled game, and times
the environment part of a step for both, masks and infos included. Compared runs alternate.
"""

import json
import os
import platform
import statistics
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
import tyro
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.utils import get_action_masks
from stable_baselines3.common.vec_env import DummyVecEnv, VecEnv

from benchmarks.reports import write_json
from parlour.agents.networks.build import network_class
from parlour.envs import CardEnv, find_game
from parlour.envs.core.baselines import pick_uniform
from parlour.envs.interfaces.sb3 import CardVecEnv
from parlour.training.learning.methods.ppo import CardPPO, make_ppo
from parlour.training.learning.network_run import PHASES
from parlour.training.learning.run import RESULT_FILE
from parlour.training.learning.settings.methods import PPOSettings
from parlour.training.learning.train import train


@dataclass(frozen=True)
class Options:
    """What to measure."""

    game: str = "pyramid"
    variant: str | None = None
    steps: int = 400_000
    """Steps of each training run."""
    n_envs: int = 256
    width: int = 64
    depth: int = 2
    networks: tuple[str, ...] = ("mlp", "embedding")
    threads: int = 1
    runs: int = 5
    """Number of alternating runs of the environments alone."""
    env_steps: int = 50_000
    """Steps of each run of the environments alone."""
    json: Path | None = None
    """Write all figures there."""


def settings_of(options: Options, network: str) -> PPOSettings:
    """The settings of the training runs."""
    return PPOSettings(
        game=options.game,
        variant=options.variant,
        network=network,
        width=options.width,
        depth=options.depth,
        n_envs=options.n_envs,
        total_steps=options.steps,
        threads=options.threads,
        device="cpu",
        name=network,
    )


def split(options: Options, network: str) -> dict[str, Any]:
    """Train for ``options.steps`` steps and return speed and shares of the wall time."""
    with tempfile.TemporaryDirectory() as runs:
        folder = train(replace(settings_of(options, network), runs=runs), quiet=True)
        result = json.loads((folder / "seed-0" / RESULT_FILE).read_text(encoding="utf-8"))
    seconds = result["seconds_by_phase"]
    whole = sum(seconds.values())
    shares = {phase: seconds[phase] / whole for phase in PHASES}
    speed = result["steps_per_second"]
    return {"network": network, "steps": result["steps"], "steps_per_second": speed} | shares


def dummy(options: Options, encoding: str, **keywords: Any) -> DummyVecEnv:
    """Return SB3's vector environment over single environments of the same compiled game."""
    made, variant = find_game(options.game), options.variant
    one = lambda: CardEnv(made, variant, encoding=encoding, **keywords)  # noqa: E731
    return DummyVecEnv([one] * options.n_envs)  # type: ignore[list-item]


def env_side(env: VecEnv, masks_of: Callable[[], np.ndarray], steps: int) -> float:
    """Return the seconds of masks and steps in random legal play, without the choice of actions."""
    rng, spent = np.random.default_rng(0), 0.0
    env.seed(0)
    env.reset()
    actions = np.zeros(env.num_envs, np.int64)
    for _ in range(steps // env.num_envs):
        begun = time.perf_counter()
        masks = masks_of()
        spent += time.perf_counter() - begun
        pick_uniform(masks, rng.random(env.num_envs), actions)
        begun = time.perf_counter()
        env.step(actions)
        spent += time.perf_counter() - begun
    return spent / (steps // env.num_envs * env.num_envs)


def alternating(options: Options, encoding: str) -> dict[str, Any]:
    """Time both vector environments alternately; return microseconds per environment step."""
    native = CardVecEnv(find_game(options.game), options.n_envs, options.variant, encoding=encoding)
    other = dummy(options, encoding)
    env_side(native, native.masks, 4 * options.n_envs)
    env_side(other, lambda: get_action_masks(other), 4 * options.n_envs)
    times: dict[str, list[float]] = {"native": [], "dummy": []}
    for _ in range(options.runs):
        times["native"].append(1e6 * env_side(native, native.masks, options.env_steps))
        times["dummy"].append(
            1e6 * env_side(other, lambda: get_action_masks(other), options.env_steps)
        )
    medians = {name: statistics.median(values) for name, values in times.items()}
    ratio = medians["dummy"] / medians["native"]
    return {"encoding": encoding, "microseconds": times, "median": medians, "ratio": ratio}


def learning(options: Options, network: str) -> dict[str, Any]:
    """Steps/s of rollouts and updates, no evaluation: CardPPO, and MaskablePPO on DummyVecEnv."""
    settings = settings_of(options, network)
    native, plain = make_ppo(settings, 0), make_ppo(settings, 0)
    keywords = {"reward": settings.reward, "skip_forced": settings.skip_forced}
    plain.set_env(dummy(options, network_class(network).encoding, **keywords))
    speeds: dict[str, list[float]] = {"native": [], "dummy": []}
    for _ in range(options.runs + 1):
        speeds["native"].append(one_update(native, CardPPO.collect_rollouts))
        speeds["dummy"].append(one_update(plain, MaskablePPO.collect_rollouts))
    speeds = {name: values[1:] for name, values in speeds.items()}  # the first ones warm up
    medians = {name: statistics.median(values) for name, values in speeds.items()}
    return {"network": network, "steps_per_second": speeds, "median": medians}


def one_update(model: CardPPO, collect: Callable[..., bool]) -> float:
    """Steps/s of one rollout and its update."""
    begun = time.perf_counter()
    _, callback = model._setup_learn(0, reset_num_timesteps=model._last_obs is None)
    collect(model, model.env, callback, model.rollout_buffer, model.n_steps)
    model.train()
    return model.n_steps * model.n_envs / (time.perf_counter() - begun)


def conditions(options: Options | PPOSettings) -> dict[str, Any]:
    """Return the conditions of the measurement."""
    return {
        "processor": platform.processor() or platform.machine(),
        "cores": os.cpu_count(),
        "load": os.getloadavg()[0],
        "threads": options.threads,
        "n_envs": options.n_envs,
        "width": options.width,
        "python": platform.python_version(),
        "torch": torch.__version__,
        "numpy": np.__version__,
    }


def main() -> None:
    """Measure and print."""
    options = tyro.cli(Options, description=__doc__)
    torch.set_num_threads(options.threads)
    results: dict[str, Any] = {"conditions": conditions(options)}
    print(f"{results['conditions']}\n")
    print(f"{'network':<11}{'steps/s':>9}" + "".join(f"{phase:>14}" for phase in PHASES))
    results["split"] = []
    for network in options.networks:
        row = split(options, network)
        results["split"].append(row)
        shares = "".join(f"{row[phase]:>14.1%}" for phase in PHASES)
        print(f"{network:<11}{row['steps_per_second']:>9,.0f}{shares}", flush=True)
    print("\nrollouts and updates alone, steps/s: CardPPO, and MaskablePPO over DummyVecEnv")
    results["learning"] = []
    for network in options.networks:
        row = learning(options, network)
        results["learning"].append(row)
        for name, values in row["steps_per_second"].items():
            shown = " ".join(f"{value:8,.0f}" for value in values)
            print(f"{network:<11}{name:<8}{shown}   median {row['median'][name]:,.0f}", flush=True)
    print("\nenvironments alone, masks and infos included: microseconds a step, runs taking turns")
    results["env_side"] = []
    for encoding in dict.fromkeys(network_class(name).encoding for name in options.networks):
        row = alternating(options, encoding)
        results["env_side"].append(row)
        for name, values in row["microseconds"].items():
            shown = " ".join(f"{value:6.2f}" for value in values)
            print(f"{encoding:<8}{name:<8}{shown}   median {row['median'][name]:.2f}")
        print(f"{encoding:<8}DummyVecEnv / native = {row['ratio']:.1f}", flush=True)
    if options.json:
        write_json(options.json, results, indent=2)


if __name__ == "__main__":
    main()
