"""A network that learns judged positions (`positions`): the values of all actions at once."""

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor, nn

from parlour.agents.networks.build import CardNetwork, masked_logits
from parlour.envs import Game
from parlour.envs.core.suit_orders import SuitOrder

from .positions import Positions, reorder
from .settings import DistillSettings

WARM_UP = 100
"""Updates until the step size is whole."""
LOWEST_SHARE = 0.02
"""Of the step size, a falling one ends at so much."""


def turn_about(batch: Positions, orders: Sequence[SuitOrder]) -> Positions:
    """Return a minibatch as it is, or in an order of places or suits by which the game is the same.

    ``orders`` are what `reorder` returned; each of the ways is as likely.
    """
    way = int(torch.randint(1 + len(orders), ()))
    if way == 0:
        return batch
    entries, actions, named, codes_of = orders[way - 1]
    back = np.argsort(actions)
    observations = batch.observations[:, entries]
    for entry, codes in zip(named, codes_of, strict=True):
        observations[:, entry] = codes[observations[:, entry]]
    return Positions(
        observations,
        batch.masks[:, actions],
        batch.values[:, actions],
        back[batch.actions],
    )


class Student:
    """A network and its optimiser, which learn minibatches of judged positions.

    Minibatches are drawn by torch's generator. ``updates`` counts them.
    """

    def __init__(self, network: CardNetwork, game: Game, settings: DistillSettings) -> None:
        self.network, self.game, self.settings, self.updates = network, game, settings, 0
        self.device = next(network.parameters()).device
        self.optimizer = torch.optim.Adam(
            network.parameters(), lr=settings.learning_rate, fused=True
        )
        self.orders = [reorder(game, order) for order in game.features.symmetries]

    def set_step_size(self, share_done: float) -> float:
        """Set the optimiser's step size for a share of the run, 0 to 1, and return it."""
        left = 1.0
        if self.settings.schedule != "constant":
            left = max(1 - share_done, LOWEST_SHARE)
        rate = self.settings.learning_rate * min(1.0, (self.updates + 1) / WARM_UP) * left
        for group in self.optimizer.param_groups:
            group["lr"] = rate
        return rate

    def learn(self, positions: Positions, held: int) -> float:
        """Learn one minibatch of the first ``held`` positions; return its loss."""
        some = torch.randint(held, (self.settings.batch_size,)).numpy()
        loss = self.loss(turn_about(positions.take(some), self.orders))
        self.optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        nn.utils.clip_grad_norm_(self.network.parameters(), self.settings.max_grad_norm)
        self.optimizer.step()
        self.updates += 1
        return loss.item()

    def _loss_of_gains(
        self, logits: Tensor, others: Tensor, judged: Tensor, base: Tensor
    ) -> Tensor:
        """Return the squared error of what other actions gain over that of the player by rule.

        So much as a logit is above the network's ``lift``, times the ``temperature``, is what the
        action gains; it is played then.
        """
        gains = judged - (judged * base).sum(dim=1, keepdim=True)
        errors = (logits - self.network.lift) * self.settings.temperature - gains
        return (errors.square() * others).sum() / others.sum().clamp(min=1)

    def loss(self, batch: Positions) -> Tensor:
        """Return the cross-entropy to the values' softmax, and the error of the best value.

        Of a network that corrects a player by rule: `_loss_of_gains`.
        """
        codes = np.ascontiguousarray(batch.observations)
        seen = torch.as_tensor(self.network.features.encode(codes, self.network.encoding))
        logits, values = self.network(seen.to(self.device))
        masks = torch.as_tensor(batch.masks, device=self.device)
        judged = torch.as_tensor(batch.values.astype(np.float32), device=self.device)
        chosen = torch.as_tensor(batch.actions.astype(np.int64), device=self.device)[:, None]
        if self.network.base is not None:
            base = seen[:, -self.network.actions :].to(self.device) > 0
            return self._loss_of_gains(logits, masks & ~base, judged, base)
        best = torch.where(masks, judged, -torch.inf).amax(dim=1)
        more = torch.full_like(chosen, self.settings.preference, dtype=judged.dtype)
        preferred = judged.scatter_add(1, chosen, more)
        target = masked_logits(preferred / self.settings.temperature, masks).softmax(dim=1)
        loss = -(target * masked_logits(logits, masks).log_softmax(dim=1)).sum(dim=1).mean()
        return loss + self.settings.vf_coef * nn.functional.mse_loss(values, best)
