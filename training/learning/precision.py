"""The device on which a network learns, and how exactly matrices are multiplied there.

bfloat16 has the range of float32 and 8 of its 24 bits. Weights, sums and all else stay float32.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import torch
from stable_baselines3.common.utils import get_device

from .settings import LearnerSettings, Settings

HIGHEST = "highest"


def choose_device(settings: Settings) -> Settings:
    """Return settings with the device that a run uses: ``auto`` becomes ``cuda`` or ``cpu``.

    Raises ValueError for ``cuda`` where torch finds none.
    """
    if not isinstance(settings, LearnerSettings):
        return settings
    has_cuda = torch.cuda.is_available()
    if settings.device == "cuda" and not has_cuda:
        raise ValueError(
            "device must be 'cpu' or 'auto' where torch finds no CUDA device, got 'cuda'"
        )
    if settings.device == "auto":
        return replace(settings, device="cuda" if has_cuda else "cpu")
    return settings


def supported_precision(precision: str, device: str) -> str:
    """Return a precision, or ``HIGHEST`` on a processor that it would slow down.

    ``device`` is as in the settings. Of bfloat16 a processor gains by AMX alone: without it torch
    takes it, too, and comes out slower, with AVX512_BF16 as well.
    """
    on_processor = get_device(device).type == "cpu"
    has_amx = torch.cpu.get_capabilities().get("amx_bf16", False)
    return HIGHEST if on_processor and not has_amx else precision


@contextmanager
def learning_precision(settings: Settings) -> Iterator[None]:
    """Multiply as a run learns by, in the whole process; afterwards as before."""
    before = torch.get_float32_matmul_precision()
    if isinstance(settings, LearnerSettings):
        torch.set_float32_matmul_precision(supported_precision(settings.precision, settings.device))
    try:
        yield
    finally:
        torch.set_float32_matmul_precision(before)
