"""A network with one token for each rank of cards, and the same weights for all ranks.

In a solitaire of pairs, the chances of a rank depend on the places of its four cards and of its
partners' cards, whatever the rank. A token therefore holds the places of one rank's cards; it reads
the token of its partners and a summary of all. Each position then teaches the network something
about all ranks.
"""

from typing import Any

import torch
from torch import Tensor, nn

from parlour.envs.core.options import parse_bool
from parlour.envs.core.schema import RANK, Features, Piece

from .card_network import ShareReader, TokenNetwork, linear, list_entries_beside

TOKENS = RANK.num_values
"""The number of ranks; the token of a rank has its number less one."""


class RankTokens(TokenNetwork):
    """Tokens for ranks, in ``depth`` layers of ``width`` channels with hidden layers of twice that.

    For games with bonds between ranks (`Features.bonds`) and an action for each place of a piece
    (`Features.actions_on`). A token reads the pieces of kind RANK, the marks on their places and
    the counts by rank as far as they are about its rank; all tokens read everything else alike.
    With ``names_ranks`` a token knows its rank, for rules by which more than two cards may go
    together.
    """

    name = "ranks"

    def __init__(
        self,
        features: Features,
        actions: int,
        width: int,
        depth: int,
        *,
        names_ranks: bool | int | str = False,
        **options: Any,
    ) -> None:
        super().__init__(features, actions, width, depth, **options)
        self.names_ranks = parse_bool("names_ranks", names_ranks)
        if features.bonds is None or features.actions_on is None:
            raise self.refuse("this game names no bonds between ranks")
        self.reader = RankReader(features)
        self.own = linear(self.reader.columns, width)
        self.partners = nn.Linear(self.reader.columns, width, bias=False)
        self.common = nn.Linear(self.reader.common.columns, width)
        if self.names_ranks:
            self.rank = nn.Parameter(torch.randn(TOKENS, width) * 0.1)
        self.norm = nn.LayerNorm(width)
        self.layers = nn.ModuleList(TokenLayer(width) for _ in range(depth))
        self.clicked = features.entry_range(features.actions_on)
        self.place = nn.Parameter(torch.randn(width, len(self.clicked)) * 0.02)
        self.place_bias = nn.Parameter(torch.zeros(len(self.clicked)))
        self.other = linear(2 * width, actions - len(self.clicked), 0.01)
        self.value = linear(2 * width, 1, 0.1)

    def forward(self, observations: Tensor) -> tuple[Tensor, Tensor]:
        """See `CardNetwork.forward`."""
        tokens, common = self.reader(observations)
        start = self.own(tokens) + self.reader.bonds @ self.partners(tokens)
        if self.names_ranks:
            start = start + self.rank
        hidden = self.norm(start + self.common(common)[:, None]).relu()
        for layer in self.layers:
            hidden = layer(hidden, self.reader.bonds)
        scores = nn.functional.pad(hidden @ self.place, (0, 0, 1, 0))  # rank 0, no card, scores 0
        ranks = self.reader.ranks(observations, self.clicked)
        on_places = scores.gather(1, ranks[:, None]).squeeze(1) + self.place_bias
        summary = summarise(hidden)
        logits = torch.cat([on_places, self.other(summary)], dim=1)
        return self.lift_base(logits, observations), self.value(summary).squeeze(-1)


