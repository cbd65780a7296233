"""The networks: torch modules built from the feature schema of any game.

A network maps a batch of observations, in the encoding that it takes, to action logits and values.
`NETWORKS` lists all networks. A new network needs a class there and a name in `options`.
"""

import inspect
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.overrides import TorchFunctionMode

from parlour.envs import Game
from parlour.envs.core.kernel.jit import jit
from parlour.envs.core.schema import (
    CARD,
    DIGIT,
    DIGIT_BASE,
    RANK,
    Columns,
    Features,
    Piece,
    Schema,
)
from parlour.envs.core.type_aliases import Codes

from .card_network import CardNetwork, EarlierNetwork, linear, masked_logits, normal
from .options import (
    BASE,
    LIFT,
    LIFT_OPTION,
    NETWORK_NAMES,
    add_piece,
    base_piece,
    check_base,
    check_network,
    check_size,
)
from .tokens import CardTokens, RankTokens

__all__ = ["NETWORKS", "CardNetwork", "build_network", "linear", "masked_logits"]


class Mlp(CardNetwork):
    """A dense layer over the one-hot observation."""

    encoding = "onehot"

    def __init__(
        self, features: Features, actions: int, width: int, depth: int, **options: Any
    ) -> None:
        super().__init__(features, actions, width, depth, **options)
        self.first = linear(features.columns, width)
        self.norm = nn.LayerNorm(width) if self.layer_norm else nn.Identity()

    def body(self, observations: Tensor) -> Tensor:
        """See `CardNetwork.body`."""
        return self.norm(self.first(observations.float())).relu()


# Sums of embeddings are computed in two ways: by compiled loops on the CPU, which take two thirds
# of the time of torch, and by torch on other devices.


@jit
def find_row(code: int, first: int, shift: int, base: int) -> int:
    """Return the row of an entry: ``first + v`` for a value v >= 1, else 0 (see `CodeReader`)."""
    value = (code >> shift) - base
    return first + value if value > 0 else 0


@jit
def sum_rows(
    codes: Codes,
    first: np.ndarray,
    shift: np.ndarray,
    base: np.ndarray,
    table: np.ndarray,
    sums: np.ndarray,
) -> None:
    """Write the sum of each observation's table rows to ``sums`` (n, width)."""
    for i in range(len(codes)):
        for k in range(sums.shape[1]):
            sums[i, k] = 0
        for e in range(codes.shape[1]):
            row = find_row(codes[i, e], first[e], shift[e], base[e])
            if row > 0:
                for k in range(sums.shape[1]):
                    sums[i, k] += table[row, k]


@jit
def add_to_rows(
    codes: Codes,
    first: np.ndarray,
    shift: np.ndarray,
    base: np.ndarray,
    gradient: np.ndarray,
    of_table: np.ndarray,
) -> None:
    """Add each observation's gradient (n, width) to its rows: the gradient of `sum_rows`."""
    for i in range(len(codes)):
        for e in range(codes.shape[1]):
            row = find_row(codes[i, e], first[e], shift[e], base[e])
            if row > 0:
                for k in range(gradient.shape[1]):
                    of_table[row, k] += gradient[i, k]


class CodeReader(nn.Module):
    """Maps ``codes`` to rows of one table: row 0 for "none", then one row per one-hot column.

    Entry e with value v >= 1 has row ``first[e] + v``, the number of its one-hot column plus 1.
    """

    def __init__(self, features: Features) -> None:
        super().__init__()
        self.rows = features.columns + 1
        for name, array in features.column_tables._asdict().items():
            self.register_buffer(name, torch.tensor(array, dtype=torch.int32), persistent=False)
        self.first: Tensor
        self.shift: Tensor
        self.base: Tensor

    def forward(self, codes: Tensor) -> Tensor:
        """Return rows int32 (n, entries) of int8 codes (n, entries)."""
        values = (codes.int() >> self.shift) - self.base
        return torch.where(values > 0, values + self.first, 0)


