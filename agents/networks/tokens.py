"""Networks whose layers work on tokens: one token per rank, or one per place of a card.

`RankTokens` has one token per rank, with the same weights for all ranks. In a solitaire of pairs,
the chances of a rank depend on the places of its four cards and of its partners' cards, whatever
the rank. Each position therefore teaches the network something about all ranks.

`CardTokens` has one token per place of a card, and the tokens attend to each other (Vaswani and
others, "Attention is all you need", 2017). A position costs far more than with a sum of embeddings.
The results pages of the games say where that cost pays off.
"""

from collections.abc import Collection
from typing import Any, ClassVar

import torch
from torch import Tensor, nn

from parlour.envs.core.options import parse_bool
from parlour.envs.core.schema import CARD, RANK, Features, Piece

from .card_network import CardNetwork, linear, normal

TOKENS = RANK.num_values
"""Number of ranks. The token of a rank has the number of the rank minus 1."""
MESSAGE = 8
"""Number of channels of a message along a relation."""
HEADS = 4
"""Number of attention heads per layer; ``width`` must be a multiple of it."""


class TokenNetwork(CardNetwork):
    """Base class of networks whose layers work on tokens and are always normalized.

    A subclass overrides ``forward`` and has its own heads over its tokens.
    """

    encoding = "codes"
    name: ClassVar[str]
    """The name in `build.NETWORKS`."""

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
            raise self.refuse("layer_norm must be yes: its layers are always normalized")

    def add_heads(self) -> None:
        """Add no heads: subclasses have their own."""

    def refuse(self, reason: str) -> ValueError:
        """Return the error for a network that cannot be built."""
        return ValueError(f"network {self.name!r}: {reason}")

    def check_relations(self, with_relations: bool) -> None:
        """Raise ValueError if the network shall have relations, but the game defines none."""
        if with_relations and not self.features.relations:
            raise self.refuse("relations must be no: the features of the game define none")


def list_entries_beside(features: Features, read: Collection[str]) -> list[int]:
    """Return the entries of all pieces except those named in ``read``."""
    others = [piece for piece in features.pieces if piece.name not in read]
    return [entry for piece in others for entry in features.entry_range(piece.name)]


class ShareReader(nn.Module):
    """Maps entries of ``codes`` to fractions of their highest value and flags for nonzero ones."""

    highs: Tensor

    def __init__(self, features: Features, entries: list[int]) -> None:
        super().__init__()
        self.entries, self.columns = entries, 2 * len(entries)
        highs = torch.as_tensor(features.high[entries], dtype=torch.float32)
        self.register_buffer("highs", highs, persistent=False)

    def forward(self, codes: Tensor) -> Tensor:
        """Return columns float32 (n, columns) of codes (n, width)."""
        shown = codes[:, self.entries].float()
        return torch.cat([shown / self.highs, (shown > 0).float()], dim=1)


# One token for each rank.


