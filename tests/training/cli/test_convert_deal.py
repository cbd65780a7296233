"""``parlour convert-deal``: each notation can be read after it was written."""

import io
from typing import Any

import pytest

from parlour.envs import GAMES
from parlour.envs.core.kernel.cards import card_name
from parlour.envs.core.solve import deal_position
from parlour.training.cli.main import main as parlour

GAME = GAMES["klondike"]


def deck_of(deal: int) -> list[str]:
    """Return the deck of a numbered deal as card names."""
    state = deal_position(GAME, GAME.make_rules(), "klondike-1", deal)
    return [card_name(int(card)) for card in state["deck"][0]]


def convert(capsys: Any, *words: str) -> str:
    """Return the output of the command."""
    assert parlour(["convert-deal", "klondike", *words]) == 0
    return str(capsys.readouterr().out).strip()


@pytest.mark.parametrize("notation", ["parlour", *GAME.deck_formats])
def test_a_deal_goes_there_and_back(notation: str, capsys: Any, monkeypatch: Any) -> None:
    written = convert(capsys, "--deal", "17", "--to", notation)
    assert convert(capsys, "--from", notation, "--deck", written).split() == deck_of(17)
    monkeypatch.setattr("sys.stdin", io.StringIO(written + "\n"))
    assert convert(capsys, "--from", notation, "--deck", "-").split() == deck_of(17)


def test_what_it_prints_can_be_solved(capsys: Any) -> None:
    deck = convert(capsys, "--deal", "0")
    assert parlour(["solve", "klondike", "--deck", deck, "--limit", "1"]) == 0
    assert "klondike" in capsys.readouterr().out.lower()


@pytest.mark.parametrize(
    ("words", "output"),
    [
        (
            ["klondike"],
            "either --deck (in the notation of --from) or --deal must be given, not both",
        ),
        (
            ["klondike", "--deck", "Ac", "--deal", "1"],
            "either --deck (in the notation of --from) or --deal must be given, not both",
        ),
        (["klondike", "--deal", "1", "--to", "ksolv"], "Did you mean 'ksolve'"),
        (["pyramid", "--deal", "1", "--to", "ksolve"], "--to: notation must be "),
        (["klondike", "--deck", "0101", "--from", "ksolve"], "deck must be 156 digits"),
        (["klondike", "--deck", "{}", "--from", "solvitaire"], "tableau piles"),
        (["klondike", "--deck", "Ac Ac"], "Ac is in the deck twice"),
    ],
)
def test_wrong_words_are_refused(words: list[str], output: str, capsys: Any) -> None:
    assert parlour(["convert-deal", *words]) == 2
    complaint = capsys.readouterr().err
    assert output in complaint and len(complaint.splitlines()) == 1
