"""The play page in a headless Chromium, with mouse, touch and keyboard."""

import io
import json
import random
import re
import shutil
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing
from math import ceil, floor
from pathlib import Path
from typing import Any

import pytest

from parlour.envs import GAMES, find_game
from parlour.envs.core.scene.drawing import find_theme
from parlour.envs.core.solve import solver_of
from parlour.page.play import SolitaireSession
from parlour.page.store import COLUMNS
from parlour.page.thinking import PageAgent, Thinking
from parlour.training import review_replay, save_html
from parlour.training.play.solitaire import LIMIT
from tests.page.conftest import Served, agents_game

sync_api = pytest.importorskip("playwright.sync_api", reason="needs playwright")
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(CHROMIUM is None, reason="needs an installed chromium"),
]
PYRAMID = find_game("pyramid")
SLOW = 60_000
"""Timeout in milliseconds; a kernel may have to be compiled first."""
LOST, LOSING = 7, 14
"""A deal that cannot be won in classic or web, and one that can."""


RESTING_PLACE = """async (selector) => {
  const find = () => document.querySelector(selector).getBoundingClientRect();
  for (let before = find(); ; ) {
    await new Promise((done) => setTimeout(done, 100));
    const now = find();
    if (now.x === before.x && now.y === before.y) return now.toJSON();
    before = now;
  }
}"""
"""Waits until a card stops moving, and returns its place: texts above the table may move it."""


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with sync_api.sync_playwright() as playwright:
        actual = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield actual
        actual.close()


@pytest.fixture(scope="module")
def game_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The HTML file of a game in which greedy gave up a win, with its review."""
    replay = agents_game("three-passes", 0)
    path = tmp_path_factory.mktemp("replay") / "game.html"
    save_html(replay, path, 0, review_replay(replay, worlds=10))
    return path


@pytest.fixture
def page(browser: Any, served: Served) -> Iterator[Any]:
    context = browser.new_context(reduced_motion="reduce")
    actual = open_page(context, served)
    yield actual
    assert actual.errors == []
    context.close()


def open_page(context: Any, served: Served) -> Any:
    page = context.new_page()
    page.errors = []
    page.on("pageerror", lambda error: page.errors.append(str(error)))
    page.goto(served.url)
    page.wait_for_selector("svg .item", timeout=SLOW)
    return page


def begin(
    page: Any, variant: str, deal: int, name: str = "pyramid", seat: int = 0, opponents: str = ""
) -> None:
    open_menu(page, "choose")
    page.select_option("[name=game]", name)
    page.select_option("[name=variant]", variant)
    if not page.is_visible("[name=deal]"):
        page.click("summary:text('Deal number')")
    page.fill("[name=deal]", str(deal))
    if seat:
        page.select_option("[name=seat]", str(seat))
    if opponents:
        for field in page.locator("[data-part=opponents] select").all():
            field.select_option(opponents)
    page.click("dialog button:has-text('Start')")
    title = find_game(name).title
    shows(page, "facts", f"{title} · {variant}")
    shows(page, "facts", f"deal number {deal}")
    sync_api.expect(page.locator("dialog[open]")).to_have_count(0)
    page.evaluate("document.querySelector('[data-part=guide]').open = false")


def open_menu(page: Any, button: str) -> None:
    """Press a button of the header, which is behind the menu on a phone."""
    press(page, f"[data-do={button}]")


def press(page: Any, selector: str) -> None:
    """Click an element that is behind the menu on a phone."""
    menu = "[data-do=menu]:visible"
    page.locator(f"{selector}:visible, {menu}").first.wait_for(timeout=SLOW)
    if not page.is_visible(selector):
        page.click(menu)
    page.click(selector)


def shows(page: Any, part: str, text: str) -> None:
    sync_api.expect(page.locator(f"[data-part={part}]")).to_contain_text(text, timeout=SLOW)


def moves(page: Any, number: int) -> None:
    sync_api.expect(page.locator("[data-part=facts]")).to_contain_text(
        re.compile(rf"moves {number}\b"), timeout=SLOW
    )


def test_a_replay_in_one_file_needs_no_server(browser: Any, game_file: Path) -> None:
    page = browser.new_page(reduced_motion="reduce")
    asked, errors = [], []
    page.on("request", lambda request: asked.append(request.url))
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.goto(game_file.as_uri())
    shows(page, "said", "0 of ")
    first = table_of(page)
    page.keyboard.press("ArrowRight")
    shows(page, "said", "1 of ")
    assert table_of(page) != first
    page.keyboard.press("End")
    shows(page, "said", "the end")
    shows(page, "verdict", "Lost by decisions")
    page.keyboard.press("Home")
    page.keyboard.press("n")
    shows(page, "verdict", "threw the win away; dealing from the stock kept it at ")
    sync_api.expect(page.locator(".path.better.head")).to_have_count(1)
    sync_api.expect(page.locator(".path.next.head")).to_have_count(1)
    shows(page, "legend", "Solid arrow: the better move")
    rows = page.locator("[data-part=values] tr.better").all_inner_texts()
    assert len(rows) == 1 and rows[0].startswith("deal from the stock (better)")
    framed = page.eval_on_selector_all(
        "svg .item", "all => all.filter(i => i.item.mark === 'legal').map(i => i.item.card)"
    )
    values = [1 + "A23456789TJQK".index(card[0]) for card in framed if card]
    assert len(values) > 1
    assert all(value == 13 or 13 - value in values for value in values)
    shows(page, "scale", "Chance of winning before each move. A dot marks a move that lost value.")
    ticks = page.locator(".curve .tick").all_text_contents()
    assert ticks[:4] == ["0 %", "50 %", "100 %", "move 1"]
    step = int(page.locator("[data-part=slide]").input_value()) + 1
    (dot,) = page.locator(".curve .loss title").all_text_contents()
    assert dot.startswith(f"Move {step}: Taking ")
    assert dot.endswith(page.locator("[data-part=verdict]").inner_text())
    page.keyboard.press("ArrowRight")
    sync_api.expect(page.locator(".path.better")).to_have_count(0)
    page.keyboard.press("ArrowLeft")
    sync_api.expect(page.locator(".path.better.head")).to_have_count(1)
    page.keyboard.press("Home")
    page.locator(".curve .loss").click()
    shows(page, "said", f"{step - 1} of ")
    page.keyboard.press("Home")
    page.keyboard.press("w")
    shows(page, "said", f"{step - 1} of ")  # the only loss is the greatest one
    page.keyboard.press("Home")
    page.click("text=Worst move")
    shows(page, "said", f"{step - 1} of ")
    assert asked == [game_file.as_uri()]
    assert errors == []
    page.close()


def test_the_worst_move_is_the_first_with_the_greatest_loss(
    browser: Any, game_file: Path, tmp_path: Path
) -> None:
    start, text, end = re.split(
        r'(?<=id="parlour-data">)(.*?)(?=</script>)', game_file.read_text(encoding="utf-8")
    )
    data = json.loads(text)
    losses = [0.1, 0.0, 0.4, 0.0, 0.2, 0.4]
    moves = data["replay"]["review"]["moves"][: len(losses)]
    for one, loss in zip(moves, losses, strict=True):
        one |= {"loss": loss, "lost": loss > 0}
    data["replay"]["review"]["moves"] = moves
    path = tmp_path / "game.html"
    inlined = json.dumps(data).replace("<", "\\u003c")
    path.write_text(f"{start}{inlined}{end}", encoding="utf-8")
    page = browser.new_page(reduced_motion="reduce")
    page.goto(path.as_uri())
    at = data["replay"]["starts"].index(moves[2]["step"])
    for _ in range(2):
        page.keyboard.press("W")
        shows(page, "said", f"{at} of ")
        page.keyboard.press("End")
    page.close()


def solution(variant: str, deal: int) -> tuple[SolitaireSession, list[int]]:
    play = SolitaireSession(PYRAMID, variant, {}, {"deal": deal, "deal_set": "pyramid-1"})
    actual = solver_of(PYRAMID, play.rules)(play.deal.history[0], play.rules, limit=LIMIT)
    assert actual.actions is not None
    return play, actual.actions


def item_of(play: SolitaireSession, action: int) -> str:
    """Return the selector of the item whose click is this action."""
    targets = play.view()["targets"]
    name = next(name for name, one in targets.items() if one == action)
    return f'svg .item[data-id="{name}"]'


def spot(page: Any, selector: str) -> tuple[float, float]:
    """Return the point to click on a card: its corner, which no other card covers."""
    rect = f"{selector} > rect"
    page.wait_for_selector(rect, state="attached")
    box = page.evaluate(RESTING_PLACE, rect)
    return box["x"] + 12, box["y"] + 12


def click_card(page: Any, selector: str) -> None:
    page.locator(selector).scroll_into_view_if_needed()
    page.mouse.click(*spot(page, selector))


def winnable() -> int:
    for deal in range(50):
        play = SolitaireSession(PYRAMID, "classic", {}, {"deal": deal, "deal_set": "pyramid-1"})
        if solver_of(PYRAMID, play.rules)(play.deal.history[0], play.rules, limit=LIMIT).winnable:
            return deal
    raise AssertionError("no deal can be won")


@pytest.mark.slow
def test_a_whole_game_is_won_by_a_solvers_clicks(page: Any, served: Served) -> None:
    deal = winnable()
    play, actions = solution("classic", deal)
    begin(page, "classic", deal)
    for action in actions:
        click_card(page, item_of(play, action))
        play.click(action)
        moves(page, play.deal.history[-1]["moves"][0])
        if play.selected:
            sync_api.expect(page.locator(item_of(play, action))).to_have_attribute(
                "aria-pressed", "true"
            )
    shows(page, "prompt", "You won in")
    sync_api.expect(page.locator(".ending")).to_have_class("ending won")
    assert any(
        row["won"] and row["source"].startswith(f"deal {deal},") for row in served.store.rows()
    )


def table_box(page: Any) -> list[Any]:
    """The place and the size of the table on the screen, and the part of the drawing it shows."""
    return list(
        page.eval_on_selector(
            "[data-part=svg]",
            """svg => {
              const { x, y, width, height } = svg.getBoundingClientRect();
              return [x, y + scrollY, width, height, svg.getAttribute("viewBox")];
            }""",
        )
    )


@pytest.mark.parametrize("width", [390, 1000, 1280])
def test_bids_do_not_move_the_table(page: Any, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 844})
    begin(page, "four-long", 3, "fifty_six", seat=1, opponents="greedy")
    bids = page.locator("[data-part=actions] button:enabled")
    page.wait_for_function(RESTING, timeout=SLOW)
    before, most = table_box(page), bids.count()
    assert most > 20
    for _ in range(4):
        if bids.count() < 9:
            break
        number = page.evaluate("parlour.view.number")
        page.click("[data-part=actions] button:enabled >> nth=0")
        page.wait_for_function("number => parlour.view.number > number", arg=number, timeout=SLOW)
        page.wait_for_function(RESTING, timeout=SLOW)
    assert bids.count() < most
    assert table_box(page) == before


def test_an_illegal_click_does_nothing_and_says_why(page: Any) -> None:
    begin(page, "classic", 3)
    cards = table_of(page)
    click_card(page, 'svg .item[aria-label*="pyramid-0"]')
    shows(page, "said", "is covered by")
    moves(page, 0)
    assert table_of(page) == cards


def table_of(page: Any) -> list[str]:
    """Return the table's items as a screen reader reads them, and whether they are selected."""
    return list(
        page.eval_on_selector_all("svg .item", "all => all.map(i => i.ariaLabel + i.ariaPressed)")
    )


