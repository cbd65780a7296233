"""Reviews: what each decision of a game cost, by what was known then and by all the cards.

A decision is judged in worlds that fit what its seat knew (`review_judges`). What happens to the
chance between the deal and the end falls into three parts, for each decision:

- loss: the value of the best action less that of the action taken;
- unseen: the chance less the value of the best action. No single action keeps all worlds that could
  be won, so this is the price of not knowing the hidden cards; it was not to be avoided;
- luck: the next chance, or at the end the outcome, less the value of the action taken. It is what
  the cards that were turned up brought, and is 0 on average.

So first chance - losses - unseen + luck = outcome, for each game exactly. Beside it stands the
truth, by a solver that knows all cards: there nothing is unseen and nothing is luck, so the losses
add up to the first truth less the outcome. A deal was thrown away where the truth goes from 1 to 0.
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
from parlour.envs.core.kernel.cards import default_bank
from parlour.envs.core.options import to_plain
from parlour.envs.core.rows import copy_states
from parlour.envs.core.rules_table import describe_rules
from parlour.envs.core.upper_bound import deal_position, make_position, trace_actions

from ..result import Presented
from .review_decisions import describe_decision
from .review_judges import (
    WORLDS,
    Judge,
    Judged,
    SolverJudge,
    check_seat,
    describe_judge,
    find_decisions,
    find_truths,
    make_judge,
    result_values,
    takes_back,
)
from .review_points import find_points, is_in_play

PHASES = ("first third", "second third", "last third")
"""Of the decisions of a game."""


@dataclass(frozen=True, eq=False, repr=False)
class Review(Presented):
    """What each of n decisions of one seat cost, in one game.

    Decisions are those with more than one legal action, and the first one whatever it was; what is
    forced costs nothing, and is counted to the decision before it.

    ``to_pandas()`` has a row for each decision; ``save(folder)`` writes table, JSON and picture.
    """

    judge: Judge
    """By whom: its ``text`` says how, its ``unit`` what values count."""
    deal: str
    """Which deal, in words."""
    agent: str
    """Who played, "" where that is not known."""
    seat: int
    steps: np.ndarray
    """int64 (n,): which of the game's actions each decision is, from 0."""
    actions: np.ndarray
    """int64 (n,): what was taken."""
    length: int
    """How many actions the game has had, of all seats."""
    judged: Judged
    truths: np.ndarray | None
    """float64 (n + 1,): whether the deal could be won before each decision, and at the end.

    1 yes, 0 no, 0.5 undecided, to one who knew all cards; None where no solver is asked."""
    points: np.ndarray | None
    """float64 (n, 2): what the bidder's side takes before and after each, by `review_points`.

    NaN where that is not known; None where the game has no such solver, or it is not asked."""
    outcome: float | None
    """What came of it, in the unit of the values; None if the game goes on."""
    facts: Mapping[str, Any]
    """The game's facts at the end."""
    report = "review_report"

    @property
    def game(self) -> Game:
        """The game that was played."""
        return self.judge.game

    @property
    def rules(self) -> Any:
        """The rules that it was played by."""
        return self.judge.rules

    @property
    def variant(self) -> str:
        """The rules' name for tables."""
        return describe_rules(self.game, self.rules)

    def headline(self) -> str:
        """See `Presented.headline`."""
        who = f": {self.agent}" if self.agent else ""
        said = f"{self.game.name}, {self.variant}, {self.deal}{who}, {len(self.actions)} decisions"
        return f"{said}, lost {self.number_text(float(self.losses.sum()))}"

    @property
    def masks(self) -> np.ndarray:
        """Which actions were legal, bool (n, actions)."""
        return ~np.isnan(self.judged.values)

    @property
    def choices(self) -> np.ndarray:
        """Whether there was more than one legal action, bool (n,)."""
        return np.asarray(self.masks.sum(axis=1) > 1)

    @property
    def chances(self) -> np.ndarray:
        """The chance before each decision, float64 (n,)."""
        return self.judged.chances

    @cached_property
    def best_actions(self) -> np.ndarray:
        """The best actions, int64 (n,): what was taken if none is better; none that takes back."""
        values = np.where(self.masks & ~takes_back(self.game), self.judged.values, -np.inf)
        best, rows = values.argmax(axis=1), np.arange(len(values))
        ahead = values[rows, best] > self.values
        return np.where(ahead | takes_back(self.game)[self.actions], best, self.actions)

    @property
    def best(self) -> np.ndarray:
        """The value of the best action, float64 (n,); 0 where only taking back is legal."""
        found = self.judged.values[np.arange(len(self.actions)), self.best_actions]
        return np.where(np.isnan(found), 0.0, found)

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
        """What the action taken lost, float64 (n,); below 0 only where it took a loss back."""
        return self.best - self.values

    @property
    def unseen(self) -> np.ndarray:
        """What not to know the hidden cards cost, float64 (n,): see the head of this module."""
        return self.chances - self.best

    @property
    def luck(self) -> np.ndarray:
        """What was turned up brought, float64 (n,); NaN behind the last one of a running game."""
        last = np.nan if self.outcome is None else self.outcome
        return np.append(self.chances[1:], last)[: len(self.actions)] - self.values

    @property
    def true_losses(self) -> np.ndarray:
        """What each action lost by all the cards, float64 (n,); all NaN without a truth."""
        if self.truths is None:
            return np.full(len(self.actions), np.nan)
        return self.truths[:-1] - self.truths[1:]

    @property
    def costs(self) -> np.ndarray:
        """The points that each card cost its side, all cards known, float64 (n,); NaN: not known.

        Before it its side has the best of what it may play, so what changes is lost.
        """
        if self.points is None:
            return np.full(len(self.actions), np.nan)
        return np.asarray(abs(self.points[:, 0] - self.points[:, 1]))

    @property
    def threw_away(self) -> np.ndarray:
        """Where a deal that could be won was lost for good, bool (n,)."""
        return np.asarray(self.true_losses == 1)

    @property
    def kinds(self) -> list[str]:
        """The kind of each action taken: its label without numbers or places."""
        return [action_kind(self.game.label(int(action))) for action in self.actions]

    @property
    def phases(self) -> list[str]:
        """The phase of each decision: one of `PHASES`."""
        n = len(self.actions)
        return [PHASES[3 * i // n] for i in range(n)]

    def number_text(self, value: float, sign: bool = False) -> str:
        """Write a chance, a value or a loss: shares in per cent."""
        plus = "+" if sign else ""
        return f"{100 * value:{plus}.1f} %" if self.judge.unit == "won" else f"{value:{plus}.2f}"

    def totals(self) -> dict[str, float | None]:
        """Return the parts of the way from the first chance to the outcome."""
        return {
            "first_chance": float(self.chances[0]) if len(self.chances) else None,
            "loss": float(self.losses.sum()),
            "unseen": float(self.unseen.sum()),
            "luck": None if self.outcome is None else float(self.luck.sum()),
            "outcome": self.outcome,
        }

    def decisions(self) -> list[dict[str, Any]]:
        """Return each decision as JSON has it."""
        return [describe_decision(self, i) for i in range(len(self.actions))]

    def summary(self) -> dict[str, Any]:
        """Return all of it as JSON has it."""
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


def action_kind(label: str) -> str:
    """Return the label of an action without numbers or places: ``"pyramid 4"`` is ``"pyramid"``."""
    return re.split(r"\s+\S*\d", label)[0]


def review_game(
    game: Game | str,
    rules: Any,
    deal: Any,
    actions: Sequence[int],
    *,
    seat: int = 0,
    bank: str | None = None,
    worlds: int = WORLDS,
    seed: int = 0,
    player: Agent | str | None = None,
    truth: bool = True,
    agent: str = "",
    max_moves: int = 0,
) -> Review:
    """Review the decisions of a seat in a game, which may not have ended yet.

    ``rules`` are the game's, or the name of a variant (None: the default). ``deal`` is a number of
    ``bank`` (None: the game's own), or a deck or a first state, as `truth.make_position` takes it.
    ``actions`` are all actions of the game, of all seats. ``worlds`` are dealt for each decision by
    ``seed``; who else than the exact solver is to judge is said by ``player`` (`make_judge`).
    ``truth`` False asks nothing of the hidden cards: what comes then is for whoever still plays.
    ``max_moves`` is where the game was cut off (0: nowhere).

    Raises ValueError naming what is out of range, or the first action that is not legal.
    """
    game = find_game(game) if isinstance(game, str) else game
    rules = game.make_rules(rules) if rules is None or isinstance(rules, str) else rules
    judge = make_judge(game, rules, worlds, seed, player)
    given: dict[str, Any] = {"seat": seat, "bank": bank, "truth": truth, "agent": agent}
    return review_deal(judge, deal, actions, max_moves=max_moves, **given)


def review_deal(
    judge: Judge,
    deal: Any,
    actions: Sequence[int],
    *,
    seat: int = 0,
    bank: str | None = None,
    truth: bool = True,
    agent: str = "",
    max_moves: int = 0,
) -> Review:
    """Do as `review_game` by a judge that there is already: for many games."""
    first, named = find_deal(judge.game, judge.rules, deal, bank)
    states = trace_actions(judge.game, judge.rules, first, actions, max_moves)
    return review_states(judge, states, np.array(actions, np.int64), named, seat, truth, agent)


def find_deal(game: Game, rules: Any, deal: Any, bank: str | None) -> tuple[np.ndarray, str]:
    """Return the first position of a deal, (1,), and what to call it: see `review_game`."""
    if isinstance(deal, int | np.integer):
        bank = bank or default_bank(game.name)
        return deal_position(game, rules, bank, int(deal)), f"deal {deal} of bank {bank}"
    if bank is not None:
        raise ValueError(f"bank {bank!r}: it goes with the number of a deal")
    return make_position(game, rules, deal), "a chosen deal"


def review_states(
    judge: Judge,
    states: np.ndarray,
    actions: np.ndarray,
    deal: str,
    seat: int = 0,
    truth: bool = True,
    agent: str = "",
) -> Review:
    """Review a game by its positions, (actions + 1,), as `truth.trace_actions` gives them."""
    check_seat(judge, seat)
    steps = find_decisions(judge.game, states, seat)
    if isinstance(judge, SolverJudge) and not judge.exact:  # of bids it says nothing
        steps = steps[is_in_play(judge.game, judge.rules, copy_states(states, steps))]
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
        length=len(actions),
        judged=judged,
        truths=find_truths(judge, np.concatenate([asked, end])) if truth else None,
        points=find_points(judge.game, judge.rules, states, steps) if truth else None,
        outcome=float(result_values(judge, end, seats)[0]) if over else None,
        facts={name: values[0].item() for name, values in facts.items()},
    )
