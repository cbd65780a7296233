"""What environments are handed by mistake: refused in one line, and nothing has changed."""

from importlib import import_module
from importlib.util import find_spec
from typing import Any

import gymnasium as gym
import numpy as np
import pytest

from parlour.envs import CardEnv, CardVectorEnv, Game, find_game, make, make_vec
from parlour.envs.core.turn import IllegalActionError, Turn
from tests.contract.cases import SEVERAL, Case

NO_NUMBERS: list[Any] = [1.5, 2.0, float("nan"), None, "3", b"3", True, [1], {}, ...]
TOO_LARGE = [2**63, -(2**63) - 1, -(2**70), np.uint64(2**63)]
every_table = pytest.mark.parametrize("table", [SEVERAL[0], SEVERAL[-1]], ids=str)


def begun(game: Game, **keywords: Any) -> CardEnv:
    env = CardEnv(game, **keywords)
    env.reset(seed=1)
    return env


@pytest.mark.parametrize("illegal", ["end", "raise"])
@pytest.mark.parametrize("action", NO_NUMBERS, ids=str)
def test_an_action_is_a_whole_number(game: Game, action: Any, illegal: str) -> None:
    env = begun(game, illegal=illegal)
    before = env.clone()
    with pytest.raises(ValueError, match=r"^action must be an integer, got "):
        env.step(action)
    assert env.clone().tobytes() == before.tobytes()


@pytest.mark.parametrize("action", TOO_LARGE)
def test_a_number_that_is_no_action_is_illegal(game: Game, action: int) -> None:
    _, reward, *_ = begun(game).step(action)
    assert reward == -1
    with pytest.raises(gym.error.InvalidAction, match=rf"^action must be .*, got {action}"):
        begun(game, illegal="raise").step(action)


@pytest.mark.parametrize(
    "actions",
    [[2**63] * 2, [2**63, 1], [-(2**70), 2**64], np.array([2**63, 2**64 - 1], np.uint64)],
    ids=str,
)
def test_numbers_that_are_no_actions_are_illegal_in_a_vector(game: Game, actions: Any) -> None:
    envs = CardVectorEnv(game, 2)
    envs.reset(seed=1)
    _, rewards, *_ = envs.step(actions)
    assert rewards[0] == -1


@pytest.mark.parametrize("actions", [[1.0, 2.0], [None] * 2, ["a"] * 2, [[1], [2, 3]], [True] * 2])
def test_a_vector_refuses_what_is_no_number(game: Game, actions: Any) -> None:
    envs = CardVectorEnv(game, 2)
    envs.reset(seed=1)
    before = envs.clone()
    with pytest.raises(ValueError, match=r"actions must be integers of shape \(2,\), got"):
        envs.step(actions)
    assert envs.clone().tobytes() == before.tobytes()


@pytest.mark.parametrize("number", ["3", 0, -1, True, 2**40, 2**70, 1.5, None, [2]], ids=str)
def test_the_number_of_rows(number: Any) -> None:
    with pytest.raises(ValueError, match=r"^num_envs must be an integer from 1 to .*, got "):
        make_vec("pyramid", number)


@pytest.mark.parametrize("name", [None, 3, [], {}], ids=str)
def test_names_are_text(name: Any) -> None:
    with pytest.raises(ValueError, match=r"^game must be one of pyramid, .*, got "):
        make(name)
    if name is not None:
        for keyword in ("variant", "encoding", "reward", "illegal", "render_mode"):
            with pytest.raises(ValueError, match=f"{keyword} must be one of .*, got "):
                make("pyramid", **{keyword: name})


