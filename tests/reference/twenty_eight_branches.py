"""Which branches of Twenty-Eight an action takes, by name, for tests that want to hit them all.

Those of the play are in `twenty_eight_branches_in_play`.
"""

import copy

from tests.reference.twenty_eight import PLAY, TRUMPS, Game
from tests.reference.twenty_eight_branches_in_play import branches_in_play
from tests.reference.twenty_eight_cards import BIDS, CARDS, PASS, REDEAL, SEVENTH, of_suit

NAMES = {60: "a suit", 61: "a suit", 62: "a suit", 63: "a suit", 65: "no trumps", 66: "reversed"}


def branches(game: Game, action: int) -> list[str]:
    """The names of the branches that this legal action takes. The game does not change."""
    after = copy.deepcopy(game)
    after.step(action)
    if game.phase == PLAY:
        return branches_in_play(game, after, action)
    if game.phase == TRUMPS:
        names = _of_making(game, action)
    else:
        of_call = {
            "auction": _of_auction,
            "double": _of_doubles,
            "redouble": _of_doubles,
            "set": _of_doubles,
            "second": _of_second,
            "single": _of_single,
        }
        names = of_call[game.phase](game, after, action)
    return names + _of_what_follows(game, after)


def who(game: Game, seat: int) -> str:
    """What the seat is to the highest bidder."""
    if seat == game.bidder:
        return "the bidder"
    return "his partner" if game.is_bidders_side(seat) else "an opponent"


# What is said


def _of_auction(game: Game, after: Game, action: int) -> list[str]:
    if action == REDEAL:
        return ["redeal demanded"]
    if action == PASS:
        names = ["pass", *["pass by the first of all"] * (not game.auction.calls)]
    else:
        names = _of_bid(game, BIDS[action])
    names += ["redeal not demanded"] * (REDEAL in game.legal())
    if after.phase == "auction":
        return names
    if after.bidder is None:
        return [*names, "void: all pass"]
    if after.number == game.options.highest_bid and action != PASS:
        return [*names, f"auction ends at {after.number}"]
    if game.options.one_bid and action != PASS:
        return [*names, "one_bid: the last to speak bids"]
    return [*names, "auction ends by passes" if action == PASS else "auction ends: forced dealer"]


def _of_bid(game: Game, number: int) -> list[str]:
    options = game.options
    if game.number is None:
        forced = "" if PASS in game.legal() else f", forced {options.forced}"
        after_passes = "after passes" if game.auction.calls else "at once"
        who_must = "dealer" if game.seat == game.dealer else "first speaker"
        exact = [f"forced_exact: the {who_must}"] * bool(options.forced_exact and forced)
        return [f"first bid {after_passes}{forced}", *exact]
    own = game.is_bidders_side(game.seat)
    names = [f"bid over {'partner' if own else 'opponent'}"]
    again = ("auction", game.seat) in [call[:2] for call in game.auction.calls]
    names += ["bid again"] * again
    names += ["one_bid: a bidder is not asked again"] * (
        options.one_bid and game.seat == game.dealer
    )
    names += ["bid after a pass"] * (("auction", game.seat, "pass") in game.auction.calls)
    first_round = [words for _, _, words in game.auction.calls[: options.players - 1]]
    names += ["bid over the forced dealer"] * (
        options.forced == "dealer" and set(first_round) == {"pass"} and game.bidder == game.dealer
    )
    if own and options.partner_min:
        names.append(
            "partner_min binds" if game.number + 1 < options.partner_min else "partner_min is met"
        )
    if options.match:
        numbers = [words for _, _, words in game.auction.calls if words != "pass"]
        may_match = min(game.legal() - {PASS}) == min(
            action for action, each in BIDS.items() if each == game.number
        )
        names += ["match: over a match"] * (len(numbers) > 1 and numbers[-1] == numbers[-2])
        names += ["match: may not match an earlier speaker"] * (not may_match)
        if may_match:
            names.append("match: higher though a match would do")
        if number == game.number:
            names[-1] = f"matched {'partner' if own else 'opponent'}"
    return names


