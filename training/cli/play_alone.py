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

from ..evaluation.spec import describe_rules


class TerminalGame(NamedTuple):
    """Which game is played and how it is shown.

    ``chosen`` is what `CardEnv.reset` takes as ``options``: a deck, a numbered deal, or nothing,
    and then ``seed`` (None: a random one) makes the deal. ``delay`` are seconds between the steps
    of an agent that is watched; None waits for Enter where there is a keyboard. ``key`` is the
    secret that agents' draws come from (None: a new one); for ``any_rules`` see `load_agent`.
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
    any_rules: bool = False


def play_alone(terminal: TerminalGame, agent: str = "human") -> None:
    """Play until the person leaves, or watch one game of another agent.

    Raises ValueError for wrong rules, a wrong deck or an unknown agent; leaving raises nothing.
    """
    env = CardEnv(terminal.game, terminal.variant, illegal="raise", **dict(terminal.options or {}))
    human = agent == "human"
    player: Agent = (
        HumanAgent(terminal.ask, terminal.say, terminal.colour)
        if human
        else load_agent(agent, terminal.game, env.rules, terminal.seed or 0, terminal.any_rules)
    )
    seed, chosen = terminal.seed, terminal.chosen
    try:
        while True:
            _play_game(env, player, terminal, seed, chosen)
            if not human or not ask_again(terminal):
                return
            seed = chosen = None
    except (PlayerQuit, KeyboardInterrupt):
        terminal.say("\nGoodbye.")


def _play_game(
    env: CardEnv,
    player: Agent,
    terminal: TerminalGame,
    seed: int | None,
    chosen: Mapping[str, Any] | None,
) -> None:
    seed = secrets.randbelow(2**31) if seed is None else seed
    env.reset(seed=seed, options=chosen)
    where = ", ".join(f"{name} {value}" for name, value in (chosen or {"seed": seed}).items())
    terminal.say(
        f"{env.game.title}, {describe_rules(env.game, env.rules, terminal.variant)}, {where}"
    )
    words = key_words(terminal.key or new_key())
    begun, over = time.monotonic(), False
    while not over:
        states = copy_states(env.rows.states)
        turn = make_turn(player, env.game, env.rules, states, turn_seeds(words, states))
        action = int(choose_actions(player, turn)[0])
        if not isinstance(player, HumanAgent):
            show_choice(terminal, env.rules, env.state, player, action)
        _, _, won, cut, info = env.step(action)
        over = won or cut
    terminal.say("\n" + ansi(env.scene(), terminal.colour))
    result = human_bests.Best(
        info.get("won", False), info["score"], info["moves"], time.monotonic() - begun
    )
    terminal.say(f"{'Won' if result.won else 'Cut off' if cut else 'Over'}: {result}.")
    if isinstance(player, HumanAgent) and "deck" not in (chosen or {}):
        _keep_best(env, terminal, result)


def _keep_best(env: CardEnv, terminal: TerminalGame, result: human_bests.Best) -> None:
    """Remember a person's result if it is the best; not on a deck of one's own choice."""
    known = human_bests.rules_key(env.game, env.rules)
    before = human_bests.load_best(known)
    if result.better_than(before):
        human_bests.keep_best(known, result)
        terminal.say("Your best so far." if before else "Your first result by these rules.")
    else:
        terminal.say(f"Your best so far: {before}.")


def show_choice(
    terminal: TerminalGame, rules: Any, state: np.void, player: Agent, action: int
) -> None:
    """Show what a watched agent is about to do. Raises PlayerQuit when the person leaves."""
    game = terminal.game
    said = move_text([action], game.action_words(state, rules))
    terminal.say("\n" + ansi(game.layout(state, rules), terminal.colour))
    terminal.say(f"{player.name}: {said} ({game.label(action)})")
    if terminal.delay is not None:
        time.sleep(terminal.delay)
        return
    watched = terminal.ask is not None or sys.stdin.isatty()
    if watched and _answer(terminal, "Enter: on, q: quit > ") in ("q", "quit"):
        raise PlayerQuit


def ask_again(terminal: TerminalGame, what: str = "game") -> bool:
    """Ask whether another one is to be played."""
    return _answer(terminal, f"Another {what}? Enter: yes, q: quit > ") in ("", "y", "yes")


def _answer(terminal: TerminalGame, prompt: str) -> str:
    try:
        return (terminal.ask or input)(prompt).strip().lower()
    except EOFError:
        raise PlayerQuit from None
