"""OpenSpiel games for all games of Parlour.

Importing this module registers the games as ``parlour_pyramid`` and so on. The module needs
``parlour[openspiel]``::

    import pyspiel
    import parlour.envs.interfaces.openspiel

    game = pyspiel.load_game("parlour_seven_twenty_seven(variant=mini)")
    solitaire = pyspiel.load_game("parlour_pyramid(variant=web,deals=100)")

The parameters are ``variant`` and the options of the game. Numbers are integers, booleans are 0 or
1, choices are names, and tuples are numbers separated by commas. The values -1 and ``""`` keep the
value of the variant.

Seven Twenty-Seven has explicit chance nodes: every card is dealt at a chance node, whose outcomes
are classes of cards with the same value. The parameter ``dealer`` is a seat, or -1 for a chance
node that chooses the dealer. Returns are net chips in antes. The information state string contains
everything that a seat has seen and done.

All other games have a single chance node at the root, which chooses one of ``deals`` deals of the
deal set ``openspiel`` with equal probability. All later random events follow from the deal. Returns
are those of the reward ``"progress"``. The observation tensor of every game is the ``onehot``
observation.

States raise `pyspiel.SpielError` for an illegal action, an impossible chance outcome, an action
after the end, and a seat that does not exist.
"""

from collections.abc import Callable, Iterable, Mapping
from enum import IntEnum
from typing import Any, get_origin, get_type_hints

import numpy as np

from parlour.extras import name_extra

with name_extra(__name__):
    import pyspiel

from ..core.batch import Over, StepConfig
from ..core.game import GAMES, Game
from ..core.options import check_range, choices_text, range_text
from ..core.rows import Rows, copy_states, observation_codes, view_states
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

__all__ = ["NAME", "SpielGame", "SpielState", "register_deals"]

# ---- shared by all games --------------------------------------------------------------------

DEAL_SET = "openspiel"
"""Deal set from which deals are chosen."""
DEALS = 1000
"""Default value of the parameter ``deals``."""
MOST_STEPS = 1000
"""Number of actions after which a game for one player is truncated."""
RUNNING = int(Over.RUNNING)
"""A plain int, because looking up an enumeration member takes a microsecond."""
UNCHANGED = -1
"""Parameter value that keeps the variant's number; for choices and tuples it is ``""``."""

Codes = Callable[[Any, int], np.ndarray]
"""Function that returns a player's ``codes`` observation of a state, int8 (1, width)."""


def spiel_name(game: Game) -> str:
    """Return the name of a game for `pyspiel.load_game`."""
    return f"parlour_{game.name}"


def option_parameters(game: Game) -> dict[str, str | int]:
    """Return the options of a game as parameters, with values that keep those of the variant."""
    hints = get_type_hints(game.rules)
    return {
        name: "" if get_origin(hint) is tuple or issubclass(hint, IntEnum) else UNCHANGED
        for name, hint in hints.items()
    }


def rules_from_parameters(game: Game, parameters: Mapping[str, Any]) -> Any:
    """Return the rules for the parameters of a game; raise ValueError for an invalid parameter."""
    options = {
        option: value
        for option, value in parameters.items()
        if option in game.rules._fields and value not in ("", UNCHANGED)
    }
    return game.make_rules(parameters.get("variant"), options)


def can_observe(kind: pyspiel.IIGObservationType) -> bool:
    """Return whether a type of observation combines public and one seat's private information."""
    is_private = kind.private_info == pyspiel.PrivateInfoType.SINGLE_PLAYER
    return bool(kind.public_info and is_private)


def check_player(player: int, players: int) -> int:
    """Return a seat; raise `pyspiel.SpielError` if it does not exist."""
    if not 0 <= player < players:
        raise pyspiel.SpielError(f"player must be {range_text(0, players - 1)}, got {player}")
    return player


