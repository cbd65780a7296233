"""Saved agents: folders with a description, ``agent.json``, and ``weights.safetensors``.

Loading an agent runs no code from the folder. It fails for damaged files, for agents that were
trained on other rules, and for agents that were trained on another feature schema. The error names
the file and the reason.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np

from parlour.envs import Game
from parlour.envs.core.batch import Reward
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
    is_finite,
    maybe,
    name_file_in_errors,
    read_bytes,
    read_json,
    shorten,
    whole,
)

FORMAT = 1
AGENT_FILE, WEIGHTS = "agent.json", "weights.safetensors"
MAX_WEIGHTS_BYTES = 1 << 31
"""Maximum size in bytes of a file of weights."""
NO_ENCODING, AFTERSTATES, PLANS = "none", "afterstates", "plans"
"""Encodings of heuristic weights, of value tables and of networks that value plans. They do not
read observations."""
MAX_HEADER_BYTES = 1 << 20
"""Maximum size in bytes of the header of a file of weights, which has names and shapes."""
PRETRAINED_SPEC = "pretrained"
"""The spec of the agent that ships with Parlour for the rules."""
PRETRAINED_FOLDER = Path(__file__).parent / "pretrained"
"""Folders of these agents: GAME-VARIANT, and GAME-many for a network trained on many rules."""
MANY_RULES = "many"
ROWS = Field(
    "a list of objects",
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
    "samples": YES_OR_NO._replace(optional=True),
}
RULES_FIELDS: dict[str, Field] = {"rules": TABLE, "rules_digest": TEXT}
"""Fields of each entry of ``more_rules``."""
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
    "unit": TEXT._replace(optional=True),
    "timesteps": whole(0, 10**18)._replace(optional=True),
}
"""Fields of ``trained`` that agents and model cards read."""
SETTINGS: dict[str, Field] = {
    "reward": Field(
        "progress, win or score",
        lambda value: isinstance(value, str) and value.upper() in Reward.__members__,
        optional=True,
    ),
    "temperature": Field(
        "a number above 0", lambda value: is_finite(value) and value > 0, optional=True
    ),
}
"""Training settings that agents read."""
PLAYED_BY = ("weights_sha256", "network", "features_digest", "samples")
"""Fields of ``agent.json`` that determine the actions of the agent."""


class SavedAgentError(ValueError):
    """A saved agent cannot be used. The message names the file and the reason."""


@dataclass(frozen=True)
class SavedAgent:
    """The content of a saved agent's folder."""

    folder: Path
    name: str
    rules: Any
    """Rules that the agent was trained on; the first of several."""
    network: Mapping[str, Any]
    """Name, encoding, width, depth and options of the network."""
    weights: Mapping[str, np.ndarray]
    """Arrays by name."""
    trained: Mapping[str, Any]
    """Settings, duration and machine of the training."""
    scored: Mapping[str, Any]
    """Results of the last evaluation during training."""
    samples: bool = False
    """Whether the agent samples its actions from the policy instead of taking the most likely one.
    """
    more_rules: tuple[Any, ...] = ()
    """Further rules that the agent was trained on."""


def load_saved_agent(
    path: str | Path,
    game: Game,
    rules: Any = None,
    size: Callable[[Mapping[str, Any]], int] | None = None,
    encoding: Callable[[Mapping[str, Any]], str] | None = None,
) -> SavedAgent:
    """Read a saved agent.

    Args:
        path: the agent's folder, or the ``agent.json`` in it.
        game: the game that the agent must play.
        rules: rules that the agent must have been trained on (None: any rules of the game).
        size: function from the network's fields in ``agent.json`` to the size of its weights in
            bytes; a larger file is not opened.
        encoding: function from these fields to the encoding that the network takes.

    Raises:
        SavedAgentError: the agent cannot be used. The message names the file and the reason.
    """
    card_file = _card_file(Path(path))
    folder = card_file.parent
    with name_file_in_errors(card_file, SavedAgentError):
        card = _read_card(card_file)
        if encoding is not None:
            _check_encoding(card["network"], encoding(card["network"]))
        known = _check_rules(card, game)
        if rules is not None and rules not in known:
            raise ValueError(
                f"the agent was trained on other rules: {_differences_text(known, rules)}. To use "
                "it anyway, set allow_rules_mismatch"
            )
        needed = MAX_WEIGHTS_BYTES if size is None else size(card["network"])
    weights_file = folder / WEIGHTS
    with name_file_in_errors(weights_file, SavedAgentError):
        data = read_bytes(weights_file, min(MAX_WEIGHTS_BYTES, needed + MAX_HEADER_BYTES))
        weights = _read_tensors(data, card["weights_sha256"])
        check_finite(card["name"], weights)
    return SavedAgent(
        folder,
        card["name"],
        known[0],
        card["network"],
        weights,
        card["trained"],
        card["scored"],
        samples=card.get("samples") is True,
        more_rules=known[1:],
    )


