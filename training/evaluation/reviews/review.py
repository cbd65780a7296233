"""Reviews: the loss of each decision of a game.

A review judges each decision in sampled worlds: assignments of the hidden cards that fit what the
seat knew (`review_judges`). The chance of a position is the share of worlds that can still be won.
Its change at each decision has three parts:

- loss: the value of the best action minus the value of the action taken.
- unseen: the chance minus the value of the best action. No single action wins in all winnable
  worlds, so this is the effect of hidden information, which no player can avoid.
- luck: the next chance (or the outcome, at the end) minus the value of the action taken. It is the
  effect of the cards that were turned up, and its mean is 0.

For each game, first chance - losses - unseen + luck = outcome holds exactly. In addition, a solver
finds whether each position can be won with all cards known (the open value). With all cards known,
there is neither hidden information nor luck, so these losses add up to the first open value minus
the outcome. A decision makes a deal unwinnable if it changes the open value from 1 to 0.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from parlour.agents.registry import Agent
from parlour.envs import Game, find_game
from parlour.envs.core.batch import Over
from parlour.envs.core.kernel.cards import default_deal_set
from parlour.envs.core.options import to_plain
from parlour.envs.core.rows import Rows, copy_states
from parlour.envs.core.rules_table import describe_rules
from parlour.envs.core.solve import deal_position, make_position, trace_actions

from ..replays.replay import Replay
from ..result import SUMMARY, Result
from .review_judges import (
    WORLDS,
    Judge,
    Judged,
    can_judge,
    check_seat,
    describe_judge,
    find_decisions,
    find_open_values,
    find_points,
    make_judge,
    result_values,
    takes_back,
)

REVIEW_FILES = ("decisions.parquet", SUMMARY, "review.png", "review.svg", "review.pdf")
"""File names of a saved review."""
MIN_LOSS = 0.005
"""Losses below this, in the unit of the values, do not count."""
PHASES = ("first third", "second third", "last third")
"""Phases of a game, each with a third of its decisions."""


@dataclass(frozen=True, eq=False, repr=False)
class Review(Result):
    """The losses of n decisions of one seat in one game.

    A decision is the first action of the seat, or a choice between several legal actions. A forced
    action has no loss and counts as part of the decision before it. The loss of a decision is the
    value of the best action minus the value of the action taken.

    The chance is the value of a position before a decision, such as the share of sampled worlds
    that can still be won. For each game, first chance - losses - `unseen` + `luck` = outcome. Here
    `unseen` is the effect of hidden information, and `luck` the effect of the cards turned up.

    ``to_pandas()`` has a row for each decision; ``save(folder)`` writes a table, JSON and a plot.
    """

    judge: Judge
    """The judge; its ``text`` describes the method, its ``unit`` is the unit of the values."""
    deal: str
    """The deal, as text."""
    agent: str
    """The name of the agent, "" if unknown."""
    seat: int
    steps: np.ndarray
    """int64 (n,): the index of each decision among all actions of the game."""
    actions: np.ndarray
    """int64 (n,): the actions taken."""
    played: np.ndarray
    """int64 (k,): the actions of all seats, in the order of play."""
    judged: Judged
    open_values: np.ndarray | None
    """float64 (n + 1,): whether the deal is winnable with all cards known, before each decision and
    at the end: 1 yes, 0 no, 0.5 undecided. None without a solver."""
    points: np.ndarray | None
    """float64 (n, 2): double-dummy points before and after each decision, NaN if unknown. These are
    the card points of the bidder's side with all cards known and the best play of both sides. None
    without a double-dummy solver."""
    outcome: float | None
    """The result, in the unit of the values; None if the game is not over."""
    facts: Mapping[str, Any]
    """The results of the game at the end, by name."""
    positions: np.ndarray
    """The state before each decision, records (n,)."""
    report = "parlour.training.evaluation.reviews.review_report"

    @property
    def game(self) -> Game:
        """The game that was played."""
        return self.judge.game

    @property
    def rules(self) -> Any:
        """The rules of the game."""
        return self.judge.rules

    @property
    def variant(self) -> str:
        """The rules' name for tables."""
        return describe_rules(self.game, self.rules)

    def headline(self) -> str:
        """Return game, variant, deal, agent, number of decisions, and total loss on one line."""
        agent = f": {self.agent}" if self.agent else ""
        played = (
            f"{self.game.name}, {self.variant}, {self.deal}{agent}, {len(self.actions)} decisions"
        )
        return f"{played}, lost {self.number_text(float(self.losses.sum()))}"

    @property
    def masks(self) -> np.ndarray:
        """Legal actions of each decision, bool (n, actions)."""
        return ~np.isnan(self.judged.values)

    @property
    def choices(self) -> np.ndarray:
        """Whether each decision had more than one legal action, bool (n,)."""
        return np.asarray(self.masks.sum(axis=1) > 1)

    @property
    def chances(self) -> np.ndarray:
        """The value of the position before each decision, float64 (n,)."""
        return self.judged.chances

    @cached_property
    def best_actions(self) -> np.ndarray:
        """The best actions, int64 (n,), never UNDO; the action taken if no other is better."""
        values = np.where(self.masks & ~takes_back(self.game), self.judged.values, -np.inf)
        best, rows = values.argmax(axis=1), np.arange(len(values))
        ahead = values[rows, best] > self.values
        return np.where(ahead | takes_back(self.game)[self.actions], best, self.actions)

    @property
    def best(self) -> np.ndarray:
        """The value of the best action, float64 (n,); 0 if only UNDO is legal."""
        values = self.judged.values[np.arange(len(self.actions)), self.best_actions]
        return np.where(np.isnan(values), 0.0, values)

    @property
    def values(self) -> np.ndarray:
        """The value of the action taken, float64 (n,)."""
        return self.judged.values[np.arange(len(self.actions)), self.actions]

    @property
    def errors(self) -> np.ndarray:
        """The standard error of `values`, float64 (n,)."""
        return self.judged.errors[np.arange(len(self.actions)), self.actions]

    @property
    def losses(self) -> np.ndarray:
        """The loss of the action taken, float64 (n,); below 0 only if UNDO took back a loss."""
        return self.best - self.values

    @property
    def unseen(self) -> np.ndarray:
        """The effect of hidden information, float64 (n,): `chances` minus `best`.

        The effect is above 0 if no single action keeps all winnable worlds winnable. No player can
        avoid it without knowing the hidden cards.
        """
        return self.chances - self.best

    @property
    def luck(self) -> np.ndarray:
        """The effect of the cards turned up, float64 (n,); NaN at the end of an unfinished game.

        It is the next chance, or the outcome, minus the value of the action taken. Its mean is 0.
        """
        last = np.nan if self.outcome is None else self.outcome
        return np.append(self.chances[1:], last)[: len(self.actions)] - self.values

    @property
    def open_losses(self) -> np.ndarray:
        """The loss of each action with all cards known, float64 (n,); NaN without a solver."""
        if self.open_values is None:
            return np.full(len(self.actions), np.nan)
        return self.open_values[:-1] - self.open_values[1:]

    @property
    def costs(self) -> np.ndarray:
        """The card points that each played card lost for its side, float64 (n,); NaN: unknown.

        The points are computed with all cards known and the best play of both sides. A card cannot
        gain points for its side in this case, so every change of the points is a loss.
        """
        if self.points is None:
            return np.full(len(self.actions), np.nan)
        return np.asarray(abs(self.points[:, 0] - self.points[:, 1]))

    @property
    def made_unwinnable(self) -> np.ndarray:
        """Whether each decision made a winnable deal unwinnable, bool (n,)."""
        return np.asarray(self.open_losses == 1)

    @property
    def length(self) -> int:
        """The number of actions of all seats."""
        return len(self.played)

    @property
    def lost(self) -> np.ndarray:
        """Whether each decision lost something, bool (n,).

        Either the loss is above two standard errors, or the deal became unwinnable.
        """
        threshold = np.maximum(MIN_LOSS, 2 * self.errors)
        return np.asarray((self.losses > threshold) | self.made_unwinnable)

    @property
    def kinds(self) -> list[str]:
        """The kind of each action taken: its label without numbers and places."""
        return [action_kind(self.game.label(int(action))) for action in self.actions]

    @property
    def phases(self) -> list[str]:
        """The phase of each decision: ``"first third"``, ``"second third"`` or ``"last third"``."""
        n = len(self.actions)
        return [PHASES[3 * i // n] for i in range(n)]

    def action_text(self, i: int, action: int | None = None) -> str:
        """Return an action of decision ``i`` (None: the action taken) as a phrase."""
        action = int(self.actions[i]) if action is None else int(action)
        return self.game.describe_action(self.positions[i], self.rules, action)

    def move_text(self, i: int) -> str:
        """Return the move of decision ``i``, which may take several actions, as a phrase."""
        rows = Rows(self.game, self.rules, 1)
        rows.restore(self.positions[i : i + 1])
        text = ""
        for action in self.played[self.steps[i] :]:
            text = self.game.describe_action(rows.states[0], self.rules, int(action))
            rows.step(np.array([action]))
            if rows.states["over"][0] or rows.states["moves"][0] != self.positions["moves"][i]:
                break
        return text

    def number_text(self, value: float, sign: bool = False) -> str:
        """Return a chance, value, or loss as text, with shares in percent."""
        plus = "+" if sign else ""
        return f"{100 * value:{plus}.1f} %" if self.judge.unit == "won" else f"{value:{plus}.2f}"

    def totals(self) -> dict[str, float | None]:
        """Return the terms of first chance - loss - unseen + luck = outcome, by name."""
        return {
            "first_chance": float(self.chances[0]) if len(self.chances) else None,
            "loss": float(self.losses.sum()),
            "unseen": float(self.unseen.sum()),
            "luck": None if self.outcome is None else float(self.luck.sum()),
            "outcome": self.outcome,
        }

    def decisions(self) -> list[dict[str, Any]]:
        """Return all decisions for JSON."""
        return [describe_decision(self, i) for i in range(len(self.actions))]

    def summary(self) -> dict[str, Any]:
        """Return the review for JSON."""
        return {
            "game": self.game.name,
            "variant": self.variant,
            "rules": to_plain(self.rules),
            "deal": self.deal,
            "agent": self.agent,
            "seat": self.seat,
            **describe_judge(self.judge),
            **self.totals(),
            "facts": dict(self.facts),
            "decisions": self.decisions(),
        }


def describe_decision(review: Review, i: int) -> dict[str, Any]:
    """Return decision ``i`` of a review for JSON, with None for unknown values."""
    label, judged = review.game.label, review.judged
    open_values = (None, None) if review.open_values is None else review.open_values[i : i + 2]
    points = (None, None) if review.points is None else review.points[i]
    return {
        "step": int(review.steps[i]),
        "action": int(review.actions[i]),
        "label": label(int(review.actions[i])),
        "chance": float(judged.chances[i]),
        "chance_error": float(judged.chance_errors[i]),
        "best_action": int(review.best_actions[i]),
        "best_label": label(int(review.best_actions[i])),
        "loss": float(review.losses[i]),
        "unseen": float(review.unseen[i]),
        "luck": _number(review.luck[i]),
        "open_value_before": _number(open_values[0]),
        "open_value_after": _number(open_values[1]),
        "made_unwinnable": None if review.open_values is None else bool(review.made_unwinnable[i]),
        "points_before": _number(points[0]),
        "points_after": _number(points[1]),
        "undecided": int(judged.undecided[i]),
        "legal": [
            {
                "action": int(action),
                "label": label(int(action)),
                "value": float(judged.values[i, action]),
                "error": float(judged.errors[i, action]),
            }
            for action in np.flatnonzero(review.masks[i])
        ],
    }


def _number(value: Any) -> float | None:
    return None if value is None or np.isnan(value) else float(value)


def action_kind(label: str) -> str:
    """Return the label of an action without numbers and places, such as ``"pyramid"``."""
    return re.split(r"\s+\S*\d", label)[0]


def review_game(
    game: Game | str,
    rules: Any,
    deal: Any,
    actions: Sequence[int],
    *,
    seat: int = 0,
    deal_set: str | None = None,
    worlds: int = WORLDS,
    seed: int = 0,
    player: Agent | str | None = None,
    open_cards: bool = True,
    agent: str = "",
    max_moves: int = 0,
) -> Review:
    """Review the decisions of a seat in a game, which may be unfinished.

    Args:
        game: The game, or its name.
        rules: The rules, or the name of a variant (None: the default variant).
        deal: Number of a deal in ``deal_set``, a deck in dealing order, or the state before the
            first action (see `solve.make_position`).
        actions: All actions of the game, of all seats.
        seat: The seat whose decisions are reviewed.
        deal_set: The deal set of a numbered deal (None: the game's own).
        worlds: Number of sampled worlds per decision.
        seed: Seed of the sampled worlds.
        player: Agent that plays the sampled worlds to their end, in place of the exact solver
            (None: the exact solver if there is one, otherwise ``"pretrained"`` or ``"greedy"``).
        open_cards: Whether to compute the values that depend on the hidden cards.
        agent: Name of the agent, for texts.
        max_moves: Number of moves after which the game was truncated (0: not truncated).

    Raises:
        ValueError: A value is out of range, or an action is illegal. The message names the first
            illegal action.
    """
    game = find_game(game) if isinstance(game, str) else game
    rules = game.make_rules(rules) if rules is None or isinstance(rules, str) else rules
    judge = make_judge(game, rules, worlds, seed, player)
    return review_deal(
        judge,
        deal,
        actions,
        seat=seat,
        deal_set=deal_set,
        open_cards=open_cards,
        agent=agent,
        max_moves=max_moves,
    )


def review_deal(
    judge: Judge,
    deal: Any,
    actions: Sequence[int],
    *,
    seat: int = 0,
    deal_set: str | None = None,
    open_cards: bool = True,
    agent: str = "",
    max_moves: int = 0,
) -> Review:
    """Review a game with an existing judge; see `review_game`."""
    first, named = find_deal(judge.game, judge.rules, deal, deal_set)
    states = trace_actions(judge.game, judge.rules, first, actions, max_moves)
    return review_states(judge, states, np.array(actions, np.int64), named, seat, open_cards, agent)


def find_deal(game: Game, rules: Any, deal: Any, deal_set: str | None) -> tuple[np.ndarray, str]:
    """Return the first position of a deal, (1,), and its name; see `review_game`."""
    if isinstance(deal, int | np.integer):
        deal_set = deal_set or default_deal_set(game.name)
        return deal_position(
            game, rules, deal_set, int(deal)
        ), f"deal {deal} of deal set {deal_set}"
    if deal_set is not None:
        raise ValueError(f"deal_set must be None unless deal is a number, got {deal_set!r}")
    return make_position(game, rules, deal), "a chosen deal"


def review_states(
    judge: Judge,
    states: np.ndarray,
    actions: np.ndarray,
    deal: str,
    seat: int = 0,
    open_cards: bool = True,
    agent: str = "",
) -> Review:
    """Review a game from its positions, (actions + 1,), as `solve.trace_actions` returns them."""
    check_seat(judge, seat)
    steps = find_decisions(judge.game, states, seat)
    steps = steps[can_judge(judge, copy_states(states, steps))]
    asked, end = copy_states(states, steps), states[-1:]
    judged, seats = judge.judge(asked, steps), np.array([seat])
    over = bool(end["over"][0] != Over.RUNNING)
    facts = judge.game.results(end, judge.rules, seats) if over else {}
    return Review(
        judge=judge,
        deal=deal,
        agent=agent,
        seat=seat,
        steps=steps,
        actions=actions[steps],
        played=actions,
        judged=judged,
        open_values=find_open_values(judge, np.concatenate([asked, end])) if open_cards else None,
        points=find_points(judge.game, judge.rules, states, steps) if open_cards else None,
        outcome=float(result_values(judge, end, seats)[0]) if over else None,
        facts={name: values[0].item() for name, values in facts.items()},
        positions=asked,
    )


def review_replay(replay: Replay, seat: int = 0, worlds: int = WORLDS) -> Review:
    """Review the decisions of a seat in a recorded game; see `review_game`.

    Args:
        replay: The recorded game.
        seat: The seat whose decisions are reviewed.
        worlds: Number of sampled worlds per decision.

    Raises:
        ValueError: ``seat`` or ``worlds`` is out of range, or an action of the game is illegal.
    """
    judge = make_judge(replay.game, replay.rules, worlds)
    actions = np.array(replay.actions, np.int64)
    states = replay.states()
    agent = replay.agents[seat] if 0 <= seat < len(replay.agents) else ""
    return review_states(judge, states, actions, replay.source, seat, agent=agent)
