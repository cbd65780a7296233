"""Short games of every game, as lines of text: for two processes that must say the same.

``python -m tests.core.trajectories`` prints them.
"""

from collections.abc import Iterator
from hashlib import sha256
from typing import Any

import numpy as np

from parlour.agents import choose_actions, load_agent, prepare_turn
from parlour.envs import GAMES, CardEnv, CardVectorEnv, Game
from parlour.envs.core.kernel.jit import count_compilations
from tests.example_game import GAME as EXAMPLE
from tests.example_game.alone import alone

STEPS = 24
POSITIONS = 200


def digest(*arrays: Any) -> str:
    """Return what changes if a number does, or its type."""
    parts = [(np.asarray(array).dtype.str, np.asarray(array).tolist()) for array in arrays]
    return sha256(repr(parts).encode()).hexdigest()[:16]


def single(game: Game) -> Iterator[str]:
    """One game by the greedy agent, one by chance, restored on the way; wrong actions among it."""
    agent, rng = load_agent("greedy", game, game.make_rules()), np.random.default_rng(1)
    others = game.num_players(game.make_rules()) - 1  # of whom one thinks: it takes long
    seats = {"opponents": ["greedy", *["uniform"] * (others - 1)]} if others else {}
    env = CardEnv(game, encoding="onehot", illegal="penalty", **seats)
    for seed in range(2):
        observation, info = env.reset(seed=seed)
        for step in range(STEPS):
            turn = prepare_turn(agent, game, env.rules, env.clone(), step)
            chosen = int(choose_actions(agent, turn)[0])
            action = chosen if seed == 0 else int(rng.choice(np.flatnonzero(info["action_mask"])))
            action = -1 if rng.random() < 0.05 else action
            observation, reward, terminated, truncated, info = env.step(action)
            yield f"{action} {reward:+.6f} {digest(observation, info['action_mask'])}"
            if terminated or truncated:
                break
            env.restore(env.clone())
        yield str({name: value for name, value in info.items() if name != "action_mask"})


def vector(game: Game) -> Iterator[str]:
    """Rows that begin anew where a game ends, by chance."""
    keywords = {"opponents": "uniform"} if game.num_players(game.make_rules()) > 1 else {}
    envs = CardVectorEnv(game, 3, encoding="codes", autoreset_mode="same_step", **keywords)
    rng = np.random.default_rng(2)
    envs.reset(seed=3)
    for _ in range(STEPS):
        masks = envs.action_masks()
        actions = (rng.random(masks.shape) * masks).argmax(axis=1)
        observations, rewards, terminated, truncated, _ = envs.step(actions)
        yield digest(observations, rewards, terminated, truncated, envs.action_masks(), envs.states)


def solve(game: Game) -> Iterator[str]:
    """What the solver says of some deals, where there is one, within few positions.

    Of a table of several it is asked at each turn of a hand: some know only of the play.
    """
    for deal in range(3 if game.solve else 0):
        assert game.solve is not None
        env = CardEnv(game)
        env.reset(options={"deal": deal})
        over = False
        while not over:
            try:
                yield str(game.solve(env.clone(), env.rules, limit=POSITIONS))
            except ValueError as error:
                yield str(error)
            several = game.num_players(env.rules) > 1
            over = not several or any(env.step(int(env.action_masks().argmax()))[2:4])


def play_all() -> list[str]:
    """Return the trajectories of every game that is registered, and of the example."""
    lines: list[str] = []
    with alone():
        lines += [f"{EXAMPLE.name}: {line}" for play in (single, vector) for line in play(EXAMPLE)]
    for game in GAMES.values():
        lines += [f"{game.name}: {line}" for play in (single, vector, solve) for line in play(game)]
    return lines


if __name__ == "__main__":
    print("\n".join(play_all()))
    print("compiled", count_compilations())