class _SumRowsOnCpu(torch.autograd.Function):
    """Sums of table rows (n, width), computed on the CPU directly from codes."""

    @staticmethod
    def forward(ctx: Any, table: Tensor, codes: Tensor, columns: Columns) -> Tensor:
        ctx.codes, ctx.columns, ctx.size = np.ascontiguousarray(codes.numpy()), columns, len(table)
        sums = table.new_empty(len(codes), table.shape[1])
        sum_rows(ctx.codes, *columns, table.detach().numpy(), sums.numpy())
        return sums

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, None, None]:
        columns: Columns = ctx.columns
        of_table = gradient.new_zeros(ctx.size, gradient.shape[1])
        add_to_rows(ctx.codes, *columns, gradient.contiguous().numpy(), of_table.numpy())
        return of_table, None, None


class _SumRows(torch.autograd.Function):
    """Sums of table rows (n, width) on any device. Row 0 counts as zeros and gets no gradient.

    torch sums int32 rows with a fast kernel, but adds their gradients one by one. Multiplying the
    one-hot matrix of the rows with the gradient takes a third of that time.
    """

    @staticmethod
    def forward(ctx: Any, table: Tensor, rows: Tensor) -> Tensor:
        ctx.save_for_backward(rows)
        ctx.size = len(table)
        return nn.functional.embedding_bag(rows, table, mode="sum")

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, None]:
        (rows,) = ctx.saved_tensors
        hot = gradient.new_zeros(len(rows), ctx.size).scatter_(1, rows.long(), 1.0)
        of_table = hot.t() @ gradient
        of_table[0] = 0
        return of_table, None


class Embedding(CardNetwork):
    """The sum of the embeddings of all (entry, value) pairs of ``codes`` except "none"."""

    encoding = "codes"

    def __init__(
        self, features: Features, actions: int, width: int, depth: int, **options: Any
    ) -> None:
        super().__init__(features, actions, width, depth, **options)
        self.reader = CodeReader(features)
        self.table = normal(self.reader.rows, width, std=(2 / features.width) ** 0.5)
        self.norm = nn.LayerNorm(width)
        with torch.no_grad():
            self.table[0] = 0

    def body(self, observations: Tensor) -> Tensor:
        """See `CardNetwork.body`."""
        return self.norm(self.sum_entries(observations)).relu()

    def sum_entries(self, observations: Tensor) -> Tensor:
        """Return the sums of the embeddings (n, width) of ``codes`` observations."""
        if observations.device.type == "cpu" and observations.dtype == torch.int8:
            columns = self.features.column_tables
            sums: Tensor = _SumRowsOnCpu.apply(self.table, observations, columns)  # type: ignore[no-untyped-call]
            return sums
        sums = _SumRows.apply(self.table, self.reader(observations))  # type: ignore[no-untyped-call]
        return sums


def read_alone(features: Features) -> list[Piece]:
    """Return the single-entry pieces that `Numbers` also reads one-hot."""
    return [
        piece
        for piece in features.pieces
        if piece.size == 1 and piece.kind.max_code > 1 and "." not in piece.name
    ]


class Numbers(CardNetwork):
    """A dense layer over ``codes`` as numbers, for observations of counts and amounts.

    Each entry is divided by its highest value. Numbers written in digits have an additional column
    with their logarithm. Pieces with a single entry, such as a phase or a distance, are also
    one-hot, because their effect need not be monotonic.
    """

    encoding = "codes"

    def __init__(
        self, features: Features, actions: int, width: int, depth: int, **options: Any
    ) -> None:
        super().__init__(features, actions, width, depth, **options)
        alone = read_alone(features)
        sizes = [piece.kind.max_code + 1 for piece in alone]
        self.hot = sum(sizes)
        numbers = [piece for piece in features.pieces if piece.kind is DIGIT]
        places = torch.zeros(features.width, len(numbers))
        for column, piece in enumerate(numbers):
            for k, entry in enumerate(reversed(features.entry_range(piece.name))):
                places[entry, column] = float(DIGIT_BASE**k)
        highs = torch.as_tensor(features.high, dtype=torch.float32)
        entries = [features.entry_range(piece.name).start for piece in alone]
        firsts = [sum(sizes[:k]) for k in range(len(sizes))]
        self.register_buffer("alone", torch.tensor(entries), persistent=False)
        self.register_buffer("firsts", torch.tensor(firsts), persistent=False)
        self.register_buffer("places", places, persistent=False)
        self.register_buffer("shares", 1 / highs, persistent=False)
        self.alone: Tensor
        self.firsts: Tensor
        self.places: Tensor
        self.shares: Tensor
        self.first = linear(features.width + len(numbers) + self.hot, width)
        self.norm = nn.LayerNorm(width)

    def body(self, observations: Tensor) -> Tensor:
        """See `CardNetwork.body`."""
        codes = observations.float()
        columns = observations[:, self.alone].long() + self.firsts
        hot = codes.new_zeros(len(codes), self.hot).scatter_(1, columns, 1.0)
        sizes = (1 + codes @ self.places).log2() / 8
        whole = torch.cat([codes * self.shares, sizes, hot], dim=1)
        return self.norm(self.first(whole)).relu()


