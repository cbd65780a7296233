"""The double-dummy solver of Twenty-Eight and Twenty-Nine."""
