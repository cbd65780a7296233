"""``parlour model-card``: write the model card of a saved agent from its files and evaluations."""

import argparse
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from parlour.agents.networks.options import BASE
from parlour.agents.registry import can_load
from parlour.agents.saved import (
    AFTERSTATES,
    AGENT_FILE,
    NO_ENCODING,
    digest_agent,
    find_agent_folder,
    load_saved_agent,
    read_description,
    read_rules,
)
from parlour.agents.validation import NUMBER, TABLE, TEXT, check_fields, name_file_in_errors, whole
from parlour.envs import Game, find_game
from parlour.envs.core.options import changed_options, options_text

from ..evaluation.leaderboard.claims import OPPONENTS
from ..evaluation.leaderboard.entries import Entry, make_entry, read_leaderboard
from ..evaluation.report.terminal import print_notice
from ..evaluation.stats import Estimate
from .arguments import MOST_DEALS, read_line, read_path, read_whole
from .leaderboard import (
    CARD_FILE,
    add_file,
    agent_text,
    group_entries,
    is_pretrained,
    play_entry,
    write_table,
)
from .output import markdown_table, write_page

BLOCK_NAME = "card"
DEALS, SEARCH_DEALS = 2000, 500
"""Numbers of deals for an agent without a leaderboard entry, and for the search next to it."""
READS = {
    NO_ENCODING: "the visible part of the state, as weighted features of the game's heuristic",
    AFTERSTATES: "the visible part of the state, as features of the afterstate of each action",
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
Bold rows use this agent. Brackets show 95 % intervals. A row plays deals 0 to n − 1 of its deal
set. *Below upper bound* is the distance to the result with all cards known, on the deals of the
row; ≈ marks the distance to the best agent that sees all cards. Times depend on the load of the
machine.
"""
UNPLAYED = "The agent has no result yet. Run `parlour leaderboard --update`.\n"


EXAMPLES = {
    "model-card": """\
  parlour model-card runs/pyramid-three-passes-mine
  parlour model-card runs/mine/seed-0/agent --deals 10000 --search pimc@40

The model card is README.md in the agent's folder. Results come from the leaderboard if it has an
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
        help=f"number of deals if the agent has no leaderboard entry (default: {DEALS})",
    )
    parser.add_argument(
        "--search",
        type=read_line,
        metavar="AGENT",
        help="search to compare the agent with (default: hindsight@100 in Klondike, pimc@8 in "
        "other games with an exact solver, else mcts@100)",
    )
    add_file(parser)


def run_model_card(arguments: argparse.Namespace) -> int:
    """Write README.md next to ``agent.json``; first evaluate an agent without leaderboard entry."""
    folder = find_agent_folder(arguments.folder)
    group = list_known(folder, arguments.file)
    if not group and _way_to_cards(folder):
        print_notice(
            f"{folder} has no evaluated leaderboard entry: run parlour leaderboard --update"
        )
    elif not group:
        group = evaluate_for_card(folder, arguments.deals, arguments.search)
    page = folder / CARD_FILE
    write_page(page, folder.resolve().name, BLOCK_NAME, partial(write_card, folder, group))
    print(f"written: {page}")
    return 0


def list_known(folder: Path, board: Path) -> list[Entry]:
    """Return the evaluated leaderboard entries of all rules for which a saved agent has an entry.

    Without a leaderboard file, the list is empty.
    """
    if not board.is_file():
        return []
    digest, game = digest_agent(folder), find_game(read_description(folder)["game"])
    entries = [entry for entry in read_leaderboard(board) if entry.claim and entry.game == game]
    played = [
        entry.rules for entry in entries if entry.claim and entry.claim.agent_digest == digest
    ]
    return [entry for entry in entries if entry.rules in played]


def _game_of(folder: Path) -> tuple[Game, Any]:
    """Return the game of a saved agent, and the (first) rules of its training."""
    game = find_game(read_description(folder)["game"])
    return game, read_rules(folder, game)[0]


def evaluate_for_card(folder: Path, deals: int, search: str | None) -> list[Entry]:
    """Evaluate a saved agent, uniform, greedy and a search on the same deals; return their entries.

    Raises ValueError if one of them cannot play.
    """
    game, rules = _game_of(folder)
    variant, options = name_rules(game, rules)
    search = search or usual_search(game, rules)
    agents = {"uniform": deals, "greedy": deals, search: min(deals, SEARCH_DEALS)}
    entries = []
    for agent, number in {**agents, str(folder): deals}.items():
        cells = {"game": game.name, "variant": variant, "options": options, "agent": agent}
        entry = play_entry(make_entry(cells | {"deals": str(number)}), allow_code=True)
        if entry.mark:
            raise ValueError(f"agent {agent!r}: {entry.mark}")
        entries.append(entry)
    return entries


