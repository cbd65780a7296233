"""``parlour solve``: whether a deal, or a position, can be won, and how."""

import argparse
import json
from time import perf_counter
from typing import Any

import numpy as np

from parlour.envs import Game, game
from parlour.envs.core.batch import Over
from parlour.envs.core.contract import Solution
from parlour.envs.core.deals import default_bank
from parlour.envs.core.options import unknown_text
from parlour.envs.core.rows import Rows, copy_states
from parlour.envs.core.truth import make_position, play_actions, solver_of

from ..evaluation.evaluate import check_number, describe_rules
from ..evaluation.labels import is_scored
from ..evaluation.truth import proven
from .arguments import read_options, read_text, read_whole

WORDS = {True: "yes", False: "no", None: "undecided"}


def add_solve(made: argparse.ArgumentParser) -> None:
    """Add the arguments of ``parlour solve`` beside game and rules."""
    made.add_argument("--deal", type=read_whole(), help="a numbered deal of the bank")
    made.add_argument("--bank", type=read_text, help="bank of numbered deals (default: GAME-1)")
    made.add_argument("--deck", type=read_text, help="a chosen deck: card names in dealing order")
    made.add_argument(
        "--actions",
        nargs="+",
        default=[],
        metavar="ACTION",
        help="numbers or names of actions: the position after them is solved",
    )
    made.add_argument("--fewest", action="store_true", help="look for the shortest way to win")
    add_limit(made)
    made.add_argument("--json", action="store_true", help="print JSON")


def add_limit(made: argparse.ArgumentParser) -> None:
    """Add ``--limit``: at how many positions a solver may look."""
    made.add_argument(
        "--limit",
        type=read_whole(),
        metavar="NODES",
        help="positions to look at (default: the solver's)",
    )


def run_solve(given: argparse.Namespace) -> int:
    """Print whether a deal, or a position of it, can still be won, and how."""
    one = game(given.game)
    rules = one.make_rules(given.variant, read_options(given.option))
    check_number("limit", 1 if given.limit is None else given.limit, 1)
    solve = solver_of(one, rules)
    state, named = _begun(one, rules, given)
    state = play_actions(one, rules, state, [_action(one, word) for word in given.actions])
    if state["over"][0] != Over.RUNNING:
        found, spent = Solution(bool(state["won"][0]), [], 0, [], int(state["score"][0])), 0.0
    else:
        begun = perf_counter()
        found = solve(state, rules, optimal=given.fewest, limit=given.limit)
        spent = 1000 * (perf_counter() - begun)
        proven(one, rules, state, found)
    said = {
        "game": one.name,
        "variant": describe_rules(one, rules, given.variant),
        **named,
        "winnable": found.winnable,
        "score": found.score,
        "fewest": found.fewest,
        "moves": found.moves,
        "actions": None if found.actions is None else [int(action) for action in found.actions],
        "nodes": int(found.nodes),
        "ms": spent,
    }
    print(json.dumps(said) if given.json else _solution(one, said))
    return 0


def _begun(one: Game, rules: Any, given: argparse.Namespace) -> tuple[np.ndarray, dict[str, Any]]:
    """The position at the start, (1,), and what the JSON calls the deal."""
    if (given.deal is None) == (given.deck is None):
        raise ValueError("name what to solve: --deal NUMBER, or --deck CARDS")
    if given.deck is not None:
        if given.bank:
            raise ValueError("--bank goes with --deal, not with --deck")
        return make_position(one, rules, given.deck), {"deck": given.deck}
    bank = given.bank or default_bank(one.name)
    rows = Rows(one, rules, 1)
    rows.deal_bank(bank, [given.deal])
    return copy_states(rows.states), {"deal": given.deal, "bank": bank}


def _action(one: Game, word: str) -> int:
    """The action of this number or name, in any case; ValueError naming all there are."""
    names = {one.label(action).lower(): action for action in range(one.actions)}
    names |= {str(action): action for action in range(one.actions)}
    if word.lower() not in names:
        labels = [f"{action} {one.label(action)}" for action in range(one.actions)]
        raise ValueError(unknown_text("action", word, labels))
    return names[word.lower()]


def _solution(one: Game, said: dict[str, Any]) -> str:
    deal = f"deal {said['deal']}, bank {said['bank']}" if "deal" in said else "a chosen deck"
    lines = [f"{one.title}, {said['variant']}, {deal}"]
    moves = said["moves"] or []
    if is_scored(one):
        score = "none" if said["score"] is None else said["score"]
        lines.append(f"best score found: {score}, {len(moves)} moves")
    else:
        way = f", in {len(moves)} moves" if moves else ""
        fewest = " (no way is shorter)" if said["fewest"] is not None and moves else ""
        lines.append(f"winnable: {WORDS[said['winnable']]}{way}{fewest}")
    lines += [f"{number:>4}  {move}" for number, move in enumerate(moves, 1)]
    lines.append(f"{said['nodes']:,} positions looked at, {said['ms']:.3g} ms")
    return "\n".join(lines)
