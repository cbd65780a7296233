"""Replays: games stored as deal and actions, from which the kernel reproduces every position.

`verify_replays` plays many games in one batch and compares the results with the record.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from typing import Any, NamedTuple

import numpy as np

from parlour.agents.registry import Agent, Turn, prepare_turn
from parlour.envs import Game
from parlour.envs.core.batch import DealSource, Over, StepConfig
from parlour.envs.core.kernel.cards import deal_seeds, default_deal_set
from parlour.envs.core.legal import list_actions
from parlour.envs.core.moves import list_complete_moves, mark_moves
from parlour.envs.core.options import check_range
from parlour.envs.core.rows import Rows, copy_states, view_states
from parlour.envs.core.rules_table import describe_rules
from parlour.envs.core.scene.scene import Scene
from parlour.envs.core.scene.seating import name_players
from parlour.envs.core.turn import legal_masks

from ..play import CHUNK, hand_seeds

OVER, CUT, LEFT = "over", "cut", "left"
ENDS = (OVER, CUT, LEFT)
"""Ends of recorded games: over by the rules, truncated at the move limit, left by the player."""


@dataclass(frozen=True)
class Replay:
    """A recorded game: its deal, its actions, and its result.

    A numbered deal is given by ``deal_set`` and ``deal``, and in multiplayer games also by ``hand``
    and ``dealer``. Any other deal is given by ``deck``, the card codes in dealing order, and
    ``rng``, the state of the random generator for later random events.
    """

    game: Game
    rules: Any
    variant: str
    """The variant on which the rules are based."""
    agents: tuple[str, ...]
    """The agents' names, by seat."""
    actions: tuple[int, ...]
    """The actions of all seats, in the order of play."""
    result: dict[str, Any] = field(hash=False)
    """The result: the goal, such as ``won``, ``score`` and ``moves``.

    In multiplayer games: ``net``, the net result of each seat in chips, and ``moves``.
    """
    end: str = OVER
    """``"over"``, ``"cut"`` (truncated) or ``"left"`` (the player left the game)."""
    deal_set: str | None = None
    deal: int | None = None
    hand: int = 0
    dealer: int | None = None
    deck: tuple[int, ...] | None = None
    rng: int | None = None
    taken_back: bool = False
    """Whether the player took moves back although the rules have no undo."""
    parlour: str = ""
    """The version of Parlour that recorded the game."""
    line: int = field(default=0, compare=False)
    """The number of the game in its file, from 1; 0: not from a file."""

    def __repr__(self) -> str:
        """Return the headline."""
        return f"<{type(self).__name__}: {self.headline}>"

    @property
    def headline(self) -> str:
        """The rules, the deal, the agents, and the result on one line."""
        rules = describe_rules(self.game, self.rules, self.variant)
        facts = ", ".join(f"{name} {_fact_text(value)}" for name, value in self.result.items())
        ended = {OVER: "", CUT: ", truncated", LEFT: ", left"}[self.end]
        back = ", moves taken back" * self.taken_back
        agents = ", ".join(self.agents)
        return f"{self.game.title}, {rules}, {self.source}: {agents}: {facts}{ended}{back}"

    @property
    def source(self) -> str:
        """The origin of the deal, as text."""
        if self.deal_set is None:
            return "a deck"
        hand = f", hand {self.hand + 1}" if self.hand else ""
        return f"deal {self.deal} of {self.deal_set}{hand}"

    @property
    def players(self) -> int:
        """The number of seats."""
        return self.game.num_players(self.rules)

    @cached_property
    def _states(self) -> np.ndarray:
        rows = start_replays([self])
        positions, action = [copy_states(rows.states)], np.zeros(1, np.int64)
        for number, action[0] in enumerate(self.actions):
            if fault := action_fault(self.game, self.rules, rows.states[0], number, int(action[0])):
                raise ValueError(f"the replay cannot be played: {fault}")
            rows.step(action)
            positions.append(copy_states(rows.states))
        whole = np.concatenate([one.view(f"V{one.itemsize}") for one in positions])
        states: np.ndarray = whole.view(self.game.state)
        states.flags.writeable = False
        return states

    def states(self) -> np.ndarray:
        """Return every position from the deal to the end.

        The states include the hidden cards.

        Returns:
            Read-only states, (k + 1,) for k actions.

        Raises:
            ValueError: An action is illegal. The message names the first illegal action.
        """
        return self._states

    def turns(self, agent: Agent, seed: int = 0) -> Iterator[tuple[Turn, int]]:
        """Yield each decision as ``agent`` would see it, and the action taken.

        Each turn has one game. Its states show what the acting seat knows, and ``seed`` resamples
        the hidden cards, unless the agent sees all. ``turn.states["turn"]`` is the acting seat.

        Args:
            agent: The agent, which need not be the one that played the game.
            seed: Seed of the resampled hidden cards and of the agent's random draws.

        Yields:
            The turn and the number of the action taken.

        Raises:
            ValueError: An action is illegal.
        """
        states = self.states()
        for i, action in enumerate(self.actions):
            state = states[i : i + 1]
            yield prepare_turn(agent, self.game, self.rules, state, seed), action

    def scene(self, move: int = -1, seat: int | None = None) -> Scene:
        """Return the scene of one position in the view of a seat.

        Args:
            move: Number of actions before the position (-1: the end of the game).
            seat: The seat (None: the acting seat).

        Raises:
            ValueError: ``move`` or ``seat`` is out of range, or an action is illegal.
        """
        moves = len(self.actions)
        if not -1 <= move <= moves:
            raise ValueError(
                f"move must be from 0 (the deal) to {moves}, or -1 (the end), got {move}"
            )
        if seat is not None:
            check_range("seat", seat, 0, self.players - 1)
        states = self.states()
        state = states[moves if move == -1 else move][None]
        seats = state["turn"].astype(np.int64) if seat is None else np.array([seat])
        shown = view_states(self.game, self.rules, state, seats)
        others = {k: name for k, name in enumerate(self.agents) if k != seats[0]}
        scene = self.game.layout(shown[0], self.rules)
        if self.players == 1 and not state["over"][0]:
            moves_now = list_complete_moves(self.game, self.rules, state)
            scene = mark_moves(scene, moves_now, self.game.action_words(shown[0], self.rules))
        return name_players(scene, others)

    def action_text(self, move: int) -> str:
        """Return an action as text, with seat and agent in multiplayer games.

        Args:
            move: Index of the action in ``actions``, from 0.

        Raises:
            ValueError: There is no such action.
        """
        check_range("move", move, 0, len(self.actions) - 1)
        state, action = self.states()[move], self.actions[move]
        text = self.game.describe_action(state, self.rules, action)
        if self.players == 1:
            return text
        seat = int(state["turn"])
        return f"seat {seat} ({self.agents[seat]}): {text}"


