"""What settings methods share: those of any run, of steps, of networks, of policies."""

from dataclasses import field
from typing import Annotated, ClassVar, Literal

import tyro

from parlour.agents.networks.build import DEEPEST, WIDEST, network_class
from parlour.agents.networks.residual import LIFT, MOST_LIFT, check_base
from parlour.envs import Game, find_game
from parlour.envs.core.upper_bound import solver_of

from .limits import (
    MOST_ROLLOUT,
    MOST_SETS,
    MOST_STEPS,
    Deals,
    Range,
    Share,
    Steps,
    check_fields,
    check_many_rules,
    check_name,
    check_seeds,
    check_sizes,
    make_whole,
)
from .settings_names import settings_class

Value = int | float | str
Table = Annotated[dict[str, Value], tyro.conf.arg(metavar="NAME VALUE ...")]


@settings_class
class Settings:
    """What all methods have. Steps are environment steps, counted over all environments."""

    method: ClassVar[str]
    """Its name on the command line and in files."""

    game: tyro.conf.Fixed[str] = "pyramid"
    """The game."""
    variant: str | None = None
    """The variant of its rules (None: the game's default)."""
    options: Table = field(default_factory=dict)
    """Options of the rules that differ from the variant."""
    reward: Literal["progress", "win", "score"] = "progress"
    """progress: score gained, scaled, and a bonus for a win; win: 1 at a win; score: at the end."""
    initial: str | None = None
    """Begin with the weights of a saved agent, by whatever rules, or of that seed's in a run."""

    seeds: tuple[int, ...] = (0,)
    """Training seeds; one agent each, one after the other."""
    eval_deals: Deals = 2000
    """Deals of the bank GAME-validation on which it is evaluated."""
    runs: str = "runs"
    """The folder of all runs."""
    name: str | None = None
    """Name of this run in it, behind game and variant (None: the time)."""
    minutes: Annotated[float, Range(0, 10**6)] = 0
    """Train each seed for at most so many minutes (0: no limit); schedules end with them."""
    profile: bool = False
    """Print where the time went."""

    def __post_init__(self) -> None:
        """Check every field: ValueError naming it, its value and what is allowed."""
        if isinstance(self.name, str):
            check_name(self.name)
        make_whole(self)
        check_fields(self)
        check_seeds(self.seeds)
        game = find_game(self.game)
        object.__setattr__(self, "game", game.name)  # one name for folders and banks
        game.make_rules(self.variant, self.options)
        self.check(game)

    def check(self, game: Game) -> None:
        """Raise ValueError for settings that do not go together, or not with the game."""


@settings_class
class SoloSettings(Settings):
    """What methods have that learn games for one player."""

    max_moves: Annotated[int, Range(1, 10**6)] = 500
    """A game is cut off after so many moves."""


@settings_class
class StepSettings(Settings):
    """What methods have that count steps, not whole games."""

    total_steps: Steps = 1_000_000
    """Steps to train for, rounded up to whole rollouts (values: to whole rounds of games)."""
    schedule: Literal["linear", "constant"] = "linear"
    """linear: the step size falls to 0 at the end."""
    eval_interval: Annotated[int, Range(0, MOST_STEPS)] = 200_000
    """Evaluate whenever so many steps are done (0: only at the end)."""
    checkpoint_interval: Steps = 200_000
    """Save a checkpoint whenever so many steps are done."""


