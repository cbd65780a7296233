"""Settings of training runs. None of these modules imports a learning library.

- `base`: the dataclasses that methods inherit from;
- `methods`: the settings of each method, and the table of them;
- `limits`: validation of the fields;
- `files`: presets in TOML, and the settings that a run saves as JSON;
- `command`: the command line.
"""
