"""A game that a person plays alone on the page: clicks, moves, what is shown of it."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from parlour.agents.human import list_complete_moves, match_move
from parlour.envs import CardEnv, Game
from parlour.envs.core.keys import key_words, new_key
from parlour.envs.core.rules_table import describe_rules
from parlour.training.evaluation.replays.replay import Replay
from parlour.training.play.lone import LoneGame
from parlour.training.play.notice import HOPELESS, Notice, best_text

from .thinking import PageAgent
from .view import list_targets, name_actions


class LonePlay:
    """One game of one person. A click chooses a card; the last one of a move plays it.

    `CardEnv.reset` says what ``chosen`` is, `LoneGame` what ``bests`` is. Raises ValueError for
    wrong rules or a wrong deal.
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
        self.deal = LoneGame(self.env, None, chosen, bests)
        self.words = key_words(new_key())
        self.notice = Notice(game, self.rules, True)
        self.chances: dict[str, bool | None] = {}
        self.best_possible, self.own_best = "", ""
        self.agent_moves = 0
        self.has_new_result = False
        self._arrive()

    def _arrive(self) -> None:
        """Note what can be done in a new position."""
        self.selected: list[int] = []
        over = self.deal.is_over
        self.moves = [] if over else list_complete_moves(self.game, self.rules, self._states)

    @property
    def _states(self) -> np.ndarray:
        return self.env.rows.states

    def click(self, action: int, start: int | None = None) -> None:
        """Choose a card, put it back, or complete a move; ``start`` was chosen before (a drag).

        Raises ValueError saying why it cannot be; nothing changes then.
        """
        if self.deal.is_over:
            raise ValueError("the game is over")
        begun = self.selected if start is None else [start]
        if start is None and action in begun:
            self.selected = [one for one in begun if one != action]
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
        """Raise ValueError saying why these actions are no move."""
        words = self.game.action_words(self.env.state, self.rules)
        if all(action in words for action in wanted):
            match_move(wanted, self.game, self.rules, self._states)
        raise ValueError(f"not possible now: {', '.join(map(self.game.label, wanted))}")

    def _play(self, actions: list[int]) -> None:
        for action in actions:
            self.deal.step(action)
        self._after_move()

    def _after_move(self) -> None:
        self.chances.pop("position", None)
        self._arrive()
        if self.deal.is_over:
            self.own_best = "" if self.agent_moves else self.deal.keep_best(self.deal.result())
            self.has_new_result = True

    def take_back(self, moves: int | None = 1) -> None:
        """Go back a move (None: to the beginning). ValueError if there is none."""
        if not self.deal.take_back(moves):
            raise ValueError("there is no move to take back")
        self.chances.pop("position", None)
        self.own_best = ""
        self._arrive()

    def play_agent(self, agent: PageAgent) -> None:
        """Let an agent make one move. ValueError once the game is over."""
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
        """Return what an agent thinks of the position (`Explanation.summary`)."""
        if self.deal.is_over:
            raise ValueError("the game is over")
        return agent.advise(self._states, self.words)

    def judge(self) -> None:
        """Ask the solver about position and deal: takes its time, and may run beside all else."""
        history = list(self.deal.history)
        found = self.notice.judge(history)
        chances = (
            dict(zip(("deal", "position"), (found[0], found[-1]), strict=True)) if found else {}
        )
        best = best_text(self.notice, history[0]) if self.deal.is_over else ""
        if len(history) == len(self.deal.history) and history[-1] is self.deal.history[-1]:
            self.chances, self.best_possible = chances, best

    def replay(self) -> tuple[Replay, int]:
        """Return the game as it is recorded, and one's seat. ValueError while it goes on."""
        if not self.deal.is_over:
            raise ValueError("the game is not over yet")
        name = "you and agents" if self.agent_moves else "you"
        return self.deal.replay(self.variant, (name,)), 0

    def result(self) -> dict[str, Any]:
        """Return what the store keeps of the finished game."""
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
        """Whether moves were taken back, by rules that have no UNDO."""
        return self.deal.taken_back and not getattr(self.rules, "undo", False)

    def view(self) -> dict[str, Any]:
        """Return all that is shown, as JSON has it."""
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
        """The notice, exactly when the solver says so; at the end it is no news."""
        if self.deal.is_over or self.chances.get("position") is not False:
            return ""
        if self.chances["deal"] is False:
            return HOPELESS
        return "This position can no longer be won; take moves back to win this deal."
