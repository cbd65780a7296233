"""Golden playthroughs: one game of every variant, written out.

``python -m tests.golden.make`` writes them anew, with the names of games after it only theirs.

They show a reader how a variant goes, and any change of rules, deals, rewards, observations or
drawings as a difference. Of a game for several every seat is played from here; the table is drawn
as the seat sees it that acts next, and what each seat sees is in the digest. ``deal_sets.txt``
holds the digests of the deal sets. A published deal set never changes, so existing lines are not
rewritten.
"""

import random
import sys
from collections.abc import Iterable, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np

from parlour.envs import GAMES, CardEnv, Game, find_game
from parlour.envs.core.kernel.cards import card_name, decks_digest, default_deal_set
from parlour.envs.core.options import to_plain
from parlour.envs.core.rows import Rows, copy_states, observation_codes, view_states
from parlour.envs.core.scene.scene import Scene, ansi
from tests.walkers import MOST_STEPS, no_end

FOLDER = Path(__file__).parent
DEAL_SETS = "deal_sets.txt"
DEAL_SET_DECKS = 1000
DEALS = 40
"""The game shown is the first of these deals that is won, or else the one with the best score; of
a game for several, that in which one of the seats wins most."""
MAX_MOVES = 120
TABLE_EVERY = 10


def choose(env: CardEnv, rng: random.Random) -> int:
    """Mostly the first legal action: in patience games cards before turns. Knows no game."""
    can = [int(action) for action in np.flatnonzero(env.action_masks())]
    return can[0] if rng.random() < 0.85 else can[int(rng.random() * len(can))]


def choose_in_turn(legal: list[int], rng: random.Random) -> int:
    """One of the first three legal actions: of many ways to bet one of the lowest."""
    return legal[int(rng.random() * min(3, len(legal)))]


def playthrough(game: Game, variant: str, deals: Iterable[int] = range(DEALS)) -> str:
    """The game of a variant as text, ending in a line feed."""
    several = game.num_players(game.variants[variant]) > 1
    config = play_in_turn if several else play
    return max((config(game, variant, deal) for deal in deals), key=lambda one: one[0])[1]


def play(game: Game, variant: str, deal: int) -> tuple[tuple[bool, int], str]:
    """Play a numbered deal; return how good the result is, and the text."""
    env = CardEnv(game, variant, encoding="codes", max_moves=MAX_MOVES)
    rng = random.Random(deal)
    observation, info = env.reset(options={"deal": deal})
    seen = sha256()
    lines = [*heading(env.game, env.rules, env.state, deal), *table(env.scene())]
    steps, over = 0, False
    while not over:
        observe(seen, game, observation, env.action_masks())
        legal = " ".join(str(action) for action in np.flatnonzero(info["action_mask"]))
        action = choose(env, rng)
        observation, reward, terminated, truncated, info = env.step(action)
        steps, over = steps + 1, terminated or truncated
        step = f"{steps:4}  {f'{action} {game.label(action)}':14} {reward:+.4f}   legal {legal}"
        lines.append(step)
        if steps % TABLE_EVERY == 0 or over:
            lines += table(env.scene())
    observe(seen, game, observation, env.action_masks())
    added = ("action_mask", "is_success")  # the second is the aim once more
    result = {key: value for key, value in info.items() if key not in added}
    lines.append(fact("end", "terminated" if terminated else "truncated"))
    lines += [fact(key, output(value)) for key, value in result.items()]
    lines.append(fact("steps", str(steps)))
    lines.append(fact("observed", seen.hexdigest()[:32]))
    return (result[env.rows.goal_name], result["score"]), "\n".join(lines) + "\n"


def play_in_turn(game: Game, variant: str, deal: int) -> tuple[tuple[bool, int], str]:
    """Play a numbered deal of a game for several, all seats; return the same as `play`."""
    rules = game.make_rules(variant)
    rows, seats = Rows(game, rules, 1), range(game.num_players(rules))
    rng, seen = random.Random(deal), sha256()
    rows.deal_numbered(default_deal_set(game.name), [deal])
    lines = [*heading(game, rules, rows.states[0], deal), *table(seats_view(rows, 0))]
    paid, steps = rows.buffers.rewards[0, : len(seats)].copy(), 0
    while not rows.states["over"][0]:
        for seat in seats:
            observe_seat(seen, rows, seat)
        turn, legal = int(rows.states["turn"][0]), np.flatnonzero(rows.buffers.masks[0]).tolist()
        action = choose_in_turn(legal, rng)
        rows.step(np.array([action]))
        paid += rows.buffers.rewards[0, : len(seats)]
        steps += 1
        assert steps < MOST_STEPS, no_end(rows, MOST_STEPS)
        can = " ".join(map(str, legal))
        lines.append(f"{steps:4}  seat {turn}  {f'{action} {game.label(action)}':18} legal {can}")
        over = bool(rows.states["over"][0])
        if steps % TABLE_EVERY == 0 or over:
            lines += table(seats_view(rows, 0 if over else int(rows.states["turn"][0])))
    for seat in seats:
        observe_seat(seen, rows, seat)
    results = game.results(
        copy_states(rows.states, np.zeros(len(seats), int)), rules, np.arange(len(seats))
    )
    lines.append(fact("end", "terminated"))
    for key, values in results.items():
        lines.append(fact(key, "  ".join(output(value.item()) for value in values)))
    lines.append(fact("reward", "  ".join(f"{reward:+.4f}" for reward in paid)))
    lines += [fact("steps", str(steps)), fact("observed", seen.hexdigest()[:32])]
    most = int(results["score"].max())
    return (most > 0, most), "\n".join(lines) + "\n"


