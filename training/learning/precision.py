"""How exactly matrices are multiplied while a network learns: the setting ``precision``.

bfloat16 has the range of float32 and 8 of its 24 bits. Weights, sums and all else stay float32.
"""

from collections.abc import Iterator
from contextlib import contextmanager

import torch
from stable_baselines3.common.utils import get_device

from .settings import LearnerSettings, Settings

HIGHEST = "highest"


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