class CheckedState(pyspiel.State):
    """Base class of states that checks actions and seats and raises `pyspiel.SpielError`.

    OpenSpiel does not check the numbers that it passes to a game in Python. Without these checks,
    a legal action mask of a seat at a chance node would even make OpenSpiel write out of bounds.
    """

    no_information_state = ""
    """Reason why the game has no information state string; empty if it has one."""

    def refuse(self, action: int, allowed: Iterable[int]) -> None:
        """Raise the error for an action that is not allowed."""
        if self.is_terminal():
            raise pyspiel.SpielError(f"action is illegal because the game is over, got {action}")
        raise pyspiel.SpielError(f"action must be {choices_text(map(str, allowed))}, got {action}")

    def legal_actions(self, player: int | None = None) -> list[int]:
        """Return the legal actions of a seat (default: the one to act), or the chance outcomes."""
        if player is not None and player != self.current_player():
            return []
        actions: list[int] = super().legal_actions()
        return actions

    def legal_actions_mask(self, player: int | None = None) -> list[int]:
        """Return a list with 1 for each of the `legal_actions` and 0 for the others."""
        if player is not None and player != self.current_player():
            return [0] * self.get_game().num_distinct_actions()
        mask: list[int] = super().legal_actions_mask()
        return mask

    def information_state_string(self, player: int | None = None) -> str:
        """Return what a seat (default: the one to act) has seen and done."""
        if self.no_information_state:
            raise pyspiel.SpielError(self.no_information_state)
        return str(super().information_state_string(self._seat(player)))

    def information_state_tensor(self, player: int | None = None) -> list[float]:
        """Raise `pyspiel.SpielError`, because no game has an information state tensor."""
        raise pyspiel.SpielError("the game has no information state tensor: use observation_tensor")

    def observation_string(self, player: int | None = None) -> str:
        """Return the observation of a seat (default: the one to act) as text."""
        return str(super().observation_string(self._seat(player)))

    def observation_tensor(self, player: int | None = None) -> list[float]:
        """Return the ``onehot`` observation of a seat (default: the one to act)."""
        tensor: list[float] = super().observation_tensor(self._seat(player))
        return tensor

    def _seat(self, player: int | None) -> int:
        if player is not None:
            return check_player(player, self.num_players())
        acting = int(self.current_player())
        if acting < 0:
            where = "at the end" if self.is_terminal() else "at a chance node"
            raise pyspiel.SpielError(
                f"player must be {range_text(0, self.num_players() - 1)} {where}, got None"
            )
        return acting


class Observer:
    """Observer of the current ``onehot`` observation of a seat; zeros before the deal."""

    def __init__(self, game: Game, codes: Codes) -> None:
        self.game, self.codes = game, codes
        self.tensor = np.zeros(game.features.columns, np.float32)
        self.dict = {"observation": self.tensor}

    def set_from(self, state: Any, player: int) -> None:
        """Write the observation of a seat, which need not be the seat to act."""
        check_player(player, state.num_players())
        self.tensor[:] = self.game.features.onehot(self.codes(state, player))[0]

    def string_from(self, state: Any, player: int) -> str:
        """Return the nonzero pieces of the observation with their names."""
        check_player(player, state.num_players())
        explained = self.game.features.explain(self.codes(state, player)[0])
        return f"seat{player} " + " ".join(
            f"{name}={value}" for name, value in explained.items() if np.any(value)
        )


# ---- games with a single chance node
# ----------------------------------------------------------------


