"""Training, evaluation, and comparison of agents, and the command line."""

if __name__ != "parlour.training":
    raise ImportError(
        "this folder is the package parlour.training: install the repository (pip install -e .), "
        "then use import parlour.training"
    )

from importlib import import_module
from typing import TYPE_CHECKING, Any

from parlour.extras import name_extra

if TYPE_CHECKING:
    from .datasets.dataset import Dataset, load_dataset, make_dataset
    from .datasets.dataset_comparison import DatasetComparison, compare_on_datasets
    from .datasets.decisions import DatasetSpec
    from .evaluation.compare import compare, evaluate
    from .evaluation.compare_until import SequentialComparison, compare_until
    from .evaluation.replays.replay import Replay, verify_replays
    from .evaluation.replays.replay_files import load_replays
    from .evaluation.replays.replay_view import save_html, show
    from .evaluation.report.plots import plot_comparison
    from .evaluation.result import Comparison, Evaluation
    from .evaluation.reviews.process_reward import ProcessReward
    from .evaluation.reviews.review import Review, review_game, review_replay
    from .evaluation.reviews.review_deal_set import DealSetReview, review_deal_set
    from .evaluation.reviews.review_lost import LostDeal, find_lost, review_lost
    from .learning.settings.base import Settings
    from .learning.settings.files import preset
    from .learning.settings.methods import make_settings
    from .learning.train import resume, train
    from .parallel.tasks import Cluster
    from .tuning.study import Tuned, tune

_MODULES = {
    "Cluster": "parallel.tasks",
    "Comparison": "evaluation.result",
    "Dataset": "datasets.dataset",
    "DatasetComparison": "datasets.dataset_comparison",
    "DatasetSpec": "datasets.decisions",
    "DealSetReview": "evaluation.reviews.review_deal_set",
    "Evaluation": "evaluation.result",
    "LostDeal": "evaluation.reviews.review_lost",
    "ProcessReward": "evaluation.reviews.process_reward",
    "Replay": "evaluation.replays.replay",
    "Review": "evaluation.reviews.review",
    "SequentialComparison": "evaluation.compare_until",
    "Settings": "learning.settings.base",
    "Tuned": "tuning.study",
    "compare": "evaluation.compare",
    "compare_on_datasets": "datasets.dataset_comparison",
    "compare_until": "evaluation.compare_until",
    "evaluate": "evaluation.compare",
    "find_lost": "evaluation.reviews.review_lost",
    "load_dataset": "datasets.dataset",
    "load_replays": "evaluation.replays.replay_files",
    "make_dataset": "datasets.dataset",
    "make_settings": "learning.settings.methods",
    "plot_comparison": "evaluation.report.plots",
    "preset": "learning.settings.files",
    "resume": "learning.train",
    "review_deal_set": "evaluation.reviews.review_deal_set",
    "review_game": "evaluation.reviews.review",
    "review_lost": "evaluation.reviews.review_lost",
    "review_replay": "evaluation.reviews.review",
    "save_html": "evaluation.replays.replay_view",
    "show": "evaluation.replays.replay_view",
    "train": "learning.train",
    "tune": "tuning.study",
    "verify_replays": "evaluation.replays.replay",
}
"""The module of each public name, imported on first use, because torch takes seconds to load."""

__all__ = [
    "Cluster",
    "Comparison",
    "Dataset",
    "DatasetComparison",
    "DatasetSpec",
    "DealSetReview",
    "Evaluation",
    "LostDeal",
    "ProcessReward",
    "Replay",
    "Review",
    "SequentialComparison",
    "Settings",
    "Tuned",
    "compare",
    "compare_on_datasets",
    "compare_until",
    "evaluate",
    "find_lost",
    "load_dataset",
    "load_replays",
    "make_dataset",
    "make_settings",
    "plot_comparison",
    "preset",
    "resume",
    "review_deal_set",
    "review_game",
    "review_lost",
    "review_replay",
    "save_html",
    "show",
    "train",
    "tune",
    "verify_replays",
]


def __getattr__(name: str) -> Any:
    """Import the module of a public name and return its object."""
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    with name_extra(f"{__name__}.{name}"):
        return getattr(import_module(f".{_MODULES[name]}", __name__), name)
