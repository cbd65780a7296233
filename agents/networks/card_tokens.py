"""A network whose tokens, one for each place of a card, attend to each other.

Attention is that of Vaswani and others, "Attention is all you need" (2017). One more token, that of
the table, reads everything else that is shown. A position costs far more than with a sum of
embeddings; the pages of the games say where that pays.
"""

from typing import Any

import torch
from torch import Tensor, nn

from parlour.envs.core.schema import CARD, RANK, Features, Piece

from .card_network import ShareReader, TokenNetwork, linear, list_entries_beside

HEADS = 4
"""Attention heads of each layer; ``width`` must be a multiple of it."""


def list_cards(features: Features) -> list[Piece]:
    """Return the pieces whose entries are cards, and therefore tokens."""
    return [piece for piece in features.pieces if piece.kind in (CARD, RANK)]


def list_beside(features: Features, cards: Piece) -> list[Piece]:
    """Return the pieces that describe the cards of a piece: where they are, and their marks."""
    return [one for one in features.pieces if one.name == cards.where or one.marks == cards.name]


def list_common(features: Features) -> list[int]:
    """Return the entries that describe no single place, for the table's token."""
    of_places = {
        one.name for cards in list_cards(features) for one in (cards, *list_beside(features, cards))
    }
    return list_entries_beside(features, of_places)


class CardTokens(TokenNetwork):
    """Tokens for places, in ``depth`` layers of attention of ``width`` channels.

    For games whose pieces show cards (kinds CARD and RANK). Where each action belongs to a place
    (`Features.actions_on`), the logit of an action comes from the token of its place, by the same
    weights for all places. Other logits and the value come from the table's token.
    """

    name = "attention"

    def __init__(
        self, features: Features, actions: int, width: int, depth: int, **options: Any
    ) -> None:
        super().__init__(features, actions, width, depth, **options)
        if width % HEADS:
            raise ValueError(f"width={width}: network {self.name!r} takes multiples of {HEADS}")
        self.cards = list_cards(features)
        if not self.cards:
            raise self.refuse("this game shows no cards one by one")
        self.faces = nn.ModuleList(
            nn.Embedding(one.kind.num_values + 1, width) for one in self.cards
        )
        self.beside = nn.ModuleList(
            nn.Embedding(beside.kind.max_code + 1, width)
            for piece in self.cards
            for beside in list_beside(features, piece)
        )
        self.places = nn.Parameter(torch.randn(sum(one.size for one in self.cards), width) * 0.1)
        self.common = ShareReader(features, list_common(features))
        self.table = nn.Linear(self.common.columns, width)
        self.layers = nn.ModuleList(AttentionLayer(width) for _ in range(depth))
        self.norm = nn.LayerNorm(width)
        on_places = features.actions_on
        self.clicked = features.entry_range(on_places) if on_places else range(0)
        self.place = linear(width, 1, 0.01)
        self.other = linear(width, actions - len(self.clicked), 0.01)
        self.value = linear(width, 1, 0.1)

    def forward(self, observations: Tensor) -> tuple[Tensor, Tensor]:
        """See `CardNetwork.forward`."""
        table = self.table(self.common(observations))
        hidden = torch.cat([table[:, None], self._read_cards(observations)], dim=1)
        for layer in self.layers:
            hidden = layer(hidden)
        hidden = self.norm(hidden)
        table = hidden[:, 0]
        on_places = self.place(hidden[:, self._clicked_tokens()]).squeeze(-1)
        logits = torch.cat([on_places, self.other(table)], dim=1)
        return self.lift_base(logits, observations), self.value(table).squeeze(-1)

    def _clicked_tokens(self) -> slice:
        """Return the tokens of the places that actions belong to."""
        start = 1
        for piece in self.cards:
            if piece.name == self.features.actions_on:
                return slice(start, start + piece.size)
            start += piece.size
        return slice(0, 0)

    def _read_cards(self, codes: Tensor) -> Tensor:
        """Return the tokens of all places, (n, places, width)."""
        beside, tokens = iter(self.beside), []
        for piece, faces in zip(self.cards, self.faces, strict=True):
            shown = (self._codes_of(codes, piece) >> piece.kind.shift) - piece.kind.offset
            token = faces(shown.clamp(min=0))
            for one in list_beside(self.features, piece):
                token = token + next(beside)(self._codes_of(codes, one))
            tokens.append(token)
        return torch.cat(tokens, dim=1) + self.places

    def _codes_of(self, codes: Tensor, piece: Piece) -> Tensor:
        entries = self.features.entry_range(piece.name)
        return codes[:, entries.start : entries.stop].int()


class AttentionLayer(nn.Module):
    """A layer of attention and of a dense network for each token, both added to the token."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.norm_read, self.norm_think = nn.LayerNorm(width), nn.LayerNorm(width)
        self.questions, self.read = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.think, self.out = nn.Linear(width, 2 * width), nn.Linear(2 * width, width)

    def forward(self, hidden: Tensor) -> Tensor:
        """Return the next tokens (n, tokens, width)."""
        n, tokens, width = hidden.shape
        parts = self.questions(self.norm_read(hidden)).view(n, tokens, 3, HEADS, width // HEADS)
        query, key, value = parts.permute(2, 0, 3, 1, 4)
        seen = nn.functional.scaled_dot_product_attention(query, key, value)
        hidden = hidden + self.read(seen.transpose(1, 2).reshape(n, tokens, width))
        thought: Tensor = self.out(self.think(self.norm_think(hidden)).relu())
        return hidden + thought
