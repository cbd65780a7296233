"""The card of a dataset: a Markdown page that says what the data are and how they were made."""

import shlex
from collections.abc import Mapping
from typing import Any

import numpy as np
import pyarrow as pa

from parlour.envs.core.options import changed_options, value_text

from ..evaluation.labels.labels import is_scored
from ..evaluation.stats import wilson_rate
from .decisions import COLUMNS, OPPONENTS, DatasetSpec

UNITS = {
    "won": "a share of won games",
    "score": "the score",
    "net": "the net result in units of the game's rewards",
}


def make_command(spec: DatasetSpec) -> str:
    """Return the command line that makes a dataset, without ``--out``."""
    words = ["parlour", "dataset", "make", spec.game.name]
    words += ["--variant", spec.variant or spec.game.default]
    given = changed_options(spec.rules, spec.game.make_rules(spec.variant))
    for name, value in given.items():
        words += ["--option", f"{name}={value_text(value)}"]
    words += ["--agent", spec.agent]
    if spec.num_players > 1:
        words += ["--seat", str(spec.seat or 0)]
        words += ["--opponents", *(spec.opponents or OPPONENTS)]
    words += ["--episodes", str(spec.episodes), "--seed", str(spec.seed)]
    words += ["--worlds", str(spec.worlds)]
    if spec.player is not None:
        words += ["--player", spec.player]
    if spec.exact:
        words.append("--exact")
    return shlex.join(words)


def make_card(
    spec: DatasetSpec,
    schema: pa.Schema,
    description: Mapping[str, Any],
    statistics: Mapping[str, Any],
    size: int,
) -> str:
    """Return the text of the card.

    Args:
        spec: The dataset.
        schema: The schema of its files.
        description: The result of `DatasetSpec.describe`.
        statistics: The sums of the statistics of all shards.
        size: Size of all files, in bytes.
    """
    game = spec.game
    games, decisions = statistics["episodes"], statistics["decisions"]
    return f"""\
---
license: mit
task_categories: [reinforcement-learning]
configs: [{{config_name: default, data_files: "data/*.parquet"}}]
---

# {game.title}, {description["variant"]}: labeled decisions

{decisions:,} decisions of {games:,} games of {game.title}, played by {_list_agents(description)}.
Each decision has the observation, the legal actions, the action taken, the values of the actions,
the solver label of the deal, and the result of the game. The Parquet files have
{size / 1e6:,.2f} MB.

## Load the data

```python
from parlour.training import load_dataset

data = load_dataset("path/of/this/folder")
print(data["observation"].shape, data["action_mask"].shape, data["values"].shape)
```

pandas (`pd.read_parquet("data")`), pyarrow and Hugging Face datasets read the files without
Parlour.

## How the data were made

```console
$ {make_command(spec)}
```

| | |
| --- | --- |
| Parlour | version {description["parlour"]}, code {description["code"]} |
| rules | {description["variant"]}, digest {description["rules_digest"]} |
| deals | random, episodes {spec.seed} to {spec.seed + games - 1}; none of them is in a deal set |
| truncation | after {spec.max_moves} moves ({statistics["truncated"]:,} games) |
| values | {_describe_values(spec)} |
| solver labels | {_describe_labels(spec, statistics)} |

The metadata of each file, JSON under `parlour`, have the rules, the agents, the judge, and the
names of all actions and of all pieces of the observation.

## Columns

{column_table(schema)}
No column contains hidden cards. But `episode` determines the deal, and `winnable`, `best_score`,
`won`, `score` and `return` depend on hidden cards: use them as targets, not as inputs.

The pieces of `observation`; `game.features.explain(observation)` returns their values by name:

{game.features.markdown_table()}

## Statistics

{_statistics_table(statistics)}
| agent | games | won (95 % interval) | mean score | decisions | mean regret | regret above 0 |
| --- | --- | --- | --- | --- | --- | --- |
{_agent_rows(statistics)}
The regret of a decision is the highest value of an action minus the value of the action taken, over
decisions with values. {_regret_caveat(spec)}

## License

MIT, the license of Parlour.

## Intended use and limits

Offline reinforcement learning, behavior cloning, and regression on action values. Evaluate agents
on the numbered deals of a deal set (`parlour compare`): no dataset contains these deals.

- The positions are those that these agents reach. Positions after other actions are missing.
- {_value_limits(spec)}
- All games have the same rules.
"""


