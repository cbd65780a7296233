"""All games as OpenSpiel games, over the same compiled kernels.

Importing this module registers them as ``parlour_pyramid`` and so on; it needs the extra
``parlour[openspiel]``::

    import pyspiel
    import parlour.envs.interfaces.openspiel

    game = pyspiel.load_game("parlour_seven_twenty_seven(variant=mini)")
    solitaire = pyspiel.load_game("parlour_pyramid(variant=web,deals=100)")

Parameters are ``variant`` and every option of the rules: numbers as they are, no and yes as 0 and
1, choices by name, rows of numbers with commas between; -1 or ``""``: as the variant has it.

Seven Twenty-Seven has explicit chance: it deals card by card, by the classes of cards that count
alike. The parameter ``dealer`` is a seat, or -1 to let chance choose. Returns are net chips in
antes. The information state string is all that a seat has seen and done.

All other games are games of numbered deals: their only chance node is the first one, which chooses
one of ``deals`` deals of the deal set ``openspiel`` with equal probability. Later chance follows
from the deal. Their returns are the reward "progress". The observation tensor of every game is
Parlour's ``onehot`` observation.

A state raises `pyspiel.SpielError` for an illegal action, an impossible outcome of chance, any
action after the end, and a seat that does not exist.
"""

from collections.abc import Callable, Iterable, Mapping
from enum import IntEnum
from typing import Any, get_origin, get_type_hints

import numpy as np

try:
    import pyspiel
except ImportError as error:
    raise ImportError(
        'OpenSpiel is not installed, and this needs it: pip install "parlour[openspiel]"'
    ) from error

from ..core.batch import Over, StepConfig
from ..core.game import GAMES, Game
from ..core.options import check_range
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

# ---- what all games share -------------------------------------------------------------------

DEAL_SET = "openspiel"
"""Deal set of the deals."""
DEALS = 1000
"""Default of the parameter ``deals``."""
MOST_STEPS = 1000
"""Games for one player are truncated after this many actions."""
RUNNING = int(Over.RUNNING)
"""Kept here, because looking up a member of the enumeration takes a microsecond."""
UNCHANGED = -1
"""A number that is left as the variant has it; of a choice or a row of numbers it is ``""``."""

Codes = Callable[[Any, int], np.ndarray]
"""Returns the ``codes`` observation, int8 (1, width), of a state as a player sees it."""


def spiel_name(game: Game) -> str:
    """Return what `pyspiel.load_game` calls a game."""
    return f"parlour_{game.name}"


def option_parameters(game: Game) -> dict[str, str | int]:
    """Return the options of a game as parameters that leave all as the variant has it."""
    hints = get_type_hints(game.rules)
    return {
        name: "" if get_origin(hint) is tuple or issubclass(hint, IntEnum) else UNCHANGED
        for name, hint in hints.items()
    }


def rules_from_parameters(game: Game, parameters: Mapping[str, Any]) -> Any:
    """Return the rules that parameters name. Raises ValueError saying what is allowed."""
    options = {
        option: value
        for option, value in parameters.items()
        if option in game.rules._fields and value not in ("", UNCHANGED)
    }
    return game.make_rules(parameters.get("variant"), options)


def can_observe(kind: pyspiel.IIGObservationType) -> bool:
    """Whether a kind of observation is what is public and one seat's own, together."""
    is_private = kind.private_info == pyspiel.PrivateInfoType.SINGLE_PLAYER
    return bool(kind.public_info and is_private)


def check_player(player: int, players: int) -> int:
    """Return a seat that exists; raise `pyspiel.SpielError` for any other number."""
    if not 0 <= player < players:
        raise pyspiel.SpielError(f"player must be a seat from 0 to {players - 1}, got {player}")
    return player


class CheckedState(pyspiel.State):
    """A state that raises `pyspiel.SpielError` for actions and seats that do not exist.

    OpenSpiel does not check the numbers that it passes to a game written in Python. If the legal
    action mask of a seat is asked for at a chance node, OpenSpiel even writes out of bounds.
    """

    no_information_state = ""
    """Why the game has no information state string; empty where it has one."""

    def refuse(self, action: int, allowed: Iterable[int]) -> None:
        """Raise the error for an action that is not among the allowed ones."""
        if self.is_terminal():
            raise pyspiel.SpielError(f"no action is allowed after the end, got {action}")
        numbers = ", ".join(map(str, allowed))
        raise pyspiel.SpielError(f"action must be one of {numbers}, got {action}")

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
        """Raise `pyspiel.SpielError`, since no game has an information state tensor."""
        raise pyspiel.SpielError("there is no information state tensor: use observation_tensor")

    def observation_string(self, player: int | None = None) -> str:
        """Return what a seat (default: the one to act) sees."""
        return str(super().observation_string(self._seat(player)))

    def observation_tensor(self, player: int | None = None) -> list[float]:
        """Return what a seat (default: the one to act) sees."""
        tensor: list[float] = super().observation_tensor(self._seat(player))
        return tensor

    def _seat(self, player: int | None) -> int:
        if player is not None:
            return check_player(player, self.num_players())
        acting = int(self.current_player())
        if acting < 0:
            where = "at the end" if self.is_terminal() else "at a chance node"
            raise pyspiel.SpielError(
                f"no seat acts {where}: player must be given, from 0 to {self.num_players() - 1}"
            )
        return acting


