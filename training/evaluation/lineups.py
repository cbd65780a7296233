"""Lineups: agents that play the deals of a specification, in this process or on a cluster.

The result of a deal does not depend on other deals. So the chunks of a cluster together equal the
results of one process bit by bit, except for times and for agents with their own random generator.
`tasks.run_cached` saves finished chunks, from which interrupted work resumes.
"""

import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from types import FunctionType
from typing import Any, NamedTuple

import numpy as np

import parlour.agents
import parlour.envs
from parlour.agents.registry import Agent, FixedAgent, find_saved, is_person
from parlour.agents.saved import digest_agent
from parlour.envs import Game
from parlour.envs.core.batch import Over
from parlour.envs.core.game import digest16
from parlour.envs.core.kernel.jit import digest_code
from parlour.envs.core.kernel.rng import derive_key, new_key

from ..parallel.tasks import Cluster, Packing, run_cached
from .evaluation_spec import EvaluationSpec
from .play import EpisodeResults, PlayedGames, Progress, RecordGames, play_deals, play_duplicate
from .replays.replay import CUT, OVER, Replay, read_result
from .replays.replay_files import append_lines, append_replays

CHUNK, MOST_CHUNK = 100, 2000
"""Fewest and most deals of a chunk. Larger batches take less time per deal."""
CHUNKS = 20
"""The number of chunks above which chunks become larger."""
FACT, USAGE = "fact.", "usage."
"""Prefixes of the names of facts and of usage in saved chunks."""


NamedAgent = tuple[str, FixedAgent]
"""An agent and its name in tables."""


class Lineup(NamedTuple):
    """The evaluated agent, and in games for several players the agents in the other seats."""

    name: str
    agent: FixedAgent
    given: Sequence[Agent | str]
    """All agents of the lineup as the caller gave them."""
    opponents: Sequence[NamedAgent] = ()
    """The agents in the opposing seats, repeated clockwise."""
    pair: bool = False
    """Whether another compared agent has all opposing seats."""
    partner: NamedAgent | None = None
    """The agent in the other seats of the agent's side; None: the agent itself."""

    @property
    def title(self) -> str:
        """The name of the lineup in progress lines."""
        if self.pair:
            return f"{self.name} among {self.opponents[0][0]}"
        return self.name if self.partner is None else f"{self.name} with {self.partner[0]}"


class LineupTask(NamedTuple):
    """Deals that a lineup plays in one task.

    ``spec`` has no labels. If it has a record, the task returns the games instead of writing them.
    """

    spec: EvaluationSpec
    lineup: Lineup


def play_lineup(
    spec: EvaluationSpec,
    lineup: Lineup,
    cluster: Cluster | None = None,
    progress: Progress | None = None,
    least: int | None = None,
) -> EpisodeResults:
    """Play all deals of a specification with a lineup, in games for several from every seat.

    Args:
        spec: The deals and the rules.
        lineup: The agents.
        cluster: Plays chunks of the deals in other processes (None: all in this process).
        progress: Called with numbers of finished deals.
        least: Fewest deals of a chunk on the cluster (None: the agent's ``max_batch``, or `CHUNK`).

    Raises:
        ValueError: A human player is given with a cluster.
    """
    if cluster is None:
        return _play_here(spec, lineup, progress)
    refuse_people([lineup.agent])
    size = least or lineup.agent.max_batch  # An agent with a small batch is slow: lose few deals.
    chunks = [LineupTask(chunk_spec, lineup) for chunk_spec in split_spec(spec, size)]
    digest = digest_given(spec, lineup.title, lineup.given)
    chunk_of = {digest16(digest, chunk.spec.first, chunk.spec.deals): chunk for chunk in chunks}
    done = {}
    for name, result in run_cached(play_chunk, chunk_of, cluster, PACKING):
        done[name] = result
        if progress is not None:
            progress(chunk_of[name].spec.deals)
    results, lines = zip(*(done[name] for name in chunk_of), strict=True)
    if spec.record is not None:
        append_lines(spec.record, b"".join(lines))
    return join_results(results)


def _play_here(
    spec: EvaluationSpec, lineup: Lineup, progress: Progress | None = None
) -> EpisodeResults:
    """Play all deals in this process."""
    if not spec.is_multiplayer:
        return play_deals(
            spec.game,
            spec.rules,
            lineup.agent,
            spec.seeds,
            max_moves=spec.max_moves,
            evaluation_seed=derive_key(spec.evaluation_seed, lineup.name),
            progress=progress,
            record=_record_games(spec, [lineup.name]),
        )
    names, partner = [name for name, _ in lineup.opponents], lineup.partner
    key_of_partner = () if partner is None else ("partner", partner[0])
    return play_duplicate(
        spec.game,
        spec.rules,
        lineup.agent,
        [agent for _, agent in lineup.opponents],
        spec.seeds,
        order=spec.numbers,
        hands=spec.hands,
        evaluation_seed=derive_key(
            spec.evaluation_seed, lineup.name, lineup.pair, *names, *key_of_partner
        ),
        progress=progress,
        record=_record_games(spec, [lineup.name, *names, partner[0] if partner else lineup.name]),
        partner=partner[1] if partner else None,
    )


def _record_games(spec: EvaluationSpec, names: Sequence[str]) -> RecordGames | None:
    """Return the callback that appends games to the record of a specification; None without one.

    ``names`` has the names of the agents by their numbers in `PlayedGames.seating`.
    """
    path = spec.record
    if path is None:
        return None
    return lambda played: append_replays(path, _make_replays(spec, names, played))


