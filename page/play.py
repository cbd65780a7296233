"""Games of a person on the page: a solitaire, or a seat in a game for several players.

`SolitaireSession` and `SeatSession` have the same methods. They receive clicks and moves, and
`view` returns the content of the page.
"""

import secrets
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from parlour.envs import CardEnv, Game
from parlour.envs.core.kernel.cards import SUITS, card_symbol, default_deal_set, parse_card
from parlour.envs.core.kernel.rng import key_words, new_key
from parlour.envs.core.legal import list_actions
from parlour.envs.core.moves import list_complete_moves
from parlour.envs.core.rows import Rows, describe_move
from parlour.envs.core.rules_table import describe_rules
from parlour.envs.core.scene.items import Item, item_ids
from parlour.envs.core.scene.scene import Scene
from parlour.envs.core.scene.seating import name_players
from parlour.training.evaluation.replays.replay import Replay
from parlour.training.play.seats import SeatChoice, TableChoice, TableSession
from parlour.training.play.solitaire import HOPELESS, Notice, SolitaireGame, best_text

from .thinking import PageAgent
from .words import describe_agent, name_agent, spell_options

PAST = {
    "bid": "bid",
    "choose": "chose",
    "deal": "dealt",
    "lay": "laid",
    "make": "made",
    "redeal": "redealt",
    "take": "took",
    "undo": "undid",
}
"""Past tense of the irregular verbs that begin the phrases of `Game.describe_action`."""
RANDOM_DEALS = 1_000_000
"""Number of deals of the default deal set from which random deals are drawn. They have numbers, so
that a person can play them again."""
MOST_DEALS = 200
"""Maximum number of random deals among which a winnable one is searched."""
MOST_DEALT = 60
"""Maximum number of actions without a card for the foundations in a win that finishes itself."""