def is_secret(game: Game, rules: Any, states: np.ndarray, action: int, viewer: int) -> bool:
    """Return whether a seat cannot distinguish another seat's action from another legal one."""
    rows, seen = Rows(game, rules, 1), {}
    for other in list_actions(states["legal"][0]):
        rows.restore(states)
        rows.step(np.array([other]))
        after = view_states(game, rules, rows.states, np.array([viewer]))
        seen[other] = after["shown"].tobytes()
    return list(seen.values()).count(seen[action]) > 1


def _fact_text(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return " ".join(f"{one:+d}" for one in value) if isinstance(value, list) else str(value)


def action_fault(game: Game, rules: Any, state: np.void, number: int, action: int) -> str:
    """Return why an action with index ``number`` is illegal in a state; empty if it is legal."""
    named = f"action {number + 1}, {game.describe_action(state, rules, action)},"
    if state["over"] != Over.RUNNING:
        return f"{named} comes after the end of the game"
    return "" if action in list_actions(state["legal"]) else f"{named} is not legal"


def read_result(game: Game, rules: Any, states: np.ndarray) -> list[dict[str, Any]]:
    """Return the results of games for JSON: the goal (such as won), the score, and the moves.

    In games for several players, the results are the net result of each seat in chips, and the
    moves.
    """
    facts = game.results(states, rules)
    if game.num_players(rules) > 1:
        nets = states["net"][:, : game.num_players(rules)].tolist()
        moves = states["moves"].tolist()
        return [{"net": net, "moves": made} for net, made in zip(nets, moves, strict=True)]
    names = (game.goal_name(rules), "score", "moves")
    columns = [facts[name].tolist() for name in names]
    return [dict(zip(names, values, strict=True)) for values in zip(*columns, strict=True)]


def start_replays(replays: list[Replay]) -> Rows:
    """Return the deals of replays with the same rules, one per row, before the first action."""
    game, rules = replays[0].game, replays[0].rules
    rows = Rows(game, rules, len(replays), StepConfig())
    by_deck = np.array([one.deck is not None for one in replays])
    seeds = np.array([_seed(one) for one in replays], np.uint64)
    rows.seed(seeds)
    rows.start(DealSource.SEED, ~by_deck)
    for row in np.flatnonzero(by_deck):
        deck = replays[row].deck or ()
        rows.states["deck"][row, : len(deck)] = deck
    rows.start(DealSource.DECK, by_deck)
    dealers = np.array([-1 if one.dealer is None else one.dealer for one in replays])
    if game.has_dealer and (dealers >= 0).any():
        rows.states["dealer"][dealers >= 0] = dealers[dealers >= 0]
        rows.start(DealSource.DECK, dealers >= 0)
    rows.states["rng"][by_deck] = seeds[by_deck]
    return rows


def deal_fields(
    game: Game, rules: Any, states: np.ndarray, chosen: Mapping[str, Any] | None, hand: int = 0
) -> dict[str, Any]:
    """Return the fields of a `Replay` that describe the deal, from states (1,) at the start.

    ``chosen`` may name ``deal_set`` and ``deal``, of which the game is hand ``hand``; otherwise the
    fields have the deck.
    """
    several = game.has_dealer and game.num_players(rules) > 1
    dealer = {"dealer": int(states["dealer"][0])} if several else {}
    if chosen and "deal" in chosen:
        deal_set = chosen.get("deal_set", default_deal_set(game.name))
        return {"deal_set": deal_set, "deal": int(chosen["deal"]), "hand": hand} | dealer
    deck = states["deck"][0, : len(game.pack(rules))].tolist()
    return {"deck": tuple(deck), "rng": int(states["rng"][0])} | dealer


def _seed(replay: Replay) -> int:
    """Return the seed of the deal; for a deck, the seed of later random events."""
    if replay.deal_set is None or replay.deal is None:
        return replay.rng or 0
    seeds = deal_seeds(replay.deal_set, [replay.deal])
    if replay.hand:
        seeds = hand_seeds(seeds, replay.hand + 1)[:, -1]
    return int(seeds[0])


class Fault(NamedTuple):
    """An error in a replay."""

    replay: Replay
    text: str
    """The wrong action or fact, and the reason."""


def verify_replays(replays: Iterable[Replay]) -> Iterator[Fault]:
    """Replay games with their kernels, and yield those that do not match their records.

    Every action must be legal, the game must end exactly after the last action (unless it was
    truncated or the player left it), and the replayed result must equal the recorded result.

    Args:
        replays: The replays.

    Yields:
        The faults, in the order of the games.
    """
    left = iter(replays)
    while chunk := list(islice(left, CHUNK)):
        groups: dict[object, list[Replay]] = {}
        for one in chunk:
            groups.setdefault(_group_key(one), []).append(one)
        faults = [fault for group in groups.values() for fault in _verify_alike(group)]
        yield from sorted(faults, key=lambda fault: fault.replay.line)


def _group_key(replay: Replay) -> tuple[str, object, int]:
    """Return the key by which games are grouped into batches.

    Games of a batch have the same rules, and the longest is less than twice as long as the
    shortest, so the table of their actions takes at most twice the memory of the file.
    """
    return replay.game.name, replay.rules, len(replay.actions).bit_length()


def _verify_alike(replays: list[Replay]) -> list[Fault]:
    """Verify a group of games in one batch."""
    game, rules, faults = replays[0].game, replays[0].rules, dict[int, str]()
    rows = start_replays(replays)
    actions, lengths = _action_table(replays)
    sound = np.ones(len(replays), np.bool_)
    for step in range(actions.shape[1]):
        live, made = sound & (step < lengths), np.ascontiguousarray(actions[:, step])
        if not live.any():
            break
        legal = legal_masks(game, rows.states)[np.arange(len(made)), made]
        for row in np.flatnonzero(live & ~(legal & (rows.states["over"] == Over.RUNNING))).tolist():
            faults[row] = action_fault(game, rules, rows.states[row], step, int(made[row]))
            sound[row] = live[row] = False
        rows.step(made, live)
    results = read_result(game, rules, rows.states)
    over = rows.states["over"] != Over.RUNNING
    for row in np.flatnonzero(sound).tolist():
        if text := _end_fault(replays[row], bool(over[row]), results[row]):
            faults[row] = text
    return [Fault(replays[row], text) for row, text in faults.items()]


def _action_table(replays: Sequence[Replay]) -> tuple[np.ndarray, np.ndarray]:
    """Return the actions, int64 (n, most), padded with 0, and their numbers, int64 (n,)."""
    lengths = np.array([len(one.actions) for one in replays])
    table = np.zeros((len(replays), lengths.max(initial=0)), np.int64)
    table[np.arange(table.shape[1]) < lengths[:, None]] = [
        action for one in replays for action in one.actions
    ]
    return table, lengths


def _end_fault(replay: Replay, over: bool, result: dict[str, object]) -> str:
    if over != (replay.end == OVER):
        state = "is over" if over else "is not over"
        return f"the game {state} after its {len(replay.actions)} actions, recorded: {replay.end}"
    names = dict.fromkeys((*result, *replay.result))
    wrong = [name for name in names if result.get(name) != replay.result.get(name)]
    return "; ".join(
        f"{name} is {result.get(name)}, recorded: {replay.result.get(name)}" for name in wrong
    )
