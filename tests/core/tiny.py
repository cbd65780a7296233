"""A game of a few lines, as plain Python: what it is made for is the core around it.

Six cards with the values 1 to 6 lie in a deck. The player TAKEs the next one, which counts its
value, LEAVEs it, or STOPs. At a table of several the seats act in turn, and the one with the most
points wins a point of net from each other. Nothing here is compiled, and it is in no table of
games.
"""

from collections.abc import Callable
from typing import Annotated, Any, NamedTuple

import numpy as np

from parlour.envs.core.batch import (
    Over,
    StepConfig,
    make_batch_kernels,
    make_resample_rows,
    make_score_rows,
    make_state_head,
    make_view_rows,
)
from parlour.envs.core.checks import make_state_check
from parlour.envs.core.contract import BatchKernels, Seats
from parlour.envs.core.game import Game
from parlour.envs.core.kernel.cards import shuffle as shuffle_compiled
from parlour.envs.core.kernel.jit import plain_python
from parlour.envs.core.options import Option
from parlour.envs.core.rows import Rows
from parlour.envs.core.scene.scene import Scene
from parlour.envs.core.schema import CARD, FLAG, Features, Piece, whole_number

TAKE, LEAVE, STOP = range(3)
LABELS = ("TAKE", "LEAVE", "STOP")
CARDS = tuple(range(4, 28, 4))
"""The clubs from ace to six: the value of card code c is c >> 2."""
SEATS = 3
SCORE_SCALE, WIN_BONUS, UNIT = 0.5, 10.0, 4.0
OVER = int(Over.TERMINATED)


class Rules(NamedTuple):
    """How it is played."""

    players: Annotated[int, Option("how many play", 1, SEATS)] = 1
    target: Annotated[int, Option("points that win", 0, 21)] = 6
    forced: Annotated[bool, Option("from the third card on, one can only LEAVE")] = False
    dead: Annotated[bool, Option("it is over, and won, at the deal")] = False


FEATURES = Features(
    [
        Piece("card", 1, CARD, "the next card"),
        Piece("players", 1, whole_number(SEATS), "option"),
        Piece("target", 1, whole_number(21), "option"),
        Piece("forced", 1, FLAG, "option"),
        Piece("dead", 1, FLAG, "option"),
    ]
)
STATE = np.dtype(
    [
        *make_state_head(len(LABELS)),
        ("deck", np.int64, (len(CARDS),)),  # in int8, as games have it, plain Python would wrap
        ("next", np.int8),
        ("points", np.int16, (SEATS,)),
        ("net", np.int16, (SEATS,)),
        ("shown", FEATURES.dtype),
    ]
)

shuffle_cards = plain_python(shuffle_compiled)


def shuffle(s: Any, rules: Any) -> None:
    """Fill the deck, and mix it."""
    for place, card in enumerate(CARDS):
        s["deck"][place] = card
    shuffle_cards(s, s["deck"], 0, len(CARDS))


def settle(s: Any, rules: Any) -> None:
    """Write what is legal and shown, and the end."""
    done = s["next"] == len(CARDS) or s["over"]
    s["shown"]["card"] = 0 if done else s["deck"][s["next"]]
    s["legal"] = 0 if done else (1 << LEAVE if rules.forced and s["next"] > 1 else 0b111)
    if done:
        s["over"] = OVER
        s["won"] = s["score"] >= rules.target
        best = max(range(rules.players), key=lambda seat: s["points"][seat])
        for seat in range(rules.players):
            s["net"][seat] = rules.players - 1 if seat == best else -1


def deal(s: Any, rules: Any) -> None:
    """Begin."""
    s["next"] = 0
    s["points"][:] = 0
    s["net"][:] = 0
    for option in Rules._fields:
        s["shown"][option] = getattr(rules, option)
    if rules.dead:
        s["over"], s["score"] = OVER, rules.target
    settle(s, rules)


def step(s: Any, rules: Any, action: int) -> None:
    """Play a legal action."""
    if action == TAKE:
        value = s["deck"][s["next"]] >> 2
        s["score"] += value
        s["points"][s["turn"]] += value
    s["next"] += 1
    s["moves"] += 1
    s["turn"] = (s["turn"] + 1) % rules.players
    if action == STOP:
        s["over"] = OVER
    settle(s, rules)


def fallback_action(s: Any, rules: Any) -> int:
    """At a table of several an illegal action is a LEAVE."""
    return LEAVE if rules.players > 1 else -1


def unit(rules: Any) -> float:
    """In what nets are counted."""
    return UNIT


def resample(s: Any, rules: Any, seat: int) -> None:
    """Mix the cards behind the next one."""
    shuffle_cards(s, s["deck"], int(s["next"]) + 1, len(CARDS))


