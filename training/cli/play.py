"""``parlour play``: play in the terminal, or watch an agent.

`TerminalGame` holds the choices of the command line. `play_solitaire` plays games for one player,
`play_hands` plays a session of a game for several players.
"""

import argparse
import os
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from parlour.agents.explanation import explain
from parlour.agents.human import TAKEN_BACK, Answer, HumanAgent, PlayerQuit, PlayerUndo
from parlour.agents.registry import Agent, Turn, choose_actions, load_agent
from parlour.envs import CardEnv, Game, find_game
from parlour.envs.core.kernel.cards import default_deal_set
from parlour.envs.core.kernel.rng import key_words, new_key
from parlour.envs.core.options import check_range
from parlour.envs.core.rules_table import describe_rules
from parlour.envs.core.scene.scene import ansi

from ..evaluation.evaluation_spec import is_for_several
from ..evaluation.replays.replay import CUT, LEFT, OVER, Replay
from ..evaluation.replays.replay_files import append_replays
from ..evaluation.report.terminal import print_wrapped, wrap_lines
from ..files import make_record_file
from ..play.seats import SeatChoice, TableChoice, TableSession
from ..play.solitaire import Notice, SolitaireGame, make_agent_turn
from .arguments import (
    AGENT_HELP,
    MOST_HANDS,
    add_deal_set,
    add_game_and_rules,
    add_opponents,
    add_record,
    add_rules_mismatch,
    load_deck,
    read_deck,
    read_options,
    read_seconds,
    read_whole,
    refuse_flags,
)
from .process import attach_terminal
from .rules import rules_text

EXAMPLES = {
    "play": """\
  parlour play pyramid                          type cards (10h, T♥) or their numbers; ? for help
  parlour play pyramid --variant web --deal 17  play a numbered deal of the deal set
  parlour play pyramid --agent greedy           watch an agent, step by step
  parlour play pyramid --agent pimc --explain   watch an agent and its estimates
  parlour play pyramid --advisor mcts           type advice to see the estimates of mcts
  parlour play seven-twenty-seven --seat 2 --hands 10
  parlour play twenty-eight --until 6           play until a side has won or lost 6 stakes in total
  parlour play klondike --variant vegas --hands 5  play five games and add up their scores
""",
}


