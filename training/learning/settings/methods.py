"""The settings of each learning method, and the table of them.

They import no learning library: the command line reads settings, shows their help and reports what
is wrong in them before it loads one.
"""

from dataclasses import dataclass
from typing import Annotated, Any, Literal

from parlour.agents.networks.options import BASE, LIFT, LIFT_OPTION, MOST_LIFT
from parlour.agents.networks.value_table import require_afterstates
from parlour.agents.validation import shorten
from parlour.envs import Game, find_game
from parlour.envs.core.baselines import HeuristicAgent
from parlour.envs.core.options import unknown_text
from parlour.envs.core.solve import solver_of

from .base import (
    Deals,
    LearnerSettings,
    ManyRulesSettings,
    NetworkSettings,
    PolicySettings,
    Range,
    Settings,
    Share,
    SoloSettings,
    StepSettings,
    list_settings,
)


def check_critic(critic: str, game: Game) -> None:
    """Raise ValueError for a critic that sees what the game cannot show."""
    if critic == "cards" and game.hidden_cards is None:
        raise ValueError(f"critic='cards': {game.title} does not say which cards are hidden")
    if critic == "solver" and game.winnable_after is None:
        raise ValueError(
            f"critic='solver': {game.title} has no exact solver; allowed are own, cards"
        )


@dataclass(frozen=True, kw_only=True)
class PPOSettings(PolicySettings, ManyRulesSettings):
    """MaskablePPO."""

    method = "ppo"

    critic: Literal["own", "cards", "solver"] = "own"
    """Input of the value network in training: own (as the policy), cards (the hidden cards, too) or
    solver (whether a win is left, too); the last two use a separate network, which is not part of
    the trained agent."""

    actors: Annotated[int, Range(1, 1024)] = 1
    """Processes that play the games of a rollout, each a part of n_envs; 1: the learner plays."""
    backend: Literal["processes", "ray"] = "processes"
    """Place of the actors: processes of this machine, or ray: wherever a Ray cluster has room."""
    address: str | None = None
    """Ray cluster to join, such as auto or HOST:PORT (None: RAY_ADDRESS, or a new one)."""

    def check(self, game: Game) -> None:
        """See `Settings.check`."""
        super().check(game)
        check_critic(self.critic, game)
        if self.critic != "own" and self.has_many_rules:
            raise ValueError(f"critic={self.critic!r}: not with variants or option_sets")
        if self.critic == "solver":
            solver_of(game, game.make_rules(self.variant, self.options))
        if self.actors > self.n_envs:
            raise ValueError(
                f"actors={self.actors}: allowed are numbers from 1 to n_envs={self.n_envs}"
            )
        if self.backend != "processes" and self.actors == 1:
            raise ValueError(f"backend={self.backend!r}: it needs actors, 2 or more")
        if self.address is not None and self.backend != "ray":
            raise ValueError(f"address={shorten(self.address)}: it needs backend='ray'")

    def env_keywords(self) -> dict[str, Any]:
        """See `Settings.env_keywords`."""
        critic = {} if self.critic == "own" else {"critic": self.critic}
        return super().env_keywords() | critic

    def describe_device(self) -> str:
        """See `Settings.describe_device`."""
        return self.device + (f" with {self.actors} actors" if self.actors > 1 else "")


