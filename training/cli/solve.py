"""``parlour solve``: solve a deal or a position with all cards known."""

import argparse
import json
from collections.abc import Sequence
from contextlib import suppress
from time import perf_counter
from typing import Any

import numpy as np

from parlour.agents.human import spell_word
from parlour.envs import Game, find_game
from parlour.envs.core.batch import Over
from parlour.envs.core.contract import Contract, Solution, Solving
from parlour.envs.core.kernel.cards import card_name, default_deal_set, parse_card
from parlour.envs.core.kernel.compiling import COMPILATIONS
from parlour.envs.core.legal import list_actions
from parlour.envs.core.options import check_range, unknown_text
from parlour.envs.core.rows import Rows
from parlour.envs.core.rules_table import describe_rules
from parlour.envs.core.solve import deal_position, make_position, play_actions, solver_of

from ..evaluation.labels.label_comparison import verify_solution
from ..evaluation.labels.labels import is_scored
from ..evaluation.report.terminal import time_text
from ..evaluation.reviews.review_judges import is_double_dummy
from .arguments import (
    add_deal_set,
    add_game_and_rules,
    add_json,
    load_deck,
    read_deck,
    read_options,
    read_whole,
)

WORDS = {True: "yes", False: "no", None: "undecided"}


EXAMPLES = {
    "solve": """\
  parlour solve pyramid --deal 17
  parlour solve pyramid --deal 17 --variant classic --fewest --json
  parlour solve pyramid --deal 17 --actions "pyramid 26" "pyramid 21" DEAL

--json prints one object. For solitaires, its fields are winnable (true, false, or null if undecided
or if the game has no win), moves (names of the actions), actions (their numbers), cards (for each
move), fewest (number of moves of the shortest win, with --fewest and if proven), score, nodes
(number of positions searched), and ms. For a deal of a trick-taking game, contracts has the points
of each contract. For a position in play, the fields are points, made, bounds, and nodes.
""",
}


