"""Fifty-Six: what a person reads to play, namely the explanation, the prompts and the refusals."""

from collections.abc import Sequence
from typing import Any

from ...core.scene.items import Item
from ..bidding.guide import (
    AIM,
    BID_AGAIN,
    FOLLOW,
    OPPOSITE,
    POINTS,
    TRICK,
    list_own_actions,
    prompt_bid,
    prompt_cards,
    refuse_card,
    tell_ranking,
    wait_for,
)
from .rules import (
    ASK,
    BID,
    CARDS,
    CODES,
    DOUBLE,
    LAYING,
    LOWEST_BID,
    NAMING,
    PASS,
    PLAY,
    PLUS,
    RANK_ORDER,
    RANKS,
    REDOUBLE,
    STRAIN,
    AllPass,
    Doubling,
    Rules,
    Trumps,
    read_lowest_rank,
)

VARIANT_NOTES = {
    "classic": "Six players in two sides; a bid names its trumps. The usual game.",
    "international": "A double adds 1 stake, and a redouble 2.",
    "four": "Four players with 32 cards, eight each.",
    "four-long": "Four players with 48 cards, twelve each.",
    "eight": "Eight players in two sides.",
    "passed-out": "Nobody must bid; if all pass, the first speaker plays 28 in no trumps.",
    "eight-short": "Eight players with 48 cards, six each.",
    "forms": "International stakes; bids are said in forms that tell partners more.",
    "hidden": "Bids are numbers only, and the bidder lays a secret trump card.",
}


FORMS = [
    "You may name trumps before or after the number. If your side holds the highest bid, you may "
    "instead say plus, noes or pass with the number: its trumps stay.",
    "These forms count the same; partners may agree on their meaning, and all seats hear them.",
]


def how_to_play(rules: Rules) -> list[str]:
    """Return the explanation of the game; see `contract.HowToPlay`."""
    lowest = read_lowest_rank(rules)
    partners = {4: "a partner", 6: "two partners", 8: "three partners"}[int(rules.players)]
    if rules.trumps == Trumps.OPEN:
        bid = "Bid a number, then its trumps (a suit, or none), or pass."
        last = f"{BID_AGAIN} The auction ends when all others have passed after a bid."
    else:
        bid = "Bid a number, or pass. The highest bidder lays a secret trump card face down."
        last = (
            "If you cannot follow suit, you may ask for trumps, and must then play one if you can."
        )
    passed = "If all pass, the first speaker plays with a bid of 28 in no trumps."
    return [
        AIM,
        f"{tell_ranking(RANK_ORDER[lowest:])[:-1]}, and every card occurs twice.",
        f"{POINTS[:-1]}: 56 in all.",
        f"You play with {partners}; the sides alternate around the table. {bid}",
        last,
        *(FORMS if rules.bid_forms and rules.trumps == Trumps.OPEN else []),
        *([passed] if not rules.forced and rules.all_pass == AllPass.NO_TRUMPS else []),
        TRICK,
        FOLLOW,
        "Of two identical cards in a trick, the first one ranks higher.",
        "Score: taking the bid scores 1, from 40 on 2, from 48 on 3, with 56 4; "
        f"missing it costs 1 more. {OPPOSITE}",
        *([_tell_doubles(rules)] if rules.doubling != Doubling.NONE else []),
    ]


def _tell_doubles(rules: Rules) -> str:
    effect = {
        Doubling.ADD: "A double adds 1 to the score, a redouble 2",
        Doubling.TIMES: "A double multiplies the score by 2, a redouble by "
        f"{int(rules.redouble_times)}",
    }[Doubling(int(rules.doubling))]
    return (
        "An opponent may double the highest bid, and then the bidder's side may redouble. "
        f"{effect}. A higher bid cancels both."
    )


def prompt(s: Any, rules: Rules, selected: Sequence[int] = ()) -> str:
    """Return what the person can do now; see `contract.Prompt`."""
    if waiting := wait_for(s):
        return waiting
    legal, phase = list_own_actions(s), int(s["shown"]["phase"])
    if phase == NAMING:
        return (
            "Name the trumps of your bid, or no trumps."
            if PLUS not in legal
            else (
                "Name the trumps of your bid, or keep those of your side with plus, noes or a pass."
            )
        )
    if phase == LAYING:
        return "Lay a card face down: its suit is trumps."
    if phase == PLAY:
        cards = [action for action in legal if action < CARDS]
        return prompt_cards(s, cards, ASK in legal, RANKS)
    bids = [action - BID + LOWEST_BID for action in legal if BID <= action < STRAIN]
    words = {DOUBLE: "double", REDOUBLE: "redouble", PASS: "pass"}
    others = [word for action, word in words.items() if action in legal]
    return prompt_bid(bids, others, is_first=True)  # only the first speaker must bid


def refusal(s: Any, rules: Rules, item: Item, onto: Item | None = None) -> str:
    """Return why a card cannot be played; see `contract.Refusal`."""
    return refuse_card(s, item, onto, CODES, ASK in list_own_actions(s), prompt(s, rules))
