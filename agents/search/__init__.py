"""Search agents: rollouts, perfect-information Monte Carlo, tree search and planners."""
