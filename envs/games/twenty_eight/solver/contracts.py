"""The contracts of an open deal: what each seat's side takes by each way to make trumps."""

from typing import Any

import numpy as np

from ....core.game import GAMES
from ....core.legal import list_actions
from ....core.solve import Contract
from ....core.upper_bound import make_position, play_actions
from ..rules import BID, LOWEST_BID, PACK_POINTS, PAIR_WORTH, PASS, Rules, label
from ..state import AUCTION, MAKING, OVER, PLAY
from .solve import solve


def list_contracts(
    deck_or_state: Any, rules: Rules, limit: int | None = None
) -> tuple[Contract, ...]:
    """Return every contract of a deal that nobody has bid on yet, all cards known to all.

    The bidder's seat and how it makes trumps, and the points that its side then takes in all, the
    pair counted: 4 more if its side comes to show it, 4 less if the others do. None where the limit
    of positions was met. Ways that void the hand are left out. Raises ValueError for a position in
    which somebody has spoken.
    """
    game = GAMES["twenty_eight"]
    start = make_position(game, rules, deck_or_state)
    if start["moves"][0] or start["shown"]["phase"][0] != AUCTION:
        raise ValueError("contracts: a deal is needed in which nobody has spoken")
    found = []
    for seat in range(rules.players):
        bid = speak_until(rules, start, MAKING, seat)
        for action in list_actions(bid["legal"][0]):
            made = speak_until(rules, play_actions(game, rules, bid, [action]), PLAY)
            if made["shown"]["phase"][0] == PLAY:
                points = solve(made, rules, limit=limit).score
                found.append(Contract(seat, label(action), points))
    return tuple(found)


def speak_until(rules: Rules, state: np.ndarray, phase: int, bidder: int = -1) -> np.ndarray:
    """Let the bidder bid what is highest and all others pass, up to a phase or the end.

    By rules with the pair it is the highest bid that is lowered and raised by all that a pair is
    worth.
    """
    game = GAMES["twenty_eight"]
    while state["shown"]["phase"][0] not in (phase, OVER):
        legal = list_actions(state["legal"][0])
        bids = state["turn"][0] == bidder and state["shown"]["phase"][0] == AUCTION
        action = PASS if PASS in legal else legal[0]  # who is forced to bid says the least
        if bids:
            found = [one for one in legal if BID <= one < PASS]
            full = BID + PACK_POINTS - PAIR_WORTH - LOWEST_BID
            action = next((one for one in found if rules.pair and one >= full), found[-1])
        state = play_actions(game, rules, state, [action])
    return state
