"""What an agent thinks, in a terminal: of the one that is watched, or asked for advice."""

from collections.abc import Callable
from typing import Any

import numpy as np

from parlour.agents.explanation import explain
from parlour.agents.human import HumanAgent
from parlour.agents.registry import Agent, Turn, choose_actions, load_agent, make_turn
from parlour.envs.core.keys import key_words, new_key, turn_seeds
from parlour.envs.core.rows import copy_states

from .terminal_game import TerminalGame


def ask_player(player: Agent, turn: Turn, say: Callable[[str], None] | None = None) -> int:
    """Return the action of a player in a game; ``say`` is told what it thinks (None: nobody is)."""
    if say is None:
        return int(choose_actions(player, turn)[0])
    found = explain(player, turn)
    say(f"\n{found}")
    return int(found.actions[0])


class Advisor:
    """The agent whose advice a person may ask for, and the position that it is asked about."""

    def __init__(
        self, terminal: TerminalGame, rules: Any, states: Callable[[], np.ndarray]
    ) -> None:
        self.terminal, self.rules, self.states = terminal, rules, states
        self.words = key_words(terminal.key or new_key())
        self.agent = load_agent(
            terminal.advisor, terminal.game, rules, terminal.seed or 0, terminal.any_rules
        )
        if isinstance(self.agent, HumanAgent):
            raise ValueError("advisor: name an agent, not a person")

    def advise(self) -> str:
        """Return what the agent thinks of the position, as text."""
        states = copy_states(self.states())
        seeds = turn_seeds(self.words, states)
        turn = make_turn(self.agent, self.terminal.game, self.rules, states, seeds)
        return str(explain(self.agent, turn))
