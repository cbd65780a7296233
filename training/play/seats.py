"""Sessions of hands in games for several players: the agents in the seats, and their totals."""

import secrets
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from parlour.agents.registry import Agent, Turn, load_agent
from parlour.envs import Game
from parlour.envs.core.batch import DealSource, Over
from parlour.envs.core.kernel.cards import deal_seeds
from parlour.envs.core.kernel.rng import TRAINING_SEED_MASK, draw_seed, key_words, mix64, new_key
from parlour.envs.core.options import check_range
from parlour.envs.core.rows import Rows, view_states
from parlour.envs.core.scene.scene import Scene, Trick
from parlour.envs.interfaces.arguments import ChosenDeal, check_seat, read_reset_options, start_rows

from ..evaluation.compare import default_opponents
from ..evaluation.play import first_dealers, hand_seeds
from ..evaluation.replays.replay import (
    LEFT,
    OVER,
    Replay,
    deal_fields,
    is_secret,
    read_result,
)
from .solitaire import make_agent_turn, source_text


class SeatChoice(NamedTuple):
    """A player's seat in a game for several players, and the number of hands.

    ``opponents`` are the agents in the following seats, or their names, repeated in order (None:
    greedy and the game's rule-based agents). With ``until`` instead of ``hands``, the session ends
    when a seat has won or lost that much in total.
    """

    number: int = 0
    opponents: Sequence[Agent | str] | None = None
    hands: int = 1
    until: int | None = None


class TableChoice(NamedTuple):
    """The game of a session; for ``chosen`` and ``seed`` see `CardEnv.reset`.

    ``evaluation_seed`` is the seed of the agents' draws (None: random); for
    ``allow_rules_mismatch`` see `load_agent`.
    """

    game: Game
    rules: Any
    chosen: Mapping[str, Any] | None = None
    seed: int | None = None
    evaluation_seed: str | None = None
    allow_rules_mismatch: bool = False


