"""Settings of a training run: what all methods share, and one dataclass for each method.

A method has the settings that it uses and no others; their ranges stand beside them. The command
line, TOML files (`settings_files`) and notebooks all make these.
"""

from typing import Annotated, Any, Literal

from parlour.agents.networks.value_table import require_afterstates
from parlour.agents.validation import shorten
from parlour.envs import Game
from parlour.envs.core.options import unknown_text

from .limits import Deals, Range, Share, has_many_rules
from .settings_base import (
    CorrectingSettings,
    LearnerSettings,
    ManyRulesSettings,
    NetworkSettings,
    PolicySettings,
    Settings,
    SoloSettings,
    StepSettings,
)
from .settings_names import find_method, settings_class

__all__ = [
    "CloningSettings",
    "CorrectingSettings",
    "DistillSettings",
    "LearnerSettings",
    "LookaheadSettings",
    "ManyRulesSettings",
    "NetworkSettings",
    "PPOSettings",
    "PQNSettings",
    "PolicySearchSettings",
    "PolicySettings",
    "SelfplaySettings",
    "Settings",
    "SoloSettings",
    "StepSettings",
    "TDSettings",
    "make_settings",
]


def check_cards_critic(critic: str, game: Game) -> None:
    """Refuse a critic that is to see the hidden cards of a game that does not name them."""
    if critic == "cards" and game.hidden_cards is None:
        raise ValueError(f"critic='cards': {game.title} does not say which cards are hidden")


@settings_class
class PPOSettings(PolicySettings, CorrectingSettings, ManyRulesSettings):
    """MaskablePPO."""

    method = "ppo"

    critic: Literal["own", "cards", "solver"] = "own"
    """What the value sees in training: own (what the policy sees), cards (the hidden cards, too) or
    solver (whether a win is left, too); by the last two it is a network of its own, which the
    trained agent does without."""

    curriculum: Share = 0.0
    """Share of all steps in which games begin on a solver's way to a win, at first just before it,
    then farther and farther from it (games with a solver)."""

    actors: Annotated[int, Range(1, 1024)] = 1
    """Processes that play the games of a rollout, each some of n_envs; 1: the learner plays."""
    backend: Literal["processes", "ray"] = "processes"
    """Where actors are: processes of this machine, or ray: wherever a cluster of Ray has room."""
    address: str | None = None
    """The cluster of Ray to join, such as auto or HOST:PORT (None: RAY_ADDRESS, or a new one)."""

    def check(self, game: Game) -> None:
        """See `Settings.check`."""
        super().check(game)
        self._check_critic(game)
        self._check_actors()
        won = game.solve is not None and game.measure == "won"
        if self.curriculum and (self.study or not won):
            where = "without a study, in games that are won and have a solver"
            raise ValueError(f"curriculum={self.curriculum}: {where}")
        if self.curriculum:
            self._check_solver(game)

    def _check_actors(self) -> None:
        """Refuse more actors than games, and what does not go with actors."""
        if self.actors > self.n_envs:
            raise ValueError(
                f"actors={self.actors}: allowed are numbers from 1 to n_envs={self.n_envs}"
            )
        if self.curriculum and self.actors > 1:
            raise ValueError(
                f"curriculum={self.curriculum}: not with actors={self.actors}: allowed is actors=1"
            )
        if self.backend != "processes" and self.actors == 1:
            raise ValueError(f"backend={self.backend!r}: it needs actors, 2 or more")
        if self.address is not None and self.backend != "ray":
            raise ValueError(f"address={shorten(self.address)}: it needs backend='ray'")

    def _check_critic(self, game: Game) -> None:
        """Refuse a critic that is to see what the game does not tell."""
        check_cards_critic(self.critic, game)
        if self.critic == "solver":
            if game.winnable_after is None:
                raise ValueError(
                    f"critic='solver': {game.title} has no exact solver; allowed are own, cards"
                )
            self._check_solver(game)


@settings_class
class LookaheadSettings(PolicySettings, SoloSettings):
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
class CloningSettings(PolicySettings, ManyRulesSettings):
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
        if has_many_rules(self):
            raise ValueError("teacher='solver': it teaches one variant's rules; name an agent")
        self._check_solver(game)


