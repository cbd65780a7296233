"""``parlour model-card``: write the model card of a saved agent from its files and evaluations."""

import argparse
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from parlour.agents.networks.options import BASE
from parlour.agents.registry import can_load
from parlour.agents.saved import (
    AFTERSTATES,
    AGENT_FILE,
    NO_ENCODING,
    PLANS,
    PRETRAINED_FOLDER,
    digest_agent,
    find_agent_folder,
    load_saved_agent,
    read_description,
    read_rules,
)
from parlour.agents.validation import NUMBER, TABLE, TEXT, check_fields, name_file_in_errors, whole
from parlour.envs import Game, find_game
from parlour.envs.core.options import changed_options, options_text

from ..benchmark.entries import read_results
from ..benchmark.leaderboard import NOTHING, list_leaderboards, title_task
from ..benchmark.tasks import OPPONENTS, find_task
from ..evaluation.compare import compare
from ..evaluation.report.terminal import print_notice, time_text
from ..evaluation.result import Evaluation, per_hand
from ..evaluation.stats import Estimate
from .arguments import MOST_DEALS, read_line, read_path, read_whole
from .benchmark import CARD_FILE, RESULTS, write_leaderboard
from .output import markdown_table, write_page

BLOCK_NAME = "card"
DEALS = 500
"""Number of deals for an agent without a benchmark entry."""
EVALUATION_SEED = "model-card"
"""Evaluation seed of agents without a benchmark entry."""
READS = {
    NO_ENCODING: "the visible part of the state, as weighted features of the game's heuristic",
    AFTERSTATES: "the visible part of the state, as features of the afterstate of each action",
    PLANS: "the visible part of the state, as features of the position after each plan",
}
"""Input of an agent by its encoding, for agents that do not read the observation."""
TRAINED_FIELDS = {
    "seed": whole(0, 2**63)._replace(optional=True),
    "versions": TABLE._replace(optional=True),
}
SCORED_FIELDS = {
    "steps": whole(0, 10**18)._replace(optional=True),
    "deal_set": TEXT._replace(optional=True),
}
ESTIMATE_FIELDS = dict.fromkeys(Estimate._fields, NUMBER)
"""Fields of the means in ``scored`` that a card shows."""
CONTINUED = ("initial", "positions")
"""Settings that make a training run continue from other runs."""
NOT_RECORDED = "not recorded"
RESULTS_NOTE = """\
Bold rows use this agent. Brackets show 95 % intervals. *Below upper bound* is the distance to the
result with all cards known, on the same deals; ≈ marks the distance to the best agent that sees
all cards. Times depend on the load of the machine.
"""
UNPLAYED = "The agent has no result yet. Add it to the benchmark: `parlour benchmark add`.\n"


class Results(NamedTuple):
    """The results of an agent, and of others, with one set of rules."""

    title: str
    """Game and rules."""
    table: str
    """The table of all agents, and its notes, as Markdown."""
    better: str
    """The best agent that does not see hidden cards, empty if it is the agent of the card."""


EXAMPLES = {
    "model-card": """\
  parlour model-card runs/pyramid-three-passes-mine
  parlour model-card runs/mine/seed-0/agent --deals 10000 --search pimc@40

The model card is README.md in the agent's folder. Results come from the benchmark if it has an
entry of the agent; otherwise the command evaluates the agent.
""",
}


