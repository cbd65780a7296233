"""What every result can do, in Python and in notebooks: become a table, files, a page, a line."""

from importlib import import_module
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from pandas import DataFrame
    from rich.console import Console

PAGE_WIDTH = 140
"""Columns of the tables in a notebook."""
FONTS = "ui-monospace, Menlo, 'DejaVu Sans Mono', Consolas, 'Courier New', monospace"
PAGE = (
    f'<pre style="font-family: {FONTS}; line-height: normal; overflow-x: auto; white-space: pre">'
    "{code}</pre>"
)
"""Named here, because style sheets of notebooks and exports set another font for `pre`."""


class Presented:
    """A result that can be shown and kept; `report` names the module that does it.

    That module stands above the results that it shows, so it is looked up when it is needed, as
    `parlour.training` does with its public names. Matplotlib and pandas are loaded only then.
    """

    report: ClassVar[str]

    def headline(self) -> str:
        """Return on one line what was played, by whom."""
        raise NotImplementedError

    def to_pandas(self) -> "DataFrame":
        """Return a row for each game played; see ``episodes`` of the module `report` names."""
        return self._module().episodes(self).to_pandas()

    def plot(self) -> "Figure":
        """Return the picture that `save` writes; needs no display."""
        figure: Figure = self._module().draw(self)
        return figure

    def save(self, folder: Path | str) -> list[Path]:
        """Write rows (Parquet), summary (JSON) and picture (PNG, SVG, PDF) into a folder.

        It is made where it is missing; each file appears whole or not at all. Returns the paths.
        Raises OSError if the folder cannot be written.
        """
        paths: list[Path] = self._module().save(self, folder)
        return paths

    def _repr_html_(self) -> str:
        return self._show("truecolor").export_html(inline_styles=True, code_format=PAGE)

    def __str__(self) -> str:
        """The tables, as text: what ``print`` shows."""
        return self._show(None).export_text()

    def _show(self, colors: Literal["truecolor"] | None) -> "Console":
        """What has been shown on a recording console of the width of a page."""
        from rich.console import Console  # to play needs no extra

        console = Console(
            record=True,
            file=StringIO(),
            width=PAGE_WIDTH,
            color_system=colors,
            force_jupyter=False,
            highlight=False,
            emoji=False,
        )
        self._module().show(self, console)
        return console

    def __repr__(self) -> str:
        """The headline: results have too many numbers to be printed."""
        return f"<{type(self).__name__}: {self.headline()}>"

    def _module(self) -> Any:
        return import_module(f".{self.report}", __package__)
