"""Invalid command lines give one line on stderr and exit status 2."""

import itertools
import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from parlour.training.cli import main
from tests.marks import slow_if

OWN = """
import sys
import numpy as np

class First:
    def act(self, turn):
        return turn.masks.argmax(axis=1)

class Wants(First):
    def __init__(self, depth, seed):
        pass

class Fails(First):
    def __init__(self):
        raise RuntimeError("two\\nlines \\x1b[31m")

class Leaves(First):
    def __init__(self):
        sys.exit(0)

class NoAct:
    pass

class Text:
    act = "no method"

def function(turn):
    return turn.masks.argmax(axis=1)

class Numbered(First):
    name = 7
class Nameless(First):
    name = ""
class Blank(First):
    name = "  "
class TwoLines(First):
    name = "one\\ntwo"
class Coloured(First):
    name = "\\x1b[31mred"
class Endless(First):
    name = "x" * 81
class Half(First):
    name = "\\ud800"
class SeesOne(First):
    sees_all = 1
class SeesText(First):
    sees_all = "no"
class SeesNothing(First):
    sees_all = None

class Raises(First):
    def act(self, turn):
        raise RuntimeError("first line\\nsecond line\\x07")
class Quits(First):
    def act(self, turn):
        sys.exit(0)
class QuitsWithText(First):
    def act(self, turn):
        sys.exit("bye")
class Generates(First):
    def act(self, turn):
        raise GeneratorExit
class Forgets(First):
    def act(self, turn):
        pass
class Floats(First):
    def act(self, turn):
        return turn.masks.argmax(axis=1) * 1.0
class NaN(First):
    def act(self, turn):
        return np.full(len(turn.masks), np.nan)
class Bools(First):
    def act(self, turn):
        return turn.masks.any(axis=1)
class Shape(First):
    def act(self, turn):
        return turn.masks
class Scalar(First):
    def act(self, turn):
        return 0
class Words(First):
    def act(self, turn):
        return ["DEAL"] * len(turn.masks)
class Huge(First):
    def act(self, turn):
        return [2**70] * len(turn.masks)
class Large(First):
    def act(self, turn):
        return np.full(len(turn.masks), 2**63, np.uint64)
class Negative(First):
    def act(self, turn):
        return np.full(len(turn.masks), -1)
class Ragged(First):
    def act(self, turn):
        return [[0], [0, 1]] * len(turn.masks)
class Recurses(First):
    def act(self, turn):
        return self.act(turn)
class Prints(First):
    def act(self, turn):
        print("noise")
        raise ValueError("after noise")
"""
MODULES = {
    "syntax_of_a_test": "def act(:\n",
    "raises_in_a_test": "raise RuntimeError('at\\nimport')\n",
    "leaves_in_a_test": "import sys\nsys.exit(0)\n",
    "prints_in_a_test": "print('noise')\nraise ValueError('after noise')\n",
    "needs_in_a_test": "import no_such_module_at_all\n",
    "bytes_of_a_test": "\ud800".encode("utf-8", "surrogatepass").decode("latin-1"),
}
FACED = [  # are refused when they are loaded
    "Wants", "Fails", "Leaves", "NoAct", "Text", "function", "Numbered", "Nameless",
    "Blank", "TwoLines", "Coloured", "Endless", "Half", "SeesOne", "SeesText", "SeesNothing",
    "Missing", "np", "sys", "__doc__", "",
]  # fmt: skip
PLAYED = [  # are refused when they are asked
    "Raises", "Quits", "QuitsWithText", "Generates", "Forgets", "Floats", "NaN", "Bools", "Shape",
    "Scalar", "Words", "Huge", "Large", "Negative", "Ragged", "Recurses", "Prints",
]  # fmt: skip
SPECS = [
    "", " ", ":", "::", "a:b:c", ":greedy", "greedy:", "uniform:greedy", "uniform@5", "mcts@",
    "mcts@:", "mcts@0", "mcts@-1", "mcts@1.5", "mcts@nan", "mcts@1e9", "mcts@99999999999999999999",
    "mcts@" + "9" * 5000, "mcts@ms", "mcts@0ms", "mcts@nanms", "mcts@infms", "mcts@-5ms",
    "mcts@999999999999ms", "mcts@５", "mcts:", "mcts:mcts:greedy", "mcts:human",
    "mcts:nobody", "mcts:.", "mcts@@5", "mcts@5@5", "pimc@1e9", "pimc@", "pimc@0", "pimc:",
    "pimc:nobody", "pimc@99999999999", "rollouts", "rollouts:", "rollouts@0ms:greedy",
    "rollouts@:greedy", "rollouts@5", "rollouts:nobody", "rollouts:human", "rollouts:uniform",
    "rollouts@-1:greedy", "rollouts@5ms5:greedy", "expectimax", "expectimax:", "expectimax:greedy",
    "expectimax@5:pretrained", "expectimax:.", "expectimax:/dev/null", "pretrained:x",
    "oracle:most", "oracle@5", "pretrained@5", ".", "..", "/", "/dev/null", "/dev/zero",
    "./agent.json", "agent.json", "no/such/folder", "x" * 300, "x/" * 3000, "a\0b", "a\nb",
    "\x1b[31m", "greedy\n", "GREEDY", "ｇreedy", "♥", "\udcff", "[/x]", "$x$", "{0}", "%s", "-",
    "mcts mcts",
    "mcts/", "json:dumps", "os:path", "os:_exit:0", "builtins:exit", "builtins:object", "..:x",
    ".x:y", "parlour.agents:Agent", "parlour.envs:GAMES", "1:2", "a.b.c:d", "empty_of_a_test",
]  # fmt: skip
NUMBERS = [
    "", " ", "x", "nan", "inf", "-inf", "1.5", "1e-3", "0x10", "--", "9223372036854775808",
    "-9223372036854775809", "9" * 5000, "1 2", "1,000", "½", "²", "\0", "\n", "[/x]", "True",
    "None",
]  # fmt: skip
OPTIONS = [
    "", "=", "==", "passes", "passes=", "=2", "passes=x", "passes=-1", "passes=99", "passes=1.5",
    "passes=nan", "passes=inf", "passes=1e400", "passes=yes", "passes=²", "passes=2,3",
    "passes=[2]",
    "passes=9223372036854775808", "passes=" + "9" * 5000, "passes==2", "undo=maybe", "undo=2",
    "undo=", "undo=-1", "stock_view=99", "stock_view=", "stock_view=x", "nonsense=1", "PASSES=2",
    "pas ses=2", "passes\n=\x00", "_fields=1", "__class__=1", "♥=♥", "\x1b=1", "[/x]=[/x]",
]  # fmt: skip
NAMES = [
    "",
    " ",
    "x",
    "\n",
    "\x1b[31m",
    "[/x]",
    "♥",
    "all\n",
    "Three-Passes",
    "x" * 3000,
    "\0",
    "-",
]