def add_play(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``parlour play``."""
    add_game_and_rules(parser)
    add_rules_mismatch(parser)
    parser.add_argument(
        "--agent", default="human", help=f"player: human, or {AGENT_HELP} (default: human)"
    )
    parser.add_argument(
        "--deck",
        type=read_deck,
        help="deck to play: card names in dealing order (Pyramid: top row first); - reads standard "
        "input",
    )
    parser.add_argument("--deal", type=read_whole(), help="number of the deal in the deal set")
    add_deal_set(parser)
    parser.add_argument(
        "--seed", type=read_whole(), help="seed of the random deal (default: random)"
    )
    parser.add_argument(
        "--evaluation-seed",
        metavar="TEXT",
        help="seed of the agents' random draws (default: random)",
    )
    parser.add_argument(
        "--seat",
        type=read_whole(),
        help="games for several players: seat to play or watch (default: 0)",
    )
    add_opponents(parser, "greedy and the rule-based agents", "following seats")
    parser.add_argument(
        "--hands",
        type=read_whole(MOST_HANDS),
        help="number of hands, or of games of a solitaire; the results are added up (default: 1; "
        "solitaire: until you quit)",
    )
    parser.add_argument(
        "--until",
        type=read_whole(MOST_HANDS),
        metavar="N",
        help="end the session when a seat or side has won or lost a total of N chips or stakes, or "
        "when the total score of a solitaire is N or more, or -N or less",
    )
    parser.add_argument(
        "--delay",
        type=read_seconds,
        help="seconds between the steps of a watched agent (default: wait for Enter)",
    )
    parser.add_argument(
        "--no-notice",
        action="store_true",
        help="solitaire: no warning when the deal is unwinnable or a move makes it unwinnable (the "
        "solver that finds this knows all cards)",
    )
    parser.add_argument(
        "--explain",
        action="store_true",
        help="show the estimates of a watched agent: probabilities, values, search statistics",
    )
    parser.add_argument(
        "--advisor",
        metavar="AGENT",
        help="agent that gives advice when you type advice (default: greedy)",
    )
    add_record(parser)


def run_play(arguments: argparse.Namespace) -> int:
    """Play in the terminal."""
    game, options = find_game(arguments.game), read_options(arguments.option)
    chosen: dict[str, Any] = {}
    if arguments.deck:
        rules = game.make_rules(arguments.variant, options)
        chosen["deck"] = load_deck(arguments.deck, game, rules)
        if arguments.deck == "-" and arguments.agent == "human":
            attach_terminal()
    if arguments.deal is not None:
        chosen["deal"] = arguments.deal
    if arguments.deal_set or arguments.deal is not None:
        chosen["deal_set"] = arguments.deal_set or default_deal_set(game.name)
    if chosen and arguments.seed is not None and arguments.agent == "human":
        raise ValueError(
            "--seed must not be combined with --deck or --deal: --seed draws a random deal"
        )
    if arguments.seed is not None:
        check_range("seed", arguments.seed, 0)
    colour = sys.stdout.isatty() and not os.environ.get("NO_COLOR")
    terminal = TerminalGame(
        game,
        arguments.variant,
        options,
        chosen or None,
        arguments.seed,
        arguments.delay,
        colour,
        evaluation_seed=arguments.evaluation_seed,
        allow_rules_mismatch=arguments.allow_rules_mismatch,
        notice=not arguments.no_notice,
        record=arguments.record,
        explain=arguments.explain,
        advisor=arguments.advisor or "greedy",
    )
    if arguments.agent != "human":
        refuse_flags(
            arguments,
            ("advisor",),
            "it advises a human player; --explain shows the estimates of a watched agent",
        )
    elif arguments.explain:
        raise ValueError(
            "--explain needs a watched agent (--agent AGENT). To get advice in your own game, type "
            "advice at your turn"
        )
    if arguments.record:
        make_record_file(arguments.record)
    if not is_for_several(game, arguments.variant and [arguments.variant], options):
        flags = ("seat", "opponents")
        refuse_flags(arguments, flags, f"these rules of {game.title} are for one player")
        check_length(arguments)
        play_solitaire(terminal, arguments.agent, arguments.hands, arguments.until)
        return 0
    check_length(arguments)
    hands = 1 if arguments.hands is None else arguments.hands
    seat = SeatChoice(arguments.seat or 0, arguments.opponents, hands, arguments.until)
    play_hands(terminal, seat, arguments.agent)
    return 0


def check_length(arguments: argparse.Namespace) -> None:
    """Raise ValueError if the length of the session is not a positive number, or is set twice."""
    if arguments.hands is not None and arguments.until is not None:
        raise ValueError(
            "--until must not be combined with --hands: both set the length of the session"
        )
    for name in ("hands", "until"):
        length = getattr(arguments, name)
        check_range(name, 1 if length is None else length, 1)


def ask_wrapped(prompt: str) -> str:
    """Read a line like `input`, and wrap a prompt that is wider than the terminal."""
    *above, last = wrap_lines(prompt.rstrip()).split("\n")
    for line in above:
        print(line)
    return input(f"{last} ")


class TerminalGame(NamedTuple):
    """A game in the terminal, with the settings of its deal and its display.

    Args:
        game: The game.
        variant: Name of the variant (None: the game's default).
        options: Options of the rules.
        chosen: Deck or numbered deal, as ``options`` of `CardEnv.reset`.
        seed: Seed of a random deal if none is chosen (None: random).
        delay: Seconds between the steps of a watched agent (None: wait for Enter).
        colour: Whether to color cards.
        ask: Takes a prompt and returns a line of input (None: `ask_wrapped`).
        say: Prints text.
        evaluation_seed: Seed of the agents' random draws (None: random).
        allow_rules_mismatch: See `load_agent`.
        notice: Whether to warn a human player when a solitaire becomes unwinnable.
        record: File to which games are appended.
        explain: Whether to show the explanations of a watched agent.
        advisor: Agent that a human player may ask for advice.
    """

    game: Game
    variant: str | None = None
    options: Mapping[str, Any] | None = None
    chosen: Mapping[str, Any] | None = None
    seed: int | None = None
    delay: float | None = None
    colour: bool = False
    ask: Callable[[str], str] | None = None
    say: Callable[[str], None] = print_wrapped
    evaluation_seed: str | None = None
    allow_rules_mismatch: bool = False
    notice: bool = True
    record: Path | None = None
    explain: bool = False
    advisor: str = "greedy"

    @property
    def say_thoughts(self) -> Callable[[str], None] | None:
        """The function that prints explanations; None if they are hidden."""
        return self.say if self.explain else None


def ask_player(player: Agent, turn: Turn, say: Callable[[str], None] | None = None) -> int:
    """Return the action of a player; first print its explanation with ``say`` (None: do not)."""
    if say is None:
        return int(choose_actions(player, turn)[0])
    explanation = explain(player, turn)
    say(f"\n{explanation}")
    return int(explanation.actions[0])


class Advisor:
    """The agent that a human player may ask for advice, and the position that it sees."""

    def __init__(
        self, terminal: TerminalGame, rules: Any, states: Callable[[], np.ndarray]
    ) -> None:
        self.terminal, self.rules, self.states = terminal, rules, states
        self.words = key_words(terminal.evaluation_seed or new_key())
        self.agent = load_agent(
            terminal.advisor,
            terminal.game,
            rules,
            terminal.seed or 0,
            terminal.allow_rules_mismatch,
        )
        if isinstance(self.agent, HumanAgent):
            raise ValueError("advisor must be an agent, got human")

    def advise(self) -> str:
        """Return the agent's explanation of the position as text."""
        game, states = self.terminal.game, self.states()
        turn = make_agent_turn(self.agent, game, self.rules, states, self.words)
        return str(explain(self.agent, turn))


def make_answers(terminal: TerminalGame, rules: Any, advisor: Advisor) -> dict[str, Answer]:
    """Return the answers to words that are not moves."""
    name = advisor.agent.name
    return {
        "rules": Answer("options of these rules", lambda: rules_text(terminal.game, rules)),
        "advice": Answer(f"estimates of {name} for this position", advisor.advise),
    }


def play_solitaire(
    terminal: TerminalGame, agent: str = "human", hands: int | None = None, until: int | None = None
) -> None:
    """Play a session of one game or several, and add up their scores.

    Args:
        terminal: The game and its settings. Games after the first one have random deals.
        agent: The player.
        hands: Number of games (None: until a human player leaves, or one game of a watched agent).
        until: Total score, in either direction, at which the session ends (None: none).

    Raises:
        ValueError: The rules, the deck, or the agent is invalid.
    """
    env = CardEnv(terminal.game, terminal.variant, illegal="raise", **dict(terminal.options or {}))
    advisor = Advisor(terminal, env.rules, lambda: env.rows.states)
    answers = make_answers(terminal, env.rules, advisor)
    player: Agent = (
        HumanAgent(
            terminal.ask or ask_wrapped, terminal.say, terminal.colour, answers, takes_back=True
        )
        if agent == "human"
        else load_agent(
            agent, terminal.game, env.rules, terminal.seed or 0, terminal.allow_rules_mismatch
        )
    )
    if agent != "human" and hands is None and until is None:
        hands = 1
    scores: list[int] = []
    """The scores of the finished games before the current one."""
    play = TerminalSolitaire(env, player, terminal, terminal.seed, terminal.chosen)
    try:
        while True:
            play.finish()
            games, total = len(scores) + 1, sum(scores) + play.score
            if games > 1 and (hands or until):
                terminal.say(f"After {games} games: total score {total}.")
            if games == hands or (until and abs(total) >= until):
                return
            if agent == "human":
                answer = _answer(terminal, "Another game? Enter: yes, u: undo, restart, q: quit > ")
                if answer in TAKEN_BACK:
                    play.take_back(TAKEN_BACK[answer])
                    continue
                if answer not in ("", "y", "yes"):
                    return
            scores.append(play.score)
            play = TerminalSolitaire(env, player, terminal, None, None)
    except (PlayerQuit, KeyboardInterrupt):
        play.record(LEFT)
        terminal.say("\nGoodbye.")


class TerminalSolitaire:
    """One deal of a solitaire in the terminal; a human player may take moves back."""

    def __init__(
        self,
        env: CardEnv,
        player: Agent,
        terminal: TerminalGame,
        seed: int | None,
        chosen: Mapping[str, Any] | None,
    ) -> None:
        self.env, self.player, self.terminal = env, player, terminal
        self.deal = SolitaireGame(env, seed, chosen)
        rules = describe_rules(env.game, env.rules, terminal.variant)
        terminal.say(f"{env.game.title}, {rules}, {self.deal.source}")
        self.words = key_words(terminal.evaluation_seed or new_key())
        by_person = isinstance(player, HumanAgent)
        self.notice = Notice(env.game, env.rules, by_person and terminal.notice)
        self.is_recorded = False
        if text := self.notice.at_start(self.deal.history):
            terminal.say(text)

    def finish(self) -> None:
        """Play to the end, and print the result."""
        env, deal = self.env, self.deal
        while not deal.is_over:
            turn = make_agent_turn(self.player, env.game, env.rules, env.rows.states, self.words)
            try:
                action = ask_player(self.player, turn, self.terminal.say_thoughts)
            except tuple(TAKEN_BACK.values()) as asked:
                self.take_back(type(asked))
                continue
            if not isinstance(self.player, HumanAgent):
                show_choice(self.terminal, env.rules, env.state, self.player, action)
            completed = deal.step(action)
            if completed and (text := self.notice.after_move(deal.history, deal.is_over)):
                self.terminal.say(text)
        self.record(CUT if deal.is_cut else OVER)
        self._end()

    def record(self, end: str) -> None:
        """Append the game to the record file once, if there is a file and an action."""
        path = self.terminal.record
        if path is None or self.is_recorded or not self.deal.actions:
            return
        self.is_recorded = True
        replay = self.deal.replay(self.terminal.variant, (self.player.name,), end)
        record_game(self.terminal, path, replay)

    @property
    def score(self) -> int:
        """The score of the position."""
        return int(self.env.state["score"])

    def take_back(self, reason: type[Exception]) -> None:
        """Take back one move or all moves."""
        by_one = reason is PlayerUndo
        if not self.deal.take_back(1 if by_one else None):
            self.terminal.say(
                "There is no move to take back." if by_one else "This is the start of the game."
            )
            return
        self.is_recorded = False

    def _end(self) -> None:
        terminal, result = self.terminal, self.deal.result()
        terminal.say("\n" + ansi(self.env.scene(), terminal.colour))
        text = str(result)
        ending = text.capitalize() if result.won else f"{self.deal.ending()}: {text}"
        terminal.say(f"{ending}.")
        lines = [self.notice.at_end(result.won)]
        if isinstance(self.player, HumanAgent):
            lines.append(self.deal.save_if_best(result))
        for line in filter(None, lines):
            terminal.say(line)


def record_game(terminal: TerminalGame, path: Path, replay: Replay) -> None:
    """Append a game to a file; print an error if that fails."""
    try:
        append_replays(path, [replay])
    except OSError as error:
        terminal.say(f"The game could not be recorded in {path}: {error.strerror or error}.")


def show_choice(
    terminal: TerminalGame, rules: Any, state: np.void, player: Agent, action: int
) -> None:
    """Show the action of a watched agent; raise PlayerQuit if the user leaves."""
    game = terminal.game
    terminal.say("\n" + ansi(game.layout(state, rules), terminal.colour))
    terminal.say(f"{player.name}: {game.describe_action(state, rules, action)}")
    if terminal.delay is not None:
        time.sleep(terminal.delay)
        return
    watched = terminal.ask is not None or sys.stdin.isatty()
    if watched and _answer(terminal, "Enter: continue, q: quit > ") in ("q", "quit"):
        raise PlayerQuit


def ask_again(terminal: TerminalGame, unit: str = "game") -> bool:
    """Ask whether to play another game or hand, and return the answer."""
    return _answer(terminal, f"Another {unit}? Enter: yes, q: quit > ") in ("", "y", "yes")


def _answer(terminal: TerminalGame, prompt: str) -> str:
    try:
        return (terminal.ask or ask_wrapped)(prompt).strip().lower()
    except EOFError:
        raise PlayerQuit from None


def play_hands(terminal: TerminalGame, seat: SeatChoice, agent: str = "human") -> None:
    """Play hands of one session until the human player leaves, or watch an agent.

    The actions of all seats are printed as they are played.

    Raises:
        ValueError: The rules, the deck, the seat, a number, or an agent is invalid.
    """
    session = TerminalSession(terminal, seat, agent)
    try:
        while True:
            session.play_hands()
            if seat.until or agent != "human" or not ask_again(terminal, "hand"):
                return
    except (PlayerQuit, KeyboardInterrupt):
        session.record(LEFT)
        terminal.say("\nGoodbye.")


class TerminalSession(TableSession):
    """A session of a game for several players in the terminal."""

    def __init__(self, terminal: TerminalGame, seat: SeatChoice, agent: str) -> None:
        self.terminal = terminal
        game, rules = terminal.game, terminal.game.make_rules(terminal.variant, terminal.options)
        choice = TableChoice(
            game,
            rules,
            terminal.chosen,
            terminal.seed,
            terminal.evaluation_seed,
            terminal.allow_rules_mismatch,
        )
        self.hands, self.until = seat.hands, seat.until
        super().__init__(choice, seat, self._make_person(rules) if agent == "human" else agent)

    def _make_person(self, rules: Any) -> HumanAgent:
        terminal = self.terminal
        advisor = Advisor(terminal, rules, lambda: self.rows.states)
        answers = make_answers(terminal, rules, advisor)
        return HumanAgent(terminal.ask or ask_wrapped, terminal.say, terminal.colour, answers)

    def play_hands(self) -> None:
        """Play the chosen number of hands, or until the chosen total is reached."""
        if self.until is None:
            for _ in range(self.hands):
                self.play_hand()
            return
        while np.abs(self.totals).max() < self.until * self.unit:
            self.play_hand()

    def play_hand(self) -> None:
        """Play one hand, and print its result and the totals."""
        self._begin()
        while not self.is_over:
            action, agent = self.choose(), self.agents[self.seat]
            if isinstance(agent, HumanAgent):
                phrase = self.game.describe_action(self.rows.states[0], self.rules, action)
                self.terminal.say(f"\nYou {phrase}")
            elif self.seat == self.own_seat:
                show_choice(self.terminal, self.rules, self.rows.states[0], agent, action)
            self.play(action)
            self._print_events()
        self.record(OVER)
        self._end()

    def choose(self) -> int:
        """Return the action of the seat whose turn it is."""
        say = self.terminal.say_thoughts if self.seat == self.own_seat else None
        return ask_player(self.agents[self.seat], self.make_turn(), say)

    def record(self, end: str) -> None:
        """Append the hand to the record file once, if there is a file and an action."""
        path = self.terminal.record
        if path is not None and self.actions:
            record_game(self.terminal, path, self.replay(self.terminal.variant, end))
        self.actions = []

    def _begin(self) -> None:
        """Deal, and print the rules and the seats."""
        self.begin_hand()
        if self.hand == 1:
            name = describe_rules(self.game, self.rules, self.terminal.variant)
            self.terminal.say(f"{self.game.title}, {name}, {self.source}")
            names = ", ".join(self._name_seat(seat) for seat in range(self.players))
            self.terminal.say(names)
        else:
            self.terminal.say(f"\nHand {self.hand}")

    def _print_events(self) -> None:
        if self.events and len(self.actions) == 1:
            self.terminal.say("")
        for event in self.events:
            self.terminal.say(event)
        self.events = []

    def _end(self) -> None:
        scene = self.game.layout(self.own_state(), self.rules)
        self.terminal.say("\n" + ansi(scene, self.terminal.colour))
        self.terminal.say(f"Result: {self._nets_text(self.nets)}.")
        if self.hand > 1:
            self.terminal.say(f"After {self.hand} hands: {self._nets_text(self.totals)}.")

    def _nets_text(self, nets: np.ndarray) -> str:
        units = nets / self.unit
        results = (f"{self._name_seat(seat)} {units[seat]:+g}" for seat in range(self.players))
        return f"{', '.join(results)} ({self.unit_name})"

    def _name_seat(self, seat: int) -> str:
        if isinstance(self.agents[seat], HumanAgent):
            return f"seat {seat} (you)"
        return f"seat {seat} ({self.agents[seat].name})"
