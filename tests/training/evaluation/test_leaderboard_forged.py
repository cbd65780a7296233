"""Forged lines of a leaderboard: whichever cell is false, verification names it.

Every forged line is sealed as if ``parlour leaderboard --update`` had written it.
"""

import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from parlour.training.evaluation.leaderboard import claims
from parlour.training.evaluation.leaderboard import entries as board
from parlour.training.evaluation.stats import student_mean

LINES = {
    "rate": {"game": "pyramid", "variant": "classic", "agent": "greedy", "deals": "300"},
    "mean": {"game": "poker_squares", "agent": "greedy", "deals": "300"},
    "table": {
        "game": "seven_twenty_seven",
        "variant": "mini",
        "agent": "tight",
        "deals": "300",
    },
}
FIRST = 100


def claim_of(entry: board.Entry) -> board.Claim:
    assert entry.claim is not None
    return entry.claim


@pytest.fixture(scope="module", params=LINES)
def honest(request: pytest.FixtureRequest) -> board.Entry:
    """Return a true line of each kind of score, whose digest covers a third of its deals."""
    entry = board.make_entry(LINES[request.param])
    claim = claims.make_claim(entry)
    played = claims.play_spec(claims.make_spec(entry, FIRST), entry.agent)
    digest = claims.digest_values(played.values)
    return board.make_claimed(entry, claim._replace(first=FIRST, first_digest=digest))


def forge(entry: board.Entry, cells: dict[str, object]) -> board.Entry:
    """Return a line with other cells, sealed."""
    given = dict(zip(board.COLUMNS, board.entry_cells(entry), strict=True))
    forged = board.make_entry(given | {name: board.write_cell(v) for name, v in cells.items()})
    return replace(forged, seal=board.seal_of(forged))


def other_agent(entry: board.Entry) -> dict[str, object]:
    return {"agent": "uniform"}


def other_rules(entry: board.Entry) -> dict[str, object]:
    names = (name for name in entry.game.variants if name != entry.variant)
    return {"variant": next(names)}


def other_option(entry: board.Entry) -> dict[str, object]:
    options = {"pyramid": "passes=2", "poker_squares": "scoring=english"}
    return {"options": options.get(entry.game.name, "ante=2")}


def another_game(entry: board.Entry) -> dict[str, object]:
    game = "klondike" if entry.game.name == "pyramid" else "pyramid"
    return {"game": game, "variant": "classic", "deal_set": f"{game}-1", "agent": "greedy"}


def moved(entry: board.Entry) -> dict[str, object]:
    """Score and interval are shifted together, as for luckier deals."""
    claim = claim_of(entry)
    if entry.is_rate:
        values = np.arange(300) < 200
        estimate = claims.estimate_values(entry, values)
        return {"score": estimate.mean, "low": estimate.low, "high": estimate.high}
    by = 5 * (claim.high - claim.low)
    return {"score": claim.score + by, "low": claim.low + by, "high": claim.high + by}


FORGERIES: dict[str, Callable[[board.Entry], dict[str, object]]] = {
    "game": another_game,
    "variant": other_rules,
    "options": other_option,
    "agent": other_agent,
    "deal_set": lambda entry: {"deal_set": f"{entry.game.name}-2"},
    "deals": lambda entry: {"deals": 30_000},
    "score": moved,
    "low": lambda entry: {"low": claim_of(entry).low - 500},
    "high": lambda entry: {"high": claim_of(entry).high + 1000},
    "bound": lambda entry: {"bound": 0.99},
    "ms": lambda entry: {"ms": 1e6},
    "sees_all": lambda entry: {"sees_all": True},
    "first": lambda entry: {"first": FIRST - 10},
    "first_digest": lambda entry: {"first_digest": "0" * 16},
    "rules_digest": lambda entry: {"rules_digest": "0" * 16},
    "agent_digest": lambda entry: {"agent_digest": "0" * 16},
    "parlour": lambda entry: {"parlour": "newest"},
    "machine": lambda entry: {"machine": ""},
    "date": lambda entry: {"date": "2999-01-01"},
}


def test_an_honest_line_holds_on_some_deals_and_on_all(honest: board.Entry) -> None:
    for deals in (None, 5, 250, 300, 10_000):
        verdict = claims.verify_entry(honest, deals)
        assert verdict.mark == ""
        assert verdict.deals == (300 if deals is None else min(max(deals, FIRST), 300))


