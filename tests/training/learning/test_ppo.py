"""CardPPO learns like MaskablePPO: the same step and the same log from the same rollout."""

from typing import Any

import pytest
import torch
from sb3_contrib import MaskablePPO

from parlour.training.learning.methods.ppo import LOGGED, CardPPO, make_ppo
from parlour.training.learning.settings.methods import PPOSettings

ROLLOUT = 8 * 16
SETTINGS = PPOSettings(
    variant="three-passes",
    n_envs=8,
    n_steps=16,
    batch_size=ROLLOUT,
    n_epochs=2,
    width=16,
    depth=2,
    max_moves=9,
    device="cpu",
)


@pytest.fixture(autouse=True)
def one_thread() -> None:
    torch.set_num_threads(1)


def filled(**changed: Any) -> CardPPO:
    """Return a model with a full rollout buffer."""
    model = make_ppo(SETTINGS if not changed else PPOSettings(**{**vars(SETTINGS), **changed}), 3)
    _, callback = model._setup_learn(0)
    model.collect_rollouts(model.env, callback, model.rollout_buffer, SETTINGS.n_steps)
    return model


def weights_after(train: Any) -> tuple[torch.Tensor, dict[str, float]]:
    model = filled()
    train(model)
    log = {name: float(value) for name, value in model.logger.name_to_value.items()}
    return torch.cat([one.detach().flatten() for one in model.policy.parameters()]), log


def test_an_update_is_that_of_maskable_ppo() -> None:
    before, _ = weights_after(lambda model: None)
    ours, log = weights_after(lambda model: model.train())
    theirs, sb3_log = weights_after(MaskablePPO.train)
    assert (ours - before).abs().max() > 1e-4
    torch.testing.assert_close(ours, theirs, rtol=1e-4, atol=1e-6)
    assert log.keys() == sb3_log.keys()
    for name in ("value_loss", "entropy_loss", "policy_gradient_loss", "clip_fraction"):
        assert log[f"train/{name}"] == pytest.approx(sb3_log[f"train/{name}"], abs=1e-5), name
    assert {f"train/{name}" for name in LOGGED} < log.keys()


def test_every_step_is_learned_from_once_a_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    model, parts = filled(batch_size=48), []
    learn = CardPPO._learn_minibatch

    def noting(self: CardPPO, rollout: Any, clip: float, part: torch.Tensor) -> Any:
        parts.append(part)
        return learn(self, rollout, clip, part)

    monkeypatch.setattr(CardPPO, "_learn_minibatch", noting)
    model.train()
    assert [len(part) for part in parts] == [48, 48, 32] * 2
    for k in (0, 3):
        assert torch.equal(torch.cat(parts[k : k + 3]).sort().values, torch.arange(ROLLOUT))


def test_the_optimizer_is_fused() -> None:
    adam = filled().policy.optimizer
    assert adam.defaults["fused"] and adam.defaults["eps"] == 1e-5