@settings_class
class LearnerSettings(StepSettings):
    """What methods have in which a network learns from minibatches."""

    skip_forced: bool = True
    """Take an action at once while it is the only legal one."""
    network: str = "embedding"
    """mlp (one-hot), embedding (card codes), bonds (codes, and pairs of cards that belong), ranks
    (a token for each rank, for games of pairs), attention (a token for each card; dear) or numbers
    (codes that count)."""
    width: Annotated[int, Range(1, WIDEST)] = 128
    """Width of every hidden layer."""
    depth: Annotated[int, Range(1, DEEPEST)] = 2
    """Hidden layers."""
    network_options: Table = field(default_factory=dict)
    """Further options of the network, if it has any."""

    n_envs: Annotated[int, Range(1, 1 << 20)] = 256
    """Games played at once."""
    n_steps: Annotated[int, Range(1, 1 << 20)] = 128
    """Steps of each game between two updates."""
    batch_size: Annotated[int, Range(1, MOST_ROLLOUT)] = 2048
    """Steps in a minibatch."""
    n_epochs: Annotated[int, Range(1, 1000)] = 4
    """Passes over the steps at each update."""
    learning_rate: Share = 1e-3
    """Adam's step size at the start."""
    vf_coef: Annotated[float, Range(0, 100)] = 0.5
    """Weight of the value loss."""
    max_grad_norm: Annotated[float, Range(0, 1000)] = 0.5
    """Gradients are clipped to this norm."""
    threads: Annotated[int, Range(1, 1024)] = 1
    """Threads of torch; 1 for results equal bit by bit."""
    device: Literal["auto", "cpu", "cuda"] = "auto"
    """auto: cuda where there is one."""
    precision: Literal["highest", "high", "medium"] = "medium"
    """Of products of matrices in training, as in torch: highest is float32, high (on cuda)
    TensorFloat-32, medium bfloat16. A processor without AMX takes highest for all three."""

    def check(self, game: Game) -> None:
        """See `Settings.check`."""
        super().check(game)
        check_sizes(self)
        network_class(self.network)


@settings_class
class NetworkSettings(LearnerSettings):
    """What methods have that learn from rewards."""

    study_options: Table = field(default_factory=dict)
    """Options of the rules, beside the others, in the study at the beginning: an easier game."""
    study: Share = 0.0
    """Share of all steps that the study lasts; evaluations are of the game itself throughout."""

    gamma: Share = 0.99
    """Discount."""
    gae_lambda: Share = 0.95
    """Lambda of generalised advantage estimation, and of returns where values learn by them."""
    reward_scale: Annotated[float, Range(1e-6, 1e6)] = 1.0
    """What the value is learned of is so many times the reward (lookahead: in the warm-up)."""

    def check(self, game: Game) -> None:
        """See `Settings.check`."""
        super().check(game)
        game.make_rules(self.variant, {**self.options, **self.study_options})
        if "players" in self.study_options:
            raise ValueError("study_options: the number of players cannot change in a run")

    def _check_solver(self, game: Game) -> None:
        """Refuse rules, of the study too, by which there is no solver."""
        for options in (self.options, {**self.options, **self.study_options}):
            solver_of(game, game.make_rules(self.variant, options))


@settings_class
class PolicySettings(NetworkSettings):
    """What methods have in which MaskablePPO has a part."""

    clip_range: Share = 0.2
    """PPO's clipping range."""
    ent_coef: Annotated[float, Range(0, 10)] = 0.01
    """Weight of the entropy bonus at the start."""
    ent_coef_final: Annotated[float, Range(0, 10)] = 0.001
    """Weight of the entropy bonus at the end; falls linearly."""


@settings_class
class CorrectingSettings(LearnerSettings):
    """What methods have whose network may correct a player by rule."""

    base: str | None = None
    """Correct this player, greedy or one by rule of the game: what it would play is read, too, and
    is what the network begins with (None: it begins with nothing)."""
    lift: Annotated[float, Range(0, MOST_LIFT)] = LIFT
    """The logit of what it would play, those of other actions beginning near 0."""

    def check(self, game: Game) -> None:
        """See `Settings.check`."""
        super().check(game)
        if self.base is not None:
            check_base(game, self.base, self.lift)


@settings_class
class ManyRulesSettings(SoloSettings):
    """What methods have that can learn by many rules at once."""

    variants: tuple[str, ...] = ()
    """Train by all these, in place of variant, each game by another; options are put into each."""
    option_sets: Annotated[int, Range(0, MOST_SETS)] = 0
    """Train by so many random option sets, too: always the same ones (see option_split)."""
    option_names: tuple[str, ...] = ()
    """The options that sets draw, the others being those of variant and options (none named: all
    but players and those in options)."""
    option_split: Literal["all", "even", "odd"] = "all"
    """Train by all these sets, numbered from 0, or by one half; the other is left to test on."""

    def check(self, game: Game) -> None:
        """See `Settings.check`."""
        super().check(game)
        check_many_rules(self)
