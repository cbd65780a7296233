"""Twenty-Nine, a trick-taking game: Twenty-Eight with other default options and variants."""

from dataclasses import replace
from functools import partial

from ..twenty_eight import GAME as TWENTY_EIGHT
from ..twenty_eight.guide import NINE_VARIANT_NOTES
from ..twenty_eight.layout import layout
from ..twenty_eight.rules import NINE_SOURCES, NINE_VARIANTS

GAME = replace(
    TWENTY_EIGHT,
    name="twenty_nine",
    title="Twenty-Nine",
    nicknames=("29",),
    variants=NINE_VARIANTS,
    sources=NINE_SOURCES,
    variant_notes=NINE_VARIANT_NOTES,
    layout=partial(layout, title="Twenty-Nine"),
)
"""The game, registered in `parlour.envs.GAMES`."""

__all__ = ["GAME"]
