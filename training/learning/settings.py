"""Settings of a training run: one dataclass for command line, TOML files and notebooks."""

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Annotated, Any, Literal, get_type_hints

import tyro

from parlour.agents.networks import network_class
from parlour.agents.reading import naming, read_text, shorten
from parlour.agents.value_table import require_afterstates
from parlour.envs import GAMES
from parlour.envs import game as game_named
from parlour.envs.core.options import unknown_text
from parlour.envs.core.truth import solver_of

from .limits import check_kind, check_name, check_ranges

PRESETS_FOLDER = Path(__file__).parent / "presets"
Value = int | float | str
Table = Annotated[dict[str, Value], tyro.conf.arg(metavar="NAME VALUE ...")]


@dataclass(frozen=True)
class Settings:
    """How an agent is trained. Steps are environment steps, counted over all environments."""

    game: tyro.conf.Fixed[str] = "pyramid"
    """The game."""
    variant: str | None = None
    """The variant of its rules (None: the game's default)."""
    options: Table = field(default_factory=dict)
    """Options of the rules that differ from the variant."""
    reward: Literal["progress", "win", "score"] = "progress"
    """progress: score gained, scaled, and a bonus for a win; win: 1 at a win; score: at the end."""
    skip_forced: bool = True
    """Take an action at once while it is the only legal one."""
    max_moves: int = 500
    """A game is cut off after so many moves."""

    initial: str | None = None
    """Begin with the weights of a saved agent, by whatever rules, or of that seed's in a run."""
    study_options: Table = field(default_factory=dict)
    """Options of the rules, beside the others, in the study at the beginning: an easier game."""
    study: float = 0.0
    """Share of all steps that the study lasts; evaluations are of the game itself throughout."""
    method: Literal["ppo", "lookahead", "cloning", "values", "weights", "selfplay"] = "ppo"
    """ppo: MaskablePPO; cloning: the same after lessons of a teacher; selfplay: the same at one
    seat of a game for several, against a pool of players by rule and of its own past;
    lookahead: after a warm-up of MaskablePPO, values that choose by one step ahead;
    values: a table of afterstate values, by self-play (games that name features for it);
    weights: those of the game's heuristic, by policy search (CMA-ES); its steps are whole games."""
    warm_up: float = 0.2
    """Share of all steps, at the beginning, that are MaskablePPO's (lookahead), are lessons
    (cloning; 1: nothing but lessons), or in which parts
    learn by themselves, or from the heuristic's play (values)."""
    temperature: float = 0.03
    """lookahead: noise of the choice at the start, in rewards; falls linearly to a tenth."""

    teacher: str = "solver"
    """cloning: solver, which says by the true cards after which actions a win is left, or an agent
    that is imitated, such as pimc@8."""
    curriculum: float = 0.0
    """ppo: share of all steps in which games begin on a solver's way to a win, at first just before
    it, then farther and farther from it (games with a solver)."""

    opponents: tuple[str, ...] = ("greedy",)
    """selfplay: the players in the pool, beside the learner and its past; the final field, too."""
    self_share: float = 0.4
    """selfplay: how often another seat is the learner's own, as it is now."""
    pool_active: int = 4
    """selfplay: so many others of the pool are drawn for a rollout."""
    snapshot_interval: int = 200_000
    """selfplay: the pool takes in the learner whenever so many steps are done."""
    reward_scale: float = 1.0
    """ppo, selfplay: what the value is learned of is so many times the reward."""

    step_size: float = 0.4
    """values: step size; after the warm-up it falls as ``schedule`` says."""
    td_lambda: float = 0.9
    """values: lambda of TD(lambda)."""

    generations: int = 60
    """weights: how often candidates are drawn and compared."""
    candidate_deals: int = 1000
    """weights: deals that each candidate plays, the same for all of a generation."""
    population: int = 0
    """weights: candidates of a generation (0: by the number of weights, 4 + 3 ln n)."""
    sigma: float = 0.3
    """weights: spread of the first candidates, as a share of each weight."""

    network: str = "embedding"
    """mlp (one-hot), embedding (card codes) or bonds (codes, and pairs of cards that belong)."""
    width: int = 128
    """Width of every hidden layer."""
    depth: int = 2
    """Hidden layers."""
    network_options: Table = field(default_factory=dict)
    """Further options of the network, if it has any."""

    total_steps: int = 1_000_000
    """Steps to train for, rounded up to whole rollouts (values: to whole rounds of games)."""
    n_envs: int = 256
    """Games played at once."""
    n_steps: int = 128
    """Steps of each game between two updates."""
    batch_size: int = 2048
    """Steps in a minibatch."""
    n_epochs: int = 4
    """Passes over the steps at each update."""
    learning_rate: float = 1e-3
    """Adam's step size at the start."""
    schedule: Literal["linear", "constant"] = "linear"
    """linear: the step size falls to 0 at the end."""
    gamma: float = 0.99
    """Discount."""
    gae_lambda: float = 0.95
    """Lambda of generalised advantage estimation."""
    clip: float = 0.2
    """PPO's clipping range."""
    entropy: float = 0.01
    """Weight of the entropy bonus at the start."""
    entropy_final: float = 0.001
    """Weight of the entropy bonus at the end; falls linearly."""
    value_weight: float = 0.5
    """Weight of the value loss."""
    max_grad_norm: float = 0.5
    """Gradients are clipped to this norm."""

    seeds: tuple[int, ...] = (0,)
    """Training seeds; one agent each, one after the other."""
    eval_interval: int = 200_000
    """Evaluate whenever so many steps are done (0: only at the end)."""
    eval_deals: int = 2000
    """Deals of the bank GAME-validation on which it is evaluated."""
    checkpoint_interval: int = 200_000
    """Save a checkpoint whenever so many steps are done."""
    threads: int = 1
    """Threads of torch; 1 for results equal bit by bit."""
    device: Literal["auto", "cpu", "cuda"] = "auto"
    """auto: cuda where there is one."""
    runs: str = "runs"
    """The folder of all runs."""
    name: str | None = None
    """Name of this run in it, behind game and variant (None: the time)."""
    profile: bool = False
    """Print where the time went."""

    def __post_init__(self) -> None:
        """Check every field: ValueError naming it, its value and what is allowed."""
        if isinstance(self.name, str):
            check_name(self.name)
        for one, kind in get_type_hints(Settings).items():
            check_kind(one, getattr(self, one), kind)
        check_ranges(self)
        game = game_named(self.game)
        object.__setattr__(self, "game", game.name)  # one name for folders and banks
        game.make_rules(self.variant, self.options)
        game.make_rules(self.variant, {**self.options, **self.study_options})
        network_class(self.network)
        if "players" in self.study_options:
            raise ValueError("study_options: the number of players cannot change in a run")
        if self.method == "lookahead" and self.gamma != 1:
            raise ValueError(
                f"gamma={self.gamma}: method 'lookahead' plays undiscounted, by gamma=1"
            )
        self._check_solver()
        if self.method == "values":
            require_afterstates(game)
            if self.reward != "progress":
                raise ValueError(f"reward={self.reward!r}: method 'values' learns by 'progress'")

    def _check_solver(self) -> None:
        """Refuse what needs a solver where there is none for these rules."""
        game = game_named(self.game)
        lessons = self.method == "cloning" and self.teacher == "solver"
        if lessons and game.winnable_after is None:
            raise ValueError(f"teacher='solver': {game.title} has no exact solver; name an agent")
        won = game.solve is not None and game.measure == "won"
        if self.curriculum and (self.method != "ppo" or self.study or not won):
            where = "for method 'ppo' without a study, in games that are won and have a solver"
            raise ValueError(f"curriculum={self.curriculum}: {where}")
        for options in (self.options, {**self.options, **self.study_options}):
            if lessons or self.curriculum:
                solver_of(game, game.make_rules(self.variant, options))


