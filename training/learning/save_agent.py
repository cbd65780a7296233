"""Saving an agent; `parlour.agents.saved` says what its folder holds, and reads it."""

import json
from collections.abc import Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

from safetensors.torch import save as tensor_bytes

from parlour.agents.networks.build import CardNetwork
from parlour.agents.saved import (
    AGENT_FILE,
    FORMAT,
    WEIGHTS,
    Artefact,
    ArtefactError,
    load_artefact,
)
from parlour.envs import Game
from parlour.envs.core.rules_table import make_table

from ..files import whole_folder
from .rules_of_run import describe_table

__all__ = ["Artefact", "ArtefactError", "load_artefact", "save", "weights_bytes"]


def weights_bytes(network: CardNetwork) -> bytes:
    """Return the weights as a safetensors file: equal weights, equal bytes."""
    tensors = network.state_dict().items()
    return tensor_bytes({name: tensor.cpu().contiguous() for name, tensor in tensors})


def save(
    folder: Path,
    name: str,
    game: Game,
    rules: Any,
    network: CardNetwork,
    described: Mapping[str, Any],
    trained: Mapping[str, Any],
    scored: Mapping[str, Any],
    lookahead: Mapping[str, int] | None = None,
    samples: bool = False,
    more_rules: Sequence[Any] = (),
) -> None:
    """Write the folder of an agent that plays by a network, whole or not at all.

    ``described`` has the network's name, width, depth and options, as `networks.build_network`
    takes them; for the rest see `save_weights`.
    """
    net = dict(described) | {"encoding": network.encoding}
    data = weights_bytes(network)
    save_weights(
        folder, name, game, rules, data, net, trained, scored, lookahead, samples, more_rules
    )


def save_weights(
    folder: Path,
    name: str,
    game: Game,
    rules: Any,
    weights: bytes,
    network: Mapping[str, Any],
    trained: Mapping[str, Any],
    scored: Mapping[str, Any],
    lookahead: Mapping[str, int] | None = None,
    samples: bool = False,
    more_rules: Sequence[Any] = (),
) -> None:
    """Write a saved agent's folder, whole or not at all.

    ``weights`` is a safetensors file, ``network`` says what they are (see `artefact.Artefact`);
    ``trained`` and ``scored`` are plain values for JSON: how it was trained, how it plays;
    ``lookahead`` is given for an agent that is to play by a network's values; ``samples``: one that
    is to draw its actions from its policy; ``more_rules``: others that it was trained by, too.
    """
    table = make_table(game, (rules, *more_rules))
    card = {
        "format": FORMAT,
        "name": name,
        "game": game.name,
        "variant": None if more_rules else game.variant_name(rules),
        **describe_table(table),
        "features_digest": game.features_digest,
        "network": dict(network),
        "weights_sha256": sha256(weights).hexdigest(),
        "trained": dict(trained),
        "scored": dict(scored),
        "lookahead": lookahead,
        "samples": samples,
    }
    with whole_folder(folder) as aside:
        (aside / WEIGHTS).write_bytes(weights)
        (aside / AGENT_FILE).write_text(json.dumps(card, indent=2) + "\n", encoding="utf-8")