def as_seen(rows: Rows, seat: int) -> np.ndarray:
    return view_states(rows.game, rows.rules, rows.states, np.array([seat]))


def seats_view(rows: Rows, seat: int) -> Scene:
    return rows.game.layout(as_seen(rows, seat)[0], rows.rules)


def observe_seat(seen: Any, rows: Rows, seat: int) -> None:
    """Take what a seat sees into a digest, and the mask for the one that acts."""
    asked = rows.states["turn"][0] == seat or rows.states["over"][0]
    mask = rows.buffers.masks[0].astype(np.bool_) & bool(asked)
    observe(seen, rows.game, observation_codes(as_seen(rows, seat))[0], mask)


def heading(game: Game, rules: Any, state: np.void, deal: int) -> list[str]:
    deck = [card_name(int(card)) for card in state["deck"] if card]
    rows = [" ".join(deck[i : i + 13]) for i in range(0, len(deck), 13)]
    dealer = [fact("dealer", str(state["dealer"]))] if game.has_dealer else []
    return [
        f"{game.title}, {game.variant_name(rules)}: {game.id}",
        "",
        *(fact(option, output(value)) for option, value in to_plain(rules).items()),
        fact("rules", game.rules_digest(rules)),
        fact("features", game.features_digest),
        fact("deal", f"{deal} of {default_deal_set(game.name)}"),
        *dealer,
        *(fact("deck" if i == 0 else "", row) for i, row in enumerate(rows)),
    ]


def fact(label: str, value: str) -> str:
    return f"{label:18} {value}"


def output(value: object) -> str:
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)


def table(scene: Scene) -> list[str]:
    return ["", *(line.rstrip() for line in ansi(scene).split("\n")), ""]


def observe(seen: Any, game: Game, observation: np.ndarray, mask: np.ndarray) -> None:
    """Take an observation into a digest, in both encodings, and the mask that goes with it."""
    seen.update(observation.tobytes())
    seen.update(game.features.onehot(observation[None]).tobytes())
    seen.update(mask.tobytes())


def deal_set_line(game: Game) -> str:
    rows = Rows(game, game.make_rules(), DEAL_SET_DECKS)
    deal_set = default_deal_set(game.name)
    rows.deal_numbered(deal_set, range(DEAL_SET_DECKS))
    return f"{deal_set} {DEAL_SET_DECKS} {decks_digest(rows.states['deck'])}"


def deal_sets_written() -> list[str]:
    file = FOLDER / DEAL_SETS
    return file.read_text(encoding="utf-8").splitlines() if file.exists() else []


def playthroughs(games: Iterable[Game]) -> dict[str, str]:
    """All playthroughs of some games by the path of their file, from this folder."""
    texts = {}
    for game in games:
        for variant in game.variants:
            path = f"{game.name}/{variant}.txt"
            print(path, file=sys.stderr, flush=True)
            texts[path] = playthrough(game, variant)
    return texts


def main(names: Sequence[str] = ()) -> None:
    """Write the playthroughs of the games named (of all if none is), and the deal sets."""
    games = [find_game(name) for name in names] or list(GAMES.values())
    texts, left = playthroughs(games), set(GAMES) - {game.name for game in games}
    for file in FOLDER.glob("*/*.txt"):
        kept = bool(names) and file.parent.name in left
        if file.relative_to(FOLDER).as_posix() not in texts and not kept:
            file.unlink()
    for path, text in texts.items():
        (FOLDER / path).parent.mkdir(exist_ok=True)
        (FOLDER / path).write_bytes(text.encode())
    deal_sets = {line.split()[0]: line for line in map(deal_set_line, GAMES.values())}
    for line in deal_sets_written():
        deal_set = line.split()[0]
        if deal_sets.get(deal_set, line) != line:
            raise SystemExit(
                f"{deal_set} has other decks than when it was published: rename the deal set"
            )
        deal_sets[deal_set] = line
    (FOLDER / DEAL_SETS).write_bytes("".join(f"{line}\n" for line in deal_sets.values()).encode())


if __name__ == "__main__":
    main(sys.argv[1:])
