"""Hyperparameter search by Optuna."""