@settings_class
class DistillSettings(CorrectingSettings, ManyRulesSettings):
    """A network learns what a search says of all actions, where its own play leads, too."""

    method = "distill"

    teacher: str = "pimc@2"
    """The search: pimc or mcts with its budget, also one led by a saved agent (pimc@8:AGENT);
    or rollouts (rollouts@8:greedy), which say what others gain: for a network with a base."""
    teacher_share: Share = 0.5
    """Share of the games that the teacher plays; the network plays the others."""
    teacher_limit: Annotated[int, Range(1, 10**6)] = 1000
    """Positions that pimc looks at for each action in a world; where they do not suffice it says
    half."""
    teacher_known_limit: Annotated[int, Range(1, 10**7)] = 20_000
    """So many where nothing is hidden."""
    explore: Share = 0.05
    """Share of random actions in the network's games."""
    temperature: Annotated[float, Range(1e-4, 100)] = 0.05
    """The policy learned is the softmax of the values that the teacher names, over this."""
    preference: Share = 0.03
    """So much more is the value of the action that the teacher would play: among equals it counts.
    By rules of some that can go on for ever, more is needed, or the network does."""
    positions: tuple[str, ...] = ()
    """Folders of judged positions, kept by other runs of this game: learned from the start, too."""
    indifferent: Share = 0.3
    """Share of those positions that are kept in which all actions are worth the same."""
    leave_lost: Share = 1.0
    """How often a game is left at a decision where the teacher finds a win in no world; where wins
    are rare, less lets the network learn what is played there, too. Rollouts leave no game."""

    def check(self, game: Game) -> None:
        """See `Settings.check`."""
        super().check(game)
        if game.seats is not None and has_many_rules(self):
            raise ValueError(
                "variants, option_sets: at tables of several distill learns one's rules"
            )


@settings_class
class PQNSettings(NetworkSettings, SoloSettings):
    """Values of actions by Q-learning (PQN), without replay and without a target network."""

    method = "pqn"

    vf_coef: Annotated[float, Range(0, 100)] = 1.0
    """Weight of the value loss, beside that of the values of actions."""
    layer_norm: bool = True
    """Normalise every hidden layer of the network, which keeps the values from diverging."""
    epsilon: Share = 0.5
    """Share of random legal actions at the start."""
    epsilon_final: Share = 0.02
    """Share of random legal actions at the end."""
    epsilon_decay: Share = 0.2
    """Share of the run over which the one falls to the other."""


@settings_class
class SelfplaySettings(PolicySettings, CorrectingSettings):
    """MaskablePPO at one seat of a game for several, against players by rule and its own past."""

    method = "selfplay"

    critic: Literal["own", "cards"] = "own"
    """What the value sees in training: own (what the seat that acts sees) or cards (what the others
    hold, too), by which it is a network of its own, which the trained agent does without."""

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
    lessons: Share = 0.0
    """Share of all steps, at the beginning, in which the policy imitates the teacher."""
    teacher: str = "greedy"
    """The agent that is imitated at the learner's seats, such as greedy or
    rollouts@40:greedy."""
    samples: bool = True
    """The trained agent draws its actions, as equilibria of games with bluffs need; no: it plays
    the likeliest."""

    def check(self, game: Game) -> None:
        """See `Settings.check`."""
        super().check(game)
        check_cards_critic(self.critic, game)
        if not self.opponents:
            raise ValueError("opponents=(): at least one")


@settings_class
class TDSettings(StepSettings, SoloSettings):
    """A table of afterstate values, by self-play (games that name features for it)."""

    method = "values"

    pretrain: Share = 0.2
    """Share of all steps, at the beginning, in which parts learn by themselves, or from the play of
    pretrain_agent."""
    pretrain_agent: str | None = None
    """The player by rule that plays in the pretraining (none named: the game's heuristic)."""
    step_size: Annotated[float, Range(0, 100)] = 0.4
    """Step size; after the pretraining it falls as ``schedule`` says."""
    adaptive: bool = False
    """Multiply it for each value by how far that one's errors agree (temporal coherence)."""
    td_lambda: Share = 0.9
    """Lambda of TD(lambda)."""
    average: Share = 0.0
    """Share of all steps, at the end, over which the table is averaged; the mean is what plays."""

    def check(self, game: Game) -> None:
        """See `Settings.check`."""
        require_afterstates(game)
        if self.reward != "progress":
            raise ValueError(f"reward={self.reward!r}: method 'values' learns by 'progress'")
        if self.pretrain_agent is not None and self.pretrain_agent not in game.rule_agents:
            raise ValueError(
                unknown_text("pretrain_agent", self.pretrain_agent, list(game.rule_agents))
            )


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
