"""Distillation: a network learns the values that a search gives to all actions.

Each round plays on with many games, lets the teacher judge every position with a choice, and learns
from all positions so far. Games are played by the teacher or by the network, so that it learns what
to do where its own play leads (Ross, Gordon and Bagnell, "A reduction of imitation learning and
structured prediction to no-regret online learning", 2011). The network learns the values of all
actions, as a search without hidden knowledge sees them, not one choice: most choices in a solitaire
game matter little, and the values tell which do.

Games that cannot be won any more are dropped: there is little to learn in them. A search of few
worlds may be wrong about that where wins are rare, so some may be played on (``lost_drop_prob``).
"""

import warnings
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch
from stable_baselines3.common.utils import get_device
from torch import Tensor, nn

from parlour.agents.networks.build import (
    CardNetwork,
    build_network,
    make_network_function,
    masked_logits,
)
from parlour.agents.networks.learned import LearnedAgent
from parlour.agents.registry import load_agent
from parlour.agents.search.pimc import PimcAgent
from parlour.agents.search.rollouts import RolloutAgent
from parlour.envs import Game
from parlour.envs.core.batch import Over
from parlour.envs.core.rules_table import describe_rules
from parlour.envs.core.schema import SuitOrder
from parlour.envs.core.turn import Agent, Judgement, best_actions, prepare_turn
from parlour.envs.interfaces.arguments import make_rows

from ...files import FileDigest
from .. import checkpoint
from ..critic import WiderVecEnv
from ..network_run import SEED_STRIDE, LearnerRun, make_env
from ..positions import (
    FOLDER,
    Positions,
    concatenate,
    describe,
    is_round,
    make_room,
    read_folder,
    read_positions,
    reorder,
    write_positions,
)
from ..run import Method
from ..selfplay_env import make_selfplay_env
from ..settings.methods import DistillSettings

WARM_UP = 100
"""Updates over which the learning rate rises to its full value."""
LOWEST_SHARE = 0.02
"""Share of the learning rate at which a falling one ends."""


def augment_symmetry(batch: Positions, orders: Sequence[SuitOrder]) -> Positions:
    """Return a minibatch unchanged, or in one of the orders of places or suits that change nothing.

    ``orders`` are results of `reorder`; all forms are equally likely.
    """
    chosen = int(torch.randint(1 + len(orders), ()))
    if chosen == 0:
        return batch
    entries, actions, named, codes_of = orders[chosen - 1]
    back = np.argsort(actions)
    observations = batch.observations[:, entries]
    for entry, codes in zip(named, codes_of, strict=True):
        observations[:, entry] = codes[observations[:, entry]]
    return Positions(
        observations,
        batch.masks[:, actions],
        batch.values[:, actions],
        back[batch.actions],
    )


class DistillLoss:
    """The loss of a network on judged positions, and the optimizer that reduces it.

    Minibatches are drawn by torch's generator. ``updates`` counts them.
    """

    def __init__(self, network: CardNetwork, game: Game, settings: DistillSettings) -> None:
        self.network, self.game, self.settings, self.updates = network, game, settings, 0
        self.device = next(network.parameters()).device
        self.optimizer = torch.optim.Adam(
            network.parameters(), lr=settings.learning_rate, fused=True
        )
        self.orders = [reorder(game, order) for order in game.features.symmetries]

    def set_learning_rate(self, share_done: float) -> float:
        """Set the optimizer's learning rate for a share of the run, 0 to 1, and return it."""
        left = 1.0
        if self.settings.schedule != "constant":
            left = max(1 - share_done, LOWEST_SHARE)
        rate = self.settings.learning_rate * min(1.0, (self.updates + 1) / WARM_UP) * left
        for group in self.optimizer.param_groups:
            group["lr"] = rate
        return rate

    def learn(self, positions: Positions, held: int) -> float:
        """Learn one minibatch of the first ``held`` positions; return its loss."""
        drawn = torch.randint(held, (self.settings.batch_size,)).numpy()
        loss = self.loss(augment_symmetry(positions.take(drawn), self.orders))
        self.optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        nn.utils.clip_grad_norm_(self.network.parameters(), self.settings.max_grad_norm)
        self.optimizer.step()
        self.updates += 1
        return loss.item()

    def loss(self, batch: Positions) -> Tensor:
        """Return the loss of a minibatch.

        It is the cross-entropy to the softmax of the values, and the squared error of the best
        value; for a network that corrects a base policy `_loss_of_gains`.
        """
        codes = np.ascontiguousarray(batch.observations)
        seen = torch.as_tensor(self.network.features.encode(codes, self.network.encoding))
        logits, values = self.network(seen.to(self.device))
        masks = torch.as_tensor(batch.masks, device=self.device)
        judged = torch.as_tensor(batch.values.astype(np.float32), device=self.device)
        chosen = torch.as_tensor(batch.actions.astype(np.int64), device=self.device)[:, None]
        if self.network.base is not None:
            base = seen[:, -self.network.actions :].to(self.device) > 0
            return self._loss_of_gains(logits, masks & ~base, judged, base)
        best = torch.where(masks, judged, -torch.inf).amax(dim=1)
        bonus = torch.full_like(chosen, self.settings.teacher_bonus, dtype=judged.dtype)
        preferred = judged.scatter_add(1, chosen, bonus)
        target = masked_logits(preferred / self.settings.temperature, masks).softmax(dim=1)
        loss = -(target * masked_logits(logits, masks).log_softmax(dim=1)).sum(dim=1).mean()
        return loss + self.settings.vf_coef * nn.functional.mse_loss(values, best)

    def _loss_of_gains(
        self, logits: Tensor, others: Tensor, judged: Tensor, base: Tensor
    ) -> Tensor:
        """Return the squared error of the gains of other actions over the base policy's.

        A logit less the base logit, times the temperature, is the predicted gain of the action; an
        action with a positive one is played.
        """
        gains = judged - (judged * base).sum(dim=1, keepdim=True)
        errors = (logits - self.network.lift) * self.settings.temperature - gains
        return (errors.square() * others).sum() / others.sum().clamp(min=1)