def usual_search(game: Game, rules: Any) -> str:
    """Return a search that is strong and fast with these rules."""
    if can_load("hindsight@100", game, rules):
        return "hindsight@100"
    return "pimc@8" if game.winnable_after else "mcts@100"


def name_rules(game: Game, rules: Any) -> tuple[str, str]:
    """Return rules as in a leaderboard entry: a variant, and the options that differ from it."""
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


def write_card(folder: Path, group: Sequence[Entry]) -> str:
    """Return the text of the card: the agent, its training, its results, and its limits.

    ``group`` has the evaluated entries of its game, including its own (empty: not evaluated yet).
    """
    description = read_facts(folder)
    game, rules = _game_of(folder)
    parts = [
        _facts_table(_describe_agent(folder, description, game, rules)),
        "## Training\n",
        _write_training(folder, description, game, rules),
        "## Results\n",
        _write_results(folder, group) if group else UNPLAYED,
        "## Use and limits\n",
        "".join(f"- {line}\n" for line in _list_limits(folder, game, rules, group)),
    ]
    return "\n".join(parts)


def _write_results(folder: Path, group: Sequence[Entry]) -> str:
    """Return an explanation, and a table of results for each set of rules."""
    way, digest = _way_to_cards(folder), digest_agent(folder)
    tables = {
        rules: write_table(entries, way, digest)
        for (_, rules), entries in group_entries(group).items()
    }
    if len(tables) == 1:
        return f"{RESULTS_NOTE}\n{tables.popitem()[1]}"
    parts = (f"### {rules}\n\n{table}" for rules, table in tables.items())
    return "\n".join([RESULTS_NOTE, *parts])


def summarise_agent(folder: Path) -> list[str]:
    """Return the kind of a saved agent, and the command of its training."""
    description = read_facts(folder)
    return [_kind(description["network"]), f"`{_command(folder, description['trained'])}`"]


def _way_to_cards(folder: Path) -> str:
    """Return the path from a pretrained agent's folder to the others; empty for other agents."""
    return ".." if is_pretrained(folder) else ""


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
    if description.get("samples"):
        return "sampled from the policy"
    return "the legal action that the agent rates highest"


def _write_training(folder: Path, description: Mapping[str, Any], game: Game, rules: Any) -> str:
    trained, scored = description["trained"], description["scored"]
    facts = {
        "method": f"`{trained.get('settings', {}).get('method', NOT_RECORDED)}`",
        "steps": f"{scored['steps']:,}" if "steps" in scored else NOT_RECORDED,
        "wall time": _wall_time(trained),
        "training seed": str(trained.get("seed", NOT_RECORDED)),
        "versions": ", ".join(f"{k} {v}" for k, v in trained.get("versions", {}).items()),
        "validation result": _validation(scored, game, rules),
    }
    return f"{_recipe(folder, trained)}{_facts_table(facts)}"


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


def _list_limits(folder: Path, game: Game, rules: Any, group: Sequence[Entry]) -> list[str]:
    others = (
        f" All opponents in the tables are {', '.join(f'`{name}`' for name in OPPONENTS)}. "
        "The strength against people is unknown."
    )
    digest, groups = digest_agent(folder), group_entries(group)
    better = [
        f"With the rules `{name}`, {sentence}" if len(groups) > 1 else sentence
        for (_, name), entries in groups.items()
        if (sentence := _best_beside(entries, digest))
    ]
    network = read_description(folder)["network"]
    solved = network["encoding"] not in READS and usual_search(game, rules).startswith("pimc")
    has_opponents = game.num_players(rules) > 1
    search = "pimc" if solved or BASE in network["options"] else "mcts"
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


def _best_beside(group: Sequence[Entry], digest: str) -> str:
    """Return a sentence about a better agent that sees no hidden cards; empty if there is none."""
    fair = [
        (entry.claim.score, entry.claim.agent_digest == digest, agent_text(entry))
        for entry in group
        if entry.claim
        and not entry.claim.sees_all
        and not entry.mark
        and entry.deal_set == group[0].deal_set
    ]
    if not fair or max(fair)[1]:
        return ""
    agent = f"`{max(fair)[2]}`, which does not see hidden cards either,"
    return f"{agent} has a higher score in the table."
