"""Settings of a training run: what all methods share, and one dataclass for each method.

A method has the settings that it uses and no others; their ranges stand beside them. The command
line, TOML files (`settings_files`) and notebooks all make these.
"""

from dataclasses import field
from typing import Annotated, Any, ClassVar, Literal

import tyro

from parlour.agents.networks import DEEPEST, WIDEST, network_class
from parlour.agents.reading import shorten
from parlour.agents.value_table import require_afterstates
from parlour.envs import Game, find_game
from parlour.envs.core.truth import solver_of

from .limits import (
    MOST_ROLLOUT,
    MOST_STEPS,
    Deals,
    Range,
    Share,
    Steps,
    check_fields,
    check_name,
    check_seeds,
    check_sizes,
    make_whole,
)
from .settings_names import find_method, settings_class

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
    (a token for each rank, for games of pairs) or numbers (codes that count)."""
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

    def check(self, game: Game) -> None:
        """See `Settings.check`."""
        check_sizes(self)
        network_class(self.network)


@settings_class
class NetworkSettings(LearnerSettings):
    """What methods have in which MaskablePPO has a part."""

    study_options: Table = field(default_factory=dict)
    """Options of the rules, beside the others, in the study at the beginning: an easier game."""
    study: Share = 0.0
    """Share of all steps that the study lasts; evaluations are of the game itself throughout."""

    gamma: Share = 0.99
    """Discount."""
    gae_lambda: Share = 0.95
    """Lambda of generalised advantage estimation, and of TD(lambda) where values learn by that."""
    clip_range: Share = 0.2
    """PPO's clipping range."""
    ent_coef: Annotated[float, Range(0, 10)] = 0.01
    """Weight of the entropy bonus at the start."""
    ent_coef_final: Annotated[float, Range(0, 10)] = 0.001
    """Weight of the entropy bonus at the end; falls linearly."""
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
class PPOSettings(NetworkSettings, SoloSettings):
    """MaskablePPO."""

    method = "ppo"

    curriculum: Share = 0.0
    """Share of all steps in which games begin on a solver's way to a win, at first just before it,
    then farther and farther from it (games with a solver)."""

    def check(self, game: Game) -> None:
        """See `Settings.check`."""
        super().check(game)
        won = game.solve is not None and game.measure == "won"
        if self.curriculum and (self.study or not won):
            where = "without a study, in games that are won and have a solver"
            raise ValueError(f"curriculum={self.curriculum}: {where}")
        if self.curriculum:
            self._check_solver(game)


@settings_class
class LookaheadSettings(NetworkSettings, SoloSettings):
    """After a warm-up of MaskablePPO, values that choose by one step ahead."""

    method = "lookahead"

    gamma: Share = 1.0
    """Discount: 1, for nothing is discounted where the values of two moves are compared."""
    warm_up: Share = 0.2
    """Share of all steps, at the beginning, that are MaskablePPO's."""
    temperature: Annotated[float, Range(1e-6, 1)] = 0.03
    """Noise of the choice at the start, in rewards; falls linearly to a tenth."""

    def check(self, game: Game) -> None:
        """See `Settings.check`."""
        super().check(game)
        if self.gamma != 1:
            raise ValueError(
                f"gamma={self.gamma}: method 'lookahead' plays undiscounted, by gamma=1"
            )


@settings_class
class CloningSettings(NetworkSettings, SoloSettings):
    """Lessons of a teacher, then MaskablePPO."""

    method = "cloning"

    lessons: Share = 0.2
    """Share of all steps, at the beginning, that are lessons; 1: nothing but lessons."""
    teacher: str = "solver"
    """solver, which says by the true cards after which actions a win is left, or an agent that is
    imitated, such as pimc@8."""

    def check(self, game: Game) -> None:
        """See `Settings.check`."""
        super().check(game)
        if self.teacher != "solver":
            return
        if game.winnable_after is None:
            raise ValueError(f"teacher='solver': {game.title} has no exact solver; name an agent")
        self._check_solver(game)


@settings_class
class DistillSettings(LearnerSettings, SoloSettings):
    """A network learns what a search says of all actions, where its own play leads, too."""

    method = "distill"

    teacher: str = "pimc@2"
    """The search: pimc or mcts with its budget, also one led by a saved agent (pimc@8:AGENT)."""
    teacher_share: Share = 0.5
    """Share of the games that the teacher plays; the network plays the others."""
    explore: Share = 0.05
    """Share of random actions in the network's games."""
    temperature: Annotated[float, Range(1e-4, 100)] = 0.05
    """The policy learned is the softmax of the values that the teacher names, over this."""
    indifferent: Share = 0.3
    """Share of those positions that are kept in which all actions are worth the same."""


@settings_class
class SelfplaySettings(NetworkSettings):
    """MaskablePPO at one seat of a game for several, against players by rule and its own past."""

    method = "selfplay"

    opponents: tuple[str, ...] = ("greedy",)
    """The players in the pool, beside the learner and its past; the final field, too."""
    self_share: Share = 1.0
    """How often a seat beside the learner's own is the learner's, too; the others are opponents."""
    magnet_coef: Annotated[float, Range(0, 10)] = 0.05
    """Weight of KL(policy || magnet), the magnet being a copy of the policy that follows slowly."""
    magnet_rate: Share = 0.05
    """How much of the way to the policy the magnet moves when it moves; 1: all."""
    magnet_interval: Annotated[int, Range(1, 10**6)] = 1
    """Updates after which the magnet moves."""

    def check(self, game: Game) -> None:
        """See `Settings.check`."""
        super().check(game)
        if not self.opponents:
            raise ValueError("opponents=(): at least one")


@settings_class
class TDSettings(StepSettings, SoloSettings):
    """A table of afterstate values, by self-play (games that name features for it)."""

    method = "values"

    pretrain: Share = 0.2
    """Share of all steps, at the beginning, in which parts learn by themselves, or from the
    heuristic's play."""
    step_size: Annotated[float, Range(0, 100)] = 0.4
    """Step size; after the pretraining it falls as ``schedule`` says."""
    td_lambda: Share = 0.9
    """Lambda of TD(lambda)."""

    def check(self, game: Game) -> None:
        """See `Settings.check`."""
        require_afterstates(game)
        if self.reward != "progress":
            raise ValueError(f"reward={self.reward!r}: method 'values' learns by 'progress'")


@settings_class
class PolicySearchSettings(SoloSettings):
    """Weights of the game's heuristic, by policy search (CMA-ES); its steps are whole games."""

    method = "weights"

    generations: Annotated[int, Range(1, 10**6)] = 60
    """How often candidates are drawn and compared."""
    candidate_deals: Deals = 1000
    """Deals that each candidate plays, the same for all of a generation."""
    population: int = 0
    """Candidates of a generation (0: by the number of weights, 4 + 3 ln n)."""
    sigma: Annotated[float, Range(1e-3, 10)] = 0.3
    """Spread of the first candidates, as a share of each weight."""

    def check(self, game: Game) -> None:
        """See `Settings.check`."""
        if self.population != 0 and not 4 <= self.population <= 10**4:
            value = shorten(self.population)
            raise ValueError(f"population={value}: allowed are 0 and numbers from 4 to {10**4}")


def make_settings(method: str = "ppo", **given: Any) -> Settings:
    """Return settings of a method, by name: what is not given has its default.

    Raises ValueError naming a setting, its value and what is allowed; and a setting that the method
    does not use, with the methods that do.
    """
    made: Settings = find_method(method)(**given)
    return made
