"""The settings of each learning method, and a table of all methods.

This module imports no learning library, so the command line can validate settings and print help
quickly.
"""

from dataclasses import dataclass, replace
from typing import Annotated, Any, Literal, Self

from parlour.agents.networks.options import BASE, LIFT, LIFT_OPTION, MOST_LIFT, WIDEST
from parlour.agents.networks.plan_network import MOST_UNITS, require_plan_values
from parlour.agents.networks.value_table import require_afterstates
from parlour.agents.validation import shorten
from parlour.envs import GAMES, Game, find_game
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

LEAST_GAMES = 10
"""Minimum number of games per iteration of methods that learn values of plans."""


def check_critic(critic: str, game: Game) -> None:
    """Raise ValueError for a critic whose input the game does not provide."""
    if critic == "cards" and game.hidden_cards is None:
        raise ValueError(
            f"critic must be 'own' because {game.title} does not define its hidden cards, got "
            "'cards'"
        )
    if critic == "solver" and game.winnable_after is None:
        raise ValueError(
            f"critic must be 'own' or 'cards' because {game.title} has no exact solver, got "
            "'solver'"
        )


@dataclass(frozen=True, kw_only=True)
class PPOSettings(PolicySettings, ManyRulesSettings):
    """PPO with action masks, as in sb3-contrib's MaskablePPO (solitaires)."""

    method = "ppo"

    critic: Literal["own", "cards", "solver"] = "own"
    """Input of the value function. own: the policy's observation; cards: the observation and the
    hidden cards; solver: the observation and whether the position is still winnable. cards and
    solver train a separate value network, which is not saved with the agent."""

    end_lost: bool = False
    """End a training game with reward 0 as soon as the exact solver, which knows all cards, proves
    that it cannot be won any more. Deals that cannot be won are left out."""

    actors: Annotated[int, Range(1, 1024)] = 1
    """Number of processes that collect rollouts, each with its part of the n_envs environments
    (1: the learner collects them)."""
    backend: Literal["processes", "ray"] = "processes"
    """Backend of the actors. processes: processes on this machine; ray: a Ray cluster."""
    address: str | None = None
    """Address of the Ray cluster, such as auto or HOST:PORT (None: RAY_ADDRESS if set, otherwise a
    new local cluster)."""

    def check(self, game: Game) -> None:
        """See `Settings.check`."""
        super().check(game)
        check_critic(self.critic, game)
        if self.critic != "own" and self.has_many_rules:
            raise ValueError(
                f"critic must be 'own' with variants or option_sets, got {self.critic!r}"
            )
        if self.end_lost:
            self._check_end_lost(game)
        if self.critic == "solver" or self.end_lost:
            solver_of(game, game.make_rules(self.variant, self.options))
        if self.actors > self.n_envs:
            raise ValueError(
                f"actors must be an integer from 1 to n_envs={self.n_envs}, got {self.actors}"
            )
        if self.backend != "processes" and self.actors == 1:
            raise ValueError(f"backend {self.backend!r} requires actors of 2 or more, got actors=1")
        if self.address is not None and self.backend != "ray":
            raise ValueError(f"address={shorten(self.address)} requires backend='ray'")

    def env_keywords(self) -> dict[str, Any]:
        """See `Settings.env_keywords`."""
        keywords = super().env_keywords()
        if self.critic != "own":
            keywords["critic"] = self.critic
        if self.end_lost:
            keywords["end_lost"] = True
        return keywords

    def _check_end_lost(self, game: Game) -> None:
        """Raise ValueError if the games of this run cannot be ended when they are lost."""
        if game.winnable_after is None:
            raise ValueError(f"end_lost must be no because {game.title} has no exact solver")
        if self.reward != "win":
            raise ValueError(f"end_lost requires reward='win', got {self.reward!r}")
        if self.has_many_rules:
            raise ValueError("end_lost must be no with variants or option_sets")
        if self.critic == "solver":
            raise ValueError("critic must be 'own' or 'cards' with end_lost, got 'solver'")
        if getattr(game.make_rules(self.variant, self.options), "undo", False):
            raise ValueError("end_lost must be no with undo=yes: UNDO can save a lost game")

    def describe_device(self) -> str:
        """See `Settings.describe_device`."""
        return self.device + (f" with {self.actors} actors" if self.actors > 1 else "")


