"""Deals of other programs: one known deal of each convention, and there and back."""

import json
import re

import numpy as np
import pytest

from parlour.envs.core.kernel.cards import card_name, parse_card
from parlour.envs.games.klondike.deck_strings import (
    from_ksolve,
    from_pysol,
    from_solvitaire,
    to_ksolve,
    to_pysol,
    to_solvitaire,
)

# Game 3 of Klondike-Solver, and how that program draws it.
KSOLVE = (
    "091102083061082014011074071044122132073031023101121104042081111043092134063051123024"
    "072012013041094034103033114052113032022133131124064062093054053084112021"
)
KSOLVE_COLUMNS = ["9c", "Td 7s", "8h 7c 3c", "6c 4s 2h 4d", "8d Qd Tc 8c 9d"]
KSOLVE_COLUMNS += ["As Kd Qc Jc Ks 5c", "Ac 7h Ts 4h 6h Qh 2s"]
KSOLVE_STOCK = "7d Ad Ah 4c 9s 3s Th 3h Js 5d Jh 3d 2d Kh Kc Qs 6s 6d 9h 5s 5h 8s Jd 2c"

# A deal that comes with Solvitaire (klondikeSM1).
SOLVITAIRE_COLUMNS = ["4D", "3C 4C", "9S 7D 6H", "AH 7S 2C JD", "AD 6S 2H 10S AS"]
SOLVITAIRE_COLUMNS += ["4H 8H 2D KS JC 5C", "3H 4S 3S 5D JH 6C KD"]
SOLVITAIRE_STOCK = "10H 8D 7H KC 3D 10D 5H 8C QS JS 9H 7C 6D 8S QD QH AC 9C 5S KH QC 2S 10C 9D"
SOLVITAIRE = json.dumps(
    {
        "tableau piles": [column.split() for column in SOLVITAIRE_COLUMNS],
        "stock": SOLVITAIRE_STOCK.split(),
    }
)


PYSOL_COLUMNS = [
    " ".join([*(f"<{card.upper()}>" for card in column.split()[:-1]), column.split()[-1].upper()])
    for column in KSOLVE_COLUMNS
]
PYSOL = "\n".join([f"Talon: {KSOLVE_STOCK.upper()}", *PYSOL_COLUMNS])
"""The same game as PySol, fc-solve and KSolve write a deal."""
PYSOL_POSITION = "\n".join(
    [
        "Foundations: H-0 C-0 D-0 S-0",
        f"Talon: ==> {KSOLVE_STOCK.upper()} <==",
        *(f":{column} " for column in PYSOL_COLUMNS),
    ]
)
"""The same game as KSolve draws it before the first move."""


def columns_of(deck: np.ndarray) -> list[list[str]]:
    """The columns that a deck is dealt to, by hand."""
    columns: list[list[str]] = [[] for _ in range(7)]
    cards = iter(deck)
    for row in range(7):
        for column in range(row, 7):
            columns[column].append(card_name(next(cards)))
    return columns


def test_ksolve():
    deck = from_ksolve(KSOLVE)
    assert columns_of(deck) == [column.split() for column in KSOLVE_COLUMNS]
    assert [card_name(card) for card in deck[28:]] == KSOLVE_STOCK.split()
    assert to_ksolve(deck) == KSOLVE


@pytest.mark.parametrize(
    "text",
    [
        PYSOL,
        PYSOL_POSITION,
        "\ufeff" + PYSOL.replace("\n", "\r\n") + "\r\n\r\n",
        PYSOL.replace("T", "10").replace("10alon", "Talon"),
        PYSOL.replace("<", "").replace(">", ""),
        PYSOL.translate(str.maketrans("CDHS", "♣♦♥♠")),
    ],
)
def test_pysol(text):
    assert to_ksolve(from_pysol(text)) == KSOLVE
    assert to_pysol(from_pysol(text)) == PYSOL