def _make_replays(spec: EvaluationSpec, names: Sequence[str], played: PlayedGames) -> list[Replay]:
    lists = (
        one.tolist() for one in (played.deal_indices, played.hands, played.dealers, played.seating)
    )
    results = read_result(spec.game, spec.rules, played.states)
    over = played.states["over"].tolist()
    return [
        Replay(
            spec.game,
            spec.rules,
            spec.base_variant,
            agents=tuple(names[number] for number in seating),
            actions=tuple(actions),
            result=result,
            end=CUT if over_code == Over.TRUNCATED else OVER,
            deal_set=spec.deal_set,
            deal=spec.first + place,
            hand=hand,
            dealer=dealer if spec.game.has_dealer and spec.is_multiplayer else None,
        )
        for place, hand, dealer, seating, actions, result, over_code in zip(
            *lists, played.actions, results, over, strict=True
        )
    ]


def refuse_people(agents: Sequence[FixedAgent]) -> None:
    """Raise ValueError for a human player, who cannot play on a cluster."""
    for agent in agents:
        if is_person(agent):
            raise ValueError(
                f"agent {agent.name!r} cannot play in a worker process: leave out --jobs, "
                "--backend and --address"
            )


def split_spec(spec: EvaluationSpec, least: int | None = None) -> list[EvaluationSpec]:
    """Split a specification into specifications of consecutive deals.

    Each chunk has ``least`` deals (None: `CHUNK`). If that gave more than `CHUNKS` chunks, each
    chunk has more deals, up to `MOST_CHUNK`.
    """
    size = max(least or CHUNK, min(spec.deals // CHUNKS, MOST_CHUNK))
    return [
        replace(spec, first=spec.first + i, deals=min(size, spec.deals - i), labels=None)
        for i in range(0, spec.deals, size)
    ]


def play_chunk(chunk: LineupTask) -> tuple[EpisodeResults, bytes]:
    """Play a chunk; return the results, and the lines of recorded games."""
    spec, lineup = chunk
    if spec.record is None:
        return _play_here(spec, lineup), b""
    with TemporaryDirectory() as folder:
        games = Path(folder, "games.jsonl")
        results = _play_here(replace(spec, record=games), lineup)
        return results, games.read_bytes()


def pack_chunk(chunk: tuple[EpisodeResults, bytes]) -> dict[str, Any]:
    """Return the result of `play_chunk` as arrays, for `tasks.run_cached`."""
    results, lines = chunk
    arrays: dict[str, Any] = {f"{FACT}{name}": values for name, values in results.facts.items()}
    arrays |= {f"{USAGE}{name}": count for name, count in results.usage.items()}
    return arrays | {
        "milliseconds": results.milliseconds,
        "hands": results.hands,
        "lines": np.frombuffer(lines, np.uint8),
    }


def unpack_chunk(arrays: Mapping[str, np.ndarray]) -> tuple[EpisodeResults, bytes]:
    """Return the result of `play_chunk` from the arrays of `pack_chunk`."""
    facts = {name.removeprefix(FACT): arrays[name] for name in arrays if name.startswith(FACT)}
    usage = {
        name.removeprefix(USAGE): arrays[name].item() for name in arrays if name.startswith(USAGE)
    }
    results = EpisodeResults(facts, float(arrays["milliseconds"]), int(arrays["hands"]), usage)
    return results, arrays["lines"].tobytes()


PACKING = Packing(pack_chunk, unpack_chunk)


def join_results(chunks: Sequence[EpisodeResults]) -> EpisodeResults:
    """Join the results of consecutive deals; the time per decision is the mean."""
    weights = np.array([chunk.decisions for chunk in chunks], float)
    times = np.array([chunk.milliseconds for chunk in chunks])
    time = float(times @ weights / max(weights.sum(), 1))
    facts = {
        name: np.concatenate([chunk.facts[name] for chunk in chunks]) for name in chunks[0].facts
    }
    usage: dict[str, float] = {}
    for chunk in chunks:
        for name, count in chunk.usage.items():
            usage[name] = usage.get(name, 0) + count
    return EpisodeResults(facts, time, chunks[0].hands, usage)


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
    """Return the digest of everything that the results of a deal depend on, except the deal."""
    return digest16(
        spec.game.rules_digest(spec.rules),
        (digest_parlour(), digest_game_code(spec.game)),
        (
            spec.deal_set,
            spec.seed,
            spec.evaluation_seed,
            spec.max_moves,
            spec.hands,
            spec.allow_rules_mismatch,
        ),
        (title, spec.record is None),
        [_digest_agent(agent, spec) for agent in given],
    )


def _digest_agent(agent: Agent | str, spec: EvaluationSpec) -> tuple[Any, ...]:
    """Return the identity of an agent: its content and its code."""
    if isinstance(agent, str):
        saved = find_saved(agent, spec.game, spec.rules)
        modules = [_digest_file(word) for word in re.split("[:=]", agent)]
        return agent, saved and digest_agent(saved), modules
    import joblib

    try:
        content = joblib.hash(agent)
    except Exception:  # not picklable: use an identity that equals no other
        content = new_key()
    kind = type(agent)
    methods = [code for code in vars(kind).values() if isinstance(code, FunctionType)]
    return content, _digest_file(kind.__module__) or [digest_code(code) for code in methods]


def _digest_file(module: str) -> str | None:
    """Return the digest of the file of a loaded module; None for a notebook or another word."""
    file = getattr(sys.modules.get(module), "__file__", None)
    return None if file is None else sha256(Path(file).read_bytes()).hexdigest()


@cache
def digest_parlour() -> str:
    """Return the digest of the code of games, agents, and evaluation, 16 hex digits."""
    folders = [*parlour.envs.__path__, *parlour.agents.__path__, str(Path(__file__).parent)]
    files = sorted(file for folder in folders for file in Path(folder).rglob("*.py"))
    return digest16(*(sha256(file.read_bytes()).hexdigest() for file in files))
