"""Sessions. A session is one game of one person."""

import secrets
from collections import OrderedDict
from contextlib import suppress
from dataclasses import replace
from functools import cache
from typing import Any, NamedTuple

from parlour.agents.registry import IllegalActionError
from parlour.envs import GAMES, Game
from parlour.envs.core.kernel.cards import default_deal_set
from parlour.envs.core.options import describe_options, list_choices, to_plain, value_text
from parlour.training.evaluation.compare import default_opponents
from parlour.training.evaluation.replays.replay import Replay
from parlour.training.evaluation.replays.replay_view import replay_data

from .play import SeatSession, SolitaireSession
from .store import ResultStore
from .thinking import PageAgent, Thinking, has_solver, list_agents
from .words import describe_agent, name_agent, spell_options
from .workers import AbandonedError, WorkerPool

MOST_SESSIONS = 100
"""Maximum number of open sessions; a new one replaces the least recently used one."""
REFUSALS = (ValueError, IllegalActionError, ModuleNotFoundError)
"""Errors that are shown to the player; all others are bugs."""
MOST_AGENTS = 8
MOST_REPLAYS = 500
"""Maximum number of recorded games that a page lists."""


class Shown(NamedTuple):
    """A recorded game that the page shows as ``seat`` sees it, and that is reviewed.

    ``ticket`` counts the games that the session has shown.
    """

    replay: Replay
    seat: int
    ticket: int


