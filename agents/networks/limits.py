"""Names and sizes of networks, known without torch: settings are checked before it is loaded."""

from parlour.envs.core.options import unknown_text

NETWORK_NAMES = ("mlp", "embedding", "bonds", "numbers", "ranks", "attention")
"""The names of the networks; `build.NETWORKS` has their classes, in the same order."""
WIDEST, DEEPEST = 8192, 128
"""The largest width and depth allowed: networks that play cards are far smaller."""


def check_network(name: str) -> None:
    """Raise ValueError, naming the networks, for a name that none has."""
    if name not in NETWORK_NAMES:
        raise ValueError(unknown_text("network", name, NETWORK_NAMES))


def check_size(width: int, depth: int) -> None:
    """Raise ValueError for a width or depth out of range."""
    for name, value, high in (("width", width, WIDEST), ("depth", depth, DEEPEST)):
        if not 1 <= value <= high:
            raise ValueError(f"{name}={value}: allowed are numbers from 1 to {high}")