@pytest.mark.parametrize("seed", [-1, -(2**70), *(v for v in NO_NUMBERS if v is not None)], ids=str)
def test_seeds_are_whole_numbers(game: Game, seed: Any) -> None:
    env = begun(game)
    envs = CardVectorEnv(game, 2)
    envs.reset(seed=1)
    before, rows = env.clone(), envs.clone()
    with pytest.raises(ValueError, match=r"^seed must be an integer >= 0 or None, got "):
        env.reset(seed=seed)
    for given in (seed, [7, seed]):
        with pytest.raises(
            ValueError, match=r"^seed must be an integer >= 0|^seed must have 2 entries"
        ):
            envs.reset(seed=given)
    assert env.clone().tobytes() == before.tobytes()
    assert envs.clone().tobytes() == rows.tobytes()


@pytest.mark.parametrize(
    "options",
    [
        *([5], "x", 5, True),
        *({"deal": deal} for deal in (2**64, True, "x", float("nan"), -1, None, [[1], [2, 3]])),
        *({"deck": deck} for deck in (None, [["Ah"]], [None], b"Ah", [True], "Ah", ...)),
        *({"deal": 1, "deal_set": deal_set} for deal_set in (None, 5, "", b"x", [])),
        {"dealer": 99},
        {"dealer": True},
        {None: 1},
    ],
    ids=str,
)
def test_wrong_options_of_a_reset_change_nothing(game: Game, options: Any) -> None:
    envs = CardVectorEnv(game, 2)
    envs.reset(seed=1)
    for env in (begun(game), envs):
        before = env.clone()
        with pytest.raises(ValueError, match=r"reset option|deck"):
            env.reset(seed=3, options=options)
        assert env.clone().tobytes() == before.tobytes()


@pytest.mark.parametrize("value", [2**63, float("nan"), None, [1], -1, 1.5, np.array([1])], ids=str)
def test_wrong_options_of_the_rules(game: Game, value: Any) -> None:
    for option in game.rules._fields:
        with pytest.raises(ValueError, match=f"^option {option} must be .*, got ") as caught:
            make(game.name, **{option: value})
        assert "\n" not in str(caught.value)


class Moody:
    """Plays the first legal action until it is told to fail."""

    name = "moody"
    sees_all = False

    def __init__(self) -> None:
        self.fails = False

    def act(self, turn: Turn) -> np.ndarray:
        if self.fails:
            raise KeyError("a mistake of the agent")
        return np.asarray(turn.masks.argmax(axis=1))


@every_table
def test_after_an_exception_of_an_opponent_a_game_is_not_played_on(table: Case) -> None:
    moody = Moody()
    last = {"opponents": moody, "seat": table.players - 1}
    env, envs = table.env(**last), table.vec(2, autoreset_mode="disabled", **last)
    one: Any
    for one, action in ((env, 1), (envs, np.array([1, 1]))):
        one.reset(seed=1)
        here = one.clone()
        first = one.action_masks().argmax(axis=-1)
        moody.fails = True
        with pytest.raises(KeyError):
            while True:
                one.step(first)
        moody.fails = False
        for _ in range(2):
            with pytest.raises(gym.error.ResetNeeded, match="an opponent raised an exception"):
                one.step(action)
        one.restore(here)
        one.step(first)
        moody.fails = True
        with pytest.raises(KeyError):
            for seed in range(20):
                one.reset(seed=seed)
        moody.fails = False
        with pytest.raises(gym.error.ResetNeeded):
            one.step(action)
        one.reset(seed=1)
        assert one.clone().tobytes() == here.tobytes()
        one.step(first)


@every_table
def test_opponents_are_agents(table: Case) -> None:
    class Stuck:
        name, sees_all, act = "stuck", False, 5

    for wrong in ([], ["uniform"] * 12, 3, None, Stuck(), Moody, {}, b"uniform", "nobody"):
        given: Any = [wrong] * (table.players - 1) if wrong is None else wrong
        with pytest.raises(ValueError, match=r"^opponents[: ]"):
            table.env(opponents=given)


@every_table
@pytest.mark.parametrize("answer", [None, 3, [0.0], [[0]], ["a"], [99], [-1]], ids=str)
def test_an_answer_of_the_wrong_kind_names_the_agent(table: Case, answer: Any) -> None:
    class Odd(Moody):
        name = "odd"

        def act(self, turn: Turn) -> Any:
            return answer

    env = table.env(opponents=Odd())
    with pytest.raises(IllegalActionError, match=r"^actions? of agent 'odd' must be .*, got "):
        for seed in range(20):
            env.reset(seed=seed)
            env.step(int(env.action_masks().argmax()))


