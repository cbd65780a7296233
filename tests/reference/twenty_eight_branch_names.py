"""All branches of Twenty-Eight that `twenty_eight_branches` names, by the option that they hang on.

Those of no option are of `players`, which every hand has. `RARE` says by which options, and from
which of the special decks, those come up that random combinations hardly ever bring.
"""

from typing import Any

SEATS = (3, 4, 6)
WHO = ("the bidder", "his partner", "an opponent")
SWITCH = (False, True)
FORCE = ("later", "whole")

OPTIONS_HIT: dict[str, tuple[str, ...]] = {
    "players": (
        *(f"{result}, players {n}" for n in SEATS for result in ("made", "lost")),
        "lead",
        "follow",
        "no follow",
        "void shown",
        "taken by the suit led",
        "taken by a trump",
        "trumped",
        "a thrown trump would have won",
        "trump thrown, not shown",
        "trumps led by another, not shown",
        "bidder leads trumps, nothing else",
        "bidder may not lead trumps",
        "made exactly",
        "lost exactly",
    ),
    "min_bid": (
        "first bid at once",
        "first bid after passes",
        "bid over opponent",
        "bid over partner",
        "bid again",
        "pass",
        "auction ends by passes",
        "auction ends at 28",
    ),
    "forced": (
        "first bid at once, forced first",
        "first bid after passes, forced dealer",
        "auction ends: forced dealer",
        "pass by the first of all",
        "void: all pass",
    ),
    "partner_min": ("partner_min binds", "partner_min is met"),
    "match": (
        "matched opponent",
        "matched partner",
        "match: higher though a match would do",
        "match: may not match an earlier speaker",
        "match: over a match",
    ),
    "trump_by": (
        "laid",
        "laid the only one of its suit",
        "made: a suit",
        "bidder need not follow with the card apart",
        "the card that is back follows",
        "void again, the card played",
        *(f"last card shown as {how}, force {f}" for how in ("leader", "follower") for f in FORCE),
    ),
    "seventh": (
        "made: seventh",
        *(
            f"last seventh shown as {how}, force {f}"
            for how in ("leader", "follower")
            for f in FORCE
        ),
    ),
    "no_trumps": (
        "made: no trumps",
        "made: reversed",
        "ask may at n",
        "ask may at r",
        "ask must at n",
        "ask must at r",
        "bidder not bound, no trumps",
        "taken by turned ranking",
        "force later matters: ranking",
        "force whole matters: ranking",
    ),
    "second_auction": (
        *(f"second auction held, players {n}" for n in SEATS),
        *(f"second auction not held, highest bid, players {n}" for n in SEATS),
        *(f"second: bid by {who}" for who in WHO),
        "second: pass",
        "second: no bid",
        "second: over a bid as high",
        "second: over a new bid",
        "second: over partner, partner_min higher",
        "second: a double goes",
        "second: a redouble goes",
        "second: ends at the highest bid",
        "laid anew",
        "made anew: a suit",
        "made anew: no trumps",
        "made anew: reversed",
        "anew: a card goes back",
        "anew: a seventh goes back",
        "anew: a suit is forgotten",
        "anew: by the same",
    ),
    "ask": (
        *(f"ask {ask} by {who}" for ask in ("may", "must") for who in WHO),
        "did not ask: the bidder, ask may",
        "did not ask: the bidder, ask must",
        "did not ask: another, ask may",
        "ask after the bidder played",
    ),
    "asker_trumps": (
        *(f"asker {has} trump, asker_trumps {on}" for has in ("has", "has no") for on in SWITCH),
        *(f"asker_trumps {on}: bidder can follow now" for on in SWITCH),
        "asker plays no trump, though he has one",
    ),
    "force": (
        *(f"ask where trumps are led, force {f}" for f in FORCE),
        *(f"ask after a trump was thrown, force {f}" for f in FORCE),
        *(f"force {f} matters: trumps led" for f in FORCE),
        *(f"force {f} matters: a trump thrown" for f in FORCE),
    ),
    "never_shown": (
        "never shown, plays, card",
        "never shown, plays, suit",
        "void: never shown, a suit",
        "void: never shown, no trumps",
    ),
    "overtrump": (
        "overtrump: thrown before, not to be beaten",
        "overtrump: discards, could beat",
        "overtrump: discards, could not beat",
        *(
            f"overtrump: {who}{what}"
            for who in ("", "asker ", "only trumps ")
            for what in ("beats", "beats, bound", "plays a lower one, cannot beat")
        ),
    ),
    "pair": (
        *(f"pair by {who}" for who in WHO),
        "pair led",
        "pair followed",
        "pair not shown",
        "pair at once after the trick of the showing",
        *(f"pair lowers by {n}" for n in range(5)),
        *(f"pair raises by {n}" for n in range(5)),
        "made by the pair",
        "lost by the pair",
    ),
    "pair_from": ("pair: bid below pair_from",),
    "last_trick": ("auction ends at 29", "made by the last trick", "pair: a bid of 29 stays"),
    "early_end": ("made early", "lost early", "made early, pair", "lost early, pair"),
    "doubles": (
        "no double",
        "nobody does double",
        "double by an opponent",
        "double after a pass",
        "no redouble",
        "nobody does redouble",
        "redouble by the bidder",
        "redouble by his partner",
        "redouble after a pass",
        *(f"{result}, doubles {n}" for n in range(3) for result in ("made", "lost")),
    ),
    "single_hand": (
        "no single",
        "nobody declares single",
        *(f"single by {who}, players {n}" for n in SEATS for who in WHO if (n, who) != (3, WHO[1])),
        *(f"single hand, players {n}" for n in SEATS),
        *(f"single: {whose} takes the card back" for whose in ("own", "partner's", "opponent")),
        "single: strain turned before",
        "single: doubled before",
        *(
            f"single {end}{doubled}"
            for end in ("made", "lost", "lost, early")
            for doubled in ("", ", doubled before")
        ),
    ),
    "cot": ("cot: all tricks won", "cot: no tricks won"),
    "auto_double": ("made, auto_double", "lost, auto_double"),
    "scoring": tuple(
        f"{result}, {scoring} from {level}"
        for scoring, levels in {
            "one": (0,),
            "steps": (0, 20, 25),
            "graded": (0, 20, 24, 28),
        }.items()
        for level in levels
        for result in ("made", "lost")
    ),
    "void_without": (
        "void: opponents without trumps",
        "void_without: single",
        "void_without: trumps with opponents",
        "void_without: no trumps",
    ),
    "reentry": ("bid after a pass", "bid over the forced dealer"),
    "may_redeal": ("redeal demanded", "redeal not demanded"),
    "play_shown": ("play_shown, other trumps, too", "play_shown, no other trump"),
    "highest_stake": tuple(
        f"{result}, highest_stake {n} binds" for n in (2, 3) for result in ("made", "lost")
    ),
    "single_lost": ("single_lost 3", "single_lost 4"),
    "one_bid": ("one_bid: the last to speak bids", "one_bid: a bidder is not asked again"),
    "forced_exact": ("forced_exact: the first speaker", "forced_exact: the dealer"),
    "trumps_first": (
        "double after trumps",
        "redouble after trumps",
        "double before the seventh is dealt",
    ),
    "set_bid": (
        "set by an opponent",
        "set after a pass",
        "no set",
        "nobody does set",
        "made, set",
        "lost, set",
        "second: a set goes",
    ),
    "bidder_asks": tuple(f"bidder_asks, ask {ask}" for ask in ("may", "must")),
    "lead_secret": ("lead_secret: trumps led", "lead_secret: another suit led"),
    "half_lost": ("lost below half", "lost at half or more", "lost early, half"),
    "seventh_void": ("void: the seventh alone", "seventh_void: not alone"),
}
"""For each option the branches that it makes or that must come up under it."""
ALL = {branch for named in OPTIONS_HIT.values() for branch in named}
SELDOM = {
    *(f"ask after a trump was thrown, force {f}" for f in FORCE),
    *(f"asker_trumps {on}: bidder can follow now" for on in SWITCH),
    *(f"force {f} matters: a trump thrown" for f in FORCE),
    *(
        f"last {what} shown as {how}, force {f}"
        for what in ("card", "seventh")
        for how in ("leader", "follower")
        for f in FORCE
    ),
    *(branch for branch in OPTIONS_HIT["pair"] if branch[-1].isdigit()),
    "lost by the pair",
    "made by the pair",
    "made early, pair",
    "made, doubles 1",
    "made, graded from 20",
    "made, graded from 24",
    "made, graded from 28",
    "made, steps from 20",
    "made, steps from 25",
    *(f"overtrump: asker {what}" for what in ("beats", "beats, bound")),
    "overtrump: asker plays a lower one, cannot beat",
    "overtrump: only trumps beats, bound",
    "overtrump: thrown before, not to be beaten",
    "pair by the bidder",
    "pair not shown",
    "pair: a bid of 29 stays",
    *(f"single by the bidder, players {n}" for n in (3, 6)),
    "single by his partner, players 6",
    "single lost, doubled before",
    "single made",
    "single made, doubled before",
    "single: own takes the card back",
    "void: never shown, no trumps",
    "void: opponents without trumps",
    "bid over the forced dealer",
    *(f"play_shown, {what}" for what in ("other trumps, too", "no other trump")),
    *(f"made, highest_stake {n} binds" for n in (2, 3)),
    "double before the seventh is dealt",
    "redouble after trumps",
    *OPTIONS_HIT["set_bid"],
    *OPTIONS_HIT["seventh_void"],
    "lost early, half",
    "never shown, plays, card",
    "pair by his partner",
    "redeal demanded",
    "single by an opponent, players 3",
    "single: strain turned before",
}
"""Those that a few hundred random combinations need not bring."""

