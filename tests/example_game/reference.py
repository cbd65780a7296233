"""Reference of Higher or Lower: slow and plain, written only from the text in README.md.

A card is a string such as "Th"; the deck is listed in dealing order. ``ACTIONS`` lists the words of
the text in the order of action numbers.
"""

from typing import Any

ACTIONS = ["HIGHER", "LOWER"]


def refused(options: dict[str, Any]) -> bool:
    """Whether the text forbids these options; missing ones are those of `classic`."""
    rules = {"lives": 3, "target": 12, "aces_high": False} | options
    if len(rules) > 3 or not isinstance(rules["aces_high"], bool):
        return True
    if not 1 <= rules["lives"] <= 9 or not 1 <= rules["target"] <= 51:
        return True
    return bool(rules["target"] + rules["lives"] > 52)


class HigherOrLower:
    """One game."""

    def __init__(self, deck: list[str], lives: int, target: int, aces_high: bool) -> None:
        self.order = "23456789TJQKA" if aces_high else "A23456789TJQK"
        self.turned, self.stock = deck[:1], deck[1:]
        self.target, self.lives_left, self.right = target, lives, 0

    @property
    def card(self) -> str:
        return self.turned[-1]

    @property
    def won(self) -> bool:
        return self.right == self.target

    @property
    def over(self) -> bool:
        return self.won or self.lives_left == 0

    def legal(self) -> set[int]:
        words = set() if self.over else {"HIGHER", "LOWER"}
        if self.card[0] == self.order[-1]:
            words.discard("HIGHER")
        if self.card[0] == self.order[0]:
            words.discard("LOWER")
        return {ACTIONS.index(word) for word in words}

    def unseen(self) -> list[int]:
        """Return the number of cards of each value in the stock, aces first."""
        return [sum(card[0] == value for card in self.stock) for value in "A23456789TJQK"]

    def step(self, action: int) -> None:
        assert action in self.legal()
        before = self.order.index(self.card[0])
        self.turned.append(self.stock.pop(0))
        after = self.order.index(self.card[0])
        came = "HIGHER" if after > before else "LOWER" if after < before else "EQUAL"
        if ACTIONS[action] == came:
            self.right += 1
        else:
            self.lives_left -= 1