def _list_agents(description: Mapping[str, Any]) -> str:
    agents = {
        agent["name"]: " (sees hidden cards)" if agent["sees_all"] else ""
        for agent in description["agents"]
    }
    return ", ".join(f"`{name}`{note}" for name, note in agents.items())


def _describe_values(spec: DatasetSpec) -> str:
    if spec.judge is None:
        return "none (`values` is null)"
    if spec.exact:
        return "exact solver; only decisions in which nothing is hidden have values"
    return f"{spec.judge.text}; decisions with one legal action have no values"


def _describe_labels(spec: DatasetSpec, statistics: Mapping[str, Any]) -> str:
    if spec.solve is None:
        return "none: these rules have no solver of deals (`winnable` and `best_score` are null)"
    if is_scored(spec.game):
        return "best score that the solver found with all cards known"
    counts = ", ".join(f"{count:,} {name}" for name, count in statistics["labels"].items())
    return f"with all cards known: {counts}"


def _regret_caveat(spec: DatasetSpec) -> str:
    if spec.judge is None:
        return "This dataset has no values."
    unit = UNITS[spec.judge.unit]
    if spec.exact:
        return f"The unit is {unit}. Values and regrets are exact."
    return (
        f"The unit is {unit}. Values are means over {spec.worlds} sampled worlds, so the regret is "
        "biased upwards: the highest of several noisy values is too high on average."
    )


def _value_limits(spec: DatasetSpec) -> str:
    if spec.judge is None:
        return "The dataset has no values of actions."
    if spec.exact:
        return (
            "A value is 1 if the game can be won after the action, otherwise 0. Decisions before "
            "all cards are known have no values."
        )
    if spec.judge.exact:
        return (
            "A value is the share of sampled worlds that can be won with all cards known, an upper "
            "bound of the win rate without that knowledge."
        )
    return (
        "A value is an estimate from sampled worlds and not the value of an optimal policy: see "
        "the table for the method."
    )


def column_table(schema: pa.Schema) -> str:
    """Return the Markdown table of the columns, with types and meanings."""
    lines = [f"| `{one.name}` | {_type_text(one.type)} | {COLUMNS[one.name]} |\n" for one in schema]
    return "| column | type | meaning |\n| --- | --- | --- |\n" + "".join(lines)


def _type_text(kind: pa.DataType) -> str:
    """Return a type as text, such as ``"float32 (42)"`` for a list of 42 numbers."""
    if pa.types.is_fixed_size_list(kind):
        return f"{_type_text(kind.value_type)} ({kind.list_size})"
    if pa.types.is_dictionary(kind):
        return str(kind.value_type)
    return np.dtype(kind.to_pandas_dtype()).name


def _statistics_table(statistics: Mapping[str, Any]) -> str:
    decisions, judged = statistics["decisions"], statistics["judged"]
    rows = {
        "games": f"{statistics['episodes']:,}",
        "decisions": f"{decisions:,}",
        "decisions with several legal actions": _share(statistics["choices"], decisions),
        "decisions with values": _share(judged, decisions),
        "of these, all actions equal": _share(statistics["equal"], judged),
    }
    lines = [f"| {name} | {text} |\n" for name, text in rows.items()]
    return "| statistic | value |\n| --- | --- |\n" + "".join(lines)


def _share(count: int, total: int) -> str:
    return f"{count:,}" + (f" ({100 * count / total:.1f} %)" if total else "")


def _agent_rows(statistics: Mapping[str, Any]) -> str:
    lines = []
    for name, sums in statistics["agents"].items():
        games, judged = sums["games"], sums["judged"]
        won = score = "none"
        if games:
            rate = wilson_rate(np.arange(games) < sums["won"])
            won = f"{100 * rate.mean:.1f} % [{100 * rate.low:.1f}, {100 * rate.high:.1f}]"
            score = f"{sums['score'] / games:.2f}"
        regret = f"{sums['regret'] / judged:.4f}" if judged else "none"
        mistakes = f"{100 * sums['mistakes'] / judged:.1f} %" if judged else "none"
        cells = (f"`{name}`", f"{games:,}", won, score, f"{sums['decisions']:,}", regret, mistakes)
        lines.append(f"| {' | '.join(cells)} |\n")
    return "".join(lines)
