"""Invalid messages: some by hand, most by changing valid ones."""

import json
import random
from typing import Any

from parlour.page.messages import LONGEST, MESSAGES

GOOD: dict[str, dict[str, Any]] = {
    "hello": {"session": None},
    "new": {
        "game": "pyramid",
        "variant": "classic",
        "options": {"passes": "2"},
        "deal": 5,
        "winnable": False,
        "seat": None,
        "opponents": [],
    },
    "rules": {"game": "pyramid", "variant": "web", "options": {"passes": "2"}},
    "click": {"action": 3, "start": None},
    "why": {"item": "stock", "onto": None},
    "take_back": {},
    "restart": {},
    "next_hand": {},
    "review": {},
    "replay": {"number": 0},
    "advise": {"agent": "greedy"},
    "agent_move": {"agent": "greedy"},
}
WRONG = [
    *(True, -1, 1.5, 2**70, "", "x" * 300, "\x00", [], [1], {"a": 1}, [["greedy"]]),
    *({"passes": 2}, {"": "2"}, ["greedy"] * 40, [None], "__import__('os')", "../../etc"),
]
PLAIN = [
    *(
        '{"do": "hello", "\\ud83d": 1}',
        '{"do": "\\ud83d"}',
        '{"do": "hello", "session": "\\udfff"}',
    ),
    json.dumps({"do": "hello", "x" * 10_000: 1}),
    *("", "{", "null", "[]", "3", '"click"', "NaN", '{"do": NaN}', '{"do": null}', "\x00"),
    *('{"do": "click", "action": Infinity, "start": null}', "[" * 10_000, "x" * (LONGEST + 1)),
    *('{"do": ["click"]}', '{"do": "eval", "code": "1"}', '{"do": "Click"}', "{}"),
    json.dumps({"do": "new", **GOOD["new"], "options": {str(k): "1" for k in range(65)}}),
]


def malformed(n: int, seed: int = 0) -> list[str]:
    """Return ``n`` invalid messages."""
    rng, result = random.Random(seed), list(PLAIN)
    while len(result) < n:
        do = rng.choice(list(MESSAGES))
        fields = dict(GOOD[do])
        kind = rng.choice(("unknown", "missing", "wrong"))
        needed = [name for name, field in MESSAGES[do].items() if field.default is ...]
        if kind == "unknown":
            fields[rng.choice(("extra", "Action", "__class__", "do2"))] = rng.choice(WRONG)
        elif kind == "missing" and needed:
            del fields[rng.choice(needed)]
        elif kind == "wrong" and fields:
            name = rng.choice(list(fields))
            fields[name] = rng.choice([v for v in WRONG if not MESSAGES[do][name].fits(v)])
        else:
            continue
        result.append(json.dumps({"do": do, **fields}))
    return result[:n]
