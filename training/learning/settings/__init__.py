"""Settings of training runs.

- `base`: the dataclasses that methods inherit from; each method adds its own in `..methods`;
- `limits`: validation of the fields;
- `files`: presets in TOML, and the settings that a run saves as JSON;
- `command`: the command line.
"""
