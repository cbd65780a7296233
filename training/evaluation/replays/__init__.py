"""Replays: recorded games, verified and shown."""
