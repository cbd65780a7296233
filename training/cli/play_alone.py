"""One game at a time in a terminal: a person plays, or watches an agent play step by step."""

import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from parlour.agents.human import TAKEN_BACK, HumanAgent, PlayerQuit, PlayerUndo, move_text
from parlour.agents.registry import Agent, load_agent
from parlour.envs import CardEnv
from parlour.envs.core.keys import key_words, new_key
from parlour.envs.core.rules_table import describe_rules
from parlour.envs.core.scene.scene import ansi

from ..evaluation.replays.replay import CUT, LEFT, OVER, Replay
from ..evaluation.replays.replay_files import append_replays
from ..play.lone import LoneGame, make_agent_turn
from ..play.notice import Notice
from .games import rules_text
from .play_advice import Advisor, ask_player
from .terminal_game import TerminalGame as TerminalGame
from .terminal_game import ask_wrapped


def play_alone(terminal: TerminalGame, agent: str = "human") -> None:
    """Play until the person leaves, or watch one game of another agent.

    Raises ValueError for wrong rules, a wrong deck or an unknown agent; leaving raises nothing.
    """
    env = CardEnv(terminal.game, terminal.variant, illegal="raise", **dict(terminal.options or {}))
    advisor = Advisor(terminal, env.rules, lambda: env.rows.states)
    answers = {"rules": lambda: rules_text(terminal.game, env.rules), "advice": advisor.advise}
    player: Agent = (
        HumanAgent(
            terminal.ask or ask_wrapped, terminal.say, terminal.colour, answers, takes_back=True
        )
        if agent == "human"
        else load_agent(agent, terminal.game, env.rules, terminal.seed or 0, terminal.any_rules)
    )
    play = LonePlay(env, player, terminal, terminal.seed, terminal.chosen)
    try:
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
        play.record(LEFT)
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
        self.env, self.player, self.terminal = env, player, terminal
        self.deal = LoneGame(env, seed, chosen)
        rules = describe_rules(env.game, env.rules, terminal.variant)
        terminal.say(f"{env.game.title}, {rules}, {self.deal.source}")
        self.words = key_words(terminal.key or new_key())
        by_person = isinstance(player, HumanAgent)
        self.notice = Notice(env.game, env.rules, by_person and terminal.notice)
        self.is_recorded = False
        if said := self.notice.at_start(self.deal.history):
            terminal.say(said)

    def finish(self) -> None:
        """Play to an end, and say how it ended."""
        env, deal = self.env, self.deal
        while not deal.is_over:
            turn = make_agent_turn(self.player, env.game, env.rules, env.rows.states, self.words)
            try:
                action = ask_player(self.player, turn, self.terminal.say_thoughts)
            except tuple(TAKEN_BACK.values()) as asked:
                self.take_back(type(asked))
                continue
            if not isinstance(self.player, HumanAgent):
                show_choice(self.terminal, env.rules, env.state, self.player, action)
            completed = deal.step(action)
            if completed and (said := self.notice.after_move(deal.history, deal.is_over)):
                self.terminal.say(said)
        self.record(CUT if deal.is_cut else OVER)
        self._end()

    def record(self, end: str) -> None:
        """Write the game down, once, if that is asked for and anything was done."""
        path = self.terminal.record
        if path is None or self.is_recorded or not self.deal.actions:
            return
        self.is_recorded = True
        played = self.deal.replay(self.terminal.variant, (self.player.name,), end)
        record_game(self.terminal, path, played)

    def take_back(self, asked: type[Exception]) -> None:
        """Go back by a move, or to the beginning of the deal."""
        by_one = asked is PlayerUndo
        if not self.deal.take_back(1 if by_one else None):
            self.terminal.say("nothing to take back" if by_one else "this is the beginning")
            return
        self.is_recorded = False

    def _end(self) -> None:
        terminal, result = self.terminal, self.deal.result()
        terminal.say("\n" + ansi(self.env.scene(), terminal.colour))
        said = str(result)
        ending = said.capitalize() if result.won else f"{self.deal.ending()}: {said}"
        terminal.say(f"{ending}.")
        lines = [self.notice.at_end(result.won)]
        if isinstance(self.player, HumanAgent):
            lines.append(self.deal.keep_best(result))
        for line in filter(None, lines):
            terminal.say(line)


def record_game(terminal: TerminalGame, path: Path, played: Replay) -> None:
    """Append a game to a file, or print why it is not recorded; the game continues."""
    try:
        append_replays(path, [played])
    except OSError as error:
        terminal.say(f"This game is not recorded: {path}: {error.strerror or error}.")


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
        return (terminal.ask or ask_wrapped)(prompt).strip().lower()
    except EOFError:
        raise PlayerQuit from None
