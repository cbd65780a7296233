"""Pictures of games of several seats: all seats are around the table, and nothing overlaps."""

import re
from itertools import combinations

import pytest

from parlour.envs import GAMES
from parlour.envs.core.kernel.cards import card_symbol
from parlour.envs.core.scene import drawing
from parlour.envs.core.scene.scene import Scene
from parlour.envs.core.scene.seating import WIDTH, arrange_seats
from tests.contract.cases import Case, positions
from tests.contract.test_scenes import apart, scene_of

NAMES = ("twenty_eight", "twenty_nine", "fifty_six", "seven_twenty_seven")
CASES = [
    *(Case(GAMES["twenty_eight"], name) for name in ("three", "classic", "six")),
    *(Case(GAMES["fifty_six"], name) for name in ("four-long", "classic", "hidden", "eight")),
    *(Case(GAMES["seven_twenty_seven"], "home", {"players": n}) for n in range(2, 11)),
    Case(GAMES["twenty_nine"], "full"),
]
PHONE = 358
"""Width of the table on a screen of 390 pixels, without the margins of the page."""
MARGIN = 14
"""Margin of the table on the page, in SVG units."""


def scenes(case: Case) -> list[Scene]:
    """Positions of some hands in the view of the first and the last seat."""
    env = case.whole(encoding="codes", max_moves=150)
    return [
        scene_of(case, env, seat)
        for _ in positions(env, 2, seed=3, every=6)
        for seat in (0, case.players - 1)
    ]


@pytest.mark.parametrize("case", CASES, ids=str)
def test_all_seats_are_around_the_table(case: Case) -> None:
    for seat, drawn in zip([0, case.players - 1] * 3, scenes(case), strict=False):
        names = {text.text for text in drawn.texts if text.look == "strong"}
        others = {f"Seat {other}" for other in range(case.players)} - {f"Seat {seat}"}
        assert names >= {f"You, seat {seat}"} | others
        assert len(drawn.panels) == case.players
        areas = [drawing.panel_box(panel) for panel in drawn.panels]
        assert all(apart(*pair) for pair in combinations(areas, 2))


@pytest.mark.parametrize("case", CASES, ids=str)
def test_everything_is_inside_the_table(case: Case) -> None:
    for drawn in scenes(case):
        right = drawn.canvas[0] * drawing.STEP_X - (drawing.STEP_X - drawing.WIDTH)
        assert right == WIDTH
        boxes = [
            *map(drawing.item_box, drawn.shown_items),
            *map(drawing.text_box, drawn.shown_texts),
            *map(drawing.button_box, drawn.buttons),
            *map(drawing.panel_box, drawn.panels),
        ]
        assert min(box[0] for box in boxes) >= -0.01
        assert max(box[2] for box in boxes) <= right + 0.01
        assert min(box[1] for box in boxes) >= 0


@pytest.mark.parametrize("case", CASES, ids=str)
def test_ones_own_cards_are_large_enough_for_a_finger(case: Case) -> None:
    for seat, drawn in zip([0, case.players - 1] * 3, scenes(case), strict=False):
        hand = [item for item in drawn.items if item.place == f"seat-{seat}"]
        lowest = max(item.y for item in drawn.items)
        assert all(item.face_up for item in hand)
        assert not hand or max(item.y for item in hand) == lowest
        scale = PHONE / (WIDTH + 2 * MARGIN)
        assert all(item.size * drawing.WIDTH * scale >= 44 for item in hand)


@pytest.mark.parametrize("players", range(2, 11))
def test_the_next_seat_is_on_the_left_and_cards_are_in_front_of_their_seats(players: int) -> None:
    seating = arrange_seats(players, 86, middle=184)
    assert len(seating.areas) == len(seating.spots) == players
    middle = (seating.center[0] + seating.center[2] - drawing.WIDTH) / 2
    if players > 2:
        assert seating.spots[1][0] < middle < seating.spots[-1][0]
        assert seating.areas[1][0] == 0
    for (left, top, right, bottom), (x, y) in zip(seating.areas, seating.spots, strict=True):
        card = x, y, x + drawing.WIDTH, y + drawing.HEIGHT
        assert all(apart(card, area) for area in seating.areas)
        if right - left < WIDTH / 2 and top > 0:  # at a side
            assert top <= y + drawing.HEIGHT / 2 <= bottom


@pytest.mark.parametrize("name", ["twenty_eight", "twenty_nine", "fifty_six"])
def test_the_last_trick_stays_until_the_next_lead_and_can_be_shown_again(name: str) -> None:
    case = Case(GAMES[name], GAMES[name].default)
    env = case.whole(encoding="codes", max_moves=150)
    shown = 0
    for _ in positions(env, 2, seed=5, every=1):
        state, drawn = env.state, scene_of(case, env, 0)
        played = [item for item in drawn.items if item.place.startswith("trick-")]
        assert len(played) == state["size"]
        if not state["tricks"]:
            assert drawn.trick is None
            continue
        assert drawn.trick is not None
        assert drawn.trick.shown == (state["size"] == 0)
        assert len(drawn.trick.items) == case.players
        (winner,) = [item for item in drawn.trick.items if item.mark == "wins"]
        taker = int(state["taken_by"][state["tricks"] - 1]) - 1
        assert winner.place == f"trick-{taker}"
        who = "You take" if taker == 0 else f"Seat {taker} takes"
        lefts = [item.x for item in drawn.trick.items]
        assert lefts == sorted(lefts)  # so that no card covers the corner of another
        card = card_symbol(winner.card)
        told = rf"{who} the trick with {card}, the highest [a-z]+: \d+ points?"
        assert re.fullmatch(told, drawn.trick.sentence)
        shown += drawn.trick.shown
    assert shown >= 8


@pytest.mark.parametrize("name", NAMES)
def test_only_legal_calls_are_buttons(name: str) -> None:
    case = Case(GAMES[name], GAMES[name].default)
    env = case.whole(encoding="codes", max_moves=150)
    for _ in positions(env, 2, seed=5, every=1):
        drawn = scene_of(case, env, 0)
        assert all(button.legal for button in drawn.buttons)
        if env.state["turn"] != 0 or env.rows.states["over"][0]:
            assert not drawn.buttons


def test_the_card_that_shows_trumps_is_told() -> None:
    env = Case(GAMES["twenty_eight"], "classic").whole(encoding="codes", max_moves=150)
    case, told = Case(GAMES["twenty_eight"], "classic"), set()
    for _ in positions(env, 8, seed=5, every=1):
        news = scene_of(case, env, 0).news
        assert bool(news) == bool(env.state["shown"]["trumps_shown"])
        told.add(re.sub(r"\S[♣♦♥♠]", "CARD", re.sub(r"(Seat \d|You)", "WHO", news)))
    assert "WHO shows CARD: trumps are hearts" in told
