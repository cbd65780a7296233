"""Trick-taking: tricks, double-dummy search and sampling of unseen hands."""