class SolitaireSession:
    """A solitaire of one person. A click selects a card; the last click of a move plays it.

    See `CardEnv.reset` for ``chosen`` (None: a random deal), and `SolitaireGame` for ``bests``.
    Raises ValueError for invalid rules or an invalid deal.
    """

    def __init__(
        self,
        game: Game,
        variant: str | None,
        options: Mapping[str, Any],
        chosen: Mapping[str, Any] | None,
        bests: Path | None = None,
        winnable: bool = False,
    ) -> None:
        self.env = CardEnv(game, variant, illegal="raise", **options)
        self.game, self.rules, self.variant = game, self.env.rules, variant
        self.notice = Notice(game, self.rules, True)
        self.deal = SolitaireGame(self.env, None, chosen or draw_deal(game), bests)
        if winnable and chosen is None:
            self._deal_winnable(bests)
        self.words = key_words(new_key())
        self.chances: dict[str, bool | None] = {}
        self.best_possible, self.own_best = "", ""
        self.own_moves, self.agent_moves = 0, 0
        self.helper = ""
        """The name of the agent that made the latest move of an agent."""
        self.has_new_result = False
        self.events: list[str] = []
        """Sentences about the last change, such as ``"You moved 5♣ to 6♥."``."""
        self.finish: list[int] = []
        """The actions of a win that only deals and moves cards to the foundations; see `view`."""
        self._arrive()

    def _deal_winnable(self, bests: Path | None) -> None:
        """Deal until the solver says that the deal can be won. Raises ValueError if none can."""
        for _ in range(MOST_DEALS):
            if self.notice.judge(self.deal.history) == [True]:
                return
            self.deal = SolitaireGame(self.env, None, draw_deal(self.game), bests)
        raise ValueError("The solver found no winnable deal. Deal without this option.")

    def _arrive(self) -> None:
        """Compute the moves of a new position."""
        self.selected: list[int] = []
        over = self.deal.is_over
        self.moves = [] if over else list_complete_moves(self.game, self.rules, self._states)
        follows = bool(self.finish) and self.deal.actions[-1:] == self.finish[:1]
        self.finish = self.finish[1:] if follows else self._find_finish()

    @property
    def _states(self) -> np.ndarray:
        return self.env.rows.states

    def click(self, action: int, start: int | None = None) -> None:
        """Select a card, deselect it, or complete a move; ``start`` is the first card of a drag.

        Raises ValueError, without changing anything, if that is not possible.
        """
        if self.deal.is_over:
            raise ValueError("The game is over.")
        self.events = []
        begun = self.selected if start is None else [start]
        if start is None and action in begun:
            self.selected = [card for card in begun if card != action]
            return
        wanted = list(dict.fromkeys([*begun, action]))
        whole = [move for move in self.moves if set(move) == set(wanted)]
        if whole:
            self.own_moves += 1
            self._play(whole[0], "You")
        elif any(set(wanted) < set(move) for move in self.moves):
            self.selected = wanted
        else:
            self._refuse(wanted)

    def _refuse(self, wanted: list[int]) -> None:
        """Raise ValueError with the reason why these actions are not a move."""
        scene, targets = self._scene_with_targets()
        named = dict(zip(item_ids(scene.items), scene.items, strict=True))
        items = [named[name] for name, action in targets.items() if action in wanted[-2:]]
        if not items:
            phrase = self.game.describe_action(self.env.state, self.rules, wanted[-1])
            raise ValueError(f"You cannot {phrase} now.")
        raise ValueError(self.game.refusal(self.env.state, self.rules, *items[:2]))

    def _scene_with_targets(self) -> tuple[Scene, dict[str, int]]:
        scene, words = self.env.scene(), self.game.action_words(self.env.state, self.rules)
        return scene, list_targets(scene, words)

    def explain_refusal(self, item: str, onto: str | None) -> str:
        """Return why a click or a drag is not a move; the arguments are ids of items."""
        if self.deal.is_over:
            return "The game is over."
        return explain_refusal(self.game, self.rules, self.env.state, item, onto)

    def _play(self, actions: list[int], player: str) -> None:
        before = self.env.rows.states.copy()
        for action in actions[:-1]:
            self.deal.step(action)
        phrase = self.game.describe_action(self.env.state, self.rules, actions[-1])
        self.deal.step(actions[-1])
        self.events = [f"{player} {put_in_past(phrase)}.", *self._tell_turned(before)]
        self._after_move()

    def _tell_turned(self, before: np.ndarray) -> list[str]:
        """Return a sentence with the cards that have become visible since a position."""
        now, then = (
            [item.card for item in scene.items if item.card and item.face_up]
            for scene in (self.env.scene(), self.game.layout(before[0], self.rules))
        )
        hidden = self.game.hidden_cards
        unseen = set(hidden.read(before)[0].tolist()) if hidden else set()
        turned = [card_symbol(card) for card in now if card in unseen - set(then)]
        return [f"Turned up: {', '.join(turned)}."] if turned else []

    def _after_move(self) -> None:
        self.chances.pop("position", None)
        self._arrive()
        if self.deal.is_over:
            self.own_best = "" if self.agent_moves else self.deal.save_if_best(self.deal.result())
            self.has_new_result = True

    def take_back(self, moves: int | None = 1) -> None:
        """Take back moves (None: all of them). Raises ValueError if there are none."""
        if not self.deal.take_back(moves):
            raise ValueError("There is no move to take back.")
        self.events = ["Back at the deal." if moves is None else "Move taken back."]
        self.chances.pop("position", None)
        self.own_best = ""
        self._arrive()

    def restart(self) -> None:
        """Begin the same deal again. Raises ValueError if no move has been made."""
        self.take_back(None)
        self.own_moves, self.agent_moves = 0, 0

    def play_agent(self, agent: PageAgent) -> None:
        """Let an agent make one move. Raises ValueError if the game is over."""
        if self.deal.is_over:
            raise ValueError("The game is over.")
        actions = self._foresee(agent, agent.choose(self._states, self.words))
        self.agent_moves += 1
        self.helper = name_agent(agent.spec, self.game)
        self._play(actions, f"The {self.helper} agent")

    def _foresee(self, agent: PageAgent, first: int) -> list[int]:
        """Return the whole move of an agent that begins with an action."""
        rows, actions = self._copy_rows(), [first]
        rows.step(np.array([first]))
        while not rows.states["over"][0] and rows.states["moves"][0] == self._states["moves"][0]:
            actions.append(agent.choose(rows.states, self.words))
            rows.step(np.array([actions[-1]]))
        return actions

    def _copy_rows(self) -> Rows:
        rows = Rows(self.game, self.rules, 1)
        rows.restore(self._states)
        return rows

    def advise(self, agent: PageAgent) -> dict[str, Any]:
        """Return an agent's explanation of the position (`Explanation.summary`), in whole moves.

        The entry ``move`` describes the suggested move, and ``arrow`` is where to draw it.
        """
        if self.deal.is_over:
            raise ValueError("The game is over.")
        advice = agent.advise(self._states, self.words)
        for row in advice["actions"]:
            begun = [move for move in self.moves if move[0] == row["action"]]
            row["text"] = self._describe_move(begun[0]) if len(begun) == 1 else row["text"]
        actions = self._foresee(agent, advice["action"])
        return advice | {
            "agent": describe_agent(agent.spec, self.game),
            "move": self._describe_move(actions),
            "arrow": find_arrow(*self._scene_with_targets(), actions),
        }

    def _describe_move(self, actions: list[int]) -> str:
        """Return the phrase of a whole move."""
        return describe_move(self.game, self.rules, self._states, actions)

    def _find_finish(self) -> list[int]:
        """Return the actions of a win that only deals and moves cards to the foundations.

        The list is empty if there is no such win, or if the player does not know all cards.
        """
        hidden = self.game.hidden_cards
        if self.deal.is_over or hidden is None or hidden.read(self._states).any():
            return []
        rows, idle = self._copy_rows(), 0
        actions: list[int] = []
        while not rows.states["over"][0] and idle <= MOST_DEALT:
            scene = self.game.layout(rows.states[0], self.rules)
            action = find_foundation_move(scene)
            idle = idle + 1 if action is None else 0
            if action is None:
                action = next((one.action for one in scene.items if one.place == "stock"), -1)
            if action < 0:
                return []
            actions.append(action)
            rows.step(np.array([action]))
        goal = self.game.goal_name(self.rules)
        is_won = self.game.results(rows.states, self.rules)[goal][0]
        return actions if rows.states["over"][0] and is_won else []

    def judge(self) -> None:
        """Ask the solver about position and deal. This is slow; it may run in another thread."""
        history = list(self.deal.history)
        winnable = self.notice.judge(history)
        chances = {"deal": winnable[0], "position": winnable[-1]} if winnable else {}
        won_in = int(history[-1]["moves"][0]) if self.deal.info.get("won", False) else None
        best = best_text(self.notice, history[0], won_in) if self.deal.is_over else ""
        if len(history) == len(self.deal.history) and history[-1] is self.deal.history[-1]:
            self.chances, self.best_possible = chances, best

    def replay(self) -> tuple[Replay, int]:
        """Return the recorded game and the person's seat. Raises ValueError before its end."""
        if not self.deal.is_over:
            raise ValueError("The game is not over yet.")
        return self.deal.replay(self.variant, (self._name_player(),)), 0

    def _name_player(self) -> str:
        """Return ``"you"``, the agent that made all moves, or both."""
        return name_helped(self.own_moves, self.agent_moves, self.helper)

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
        scene, targets = self._scene_with_targets()
        words = self.game.action_words(self.env.state, self.rules)
        chosen = set(self.selected)
        can = {one for move in self.moves if set(move) > chosen for one in move} - chosen
        drops = {action for item in scene.items for _, action in item.drops}
        return {
            "rules": spell_options(describe_rules(self.game, self.rules, self.variant)),
            "source": self.deal.source,
            "scene": scene.to_dict(),
            "targets": targets,
            "selected": self.selected,
            "can": sorted(can),
            "buttons": name_actions(self.game, can - set(targets.values()) - drops, words),
            "prompt": self.game.prompt(self.env.state, self.rules, self.selected),
            "how_to_play": self.game.how_to_play(self.rules),
            "partners": self._list_partners(),
            "finish": self.finish[0] if self.finish else None,
            "events": self.events,
            "score": int(self.env.state["score"]),
            "moves": int(self.env.state["moves"]),
            "seconds": round(self.deal.seconds),
            "over": self._tell_ending(),
            "outcome": self._name_outcome(),
            "can_take_back": len(self.deal.history) > 1,
            "can_restart": len(self.deal.history) > 1,
            "taken_back": self.has_taken_back,
            "helped": "" if (who := self._name_player()) == "you" else f"played by {who}",
            "chances": self.chances,
            "notice": self._notice(),
            "has_balance": bool(self.deal.history[0]["score"][0] < 0),
            "best": str(self.deal.load_best() or ""),
            "own_best": self.own_best,
            "best_possible": self.best_possible,
        }

    def _list_partners(self) -> dict[int, list[int]]:
        """Return the second actions of moves of two actions, by each of their actions."""
        partners: dict[int, list[int]] = {}
        for move in self.moves:
            if len(move) == 2:
                for one, other in (move, move[::-1]):
                    partners.setdefault(one, []).append(other)
        return partners

    def _name_outcome(self) -> str:
        """Return ``"won"``, ``"lost"`` or, in a game played for its score, ``"scored"``."""
        if not self.deal.is_over:
            return ""
        if self.game.measure != "won":
            return "scored"
        return "won" if self.deal.info.get("won", False) else "lost"

    def _tell_ending(self) -> str:
        """Return a sentence about how the game ended, or an empty string."""
        outcome, state = self._name_outcome(), self.env.state
        if not outcome:
            return ""
        if outcome == "won":
            return f"{capitalize(self._name_player())} won in {int(state['moves'])} moves."
        if outcome == "scored":
            has_reached = self.deal.info.get(self.game.goal_name(self.rules), False)
            goal = f"The goal was {'' if has_reached else 'not '}reached."
            return f"{capitalize(self._name_player())} scored {int(state['score'])} points. {goal}"
        reason = self.deal.ending().removeprefix("Over, ")
        return f"Lost: {reason[0].lower()}{reason[1:]}."

    def _notice(self) -> str:
        """Return the notice that the game can no longer be won, or an empty string."""
        if self.deal.is_over or self.chances.get("position") is not False:
            return ""
        if self.chances["deal"] is False:
            return HOPELESS
        return "This position cannot be won: take back moves."