def view(s: Any, rules: Any, seat: int) -> None:
    """Hide the next card from a seat that does not act."""
    s["shown"]["card"] = s["deck"][s["next"]] if seat == s["turn"] else 0


def score(s: Any, rules: Any, weights: Any, scores: Any) -> None:
    """Score TAKE by the card, LEAVE by a weight, STOP by nothing."""
    if s["legal"]:
        scores[TAKE] = s["deck"][s["next"]] >> 2
        scores[LEAVE] = weights[0]


def score_by_number(s: Any, rules: Any, weights: Any, scores: Any) -> None:
    """Score each action by its number."""
    for action in range(len(LABELS)):
        scores[action] = action


def label(action: int) -> str:
    """Name an action."""
    return LABELS[action]


def check(rules: Any) -> None:
    """Refuse rules that make no game."""
    if rules.dead and rules.players > 1:
        raise ValueError("dead=yes: players must be 1")


def as_python(kernel: Any) -> Callable[..., Any]:
    """A kernel over rows as plain Python that takes what the compiled one takes."""
    plain = plain_python(kernel)

    def call(*given: Any) -> Any:
        # Only a recarray has fields with dots, which compiled code reads from any record.
        records = [isinstance(one, np.ndarray) and bool(one.dtype.names) for one in given]
        pairs = zip(given, records, strict=True)
        return plain(*(one.view(np.recarray) if record else one for one, record in pairs))

    return call


def make_kernels(**changes: Any) -> BatchKernels:
    """Return the batch kernels as plain Python; ``changes`` go to `make_batch_kernels`."""
    parts: dict[str, Any] = {
        "shuffle": shuffle,
        "deal": deal,
        "step": step,
        "score_scale": SCORE_SCALE,
        "win_bonus": WIN_BONUS,
        "fallback_action": fallback_action,
        "reward_unit": unit,
    }
    made = make_batch_kernels(actions=len(LABELS), **{**parts, **changes})
    over_rows = (made.reset_rows, made.step_rows, made.pay_finished)
    reset_rows, step_rows, pay_finished = map(as_python, over_rows)
    begin = plain_python(made.begin)
    return made._replace(
        reset_rows=reset_rows, step_rows=step_rows, begin=begin, pay_finished=pay_finished
    )


def make_game(**changes: Any) -> Game:
    """Return the game; ``changes`` replace some of its fields."""
    state_check = make_state_check(STATE, FEATURES, len(LABELS))
    facts: dict[str, Any] = {
        "name": "take_or_leave",
        "title": "Take or Leave",
        "rules": Rules,
        "variants": {"short": Rules(), "two": Rules(players=2), "three": Rules(players=SEATS)},
        "sources": {"short": "here", "two": "here", "three": "here"},
        "variant_notes": {"short": "One.", "two": "Two.", "three": "Three."},
        "references": {"here": "this file"},
        "default": "short",
        "check": check,
        "features": FEATURES,
        "state": STATE,
        "actions": len(LABELS),
        "label": label,
        "kernels": make_kernels(),
        "resample_rows": as_python(make_resample_rows(resample)),
        "score_rows": as_python(make_score_rows(score)),
        "heuristic_weights": {"leave": 3.5},
        "layout": lambda s, rules: Scene("Take or Leave", (), ()),
        "action_words": lambda s, rules: {},
        "describe_action": lambda s, rules, action: label(action).lower(),
        "how_to_play": lambda rules: ["Aim: take the most."],
        "prompt": lambda s, rules, selected=(): "Take, leave or stop.",
        "refusal": lambda s, rules, item, onto=None: "This is not possible.",
        "final_info": lambda states, rules, seats: {"left": len(CARDS) - states["next"]},
        "score_range": (0, 21),
        "pack": lambda rules: CARDS,
        "rule_agents": {"last": as_python(make_score_rows(score_by_number))},
        "seats": Seats(SEATS, as_python(make_view_rows(view)), unit),
        "state_check": state_check._replace(check=as_python(state_check.check)),
    }
    return Game(**{**facts, **changes})


GAME = make_game()


def begin(n: int = 1, deck: Any = CARDS, game: Game = GAME, **options: Any) -> Rows:
    """Return n rows of it on a deck; ``options`` are of the rules or of `StepConfig`."""
    config = {name: options.pop(name) for name in StepConfig._fields if name in options}
    rows = Rows(game, Rules(**options), n, StepConfig(**{k: int(v) for k, v in config.items()}))
    rows.seed(np.arange(1, n + 1))
    rows.deal_deck(list(deck))
    return rows


def play(rows: Rows, *actions: int) -> list[float]:
    """Play actions on every row; return what the first seat of row 0 was paid at each."""
    paid = []
    for action in actions:
        rows.step(np.full(rows.n, action))
        paid.append(float(rows.rewards[0]))
    return paid
