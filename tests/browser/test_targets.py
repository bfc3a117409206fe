"""A finger on a phone: whatever it may press is large enough to be met, and what opens stands in the window, whole."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.browser.brought import Desk
from tests.browser.test_phone import STANDING, phone

LEAST = 24
"""Pixels: the smallest side of a target, as WCAG 2.2 asks (success criterion 2.5.8, level AA)."""
PAGES = (
    "row=3", "n=9&pin=h%3D1", "source=text&lang=ko", "h=16&mask=causal", "lesson=first-look", "page=why&predict=false",
    "page=why&predict=true", "page=anatomy", "page=anatomy&lang=ko", "page=cost", "page=train", "page=map&n=300",
    "page=model", "page=model&predict=true&lang=ko",
)  # fmt: skip

_SMALL = """(least) => {
  const all = "button, summary, select, textarea, a[href], [role=tab], label:has(input), input:not(label input)";
  return [...document.querySelectorAll(all)].flatMap((one) => {
    const { width, height } = one.getBoundingClientRect();
    const spoken = width < 3 || height < 3 || one.closest(".off-screen, .spoken"); // for screen readers alone
    if (spoken || !one.checkVisibility({ visibilityProperty: true })) return [];
    const small = width < least - 0.01 || height < least - 0.01;
    return small ? [`${one.outerHTML.slice(0, 120)}: ${width} × ${height}`] : [];
  }); }"""

_SHEET = """(menu) => {
  const sheet = menu.querySelector(".sheet"), { left, top, right, bottom } = sheet.getBoundingClientRect();
  const corners = [[left + 6, top + 6], [right - 6, top + 6], [left + 6, bottom - 6], [right - 6, bottom - 6]];
  return { left, top, right, bottom, covered: corners.filter(([x, y]) => {
    const there = document.elementFromPoint(x, y);
    return !sheet.contains(there); }) }; }"""


def opened(page: Page, query: str) -> None:
    """Wait until the page has its figures and its sentences, or its question."""
    figures = "#figures [id^=figure-] .figure"
    page.wait_for_function("(figures) => document.querySelectorAll(figures).length > 0", arg=figures)
    page.locator("#help-open").wait_for()
    if "page=" not in query:
        page.locator("#figure-heat-maps[data-painted]").wait_for()
    if "lesson" in query:
        page.locator("#lesson-leave").wait_for()


@pytest.fixture(scope="module")
def desk(open_module_page: Callable[..., Page]) -> Desk:
    return Desk(open_module_page, is_mobile=True, has_touch=True)


@pytest.fixture(scope="module", params=PAGES)
def shown(request: pytest.FixtureRequest, desk: Desk, open_module_page: Callable[..., Page]) -> Page:
    """Return a phone with one of the pages."""
    query = request.param
    if "lesson" in query or "predict=true" in query:
        page = open_module_page(query, painted=False, **phone(STANDING))
    else:
        page = desk(query, STANDING)
    opened(page, query)
    return page


def test_every_target_is_large_enough_for_a_finger(shown: Page) -> None:
    assert shown.evaluate(_SMALL, LEAST) == []


def test_every_menu_opens_in_the_window_and_nothing_cuts_it(shown: Page) -> None:
    page = shown
    seen = 0
    for menu in page.locator("details.menu").all():
        head = menu.locator("> summary")
        if not head.is_visible():
            continue
        head.scroll_into_view_if_needed()
        head.tap()
        expect(menu.locator("> .sheet")).to_be_visible()
        require_whole(page, menu)
        head.press("Escape")
        expect(menu.locator("> .sheet")).to_be_hidden()
        seen += 1
    assert seen >= 4


def require_whole(page: Page, menu) -> None:
    """Expect an open menu inside the window, in front of everything."""
    page.wait_for_function("(menu) => menu.querySelector('.sheet').style.top !== ''", arg=menu.element_handle())
    found = menu.evaluate(_SHEET)
    width, height = STANDING
    assert found["left"] >= 0, found
    assert found["top"] >= 0, found
    assert found["right"] <= width, found
    assert found["bottom"] <= height, found
    assert found["covered"] == [], found


def test_a_hint_that_is_open_follows_its_button_while_the_page_comes(open_page: Callable[..., Page]) -> None:
    page = open_page("", **phone(STANDING))
    menu = page.locator("#figure-heat-maps .hint")
    menu.locator("summary").tap()
    expect(menu.locator(".sheet")).to_be_visible()
    # what comes late makes the header another one
    for place in ("padding-right: 300px", "padding-right: 0", "padding-right: 60px; padding-top: 90px"):
        page.evaluate("(style) => { document.querySelector('#figure-heat-maps header').style = style; }", place)
        page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
        require_whole(page, menu)


def test_the_help_is_within_reach_of_a_finger(desk: Desk) -> None:
    page = desk("", STANDING)
    button = page.locator("#help-open")
    expect(button).to_be_in_viewport(ratio=1)
    button.tap()
    page.locator("#help").wait_for()
