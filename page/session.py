"""Sessions: each is one game of one person, and knows nothing of the others."""

import secrets
from collections import OrderedDict
from typing import Any, NamedTuple

from parlour.agents.registry import Agent, IllegalActionError
from parlour.envs import GAMES, Game
from parlour.envs.core.deals import default_bank
from parlour.envs.core.options import describe_options
from parlour.training.evaluation.replay import Replay
from parlour.training.evaluation.replay_view import replay_data, review_data, review_replay

from .lone import LonePlay
from .players import list_agents, load_page_agent
from .seats import SeatPlay
from .store import ResultStore

MOST_SESSIONS = 100
"""The session that nobody has used for longest is dropped for a new one."""
MOST_AGENTS = 8
MOST_REPLAYS = 500
"""Recorded games that a page lists."""
WORLDS = 50
"""Worlds that are dealt for each decision of a game that is reviewed on the page."""


class Shown(NamedTuple):
    """A game that is looked at, as ``seat`` sees it, whose decisions are reviewed.

    ``ticket`` is its number among those of the session.
    """

    replay: Replay
    seat: int
    ticket: int


class Session:
    """One person's game. All methods are called by one thread at a time.

    ``more`` and ``replays`` are the agents and the recorded games that the server was started with;
    ``store`` None keeps no results. ``used`` is shared by all sessions of a server: which games,
    and which of their agents, have been used, and so compiled.
    """

    def __init__(
        self,
        store: ResultStore | None = None,
        more: tuple[str, ...] = (),
        replays: tuple[Replay, ...] = (),
        used: set[str] | None = None,
    ) -> None:
        self.used = set() if used is None else used
        self.id = secrets.token_hex(16)
        self.store, self.more, self.replays = store, more, replays
        self.shown: Shown | None = None
        self.reviewed = 0
        """The ticket of the game that was reviewed last."""
        self.play: LonePlay | SeatPlay | None = None
        self.agents: dict[str, Agent] = {}
        self.number = 0
        """How often anything has changed: a page drops what is older than what it has."""

    def handle(self, do: str, fields: dict[str, Any]) -> dict[str, Any] | None:
        """Do what a message asks for (see `messages`); return an answer for its sender alone.

        None: something changed, see `view`. Raises ValueError or IllegalActionError saying what is
        wrong; nothing has changed then.
        """
        if do == "new":
            self._begin(**fields)
        elif do in ("replay", "review"):
            return self._show_replay(self._find_replay(**fields) if do == "replay" else None)
        elif do == "advise":
            said = self._playing().advise(self._agent(fields["agent"]))
            self._note_use(fields["agent"])
            return {"kind": "advice", "number": self.number, "used": sorted(self.used), **said}
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
        elif do in ("take_back", "restart"):
            play.take_back(1 if do == "take_back" else None)
        elif do == "agent_move":
            play.play_agent(self._agent(fields["agent"]))
        elif isinstance(play, SeatPlay):
            play.next_hand()
        else:
            raise ValueError("next_hand: this game is played alone; begin a new one")

    def _begin(
        self,
        game: str,
        variant: str | None,
        options: dict[str, str],
        deal: int | None,
        seat: int,
        opponents: list[str],
    ) -> None:
        found = GAMES[game]
        rules = found.make_rules(variant, options)
        chosen = None if deal is None else {"deal": deal, "bank": default_bank(game)}
        asked = found, variant, options, chosen
        if found.num_players(rules) > 1:
            for name in opponents:
                load_page_agent(name, found, rules, self.more)
            self.play = SeatPlay(*asked, seat, opponents)
        else:
            self.play = LonePlay(*asked)
        self.agents = {}

    def _find_replay(self, number: int) -> Replay:
        if number >= len(self.replays):
            raise ValueError(f"number={number}: there are {len(self.replays)} recorded games")
        return self.replays[number]

    def _show_replay(self, replay: Replay | None) -> dict[str, Any]:
        """Open a recorded game, or (None) the one that was just played; its review comes later."""
        seat = 0
        if replay is None:
            replay, seat = self._playing().replay()
        ticket = 1 + (self.shown.ticket if self.shown else 0)
        data = replay_data(replay, seat)
        del data["review"]
        self.shown = Shown(replay, seat, ticket)
        return {"kind": "replay", "ticket": ticket, "data": data}

    def review(self) -> dict[str, Any]:
        """Review the game that is looked at; it takes its time, and runs beside everything else."""
        shown = self.shown
        assert shown is not None
        self.reviewed = shown.ticket
        try:
            found = review_data(review_replay(shown.replay, shown.seat, WORLDS))
        except ValueError as error:
            found = {"error": f"there is no review: {error}"}
        return {"kind": "review", "ticket": shown.ticket, "review": found}

    def _playing(self) -> LonePlay | SeatPlay:
        if self.play is None:
            raise ValueError("no game has begun")
        return self.play

    def _agent(self, name: str) -> Agent:
        if name not in self.agents:
            if len(self.agents) >= MOST_AGENTS:
                self.agents.clear()
            play = self._playing()
            self.agents[name] = load_page_agent(name, play.game, play.rules, self.more)
        return self.agents[name]

    def _keep_result(self) -> None:
        play = self._playing()
        if play.has_new_result:
            play.has_new_result = False
            if self.store is not None:
                self.store.add(play.result())

    def judge(self) -> None:
        """Ask the solver about the position; it runs beside everything else, in one thread."""
        if self.play is not None:
            self.play.judge()

    def view(self) -> dict[str, Any]:
        """Return the message that shows all."""
        said: dict[str, Any] = {"kind": "view", "session": self.id, "number": self.number}
        said["used"] = sorted(self.used)
        if self.play is None:
            return said
        game, rules = self.play.game, self.play.rules
        said |= {"game": game.name, "agents": list_agents(game, rules, self.more)}
        if self.store is not None:
            said["tally"] = self.store.tally(game.name, game.rules_digest(rules))._asdict()
        return said | {"play": self.play.view()}


