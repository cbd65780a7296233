"""Names of the games, and their registration with Gymnasium."""

import gymnasium as gym

NAMES = (
    "pyramid",
    "poker_squares",
    "puss_in_the_corner",
    "klondike",
    "seven_twenty_seven",
    "twenty_eight",
    "twenty_nine",
    "fifty_six",
)
"""The folders of all games in `parlour.envs.games`. Only the games listed here are registered."""


def register_games() -> None:
    """Register every game with Gymnasium. The first environment imports `parlour.envs`."""
    for name in NAMES:
        title = "".join(word.capitalize() for word in name.split("_"))
        gym.register(
            id=f"parlour/{title}-v0",
            entry_point="parlour.envs:make",
            vector_entry_point="parlour.envs:make_vec",
            kwargs={"game_name": name},
        )
