"""Game: what every game fills in, and everything else builds on."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from typing import Any

import numpy as np

from . import options as opt
from .batch import Play
from .cards import full_pack
from .features import Features
from .record import RecordCheck, make_record_check
from .scene import Scene
from .values import AfterstateFeatures


@dataclass(frozen=True, eq=False)
class Game:
    """The facts and compiled functions of one game.

    ``variants`` names rules, ``sources`` says for each where it comes from, ``references`` what the
    short names in there mean. ``play`` holds the batch kernels (see `batch.Play`).
    ``hide(states, rules, seat)`` redeals, from each state's generator, what a seat does not know
    (-1: the one whose turn it is). ``view(states, rules, seats)`` makes the shown pieces those of
    a seat for each row; a game for one player has none. ``seats`` is how many can play at most;
    the option ``players`` says how many do, and ``unit(rules)`` in what a seat's reward is counted.
    ``judge(states, rules, weights, scores)`` writes a score for every legal action, knowing only
    what the player knows (see `judged`); ``weights`` are the greedy agent's, by their names.
    ``players`` names further judges of that form: rule players, handed the same weights.
    ``layout(s, rules)`` says where each card of one state lies,
    ``words(s, rules)`` what a person may call each action in sight, the best word first.
    ``facts(states, rules, seats)`` gives what ``info`` says to a seat at the end of episodes beside
    won, score and moves, an array each. ``scores`` are the lowest and highest score that any rules
    allow.
    ``shortest`` is a number of moves that every win takes at least, from the deal on.
    ``values`` says what a learner of afterstate values needs, where the game has such.
    ``solve(deck_or_state, rules, optimal, limit)`` finds what one who knew all cards could reach
    (`truth.Solution`); ``outcomes(states, rules, limit)`` says of every legal action, float32
    (n, actions), whether one who knew all cards could still win after it: 1 yes, 0 no, 0.5 if the
    limit was met first. Not every game has them.
    ``record`` checks records of states that come from outside (see `record.make_record_check`);
    without it only what all games have in common is checked.
    ``goal`` is what ``info`` calls the aim that is reached or not: ``"won"``, or another word in a
    game which is not won but played for its score.
    """

    name: str
    title: str
    rules: type[Any]
    variants: Mapping[str, Any]
    sources: Mapping[str, str]
    references: Mapping[str, str]
    default: str
    check: Callable[[Any], None]
    features: Features
    state: np.dtype
    actions: int
    label: Callable[[int], str]
    play: Play
    hide: Callable[..., None]
    judge: Callable[..., None]
    weights: Mapping[str, float]
    layout: Callable[..., Scene]
    words: Callable[..., dict[int, tuple[str, ...]]]
    facts: Callable[..., dict[str, np.ndarray]]
    scores: tuple[int, int]
    goal: str = "won"
    seats: int = 1
    view: Callable[..., None] | None = None
    unit: Callable[..., float] | None = None
    values: AfterstateFeatures | None = None
    solve: Callable[..., Any] | None = None
    outcomes: Callable[..., np.ndarray] | None = None
    record: RecordCheck | None = None
    version: int = 0
    shortest: int = 1
    pack: Callable[[Any], tuple[int, ...]] = full_pack
    """The codes of the cards that a deck has, by rules."""
    players: Mapping[str, Callable[..., None]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Refuse a game whose tables do not fit together."""
        if set(self.variants) != set(self.sources):
            odd = sorted(set(self.variants) ^ set(self.sources))
            raise ValueError(f"{self.name}: variants and sources differ in {', '.join(odd)}")
        pieces = {piece.name for piece in self.features.pieces}
        unseen = [field for field in self.rules._fields if field not in pieces]
        if unseen:
            raise ValueError(f"{self.name}: options missing in the features: {', '.join(unseen)}")

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle as a name: compiled functions and closures stay out of it."""
        return find_game, (self.name,)

    def num_players(self, rules: Any) -> int:
        """Return how many seats are played by these rules."""
        return int(rules.players) if self.seats > 1 else 1

    @property
    def measure(self) -> str:
        """The fact by which players are compared: ``"won"``, or the score where none is won."""
        return "won" if self.goal == "won" and self.seats == 1 else "score"

    def goal_name(self, rules: Any) -> str:
        """Return what ``info`` calls the aim by these rules: at a table of several it is to win."""
        return "won" if self.num_players(rules) > 1 else self.goal

    @property
    def id(self) -> str:
        """The id under which Gymnasium knows the game."""
        words = self.title.replace("-", " ").split()
        return f"parlour/{''.join(word[0].upper() + word[1:] for word in words)}-v{self.version}"

    def rules_of(self, variant: str | None = None, options: Mapping[str, Any] | None = None) -> Any:
        """Return the rules of a variant with options put in, checked.

        Raises ValueError naming an unknown variant or option, a value out of range, or a
        combination that the game refuses, and what is allowed.
        """
        variant = self.default if variant is None else variant
        if not isinstance(variant, str) or variant not in self.variants:
            raise ValueError(opt.unknown("variant", str(variant), self.variants))
        rules = opt.read(self.variants[variant], options or {})
        self.check(rules)
        return rules

    def variant_name(self, rules: Any) -> str | None:
        """Return the name of the variant with exactly these rules, if there is one."""
        return next((name for name, known in self.variants.items() if known == rules), None)

    def rules_digest(self, rules: Any) -> str:
        """Return 16 hex digits that differ whenever game, version or any option differs."""
        return _digest(self.name, self.version, sorted(opt.plain(rules).items()))

    @cached_property
    def features_digest(self) -> str:
        """16 hex digits that differ whenever the observation or the actions differ."""
        pieces = [(p.name, p.size, p.kind[:4]) for p in self.features.pieces]
        return _digest(self.name, self.actions, pieces)

    @cached_property
    def record_check(self) -> RecordCheck:
        """``record``, or the check of what all games have in common."""
        return self.record or make_record_check(self.state, self.features, self.actions)

    @cached_property
    def default_weights(self) -> np.ndarray:
        """``weights`` as kernels take them, float64: not to be written to."""
        return np.array(list(self.weights.values()))

    def judged(
        self,
        states: np.ndarray,
        rules: Any,
        weights: np.ndarray | None = None,
        player: str | None = None,
    ) -> np.ndarray:
        """Return the heuristic's score of every legal action, float64 (n, actions), else 0.

        ``weights``, float64, replace the game's own; ``player`` names one of ``players`` instead.
        """
        scores = np.zeros((len(states), self.actions))
        given = self.default_weights if weights is None else weights
        judge = self.judge if player is None else self.players[player]
        judge(states, opt.compiled(rules), given, scores)
        return scores

    def results(
        self, states: np.ndarray, rules: Any, seats: np.ndarray | None = None
    ) -> dict[str, np.ndarray]:
        """Return what ``info`` says of finished games: an array (n,) for each fact.

        ``seats`` (n,) are those that ask (None: the first). At a table of several the score is the
        seat's net, won whether that is above 0.
        """
        n = len(states)
        seats = np.zeros(n, np.int64) if seats is None else seats
        won, score = states["won"] != 0, states["score"]
        if self.num_players(rules) > 1:
            score = states["net"][np.arange(n), seats]
            won = score > 0
        return {
            self.goal_name(rules): won,
            "score": score.astype(np.int64),
            "moves": states["moves"].astype(np.int64),
            "illegal_action": states["illegal"] >> seats & 1 != 0,
            **self.facts(states, rules, seats),
        }


def _digest(*parts: Any) -> str:
    return sha256(repr(parts).encode()).hexdigest()[:16]


GAMES: dict[str, Game] = {}
"""Every game by its name: the one table. `parlour.envs` fills it, in the order of its lists."""


def register(game: Game) -> Game:
    """Enter a game into `GAMES` and return it; ValueError if another one has its name."""
    if GAMES.setdefault(game.name, game) is not game:
        raise ValueError(f"game {game.name!r}: there is one of that name already")
    return game


def find_game(name: str) -> Game:
    """Return a game by its name, with ``_`` or ``-``; ValueError naming those there are."""
    found = GAMES.get(name.replace("-", "_")) if isinstance(name, str) else None
    if found is None:
        raise ValueError(opt.unknown("game", str(name), GAMES))
    return found
