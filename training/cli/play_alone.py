"""One game at a time in a terminal: a person plays, or watches an agent play step by step."""

import secrets
import sys
import time
from collections.abc import Mapping
from typing import Any

import numpy as np

from parlour.agents import human_bests
from parlour.agents.human import TAKEN_BACK, HumanAgent, PlayerQuit, PlayerUndo, move_text
from parlour.agents.registry import Agent, load_agent, make_turn
from parlour.envs import CardEnv, Game
from parlour.envs.core.keys import key_words, new_key, turn_seeds
from parlour.envs.core.rows import copy_states
from parlour.envs.core.rules_table import describe_rules
from parlour.envs.core.scene import ansi

from ..evaluation.replay import CUT, LEFT, OVER, Replay, deal_fields, read_result
from ..evaluation.replay_files import append_replays
from .games import rules_text
from .play_advice import Advisor, ask_player
from .play_notice import Notice
from .terminal_game import TerminalGame as TerminalGame


def play_alone(terminal: TerminalGame, agent: str = "human") -> None:
    """Play until the person leaves, or watch one game of another agent.

    Raises ValueError for wrong rules, a wrong deck or an unknown agent; leaving raises nothing.
    """
    env = CardEnv(terminal.game, terminal.variant, illegal="raise", **dict(terminal.options or {}))
    advisor = Advisor(terminal, env.rules, lambda: env.rows.states)
    answers = {"rules": lambda: rules_text(terminal.game, env.rules), "advice": advisor.advise}
    player: Agent = (
        HumanAgent(terminal.ask, terminal.say, terminal.colour, answers, takes_back=True)
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
        self.dealt = deal_fields(env.game, env.rules, env.rows.states, chosen)
        self.actions: list[int] = []
        self.is_recorded = False

    def finish(self) -> None:
        """Play to an end, and say how it ended."""
        over, action = False, -1
        while not over:
            states = copy_states(self.env.rows.states)
            seeds = turn_seeds(self.words, states)
            turn = make_turn(self.player, self.env.game, self.env.rules, states, seeds)
            try:
                action = ask_player(self.player, turn, self.terminal.say_thoughts)
            except tuple(TAKEN_BACK.values()) as asked:
                self.take_back(type(asked))
                continue
            if not isinstance(self.player, HumanAgent):
                show_choice(self.terminal, self.env.rules, self.env.state, self.player, action)
            _, _, ended, cut, info = self.env.step(action)
            self.actions.append(action)
            over = ended or cut
            if self.env.state["moves"] != self.history[-1]["moves"][0]:
                self.history.append(self.env.clone())
                if said := self.notice.after_move(self.history, over):
                    self.terminal.say(said)
        self.record(CUT if cut else OVER)
        self._end(info, cut, action)

    def record(self, end: str) -> None:
        """Write the game down, once, if that is asked for and anything was done."""
        env, path = self.env, self.terminal.record
        if path is None or self.is_recorded or not self.actions:
            return
        self.is_recorded = True
        played = Replay(
            env.game,
            env.rules,
            self.terminal.variant or env.game.default,
            (self.player.name,),
            tuple(self.actions),
            read_result(env.game, env.rules, env.rows.states)[0],
            end,
            taken_back=self.taken_back,
            **self.dealt,
        )
        append_replays(path, [played])

    def take_back(self, asked: type[Exception]) -> None:
        """Go back by a move, or to the beginning of the deal."""
        if len(self.history) == 1:
            back = asked is PlayerUndo
            self.terminal.say("nothing to take back" if back else "this is the beginning")
            return
        del self.history[-1 if asked is PlayerUndo else 1 :]
        self.env.restore(self.history[-1])
        del self.actions[int(self.env.state["steps"]) :]
        self.taken_back, self.is_recorded = True, False

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
