"""The play page in a headless Chromium, with mouse, touch and keyboard."""

import re
import shutil
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from parlour.envs import GAMES, find_game
from parlour.envs.core.scene.drawing import find_theme
from parlour.envs.core.solve import solver_of
from parlour.page.play import SolitaireSession
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


def begin(page: Any, variant: str, deal: int, name: str = "pyramid", **fields: str) -> None:
    page.select_option("[name=game]", name)
    page.select_option("[name=variant]", variant)
    page.fill("[name=deal]", str(deal))
    for field, value in fields.items():
        page.fill(f"[name={field}]", value)
    page.click("text=New game")
    shows(page, "facts", f"{variant} · deal {deal},")


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
    shows(page, "verdict", "loss of decisions")
    page.keyboard.press("Home")
    page.keyboard.press("n")
    shows(page, "verdict", "best was")
    sync_api.expect(page.locator(".advised")).to_have_count(1)
    assert asked == [game_file.as_uri()]
    assert errors == []
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
    shows(page, "notice", "Won.")
    shows(page, "said", "Won")
    assert any(
        row["won"] and row["source"].startswith(f"deal {deal},") for row in served.store.rows()
    )


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
    shows(page, "said", "gone: ")


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
    shows(page, "said", "gone: king of ")
    pile = page.locator('svg .item[data-id="foundation"]')
    sync_api.expect(pile).to_have_attribute("aria-label", "face-down card, foundation")


def test_a_result_that_is_not_saved_is_said_so(page: Any, served: Served) -> None:
    begin(page, "classic", 3)
    with closing(sqlite3.connect(served.store.path)) as other:
        other.execute("BEGIN EXCLUSIVE")
        page.select_option("[data-part=agent]", "greedy")
        page.select_option("[data-part=speed]", "0")
        page.click("text=Play on")
        shows(page, "notice", "The last result is not saved yet: ")
        shows(page, "notice", "database is locked")
        other.rollback()
    begin(page, "classic", 4)
    shows(page, "facts", "classic · deal 4,")


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
    moves(page, 1)
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
    shows(page, "said", "turned up: ")
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
    page.click("text=Appearance")
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
    shows(page, "said", "turned up: ")
    page.click("button:has-text('Take back')")
    moves(page, 2)
    shows(page, "facts", "moves taken back")
    page.click("text=Restart")
    moves(page, 0)
    assert page.is_disabled("text=Restart")


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
    shows(page, "notice", "This position can no longer be won")
    page.click("button:has-text('Take back')")
    sync_api.expect(page.locator("[data-part=notice]")).to_have_text("")


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
    shows(page, "said", "turned up: ")


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
        page.click("text=Advise")
        sync_api.expect(output).to_have_text(text, timeout=SLOW)
        go_on.set()
        shows(page, "said", "uniform: ")
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
        assert actual and min(actual) >= 12, name
    page.set_viewport_size({"width": 1280, "height": 844})
    enlarged = page.locator('[data-part=svg] > text:not([font-size="17"])')
    sync_api.expect(enlarged).to_have_count(0)


@pytest.mark.slow
def test_an_agent_advises_and_plays_to_the_end(page: Any) -> None:
    begin(page, "classic", 3)
    page.select_option("[data-part=agent]", "greedy")
    page.click("text=Advise")
    shows(page, "advice", "greedy: ")
    shows(page, "advice", "probability")
    page.select_option("[data-part=speed]", "0")
    page.click("text=Play on")
    sync_api.expect(page.locator("[data-do=advise]")).to_be_disabled(timeout=SLOW)
    sync_api.expect(page.locator("[data-part=notice]")).to_contain_text(re.compile("Won|Over"))
    assert page.is_disabled("text=Play on")


@pytest.mark.slow
def test_a_reload_keeps_the_game_and_tabs_have_their_own(page: Any, served: Served) -> None:
    begin(page, "classic", 3)
    click_card(page, 'svg .item[data-id="stock"]')
    moves(page, 1)
    other = open_page(page.context, served)
    shows(other, "facts", "moves 0")
    begin(other, "web", 5)
    page.reload()
    shows(page, "facts", "classic · deal 3,")
    moves(page, 1)
    shows(other, "facts", "web · deal 5,")
    assert other.errors == []


@pytest.mark.slow
def test_a_hand_against_three_agents(page: Any) -> None:
    shows(page, "help", "U takes back")
    begin(page, "home", 4, "seven_twenty_seven", opponents="greedy")
    shows(page, "help", "Click a card or a button")
    for hand in (1, 2):
        while not page.locator("text=Next hand").is_enabled():
            page.locator("[data-part=actions] button:enabled").last.click()
            page.wait_for_timeout(100)
        shows(page, "seats", f"Chips, hand {hand}")
        totals = page.locator("[data-part=seats] td:last-child").all_inner_texts()
        assert len(totals) == 4
        assert sum(map(int, totals)) == 0
        page.click("text=Next hand")
        shows(page, "seats", f"Chips, hand {hand + 1}")


