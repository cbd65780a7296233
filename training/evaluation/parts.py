"""Evaluations cut into parts that run in parallel, on this machine or on a cluster.

The result of a deal depends on no other deal, so the parts together equal what one process plays,
to the last bit but for the time that agents took, and for agents that draw by themselves. Finished
parts are saved by the task cache (`task_cache.run_cached`), from which interrupted work resumes.
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
from typing import Any, NamedTuple, Protocol

import numpy as np

import parlour.agents
import parlour.envs
from parlour.agents.registry import Agent, FixedAgent, find_saved, is_person
from parlour.agents.saved import digest_agent
from parlour.envs import Game
from parlour.envs.core.game import digest16
from parlour.envs.core.kernel.jit import digest_code
from parlour.envs.core.kernel.rng import new_key

from ..parallel.task_cache import Packing, run_cached
from ..parallel.tasks import Cluster
from .play import EpisodeResults, Progress
from .replays.replay_files import append_lines
from .spec import EvaluationSpec

CHUNK, MOST_CHUNK = 100, 2000
"""Deals of one part, and of one of very many: many games side by side cost less."""
PARTS = 100
"""The number of parts before they grow."""
FACT = "fact."
"""Prefix of the facts' names in saved parts."""


class Lineup(Protocol):
    """The agents that play (`compare.Lineup`); it can be pickled."""

    @property
    def title(self) -> str:
        """What tells it from the other lineups of a comparison."""

    @property
    def given(self) -> Sequence[Agent | str]:
        """The agents as they were named."""


Play = Callable[..., EpisodeResults]
"""Called with specification and lineup; a function of a module, for it is sent to workers."""


class Part(NamedTuple):
    """Deals that are played in one task: ``play(spec, lineup)``.

    ``spec`` has no labels. If it has a record, the games are returned instead of written.
    """

    play: Play
    spec: EvaluationSpec
    lineup: Lineup


def play_parts(
    play: Play,
    spec: EvaluationSpec,
    lineup: Lineup,
    cluster: Cluster | None,
    progress: Progress | None = None,
) -> EpisodeResults:
    """Return the results of ``play(spec, lineup)``, played in parts if there is a cluster.

    Without one this process plays all deals as one part. ``progress`` is called with the number of
    deals that have ended. The games are recorded at the end, part after part.
    """
    if cluster is None:
        return play(spec, lineup, progress=progress)
    parts = [Part(play, part_spec, lineup) for part_spec in split_spec(spec)]
    digest = digest_given(spec, lineup.title, lineup.given)
    names = [digest16(digest, part.spec.first, part.spec.deals) for part in parts]
    part_of = dict(zip(names, parts, strict=True))
    done = {}
    for name, result in run_cached(play_part, part_of, cluster, PACKING):
        done[name] = result
        if progress is not None:
            progress(part_of[name].spec.deals)
    results, lines = zip(*(done[name] for name in names), strict=True)
    if spec.record is not None:
        append_lines(spec.record, b"".join(lines))
    return join_results(results)


def refuse_people(agents: Sequence[FixedAgent]) -> None:
    """Raise ValueError for a person among those who are to play on a cluster."""
    for agent in agents:
        if is_person(agent):
            raise ValueError(
                f"agent {agent.name!r} plays here: leave out --jobs, --backend and --address"
            )


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


def play_part(part: Part) -> tuple[EpisodeResults, bytes]:
    """Play a part; return the results, and the lines of its games if they are recorded."""
    play, spec, lineup = part
    if spec.record is None:
        return play(spec, lineup), b""
    with TemporaryDirectory() as folder:
        games = Path(folder, "games.jsonl")
        results = play(replace(spec, record=games), lineup)
        return results, games.read_bytes()


def pack_part(part: tuple[EpisodeResults, bytes]) -> dict[str, Any]:
    """Return the result of `play_part` as arrays, for `task_cache.run_cached`."""
    results, lines = part
    arrays: dict[str, Any] = {f"{FACT}{name}": values for name, values in results.facts.items()}
    return arrays | {
        "milliseconds": results.milliseconds,
        "hands": results.hands,
        "lines": np.frombuffer(lines, np.uint8),
    }


def unpack_part(arrays: Mapping[str, np.ndarray]) -> tuple[EpisodeResults, bytes]:
    """Return the result of `play_part` from the arrays of `pack_part`."""
    facts = {name.removeprefix(FACT): arrays[name] for name in arrays if name.startswith(FACT)}
    results = EpisodeResults(facts, float(arrays["milliseconds"]), int(arrays["hands"]))
    return results, arrays["lines"].tobytes()


PACKING = Packing(pack_part, unpack_part)


def join_results(parts: Sequence[EpisodeResults]) -> EpisodeResults:
    """Return the results of consecutive deals as one; the time of a decision is the mean."""
    weights = np.array([part.decisions for part in parts], float)
    times = np.array([part.milliseconds for part in parts])
    time = float(times @ weights / max(weights.sum(), 1))
    facts = {name: np.concatenate([part.facts[name] for part in parts]) for name in parts[0].facts}
    return EpisodeResults(facts, time, parts[0].hands)


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
    """Return the digest of all that the results of a deal depend on, except for the deal."""
    return digest16(
        spec.game.rules_digest(spec.rules),
        (digest_parlour(), digest_game_code(spec.game)),
        (spec.deal_set, spec.seed, spec.key, spec.max_moves, spec.hands, spec.allow_rules_mismatch),
        (title, spec.record is None),
        [_digest_agent(agent, spec) for agent in given],
    )


def _digest_agent(agent: Agent | str, spec: EvaluationSpec) -> tuple[Any, ...]:
    """The identity of an agent as it was given: its content and its code."""
    if isinstance(agent, str):
        saved = find_saved(agent, spec.game, spec.rules)
        modules = [_digest_file(word) for word in re.split("[:=]", agent)]
        return agent, saved and digest_agent(saved), modules
    import joblib

    try:
        content = joblib.hash(agent)
    except Exception:  # it cannot be pickled: its content is unknown, so nothing is equal to it
        content = new_key()
    kind = type(agent)
    methods = [code for code in vars(kind).values() if isinstance(code, FunctionType)]
    return content, _digest_file(kind.__module__) or [digest_code(code) for code in methods]


def _digest_file(module: str) -> str | None:
    """The digest of the file of a loaded module; None for a notebook, or no module."""
    file = getattr(sys.modules.get(module), "__file__", None)
    return None if file is None else sha256(Path(file).read_bytes()).hexdigest()


@cache
def digest_parlour() -> str:
    """Return 16 hex digits that differ when the code of games, agents or evaluation does."""
    folders = [*parlour.envs.__path__, *parlour.agents.__path__, str(Path(__file__).parent)]
    files = sorted(file for folder in folders for file in Path(folder).rglob("*.py"))
    return digest16(*(sha256(file.read_bytes()).hexdigest() for file in files))
