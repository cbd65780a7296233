"""Games of a person on the page: a solitaire, or a seat in a game for several players.

`SolitaireSession` and `SeatSession` have the same methods. They receive clicks and moves, and
`view` returns the content of the page.
"""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

from parlour.agents.human import list_complete_moves, match_move
from parlour.envs import CardEnv, Game
from parlour.envs.core.kernel.cards import parse_card
from parlour.envs.core.kernel.rng import key_words, new_key
from parlour.envs.core.legal import list_actions
from parlour.envs.core.rules_table import describe_rules
from parlour.envs.core.scene.items import item_ids
from parlour.envs.core.scene.scene import Scene
from parlour.training.evaluation.replays.replay import Replay
from parlour.training.play.seats import SeatChoice, TableChoice, TableSession
from parlour.training.play.solitaire import HOPELESS, Notice, SolitaireGame, best_text

from .thinking import PageAgent


class SolitaireSession:
    """A solitaire of one person. A click selects a card; the last click of a move plays it.

    See `CardEnv.reset` for ``chosen``, and `SolitaireGame` for ``bests``. Raises ValueError for
    invalid rules or an invalid deal.
    """

    def __init__(
        self,
        game: Game,
        variant: str | None,
        options: Mapping[str, Any],
        chosen: Mapping[str, Any] | None,
        bests: Path | None = None,
    ) -> None:
        self.env = CardEnv(game, variant, illegal="raise", **options)
        self.game, self.rules, self.variant = game, self.env.rules, variant
        self.deal = SolitaireGame(self.env, None, chosen, bests)
        self.words = key_words(new_key())
        self.notice = Notice(game, self.rules, True)
        self.chances: dict[str, bool | None] = {}
        self.best_possible, self.own_best = "", ""
        self.agent_moves = 0
        self.has_new_result = False
        self._arrive()

    def _arrive(self) -> None:
        """Compute the moves of a new position."""
        self.selected: list[int] = []
        over = self.deal.is_over
        self.moves = [] if over else list_complete_moves(self.game, self.rules, self._states)

    @property
    def _states(self) -> np.ndarray:
        return self.env.rows.states

    def click(self, action: int, start: int | None = None) -> None:
        """Select a card, deselect it, or complete a move; ``start`` is the first card of a drag.

        Raises ValueError, without changing anything, if that is not possible.
        """
        if self.deal.is_over:
            raise ValueError("the game is over")
        begun = self.selected if start is None else [start]
        if start is None and action in begun:
            self.selected = [card for card in begun if card != action]
            return
        wanted = list(dict.fromkeys([*begun, action]))
        whole = [move for move in self.moves if set(move) == set(wanted)]
        if whole:
            self._play(whole[0])
        elif any(set(wanted) < set(move) for move in self.moves):
            self.selected = wanted
        else:
            self._refuse(wanted)

    def _refuse(self, wanted: list[int]) -> None:
        """Raise ValueError with the reason why these actions are not a move."""
        words = self.game.action_words(self.env.state, self.rules)
        if all(action in words for action in wanted):
            match_move(wanted, self.game, self.rules, self._states)
        phrases = [self.game.describe_action(self.env.state, self.rules, one) for one in wanted]
        raise ValueError(f"not possible now: {', '.join(phrases)}")

    def _play(self, actions: list[int]) -> None:
        for action in actions:
            self.deal.step(action)
        self._after_move()

    def _after_move(self) -> None:
        self.chances.pop("position", None)
        self._arrive()
        if self.deal.is_over:
            self.own_best = "" if self.agent_moves else self.deal.save_if_best(self.deal.result())
            self.has_new_result = True

    def take_back(self, moves: int | None = 1) -> None:
        """Take back moves (None: all of them). Raises ValueError if there are none."""
        if not self.deal.take_back(moves):
            raise ValueError("there is no move to take back")
        self.chances.pop("position", None)
        self.own_best = ""
        self._arrive()

    def play_agent(self, agent: PageAgent) -> None:
        """Let an agent make one move. Raises ValueError if the game is over."""
        if self.deal.is_over:
            raise ValueError("the game is over")
        completed = False
        try:
            while not completed and not self.deal.is_over:
                completed = self.deal.step(agent.choose(self._states, self.words))
        except BaseException:  # the work may be stopped between two actions of a move
            self.deal.drop_unfinished_move()
            raise
        self.agent_moves += 1
        self._after_move()

    def advise(self, agent: PageAgent) -> dict[str, Any]:
        """Return an agent's explanation of the position (`Explanation.summary`)."""
        if self.deal.is_over:
            raise ValueError("the game is over")
        return agent.advise(self._states, self.words)

    def judge(self) -> None:
        """Ask the solver about position and deal. This is slow; it may run in another thread."""
        history = list(self.deal.history)
        winnable = self.notice.judge(history)
        chances = {"deal": winnable[0], "position": winnable[-1]} if winnable else {}
        best = best_text(self.notice, history[0]) if self.deal.is_over else ""
        if len(history) == len(self.deal.history) and history[-1] is self.deal.history[-1]:
            self.chances, self.best_possible = chances, best

    def replay(self) -> tuple[Replay, int]:
        """Return the recorded game and the person's seat. Raises ValueError before its end."""
        if not self.deal.is_over:
            raise ValueError("the game is not over yet")
        name = "you and agents" if self.agent_moves else "you"
        return self.deal.replay(self.variant, (name,)), 0

    def result(self) -> dict[str, Any]:
        """Return the row of the result store for the finished game."""
        best = self.deal.result()
        return {
            "game": self.game.name,
            "variant": self.game.variant_name(self.rules),
            "rules": self.game.rules_digest(self.rules),
            "source": self.deal.source,
            "players": "",
            "won": best.won,
            "score": best.score,
            "moves": best.moves,
            "seconds": round(best.seconds, 1),
            "taken_back": self.has_taken_back,
            "agent_moves": self.agent_moves,
        }

    @property
    def has_taken_back(self) -> bool:
        """Whether moves were taken back under rules without UNDO."""
        return self.deal.taken_back and not getattr(self.rules, "undo", False)

    def view(self) -> dict[str, Any]:
        """Return the content of the page as JSON values."""
        scene, words = self.env.scene(), self.game.action_words(self.env.state, self.rules)
        chosen = set(self.selected)
        can = {one for move in self.moves if set(move) > chosen for one in move} - chosen
        targets = list_targets(scene, words)
        return {
            "rules": describe_rules(self.game, self.rules, self.variant),
            "source": self.deal.source,
            "scene": scene.to_dict(),
            "targets": targets,
            "selected": self.selected,
            "can": sorted(can),
            "buttons": name_actions(self.game, can - set(targets.values()), words),
            "score": int(self.env.state["score"]),
            "moves": int(self.env.state["moves"]),
            "seconds": round(self.deal.seconds),
            "over": self.deal.ending() if self.deal.is_over else "",
            "can_take_back": len(self.deal.history) > 1,
            "taken_back": self.has_taken_back,
            "agent_moves": self.agent_moves,
            "chances": self.chances,
            "notice": self._notice(),
            "best": str(self.deal.load_best() or ""),
            "own_best": self.own_best,
            "best_possible": self.best_possible,
        }

    def _notice(self) -> str:
        """Return the notice that the game can no longer be won, or an empty string."""
        if self.deal.is_over or self.chances.get("position") is not False:
            return ""
        if self.chances["deal"] is False:
            return HOPELESS
        return "This position can no longer be won. Take back moves to win this deal."