class DealState(CheckedState):
    """State of a game with a single chance node, before or after the deal."""

    no_information_state = (
        "the game has no information state: use observation_string or observation_tensor"
    )

    def __init__(self, game: "DealGame") -> None:
        super().__init__(game)
        limit = 0 if game.players > 1 else MOST_STEPS
        self.rows = Rows(game.parlour, game.rules, 1, StepConfig(max_steps=limit))
        self.players, self.deals, self.dealt = game.players, game.deals, False
        self.paid = np.zeros(game.players)

    def current_player(self) -> int:
        """Return the seat that acts, or the player ID of chance or of a terminal state."""
        if not self.dealt:
            return int(pyspiel.PlayerId.CHANCE)
        if self.is_terminal():
            return int(pyspiel.PlayerId.TERMINAL)
        return int(self.rows.states["turn"][0])

    def _legal_actions(self, player: int) -> list[int]:
        actions: list[int] = np.flatnonzero(self.rows.buffers.masks[0]).tolist()
        return actions

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Return the deals and their probabilities, which are equal."""
        return [(deal, 1 / self.deals) for deal in range(self.deals)]

    def _apply_action(self, action: int) -> None:
        if self.dealt:
            masks = self.rows.buffers.masks
            is_legal = 0 <= action < self.rows.game.actions and masks.item(0, action)
            if not is_legal or self.is_terminal():
                self.refuse(action, self._legal_actions(self.current_player()))
            self.rows.step(np.array([action]))
        else:
            if not 0 <= action < self.deals:
                raise pyspiel.SpielError(
                    f"action must be {range_text(0, self.deals - 1)}, got {action}"
                )
            self.rows.deal_numbered(DEAL_SET, [action])
            self.dealt = True
        self.paid += self.rows.buffers.rewards[0, : self.players]

    def _action_to_string(self, player: int, action: int) -> str:
        if player >= 0:
            return self.rows.game.label(action)
        if not 0 <= action < self.deals:
            raise ValueError(f"action must be {range_text(0, self.deals - 1)}, got {action}")
        return f"deal {action}"

    def is_terminal(self) -> bool:
        """Return whether the game is over."""
        return self.dealt and self.rows.states["over"].item(0) != RUNNING

    def returns(self) -> list[float]:
        """Return the sum of the rewards ``"progress"`` of each seat; zeros before the end."""
        return (self.paid * self.is_terminal()).tolist()

    def __str__(self) -> str:
        if not self.dealt:
            return "before the deal"
        return f"{self.history()[0]}: {copy_states(self.rows.states).tobytes().hex()}"


class DealGame(pyspiel.Game):
    """OpenSpiel game of numbered deals, which are chosen at the only chance node."""

    parlour: Game
    """The game, set by `register_deals`."""
    kind: Any
    """Its `pyspiel.GameType`."""
    parameters: dict[str, str | int]
    """Default values of its parameters."""

    def __init__(self, params: Mapping[str, Any] | None = None) -> None:
        given = self.parameters | dict(params or {})
        self.rules = rules_from_parameters(self.parlour, given)
        self.players = self.parlour.num_players(self.rules)
        self.deals = check_range("deals", int(given["deals"]), 1)
        low, high = self._utilities()
        info = pyspiel.GameInfo(
            num_distinct_actions=self.parlour.actions,
            max_chance_outcomes=self.deals,
            num_players=self.players,
            min_utility=low,
            max_utility=high,
            max_game_length=MOST_STEPS,
        )
        super().__init__(self.kind, info, given)

    def _utilities(self) -> tuple[float, float]:
        low, high = self.parlour.score_range
        if self.players > 1:
            most = (high - low) / self.parlour.reward_unit(self.rules)
            return -most, most
        scale = self.parlour.kernels.score_scale
        # The score of the deal itself, such as that of aces that are laid out, is not rewarded.
        return min(0.0, low * scale), high * scale + self.parlour.kernels.win_bonus

    def new_initial_state(self) -> DealState:
        """Return the state before the deal."""
        return DealState(self)

    def make_py_observer(
        self,
        iig_obs_type: pyspiel.IIGObservationType | None = None,
        params: Mapping[str, Any] | None = None,
    ) -> Observer | None:
        """Return an observer of the current observation of one seat.

        Returns:
            The observer; None for types of observations that the game does not have.

        Raises:
            ValueError: Parameters are given.
        """
        if params:
            raise ValueError(f"params must be empty, got {dict(params)}")
        kind = iig_obs_type or pyspiel.IIGObservationType(perfect_recall=False)
        if kind.perfect_recall or not can_observe(kind):
            return None
        return Observer(self.parlour, _deal_codes)


def _deal_codes(state: DealState, player: int) -> np.ndarray:
    game, rows = state.rows.game, state.rows
    if not state.dealt:
        return np.zeros((1, game.features.width), np.int8)
    return observation_codes(view_states(game, rows.rules, rows.states, np.array([player])))


def register_deals(game: Game) -> type[DealGame]:
    """Register a game with OpenSpiel.

    The registered game has one chance node, which chooses the number of a deal.

    Args:
        game: The game.

    Returns:
        The class of the registered game.
    """
    parameters = {"variant": game.default, "deals": DEALS, **option_parameters(game)}
    kind = pyspiel.GameType(
        short_name=spiel_name(game),
        long_name=f"Parlour {game.title}",
        dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
        chance_mode=pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC,
        information=pyspiel.GameType.Information.IMPERFECT_INFORMATION,
        utility=pyspiel.GameType.Utility.GENERAL_SUM,
        reward_model=pyspiel.GameType.RewardModel.TERMINAL,
        max_num_players=game.max_players,
        min_num_players=1,
        provides_information_state_string=False,
        provides_information_state_tensor=False,
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification=parameters,
    )
    facts = {"parlour": game, "kind": kind, "parameters": parameters, "__doc__": DealGame.__doc__}
    made = type("DealGame", (DealGame,), facts)
    pyspiel.register_game(kind, made)
    return made


# ---- Seven Twenty-Seven, with explicit chance -----------------------------------------------

NAME = spiel_name(GAME)
"""Name of Seven Twenty-Seven for `pyspiel.load_game`."""
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
    """OpenSpiel game of Seven Twenty-Seven with explicit chance nodes."""

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
        """Return the state at the first chance node, which chooses the dealer or a card."""
        return SpielState(self)

    def make_py_observer(
        self,
        iig_obs_type: pyspiel.IIGObservationType | None = None,
        params: Mapping[str, Any] | None = None,
    ) -> "InfoStateObserver | Observer | None":
        """Return an observer of one seat.

        Returns:
            An `InfoStateObserver` for observations with perfect recall, otherwise an `Observer`;
            None for types of observations that the game does not have.

        Raises:
            ValueError: Parameters are given.
        """
        if params:
            raise ValueError(f"params must be empty, got {dict(params)}")
        kind = iig_obs_type or pyspiel.IIGObservationType(perfect_recall=False)
        if not can_observe(kind):
            return None
        return InfoStateObserver() if kind.perfect_recall else Observer(GAME, _codes)


class SpielState(CheckedState):
    """State of a hand of Seven Twenty-Seven. All data is in ``hand``, so copies are cheap."""

    def __init__(self, game: SpielGame) -> None:
        super().__init__(game)
        self.hand = game.start.copy()

    def current_player(self) -> int:
        """Return the seat that acts, or the player ID of chance or of a terminal state."""
        actor = self.hand.current_player
        if actor == CHANCE:
            return int(pyspiel.PlayerId.CHANCE)
        return int(pyspiel.PlayerId.TERMINAL) if actor == END else actor

    def _legal_actions(self, player: int) -> list[int]:
        return list(self.hand.outcome_ways())

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Return the outcomes with their probabilities.

        The outcomes are dealers or card values. Jack, queen and king are one outcome.
        """
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
        """Return whether the hand is over."""
        return self.hand.current_player == END

    def returns(self) -> list[float]:
        """Return the net result of each seat in antes; zeros before the end."""
        return self.hand.returns()

    def __str__(self) -> str:
        return "\n".join(
            self.hand.information_state_string(seat) for seat in range(self.hand.rules.players)
        )

    def resample_from_infostate(self, player_id: int, sampler: Callable[[], float]) -> "SpielState":
        """Return a state with resampled hidden cards and the same information state of a seat.

        Args:
            player_id: The seat.
            sampler: Function that returns random numbers x with 0 <= x < 1.

        Raises:
            ValueError: The cards are not dealt yet, the seat does not exist, or ``sampler`` returns
                an invalid number.
        """
        seat = check_seat("player_id", player_id, self.hand.rules.players)
        if not self.hand.is_dealt:
            raise ValueError("hidden cards cannot be resampled before all cards are dealt")
        drawn = self.hand.copy()
        share = sampler()
        if not isinstance(share, int | float | np.number) or not 0 <= share < 1:
            raise ValueError(f"sampler must return a number x with 0 <= x < 1, got {share!r}")
        drawn.states["rng"] = int(share * 2**53)
        GAME.resample_rows(drawn.states, drawn.table, seat)
        made: SpielState = self.get_game().new_initial_state()
        for outcome in self.history():
            made.apply_action(_resampled_outcome(made.hand, outcome, drawn.states[0]))
        return made


def _resampled_outcome(hand: ExplicitHand, outcome: int, drawn: np.void) -> int:
    """Return the outcome or action at this point if the hidden cards are those of ``drawn``."""
    stage = int(hand.stages[0])
    if stage not in (DEALER, PLAY):
        return int(class_of(drawn["deck"][chance_place(hand.states[0], stage)]))
    if stage == PLAY and outcome >= DECLARE and hand.rules.declare == Declare.SIMULTANEOUS:
        declared = int(drawn["said"][hand.current_player])
        return DECLARE + declared - 1
    return outcome


class InfoStateObserver:
    """Observer of everything that a seat has seen and done, as a string without a tensor."""

    def __init__(self) -> None:
        self.tensor = None
        self.dict: dict[str, np.ndarray] = {}

    def set_from(self, state: SpielState, player: int) -> None:
        """Do nothing, because there is no tensor."""

    def string_from(self, state: SpielState, player: int) -> str:
        """Return the information state string, which differs between different histories."""
        check_player(player, state.num_players())
        return state.hand.information_state_string(player)


def _codes(state: SpielState, seat: int) -> np.ndarray:
    """Return the ``codes`` observation of a seat, int8 (1, width)."""
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
