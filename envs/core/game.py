"""Game: the facts and functions of one game, the table of all games, and results by name."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from typing import Any, NamedTuple

import numpy as np

from . import options as opt
from .afterstates import AfterstateFeatures
from .batch import read_results, read_seat_results
from .contract import (
    ActionWords,
    BatchKernels,
    FinalInfo,
    Layout,
    ResampleRows,
    ScoreRows,
    Seats,
    Solve,
    Solving,
    StateCheck,
    WinnableAfter,
)
from .kernel.cards import DeckFormat, full_pack
from .legal import MOST_ACTIONS, count_words
from .schema import Features, Piece
from .seat_kernels import PlayTurns, make_play_turns
from .type_aliases import Action, CardCode, Scores, States, Weights


class HiddenCards(NamedTuple):
    """The hidden cards as an additional piece of an observation: for critics, never for agents."""

    piece: Piece
    """The piece; `Game.features` has none of its name."""
    read: Callable[[States], np.ndarray]
    """Returns its codes of states, int8 (n, ``piece.size``); 0: not hidden, or no card.

    In a game for several they show what the seat to act does not see of the others.
    """


@dataclass(frozen=True, eq=False)
class Game:
    """The facts and compiled functions of one game; `contract` specifies the functions."""

    name: str
    """The name in files, digests and commands: that of the game's folder."""
    title: str
    """The name as people write it; the Gymnasium id is made from it."""

    rules: type[Any]
    """A NamedTuple of the options; see `options`."""
    variants: Mapping[str, Any]
    """Named rules."""
    sources: Mapping[str, str]
    """The source of the rules of each variant."""
    references: Mapping[str, str]
    """The meaning of the short names in ``sources``."""
    default: str
    """The default variant."""
    check: Callable[[Any], None]
    """Raises ValueError, naming the option, for rules that cannot be played."""
    features: Features
    """The pieces of an observation; every option is one."""
    state: np.dtype
    """The record of a state: `batch.make_state_head`, ``deck``, ``shown``, and the game's own."""
    actions: int
    """Number of actions, the same for all rules; at most `legal.MOST_ACTIONS`."""
    label: Callable[[Action], str]
    """Names an action in a few words."""

    kernels: BatchKernels
    """The batch kernels."""
    resample_rows: ResampleRows
    """Resamples what a seat does not know."""

    score_rows: ScoreRows
    """The heuristic of the greedy agent."""
    heuristic_weights: Mapping[str, float]
    """The heuristic's weights by name."""

    layout: Layout
    """Describes a state as a scene."""
    action_words: ActionWords
    """Lists the words by which a person may name the legal actions."""
    final_info: FinalInfo
    """Returns the game's own facts in ``info``."""

    score_range: tuple[int, int]
    """The lowest and the highest score under any rules."""
    goal: str = "won"
    """The key of the goal in ``info``: another word in a game that is played for its score."""
    version: int = 0
    """Part of the Gymnasium id; changes when the expected results of a policy change."""
    may_cycle: bool = False
    """Whether a game may never end by its default rules: then only ``max_moves`` ends it."""
    shortest: Callable[[Any], int] = lambda rules: 1
    """Returns a lower bound on the number of moves of a win from the deal."""
    pack: Callable[[Any], tuple[CardCode, ...]] = full_pack
    """Returns the cards of a deck."""
    rule_agents: Mapping[str, ScoreRows] = field(default_factory=dict)
    """Rule-based agents by name; they get the heuristic's weights."""

    points_of: Callable[[Any], Mapping[str, int]] | None = None
    """Returns the points of each hand of five cards, best first, if the game counts them."""
    nicknames: tuple[str, ...] = ()
    """Other names that commands accept."""

    seats: Seats | None = None
    """The additional facts of a game for several."""
    afterstates: AfterstateFeatures | None = None
    """The features of afterstates, for learners of additive values."""
    deck_formats: Mapping[str, DeckFormat] = field(default_factory=dict)
    """Notations of other programs for its deals, by name."""
    solving: Solving | None = None
    """The solver."""
    hidden_cards: HiddenCards | None = None
    """The hidden cards, for a critic that sees them during training."""
    state_check: StateCheck | None = None
    """The check of states from outside; None: only the fields of all games are checked."""

    def __post_init__(self) -> None:
        """Raise ValueError if the tables of the game do not fit together."""
        if set(self.variants) != set(self.sources):
            differing = sorted(set(self.variants) ^ set(self.sources))
            raise ValueError(f"{self.name}: variants and sources differ in {', '.join(differing)}")
        if not 0 < self.actions <= MOST_ACTIONS:
            raise ValueError(
                f"{self.name}: {self.actions} actions: allowed are 1 to {MOST_ACTIONS}"
            )
        words = count_words(self.actions)
        if self.state["legal"].shape != (() if words == 1 else (words,)):
            raise ValueError(f"{self.name}: its states do not begin with make_state_head(actions)")
        pieces = {piece.name for piece in self.features.pieces}
        missing = [field for field in self.rules._fields if field not in pieces]
        if missing:
            raise ValueError(f"{self.name}: options missing in the features: {', '.join(missing)}")

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the name only, without compiled functions."""
        return find_game, (self.name,)

    def num_players(self, rules: Any) -> int:
        """Return the number of players under these rules."""
        return 1 if self.seats is None else int(rules.players)

    @property
    def max_players(self) -> int:
        """The largest number of players under any rules."""
        return 1 if self.seats is None else self.seats.most

    @property
    def has_dealer(self) -> bool:
        """Whether one of the seats is the dealer."""
        return "dealer" in (self.state.names or ())

    @property
    def solve(self) -> Solve | None:
        """The solver, which knows all cards; None if there is none."""
        return None if self.solving is None else self.solving.solve

    @property
    def winnable_after(self) -> WinnableAfter | None:
        """The solver's answer for each action; None if there is none."""
        return None if self.solving is None else self.solving.winnable_after

    def reward_unit(self, rules: Any) -> float:
        """Return the unit of a seat's net; ValueError in a game for one player."""
        if self.seats is None:
            raise ValueError(f"{self.title} is for one player: no seat has a net")
        return self.seats.reward_unit(rules)

    @property
    def measure(self) -> str:
        """The fact by which agents are compared: ``"won"``, or ``"score"``."""
        return "won" if self.goal == "won" and self.seats is None else "score"

    def goal_name(self, rules: Any) -> str:
        """Return the key of the goal in ``info``; in a game for several it is ``"won"``."""
        return "won" if self.num_players(rules) > 1 else self.goal

    @property
    def id(self) -> str:
        """The id under which Gymnasium knows the game."""
        words = self.title.replace("-", " ").split()
        return f"parlour/{''.join(word[0].upper() + word[1:] for word in words)}-v{self.version}"

    def make_rules(
        self, variant: str | None = None, options: Mapping[str, Any] | None = None
    ) -> Any:
        """Return the checked rules of a variant with some options changed.

        Raises ValueError for a wrong variant, option, value or combination; the message names what
        is allowed.
        """
        variant = self.default if variant is None else variant
        if not isinstance(variant, str) or variant not in self.variants:
            raise ValueError(opt.unknown_text("variant", variant, self.variants))
        rules = opt.replace_options(self.variants[variant], {} if options is None else options)
        self.check(rules)
        return rules

    def variant_name(self, rules: Any) -> str | None:
        """Return the name of the variant with exactly these rules, or None."""
        return next((name for name, known in self.variants.items() if known == rules), None)

    def rules_digest(self, rules: Any) -> str:
        """Return 16 hex digits that differ whenever game, version or any option differs."""
        return digest16(self.name, self.version, opt.digest_items(rules))

    @cached_property
    def features_digest(self) -> str:
        """16 hex digits that differ whenever the observation or the actions differ."""
        pieces = [(piece.name, piece.size, piece.kind[:4]) for piece in self.features.pieces]
        return digest16(self.name, self.actions, pieces)

    @cached_property
    def play_turns(self) -> PlayTurns:
        """The kernel of the baselines' turns in a game for several: see `seat_kernels`."""
        return make_play_turns(self.kernels, [self.score_rows, *self.rule_agents.values()])

    @cached_property
    def default_weights(self) -> np.ndarray:
        """``heuristic_weights`` as kernels take them, float64; do not write to it."""
        return np.array(list(self.heuristic_weights.values()))

    def score_actions(
        self,
        states: States,
        rules: Any,
        weights: Weights | None = None,
        rule_agent: str | None = None,
    ) -> Scores:
        """Return the heuristic's score of every legal action, float64 (n, actions); else 0.

        Args:
            states: The states, (n,).
            rules: Their rules.
            weights: Weights, float64, instead of the game's own.
            rule_agent: One of ``rule_agents`` that scores instead of the heuristic.
        """
        scores = np.zeros((len(states), self.actions))
        weights = self.default_weights if weights is None else weights
        kernel = self.score_rows if rule_agent is None else self.rule_agents[rule_agent]
        kernel(states, opt.as_record(rules), weights, scores)
        return scores

    def results(
        self, states: States, rules: Any, seats: np.ndarray | None = None
    ) -> dict[str, np.ndarray]:
        """Return the results of games, running or over: an array (n,) for each fact.

        ``seats`` (n,) are the seats whose results they are (None: the first). In a game for several
        the score is the seat's net, 0 before the end, and the seat has won if the net is above 0.
        """
        seats = np.zeros(len(states), np.int64) if seats is None else seats
        won, score, moves, illegal = self._read_results(states, rules, seats)
        common = won.astype(np.bool_), score, moves, illegal.astype(np.bool_)
        return self._name_results(rules, common, self.final_info(states, rules, seats))

    def _read_results(self, states: States, rules: Any, seats: np.ndarray) -> np.ndarray:
        results = np.empty((4, len(states)), np.int64)
        read = read_results if self.num_players(rules) == 1 else read_seat_results
        read(states, seats, results)
        return results

    def _name_results(
        self, rules: Any, common: tuple[Any, Any, Any, Any], own_facts: Mapping[str, Any]
    ) -> dict[str, Any]:
        """Name the results of all games, in the order of `read_results`; add the game's own."""
        names = (self.goal_name(rules), "score", "moves", "illegal_action")
        return {**dict(zip(names, common, strict=True)), **own_facts}

    def info_facts(
        self, states: States, rules: Any, seats: np.ndarray | None = None
    ) -> dict[str, np.ndarray]:
        """Return the `results` as ``info`` has them, with the goal also as ``is_success`` (SB3)."""
        return self._add_success(rules, self.results(states, rules, seats))

    def info_of_one(self, state: States, rules: Any, seats: np.ndarray) -> dict[str, Any]:
        """Return the `info_facts` of one state (1,) as plain values, in less time."""
        won, score, moves, illegal = self._read_results(state, rules, seats)[:, 0].tolist()
        common = won != 0, score, moves, illegal != 0
        own_facts = self.final_info(state, rules, seats)
        plain = {fact: values.item() for fact, values in own_facts.items()}
        return self._add_success(rules, self._name_results(rules, common, plain))

    def _add_success(self, rules: Any, facts: dict[str, Any]) -> dict[str, Any]:
        return facts | {"is_success": facts[self.goal_name(rules)]}


def take_seats(values: np.ndarray, seats: np.ndarray) -> np.ndarray:
    """Return the value of one seat in each row, (n,), from values (n, seats)."""
    if len(seats) == 1:  # a single environment: a tenth of the time
        return values[:, seats[0]]
    return values[np.arange(len(seats)), seats]


def digest16(*parts: Any) -> str:
    """Return 16 hex digits of a hash of the parts' ``repr``."""
    return sha256(repr(parts).encode()).hexdigest()[:16]


GAMES: dict[str, Game] = {}
"""All games by name; `parlour.envs` fills it."""


def register(game: Game) -> Game:
    """Add a game to `GAMES` and return it; ValueError if another game has its name."""
    if GAMES.setdefault(game.name, game) is not game:
        raise ValueError(f"game {game.name!r}: there is one of that name already")
    return game


def find_game(name: str) -> Game:
    """Return a game by its name (with ``_`` or ``-``) or nickname; ValueError naming all."""
    typed = name if isinstance(name, str) else ""
    if typed.replace("-", "_") in GAMES:
        return GAMES[typed.replace("-", "_")]
    for game in GAMES.values():
        if typed in game.nicknames:
            return game
    raise ValueError(opt.unknown_text("game", name, GAMES))
