"""One game at a time in a terminal: a person plays, or watches an agent play step by step."""

import secrets
import sys
import time
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from parlour.agents import human_bests
from parlour.agents.human import HumanAgent, PlayerQuit, move_text
from parlour.agents.registry import Agent, choose_actions, load_agent, make_turn
from parlour.envs import CardEnv, Game
from parlour.envs.core.keys import key_words, new_key, turn_seeds
from parlour.envs.core.rows import copy_states
from parlour.envs.core.scene import ansi

from ..evaluation.evaluate import describe_rules


class Table(NamedTuple):
    """Which game is played and how it is shown.

    ``chosen`` is what `CardEnv.reset` takes as ``options``: a deck, a numbered deal, or nothing,
    and then ``seed`` (None: a random one) makes the deal. ``delay`` are seconds between the steps
    of an agent that is watched; None waits for Enter where there is a keyboard. ``key`` is the
    secret that agents' draws come from (None: a new one).
    """

    game: Game
    variant: str | None = None
    options: Mapping[str, Any] | None = None
    chosen: Mapping[str, Any] | None = None
    seed: int | None = None
    delay: float | None = None
    colour: bool = False
    ask: Callable[[str], str] | None = None
    say: Callable[[str], None] = print
    key: str | None = None


def play(table: Table, agent: str = "human") -> None:
    """Play until the person leaves, or watch one game of another agent.

    Raises ValueError for wrong rules, a wrong deck or an unknown agent; leaving raises nothing.
    """
    env = CardEnv(table.game, table.variant, illegal="raise", **dict(table.options or {}))
    human = agent == "human"
    player: Agent = (
        HumanAgent(table.ask, table.say, table.colour)
        if human
        else load_agent(agent, table.game, env.rules, table.seed or 0)
    )
    seed, chosen = table.seed, table.chosen
    try:
        while True:
            _play_game(env, player, table, seed, chosen)
            if not human or not again(table):
                return
            seed = chosen = None
    except (PlayerQuit, KeyboardInterrupt):
        table.say("\nGoodbye.")


def _play_game(
    env: CardEnv, player: Agent, table: Table, seed: int | None, chosen: Mapping[str, Any] | None
) -> None:
    seed = secrets.randbelow(2**31) if seed is None else seed
    env.reset(seed=seed, options=chosen)
    where = ", ".join(f"{name} {value}" for name, value in (chosen or {"seed": seed}).items())
    table.say(f"{env.game.title}, {describe_rules(env.game, env.rules, table.variant)}, {where}")
    words = key_words(table.key or new_key())
    begun, over = time.monotonic(), False
    while not over:
        states = copy_states(env.rows.states)
        turn = make_turn(player, env.game, env.rules, states, turn_seeds(words, states))
        action = int(choose_actions(player, turn)[0])
        if not isinstance(player, HumanAgent):
            show_choice(table, env.rules, env.state, player, action)
        _, _, won, cut, info = env.step(action)
        over = won or cut
    table.say("\n" + ansi(env.scene(), table.colour))
    result = human_bests.Best(
        info.get("won", False), info["score"], info["moves"], time.monotonic() - begun
    )
    table.say(f"{'Won' if result.won else 'Cut off' if cut else 'Over'}: {result}.")
    if isinstance(player, HumanAgent) and "deck" not in (chosen or {}):
        _note(env, table, result)


def _note(env: CardEnv, table: Table, result: human_bests.Best) -> None:
    """Remember a person's result if it is the best; not on a deck of one's own choice."""
    known = human_bests.rules_key(env.game, env.rules)
    before = human_bests.load_best(known)
    if result.better_than(before):
        human_bests.keep_best(known, result)
        table.say("Your best so far." if before else "Your first result by these rules.")
    else:
        table.say(f"Your best so far: {before}.")


def show_choice(table: Table, rules: Any, state: np.void, player: Agent, action: int) -> None:
    """Show what an agent that is watched is about to do. Raises Quit when the person leaves."""
    game = table.game
    said = move_text([action], game.action_words(state, rules))
    table.say("\n" + ansi(game.layout(state, rules), table.colour))
    table.say(f"{player.name}: {said} ({game.label(action)})")
    if table.delay is not None:
        time.sleep(table.delay)
        return
    watched = table.ask is not None or sys.stdin.isatty()
    if watched and _answer(table, "Enter: on, q: quit > ") in ("q", "quit"):
        raise PlayerQuit


def again(table: Table, what: str = "game") -> bool:
    """Ask whether another one is to be played."""
    return _answer(table, f"Another {what}? Enter: yes, q: quit > ") in ("", "y", "yes")


def _answer(table: Table, prompt: str) -> str:
    try:
        return (table.ask or input)(prompt).strip().lower()
    except EOFError:
        raise PlayerQuit from None
