"""Base classes of the networks: maps from observations to action logits and values.

`parlour.agents.networks.build` lists the networks.
"""

from typing import ClassVar

import torch
from torch import Tensor, nn

from parlour.envs.core.options import parse_bool
from parlour.envs.core.schema import Features

ILLEGAL_LOGIT = -1e8
"""Logit of illegal actions: their probability is exactly 0 in float32, and its log is finite."""


def masked_logits(logits: Tensor, masks: Tensor) -> Tensor:
    """Return logits (n, actions) with those of illegal actions replaced by `ILLEGAL_LOGIT`.

    ``masks`` (n, actions) is bool. All code that acts or learns with a network masks its logits
    here.
    """
    return torch.where(masks, logits, ILLEGAL_LOGIT)


class CardNetwork(nn.Module):
    """A network with a body, which reads observations, and one tower each for policy and value.

    A subclass defines ``encoding`` and ``body``, or overrides ``add_heads`` and ``forward``.

    Args:
        features: the observation schema of the game.
        actions: the number of actions of the game.
        width: width of all hidden layers.
        depth: number of hidden layers from body to head, including the last layer of the body.
        layer_norm: whether to normalize these layers.
    """

    encoding: ClassVar[str]
    """The observation encoding that the network takes."""
    base: str | None = None
    """The rule-based agent that the network improves on (`options`).

    The last entries of its observations show the action of that agent.
    """
    lift = 0.0
    """The logit of that agent's action."""

    def __init__(
        self,
        features: Features,
        actions: int,
        width: int,
        depth: int,
        *,
        layer_norm: bool | int | str = False,
    ) -> None:
        super().__init__()
        self.features, self.actions, self.width, self.depth = features, actions, width, depth
        self.layer_norm = parse_bool("layer_norm", layer_norm)
        self.add_heads()

    def add_heads(self) -> None:
        """Add the policy tower and the value tower."""
        layers = self.depth - 1
        self.policy: nn.Module = _tower(self.width, layers, self.actions, 0.01, self.layer_norm)
        self.value: nn.Module = _tower(self.width, layers, 1, 1.0, self.layer_norm)

    def body(self, observations: Tensor) -> Tensor:
        """Return hidden features (n, width) of observations, int (n, entries or columns)."""
        raise NotImplementedError

    def neutral_weights(self) -> dict[str, Tensor]:
        """Return the weights, by name, that have no effect on the outputs of a new network.

        Training of a new network may therefore start from a network that lacks them.
        """
        return {}

    def forward(self, observations: Tensor) -> tuple[Tensor, Tensor]:
        """Return unmasked logits (n, actions) and values (n,) of observations (n, ...)."""
        hidden = self.body(observations)
        return self.lift_base(self.policy(hidden), observations), self.value(hidden).squeeze(-1)

    def lift_base(self, logits: Tensor, observations: Tensor) -> Tensor:
        """Return logits (n, actions) in which the rule-based agent's action has ``lift``."""
        if self.base is None:
            return logits
        return torch.where(observations[:, -self.actions :] > 0, self.lift, logits)


class EarlierNetwork(CardNetwork):
    """A network of an earlier version of a game, as a network for the current version.

    The earlier observation is the beginning of the current one, and later actions have higher
    numbers. The network does not see the rest, and plays no later action unless it must.

    Args:
        network: the earlier network.
        features: the current observation schema, with the base's action if the network has a base.
        actions: the current number of actions.
    """

    def __init__(self, network: CardNetwork, features: Features, actions: int) -> None:
        super().__init__(features, actions, network.width, network.depth)
        self.network = network
        self.encoding = network.encoding  # type: ignore[misc]
        self.base, self.lift = network.base, network.lift

    def add_heads(self) -> None:
        """Add nothing: the earlier network has the heads."""

    def forward(self, observations: Tensor) -> tuple[Tensor, Tensor]:
        """See `CardNetwork.forward`."""
        known, size = self.network.actions, self.network.features.size(self.encoding)
        if self.base is None:
            seen = observations[:, :size]
        else:
            flags = observations[:, -self.actions :][:, :known]
            seen = torch.cat([observations[:, : size - known], flags], dim=1)
        logits, values = self.network(seen)
        later = logits.new_full((len(logits), self.actions - known), ILLEGAL_LOGIT)
        return torch.cat([logits, later], dim=1), values


def _tower(width: int, layers: int, outputs: int, gain: float, layer_norm: bool) -> nn.Sequential:
    modules: list[nn.Module] = []
    for _ in range(layers):
        modules.append(linear(width, width))
        if layer_norm:
            modules.append(nn.LayerNorm(width))
        modules.append(nn.ReLU())
    return nn.Sequential(*modules, linear(width, outputs, gain))


def normal(*shape: int, std: float) -> nn.Parameter:
    """Return a parameter with normally distributed values of mean 0."""
    return nn.Parameter(nn.init.normal_(torch.empty(shape), std=std))


def linear(inputs: int, outputs: int, gain: float = 2**0.5) -> nn.Linear:
    """Return a linear layer with orthogonal weights of the given gain and zero bias."""
    layer = nn.Linear(inputs, outputs)
    nn.init.orthogonal_(layer.weight, gain)
    nn.init.zeros_(layer.bias)
    return layer