PAIR = {"pair": True, "trump_by": "suit", "ask": "must", "force": "whole"}
SEVENTH = {"trump_by": "suit", "seventh": True}
RARE: dict[str, dict[str, Any]] = {
    "last card shown as leader, force later": {"force": "later"},
    "last seventh shown as leader, force later": SEVENTH,
    "last seventh shown as leader, force whole": SEVENTH | {"force": "whole"},
    "last seventh shown as follower, force later": SEVENTH | {"force": "later"},
    "void: never shown, no trumps": {"trump_by": "suit", "no_trumps": True, "never_shown": "void"},
    "lost by the pair": PAIR,
    "made by the pair": PAIR | {"min_bid": 12},
    "pair lowers by 0": PAIR | {"min_bid": 18, "forced": "first"},
    "pair lowers by 1": PAIR | {"min_bid": 17, "forced": "first"},
    "pair lowers by 2": PAIR | {"min_bid": 17},
    "pair lowers by 3": PAIR | {"min_bid": 15},
    "pair raises by 0": PAIR | {"min_bid": 18},
    "pair raises by 1": PAIR | {"min_bid": 18},
    "pair raises by 2": PAIR | {"min_bid": 18},
    "pair raises by 3": PAIR | {"min_bid": 18},
    "pair: a bid of 29 stays": PAIR | {"min_bid": 18, "last_trick": 1},
    "made, graded from 24": {"scoring": "graded", "min_bid": 18},
    "asker_trumps True: bidder can follow now": {"force": "later"},
    "overtrump: asker plays a lower one, cannot beat": {"overtrump": True, "force": "whole"},
    "made, highest_stake 3 binds": {"scoring": "graded", "min_bid": 18, "highest_stake": 3},
}
"""Those that thousands of them need not bring either: the options by which they come up."""
