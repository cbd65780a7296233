"""Slow, plain reference implementations, written from the rule pages alone."""
