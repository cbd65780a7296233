"""Distillation: a network (the student) learns the action values of a search (the teacher).

Each round continues all games for some steps, lets the teacher evaluate every position with more
than one legal action, and trains on all positions so far. The teacher plays some games and the
network the others, so that the network also learns from positions that its own play reaches (Ross,
Gordon and Bagnell, "A reduction of imitation learning and structured prediction to no-regret online
learning", 2011). The network learns the values of all actions, not only the chosen action: most
choices in a solitaire matter little, and the values tell which choices matter.

Games that cannot be won any more are abandoned, because there is little to learn in them. If wins
are rare, a search of few sampled worlds may be wrong about that, so some of these games may
continue (``lost_drop_prob``).

The positions and their values are saved as Parquet, one file per round, so that any network can be
trained on them:

- ``observation``: the ``codes``, int8 (features.width,);
- ``action_mask``: bool (actions,);
- ``values``: the search's value of each action, float16 (actions,), 0 for illegal actions;
- ``action``: the action that the search would play, int16.

The schema metadata name the game, its rules and the features digest, and contain a SHA-256 of all
this. Without it, a damaged file would be read as other positions, since these Parquet files have no
checksums.
"""

import json
import re
import warnings
from collections.abc import Mapping, Sequence
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
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
from parlour.agents.networks.options import BASE_PIECE
from parlour.agents.registry import load_agent
from parlour.agents.search.pimc import PimcAgent
from parlour.agents.search.rollouts import RolloutAgent
from parlour.agents.validation import join_lines, read_bytes
from parlour.envs import Game
from parlour.envs.core.batch import Over
from parlour.envs.core.rules_table import RulesTable, describe_rules
from parlour.envs.core.schema import Features, SuitOrder
from parlour.envs.core.turn import Agent, Judgement, best_actions, prepare_turn
from parlour.envs.interfaces.arguments import make_rows

from ...files import MOST, FileDigest, digest_bytes, write_bytes
from .. import checkpoint
from ..envs import WiderVecEnv, make_env, make_selfplay_env
from ..network_run import SEED_STRIDE, LearnerRun
from ..save_agent import describe_table
from ..settings.methods import DistillSettings

WARM_UP = 100
"""Number of updates over which the learning rate rises to its full value."""
LOWEST_SHARE = 0.02
"""Fraction of the initial learning rate at which a linear schedule ends."""
METADATA = b"parlour"
DIGEST = "content_sha256"
"""Metadata key of the SHA-256 of the positions and the other metadata."""
POSITIONS_FOLDER = "positions"
"""Subfolder of a seed's folder in which a run saves positions."""
ROUND = re.compile(r"[0-9]{12}\.parquet")
"""Pattern of a file name, which is the number of timesteps after the round."""


class Positions(NamedTuple):
    """Positions with teacher values, n of them; the module docstring describes the columns."""

    observations: np.ndarray
    masks: np.ndarray
    values: np.ndarray
    actions: np.ndarray

    def take(self, rows: np.ndarray) -> "Positions":
        """Return a subset of the positions, by index (k,) or mask (n,)."""
        return Positions(*(column[rows] for column in self))


def allocate_positions(game: Game, n: int) -> Positions:
    """Return n empty positions of a game."""
    return Positions(
        np.zeros((n, game.features.width), np.int8),
        np.zeros((n, game.actions), np.bool_),
        np.zeros((n, game.actions), np.float16),
        np.zeros(n, np.int16),
    )


def concatenate(parts: list[Positions]) -> Positions:
    """Return the positions of several parts, in order."""
    return Positions(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))


def describe(table: RulesTable, game: Game) -> dict[str, Any]:
    """Return the metadata of positions: game, features digest and rules.

    ``game`` is the table's game, including additional pieces that the network reads.
    """
    return {
        "game": game.name,
        "features_digest": game.features_digest,
        **describe_table(table),
    }


def is_round(file: Path) -> bool:
    """Return whether a file name is that of a run's round."""
    return ROUND.fullmatch(file.name) is not None


def write_positions(path: Path, positions: Positions, metadata: dict[str, Any]) -> FileDigest:
    """Write a file of positions, completely or not at all, and return its digest.

    ``metadata`` is the result of `describe`.
    """
    metadata = metadata | {DIGEST: _content_digest(positions, metadata)}
    columns = {
        "observation": _list_column(positions.observations),
        "action_mask": _list_column(positions.masks),
        "values": _list_column(positions.values),
        "action": pa.array(positions.actions),
    }
    table = pa.table(columns).replace_schema_metadata({METADATA: json.dumps(metadata).encode()})
    sink = pa.BufferOutputStream()
    pq.write_table(table, sink, compression="zstd")
    data = sink.getvalue().to_pybytes()
    write_bytes(path, data)
    return digest_bytes(data)


