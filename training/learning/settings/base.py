"""Base classes for the settings of learning methods, and the validation of their fields.

The dataclass of each method, in `methods`, inherits from these classes. A method has only the
settings that it uses. The annotation of a field holds its range. The command line, TOML files and
notebooks all create these dataclasses.
"""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import MISSING, Field, asdict, dataclass, field, fields, replace
from functools import cache
from typing import (
    Annotated,
    Any,
    ClassVar,
    Literal,
    NamedTuple,
    Self,
    get_args,
    get_origin,
    get_type_hints,
)

import tyro
from tyro.constructors import PrimitiveConstructorSpec

from parlour.agents.networks.options import DEEPEST, WIDEST, check_network
from parlour.agents.validation import is_finite, shorten
from parlour.envs import Game, find_game
from parlour.envs.core.options import value_text
from parlour.envs.core.rules_table import (
    ALL,
    RulesTable,
    draw_option_sets,
    make_table,
    read_variants,
)

MOST_STEPS = 10**11
"""Maximum number of timesteps: checkpoint names have twelve digits, so that they sort."""
MOST_ROLLOUT = 1 << 26
"""Maximum number of timesteps in a rollout over all environments: a rollout is held in memory."""
MOST_SETS = 10_000
"""Maximum number of option sets in a run: the agent's file lists each one."""
MOST_WEIGHTS = 1 << 30
"""Maximum number of weights in the hidden layers, which take 4 GiB."""
MOST_SEED = (1 << 31) - 1
"""Largest training seed: combined with a row number it gives a 64-bit seed with one reserved
bit."""
NAME_BYTES = 100
"""Maximum length of a run's name in bytes. The folder name adds the game and the variant."""
LONGEST_TEXT = 4096
"""Maximum length of a text value, such as a path, in characters."""


class Range(NamedTuple):
    """The lowest and highest allowed value of a number; part of a field's annotation."""

    low: float
    high: float


Share = Annotated[float, Range(0, 1)]
Steps = Annotated[int, Range(1, MOST_STEPS)]
Deals = Annotated[int, Range(1, 10**7)]
Value = bool | int | float | str


def _read_value(text: str) -> Value:
    for number in (int, float):
        with suppress(ValueError):
            return number(text)
    return text


def _read_table(words: list[str]) -> dict[str, Value]:
    if len(words) % 2:
        raise ValueError("must have the form NAME VALUE ...")
    return dict(zip(words[::2], map(_read_value, words[1::2]), strict=True))


def write_table(table: Mapping[str, Value]) -> list[str]:
    """Return the words that give a table on the command line."""
    return [word for name, value in table.items() for word in (name, value_text(value))]


Table = Annotated[
    dict[str, Value],
    # By itself, tyro would make one flag of each entry of a table that a preset sets.
    PrimitiveConstructorSpec(
        nargs="*",
        metavar="NAME VALUE ...",
        instance_from_str=_read_table,
        is_instance=lambda value: isinstance(value, dict),
        str_from_instance=lambda table: write_table(table) or ["none"],
    ),
]


