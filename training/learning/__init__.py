"""How agents learn: settings, runs, methods, checkpoints."""