def answer(session: Session, do: str, fields: dict[str, Any]) -> dict[str, Any] | None:
    """Do as `Session.handle`; what is wrong becomes an answer, too."""
    try:
        return session.handle(do, fields)
    except (ValueError, IllegalActionError, ModuleNotFoundError) as error:
        return {"kind": "refused", "text": str(error)}


class Sessions:
    """All sessions by their id, at most so many."""

    def __init__(
        self,
        store: ResultStore | None = None,
        more: tuple[str, ...] = (),
        replays: tuple[Replay, ...] = (),
    ) -> None:
        self.store, self.more, self.replays = store, more, replays[:MOST_REPLAYS]
        self.used: set[str] = set()
        self.open: OrderedDict[str, Session] = OrderedDict()

    def find(self, session: str | None) -> Session:
        """Return a session by its id; a new one where there is none of that id any more."""
        given = self.store, self.more, self.replays, self.used
        found = self.open.get(session or "") or Session(*given)
        self.open[found.id] = found
        self.open.move_to_end(found.id)
        while len(self.open) > MOST_SESSIONS:
            self.open.popitem(last=False)
        return found


def list_games(replays: tuple[Replay, ...] = ()) -> dict[str, Any]:
    """Return the message that says what there is to play, and to look at."""
    games = [_describe(game) for game in GAMES.values()]
    return {"kind": "games", "games": games, "replays": [one.headline for one in replays]}


def _describe(game: Game) -> dict[str, Any]:
    return {
        "name": game.name,
        "title": game.title,
        "default": game.default,
        "variants": [
            {"name": name, "source": game.sources[name], "players": game.num_players(rules)}
            for name, rules in game.variants.items()
        ],
        "options": [row._asdict() for row in describe_options(game.rules)],
        "players": list(game.rule_agents),
    }
