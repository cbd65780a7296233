"""A person at one seat of a table of several, in a terminal; or an agent that is watched there."""

from typing import Any

import numpy as np

from parlour.agents.human import HumanAgent, PlayerQuit
from parlour.envs.core.rules_table import describe_rules
from parlour.envs.core.scene.scene import ansi

from ..evaluation.replays.replay import LEFT, OVER
from ..play.table import SeatChoice, TableChoice, TableSession
from .games import rules_text
from .play_advice import Advisor, ask_player
from .play_alone import ask_again, record_game, show_choice
from .terminal_game import TerminalGame, ask_wrapped


def play_session(terminal: TerminalGame, seat: SeatChoice, agent: str = "human") -> None:
    """Play hands until the person leaves, or watch an agent play so many; or play to an end.

    All hands are one session (see `duplicate_play.hand_seeds`): the dealer moves on a seat after
    each. What the others do is told at one's next turn. Raises ValueError for wrong rules, a wrong
    deck, seat or number, or an unknown agent; leaving raises nothing.
    """
    sitting = TerminalSession(terminal, seat, agent)
    try:
        while True:
            sitting.play_hands()
            if seat.until or agent != "human" or not ask_again(terminal, "hand"):
                return
    except (PlayerQuit, KeyboardInterrupt):
        sitting.record(LEFT)
        terminal.say("\nGoodbye.")


class TerminalSession(TableSession):
    """A session at a table whose hands are shown in a terminal."""

    def __init__(self, terminal: TerminalGame, seat: SeatChoice, agent: str) -> None:
        self.terminal = terminal
        game, rules = terminal.game, terminal.game.make_rules(terminal.variant, terminal.options)
        chosen = terminal.chosen, terminal.seed, terminal.key, terminal.any_rules
        own = self._make_person(rules) if agent == "human" else agent
        self.hands, self.until = seat.hands, seat.until
        super().__init__(TableChoice(game, rules, *chosen), seat, own)

    def _make_person(self, rules: Any) -> HumanAgent:
        terminal = self.terminal
        advisor = Advisor(terminal, rules, lambda: self.rows.states)
        answers = {"rules": lambda: rules_text(terminal.game, rules), "advice": advisor.advise}
        return HumanAgent(terminal.ask or ask_wrapped, terminal.say, terminal.colour, answers)

    def play_hands(self) -> None:
        """Play as many hands as were asked for."""
        if self.until is None:
            for _ in range(self.hands):
                self.play_hand()
            return
        while np.abs(self.totals).max() < self.until * self.unit:
            self.play_hand()

    def play_hand(self) -> None:
        """Play one hand, show how it ended and how all stand."""
        self._begin()
        while not self.is_over:
            if self.seat == self.own:
                self._say_heard()
            action, agent = self.choose(), self.cast[self.seat]
            if self.seat == self.own and not isinstance(agent, HumanAgent):
                show_choice(self.terminal, self.rules, self.rows.states[0], agent, action)
            self.play(action)
        self.record(OVER)
        self._end()

    def choose(self) -> int:
        """Ask whoever's turn it is; what a watched agent thinks is shown, if that is wanted."""
        say = self.terminal.say_thoughts if self.seat == self.own else None
        return ask_player(self.cast[self.seat], self.make_turn(), say)

    def record(self, end: str) -> None:
        """Write the hand down, once, if that is asked for and anything was done."""
        path = self.terminal.record
        if path is not None and self.actions:
            record_game(self.terminal, path, self.replay(self.terminal.variant, end))
        self.actions = []

    def _begin(self) -> None:
        """Deal, and say what is played and who sits where."""
        self.begin_hand()
        if self.hand == 1:
            name = describe_rules(self.game, self.rules, self.terminal.variant)
            self.terminal.say(f"{self.game.title}, {name}, {self.source}")
            self.terminal.say(", ".join(self._who(seat) for seat in range(self.players)))
        else:
            self.terminal.say(f"\nHand {self.hand}")

    def _say_heard(self) -> None:
        if self.heard:
            self.terminal.say("\n" + "\n".join(self.heard))
        self.heard = []

    def _end(self) -> None:
        self._say_heard()
        scene = self.game.layout(self.own_state(), self.rules)
        self.terminal.say("\n" + ansi(scene, self.terminal.colour))
        self.terminal.say(f"Over: {self._standing(self.nets)}.")
        if self.hand > 1:
            self.terminal.say(f"After {self.hand} hands: {self._standing(self.totals)}.")

    def _standing(self, nets: np.ndarray) -> str:
        each = nets / self.unit
        return ", ".join(f"{self._who(seat)} {each[seat]:+g}" for seat in range(self.players))

    def _who(self, seat: int) -> str:
        if isinstance(self.cast[seat], HumanAgent):
            return f"seat {seat} (you)"
        return f"seat {seat} ({self.cast[seat].name})"