class RankTokens(TokenNetwork):
    """Tokens for ranks, in ``depth`` layers of ``width`` channels with hidden layers of twice that.

    For games with bonds between ranks (`Features.bonds`) and an action for each place of a piece
    (`Features.actions_on`). A token reads the parts of the observation about its rank: pieces of
    kind RANK, marks on their places, and counts by rank. All tokens read everything else alike.
    With ``names_ranks``, a token knows its rank, which helps under rules that allow sums of more
    than two cards. With ``relations``, each layer also sends messages along the relations between
    cards (`Features.relations`), in both directions: from the ranks of the cards that lie on a card
    to the rank of this card, for example.
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
        relations: bool | int | str = False,
        **options: Any,
    ) -> None:
        super().__init__(features, actions, width, depth, **options)
        self.names_ranks = parse_bool("names_ranks", names_ranks)
        with_relations = parse_bool("relations", relations)
        if features.bonds is None or features.actions_on is None:
            raise self.refuse("the features of the game must define bonds and actions_on")
        self.check_relations(with_relations)
        self.reader = RankReader(features)
        self.related = RankRelations(features) if with_relations else None
        directed = self.related.directed if self.related else 0
        self.own = linear(self.reader.columns, width)
        self.partners = nn.Linear(self.reader.columns, width, bias=False)
        self.common = nn.Linear(self.reader.common.columns, width)
        if self.names_ranks:
            self.rank = normal(TOKENS, width, std=0.1)
        self.norm = nn.LayerNorm(width)
        self.layers = nn.ModuleList(TokenLayer(width, directed) for _ in range(depth))
        self.clicked = features.entry_range(features.actions_on)
        self.place = normal(width, len(self.clicked), std=0.02)
        self.place_bias = nn.Parameter(torch.zeros(len(self.clicked)))
        self.other = linear(2 * width, actions - len(self.clicked), 0.01)
        self.value = linear(2 * width, 1, 0.1)

    def forward(self, observations: Tensor) -> tuple[Tensor, Tensor]:
        """See `CardNetwork.forward`."""
        hidden = self.begin(observations)
        relations = self.related(observations) if self.related else None
        for layer in self.layers:
            hidden = layer(hidden, self.reader.bonds, relations)
        logits, values = self.answer(hidden, observations)
        return self.lift_base(logits, observations), values

    def begin(self, observations: Tensor) -> Tensor:
        """Return the tokens before the first layer, (n, ranks, width)."""
        tokens, common = self.reader(observations)
        start = self.own(tokens) + self.reader.bonds @ self.partners(tokens)
        if self.names_ranks:
            start = start + self.rank
        begun: Tensor = self.norm(start + self.common(common)[:, None]).relu()
        return begun

    def answer(self, hidden: Tensor, observations: Tensor) -> tuple[Tensor, Tensor]:
        """Return logits (n, actions) and values (n,) of the tokens after the last layer."""
        scores = nn.functional.pad(hidden @ self.place, (0, 0, 1, 0))  # rank 0, no card, scores 0
        ranks = read_ranks(observations, self.clicked)
        on_places = scores.gather(1, ranks[:, None]).squeeze(1) + self.place_bias
        summary = summarise(hidden)
        return torch.cat([on_places, self.other(summary)], dim=1), self.value(summary).squeeze(-1)

    def neutral_weights(self) -> dict[str, Tensor]:
        """See `CardNetwork.neutral_weights`: the messages of a new network have no effect."""
        return {
            f"layers.{number}.{name}": weights
            for number, layer in enumerate(self.layers)
            for name, weights in layer.state_dict().items()
            if name.startswith(("send.", "receive."))
        }


class TokenLayer(nn.Module):
    """A layer in which each token reads itself, its partners and a summary of all tokens.

    With a number of ``directed`` relations, it also receives messages from related tokens. In a new
    layer, these have no effect.
    """

    def __init__(self, width: int, directed: int = 0) -> None:
        super().__init__()
        self.own, self.partners = nn.Linear(width, 2 * width), nn.Linear(width, 2 * width)
        self.all, self.out = nn.Linear(2 * width, 2 * width), nn.Linear(2 * width, width)
        self.norm = nn.LayerNorm(width)
        if directed:
            self.send = nn.Linear(width, directed * MESSAGE)
            self.receive = nn.Linear(directed * MESSAGE, 2 * width, bias=False)
            nn.init.zeros_(self.receive.weight)

    def forward(self, hidden: Tensor, bonds: Tensor, relations: Tensor | None) -> Tensor:
        """Return the next tokens (n, ranks, width).

        Args:
            hidden: the tokens, (n, ranks, width).
            bonds: the bonds between ranks, (ranks, ranks).
            relations: the results of `RankRelations`, (n, directed, ranks, ranks), or None.
        """
        read = self.own(hidden) + self.partners(bonds @ hidden)
        if relations is not None:
            n, directed, ranks, _ = relations.shape
            messages = self.send(hidden).view(n, ranks, directed, MESSAGE).transpose(1, 2)
            received = (relations @ messages).transpose(1, 2)
            read = read + self.receive(received.reshape(n, ranks, directed * MESSAGE))
        added: Tensor = self.out((read + self.all(summarise(hidden))[:, None]).relu())
        tokens: Tensor = self.norm(hidden + added)
        return tokens


def summarise(tokens: Tensor) -> Tensor:
    """Return the mean and the maximum over the tokens, (n, 2 * width)."""
    return torch.cat([tokens.mean(dim=1), tokens.amax(dim=1)], dim=1)


def read_ranks(codes: Tensor, entries: range) -> Tensor:
    """Return the ranks of cards, int64 (n, entries): 0 for no card, else 1 to `TOKENS`."""
    return codes[:, entries.start : entries.stop].long() >> RANK.shift


class RelationReader(nn.Module):
    """Maps ``codes`` to relations between tokens, as weights.

    ``directed`` is the number of relations, each counted in both directions.
    """

    def __init__(self, features: Features) -> None:
        super().__init__()
        self.features, self.relations = features, features.relations
        self.pieces = {piece.name: piece for piece in features.pieces}
        self.directed = 2 * len(self.relations)
        for number, relation in enumerate(self.relations):
            weights = torch.as_tensor(relation.weights)
            self.register_buffer(f"weights_{number}", weights, persistent=False)

    def forward(self, codes: Tensor) -> Tensor:
        """Return (n, directed, tokens, tokens): each relation, then each in the other direction."""
        forward = [self.read(codes, number) for number in range(len(self.relations))]
        return torch.stack(forward + [one.transpose(1, 2) for one in forward], dim=1)

    def read(self, codes: Tensor, number: int) -> Tensor:
        """Return the weights of one relation between each two tokens, (n, tokens, tokens)."""
        raise NotImplementedError

    def read_cards(self, codes: Tensor, number: int) -> tuple[Tensor, Tensor]:
        """Return the cards of one relation and the weights between their entries.

        Returns:
            The ranks of the cards, int64 (n, k), 0 where no card is at a place of the relation,
            and the weights (k, k) or (n, k, k), which hold between entries with a rank.
        """
        relation, weights = self.relations[number], self.get_buffer(f"weights_{number}")
        size = len(weights)
        ranks = read_ranks(codes, self.features.entry_range(relation.piece)[:size])
        if relation.places:
            beside = self.pieces[relation.piece].where
            assert beside is not None
            where = codes[:, self.features.entry_range(beside).start :][:, :size]
            ranks = ranks * sum(where == place for place in relation.places)
            if len(relation.places) > 1:
                weights = weights * (where[:, :, None] == where[:, None, :])
        return ranks, weights


class RankRelations(RelationReader):
    """Relations between ranks: the sums of the weights between their cards."""

    def read(self, codes: Tensor, number: int) -> Tensor:
        """See `RelationReader.read`."""
        ranks, weights = self.read_cards(codes, number)
        cards = nn.functional.one_hot(ranks, TOKENS + 1)[..., 1:].float()
        return cards.transpose(1, 2) @ (weights @ cards)


class RankReader(nn.Module):
    """Maps ``codes`` to columns for each rank, and to columns that all ranks share."""

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
        """Return the number of columns of a piece of cards: its places times the locations."""
        return piece.size * self._count_wheres(piece)

    def _count_wheres(self, piece: Piece) -> int:
        if piece.where is None:
            return 1
        return next(one.kind.num_values for one in self.features.pieces if one.name == piece.where)

    def forward(self, codes: Tensor) -> tuple[Tensor, Tensor]:
        """Return columns (n, ranks, columns) and shared columns (n, common.columns)."""
        n, device = len(codes), codes.device
        flat = torch.zeros(n, (TOKENS + 1) * self.columns, device=device)
        at = 1
        for piece in self.cards:
            card_entries, wheres = self.features.entry_range(piece.name), self._count_wheres(piece)
            places = torch.arange(piece.size, device=device) * wheres + at
            ranks = read_ranks(codes, card_entries)
            if piece.where:
                beside = self.features.entry_range(piece.where)
                where = codes[:, beside.start : beside.stop].long()
                ranks, places = torch.where(where > 0, ranks, 0), places + (where - 1).clamp(min=0)
            flat.scatter_(1, ranks * self.columns + places, 1.0)
            at += self._size(piece)
        for piece in self.marks:
            entries = self.features.entry_range(piece.name)
            assert piece.marks is not None
            ranks = read_ranks(codes, self.features.entry_range(piece.marks))
            ranks = torch.where(codes[:, entries.start : entries.stop] > 0, ranks, 0)
            places = torch.arange(piece.size, device=device) + at
            flat.scatter_(1, ranks * self.columns + places, 1.0)
            at += piece.size
        tokens = flat.view(n, TOKENS + 1, self.columns)[:, 1:]
        for piece in self.counts:
            entries = self.features.entry_range(piece.name)
            counts = codes[:, entries.start : entries.stop].long()
            tokens.scatter_(2, (counts + at)[..., None], 1.0)
            at += piece.kind.num_values + 1
        tokens[:, :, 0] = (
            self.bonds.sum(dim=1) == 0
        ).float()  # ranks without partners are removed alone
        return tokens, self.common(codes)


# One token for each place of a card.


def list_cards(features: Features) -> list[Piece]:
    """Return the pieces whose entries are cards, and therefore become tokens."""
    return [piece for piece in features.pieces if piece.kind in (CARD, RANK)]


def list_beside(features: Features, cards: Piece) -> list[Piece]:
    """Return the pieces that describe a piece's cards: their locations and their marks."""
    return [one for one in features.pieces if one.name == cards.where or one.marks == cards.name]


