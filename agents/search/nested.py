"""Nested rollouts: in every world that is dealt, a player's rollouts are played out by rollouts.

Rollouts within rollouts are those of Yan, Diaconis, Rusmevichientong and Van Roy, "Solitaire: man
versus machine" (2004), which plays Klondike with all cards known; the best line found is kept and
followed, as in Cazenave, "Nested Monte-Carlo search" (2009). Worlds are dealt for what is hidden,
as in Bjarnason, Fern and Tadepalli, "Lower bounding Klondike solitaire with Monte-Carlo planning"
(2009).

Differences: the inner level knows its world's cards, so what it finds is no more than a proposal.
It is cut where the world tells something that is not known, and tried out in all worlds by the
player alone, who knows nothing. An inner level that deals worlds of its own would take hundreds of
times as long; one that is believed goes round for ever, for who knows all cards can always wait.
"""

from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from parlour.envs import Game, find_game
from parlour.envs.core.aliases import Codes, RulesRecords, Scores, State, States
from parlour.envs.core.kernel.jit import jit
from parlour.envs.core.kernel.rng import GAMMA
from parlour.envs.core.legal import has_action, has_choice
from parlour.envs.core.options import as_record
from parlour.envs.core.rows import observation_codes
from parlour.envs.core.turn import Agent
from parlour.envs.core.values import best_legal, win_bonus_points

from ..networks.value_table import POINTS
from .planner import Planner
from .playout import (
    LINE_ROOM,
    Guide,
    Playout,
    check_player,
    find_rule_agent,
    make_guide,
    make_playout,
    playout_kernels,
    shows_other,
    view_codes,
)

NESTED_WORLDS = 8
"""Deals of the hidden cards for each plan, where no budget is named."""
POINT_SHARE = 1e-9
"""What a point counts where games are won or lost: it only decides between equals."""


class NestedSearch(NamedTuple):
    """A search for a plan in n worlds, and the room that it needs.

    ``lines``, int16 (n + 1, `LINE_ROOM`), are what is proposed: the player's own actions in the
    first world, then the best line of each world; ``lengths``, int64 (n + 1,), of how many actions,
    ``totals``, float64 (n + 1,), what they come to in all worlds together. ``place`` (1,) is where
    a line has come to, ``codes`` what is seen there, a view; ``scores`` (1, actions).
    """

    worlds: States
    lines: np.ndarray
    lengths: np.ndarray
    totals: np.ndarray
    place: States
    codes: Codes
    scores: Scores
    playout: Playout


def make_nested_search(game: Game, worlds: int) -> NestedSearch:
    """Return the room for a search in so many worlds."""
    place = np.zeros(1, game.state)
    return NestedSearch(
        np.zeros(worlds, game.state),
        np.zeros((worlds + 1, LINE_ROOM), np.int16),
        np.zeros(worlds + 1, np.int64),
        np.zeros(worlds + 1),
        place,
        view_codes(game, place),
        np.zeros((1, game.actions)),
        make_playout(game),
    )