PLACE_CLASSES = 2
"""Number of classes of a card's location: code 1, and all higher codes."""


@jit
def list_bonds(
    codes: Codes,
    cards: np.ndarray,
    wheres: np.ndarray,
    firsts: np.ndarray,
    bonds: np.ndarray,
    rows: np.ndarray,
    begins: np.ndarray,
) -> int:
    """List the bonds in all observations as numbers of pairs of places.

    A place is an entry together with the location class of its card. Pair (a, b), a > b, has number
    ``a * (a - 1) / 2 + b``.

    Args:
        codes: observations, int8 (n, width).
        cards: entries that hold cards, int64 (k,).
        wheres: for each of them, the entry with the location of its card, or -1.
        firsts: for each of them, the number of its first place.
        bonds: whether two card codes have a bond, bool (codes, codes).
        rows: receives the numbers of the pairs.
        begins: receives the index in ``rows`` of the first pair of each observation, int64 (n,).

    Returns:
        The total number of pairs.
    """
    total = 0
    place = np.empty(len(cards), np.int64)
    code = np.empty(len(cards), np.int64)
    for i in range(len(codes)):
        begins[i] = total
        held = 0
        for k in range(len(cards)):
            card = codes[i, cards[k]]
            where = 1 if wheres[k] < 0 else codes[i, wheres[k]]
            if card > 0 and where > 0:
                for other in range(held):
                    if bonds[card, code[other]]:
                        high = firsts[k] + min(where, PLACE_CLASSES) - 1
                        rows[total] = high * (high - 1) // 2 + place[other]
                        total += 1
                place[held] = firsts[k] + min(where, PLACE_CLASSES) - 1
                code[held] = card
                held += 1
    return total


