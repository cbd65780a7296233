"""Parallel work in several processes, on this machine or on a cluster."""