def begin_tricks(browser: Any, served: Served, name: str, motion: str) -> Any:
    """Open a page with a game of tricks whose auction the person leaves by passing."""
    page = open_page(browser.new_context(reduced_motion=motion), served)
    page.select_option("[data-part=speed]", "250")
    begin(page, find_game(name).default, 3, name, opponents="greedy")
    page.wait_for_function(RESTING, timeout=SLOW)
    while page.locator("[data-part=actions] button:enabled").count():
        page.click("[data-part=actions] button:enabled:text-is('pass')")
        page.wait_for_timeout(100)
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
    shows(page, "said", "the trick: ")
    play_card(page)
    page.select_option("[data-part=speed]", "3000")
    page.wait_for_timeout(400)
    page.locator("[data-part=svg]").click(position={"x": 5, "y": 5})
    page.wait_for_function(RESTING, timeout=5000)
    assert page.errors == []
    page.context.close()


@pytest.mark.slow
def test_the_last_trick_is_shown_again(browser: Any, served: Served) -> None:
    page = begin_tricks(browser, served, "fifty_six", "reduce")
    button = page.locator("[data-do=last_trick]")
    sync_api.expect(button).to_be_disabled()
    play_card(page)
    sync_api.expect(button).to_be_enabled(timeout=SLOW)
    words = page.locator("[data-part=svg] > text", has_text="the trick: ")
    if button.get_attribute("aria-pressed") == "true":  # one's own lead: it is still on the table
        button.click()
    sync_api.expect(words).to_have_count(0)
    button.click()
    sync_api.expect(words).to_have_count(1)
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
    begin(page, "classic", 3, "twenty_eight", opponents="greedy", seat="1")
    shows(page, "seats", "Stakes, hand 1")
    names = page.locator("[data-part=seats] td:nth-child(2)").all_inner_texts()
    assert names == ["greedy", "you", "greedy", "greedy, partner"]
    page.select_option("[data-part=agent]", "greedy")
    page.select_option("[data-part=speed]", "0")
    page.click("text=Play on")
    sync_api.expect(page.locator("[data-do=review]")).to_be_enabled(timeout=SLOW)
    page.click("text=Review this game")
    output = page.locator(".replay [data-part=said]")
    sync_api.expect(output).to_contain_text("next: seat 1", timeout=SLOW)
    told = []
    sync_api.expect(page.locator(".replay .verdict")).to_contain_text("as good", timeout=SLOW)
    slide = page.locator(".replay input[type=range]")
    for step in range(int(slide.get_attribute("max"))):
        slide.fill(str(step))
        told.append(page.locator(".replay .verdict").inner_text())
    assert any("with all cards known, the bidder's side takes " in text for text in told)


@pytest.mark.slow
def test_the_keyboard_alone_suffices(page: Any) -> None:
    page.focus("[name=game]")
    page.keyboard.type("Pyramid")
    page.keyboard.press("Tab")
    page.keyboard.type("classic")
    page.keyboard.press("Tab")
    page.keyboard.type("3")
    page.keyboard.press("Enter")
    shows(page, "facts", "classic · deal 3,")
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
    page.click("text=Replays")
    page.click("[data-do=replay]")
    page.locator(".replay svg .item").first.wait_for()
    assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.slow
def test_a_replay_is_gone_through_with_the_review_beside_it(page: Any) -> None:
    page.click("text=Replays")
    page.click("[data-do=replay]")
    replay = page.locator(".replay")
    sync_api.expect(replay.locator("[data-part=judge]")).to_contain_text("Values", timeout=SLOW)
    page.click("text=Next loss")
    sync_api.expect(replay.locator("[data-part=verdict]")).to_contain_text(
        "made the deal unwinnable"
    )
    place = replay.locator("[data-part=said]").inner_text()
    page.keyboard.press("ArrowRight")
    sync_api.expect(replay.locator("[data-part=said]")).not_to_have_text(place)
    page.click("text=Back to the table")
    begin(page, "classic", 3)
    assert page.is_disabled("text=Review this game")
    page.select_option("[data-part=agent]", "greedy")
    page.select_option("[data-part=speed]", "0")
    page.click("text=Play on")
    sync_api.expect(page.locator("[data-do=review]")).to_be_enabled(timeout=SLOW)
    page.click("text=Review this game")
    sync_api.expect(replay.locator("[data-part=judge]")).to_contain_text("Values", timeout=SLOW)
    sync_api.expect(replay.locator("[data-part=head]")).to_contain_text("you and agents")