def _content_digest(positions: Positions, metadata: Mapping[str, Any]) -> str:
    """Return the SHA-256 of positions and their metadata."""
    content = {name: value for name, value in metadata.items() if name != DIGEST}
    digest = sha256(json.dumps(content, sort_keys=True).encode())
    for column in positions:
        digest.update(f"{column.dtype.str} {column.shape}".encode())
        digest.update(np.ascontiguousarray(column).tobytes())
    return digest.hexdigest()


def _list_column(array: np.ndarray) -> pa.Array:
    """Return an array (n, k) as a column of lists."""
    flat = pa.array(np.ascontiguousarray(array).reshape(-1))
    return pa.FixedSizeListArray.from_arrays(flat, array.shape[1])


def _read_columns(table: pa.Table) -> Positions:
    arrays = []
    for name in ("observation", "action_mask", "values"):
        column = table[name].combine_chunks()
        flat = column.flatten().to_numpy(zero_copy_only=False)
        arrays.append(flat.reshape(len(column), column.type.list_size))
    return Positions(arrays[0], arrays[1], arrays[2], table["action"].to_numpy())


def read_positions(path: Path, game: Game) -> Positions:
    """Return the positions of a file.

    Raises ValueError if the file cannot be read, has changed, or belongs to another game.
    """
    try:
        table = pq.read_table(pa.BufferReader(read_bytes(path, MOST)))
        metadata = json.loads(table.schema.metadata[METADATA])
        positions, wanted = _read_columns(table), metadata[DIGEST]
    except Exception as error:  # pyarrow raises errors of many types for damaged files
        raise ValueError(f"{path}: not a valid file of positions: {join_lines(error)}") from error
    digest = _content_digest(positions, metadata)
    if digest != wanted:
        raise ValueError(f"{path} has changed: expected {DIGEST} {wanted}, got {digest}")
    shapes = [column.shape[1:] for column in allocate_positions(game, 0)]
    fits = [column.shape[1:] for column in positions] == shapes
    if metadata.get("features_digest") != game.features_digest or not fits:
        raise ValueError(
            f"{path}: positions must be of {game.name!r} with features digest "
            f"{game.features_digest}, got {metadata.get('game')!r} with "
            f"{metadata.get('features_digest')}"
        )
    return positions


def read_folder(folder: Path, game: Game) -> list[Positions]:
    """Return the positions of all rounds in a folder, in order.

    In the folder of the run that saved them, the rounds are those that the newest checkpoint lists;
    each file must exist unchanged. Other files are ignored, with a warning.

    Raises:
        ValueError: there are no rounds, or a round cannot be read.
    """
    saved = checkpoint.latest(folder.parent) if folder.name == POSITIONS_FOLDER else None
    if saved is not None:
        wanted, reason = (
            {folder.parent / name for name in saved.files},
            "the checkpoint does not list it",
        )
    else:
        wanted = {file for file in folder.glob("*.parquet") if is_round(file)}
        reason = "the file name must be 12 digits and .parquet"
    for file in sorted(set(folder.glob("*.parquet")) - wanted):
        warnings.warn(f"{file} is ignored: {reason}", stacklevel=3)
    if not wanted:
        raise ValueError(
            f"{folder}: the folder has no files of positions (named with 12 digits and .parquet)"
        )
    return [read_positions(file, game) for file in sorted(wanted)]


def reorder(game: Game, order: np.ndarray | SuitOrder) -> SuitOrder:
    """Return how observations and actions change under a symmetry of the game.

    ``order`` is one of ``game.features.symmetries``: another order of places or suits.
    """
    features = game.features
    entries, actions = np.arange(features.width), np.arange(game.actions)
    if isinstance(order, SuitOrder):
        entries[: len(order.entries)] = order.entries
        return mark_reordered(features, order._replace(entries=entries))
    for piece in features.pieces:
        if features.actions_on in (piece.name, piece.marks):
            entries[list(features.entry_range(piece.name))] = (
                features.entry_range(piece.name).start + order
            )
    actions[: len(order)] = order
    none = np.zeros((0, 128), np.int8)
    return mark_reordered(features, SuitOrder(entries, actions, np.zeros(0, np.int64), none))


def mark_reordered(features: Features, order: SuitOrder) -> SuitOrder:
    """Return an order in which the marks of a rule-based agent's actions follow the actions."""
    if features.pieces[-1].name == BASE_PIECE:
        marks = features.entry_range(BASE_PIECE)
        order.entries[list(marks)] = marks.start + order.actions
    return order