class Observer:
    """What a seat sees at this moment, ``onehot``; zeros before the deal is done."""

    def __init__(self, game: Game, codes: Codes) -> None:
        self.game, self.codes = game, codes
        self.tensor = np.zeros(game.features.columns, np.float32)
        self.dict = {"observation": self.tensor}

    def set_from(self, state: Any, player: int) -> None:
        """Write the observation of a seat; any seat may act."""
        check_player(player, state.num_players())
        self.tensor[:] = self.game.features.onehot(self.codes(state, player))[0]

    def string_from(self, state: Any, player: int) -> str:
        """Return the pieces of the observation that are not 0, with their names."""
        check_player(player, state.num_players())
        explained = self.game.features.explain(self.codes(state, player)[0])
        return f"seat{player} " + " ".join(
            f"{name}={value}" for name, value in explained.items() if np.any(value)
        )


# ---- games of numbered deals ----------------------------------------------------------------


class DealState(CheckedState):
    """A point of a game, or its beginning, before a deal is chosen."""

    no_information_state = (
        "there is no information state: use observation_string or observation_tensor"
    )

    def __init__(self, game: "DealGame") -> None:
        super().__init__(game)
        limit = 0 if game.players > 1 else MOST_STEPS
        self.rows = Rows(game.parlour, game.rules, 1, StepConfig(max_steps=limit))
        self.players, self.deals, self.dealt = game.players, game.deals, False
        self.paid = np.zeros(game.players)

    def current_player(self) -> int:
        """Return the seat that acts, or who does instead."""
        if not self.dealt:
            return int(pyspiel.PlayerId.CHANCE)
        if self.is_terminal():
            return int(pyspiel.PlayerId.TERMINAL)
        return int(self.rows.states["turn"][0])

    def _legal_actions(self, player: int) -> list[int]:
        actions: list[int] = np.flatnonzero(self.rows.buffers.masks[0]).tolist()
        return actions

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Return the deals, each as likely."""
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
                    f"action must be a deal from 0 to {self.deals - 1}, got {action}"
                )
            self.rows.deal_numbered(DEAL_SET, [action])
            self.dealt = True
        self.paid += self.rows.buffers.rewards[0, : self.players]

    def _action_to_string(self, player: int, action: int) -> str:
        if player >= 0:
            return self.rows.game.label(action)
        if not 0 <= action < self.deals:
            raise ValueError(f"action must be a deal from 0 to {self.deals - 1}, got {action}")
        return f"deal {action}"

    def is_terminal(self) -> bool:
        """Whether the game is over."""
        return self.dealt and self.rows.states["over"].item(0) != RUNNING

    def returns(self) -> list[float]:
        """Return what each seat has been paid, by the reward "progress": zeros before the end."""
        return (self.paid * self.is_terminal()).tolist()

    def __str__(self) -> str:
        if not self.dealt:
            return "before the deal"
        return f"{self.history()[0]}: {copy_states(self.rows.states).tobytes().hex()}"


class DealGame(pyspiel.Game):
    """The rules of a game, and how many deals of it there are."""

    parlour: Game
    """The game, set by `register_deals`."""
    kind: Any
    """Its `pyspiel.GameType`."""
    parameters: dict[str, str | int]
    """Its parameters as they are if none is given."""

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
        # the score of the deal itself, such as that of aces laid out, is not paid
        return min(0.0, low * scale), high * scale + self.parlour.kernels.win_bonus

    def new_initial_state(self) -> DealState:
        """Return the state before a deal is chosen."""
        return DealState(self)

    def make_py_observer(
        self,
        iig_obs_type: pyspiel.IIGObservationType | None = None,
        params: Mapping[str, Any] | None = None,
    ) -> Observer | None:
        """Return what a seat sees at this moment; None for other kinds of observation.

        Raises ValueError for parameters.
        """
        if params:
            raise ValueError(f"observers take no parameters; got {dict(params)}")
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
    """Register a game with OpenSpiel and return its class."""
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
        """Return a state that the seat cannot tell from this one, with resampled hidden cards.

        ``sampler`` returns random numbers, 0 <= x < 1. Raises ValueError before all have cards,
        for a seat that does not exist and for what is no such number.
        """
        seat = check_seat("player_id", player_id, self.hand.rules.players)
        if not self.hand.is_dealt:
            raise ValueError("the hidden cards cannot be resampled before all cards are dealt")
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
        declared = int(drawn["said"][hand.current_player])
        return DECLARE + declared - 1
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