class Person:
    """The person in a game for several players. The page asks the person instead of `act`."""

    name, sees_all = "you", False

    def act(self, turn: Any) -> np.ndarray:
        """Raise ValueError."""
        raise ValueError("It is your turn.")


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
        choice = TableChoice(game, self.rules, chosen or draw_deal(game))
        self.opponents = opponents
        agents = [opponent.agent for opponent in opponents]
        self.table = TableSession(choice, SeatChoice(seat, agents), Person())
        specs = {id(one.agent): one.spec for one in opponents}
        self.names = [
            name_agent(specs[id(agent)], game) if id(agent) in specs else agent.name
            for agent in self.table.agents
        ]
        """The names of the players in plain words, by seat."""
        self.agent_moves, self.has_new_result = 0, False
        self.own_moves = 0
        self.helper = ""
        """The name of the agent that made the latest move in the person's seat."""
        self.is_repeated = False
        """Whether the person has played this hand before."""
        self.events: list[str] = []
        self.steps: list[dict[str, Any]] = []
        """The scene before the latest actions and after each of them, except the current scene."""
        self.next_hand()

    def next_hand(self) -> None:
        """Deal the next hand. Raises ValueError before the end of the current one."""
        if self.table.hand and not self.table.is_over:
            raise ValueError("This hand is not over yet.")
        self.is_repeated = False
        self._begin_hand()

    def restart(self) -> None:
        """Deal the same hand again. Raises ValueError before the first move of this seat."""
        if not self._has_moved:
            raise ValueError("You have not played in this hand yet.")
        self.table.take_back_hand()
        self.is_repeated = True
        self._begin_hand()

    @property
    def _has_moved(self) -> bool:
        return self.own_moves + self.agent_moves > 0

    def _begin_hand(self) -> None:
        self.table.begin_hand()
        self.agent_moves = self.own_moves = 0
        self.has_new_result = False
        self.go_on()

    def _describe_step(self, text: str) -> dict[str, Any]:
        """Return the current scene, its prompt, and the text of the action that led to it."""
        prompt = self.game.prompt(self.table.own_state(), self.rules) if self.is_waiting else ""
        return {"scene": self._scene().to_dict(), "prompt": prompt, "text": text}

    def _scene(self) -> Scene:
        """Return the table with the names of the opponents."""
        others = {k: name for k, name in enumerate(self.names) if k != self.table.own_seat}
        return name_players(self.table.scene(), others)

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
            raise ValueError(self._refuse(action))
        self.own_moves += 1
        self._go_on([self._play(action)])

    def _refuse(self, action: int) -> str:
        """Return why an action is illegal."""
        state = self.table.own_state()
        name = self.game.label(action) if action < self.game.actions else ""
        with suppress(ValueError):  # the action is not a card
            scene = self.game.layout(state, self.rules)
            card = parse_card(name)
            items = [item for item in scene.items if item.face_up and item.card == card]
            if items:
                return self.game.refusal(state, self.rules, items[0])
        return f"Not possible now. {self.game.prompt(state, self.rules)}"

    def explain_refusal(self, item: str, onto: str | None) -> str:
        """Return why a click or a drag is not a move; the arguments are ids of items."""
        return explain_refusal(self.game, self.rules, self.table.own_state(), item, onto)

    def take_back(self, moves: int | None = 1) -> None:
        """Raise ValueError, because the other players have seen the action."""
        raise ValueError("Moves cannot be taken back in a game for several players.")

    def play_agent(self, agent: PageAgent) -> None:
        """Let an agent take the person's turn."""
        self._refuse_if_waiting()
        action = agent.choose(self.table.rows.states, self.table.words)
        self.agent_moves += 1
        self.helper = name_agent(agent.spec, self.game)
        self._go_on([self._play(action)])

    def advise(self, agent: PageAgent) -> dict[str, Any]:
        """Return an agent's explanation of the person's turn (`Explanation.summary`)."""
        self._refuse_if_waiting()
        advice = agent.advise(self.table.rows.states, self.table.words)
        scene = self.game.layout(self.table.own_state(), self.rules)
        arrow = find_arrow(scene, {}, [advice["action"]])
        return advice | {
            "agent": describe_agent(agent.spec, self.game),
            "move": self._describe(advice["action"]),
            "arrow": arrow,
        }

    def _refuse_if_waiting(self) -> None:
        if self.table.is_over:
            raise ValueError("This hand is over.")
        if self.is_waiting:
            raise ValueError("It is not your turn yet.")

    def judge(self) -> None:
        """Do nothing: games for several players have no solver."""

    def replay(self) -> tuple[Replay, int]:
        """Return the recorded hand and the person's seat. Raises ValueError before its end."""
        if not self.table.is_over:
            raise ValueError("This hand is not over yet.")
        replay, own = self.table.replay(self.variant), self.table.own_seat
        agents = [self._name_player() if k == own else one for k, one in enumerate(replay.agents)]
        return replace(replay, agents=tuple(agents)), own

    def _name_player(self) -> str:
        """Return ``"you"``, the agent that made all moves of the person's seat, or both."""
        return name_helped(self.own_moves, self.agent_moves, self.helper)

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
            "taken_back": self.is_repeated,
            "agent_moves": self.agent_moves,
        }

    def view(self) -> dict[str, Any]:
        """Return the content of the page as JSON values: only what the person's seat may see."""
        table, legal = self.table, self._legal()
        scene = self._scene()
        targets = list_targets(scene, {})  # only legal actions: a twin of a card may be anywhere
        nets = table.nets if table.is_over else np.zeros(table.players)
        return {
            "rules": spell_options(describe_rules(self.game, self.rules, self.variant)),
            "source": table.source,
            "scene": scene.to_dict(),
            "targets": targets,
            "selected": [],
            "can": sorted(legal),
            "buttons": self._buttons(legal - set(targets.values())),
            "prompt": self.game.prompt(table.own_state(), self.rules),
            "how_to_play": self.game.how_to_play(self.rules),
            "over": self._tell_ending(),
            "outcome": self._name_outcome(),
            "can_take_back": False,
            "can_restart": self._has_moved,
            "is_repeated": self.is_repeated,
            "helped": "" if (who := self._name_player()) == "you" else f"played by {who}",
            "events": self.events,
            "steps": self.steps,
            "has_tricks": "tricks" in (table.rows.states.dtype.names or ()),
            "hand": table.hand,
            "unit": table.unit_name,
            "seats": [self._describe_seat(k, float(net)) for k, net in enumerate(nets)],
        }

    def _name_outcome(self) -> str:
        """Return ``"won"``, ``"lost"`` or ``"scored"`` (neither) after the end of a hand."""
        if not self.table.is_over:
            return ""
        net = int(self.table.nets[self.table.own_seat])
        return "won" if net > 0 else "lost" if net < 0 else "scored"

    def _tell_ending(self) -> str:
        """Return a sentence about the result of the hand, or an empty string."""
        outcome, table = self._name_outcome(), self.table
        if not outcome:
            return ""
        net = abs(int(table.nets[table.own_seat])) / table.unit
        unit = table.unit_name.removesuffix("s") if net == 1 else table.unit_name
        bid = self._tell_bid()
        if outcome == "scored":
            return f"Hand {table.hand} is over. You win and lose nothing.{bid}"
        return (
            f"Hand {table.hand}: {capitalize(self._name_player())} {outcome} {net:g} {unit}.{bid}"
        )

    def _tell_bid(self) -> str:
        """Return a sentence about the bid and the points taken; empty if there was no bid."""
        state, seats = self.table.rows.states[0], self.game.seats
        info = self.game.final_info(self.table.rows.states, self.rules, np.array([0]))
        if seats is None or "bid" not in info or info["bidder"][0] < 0:
            return ""
        if "alone" in (state.dtype.names or ()) and state["alone"] >= 0:
            return ""  # a seat that plays alone must take all tricks
        sides, bidder = seats.sides(self.rules), int(info["bidder"][0])
        side = [seat for seat, one in enumerate(sides) if one == sides[bidder]]
        taken = sum(int(state["seats"][seat]["points"]) for seat in side)
        own = self.table.own_seat
        if len(side) == 1:
            who = "You" if bidder == own else f"Seat {bidder}"
        else:
            who = "Your side" if own in side else "The other side"
        return f" {who} bid {int(info['bid'][0])} and took {taken}."

    def _describe_seat(self, seat: int, net: float) -> dict[str, Any]:
        """Return the player of a seat, and how much it has won or lost."""
        table = self.table
        assert self.game.seats is not None
        sides = self.game.seats.sides(self.rules)
        return {
            "name": self.names[seat],
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


def capitalize(text: str) -> str:
    """Return the text with a capital first letter."""
    return f"{text[:1].upper()}{text[1:]}"


def name_helped(own_moves: int, agent_moves: int, agent: str) -> str:
    """Return who played, such as ``"you"``, ``"you and the greedy agent"`` or only the agent.

    Args:
        own_moves: Number of the person's moves.
        agent_moves: Number of the agent's moves.
        agent: The name of the agent.
    """
    if not agent_moves:
        return "you"
    return f"you and the {agent} agent" if own_moves else f"the {agent} agent"


def draw_deal(game: Game) -> dict[str, Any]:
    """Return a random deal of the default deal set, as ``options`` of `CardEnv.reset`."""
    return {"deal": secrets.randbelow(RANDOM_DEALS), "deal_set": default_deal_set(game.name)}


def put_in_past(phrase: str) -> str:
    """Return an imperative phrase in the past tense: ``"took 2♣ with J♦"``."""
    verb, _, rest = phrase.partition(" ")
    past = PAST.get(verb, f"{verb}d" if verb.endswith("e") else f"{verb}ed")
    return f"{past} {rest}".strip()


def explain_refusal(game: Game, rules: Any, state: Any, item: str, onto: str | None) -> str:
    """Return why a click on an item, or a drag onto another, is not a move.

    Args:
        game: The game.
        rules: Its rules.
        state: The state in the view of the person.
        item: Id of the item (see `items.item_ids`).
        onto: Id of the target, or None.

    Raises:
        ValueError: An id is not on the table.
    """
    scene = game.layout(state, rules)
    items: dict[str, Item] = dict(zip(item_ids(scene.items), scene.items, strict=True))
    for name in filter(None, (item, onto)):
        if name not in items:
            raise ValueError("This card is no longer there.")
    return game.refusal(state, rules, items[item], items[onto] if onto else None)


def find_foundation_move(scene: Scene) -> int | None:
    """Return the first action that moves a card to one of several foundations, or None."""
    drops = (drop for item in scene.items for drop in item.drops)
    return next((action for place, action in drops if place.startswith("foundation-")), None)


def find_arrow(scene: Scene, targets: Mapping[str, int], actions: list[int]) -> list[str]:
    """Return the ids of the items between which a move is drawn: one, or source and target.

    Args:
        scene: The scene.
        targets: The actions of clicks on its items; see `list_targets`.
        actions: The actions of the move.
    """
    named = list(zip(item_ids(scene.items), scene.items, strict=True))
    if len(actions) > 1:
        return [name for action in actions[:2] for name, one in targets.items() if one == action]
    for name, item in named:
        places = [place for place, action in item.drops if action == actions[0]]
        if places:
            suited = [one for one in places if item.card and one[-2:] == f"-{SUITS[item.card & 3]}"]
            place = (suited or places)[0]
            return [name, *[other for other, one in named if one.place == place][-1:]]
    return [name for name, item in named if item.action == actions[0]][:1]


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
