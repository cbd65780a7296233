"""One training seed of a run in which a network learns what a search says.

Each round plays on with many games, lets the teacher judge every position that leaves a choice, and
learns from all positions so far. Games are played by the teacher or by the network, so that it
learns what to do where its own play leads (Ross, Gordon and Bagnell, "A reduction of imitation
learning and structured prediction to no-regret online learning", 2011). What is learned are the
values of all actions, as a search without hidden knowledge sees them, not one choice alone: most
choices of a patience game matter little, and the values say which do.

Games that nothing can win any more are left: in them there is little to learn. A search of few
worlds may be wrong about that where wins are rare, so some may be played on (`leave_lost`).
"""

import warnings
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch
from stable_baselines3.common.utils import get_device

from parlour.agents.networks.build import build_network, make_network_function
from parlour.agents.networks.learned import LearnedAgent
from parlour.agents.registry import load_agent
from parlour.agents.search.pimc import PimcAgent
from parlour.agents.search.rollouts import RolloutAgent
from parlour.envs.core.batch import Over
from parlour.envs.core.rules_table import describe_rules
from parlour.envs.core.turn import Agent, Judgement, best_actions, prepare_turn
from parlour.envs.interfaces.arguments import make_rows

from ..files import FileDigest
from . import checkpoint, save_agent
from .critic import WiderVecEnv
from .learn_positions import Student
from .positions import (
    FOLDER,
    Positions,
    concatenate,
    describe,
    is_round,
    make_room,
    read_folder,
    read_positions,
    write_positions,
)
from .run import Run
from .run_network import SEED_STRIDE, described, make_env
from .settings import DistillSettings
from .table_rows import make_table_rows


