"""Search for settings of a training run with Optuna."""
