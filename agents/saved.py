"""A saved agent: a folder with ``agent.json``, what it is, and ``weights.safetensors``.

Loading runs no code from the folder. It refuses damaged files, other rules than those to be played
and another feature schema than the game's own, each time naming file and reason.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np

from parlour.envs import Game
from parlour.envs.core.batch import Autoreset, Reward, StepConfig
from parlour.envs.core.game import digest16
from parlour.envs.core.options import replace_options, to_plain

from .validation import (
    NUMBER,
    TABLE,
    TEXT,
    YES_OR_NO,
    Field,
    check_fields,
    check_known,
    maybe,
    one_line,
    read_bytes,
    read_json,
    shorten,
    whole,
)

FORMAT = 1
AGENT_FILE, WEIGHTS = "agent.json", "weights.safetensors"
MOST = 1 << 31
"""Bytes that a file of weights may have, whatever network it is for."""
NO_ENCODING, AFTERSTATES = "none", "afterstates"
"""The encodings of heuristics' weights and of tables of values: they read no observation."""
HEADER_MOST = 1 << 20
"""Bytes that a file of weights may have beside the numbers: their names and shapes."""
ROWS = Field(
    "a list of dicts",
    lambda value: isinstance(value, list) and all(isinstance(one, dict) for one in value),
)
REQUIRED_FIELDS: dict[str, Field] = {
    "format": whole(FORMAT, FORMAT),
    "name": TEXT,
    "game": TEXT,
    "variant": maybe(TEXT),
    "rules": TABLE,
    "rules_digest": TEXT,
    "more_rules": ROWS._replace(optional=True),
    "features_digest": TEXT,
    "network": TABLE,
    "weights_sha256": TEXT,
    "trained": TABLE,
    "scored": TABLE,
    "lookahead": maybe(TABLE),
    "samples": YES_OR_NO._replace(optional=True),
}
RULES_FIELDS: dict[str, Field] = {"rules": TABLE, "rules_digest": TEXT}
"""Of each of ``more_rules``."""
NETWORK_FIELDS: dict[str, Field] = {
    "name": TEXT,
    "encoding": TEXT,
    "width": whole(0, 10**9),
    "depth": whole(0, 10**9),
    "options": TABLE,
}
TRAINED: dict[str, Field] = {
    "settings": TABLE._replace(optional=True),
    "seconds": NUMBER._replace(optional=True),
    "machine": TEXT._replace(optional=True),
}
"""What agents and model cards read of how one was trained; those of earlier versions have less."""
SETTINGS: dict[str, Field] = {
    "reward": Field(
        "progress, win or score",
        lambda value: isinstance(value, str) and value.upper() in Reward.__members__,
        optional=True,
    )
}
"""What agents read in the settings that one was trained by."""
LOOKAHEAD: dict[str, Field] = {
    **dict.fromkeys(StepConfig._fields, whole(0, 10**9)),
    "reward": whole(0, max(Reward)),
    "reset": whole(0, max(Autoreset)),
    "skip_forced": whole(0, 1),
}


PLAYED_BY = ("weights_sha256", "network", "features_digest", "lookahead", "samples")
"""What of ``agent.json`` decides which actions an agent takes."""


class ArtefactError(ValueError):
    """A saved agent that cannot be used; the text names the file and the reason."""


@dataclass(frozen=True)
class Artefact:
    """What a saved agent's folder holds.

    ``rules`` are the game's Rules; ``network`` has name, encoding, width, depth and options;
    ``weights`` are arrays by name; ``trained`` and ``scored`` are what the trainer wrote down.
    ``lookahead``: None, or how a step ahead is paid (fields of `batch.StepConfig`) for an agent
    that plays by the network's values instead of its policy. ``samples``: it draws its actions from
    the policy instead of taking the likeliest. ``more_rules``: others that it was trained by, too.
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
    more_rules: tuple[Any, ...] = ()


@contextmanager
def blame_file(path: Path) -> Iterator[None]:
    """Turn what goes wrong in the block into an ArtefactError naming ``path``."""
    try:
        yield
    except ArtefactError:
        raise
    except RecursionError as error:
        raise ArtefactError(f"{path}: nested too deeply") from error
    except KeyError as error:
        raise ArtefactError(f"{path}: {error} is missing") from error
    except (OSError, ValueError, TypeError, RuntimeError) as error:
        raise ArtefactError(f"{path}: {one_line(error)}") from error


def load_artefact(
    path: str | Path,
    game: Game,
    rules: Any = None,
    size: Callable[[Mapping[str, Any]], int] | None = None,
    encoding: Callable[[Mapping[str, Any]], str] | None = None,
) -> Artefact:
    """Read a saved agent (its folder, or the ``agent.json`` in it) to play ``game`` by ``rules``.

    Args:
        path: the folder, or the ``agent.json`` in it.
        game: the game that the agent must be for.
        rules: rules that the agent must be trained for; None: the first ones that it lists.
        size: function from the network's fields in ``agent.json`` to the bytes of its weights; a
            larger file is not opened.
        encoding: function from these fields to the encoding that the network takes.

    Raises:
        ArtefactError: the agent cannot be used; the message names the file and the reason.
    """
    card_file = _card_file(Path(path))
    folder = card_file.parent
    with blame_file(card_file):
        card = _read_card(card_file)
        if encoding is not None:
            _check_encoding(card["network"], encoding(card["network"]))
        known = _check_rules(card, game)
        if rules is not None and rules not in known:
            raise ArtefactError(
                f"{card_file}: trained by other rules: {_differences_text(known, rules)} "
                "(any_rules lets it be evaluated all the same)"
            )
        needed = MOST if size is None else size(card["network"])
    weights_file = folder / WEIGHTS
    with blame_file(weights_file):
        data = read_bytes(weights_file, min(MOST, needed + HEADER_MOST))
        weights = _read_tensors(data, card["weights_sha256"])
        check_finite(card["name"], weights)
    network, trained, scored = card["network"], card["trained"], card["scored"]
    ahead = card.get("lookahead")
    samples = card.get("samples") is True
    return Artefact(
        folder,
        card["name"],
        known[0],
        network,
        weights,
        trained,
        scored,
        ahead,
        samples,
        known[1:],
    )


def _check_encoding(network: Mapping[str, Any], wanted: str) -> None:
    """Raise ValueError unless the encoding in ``agent.json`` is ``wanted``."""
    if network["encoding"] != wanted:
        raise ValueError(
            f"field network.encoding must be {wanted!r} for network {network['name']!r}, got "
            f"{network['encoding']!r}"
        )


def check_finite(name: str, weights: Mapping[str, np.ndarray]) -> None:
    """Raise ValueError naming the first layer of an agent's weights with NaN or infinity in it."""
    for layer, array in weights.items():
        if np.issubdtype(array.dtype, np.floating) and not np.isfinite(array).all():
            wrong = np.count_nonzero(~np.isfinite(array))
            raise ValueError(
                f"weights of agent {name!r} are not finite: layer {layer!r} has {wrong:,} of "
                f"{array.size:,} numbers that are NaN or infinite"
            )


