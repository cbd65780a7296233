"""A person at one seat of a table of several, in a terminal; or an agent that is watched there."""

import secrets
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from parlour.agents.human import HumanAgent, PlayerQuit
from parlour.agents.registry import Agent, load_agent, make_turn
from parlour.envs.core.batch import DealSource, Over
from parlour.envs.core.cards import TRAINING_SEED_MASK
from parlour.envs.core.deals import bank_seeds
from parlour.envs.core.keys import draw_seed, key_words, new_key, turn_seeds
from parlour.envs.core.rows import Rows, copy_states, view_states
from parlour.envs.core.rules_table import describe_rules
from parlour.envs.core.scene import ansi
from parlour.envs.core.splitmix import mix64
from parlour.envs.keywords import ChosenDeal, check_seat, read_reset_options

from ..evaluation.duplicate import default_opponents
from ..evaluation.duplicate_play import first_dealers, hand_seeds
from ..evaluation.replay import LEFT, OVER, Replay, deal_fields, read_result
from ..evaluation.replay_files import append_replays
from ..evaluation.spec import check_number
from .games import rules_text
from .play_advice import Advisor, ask_player
from .play_alone import ask_again, show_choice
from .terminal_game import TerminalGame


class SeatChoice(NamedTuple):
    """Where one sits: its number; who plays the seats after it, taken round; for how many hands.

    ``opponents`` None: greedy and the game's players by rule.
    """

    number: int = 0
    opponents: Sequence[str] | None = None
    hands: int = 1


def play_session(terminal: TerminalGame, seat: SeatChoice, agent: str = "human") -> None:
    """Play hands until the person leaves, or watch an agent play so many.

    All hands are one session (see `duplicate_play.hand_seeds`): the dealer moves on a seat after
    each. What the others do is told at one's next turn. Raises ValueError for wrong rules, a wrong
    deck, seat or number, or an unknown agent; leaving raises nothing.
    """
    sitting = TerminalSession(terminal, seat, agent)
    try:
        while True:
            for _ in range(seat.hands):
                sitting.play_hand()
            if agent != "human" or not ask_again(terminal, "hand"):
                return
    except (PlayerQuit, KeyboardInterrupt):
        sitting.record(LEFT)
        terminal.say("\nGoodbye.")