class TableSession:
    """A session: consecutive hands, each dealt by the next seat (`hand_seeds`).

    ``player`` is the agent in the chosen seat, or its name. Raises ValueError for an invalid deck,
    seat, or number, or an unknown agent.
    """

    def __init__(self, table: TableChoice, seat: SeatChoice, player: Agent | str) -> None:
        self.game, self.rules, self.table = table.game, table.rules, table
        self.players = self.game.num_players(self.rules)
        self.own_seat = check_seat("seat", seat.number, self.players)
        check_range("hands", seat.hands, 1)
        check_range("until", 1 if seat.until is None else seat.until, 1)
        self.unit_name, self.unit = name_unit(self.game, self.rules)
        self.chosen = read_reset_options(self.game, self.rules, table.chosen)
        begin = secrets.randbelow(2**31) if table.seed is None else table.seed
        self.source = source_text(table.chosen, begin)
        self.session = _session_seed(self.chosen, begin)
        self.agents = self._seat_agents(player, seat.opponents)
        self.rows = Rows(self.game, self.rules, 1)
        self.words = key_words(table.evaluation_seed or new_key())
        self.totals = np.zeros(self.players, np.int64)
        self.hand = 0
        self.dealt: dict[str, Any] = {}
        self.actions: list[int] = []
        """The actions of all seats in the current hand."""
        self.events: list[str] = []
        """The opponents' actions and the tricks since the player's last turn, as lines of text."""
        self.last_trick: Trick | None = None
        self.last_news = ""

    def _seat_agents(
        self, player: Agent | str, opponents: Sequence[Agent | str] | None
    ) -> list[Agent]:
        """Return the agent of each seat."""
        most = self.players - 1
        if opponents is not None and not 1 <= len(opponents) <= most:
            raise ValueError(f"opponents must be 1 to {most} agents, got {len(opponents)}")
        if "human" in (opponents or ()):
            raise ValueError(
                "opponents must not include human: the one human player has the seat of --seat"
            )
        others = [*(opponents or default_opponents(self.game))][:most]
        agents = [
            load_agent(
                agent,
                self.game,
                self.rules,
                self.table.seed or 0,
                self.table.allow_rules_mismatch,
            )
            if isinstance(agent, str)
            else agent
            for agent in (player, *others)
        ]
        places = [(seat - self.own_seat) % self.players for seat in range(self.players)]
        return [agents[k and 1 + (k - 1) % (len(agents) - 1)] for k in places]

    @property
    def is_over(self) -> bool:
        """Whether the hand is over."""
        return bool(self.rows.states["over"][0] != Over.RUNNING)

    @property
    def seat(self) -> int:
        """The seat to act."""
        return int(self.rows.states["turn"][0])

    def begin_hand(self) -> None:
        """Deal the next hand."""
        seeds = hand_seeds(self.session, self.hand + 1)[:, -1]
        self.rows.seed(seeds)
        if self.hand == 0 and self.chosen is not None and self.chosen.deck is not None:
            start_rows(self.rows, self.chosen)
            self.dealer = self.players - 1
        elif self.hand == 0 or not self.game.has_dealer:
            self.rows.start(DealSource.SEED)
            self.dealer = int(first_dealers(self.game, self.rules, seeds)[0])
        else:
            self.rows.start(DealSource.SEED, dealer=(self.dealer + self.hand) % self.players)
        self.dealt = deal_fields(
            self.game, self.rules, self.rows.states, self.table.chosen, self.hand
        )
        self.actions = []
        self.last_trick, self.last_news = None, self.scene().news
        self.hand += 1

    def take_back_hand(self) -> None:
        """Take back the current hand with its result, so that `begin_hand` deals it again."""
        if self.is_over:
            self.totals -= self.nets
        self.hand -= 1

    def replay(self, variant: str | None, end: str | None = None) -> Replay:
        """Return the replay of the hand; see `SolitaireGame.replay`."""
        names = tuple(agent.name for agent in self.agents)
        facts = read_result(self.game, self.rules, self.rows.states)[0]
        over = end or (OVER if self.is_over else LEFT)
        played = variant or self.game.default, names, tuple(self.actions), facts, over
        return Replay(self.game, self.rules, *played, **self.dealt)

    def make_turn(self) -> Turn:
        """Return the turn of the seat to act."""
        agent = self.agents[self.seat]
        return make_agent_turn(agent, self.game, self.rules, self.rows.states, self.words)

    def play(self, action: int) -> None:
        """Play a legal action; log opponents' actions and tricks, and count a finished hand."""
        if self.seat != self.own_seat:
            self.events.append(self._describe_action(self.seat, action))
        self.rows.step(np.array([action]))
        self.actions.append(action)
        self._log_changes()
        if self.is_over:
            self.totals += self.nets

    def _log_changes(self) -> None:
        """Log what the last action has shown, and a trick that it has completed."""
        scene = self.scene()
        if scene.news != self.last_news and scene.news:
            self.events.append(scene.news)
        self.last_news = scene.news
        trick = scene.trick
        is_new = trick and (not self.last_trick or trick.items != self.last_trick.items)
        self.last_trick = trick
        if trick and is_new:
            self.events.append(trick.sentence)

    @property
    def nets(self) -> np.ndarray:
        """The net results of the seats in this hand after its end, int64 (players,).

        Like the totals, they are in chips; divide by ``unit`` to show them.
        """
        return np.asarray(self.rows.states["net"][0, : self.players], np.int64)

    def own_state(self) -> np.void:
        """Return the state in the view of the player's seat, as a record."""
        seats = np.array([self.own_seat])
        return view_states(self.game, self.rules, self.rows.states, seats)[0]

    def scene(self) -> Scene:
        """Return the table in the view of the player's seat."""
        return self.game.layout(self.own_state(), self.rules)

    def _describe_action(self, seat: int, action: int) -> str:
        """Return an opponent's action as text for the player, before it is played."""
        if is_secret(self.game, self.rules, self.rows.states, action, self.own_seat):
            return f"Seat {seat} has chosen in secret"
        phrase = self.game.describe_action(self.rows.states[0], self.rules, action)
        verb, *rest = phrase.split(" ")
        ending = "es" if verb.endswith("s") else "s"
        return " ".join([f"Seat {seat} {verb}{ending}", *rest])


def name_unit(game: Game, rules: Any) -> tuple[str, float]:
    """Return name and size of the unit of net results: chips with an ante, otherwise stakes."""
    return ("chips", 1.0) if hasattr(rules, "ante") else ("stakes", game.reward_unit(rules))


def _session_seed(chosen: ChosenDeal | None, begin: int) -> np.ndarray:
    """Return the session's seed, uint64 (1,): of a numbered deal, or drawn as in environments."""
    if chosen is not None and chosen.deals is not None:
        return deal_seeds(chosen.deal_set, chosen.deals[:1])
    drawn = np.array([draw_seed(np.random.default_rng(begin))], np.uint64)
    return mix64(drawn) & TRAINING_SEED_MASK