def _check_encoding(network: Mapping[str, Any], wanted: str) -> None:
    """Raise ValueError unless the encoding in ``agent.json`` is ``wanted``."""
    if network["encoding"] != wanted:
        raise ValueError(
            f"field network.encoding must be {wanted!r} for network {network['name']!r}, got "
            f"{network['encoding']!r}"
        )


def check_finite(name: str, weights: Mapping[str, np.ndarray]) -> None:
    """Raise ValueError if an agent's weights contain NaN or infinity."""
    for layer, array in weights.items():
        if np.issubdtype(array.dtype, np.floating) and not np.isfinite(array).all():
            wrong = np.count_nonzero(~np.isfinite(array))
            raise ValueError(
                f"weights of agent {name!r} are not finite: layer {layer!r} has {wrong:,} of "
                f"{array.size:,} numbers that are NaN or infinite"
            )


def read_description(path: Path) -> dict[str, Any]:
    """Return the validated ``agent.json`` of a saved agent's folder."""
    with name_file_in_errors(_card_file(path), SavedAgentError):
        return _read_card(_card_file(path))


def read_network_name(path: Path) -> str:
    """Return the name of a saved agent's network."""
    return str(read_description(path)["network"]["name"])


def digest_agent(path: Path) -> str:
    """Return the digest, 16 hex digits, of everything that determines a saved agent's actions."""
    card = read_description(path)
    played = {name: card.get(name) for name in PLAYED_BY}
    return digest16(json.dumps(played, sort_keys=True))


def read_rules(path: Path, game: Game) -> tuple[Any, ...]:
    """Return all rules of ``game`` that a saved agent was trained on.

    Raises SavedAgentError if the agent cannot play the game.
    """
    with name_file_in_errors(_card_file(path), SavedAgentError):
        return _check_rules(_read_card(_card_file(path)), game)


def _card_file(path: Path) -> Path:
    return path if path.name == AGENT_FILE else path / AGENT_FILE


