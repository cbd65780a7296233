"""Can one agent play rules that it was not trained on?

It is trained on half of a game's option sets and tested on the other half.

    python -m research.many_rules                        # Pyramid, its option sets: hours
    python -m research.many_rules --game poker_squares   # the same for the points of hands
    python -m research.many_rules --preset quick         # takes minutes; a test of the script
    python -m research.many_rules --agents runs/pyramid-many-many/seed-0/agent pimc@4

Three kinds of agents play the same deals by the same rules:

- ``generalist``: trained on the option sets with even numbers, each new game by another of them;
- ``specialist``: trained on one variant only, for as many steps, one agent for each;
- ``greedy``.

They are tested on the sets with odd numbers, on which none of them was trained, and on the
specialists' own rules. Rates are means over rules, each with the same number of deals; the interval
is over rules, by bootstrap. Finished runs are not trained again, so the same command resumes.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import tyro

from benchmarks.reports import write_json
from parlour.agents.registry import load_agent
from parlour.envs import Game, find_game
from parlour.envs.core.kernel.cards import deal_seeds, default_deal_set
from parlour.envs.core.rules_table import describe_rules
from parlour.envs.games.poker_squares.rules import AMERICAN, ENGLISH
from parlour.training.evaluation.play import play_deals
from parlour.training.evaluation.stats import bootstrap_mean
from parlour.training.learning.settings.base import ManyRulesSettings
from parlour.training.learning.settings.files import preset
from parlour.training.learning.train import RULES, resume, train


@dataclass(frozen=True)
class Subject:
    """The option sets of a game, and its specialists."""

    variant: str
    """The variant that option sets are made from."""
    options: dict[str, Any]
    """Options of all sets, and of the specialists."""
    names: tuple[str, ...]
    """The options that vary (default: all others)."""
    specialists: dict[str, tuple[str, dict[str, Any]]]
    """The rules of each specialist: a variant, and options besides the common ones."""


SUBJECTS = {
    "pyramid": Subject(
        "three-passes",
        # No solver, and so no `pimc` to learn from, knows shuffled redeals. UNDO opens no new win
        # and can be played for ever.
        {"shuffle_redeal": False, "undo": False},
        (),
        {name: (name, {}) for name in ("three-passes", "classic", "book", "open-stock")},
    ),
    "poker_squares": Subject(
        "classic",
        {"scoring": "custom"},
        ("points",),
        {
            "american": ("classic", {"points": AMERICAN}),
            "english": ("classic", {"points": ENGLISH}),
        },
    ),
}
SIZES = {
    "full": {"steps": 20_000_000, "sets": 400, "tested": 100, "deals": 2000},
    "quick": {"steps": 60_000, "sets": 20, "tested": 6, "deals": 100},
}


@dataclass(frozen=True)
class Options:
    """The agents to train and the deals to test them on."""

    game: str = "pyramid"
    learner: str = "ppo"
    """The preset of all runs, of method ppo or distill."""
    preset: str = "full"
    """full or quick: the defaults of steps, sets, tested and deals."""
    steps: int | None = None
    """Steps of each training run."""
    sets: int | None = None
    """Option sets; the even half is for training."""
    tested: int | None = None
    """Sets of the odd half to test on."""
    first: int = 0
    """The first of these sets."""
    deals: int | None = None
    """Deals by each of the rules."""
    deal_set: str | None = None
    """The deal set (None: the game's default)."""
    seed: int = 0
    """The seed of the training runs."""
    threads: int = 1
    agents: tuple[str, ...] = ()
    """Agents to test instead of training any: saved ones, or such as pimc@4."""
    runs: Path = Path("runs/many_rules")
    """The folder of the runs."""
    json: Path | None = None
    """A file for all figures."""


def fill(options: Options) -> Options:
    """Return options with the sizes of their preset filled in; raise ValueError for bad ones."""
    for name, value, known in (("game", options.game, SUBJECTS), ("preset", options.preset, SIZES)):
        if value not in known:
            raise ValueError(f"{name}={value!r}: allowed are {', '.join(known)}")
    given = {name: getattr(options, name) for name in SIZES["full"]}
    sizes = {name: SIZES[options.preset][name] if v is None else v for name, v in given.items()}
    low = min(options.first + 1, *sizes.values())
    if options.first + sizes["tested"] > sizes["sets"] // 2 or low < 1:
        raise ValueError(
            f"sets={sizes['sets']}, first={options.first}, tested={sizes['tested']}: at most half, "
            "at least 1 (first: 0)"
        )
    return replace(options, **sizes)


def make_settings(options: Options, /, **changes: Any) -> ManyRulesSettings:
    """Return the settings of one of the runs, made from the learner's preset."""
    assert options.steps and options.deals and options.sets
    base = preset(options.game, options.learner)
    if not isinstance(base, ManyRulesSettings):
        raise ValueError(f"learner={options.learner!r}: method {base.method} learns by one variant")
    if options.preset == "quick":
        changes |= {"n_envs": 64, "n_steps": 32, "batch_size": 512}
    return replace(
        base, total_steps=options.steps, eval_deals=max(options.deals, options.sets),
        seeds=(options.seed,), threads=options.threads, runs=str(options.runs), **changes,
    )  # fmt: skip


def name_run(options: Options, agent: str) -> str:
    """Return the name of a run, which contains everything that it depends on."""
    parts = (options.learner, options.preset, options.steps, options.seed)
    return "-".join(map(str, (agent, *parts)))


def train_once(settings: ManyRulesSettings) -> str:
    """Train or resume a run unless it is finished; return its agent's folder."""
    started = list(Path(settings.runs).glob(f"{settings.game}-*-{settings.name}/{RULES}"))
    folder = resume(started[0].parent) if started else train(settings)
    return str(folder / f"seed-{settings.seeds[0]}" / "agent")


def describe_generalist(options: Options) -> ManyRulesSettings:
    """Return the settings of the generalist's run."""
    subject = SUBJECTS[options.game]
    return make_settings(
        options,
        name=name_run(options, f"generalist-{options.sets}"),
        variant=subject.variant,
        options=subject.options,
        option_sets=options.sets,
        option_names=subject.names,
        option_split="even",
    )


def describe_specialists(options: Options) -> dict[str, ManyRulesSettings]:
    """Return the settings of each specialist's run, by its name."""
    subject = SUBJECTS[options.game]
    return {
        name: make_settings(
            options,
            name=name_run(options, name),
            variant=variant,
            options=subject.options | more_options,
        )
        for name, (variant, more_options) in subject.specialists.items()
    }


def train_all(options: Options) -> dict[str, str]:
    """Train the generalist and the specialists; return their folders by name.

    If ``agents`` are given, return these by name and train nothing.
    """
    if options.agents:
        return {spec: spec for spec in options.agents}
    folders = {"generalist": train_once(describe_generalist(options))}
    for name, settings in describe_specialists(options).items():
        folders[f"specialist {name}"] = train_once(settings)
    return folders


def play(options: Options, game: Game, agents: Mapping[str, str], rules: Any) -> dict[str, float]:
    """Return for each agent the mean of the game's measure by some rules."""
    assert options.deals is not None
    seeds = deal_seeds(options.deal_set or default_deal_set(game.name), range(options.deals))
    means = {}
    for name, spec in agents.items():
        agent = load_agent(spec, game, rules, options.seed, allow_rules_mismatch=True)
        results = play_deals(
            game, rules, agent, seeds, evaluation_seed=f"many rules {options.seed} {name}"
        )
        means[name] = float(results.facts[game.measure].mean())
    return means


def play_all(options: Options, agents: Mapping[str, str]) -> dict[str, dict[str, Any]]:
    """Test all agents on the odd sets and the variants; return the means of each set of rules."""
    game = find_game(options.game)
    odd = replace(describe_generalist(options), option_split="odd").list_rules().rules
    assert options.tested is not None
    odd = odd[options.first : options.first + options.tested]
    variants = [one.list_rules().only for one in describe_specialists(options).values()]
    groups = {"unseen sets": odd, "the specialists' rules": variants}
    return {
        group: {describe_rules(game, rules): play(options, game, agents, rules) for rules in listed}
        for group, listed in groups.items()
    }


def summarize(by_rules: Mapping[str, Mapping[str, float]]) -> list[dict[str, Any]]:
    """Return for each agent its mean over rules and its difference to greedy, with intervals."""
    lines = []
    for name in next(iter(by_rules.values())):
        means = np.array([of_agents[name] for of_agents in by_rules.values()])
        greedy = np.array([of_agents["greedy"] for of_agents in by_rules.values()])
        lines.append(
            {
                "agent": name,
                "mean": bootstrap_mean(means)._asdict(),
                "over_greedy": bootstrap_mean(means - greedy)._asdict(),
                "better_on": float((means > greedy).mean()),
            }
        )
    return lines


def make_table(game: Game, group: str, k: int, lines: Sequence[Mapping[str, Any]]) -> str:
    """Return the summary of some rules as Markdown; rates in percent."""
    factor = 100 if game.measure == "won" else 1
    out = [f"{game.title}, {group}: {k} rules", ""]
    out.append(f"| agent | {game.measure} | over greedy | above greedy on |")
    out.append("| --- | ---: | ---: | ---: |")
    for line in lines:
        mean, over = (
            "{mean:.2f} [{low:.2f}, {high:.2f}]".format(
                **{name: factor * line[fact][name] for name in ("mean", "low", "high")}
            )
            for fact in ("mean", "over_greedy")
        )
        out.append(f"| {line['agent']} | {mean} | {over} | {line['better_on']:.0%} |")
    return "\n".join(out) + "\n"


def main(options: Options) -> None:
    """Train and test; print the tables."""
    options = fill(options)
    game = find_game(options.game)
    agents = {"greedy": "greedy", **train_all(options)}
    results = play_all(options, agents)
    summaries = {group: summarize(by_rules) for group, by_rules in results.items()}
    for group, lines in summaries.items():
        print(make_table(game, group, len(results[group]), lines))
    if options.json:
        figures = {"options": {**vars(options), "runs": str(options.runs), "json": None}}
        write_json(options.json, figures | {"by_rules": results, "summary": summaries})


if __name__ == "__main__":
    main(tyro.cli(Options, description=__doc__))