class Bonds(Embedding):
    """The card embedding plus an embedding for each pair of places whose cards have a bond.

    The game defines the bonds (`Features.bonds`). In a solitaire of pairs, a bond joins two cards
    that may be removed together. A single layer can then value a card by the places of its
    partners.
    """

    def __init__(
        self, features: Features, actions: int, width: int, depth: int, **options: Any
    ) -> None:
        super().__init__(features, actions, width, depth, **options)
        if features.bonds is None:
            raise ValueError("network 'bonds' requires a game that defines bonds between cards")
        self.bonds = features.bonds
        cards: list[int] = []
        wheres: list[int] = []
        firsts: list[int] = []
        places = 0
        for piece in features.pieces:
            if piece.kind in (CARD, RANK):
                beside = features.entry_range(piece.where) if piece.where else [-1] * piece.size
                classes = PLACE_CLASSES if piece.where else 1
                cards += list(features.entry_range(piece.name))
                wheres += list(beside)
                firsts += range(places, places + classes * piece.size, classes)
                places += classes * piece.size
        self.cards, self.wheres, self.firsts = (
            np.array(part, np.int64) for part in (cards, wheres, firsts)
        )
        self.most = len(cards) * (len(cards) - 1) // 2
        self.pairs = nn.EmbeddingBag(places * (places - 1) // 2, width, mode="sum")
        nn.init.normal_(self.pairs.weight, std=0.1)

    def body(self, observations: Tensor) -> Tensor:
        """See `CardNetwork.body`."""
        codes = np.ascontiguousarray(observations.cpu().numpy())
        rows, begins = np.empty(len(codes) * self.most, np.int64), np.empty(len(codes), np.int64)
        total = list_bonds(codes, self.cards, self.wheres, self.firsts, self.bonds, rows, begins)
        device = observations.device
        lists = (torch.from_numpy(array).to(device) for array in (rows[:total], begins))
        return self.norm(self.sum_entries(observations) + self.pairs(*lists)).relu()


def not_finite_text(name: str | None = None) -> str:
    """Return the error message for a network whose outputs are NaN or infinite."""
    owner = "the network in training" if name is None else f"agent {name!r}"
    return f"outputs of {owner} must be finite: its weights have diverged or are damaged"


def make_network_function(
    network: CardNetwork, name: str | None = None
) -> Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]]:
    """Return a function from ``codes`` observations to logits (n, actions) and values (n,).

    The function raises ValueError, naming the agent ``name``, if an output is not finite.
    """

    @torch.inference_mode()
    def outputs(codes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        seen = codes if network.encoding == "codes" else network.features.onehot(codes)
        device = next(network.parameters()).device
        logits, values = (
            np.asarray(one.cpu().numpy()) for one in network(torch.as_tensor(seen, device=device))
        )
        if not (np.isfinite(logits).all() and np.isfinite(values).all()):
            raise ValueError(not_finite_text(name))
        return logits, values

    return outputs


def make_value_function(
    network: CardNetwork, name: str | None = None
) -> Callable[[np.ndarray], np.ndarray]:
    """Return a function from ``codes`` observations, int8 (n, width), to values, float32 (n,).

    The function raises the errors of `make_network_function`.
    """
    outputs = make_network_function(network, name)
    return lambda codes: outputs(codes)[1]


# In the order of `NETWORK_NAMES`.
CLASSES = (Mlp, Embedding, Bonds, Numbers, RankTokens, CardTokens)
NETWORKS: dict[str, type[CardNetwork]] = dict(zip(NETWORK_NAMES, CLASSES, strict=True))
"""All networks by name."""


def network_class(name: str) -> type[CardNetwork]:
    """Return the class of a network. Raises ValueError for an unknown name."""
    check_network(name)
    return NETWORKS[name]


def build_network(
    name: str,
    game: Game,
    width: int,
    depth: int,
    options: Mapping[str, Any] | None = None,
    schema: Schema | None = None,
) -> CardNetwork:
    """Return a new network for a game.

    With the option ``base``, the network improves on that rule-based agent, and its observations
    show the action of that agent. ``schema`` is the game's observation and number of actions if
    they are those of an earlier version. Raises ValueError for invalid parameters.
    """
    features, actions = schema or (game.features, game.actions)
    build, rest = network_class(name), dict(options or {})
    check_size(width, depth)
    base, lift = rest.pop(BASE, None), rest.pop(LIFT_OPTION, LIFT)
    if base is not None:
        check_base(game, base, lift)
        features = add_piece(features, base_piece(actions, base))
    known = _list_options(build)
    for option in rest:
        if option not in known:
            raise ValueError(
                f"network {name!r} has no option {option!r}; its options: {', '.join(known)}"
            )
    network = build(features, actions, width, depth, **rest)
    network.base, network.lift = base, lift
    return network


def _list_options(build: type[CardNetwork]) -> list[str]:
    """Return the options of a network: the keyword-only parameters of its class and their bases."""
    classes = (one for one in build.__mro__ if issubclass(one, CardNetwork))
    return sorted(
        {
            name
            for one in classes
            for name, parameter in inspect.signature(one).parameters.items()
            if parameter.kind is inspect.Parameter.KEYWORD_ONLY
        }
    )


def adapt_network(network: CardNetwork, game: Game) -> CardNetwork:
    """Return a network for the current version of a game that plays like an earlier network."""
    features = game.features
    if network.base is not None:
        features = add_piece(features, base_piece(game.actions, network.base))
    return EarlierNetwork(network, features, game.actions)


class _SkipRandomValues(TorchFunctionMode):
    """Leaves weights undefined. On "meta", random values would import torch's compiler (2 s)."""

    def __torch_function__(
        self, function: Any, types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        if function is nn.init.normal_:
            return kwargs["tensor"]
        return function(*args, **(kwargs or {}))


def count_weight_bytes(game: Game, net: Mapping[str, Any], schema: Schema | None = None) -> int:
    """Return the size of a network's weights in bytes, without allocating them.

    ``net`` has name, width, depth and options. Raises ValueError as `build_network` does.
    """
    size = net["width"], net["depth"]
    with torch.device("meta"), _SkipRandomValues():
        network = build_network(net["name"], game, *size, net["options"], schema)
    return sum(tensor.nbytes for tensor in network.state_dict().values())
