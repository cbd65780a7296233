"""Settings of training runs. None of these modules imports a learning library.

- `base`: the dataclasses that methods inherit from, and the validation of their fields;
- `methods`: the settings of each method, and the table of them;
- `files`: presets in TOML, and the settings that a run saves as JSON;
- `command`: the command line.
"""
