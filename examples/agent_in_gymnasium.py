"""A Parlour agent, here the tree search, plays one deal in a Gymnasium loop.

    python examples/agent_in_gymnasium.py --agent mcts@100

`load_policy` gives the agent the method ``predict`` of Stable-Baselines3. The agent sees what a
player sees: hidden cards are resampled.
"""

import argparse
import time

import gymnasium as gym

import parlour


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

    env = gym.make(arguments.id, render_mode="ansi")
    policy = parlour.load_policy(arguments.agent, env)
    observation, info = env.reset(options={"deal": arguments.deal})
    over, step, begun = False, 0, 0.0
    while not over:
        action, _ = policy.predict(observation, action_masks=info["action_mask"])
        print(env.unwrapped.game.label(action), end=" · ")
        observation, _, terminated, truncated, info = env.step(action)
        over, step = terminated or truncated, step + 1
        begun = begun or time.perf_counter()  # the first step may compile kernels
    print(f"\n{env.render()}\nscore {info['score']}, moves {info['moves']}")
    print(f"{(step - 1) / (time.perf_counter() - begun):,.0f} steps/s")


if __name__ == "__main__":
    main()
