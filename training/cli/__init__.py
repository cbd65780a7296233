"""The command ``parlour``: one file for a group of commands."""

STOPPED = 130
"""Exit status of what was ended by Ctrl-C: 128 and the number of SIGINT."""
