"""The settings of a method in groups, as ``--help`` shows them: tyro makes a box of each."""

import ast
import inspect
from dataclasses import MISSING, Field, field, fields, make_dataclass
from textwrap import dedent
from typing import Annotated, Any

import tyro

from .settings import Settings

GROUPS = {
    "game": ("game", "variant", "options", "reward", "max_moves", "initial"),
    "run": ("name", "runs", "seeds", "eval_deals", "profile"),
    "length": ("total_steps", "minutes", "schedule", "eval_interval", "checkpoint_interval"),
    "network": ("network", "width", "depth", "network_options", "threads", "device", "precision"),
    "rollout": ("n_envs", "n_steps", "skip_forced", "study_options", "study", "reward_scale"),
    "update": (
        *("batch_size", "n_epochs", "learning_rate", "gamma", "gae_lambda", "clip_range"),
        *("ent_coef", "ent_coef_final", "vf_coef", "max_grad_norm"),
    ),
}
"""Which settings stand together; the others are the method's own."""


def group_settings(base: Settings) -> Any:
    """Return an object of one dataclass for each group, holding the values of settings."""
    kind, docs = type(base), read_docs(type(base))
    named = {name for group in GROUPS.values() for name in group}
    own = [one.name for one in fields(kind) if one.name not in named]
    groups = {}
    for title, names in (GROUPS | {base.method: tuple(own)}).items():
        known = {one.name: one for one in fields(kind) if one.name in names}
        if known:
            parts = [_describe_field(known[name], docs) for name in names if name in known]
            group: Any = make_dataclass(title, parts, kw_only=True, frozen=True)
            group.__doc__ = " "
            groups[title] = group(**{name: getattr(base, name) for name in known})
    titled = [(title, type(one)) for title, one in groups.items()]
    return make_dataclass(kind.__name__, titled, frozen=True)(**groups)


def ungroup_settings(grouped: Any) -> dict[str, Any]:
    """Return the values of all settings in an object that `group_settings` made, or tyro."""
    groups = [getattr(grouped, one.name) for one in fields(grouped)]
    return {one.name: getattr(group, one.name) for group in groups for one in fields(group)}


def _describe_field(one: Field[Any], docs: dict[str, str]) -> tuple[str, Any, Any]:
    kind: Any = Annotated[one.type, tyro.conf.arg(help=docs[one.name], prefix_name=False)]
    if one.default_factory is not MISSING:
        return one.name, kind, field(default_factory=one.default_factory)
    return one.name, kind, field(default=one.default)


def read_summary(kind: type[Settings]) -> str:
    """Return the docstring of a class of settings, from its source: ``python -OO`` drops it."""
    return ast.get_docstring(_parse_class(kind)) or ""


def read_docs(kind: type[Settings]) -> dict[str, str]:
    """Return what stands below each setting in the source of its class, as one line."""
    found: dict[str, str] = {}
    for base in reversed(kind.__mro__[:-1]):
        body = _parse_class(base)
        for line, below in zip(body.body, body.body[1:], strict=False):
            if isinstance(line, ast.AnnAssign) and isinstance(below, ast.Expr):
                text = ast.literal_eval(below.value)
                found[ast.unparse(line.target)] = " ".join(text.split())
    return found


def _parse_class(kind: type[Any]) -> ast.ClassDef:
    (body,) = ast.parse(dedent(inspect.getsource(kind))).body
    assert isinstance(body, ast.ClassDef)
    return body
