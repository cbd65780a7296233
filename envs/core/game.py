"""Game: what every game fills in, and everything else builds on."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from typing import Any, NamedTuple

import numpy as np

from . import options as opt
from .aliases import Action, CardCode, Scores, States, Weights
from .checks import StateCheck, make_state_check
from .contract import (
    ActionWords,
    BatchKernels,
    FinalInfo,
    Layout,
    ResampleRows,
    ScoreRows,
    Seats,
    Solve,
    WinnableAfter,
)
from .deals import DeckFormat
from .kernel.cards import full_pack
from .legal import MOST_ACTIONS, count_words
from .row_kernels import read_results, read_seat_results
from .schema import Features, Piece
from .seat_kernels import PlayTurns, make_play_turns
from .solve import Solving
from .values import AfterstateFeatures


class EarlierFeatures(NamedTuple):
    """What an earlier version of a game showed: pieces, and the number of its actions.

    Of the pieces that are still there the same codes mean the same today, digits by their value,
    and its actions are the first of today's: so networks are carried over (`agents.carry_over`).
    """

    features: Features
    actions: int


class HiddenCards(NamedTuple):
    """The hidden cards as one more piece of an observation: for critics, never for players."""

    piece: Piece
    """What it is: `Game.features` has none of its name."""
    read: Callable[[States], np.ndarray]
    """Returns its codes of states, int8 (n, ``piece.size``); 0: not hidden, or no card.

    In a game for several they say what the seat that acts is not shown of the others.
    """


@dataclass(frozen=True, eq=False)
class Game:
    """The facts and compiled functions of one game. What they must do: `contract`."""

    name: str
    """The name of its folder: in files, digests and commands."""
    title: str
    """As people write it; the Gymnasium id is made from it."""

    rules: type[Any]
    """A NamedTuple of the options: `options` says how they are declared."""
    variants: Mapping[str, Any]
    """The rules that have a name."""
    sources: Mapping[str, str]
    """The same names: where the rules come from."""
    references: Mapping[str, str]
    """What the short names in ``sources`` mean."""
    default: str
    """The variant that is played if none is named."""
    check: Callable[[Any], None]
    """Raises ValueError, naming the option, for rules that make no game."""
    features: Features
    """The pieces of an observation; every option is one."""
    state: np.dtype
    """The record of a state: `batch.make_state_head`, ``deck``, ``shown``, and the game's own."""
    actions: int
    """Number of actions, by all rules: at most `legal.MOST_ACTIONS`, 255."""
    label: Callable[[Action], str]
    """Says what an action is, in a few words."""

    kernels: BatchKernels
    """How it is played."""
    resample_rows: ResampleRows
    """Deals anew what a seat does not know."""

    score_rows: ScoreRows
    """The heuristic: what the greedy agent goes by."""
    heuristic_weights: Mapping[str, float]
    """The heuristic's weights, by their names."""

    layout: Layout
    """Where each card of a state lies."""
    action_words: ActionWords
    """What a person may call each action in sight."""
    final_info: FinalInfo
    """What ``info`` says beside won, score and moves."""

    score_range: tuple[int, int]
    """The lowest and the highest score that any rules allow."""
    goal: str = "won"
    """What ``info`` calls the aim: another word in a game that is played for its score."""
    version: int = 0
    """Changes whenever what a policy reaches may change; part of the Gymnasium id."""
    goes_round: bool = False
    """Whether a game may never end by itself, by its default rules: ``max_moves`` cuts it off."""
    shortest: Callable[[Any], int] = lambda rules: 1
    """Returns a lower bound on the number of moves of a win from the deal, by rules."""
    pack: Callable[[Any], tuple[CardCode, ...]] = full_pack
    """The cards that a deck has, by rules."""
    rule_agents: Mapping[str, ScoreRows] = field(default_factory=dict)
    """Further agents that play by a rule: they are handed the heuristic's weights."""

    points_of: Callable[[Any], Mapping[str, int]] | None = None
    """What hands bring by rules, best first, in a game that counts hands: for people."""
    nicknames: tuple[str, ...] = ()
    """What people type for its name."""

    seats: Seats | None = None
    """What a game for several adds."""
    afterstates: AfterstateFeatures | None = None
    """What a learner of afterstate values needs."""
    deck_formats: Mapping[str, DeckFormat] = field(default_factory=dict)
    """How other programs write its deals, by name."""
    solving: Solving | None = None
    """The solver."""
    hidden_cards: HiddenCards | None = None
    """What nobody is shown: for a critic that sees it while a player is trained."""
    earlier: tuple[EarlierFeatures, ...] = ()
    """What earlier versions showed, from which networks are carried over."""
    state_check: StateCheck | None = None
    """The check of states from outside; None: only what all games have in common is checked."""

    def __post_init__(self) -> None:
        """Refuse a game whose tables do not fit together."""
        if set(self.variants) != set(self.sources):
            odd = sorted(set(self.variants) ^ set(self.sources))
            raise ValueError(f"{self.name}: variants and sources differ in {', '.join(odd)}")
        if not 0 < self.actions <= MOST_ACTIONS:
            raise ValueError(
                f"{self.name}: {self.actions} actions: allowed are 1 to {MOST_ACTIONS}"
            )
        words = count_words(self.actions)
        if self.state["legal"].shape != (() if words == 1 else (words,)):
            raise ValueError(f"{self.name}: its states do not begin with make_state_head(actions)")
        pieces = {piece.name for piece in self.features.pieces}
        unseen = [field for field in self.rules._fields if field not in pieces]
        if unseen:
            raise ValueError(f"{self.name}: options missing in the features: {', '.join(unseen)}")

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle as a name: compiled functions and closures stay out of it."""
        return find_game, (self.name,)

    def num_players(self, rules: Any) -> int:
        """Return how many seats are played by these rules."""
        return 1 if self.seats is None else int(rules.players)

    @property
    def max_players(self) -> int:
        """How many seats are played at most, by any rules."""
        return 1 if self.seats is None else self.seats.most

    @property
    def has_dealer(self) -> bool:
        """Whether one of the seats deals."""
        return "dealer" in (self.state.names or ())

    @property
    def solve(self) -> Solve | None:
        """Finds out what one who knew all cards could reach, where there is a solver."""
        return None if self.solving is None else self.solving.solve

    @property
    def winnable_after(self) -> WinnableAfter | None:
        """Says after which actions a win is left, where there is a solver that can."""
        return None if self.solving is None else self.solving.winnable_after

    def reward_unit(self, rules: Any) -> float:
        """Return in what a seat's net is counted; ValueError in a game for one player."""
        if self.seats is None:
            raise ValueError(f"{self.title} is for one player: no seat has a net")
        return self.seats.reward_unit(rules)

    @property
    def measure(self) -> str:
        """The fact by which players are compared: ``"won"``, or the score where none is won."""
        return "won" if self.goal == "won" and self.seats is None else "score"

    def goal_name(self, rules: Any) -> str:
        """Return what ``info`` calls the aim by these rules: at a table of several it is to win."""
        return "won" if self.num_players(rules) > 1 else self.goal

    @property
    def id(self) -> str:
        """The id under which Gymnasium knows the game."""
        words = self.title.replace("-", " ").split()
        return f"parlour/{''.join(word[0].upper() + word[1:] for word in words)}-v{self.version}"

    def make_rules(
        self, variant: str | None = None, options: Mapping[str, Any] | None = None
    ) -> Any:
        """Return the rules of a variant with options put in, checked.

        Raises ValueError for a wrong variant, option, value or combination, naming what is allowed.
        """
        variant = self.default if variant is None else variant
        if not isinstance(variant, str) or variant not in self.variants:
            raise ValueError(opt.unknown_text("variant", variant, self.variants))
        rules = opt.replace_options(self.variants[variant], {} if options is None else options)
        self.check(rules)
        return rules

    def variant_name(self, rules: Any) -> str | None:
        """Return the name of the variant with exactly these rules, if there is one."""
        return next((name for name, known in self.variants.items() if known == rules), None)

    def rules_digest(self, rules: Any) -> str:
        """Return 16 hex digits that differ whenever game, version or any option differs."""
        return digest16(self.name, self.version, opt.digest_items(rules))

    @cached_property
    def features_digest(self) -> str:
        """16 hex digits that differ whenever the observation or the actions differ."""
        return self.digest_features(self.features, self.actions)

    def digest_features(self, features: Features, actions: int) -> str:
        """Return the features digest of some pieces and number of actions."""
        pieces = [(p.name, p.size, p.kind[:4]) for p in features.pieces]
        return digest16(self.name, actions, pieces)

    def find_earlier(self, digest: str) -> EarlierFeatures | None:
        """Return the earlier observation with this features digest, None if none has it."""
        fits = (one for one in self.earlier if self.digest_features(*one) == digest)
        return next(fits, None)

    @cached_property
    def full_state_check(self) -> StateCheck:
        """``record``, or the check of what all games have in common."""
        return self.state_check or make_state_check(self.state, self.features, self.actions)

    @cached_property
    def play_turns(self) -> PlayTurns:
        """The turns of the baselines at a table of several: see `seat_kernels`."""
        return make_play_turns(self.kernels, [self.score_rows, *self.rule_agents.values()])

    @cached_property
    def default_weights(self) -> np.ndarray:
        """``heuristic_weights`` as kernels take them, float64: not to be written to."""
        return np.array(list(self.heuristic_weights.values()))

    def score_actions(
        self,
        states: States,
        rules: Any,
        weights: Weights | None = None,
        rule_agent: str | None = None,
    ) -> Scores:
        """Return the heuristic's score of every legal action, float64 (n, actions), else 0.

        ``weights``, float64, replace the game's own; ``rule_agent`` names one of ``rule_agents``,
        whose score is returned instead.
        """
        scores = np.zeros((len(states), self.actions))
        given = self.default_weights if weights is None else weights
        kernel = self.score_rows if rule_agent is None else self.rule_agents[rule_agent]
        kernel(states, opt.as_record(rules), given, scores)
        return scores

    def results(
        self, states: States, rules: Any, seats: np.ndarray | None = None
    ) -> dict[str, np.ndarray]:
        """Return how games stand, or ended: an array (n,) for each fact.

        ``seats`` (n,) are those that ask (None: the first). At a table of several the score is the
        seat's net, 0 before the end, and won whether that is above 0.
        """
        seats = np.zeros(len(states), np.int64) if seats is None else seats
        won, score, moves, illegal = self._read_results(states, rules, seats)
        known = won.astype(np.bool_), score, moves, illegal.astype(np.bool_)
        return self._name_results(rules, known, self.final_info(states, rules, seats))

    def _read_results(self, states: States, rules: Any, seats: np.ndarray) -> np.ndarray:
        found = np.empty((4, len(states)), np.int64)
        read = read_results if self.num_players(rules) == 1 else read_seat_results
        read(states, seats, found)
        return found

    def _name_results(
        self, rules: Any, known: tuple[Any, Any, Any, Any], said: Mapping[str, Any]
    ) -> dict[str, Any]:
        """By name what all games say, in the order of `read_results`, and what this one adds."""
        names = (self.goal_name(rules), "score", "moves", "illegal_action")
        return {**dict(zip(names, known, strict=True)), **said}

    def info_facts(
        self, states: States, rules: Any, seats: np.ndarray | None = None
    ) -> dict[str, np.ndarray]:
        """Return the `results` as ``info`` has them: the aim is ``is_success``, too, as in SB3."""
        return self._add_success(rules, self.results(states, rules, seats))

    def info_of_one(self, state: States, rules: Any, seats: np.ndarray) -> dict[str, Any]:
        """Return the `info_facts` of one state (1,) as plain values, in less time."""
        won, score, moves, illegal = self._read_results(state, rules, seats)[:, 0].tolist()
        found = self.final_info(state, rules, seats)
        said = {fact: values.item() for fact, values in found.items()}
        known = won != 0, score, moves, illegal != 0
        return self._add_success(rules, self._name_results(rules, known, said))

    def _add_success(self, rules: Any, facts: dict[str, Any]) -> dict[str, Any]:
        return facts | {"is_success": facts[self.goal_name(rules)]}


