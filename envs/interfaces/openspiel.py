"""All games as OpenSpiel games, over the same compiled kernels.

Importing this module registers them as ``parlour_pyramid`` and so on; it needs the extra
``parlour[openspiel]``::

    import pyspiel
    import parlour.envs.interfaces.openspiel

    game = pyspiel.load_game("parlour_seven_twenty_seven(variant=mini)")
    patience = pyspiel.load_game("parlour_pyramid(variant=web,deals=100)")

Parameters are ``variant`` and every option of the rules: numbers as they are, no and yes as 0 and
1, choices by name, rows of numbers with commas between; -1 or ``""``: as the variant has it.

Seven Twenty-Seven is in this module, with its chance made explicit: it deals card by card, by the
classes of cards that count alike. The parameter ``dealer`` is a seat, or -1 to let chance choose.
Returns are net chips in antes. The information state string is all that a seat has seen and done.
All other games are games of numbered deals (`openspiel_deals`); ``deals`` is their number.
Their returns are the reward "progress". The observation tensor is Parlour's ``onehot``
observation.

A state raises `pyspiel.SpielError` for an illegal action, an impossible outcome of chance, any
action after the end, and a seat that does not exist.
"""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

try:
    import pyspiel
except ImportError as error:
    raise ImportError(
        'OpenSpiel is not installed, and this needs it: pip install "parlour[openspiel]"'
    ) from error

from ..core.game import GAMES
from ..games.seven_twenty_seven import GAME
from ..games.seven_twenty_seven.chance import (
    CHANCE,
    DEALER,
    END,
    PLAY,
    ExplicitHand,
    chance_place,
    game_limits,
)
from ..games.seven_twenty_seven.rules import ACTIONS, CLASSES, DECLARE, SEATS, Declare
from ..games.seven_twenty_seven.showdown import class_of
from .arguments import check_seat
from .openspiel_deals import (
    UNCHANGED,
    CheckedState,
    Observer,
    can_observe,
    check_player,
    option_parameters,
    register_deals,
    rules_from_parameters,
    spiel_name,
)

__all__ = ["NAME", "SpielGame", "SpielState", "register_deals"]

NAME = spiel_name(GAME)
"""What `pyspiel.load_game` calls the game."""
PARAMETERS: dict[str, str | int] = {
    "variant": GAME.default,
    "dealer": UNCHANGED,
    **option_parameters(GAME),
}
TYPE = pyspiel.GameType(
    short_name=NAME,
    long_name=f"Parlour {GAME.title}",
    dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
    chance_mode=pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC,
    information=pyspiel.GameType.Information.IMPERFECT_INFORMATION,
    utility=pyspiel.GameType.Utility.ZERO_SUM,
    reward_model=pyspiel.GameType.RewardModel.TERMINAL,
    max_num_players=SEATS,
    min_num_players=2,
    provides_information_state_string=True,
    provides_information_state_tensor=False,
    provides_observation_string=True,
    provides_observation_tensor=True,
    parameter_specification=PARAMETERS,
)


class SpielGame(pyspiel.Game):
    """The rules of a hand, and where it begins."""

    def __init__(self, params: Mapping[str, Any] | None = None) -> None:
        given = dict(PARAMETERS) | dict(params or {})
        self.rules = rules_from_parameters(GAME, given)
        self.start = ExplicitHand(
            self.rules, None if given["dealer"] == UNCHANGED else given["dealer"]
        )
        actions, paid = game_limits(self.rules)
        antes = paid / self.rules.ante
        info = pyspiel.GameInfo(
            num_distinct_actions=ACTIONS,
            max_chance_outcomes=max(CLASSES, self.rules.players),
            num_players=self.rules.players,
            min_utility=-antes,
            max_utility=antes * (self.rules.players - 1),
            utility_sum=0.0,
            max_game_length=actions,
        )
        super().__init__(TYPE, info, given)

    def new_initial_state(self) -> "SpielState":
        """Return the state before the dealer, or the first card, is chosen."""
        return SpielState(self)

    def make_py_observer(
        self,
        iig_obs_type: pyspiel.IIGObservationType | None = None,
        params: Mapping[str, Any] | None = None,
    ) -> "InfoStateObserver | Observer | None":
        """Return what a seat sees: at this moment, or all that it has seen and done.

        None for anything but what one seat sees in all, as OpenSpiel asks. Raises ValueError for
        parameters.
        """
        if params:
            raise ValueError(f"observers take no parameters; got {dict(params)}")
        kind = iig_obs_type or pyspiel.IIGObservationType(perfect_recall=False)
        if not can_observe(kind):
            return None
        return InfoStateObserver() if kind.perfect_recall else Observer(GAME, _codes)