@dataclass(frozen=True, kw_only=True)
class DistillSettings(LearnerSettings, ManyRulesSettings):
    """A network learns the values that a search gives to all actions."""

    method = "distill"
    seats = "any"

    base_policy: str | None = None
    """Rule-based agent to correct, greedy or one of the game's: the network reads its action, too,
    and starts from it (None: the network starts from nothing)."""
    base_logit: Annotated[float, Range(0, MOST_LIFT)] = LIFT
    """Logit of the base policy's action; the logits of other actions start near 0."""
    teacher: str = "pimc@2"
    """The search: pimc or mcts with its budget, also led by a saved agent (pimc@8:AGENT);
    or rollouts (rollouts@8:greedy), whose values are gains over a base policy."""
    teacher_share: Share = 0.5
    """Share of the games that the teacher plays; the network plays the others."""
    teacher_limit: Annotated[int, Range(1, 10**6)] = 1000
    """Search limit of pimc for each action in a world, in positions; beyond it the value is half.
    """
    teacher_known_limit: Annotated[int, Range(1, 10**7)] = 20_000
    """The same limit where nothing is hidden."""
    explore: Share = 0.05
    """Share of random actions in the network's games."""
    temperature: Annotated[float, Range(1e-4, 100)] = 0.05
    """The policy learns the softmax of the teacher's values divided by this."""
    teacher_bonus: Share = 0.03
    """Bonus for the teacher's action. It breaks ties between equally good actions; where the rules
    allow going on forever, a larger bonus keeps the network from it."""
    positions: tuple[str, ...] = ()
    """Folders of judged positions that other runs of this game saved: learned from the start, too.
    """
    tie_keep_prob: Share = 0.3
    """Probability of keeping a position in which all actions have the same value."""
    lost_drop_prob: Share = 1.0
    """Probability of dropping a game, at each decision where the teacher wins in no world; where
    wins are rare, less lets the network learn such positions, too. Rollouts drop no game."""

    def check(self, game: Game) -> None:
        """See `Settings.check`."""
        super().check(game)
        if self.base_policy is not None:
            known = (HeuristicAgent.name, *game.rule_agents)
            if self.base_policy not in known:
                raise ValueError(unknown_text("base_policy", self.base_policy, known))
        if game.seats is not None and self.has_many_rules:
            raise ValueError(
                "variants, option_sets: at tables of several distill learns one's rules"
            )

    def network_spec(self) -> dict[str, Any]:
        """See `LearnerSettings.network_spec`."""
        spec = super().network_spec()
        if self.base_policy:
            spec["options"] |= {BASE: self.base_policy, LIFT_OPTION: self.base_logit}
        return spec

    def env_keywords(self) -> dict[str, Any]:
        """See `Settings.env_keywords`."""
        base = {"base": self.base_policy} if self.base_policy else {}
        return super().env_keywords() | base


@dataclass(frozen=True, kw_only=True)
class PQNSettings(NetworkSettings, SoloSettings):
    """Values of actions by Q-learning (PQN), without replay and without a target network."""

    method = "pqn"

    layer_norm: bool = True
    """Normalize every hidden layer of the network, which keeps the values from diverging."""
    epsilon: Share = 0.5
    """Share of random legal actions at the start."""
    epsilon_final: Share = 0.02
    """Share of random legal actions at the end."""
    epsilon_decay: Share = 0.2
    """Share of the run over which the share of random actions falls."""

    def network_spec(self) -> dict[str, Any]:
        """See `LearnerSettings.network_spec`."""
        spec = super().network_spec()
        if self.layer_norm:
            spec["options"]["layer_norm"] = 1
        return spec


@dataclass(frozen=True, kw_only=True)
class SelfplaySettings(PolicySettings):
    """PPO at all of the learner's seats in a game for several players, regularized by a magnet."""

    method = "selfplay"
    seats = "several"

    critic: Literal["own", "cards"] = "own"
    """Input of the value network in training: own (as the policy) or cards (the other hands, too);
    cards uses a separate network, which is not part of the trained agent."""

    opponents: tuple[str, ...] = ("greedy",)
    """Agents in the seats that are not the learner's, in training and in evaluations."""
    self_share: Share = 1.0
    """Probability that a seat beside the learner's own is the learner's, too."""
    magnet_coef: Annotated[float, Range(0, 10)] = 0.05
    """Weight of KL(policy || magnet); the magnet is a copy of the policy that follows slowly."""
    magnet_rate: Share = 0.05
    """Share of the way to the policy by which the magnet moves; 1: all."""
    magnet_interval: Annotated[int, Range(1, 10**6)] = 1
    """Updates between two moves of the magnet."""
    samples: bool = True
    """The trained agent draws its actions, as equilibria of games with bluffs need; no: it plays
    the likeliest."""

    def check(self, game: Game) -> None:
        """See `Settings.check`."""
        super().check(game)
        check_critic(self.critic, game)
        if not self.opponents:
            raise ValueError("opponents=(): at least one")

    def env_keywords(self) -> dict[str, Any]:
        """See `Settings.env_keywords`."""
        critic = {} if self.critic == "own" else {"critic": self.critic}
        return super().env_keywords() | critic


