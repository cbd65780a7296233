"""Settings that several learning methods share, and their validation.

A method's own dataclass, in `methods`, inherits from these. A method has the settings that it uses
and no others; their ranges are part of the annotations. The command line, TOML files and notebooks
all make these dataclasses.
"""

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

from parlour.agents.networks.options import DEEPEST, WIDEST, check_network
from parlour.agents.validation import is_finite, shorten
from parlour.envs import Game, find_game
from parlour.envs.core.rules_table import (
    ALL,
    RulesTable,
    draw_option_sets,
    make_table,
    read_variants,
)

MOST_STEPS = 10**11
"""Maximum number of steps: names of checkpoints have twelve digits, so that they sort."""
MOST_ROLLOUT = 1 << 26
"""Maximum number of steps of a rollout, of all games together: they are held in memory."""
MOST_SETS = 10_000
"""Maximum number of option sets of a run: each one is written into the agent's file."""
MOST_WEIGHTS = 1 << 30
"""Maximum number of weights of the hidden layers: 4 GiB."""
MOST_SEED = (1 << 31) - 1
"""Largest training seed: with a row number it makes a seed of 64 bits, of which one is reserved."""
NAME_BYTES = 100
"""Maximum length of a run's name: with game and variant before it, it is the name of a folder."""
LONGEST_TEXT = 4096
"""Maximum length of a word or a path in characters."""


class Range(NamedTuple):
    """The lowest and the highest allowed number; part of a field's annotation."""

    low: float
    high: float


Share = Annotated[float, Range(0, 1)]
Steps = Annotated[int, Range(1, MOST_STEPS)]
Deals = Annotated[int, Range(1, 10**7)]
Value = int | float | str
Table = Annotated[dict[str, Value], tyro.conf.arg(metavar="NAME VALUE ...")]


@dataclass(frozen=True, kw_only=True)
class Settings:
    """Settings of all methods. Steps are environment steps, counted over all environments."""

    method: ClassVar[str]
    """The method's name on the command line and in files."""
    seats: ClassVar[Literal["one", "several", "any"]] = "one"
    """Games that the method learns: for one player, for several, or both."""

    game: tyro.conf.Fixed[str] = "pyramid"
    """The game."""
    variant: str | None = None
    """The variant of its rules (None: the game's default)."""
    options: Table = field(default_factory=dict)
    """Options of the rules that differ from the variant."""
    reward: Literal["progress", "win", "score"] = "progress"
    """progress: score gained, scaled, and a bonus for a win; win: 1 at a win; score: at the end."""
    initial: str | None = None
    """Start with the weights of a saved agent (trained by any rules), or of this seed in a run."""

    seeds: tuple[int, ...] = (0,)
    """Training seeds; one agent is trained for each, one after the other."""
    eval_deals: Deals = 2000
    """Deals of the set GAME-validation on which the agent is evaluated."""
    runs: str = "runs"
    """Folder of all runs."""
    name: str | None = None
    """Name of this run's folder, after game and variant (None: the time)."""
    minutes: Annotated[float, Range(0, 10**6)] = 0
    """Time limit of each seed in minutes (0: no limit); schedules end with it."""
    profile: bool = False
    """Print a breakdown of the training time."""

    def __post_init__(self) -> None:
        """Check every field: ValueError naming it, its value and what is allowed."""
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
        """Raise ValueError for settings that exclude each other or do not suit the game."""

    def plain(self) -> dict[str, Any]:
        """Return the settings as JSON has them, with the method."""
        return {"method": self.method, **asdict(self)}

    def list_rules(self) -> RulesTable:
        """Return the rules that the run trains and is evaluated by."""
        game = find_game(self.game)
        return make_table(game, game.make_rules(self.variant, self.options))

    def name_rules(self) -> str:
        """Return the part of the run's folder name that stands for its rules."""
        return self.variant or find_game(self.game).default

    def env_keywords(self) -> dict[str, Any]:
        """Return the keywords of the run's environments, such as the rules."""
        return {"variant": self.variant, **self.options}

    def resolve_device(self) -> Self:
        """Return settings that name the device that the run uses."""
        return self

    def describe_device(self) -> str:
        """Return the device, for the first line of a run."""
        return "cpu"

    def describe_length(self) -> str:
        """Return how long the run trains, for its first line."""
        raise NotImplementedError

    def with_evaluations(self, count: int) -> Self:
        """Return settings by which a run is evaluated ``count`` times, if the method can do that.

        Other methods are evaluated at the end only.
        """
        return self

    def count_evaluations(self, steps: int, count: int) -> int:
        """Return how many of ``count`` evaluations are done after some steps (1: the first)."""
        return count

    def checkpoint_format(self) -> Any:
        """Return, as JSON, what else a checkpoint depends on; a run resumes only if it is equal."""
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
    """Settings of methods for games of one player."""

    max_moves: Annotated[int, Range(1, 10**6)] = 500
    """Moves after which a game is truncated."""

    def env_keywords(self) -> dict[str, Any]:
        """See `Settings.env_keywords`."""
        return super().env_keywords() | {"max_moves": self.max_moves}


