"""Saving agents. `parlour.agents.saved` describes and reads the folders of saved agents."""

import json
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

from safetensors.torch import save as tensor_bytes

from parlour.agents.networks.build import CardNetwork
from parlour.agents.saved import AGENT_FILE, FORMAT, WEIGHTS
from parlour.envs.core.options import to_plain
from parlour.envs.core.rules_table import RulesTable

from ..files import whole_folder


def describe_table(table: RulesTable) -> dict[str, Any]:
    """Return rules as JSON values: the first rules, and ``more_rules`` if there are several."""
    first, *others = (
        {"rules": to_plain(rules), "rules_digest": table.game.rules_digest(rules)}
        for rules in table.rules
    )
    return first | {"more_rules": others} if table.has_several else first


def weights_bytes(network: CardNetwork) -> bytes:
    """Return the weights as the bytes of a safetensors file; equal weights give equal bytes."""
    tensors = network.state_dict().items()
    return tensor_bytes({name: tensor.cpu().contiguous() for name, tensor in tensors})


def save_agent(
    folder: Path,
    name: str,
    table: RulesTable,
    weights: bytes,
    network_spec: Mapping[str, Any],
    trained: Mapping[str, Any],
    scored: Mapping[str, Any],
    samples: bool = False,
) -> None:
    """Write the folder of a saved agent, completely or not at all.

    Args:
        folder: the agent's folder.
        name: the agent's name.
        table: the game, and the rules that the agent was trained on.
        weights: the bytes of a safetensors file, see `weights_bytes`.
        network_spec: description of the weights, see `saved.SavedAgent`.
        trained: description of the training, as plain values for JSON.
        scored: result of the last evaluation, as plain values for JSON.
        samples: whether the agent samples its actions from its policy.
    """
    game = table.game
    card = {
        "format": FORMAT,
        "name": name,
        "game": game.name,
        "variant": None if table.has_several else game.variant_name(table.rules[0]),
        **describe_table(table),
        "features_digest": game.features_digest,
        "network": dict(network_spec),
        "weights_sha256": sha256(weights).hexdigest(),
        "trained": dict(trained),
        "scored": dict(scored),
        "samples": samples,
    }
    with whole_folder(folder) as aside:
        (aside / WEIGHTS).write_bytes(weights)
        (aside / AGENT_FILE).write_text(json.dumps(card, indent=2) + "\n", encoding="utf-8")
