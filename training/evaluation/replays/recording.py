"""What writes games down while they are evaluated: deals, who sat where, actions, results."""

from collections.abc import Sequence

import numpy as np

from parlour.envs.core.batch import Over

from ..deal_play import RecordGames
from ..spec import EvaluationSpec
from .hand_log import PlayedHands, RecordHands
from .replay import CUT, OVER, Replay, read_result
from .replay_files import append_replays


def record_deals(spec: EvaluationSpec, name: str) -> RecordGames | None:
    """Return what writes down an agent's games as they end; None where that is not asked for."""
    record = record_hands(spec, [name])
    if record is None:
        return None

    def record_alone(places: np.ndarray, actions: list[list[int]], states: np.ndarray) -> None:
        first = np.zeros(len(places), np.int64)
        record(PlayedHands(places, first, first, first[:, None], actions, states))

    return record_alone


def record_hands(spec: EvaluationSpec, names: Sequence[str]) -> RecordHands | None:
    """Return what writes down hands; ``names`` are the agent's and those of its field."""
    path = spec.record
    if path is None:
        return None
    return lambda played: append_replays(path, _replays(spec, names, played))


def _replays(spec: EvaluationSpec, names: Sequence[str], played: PlayedHands) -> list[Replay]:
    lists = (one.tolist() for one in (played.places, played.hands, played.dealers, played.who))
    results = read_result(spec.game, spec.rules, played.states)
    over = played.states["over"].tolist()
    return [
        Replay(
            spec.game,
            spec.rules,
            spec.base_variant,
            tuple(names[one] for one in who),
            tuple(made),
            result,
            CUT if ended == Over.TRUNCATED else OVER,
            spec.bank,
            spec.first + place,
            hand,
            dealer if spec.game.has_dealer and spec.is_multiplayer else None,
        )
        for place, hand, dealer, who, made, result, ended in zip(
            *lists, played.actions, results, over, strict=True
        )
    ]
