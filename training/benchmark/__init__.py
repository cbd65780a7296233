"""The benchmark: fixed tasks, budgets and deals, and one score for each method."""