def take_seats(values: np.ndarray, seats: np.ndarray) -> np.ndarray:
    """Return of values (n, seats) those of one seat a row, (n,)."""
    if len(seats) == 1:  # a single environment: a tenth of the time
        return values[:, seats[0]]
    return values[np.arange(len(seats)), seats]


def digest16(*parts: Any) -> str:
    """Return 16 hex digits that differ whenever the parts, as Python writes them, do."""
    return sha256(repr(parts).encode()).hexdigest()[:16]


GAMES: dict[str, Game] = {}
"""Every game by its name: the one table. `parlour.envs` fills it, in the order of its lists."""


def register(game: Game) -> Game:
    """Enter a game into `GAMES` and return it; ValueError if another one has its name."""
    if GAMES.setdefault(game.name, game) is not game:
        raise ValueError(f"game {game.name!r}: there is one of that name already")
    return game


def find_game(name: str) -> Game:
    """Return a game by its name (with ``_`` or ``-``) or nickname; ValueError naming all."""
    typed = name if isinstance(name, str) else ""
    found = GAMES.get(typed.replace("-", "_"))
    found = found or next((game for game in GAMES.values() if typed in game.nicknames), None)
    if found is None:
        raise ValueError(opt.unknown_text("game", name, GAMES))
    return found
