"""Nested rollouts: in each sampled world, rollouts find a line, which is then tried in all worlds.

Nested rollouts were introduced by Yan, Diaconis, Rusmevichientong and Van Roy, "Solitaire: man
versus machine" (2004), for Klondike with all cards known. The best line found is kept and followed,
as in Cazenave, "Nested Monte-Carlo search" (2009). Hidden cards are resampled, as in Bjarnason,
Fern and Tadepalli, "Lower bounding Klondike solitaire with Monte-Carlo planning" (2009).

Differences: the inner level knows the cards of its world, so its line is only a proposal. The line
is cut where the world reveals something that is not known yet. It is then tried in all worlds,
which the player, who does not know the hidden cards, plays to their end. An inner level that
samples its own worlds would take hundreds of times as long. An inner level whose line is followed
without this test repeats moves forever, because a player that knows all cards can always wait.
"""

from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from parlour.envs import Game, find_game
from parlour.envs.core.afterstates import best_legal, win_bonus_points
from parlour.envs.core.kernel.jit import jit
from parlour.envs.core.kernel.rng import GAMMA
from parlour.envs.core.legal import has_action, has_choice
from parlour.envs.core.options import as_record
from parlour.envs.core.turn import Agent
from parlour.envs.core.type_aliases import Codes, RulesRecords, Scores, State, States

from ..agent_spec import choose_number
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
"""Default number of sampled worlds per plan."""
POINT_SHARE = 1e-9
"""Value of a point in games that are won or lost, where points only break ties."""


class NestedSearch(NamedTuple):
    """The worlds and proposed lines of a search in n worlds, and its buffers."""

    worlds: States
    """The worlds, states (n,)."""
    lines: np.ndarray
    """The proposed lines, int16 (n + 1, `LINE_ROOM`): the player's own actions in the first world,
    then the best line of each world."""
    lengths: np.ndarray
    """Numbers of actions in these lines, int64 (n + 1,)."""
    totals: np.ndarray
    """Sums of their results over all worlds, float64 (n + 1,)."""
    place: States
    """Buffer for the position that a line has reached, (1,)."""
    codes: Codes
    """Its observation, a view."""
    scores: Scores
    """Buffer for scores, (1, actions)."""
    playout: Playout


def make_nested_search(game: Game, worlds: int) -> NestedSearch:
    """Return the buffers for a search in a number of worlds."""
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

    ``root`` (1,) is the position; its random generator samples the worlds.
    """
    game = find_game(name)
    step, resample_rows = game.kernels.step, game.resample_rows
    rate, play_on = playout_kernels(name, rule_agent)
    by_wins = game.measure == "won"
    per_point = POINT_SHARE if by_wins else 1.0
    per_win = 1.0 if by_wins else win_bonus_points(game.kernels)
    enough = 1.0 if by_wins else np.inf

    @jit
    def result(s: State) -> float:
        return per_point * s["score"] + per_win * s["won"]

    @jit
    def sample_all(t: NestedSearch, root: States, rules: RulesRecords) -> None:
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
        """Play to the end after the player's best action except the line's; return the length."""
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
        """Write the best line found in a world whose cards are known; return its length."""
        s, place = t.playout.states[0], t.place[0]
        t.playout.states[0] = world
        t.place[0] = world
        length = play_on(t.playout, rules, guide, line, 0)
        best, n = result(s), 0
        while n < length and best < enough:
            if has_choice(place["legal"]):
                other_length = try_second(t, rules, guide, line, n)
                if result(s) > best:
                    best, length = result(s), other_length
                    line[n:length] = t.playout.line[n:length]
            step(place, rules[0], line[n])
            n += 1
        return length

    @jit
    def known_length(
        t: NestedSearch, world: State, root: State, rules: RulesRecords, line: np.ndarray
    ) -> int:
        """Return the length of a line up to where its world shows what is not known yet."""
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
        """Return the result of a line in a world that the player then plays to its end."""
        s = t.playout.states[0]
        t.playout.states[0] = world
        for action in line:
            if s["over"] or not has_action(s["legal"], action):
                break
            step(s, rules[0], action)
        play_on(t.playout, rules, guide, t.playout.line, 0)
        return result(s)

    @jit
    def search(t: NestedSearch, root: States, rules: RulesRecords, guide: Guide) -> None:
        sample_all(t, root, rules)
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
    """Plays the line with the best mean result among those that rollouts of ``player`` propose.

    Ties go to the player's own line. Equal positions lead to equal actions.

    Args:
        game: the game to play.
        rules: its rules.
        player: greedy, a rule-based agent or an agent with a table of values (None: greedy).
        worlds: number of sampled worlds per plan, each of which proposes a line (None:
            `NESTED_WORLDS`).

    Raises:
        ValueError: an argument is invalid.
    """

    max_batch = 64
    """Maximum number of games in a turn; see `OracleAgent`."""

    def __init__(
        self, game: Game, rules: Any, player: Agent | None = None, worlds: int | None = None
    ) -> None:
        super().__init__(game, rules, player)
        self.worlds = choose_number("worlds", worlds, NESTED_WORLDS)
        self.guide = make_guide(check_player(self.player, "nested"), game)
        self.name = "nested" if self.player.name == "greedy" else f"{self.player.name}-nested"
        self.unit = "fraction of sampled worlds won" if game.measure == "won" else POINTS

    def make_plan(self, states: np.ndarray, seed: int) -> tuple[list[int], float]:
        """Return the best line, up to where it reveals something unknown, and its mean result."""
        t = make_nested_search(self.game, self.worlds)
        search = make_search(self.game.name, find_rule_agent(self.player))
        search(t, states, as_record(self.rules), self.guide)
        best = int(t.totals.argmax())
        return t.lines[best, : t.lengths[best]].tolist(), t.totals[best] / self.worlds