def add_model_card(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``parlour model-card``."""
    parser.add_argument(
        "folder",
        type=read_path,
        metavar="FOLDER",
        help="folder of a saved agent, or of its training run",
    )
    parser.add_argument(
        "--deals",
        type=read_whole(MOST_DEALS),
        default=DEALS,
        help=f"number of deals if the agent has no benchmark entry (default: {DEALS})",
    )
    parser.add_argument(
        "--search",
        type=read_line,
        metavar="AGENT",
        help="search to compare the agent with (default: hindsight@100 in Klondike, pimc@8 in "
        "other games with an exact solver, else mcts@100)",
    )
    parser.add_argument(
        "--results",
        type=read_path,
        default=RESULTS,
        metavar="FOLDER",
        help="folder of benchmark results (default: benchmarks/results of the cloned repository)",
    )


def run_model_card(arguments: argparse.Namespace) -> int:
    """Write README.md next to ``agent.json``; first evaluate an agent without benchmark entry."""
    folder = find_agent_folder(arguments.folder)
    results = list_known(folder, arguments.results)
    if not results and _way_to_cards(folder):
        print_notice(f"{folder} has no benchmark entry: add it with parlour benchmark run or add")
    elif not results:
        results = [evaluate_for_card(folder, arguments.deals, arguments.search)]
    page = folder / CARD_FILE
    write_page(page, folder.resolve().name, BLOCK_NAME, partial(write_card, folder, results))
    print(f"written: {page}")
    return 0


def list_known(folder: Path, store: Path) -> list[Results]:
    """Return the benchmark results of all tasks for which a saved agent has an entry.

    Without the folder of results, ``store``, the list is empty.
    """
    if not store.is_dir():
        return []
    digest, entries = digest_agent(folder), read_results(store)
    tasks = {entry.task for entry in entries if entry.agent_digest == digest}
    results = []
    for task, rows in list_leaderboards(entries, tasks).items():
        best = next(row for row in rows if not row.sees_all)
        table = write_leaderboard(rows, _way_to_cards(folder), digest)
        better = "" if best.has_agent(digest) else best.method
        results.append(Results(title_task(find_task(task)), table, better))
    return results


def _game_of(folder: Path) -> tuple[Game, Any]:
    """Return the game of a saved agent, and the (first) rules of its training."""
    game = find_game(read_description(folder)["game"])
    return game, read_rules(folder, game)[0]


def evaluate_for_card(folder: Path, deals: int, search: str | None) -> Results:
    """Evaluate uniform, greedy, a search and a saved agent on the same deals.

    Raises ValueError if one of them cannot play.
    """
    game, rules = _game_of(folder)
    variant, options = name_rules(game, rules)
    comparison = compare(
        game,
        ["uniform", "greedy", search or usual_search(game, rules), str(folder)],
        variants=[variant],
        options=changed_options(rules, game.variants[variant]),
        deals=deals,
        opponents=OPPONENTS if game.num_players(rules) > 1 else None,
        evaluation_seed=EVALUATION_SEED,
    )
    own = comparison.evaluations[-1]
    ranked = sorted(comparison.evaluations, key=lambda one: -_measure(one).mean)
    best = next(one for one in ranked if not one.sees_all)
    table = markdown_table(
        ["agent", _unit(own), "below upper bound", "time per decision", "sees hidden cards"],
        [_write_row(one, one is own) for one in ranked],
    )
    title = f"{game.title}, {variant}{f' with {options}' if options else ''}"
    note = f"Deals 0 to {deals - 1:,} of {own.spec.deal_set}.\n"
    return Results(title, f"{table}\n{note}", "" if best is own else best.agent)


def _measure(evaluation: Evaluation) -> Estimate:
    """Return the result of an evaluation in the measure of its game."""
    is_table = evaluation.spec.is_multiplayer
    return evaluation.estimate("net" if is_table else evaluation.game.measure)


def _unit(evaluation: Evaluation) -> str:
    if evaluation.spec.is_multiplayer:
        return f"{per_hand(evaluation.spec)}, opponents: {', '.join(OPPONENTS)}"
    return "won, %" if evaluation.game.measure == "won" else "score"


def _write_row(evaluation: Evaluation, is_own: bool) -> list[str]:
    times, result = 100 if _unit(evaluation) == "won, %" else 1, _measure(evaluation)
    labels = evaluation.label_comparison
    bound = labels.bound if labels else None
    bold = "**" if is_own else ""
    return [
        f"{bold}`{evaluation.agent}`{bold}",
        result.text(times),
        NOTHING if bound is None else f"{times * (bound.mean - result.mean):.2f}",
        time_text(evaluation.results.milliseconds),
        "yes" if evaluation.sees_all else "no",
    ]


def usual_search(game: Game, rules: Any) -> str:
    """Return a search that is strong and fast with these rules."""
    if can_load("hindsight@100", game, rules):
        return "hindsight@100"
    return "pimc@8" if game.winnable_after else "mcts@100"


def name_rules(game: Game, rules: Any) -> tuple[str, str]:
    """Return a variant, and the options that differ from it, such as ``passes=2 undo=yes``."""
    variant = game.variant_name(rules) or game.default
    return variant, options_text(changed_options(rules, game.variants[variant])).replace(", ", " ")


def read_facts(folder: Path) -> dict[str, Any]:
    """Return the content of ``agent.json``; ValueError naming file and field if it is invalid."""
    description = read_description(folder)
    with name_file_in_errors(folder / AGENT_FILE):
        check_fields(description["trained"], TRAINED_FIELDS, "trained.")
        check_fields(description["scored"], SCORED_FIELDS, "scored.")
        for fact, estimate in description["scored"].items():
            if isinstance(estimate, dict):
                check_fields(estimate, ESTIMATE_FIELDS, f"scored.{fact}.")
    return description


def write_card(folder: Path, results: Sequence[Results]) -> str:
    """Return the text of the card: the agent, its training, its results, and its limits.

    ``results`` has an element for each set of rules (empty: not evaluated yet).
    """
    description = read_facts(folder)
    game, rules = _game_of(folder)
    parts = [
        _facts_table(_describe_agent(folder, description, game, rules)),
        "## Training\n",
        _write_training(folder, description, game, rules),
        "## Results\n",
        _write_results(results) if results else UNPLAYED,
        "## Use and limits\n",
        "".join(f"- {line}\n" for line in _list_limits(folder, game, rules, results)),
    ]
    return "\n".join(parts)


def _write_results(results: Sequence[Results]) -> str:
    """Return an explanation, and a table of results for each set of rules."""
    if len(results) == 1:
        return f"{RESULTS_NOTE}\n{results[0].table}"
    parts = (f"### {one.title}\n\n{one.table}" for one in results)
    return "\n".join([RESULTS_NOTE, *parts])


def summarise_agent(folder: Path) -> list[str]:
    """Return the kind of a saved agent, and the command of its training."""
    description = read_facts(folder)
    return [_kind(description["network"]), f"`{_command(folder, description['trained'])}`"]


def _way_to_cards(folder: Path) -> str:
    """Return the path from a pretrained agent's folder to the others; empty for other agents."""
    # The folder may be that of another clone.
    return ".." if folder.resolve().parent.parts[-2:] == PRETRAINED_FOLDER.parts[-2:] else ""


def _facts_table(facts: Mapping[str, str]) -> str:
    return markdown_table(["property", "value"], list(map(list, facts.items())))


def _describe_agent(
    folder: Path, description: Mapping[str, Any], game: Game, rules: Any
) -> dict[str, str]:
    variant, options = name_rules(game, rules)
    further = len(description.get("more_rules", ()))
    others = f", and {further} other sets of rules" if further else ""
    weights = load_saved_agent(folder, game).weights.values()
    size, numbers = sum(array.nbytes for array in weights), sum(array.size for array in weights)
    return {
        "saved name": f"`{description['name']}`",
        "game": f"{game.title}, `{variant}`{f' with {options}' if options else ''}{others}",
        "kind": _kind(description["network"]),
        "size": f"{numbers:,} parameters, {size / 2**20:.2f} MiB",
        "input": _reads(description["network"]["encoding"]),
        "action choice": _way(description),
        "sees hidden cards": "no",
    }


def _kind(network: Mapping[str, Any]) -> str:
    if network["encoding"] == AFTERSTATES:
        return "table of afterstate values"
    if network["encoding"] == NO_ENCODING:
        return "weights of the heuristic of `greedy`"
    return f"network `{network['name']}`, width {network['width']}, depth {network['depth']}"


def _reads(encoding: str) -> str:
    numbers = "integers" if encoding == "codes" else "zeros and ones"
    return READS.get(encoding, f"the observation as {numbers} (encoding `{encoding}`)")


def _way(description: Mapping[str, Any]) -> str:
    if description["network"]["encoding"] == AFTERSTATES:
        return "the action with the highest afterstate value"
    if description["network"]["encoding"] == PLANS:
        return "the next action of the plan with the highest value"
    if description.get("samples"):
        return "sampled from the policy"
    return "the legal action that the agent rates highest"


def _write_training(folder: Path, description: Mapping[str, Any], game: Game, rules: Any) -> str:
    trained, scored = description["trained"], description["scored"]
    facts = {
        "method": f"`{trained.get('settings', {}).get('method', NOT_RECORDED)}`",
        **_count_steps(trained, scored),
        "wall time": _wall_time(trained),
        "training seed": str(trained.get("seed", NOT_RECORDED)),
        "versions": ", ".join(f"{k} {v}" for k, v in trained.get("versions", {}).items()),
        "validation result": _validation(scored, game, rules),
    }
    return f"{_recipe(folder, trained)}{_facts_table(facts)}"


def _count_steps(trained: Mapping[str, Any], scored: Mapping[str, Any]) -> dict[str, str]:
    """Return the length of the training, in the unit of its method and in timesteps."""
    if "steps" not in scored:
        return {"steps": NOT_RECORDED}
    if trained.get("unit", "steps") == "steps" or "timesteps" not in trained:
        return {"steps": f"{scored['steps']:,}"}
    return {
        "steps": f"{scored['steps']:,} {trained['unit']}",
        "timesteps": f"{trained['timesteps']:,}",
    }


def _wall_time(trained: Mapping[str, Any]) -> str:
    if "seconds" not in trained:
        return NOT_RECORDED
    return f"{trained['seconds'] / 60:.1f} minutes" + (
        f" on {trained['machine']}" if "machine" in trained else ""
    )


def _validation(scored: Mapping[str, Any], game: Game, rules: Any) -> str:
    """Return the validation result of the training: share that reached the goal, and score."""
    goal, names = game.goal_name(rules), {"reached": "target score reached"}
    if game.num_players(rules) > 1:
        names["score"] = f"net result per {'hand' if game.has_dealer else 'game'}"
    estimates = {
        fact: Estimate(*(scored[fact][name] for name in Estimate._fields))
        for fact in (goal, "score")
        if isinstance(scored.get(fact), dict)
    }
    if not estimates:
        return NOT_RECORDED
    texts = [
        f"{names.get(fact, fact)} "
        + (f"{estimate.text(100)} %" if fact == goal else estimate.text())
        for fact, estimate in estimates.items()
    ]
    deals = f"{min(estimate.n for estimate in estimates.values()):,} deals"
    return f"{', '.join(texts)}, {deals} of the deal set `{scored.get('deal_set', NOT_RECORDED)}`"


def _recipe(folder: Path, trained: Mapping[str, Any]) -> str:
    """Return the command of the training, and a note if it continued from other runs."""
    text = f"```txt\n{_command(folder, trained)}\n```\n\n"
    if any(trained.get("settings", {}).get(name) for name in CONTINUED):
        text += "The run continued from other runs, whose steps and time are not counted here.\n\n"
    return text


def _command(folder: Path, trained: Mapping[str, Any]) -> str:
    from ..learning.settings.files import write_command  # needs tyro, an optional package

    saved = trained.get("settings")
    return write_command(saved, trained.get("seed", 0), str(folder)) if saved else NOT_RECORDED


def _list_limits(folder: Path, game: Game, rules: Any, results: Sequence[Results]) -> list[str]:
    others = (
        f" All opponents in the tables are {', '.join(f'`{name}`' for name in OPPONENTS)}. "
        "The strength against people is unknown."
    )
    better = [
        f"{one.title + ': ' if len(results) > 1 else ''}`{one.better}`, which does not see hidden "
        "cards either, has a higher score in the table."
        for one in results
        if one.better
    ]
    network = read_description(folder)["network"]
    solved = network["encoding"] not in READS and usual_search(game, rules).startswith("pimc")
    has_opponents = game.num_players(rules) > 1
    search = "pimc" if solved or BASE in network["options"] else "mcts"
    if network["encoding"] == PLANS:
        search = "hindsight"
    return [
        f"Intended uses: a baseline, {'an opponent, ' if has_opponents else ''}the guide of a "
        f"search (`{search}:FOLDER`), and a starting point for training (`--initial FOLDER`).",
        "The agent plays only the rules for which it was trained. `--allow-rules-mismatch` allows "
        f"other rules of {game.title}.",
        "The training deals were random. None is in a numbered deal set."
        f"{others if has_opponents else ''}",
        "Intervals are over deals, for one training seed. Other training seeds give other results.",
        *better,
    ]