class TokenLayer(nn.Module):
    """A layer in which each token reads itself, its partners and a summary of all tokens."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.own, self.partners = nn.Linear(width, 2 * width), nn.Linear(width, 2 * width)
        self.all, self.out = nn.Linear(2 * width, 2 * width), nn.Linear(2 * width, width)
        self.norm = nn.LayerNorm(width)

    def forward(self, hidden: Tensor, bonds: Tensor) -> Tensor:
        """Return the next tokens (n, ranks, width); ``bonds`` is (ranks, ranks)."""
        read = self.own(hidden) + self.partners(bonds @ hidden)
        added: Tensor = self.out((read + self.all(summarise(hidden))[:, None]).relu())
        tokens: Tensor = self.norm(hidden + added)
        return tokens


def summarise(tokens: Tensor) -> Tensor:
    """Return mean and maximum over the tokens, (n, 2 * width)."""
    return torch.cat([tokens.mean(dim=1), tokens.amax(dim=1)], dim=1)


class RankReader(nn.Module):
    """Maps ``codes`` to columns for each rank and columns that all ranks share."""

    bonds: Tensor

    def __init__(self, features: Features) -> None:
        super().__init__()
        assert features.bonds is not None
        self.features = features
        self.cards = [piece for piece in features.pieces if piece.kind is RANK]
        names = {piece.name for piece in self.cards}
        self.marks = [piece for piece in features.pieces if piece.marks in names]
        self.counts = [piece for piece in features.pieces if piece.by_rank]
        self.columns = 1 + sum(self._size(piece) for piece in self.cards)
        self.columns += sum(piece.size for piece in self.marks)
        self.columns += sum(piece.kind.num_values + 1 for piece in self.counts)
        read = {p.name for p in (*self.cards, *self.marks, *self.counts)}
        read |= {piece.where for piece in self.cards if piece.where}
        self.common = ShareReader(features, list_entries_beside(features, read))
        codes = [(rank + 1) << RANK.shift for rank in range(TOKENS)]
        bonds = torch.tensor(features.bonds[codes][:, codes], dtype=torch.float32)
        self.register_buffer("bonds", bonds, persistent=False)

    def _size(self, piece: Piece) -> int:
        """Return the columns of a piece of cards: its places, times where the cards may be."""
        return piece.size * self._count_wheres(piece)

    def _count_wheres(self, piece: Piece) -> int:
        if piece.where is None:
            return 1
        return next(one.kind.num_values for one in self.features.pieces if one.name == piece.where)

    def ranks(self, codes: Tensor, entries: range) -> Tensor:
        """Return the ranks of cards, int64 (n, entries): 0 for no card, else 1 to `TOKENS`."""
        return codes[:, entries.start : entries.stop].long() >> RANK.shift

    def forward(self, codes: Tensor) -> tuple[Tensor, Tensor]:
        """Return columns (n, ranks, columns) and common columns (n, common.columns)."""
        n, device = len(codes), codes.device
        flat = torch.zeros(n, (TOKENS + 1) * self.columns, device=device)
        at = 1
        for piece in self.cards:
            entries, wheres = self.features.entry_range(piece.name), self._count_wheres(piece)
            places = torch.arange(piece.size, device=device) * wheres + at
            ranks = self.ranks(codes, entries)
            if piece.where:
                beside = self.features.entry_range(piece.where)
                where = codes[:, beside.start : beside.stop].long()
                ranks, places = torch.where(where > 0, ranks, 0), places + (where - 1).clamp(min=0)
            flat.scatter_(1, ranks * self.columns + places, 1.0)
            at += self._size(piece)
        for piece in self.marks:
            own = self.features.entry_range(piece.name)
            assert piece.marks is not None
            ranks = self.ranks(codes, self.features.entry_range(piece.marks))
            ranks = torch.where(codes[:, own.start : own.stop] > 0, ranks, 0)
            places = torch.arange(piece.size, device=device) + at
            flat.scatter_(1, ranks * self.columns + places, 1.0)
            at += piece.size
        tokens = flat.view(n, TOKENS + 1, self.columns)[:, 1:]
        for piece in self.counts:
            own = self.features.entry_range(piece.name)
            counts = codes[:, own.start : own.stop].long()
            tokens.scatter_(2, (counts + at)[..., None], 1.0)
            at += piece.kind.num_values + 1
        tokens[:, :, 0] = (
            self.bonds.sum(dim=1) == 0
        ).float()  # ranks without partners go out alone
        return tokens, self.common(codes)
