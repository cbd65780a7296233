"""Commands that read their arguments themselves: the trainer, and the solver of small games."""

from collections.abc import Sequence

from .arguments import split_options


def run_train(words: Sequence[str]) -> int:
    """Hand all arguments to the trainer; ``--option a=b`` becomes one of its settings."""
    from ..learning.train import main as train

    rest, options = split_options(words)
    pairs = [word for pair in options.items() for word in pair]
    return train([*rest, "--options", *pairs] if pairs else rest)


def run_exploit(words: Sequence[str]) -> int:
    """Hand all arguments to the solver."""
    from .exploit import run

    return run(words, "parlour exploit")