@pytest.fixture(autouse=True, scope="module")
def elsewhere(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    folder = tmp_path_factory.mktemp("bad")
    (folder / "own_of_a_test.py").write_text(OWN)
    for name, text in MODULES.items():
        (folder / f"{name}.py").write_bytes(text.encode("latin-1"))
    (folder / "file").write_text("a file")
    (folder / "empty_of_a_test").mkdir()
    (folder / "full" / "summary.json").mkdir(parents=True)
    (folder / "kept").mkdir()
    (folder / "kept" / "mine").write_text("not an agent")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.setattr(sys, "path", list(sys.path))
        patch.setenv("XDG_STATE_HOME", str(folder / "state"))
        yield folder


EVALUATE = ["evaluate", "pyramid", "--deals", "2", "--max-moves", "9", "--json"]
COMPARE = [
    "compare",
    "pyramid",
    "--deals",
    "2",
    "--max-moves",
    "9",
    "--json",
    "--agents",
    "uniform",
]
SEVERAL = ["evaluate", "seven-twenty-seven", "--deals", "2", "--json"]
MAKE = ["deals", "make", "pyramid", "--deals", "1", "--limit", "1", "--jobs", "1"]
EXPLOIT = ["exploitability", "--iterations", "1", "--json"]
PLAY = ["play", "pyramid", "--agent", "uniform", "--delay", "0"]
BAD_PLACES = ["", "file", "file/x", "file/x/y", "/dev/null", "/proc/no", "a\0b", "x" * 300]


def lines() -> Iterator[list[str]]:
    """Return invalid command lines."""
    yield from (
        [word] for word in ("", " ", "evaluat", "-", "--", "--nonsense", "-x", "♥", "\0", "\n")
    )
    yield from ([word] for word in ("rules", "evaluate", "compare", "play", "solve", "deals"))
    yield from (["deals", word] for word in ("", "mak", "make", "show", "--help-me"))
    for command in ("rules", "evaluate", "compare", "play", "solve", "bench", "train"):
        yield from ([command, game] for game in ("", " ", "pyramd", "\0", "♥", "[/x]", "x" * 999))
        yield [command, "pyramid", "pyramid", "more"]
        yield [command, "pyramid", "--nonsense"]
        yield [command, "pyramid", "--variant"]
    yield from (["rules", "pyramid", "--option", pair] for pair in OPTIONS)
    yield from (["solve", "pyramid", "--deal", "1", f"--option={pair}"] for pair in OPTIONS[:8])
    yield from (["train", "pyramid", "--option", pair] for pair in OPTIONS if pair != "passes==2")
    for command in (EVALUATE, PLAY, ["rules", "pyramid"], ["bench", "pyramid"], COMPARE[:-2], MAKE):
        yield from ([*command, "--variant", name] for name in NAMES)
    yield from ([*EVALUATE, "--agent", spec] for spec in SPECS)
    yield from ([*EVALUATE, "--agent", f"own_of_a_test:{name}"] for name in FACED + PLAYED)
    yield from ([*EVALUATE, "--agent", f"{name}:First"] for name in MODULES)
    yield from ([*COMPARE, f"own_of_a_test:{name}"] for name in FACED)
    differences = [*(text for text in NUMBERS if text != "1e-3"), "0", "-1", "1"]
    yield from ([*COMPARE, "greedy", f"--until={text}"] for text in differences)
    yield from ([*SEVERAL, "--opponents", f"own_of_a_test:{name}"] for name in FACED + PLAYED)
    yield from ([*SEVERAL, "--opponents", spec] for spec in SPECS[:12])
    yield from ([*EXPLOIT, "--agents", f"own_of_a_test:{name}"] for name in FACED)
    yield from ([*PLAY[:2], "--delay", "0", "--agent", f"own_of_a_test:{n}"] for n in FACED)
    flags = ("--deals", "--first", "--seed", "--max-moves")
    yield from ([*EVALUATE, f"{flag}={text}"] for flag, text in itertools.product(flags, NUMBERS))
    yield from ([*EVALUATE, flag, "-1"] for flag in flags)
    yield from ([*SEVERAL, f"--hands={text}"] for text in [*NUMBERS, "0", "-1", "999999999"])
    yield from ([*PLAY, f"--delay={text}"] for text in ("", "x", "nan", "inf", "-1", "1e300"))
    yield from ([*PLAY, f"--deal={text}"] for text in [*NUMBERS, "-1"])
    yield from ([*PLAY, f"--until={text}"] for text in [*NUMBERS, "0", "-1", "6"])
    yield from (["bench", "pyramid", f"--rows={text}"] for text in [*NUMBERS, "0", "-1", "1" * 9])
    for text in ("", "x", "nan", "inf", "-1", "1e300", "0"):
        yield ["bench", "pyramid", "--rows", "2", f"--seconds={text}"]
    for flag in ("--iterations", "--dealer", "--max-nodes"):
        yield from ([*EXPLOIT, f"{flag}={text}"] for text in (*NUMBERS, "-1"))
    for flag in ("--limit", "--deals", "--first", "--jobs"):
        yield from ([*MAKE, f"{flag}={text}"] for text in NUMBERS)
    yield from ([*MAKE, "--backend", name] for name in ("", "nonsense", "\n"))
    yield from ([*command, "--deal-set", ""] for command in (EVALUATE, PLAY, SEVERAL, MAKE))
    yield from (
        [*EVALUATE, "--labels", file] for file in ("", "file", ".", "none", "/dev/null", "\0")
    )
    yield from ([*EVALUATE, "--out", path] for path in [*BAD_PLACES, "full"])
    yield from ([*SEVERAL, "--out", path] for path in [*BAD_PLACES, "full"])
    yield from ([*MAKE, "--out", path] for path in BAD_PLACES)
    yield from ([*EXPLOIT, "--save", path] for path in [*BAD_PLACES, "kept", ".", "..", "/"])
    yield from (["solve", "pyramid", *rest] for rest in ([], ["--deck", ""], ["--deck", "Ac"]))
    yield from (["solve", "pyramid", "--deal", "1", "--actions", word] for word in NAMES)
    yield from (
        ["deals", "show", word] for word in ("", "file", ".", "/dev/null", "\0", "♥", "x.parquet")
    )
    for flag in ("--agent", "--deals", "--out", "--option", "--json=1", "--seed", "--deal-set"):
        yield [*EVALUATE, flag]


LINES = list(lines())


def test_there_are_many() -> None:
    assert len(LINES) >= 400


@pytest.mark.parametrize(
    "words",
    [slow_if(k % 3 > 0, words, name=ascii(" ".join(words))[:90]) for k, words in enumerate(LINES)],
)
def test_wrong_commands_are_refused_in_one_line(
    words: list[str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    status = main.main(words)
    out, err = capsys.readouterr()
    assert status == 2
    last = err.splitlines()[-1]
    assert last.startswith("parlour: error: ")
    assert len(last) > len("parlour: error: ")
    noise = "noise" in err or "play" in words or "Compiling kernels" in err
    assert noise or len(err.splitlines()) == 1, err
    assert err.replace("\n", "").isprintable()
    if "--json" in words:
        assert out == ""


def test_what_is_odd_but_right_is_accepted(capsys: pytest.CaptureFixture[str]) -> None:
    rest = ["--seed", str(2**62), "--first", str(2**62), "--deal-set", "[/x] $♥$", "--seed", "٣"]
    assert main.main([*EVALUATE, "--deals", "3", *rest, "--agent", "own_of_a_test:First"]) == 0
    assert json.loads(capsys.readouterr().out)["seed"] == 3