@dataclass(frozen=True, kw_only=True)
class TDSettings(StepSettings, SoloSettings):
    """A table of afterstate values, by self-play (games that name features for it)."""

    method = "td"

    pretrain: Share = 0.2
    """Share of all steps, at the beginning, in which parts learn by themselves, or from the play of
    pretrain_agent."""
    pretrain_agent: str | None = None
    """Rule-based agent that plays in the pretraining (None: the game's heuristic)."""
    step_size: Annotated[float, Range(0, 100)] = 0.4
    """Step size; after the pretraining it follows ``schedule``."""
    adaptive: bool = False
    """Give each value a step size of its own, by how far its errors agree (temporal coherence)."""
    td_lambda: Share = 0.9
    """Lambda of TD(lambda)."""
    average: Share = 0.0
    """Share of all steps, at the end, over which the table is averaged; the mean plays."""

    def check(self, game: Game) -> None:
        """See `Settings.check`."""
        require_afterstates(game)
        if self.reward != "progress":
            raise ValueError(f"reward={self.reward!r}: method {self.method!r} learns by 'progress'")
        if self.pretrain_agent is not None and self.pretrain_agent not in game.rule_agents:
            raise ValueError(
                unknown_text("pretrain_agent", self.pretrain_agent, list(game.rule_agents))
            )

    def checkpoint_format(self) -> Any:
        """See `Settings.checkpoint_format`: size and version of the table."""
        values = require_afterstates(find_game(self.game))
        return {"size": values.num_features, "version": values.version}


@dataclass(frozen=True, kw_only=True)
class CmaEsSettings(SoloSettings):
    """Weights of the game's heuristic, by CMA-ES; its steps are whole games."""

    method = "cma-es"

    generations: Annotated[int, Range(1, 10**6)] = 60
    """Number of times that candidates are drawn and compared."""
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

    def describe_length(self) -> str:
        """See `Settings.describe_length`."""
        return f"{self.generations:,} generations"

    def checkpoint_format(self) -> Any:
        """See `Settings.checkpoint_format`: the heuristic's weights, where the search starts."""
        return dict(find_game(self.game).heuristic_weights)


METHODS = (
    *(PPOSettings, DistillSettings, PQNSettings),
    *(SelfplaySettings, TDSettings, CmaEsSettings),
)
SETTINGS: dict[str, type[Settings]] = {each.method: each for each in METHODS}
"""The settings of each method, by its name."""


def find_settings(name: Any) -> type[Settings]:
    """Return the settings of the method of that name; ValueError with the known ones for others."""
    if not isinstance(name, str):
        raise ValueError(f"method={shorten(name)}: allowed are {', '.join(SETTINGS)}")
    if name not in SETTINGS:
        raise ValueError(unknown_text("method", name, SETTINGS))
    return SETTINGS[name]


def make_settings(method: str = "ppo", **values: Any) -> Settings:
    """Return settings of a method; all others have their defaults.

    Raises ValueError naming a setting, its value and what is allowed; and a setting that the method
    does not use, with the methods that do.
    """
    settings_class = find_settings(method)
    for name in values:
        if name not in list_settings(settings_class):
            raise ValueError(explain_foreign(method, name))
    return settings_class(**values)


def list_users(setting: str) -> list[str]:
    """Return the names of the methods that have a setting."""
    return [
        name
        for name, settings_class in SETTINGS.items()
        if setting in list_settings(settings_class)
    ]


def explain_foreign(method: str, setting: str) -> str:
    """Return an error text for a setting that a method does not have."""
    users = list_users(setting)
    if not users:
        return unknown_text("setting", setting, list_settings(SETTINGS[method]))
    return (
        f"setting {setting!r}: method {method!r} does not use it; it belongs to {', '.join(users)}"
    )


def check_seats(settings: Settings) -> None:
    """Raise ValueError for a method that does not learn games of this number of players."""
    wanted = "several" if settings.list_rules().players > 1 else "one"
    if settings.seats not in (wanted, "any"):
        fitting = [name for name, each in SETTINGS.items() if each.seats in (wanted, "any")]
        seats = "several seats" if wanted == "several" else "one seat"
        raise ValueError(
            f"method={settings.method!r}: for games of {seats} allowed are {', '.join(fitting)}"
        )