DESCRIPTION = """Train an agent and write a folder runs/GAME-VARIANT-NAME.

{prog} GAME --preset NAME: begin with a preset's settings ({presets});
{prog} GAME --settings FILE: take presets from a TOML file of one's own;
{prog} --resume RUN: go on with a run that was stopped or killed.
Games: {games}. The defaults shown are those of {shown}."""


def read(table: Any, source: str, base: Settings | None = None) -> Settings:
    """Return settings with those of ``table`` put in. ValueError naming ``source`` and the key."""
    if not isinstance(table, Mapping):
        raise ValueError(f"{source}: a table of settings is needed, got {shorten(table)}")
    known = {one.name for one in fields(Settings)}
    for key in table:
        if key not in known:
            raise ValueError(f"{source}: {unknown_text('setting', key, sorted(known))}")
    given: Any = dict(table)
    for name in ("seeds", "opponents"):
        if isinstance(given.get(name), list):
            given[name] = tuple(given[name])
    try:
        return replace(base, **given) if base else Settings(**given)
    except (ValueError, TypeError) as error:
        raise ValueError(f"{source}: {error}") from error


def plain(settings: Settings) -> dict[str, Any]:
    """Return settings as JSON has them."""
    return asdict(settings)


def presets(game: str) -> list[str]:
    """Return the names of a game's presets."""
    return list(_tables(game, None)[1])


def _tables(game: str, file: Path | None) -> tuple[Path, dict[str, Any]]:
    path = file or PRESETS_FOLDER / f"{game_named(game).name}.toml"
    if file is None and not path.exists():
        return path, {"default": {}}
    with naming(path):
        return path, tomllib.loads(read_text(path))


def preset(game: str, name: str = "default", file: Path | None = None) -> Settings:
    """Return the named settings of a game: a table of ``settings/GAME.toml`` over its [default].

    Raises ValueError naming an unknown game, preset or key, and what is allowed.
    """
    path, tables = _tables(game, file)
    if name not in tables:
        raise ValueError(f"{path}: {unknown_text('preset', name, tables)}")
    base = read(tables.get("default", {}), f"{path} [default]", Settings(game=game))
    return base if name == "default" else read(tables[name], f"{path} [{name}]", base)


def parse(arguments: Sequence[str], prog: str) -> Settings:
    """Return the settings that a command line asks for: ``GAME [--preset NAME] [--option ...]``.

    The preset's values are the defaults of all other options. Exits with a message if they are
    wrong.
    """
    words = list(arguments)
    game = words.pop(0) if words and not words[0].startswith("-") else "pyramid"
    name, file = _take(words, "--preset") or "default", _take(words, "--settings")
    base = preset(game, name, Path(file) if file else None)
    return tyro.cli(
        Settings,
        args=words,
        default=base,
        prog=f"{prog} {game}",
        description=DESCRIPTION.format(
            prog=prog,
            games=", ".join(GAMES),
            presets=", ".join(presets(game)),
            shown=f"{file} [{name}]" if file else f"the preset {name}",
        ),
    )


def _take(words: list[str], flag: str) -> str | None:
    for i, word in enumerate(words):
        if word == flag:
            if i + 1 == len(words):
                raise ValueError(f"{flag} needs a value")
            del words[i]
            return words.pop(i)
        if word.startswith(flag + "="):
            return words.pop(i).partition("=")[2]
    return None
