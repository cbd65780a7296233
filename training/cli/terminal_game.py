"""What is played in a terminal, and how it is shown: what all kinds of play there share."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from parlour.envs import Game

from ..evaluation.report.terminal import wrap_lines


def say_wrapped(text: str) -> None:
    """Print text, without breaking words where the terminal ends."""
    print(wrap_lines(text))


def ask_wrapped(prompt: str) -> str:
    """Ask like `input`; a prompt wider than the terminal is wrapped."""
    *above, last = wrap_lines(prompt.rstrip()).split("\n")
    for line in above:
        print(line)
    return input(f"{last} ")


class TerminalGame(NamedTuple):
    """Which game is played and how it is shown.

    ``chosen`` is what `CardEnv.reset` takes as ``options``: a deck, a numbered deal, or nothing,
    and then ``seed`` (None: a random one) makes the deal. ``delay`` are seconds between the steps
    of an agent that is watched; None waits for Enter where there is a keyboard. ``key`` is the
    secret that agents' draws come from (None: a new one); for ``any_rules`` see `load_agent`.
    ``notice``: a person who plays alone is warned if the deal cannot be won, or if a move makes it
    unwinnable, in games with a solver. ``record`` is a file that games are written to;
    ``explain``: what a watched agent thinks is shown, too; ``advisor`` is the agent that a person
    may ask for advice.
    """

    game: Game
    variant: str | None = None
    options: Mapping[str, Any] | None = None
    chosen: Mapping[str, Any] | None = None
    seed: int | None = None
    delay: float | None = None
    colour: bool = False
    ask: Callable[[str], str] | None = None
    say: Callable[[str], None] = say_wrapped
    key: str | None = None
    any_rules: bool = False
    notice: bool = True
    record: Path | None = None
    explain: bool = False
    advisor: str = "greedy"

    @property
    def say_thoughts(self) -> Callable[[str], None] | None:
        """What is told what a watched agent thinks; None: nobody is."""
        return self.say if self.explain else None
