"""Golden playthroughs: one game of every variant, written out; ``python -m tests.golden.make``.

They show a reader how a variant goes, and any change of rules, deals, rewards, observations or
drawings as a difference. ``banks.txt`` holds the digests of the deal banks: a bank once published
never changes, so a line that is there is not written anew.
"""

import random
from hashlib import sha256
from pathlib import Path

import numpy as np

from parlour.envs import GAMES, CardEnv, Game
from parlour.envs.core.cards import name
from parlour.envs.core.deals import decks_digest, default_bank
from parlour.envs.core.options import plain
from parlour.envs.core.rows import Rows
from parlour.envs.core.scene import ansi

FOLDER = Path(__file__).parent
BANKS = "banks.txt"
BANK_DECKS = 1000
DEALS = 40
"""The game shown is the first of these deals that is won, or else the one with the best score."""
MAX_MOVES = 120
TABLE_EVERY = 10


def choose(env: CardEnv, rng: random.Random) -> int:
    """Mostly the first legal action: in patience games cards before turns. Knows no game."""
    can = [int(action) for action in np.flatnonzero(env.action_masks())]
    return can[0] if rng.random() < 0.85 else can[int(rng.random() * len(can))]


def playthrough(game: Game, variant: str) -> str:
    """The game of a variant as text, ending in a line feed."""
    return max((play(game, variant, deal) for deal in range(DEALS)), key=lambda one: one[0])[1]


def play(game: Game, variant: str, deal: int) -> tuple[tuple[bool, int], str]:
    """Play a numbered deal; return how good the result is, and the text."""
    env = CardEnv(game, variant, encoding="codes", max_moves=MAX_MOVES)
    rng = random.Random(deal)
    observation, info = env.reset(options={"deal": deal})
    seen = sha256()
    lines = [*heading(env, deal), *table(env)]
    steps, over = 0, False
    while not over:
        observe(seen, env, observation)
        legal = " ".join(str(action) for action in np.flatnonzero(info["action_mask"]))
        action = choose(env, rng)
        observation, reward, terminated, truncated, info = env.step(action)
        steps, over = steps + 1, terminated or truncated
        step = f"{steps:4}  {f'{action} {game.label(action)}':14} {reward:+.4f}   legal {legal}"
        lines.append(step)
        if steps % TABLE_EVERY == 0 or over:
            lines += table(env)
    observe(seen, env, observation)
    result = {key: value for key, value in info.items() if key != "action_mask"}
    lines.append(fact("end", "terminated" if terminated else "truncated"))
    lines += [fact(key, said(value)) for key, value in result.items()]
    lines.append(fact("steps", str(steps)))
    lines.append(fact("observed", seen.hexdigest()[:32]))
    return (result[env.game.goal], result["score"]), "\n".join(lines) + "\n"


def heading(env: CardEnv, deal: int) -> list[str]:
    game, deck = env.game, [name(int(card)) for card in env.state["deck"]]
    rows = [" ".join(deck[i : i + 13]) for i in range(0, len(deck), 13)]
    return [
        f"{game.title}, {game.variant_of(env.rules)}: {game.id}",
        "",
        *(fact(option, said(value)) for option, value in plain(env.rules).items()),
        fact("rules", game.rules_digest(env.rules)),
        fact("features", game.features_digest),
        fact("deal", f"{deal} of {default_bank(game.name)}"),
        *(fact("deck" if i == 0 else "", row) for i, row in enumerate(rows)),
    ]


def fact(label: str, value: str) -> str:
    return f"{label:18} {value}"


def said(value: object) -> str:
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)


def table(env: CardEnv) -> list[str]:
    return ["", *(line.rstrip() for line in ansi(env.scene()).split("\n")), ""]


def observe(seen: "sha256", env: CardEnv, observation: np.ndarray) -> None:  # type: ignore[valid-type]
    """Take an observation into a digest, in both encodings, and the mask that goes with it."""
    seen.update(observation.tobytes())
    seen.update(env.game.features.onehot(observation[None]).tobytes())
    seen.update(env.action_masks().tobytes())


def bank_line(game: Game) -> str:
    rows = Rows(game, game.rules_of(), BANK_DECKS)
    bank = default_bank(game.name)
    rows.deal_bank(bank, range(BANK_DECKS))
    return f"{bank} {BANK_DECKS} {decks_digest(rows.states['deck'])}"


def banks_written() -> list[str]:
    file = FOLDER / BANKS
    return file.read_text(encoding="utf-8").splitlines() if file.exists() else []


def playthroughs() -> dict[str, str]:
    """All playthroughs by the path of their file, from this folder."""
    return {
        f"{game.name}/{variant}.txt": playthrough(game, variant)
        for game in GAMES.values()
        for variant in game.variants
    }


def main() -> None:
    texts = playthroughs()
    for file in FOLDER.glob("*/*.txt"):
        if file.relative_to(FOLDER).as_posix() not in texts:
            file.unlink()
    for path, text in texts.items():
        (FOLDER / path).parent.mkdir(exist_ok=True)
        (FOLDER / path).write_bytes(text.encode())
    banks = {line.split()[0]: line for line in map(bank_line, GAMES.values())}
    for line in banks_written():
        bank = line.split()[0]
        if banks.get(bank, line) != line:
            raise SystemExit(f"{bank} has other decks than when it was published: rename the bank")
        banks[bank] = line
    (FOLDER / BANKS).write_bytes("".join(f"{line}\n" for line in banks.values()).encode())


if __name__ == "__main__":
    main()
