"""Invented names of suits, ranks and colors, which separate reasoning from recall.

A disguise replaces names in texts, so the game stays the same: every position has the same moves.
"""

import re
from collections.abc import Callable, Sequence

import numpy as np

from ..core.kernel.cards import RANKS, SUIT_SIGNS, SUITS
from ..core.scene.items import RANK_WORDS, SUIT_WORDS

INVENTED_RANKS = "BDFGHLMNPRVWX"
"""Letters for the ranks; none of them is a rank of an ordinary deck."""
INVENTED_SUITS = {"stars": "★", "moons": "☾", "bells": "♪", "waves": "≈"}
"""Names and signs of suits. The letter of a suit is the first letter of its name."""
INVENTED_COLORS = "warm", "cold"
COLORS = "red", "black"
_RED = (False, True, True, False)
_SOUNDS_LIKE_VOWEL = "FHLMNRX"

_RANK = r"(?:10|[A2-9TJQK])"
_RANK_WORD = "|".join(RANK_WORDS)
_SUIT = "|".join(name[:-1] for name in SUIT_WORDS)
_COLOR = "|".join(COLORS)
# Number words are ranks only after an article or a color: "three cards" names no rank.
_PATTERN = re.compile(
    rf"(?P<full>\b(?P<full_rank>{_RANK_WORD}) of (?P<full_suit>{_SUIT})s\b)"
    rf"|(?P<sign>(?P<sign_rank>{_RANK})(?P<sign_suit>[{SUIT_SIGNS}]))"
    rf"|(?P<name>(?<!\w)(?-i:(?P<name_rank>{_RANK})(?P<name_suit>[{SUITS}]))(?!\w))"
    rf"|(?P<run>(?<![\w-])(?-i:(?:{_RANK}[ -]){{2,}}{_RANK})(?!\w))"
    rf"|(?P<colored>\b(?P<color>{_COLOR}) (?P<colored_rank>{_RANK}|{_RANK_WORD})\b)"
    rf"|(?P<article>\b(?P<an>an?) (?P<article_rank>{_RANK_WORD})\b)"
    r"|(?P<word>(?<![A-Za-z])(?P<word_rank>ace|jack|queen|king|ten(?=s))(?P<plural>s?)(?![a-z]))"
    rf"|(?P<suit>(?<![A-Za-z])(?P<suit_name>{_SUIT})(?P<several>s?)(?![a-z]))"
    rf"|(?P<lone>[{SUIT_SIGNS}])"
    rf"|(?P<hue>\b(?:{_COLOR})\b)",
    re.IGNORECASE,
)


class Disguise:
    """Invented names for one game, which the seed determines.

    Args:
        seed: Seed of the names and of the order of the rules.
    """

    def __init__(self, seed: int) -> None:
        rng = np.random.default_rng(seed)
        self._order = rng.permutation(64)
        ranks = [INVENTED_RANKS[i] for i in rng.permutation(len(INVENTED_RANKS))]
        suits = [list(INVENTED_SUITS)[i] for i in rng.permutation(len(INVENTED_SUITS))]
        colors = [INVENTED_COLORS[i] for i in rng.permutation(2)]
        self._ranks, self._suits = ranks, suits
        self._colors = dict(zip(COLORS, colors, strict=True))
        letters = "".join(name[0] for name in suits)
        signs = "".join(INVENTED_SUITS[name] for name in suits)
        self._reading = re.compile(
            rf"(?<!\w)([{''.join(ranks)}])(?:-card)?(?: of |\s*)({'|'.join(suits)}|[{signs}]"
            rf"|[{letters}](?!\w))|(?<!\w)({'|'.join(suits)})(?!\w)",
            re.IGNORECASE,
        )
        self._letters, self._signs = letters, signs

    def hide(self, text: str) -> str:
        """Return a text with invented names."""
        return _PATTERN.sub(self._replace, text)

    def read(self, text: str) -> str:
        """Return an answer with invented names as one with ordinary names."""
        return self._reading.sub(self._restore, text)

    def shuffle(self, lines: Sequence[str]) -> list[str]:
        """Return lines in another order."""
        return [lines[i] for i in self._order if i < len(lines)]

    @property
    def glossary(self) -> str:
        """The invented names, as text for a player."""
        by_color: Callable[[int], str] = lambda red: " and ".join(  # noqa: E731
            name for name, is_red in zip(self._suits, _RED, strict=True) if is_red == red
        )
        signs = ", ".join(f"{name} ({INVENTED_SUITS[name]})" for name in self._suits)
        ranks = ", ".join(f"{rank} {number}" for number, rank in enumerate(self._ranks, 1))
        first = f"{self._ranks[4]}{INVENTED_SUITS[self._suits[0]]}"
        second = f"{self._ranks[4]}{self._suits[0][0]}"
        return (
            f"The cards have invented names. Suits: {signs}; {by_color(1)} are "
            f"{self._colors['red']}, {by_color(0)} are {self._colors['black']}. Ranks, with their "
            f"numbers: {ranks}. {first} and {second} are the same card, the {self._ranks[4]}-card "
            f"of {self._suits[0]}."
        )

    def _rank(self, name: str) -> str:
        name = name.lower()
        if name in RANK_WORDS:
            return self._ranks[RANK_WORDS.index(name)]
        return self._ranks[RANKS.index(name.upper().replace("10", "T"))]

    def _replace(self, match: re.Match[str]) -> str:
        found = match.groupdict()
        if found["full"]:
            suit = self._suits[SUIT_WORDS.index(f"{found['full_suit'].lower()}s")]
            return f"{self._rank(found['full_rank'])}-card of {suit}"
        if found["sign"]:
            suit = self._suits[SUIT_SIGNS.index(found["sign_suit"])]
            return self._rank(found["sign_rank"]) + INVENTED_SUITS[suit]
        if found["name"]:
            suit = self._suits[SUITS.index(found["name_suit"].lower())]
            return self._rank(found["name_rank"]) + suit[0]
        if found["run"]:
            if not set(found["run"]) & set("AJQK"):  # a row of numbers
                return found["run"]
            return re.sub(_RANK, lambda one: self._rank(one[0]), found["run"])
        if found["colored"]:
            color = self._color(found["color"])
            return f"{color} {self._rank(found['colored_rank'])}-card"
        if found["article"]:
            rank = self._rank(found["article_rank"])
            an = "an" if rank in _SOUNDS_LIKE_VOWEL else "a"
            return f"{_like(found['an'], an)} {rank}-card"
        if found["word"]:
            return f"{self._rank(found['word_rank'])}-card{found['plural']}"
        if found["suit"]:
            suit = self._suits[SUIT_WORDS.index(f"{found['suit_name'].lower()}s")]
            return _like(found["suit_name"], suit if found["several"] else suit[:-1])
        if found["lone"]:
            return INVENTED_SUITS[self._suits[SUIT_SIGNS.index(found["lone"])]]
        return self._color(found["hue"])

    def _color(self, name: str) -> str:
        return _like(name, self._colors[name.lower()])

    def _restore(self, match: re.Match[str]) -> str:
        rank, suit, alone = match.groups()
        if alone:
            return SUIT_WORDS[self._suits.index(alone.lower())]
        known = suit.lower()
        if known in self._suits:
            number = self._suits.index(known)
        else:
            number = self._signs.find(known) if known in self._signs else self._letters.index(known)
        return RANKS[self._ranks.index(rank.upper())] + SUITS[number]


def _like(model: str, word: str) -> str:
    """Return a word that begins with a capital if the model does."""
    return word[0].upper() + word[1:] if model[0].isupper() else word
