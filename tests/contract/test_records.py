"""`restore` takes what play can have made and nothing else, whatever it is handed."""

import subprocess
import sys
from typing import Any

import numpy as np
import pytest

from parlour.envs import GAMES, CardEnv, Game
from parlour.envs.core.batch import Autoreset, DealSource, Over, StepConfig
from parlour.envs.core.checks import field_at
from parlour.envs.core.rows import Rows, copy_states, resample_copies
from tests.contract.cases import SEVERAL, Case, Crowd, random_cases
from tests.fuzz_records import leaves, states_of
from tests.marks import slow_if


def fuzz(game: str, each: int, mixed: int, seconds: int) -> list[str]:
    """Fuzz the records of a game in another process, which must end; see `tests.fuzz_records`."""
    words = [game, each, mixed, 1]
    command = [sys.executable, "-m", "tests.fuzz_records", *map(str, words)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=seconds)
    assert done.returncode == 0, f"{done.returncode}: {done.stdout[-300:]} {done.stderr[-2000:]}"
    return done.stdout.splitlines()


@pytest.mark.parametrize("name", [slow_if(name == "twenty_nine", name) for name in GAMES])
def test_corrupted_records_are_rejected_or_safe(name: str) -> None:
    lines = fuzz(name, 40, 4, 600)
    taken, refused = (sum(int(line.split()[at]) for line in lines) for at in (-2, -1))
    assert len(lines) >= len(GAMES[name].variants) + 4
    assert taken > len(lines) and refused > taken


@pytest.mark.slow
@pytest.mark.parametrize("name", GAMES)
def test_many_spoilt_records(name: str) -> None:
    fuzz(name, 1000, 40, 7200)


def test_what_is_seen_and_may_be_done_follows_from_the_cards(case: Case) -> None:
    """Any number of it that is changed is noticed, but for the few that remember what was."""
    states = states_of(case, 6, 4)
    rows = Rows(case.game, case.rules, 1)
    rows.deal_numbered("test", [1])
    noticed = total = 0
    for start, kind in leaves(case.game.state):
        field = field_at(case.game.state, start)[0].split(".")[0]
        if field not in ("legal", "score", "won", "over", "deck", "shown"):
            continue
        record = states[[total % len(states)]]
        number = record.view(np.uint8)[start : start + kind.itemsize].view(kind)
        number += np.array(1, kind)
        total += 1
        try:
            rows.restore(record)
        except ValueError:
            noticed += 1
            continue
        assert field == "shown"
    assert noticed >= total - 2


def test_invalid_arrays_of_records_are_rejected(game: Game) -> None:
    env = CardEnv(game, encoding="codes")
    env.reset(seed=1)
    here = env.clone()
    before = here.tobytes(), env.action_masks().tobytes()
    wrong: list[Any] = [None, 5, "x", [], here.tolist(), here[0], env.state, np.zeros(1)]
    wrong += [np.repeat(here, 2), here[:0], here[None], here.astype(here.dtype.newbyteorder())]
    for record in wrong:
        with pytest.raises(
            ValueError, match=r"must be a record array of shape \(1,\) with \d+ bytes per row, got"
        ):
            env.restore(record)
        assert (env.clone().tobytes(), env.action_masks().tobytes()) == before


def test_arrays_that_lie_otherwise_in_memory_are_taken(game: Game) -> None:
    env = CardEnv(game)
    env.reset(seed=1)
    here = env.clone()
    fixed, steps = here.copy(), np.repeat(here, 6)
    fixed.flags.writeable = False
    envs = Rows(game, env.rules, 2)
    envs.restore(steps[::-3])
    assert envs.states.tobytes() == 2 * here.tobytes()
    env.reset(seed=2)
    env.restore(fixed)
    assert env.clone().tobytes() == here.tobytes()


@pytest.mark.parametrize(
    ("field", "value", "output"),
    [
        ("legal", 0, r"legal must be a set of actions that is not empty while the game runs, got "),
        ("legal", 1 << 62, "legal must be a set of actions .*, got "),
        ("over", 7, r"over must be 0 \(running\), 1 \(terminated\), .*, got 7"),
        ("turn", 99, "turn must be the number of a seat, got 99"),
        ("illegal", -1, "illegal must be a set of seats, got -1"),
        ("moves", -1, "moves must be >= 0, got -1"),
        ("deck", 0, r"deck must be all cards of the game .*, got \[0, 0.*\.\.\."),
        ("score", 1234, "score must be -?[0-9]+ to match the other fields, got 1234"),
        ("shown", 100, r"shown\.[a-z0-9._\[\]]+ must be an integer from 0 to [0-9]+, got 100"),
    ],
)
def test_the_field_and_what_it_allows_are_named(
    game: Game, field: str, value: int, output: str
) -> None:
    env = CardEnv(game)
    env.reset(seed=1)
    record = env.clone()
    if field == "shown":
        record["shown"] = np.full(game.features.width, value, np.int8).view(game.features.dtype)
    else:
        record[field] = value
    with pytest.raises(ValueError, match=f"^state of {game.title}, row 0: {output}"):
        env.restore(record)