class Session:
    """One person's game. Only one thread at a time calls its methods.

    Args:
        store: the file of results (None: results are not saved).
        server_agents: further agents that the server was started with.
        replays: recorded games that the server was started with.
        used: the games and agents that were used, and are therefore compiled; all sessions of a
            server share this set.
        pool: the workers in which agents think and games are reviewed (None: this process).
    """

    def __init__(
        self,
        store: ResultStore | None = None,
        server_agents: tuple[str, ...] = (),
        replays: tuple[Replay, ...] = (),
        used: set[str] | None = None,
        pool: WorkerPool | None = None,
    ) -> None:
        self.thinking = Thinking(pool)
        self.tally: dict[str, Any] | None = None
        """Counts of games with these rules (`Tally`); None if they cannot be read."""
        self.not_saved = ""
        """Reason why results are not saved; empty if they are."""
        self.used = set() if used is None else used
        self.id = secrets.token_hex(16)
        self.store, self.server_agents, self.replays = store, server_agents, replays
        self.shown: Shown | None = None
        self.reviewed = 0
        """Ticket of the game that was reviewed last; 0: none."""
        self.play: SolitaireSession | SeatSession | None = None
        self.settings: dict[str, Any] = {}
        """Fields of the message ``new`` that began the game."""
        self.choice: dict[str, Any] = {}
        """The agents for hints, and the facts of `describe_choice`."""
        self.agents: dict[str, PageAgent] = {}
        self.number = 0
        """Number of changes. A page ignores a view that is older than the one it shows."""

    def handle(self, do: str, fields: dict[str, Any]) -> dict[str, Any] | None:
        """Execute a command of `MESSAGES`, or ``go_on``, which lets interrupted opponents continue.

        Returns:
            An answer for the sender only, or None if the session has changed (see `view`).

        Raises:
            One of `REFUSALS`. Nothing has changed then, except that opponents may have played.
        """
        if do == "new":
            self._begin(**fields)
            self._count_games()
        elif do == "rules":
            return self._describe_choice(**fields)
        elif do in ("replay", "review"):
            return self._show_replay(self._find_replay(**fields) if do == "replay" else None)
        elif do == "advise":
            advice = self._playing().advise(self._agent(fields["agent"]))
            self._note_use(fields["agent"])
            return {"kind": "advice", "number": self.number, "used": sorted(self.used), **advice}
        elif do == "why":
            return {"kind": "refused", "text": self._playing().explain_refusal(**fields)}
        else:
            self._change(do, fields)
        self._note_use(*fields.get("opponents", ()), *filter(None, [fields.get("agent")]))
        self.number += 1
        self._keep_result()
        return None

    def _note_use(self, *agents: str) -> None:
        game = self._playing().game.name
        self.used |= {game, *(f"{game} {agent}" for agent in agents)}

    def _change(self, do: str, fields: dict[str, Any]) -> None:
        play = self._playing()
        if do == "click":
            play.click(fields["action"], fields["start"])
        elif do == "take_back":
            play.take_back()
        elif do == "restart":
            play.restart()
        elif do == "agent_move":
            play.play_agent(self._agent(fields["agent"]))
        elif not isinstance(play, SeatSession):
            raise ValueError(f"{do} is only available in games for several players")
        elif do == "go_on":
            play.go_on()
        else:
            play.next_hand()

    @property
    def is_waiting(self) -> bool:
        """Whether an opponent's turn was interrupted."""
        return isinstance(self.play, SeatSession) and self.play.is_waiting

    def _begin(
        self,
        game: str,
        variant: str | None,
        options: dict[str, str],
        deal: int | None,
        winnable: bool,
        seat: int | None,
        opponents: list[str],
    ) -> None:
        """Begin a new game; the arguments are the fields of the message ``new``."""
        chosen_game = GAMES[game]
        rules = chosen_game.make_rules(variant, options)
        chosen = None if deal is None else {"deal": deal, "deal_set": default_deal_set(game)}
        settings = chosen_game, variant, options, chosen
        players = chosen_game.num_players(rules)
        if players > 1:
            names = opponents or default_opponents(chosen_game)[: players - 1]
            agents = [self._load(name, chosen_game, rules) for name in names]
            self.play = SeatSession(*settings, seat or 0, agents)
        elif seat is not None or opponents:
            field, value = ("opponents", opponents) if seat is None else ("seat", seat)
            raise ValueError(f"{field} must not be set in a game for one player, got {value!r}")
        else:
            bests = self.store.bests if self.store else None
            self.play = SolitaireSession(*settings, bests, winnable)
        self.settings = {
            "game": game,
            "variant": chosen_game.default if variant is None else variant,
            "options": options,
            "deal": deal,
            "winnable": winnable,
            "seat": seat,
            "opponents": opponents,
        }
        self.choice = {
            "agents": name_choices(
                list_agents(chosen_game, rules, self.server_agents), chosen_game
            ),
            "choice": describe_choice(chosen_game, rules, self.server_agents),
        }
        self.agents = {}

    def _describe_choice(
        self, game: str, variant: str | None, options: dict[str, str]
    ) -> dict[str, Any]:
        """Return the facts about rules that are not yet played; see `describe_choice`."""
        chosen = GAMES[game]
        facts = describe_choice(chosen, chosen.make_rules(variant, options), self.server_agents)
        return {"kind": "rules", "game": game, "variant": variant, "options": options, **facts}

    def _load(self, name: str, game: Game, rules: Any) -> PageAgent:
        return PageAgent(name, game, rules, self.server_agents, self.thinking)

    def _find_replay(self, number: int) -> Replay:
        if number >= len(self.replays):
            raise ValueError(
                f"number must be below the number of recorded games ({len(self.replays)}), got "
                f"{number}"
            )
        return self.replays[number]

    def _show_replay(self, replay: Replay | None) -> dict[str, Any]:
        """Open a recorded game (None: the game that was just played); its review follows later."""
        seat = 0
        if replay is None:
            replay, seat = self._playing().replay()
        ticket = 1 + (self.shown.ticket if self.shown else 0)
        data = replay_data(name_agents(replay), seat)
        data["headline"] = spell_options(data["headline"])
        del data["review"]
        self.shown = Shown(replay, seat, ticket)
        self.thinking.stop_review()
        return {"kind": "replay", "ticket": ticket, "data": data}

    @property
    def needs_review(self) -> bool:
        """Whether the shown game has no review yet."""
        return self.shown is not None and self.reviewed != self.shown.ticket

    def review(self) -> dict[str, Any] | None:
        """Review the shown game; return None if the review is no longer needed.

        This takes a while; other methods may be called in the meantime.
        """
        shown = self.shown
        assert shown is not None
        self.reviewed = shown.ticket
        try:
            review = self.thinking.review(shown.replay, shown.seat)
        except AbandonedError:
            self.reviewed = 0
            return None
        except ValueError as error:
            review = {"error": f"no review: {error}"}
        return {"kind": "review", "ticket": shown.ticket, "review": review}

    def _playing(self) -> SolitaireSession | SeatSession:
        if self.play is None:
            raise ValueError("no game has been started")
        return self.play

    def _agent(self, name: str) -> PageAgent:
        if name not in self.agents:
            if len(self.agents) >= MOST_AGENTS:
                self.agents.clear()
            play = self._playing()
            self.agents[name] = self._load(name, play.game, play.rules)
        return self.agents[name]

    def _keep_result(self) -> None:
        """Save the result of a game that has just ended. A failure does not end the session."""
        play = self._playing()
        if not play.has_new_result:
            return
        play.has_new_result = False
        if self.store is None:
            return
        try:
            self.store.add(play.result())
            self.not_saved = ""
        except OSError as error:
            self.not_saved = (
                f"The last result is not saved yet: {error}. Parlour tries again when the next "
                "game ends and when the server stops."
            )
        self._count_games()

    def _count_games(self) -> None:
        self.tally = None
        if self.store is not None:
            play = self._playing()
            with suppress(OSError):
                digest = play.game.rules_digest(play.rules)
                self.tally = self.store.tally(play.game.name, digest)._asdict()

    def judge(self) -> None:
        """Ask the solver about the position; the server calls this in its own thread."""
        if self.play is not None:
            self.play.judge()

    def view(self) -> dict[str, Any]:
        """Return the message with the content of the page."""
        message: dict[str, Any] = {"kind": "view", "session": self.id, "number": self.number}
        message["used"] = sorted(self.used)
        if self.play is None:
            return message
        game = self.play.game
        return message | {
            "game": game.name,
            "title": game.title,
            "settings": self.settings,
            **self.choice,
            "tally": self.tally,
            "not_saved": self.not_saved,
            "play": self.play.view(),
        }


