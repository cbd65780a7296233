"""Twenty-Eight and Twenty-Nine: the explanation, the prompts and the refusals."""

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
    DOUBLING,
    LOWEST_BID,
    LOWEST_RANK,
    MAKING,
    PACK_POINTS,
    PASS,
    PLAY,
    RANK_ORDER,
    RANKS,
    REDEAL,
    REDOUBLING,
    SHOW,
    SINGLE_WORTH,
    SINGLES,
    Ask,
    NeverShown,
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
    "reentry": "You may bid again after a pass, or demand a redeal of a pointless first hand.",
    "kerala": "Two auctions, bids after a pass, and a bidder that shows its card must play it.",
    "club": "Tournament rules for six: bids from 20 on score 2, a lost single hand costs 4.",
}
NINE_VARIANT_NOTES = {
    "classic": "The last trick counts 1: 29 points. The usual game.",
    "sixteen": "Bids begin at 16.",
    "bangladesh": "Bids begin at 16, with doubles, single hands and void hands.",
    "seventh": "The bidder may choose the suit of the seventh card as trumps.",
    "no-trumps": "The bidder may choose to play without trumps.",
    "must-trump": "A seat that asked for trumps must play one.",
    "match": "An earlier speaker may hold the bid with an equal one.",
    "full": "With doubles, single hands and the seventh card; bids from 21 count double.",
    "no-last-trick": "The last trick counts nothing: 28 points, and bids up to 28.",
    "open-lead": "28 points; the bidder may lead trumps while they are secret.",
    "set": "28 points; a redoubled bid can be set, and a lone seventh card voids the hand.",
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
    none = "The bidder may also choose no trumps, or no trumps with the ranks reversed."
    seventh = "The bidder may instead take the suit of its seventh card, which is not dealt yet."
    oblige = ", and you must play one if you can" if rules.asker_trumps else ""
    verb = "must" if rules.ask == Ask.MUST else "may"
    if rules.reentry:
        final = f" {BID_AGAIN}"
    elif rules.one_bid:
        final = " Each seat speaks once."
    else:
        final = "" if rules.second_auction else " A pass is final."
    # Six players get all cards before the auction.
    first = "four cards" if rules.players < 6 else "the deal"
    rest = " Then all get their other cards." if rules.players < 6 else ""
    second = (
        f"Then each seat may make a second bid of at least {int(rules.second_auction)}. The "
        "highest second bid replaces the earlier bid and trumps."
    )
    redeal = (
        "The first speaker may show its cards and demand a redeal at its first turn if they have "
        "no points. The hand then scores 0."
    )
    plays_shown = rules.play_shown and (rules.trump_by == TrumpBy.CARD or rules.seventh)
    bidder_asks = "must ask, too" if rules.bidder_asks else "may ask, too"
    joint = "and then" if rules.bidder_asks else "but must then"
    shown = f"{joint} play the face-down card"
    bidder = f"A bidder that cannot follow suit {bidder_asks}{f', {shown}' if plays_shown else ''}."
    lead = "Until trumps are shown, the bidder leads them only if it has no other suit."
    alone = (
        "The hand is void if the bidder chose the seventh card and has no other card with points "
        "in its suit."
    )
    no_defence = "The hand is void if the bidder's opponents have no trumps."
    never = "If nobody asks for trumps, the hand is void."
    over = "If you play a trump after trumps are shown, it must beat those in the trick if it can."
    pair = (
        "A seat with king and queen of shown trumps may show them once its side has won a trick "
        "since: the bidder's side then needs 4 points less, or else 4 more."
    )
    when = "Once trumps are chosen" if rules.trumps_first else "After the auction"
    doubles = (
        f"{when}, the opponents may double the score. The bidder's side may then redouble it"
        f"{', and the opponents set it: it counts 6 times' if rules.set_bid else ''}."
    )
    return [
        AIM,
        tell_ranking(RANK_ORDER[int(LOWEST_RANK[rules.players]) :]),
        f"{POINTS[:-1]}{last}: {total} in all.",
        f"{sides} After {first}, bid the points that your side will take, or pass.{final}",
        *([redeal] if rules.may_redeal else []),
        f"{secret}.{rest}",
        *([seventh] if rules.seventh else []),
        *([none] if rules.no_trumps else []),
        *([alone] if rules.seventh and rules.seventh_void else []),
        *([no_defence] if rules.void_without else []),
        *([doubles] if rules.doubles else []),
        *([second] if rules.second_auction else []),
        TRICK if rules.lead_secret else f"{TRICK} {lead}",
        FOLLOW,
        f"If you cannot follow suit, you {verb} ask for trumps: all see them{oblige}. "
        "Until then trumps are a suit like any other.",
        *([over] if rules.overtrump else []),
        *([never] if rules.never_shown == NeverShown.VOID else []),
        *([bidder] if plays_shown or rules.bidder_asks else []),
        *([_tell_single(rules)] if rules.single_hand else []),
        _tell_score(rules),
        *_tell_doubled(rules),
        *([pair] if rules.pair else []),
    ]


def _tell_score(rules: Rules) -> str:
    opposite = "The others share the opposite." if rules.players == 3 else OPPOSITE
    levels = {
        Scoring.ONE: ["1"],
        Scoring.STEPS: ["1", "from 20 on 2", "from 25 on 3"],
        Scoring.GRADED: ["1", "from 20 on 2", "from 24 on 3", "with 28 4"],
    }[Scoring(int(rules.scoring))]
    score = ", ".join(levels[: int(rules.highest_stake) or None])
    lost = (
        ", and missing it costs 1" if rules.scoring == Scoring.ONE else "; missing it costs 1 more"
    )
    half = ", and double below half of it" if rules.half_lost else ""
    return f"Score: taking the bid scores {score}{lost}{half}. {opposite}"


def _tell_doubled(rules: Rules) -> list[str]:
    cases = [f"the bid is {int(rules.auto_double)} or more"] if rules.auto_double else []
    cases += ["the bidder's side takes all tricks"] if rules.cot else []
    return [f"The score counts double if {', and if '.join(cases)}."] if cases else []


def _tell_single(rules: Rules) -> str:
    return (
        "Before the first trick, a seat may declare that it plays alone, without trumps and "
        f"without its partners. Taking all tricks scores {SINGLE_WORTH}, and losing one costs "
        f"{int(rules.single_lost)}."
    )


def prompt(s: Any, rules: Rules, selected: Sequence[int] = ()) -> str:
    """Return what the person can do now; see `contract.Prompt`."""
    if waiting := wait_for(s):
        return waiting
    legal, phase = list_own_actions(s), int(s["shown"]["phase"])
    offers = {
        DOUBLING: "Double the stake, or pass.",
        REDOUBLING: "Redouble the stake, or pass.",
        SINGLES: "Play alone for all tricks, or pass.",
    }
    if phase == DOUBLING and s["shown"]["doubled"]:
        return "Set the bid, or pass. The score of a set bid counts 6 times."
    if phase in offers:
        return offers[phase]
    if phase == MAKING:
        if rules.trump_by == TrumpBy.CARD:
            return "Lay a card face down: its suit is trumps."
        return "Name the trump suit. It stays secret."
    if phase == PLAY:
        cards = [action for action in legal if action < CARDS]
        text = prompt_cards(s, cards, ASK in legal, RANKS)
        if ASK in legal and cards and rules.play_shown and s["card"] and _is_bidder(s):
            return f"{text} If you ask, you must play your face-down card."
        return f"{text} You may show your pair first." if SHOW in legal else text
    bids = [action - BID + LOWEST_BID for action in legal if BID <= action < PASS]
    words = {REDEAL: "demand a redeal", PASS: "pass"}
    others = [word for action, word in words.items() if action in legal]
    return prompt_bid(bids, others, not s["seats"]["passed"].any())


def _is_bidder(s: Any) -> bool:
    return bool(s["viewer"] == s["bidder"])


def refusal(s: Any, rules: Rules, item: Item, onto: Item | None = None) -> str:
    """Return why a card cannot be played; see `contract.Refusal`."""
    return refuse_card(s, item, onto, CODES, ASK in list_own_actions(s), prompt(s, rules))
