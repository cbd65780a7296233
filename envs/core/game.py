"""The class `Game`, which holds the properties and functions of a game, and the table `GAMES`."""

from collections.abc import Callable, Iterable, Iterator, Mapping, MutableMapping
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from importlib import import_module
from typing import Any, NamedTuple

import numpy as np

from . import options as opt
from .afterstates import AfterstateFeatures
from .batch import read_results, read_seat_results
from .contract import (
    ActionWords,
    BatchKernels,
    DescribeAction,
    FinalInfo,
    HowToPlay,
    Layout,
    Prompt,
    Refusal,
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
from .plan_values import PlanValues
from .schema import Earlier, Features, Piece, Schema
from .seat_kernels import PlayTurns, make_play_turns
from .type_aliases import Action, CardCode, Scores, States, Weights


class HiddenCards(NamedTuple):
    """The hidden cards as an additional piece of an observation, for critics but not for agents."""

    piece: Piece
    """The piece. Its name must not be in `Game.features`."""
    read: Callable[[States], np.ndarray]
    """Returns the codes of the piece, int8 (n, ``piece.size``); 0: not hidden, or no card.

    In a multiplayer game, the codes show the cards of the others that the seat to act cannot see.
    """


@dataclass(frozen=True, eq=False)
class Game:
    """The properties and compiled functions of one game.

    The module `core.contract` specifies the signatures of the functions.
    """

    name: str
    """Name in files, digests and commands; the name of the game's folder."""
    title: str
    """Display name. The Gymnasium ID is derived from it."""

    rules: type[Any]
    """The ``Rules`` class, a NamedTuple of the options; see `options`."""
    variants: Mapping[str, Any]
    """Rules of the variants by name."""
    sources: Mapping[str, str]
    """Sources of the rules of each variant, as short names."""
    variant_notes: Mapping[str, str]
    """One plain sentence about each variant, by its name."""
    references: Mapping[str, str]
    """Full references by the short names in ``sources``."""
    default: str
    """Name of the default variant."""
    check: Callable[[Any], None]
    """Raises ValueError, naming the option, for invalid combinations of options."""
    features: Features
    """Schema of the observations. Every rule option is one of the pieces."""
    state: np.dtype
    """Dtype of the record of a state. Its fields are the common ones (`batch.make_state_head`),
    ``deck``, ``shown`` (the information that the seats see), and the game's own fields."""
    actions: int
    """Number of actions, the same for all rules, at most 255 (`legal.MOST_ACTIONS`)."""
    label: Callable[[Action], str]
    """Returns a short name of an action."""

    kernels: BatchKernels
    """The compiled functions (kernels) that reset and step a batch of games."""
    resample_rows: ResampleRows
    """Resamples everything that a seat does not know."""

    score_rows: ScoreRows
    """Scores actions for the greedy agent."""
    heuristic_weights: Mapping[str, float]
    """Weights of the greedy agent's heuristic by name."""

    layout: Layout
    """Describes a state as a scene."""
    action_words: ActionWords
    """Lists the words for the legal actions that a person can type."""
    describe_action: DescribeAction
    """Describes an action as an imperative phrase."""
    how_to_play: HowToPlay
    """Explains the game to a person."""
    prompt: Prompt
    """Tells a person what to do now."""
    refusal: Refusal
    """Explains why a click or a drag is not a legal move."""
    final_info: FinalInfo
    """Returns the game's own entries of ``info``."""

    score_range: tuple[int, int]
    """Lowest and highest score under any rules."""
    goal: str = "won"
    """Key of the goal in ``info``; a key other than "won" in games that are played for their
    score."""
    version: int = 0
    """Version in the Gymnasium ID. It changes when the expected results of a policy change."""
    is_choosing: Callable[[Any], bool] = lambda state: False
    """Returns whether a seat is in the middle of a choice that takes several actions."""
    may_cycle: bool = False
    """Whether a game with the default rules can last forever without ``max_moves``."""
    shortest: Callable[[Any], int] = lambda rules: 1
    """Returns a lower bound on the number of moves of a win from the deal."""
    pack: Callable[[Any], tuple[CardCode, ...]] = full_pack
    """Returns the card codes of a full deck."""
    rule_agents: Mapping[str, ScoreRows] = field(default_factory=dict)
    """Score kernels of the rule-based agents by name. They get the heuristic's weights."""

    points_of: Callable[[Any], Mapping[str, int]] | None = None
    """Returns the points of each hand rank, best first; None in games without such points."""
    no_move_text: str = "no move is left"
    """The reason, for a person, why a game without a legal action is over."""
    nicknames: tuple[str, ...] = ()
    """Alternative names that commands accept."""

    seats: Seats | None = None
    """Properties of the multiplayer variants; None if the game has none."""
    afterstates: AfterstateFeatures | None = None
    """Features of afterstates, for learners with additive value tables."""
    plan_values: PlanValues | None = None
    """Features of the positions after plans, for learners that compare plans."""
    deck_formats: Mapping[str, DeckFormat] = field(default_factory=dict)
    """Notations of other programs for deals, by name."""
    solving: Solving | None = None
    """The solver; None if the game has none."""
    hidden_cards: HiddenCards | None = None
    """The hidden cards as an additional piece of the observation, for critics in training."""
    state_check: StateCheck | None = None
    """Check of states that callers pass in; None: only the common fields are checked."""
    earlier: tuple[Earlier, ...] = ()
    """Shorter observations of earlier versions, which networks saved by them still read."""

    def __post_init__(self) -> None:
        """Raise ValueError if the properties of the game contradict each other."""
        for field_name in ("sources", "variant_notes"):
            differing = sorted(set(self.variants) ^ set(getattr(self, field_name)))
            if differing:
                raise ValueError(
                    f"{self.name}: variants and {field_name} must have the same names, got a "
                    f"difference in {', '.join(differing)}"
                )
        if not 0 < self.actions <= MOST_ACTIONS:
            raise ValueError(
                f"{self.name}: actions must be {opt.range_text(1, MOST_ACTIONS)}, "
                f"got {self.actions}"
            )
        words = count_words(self.actions)
        if self.state["legal"].shape != (() if words == 1 else (words,)):
            raise ValueError(f"{self.name}: states must begin with make_state_head(actions)")
        pieces = {piece.name for piece in self.features.pieces}
        missing = [field for field in self.rules._fields if field not in pieces]
        if missing:
            raise ValueError(
                f"{self.name}: features must have a piece for each option, missing: "
                f"{', '.join(missing)}"
            )

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the name only, because compiled functions cannot be pickled."""
        return find_game, (self.name,)

    def num_players(self, rules: Any) -> int:
        """Return the number of players under these rules."""
        return 1 if self.seats is None else int(rules.players)

    @property
    def max_players(self) -> int:
        """Largest number of players under any rules."""
        return 1 if self.seats is None else self.seats.most

    @property
    def has_dealer(self) -> bool:
        """Whether the game has a dealer."""
        return "dealer" in (self.state.names or ())

    @property
    def solve(self) -> Solve | None:
        """The solver, which knows all cards; None if the game has none."""
        return None if self.solving is None else self.solving.solve

    @property
    def winnable_after(self) -> WinnableAfter | None:
        """Function that tells which actions keep a game winnable; None if the solver has none."""
        return None if self.solving is None else self.solving.winnable_after

    def reward_unit(self, rules: Any) -> float:
        """Return the unit of net results, such as the ante in chips.

        Args:
            rules: The rules.

        Raises:
            ValueError: The game is for one player.
        """
        if self.seats is None:
            raise ValueError(f"reward_unit needs a multiplayer game, got {self.title}")
        return self.seats.reward_unit(rules)

    @property
    def measure(self) -> str:
        """Result by which agents are compared: ``"won"`` or ``"score"``."""
        return "won" if self.goal == "won" and self.seats is None else "score"

    def goal_name(self, rules: Any) -> str:
        """Return the key of the goal in ``info``; ``"won"`` in a multiplayer game."""
        return "won" if self.num_players(rules) > 1 else self.goal

    @property
    def id(self) -> str:
        """Gymnasium ID of the game, ``"parlour/"`` plus the title in camel case and the version."""
        words = self.title.replace("-", " ").split()
        return f"parlour/{''.join(word[0].upper() + word[1:] for word in words)}-v{self.version}"

    def make_rules(
        self, variant: str | None = None, options: Mapping[str, Any] | None = None
    ) -> Any:
        """Return the rules of a variant with some options replaced.

        Args:
            variant: Name of the variant (None: the default variant).
            options: New values by option name; see `options.replace_options`.

        Raises:
            ValueError: The variant, an option, a value or the combination of options is invalid.
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
        """Return a digest (16 hex digits) of the game's name, its version and all options."""
        return digest16(self.name, self.version, opt.digest_items(rules))

    @cached_property
    def features_digest(self) -> str:
        """Digest (16 hex digits) of the schema of the observations and the number of actions."""
        return self._digest_schema(Schema(self.features, self.actions))

    def find_schema(self, features_digest: str) -> Schema | None:
        """Return the current or an earlier schema with a features digest, None if there is none."""
        current = Schema(self.features, self.actions)
        earlier = (one.cut(current) for one in self.earlier)
        schemas = (
            one for one in (current, *earlier) if self._digest_schema(one) == features_digest
        )
        return next(schemas, None)

    def _digest_schema(self, schema: Schema) -> str:
        pieces = [(piece.name, piece.size, piece.kind[:4]) for piece in schema.features.pieces]
        return digest16(self.name, schema.actions, pieces)

    @cached_property
    def play_turns(self) -> PlayTurns:
        """Kernel that plays the turns of baselines in a multiplayer game; see `seat_kernels`."""
        return make_play_turns(self.kernels, [self.score_rows, *self.rule_agents.values()])

    @cached_property
    def default_weights(self) -> np.ndarray:
        """``heuristic_weights`` as a float64 array for kernels. Do not write to the array."""
        return np.array(list(self.heuristic_weights.values()))

    def score_actions(
        self,
        states: States,
        rules: Any,
        weights: Weights | None = None,
        rule_agent: str | None = None,
    ) -> Scores:
        """Return the scores that the heuristic or a rule-based agent gives to actions.

        Args:
            states: The states, (n,).
            rules: Their rules.
            weights: Weights, float64 (None: ``default_weights``).
            rule_agent: Name of a rule-based agent in ``rule_agents`` (None: the heuristic of the
                greedy agent).

        Returns:
            float64 (n, actions), 0 for illegal actions.
        """
        scores = np.zeros((len(states), self.actions))
        weights = self.default_weights if weights is None else weights
        kernel = self.score_rows if rule_agent is None else self.rule_agents[rule_agent]
        kernel(states, opt.as_record(rules), weights, scores)
        return scores

    def results(
        self, states: States, rules: Any, seats: np.ndarray | None = None
    ) -> dict[str, np.ndarray]:
        """Return the results of running or finished games.

        In a multiplayer game, ``score`` is the net result of the seat, which is 0 before the end,
        and ``won`` tells whether the net result is above 0.

        Args:
            states: The states, (n,).
            rules: Their rules.
            seats: The seat whose results are returned in each row, (n,) (None: seat 0).

        Returns:
            Arrays (n,) by name: the goal (`goal_name`), ``score``, ``moves``, ``illegal_action``
            and the game's own results.
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
        """Return the common results, in the order of `read_results`, and the game's own by name."""
        names = (self.goal_name(rules), "score", "moves", "illegal_action")
        return {**dict(zip(names, common, strict=True)), **own_facts}

    def info_facts(
        self, states: States, rules: Any, seats: np.ndarray | None = None
    ) -> dict[str, np.ndarray]:
        """Return the `results` plus ``is_success``, a copy of the goal, for ``info``."""
        return self._add_success(rules, self.results(states, rules, seats))

    def info_of_one(self, state: States, rules: Any, seats: np.ndarray) -> dict[str, Any]:
        """Return the facts of one state, (1,), as Python values, faster than `info_facts`."""
        won, score, moves, illegal = self._read_results(state, rules, seats)[:, 0].tolist()
        common = won != 0, score, moves, illegal != 0
        own_facts = self.final_info(state, rules, seats)
        plain = {fact: values.item() for fact, values in own_facts.items()}
        return self._add_success(rules, self._name_results(rules, common, plain))

    def _add_success(self, rules: Any, facts: dict[str, Any]) -> dict[str, Any]:
        return facts | {"is_success": facts[self.goal_name(rules)]}


def illegal_action_text(
    game: Game, rules: Any, state: Any, action: int, legal: Iterable[int], what: str = "action"
) -> str:
    """Return the error message for an illegal action, with the phrases of the legal actions.

    Args:
        game: The game.
        rules: Its rules.
        state: The state, a record of ``game.state``.
        action: The illegal action.
        legal: The legal actions; none after the end of a game.
        what: What the message calls the action, such as ``"action 3"``.
    """

    def describe(one: int) -> str:
        return f"{one} ({game.describe_action(state, rules, one)})"

    actual = describe(action) if 0 <= action < game.actions else str(action)
    names = [describe(one) for one in legal]
    if not names:
        return f"{what} is illegal because the game is over, got {actual}"
    return f"{what} must be {opt.choices_text(names)}, got {actual}"


def take_seats(values: np.ndarray, seats: np.ndarray) -> np.ndarray:
    """Return the value of one seat in each row, (n,), from ``values`` (n, seats)."""
    if len(seats) == 1:  # This case takes a tenth of the time.
        return values[:, seats[0]]
    return values[np.arange(len(seats)), seats]


def digest16(*parts: Any) -> str:
    """Return 16 hex digits of a hash of the parts' ``repr``."""
    return sha256(repr(parts).encode()).hexdigest()[:16]


class GameTable(MutableMapping[str, Game]):
    """Games by name, in the order of their registration. A game is imported on first use."""

    def __init__(self) -> None:
        self._games: dict[str, Game | str] = {}

    def add_module(self, name: str, module: str) -> None:
        """Add the game ``GAME`` of a module, which is imported when the game is looked up."""
        self._games[name] = module

    def __getitem__(self, name: str) -> Game:
        """Return a game; import its module if this has not happened."""
        game = self._games[name]
        if isinstance(game, str):
            self._games[name] = game = import_module(game).GAME
        return game

    def __setitem__(self, name: str, game: Game) -> None:
        """Add or replace a game."""
        self._games[name] = game

    def __delitem__(self, name: str) -> None:
        """Remove a game."""
        del self._games[name]

    def __contains__(self, name: object) -> bool:
        """Return whether a game has the name, without importing it."""
        return name in self._games

    def __iter__(self) -> Iterator[str]:
        """Iterate over the names."""
        return iter(self._games)

    def __reversed__(self) -> Iterator[str]:
        """Iterate over the names in reverse order."""
        return reversed(self._games)

    def __len__(self) -> int:
        """Return the number of games."""
        return len(self._games)


GAMES = GameTable()
"""All games by name. `parlour.envs` registers them."""


def register(game: Game) -> Game:
    """Add a game to `GAMES` and return it; raise ValueError if another game has the same name."""
    if GAMES.setdefault(game.name, game) is not game:
        raise ValueError(f"game name must be new, got {game.name!r}, which is already registered")
    return game


def find_game(name: str) -> Game:
    """Return a game by its name, title, nickname or Gymnasium ID.

    Args:
        name: Name or title of the game, in any case and with ``_``, ``-`` or spaces; one of its
            nicknames; or its ID, such as ``"parlour/NAME-v0"``.

    Raises:
        ValueError: No game has the name.
    """
    typed = name if isinstance(name, str) else ""
    for key in (typed, typed.lower().replace(" ", "_")):
        if key.replace("-", "_") in GAMES:
            return GAMES[key.replace("-", "_")]
    for game in GAMES.values():
        if typed in (game.id, *game.nicknames) or typed.lower() == game.title.lower():
            return game
    raise ValueError(opt.unknown_text("game", name, GAMES))
