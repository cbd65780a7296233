"""Twenty-Eight and Twenty-Nine: the explanation, the prompts and the refusals."""

from collections.abc import Sequence
from typing import Any

from ...core.scene.items import Item
from ..bidding.guide import (
    AIM,
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
    DOUBLING,
    LOWEST_BID,
    LOWEST_RANK,
    MAKING,
    PACK_POINTS,
    PASS,
    PLAY,
    RANK_ORDER,
    RANKS,
    REDOUBLING,
    SHOW,
    SINGLES,
    Ask,
    Rules,
    Scoring,
    TrumpBy,
)

VARIANT_NOTES = {
    "classic": "Four players in two sides; bids from 14. The usual game.",
    "book": "A second auction from 24, and higher stakes for higher bids.",
    "graded": "The stakes rise with the bid, from 1 to 4.",
    "second-bid": "A second auction from 23 after all cards are dealt.",
    "cot": "Winning all tricks doubles the score.",
    "pair": "Showing king and queen of trumps changes the target.",
    "three": "Three players; the bidder plays alone.",
    "six": "Six players in two sides; bids from 16.",
}
NINE_VARIANT_NOTES = {
    "classic": "The last trick counts 1: 29 points. The usual game.",
    "sixteen": "Bids begin at 16.",
    "bangladesh": "Bids begin at 16, with doubles and single hands.",
    "seventh": "The bidder may choose the suit of the seventh card as trumps.",
    "no-trumps": "The bidder may choose to play without trumps.",
    "must-trump": "A seat that asked for trumps must play one.",
    "match": "An earlier speaker may hold the bid with an equal one.",
    "full": "With doubles, single hands and the seventh card; bids from 21 count double.",
}


def how_to_play(rules: Rules) -> list[str]:
    """Return the explanation of the game; see `contract.HowToPlay`."""
    total = PACK_POINTS + int(rules.last_trick)
    last = ", and the last trick 1" if rules.last_trick else ""
    sides = "The bidder plays alone." if rules.players == 3 else "You play with a partner"
    sides = {3: sides, 4: f"{sides} opposite.", 6: "You play with two partners."}[rules.players]
    secret = (
        "The highest bidder lays a card face down: its suit is trumps, but secret. The card stays "
        "there until trumps are shown"
        if rules.trump_by == TrumpBy.CARD
        else "The highest bidder names a trump suit in secret"
    )
    oblige = ", and you must play one if you can" if rules.asker_trumps else ""
    verb = "must" if rules.ask == Ask.MUST else "may"
    final = "" if rules.second_auction else " A pass is final."
    # Six players get all cards before the auction.
    first = "four cards" if rules.players < 6 else "the deal"
    rest = " Then all get their other cards." if rules.players < 6 else ""
    pair = (
        "A seat with king and queen of shown trumps may show them once its side has won a trick "
        "since: the bidder's side then needs 4 points less, or else 4 more."
    )
    return [
        AIM,
        tell_ranking(RANK_ORDER[int(LOWEST_RANK[rules.players]) :]),
        f"{POINTS[:-1]}{last}: {total} in all.",
        f"{sides} After {first}, bid the points that your side will take, or pass.{final}",
        f"{secret}.{rest}",
        f"{TRICK} Until trumps are shown, the bidder leads them only if it has no other suit.",
        FOLLOW,
        f"If you cannot follow suit, you {verb} ask for trumps: all see them{oblige}. "
        "Until then trumps are a suit like any other.",
        _tell_score(rules),
        *([pair] if rules.pair else []),
    ]


def _tell_score(rules: Rules) -> str:
    opposite = "The others share the opposite." if rules.players == 3 else OPPOSITE
    scores = {
        Scoring.ONE: "1, and missing it costs 1",
        Scoring.STEPS: "1, from 20 on 2, from 25 on 3; missing it costs 1 more",
        Scoring.GRADED: "1, from 20 on 2, from 24 on 3, with 28 4; missing it costs 1 more",
    }
    score = scores[Scoring(int(rules.scoring))]
    return f"Score: taking the bid scores {score}. {opposite}"


def prompt(s: Any, rules: Rules, selected: Sequence[int] = ()) -> str:
    """Return what the person can do now; see `contract.Prompt`."""
    if waiting := wait_for(s):
        return waiting
    legal, phase = list_own_actions(s), int(s["shown"]["phase"])
    others = {
        DOUBLING: "Double the stake, or pass.",
        REDOUBLING: "Redouble the stake, or pass.",
        SINGLES: "Play alone for all tricks, or pass.",
    }
    if phase in others:
        return others[phase]
    if phase == MAKING:
        if rules.trump_by == TrumpBy.CARD:
            return "Lay a card face down: its suit is trumps."
        return "Name the trump suit. It stays secret."
    if phase == PLAY:
        cards = [action for action in legal if action < CARDS]
        text = prompt_cards(s, cards, ASK in legal, RANKS)
        return f"{text} You may show your pair first." if SHOW in legal else text
    bids = [action - BID + LOWEST_BID for action in legal if BID <= action < PASS]
    is_first = not s["seats"]["passed"].any()
    return prompt_bid(bids, ["pass"] if PASS in legal else [], is_first)


def refusal(s: Any, rules: Rules, item: Item, onto: Item | None = None) -> str:
    """Return why a card cannot be played; see `contract.Refusal`."""
    return refuse_card(s, item, onto, CODES, ASK in list_own_actions(s), prompt(s, rules))
