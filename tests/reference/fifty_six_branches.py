"""Which branches of Fifty-Six an action takes, by name, for tests that want to hit them all."""

import copy

from tests.reference.fifty_six import AUCTION, LAY, STRAIN, Game
from tests.reference.fifty_six_cards import (
    ASK,
    CARDS,
    DOUBLE,
    KEEPING,
    NUMBERS,
    PASS,
    REDOUBLE,
    STRAINS,
    STRAINS_FIRST,
    of_suit,
)
from tests.reference.fifty_six_scores import STAKES
from tests.reference.fifty_six_tricks import Trick

LED, BACK, ALONE = "as leader", "as follower", "nothing but the laid card left"


def branches(game: Game, action: int) -> list[str]:
    """The names of the branches that this legal action takes. The game does not change."""
    after = copy.deepcopy(game)
    after.step(action)
    if game.phase == AUCTION:
        names = _of_call(game, action)
    elif game.phase == STRAIN:
        names = _of_strain(game, action)
    elif game.phase == LAY:
        names = _of_laying(game, CARDS[action])
    elif action == ASK:
        names = _of_asking(game)
    else:
        names = _of_play(game, after, CARDS[action])
    if game.phase in (AUCTION, STRAIN, LAY):
        names += _of_trumps_made(game, after)
    if game.tricks and after.shown != game.shown and action != ASK:
        names.append(f"shown: {ALONE}, {BACK if after.tricks[-1].plays else LED}")
    return names + (_of_end(after) if after.over else [])


# The auction


def _of_call(game: Game, action: int) -> list[str]:
    if action in NUMBERS:
        return _of_bid(game, NUMBERS[action])
    own = game.bidder is not None and (game.seat - game.bidder) % 2 == 0
    if action == PASS:
        names = ["pass"]
        names += ["pass by the first speaker, not forced"] * (not game.calls)
        names += ["pass by the highest bidder, doubled"] * (game.seat == game.bidder)
        return names
    if action == DOUBLE:
        return ["double", *["double of a bid over a double"] * ("double" in _words(game))]
    assert action == REDOUBLE and own
    return ["redouble by the bidder" if game.seat == game.bidder else "redouble by another"]


def _of_strain(game: Game, action: int) -> list[str]:
    keeping = set(KEEPING) & game.legal()
    names = ["forms: no strain to keep"] * (game.options.bid_forms and not keeping)
    if action in STRAINS:
        return [*names, f"strain {STRAINS[action]}"]
    if action in STRAINS_FIRST:
        return [*names, f"strain first {STRAINS_FIRST[action]}"]
    before = [(seat, words) for seat, words in game.calls[:-1] if words[0].isdigit()]
    seat, words = before[-1]
    whose = "own" if seat == game.seat else "partner's"
    return [f"form {KEEPING[action]}, {whose} bid", *["form over no trumps"] * (words[2] == "n")]


def _of_bid(game: Game, number: int) -> list[str]:
    names = [f"bid from {_level(number)}", f"bid, trumps {game.options.trumps}"]
    names += ["bid after an own pass"] * ((game.seat, "pass") in game.calls)
    if not game.calls:
        return [*names, "first bid, forced" if game.options.forced else "first bid, not forced"]
    if game.bidder is None or game.contract is None:
        return [*names, "first bid after passes"]
    own = (game.seat - game.bidder) % 2 == 0
    names.append("bid over own side" if own else "bid over opponents")
    names += ["bid over own bid"] * (game.seat == game.bidder)
    names += ["bid over a double"] * (game.doubles == 1)
    if game.options.honours:
        same = _level(number) == _level(game.contract[0])
        names.append("honours: own side" if own else "honours: opponents")
        names += ["honours: opponents within the level"] * (not own and same)
        names += ["honours: own bid, doubled"] * (game.seat == game.bidder)
    return names


def _of_trumps_made(game: Game, after: Game) -> list[str]:
    if after.void:
        if after.bidder is None:
            return ["void: all pass"]
        return [f"void: opponents without trumps, {game.options.trumps}"]
    if game.phase != LAY and after.phase in (AUCTION, STRAIN):
        return []
    names = [] if game.phase == LAY else [_end_of_auction(after)]
    if after.phase == LAY:
        return names
    if not any(words[0].isdigit() for _, words in after.calls):
        names = []  # all have passed: see `_of_end`
    names.append("first leads" if after.seat == after.first else "bidder leads")
    names += ["first leads, not the bidder"] * (after.seat != after.bidder)
    if game.options.void_without:
        at_all = "trumps with opponents" if after.trump else "no trumps, nothing to judge"
        names.append(f"void_without: {at_all}")
    return names


def _end_of_auction(after: Game) -> str:
    if after.contract and after.contract[0] == 56:
        return "auction ends at 56"
    if after.doubles == 2:
        return "auction ends by a redouble"
    return "auction ends by passes after a double" if after.doubles else "auction ends by passes"


# Hidden trumps


def _of_laying(game: Game, card: str) -> list[str]:
    left = len(of_suit(game.hands[game.seat], card[1])) - 1
    twin = game.hands[game.seat].count(card) == 2
    return ["laid" if left else "laid, the only one of its suit", *["laid one of two"] * twin]