class TerminalSession:
    """A session at a table: who sits there, and the chips that each seat has won so far."""

    def __init__(self, terminal: TerminalGame, seat: SeatChoice, agent: str) -> None:
        self.terminal, self.game = terminal, terminal.game
        self.rules = self.game.make_rules(terminal.variant, terminal.options)
        self.players = self.game.num_players(self.rules)
        self.own = check_seat("seat", seat.number, self.players)
        check_number("hands", seat.hands, 1)
        self.chosen = read_reset_options(self.game, self.rules, terminal.chosen)
        begin = secrets.randbelow(2**31) if terminal.seed is None else terminal.seed
        self.source = ", ".join(f"{k} {v}" for k, v in (terminal.chosen or {"seed": begin}).items())
        self.session = _session_seed(self.chosen, begin)
        self.cast = self._seat_agents(agent, seat.opponents)
        self.rows = Rows(self.game, self.rules, 1)
        self.words = key_words(terminal.key or new_key())
        self.totals = np.zeros(self.players, np.int64)
        self.hand = 0
        self.dealt: dict[str, Any] = {}
        self.actions: list[int] = []
        """Those of all seats, in the hand that is played."""
        self.heard: list[str] = []

    def _seat_agents(self, agent: str, opponents: Sequence[str] | None) -> list[Agent]:
        """Who plays each seat."""
        most = self.players - 1
        if opponents is not None and not 1 <= len(opponents) <= most:
            raise ValueError(f"opponents: {len(opponents)} given; allowed are 1–{most}")
        if "human" in (opponents or ()):
            raise ValueError("opponents: there is one person, at the seat that --seat names")
        terminal, seed = self.terminal, self.terminal.seed or 0
        names = [agent, *(opponents or default_opponents(self.game))]
        asked = self.game, self.rules, seed, terminal.any_rules
        cast = [load_agent(name, *asked) for name in names[: 1 + most]]
        if agent == "human":
            advisor = Advisor(terminal, self.rules, lambda: self.rows.states)
            cast[0] = HumanAgent(
                terminal.ask,
                terminal.say,
                terminal.colour,
                {"rules": lambda: rules_text(self.game, self.rules), "advice": advisor.advise},
            )
        after = [(k - self.own) % self.players for k in range(self.players)]
        return [cast[k and 1 + (k - 1) % (len(cast) - 1)] for k in after]

    def play_hand(self) -> None:
        """Play one hand, show how it ended and how all stand."""
        self._begin()
        rows, actions = self.rows, np.zeros(1, np.int64)
        while rows.states["over"][0] == Over.RUNNING:
            seat = int(rows.states["turn"][0])
            if seat == self.own:
                self._say_heard()
            states = copy_states(rows.states)
            seeds = turn_seeds(self.words, states)
            turn = make_turn(self.cast[seat], self.game, self.rules, states, seeds)
            say = self.terminal.say_thoughts if seat == self.own else None
            actions[:] = ask_player(self.cast[seat], turn, say)
            if seat != self.own:
                self.heard.append(self._describe_action(seat, int(actions[0])))
            elif not isinstance(self.cast[seat], HumanAgent):
                show_choice(
                    self.terminal, self.rules, rows.states[0], self.cast[seat], int(actions[0])
                )
            rows.step(actions)
            self.actions.append(int(actions[0]))
        self.record(OVER)
        self._end()

    def record(self, end: str) -> None:
        """Write the hand down, once, if that is asked for and anything was done."""
        path, actions = self.terminal.record, tuple(self.actions)
        self.actions = []
        if path is None or not actions:
            return
        variant = self.terminal.variant or self.game.default
        names = tuple(one.name for one in self.cast)
        result = read_result(self.game, self.rules, self.rows.states)[0]
        begun = Replay(self.game, self.rules, variant, names, actions, result, end, **self.dealt)
        append_replays(path, [begun])

    def _begin(self) -> None:
        """Deal, and say what is played and who sits where."""
        seeds = hand_seeds(self.session, self.hand + 1)[:, -1]
        self.rows.seed(seeds)
        if self.hand == 0 and self.chosen is not None and self.chosen.deck is not None:
            self.chosen.start(self.rows)
            self.dealer = self.players - 1
        elif self.hand == 0 or not self.game.has_dealer:
            self.rows.start(DealSource.SEED)
            self.dealer = int(first_dealers(self.game, self.rules, seeds)[0])
        else:
            self.rows.start(DealSource.SEED, dealer=(self.dealer + self.hand) % self.players)
        states = self.rows.states
        chosen = self.terminal.chosen
        self.dealt = deal_fields(self.game, self.rules, states, chosen, self.hand)
        self.hand += 1
        if self.hand == 1:
            name = describe_rules(self.game, self.rules, self.terminal.variant)
            self.terminal.say(f"{self.game.title}, {name}, {self.source}")
            self.terminal.say(", ".join(self._who(seat) for seat in range(self.players)))
        else:
            self.terminal.say(f"\nHand {self.hand}")

    def _describe_action(self, seat: int, action: int) -> str:
        """What one hears of another's action, before it is played."""
        if self._is_secret(action):
            return f"seat {seat} has chosen"
        word = self.game.action_words(self.rows.states[0], self.rules)[action][0]
        label = self.game.label(action)
        verb, *rest = word.split()
        if verb in (way.split()[0] for way in label.split(" or ")):
            return " ".join([f"seat {seat} {verb}s", *rest])
        return f"seat {seat}: {label}"

    def _is_secret(self, action: int) -> bool:
        """Whether one cannot see it: another action would look the same."""
        legal = int(self.rows.states["legal"][0])
        rows, seen = Rows(self.game, self.rules, 1), {}
        for other in range(self.game.actions):
            if legal >> other & 1:
                rows.restore(self.rows.states)
                rows.step(np.array([other]))
                after = view_states(self.game, self.rules, rows.states, np.array([self.own]))
                seen[other] = after["shown"].tobytes()
        return list(seen.values()).count(seen[action]) > 1

    def _say_heard(self) -> None:
        if self.heard:
            self.terminal.say("\n" + "\n".join(self.heard))
        self.heard = []

    def _end(self) -> None:
        self._say_heard()
        state = view_states(self.game, self.rules, self.rows.states, np.array([self.own]))[0]
        self.terminal.say("\n" + ansi(self.game.layout(state, self.rules), self.terminal.colour))
        nets = state["net"][: self.players].astype(np.int64)
        self.totals += nets
        self.terminal.say(f"Over: {self._standing(nets)}.")
        if self.hand > 1:
            self.terminal.say(f"After {self.hand} hands: {self._standing(self.totals)}.")

    def _standing(self, chips: np.ndarray) -> str:
        return ", ".join(f"{self._who(seat)} {chips[seat]:+d}" for seat in range(self.players))

    def _who(self, seat: int) -> str:
        if isinstance(self.cast[seat], HumanAgent):
            return f"seat {seat} (you)"
        return f"seat {seat} ({self.cast[seat].name})"


def _session_seed(chosen: ChosenDeal | None, begin: int) -> np.ndarray:
    """The seed of the session, uint64 (1,): of a numbered deal, or as an environment draws it."""
    if chosen is not None and chosen.deals is not None:
        return bank_seeds(chosen.bank, chosen.deals[:1])
    drawn = np.array([draw_seed(np.random.default_rng(begin))], np.uint64)
    return mix64(drawn) & TRAINING_SEED_MASK