@cache
def make_search(name: str, rule_agent: str | None = None) -> Callable[..., None]:
    """Build a game's ``search(t, root, rules, guide)``, which fills a `NestedSearch`.

    ``root`` (1,) is the position; its generator deals the worlds.
    """
    game = find_game(name)
    step, resample_rows = game.kernels.step, game.resample_rows
    rate, play_on = playout_kernels(name, rule_agent)
    by_wins = game.measure == "won"
    per_point = POINT_SHARE if by_wins else 1.0
    per_win = 1.0 if by_wins else win_bonus_points(game.kernels)
    enough = 1.0 if by_wins else np.inf

    @jit
    def worth(s: State) -> float:
        return per_point * s["score"] + per_win * s["won"]

    @jit
    def deal_worlds(t: NestedSearch, root: States, rules: RulesRecords) -> None:
        rng = root[0]["rng"]
        for i in range(len(t.worlds)):
            rng += GAMMA
            t.worlds[i] = root[0]
            t.worlds[i]["rng"] = rng
            t.worlds[i]["moves"] = 0
        resample_rows(t.worlds, rules, -1)

    @jit
    def try_second(
        t: NestedSearch, rules: RulesRecords, guide: Guide, line: np.ndarray, n: int
    ) -> int:
        """Play on after the player's best action but the line's own; return where that ends."""
        rate(t.place, rules, guide, t.playout.ids, t.scores)
        t.scores[0, line[n]] = -np.inf
        second = best_legal(t.place[0]["legal"], t.scores[0])
        t.playout.states[0] = t.place[0]
        step(t.playout.states[0], rules[0], second)
        t.playout.line[n] = second
        return play_on(t.playout, rules, guide, t.playout.line, n + 1)

    @jit
    def find_line(
        t: NestedSearch, world: State, rules: RulesRecords, guide: Guide, line: np.ndarray
    ) -> int:
        """Write the best line that is found in a world whose cards are known; return its length."""
        s, place = t.playout.states[0], t.place[0]
        t.playout.states[0] = world
        t.place[0] = world
        length = play_on(t.playout, rules, guide, line, 0)
        most, n = worth(s), 0
        while n < length and most < enough:
            if has_choice(place["legal"]):
                tried = try_second(t, rules, guide, line, n)
                if worth(s) > most:
                    most, length = worth(s), tried
                    line[n:tried] = t.playout.line[n:tried]
            step(place, rules[0], line[n])
            n += 1
        return length

    @jit
    def known_length(
        t: NestedSearch, world: State, root: State, rules: RulesRecords, line: np.ndarray
    ) -> int:
        """Return how far a line goes until its world tells something else than the position's."""
        t.place[0] = world
        t.playout.states[0] = root
        for n in range(len(line)):
            step(t.place[0], rules[0], line[n])
            step(t.playout.states[0], rules[0], line[n])
            if shows_other(t.codes, t.playout.codes) or t.playout.states[0]["over"]:
                return n + 1
        return len(line)

    @jit
    def try_line(
        t: NestedSearch, world: State, rules: RulesRecords, guide: Guide, line: np.ndarray
    ) -> float:
        """Return what a line comes to in a world if the player goes on, who knows nothing of it."""
        s = t.playout.states[0]
        t.playout.states[0] = world
        for action in line:
            if s["over"] or not has_action(s["legal"], action):
                break
            step(s, rules[0], action)
        play_on(t.playout, rules, guide, t.playout.line, 0)
        return worth(s)

    @jit
    def search(t: NestedSearch, root: States, rules: RulesRecords, guide: Guide) -> None:
        deal_worlds(t, root, rules)
        t.playout.states[0] = t.worlds[0]
        t.lengths[0] = play_on(t.playout, rules, guide, t.lines[0], 0)
        for i in range(len(t.worlds)):
            t.lengths[i + 1] = find_line(t, t.worlds[i], rules, guide, t.lines[i + 1])
        for k in range(len(t.lines)):
            line, world = t.lines[k, : t.lengths[k]], t.worlds[max(k - 1, 0)]
            t.lengths[k] = known_length(t, world, root[0], rules, line)
            for i in range(len(t.worlds)):
                t.totals[k] += try_line(t, t.worlds[i], rules, guide, line[: t.lengths[k]])

    return search


class NestedAgent(Planner):
    """Plays the line that ends best on average, of those that rollouts of ``player`` find.

    For each plan ``worlds`` deals of the hidden cards propose a line each. Of equals the player's
    own is taken. It plays a position the same way whenever it meets it. Raises ValueError for a
    player who goes neither by a heuristic or rule nor by a table, and for a wrong number of worlds.
    """

    at_once = 64
    """Games that an evaluation plays side by side: see `OracleAgent`."""

    def __init__(
        self, game: Game, rules: Any, player: Agent | None = None, worlds: int | None = None
    ) -> None:
        super().__init__(game, rules, player)
        worlds = NESTED_WORLDS if worlds is None else worlds
        if worlds < 1:
            raise ValueError(f"worlds={worlds}: allowed are whole numbers from 1")
        self.worlds, self.guide = worlds, make_guide(check_player(self.player, "nested"), game)
        self.name = "nested" if self.player.name == "greedy" else f"{self.player.name}-nested"
        self.unit = "share of worlds that are won" if game.measure == "won" else POINTS

    def position_bytes(self, states: np.ndarray) -> bytes:
        """Return what the player knows."""
        return observation_codes(states).tobytes()

    def make_plan(self, states: np.ndarray, seed: int) -> tuple[list[int], float]:
        """Return the best line, as far as it is known what it shows, and its mean."""
        t = make_nested_search(self.game, self.worlds)
        search = make_search(self.game.name, find_rule_agent(self.player))
        search(t, states, as_record(self.rules), self.guide)
        best = int(t.totals.argmax())
        return t.lines[best, : t.lengths[best]].tolist(), t.totals[best] / self.worlds