@dataclass(frozen=True, kw_only=True)
class Settings:
    """Settings that all methods share. Timesteps are counted over all environments, as in SB3."""

    method: ClassVar[str]
    """Name of the method on the command line and in files."""
    seats: ClassVar[Literal["one", "several", "any"]] = "one"
    """Number of seats in the games that the method can learn."""

    game: tyro.conf.Fixed[str] = "pyramid"
    """Name of the game."""
    variant: str | None = None
    """Variant of the rules (None: the game's default variant)."""
    options: Table = field(default_factory=dict)
    """Rule options that override those of the variant."""
    reward: Literal["progress", "win", "score"] = "progress"
    """Reward function. progress: scaled score gain at each step, plus a bonus for a win; win: 1 for
    a win; score: the final score, at the last step."""
    initial: str | None = None
    """Agent to start training from: the folder of a saved agent or of a run (None: new weights). If
    the folder is a run, each training seed starts with the agent of the same seed. The agent may
    have been trained on other rules."""

    seeds: tuple[int, ...] = (0,)
    """Training seeds. Each seed trains one agent; the seeds run one after the other."""
    eval_deals: Deals = 2000
    """Number of deals per evaluation, from the deal set GAME-validation."""
    runs: str = "runs"
    """Folder that holds all runs."""
    name: str | None = None
    """Last part of the run's folder name, after the game and the variant (None: date and time)."""
    minutes: Annotated[float, Range(0, 10**6)] = 0
    """Time limit for each seed, in minutes (0: no limit). Schedules, such as that of the learning
    rate, end at the time limit if the run does not end earlier."""
    profile: bool = False
    """Print how much time each phase of the training took."""

    def __post_init__(self) -> None:
        """Check every field. Raises ValueError for a value that is not allowed."""
        if isinstance(self.name, str):
            check_name(self.name)
        convert_whole_numbers(self)
        check_settings(self)
        check_seeds(self.seeds)
        game = find_game(self.game)
        object.__setattr__(self, "game", game.name)  # one name for folders and deal sets
        game.make_rules(self.variant, self.options)
        self.check(game)

    def check(self, game: Game) -> None:
        """Check that the settings fit the game and one another.

        Args:
            game: The game.

        Raises:
            ValueError: Settings contradict each other or do not fit the game.
        """

    def plain(self) -> dict[str, Any]:
        """Return the settings, including the method, as a dict of JSON values."""
        return {"method": self.method, **asdict(self)}

    def list_rules(self) -> RulesTable:
        """Return the rules used in training and evaluation."""
        game = find_game(self.game)
        return make_table(game, game.make_rules(self.variant, self.options))

    def name_rules(self) -> str:
        """Return the part of the run's folder name that describes the rules."""
        return self.variant or find_game(self.game).default

    def env_keywords(self) -> dict[str, Any]:
        """Return the keyword arguments of the run's environments, such as the variant."""
        return {"variant": self.variant, **self.options}

    def resolve_device(self) -> Self:
        """Return the settings with ``device`` resolved to the device that the run uses."""
        return self

    def describe_device(self) -> str:
        """Return the device, for the first output line of a run."""
        return "cpu"

    def describe_length(self) -> str:
        """Return the length of the training, for the first output line of a run."""
        raise NotImplementedError

    def with_evaluations(self, count: int) -> Self:
        """Return these settings, changed so that a run has ``count`` evaluations.

        Settings of methods that evaluate only at the end are returned unchanged.
        """
        return self

    def count_evaluations(self, steps: int, count: int) -> int:
        """Return how many of ``count`` evaluations are complete after ``steps`` timesteps."""
        return count

    def checkpoint_format(self) -> Any:
        """Return additional data that checkpoints depend on, as a JSON value.

        A run resumes only if these data are unchanged.
        """
        return None


def list_settings(settings_class: type[Settings]) -> list[str]:
    """Return the names of a method's settings."""
    return [setting.name for setting in fields(settings_class)]


def default_of(setting: Field[Any]) -> Any:
    """Return the default of a setting."""
    if setting.default_factory is not MISSING:
        return setting.default_factory()
    return setting.default


@dataclass(frozen=True, kw_only=True)
class SoloSettings(Settings):
    """Settings of methods for solitaires."""

    max_moves: Annotated[int, Range(1, 10**6)] = 500
    """Number of moves after which an episode is truncated."""

    def env_keywords(self) -> dict[str, Any]:
        """See `Settings.env_keywords`."""
        return super().env_keywords() | {"max_moves": self.max_moves}


