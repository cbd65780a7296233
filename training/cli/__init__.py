"""The command ``parlour``. `main.COMMANDS` names the module of each command."""