def answer(session: Session, do: str, fields: dict[str, Any]) -> dict[str, Any] | None:
    """Call `Session.handle`, and turn its errors into answers."""
    try:
        return session.handle(do, fields)
    except REFUSALS as error:
        return {"kind": "refused", "text": spell_options(str(error))}


class Sessions:
    """All sessions by their id, at most `MOST_SESSIONS`."""

    def __init__(
        self,
        store: ResultStore | None = None,
        server_agents: tuple[str, ...] = (),
        replays: tuple[Replay, ...] = (),
        pool: WorkerPool | None = None,
    ) -> None:
        self.store, self.server_agents = store, server_agents
        self.replays = replays[:MOST_REPLAYS]
        self.pool = pool
        self.used: set[str] = set()
        self.open: OrderedDict[str, Session] = OrderedDict()

    def find(self, session: str | None) -> Session:
        """Return the session with an id, or a new one if there is none."""
        known = self.open.get(session or "")
        if known is None:
            known = Session(self.store, self.server_agents, self.replays, self.used, self.pool)
        self.open[known.id] = known
        self.open.move_to_end(known.id)
        while len(self.open) > MOST_SESSIONS:
            self.open.popitem(last=False)
        return known


def list_games(replays: tuple[Replay, ...] = ()) -> dict[str, Any]:
    """Return the message that lists the games and the recorded games."""
    games = [_describe(game) for game in GAMES.values()]
    headlines = [spell_options(name_agents(replay).headline) for replay in replays]
    return {"kind": "games", "games": games, "replays": headlines}


def name_agents(replay: Replay) -> Replay:
    """Return a replay with the names of its agents in plain words."""
    return replace(replay, agents=tuple(name_agent(one, replay.game) for one in replay.agents))


def name_choices(specs: list[str], game: Game) -> list[dict[str, str]]:
    """Return agents by spec, each with a description in plain words."""
    return [{"spec": spec, "text": describe_agent(spec, game)} for spec in specs]


def describe_choice(game: Game, rules: Any, server_agents: tuple[str, ...] = ()) -> dict[str, Any]:
    """Return the facts about rules on which a choice depends: seats, opponents and solver."""
    players = game.num_players(rules)
    opponents = list_agents(game, rules, server_agents) if players > 1 else []
    return {
        "players": players,
        "agents": name_choices(opponents, game),
        "sides": list(game.seats.sides(rules)) if game.seats else [0],
        "has_solver": has_solver(game, rules) and game.goal_name(rules) == "won",
    }


@cache
def _describe(game: Game) -> dict[str, Any]:
    choices = list_choices(game.rules)
    return {
        "name": game.name,
        "title": game.title,
        "default": game.default,
        "variants": [
            {
                "name": name,
                "note": game.variant_notes[name],
                "values": {field: value_text(one) for field, one in to_plain(rules).items()},
                **describe_choice(game, rules),
            }
            for name, rules in game.variants.items()
        ],
        "options": [
            row._asdict()
            | {
                "label": spell_options(row.name).capitalize(),
                "doc": spell_options(row.doc),
                "choices": [
                    {"value": one, "text": spell_options(one)} for one in choices[row.name]
                ],
            }
            for row in describe_options(game.rules)
        ],
    }
