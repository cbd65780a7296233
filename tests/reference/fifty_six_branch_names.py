"""All branches of Fifty-Six that `fifty_six_branches` names, by the option that they hang on.

Those of no option are of `players`, which every hand has. `RARE` says by which options those come
up that random combinations hardly ever bring.
"""

from typing import Any

LEVELS = (28, 40, 48, 56)
WHOSE = ("own", "partner's")
WHO = ("the bidder", "his partner", "an opponent")

OPTIONS_HIT: dict[str, tuple[str, ...]] = {
    "players": (
        *(f"bid from {level}" for level in LEVELS),
        *(f"strain {strain}" for strain in "cdhsn"),
        *(f"{result} from {level}, doubles 0" for result in ("made", "lost") for level in LEVELS),
        "pass",
        "bid over own side",
        "bid over opponents",
        "bid over own bid",
        "bid after an own pass",
        "auction ends by passes",
        "auction ends at 56",
        "lead",
        "follow",
        "no follow",
        "void shown",
        "trumped",
        "trumped after another",
        "taken by a trump",
        "taken by the suit led",
        "taken at no trumps",
        "made with no point over",
        "lost by one point",
    ),
    "small_pack": ("identical card in the trick", "taken by the first of two identical"),
    "trumps": (
        "bid, trumps open",
        "bid, trumps hidden",
        "laid",
        "laid one of two",
        "laid, the only one of its suit",
        *(f"ask by {who}{led}" for who in WHO for led in ("", ", trumps led")),
        "asker has a trump",
        "asker has no trump",
        "asker plays no trump",
        "asked after a trump was played",
        "asked after the bidder played",
        "did not ask",
        "bidder follows after the asking",
        "the laid card follows",
        "bidder must play the laid card",
        "a choice taken",
        "bidder leads trumps, nothing else",
        "bidder may not lead trumps",
        "bidder need not follow with the laid card",
        "trump thrown, not shown",
        "trumps led by another, not shown",
        "trumps led, shown, a later one won",
        "trumps led, shown, the suit led won",
        "a trump from before the showing lost",
        "the second of two identical won, a trump",
        "void again, the laid card played",
        "shown by asking",
        "shown at the last card",
        "shown: nothing but the laid card left, as leader",
        "shown: nothing but the laid card left, as follower",
    ),
    "forced": (
        "first bid, forced",
        "first bid, not forced",
        "first bid after passes",
        "pass by the first speaker, not forced",
        "void: all pass",
    ),
    "honours": (
        "honours: own side",
        "honours: opponents",
        "honours: opponents within the level",
        "honours: own bid, doubled",
    ),
    "leader": ("first leads", "first leads, not the bidder", "bidder leads"),
    "doubling": (
        "double",
        "double of a bid over a double",
        "bid over a double",
        "pass by the highest bidder, doubled",
        "redouble by the bidder",
        "redouble by another",
        "auction ends by a redouble",
        "auction ends by passes after a double",
        *(
            f"{result} from {level}, doubles {doubles} {how}"
            for result in ("made", "lost")
            for level in LEVELS[:-1]  # at 56 the auction is over
            for doubles in (1, 2)
            for how in ("add", "times")
        ),
    ),
    "void_without": (
        "void: opponents without trumps, open",
        "void: opponents without trumps, hidden",
        "void_without: trumps with opponents",
        "void_without: no trumps, nothing to judge",
    ),
    "all_pass": tuple(
        f"all pass, no trumps, {trumps}: {result}"
        for trumps in ("open", "hidden")
        for result in ("made", "lost")
    ),
    "six_each": ("six each",),
    "bid_forms": (
        *(f"strain first {strain}" for strain in "cdhsn"),
        *(f"form {form}, {whose} bid" for form in ("plus", "noes", "pass") for whose in WHOSE),
        "form over no trumps",
        "forms: no strain to keep",
    ),
    "redouble_times": tuple(
        f"{result}, redouble_times {n}" for n in (3, 4) for result in ("made", "lost")
    ),
}
"""For each option the branches that it makes or that must come up under it."""
ALL = {branch for named in OPTIONS_HIT.values() for branch in named}
SELDOM = {
    *(branch for branch in OPTIONS_HIT["doubling"] if branch.startswith(("made", "lost"))),
    "lost by one point",
    "the second of two identical won, a trump",
    "void: opponents without trumps, open",
    "void: opponents without trumps, hidden",
    "void_without: no trumps, nothing to judge",
    *OPTIONS_HIT["all_pass"],
    *OPTIONS_HIT["redouble_times"],
    *OPTIONS_HIT["bid_forms"],
    "made from 48, doubles 0",
}
"""Those that a few hundred random combinations need not bring."""

WITHOUT = {"void_without": True, "players": 4, "doubling": "none"}
FORMS = {"bid_forms": True, "players": 4}
RARE: dict[str, dict[str, Any]] = {
    **{
        f"{result} from 48, doubles {doubles} {how}": {"doubling": how}
        for result in ("made", "lost")
        for doubles in (1, 2)
        for how in ("add", "times")
    },
    **{
        branch: FORMS | {"doubling": "add" if "own" in branch else "none"}  # over a double
        for branch in OPTIONS_HIT["bid_forms"]
        if branch.startswith("form ")
    },
    "void: opponents without trumps, open": WITHOUT,
    "void: opponents without trumps, hidden": WITHOUT | {"trumps": "hidden", "leader": "bidder"},
}
"""Those that thousands of them need not bring either: the options by which they come up."""
