"""The command ``parlour``: one file for a group of commands."""