def test_solvitaire():
    deck = from_solvitaire(SOLVITAIRE)
    assert columns_of(deck) == [
        [card_name(parse_card(card)) for card in column.split()] for column in SOLVITAIRE_COLUMNS
    ]
    assert [card_name(card) for card in deck[28:31]] == ["9d", "Tc", "2s"]  # the last is the top
    assert json.loads(to_solvitaire(deck)) == json.loads(SOLVITAIRE)


def test_there_and_back():
    rng = np.random.default_rng(1)
    for _ in range(20):
        deck = rng.permutation(np.arange(4, 56)).astype(np.int8)
        assert (from_ksolve(to_ksolve(deck)) == deck).all()
        assert (from_pysol(to_pysol(deck)) == deck).all()
        assert (from_solvitaire(to_solvitaire(deck)) == deck).all()


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("091", "156 digits"),
        (KSOLVE[:-3] + "x21", "156 digits"),
        ("145" + KSOLVE[3:], "card 1 must be .*, got '145'"),
        (KSOLVE[:-3] + KSOLVE[:3], "twice"),
        (
            "000" * 19 + KSOLVE[19 * 3 :],
            "deck must have 52 known cards, got 33 known and 19 unknown",
        ),
    ],
)
def test_no_deck_of_ksolve(text, says):
    with pytest.raises(ValueError, match=says):
        from_ksolve(text)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[1]", "tableau piles"),
        ("{", "tableau piles"),
        ("null", "tableau piles"),
        ("[" * 100_000, "tableau piles"),
        ('{"tableau piles": 5, "stock": []}', "must be lists of cards"),
        ('{"tableau piles": [1, 2], "stock": []}', "must be lists of cards"),
        (SOLVITAIRE.replace('"4D"', "5"), "must be lists of cards"),
        ('{"tableau piles": [["4D"]], "stock": "%s"}' % ("A" * 24), "must be lists of cards"),
        (SOLVITAIRE[:-1] + ', "foundations": [["AC"]]}', "got cards in 'foundations'"),
        (SOLVITAIRE.replace('["4D"]', "[]"), "a stock of 24"),
        (SOLVITAIRE.replace('"9S", "7D"', 'null, "??"'), "got 50 known and 2 unknown"),
        (SOLVITAIRE.replace('"4D"', '"3C"'), "twice"),
    ],
)
def test_no_deck_of_solvitaire(text, says):
    with pytest.raises(ValueError, match=says):
        from_solvitaire(text)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", 'a line "Talon: ..." and 7 lines of columns, got 0 lines'),
        (KSOLVE, "got 1 lines"),
        (PYSOL.partition("\n")[2], "got 7 lines"),
        (PYSOL + "\n9C", "got 9 lines"),
        (PYSOL.replace("Talon", "Stock"), 'a line "Talon: ..."'),
        (PYSOL.replace(" 2C\n", "\n"), "a talon of 24 cards, got .* and 23"),
        (PYSOL.replace("<TD> ", ""), r"columns of 1, 2, ... 7 cards .* got \[1, 1, 3"),
        (PYSOL.replace("9C\n", "9D\n"), "9d is in the deck twice"),
        (PYSOL.replace("TD", "1D"), "card must be a rank of .*, got '1D'"),
        (
            re.sub("<..>", "<??>", PYSOL),
            "deck must have 52 known cards, got 31 known and 21 unknown",
        ),
        (re.sub("<..>", "<>", PYSOL), "deck must have 52 known cards, got 31 known and 21 unknown"),
        (PYSOL_POSITION.replace("==> 7D AD", "AD 7D ==>"), "got a waste of 2 cards"),
        (PYSOL_POSITION.replace("H-0 C-0", "H-A C-0"), "got foundations with cards: H-A"),
    ],
)
def test_no_deck_of_pysol(text, says):
    with pytest.raises(ValueError, match=says):
        from_pysol(text)
