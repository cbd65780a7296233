"""What every network that plays is: a map from observations to action logits and values.

`parlour.agents.networks.build` lists them.
"""

from typing import ClassVar

import torch
from torch import Tensor, nn

from parlour.envs.core.options import parse_bool
from parlour.envs.core.schema import Features

ILLEGAL_LOGIT = -1e8
"""Logit of an illegal action: its probability is exactly 0 in float32, its log stays finite."""


def masked_logits(logits: Tensor, masks: Tensor) -> Tensor:
    """Return logits (n, actions) in which illegal actions, by ``masks`` (bool), cannot be chosen.

    All that chooses or learns by a network passes here: it is the one seam for masks.
    """
    return torch.where(masks, logits, ILLEGAL_LOGIT)


class CardNetwork(nn.Module):
    """A body, which reads observations, with a tower and a head for policy and for value.

    A subclass says which ``encoding`` it takes and fills in ``body``; it may override ``add_heads``
    and ``forward`` instead. ``width`` is that of every hidden layer; ``depth`` counts the hidden
    layers from body to head, the body's own last one included. ``layer_norm`` normalises all of
    these layers.
    """

    encoding: ClassVar[str]
    base: str | None = None
    """The player by rule that it corrects (`residual`); what that one would play is read last."""
    lift = 0.0
    """The logit of what that one would play."""

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
        """Add the towers of policy and value."""
        layers = self.depth - 1
        self.policy: nn.Module = _tower(self.width, layers, self.actions, 0.01, self.layer_norm)
        self.value: nn.Module = _tower(self.width, layers, 1, 1.0, self.layer_norm)

    def body(self, observations: Tensor) -> Tensor:
        """Return hidden features (n, width) of integer observations (n, entries or columns)."""
        raise NotImplementedError

    def forward(self, observations: Tensor) -> tuple[Tensor, Tensor]:
        """Return unmasked logits (n, actions) and values (n,) of observations (n, ...)."""
        hidden = self.body(observations)
        return self.lift_base(self.policy(hidden), observations), self.value(hidden).squeeze(-1)

    def lift_base(self, logits: Tensor, observations: Tensor) -> Tensor:
        """Return logits (n, actions), that of what the player by rule would play being ``lift``."""
        if self.base is None:
            return logits
        return torch.where(observations[:, -self.actions :] > 0, self.lift, logits)


def _tower(width: int, layers: int, out: int, gain: float, layer_norm: bool) -> nn.Sequential:
    parts: list[nn.Module] = []
    for _ in range(layers):
        parts.append(linear(width, width))
        if layer_norm:
            parts.append(nn.LayerNorm(width))
        parts.append(nn.ReLU())
    return nn.Sequential(*parts, linear(width, out, gain))


def linear(inputs: int, outputs: int, gain: float = 2**0.5) -> nn.Linear:
    """Return a linear layer with orthogonal weights of that gain and no bias to begin with."""
    layer = nn.Linear(inputs, outputs)
    nn.init.orthogonal_(layer.weight, gain)
    nn.init.zeros_(layer.bias)
    return layer
