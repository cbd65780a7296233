"""What networks of tokens share: normalised layers, and entries that stand in no token."""

from collections.abc import Collection
from typing import ClassVar

import torch
from torch import Tensor, nn

from parlour.envs.core.schema import Features

from .card_network import CardNetwork


class TokenNetwork(CardNetwork):
    """A network whose layers work on tokens; they are always normalised, and its heads its own.

    A subclass overrides ``forward``. ``name`` is that of its row in `networks.NETWORKS`.
    """

    encoding = "codes"
    name: ClassVar[str]

    def __init__(
        self,
        features: Features,
        actions: int,
        width: int,
        depth: int,
        *,
        layer_norm: bool | int | str = True,
    ) -> None:
        super().__init__(features, actions, width, depth, layer_norm=layer_norm)
        if not self.layer_norm:
            raise self.refuse("its layers are always normalised")

    def add_heads(self) -> None:
        """Add none: a subclass has heads over its tokens."""

    def refuse(self, reason: str) -> ValueError:
        """Return the error that says why this network cannot be built."""
        return ValueError(f"network {self.name!r}: {reason}")


def list_entries_beside(features: Features, read: Collection[str]) -> list[int]:
    """Return the entries of all pieces but those named in ``read``."""
    left = [piece for piece in features.pieces if piece.name not in read]
    return [entry for piece in left for entry in features.entry_range(piece.name)]


class ShareReader(nn.Module):
    """Turns entries of ``codes`` into columns: their shares of the highest, and what is not 0."""

    highs: Tensor

    def __init__(self, features: Features, entries: list[int]) -> None:
        super().__init__()
        self.entries, self.columns = entries, 2 * len(entries)
        highs = torch.as_tensor(features.high, dtype=torch.float32)[entries]
        self.register_buffer("highs", highs, persistent=False)

    def forward(self, codes: Tensor) -> Tensor:
        """Return columns float32 (n, columns) of codes (n, width)."""
        shown = codes[:, self.entries].float()
        return torch.cat([shown / self.highs, (shown > 0).float()], dim=1)