def test_dragging_a_card_onto_its_partner_plays_both(page: Any) -> None:
    play = SolitaireSession(PYRAMID, "classic", {}, {"deal": 3, "deal_set": "pyramid-1"})
    pair = next(move for move in play.moves if len(move) == 2)
    begin(page, "classic", 3)
    ends = [spot(page, item_of(play, action)) for action in pair]
    page.mouse.move(*ends[1])
    page.mouse.down()
    page.mouse.move(*ends[0], steps=5)
    page.mouse.up()
    moves(page, 1)
    shows(page, "said", "You took ")


def test_a_king_is_dragged_to_the_foundation(page: Any) -> None:
    for deal in range(50):
        play = SolitaireSession(PYRAMID, "classic", {}, {"deal": deal, "deal_set": "pyramid-1"})
        kings = [move for move in play.moves if len(move) == 1 and move[0] < 39]
        if kings:
            break
    begin(page, "classic", deal)
    king = item_of(play, kings[0][0])
    ends = [spot(page, selector) for selector in (king, 'svg .item[data-id="foundation"]')]
    page.mouse.move(*ends[0])
    page.mouse.down()
    page.mouse.move(*ends[1], steps=5)
    page.mouse.up()
    moves(page, 1)
    shows(page, "said", "You took K")
    pile = page.locator('svg .item[data-id="foundation"]')
    sync_api.expect(pile).to_have_attribute("aria-label", "face-down card, foundation")


def test_a_result_that_is_not_saved_is_said_so(page: Any, served: Served) -> None:
    begin(page, "classic", 3)
    before = table_box(page)
    with closing(sqlite3.connect(served.store.path)) as other:
        other.execute("BEGIN EXCLUSIVE")
        page.select_option("[data-part=agent]", "greedy")
        page.select_option("[data-part=speed]", "0")
        page.click("[data-do=auto]")
        shows(page, "unsaved", "The last result is not saved yet: ")
        shows(page, "unsaved", "database is locked")
        assert table_box(page) == before
        other.rollback()
    begin(page, "classic", 4)
    shows(page, "facts", "deal number 4")


@pytest.mark.slow
def test_the_balance_of_all_games_is_shown_where_points_are_paid(page: Any, served: Served) -> None:
    rules = find_game("klondike").make_rules("vegas")
    result = dict.fromkeys(COLUMNS, 0) | {
        "game": "klondike",
        "rules": find_game("klondike").rules_digest(rules),
        "score": -17,
    }
    served.store.add(result)
    begin(page, "vegas", 1, "klondike")
    shows(page, "tally", "Balance of all games: -17")
    begin(page, "classic", 1, "klondike")
    sync_api.expect(page.locator("[data-part=tally]")).not_to_contain_text("Balance")


@pytest.mark.slow
@pytest.mark.parametrize("name", ["poker_squares", "puss_in_the_corner"])
def test_the_next_card_is_dragged_to_its_place(page: Any, name: str) -> None:
    actual = find_game(name)
    play = SolitaireSession(actual, actual.default, {}, {"deal": 3, "deal_set": f"{name}-1"})
    items = play.view()["scene"]["items"]
    card = next(item for item in items if item["drops"])
    place, action = list(card["drops"].items())[-1]
    onto = [item for item in items if item["place"] == place][-1]
    begin(page, actual.default, 3, name)
    ends = [spot(page, f'svg .item[data-id="{item["id"]}"]') for item in (card, onto)]
    page.mouse.move(*ends[0])
    page.mouse.down()
    page.mouse.move(*ends[1], steps=5)
    page.mouse.up()
    shows(page, "facts", "1 of 25 placed" if name == "poker_squares" else "moves 1")
    play.click(action)
    lies = next(item for item in play.view()["scene"]["items"] if item["card"] == card["card"])
    shown = page.locator(f'svg .item[data-id="{lies["id"]}"]')
    sync_api.expect(shown).to_have_attribute("aria-label", re.compile(f", {lies['place']}"))


