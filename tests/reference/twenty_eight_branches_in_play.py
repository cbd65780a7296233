"""Which branches of the play of Twenty-Eight an action takes: see `twenty_eight_branches`."""

import copy

from tests.reference.twenty_eight import Game
from tests.reference.twenty_eight_cards import ASK, CARDS, RANKS, SHOW, of_suit
from tests.reference.twenty_eight_scores import STAKES, lowered, raised
from tests.reference.twenty_eight_tricks import Trick, may_show_pair


def branches_in_play(game: Game, after: Game, action: int) -> list[str]:
    """The names of the branches that this legal action of the play takes.

    after: the game after it.
    """
    if action == ASK:
        return _of_asking(game)
    if action == SHOW:
        return _of_pair(game)
    return _of_card(game, after, CARDS[action])


def _who(game: Game) -> str:
    if game.seat == game.bidder:
        return "the bidder"
    return "his partner" if game.is_bidders_side(game.seat) else "an opponent"


# Asking and showing


def _of_asking(game: Game) -> list[str]:
    trick, options = game.tricks[-1], game.options
    names = [f"ask {options.ask} by {_who(game)}"]
    names += [f"bidder_asks, ask {options.ask}"] * (
        options.bidder_asks and game.seat == game.bidder
    )
    names += [f"ask {options.ask} at {game.strain}"] * (game.strain in ("n", "r"))
    if game.trump is None:
        return names
    held = [*game.hands[game.seat]]
    if game.seat == game.bidder and game.face_down:
        held.append(game.face_down)
        names += [f"asker_trumps {options.asker_trumps}: bidder can follow now"] * (
            trick.suit_led() == game.trump
        )
    has = "has" if of_suit(held, game.trump) else "has no"
    names.append(f"asker {has} trump, asker_trumps {options.asker_trumps}")
    names += [f"ask where trumps are led, force {options.force}"] * (trick.suit_led() == game.trump)
    names += [f"ask after a trump was thrown, force {options.force}"] * any(
        card[1] == game.trump != trick.suit_led() for card in trick.cards()
    )
    names += ["ask after the bidder played"] * any(seat == game.bidder for seat, _ in trick.plays)
    return names


def _of_pair(game: Game) -> list[str]:
    number, options = game.number or 0, game.options
    own = game.is_bidders_side(game.seat)
    counts = lowered(number, options) if own else raised(number)
    names = [f"pair by {_who(game)}", "pair led" if not game.tricks[-1].plays else "pair followed"]
    names += ["pair at once after the trick of the showing"] * (
        len(game.tricks) > 1 and game.tricks[-2].shown_after is not None
    )
    if own and number < options.pair_from:
        names.append("pair: bid below pair_from")
    elif own:
        names.append(f"pair lowers by {number - counts}")
    else:
        names.append(f"pair raises by {counts - number}")
    names += ["pair: a bid of 29 stays"] * (not own and number == 29)
    return names


# Cards


def _of_card(game: Game, after: Game, card: str) -> list[str]:
    trick, options = game.tricks[-1], game.options
    led = trick.suit_led()
    names = ["lead" if led is None else "follow" if card[1] == led else "no follow"]
    names += ["pair not shown"] * may_show_pair(game)
    names += _of_shown(game, card) if game.shown else _of_hidden(game, card)
    if after.voids != game.voids:
        again = len(after.voids[game.seat]) > len(game.voids[game.seat]) and card == game.laid
        names.append("void again, the card played" if again else "void shown")
    if game.single is not None and len(trick.plays) == 0:
        names.append(f"single hand, players {options.players}")
    if after.shown and not game.shown:
        back = "as follower" if after.tricks[-1].plays else "as leader"
        what = "card" if options.trump_by == "card" else "seventh"
        names.append(f"last {what} shown {back}, force {options.force}")
    done = after.tricks[len(game.tricks) - 1]
    names += _of_taken(after, done) if done.winner is not None else []
    return names + (_of_end(after) if after.over else [])


def _of_hidden(game: Game, card: str) -> list[str]:
    trick, hand, is_bidder = game.tricks[-1], game.hands[game.seat], game.seat == game.bidder
    led = trick.suit_led()
    trumps = of_suit(hand, game.trump)
    if led is None:
        if not is_bidder:
            return ["trumps led by another, not shown"] * (card[1] == game.trump)
        if game.options.lead_secret and 0 < len(trumps) < len(hand):
            return [f"lead_secret: {'trumps' if card[1] == game.trump else 'another suit'} led"]
        names = ["bidder leads trumps, nothing else"] * (card[1] == game.trump)
        names += ["bidder may not lead trumps"] * (0 < len(trumps) < len(hand))
        return names + ["bidder not bound, no trumps"] * (game.trump is None)
    if card[1] == led:
        return []
    names = [f"did not ask: {'the bidder' if is_bidder else 'another'}, ask {game.options.ask}"]
    names += ["trump thrown, not shown"] * (card[1] == game.trump != led)
    names += ["bidder need not follow with the card apart"] * (
        is_bidder and game.face_down is not None and led == game.trump
    )
    return names


