"""Words of reviews: a sentence about each move of the reviewed seat.

A move may take several decisions, such as the two cards of a pair. The sentence names the move by
its cards, says what it lost, and names a better move.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from parlour.envs.core.legal import list_actions
from parlour.envs.core.rows import Rows, describe_move

from ..replays.paths import find_path
from ..report.terminal import percent_text
from ..result import unit_name
from .review import MIN_LOSS, Review, describe_decision
from .review_judges import takes_back

DOUBLED = ("bid", "bet")
"""Verbs that double their last letter: ``"bidding"``."""


class ReviewedMove(NamedTuple):
    """A move of the reviewed seat."""

    first: int
    """Index of the first decision of the move."""
    stop: int
    """Index after its last decision."""
    phrase: str
    """The move as an imperative phrase, such as ``"take 2♣ with J♦"``."""
    better: tuple[int, ...]
    """The actions of a better move, from the first decision on; empty if no move is better."""
    better_phrase: str
    """The better move as a phrase; empty if there is none."""


def list_moves(review: Review) -> list[ReviewedMove]:
    """Return the moves of a review, in the order of play."""
    counts = review.positions["moves"]
    begins = [i for i in range(len(counts)) if i == 0 or counts[i] != counts[i - 1]]
    stops = [*begins[1:], len(counts)]
    return [_read_move(review, first, stop) for first, stop in zip(begins, stops, strict=True)]


def _read_move(review: Review, first: int, stop: int) -> ReviewedMove:
    lost = [i for i in range(first, stop) if review.lost[i]]
    better = _find_better(review, first, lost[0]) if lost else ()
    phrase = _describe(review, first, better) if better else ""
    return ReviewedMove(first, stop, review.move_text(first), better, phrase)


def _describe(review: Review, i: int, actions: Sequence[int]) -> str:
    return describe_move(review.game, review.rules, review.positions[i : i + 1], actions)


def _find_better(review: Review, first: int, i: int) -> tuple[int, ...]:
    """Return the actions of the move with the best action at decision ``i``; empty if taken.

    The rest of the move is judged in the same way as the decisions.
    """
    best = int(review.best_actions[i])
    if best == review.actions[i]:
        return ()
    begun = review.played[review.steps[first] : review.steps[i]].tolist()
    rows = Rows(review.game, review.rules, 1)
    rows.restore(review.positions[i : i + 1])
    actions, moves = [*begun, best], review.positions["moves"][i]
    rows.step(np.array([best]))
    while not rows.states["over"][0] and rows.states["moves"][0] == moves:
        values = review.judge.judge(rows.states, review.steps[i : i + 1]).values[0]
        actions.append(int(np.nanargmax(np.where(takes_back(review.game), np.nan, values))))
        rows.step(np.array(actions[-1:]))
    return tuple(actions)


def gerund(phrase: str) -> str:
    """Return an imperative phrase as a noun: ``"taking 2♣ with J♦"``."""
    verb, _, rest = phrase.partition(" ")
    stem = verb[:-1] if verb.endswith("e") else verb + verb[-1] * (verb in DOUBLED)
    return f"{stem}ing {rest}".strip()


def tell_move(review: Review, move: ReviewedMove) -> str:
    """Return the judgment of a move as a sentence, such as ``"Taking 2♣ with J♦ threw the win
    away; dealing from the stock kept it at 100 %."``.
    """
    taken = gerund(move.phrase)
    sentence = f"{taken[0].upper()}{taken[1:]} {_tell_loss(review, move)}."
    cost = np.nansum(review.costs[move.first : move.stop])
    if cost > 0:
        points = "card point" if cost == 1 else "card points"
        sentence += f" With all cards known, it lost {cost:g} {points} for its side."
    return sentence


def _tell_loss(review: Review, move: ReviewedMove) -> str:
    """Return the sentence without its subject."""
    decisions = slice(move.first, move.stop)
    unwinnable = bool(review.made_unwinnable[decisions].any())
    if not move.better:
        if unwinnable:
            return "made the deal unwinnable, but the known cards suggested no better move"
        return _praise(review, decisions)
    better, last = gerund(move.better_phrase), move.stop - 1
    if review.judge.unit != "won":
        loss = float(review.losses[decisions].sum())
        return f"lost {loss:.2f} {_unit_name(review)} on average; {better} was better"
    best = f"{better} kept it at {percent_text(review.best[move.first])}"
    if review.values[last] < MIN_LOSS:
        what = "the win" if unwinnable or review.open_values is None else "the last chance"
        return f"threw {what} away; {best}"
    made = "made the deal unwinnable and " if unwinnable else ""
    return f"{made}lowered the chance to {percent_text(review.values[last])}; {best}"


def _praise(review: Review, decisions: slice) -> str:
    if review.judge.unit == "won" and review.chances[decisions][0] < MIN_LOSS:
        return "changed nothing: no sampled world could be won"
    values = review.judged.values[decisions]
    taken = review.actions[decisions]
    others = values.copy()
    others[np.arange(len(taken)), taken] = np.nan
    if np.isnan(others).all():
        return "was the only move"
    gaps = np.nanmax(others, axis=1, initial=-np.inf) - review.values[decisions]
    if (gaps < -MIN_LOSS).all():
        return "was the best move"
    if gaps.max() <= MIN_LOSS:
        return "was as good as any other move"
    gap = float(gaps[gaps > MIN_LOSS].sum())
    is_chance = review.judge.unit == "won"
    less = percent_text(gap) if is_chance else f"{gap:.2f} {_unit_name(review)}"
    return f"was {less} below the best move, within the error of the estimate"


def _unit_name(review: Review) -> str:
    return "points" if review.judge.unit == "score" else unit_name(review.rules)


def review_data(review: Review) -> dict[str, Any]:
    """Return the parts of a review for views of the game, for JSON."""
    return {
        "judge": review.judge.text,
        "unit": review.judge.unit,
        "scale": _name_scale(review),
        "totals": review.totals(),
        "decisions": [_describe_with_texts(review, i) for i in range(len(review.actions))],
        "moves": [_move_data(review, move) for move in list_moves(review)],
    }


def _name_scale(review: Review) -> str:
    is_chance = review.judge.unit == "won"
    return "chance of winning" if is_chance else f"expected {_unit_name(review)}"


def _move_data(review: Review, move: ReviewedMove) -> dict[str, Any]:
    """Return a move for JSON: its judgment, and the path of a better move on the table."""
    game, rules, first = review.game, review.rules, move.first
    state = review.positions[first : first + 1]
    path = find_path(game, rules, state, move.better, review.seat) if move.better else []
    return {
        "step": int(review.steps[first]),
        "text": tell_move(review, move),
        "lost": bool(review.lost[first : move.stop].any()),
        "chance": float(review.chances[first]),
        "loss": float(review.losses[first : move.stop].sum()),
        "better": move.better_phrase,
        "path": path,
    }


def _describe_with_texts(review: Review, i: int) -> dict[str, Any]:
    """Return a decision for JSON, with the phrases of its actions."""
    decision = describe_decision(review, i)
    for one in decision["legal"]:
        one["text"] = _describe(review, i, _complete(review, i, one["action"]))
    return decision


def _complete(review: Review, i: int, action: int) -> list[int]:
    """Return an action and the actions that must follow it to complete its move."""
    rows, actions = Rows(review.game, review.rules, 1), [action]
    rows.restore(review.positions[i : i + 1])
    rows.step(np.array([action]))
    while not rows.states["over"][0] and rows.states["moves"][0] == review.positions["moves"][i]:
        legal = list_actions(rows.states["legal"][0])
        if len(legal) > 1:
            break
        actions += legal
        rows.step(np.array(legal))
    return actions