class DistillRun(LearnerRun):
    """A run that learns a network from a search's values."""

    settings: DistillSettings
    network: CardNetwork

    def prepare(self, saved: checkpoint.Checkpoint | None) -> None:
        """See `Run.prepare`."""
        super().prepare(saved)
        settings = self.settings
        torch.manual_seed(self.seed)
        at_tables = self.rules_table.players > 1
        make = partial(make_selfplay_env, [], 1.0) if at_tables else make_rows
        self.env = make_env(settings, make)
        self.seen_game = self.env.wide_game if isinstance(self.env, WiderVecEnv) else self.game
        self.env.seed(self.seed * SEED_STRIDE)
        self.env.reset()
        self.teachers = [self._load_teacher(rules) for rules in self.rules_table.rules]
        values_are_gains = isinstance(self.teachers[0], RolloutAgent)
        self.drops_lost_games = not values_are_gains and self.game.measure == "won"
        spec = settings.network_spec()
        self.device = get_device(settings.device)
        self.network = build_network(
            spec["name"], self.game, spec["width"], spec["depth"], spec["options"]
        ).to(self.device)
        self.student = DistillLoss(self.network, self.seen_game, settings)
        self.steps = 0
        self.by_teacher = torch.rand(settings.n_envs).numpy() < settings.teacher_share
        self.positions, self.held = make_room(self.seen_game, 0), 0
        initial = self.initial()
        if saved:
            self._restore(saved)
        elif initial:
            self.load_initial(initial)
        for given in settings.positions:
            self._add_positions(concatenate(read_folder(Path(given), self.seen_game)))
        self._read_rounds(saved)

    def load_initial(self, folder: Path) -> None:
        """Take the weights of a saved agent, trained by any rules."""
        agent = LearnedAgent.load(folder, self.game, None)
        self.network.load_state_dict(agent.network.state_dict())

    def _load_teacher(self, rules: Any) -> Agent:
        """Return the teacher for some rules; ValueError for one that cannot judge by them."""
        spec, several = self.settings.teacher, self.rules_table.has_several
        try:
            teacher = load_agent(spec, self.game, rules, self.seed, allow_rules_mismatch=several)
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

        ``seeds`` resample the cards that the teacher must not know.
        """
        n, actions = self.env.num_envs, self.game.actions
        masks = np.zeros((n, actions), np.bool_)
        judged = Judgement(np.zeros((n, actions)), np.zeros(n, np.int64))
        states = self.env.rows.states
        running = states["over"] == Over.RUNNING  # a hand may end before anybody decides
        for number, rows in self.env.table.split(states):
            rows = rows[running[rows]]
            if len(rows) == 0:
                continue
            teacher, rules = self.teachers[number], self.rules_table.rules[number]
            turn = prepare_turn(teacher, self.game, rules, states[rows], seeds[rows])
            masks[rows] = turn.masks
            judgement: Judgement = teacher.judge(turn)  # type: ignore[attr-defined]
            judged.values[rows], judged.actions[rows] = judgement
        return masks, judged

    def _restore(self, saved: checkpoint.Checkpoint) -> None:
        """Put the run into the state of a checkpoint."""
        self.steps, self.student.updates = saved.values["steps"], saved.values["updates"]
        arrays = saved.arrays
        self.env.restore({name[4:]: array for name, array in arrays.items() if name[:4] == "env."})
        self.by_teacher = arrays["by_teacher"]
        checkpoint.set_tensors({"network": self.network}, self.student.optimizer, arrays)
        checkpoint.set_generators(arrays)

    def _read_rounds(self, saved: checkpoint.Checkpoint | None) -> None:
        """Read the rounds that the checkpoint lists, and remove later ones.

        Other files in the folder are ignored, with a warning.
        """
        folder = self.folder / FOLDER
        folder.mkdir(exist_ok=True)
        self.rounds: dict[str, FileDigest] = {} if saved is None else dict(saved.files)
        listed = [folder / Path(name).name for name in self.rounds]
        for file in sorted(set(folder.iterdir()) - set(listed)):
            if is_round(file) and int(file.stem) > self.steps:
                file.unlink()
            elif not file.name.startswith("."):  # hidden files are left by a process that died
                warnings.warn(f"{file} is ignored: no checkpoint lists it", stacklevel=2)
        if listed:
            rounds = [read_positions(one, self.seen_game) for one in listed]
            self._add_positions(concatenate(rounds))

    def _add_positions(self, new: Positions) -> None:
        """Add positions to arrays that grow by doubling."""
        size, room = self.held + len(new.actions), len(self.positions.actions)
        if size > room:
            extension = make_room(self.seen_game, max(size, 2 * room) - room)
            self.positions = concatenate([self.positions, extension])
        for array, part in zip(self.positions, new, strict=True):
            array[self.held : size] = part
        self.held = size

    def iterate(self) -> dict[str, float]:
        """Play a round, save its positions, and learn from all positions so far."""
        new = self._play()
        self.steps += self.settings.n_envs * self.settings.n_steps
        name = f"{FOLDER}/{self.steps:012d}.parquet"
        metadata = describe(self.rules_table, self.seen_game)
        self.rounds[name] = write_positions(self.folder / name, new, metadata)
        self._add_positions(new)
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
        return concatenate([self._play_step() for _ in range(self.settings.n_steps)])

    def _play_step(self) -> Positions:
        """Make one step of every game, by the teacher or the network; return the positions."""
        env, settings = self.env, self.settings
        seeds = torch.randint(2**62, (env.num_envs,)).numpy().astype(np.uint64)
        masks, judged = self._judge(seeds)
        dropped = self._choose_dropped(judged)
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
        env.leave(dropped)
        ended = dropped.copy()
        ended[env.ended] = True
        self.own_games += int((ended & ~self.by_teacher).sum())
        drawn = torch.rand(env.num_envs).numpy() < settings.teacher_share
        self.by_teacher = np.where(ended, drawn, self.by_teacher)
        values, chosen = judged.values.astype(np.float16), judged.actions.astype(np.int16)
        positions = Positions(codes, masks, values, chosen)
        return positions.take(~dropped & self._choose_kept(positions))

    def _choose_dropped(self, judged: Judgement) -> np.ndarray:
        """Return the games to drop, bool (n,): some of those that the teacher wins in no world."""
        dropped = (judged.values.max(axis=1) <= 0) & self.drops_lost_games
        if self.settings.lost_drop_prob < 1:
            dropped &= torch.rand(len(dropped)).numpy() < self.settings.lost_drop_prob
        return np.asarray(dropped)

    def _choose_kept(self, positions: Positions) -> np.ndarray:
        """Return the positions to keep, bool (n,): those with a choice, of ties only some."""
        highest = np.where(positions.masks, positions.values, -np.inf).max(axis=1)
        lowest = np.where(positions.masks, positions.values, np.inf).min(axis=1)
        drawn = torch.rand(len(highest)).numpy() < self.settings.tie_keep_prob
        return (positions.masks.sum(axis=1) > 1) & ((highest > lowest) | drawn)

    def _learn(self, new: int) -> dict[str, float]:
        """Learn minibatches of all positions so far, ``n_epochs`` for each of the new ones."""
        settings = self.settings
        self.network.train()
        losses = []
        for _ in range(max(1, round(settings.n_epochs * new / settings.batch_size))):
            rate = self.student.set_learning_rate(self.share_done())
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

    def result(self) -> dict[str, Any]:
        """See `Run.result`."""
        return {"positions": self.held, "updates": self.student.updates}


METHOD = Method(DistillSettings, DistillRun)