def _of_shown(game: Game, card: str) -> list[str]:
    trick, hand, options = game.tricks[-1], game.hands[game.seat], game.options
    led = trick.suit_led()
    if game.single is not None or led is None:
        return []
    trumps, names = of_suit(hand, game.trump), []
    if game.asked and game.seat == game.bidder and game.laid and options.play_shown:
        other = "other trumps, too" if len(trumps) > 1 else "no other trump"
        names.append(f"play_shown, {other}")
    if card == game.laid and trick.shown_after is not None and card[1] == led:
        names.append("the card that is back follows")
    if card[1] == led:
        return names
    if game.asked and trumps and card[1] != game.trump:
        names.append("asker plays no trump, though he has one")
    names += ["trumped"] * (card[1] == game.trump)
    if options.overtrump and trumps:
        names += _of_overtrump(game, card, trumps)
    return names


def _of_overtrump(game: Game, card: str, trumps: list[str]) -> list[str]:
    played = game.tricks[-1].trumps(game.trump)
    if not played:
        thrown = of_suit(game.tricks[-1].cards(), game.trump)
        return ["overtrump: thrown before, not to be beaten"] * bool(thrown)
    top = max(RANKS.index(other[0]) for other in played)
    beat = [other for other in trumps if RANKS.index(other[0]) > top]
    asks = game.asked and game.options.asker_trumps
    only = "asker " if asks else "only trumps " if trumps == game.hands[game.seat] else ""
    if card[1] != game.trump:
        return [f"overtrump: discards, {'could' if beat else 'could not'} beat"]
    if not beat:
        return [f"overtrump: {only}plays a lower one, cannot beat"]
    bound = len(beat) < len(trumps)
    return [f"overtrump: {only}beats{', bound' if bound else ''}"]


# Tricks


def _of_taken(after: Game, trick: Trick) -> list[str]:
    names = ["taken by a trump" if trick.trumps(after.trump) else "taken by the suit led"]
    names += ["taken by turned ranking"] * trick.turned
    if trick.shown_after is not None:
        names += _of_force(after, trick)
    if after.shown is False and after.trump is not None:
        other = copy.copy(trick)
        other.trumps_from = 0
        names += ["a thrown trump would have won"] * (other.best(after.trump) != trick.winner)
    return names


def _of_force(after: Game, trick: Trick) -> list[str]:
    """What `force` makes of the trick in which trumps are shown."""
    force = after.options.force
    other = copy.copy(trick)
    other.trumps_from = trick.shown_after if force == "whole" else 0
    other.turned = after.strain == "r" and force == "later"
    names = []
    if other.best(after.trump) != trick.winner:
        led = trick.suit_led() == after.trump
        what = "ranking" if after.strain == "r" else "trumps led" if led else "a trump thrown"
        names.append(f"force {force} matters: {what}")
    return names


# The end


def _of_end(after: Game) -> list[str]:
    options = after.options
    early = any(after.hands)
    if after.single is not None:
        made = "made" if max(after.scores) > 0 else "lost"
        doubled = ", doubled before" if after.doubles else ""
        names = [f"single {made}{', early' if early else ''}{doubled}"]
        return names + [f"single_lost {options.single_lost}"] * (made == "lost")
    if after.void:
        return [f"void: never shown, {'a suit' if after.trump else 'no trumps'}"]
    names = [] if after.shown else [f"never shown, plays, {options.trump_by}"]
    return names + _of_result(after, early)


def _of_result(after: Game, early: bool) -> list[str]:
    number, bidder, options = after.number or 0, after.bidder or 0, after.options
    counts, taken = after.counts or 0, after.points[after.side(bidder)]
    result = "made" if taken >= counts else "lost"
    level = [stake[0] for stake in STAKES[options.scoring] if stake[0] <= number][-1]
    names = [f"{result}, {options.scoring} from {level}", f"{result}, doubles {after.doubles}"]
    names += [f"{result}, set"] * (after.setter is not None and after.doubles == 2)
    if options.half_lost and result == "lost":
        names += [f"lost {'below half' if taken < number / 2 else 'at half or more'}"]
        names += ["lost early, half"] * early
    names += [f"{result} early{', pair' if options.pair else ''}"] * early
    stake = max(each[1] for each in STAKES[options.scoring] if each[0] <= number)
    names += [f"{result}, highest_stake {options.highest_stake} binds"] * (
        0 < options.highest_stake < stake
    )
    if options.auto_double and number >= options.auto_double:
        names.append(f"{result}, auto_double")
    winners = [trick.winner for trick in after.tricks if trick.winner is not None]
    sides = {after.is_bidders_side(winner) for winner in winners}
    if options.cot and len(sides) == 1:
        names.append(f"cot: {'all' if True in sides else 'no'} tricks won")
    names += ["made by the pair"] * (counts <= taken < number)
    names += ["lost by the pair"] * (number <= taken < counts)
    names += [f"{result} exactly"] * (taken in (counts, counts - 1))
    names += ["made by the last trick"] * bool(
        options.last_trick and not early and after.is_bidders_side(winners[-1]) and taken == counts
    )
    return [*names, f"{result}, players {options.players}"]
