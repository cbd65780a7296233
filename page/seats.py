"""A table of several seats on the page: a person at one of them, agents at the others."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from parlour.envs import Game
from parlour.envs.core.legal import list_actions
from parlour.envs.core.rules_table import describe_rules
from parlour.training.evaluation.replays.replay import Replay
from parlour.training.play.table import SeatChoice, TableChoice, TableSession

from .thinking import PageAgent
from .view import list_targets, name_actions


class Person:
    """Stands for the person in the cast: it is asked by the page, and never here."""

    name, sees_all = "you", False

    def act(self, turn: Any) -> np.ndarray:
        """Refuse: nobody can answer."""
        raise ValueError("it is your turn")


class SeatPlay:
    """A session at a table. After each action the opponents play until it is the person's turn.

    An opponent's work may be stopped if no tab shows the table; `go_on` resumes it. Raises
    ValueError for wrong rules or seats.
    """

    def __init__(
        self,
        game: Game,
        variant: str | None,
        options: Mapping[str, Any],
        chosen: Mapping[str, Any] | None,
        seat: int,
        opponents: Sequence[PageAgent],
    ) -> None:
        self.game, self.variant = game, variant
        self.rules = game.make_rules(variant, options)
        choice = TableChoice(game, self.rules, chosen)
        self.opponents = opponents
        agents = [one.agent for one in opponents]
        self.table = TableSession(choice, SeatChoice(seat, agents), Person())
        self.agent_moves, self.has_new_result = 0, False
        self.said: list[str] = []
        self.next_hand()

    def next_hand(self) -> None:
        """Deal the next hand. ValueError while one goes on."""
        if self.table.hand and not self.table.is_over:
            raise ValueError("this hand is not over yet")
        self.table.begin_hand()
        self.agent_moves, self.has_new_result = 0, False
        self.go_on()

    @property
    def is_waiting(self) -> bool:
        """Whether it is an opponent's turn."""
        return not self.table.is_over and self.table.seat != self.table.own

    def go_on(self) -> None:
        """Let the opponents play until it is the person's turn, or the hand is over."""
        while self.is_waiting:
            seated = self.table.cast[self.table.seat]
            agent = next(one for one in self.opponents if one.agent is seated)
            self._play(agent.choose(self.table.rows.states, self.table.words))
        self.said, self.table.heard = self.table.heard, []

    def _play(self, action: int) -> None:
        self.table.play(action)
        self.has_new_result = self.table.is_over

    def click(self, action: int, start: int | None = None) -> None:
        """Play an action. ValueError saying what is legal."""
        self._refuse_if_waiting()
        if start is not None:
            raise ValueError(f"start must be null in a game for several players, got {start}")
        if action not in self._legal():
            can = ", ".join(one["text"] for one in self._buttons(self._legal()))
            name = self.game.label(action) if action < self.game.actions else "no action"
            raise ValueError(f"not possible now: {name}; possible are {can}")
        self._play(action)
        self.go_on()

    def take_back(self, moves: int | None = 1) -> None:
        """Refuse: others have seen it."""
        raise ValueError("at a table with others nothing is taken back")

    def play_agent(self, agent: PageAgent) -> None:
        """Let an agent take the person's turn."""
        self._refuse_if_waiting()
        action = agent.choose(self.table.rows.states, self.table.words)
        self.agent_moves += 1
        self.click(action)

    def advise(self, agent: PageAgent) -> dict[str, Any]:
        """Return what an agent thinks of the person's turn (`Explanation.summary`)."""
        self._refuse_if_waiting()
        return agent.advise(self.table.rows.states, self.table.words)

    def _refuse_if_waiting(self) -> None:
        if self.table.is_over:
            raise ValueError("this hand is over")
        if self.is_waiting:
            raise ValueError("it is not your turn yet")

    def judge(self) -> None:
        """Do nothing: no solver knows tables of several."""

    def replay(self) -> tuple[Replay, int]:
        """Return the hand as it is recorded, and one's seat. ValueError while it goes on."""
        if not self.table.is_over:
            raise ValueError("this hand is not over yet")
        return self.table.replay(self.variant), self.table.own

    def result(self) -> dict[str, Any]:
        """Return what the store keeps of the finished hand."""
        net = int(self.table.nets[self.table.own])
        return {
            "game": self.game.name,
            "variant": self.game.variant_name(self.rules),
            "rules": self.game.rules_digest(self.rules),
            "source": f"{self.table.source}, hand {self.table.hand}",
            "players": ", ".join(agent.name for agent in self.table.cast),
            "won": net > 0,
            "score": net,
            "moves": int(self.table.rows.states["moves"][0]),
            "seconds": None,
            "taken_back": False,
            "agent_moves": self.agent_moves,
        }

    def view(self) -> dict[str, Any]:
        """Return all that is shown, as JSON has it: what one's own seat may see."""
        table, own = self.table, self.table.own_state()
        scene, legal = self.game.layout(own, self.rules), self._legal()
        words = {} if table.is_over else self.game.action_words(own, self.rules)
        targets = {name: one for name, one in list_targets(scene, words).items() if one in legal}
        nets = table.nets if table.is_over else np.zeros(table.players)
        return {
            "rules": describe_rules(self.game, self.rules, self.variant),
            "source": table.source,
            "scene": scene.to_dict(),
            "targets": targets,
            "selected": [],
            "can": sorted(legal),
            "buttons": self._buttons(legal - set(targets.values())),
            "over": f"Hand {table.hand} is over" if table.is_over else "",
            "can_take_back": False,
            "said": self.said,
            "hand": table.hand,
            "unit": table.unit_name,
            "seats": [self._describe_seat(k, float(net)) for k, net in enumerate(nets)],
        }

    def _describe_seat(self, seat: int, net: float) -> dict[str, Any]:
        """Return who sits there, and what was won or lost."""
        table = self.table
        assert self.game.seats is not None
        sides = self.game.seats.sides(self.rules)
        return {
            "name": table.cast[seat].name,
            "you": seat == table.own,
            "partner": seat != table.own and sides[seat] == sides[table.own],
            "net": net / table.unit,
            "total": float(table.totals[seat]) / table.unit,
        }

    def _legal(self) -> set[int]:
        if self.table.is_over or self.is_waiting:
            return set()
        return set(list_actions(self.table.rows.states["legal"][0]))

    def _buttons(self, actions: set[int]) -> list[dict[str, Any]]:
        words = self.game.action_words(self.table.own_state(), self.rules)
        return name_actions(self.game, actions, words)
