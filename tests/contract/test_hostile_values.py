"""Values that break error messages themselves: refused in one short line that names the field."""

from collections.abc import Callable
from typing import Any

import gymnasium as gym
import numpy as np
import pytest

from parlour.envs import CardEnv, Game, draw_grid, find_game, make, make_vec
from parlour.envs.core.rows import Rows
from parlour.envs.interfaces.wrappers import DictObservation
from tests.contract.cases import SEVERAL

LONGEST = 1000
"""Of an error message, characters: some list all variants or all options."""


class Unprintable:
    """An object that cannot be written."""

    def __repr__(self) -> str:
        raise RuntimeError("no text")


HOSTILE: dict[str, Any] = {
    "huge": 10**5000,
    "hugely negative": -(10**5000),
    "huge in a list": [10**5000],
    "zero in an array": np.array(0),
    "array": np.array([1, 2]),
    "matrix": np.arange(4000).reshape(-1, 2),
    "texts in an array": np.array(["A\nB", "C"]),
    "masked": np.ma.masked,
    "masked array": np.ma.array([1, 2], mask=[False, True]),
    "ragged": [[1], [2, 3]],
    "lines": "a\nb\nc",
    "long text": "x" * 10**5,
    "bytes": b"\xff",
    "NaN": float("nan"),
    "dictionary": {},
    "dictionary of huge": {10**5000: 1},
    "unprintable": Unprintable(),
}
hostile = pytest.mark.parametrize("value", HOSTILE.values(), ids=list(HOSTILE))
KEYWORDS = (
    "variant",
    "encoding",
    "reward",
    "illegal",
    "max_moves",
    "max_episode_steps",
    "skip_forced",
    "opponents",
    "seat",
    "winnable",
    "render_mode",
    "picture",
)
VECTOR_KEYWORDS = (*KEYWORDS, "variants", "autoreset_mode", "copy", "num_envs")
AEC_KEYWORDS = ("variant", "encoding", "reward", "illegal", "skip_forced", "render_mode", "picture")
RESET_OPTIONS = ("deck", "deal", "deal_set", "dealer", "rules")


def named(field: str, call: Callable[[], Any], refused: bool = False) -> None:
    """Check that a call works, or is refused by a ValueError of one line that names the field."""
    try:
        call()
    except ValueError as error:
        output = str(error)
        assert field in output, output[:LONGEST]
        assert "\n" not in output and len(output) < LONGEST, output[:LONGEST]
    else:
        assert not refused, f"{field} was accepted"


@hostile
def test_keywords(game: Game, value: Any) -> None:
    for keyword in KEYWORDS:
        given = {keyword: value}
        named(keyword, lambda given=given: make(game.name, **given))
        if keyword not in ("max_episode_steps", "render_mode"):  # Gymnasium reads these itself
            named(keyword, lambda given=given: gym.make(game.id, **given))
    for keyword in VECTOR_KEYWORDS:
        given = {"num_envs": 2} | {keyword: value}
        named(keyword, lambda given=given: make_vec(game.name, **given))
    for option in game.rules._fields:
        given = {option: value}
        named(option, lambda given=given: make(game.name, **given))
        named(option, lambda given=given: game.make_rules(None, given))
    named("game", lambda: make(value), refused=True)
    named("game", lambda: find_game(value), refused=True)
    named("variant", lambda: game.make_rules(value), refused=True)
    named("option", lambda: game.make_rules(None, value))


@hostile
def test_resets(game: Game, value: Any) -> None:
    env, envs = CardEnv(game), make_vec(game.name, 2, autoreset_mode="disabled")
    one: Any
    for one in (env, envs):
        one.reset(seed=1)
        before = one.clone().tobytes()
        for option in RESET_OPTIONS:
            options = {option: value} | ({"deal": 1} if option == "deal_set" else {})
            named(option, lambda one=one, options=options: one.reset(options=options))
        named("reset option", lambda one=one: one.reset(options=value))
        named("reset option", lambda one=one: one.reset(options={"huge": value}), refused=True)
        one.reset(seed=1)
        assert one.clone().tobytes() == before
        named("seed", lambda one=one: one.reset(seed=value))
        named("state", lambda one=one: one.restore(value), refused=True)
    named("reset option", lambda: env.reset(options={10**5000: 1}), refused=True)
    named("reset_mask", lambda: envs.reset(options={"reset_mask": value}), refused=True)


@hostile
def test_steps(game: Game, value: Any) -> None:
    env, envs = CardEnv(game, illegal="penalty"), make_vec(game.name, 2, illegal="penalty")
    one: Any
    for one in (env, envs):
        one.reset(seed=1)
        named("action", lambda one=one: one.step(value))
    named("action", lambda: envs.step([value, value]))
    named("observation", lambda: env.explain(value), refused=True)
    named("row", lambda: envs.scene(value))


@hostile
def test_tables(value: Any) -> None:
    aec = pytest.importorskip("parlour.envs.interfaces.pettingzoo")
    case = SEVERAL[0]
    for keyword in AEC_KEYWORDS:
        given = {"variant": case.variant} | {keyword: value}
        named(keyword, lambda given=given: aec.env(case.game.name, **given))
    for option in case.game.rules._fields:
        given = {option: value}
        named(option, lambda given=given: aec.env(case.game.name, case.variant, **given))
    named("game", lambda: aec.env(value), refused=True)
    table = aec.env(case.game.name, case.variant, illegal="penalty")
    table.reset(seed=1)
    for option in RESET_OPTIONS:
        options = {option: value} | ({"deal": 1} if option == "deal_set" else {})
        named(option, lambda options=options: table.reset(options=options))
    table.reset(seed=1)
    named("seed", lambda: table.reset(seed=value))
    named("action", lambda: table.step(value))
    named("agent", lambda: table.observe(value), refused=True)
    named("state", lambda: table.restore(value), refused=True)
    named("observation", lambda: table.explain(value), refused=True)


@hostile
def test_pictures_and_wrappers(value: Any) -> None:
    env = make("pyramid")
    env.reset(seed=1)
    for keyword in ("observation_key", "mask_key", "dtype", "mask_dtype"):
        given = {keyword: value}
        named(keyword, lambda given=given: DictObservation(env, **given))
    for key in ("theme", "four_colours", "width"):
        picture = {key: value}
        named(key, lambda picture=picture: make("pyramid", picture=picture))
    named("columns", lambda: draw_grid([env.scene()], columns=value), refused=True)
    named("width", lambda: draw_grid([env.scene()], {"width": value}), refused=True)


@hostile
def test_deals(game: Game, value: Any) -> None:
    rows = Rows(game, game.make_rules(), 1)
    named("deck", lambda: rows.deal_deck(value), refused=True)
    named("deck", lambda: rows.deal_deck([value] * 3), refused=True)
    named("deal", lambda: rows.deal_numbered("deal_set", [value]))
    named("deal_set", lambda: rows.deal_numbered(value, [1]))
