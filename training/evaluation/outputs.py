"""Names and checks of output files and folders, before hours are spent on results."""

import os
from collections.abc import Iterable
from pathlib import Path
from tempfile import TemporaryFile

from parlour.agents.saved import AGENT_FILE

EPISODES, SUMMARY = "episodes.parquet", "summary.json"
PICTURES = ("comparison.png", "comparison.svg", "comparison.pdf")
"""For a page, for one that is scaled, for print."""
FILES = (EPISODES, SUMMARY, *PICTURES)
"""The files of a comparison."""
REVIEW_FILES = ("decisions.parquet", SUMMARY, "review.png", "review.svg", "review.pdf")
"""The files of a review."""


def check_folder(folder: Path, files: Iterable[str] = ()) -> None:
    """Raise ValueError if a folder cannot be made or written, or one of these files in it not.

    Files that are there are written over; nothing is made here that stays.
    """
    try:
        there = next(one for one in (folder, *folder.parents) if os.path.lexists(one))
        if not there.is_dir():
            raise ValueError(f"folder {folder}: {there} is not a folder")
        TemporaryFile(dir=there).close()
        if there != folder:
            _check_length(folder)
    except StopIteration:
        raise ValueError(f"folder {folder}: no part of this path exists") from None
    except OSError as error:
        reason = error.strerror or error
        raise ValueError(f"folder {folder}: it cannot be written: {reason}") from error
    for name in files:
        if (folder / name).is_dir():
            raise ValueError(f"folder {folder}: {name} in it is a folder, and would be a file")


def _check_length(folder: Path) -> None:
    """Raise OSError where a path that does not exist could not, as a name in it is too long."""
    try:
        folder.lstat()
    except FileNotFoundError:
        return


def check_agent_folder(folder: Path) -> None:
    """Raise ValueError if an agent cannot be saved in a folder, which is replaced as a whole.

    So it must not be there, be empty, or hold a saved agent: other files would be lost.
    """
    if not folder.name or folder.name == "..":
        raise ValueError(f"folder {folder}: name a folder of its own")
    check_folder(folder)
    check_folder(folder.parent)
    if folder.is_dir() and any(folder.iterdir()) and not (folder / AGENT_FILE).is_file():
        raise ValueError(
            f"folder {folder}: it has other files than a saved agent's, and would be "
            "replaced: name another"
        )


def make_record_file(path: Path) -> None:
    """Make an empty file for replays. Raises ValueError if it exists or cannot be made."""
    try:
        path.open("xb").close()
    except FileExistsError:
        raise ValueError(f"record {path}: it is there already; name another file") from None
    except OSError as error:
        raise ValueError(f"record {path}: {error.strerror or error}") from error