def _of_doubles(game: Game, after: Game, action: int) -> list[str]:
    if action == PASS:
        over = after.phase not in ("double", "redouble", "set")
        return [f"no {game.phase}", *[f"nobody does {game.phase}"] * over]
    names = [f"{game.phase} by {who(game, game.seat)}"]
    if game.maker is not None and game.phase != "set":
        names.append(f"{game.phase} after trumps")
        names += ["double before the seventh is dealt"] * (
            game.strain is None and game.phase == "double"
        )
    first = not any(stage == game.phase for stage, _, _ in game.auction.calls)
    return [*names, *([] if first else [f"{game.phase} after a pass"])]


def _of_second(game: Game, after: Game, action: int) -> list[str]:
    if action == PASS:
        return ["second: pass", *["second: no bid"] * (after.phase not in ("second", TRUMPS))]
    number = game.number or 0
    names = [f"second: bid by {who(game, game.seat)}"]
    names += ["second: over a bid as high"] * (number >= game.options.second_auction)
    names += ["second: over a new bid"] * game.auction.raised
    names += ["second: over partner, partner_min higher"] * (
        game.is_bidders_side(game.seat) and BIDS[action] < game.options.partner_min
    )
    names += [f"second: a {'re' * (game.doubles - 1)}double goes"] * (game.doubles > 0)
    names += ["second: a set goes"] * (game.setter is not None and game.doubles == 2)
    names += ["second: ends at the highest bid"] * (BIDS[action] == game.options.highest_bid)
    return names


def _of_single(game: Game, after: Game, action: int) -> list[str]:
    if action == PASS:
        return ["no single", *["nobody declares single"] * (after.phase != "single")]
    names = [f"single by {who(game, game.seat)}, players {game.options.players}"]
    if game.face_down and game.maker is not None:
        whose = "own" if game.maker == game.seat else "partner's"
        other = game.side(game.maker) != game.side(game.seat)
        names.append(f"single: {'opponent' if other else whose} takes the card back")
    names += ["single: strain turned before"] * (game.strain == "r")
    names += ["single: doubled before"] * (game.doubles > 0)
    return names


# Trumps


def _of_making(game: Game, action: int) -> list[str]:
    anew = " anew" if game.all_dealt else ""
    if action == SEVENTH:
        return ["made: seventh"]
    if action in NAMES:
        return [f"made{anew}: {NAMES[action]}"]
    alone = len(of_suit(game.hands[game.seat], CARDS[action][1])) == 1
    return [f"laid{anew}", *["laid the only one of its suit"] * alone]


def _of_what_follows(game: Game, after: Game) -> list[str]:
    names = []
    if game.phase == "second" and after.phase == TRUMPS:
        apart = "a seventh" if game.options.trump_by == "suit" else "a card"
        names.append(f"anew: {apart} goes back" if game.face_down else "anew: a suit is forgotten")
        names += ["anew: by the same"] * (game.maker == after.bidder)
    if not game.all_dealt and after.all_dealt and game.options.second_auction and not after.void:
        held = "held" if after.phase == "second" else "not held, highest bid"
        names.append(f"second auction {held}, players {game.options.players}")
    if game.options.seventh_void and after.all_dealt and not game.all_dealt and after.laid:
        if after.void:
            return [*names, "void: the seventh alone"]
        names += ["seventh_void: not alone"] * (game.options.trump_by == "suit")
    if after.phase not in (PLAY, "over") or after.bidder is None:
        return names
    if after.void:
        return [*names, "void: opponents without trumps"]
    if game.options.void_without:
        single = after.single is not None
        at = "single" if single else "trumps with opponents" if after.trump else "no trumps"
        names.append(f"void_without: {at}")
    return names