def _of_asking(game: Game) -> list[str]:
    trick, own = game.tricks[-1], (game.seat - (game.bidder or 0)) % 2 == 0
    who = "the bidder" if game.seat == game.bidder else ("his partner" if own else "an opponent")
    has = game.seat == game.bidder or of_suit(game.hands[game.seat], game.trump)
    names = [f"ask by {who}", f"asker {'has a trump' if has else 'has no trump'}"]
    names += [f"ask by {who}, trumps led"] * (trick.suit_led() == game.trump)
    names += ["asked after a trump was played"] * any(
        card[1] == game.trump for card in trick.cards()
    )
    has_played = any(seat == game.bidder for seat, _ in trick.plays)
    names += ["asked after the bidder played"] * has_played
    return names


def _of_hidden_play(game: Game, card: str) -> list[str]:
    trick, hand = game.tricks[-1], game.hands[game.seat]
    is_bidder, suit = game.seat == game.bidder, trick.suit_led()
    if game.shown:
        asked_by_other = is_bidder and trick.asker not in (None, game.seat)
        if not asked_by_other:
            return ["asker plays no trump"] if game.asked and card[1] != game.trump else []
        if card[1] != suit:
            return ["bidder must play the laid card", *["a choice taken"] * (len(set(hand)) > 1)]
        laid_follows = game.laid is not None and game.laid[1] == suit
        return ["bidder follows after the asking", *["the laid card follows"] * laid_follows]
    if suit is None and is_bidder:
        trumps = of_suit(hand, game.trump)
        names = ["bidder leads trumps, nothing else"] if card[1] == game.trump else []
        return names + ["bidder may not lead trumps"] * (0 < len(trumps) < len(hand))
    if suit is None:
        return ["trumps led by another, not shown"] * (card[1] == game.trump)
    names = ["did not ask"] if card[1] != suit else []
    names += ["trump thrown, not shown"] * (card[1] == game.trump != suit)
    names += ["bidder need not follow with the laid card"] * (
        is_bidder and suit == game.trump and card[1] != suit
    )
    return names


# Tricks


def _of_play(game: Game, after: Game, card: str) -> list[str]:
    trick = game.tricks[-1]
    names = [
        "lead" if not trick.plays else "follow" if card[1] == trick.suit_led() else "no follow"
    ]
    names += ["identical card in the trick"] * (card in trick.cards())
    if game.options.trumps == "hidden":
        names += _of_hidden_play(game, card)
    if game.shown and trick.plays and trick.suit_led() != game.trump and card[1] == game.trump:
        before = any(other[1] == game.trump for other in trick.cards())
        names.append("trumped after another" if before else "trumped")
    if game.voids[game.seat] != after.voids[game.seat]:
        grown = after.voids[game.seat] - game.voids[game.seat]
        is_again = game.trump in grown and card == game.laid
        names.append("void again, the laid card played" if is_again else "void shown")
    done = after.tricks[len(game.tricks) - 1]
    return names + (_of_taken(after, done) if done.winner is not None else [])


def _of_taken(after: Game, trick: Trick) -> list[str]:
    best = next(at for at, (seat, _) in enumerate(trick.plays) if seat == trick.winner)
    card, cards = trick.plays[best][1], trick.cards()
    how = "a trump" if after.shown and card[1] == after.trump else "the suit led"
    names = [f"taken by {how}"]
    names += ["taken by the first of two identical"] * (card in cards[best + 1 :])
    if after.contract and after.contract[1] == "n":
        names.append("taken at no trumps")
    if trick.shown_after is None:
        return names
    early = [other for other in cards[: trick.shown_after] if other[1] == after.trump]
    names += ["a trump from before the showing lost"] * bool(early)
    names += ["the second of two identical won, a trump"] * (card in cards[:best])
    led_trump = trick.suit_led() == after.trump
    names += ["trumps led, shown, the suit led won"] * (led_trump and best < trick.shown_after)
    names += ["trumps led, shown, a later one won"] * (led_trump and best >= trick.shown_after)
    return names


# The end


def _of_end(after: Game) -> list[str]:
    if after.void or after.contract is None or after.bidder is None:
        return []
    number, taken = after.contract[0], after.points[after.bidder % 2]
    result = "made" if taken >= number else "lost"
    doubled = f"{after.doubles} {after.options.doubling}" if after.doubles else "0"
    names = ["six each"] * after.options.six_each
    if not any(words[0].isdigit() for _, words in after.calls):
        return [*names, f"all pass, no trumps, {after.options.trumps}: {result}"]
    names += [f"{result} from {_level(number)}, doubles {doubled}"]
    names += [f"{result}, redouble_times {after.options.redouble_times}"] * (
        after.doubles == 2 and after.options.doubling == "times"
    )
    names += ["made with no point over"] * (taken == number)
    names += ["lost by one point"] * (taken == number - 1)
    if after.options.trumps == "hidden":
        asked = any(trick.asker is not None for trick in after.tricks)
        names.append("shown by asking" if asked else "shown at the last card")
    return names


def _level(number: int) -> int:
    return [stake[0] for stake in STAKES if stake[0] <= number][-1]


def _words(game: Game) -> list[str]:
    return [words for _, words in game.calls]
