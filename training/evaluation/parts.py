"""Evaluations cut into parts that are played side by side, here or on a cluster.

What comes of a deal depends on no other deal, so the parts together are what one process would have
played: equal to the last bit but for the time that agents took, and for agents that draw by
themselves.
"""

import re
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from types import FunctionType
from typing import Any, NamedTuple, TypeVar

import numpy as np

import parlour.agents
import parlour.envs
from parlour.agents.registry import Agent, find_saved
from parlour.agents.saved import digest_agent
from parlour.envs import Game
from parlour.envs.core.game import digest16
from parlour.envs.core.kernel.jit import digest_code
from parlour.envs.core.kernel.rng import new_key

from ..parallel.task_cache import Packing, run_kept
from ..parallel.tasks import Cluster
from .deal_play import EpisodeResults, Progress
from .duplicate_play import DuplicateResults
from .replays.replay_files import append_lines
from .spec import EvaluationSpec

CHUNK, MOST_CHUNK = 100, 2000
"""Deals of one part, and of one of very many: many games side by side cost less."""
PARTS = 100
"""As many there are before they grow."""
FACT = "fact."
"""Prefix of the facts' names in saved parts."""

Results = TypeVar("Results", EpisodeResults, DuplicateResults)


class Part(NamedTuple):
    """Deals that are played in one go: ``play(spec, *players)``.

    ``spec`` has no labels; where it has a record, that is not written, but returned.
    """

    play: Callable[..., Any]
    spec: EvaluationSpec
    players: tuple[Any, ...]


def play_parts(
    play: Callable[..., Results],
    spec: EvaluationSpec,
    players: tuple[Any, ...],
    title: str,
    given: Sequence[Agent | str],
    cluster: Cluster | None,
    progress: Progress | None = None,
) -> Results:
    """Return what ``play(spec, *players)`` returns, played in parts where a cluster says.

    Without one it is played here, in one go, and told of ``progress`` itself. ``play`` is a
    function of a module, for it is sent to where it runs. ``title`` tells apart who
    plays among the agents of a comparison, ``given`` are these as they were named. ``progress`` is
    called as parts are done; the games are recorded at the end, part after part.
    """
    if cluster is None:
        return play(spec, *players, progress=progress)
    parts = [Part(play, one, players) for one in split_spec(spec)]
    same = digest_given(spec, title, given)
    names = [digest16(same, part.spec.first, part.spec.deals) for part in parts]
    named = dict(zip(names, parts, strict=True))
    found = {}
    for name, result in run_kept(play_part, named, cluster, PACKING):
        found[name] = result
        if progress is not None:
            progress(named[name].spec.deals)
    results, lines = zip(*(found[name] for name in named), strict=True)
    if spec.record is not None:
        append_lines(spec.record, b"".join(lines))
    return join_results(results)


def split_spec(spec: EvaluationSpec, size: int = CHUNK) -> list[EvaluationSpec]:
    """Return specifications of some deals each, which together are the given one.

    They have ``size`` deals, or more where there were more than `PARTS` of them, up to
    `MOST_CHUNK`.
    """
    size = max(size, min(spec.deals // PARTS, MOST_CHUNK))
    return [
        replace(spec, first=spec.first + i, deals=min(size, spec.deals - i), labels=None)
        for i in range(0, spec.deals, size)
    ]


def play_part(part: Part) -> tuple[Any, bytes]:
    """Play a part; return what came of it, and the lines of its games if they are recorded."""
    play, spec, players = part
    if spec.record is None:
        return play(spec, *players), b""
    with TemporaryDirectory() as folder:
        games = Path(folder, "games.jsonl")
        result = play(replace(spec, record=games), *players)
        return result, games.read_bytes()


def pack_part(result: tuple[Any, bytes]) -> dict[str, Any]:
    """Return what `play_part` returned as arrays, for `kept.run_kept`."""
    found, lines = result
    arrays: dict[str, Any] = {f"{FACT}{name}": values for name, values in found.facts.items()}
    arrays |= {"milliseconds": found.milliseconds, "lines": np.frombuffer(lines, np.uint8)}
    if isinstance(found, DuplicateResults):
        arrays |= {"nets": found.nets, "hands": found.hands}
    return arrays


def unpack_part(arrays: Mapping[str, np.ndarray]) -> tuple[Any, bytes]:
    """Return what `pack_part` was given."""
    facts = {name.removeprefix(FACT): arrays[name] for name in arrays if name.startswith(FACT)}
    milliseconds, lines = float(arrays["milliseconds"]), arrays["lines"].tobytes()
    if "nets" not in arrays:
        return EpisodeResults(facts, milliseconds), lines
    hands = int(arrays["hands"])
    return DuplicateResults(arrays["nets"], facts, hands, milliseconds), lines


PACKING = Packing(pack_part, unpack_part)


def join_results(parts: Sequence[Results]) -> Results:
    """Return the results of consecutive deals as one; the time of a decision is the mean."""
    weights = np.array([part.facts["decisions"].sum() for part in parts], float)
    times = np.array([part.milliseconds for part in parts])
    time = float(times @ weights / max(weights.sum(), 1))
    facts = {name: np.concatenate([part.facts[name] for part in parts]) for name in parts[0].facts}
    if isinstance(parts[0], EpisodeResults):
        return EpisodeResults(facts, time)
    nets = np.concatenate([part.nets for part in parts])
    return parts[0]._replace(nets=nets, facts=facts, milliseconds=time)


def digest_game_code(game: Game) -> str:
    """Return the digest of the code of a game's kernels and heuristic, 16 hex digits."""
    kernels = game.kernels
    return digest16(
        digest_code(kernels.begin),
        digest_code(kernels.step),
        digest_code(game.resample_rows),
        digest_code(game.score_rows),
    )


def digest_given(spec: EvaluationSpec, title: str, given: Sequence[Agent | str]) -> str:
    """Return what tells apart all that the results of a deal depend on, but for the deal."""
    return digest16(
        spec.game.rules_digest(spec.rules),
        (digest_parlour(), digest_game_code(spec.game)),
        (spec.bank, spec.seed, spec.key, spec.max_moves, spec.hands, spec.any_rules),
        (title, spec.record is None),
        [_digest_one(one, spec) for one in given],
    )


def _digest_one(one: Agent | str, spec: EvaluationSpec) -> tuple[Any, ...]:
    """What tells an agent, as it was given, from others: what it is made of, and by which code."""
    if isinstance(one, str):
        saved = find_saved(one, spec.game, spec.rules)
        own = [_digest_file(word) for word in re.split("[:=]", one)]
        return one, saved and digest_agent(saved), own
    import joblib

    try:
        made_of = joblib.hash(one)
    except Exception:  # it cannot be pickled: what it is nobody can say
        made_of = new_key()
    kind = type(one)
    methods = [code for code in vars(kind).values() if isinstance(code, FunctionType)]
    return made_of, _digest_file(kind.__module__) or [digest_code(code) for code in methods]


def _digest_file(module: str) -> str | None:
    """What differs when the file of a loaded module does; None for a notebook, or no module."""
    file = getattr(sys.modules.get(module), "__file__", None)
    return None if file is None else sha256(Path(file).read_bytes()).hexdigest()


@cache
def digest_parlour() -> str:
    """Return 16 hex digits that differ when the code of games, agents or evaluation does."""
    folders = [*parlour.envs.__path__, *parlour.agents.__path__, str(Path(__file__).parent)]
    files = sorted(file for folder in folders for file in Path(folder).rglob("*.py"))
    return digest16(*(sha256(file.read_bytes()).hexdigest() for file in files))