class Tensor:
    """A tensor of another library: NumPy reads it, and it is no array of NumPy's."""

    def __init__(self, numbers: Any, dtype: Any = np.int64) -> None:
        self.numbers = np.array(numbers, dtype)
        self.shape = self.numbers.shape

    def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray:
        return self.numbers

    def __index__(self) -> int:
        return int(self.numbers.reshape(()))

    def __len__(self) -> int:
        return len(self.numbers)


def tensor_types() -> dict[str, Any]:
    """Return what makes arrays and tensors, by name."""
    types: dict[str, Any] = {"array": np.array, "tensor": Tensor}
    if find_spec("torch"):
        torch = import_module("torch")
        types["torch"] = lambda numbers, dtype=np.int64: torch.from_numpy(np.array(numbers, dtype))
    return types


every_tensor = pytest.mark.parametrize("kind", tensor_types())
INTEGERS = [np.int8, np.uint8, np.int16, np.int32, np.int64]


@every_tensor
@pytest.mark.parametrize("dtype", INTEGERS, ids=lambda dtype: dtype.__name__)
def test_arrays_and_tensors_without_dimensions_are_actions(
    game: Game, kind: str, dtype: Any
) -> None:
    make_tensor = tensor_types()[kind]
    envs = CardVectorEnv(game, 2)
    env, twin = begun(game), begun(game)
    action = int(env.action_masks().argmax())
    assert env.step(make_tensor(action, dtype))[1] == twin.step(action)[1]
    assert env.clone().tobytes() == twin.clone().tobytes()
    envs.reset(seed=1)
    before = envs.clone()
    actions = envs.action_masks().argmax(axis=1)
    envs.step(actions)
    after = envs.clone()
    lists = [list(map(int, actions)), [make_tensor(int(one), dtype) for one in actions]]
    for given in (make_tensor(actions, dtype), *lists):
        envs.restore(before)
        envs.step(given)
        assert envs.clone().tobytes() == after.tobytes()


@every_tensor
@pytest.mark.parametrize(
    ("numbers", "dtype"),
    [
        ([1], np.int64),
        ([[1]], np.int64),
        ([1, 2], np.int64),
        ([], np.int64),
        (True, np.bool_),
        ([True], np.bool_),
        (1, np.float32),
        ([1], np.float32),
    ],
    ids=str,
)
def test_other_arrays_and_tensors_are_no_actions(kind: str, numbers: Any, dtype: Any) -> None:
    """One rule for arrays, tensors, and every shell."""
    value = tensor_types()[kind](numbers, dtype)
    shells: list[Any] = [make("pyramid", illegal="penalty"), make("twenty_eight")]
    if find_spec("pettingzoo"):
        shells.append(import_module("parlour.envs.interfaces.pettingzoo").env("twenty_eight"))
    for env in shells:
        env.reset(seed=1)
        before = env.clone().tobytes()
        with pytest.raises(ValueError, match=r"^action must be an integer, got "):
            env.step(value)
        assert env.clone().tobytes() == before
    envs = make_vec("pyramid", 2)
    envs.reset(seed=1)
    before = envs.clone().tobytes()
    wrong = tensor_types()[kind]([numbers, numbers], dtype)
    if wrong.shape != (2,) or np.asarray(wrong).dtype.kind not in "iu":
        with pytest.raises(ValueError, match=r"^actions must be integers of shape \(2,\), got"):
            envs.step(wrong)
        assert envs.clone().tobytes() == before


def test_the_only_number_of_an_array_is_hinted_at() -> None:
    env = begun(find_game("pyramid"))
    with pytest.raises(ValueError, match=r"\. Convert the array with action\.item\(\)$"):
        env.step(np.array([27]))