def list_common(features: Features) -> list[int]:
    """Return the entries that belong to no single place, for the table's token."""
    of_places = {
        one.name for cards in list_cards(features) for one in (cards, *list_beside(features, cards))
    }
    return list_entries_beside(features, of_places)


def find_tokens(features: Features, piece: str) -> tuple[int, int]:
    """Return the first token of a piece of cards, and the one after its last."""
    start = 1
    for one in list_cards(features):
        if one.name == piece:
            return start, start + one.size
        start += one.size
    raise ValueError(f"piece {piece!r} shows no cards")


class PlaceRelations(RelationReader):
    """Relations between the places of cards; the table's token has none."""

    def __init__(self, features: Features) -> None:
        super().__init__(features)
        self.tokens = 1 + sum(piece.size for piece in list_cards(features))

    def read(self, codes: Tensor, number: int) -> Tensor:
        """See `RelationReader.read`."""
        ranks, weights = self.read_cards(codes, number)
        cards = (ranks > 0).float()
        start, _ = find_tokens(self.features, self.relations[number].piece)
        after = self.tokens - start - cards.shape[1]
        between = weights * cards[:, :, None] * cards[:, None, :]
        return nn.functional.pad(between, (start, after, start, after))


class CardTokens(TokenNetwork):
    """Tokens for places, in ``depth`` layers of attention of ``width`` channels.

    For games whose pieces show cards (kinds CARD and RANK). If each action belongs to a place
    (`Features.actions_on`), the logit of an action comes from the token of its place, with the same
    weights for all places. The other logits and the value come from the table's token. With
    ``relations``, the relations between cards (`Features.relations`) are added to the attention
    scores of their places, with weights that each head of each layer learns.
    """

    name = "attention"

    def __init__(
        self,
        features: Features,
        actions: int,
        width: int,
        depth: int,
        *,
        relations: bool | int | str = False,
        **options: Any,
    ) -> None:
        super().__init__(features, actions, width, depth, **options)
        with_relations = parse_bool("relations", relations)
        self.check_relations(with_relations)
        if width % HEADS:
            raise ValueError(
                f"width must be a multiple of {HEADS} for network {self.name!r}, got {width}"
            )
        self.cards = list_cards(features)
        if not self.cards:
            raise self.refuse("the game must have observation pieces with single cards")
        self.faces = nn.ModuleList(
            nn.Embedding(one.kind.num_values + 1, width) for one in self.cards
        )
        self.beside = nn.ModuleList(
            nn.Embedding(beside.kind.max_code + 1, width)
            for piece in self.cards
            for beside in list_beside(features, piece)
        )
        self.places = normal(sum(one.size for one in self.cards), width, std=0.1)
        self.common = ShareReader(features, list_common(features))
        self.table = nn.Linear(self.common.columns, width)
        self.related = PlaceRelations(features) if with_relations else None
        directed = self.related.directed if self.related else 0
        self.layers = nn.ModuleList(AttentionLayer(width, directed) for _ in range(depth))
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
        relations = self.related(observations) if self.related else None
        for layer in self.layers:
            hidden = layer(hidden, relations)
        hidden = self.norm(hidden)
        table = hidden[:, 0]
        on_places = self.place(hidden[:, self._clicked_tokens()]).squeeze(-1)
        logits = torch.cat([on_places, self.other(table)], dim=1)
        return self.lift_base(logits, observations), self.value(table).squeeze(-1)

    def neutral_weights(self) -> dict[str, Tensor]:
        """See `CardNetwork.neutral_weights`: the relations of a new network have no effect."""
        return {
            name: weights
            for name, weights in self.state_dict().items()
            if name.endswith(".bias.weight")
        }

    def _clicked_tokens(self) -> slice:
        """Return the tokens of the places that actions belong to."""
        on_places = self.features.actions_on
        return slice(*find_tokens(self.features, on_places)) if on_places else slice(0, 0)

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
    """A layer of attention and a dense network per token, both added to the token.

    ``directed`` is the number of relations, each counted in both directions. Each head adds a sum
    of the relations, with learned weights, to its attention scores. In a new layer, these weights
    are 0.
    """

    def __init__(self, width: int, directed: int = 0) -> None:
        super().__init__()
        self.norm_read, self.norm_think = nn.LayerNorm(width), nn.LayerNorm(width)
        self.questions, self.read = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.think, self.out = nn.Linear(width, 2 * width), nn.Linear(2 * width, width)
        self.bias = nn.Linear(directed, HEADS, bias=False) if directed else None
        if self.bias:
            nn.init.zeros_(self.bias.weight)

    def forward(self, hidden: Tensor, relations: Tensor | None) -> Tensor:
        """Return the next tokens (n, tokens, width).

        Args:
            hidden: the tokens, (n, tokens, width).
            relations: the results of `PlaceRelations`, (n, directed, tokens, tokens), or None.
        """
        n, tokens, width = hidden.shape
        parts = self.questions(self.norm_read(hidden)).view(n, tokens, 3, HEADS, width // HEADS)
        query, key, value = parts.permute(2, 0, 3, 1, 4)
        bias = None
        if self.bias is not None:
            bias = torch.einsum("hd,ndij->nhij", self.bias.weight, relations)
        seen = nn.functional.scaled_dot_product_attention(query, key, value, attn_mask=bias)
        hidden = hidden + self.read(seen.transpose(1, 2).reshape(n, tokens, width))
        thought: Tensor = self.out(self.think(self.norm_think(hidden)).relu())
        return hidden + thought