def read_description(path: Path) -> dict[str, Any]:
    """Return what ``agent.json`` of a saved agent's folder says, each field as it may be."""
    with blame_file(_card_file(path)):
        return _read_card(_card_file(path))


def read_network_name(path: Path) -> str:
    """Return what a saved agent's folder, or its ``agent.json``, says of its network: the name."""
    return str(read_description(path)["network"]["name"])


def digest_agent(path: Path) -> str:
    """Return 16 hex digits that differ when what a saved agent plays by does: not for its name."""
    said = read_description(path)
    played = {name: said.get(name) for name in PLAYED_BY}
    return digest16(json.dumps(played, sort_keys=True))


def read_rules(path: Path, game: Game) -> tuple[Any, ...]:
    """Return all rules of ``game`` that a saved agent was trained by; see `load_artefact`."""
    with blame_file(_card_file(path)):
        return _check_rules(_read_card(_card_file(path)), game)


def _card_file(path: Path) -> Path:
    return path if path.name == AGENT_FILE else path / AGENT_FILE


def _read_card(file: Path) -> dict[str, Any]:
    """Return what ``agent.json`` says, every field of it as it may be."""
    card = read_json(file)
    if card.get("format") != FORMAT:
        raise ValueError(
            f"format {shorten(card.get('format'))}; this version reads format {FORMAT}"
        )
    check_fields(card, REQUIRED_FIELDS)
    check_known(card, REQUIRED_FIELDS)
    check_fields(card["network"], NETWORK_FIELDS, "network.")
    check_known(card["network"], NETWORK_FIELDS, "network.")
    for number, one in enumerate(card.get("more_rules", ())):
        check_fields(one, RULES_FIELDS, f"more_rules.{number}.")
        check_known(one, RULES_FIELDS, f"more_rules.{number}.")
    check_fields(card["trained"], TRAINED, "trained.")
    check_fields(card["trained"].get("settings", {}), SETTINGS, "trained.settings.")
    if card.get("lookahead") is not None:
        check_fields(card["lookahead"], LOOKAHEAD, "lookahead.")
        check_known(card["lookahead"], LOOKAHEAD, "lookahead.")
    return card


def _check_rules(card: Mapping[str, Any], game: Game) -> tuple[Any, ...]:
    """Return the rules that an agent was trained by; ValueError if it cannot play the game."""
    if card["game"] != game.name:
        raise ValueError(f"an agent for {card['game']!r}, not for {game.name!r}")
    reads_observations = card["network"]["encoding"] not in (NO_ENCODING, AFTERSTATES)
    if reads_observations and card["features_digest"] != game.features_digest:
        raise ValueError(
            f"made for other features of {game.name!r}: features digest {card['features_digest']}, "
            f"now {game.features_digest}; train it anew"
        )
    return tuple(_read_rules(one, game) for one in (card, *card.get("more_rules", ())))


def _read_rules(said: Mapping[str, Any], game: Game) -> Any:
    rules = replace_options(game.rules(), said["rules"])
    game.check(rules)
    if game.rules_digest(rules) != said["rules_digest"]:
        raise ValueError(
            f"rules digest {said['rules_digest']} does not belong to the rules beside it in this "
            f"version of the game ({game.rules_digest(rules)})"
        )
    return rules


def _differences_text(known: tuple[Any, ...], wanted: Any) -> str:
    """Name in what wanted rules differ: of several known ones, from the nearest."""
    want = to_plain(wanted)
    texts = []
    for own in map(to_plain, known):
        texts.append(
            [f"{key} {own[key]!r}, not {want[key]!r}" for key in own if own[key] != want[key]]
        )
    nearest = min(texts, key=len)
    said = "; ".join(nearest)
    return said if len(known) == 1 else f"{len(known)} of them, the nearest with {said}"


def _read_tensors(data: bytes, digest: str) -> Mapping[str, np.ndarray]:
    found = sha256(data).hexdigest()
    if found != digest:
        raise ValueError(
            f"{len(data)} bytes with SHA-256 {found[:16]}…, where agent.json says {digest[:16]}…: "
            "cut short, damaged or of another agent"
        )
    from safetensors import SafetensorError  # of the extra `train`: only saved agents need it
    from safetensors.numpy import load as read_tensors

    try:
        tensors: Mapping[str, np.ndarray] = read_tensors(data)
    except SafetensorError as error:
        raise ValueError(str(error)) from error
    return tensors
