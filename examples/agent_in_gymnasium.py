"""A Parlour agent, here the tree search, plays one deal in a Gymnasium loop.

    python examples/agent_in_gymnasium.py --agent mcts@100

`prepare_turn` returns what the agent may see of the environment: hidden cards are resampled.
"""

import argparse
import time

import gymnasium as gym

from parlour.agents import choose_actions, load_agent, prepare_turn


def main() -> None:
    """Run the example."""
    parser = argparse.ArgumentParser(
        description=__doc__.splitlines()[0],
        formatter_class=argparse.ArgumentDefaultsHelpFormatter,
    )
    parser.add_argument("--id", default="parlour/Pyramid-v0", help="Gymnasium id of the game")
    parser.add_argument("--agent", default="mcts@100", help="name of the agent")
    parser.add_argument("--deal", type=int, default=3, help="number of the deal")
    arguments = parser.parse_args()

    env = gym.make(arguments.id, render_mode="ansi").unwrapped
    agent = load_agent(arguments.agent, env.game, env.rules)
    env.reset(options={"deal": arguments.deal})
    over, step, begun = False, 0, 0.0
    while not over:
        turn = prepare_turn(agent, env.game, env.rules, env.rows.states, seed=step)
        action = int(choose_actions(agent, turn)[0])
        print(env.game.label(action), end=" · ")
        _, _, terminated, truncated, info = env.step(action)
        over, step = terminated or truncated, step + 1
        begun = begun or time.perf_counter()  # the first step may compile kernels
    print(f"\n{env.render()}\nscore {info['score']}, moves {info['moves']}")
    print(f"{(step - 1) / (time.perf_counter() - begun):,.0f} steps/s")


if __name__ == "__main__":
    main()