def add_solve(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``parlour solve``."""
    add_game_and_rules(parser)
    parser.add_argument("--deal", type=read_whole(), help="number of the deal in the deal set")
    add_deal_set(parser)
    parser.add_argument(
        "--deck",
        type=read_deck,
        help="deck to solve: card names in dealing order; - reads standard input",
    )
    parser.add_argument(
        "--actions",
        nargs="+",
        default=[],
        metavar="ACTION",
        help="numbers or names of actions to play before solving",
    )
    parser.add_argument("--fewest", action="store_true", help="find the shortest win")
    add_limit(parser)
    add_json(parser)


def add_limit(parser: argparse.ArgumentParser) -> None:
    """Add ``--limit``, the maximum number of positions that a solver searches."""
    parser.add_argument(
        "--limit",
        type=read_whole(),
        metavar="NODES",
        help="maximum number of positions to search (default: the solver's own limit)",
    )


def run_solve(arguments: argparse.Namespace) -> int:
    """Solve a deal or a position, and print the result."""
    game = find_game(arguments.game)
    rules = game.make_rules(arguments.variant, read_options(arguments.option))
    check_range("limit", 1 if arguments.limit is None else arguments.limit, 1)
    solve = None if is_double_dummy(game, rules) else solver_of(game, rules)
    state, named = _start_position(game, rules, arguments)
    state = play_actions(game, rules, state, read_actions(game, rules, state, arguments.actions))
    facts = {"game": game.name, "variant": describe_rules(game, rules, arguments.variant), **named}
    if solve is None:
        details, lines = solve_seats(game, rules, state, arguments.limit)
        text = "\n".join([_title(game, facts), *lines])
        print(json.dumps(facts | details) if arguments.json else text)
        return 0
    if state["over"][0] != Over.RUNNING:
        solution, spent = Solution(bool(state["won"][0]), [], 0, [], int(state["score"][0])), 0.0
    else:
        begun = perf_counter() - COMPILATIONS.seconds
        solution = solve(state, rules, optimal=arguments.fewest, limit=arguments.limit)
        spent = 1000 * (perf_counter() - COMPILATIONS.seconds - begun)
        verify_solution(game, rules, state, solution)
    actions = solution.actions
    moves = describe_moves(game, rules, state, actions or [])
    facts |= {
        "winnable": solution.winnable,
        "score": solution.score,
        "fewest": solution.fewest,
        "moves": solution.moves,
        "actions": None if actions is None else [int(action) for action in actions],
        "cards": None if actions is None else [cards for _, cards in moves],
        "nodes": int(solution.nodes),
        "ms": spent,
    }
    print(json.dumps(facts) if arguments.json else _solution(game, facts, moves))
    return 0


def _start_position(
    game: Game, rules: Any, arguments: argparse.Namespace
) -> tuple[np.ndarray, dict[str, Any]]:
    """Return the start position, (1,), and the JSON fields of the deal."""
    if (arguments.deal is None) == (arguments.deck is None):
        raise ValueError("either --deal NUMBER or --deck CARDS must be given, not both")
    if arguments.deck is not None:
        if arguments.deal_set:
            raise ValueError("--deal-set must not be combined with --deck, only with --deal")
        deck = load_deck(arguments.deck, game, rules)
        return make_position(game, rules, deck), {"deck": deck}
    deal_set = arguments.deal_set or default_deal_set(game.name)
    state = deal_position(game, rules, deal_set, arguments.deal)
    return state, {"deal": arguments.deal, "deal_set": deal_set}


def read_actions(game: Game, rules: Any, state: np.ndarray, words: Sequence[str]) -> list[int]:
    """Return the actions for numbers or names, in the order of play from a position.

    Names ignore case; cards may have suit symbols. Raises ValueError for an unknown name, listing
    the legal actions at that point.
    """
    labels = [f"{action} ({game.label(action)})" for action in range(game.actions)]
    names = {game.label(action).lower(): action for action in range(game.actions)}
    names |= {str(action): action for action in range(game.actions)}
    actions: list[int] = []
    for word in words:
        known = spell_word(word).lower()
        if known not in names:
            position = play_actions(game, rules, state, actions)[0]
            legal = [] if position["over"] else list_actions(position["legal"])
            raise ValueError(unknown_text("action", word, [labels[k] for k in legal]))
        actions.append(names[known])
    return actions


def describe_moves(
    game: Game, rules: Any, state: np.ndarray, actions: Sequence[int]
) -> list[tuple[str, str]]:
    """Return a text for each move from a position: its phrase, and its cards.

    A pair of Pyramid is ``("take 3♠ with T♥", "Th 3s")``; turning a card has no cards.
    ``state`` is (1,), and every action must be legal.
    """
    rows, action = Rows(game, rules, 1), np.zeros(1, np.int64)
    rows.take_over(state)
    moves: list[tuple[str, str]] = []
    cards: list[str] = []
    for action[0] in actions:
        before = rows.states["moves"][0]
        phrase = game.describe_action(rows.states[0], rules, int(action[0]))
        cards += _card_of(game, rules, rows.states[0], int(action[0]))
        rows.step(action)
        if rows.states["moves"][0] != before or rows.states["over"][0] != Over.RUNNING:
            moves.append((phrase, " ".join(cards)))
            cards = []
    return moves


def _card_of(game: Game, rules: Any, state: np.void, action: int) -> list[str]:
    """Return the card that an action moves (from its place, or the card to be placed), or none."""
    words = game.action_words(state, rules).get(action, ())
    with suppress(ValueError, IndexError):
        return [card_name(parse_card(words[0]))]
    shown = state["shown"]
    waiting = int(shown["card"]) if "card" in shown.dtype.names else 0
    return [card_name(waiting)] if waiting else []


def _title(game: Game, facts: dict[str, Any]) -> str:
    deal = "a chosen deck"
    if "deal" in facts:
        deal = f"deal {facts['deal']}, deal set {facts['deal_set']}"
    return f"{game.title}, {facts['variant']}, {deal}"


def _solution(game: Game, facts: dict[str, Any], moves: Sequence[tuple[str, str]]) -> str:
    lines = [_title(game, facts)]
    if is_scored(game):
        score = "none" if facts["score"] is None else facts["score"]
        lines.append(f"best score found: {score}, {len(moves)} moves")
    else:
        way = f", in {len(moves)} moves" if moves else ""
        fewest = " (proven shortest)" if facts["fewest"] is not None and moves else ""
        lines.append(f"winnable: {WORDS[facts['winnable']]}{way}{fewest}")
    lines += [f"{number:>4}  {phrase}" for number, (phrase, _) in enumerate(moves, 1)]
    lines.append(f"solved in {time_text(facts['ms'])}, {facts['nodes']:,} positions searched")
    if COMPILATIONS.seconds >= 1:
        seconds = f"{COMPILATIONS.seconds:.0f} s"
        lines[-1] += f" (plus {seconds} to compile the solver on first use)"
    return "\n".join(lines)


def solve_seats(
    game: Game, rules: Any, state: np.ndarray, limit: int | None
) -> tuple[dict[str, Any], list[str]]:
    """Return the contracts of a deal, or the result of a position in play, as JSON and as lines.

    Raises:
        ValueError: The position is in the auction, unless it is the start of a deal and the solver
            lists contracts.
    """
    solving = game.solving
    assert solving is not None
    if state["moves"][0] or solving.list_contracts is None:
        return _describe_play(solving, rules, state, limit)
    contracts = solving.list_contracts(state, rules, limit)
    if not contracts:
        raise ValueError("this deal has no playable contract")
    return {"contracts": [one._asdict() for one in contracts]}, _contract_lines(contracts)


def _describe_play(
    solving: Solving, rules: Any, state: np.ndarray, limit: int | None
) -> tuple[dict[str, Any], list[str]]:
    result = solving.solve(state, rules, limit=limit)
    facts: dict[str, Any] = {
        "points": result.score,
        "made": result.winnable,
        "nodes": int(result.nodes),
    }
    facts["bounds"] = result.bounds
    if result.bounds is None:
        return facts, [f"undecided after {result.nodes:,} positions"]
    low, high = result.bounds
    points = f"{low} points" if low == high else f"between {low} and {high} points"
    way = {True: "makes", False: "does not make", None: "may or may not make"}[result.winnable]
    lines = [f"the bidder's side takes {points} and {way} its contract"]
    if low < high:
        lines.append(f"exact points undecided after {result.nodes:,} positions")
    return facts, lines


def _contract_lines(contracts: Sequence[Contract]) -> list[str]:
    """Return a line for each seat and one for the best contract."""
    lines = ["points of the bidder's side with all cards known, by bidder and trump suit:"]
    for seat in sorted({one.seat for one in contracts}):
        of_seat = [one for one in contracts if one.seat == seat]
        lines.append(
            f"  seat {seat}: " + ", ".join(f"{one.making} {_points(one)}" for one in of_seat)
        )
    known = [one for one in contracts if one.points is not None]
    if len(known) < len(contracts):
        return [*lines, "?: undecided within the search limit (--limit)"]
    best = max(known, key=lambda one: one.points or 0)
    return [*lines, f"best contract: seat {best.seat}, {best.making}: {best.points}"]


def _points(contract: Contract) -> str:
    return "?" if contract.points is None else str(contract.points)