class Person:
    """The person in a game for several players. The page asks the person instead of `act`."""

    name, sees_all = "you", False

    def act(self, turn: Any) -> np.ndarray:
        """Raise ValueError."""
        raise ValueError("it is your turn")


class SeatSession:
    """A game for several players. After each action, the opponents play until the person's turn.

    The page shows ``steps``, the scenes of these actions, one after another. An opponent's work may
    be stopped if no tab shows the game; `go_on` resumes it. Raises ValueError for invalid rules or
    seats.
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
        agents = [opponent.agent for opponent in opponents]
        self.table = TableSession(choice, SeatChoice(seat, agents), Person())
        self.agent_moves, self.has_new_result = 0, False
        self.events: list[str] = []
        self.steps: list[dict[str, Any]] = []
        """The scene before the latest actions and after each of them, except the current scene."""
        self.next_hand()

    def next_hand(self) -> None:
        """Deal the next hand. Raises ValueError before the end of the current one."""
        if self.table.hand and not self.table.is_over:
            raise ValueError("this hand is not over yet")
        self.table.begin_hand()
        self.agent_moves, self.has_new_result = 0, False
        self.go_on()

    def _describe_step(self, text: str) -> dict[str, Any]:
        """Return the current scene and the text of the action that led to it."""
        return {"scene": self.table.scene().to_dict(), "text": text}

    @property
    def is_waiting(self) -> bool:
        """Whether it is an opponent's turn."""
        return not self.table.is_over and self.table.seat != self.table.own_seat

    def go_on(self) -> None:
        """Let the opponents play until it is the person's turn or the hand is over."""
        self._go_on([self._describe_step("")])

    def _go_on(self, steps: list[dict[str, Any]]) -> None:
        """Let the opponents play after the actions of ``steps``."""
        self.steps = []  # a page that connects while an opponent thinks has seen the earlier ones
        while self.is_waiting:
            seated = self.table.agents[self.table.seat]
            agent = next(one for one in self.opponents if one.agent is seated)
            steps.append(self._play(agent.choose(self.table.rows.states, self.table.words)))
        self.events, self.table.events = self.table.events, []
        self.steps = steps[:-1]

    def _play(self, action: int) -> dict[str, Any]:
        """Play an action and return its step."""
        logged = len(self.table.events)
        self.table.play(action)
        self.has_new_result = self.table.is_over
        return self._describe_step(". ".join(self.table.events[logged:]))

    def click(self, action: int, start: int | None = None) -> None:
        """Play an action. Raises ValueError, listing the legal actions, if it is illegal."""
        self._refuse_if_waiting()
        if start is not None:
            raise ValueError(f"start must be null in a game for several players, got {start}")
        if action not in self._legal():
            can = ", ".join(map(self._describe, sorted(self._legal())))
            name = self._describe(action) if action < self.game.actions else "no action"
            raise ValueError(f"not possible now: {name}; possible actions: {can}")
        self._go_on([self._play(action)])

    def take_back(self, moves: int | None = 1) -> None:
        """Raise ValueError, because the other players have seen the action."""
        raise ValueError("moves cannot be taken back in a game for several players")

    def play_agent(self, agent: PageAgent) -> None:
        """Let an agent take the person's turn."""
        self._refuse_if_waiting()
        action = agent.choose(self.table.rows.states, self.table.words)
        self.agent_moves += 1
        self.click(action)

    def advise(self, agent: PageAgent) -> dict[str, Any]:
        """Return an agent's explanation of the person's turn (`Explanation.summary`)."""
        self._refuse_if_waiting()
        return agent.advise(self.table.rows.states, self.table.words)

    def _refuse_if_waiting(self) -> None:
        if self.table.is_over:
            raise ValueError("this hand is over")
        if self.is_waiting:
            raise ValueError("it is not your turn yet")

    def judge(self) -> None:
        """Do nothing: games for several players have no solver."""

    def replay(self) -> tuple[Replay, int]:
        """Return the recorded hand and the person's seat. Raises ValueError before its end."""
        if not self.table.is_over:
            raise ValueError("this hand is not over yet")
        return self.table.replay(self.variant), self.table.own_seat

    def result(self) -> dict[str, Any]:
        """Return the row of the result store for the finished hand."""
        net = int(self.table.nets[self.table.own_seat])
        return {
            "game": self.game.name,
            "variant": self.game.variant_name(self.rules),
            "rules": self.game.rules_digest(self.rules),
            "source": f"{self.table.source}, hand {self.table.hand}",
            "players": ", ".join(agent.name for agent in self.table.agents),
            "won": net > 0,
            "score": net,
            "moves": int(self.table.rows.states["moves"][0]),
            "seconds": None,
            "taken_back": False,
            "agent_moves": self.agent_moves,
        }

    def view(self) -> dict[str, Any]:
        """Return the content of the page as JSON values: only what the person's seat may see."""
        table, legal = self.table, self._legal()
        scene = table.scene()
        targets = list_targets(scene, {})  # only legal actions: a twin of a card may be anywhere
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
            "events": self.events,
            "steps": self.steps,
            "hand": table.hand,
            "unit": table.unit_name,
            "seats": [self._describe_seat(k, float(net)) for k, net in enumerate(nets)],
        }

    def _describe_seat(self, seat: int, net: float) -> dict[str, Any]:
        """Return the player of a seat, and how much it has won or lost."""
        table = self.table
        assert self.game.seats is not None
        sides = self.game.seats.sides(self.rules)
        return {
            "name": table.agents[seat].name,
            "you": seat == table.own_seat,
            "partner": seat != table.own_seat and sides[seat] == sides[table.own_seat],
            "net": net / table.unit,
            "total": float(table.totals[seat]) / table.unit,
        }

    def _legal(self) -> set[int]:
        if self.table.is_over or self.is_waiting:
            return set()
        return set(list_actions(self.table.rows.states["legal"][0]))

    def _describe(self, action: int) -> str:
        return self.game.describe_action(self.table.own_state(), self.rules, action)

    def _buttons(self, actions: set[int]) -> list[dict[str, Any]]:
        words = self.game.action_words(self.table.own_state(), self.rules)
        return name_actions(self.game, actions, words)


def list_targets(scene: Scene, words: Mapping[int, tuple[str, ...]]) -> dict[str, int]:
    """Return the action of a click on each item, by the id of the item.

    The action may be illegal: a card that cannot be moved also has an action, so that a click on it
    is answered with the reason. See `Game.action_words` for ``words``.
    """
    cards: dict[int, int] = {}
    for action, (first, *_) in words.items():
        with suppress(ValueError):  # the word names a place or a turn, not a card
            cards.setdefault(parse_card(first), action)
    targets = {}
    for item, name in zip(scene.items, item_ids(scene.items), strict=True):
        if item.action >= 0:
            targets[name] = item.action
        elif item.card and item.face_up and item.card in cards:
            targets[name] = cards[item.card]
    return targets


def name_actions(
    game: Game, actions: Iterable[int], words: Mapping[int, tuple[str, ...]]
) -> list[dict[str, Any]]:
    """Return number and name of actions for buttons; the name is the longest word, or the label."""
    return [
        {"action": action, "text": max(words.get(action, (game.label(action),)), key=len)}
        for action in sorted(actions)
    ]