class DistillRun(Run):
    """A run that learns a network from what a search says of positions."""

    settings: DistillSettings

    def prepare(self, found: checkpoint.Checkpoint | None) -> None:
        """See `Run.prepare`."""
        settings = self.settings
        torch.set_num_threads(settings.threads)
        torch.manual_seed(self.seed)
        several = self.rules_table.players > 1
        make = partial(make_table_rows, [], 1.0) if several else make_rows
        self.env = make_env(settings, make)
        self.seen_game = self.env.wide_game if isinstance(self.env, WiderVecEnv) else self.game
        self.env.seed(self.seed * SEED_STRIDE)
        self.env.reset()
        self.teachers = [self._load_teacher(rules) for rules in self.rules_table.rules]
        absolute = not isinstance(self.teachers[0], RolloutAgent)  # they say what is gained
        self.leaves_lost_games = absolute and self.game.measure == "won"
        net = described(settings)
        self.device = get_device(settings.device)
        self.network = build_network(
            net["name"], self.game, net["width"], net["depth"], net["options"]
        ).to(self.device)
        self.student = Student(self.network, self.seen_game, settings)
        self.steps = 0
        round_size = settings.n_envs * settings.n_steps
        self.total = -(-settings.total_steps // round_size) * round_size
        self.by_teacher = torch.rand(settings.n_envs).numpy() < settings.teacher_share
        self.positions, self.held = make_room(self.seen_game, 0), 0
        initial = self.initial()
        if found:
            self._go_on(found)
        elif initial:
            agent = LearnedAgent.load(initial, self.game, None)
            self.network.load_state_dict(agent.network.state_dict())
        for given in settings.positions:
            self._take_in(concatenate(read_folder(Path(given), self.seen_game)))
        self._read_rounds(found)

    def _load_teacher(self, rules: Any) -> Agent:
        """Return the teacher by some rules; ValueError for one that cannot judge by them."""
        spec, several = self.settings.teacher, self.rules_table.has_several
        try:
            teacher = load_agent(spec, self.game, rules, self.seed, any_rules=several)
        except ValueError as error:
            named = describe_rules(self.game, rules)
            raise ValueError(f"teacher={spec!r}, by {named}: {error}") from error
        if not hasattr(teacher, "judge"):
            raise ValueError(
                f"teacher={spec!r}: it judges nothing; allowed are pimc, mcts "
                "and rollouts, such as pimc@8, mcts@200, pimc@8:AGENT or rollouts@8:greedy"
            )
        if isinstance(teacher, PimcAgent):
            teacher.world_limit = self.settings.teacher_limit
            teacher.known_limit = self.settings.teacher_known_limit
        return teacher

    def _judge(self, seeds: np.ndarray) -> tuple[np.ndarray, Judgement]:
        """Return masks and judgements of all games, each by its own rules.

        ``seeds`` deal anew what the teacher must not know.
        """
        n, actions = self.env.num_envs, self.game.actions
        masks = np.zeros((n, actions), np.bool_)
        judged = Judgement(np.zeros((n, actions)), np.zeros(n, np.int64))
        states = self.env.rows.states
        going = states["over"] == Over.RUNNING  # at a table a hand may end before anybody decides
        for number, places in self.env.table.split(states):
            places = places[going[places]]
            if len(places) == 0:
                continue
            teacher, rules = self.teachers[number], self.rules_table.rules[number]
            turn = prepare_turn(teacher, self.game, rules, states[places], seeds[places])
            masks[places] = turn.masks
            own: Judgement = teacher.judge(turn)  # type: ignore[attr-defined]
            judged.values[places], judged.actions[places] = own
        return masks, judged

    def _go_on(self, found: checkpoint.Checkpoint) -> None:
        self.steps, self.student.updates = found.values["steps"], found.values["updates"]
        arrays = found.arrays
        self.env.restore({name[4:]: array for name, array in arrays.items() if name[:4] == "env."})
        self.by_teacher = arrays["by_teacher"]
        checkpoint.set_tensors({"network": self.network}, self.student.optimizer, arrays)
        checkpoint.set_generators(arrays)

    def _read_rounds(self, found: checkpoint.Checkpoint | None) -> None:
        """Read the rounds that the checkpoint lists, and remove later ones.

        Other files in the folder are ignored, with a warning.
        """
        folder = self.folder / FOLDER
        folder.mkdir(exist_ok=True)
        self.rounds: dict[str, FileDigest] = {} if found is None else dict(found.files)
        listed = [folder / Path(name).name for name in self.rounds]
        for file in sorted(set(folder.iterdir()) - set(listed)):
            if is_round(file) and int(file.stem) > self.steps:
                file.unlink()
            elif not file.name.startswith("."):  # hidden files are left by a process that died
                warnings.warn(f"{file} is ignored: no checkpoint lists it", stacklevel=2)
        if listed:
            self._take_in(concatenate([read_positions(one, self.seen_game) for one in listed]))

    def _take_in(self, new: Positions) -> None:
        """Hold further positions, in arrays that grow by doubling."""
        size, room = self.held + len(new.actions), len(self.positions.actions)
        if size > room:
            more = make_room(self.seen_game, max(size, 2 * room) - room)
            self.positions = concatenate([self.positions, more])
        for array, part in zip(self.positions, new, strict=True):
            array[self.held : size] = part
        self.held = size

    def iterate(self) -> dict[str, float]:
        """See `Run.iterate`."""
        new = self._play()
        self.steps += self.settings.n_envs * self.settings.n_steps
        name = f"{FOLDER}/{self.steps:012d}.parquet"
        about = describe(self.rules_table, self.seen_game)
        self.rounds[name] = write_positions(self.folder / name, new, about)
        self._take_in(new)
        values = self._learn(len(new.actions))
        recent = self.env.recent
        if len(recent):
            values["play/score"] = float(recent["score"].mean())
        if self.own_games:
            values["play/won"] = self.own_wins / self.own_games
        return values | {"train/positions": float(self.held)}

    def _play(self) -> Positions:
        """Play on with every game; return the positions that were judged."""
        self.network.eval()
        self.own_games = self.own_wins = 0
        rounds = [self._step() for _ in range(self.settings.n_steps)]
        return concatenate(rounds)

    def _step(self) -> Positions:
        env, settings = self.env, self.settings
        seeds = torch.randint(2**62, (env.num_envs,)).numpy().astype(np.uint64)
        masks, judged = self._judge(seeds)
        left = self._choose_left(judged)
        codes = env.codes()
        logits = make_network_function(self.network)(codes)[0]
        own = best_actions(masks, logits)
        noise = torch.rand(masks.shape).numpy()
        explores = torch.rand(env.num_envs).numpy() < settings.explore
        own = np.where(explores, best_actions(masks, noise), own)
        actions = np.where(self.by_teacher, judged.actions, own)
        env.step(actions)
        own_ends = env.ended[~self.by_teacher[env.ended]]
        won = np.zeros(env.num_envs, np.bool_)
        if len(env.ended):
            won[env.ended] = env.results["is_success"]
        self.own_wins += int(won[own_ends].sum())
        env.leave(left)
        ended = left.copy()
        ended[env.ended] = True
        self.own_games += int((ended & ~self.by_teacher).sum())
        drawn = torch.rand(env.num_envs).numpy() < settings.teacher_share
        self.by_teacher = np.where(ended, drawn, self.by_teacher)
        values, chosen = judged.values.astype(np.float16), judged.actions.astype(np.int16)
        found = Positions(codes, masks, values, chosen)
        return found.take(~left & self._worth_keeping(found))

    def _choose_left(self, judged: Judgement) -> np.ndarray:
        """Which games to leave, bool (n,): some of those that the teacher wins in no world."""
        left = (judged.values.max(axis=1) <= 0) & self.leaves_lost_games
        if self.settings.leave_lost < 1:
            left &= torch.rand(len(left)).numpy() < self.settings.leave_lost
        return np.asarray(left)

    def _worth_keeping(self, found: Positions) -> np.ndarray:
        """Which positions to keep: those with a choice; where all is equal only some, bool (n,)."""
        highest = np.where(found.masks, found.values, -np.inf).max(axis=1)
        lowest = np.where(found.masks, found.values, np.inf).min(axis=1)
        some = torch.rand(len(highest)).numpy() < self.settings.indifferent
        return (found.masks.sum(axis=1) > 1) & ((highest > lowest) | some)

    def _learn(self, new: int) -> dict[str, float]:
        """Learn from minibatches of all positions so far; so many as the new ones make."""
        settings = self.settings
        self.network.train()
        losses = []
        for _ in range(max(1, round(settings.n_epochs * new / settings.batch_size))):
            rate = self.student.set_step_size(self.share_done())
            losses.append(self.student.learn(self.positions, self.held))
        return {"train/distill_loss": float(np.mean(losses)), "train/learning_rate": rate}

    def agent(self) -> LearnedAgent:
        """See `Run.agent`."""
        return LearnedAgent(self.network.eval())

    def save(self) -> None:
        """See `Run.save`."""
        arrays: dict[str, Any] = {f"env.{name}": part for name, part in self.env.state().items()}
        arrays["by_teacher"] = self.by_teacher
        arrays |= checkpoint.tensor_arrays({"network": self.network}, self.student.optimizer)
        arrays |= checkpoint.generator_arrays()
        values = self.checkpoint_values() | {"updates": self.student.updates}
        checkpoint.save_arrays(self.folder, arrays, values, self.rounds)

    def write_agent(self, folder: Path, trained: dict[str, Any], scored: dict[str, Any]) -> bytes:
        """See `Run.write_agent`."""
        save_agent.save(
            folder,
            self.agent_name,
            self.game,
            self.rules,
            self.network,
            described(self.settings),
            trained,
            scored,
            more_rules=self.rules_table.rules[1:],
        )
        return save_agent.weights_bytes(self.network)

    def result(self) -> dict[str, Any]:
        """See `Run.result`."""
        return {"positions": self.held, "updates": self.student.updates}
