"""A saved agent: a folder with ``agent.json``, what it is, and ``weights.safetensors``.

Loading runs no code from the folder. It refuses damaged files, other rules than those to be played
and another feature schema than the game's own, each time naming file and reason.
"""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
from safetensors import SafetensorError
from safetensors.numpy import load as read_tensors

from parlour.envs import Game
from parlour.envs.core.batch import How
from parlour.envs.core.options import plain

FORMAT = 1
CARD, WEIGHTS = "agent.json", "weights.safetensors"
NEEDED: dict[str, type] = {
    "name": str,
    "game": str,
    "rules": dict,
    "rules_digest": str,
    "features_digest": str,
    "network": dict,
    "weights_sha256": str,
    "trained": dict,
    "scored": dict,
}
NETWORK: dict[str, type] = {
    "name": str,
    "encoding": str,
    "width": int,
    "depth": int,
    "options": dict,
}


class ArtefactError(ValueError):
    """A saved agent that cannot be used; the text names the file and the reason."""


@dataclass(frozen=True)
class Artefact:
    """What a saved agent's folder holds.

    ``rules`` are the game's Rules; ``network`` has name, encoding, width, depth and options;
    ``weights`` are arrays by name; ``trained`` and ``scored`` are what the trainer wrote down.
    ``lookahead``: None, or how a step ahead is paid (fields of `batch.How`) for an agent that plays
    by the network's values instead of its policy. ``samples``: it draws its actions from the
    policy instead of taking the likeliest.
    """

    folder: Path
    name: str
    rules: Any
    network: Mapping[str, Any]
    weights: Mapping[str, np.ndarray]
    trained: Mapping[str, Any]
    scored: Mapping[str, Any]
    lookahead: Mapping[str, int] | None = None
    samples: bool = False


@contextmanager
def blame(path: Path) -> Iterator[None]:
    """Turn what goes wrong in the block into an ArtefactError naming ``path``."""
    try:
        yield
    except ArtefactError:
        raise
    except (OSError, ValueError, TypeError, KeyError, RuntimeError, SafetensorError) as error:
        raise ArtefactError(f"{path}: {error}") from error


def load(path: str | Path, game: Game, rules: Any = None) -> Artefact:
    """Read a saved agent (its folder, or the ``agent.json`` in it) to play ``game`` by ``rules``.

    ``rules`` None: those that it was trained by. Raises ArtefactError.
    """
    folder = Path(path)
    folder = folder.parent if folder.name == CARD else folder
    card_file = folder / CARD
    with blame(card_file):
        card = json.loads(card_file.read_text(encoding="utf-8"))
        _check_fields(card)
        own = _own_rules(card, game)
        if rules is not None and rules != own:
            raise ArtefactError(f"{card_file}: trained by other rules: {_differing(own, rules)}")
    weights_file = folder / WEIGHTS
    with blame(weights_file):
        weights = _weights(weights_file.read_bytes(), card["weights_sha256"])
    network, trained, scored = card["network"], card["trained"], card["scored"]
    ahead = card.get("lookahead")
    samples = card.get("samples") is True
    return Artefact(folder, card["name"], own, network, weights, trained, scored, ahead, samples)


def network_of(path: Path) -> str:
    """Return what a saved agent's folder, or its ``agent.json``, says of its network: the name."""
    file = path if path.name == CARD else path / CARD
    with blame(file):
        return str(json.loads(file.read_text(encoding="utf-8"))["network"]["name"])


def _check_fields(card: Any) -> None:
    if not isinstance(card, dict):
        raise ValueError("not a JSON object")
    if card.get("format") != FORMAT:
        raise ValueError(f"format {card.get('format')!r}; this version reads format {FORMAT}")
    _typed(card, NEEDED, "")
    _typed(card["network"], NETWORK, "network.")
    if card.get("lookahead") is not None:
        _typed(card["lookahead"], dict.fromkeys(How._fields, int), "lookahead.")


def _typed(table: Mapping[str, Any], fields: Mapping[str, type], prefix: str) -> None:
    for field, kind in fields.items():
        if not isinstance(table.get(field), kind):
            raise ValueError(
                f"field {prefix}{field!s}: a {kind.__name__} is needed, got {table.get(field)!r}"
            )


def _own_rules(card: Mapping[str, Any], game: Game) -> Any:
    if card["game"] != game.name:
        raise ValueError(f"an agent for {card['game']!r}, not for {game.name!r}")
    if card["features_digest"] != game.features_digest:
        raise ValueError(
            f"made for other features of {game.name!r}: features digest {card['features_digest']}, "
            f"now {game.features_digest}; train it anew"
        )
    rules = game.rules_of(None, card["rules"])
    if plain(rules) != card["rules"] or game.rules_digest(rules) != card["rules_digest"]:
        raise ValueError(
            f"rules digest {card['rules_digest']} does not belong to the rules beside it in this "
            f"version of the game ({game.rules_digest(rules)})"
        )
    return rules


def _differing(own: Any, wanted: Any) -> str:
    have, want = plain(own), plain(wanted)
    named = [f"{key} {have[key]!r}, not {want[key]!r}" for key in have if have[key] != want[key]]
    return "; ".join(named)


def _weights(data: bytes, digest: str) -> Mapping[str, np.ndarray]:
    found = sha256(data).hexdigest()
    if found != digest:
        raise ValueError(
            f"{len(data)} bytes with SHA-256 {found[:16]}…, where agent.json says {digest[:16]}…: "
            "cut short, damaged or of another agent"
        )
    tensors: Mapping[str, np.ndarray] = read_tensors(data)
    return tensors
