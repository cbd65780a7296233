"""Saving agents: `parlour.agents.saved` describes their folders, and reads them."""

import json
from collections.abc import Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

from safetensors.torch import save as tensor_bytes

from parlour.agents.networks.build import CardNetwork
from parlour.agents.saved import AGENT_FILE, FORMAT, WEIGHTS
from parlour.envs import Game
from parlour.envs.core.options import to_plain
from parlour.envs.core.rules_table import RulesTable, make_table

from ..files import whole_folder


def describe_table(table: RulesTable) -> dict[str, Any]:
    """Return rules as JSON: the first ones, and ``more_rules`` if there are several."""
    game, plain = table.game, [to_plain(one) for one in table.rules]
    described = {"rules": plain[0], "rules_digest": game.rules_digest(table.rules[0])}
    if not table.has_several:
        return described
    more = [
        {"rules": other, "rules_digest": game.rules_digest(one)}
        for one, other in zip(table.rules[1:], plain[1:], strict=True)
    ]
    return described | {"more_rules": more}


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
    network_spec: Mapping[str, Any],
    trained: Mapping[str, Any],
    scored: Mapping[str, Any],
    samples: bool = False,
    more_rules: Sequence[Any] = (),
) -> None:
    """Save an agent that plays by a network: its folder is written whole or not at all.

    ``network_spec`` has the network's name, width, depth and options, as `networks.build_network`
    takes them; the other arguments are those of `save_weights`.
    """
    spec = dict(network_spec) | {"encoding": network.encoding}
    data = weights_bytes(network)
    save_weights(folder, name, game, rules, data, spec, trained, scored, samples, more_rules)


def save_weights(
    folder: Path,
    name: str,
    game: Game,
    rules: Any,
    weights: bytes,
    network: Mapping[str, Any],
    trained: Mapping[str, Any],
    scored: Mapping[str, Any],
    samples: bool = False,
    more_rules: Sequence[Any] = (),
) -> None:
    """Write the folder of a saved agent, whole or not at all.

    Args:
        folder: the agent's folder.
        name: the agent's name.
        game: the game that it plays.
        rules: the rules that it was trained by.
        weights: the bytes of a safetensors file.
        network: what the weights are, see `saved.SavedAgent`.
        trained: how the agent was trained, plain values for JSON.
        scored: how it plays, plain values for JSON.
        samples: whether the agent draws its actions from its policy.
        more_rules: further rules that it was trained by.
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
        "samples": samples,
    }
    with whole_folder(folder) as aside:
        (aside / WEIGHTS).write_bytes(weights)
        (aside / AGENT_FILE).write_text(json.dumps(card, indent=2) + "\n", encoding="utf-8")