def augment_symmetry(batch: Positions, orders: Sequence[SuitOrder]) -> Positions:
    """Return a minibatch unchanged, or transformed by one of the symmetries.

    ``orders`` are results of `reorder`. All forms, including the unchanged one, are equally likely.
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
    """The distillation loss of a network, and its optimizer.

    Minibatches are drawn with torch's generator. ``updates`` counts them.
    """

    def __init__(self, network: CardNetwork, game: Game, settings: DistillSettings) -> None:
        self.network, self.game, self.settings, self.updates = network, game, settings, 0
        self.device = next(network.parameters()).device
        self.optimizer = torch.optim.Adam(
            network.parameters(), lr=settings.learning_rate, fused=True
        )
        self.orders = [reorder(game, order) for order in game.features.symmetries]

    def set_learning_rate(self, share_done: float) -> float:
        """Set and return the learning rate for a completed fraction of the run, from 0 to 1."""
        left = 1.0
        if self.settings.schedule != "constant":
            left = max(1 - share_done, LOWEST_SHARE)
        rate = self.settings.learning_rate * min(1.0, (self.updates + 1) / WARM_UP) * left
        for group in self.optimizer.param_groups:
            group["lr"] = rate
        return rate

    def learn(self, positions: Positions, held: int) -> float:
        """Learn a minibatch drawn from the first ``held`` positions; return its loss."""
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

        The loss is the cross-entropy to the softmax of the values, plus the squared error of the
        best value. For a network with a base policy it is `_loss_of_gains`.
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
        """Return the squared error of the gains of other actions over the base policy's action.

        The predicted gain of an action is the margin plus the temperature times the difference of
        its logit and the base logit. The network plays an action whose predicted gain exceeds the
        margin.
        """
        gains = judged - (judged * base).sum(dim=1, keepdim=True)
        excess = (logits - self.network.lift) * self.settings.temperature
        errors = excess + self.settings.margin - gains
        return (errors.square() * others).sum() / others.sum().clamp(min=1)


class DistillRun(LearnerRun):
    """A run that distills a search into a network."""

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
        self.positions, self.held = allocate_positions(self.seen_game, 0), 0
        initial = self.initial()
        if saved:
            self._restore(saved)
        elif initial:
            self.load_initial(initial)
        for folder in settings.positions:
            self._add_positions(concatenate(read_folder(Path(folder), self.seen_game)))
        self._read_rounds(saved)

    def _load_teacher(self, rules: Any) -> Agent:
        """Return the teacher for one set of rules. Raises ValueError if it cannot judge actions."""
        spec, several = self.settings.teacher, self.rules_table.has_several
        try:
            teacher = load_agent(spec, self.game, rules, self.seed, allow_rules_mismatch=several)
        except ValueError as error:
            named = describe_rules(self.game, rules)
            raise ValueError(f"teacher={spec!r}, with rules {named}: {error}") from error
        if not hasattr(teacher, "judge"):
            raise ValueError(
                "teacher must be a pimc, mcts or rollouts search, such as pimc@8, "
                f"mcts@200, pimc@8:AGENT or rollouts@8:greedy, got {spec!r}"
            )
        if isinstance(teacher, PimcAgent):
            teacher.world_limit = self.settings.teacher_limit
            teacher.known_limit = self.settings.teacher_known_limit
        return teacher

    def _judge(self, seeds: np.ndarray) -> tuple[np.ndarray, Judgement]:
        """Return the legal actions and the teacher's values of all games, each under its own rules.

        ``seeds`` determine how the teacher resamples the hidden cards.
        """
        n, actions = self.env.num_envs, self.game.actions
        masks = np.zeros((n, actions), np.bool_)
        judged = Judgement(np.zeros((n, actions)), np.zeros(n, np.int64))
        states = self.env.rows.states
        running = states["over"] == Over.RUNNING  # a hand may end before any decision
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
        """Set the run to the state of a checkpoint."""
        self.steps, self.student.updates = saved.values["steps"], saved.values["updates"]
        self.by_teacher = saved.arrays["by_teacher"]
        modules = {"network": self.network}
        self.restore_learning(saved.arrays, self.env, modules, self.student.optimizer)

    def _read_rounds(self, saved: checkpoint.Checkpoint | None) -> None:
        """Read the rounds that the checkpoint lists, and delete later ones.

        Other files in the folder are ignored, with a warning.
        """
        folder = self.folder / POSITIONS_FOLDER
        folder.mkdir(exist_ok=True)
        self.rounds: dict[str, FileDigest] = {} if saved is None else dict(saved.files)
        listed = [folder / Path(name).name for name in self.rounds]
        for file in sorted(set(folder.iterdir()) - set(listed)):
            if is_round(file) and int(file.stem) > self.steps:
                file.unlink()
            elif not file.name.startswith("."):  # a killed process leaves hidden files
                warnings.warn(f"{file} is ignored: the checkpoint does not list it", stacklevel=2)
        if listed:
            rounds = [read_positions(file, self.seen_game) for file in listed]
            self._add_positions(concatenate(rounds))

    def _add_positions(self, new: Positions) -> None:
        """Append positions to arrays that grow by doubling."""
        size, room = self.held + len(new.actions), len(self.positions.actions)
        if size > room:
            extension = allocate_positions(self.seen_game, max(size, 2 * room) - room)
            self.positions = concatenate([self.positions, extension])
        for column, values in zip(self.positions, new, strict=True):
            column[self.held : size] = values
        self.held = size

    def iterate(self) -> dict[str, float]:
        """Play a round, save its positions, and train on all positions so far."""
        new = self._play()
        self.steps += self.settings.n_envs * self.settings.n_steps
        name = f"{POSITIONS_FOLDER}/{self.steps:012d}.parquet"
        metadata = describe(self.rules_table, self.seen_game)
        self.rounds[name] = write_positions(self.folder / name, new, metadata)
        self._add_positions(new)
        values = self._learn(len(new.actions))
        recent = self.env.recent
        if len(recent):
            values["play/score"] = float(recent["score"].mean())
        if self.student_games:
            values["play/won"] = self.student_wins / self.student_games
        return values | {"train/positions": float(self.held)}

    def _play(self) -> Positions:
        """Continue every game, and return the positions with teacher values."""
        self.network.eval()
        self.student_games = self.student_wins = 0  # games that the network played alone
        return concatenate([self._play_step() for _ in range(self.settings.n_steps)])

    def _play_step(self) -> Positions:
        """Make one step of every game, by teacher or network; return the positions."""
        env, settings = self.env, self.settings
        seeds = torch.randint(2**62, (env.num_envs,)).numpy().astype(np.uint64)
        masks, judged = self._judge(seeds)
        dropped = self._choose_dropped(judged)
        codes = env.codes()
        logits = make_network_function(self.network)(codes)[0]
        noise = torch.rand(masks.shape).numpy()
        explores = torch.rand(env.num_envs).numpy() < settings.explore
        played = np.where(explores, best_actions(masks, noise), best_actions(masks, logits))
        env.step(np.where(self.by_teacher, judged.actions, played))
        won = np.zeros(env.num_envs, np.bool_)
        if len(env.ended):
            won[env.ended] = env.results["is_success"]
        env.leave(dropped)
        ended = dropped.copy()
        ended[env.ended] = True
        self.student_wins += int((won & ~self.by_teacher).sum())
        self.student_games += int((ended & ~self.by_teacher).sum())
        drawn = torch.rand(env.num_envs).numpy() < settings.teacher_share
        self.by_teacher = np.where(ended, drawn, self.by_teacher)
        values, actions = judged.values.astype(np.float16), judged.actions.astype(np.int16)
        positions = Positions(codes, masks, values, actions)
        return positions.take(~dropped & self._choose_kept(positions))

    def _choose_dropped(self, judged: Judgement) -> np.ndarray:
        """Return the games to abandon, bool (n,), among those that the teacher never wins."""
        dropped = (judged.values.max(axis=1) <= 0) & self.drops_lost_games
        if self.settings.lost_drop_prob < 1:
            dropped &= torch.rand(len(dropped)).numpy() < self.settings.lost_drop_prob
        return np.asarray(dropped)

    def _choose_kept(self, positions: Positions) -> np.ndarray:
        """Return the positions to keep, bool (n,): those with a choice, and some of the ties."""
        highest = np.where(positions.masks, positions.values, -np.inf).max(axis=1)
        lowest = np.where(positions.masks, positions.values, np.inf).min(axis=1)
        drawn = torch.rand(len(highest)).numpy() < self.settings.tie_keep_prob
        return (positions.masks.sum(axis=1) > 1) & ((highest > lowest) | drawn)

    def _learn(self, new: int) -> dict[str, float]:
        """Learn minibatches of all positions so far; ``n_epochs`` set their number."""
        settings = self.settings
        self.network.train()
        losses = []
        for _ in range(max(1, round(settings.n_epochs * new / settings.batch_size))):
            rate = self.student.set_learning_rate(self.share_done())
            losses.append(self.student.learn(self.positions, self.held))
        return {"train/distill_loss": float(np.mean(losses)), "train/learning_rate": rate}

    def agent(self) -> LearnedAgent:
        """See `Run.agent`."""
        return LearnedAgent(self.network.eval(), temperature=self.settings.temperature)

    def save(self) -> None:
        """See `Run.save`."""
        modules = {"network": self.network}
        arrays = self.pack_learning(self.env, modules, self.student.optimizer)
        arrays["by_teacher"] = self.by_teacher
        values = self.checkpoint_values() | {"updates": self.student.updates}
        checkpoint.save_arrays(self.folder, arrays, values, self.rounds)

    def result(self) -> dict[str, Any]:
        """See `Run.result`."""
        return {"positions": self.held, "updates": self.student.updates}


METHOD = DistillRun