def test_a_slow_agent_is_verified_by_a_sample(
    honest: board.Entry, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(claims, "ALL_SECONDS", 0.0)
    assert claims.verify_entry(honest) == claims.Verdict([], FIRST)


def test_every_column_has_a_forgery() -> None:
    assert {*FORGERIES, "seal", "mark"} == set(board.COLUMNS)
    assert set(claims.UNCHECKED) < set(FORGERIES)


@pytest.mark.parametrize("cell", FORGERIES)
def test_a_forged_cell_is_named_by_the_first_deals(honest: board.Entry, cell: str) -> None:
    forged = forge(honest, FORGERIES[cell](honest))
    assert cell in claims.verify_entry(forged, FIRST).mark


def test_an_edited_line_is_named_by_its_seal(honest: board.Entry) -> None:
    for name, value in {"ms": claim_of(honest).ms * 2, "date": "2020-01-01"}.items():
        edited = replace(honest, claim=claim_of(honest)._replace(**{name: value}))
        assert claims.verify_entry(edited).mark.startswith("seal: must be ")
    assert claims.verify_entry(replace(honest, seal="0" * 16)).mark.startswith("seal: must be ")


def test_a_mark_is_never_believed(honest: board.Entry) -> None:
    assert claims.verify_entry(replace(honest, mark="all is lost")).mark == ""


@pytest.mark.parametrize("cell", ["score", "low", "high"])
def test_on_all_deals_every_digit_counts(honest: board.Entry, cell: str) -> None:
    claim = claim_of(honest)
    value = getattr(claim, cell)
    near = value * (1 + 1e-5) + (1e-6 if value == 0 else 0)
    forged = forge(honest, {cell: near})
    for deals in (None, 300):
        assert cell in claims.verify_entry(forged, deals).mark


@pytest.mark.parametrize("cell", claims.UNCHECKED)
def test_a_cell_that_nobody_can_check_may_say_anything_of_its_form(
    honest: board.Entry, cell: str
) -> None:
    plausible = {"parlour": "0.0.9", "machine": "a pocket calculator", "date": "2001-02-03"}
    assert claims.verify_entry(forge(honest, {cell: plausible[cell]})).mark == ""


@pytest.mark.parametrize(
    ("claimed", "measured", "holds"),
    [
        (1.0, 1.0, True),
        (1.0, 19.0, True),
        (1.0, 21.0, False),
        (19.0, 1.0, True),
        (21.0, 1.0, False),
        (0.00001, 0.004, True),  # so short a time is that of the call
        (0.00001, 0.2, False),
        (0.2, 0.00001, False),
    ],
)
def test_a_time_holds_within_a_factor(
    honest: board.Entry, claimed: float, measured: float, holds: bool
) -> None:
    played = claims.play_spec(claims.make_spec(honest, FIRST), honest.agent)
    claim = claim_of(honest)._replace(ms=claimed)
    faults = claims.check_played(honest, claim, played._replace(milliseconds=measured))
    assert [fault.cells for fault in faults] == ([] if holds else ["ms"])
    if not holds:
        assert "must be within a factor of 20 of" in faults[0].reason


@pytest.mark.parametrize(("second", "mark"), [(1.0, ""), (500.0, "ms: must be within a factor")])
def test_a_slow_time_is_measured_again(
    honest: board.Entry, monkeypatch: pytest.MonkeyPatch, second: float, mark: str
) -> None:
    """The first measured time may include compilation."""
    times = iter([800.0, second])
    real = claims.play_spec

    def timed(*words: Any) -> claims.Played:
        return real(*words)._replace(milliseconds=next(times))

    monkeypatch.setattr(claims, "play_spec", timed)
    verdict = claims.verify_entry(forge(honest, {"ms": 1.0}))
    assert verdict.mark.startswith(mark) and bool(verdict.mark) == bool(mark)
    assert verdict.is_time_only == bool(mark)


def test_results_of_other_deals_are_told_by_all_deals(honest: board.Entry) -> None:
    """The result is of deals 1000 to 1299, the digest of the first deals."""
    spec = replace(claims.make_spec(honest, 300), first=1000)
    values = claims.play_spec(spec, honest.agent).values
    estimate = claims.estimate_values(honest, values)
    cells: dict[str, object] = {"score": estimate.mean, "low": estimate.low, "high": estimate.high}
    forged = forge(honest, cells)
    assert claim_of(forged).score != claim_of(honest).score
    mark = claims.verify_entry(forged, 300).mark
    assert "score: must be" in mark and "by all deals=300" in mark


def test_an_agent_that_sees_all_cannot_deny_it() -> None:
    entry = board.make_entry({"game": "pyramid", "agent": "oracle", "deals": "100"})
    entry = board.make_claimed(entry, claims.make_claim(entry))
    assert claim_of(entry).sees_all
    assert claims.verify_entry(entry).mark == ""
    mark = claims.verify_entry(forge(entry, {"sees_all": False})).mark
    assert mark == "sees_all: must be yes, got no"


def test_a_rate_is_a_number_of_deals_won_with_its_own_interval() -> None:
    entry = board.make_entry(LINES["rate"])
    entry = board.make_claimed(entry, claims.make_claim(entry))
    assert (
        "score: must be a number of deals won"
        in claims.verify_entry(forge(entry, {"score": 0.0051, "low": 0.0, "high": 1.0})).mark
    )
    for cells in ({"low": 0.0, "high": 1.0}, {"low": 0.0, "high": 1000.0}):
        mark = claims.verify_entry(forge(entry, cells)).mark
        assert mark.startswith("low, high: must be [")
    mark = claims.verify_entry(forge(entry, {"score": 1.5, "low": 1.4, "high": 1.6})).mark
    assert mark.startswith("score: must be a number of deals won")


def test_a_rate_above_what_can_be_won_is_refused() -> None:
    entry = board.make_entry(LINES["rate"])
    entry = board.make_claimed(entry, claims.make_claim(entry))
    estimate = claims.estimate_values(entry, np.arange(300) < 100)
    cells: dict[str, object] = {"score": estimate.mean, "low": estimate.low, "high": estimate.high}
    assert "score: must be at most 0.06" in claims.verify_entry(forge(entry, cells)).mark


def test_a_score_that_the_game_does_not_have_is_refused() -> None:
    entry = board.make_entry(LINES["mean"])
    entry = board.make_claimed(entry, claims.make_claim(entry))
    cells: dict[str, object] = {"score": 5000.0, "low": 4990.0, "high": 5010.0}
    low, high = entry.game.score_range
    mark = claims.verify_entry(forge(entry, cells)).mark
    assert f"score, low, high: must be from {low} to {high} in this game, got 5000" in mark


def test_equal_first_results_are_no_excuse() -> None:
    """Greedy against greedy wins 0 on each deal, so only the interval [0, 0] is true."""
    entry = board.make_entry(LINES["table"] | {"agent": "greedy", "deals": "2000"})
    entry = board.make_claimed(entry, claims.make_claim(entry))
    assert claims.verify_entry(entry, 200) == claims.Verdict([], 200)
    rich = {"score": 5.0, "low": 5.0, "high": 5.0}
    mark = claims.verify_entry(forge(entry, rich), 200).mark
    assert "score, low, high: must overlap [0, 0]" in mark
    wide = {"score": 0.01, "low": -0.1, "high": 0.12}
    verdict = claims.verify_entry(forge(entry, wide), 200)
    assert verdict.deals == claims.SPREAD_DEALS and "low, high: the width of" in verdict.mark


def test_first_results_without_spread_do_not_condemn_a_true_interval() -> None:
    """Results differ once in 60 deals, so the sample grows until it includes one."""
    entry = board.make_entry(LINES["table"] | {"deals": "600"})
    values = np.where(np.arange(600) % 60 == 59, 1.0, 0.0)
    estimate = student_mean(values)
    digest = claims.digest_values(values[:20])
    claim = board.Claim(
        *map(claims.round_cell, estimate[:3]), None, 1.0, False, 20, digest, *[""] * 5
    )
    assert not claims.has_spread(entry, claim, values[:20])
    assert claims.has_spread(entry, claim, values[:160])


def test_static_faults_are_found_without_playing(
    honest: board.Entry, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(claims, "play_spec", None)
    for cell in ("rules_digest", "agent_digest", "bound", "high", "machine", "date", "parlour"):
        verdict = claims.verify_entry(forge(honest, FORGERIES[cell](honest)))
        assert cell in verdict.mark and verdict.deals == 0
    first = claims.verify_entry(forge(honest, {"first": 5})).mark
    assert first == "first: must be from 10 to 200, got 5"


class Moody:
    """Draws from its own generator, so its results are not repeatable."""

    def __init__(self) -> None:
        self.rng = np.random.default_rng()

    def act(self, turn: object) -> np.ndarray:
        masks = turn.masks  # type: ignore[attr-defined]
        return np.asarray((masks * self.rng.random(masks.shape)).argmax(axis=1))


def test_an_agent_that_does_not_repeat_itself_gets_no_claim() -> None:
    agent = f"{__name__}:Moody"
    assert __name__ in sys.modules
    entry = board.make_entry({"game": "poker_squares", "agent": agent, "deals": "100"})
    with pytest.raises(ValueError, match="must repeat its results on the same deals"):
        claims.make_claim(entry, allow_code=True)


def test_a_time_limit_or_a_person_cannot_be_reproduced(tmp_path: Path) -> None:
    for agent, reason in (
        ("mcts@50ms", "must have a search budget without a time limit, such as mcts@100, got 50ms"),
        ("rollouts@5ms:greedy", "must have a search budget without a time limit"),
        ("mcts@9:rollouts@5ms:greedy", "must have a search budget without a time limit"),
        ("human", "must not be a human player"),
        ("mcts:human", "must not be a human player"),
    ):
        entry = board.make_entry({"game": "pyramid", "agent": agent, "deals": "100"})
        with pytest.raises(ValueError, match=reason):
            claims.make_claim(entry)