def _read_card(file: Path) -> dict[str, Any]:
    """Return the content of ``agent.json``. Raises ValueError for an invalid field."""
    card = read_json(file)
    if card.get("format") != FORMAT:
        raise ValueError(
            f"field format must be {FORMAT} in this version of Parlour, got "
            f"{shorten(card.get('format'))}"
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
    return card


def _check_rules(card: Mapping[str, Any], game: Game) -> tuple[Any, ...]:
    """Return all rules that an agent was trained on; ValueError if it cannot play the game."""
    if card["game"] != game.name:
        raise ValueError(f"the agent must be for game {game.name!r}, got {card['game']!r}")
    reads_observations = card["network"]["encoding"] not in (NO_ENCODING, AFTERSTATES, PLANS)
    if reads_observations and game.find_schema(card["features_digest"]) is None:
        raise ValueError(
            f"the agent was trained on other features of {game.name!r}: features digest "
            f"{card['features_digest']}, now {game.features_digest}. Retrain the agent"
        )
    return tuple(_read_rules(one, game) for one in (card, *card.get("more_rules", ())))


def _read_rules(saved: Mapping[str, Any], game: Game) -> Any:
    rules = replace_options(game.rules(), saved["rules"])
    game.check(rules)
    if game.rules_digest(rules) != saved["rules_digest"]:
        raise ValueError(
            f"rules digest must be {game.rules_digest(rules)} for these rules in this version of "
            f"the game, got {saved['rules_digest']}"
        )
    return rules


def _differences_text(known: tuple[Any, ...], wanted: Any) -> str:
    """Describe how ``wanted`` differs from the known rules, or from the nearest of several."""
    wanted_options = to_plain(wanted)
    differences: list[list[str]] = [
        [
            f"{name} {value!r}, not {wanted_options[name]!r}"
            for name, value in to_plain(rules).items()
            if value != wanted_options[name]
        ]
        for rules in known
    ]
    nearest = min(differences, key=len)
    text = "; ".join(nearest)
    return text if len(known) == 1 else f"{len(known)} sets of rules, the nearest with {text}"


def _read_tensors(data: bytes, digest: str) -> Mapping[str, np.ndarray]:
    actual = sha256(data).hexdigest()
    if actual != digest:
        raise ValueError(
            f"SHA-256 must be {digest[:16]}… as in agent.json, got {actual[:16]}… for "
            f"{len(data)} bytes: the file is incomplete, damaged or belongs to another agent"
        )
    from safetensors import SafetensorError  # part of the extra `train`; only saved agents need it
    from safetensors.numpy import load as read_tensors

    try:
        tensors: Mapping[str, np.ndarray] = read_tensors(data)
    except SafetensorError as error:
        raise ValueError(str(error)) from error
    return tensors


def find_pretrained_folder(game: Game, rules: Any, allow_rules_mismatch: bool = False) -> Path:
    """Return the folder of the pretrained agent for some rules of a game.

    An agent for exactly this variant takes precedence over one that was trained on many rules that
    include these. With ``allow_rules_mismatch``, an agent for other rules of the game is
    acceptable: the one for many rules, or else the one for the default variant, or else the first
    in the order of the variants.

    Raises ValueError if there is none.
    """
    for name in _list_names(game, rules, allow_rules_mismatch):
        folder = PRETRAINED_FOLDER / f"{game.name}-{name}"
        if folder.is_dir():
            return folder
    existing = sorted(path.name for path in PRETRAINED_FOLDER.glob("*-*"))
    raise ValueError(
        f"agent {PRETRAINED_SPEC!r}: Parlour has no pretrained agent for these rules. "
        f"Pretrained agents: {', '.join(existing)}. To use one for other rules of the game, set "
        "allow_rules_mismatch"
    )


def _list_names(game: Game, rules: Any, allow_rules_mismatch: bool) -> Iterator[str]:
    """Yield possible folder names, without the game's name, in order of preference."""
    if variant := game.variant_name(rules):
        yield variant
    many = PRETRAINED_FOLDER / f"{game.name}-{MANY_RULES}"
    if allow_rules_mismatch or (many.is_dir() and rules in read_rules(many, game)):
        yield MANY_RULES
    if allow_rules_mismatch:
        yield from (game.default, *game.variants)


def find_agent_folder(folder: Path) -> Path:
    """Return the folder of the only agent that a training run, or one seed of it, has saved.

    The path of an agent, or a path that is not a folder, is returned unchanged. Raises ValueError
    if the run saved several agents or none, as an unfinished run does.
    """
    if not folder.is_dir() or (folder / AGENT_FILE).exists():
        return folder
    agents = sorted(card.parent for card in folder.glob(f"agent/{AGENT_FILE}"))
    agents = agents or sorted(card.parent for card in folder.glob(f"seed-*/agent/{AGENT_FILE}"))
    if len(agents) == 1:
        return agents[0]
    if agents:
        raise ValueError(
            f"{folder}: the folder has several agents; name one: {', '.join(map(str, agents))}"
        )
    for run in (folder, folder.parent):
        if (run / "settings.json").exists():
            raise ValueError(
                f"{run}: the run has no agent yet. To resume it: parlour train --resume {run}"
            )
    raise ValueError(f"{folder}: neither the folder nor its subfolders have an {AGENT_FILE}")