@dataclass(frozen=True, kw_only=True)
class DistillSettings(LearnerSettings, ManyRulesSettings):
    """Distillation of the action values of a search (the teacher) into a network."""

    method = "distill"
    seats = "any"

    base_policy: str | None = None
    """Policy to improve on: greedy or a rule-based agent of the game. The network reads the action
    of this agent, plays it at the start of training, and learns which other actions are better
    (None: no base policy)."""
    base_logit: Annotated[float, Range(0, MOST_LIFT)] = LIFT
    """Constant logit of the base policy's action. The logits of the other actions start near 0."""
    margin: Annotated[float, Range(0, 1)] = 0.0
    """Predicted gain that an action must exceed to be played instead of the base policy's action,
    in stakes or points. The predictions are noisy, so that the largest one is often too high."""
    teacher: str = "pimc@2"
    """Search that provides the action values: pimc, mcts, rollouts, rollouts-cards (which searches
    the card play, but not the bidding) or rollouts-bids (whose sampled worlds fit the bids). A
    search budget and an agent that guides the search may follow, such as pimc@8, mcts@200:AGENT
    (AGENT: a saved agent) or rollouts@8:greedy. With all kinds of rollouts, the value of an action
    is its gain over the guide's action."""
    teacher_share: Share = 0.5
    """Fraction of the games that the teacher plays. The network plays the others."""
    teacher_limit: Annotated[int, Range(1, 10**6)] = 1000
    """Search limit of pimc, in positions, for each action in each sampled world. A search that
    reaches the limit gives the value 0.5."""
    teacher_known_limit: Annotated[int, Range(1, 10**7)] = 20_000
    """Search limit of pimc, in positions, for each action if no cards are hidden."""
    explore: Share = 0.05
    """Fraction of random actions in the games that the network plays."""
    temperature: Annotated[float, Range(1e-4, 100)] = 0.05
    """Temperature of the policy target: softmax(teacher values / temperature)."""
    teacher_bonus: Share = 0.03
    """Bonus on the value of the teacher's action. It breaks ties between equally good actions. In
    games that can continue forever, a larger bonus helps the network to finish them."""
    positions: tuple[str, ...] = ()
    """Folders with positions and teacher values from other runs of this game, to add to the
    training data from the start."""
    tie_keep_prob: Share = 0.3
    """Probability of keeping a position in which all actions have the same teacher value."""
    lost_drop_prob: Share = 1.0
    """Probability of abandoning a game at a decision where the teacher wins in none of its sampled
    worlds. If wins are rare, a lower value keeps more of these positions. Has no effect with
    rollouts."""

    def check(self, game: Game) -> None:
        """See `Settings.check`."""
        super().check(game)
        if self.base_policy is not None:
            known = (HeuristicAgent.name, *game.rule_agents)
            if self.base_policy not in known:
                raise ValueError(unknown_text("base_policy", self.base_policy, known))
        elif self.margin:
            raise ValueError(f"margin must be 0 without a base_policy, got {self.margin}")
        if game.seats is not None and self.has_many_rules:
            raise ValueError(
                "variants and option_sets must be empty: method 'distill' learns games for several "
                "players with one set of rules only"
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
    """Q-learning without a replay buffer and without a target network (solitaires)."""

    method = "pqn"

    layer_norm: bool = True
    """Apply layer normalization to every hidden layer, which keeps the values from diverging."""
    epsilon: Share = 0.5
    """Initial probability of a random legal action."""
    epsilon_final: Share = 0.02
    """Final probability of a random legal action."""
    epsilon_decay: Share = 0.2
    """Fraction of the run over which the probability decreases from epsilon to epsilon_final."""

    def network_spec(self) -> dict[str, Any]:
        """See `LearnerSettings.network_spec`."""
        spec = super().network_spec()
        if self.layer_norm:
            spec["options"]["layer_norm"] = 1
        return spec


@dataclass(frozen=True, kw_only=True)
class SelfplaySettings(PolicySettings):
    """Self-play with PPO and a KL penalty towards a slow copy of the policy (several players)."""

    method = "selfplay"
    seats = "several"

    critic: Literal["own", "cards"] = "own"
    """Input of the value function. own: the policy's observation; cards: the observation and the
    cards of the other players. cards trains a separate value network, which is not saved with the
    agent."""

    opponents: tuple[str, ...] = ("greedy",)
    """Opponents in training and evaluation: the agents in the seats that the learner does not
    play."""
    self_share: Share = 1.0
    """Probability, for each other seat, that the learner plays it too. Otherwise an opponent plays
    it."""
    magnet_coef: Annotated[float, Range(0, 10)] = 0.05
    """Coefficient of the penalty KL(policy || magnet). The magnet is a copy of the policy that
    slowly follows it."""
    magnet_rate: Share = 0.05
    """Interpolation rate of a magnet update: 0 leaves the magnet unchanged, 1 copies the policy."""
    magnet_interval: Annotated[int, Range(1, 10**6)] = 1
    """Number of policy updates between magnet updates."""
    samples: bool = True
    """Let the trained agent sample its actions, as games with bluffing require. Otherwise the agent
    plays the most likely action."""

    def check(self, game: Game) -> None:
        """See `Settings.check`."""
        super().check(game)
        check_critic(self.critic, game)
        if not self.opponents:
            raise ValueError("opponents must name at least one agent, got ()")

    def env_keywords(self) -> dict[str, Any]:
        """See `Settings.env_keywords`."""
        critic = {} if self.critic == "own" else {"critic": self.critic}
        return super().env_keywords() | critic


@dataclass(frozen=True, kw_only=True)
class TDSettings(StepSettings, SoloSettings):
    """TD(lambda) with a table of afterstate values (Poker Squares, Puss in the Corner)."""

    method = "td"

    pretrain: Share = 0.2
    """Fraction of the run used for pretraining, at its beginning. In Poker Squares, pretraining
    fits the values of a line to the final score of that line; in other games, the table learns from
    games of pretrain_agent."""
    pretrain_agent: str | None = None
    """Rule-based agent that plays during pretraining (None: the game's heuristic)."""
    step_size: Annotated[float, Range(0, 100)] = 0.4
    """Initial step size of TD(lambda); later it follows the schedule. Pretraining with games of
    pretrain_agent uses the initial step size."""
    adaptive: bool = True
    """Adapt the step size of each value to how consistent its errors are (temporal coherence)."""
    td_lambda: Share = 0.9
    """Lambda of TD(lambda)."""
    average: Share = 0.0
    """Fraction of the run, at its end, over which the table is averaged. The trained agent uses the
    average (0: the last table)."""

    def check(self, game: Game) -> None:
        """See `Settings.check`."""
        require_afterstates(game)
        if self.reward != "progress":
            raise ValueError(
                f"reward must be 'progress' for method {self.method!r}, got {self.reward!r}"
            )
        if self.pretrain_agent is not None and self.pretrain_agent not in game.rule_agents:
            raise ValueError(
                unknown_text("pretrain_agent", self.pretrain_agent, list(game.rule_agents))
            )

    def checkpoint_format(self) -> Any:
        """See `Settings.checkpoint_format`; returns the size and version of the table."""
        values = require_afterstates(find_game(self.game))
        return {"size": values.num_features, "version": values.version}


@dataclass(frozen=True, kw_only=True)
class PlanSettings(StepSettings, SoloSettings):
    """Settings of methods whose network values the positions after plans.

    A plan is a sequence of actions up to the next card that is turned up. ``total_steps`` and the
    intervals count plans.
    """

    reward: Literal["progress", "win", "score"] = "win"
    """Reward function. The network learns the chance of winning, so only win is allowed."""
    width: Annotated[int, Range(1, WIDEST)] = 128
    """Number of units in the first layer, the sum of the embeddings of all features."""
    units: Annotated[int, Range(1, MOST_UNITS)] = 32
    """Number of units in the second layer."""
    games: Annotated[int, Range(LEAST_GAMES, 10**5)] = 4000
    """Number of games per iteration."""
    learning_rate: Share = 1e-3
    """Initial learning rate of Adam."""

    def check(self, game: Game) -> None:
        """See `Settings.check`."""
        values = require_plan_values(game)
        values.check_rules(game.make_rules(self.variant, self.options))
        if self.reward != "win":
            raise ValueError(
                f"reward must be 'win' for method {self.method!r}, got {self.reward!r}. Use the "
                f"preset {self.method}, or set reward"
            )

    def describe_length(self) -> str:
        """See `Settings.describe_length`."""
        return f"{self.total_steps:,} plans, rounded up to whole iterations"

    def checkpoint_format(self) -> Any:
        """See `Settings.checkpoint_format`; returns the number and version of the features."""
        values = require_plan_values(find_game(self.game))
        return {"features": values.num_features, "version": values.version}


@dataclass(frozen=True, kw_only=True)
class PlanTDSettings(PlanSettings):
    """TD(lambda) with a network that values the positions after plans (Klondike and Puss in the
    Corner).

    A plan is a sequence of actions up to the next card that is turned up. ``total_steps`` and the
    intervals count plans.
    """

    method = "plan-td"

    n_epochs: Annotated[int, Range(1, 1000)] = 4
    """Number of epochs per iteration: passes over its plans."""
    batch_size: Annotated[int, Range(1, 10**6)] = 1024
    """Minibatch size, in plans."""
    td_lambda: Share = 0.8
    """Lambda of TD(lambda)."""
    explore: Share = 0.01
    """Fraction of random plans in the games that the network plays."""
    lost_value: Share = 0.0
    """Initial value of a lost game without hidden cards; each card that is still hidden reduces the
    value by 14 %. It decreases linearly to 0 at the end of the run. A value above 0 lets the
    network learn if it wins no game at first."""


@dataclass(frozen=True, kw_only=True)
class PlanSearchSettings(PlanSettings):
    """Imitation of a search for plans, with a network that values the positions after plans
    (Klondike).

    A plan is a sequence of actions up to the next card that is turned up. ``total_steps`` and the
    intervals count plans.
    """

    method = "plan-search"

    games: Annotated[int, Range(LEAST_GAMES, 10**5)] = 100
    """Number of games per iteration. The network learns after the last games."""
    search_iterations: Annotated[int, Range(1, 10**4)] = 300
    """Number of iterations of each search."""
    n_epochs: Annotated[int, Range(1, 1000)] = 2
    """Number of epochs after the last games: passes over all positions."""
    batch_size: Annotated[int, Range(1, 10**6)] = 256
    """Minibatch size, in positions."""

    def with_evaluations(self, count: int) -> Self:
        """See `Settings.with_evaluations`; a run is evaluated only at its end."""
        return replace(self, eval_interval=0)

    def count_evaluations(self, steps: int, count: int) -> int:
        """See `Settings.count_evaluations`."""
        return count

    def check(self, game: Game) -> None:
        """See `Settings.check`."""
        super().check(game)
        if require_plan_values(game).search_game is None:
            able = ", ".join(
                one.name
                for one in GAMES.values()
                if one.plan_values is not None and one.plan_values.search_game is not None
            )
            raise ValueError(f"a search for plans requires {able}, got {game.title}")


@dataclass(frozen=True, kw_only=True)
class CmaEsSettings(SoloSettings):
    """CMA-ES for weights of the game's heuristic (solitaires). Each episode is one timestep."""

    method = "cma-es"

    generations: Annotated[int, Range(1, 10**6)] = 60
    """Number of generations."""
    candidate_deals: Deals = 1000
    """Number of deals that each candidate plays. All candidates of a generation play the same
    deals."""
    population: int = 0
    """Number of candidates per generation (0: 4 + 3 ln n for n weights)."""
    sigma: Annotated[float, Range(1e-3, 10)] = 0.3
    """Initial standard deviation, relative to the size of each weight."""

    def check(self, game: Game) -> None:
        """See `Settings.check`."""
        if self.population != 0 and not 4 <= self.population <= 10**4:
            value = shorten(self.population)
            raise ValueError(f"population must be 0 or an integer from 4 to {10**4}, got {value}")

    def describe_length(self) -> str:
        """See `Settings.describe_length`."""
        return f"{self.generations:,} generations"

    def checkpoint_format(self) -> Any:
        """See `Settings.checkpoint_format`; returns the initial weights of the search."""
        return dict(find_game(self.game).heuristic_weights)


METHODS = (
    *(PPOSettings, DistillSettings, PQNSettings),
    *(SelfplaySettings, TDSettings, PlanTDSettings, PlanSearchSettings, CmaEsSettings),
)
SETTINGS: dict[str, type[Settings]] = {each.method: each for each in METHODS}
"""The settings class of each method, by method name."""


def find_settings(name: Any) -> type[Settings]:
    """Return the settings class of a method. Raises ValueError for an unknown name."""
    if not isinstance(name, str):
        raise ValueError(f"method must be one of {', '.join(SETTINGS)}, got {shorten(name)}")
    if name not in SETTINGS:
        raise ValueError(unknown_text("method", name, SETTINGS))
    return SETTINGS[name]


def make_settings(method: str = "ppo", **values: Any) -> Settings:
    """Return the settings of a method.

    Args:
        method: name of the method.
        values: settings by name. All others have their defaults.

    Raises:
        ValueError: a value is not allowed, or the method does not use a setting.
    """
    settings_class = find_settings(method)
    for name in values:
        if name not in list_settings(settings_class):
            raise ValueError(explain_foreign(method, name))
    return settings_class(**values)


def list_users(setting: str) -> list[str]:
    """Return the names of the methods that use a setting."""
    return [
        name
        for name, settings_class in SETTINGS.items()
        if setting in list_settings(settings_class)
    ]


ALIASES = {"lr": "learning_rate", "steps": "total_steps", "timesteps": "total_steps"}
"""Settings by their names in other libraries, for error messages."""


def explain_foreign(method: str, setting: str) -> str:
    """Return the error message for a setting that a method does not use."""
    users = list_users(setting)
    if not users:
        return unknown_text("setting", setting, list_settings(SETTINGS[method]), ALIASES)
    return (
        f"method {method!r} does not use setting {setting!r}, which belongs to {', '.join(users)}"
    )


def check_seats(settings: Settings) -> None:
    """Raise ValueError if the method does not support the game's number of players."""
    wanted = "several" if settings.list_rules().players > 1 else "one"
    if settings.seats not in (wanted, "any"):
        fitting = [name for name, each in SETTINGS.items() if each.seats in (wanted, "any")]
        players = "several players" if wanted == "several" else "one player"
        raise ValueError(
            f"method must be one of {', '.join(fitting)} in games for {players}, got "
            f"{settings.method!r}"
        )