class SpielState(CheckedState):
    """A point of a hand. All of it is in ``hand``, so that copying it is cheap."""

    def __init__(self, game: SpielGame) -> None:
        super().__init__(game)
        self.hand = game.start.copy()

    def current_player(self) -> int:
        """Return the seat that acts, or who does instead."""
        actor = self.hand.current_player
        if actor == CHANCE:
            return int(pyspiel.PlayerId.CHANCE)
        return int(pyspiel.PlayerId.TERMINAL) if actor == END else actor

    def _legal_actions(self, player: int) -> list[int]:
        return list(self.hand.outcome_ways())

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Return what can come, a seat that deals or a class of cards, and how likely."""
        ways = self.hand.outcome_ways()
        total = sum(ways.values())
        return [(outcome, n / total) for outcome, n in ways.items()]

    def _apply_action(self, action: int) -> None:
        if action not in (ways := self.hand.outcome_ways()):
            self.refuse(action, ways)
        self.hand.apply_outcome(action)

    def _action_to_string(self, player: int, action: int) -> str:
        return self.hand.label(action)

    def is_terminal(self) -> bool:
        """Whether the hand is over."""
        return self.hand.current_player == END

    def returns(self) -> list[float]:
        """Return the net chips of each seat in antes, 0 before the end."""
        return self.hand.returns()

    def __str__(self) -> str:
        return "\n".join(
            self.hand.information_state_string(seat) for seat in range(self.hand.rules.players)
        )

    def resample_from_infostate(self, player_id: int, sampler: Callable[[], float]) -> "SpielState":
        """Return a state that a seat cannot tell from this one, drawn by `Game.resample_rows`.

        ``sampler`` returns random numbers, 0 <= x < 1. Raises ValueError before all have cards,
        for a seat that does not exist and for what is no such number.
        """
        seat = check_seat("player_id", player_id, self.hand.rules.players)
        if not self.hand.is_dealt:
            raise ValueError("a deal that is not done cannot be drawn anew")
        drawn = self.hand.copy()
        share = sampler()
        if not isinstance(share, int | float | np.number) or not 0 <= share < 1:
            raise ValueError(f"sampler returned {share!r}: allowed are numbers 0 <= x < 1")
        drawn.states["rng"] = int(share * 2**53)
        GAME.resample_rows(drawn.states, drawn.table, seat)
        made: SpielState = self.get_game().new_initial_state()
        for outcome in self.history():
            made.apply_action(_resampled_outcome(made.hand, outcome, drawn.states[0]))
        return made


def _resampled_outcome(hand: ExplicitHand, outcome: int, drawn: np.void) -> int:
    """What happens at this point of a hand if the hidden cards are those of another state."""
    stage = int(hand.stages[0])
    if stage not in (DEALER, PLAY):
        return int(class_of(drawn["deck"][chance_place(hand.states[0], stage)]))
    if stage == PLAY and outcome >= DECLARE and hand.rules.declare == Declare.SIMULTANEOUS:
        said = int(drawn["said"][hand.current_player])
        return DECLARE + said - 1
    return outcome


class InfoStateObserver:
    """All that a seat has seen and done, as a string; there is no tensor of it."""

    def __init__(self) -> None:
        self.tensor = None
        self.dict: dict[str, np.ndarray] = {}

    def set_from(self, state: SpielState, player: int) -> None:
        """Do nothing: there is no tensor."""

    def string_from(self, state: SpielState, player: int) -> str:
        """Return it, different for different sequences."""
        check_player(player, state.num_players())
        return state.hand.information_state_string(player)


def _codes(state: SpielState, seat: int) -> np.ndarray:
    """The ``codes`` observation of a seat, int8 (1, width)."""
    hand = state.hand
    if not hand.is_dealt:
        return np.zeros((1, GAME.features.width), np.int8)
    assert GAME.seats is not None
    seen = hand.copy()
    GAME.seats.view(seen.states, seen.table, np.array([seat]))
    return seen.observation_codes()[None]


pyspiel.register_game(TYPE, SpielGame)
for _game in GAMES.values():
    if _game is not GAME:
        register_deals(_game)
