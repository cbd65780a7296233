"""One game at a time in a terminal: a person plays, or watches an agent play step by step."""

import secrets
import sys
import time
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from parlour.agents import human_bests
from parlour.agents.human import TAKEN_BACK, HumanAgent, PlayerQuit, PlayerUndo, move_text
from parlour.agents.registry import Agent, choose_actions, load_agent, make_turn
from parlour.envs import CardEnv, Game
from parlour.envs.core.keys import key_words, new_key, turn_seeds
from parlour.envs.core.rows import copy_states
from parlour.envs.core.rules_table import describe_rules
from parlour.envs.core.scene import ansi

from .games import rules_text
from .play_notice import Notice


class TerminalGame(NamedTuple):
    """Which game is played and how it is shown.

    ``chosen`` is what `CardEnv.reset` takes as ``options``: a deck, a numbered deal, or nothing,
    and then ``seed`` (None: a random one) makes the deal. ``delay`` are seconds between the steps
    of an agent that is watched; None waits for Enter where there is a keyboard. ``key`` is the
    secret that agents' draws come from (None: a new one); for ``any_rules`` see `load_agent`.
    ``notice``: a person alone is told when a move gives the last chance away, in games whose
    solver can say so.
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
    notice: bool = True


def play_alone(terminal: TerminalGame, agent: str = "human") -> None:
    """Play until the person leaves, or watch one game of another agent.

    Raises ValueError for wrong rules, a wrong deck or an unknown agent; leaving raises nothing.
    """
    env = CardEnv(terminal.game, terminal.variant, illegal="raise", **dict(terminal.options or {}))
    answers = {"rules": lambda: rules_text(terminal.game, env.rules)}
    player: Agent = (
        HumanAgent(terminal.ask, terminal.say, terminal.colour, answers, takes_back=True)
        if agent == "human"
        else load_agent(agent, terminal.game, env.rules, terminal.seed or 0, terminal.any_rules)
    )
    try:
        play = LonePlay(env, player, terminal, terminal.seed, terminal.chosen)
        play.finish()
        while agent == "human":
            answer = _answer(terminal, "Another game? Enter: yes, u: undo, restart, q: quit > ")
            if answer in TAKEN_BACK:
                play.take_back(TAKEN_BACK[answer])
            elif answer in ("", "y", "yes"):
                play = LonePlay(env, player, terminal, None, None)
            else:
                return
            play.finish()
    except (PlayerQuit, KeyboardInterrupt):
        terminal.say("\nGoodbye.")


class LonePlay:
    """One deal, from its beginning to an end, and back where a person takes moves back."""

    def __init__(
        self,
        env: CardEnv,
        player: Agent,
        terminal: TerminalGame,
        seed: int | None,
        chosen: Mapping[str, Any] | None,
    ) -> None:
        self.env, self.player, self.terminal, self.chosen = env, player, terminal, chosen
        seed = secrets.randbelow(2**31) if seed is None else seed
        env.reset(seed=seed, options=chosen)
        where = ", ".join(f"{name} {value}" for name, value in (chosen or {"seed": seed}).items())
        terminal.say(
            f"{env.game.title}, {describe_rules(env.game, env.rules, terminal.variant)}, {where}"
        )
        self.words = key_words(terminal.key or new_key())
        self.begun, self.taken_back = time.monotonic(), False
        self.history = [env.clone()]
        """The position before each move, and the one now."""
        by_person = isinstance(player, HumanAgent)
        self.notice = Notice(env.game, env.rules, by_person and terminal.notice)

    def finish(self) -> None:
        """Play to an end, and say how it ended."""
        over, action = False, -1
        while not over:
            states = copy_states(self.env.rows.states)
            seeds = turn_seeds(self.words, states)
            turn = make_turn(self.player, self.env.game, self.env.rules, states, seeds)
            try:
                action = int(choose_actions(self.player, turn)[0])
            except tuple(TAKEN_BACK.values()) as asked:
                self.take_back(type(asked))
                continue
            if not isinstance(self.player, HumanAgent):
                show_choice(self.terminal, self.env.rules, self.env.state, self.player, action)
            _, _, ended, cut, info = self.env.step(action)
            over = ended or cut
            if self.env.state["moves"] != self.history[-1]["moves"][0]:
                self.history.append(self.env.clone())
                if said := self.notice.after_move(self.history, over):
                    self.terminal.say(said)
        self._end(info, cut, action)

    def take_back(self, asked: type[Exception]) -> None:
        """Go back by a move, or to the beginning of the deal."""
        if len(self.history) == 1:
            back = asked is PlayerUndo
            self.terminal.say("nothing to take back" if back else "this is the beginning")
            return
        del self.history[-1 if asked is PlayerUndo else 1 :]
        self.env.restore(self.history[-1])
        self.taken_back = True

    def _end(self, info: dict[str, Any], cut: bool, action: int) -> None:
        env, terminal = self.env, self.terminal
        terminal.say("\n" + ansi(env.scene(), terminal.colour))
        won, seconds = info.get("won", False), time.monotonic() - self.begun
        best = human_bests.Best(won, info["score"], info["moves"], seconds, self.taken_back)
        terminal.say(f"{ending_text(env.game, won, cut, action)}: {best}.")
        if said := self.notice.at_end(won):
            terminal.say(said)
        if isinstance(self.player, HumanAgent) and "deck" not in (self.chosen or {}):
            _keep_best(env, terminal, best)


def ending_text(game: Game, won: bool, cut: bool, action: int) -> str:
    """Say what ended a game, ``action`` being its last."""
    if won:
        return "Won"
    if cut:
        return "Cut off at the limit of moves"
    if game.measure != "won":
        return "Over, all is played"
    if game.label(action) == "END":
        return "Over, you ended it"
    return "Over, no move is left"


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
