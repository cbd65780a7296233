"""Search agents: rollouts, determinized search, tree search and plans."""
