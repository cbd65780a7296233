"""Game: what every game fills in, and everything else builds on."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from typing import Any

import numpy as np

from . import options as opt
from .batch import Over, Play
from .features import Features
from .scene import Scene


@dataclass(frozen=True, eq=False)
class Game:
    """The facts and compiled functions of one game.

    ``play`` holds the batch kernels (see `batch.Play`). ``hide(states, rules, seat)`` redeals, from
    each state's generator, what a seat does not know. ``judge(states, rules, scores)`` writes a
    score for every legal action (float64 (n, actions)), knowing only what the player knows.
    ``layout(s, rules)`` says where each card of one state lies; ``facts(s, rules)`` gives what
    ``info`` says at the end of an episode beside won, score and moves.
    """

    name: str
    title: str
    rules: type[Any]
    variants: Mapping[str, Any]
    sources: Mapping[str, str]
    default: str
    check: Callable[[Any], None]
    features: Features
    state: np.dtype
    actions: int
    label: Callable[[int], str]
    play: Play
    hide: Callable[..., None]
    judge: Callable[..., None]
    layout: Callable[..., Scene]
    facts: Callable[..., dict[str, Any]]
    best_score: int
    version: int = 0
    pack: tuple[int, ...] = tuple(range(4, 56))

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle as a name: compiled functions and closures stay out of it."""
        return _by_name, (self.name,)

    @property
    def id(self) -> str:
        """The id under which Gymnasium knows the game."""
        return f"parlour/{self.title.replace(' ', '').replace('-', '')}-v{self.version}"

    def rules_of(self, variant: str | None = None, options: Mapping[str, Any] | None = None) -> Any:
        """Return the rules of a variant with options put in, checked.

        Raises ValueError naming an unknown variant or option, a value out of range, or a
        combination that the game refuses, and what is allowed.
        """
        variant = self.default if variant is None else variant
        if variant not in self.variants:
            raise ValueError(opt.unknown("variant", str(variant), self.variants))
        rules = opt.read(self.variants[variant], options or {})
        self.check(rules)
        return rules

    def variant_of(self, rules: Any) -> str | None:
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

    def result(self, s: Any, rules: Any) -> dict[str, Any]:
        """Return what ``info`` says of a finished game; ``s`` is one record of states."""
        said = {"won": bool(s["won"]), "score": int(s["score"]), "moves": int(s["moves"])}
        if s["illegal"]:
            said["illegal_action"] = True
        if s["over"] == Over.TRUNCATED:
            said["truncated"] = True
        return said | self.facts(s, rules)


def _digest(*parts: Any) -> str:
    return sha256(repr(parts).encode()).hexdigest()[:16]


def _by_name(name: str) -> Game:
    from .. import GAMES  # a late import: the table of games is built on this module

    return GAMES[name]
