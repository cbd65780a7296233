"""Leaderboards: claims about agents, and their verification."""