@dataclass(frozen=True, kw_only=True)
class StepSettings(Settings):
    """Settings of methods that count timesteps instead of whole games."""

    total_steps: Steps = 1_000_000
    """Number of timesteps, rounded up to whole rollouts (td: to whole games; plan-td and
    plan-search: to whole iterations)."""
    schedule: Literal["linear", "constant"] = "linear"
    """Schedule of the learning rate or step size. linear: decreases to 0 at the end of the run."""
    eval_interval: Annotated[int, Range(0, MOST_STEPS)] = 200_000
    """Number of timesteps between evaluations (0: evaluate only at the end)."""
    checkpoint_interval: Steps = 200_000
    """Number of timesteps between checkpoints."""

    def describe_length(self) -> str:
        """See `Settings.describe_length`."""
        return f"{self.total_steps:,} timesteps, rounded up to whole updates"

    def with_evaluations(self, count: int) -> Self:
        """See `Settings.with_evaluations`. The run also saves a checkpoint at each evaluation."""
        interval = -(-self.total_steps // count)
        return replace(self, eval_interval=interval, checkpoint_interval=interval)

    def count_evaluations(self, steps: int, count: int) -> int:
        """See `Settings.count_evaluations`."""
        if steps >= self.total_steps:
            return count
        return min(steps * count // self.total_steps, count - 1)


@dataclass(frozen=True, kw_only=True)
class LearnerSettings(StepSettings):
    """Settings of methods that train a network on minibatches."""

    skip_forced: bool = True
    """Play an action automatically if it is the only legal action. Such forced actions do not count
    as timesteps."""
    network: str = "embedding"
    """Network architecture. mlp: dense layers on one-hot observations; embedding: sum of card
    embeddings; bonds: embedding, plus an embedding of each pair of related cards, such as cards
    that may be removed together; ranks: one token per rank, for games in which cards are removed in
    pairs; attention: one token per card (slow); numbers: dense layers on numeric observations (not
    one-hot), for games with counts and amounts."""
    width: Annotated[int, Range(1, WIDEST)] = 128
    """Number of units in each hidden layer."""
    depth: Annotated[int, Range(1, DEEPEST)] = 2
    """Number of hidden layers."""
    network_options: Table = field(default_factory=dict)
    """Additional options of the network, which replace those of the preset. Without values: none.
    With relations, the tokens of 'ranks' exchange messages along the relations between cards, for
    example which card lies on which, and those of 'attention' add the relations to their attention
    scores. With names_ranks, each token of 'ranks' knows its rank."""

    n_envs: Annotated[int, Range(1, 1 << 20)] = 256
    """Number of environments that run in parallel."""
    n_steps: Annotated[int, Range(1, 1 << 20)] = 128
    """Number of timesteps per environment between updates."""
    batch_size: Annotated[int, Range(1, MOST_ROLLOUT)] = 2048
    """Minibatch size, in timesteps."""
    n_epochs: Annotated[int, Range(1, 1000)] = 4
    """Number of epochs per update: passes over the collected timesteps."""
    learning_rate: Share = 1e-3
    """Initial learning rate of Adam."""
    vf_coef: Annotated[float, Range(0, 100)] = 0.5
    """Coefficient of the value loss."""
    max_grad_norm: Annotated[float, Range(0, 1000)] = 0.5
    """Maximum gradient norm; larger gradients are clipped."""
    threads: Annotated[int, Range(1, 1024)] = 1
    """Number of PyTorch threads. With 1024 or more environments, the environments use the same
    number of threads. Bit-identical results need 1 thread."""
    device: Literal["auto", "cpu", "cuda"] = "auto"
    """Device of the network. auto: cuda if available, otherwise cpu."""
    precision: Literal["highest", "high", "medium"] = "medium"
    """Precision of matrix products in training, as in PyTorch. highest: float32; high:
    TensorFloat-32 (cuda only); medium: bfloat16. A CPU without AMX uses highest for all three
    values."""

    def check(self, game: Game) -> None:
        """See `Settings.check`."""
        super().check(game)
        check_sizes(self)
        check_network(self.network)

    def network_spec(self) -> dict[str, Any]:
        """Return the description of the network for `build.build_network` and `agent.json`."""
        return {
            "name": self.network,
            "width": self.width,
            "depth": self.depth,
            "options": dict(self.network_options),
        }

    def resolve_device(self) -> Self:
        """Return the settings with device ``auto`` replaced by ``cuda`` or ``cpu``.

        Raises:
            ValueError: ``device`` is ``cuda`` and PyTorch finds no CUDA device.
        """
        import torch

        has_cuda = torch.cuda.is_available()
        if self.device == "cuda" and not has_cuda:
            raise ValueError(
                "device must be 'cpu' or 'auto' because PyTorch finds no CUDA device, got 'cuda'"
            )
        if self.device == "auto":
            return replace(self, device="cuda" if has_cuda else "cpu")
        return self

    def describe_device(self) -> str:
        """See `Settings.describe_device`."""
        return self.device


@dataclass(frozen=True, kw_only=True)
class NetworkSettings(LearnerSettings):
    """Settings of methods that train a network on rewards."""

    gamma: Share = 0.99
    """Discount factor."""
    gae_lambda: Share = 0.95
    """Lambda of generalized advantage estimation (pqn: of the lambda-returns)."""
    reward_scale: Annotated[float, Range(1e-6, 1e6)] = 1.0
    """Factor by which rewards are multiplied in training."""


@dataclass(frozen=True, kw_only=True)
class PolicySettings(NetworkSettings):
    """Settings of methods with PPO's clipped loss and an entropy bonus."""

    clip_range: Share = 0.2
    """Clipping range of the PPO loss."""
    ent_coef: Annotated[float, Range(0, 10)] = 0.01
    """Initial entropy coefficient."""
    ent_coef_final: Annotated[float, Range(0, 10)] = 0.001
    """Final entropy coefficient; the coefficient changes linearly during the run."""

    def entropy_coefficient(self, left: float) -> float:
        """Return the entropy coefficient when the fraction ``left`` of the run remains."""
        return self.ent_coef_final + left * (self.ent_coef - self.ent_coef_final)


@dataclass(frozen=True, kw_only=True)
class ManyRulesSettings(SoloSettings):
    """Settings of methods that can train one agent for many variants of the rules."""

    variants: tuple[str, ...] = ()
    """Variants to train on. They override the setting 'variant'. The rule options in the setting
    'options' apply to each of them."""
    option_sets: Annotated[int, Range(0, MOST_SETS)] = 0
    """Number of option sets to train on. An option set is a random combination of rule options; the
    same sets are drawn in every run."""
    option_names: tuple[str, ...] = ()
    """Rule options that vary between option sets (empty: all except players and those in the
    setting 'options'). The settings 'variant' and 'options' determine all other rule options."""
    option_split: Literal["all", "even", "odd"] = "all"
    """Option sets to train on. all: all of them; even, odd: those with an even or odd index (from
    0). The other half can then serve as a test set."""

    def check(self, game: Game) -> None:
        """See `Settings.check`."""
        super().check(game)
        if ALL in self.variants and self.variants != (ALL,):
            raise ValueError(
                "variants must not combine 'all', which means every variant, with other names, got "
                f"{shorten(self.variants)}"
            )
        for name in ("option_names", "option_split"):
            value = getattr(self, name)
            if value != getattr(type(self), name) and not self.option_sets:
                raise ValueError(
                    f"{name} requires option_sets of 1 or more, got {name}={shorten(value)}"
                )

    @property
    def has_many_rules(self) -> bool:
        """Whether the run trains on more than one set of rules."""
        return bool(self.variants or self.option_sets)

    def list_rules(self) -> RulesTable:
        """Return the rules used in training and evaluation.

        The variants come first, each with the run's options. The option sets follow, except those
        that equal one of the variants.

        Raises:
            ValueError: the rules are invalid, or there are more of them than evaluation deals.
        """
        if not self.has_many_rules:
            return super().list_rules()
        game = find_game(self.game)
        rules = dict.fromkeys(self._list_variants(game) + self._draw_option_sets(game))
        if len(rules) > self.eval_deals:
            raise ValueError(
                f"eval_deals must be at least {len(rules)}, one deal for each set of rules, got "
                f"{self.eval_deals}"
            )
        return make_table(game, rules)

    def _list_variants(self, game: Game) -> list[Any]:
        if not self.variants:
            return []
        wanted: Any = ALL if self.variants == (ALL,) else self.variants
        return list(read_variants(game, wanted, self.options).rules)

    def _draw_option_sets(self, game: Game) -> list[Any]:
        if not self.option_sets:
            return []
        base = game.make_rules(self.variant, self.options)
        names = self.option_names or [
            name for name in game.rules._fields if name not in ("players", *self.options)
        ]
        return draw_option_sets(game, base, self.option_sets, names, self.option_split)

    def name_rules(self) -> str:
        """See `Settings.name_rules`; ``"all"`` or ``"many"`` for more than one set of rules."""
        if not self.has_many_rules:
            return super().name_rules()
        return ALL if self.variants == (ALL,) and not self.option_sets else "many"

    def env_keywords(self) -> dict[str, Any]:
        """See `Settings.env_keywords`."""
        if not self.has_many_rules:
            return super().env_keywords()
        return {"variants": self.list_rules().rules, "max_moves": self.max_moves}


def convert_whole_numbers(settings: Any) -> None:
    """Convert floats with a whole value, such as 1e6, to ints where a setting takes an int."""
    settings_class: Any = type(settings)
    for name, (annotation, _) in _read_annotations(settings_class).items():
        value = getattr(settings, name)
        if annotation is int and type(value) is float and value.is_integer():
            object.__setattr__(settings, name, int(value))


def check_settings(settings: Any) -> None:
    """Check every field of a dataclass against its annotation: first the types, then the ranges.

    Raises:
        ValueError: a value has the wrong type or is out of range. The message names the setting,
            its value and the allowed values.
    """
    settings_class: Any = type(settings)
    annotations = _read_annotations(settings_class)
    for name, (annotation, _) in annotations.items():
        _check_type(name, getattr(settings, name), annotation)
    for name, (annotation, limits) in annotations.items():
        value = getattr(settings, name)
        if limits and not limits.low <= value <= limits.high:
            number = "an integer" if annotation is int else "a number"
            raise ValueError(
                f"{name} must be {number} from {limits.low} to {limits.high}, got {shorten(value)}"
            )


@cache
def _read_annotations(settings_class: Any) -> dict[str, tuple[Any, Range | None]]:
    """Return the type and the range (None: no range) of each field of a dataclass."""
    bare = get_type_hints(settings_class)
    full = get_type_hints(settings_class, include_extras=True)
    annotations = {}
    for setting in fields(settings_class):
        metadata = getattr(full[setting.name], "__metadata__", ())
        ranges = [mark for mark in metadata if isinstance(mark, Range)]
        annotations[setting.name] = bare[setting.name], ranges[0] if ranges else None
    return annotations


def _check_type(name: str, value: Any, annotation: Any) -> None:
    """Raise ValueError if a value does not have the type of its annotation."""
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Literal:
        fits = isinstance(value, str) and value in arguments
        allowed = "one of " + ", ".join(map(repr, arguments))
    elif annotation is float:
        fits, allowed = type(value) in (int, float), "a number"
    elif annotation is int:
        fits, allowed = type(value) is int, "an integer"
    elif origin is tuple:
        fits = isinstance(value, tuple) and all(type(item) is arguments[0] for item in value)
        allowed = {int: "a tuple of integers", str: "a tuple of names"}[arguments[0]]
    elif origin is dict:
        fits, allowed = isinstance(value, dict), "a dict"
        for key, item in value.items() if fits else ():
            _check_option(f"{name}.{key}" if isinstance(key, str) else name, item)
    else:
        fits = isinstance(value, annotation)
        allowed = str(getattr(annotation, "__name__", annotation))
    if not fits:
        raise ValueError(f"{name} must be {allowed}, got {shorten(value)}")
    for text in value if origin is tuple else (value,):
        if isinstance(text, str) and not _is_text(text):
            raise ValueError(
                f"{name} must be at most {LONGEST_TEXT} characters without control characters, got "
                f"{shorten(text)}"
            )


def _is_text(value: str) -> bool:
    return len(value) <= LONGEST_TEXT and not any(c < " " or c == "\x7f" for c in value)


def _check_option(name: str, value: Any) -> None:
    """Raise ValueError for a value that no option can have, such as a dict."""
    is_scalar = isinstance(value, bool) or is_finite(value)
    is_word = isinstance(value, str) and _is_text(value)
    is_row = isinstance(value, list | tuple) and len(value) < 100 and all(map(is_finite, value))
    if not (is_scalar or is_word or is_row):
        raise ValueError(
            f"{name} must be a finite number, a bool, a string or a list of numbers, got "
            f"{shorten(value)}"
        )


def check_seeds(seeds: tuple[int, ...]) -> None:
    """Raise ValueError if there is no seed, a duplicate seed, or a seed out of range."""
    has_duplicates = len(set(seeds)) < len(seeds)
    if not seeds or has_duplicates or min(seeds) < 0 or max(seeds) > MOST_SEED:
        raise ValueError(
            f"seeds must be one or more different integers from 0 to {MOST_SEED}, got "
            f"{shorten(seeds)}"
        )


def check_sizes(settings: Any) -> None:
    """Raise ValueError for a rollout or network that is too large, or for a minibatch of size 1."""
    rollout, size = settings.n_envs * settings.n_steps, settings.width**2 * settings.depth
    if rollout > MOST_ROLLOUT:
        raise ValueError(
            f"n_envs x n_steps must be at most {MOST_ROLLOUT}, got {settings.n_envs} x "
            f"{settings.n_steps}"
        )
    if size > MOST_WEIGHTS:
        raise ValueError(
            f"width x width x depth must be at most {MOST_WEIGHTS}, got width={settings.width}, "
            f"depth={settings.depth}"
        )
    if settings.batch_size == 1 or rollout % settings.batch_size == 1:
        raise ValueError(
            "batch_size must not leave a minibatch of 1 timestep, which has no standard deviation, "
            f"got batch_size={settings.batch_size} for rollouts of {settings.n_envs} x "
            f"{settings.n_steps} timesteps"
        )


def check_name(name: str) -> None:
    """Raise ValueError if a run's name cannot be part of a folder name."""
    is_plain = name.strip(". ") and name.isprintable() and not set(name) & set("/\\")
    if not is_plain or len(name.encode()) > NAME_BYTES:
        raise ValueError(
            f"name must be at most {NAME_BYTES} bytes of printable characters without / and \\, "
            f"and not only dots or spaces, got {shorten(name)}"
        )
