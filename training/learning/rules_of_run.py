"""The rules that a run trains by, one variant or several, and the code that it runs."""

from hashlib import sha256
from pathlib import Path
from typing import Any

from parlour import __version__
from parlour.envs import Game, find_game
from parlour.envs.core.game import digest16
from parlour.envs.core.option_sets import draw_option_sets
from parlour.envs.core.options import to_plain
from parlour.envs.core.rules_table import ALL, RulesTable, make_table, read_variants

from ..evaluation.parts import digest_game_code
from .limits import has_many_rules
from .settings import ManyRulesSettings, Settings


def list_rules(settings: Settings) -> RulesTable:
    """Return the rules that a run trains by, and is evaluated on; ValueError if they make no game.

    The variants come first, each with the run's options, then the option sets, of which those that
    are among the variants are left out.
    """
    game = find_game(settings.game)
    if not isinstance(settings, ManyRulesSettings) or not has_many_rules(settings):
        return make_table(game, game.make_rules(settings.variant, settings.options))
    found = dict.fromkeys(_list_variants(game, settings) + _list_sets(game, settings))
    if len(found) > settings.eval_deals:
        raise ValueError(
            f"eval_deals={settings.eval_deals}: at least {len(found)}, one for each of the rules"
        )
    return make_table(game, found)


def _list_variants(game: Game, settings: ManyRulesSettings) -> list[Any]:
    if not settings.variants:
        return []
    wanted: Any = ALL if settings.variants == (ALL,) else settings.variants
    return list(read_variants(game, wanted, settings.options).rules)


def _list_sets(game: Game, settings: ManyRulesSettings) -> list[Any]:
    if not settings.option_sets:
        return []
    base = game.make_rules(settings.variant, settings.options)
    names = settings.option_names or [
        name for name in game.rules._fields if name not in ("players", *settings.options)
    ]
    return draw_option_sets(game, base, settings.option_sets, names, settings.option_split)


def name_rules(settings: Settings) -> str:
    """Name what a run trains by, for its folder: the variant, ``"all"`` or ``"many"``."""
    if isinstance(settings, ManyRulesSettings) and has_many_rules(settings):
        return ALL if settings.variants == (ALL,) and not settings.option_sets else "many"
    return settings.variant or find_game(settings.game).default


def describe_table(table: RulesTable) -> dict[str, Any]:
    """Return rules as JSON has them: the first ones, and the others where there are several."""
    game, plain = table.game, [to_plain(one) for one in table.rules]
    said = {"rules": plain[0], "rules_digest": game.rules_digest(table.rules[0])}
    if not table.has_several:
        return said
    more = [
        {"rules": other, "rules_digest": game.rules_digest(one)}
        for one, other in zip(table.rules[1:], plain[1:], strict=True)
    ]
    return said | {"more_rules": more}


def describe_code(game: Game) -> dict[str, str]:
    """Return what differs when the code that a run depends on does: by version and by digests."""
    files = sorted(Path(__file__).parent.glob("*.py"))
    return {
        "parlour": __version__,
        "kernels": digest_game_code(game),
        "learning": digest16(*(sha256(file.read_bytes()).hexdigest() for file in files)),
    }


def list_changes(was: Any, now: dict[str, str]) -> list[str]:
    """Return in words which parts of `describe_code` have changed since a run began."""
    before = was if isinstance(was, dict) else {}
    return [
        f"{name} was {before.get(name)}, is {now[name]}"
        for name in now
        if before.get(name) != now[name]
    ]