@pytest.mark.slow
def test_a_finger_taps_and_drags(browser: Any, served: Served) -> None:
    size = {"width": 390, "height": 844}
    context = browser.new_context(has_touch=True, viewport=size, reduced_motion="reduce")
    page = open_page(context, served)
    begin(page, "classic", 3)
    page.locator('svg .item[data-id="stock"]').scroll_into_view_if_needed()
    page.touchscreen.tap(*spot(page, 'svg .item[data-id="stock"]'))
    moves(page, 1)
    shows(page, "said", "Turned up: ")
    play = SolitaireSession(PYRAMID, "classic", {}, {"deal": 3, "deal_set": "pyramid-1"})
    pair = next(move for move in play.moves if len(move) == 2)
    (x, y), (to_x, to_y) = (spot(page, item_of(play, action)) for action in pair)
    touch = context.new_cdp_session(page).send
    for kind, at in (("Start", (x, y)), ("Move", (to_x, to_y - 1)), ("Move", (to_x, to_y))):
        points = [{"x": at[0], "y": at[1]}]
        touch("Input.dispatchTouchEvent", {"type": f"touch{kind}", "touchPoints": points})
    touch("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    moves(page, 2)
    assert page.errors == []
    context.close()


@pytest.mark.slow
def test_the_look_is_chosen_and_kept(page: Any) -> None:
    clubs = 'svg .item[aria-label*="of clubs"] g'
    inks = "all => [...new Set(all.map(one => one.getAttribute('fill')))]"
    begin(page, "classic", 3)
    (before,) = page.eval_on_selector_all(clubs, inks)
    open_menu(page, "settings")
    page.check("[data-part=four]")
    (after,) = page.eval_on_selector_all(clubs, inks)
    assert after == find_theme("light").four_inks[0] != before == find_theme("light").inks[0]
    page.select_option("[data-part=theme]", "dark")
    page.reload()
    page.wait_for_selector("svg .item", timeout=SLOW)
    assert page.get_attribute(".parlour", "data-theme") == "dark"
    assert page.eval_on_selector_all(clubs, inks) == [find_theme("dark").four_inks[0]]


def test_moves_are_taken_back_and_the_deal_begun_again(page: Any) -> None:
    begin(page, "classic", 3)
    for number in (1, 2, 3):
        click_card(page, 'svg .item[data-id="stock"]')
        moves(page, number)
    shows(page, "said", "Turned up: ")
    page.click("[data-do=take_back]")
    moves(page, 2)
    shows(page, "facts", "with undo")
    page.click("[data-do=restart]")
    moves(page, 0)
    assert page.is_disabled("[data-do=restart]")


@pytest.mark.slow
@pytest.mark.parametrize("variant", ["classic", "web"])
def test_the_notice_comes_when_the_solver_says_so(page: Any, variant: str) -> None:
    begin(page, variant, LOST)
    shows(page, "notice", "This deal cannot be won.")
    deal = winnable() if variant == "classic" else LOSING
    begin(page, variant, deal)
    play = SolitaireSession(PYRAMID, variant, {}, {"deal": deal, "deal_set": "pyramid-1"})
    for _ in range(60):
        play.judge()
        if play.view()["notice"]:
            break
        sync_api.expect(page.locator("[data-part=notice]")).to_have_text("")
        taking = [move for move in play.moves if min(move) < 39]
        for action in (taking or [[39]])[-1]:
            click_card(page, item_of(play, action))
            play.click(action)
    shows(page, "notice", "This position cannot be won")
    page.click("[data-do=take_back]")
    sync_api.expect(page.locator("[data-part=notice]")).to_have_text("")


def test_the_warning_can_be_switched_off(page: Any) -> None:
    begin(page, "classic", LOST)
    shows(page, "notice", "This deal cannot be won.")
    open_menu(page, "settings")
    page.uncheck("[data-part=warn]")
    sync_api.expect(page.locator("[data-part=notice]")).to_have_text("")
    page.reload()
    page.wait_for_selector("svg .item", timeout=SLOW)
    assert not page.is_checked("[data-part=warn]")


def test_the_page_says_that_an_answer_takes_its_time(
    page: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    begin(page, "classic", 3)
    go_on, real = threading.Event(), SolitaireSession.click

    def wait_first(play: SolitaireSession, action: int, start: int | None = None) -> None:
        go_on.wait(60)
        real(play, action, start)

    monkeypatch.setattr(SolitaireSession, "click", wait_first)
    click_card(page, 'svg .item[data-id="stock"]')
    output = page.locator("[data-part=said]")
    sync_api.expect(output).to_have_text("Still working", timeout=SLOW)  # it was compiled before
    go_on.set()
    moves(page, 1)
    shows(page, "said", "Turned up: ")


def test_only_the_first_use_is_said_to_compile(page: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    begin(page, "classic", 3)
    go_on, real = threading.Event(), SolitaireSession.advise

    def wait_first(play: SolitaireSession, agent: Any) -> Any:
        go_on.wait(60)
        return real(play, agent)

    monkeypatch.setattr(SolitaireSession, "advise", wait_first)
    page.select_option("[data-part=agent]", "uniform")
    output = page.locator("[data-part=said]")
    for text in (re.compile("Still working: compiling on the first use"), "Still working"):
        page.click("[data-do=advise]")
        sync_api.expect(output).to_have_text(text, timeout=SLOW)
        go_on.set()
        shows(page, "said", "Suggestion: ")
        go_on.clear()


def test_the_page_says_that_the_server_is_gone_and_goes_on(browser: Any, served: Served) -> None:
    context, routes = browser.new_context(reduced_motion="reduce"), []
    context.route_web_socket("**/ws", lambda one: (one.connect_to_server(), routes.append(one)))
    page = open_page(context, served)
    begin(page, "classic", 3)
    routes[-1].close()
    shows(page, "said", "The server does not respond")
    sync_api.expect(page.locator("[data-part=said]")).to_have_text("")
    click_card(page, 'svg .item[data-id="stock"]')
    moves(page, 1)
    assert len(routes) == 2
    context.close()


@pytest.mark.slow
def test_words_can_be_read_on_a_phone(page: Any) -> None:
    """All texts on the table are at least 12 pixels high."""
    page.set_viewport_size({"width": 390, "height": 844})
    heights = (
        "all => all.map(one => parseFloat(one.getAttribute('font-size')) * one.getScreenCTM().a)"
    )
    for name in GAMES:
        begin(page, find_game(name).default, 3, name)
        actual = page.eval_on_selector_all("[data-part=svg] > text", heights)
        assert all(height >= 12 for height in actual), name
    page.set_viewport_size({"width": 1280, "height": 844})
    enlarged = page.locator('[data-part=svg] > text:not([font-size="17"])')
    sync_api.expect(enlarged).to_have_count(0)


@pytest.mark.slow
def test_an_agent_advises_and_plays_to_the_end(page: Any) -> None:
    begin(page, "classic", 3)
    page.select_option("[data-part=agent]", "greedy")
    page.click("[data-do=advise]")
    shows(page, "said", "Suggestion: ")
    page.click("text=Numbers behind the hint")
    shows(page, "advice", "greedy")
    shows(page, "advice", "probability")
    page.select_option("[data-part=speed]", "0")
    page.click("[data-do=auto]")
    sync_api.expect(page.locator("[data-do=advise]")).to_be_disabled(timeout=SLOW)
    shows(page, "prompt", "Lost: no move is left.")
    sync_api.expect(page.locator(".ending")).to_have_class("ending lost")
    assert page.is_disabled("[data-do=auto]")


def test_each_game_keeps_its_own_agent(page: Any) -> None:
    begin(page, "three-passes", 3)
    agent = page.locator("[data-part=agent]")
    sync_api.expect(agent).to_have_value("pretrained")  # the best one
    begin(page, "four", 3, "fifty_six")
    sync_api.expect(agent).to_have_value("greedy")  # no network plays these rules
    begin(page, "classic", 3, "poker_squares")
    agent.select_option("uniform")
    begin(page, "three-passes", 3)
    sync_api.expect(agent).to_have_value("pretrained")
    page.reload()
    begin(page, "classic", 3, "poker_squares")
    sync_api.expect(agent).to_have_value("uniform")


@pytest.mark.parametrize("name", ["pyramid", "fifty_six"])
def test_every_deal_number_on_the_page_can_be_played_again(page: Any, name: str) -> None:
    game = find_game(name)
    chosen = {"game": name, "variant": game.default, "options": {}, "deal": None, "seat": None}
    facts = page.locator("[data-part=facts]")
    (before,) = re.findall(r"deal number \d+", facts.inner_text())
    page.evaluate("chosen => parlour.begin({ ...parlour.view.settings, ...chosen })", chosen)
    sync_api.expect(facts).not_to_contain_text(before, timeout=SLOW)
    shows(page, "facts", game.title)
    (number,) = re.findall(r"deal number (\d+)", facts.inner_text())
    own = "all => all.filter(i => /seat-0|pyramid/.test(i.item.place)).map(i => i.dataset.id)"
    cards = page.eval_on_selector_all("svg .item", own)
    for deal in (2**53 - 1, int(number)):
        begin(page, game.default, deal, name)
    assert len(cards) >= 8
    assert page.eval_on_selector_all("svg .item", own) == cards


@pytest.mark.slow
def test_a_reload_keeps_the_game_and_tabs_have_their_own(page: Any, served: Served) -> None:
    begin(page, "classic", 3)
    click_card(page, 'svg .item[data-id="stock"]')
    moves(page, 1)
    other = open_page(page.context, served)
    shows(other, "facts", "moves 0")
    begin(other, "web", 5)
    page.reload()
    shows(page, "facts", "deal number 3")
    moves(page, 1)
    shows(other, "facts", "deal number 5")
    assert other.errors == []


@pytest.mark.slow
def test_a_hand_against_three_agents(page: Any) -> None:
    shows(page, "help", "U undoes")
    begin(page, "home", 4, "seven_twenty_seven", opponents="greedy")
    shows(page, "help", "Click a card or a button")
    for hand in (1, 2):
        while not page.locator("[data-do=next_hand]").is_visible():
            page.locator("[data-part=actions] button:enabled").last.click()
            page.wait_for_timeout(100)
        shows(page, "seats", f"Chips, hand {hand}")
        totals = page.locator("[data-part=seats] td:last-child").all_inner_texts()
        assert len(totals) == 4
        assert sum(map(int, totals)) == 0
        page.click("[data-do=next_hand]")
        shows(page, "seats", f"Chips, hand {hand + 1}")


def set_pace(page: Any, name: str) -> None:
    """Choose the speed of the opponents in the settings."""
    open_menu(page, "settings")
    page.select_option("[data-part=pace]", name)
    page.click("[data-do=close_settings]")


def begin_tricks(browser: Any, served: Served, name: str, motion: str) -> Any:
    """Open a page with a game of tricks whose auction the person leaves by passing."""
    page = open_page(browser.new_context(reduced_motion=motion), served)
    set_pace(page, "fast")
    begin(page, find_game(name).default, 3, name, opponents="greedy")
    page.wait_for_function(RESTING, timeout=SLOW)
    while page.locator("[data-part=actions] button:enabled").count():
        number = page.evaluate("parlour.view.number")
        page.click("[data-part=actions] button:enabled:text-is('pass')")
        page.wait_for_function("number => parlour.view.number > number", arg=number, timeout=SLOW)
        page.wait_for_function(RESTING, timeout=SLOW)
    return page


RESTING = """() => document.querySelector("svg .item.can")
  || document.querySelector("[data-part=actions] button:enabled")"""
"""Whether the person can act, so that all steps have been shown."""
ON_TABLE = """() => [...document.querySelectorAll("svg .item")]
  .filter((one) => one.item.place?.startsWith("trick-")).length"""


COUNT_CARDS = f"""() => {{
  window.counts = [];
  const count = {ON_TABLE};
  const note = () => {{ if (counts.at(-1) !== count()) counts.push(count()); }};
  const table = document.querySelector("[data-part=svg]");
  new MutationObserver(note).observe(table, {{ childList: true }});
}}"""
"""Notes the number of cards in the trick whenever it changes."""


def play_card(page: Any) -> None:
    page.eval_on_selector("svg .item.can", "one => (one.id = 'chosen')")
    page.locator("#chosen").scroll_into_view_if_needed()
    box = page.locator("#chosen").bounding_box()
    page.mouse.click(box["x"] + 10, box["y"] + 10)


@pytest.mark.slow
def test_cards_arrive_one_after_another_and_a_click_skips(browser: Any, served: Served) -> None:
    page = begin_tricks(browser, served, "twenty_eight", "no-preference")
    page.evaluate(COUNT_CARDS)
    play_card(page)
    page.wait_for_function("() => counts.includes(4)", timeout=SLOW)
    page.wait_for_function(RESTING, timeout=SLOW)
    counts = page.evaluate("counts")
    first = counts[0]
    assert counts[: 5 - first] == list(range(first, 5))  # one card at a time
    shows(page, "said", "the trick with ")
    set_pace(page, "normal")
    play_card(page)
    page.wait_for_function("() => parlour.pace.isRunning")
    page.locator("[data-part=svg]").click(position={"x": 5, "y": 5})  # up to the complete trick
    page.wait_for_function(f"() => ({ON_TABLE})() === 4", timeout=1000)
    page.wait_for_timeout(2500)
    assert page.evaluate(ON_TABLE) == 4  # long enough to read the cards
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("Enter")
    page.wait_for_function(RESTING, timeout=1000)
    assert page.errors == []
    page.context.close()


@pytest.mark.slow
def test_nothing_stale_is_shown_between_steps(browser: Any, served: Served) -> None:
    page = begin_tricks(browser, served, "twenty_eight", "no-preference")
    set_pace(page, "slow")
    box = page.locator("[data-part=svg]").bounding_box()
    play_card(page)
    shows(page, "prompt", "Waiting for seat ")
    assert not page.locator("[data-part=actions]").is_visible()
    assert page.locator("[data-part=svg]").bounding_box() == box
    page.evaluate("parlour.begin({ ...parlour.view.settings, game: 'fifty_six' })")
    shows(page, "facts", "Fifty-Six")
    assert "Twenty-Eight" not in page.locator("main[data-part=play]").inner_text()
    assert page.locator("[data-part=ending]").is_hidden()
    assert page.errors == []
    page.context.close()


@pytest.mark.slow
def test_the_last_trick_is_shown_again(browser: Any, served: Served) -> None:
    page = begin_tricks(browser, served, "fifty_six", "reduce")
    button = page.locator("[data-do=last_trick]")
    sync_api.expect(button).to_be_disabled()
    play_card(page)
    sync_api.expect(button).to_be_enabled(timeout=SLOW)
    words = page.locator("[data-part=svg] > text", has_text="the trick with ")
    shows(page, "help", "Click a card or a button. A click on the table ends a pause. Keys")
    if button.get_attribute("aria-pressed") == "true":  # one's own lead: it is still on the table
        button.click()
    sync_api.expect(words).to_have_count(0)
    button.click()
    sync_api.expect(words).to_have_count(1)
    shows(page, "prompt", "Last trick")
    sync_api.expect(button).to_have_attribute("aria-pressed", "true")
    assert page.evaluate(ON_TABLE) >= 6
    page.reload()
    sync_api.expect(page.locator("[data-do=last_trick]")).to_be_enabled(timeout=SLOW)
    assert page.errors == []
    page.context.close()


@pytest.mark.slow
@pytest.mark.parametrize("name", ["twenty_eight", "fifty_six", "seven_twenty_seven"])
def test_ones_own_cards_are_large_on_a_phone(page: Any, name: str) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    begin(page, find_game(name).default, 3, name)
    widths = page.eval_on_selector_all(
        "svg .item",
        """all => all.filter(one => one.item.place === "seat-0")
          .map(one => one.querySelectorAll("rect")[1].getBoundingClientRect().width)""",
    )
    assert len(widths) >= 2
    assert min(widths) >= 44


@pytest.mark.slow
def test_a_hand_in_stakes_with_partners_is_reviewed_from_ones_first_choice(page: Any) -> None:
    begin(page, "classic", 3, "twenty_eight", opponents="greedy", seat=1)
    shows(page, "seats", "Stakes, hand 1")
    names = page.locator("[data-part=seats] td:nth-child(2)").all_inner_texts()
    assert names == ["greedy", "you", "greedy", "greedy, partner"]
    page.select_option("[data-part=agent]", "greedy")
    page.select_option("[data-part=speed]", "0")
    page.click("[data-do=auto]")
    sync_api.expect(page.locator("[data-do=review]")).to_be_enabled(timeout=SLOW)
    page.click("[data-do=review]")
    output = page.locator(".replay [data-part=said]")
    sync_api.expect(output).to_contain_text("next: seat 1", timeout=SLOW)
    told = []
    verdict = page.locator(".replay .verdict")
    sync_api.expect(verdict).to_contain_text("below the best move", timeout=SLOW)
    slide = page.locator(".replay input[type=range]")
    for step in range(int(slide.get_attribute("max"))):
        slide.fill(str(step))
        told.append(page.locator(".replay .verdict").inner_text())
    assert any("was the best move." in text for text in told)
    assert "No choice in this position." in told
    assert "Not your move." in told
    shows(page, "scale", "Expected stakes before each move. A dot marks a move that lost value.")


@pytest.mark.slow
def test_the_keyboard_alone_suffices(page: Any) -> None:
    page.focus("[data-do=choose]")
    page.keyboard.press("Enter")
    page.keyboard.type("Pyramid")
    page.keyboard.press("Tab")
    page.keyboard.type("classic")
    reach(page, lambda: page.evaluate("document.activeElement.textContent") == "Deal number")
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    page.keyboard.type("3")
    page.keyboard.press("Enter")
    shows(page, "facts", "deal number 3")
    reach(page, lambda: page.evaluate("document.activeElement.classList.contains('item')"))
    play = SolitaireSession(PYRAMID, "classic", {}, {"deal": 3, "deal_set": "pyramid-1"})
    pair = next(move for move in play.moves if len(move) == 2)
    for action in pair:
        go_to(page, play, action)
        page.keyboard.press("Enter")
    moves(page, 1)
    focused = "document.activeElement.classList.contains('item')"
    assert page.evaluate(focused)  # it stays on the table, though that card has gone
    page.keyboard.press("u")
    moves(page, 0)
    assert page.evaluate(focused)
    go_to(page, play, pair[0])
    page.keyboard.press(" ")
    sync_api.expect(page.locator('[aria-pressed="true"]')).to_have_count(1)
    page.keyboard.press("Escape")
    sync_api.expect(page.locator('[aria-pressed="true"]')).to_have_count(0)


def test_arrow_keys_walk_a_grid_in_straight_lines(page: Any) -> None:
    begin(page, "classic", 3, "poker_squares")
    page.keyboard.press("n")
    page.locator("dialog[open] [name=deal]").wait_for()
    page.focus("[name=deal]")
    page.keyboard.press("Enter")  # the same deal
    sync_api.expect(page.locator("dialog[open]")).to_have_count(0)
    place = "document.activeElement.item?.place"
    page.wait_for_function(f"() => {place}?.startsWith('square-')")  # Start leads to the table
    page.locator('svg .item[data-id="square-c3"]').click()
    shows(page, "facts", "1 of 25 placed")
    for key, start, ends in (
        ("ArrowDown", "b3", ["c3", "d3", "e3", "e3"]),
        ("ArrowUp", "d3", ["c3", "b3", "a3", "a3"]),
        ("ArrowRight", "c1", ["c2", "c3", "c4", "c5"]),
        ("ArrowLeft", "c4", ["c3", "c2", "c1", "c1"]),
    ):
        page.locator(f'svg .item[data-id="square-{start}"]').focus()
        for end in ends:
            page.keyboard.press(key)
            assert page.evaluate(place) == f"square-{end}"
            if end == "c3":
                page.keyboard.press("Enter")
                shows(page, "said", "A placed card never moves.")
    shows(page, "help", "N begins a new game")


def test_open_rules_are_not_scrolled_away(browser: Any, served: Served) -> None:
    size = {"width": 390, "height": 844}
    page = open_page(browser.new_context(viewport=size, has_touch=True), served)
    begin(page, "classic", 3, "fifty_six", seat=1, opponents="greedy")
    page.wait_for_function(RESTING, timeout=SLOW)
    page.evaluate("document.querySelector('[data-part=guide]').open = true")
    page.click("[data-part=actions] button:enabled >> nth=0")
    page.evaluate("scrollTo(0, 0)")
    page.wait_for_function(f"() => !({RESTING})()")
    page.wait_for_function(RESTING, timeout=SLOW)
    assert page.evaluate("scrollY") == 0
    page.context.close()


def reach(page: Any, there: Any) -> None:
    for _ in range(30):
        if there():
            return
        page.keyboard.press("Tab")
    raise AssertionError("Tab does not lead there")


def go_to(page: Any, play: SolitaireSession, action: int) -> None:
    """Move the focus from one card to another with the arrow keys."""
    places = {i["id"]: (i["x"], i["y"]) for i in play.view()["scene"]["items"]}
    names = {one: name for name, one in play.view()["targets"].items()}
    x, y = places[names[action]]
    for _ in range(60):
        here = page.evaluate("document.activeElement.dataset.id")
        if here == names[action]:
            return
        at_x, at_y = places[here]
        if abs(at_y - y) > 0.1:
            page.keyboard.press("ArrowDown" if at_y < y else "ArrowUp")
        else:
            page.keyboard.press("ArrowRight" if at_x < x else "ArrowLeft")
    raise AssertionError("the arrow keys do not lead there")


@pytest.mark.slow
@pytest.mark.parametrize("width", [390, 640, 1280, 1700])
def test_nothing_sticks_out(page: Any, width: int) -> None:
    """Widths: 390 pixels, and 1280 pixels at zoom levels from 75 to 200 %."""
    page.set_viewport_size({"width": width, "height": 844})
    games = (
        *(("pyramid", "web"), ("seven_twenty_seven", "home")),
        *(("poker_squares", "classic"), ("puss_in_the_corner", "no-redeal")),
        *(("klondike", "classic"), ("twenty_eight", "classic"), ("fifty_six", "classic")),
    )
    for name, variant in games:
        begin(page, variant, 3, name)
        wide = page.evaluate("document.documentElement.scrollWidth")
        assert wide <= width
        box = page.locator("[data-part=svg]").bounding_box()
        assert box["x"] >= 0 and box["x"] + box["width"] <= width
    press(page, "summary:text('Replays')")
    page.click("[data-do=replay]")
    page.locator(".replay svg .item").first.wait_for()
    assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.slow
def test_a_replay_is_gone_through_with_the_review_beside_it(page: Any) -> None:
    press(page, "summary:text('Replays')")
    page.click("[data-do=replay]")
    replay = page.locator(".replay")
    sync_api.expect(replay.locator("[data-part=judge]")).to_contain_text("Values", timeout=SLOW)
    page.click("text=Next loss")
    sync_api.expect(replay.locator("[data-part=verdict]")).to_contain_text("threw the win away")
    place = replay.locator("[data-part=said]").inner_text()
    page.keyboard.press("ArrowRight")
    sync_api.expect(replay.locator("[data-part=said]")).not_to_have_text(place)
    page.click("text=Back to the table")
    begin(page, "classic", 3)
    assert page.is_disabled("[data-do=review]")
    page.select_option("[data-part=agent]", "greedy")
    page.select_option("[data-part=speed]", "0")
    page.click("[data-do=auto]")
    sync_api.expect(page.locator("[data-do=review]")).to_be_enabled(timeout=SLOW)
    page.click("[data-do=review]")
    sync_api.expect(replay.locator("[data-part=judge]")).to_contain_text("Values", timeout=SLOW)
    sync_api.expect(replay.locator("[data-part=head]")).to_contain_text("the greedy agent")
    page.click("text=Back to the table")
    shows(page, "facts", "played by the greedy agent")


def drag(page: Any, *ends: tuple[float, float]) -> None:
    page.mouse.move(*ends[0])
    page.mouse.down()
    for end in ends[1:]:
        page.mouse.move(*end, steps=5)


KLONDIKE = find_game("klondike")


def klondike_where(fits: Any) -> tuple[SolitaireSession, int, list[int]]:
    """Return a game of Klondike, its deal, and the actions to a position that fits."""
    for deal in range(60):
        chosen = {"deal": deal, "deal_set": "klondike-1"}
        play = SolitaireSession(KLONDIKE, "draw-one", {}, chosen)
        actions: list[int] = []
        rng = random.Random(deal)
        for _ in range(60):
            if fits(play):
                return play, deal, actions
            if play.deal.is_over:
                break
            to_columns = [move[0] for move in play.moves if 3 <= move[0] < 10 or move[0] >= 17]
            actions.append(rng.choice(to_columns or [play.moves[0][0]]))
            play.click(actions[-1])
    raise AssertionError("no position fits")


def go_on_with(page: Any, actions: list[int]) -> None:
    """Play actions past the table, as another tab of the same game would."""
    for number, action in enumerate(actions):
        page.evaluate("action => window.parlour.send({ do: 'click', action })", action)
        moves(page, number + 1)


def items_with(play: SolitaireSession, fits: Any) -> list[dict[str, Any]]:
    return [item for item in play.view()["scene"]["items"] if fits(item)]


def test_a_game_explains_itself_and_folds_away(page: Any) -> None:
    guide = page.locator("[data-part=guide]")
    sync_api.expect(guide).to_have_attribute("open", "")
    shows(page, "explanation", "Remove the whole pyramid.")
    page.click("text=Got it")
    sync_api.expect(guide).not_to_have_attribute("open", "")
    page.reload()
    page.wait_for_selector("svg .item", timeout=SLOW)
    sync_api.expect(guide).not_to_have_attribute("open", "")
    open_menu(page, "learn")
    sync_api.expect(guide).to_have_attribute("open", "")
    assert page.evaluate("document.activeElement.tagName") == "SUMMARY"
    page.keyboard.press("Escape")
    sync_api.expect(guide).not_to_have_attribute("open", "")


def test_the_prompt_says_what_is_expected(page: Any) -> None:
    begin(page, "classic", 3)
    play = SolitaireSession(PYRAMID, "classic", {}, {"deal": 3, "deal_set": "pyramid-1"})
    shows(page, "prompt", "Remove free cards that total 13, or deal.")
    pair = next(move for move in play.moves if len(move) == 2)
    click_card(page, item_of(play, pair[0]))
    shows(page, "prompt", "you need ")


def test_a_refusal_says_why(page: Any) -> None:
    begin(page, "classic", 3)
    ends = [spot(page, f'svg .item[aria-label*="pyramid-{n}"]') for n in (21, 25)]
    drag(page, *ends)
    page.mouse.up()
    shows(page, "said", "6 + ace (1) = 7; you need 13.")
    sync_api.expect(page.locator("[data-part=said]")).to_have_class(re.compile("refused"))


def test_a_dragged_run_is_on_top_and_its_targets_light_up(page: Any) -> None:
    def has_run(play: SolitaireSession) -> bool:
        tops = {item["place"]: item["id"] for item in play.view()["scene"]["items"]}
        return bool(items_with(play, lambda i: i["drops"] and tops[i["place"]] != i["id"]))

    play, deal, actions = klondike_where(has_run)
    begin(page, "draw-one", deal, "klondike")
    go_on_with(page, actions)
    scene = play.view()["scene"]["items"]
    tops = {item["place"]: item["id"] for item in scene}
    first = next(item for item in scene if item["drops"] and tops[item["place"]] != item["id"])
    x, y = spot(page, f'svg .item[data-id="{first["id"]}"]')
    drag(page, (x, y), (x + 20, y + 40))
    dragged = page.locator(".item.dragged")
    run = [item["id"] for item in scene if item["place"] == first["place"]]
    assert dragged.count() == len(run) - run.index(first["id"])
    last = page.eval_on_selector_all("svg .item", "all => all.at(-1).dataset.id")
    assert last == tops[first["place"]]
    lit = page.eval_on_selector_all(".item.target", "all => all.map((one) => one.dataset.id)")
    assert sorted(lit) == sorted(tops[place] for place in first["drops"])
    place, action = next(iter(first["drops"].items()))
    page.mouse.move(*spot(page, f'svg .item[data-id="{tops[place]}"]'), steps=5)
    page.mouse.up()
    moves(page, len(actions) + 1)
    play.click(action)
    there = play.view()["scene"]["items"]
    assert next(i for i in there if i["id"] == first["id"])["place"] == place


def test_a_card_with_two_places_waits_for_the_choice(page: Any) -> None:
    def has_choice(play: SolitaireSession) -> bool:
        return bool(items_with(play, lambda i: len(set(i["drops"].values())) > 1))

    play, deal, actions = klondike_where(has_choice)
    begin(page, "draw-one", deal, "klondike")
    go_on_with(page, actions)
    card = items_with(play, lambda i: len(set(i["drops"].values())) > 1)[0]
    click_card(page, f'svg .item[data-id="{card["id"]}"]')
    shows(page, "prompt", "Choose a place for the ")
    assert page.locator(".item.target").count() == len(card["drops"]) + 1
    page.keyboard.press("Escape")
    sync_api.expect(page.locator(".item.target")).to_have_count(0)
    click_card(page, f'svg .item[data-id="{card["id"]}"]')
    place = list(card["drops"])[-1]
    tops = {item["place"]: item["id"] for item in play.view()["scene"]["items"]}
    page.wait_for_timeout(400)  # longer than a double click
    click_card(page, f'svg .item[data-id="{tops[place]}"]')
    moves(page, len(actions) + 1)
    assert page.locator("[data-part=actions] button").count() == 0


def test_a_double_click_sends_a_card_to_its_foundation(page: Any) -> None:
    def goes_up(item: dict[str, Any]) -> bool:
        return any(place.startswith("foundation") for place in item["drops"])

    play, deal, actions = klondike_where(lambda play: items_with(play, goes_up))
    begin(page, "draw-one", deal, "klondike")
    go_on_with(page, actions)
    card = items_with(play, goes_up)[0]
    page.mouse.dblclick(*spot(page, f'svg .item[data-id="{card["id"]}"]'))
    moves(page, len(actions) + 1)
    label = page.locator(f'svg .item[data-id="{card["id"]}"]')
    sync_api.expect(label).to_have_attribute("aria-label", re.compile("foundation-"))


def test_a_won_game_finishes_itself_unless_that_is_switched_off(page: Any) -> None:
    deal, actions = klondike_won_by_greedy()
    begin(page, "draw-one", deal, "klondike")
    open_menu(page, "settings")
    page.uncheck("[data-part=finish]")
    page.click("text=Done")
    go_on_with(page, actions[:-1])
    page.evaluate("action => window.parlour.send({ do: 'click', action })", actions[-1])
    moves(page, len(actions))
    page.wait_for_timeout(500)
    moves(page, len(actions))
    page.keyboard.press("u")
    moves(page, len(actions) - 1)
    open_menu(page, "settings")
    page.check("[data-part=finish]")
    page.click("text=Done")
    page.evaluate("action => window.parlour.send({ do: 'click', action })", actions[-1])
    shows(page, "prompt", "You won in ")


def klondike_won_by_greedy() -> tuple[int, list[int]]:
    """Return a deal of Klondike, and the actions after which it finishes itself."""
    for deal in range(60):
        chosen = {"deal": deal, "deal_set": "klondike-1"}
        play = SolitaireSession(KLONDIKE, "draw-one", {}, chosen)
        greedy = PageAgent("greedy", KLONDIKE, play.rules, (), Thinking())
        while not play.deal.is_over and not play.finish and len(play.deal.actions) < 250:
            play.play_agent(greedy)
        if play.finish:
            return deal, play.deal.actions
    raise AssertionError("greedy wins none of the deals")


def test_long_piles_overlap_more_and_the_table_keeps_its_size(page: Any) -> None:
    def is_long(play: SolitaireSession) -> bool:
        return bool(items_with(play, lambda i: i["y"] > 4.4))

    _, deal, actions = klondike_where(is_long)
    page.set_viewport_size({"width": 1280, "height": 620})
    begin(page, "draw-one", deal, "klondike")
    box = page.locator("[data-part=svg]").bounding_box()
    go_on_with(page, actions)
    after = page.locator("[data-part=svg]").bounding_box()
    assert (after["width"], after["height"]) == (box["width"], box["height"])
    lowest = "all => Math.max(...all.map((one) => one.getBoundingClientRect().bottom))"
    low = page.eval_on_selector_all("svg .item > rect", lowest)
    assert low <= after["y"] + after["height"]


def test_empty_foundations_show_their_suits(page: Any) -> None:
    begin(page, "classic", 3, "klondike")
    signs = page.locator('svg .item[data-id^="foundation"] text')
    assert signs.all_text_contents() == ["♣", "♦", "♥", "♠"]


def test_a_hint_is_a_whole_move_with_an_arrow(page: Any) -> None:
    begin(page, "classic", 3)
    page.select_option("[data-part=agent]", "greedy")
    page.keyboard.press("h")
    shows(page, "said", "Suggestion: take ")
    sync_api.expect(page.locator("svg .arrow")).to_have_count(1)
    sync_api.expect(page.locator(".item.advised")).to_have_count(2)
    assert not page.is_visible("[data-part=advice]")  # the numbers are folded away


CORNERS = """() => [...document.querySelectorAll("svg .item")].map((one) => {
  const box = one.querySelector(".ring").getBoundingClientRect(), scale = box.width / 60;
  const part = { x: box.x + 5 * scale, y: box.y + 6 * scale };
  Object.assign(part, { width: 36 * scale, height: 20 * scale });
  const isTop = (x, y) => document.elementFromPoint(x, y)?.closest(".item") === one;
  const isSeen = isTop(part.x, part.y) && isTop(part.x + part.width, part.y + part.height);
  return one.item.face === "up" && isSeen ? part : null;
}).filter(Boolean)"""
"""The rectangles on the screen with the ranks and suits that are not covered."""
POINT = """ids => {
  parlour.board.point(ids);
  for (const one of document.querySelectorAll(".advised")) one.classList.remove("advised");
}"""
"""Draws the arrow of a hint, without the glow around its cards."""


def test_arrows_do_not_cover_ranks_and_suits(page: Any) -> None:
    image = pytest.importorskip("PIL.Image", reason="needs Pillow")
    _, deal, actions = klondike_where(lambda play: items_with(play, lambda i: i["y"] > 3.2))
    begin(page, "draw-one", deal, "klondike")
    go_on_with(page, actions)
    page.evaluate("scrollTo(0, 0)")
    corners = page.evaluate(CORNERS)
    assert len(corners) >= 7
    names = page.eval_on_selector_all(
        "svg .item", "all => all.filter(i => i.item.face === 'up').map(i => i.dataset.id)"
    )
    before, crossed = page.screenshot(), 0
    for name in names[1:]:
        page.evaluate(POINT, [names[0], name])
        pictures = [image.open(io.BytesIO(one)) for one in (before, page.screenshot())]
        crossed += pictures[0].tobytes() != pictures[1].tobytes()
        for box in corners:
            low = ceil(box["x"]), ceil(box["y"])
            high = floor(box["x"] + box["width"]), floor(box["y"] + box["height"])
            crops = [one.crop((*low, *high)).tobytes() for one in pictures]
            assert crops[0] == crops[1], (name, box)
    assert crossed >= 5  # the arrows are there


NAMES = """() => [...document.querySelectorAll("svg .item > text")]
  .map((one) => one.getBoundingClientRect().toJSON())"""
"""The rectangles on the screen with the names of empty places."""


def test_arrows_do_not_cover_names_of_squares(page: Any) -> None:
    image = pytest.importorskip("PIL.Image", reason="needs Pillow")
    page.set_viewport_size({"width": 1280, "height": 800})
    begin(page, "classic", 3, "poker_squares")
    names, before = page.evaluate(NAMES), page.screenshot()
    assert len(names) == 25
    hand = page.evaluate("parlour.view.play.scene.items.find((i) => i.place === 'hand').id")
    for square in ("a1", "a5", "c2", "e1", "e5"):
        page.evaluate(POINT, [hand, f"square-{square}"])
        pictures = [image.open(io.BytesIO(one)) for one in (before, page.screenshot())]
        assert pictures[0].tobytes() != pictures[1].tobytes()
        for box in names:
            low = ceil(box["x"]), ceil(box["y"])
            high = floor(box["x"] + box["width"]), floor(box["y"] + box["height"])
            crops = [one.crop((*low, *high)).tobytes() for one in pictures]
            assert crops[0] == crops[1], (square, box)


def test_a_phone_shows_the_newest_plays_in_plain_words(browser: Any, served: Served) -> None:
    size = {"width": 390, "height": 844}
    page = open_page(browser.new_context(viewport=size, has_touch=True, is_mobile=True), served)
    begin(page, "classic", 3, "fifty_six", opponents="greedy")
    page.wait_for_function(RESTING, timeout=SLOW)
    plays = [f"Seat {k} plays T♣." for k in range(1, 6)]
    page.evaluate("text => parlour.say(text)", " ".join([*plays, *plays, "Seat 5 plays Q♠."]))
    said = page.locator("[data-part=said]")
    assert re.fullmatch(r"… (Seat \d plays 10♣\. )+Seat 5 plays Q♠\.", said.inner_text())
    assert said.evaluate("one => one.scrollHeight <= one.clientHeight")
    assert said.get_attribute("title").startswith("Seat 1 plays 10♣. Seat 2")
    page.evaluate("parlour.say('Click the stock to deal.')")
    assert said.inner_text() == "Tap the stock to deal."
    page.evaluate("""() => {
      const { scene } = parlour.view.play;
      scene.texts.push({ ...scene.texts[0], text: "You take the trick with T♣" });
      parlour.drawAll();
    }""")
    sync_api.expect(page.locator("svg > text", has_text="with 10♣")).to_have_count(1)
    page.context.close()


@pytest.mark.parametrize("name", ["fifty_six", "twenty_eight"])
def test_no_card_of_a_trick_covers_rank_or_suit_of_another(
    browser: Any, served: Served, name: str
) -> None:
    page = begin_tricks(browser, served, name, "reduce")
    page.set_viewport_size({"width": 390, "height": 844})
    play_card(page)
    sync_api.expect(page.locator("[data-do=last_trick]")).to_be_enabled(timeout=SLOW)
    page.evaluate("parlour.showTrick(true); scrollTo(0, 0)")
    covered = page.evaluate("""() => [...document.querySelectorAll("svg .item")].filter((one) => {
      if (!one.item.place?.startsWith("trick-")) return false;
      const box = one.querySelector(".ring").getBoundingClientRect(), scale = box.width / 60;
      // The suit of a ten ends 43 units to the right of the edge of the card.
      return [8, 16, 24].some((y) => [6, 20, 43.5].some((x) => document.elementFromPoint(
        box.x + (1 + x) * scale, box.y + (1 + y) * scale)?.closest(".item") !== one));
    }).map((one) => one.dataset.id)""")
    assert page.evaluate(ON_TABLE) >= 4
    assert covered == []
    page.context.close()


@pytest.mark.parametrize("width", [390, 1280])
def test_the_agent_is_stopped_beside_the_table(page: Any, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 800})
    begin(page, "classic", 3, "klondike")
    page.evaluate("document.querySelector('[data-part=guide]').open = true")
    stop = page.locator("[data-do=stop]")
    sync_api.expect(stop).to_be_hidden()
    if width < 500:
        page.click("[data-do=menu]")
    page.click("[data-do=auto]")
    shows(page, "facts", "played by ")
    box = stop.bounding_box()
    assert box["y"] >= 0 and box["y"] + box["height"] <= 800
    felt = page.locator("[data-part=svg]").bounding_box()
    assert width < 500 or (felt["y"] >= 0 and felt["y"] + felt["height"] <= 800)
    assert page.evaluate("document.activeElement.dataset.do") == "stop"
    page.keyboard.press("Enter")
    sync_api.expect(stop).to_be_hidden()
    assert page.evaluate("document.activeElement.classList.contains('item')")
    assert page.evaluate("parlour.auto === null && !parlour.button('auto').disabled")


@pytest.mark.parametrize("width", [390, 1000, 1280])
def test_the_end_of_a_game_does_not_move_the_table(page: Any, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 844})
    begin(page, "classic", LOSING)
    before = table_box(page)
    page.evaluate("parlour.parts.speed.value = 0; parlour.parts.agent.value = 'uniform'")
    page.evaluate("parlour.parts.agent.dispatchEvent(new Event('change'))")
    page.evaluate("parlour.button('auto').click()")
    shows(page, "prompt", "Lost: no move is left.")
    shows(page, "over", "This deal could ")
    assert table_box(page) == before
    box = page.locator(".ending").bounding_box()
    assert box["y"] >= 0 and box["y"] + box["height"] <= 844
    page.click("[data-do=same_deal]")
    moves(page, 0)
    assert table_box(page) == before


def test_after_the_end_come_the_next_steps(page: Any) -> None:
    begin(page, "classic", LOSING)
    page.select_option("[data-part=agent]", "uniform")
    page.select_option("[data-part=speed]", "0")
    page.click("[data-do=auto]")
    shows(page, "prompt", "Lost: no move is left.")
    shows(page, "over", "This deal could ")
    page.click("[data-do=same_deal]")
    moves(page, 0)
    shows(page, "facts", f"deal number {LOSING}")
    page.click("[data-do=auto]")
    shows(page, "prompt", "Lost: ")
    page.click("[data-do=next_deal]")
    shows(page, "facts", f"deal number {LOSING + 1}")


def test_options_are_switches_and_lists_and_follow_the_variant(page: Any) -> None:
    open_menu(page, "choose")
    page.select_option("[name=game]", "pyramid")
    page.select_option("[name=variant]", "web")
    page.click("text=Rules of this variant")
    assert page.is_checked("[name=option-undo]")
    assert page.input_value("[name=option-passes]") == "0"
    page.select_option("[name=variant]", "classic")
    assert not page.is_checked("[name=option-undo]")
    shows(page, "note", PYRAMID.variant_notes["classic"])
    page.check("[name=option-clear_all]")
    page.click("dialog button:has-text('Start')")
    shows(page, "facts", "clear all: yes")
    shows(page, "explanation", "Remove all 52 cards.")
    typed = "all => all.filter((one) => one.type === 'text').length"
    assert page.eval_on_selector_all("[data-part=choose] input", typed) == 0


def test_opponents_are_chosen_from_a_list(page: Any) -> None:
    open_menu(page, "choose")
    page.select_option("[name=game]", "seven_twenty_seven")
    assert not page.is_visible("[name=winnable]")
    fields = page.locator("[data-part=opponents] select")
    assert fields.count() == 3
    fields.nth(1).select_option("uniform")
    page.click("dialog button:has-text('Start')")
    shows(page, "seats", "random")
    names = page.locator("[data-part=seats] td:nth-child(2)").all_inner_texts()
    assert names == ["you", "greedy", "random", "greedy"]


def test_seats_of_partners_are_named(page: Any) -> None:
    open_menu(page, "choose")
    page.select_option("[name=game]", "twenty_eight")
    page.select_option("[name=seat]", "1")
    names = page.locator("[data-part=opponents] label > span").all_inner_texts()
    assert names == ["Seat 2", "Seat 3 (partner)", "Seat 0"]


def test_only_winnable_deals_can_be_asked_for(page: Any) -> None:
    open_menu(page, "choose")
    page.select_option("[name=game]", "pyramid")
    page.check("[name=winnable]")
    for _ in range(3):
        page.click("dialog button:has-text('Start')")
        sync_api.expect(page.locator("dialog[open]")).to_have_count(0)
        page.wait_for_timeout(500)
        sync_api.expect(page.locator("[data-part=notice]")).to_have_text("")
        open_menu(page, "choose")
        assert page.is_checked("[name=winnable]")
    page.select_option("[name=game]", "poker_squares")
    assert not page.is_visible("[name=winnable]")


def test_the_choice_of_winnable_deals_and_of_seats_follows_the_options(page: Any) -> None:
    open_menu(page, "choose")
    page.select_option("[name=game]", "pyramid")
    page.click("text=Rules of this variant")
    winnable = page.locator("[name=winnable]")
    page.select_option("[name=option-passes]", "2")
    sync_api.expect(winnable).to_be_visible()
    page.check("[name=option-shuffle_redeal]")
    sync_api.expect(winnable).to_be_hidden()
    page.uncheck("[name=option-shuffle_redeal]")
    sync_api.expect(winnable).to_be_visible()
    page.check("[name=option-stock_play]")
    shows(page, "refused", "option stock view must be top or all with stock play: yes, got down")
    page.select_option("[name=option-stock_view]", "top")
    sync_api.expect(page.locator("[data-part=refused]")).to_have_text("")
    page.select_option("[name=game]", "seven_twenty_seven")
    fields = page.locator("[data-part=opponents] select")
    assert fields.count() == 3
    fields.nth(1).select_option("uniform")
    page.select_option("[name=option-players]", "6")
    sync_api.expect(fields).to_have_count(5)
    assert fields.nth(1).input_value() == "uniform"
    page.click("dialog button:has-text('Start')")
    shows(page, "seats", "random")
    page.wait_for_function("() => parlour.view.play.seats?.length === 6")
    page.click("[data-do=choose]")
    assert fields.count() == 5
    assert fields.nth(1).input_value() == "uniform"


@pytest.mark.parametrize("name", ["seven_twenty_seven", "twenty_eight", "fifty_six"])
def test_hints_are_in_view_and_seats_say_who_plays(page: Any, name: str) -> None:
    page.set_viewport_size({"width": 1280, "height": 800})
    begin(page, find_game(name).default, 3, name, opponents="greedy")
    page.evaluate("parlour.begin({ ...parlour.view.settings, opponents: ['mcts@2'] })")
    page.wait_for_function("() => parlour.view.settings.opponents[0] === 'mcts@2'", timeout=SLOW)
    page.wait_for_function(RESTING, timeout=SLOW)
    for button in page.locator(".bar button:visible").all():
        box = button.bounding_box()
        assert box["y"] + box["height"] <= 800
    assert page.is_visible("[data-do=last_trick]") == (name != "seven_twenty_seven")
    words = page.locator("[data-part=svg] > text").all_text_contents()
    seats = find_game(name).num_players(find_game(name).make_rules())
    assert words.count("tree search") == seats - 1
    page.select_option("[data-part=agent]", "greedy")
    page.click("[data-do=advise]")
    shows(page, "said", "Suggestion: ")


def test_a_phone_shows_the_table_first(browser: Any, served: Served) -> None:
    size = {"width": 390, "height": 844}
    context = browser.new_context(has_touch=True, viewport=size, reduced_motion="reduce")
    page = open_page(context, served)
    for name in ("klondike", "pyramid", "poker_squares", "puss_in_the_corner"):
        begin(page, find_game(name).default, 3, name)
        felt, bar = (page.locator(one).bounding_box() for one in (".felt", ".bar"))
        assert felt["y"] < 130, name
        assert felt["y"] + felt["height"] <= bar["y"] + 1, name
        assert bar["y"] + bar["height"] == pytest.approx(844, abs=1)
        wide = "all => all.map((one) => (one.getBoundingClientRect().width * 58) / 60)"
        assert min(page.eval_on_selector_all("svg .item > .ring", wide)) >= 44, name
        assert [b.inner_text() for b in page.locator(".bar button:visible").all()] == [
            *("Undo", "Hint", "Menu")
        ]
        assert not page.is_visible("[data-do=choose]")
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert page.errors == []
    context.close()


def test_everything_is_large_enough_for_a_finger(browser: Any, served: Served) -> None:
    size = {"width": 390, "height": 844}
    context = browser.new_context(has_touch=True, viewport=size, reduced_motion="reduce")
    page = open_page(context, served)
    begin(page, "classic", 3, "fifty_six")
    heights = "all => all.filter(o => o.offsetParent).map(o => o.getBoundingClientRect().height)"
    fields = "button, select, input:not([role=switch])"
    page.wait_for_selector("[data-part=actions] button", timeout=SLOW)
    assert min(page.eval_on_selector_all(fields, heights)) >= 44
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    open_menu(page, "choose")
    page.click("text=Rules of this variant")
    assert min(page.eval_on_selector_all(f"dialog :is({fields}, label)", heights)) >= 44
    foot = page.locator("[data-part=chooser] .row.end").bounding_box()
    assert foot["y"] + foot["height"] <= 844
    context.close()


def test_the_focus_is_seen_on_top_and_is_never_lost(page: Any) -> None:
    begin(page, "classic", 3, "klondike")
    page.focus("[data-do=settings]")
    seen = []
    for _ in range(12):
        page.keyboard.press("Tab")
        seen.append(page.evaluate("document.activeElement.tagName"))
    assert "svg" not in seen and "g" in seen
    page.locator('svg .item[tabindex="0"]').focus()
    page.keyboard.press("ArrowRight")
    cursor = page.locator("svg .cursor")
    sync_api.expect(cursor).to_have_attribute("visibility", "visible")
    assert (
        page.evaluate("document.querySelector('[data-part=svg]').lastChild.className.baseVal")
        == "cursor"
    )
    page.locator('svg .item[data-id="stock"]').focus()
    page.keyboard.press("Enter")
    moves(page, 1)
    page.locator("[data-do=take_back]").focus()
    page.keyboard.press("Enter")
    moves(page, 0)  # the button is disabled now
    assert page.evaluate("document.activeElement.classList.contains('item')")


def test_u_works_wherever_the_focus_is(page: Any) -> None:
    begin(page, "classic", 3)
    for place in (
        "document.activeElement.blur()",
        "document.querySelector('[data-do=auto]').focus()",
    ):
        click_card(page, 'svg .item[data-id="stock"]')
        moves(page, 1)
        page.evaluate(place)
        page.keyboard.press("u")
        moves(page, 0)


def test_twice_as_large_text_fits(page: Any) -> None:
    begin(page, "classic", 3)
    page.evaluate("document.documentElement.style.fontSize = '200%'")
    for width in (1280, 640):
        page.set_viewport_size({"width": width, "height": 844})
        assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_a_hopeless_random_deal_can_be_replaced_by_a_winnable_one(page: Any) -> None:
    offer = page.locator("[data-do=deal_winnable]")
    for _ in range(30):
        page.evaluate(
            "window.parlour.begin({ ...window.parlour.view.settings, variant: 'classic' })"
        )
        page.wait_for_timeout(700)
        if offer.is_visible():
            break
    shows(page, "notice", "This deal cannot be won.")
    before = table_box(page)
    offer.click()
    sync_api.expect(offer).to_be_hidden(timeout=SLOW)
    sync_api.expect(page.locator("[data-part=notice]")).to_have_text("")
    assert page.evaluate("window.parlour.view.settings.winnable")
    assert table_box(page) == before