@dataclass(frozen=True, kw_only=True)
class StepSettings(Settings):
    """Settings of methods that count environment steps, not whole games."""

    total_steps: Steps = 1_000_000
    """Steps to train for, rounded up to whole rollouts (td: to whole rounds of games)."""
    schedule: Literal["linear", "constant"] = "linear"
    """linear: the step size falls to 0 at the end."""
    eval_interval: Annotated[int, Range(0, MOST_STEPS)] = 200_000
    """Steps between two evaluations (0: only at the end)."""
    checkpoint_interval: Steps = 200_000
    """Steps between two checkpoints."""

    def describe_length(self) -> str:
        """See `Settings.describe_length`."""
        return f"{self.total_steps:,} steps, rounded up to whole updates"

    def with_evaluations(self, count: int) -> Self:
        """See `Settings.with_evaluations`; a checkpoint is saved at each of them."""
        interval = -(-self.total_steps // count)
        return replace(self, eval_interval=interval, checkpoint_interval=interval)

    def count_evaluations(self, steps: int, count: int) -> int:
        """See `Settings.count_evaluations`."""
        if steps >= self.total_steps:
            return count
        return min(steps * count // self.total_steps, count - 1)


@dataclass(frozen=True, kw_only=True)
class LearnerSettings(StepSettings):
    """Settings of methods in which a network learns from minibatches."""

    skip_forced: bool = True
    """Take an action without asking while it is the only legal one."""
    network: str = "embedding"
    """mlp (one-hot), embedding (card codes), bonds (codes, and pairs of cards that belong), ranks
    (a token for each rank, for games of pairs), attention (a token for each card; slow) or numbers
    (codes that count)."""
    width: Annotated[int, Range(1, WIDEST)] = 128
    """Width of every hidden layer."""
    depth: Annotated[int, Range(1, DEEPEST)] = 2
    """Number of hidden layers."""
    network_options: Table = field(default_factory=dict)
    """Further options of the network, if it has any."""

    n_envs: Annotated[int, Range(1, 1 << 20)] = 256
    """Number of games played in parallel."""
    n_steps: Annotated[int, Range(1, 1 << 20)] = 128
    """Steps of each game between two updates."""
    batch_size: Annotated[int, Range(1, MOST_ROLLOUT)] = 2048
    """Steps in a minibatch."""
    n_epochs: Annotated[int, Range(1, 1000)] = 4
    """Passes over the steps at each update."""
    learning_rate: Share = 1e-3
    """Learning rate of Adam at the start."""
    vf_coef: Annotated[float, Range(0, 100)] = 0.5
    """Weight of the value loss."""
    max_grad_norm: Annotated[float, Range(0, 1000)] = 0.5
    """Largest norm of a gradient; longer ones are clipped."""
    threads: Annotated[int, Range(1, 1024)] = 1
    """Threads of torch; 1 for results equal bit by bit."""
    device: Literal["auto", "cpu", "cuda"] = "auto"
    """Device of the network; auto: cuda if there is one."""
    precision: Literal["highest", "high", "medium"] = "medium"
    """Precision of matrix products in training, as in torch: highest is float32, high (on cuda)
    TensorFloat-32, medium bfloat16. A processor without AMX takes highest for all three."""

    def check(self, game: Game) -> None:
        """See `Settings.check`."""
        super().check(game)
        check_sizes(self)
        check_network(self.network)

    def network_spec(self) -> dict[str, Any]:
        """Return the network as `build.build_network` takes it and `agent.json` describes it."""
        return {
            "name": self.network,
            "width": self.width,
            "depth": self.depth,
            "options": dict(self.network_options),
        }

    def resolve_device(self) -> Self:
        """Return settings in which ``auto`` is replaced by ``cuda`` or ``cpu``.

        Raises ValueError for ``cuda`` where torch finds none.
        """
        import torch

        has_cuda = torch.cuda.is_available()
        if self.device == "cuda" and not has_cuda:
            raise ValueError(
                "device must be 'cpu' or 'auto' where torch finds no CUDA device, got 'cuda'"
            )
        if self.device == "auto":
            return replace(self, device="cuda" if has_cuda else "cpu")
        return self

    def describe_device(self) -> str:
        """See `Settings.describe_device`."""
        return self.device


@dataclass(frozen=True, kw_only=True)
class NetworkSettings(LearnerSettings):
    """Settings of methods in which a network learns from rewards."""

    gamma: Share = 0.99
    """Discount factor."""
    gae_lambda: Share = 0.95
    """Lambda of generalized advantage estimation, and of returns where values learn by them."""
    reward_scale: Annotated[float, Range(1e-6, 1e6)] = 1.0
    """Scale of the rewards in what is learned."""


@dataclass(frozen=True, kw_only=True)
class PolicySettings(NetworkSettings):
    """Settings of methods with PPO's clipped loss and an entropy bonus."""

    clip_range: Share = 0.2
    """Clipping range of PPO."""
    ent_coef: Annotated[float, Range(0, 10)] = 0.01
    """Entropy coefficient at the start."""
    ent_coef_final: Annotated[float, Range(0, 10)] = 0.001
    """Entropy coefficient at the end; falls linearly."""

    def entropy_coefficient(self, left: float) -> float:
        """Return the entropy coefficient when the share ``left`` of the run remains."""
        return self.ent_coef_final + left * (self.ent_coef - self.ent_coef_final)


@dataclass(frozen=True, kw_only=True)
class ManyRulesSettings(SoloSettings):
    """Settings of methods that can learn many rules in one run."""

    variants: tuple[str, ...] = ()
    """Variants to train by, instead of variant; options are put into each of them."""
    option_sets: Annotated[int, Range(0, MOST_SETS)] = 0
    """Number of random option sets to train by, always the same ones (see option_split)."""
    option_names: tuple[str, ...] = ()
    """Options that the sets draw; the others are those of variant and options (none named: all but
    players and those in options)."""
    option_split: Literal["all", "even", "odd"] = "all"
    """Sets to train by, numbered from 0: all, or one half; the other half is left for tests."""

    def check(self, game: Game) -> None:
        """See `Settings.check`."""
        super().check(game)
        if ALL in self.variants and self.variants != (ALL,):
            raise ValueError("variants: 'all' goes alone: it stands for every variant")
        for name in ("option_names", "option_split"):
            value = getattr(self, name)
            if value != getattr(type(self), name) and not self.option_sets:
                raise ValueError(f"{name}={shorten(value)}: it needs option_sets")

    @property
    def has_many_rules(self) -> bool:
        """Whether the run trains by several rules."""
        return bool(self.variants or self.option_sets)

    def list_rules(self) -> RulesTable:
        """Return the rules that the run trains and is evaluated by.

        The variants come first, each with the run's options, then the option sets, without those
        that are among the variants. Raises ValueError if they make no game.
        """
        if not self.has_many_rules:
            return super().list_rules()
        game = find_game(self.game)
        rules = dict.fromkeys(self._list_variants(game) + self._draw_option_sets(game))
        if len(rules) > self.eval_deals:
            raise ValueError(
                f"eval_deals={self.eval_deals}: at least {len(rules)}, one for each of the rules"
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
        """See `Settings.name_rules`; of several rules ``"all"`` or ``"many"``."""
        if not self.has_many_rules:
            return super().name_rules()
        return ALL if self.variants == (ALL,) and not self.option_sets else "many"

    def env_keywords(self) -> dict[str, Any]:
        """See `Settings.env_keywords`."""
        if not self.has_many_rules:
            return super().env_keywords()
        return {"variants": self.list_rules().rules, "max_moves": self.max_moves}


def convert_whole_numbers(settings: Any) -> None:
    """Replace whole numbers that were given as floats, such as 1e6, by ints."""
    settings_class: Any = type(settings)
    for name, (annotation, _) in _read_annotations(settings_class).items():
        value = getattr(settings, name)
        if annotation is int and type(value) is float and value.is_integer():
            object.__setattr__(settings, name, int(value))


def check_settings(settings: Any) -> None:
    """Check every field of a dataclass against its annotation: first types, then ranges.

    Raises:
        ValueError: a value has another type or is out of range; the text names setting, value and
            what is allowed.
    """
    settings_class: Any = type(settings)
    annotations = _read_annotations(settings_class)
    for name, (annotation, _) in annotations.items():
        _check_type(name, getattr(settings, name), annotation)
    for name, (_, limits) in annotations.items():
        value = getattr(settings, name)
        if limits and not limits.low <= value <= limits.high:
            raise ValueError(
                f"{name}={shorten(value)}: allowed are numbers from {limits.low} to {limits.high}"
            )


@cache
def _read_annotations(settings_class: Any) -> dict[str, tuple[Any, Range | None]]:
    """Return the type of each field of a dataclass, and its range if it has one."""
    bare = get_type_hints(settings_class)
    full = get_type_hints(settings_class, include_extras=True)
    annotations = {}
    for setting in fields(settings_class):
        metadata = getattr(full[setting.name], "__metadata__", ())
        ranges = [mark for mark in metadata if isinstance(mark, Range)]
        annotations[setting.name] = bare[setting.name], ranges[0] if ranges else None
    return annotations


def _check_type(name: str, value: Any, annotation: Any) -> None:
    """Raise ValueError, naming setting, value and what is allowed, for a value of another type."""
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Literal:
        fits = isinstance(value, str) and value in arguments
        allowed = ", ".join(map(repr, arguments))
    elif annotation is float:
        fits, allowed = type(value) in (int, float), "a number"
    elif annotation is int:
        fits, allowed = type(value) is int, "a whole number"
    elif origin is tuple:
        fits = isinstance(value, tuple) and all(type(item) is arguments[0] for item in value)
        allowed = {int: "whole numbers", str: "names"}[arguments[0]]
    elif origin is dict:
        fits, allowed = isinstance(value, dict), "dict"
        for key, item in value.items() if fits else ():
            _check_option(f"{name}.{key}" if isinstance(key, str) else name, item)
    else:
        fits = isinstance(value, annotation)
        allowed = str(getattr(annotation, "__name__", annotation))
    if not fits:
        raise ValueError(f"{name}={shorten(value)}: allowed is {allowed}")
    for text in value if origin is tuple else (value,):
        if isinstance(text, str) and not _is_text(text):
            raise ValueError(
                f"{name}={shorten(text)}: allowed are up to {LONGEST_TEXT} characters without "
                "control characters"
            )


def _is_text(value: str) -> bool:
    return len(value) <= LONGEST_TEXT and not any(c < " " or c == "\x7f" for c in value)


def _check_option(name: str, value: Any) -> None:
    """Raise ValueError for a value that no option can have, such as a table."""
    is_scalar = isinstance(value, bool) or is_finite(value)
    is_word = isinstance(value, str) and _is_text(value)
    is_row = isinstance(value, list | tuple) and len(value) < 100 and all(map(is_finite, value))
    if not (is_scalar or is_word or is_row):
        raise ValueError(
            f"{name}={shorten(value)}: allowed are a finite number, yes or no, a word, or a row of "
            "numbers"
        )


def check_seeds(seeds: tuple[int, ...]) -> None:
    """Raise ValueError for no seed, duplicate seeds, and numbers that are no seeds."""
    has_duplicates = len(set(seeds)) < len(seeds)
    if not seeds or has_duplicates or min(seeds) < 0 or max(seeds) > MOST_SEED:
        raise ValueError(
            f"seeds={shorten(seeds)}: at least one, from 0 to {MOST_SEED}, none of them twice"
        )


def check_sizes(settings: Any) -> None:
    """Raise ValueError for sizes that are too large together, or leave a minibatch of one."""
    rollout, size = settings.n_envs * settings.n_steps, settings.width**2 * settings.depth
    if rollout > MOST_ROLLOUT:
        raise ValueError(
            f"n_envs={settings.n_envs}, n_steps={settings.n_steps}: allowed are "
            f"{MOST_ROLLOUT} steps in a rollout, all games together"
        )
    if size > MOST_WEIGHTS:
        raise ValueError(
            f"width={settings.width}, depth={settings.depth}: allowed are {MOST_WEIGHTS} for "
            "width x width x depth"
        )
    if settings.batch_size == 1 or rollout % settings.batch_size == 1:
        raise ValueError(
            f"batch_size={settings.batch_size}: leaves a minibatch of one of the "
            f"{settings.n_envs} x {settings.n_steps} steps of a rollout, and one has no standard "
            "deviation"
        )


def check_name(name: str) -> None:
    """Raise ValueError for a run name that is not a plain folder name."""
    is_plain = name.strip(". ") and name.isprintable() and not set(name) & set("/\\")
    if not is_plain or len(name.encode()) > NAME_BYTES:
        raise ValueError(
            f"name={shorten(name)}: allowed are printable characters but / and \\, at most "
            f"{NAME_BYTES} bytes, not dots or blanks alone"
        )