def test_the_wrong_row_is_named(case: Case) -> None:
    rows = Rows(case.game, case.rules, 3)
    rows.deal_numbered("test", [1, 2, 3])
    states = rows.states.copy()
    states["steps"][1] = -4
    with pytest.raises(ValueError, match=r"row 1: steps must be >= 0, got -4"):
        rows.restore(states)


@pytest.mark.parametrize("game_name", GAMES)
def test_a_state_by_other_rules_is_refused(game_name: str) -> None:
    """It would be played on as no rules allow."""
    game = GAMES[game_name]
    first, second = list(game.variants.values())[:2]
    rows, other = Rows(game, first, 1), Rows(game, second, 1)
    rows.deal_numbered("test", [1])
    with pytest.raises(ValueError, match=r" must be .*, got "):
        other.restore(rows.states)


@pytest.mark.parametrize("table", SEVERAL[:1] + SEVERAL[-1:], ids=str)
def test_a_seat_refuses_a_spoilt_record_before_it_looks(table: Case) -> None:
    env = table.env(encoding="codes")
    env.reset(seed=1)
    here = env.clone()
    record = here.copy()
    record["viewer"] = 77
    with pytest.raises(ValueError, match=r"viewer must be .*seat.*, got 77"):
        env.restore(record)
    assert env.clone().tobytes() == here.tobytes()


def check_resampled(case: Case, n: int, seed: int, every: int = 4) -> np.ndarray:
    """Play n games to their ends; `restore` takes each sampled world of every seat.

    Returns the finished games. One action in fifty is illegal; games for one player are truncated
    after 60 steps.
    """
    limit = 60 if case.players == 1 else 0
    rows = Rows(case.game, case.rules, n, StepConfig(reset=Autoreset.DISABLED, max_steps=limit))
    other = Rows(case.game, case.rules, n)
    rows.seed(np.random.default_rng(seed).integers(0, 2**63, n, np.uint64))
    rows.start(DealSource.DRAW)
    crowd, running, step = Crowd(case, n, seed, wrong=0.02), np.ones(n, np.bool_), 0
    while running.any():
        rows.step(crowd.choose(rows.states, rows.buffers.masks), running)
        running = rows.states["over"] == int(Over.RUNNING)
        step += 1
        if step % every and running.any():
            continue
        for seat in range(case.players):
            other.restore(resample_copies(case.game, case.rules, rows.states, step, seat))
    return copy_states(rows.states)


def test_resampled_worlds_are_taken(case: Case) -> None:
    ends = check_resampled(case, 60, 7)["over"]
    if case.players == 1 and case.game.may_cycle:
        assert {int(Over.TERMINATED), int(Over.TRUNCATED)} <= set(ends.tolist())


@pytest.mark.parametrize("each", [2, pytest.param(20, marks=pytest.mark.slow)])
def test_resampled_worlds_are_taken_with_random_options(each: int) -> None:
    for number, case in enumerate(random_cases(each, seed=71)):
        check_resampled(case, 40, number)


VOID = {"void_without": True}
VOIDABLE = [
    Case(GAMES["twenty_eight"], "classic", VOID | {"early_end": True}),
    Case(GAMES["twenty_eight"], "classic", VOID | {"trump_by": "card", "early_end": True}),
    Case(GAMES["twenty_eight"], "six", VOID),
    Case(GAMES["twenty_nine"], "no-trumps", VOID),
    Case(GAMES["fifty_six"], "four", VOID | {"trumps": "hidden", "leader": "bidder"}),
    Case(GAMES["fifty_six"], "four", VOID),
]


@pytest.mark.parametrize("table", VOIDABLE, ids=str)
def test_resampled_worlds_of_void_hands_are_taken(table: Case) -> None:
    """In a void hand, the bidder's opponents have no trumps; in all others one of them has."""
    ends = check_resampled(table, 3000, 5, every=1000)
    assert ((ends["tricks"] == 0) & (ends["made"] != 0)).any(), "no hand was void"
    assert (ends["tricks"] > 0).any()
