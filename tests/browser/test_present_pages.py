"""Map and Anatomy in present mode: legible from the last row, and nothing cut off."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.browser import mapped
from tests.browser.boxes import boxes, require_apart, require_inside, require_still, require_together
from tests.browser.brought import explored, sized
from tests.browser.test_present import TYPE
from tests.browser.walked import painted
from visualiser.locale import LANGUAGES
from visualiser.state.parameters import PAGES

SIZES = [(1280, 720), (1024, 768), (1920, 1080)]

# a glyph may reach out of its line by less than half the type
CUT = """(selectors) => [...document.querySelectorAll(selectors)].filter((one) => one.checkVisibility())
  .filter((one) => one.scrollWidth > one.clientWidth + 1
    || one.scrollHeight > one.clientHeight + 0.4 * parseFloat(getComputedStyle(one).fontSize))
  .map((one) => `${one.className}: ${one.textContent}`)"""

_ALL_PAINTED = """() => [...document.querySelectorAll(".figure-place")].filter((one) => one.checkVisibility())
  .every((one) => one.dataset.painted !== undefined)"""


def require_legible(page: Page, height: int) -> None:
    """Fail if any type is smaller than 2.4 % of the window's height."""
    written = page.evaluate(TYPE)
    assert len(written) > 20
    assert [(words, size) for words, size in written if size < 0.024 * height - 0.01] == []


def require_bright(page: Page) -> None:
    """Fail unless each colour bar is whole, apart from the tools beside it."""
    bars = boxes(page, ".bars .strip")
    require_inside(page, *bars)
    require_apart(*bars, *boxes(page, ".figure .tools"))


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_presented_map_is_legible_and_keeps_its_bright_end(open_page: Callable[..., Page], lang: str) -> None:
    page = open_page(f"page=map&n=300&present=1&lang={lang}", painted=False)
    mapped.wait(page)
    page.wait_for_selector("#insight[data-painted]")
    for width, height in SIZES:
        sized(page, width, height)
        mapped.settled(page)
        require_legible_map(page, height)
        require_bright(page)


def require_legible_map(page: Page, height: int) -> None:
    """Fail unless the map fills its window, and every word is whole and legible."""
    require_legible(page, height)
    assert (
        page.evaluate(
            CUT, ".map-rows span, #figure-map .ticks, .strip-title, .strip-axis, #insight .insight, .colour-bar .name"
        )
        == []
    )
    labels = boxes(page, ".map-rows span", ".map-columns span", ".strip-axis span")
    require_inside(page, *labels)
    require_apart(*labels)
    cells, *_ = require_together(
        page, ".map-cells", "#insight", "#controls", ".strip-cells", ".map-tools", ".map-across"
    )
    assert cells.height >= 0.55 * height, "the map fills the height"
    require_still(page)


@pytest.mark.parametrize("state", ["&predict=true", "&step=scores", "&lang=ko&step=weights"])
def test_a_presented_walk_is_legible(open_page: Callable[..., Page], state: str) -> None:
    page = open_page(f"page=anatomy&present=1{state}", painted=False)
    painted(page)
    for width, height in SIZES:
        sized(page, width, height)
        require_legible(page, height)
        texts = "#insight .insight, .half figcaption, .figure h2, .pieces, .step-says, #predict"
        assert page.evaluate(CUT, texts) == [], (width, height)
        drawn = boxes(page, ".face", ".tensor")
        require_inside(page, *drawn)
        require_apart(*drawn)
        require_together(page, "#insight", "#controls", ".walk-bar", ".step-says", ".halves")
        require_still(page)


def test_a_class_reads_two_digits_and_the_teacher_three(open_page: Callable[..., Page]) -> None:
    page = open_page("page=anatomy&present=1", painted=False)
    painted(page)
    first = page.locator(".is-result td[data-row]").first
    assert first.inner_text() == "−0.67"
    page.keyboard.press("Escape")
    expect(first).to_have_text("−0.666")


def test_a_presented_why_keeps_the_bright_end_of_its_colour_bar(open_page: Callable[..., Page]) -> None:
    page = open_page("page=why&present=1", painted=False)
    page.wait_for_selector("#insight[data-painted]")
    for size in SIZES:
        sized(page, *size)
        require_bright(page)


def test_a_presented_explore_names_its_curves_and_keeps_the_bright_end(open_page: Callable[..., Page]) -> None:
    page = open_page("present=1")
    for width, height in SIZES:
        sized(page, width, height)
        require_bright(page)
    explored(page, "present=1&row=3")
    for width, height in SIZES:
        sized(page, width, height)
        require_legible(page, height)
        entries = boxes(page, ".legends .entry")
        require_inside(page, *entries)
        require_apart(*entries, *boxes(page, "#panels", "#figure-heat-maps canvas.cells"))
        legends = page.locator(".legends").inner_text()
        for name in ("exact density", "weight < 1/100 of the largest", "ceiling ln n", "largest possible, 0.5"):
            assert name in legends
    page.keyboard.press("Escape")
    expect(page.locator("#figure-score-distribution .chart-legend")).to_be_visible()
    expect(page.locator(".legends")).to_be_hidden()


@pytest.fixture(scope="module", params=LANGUAGES)
def phone(request: pytest.FixtureRequest, open_module_page: Callable[..., Page]) -> tuple[Page, str]:
    """Return a phone that stands, and its language."""
    screen = {"viewport": {"width": 390, "height": 844}, "is_mobile": True, "has_touch": True}
    return open_module_page(url="about:blank", painted=False, **screen), request.param


@pytest.mark.parametrize("name", PAGES)
def test_a_presented_phone_that_stands_has_room_for_its_figures(
    phone: tuple[Page, str], app_url: str, name: str
) -> None:
    """Its type is hardly larger than usual; the sentence is whole, or the way to its rest is in sight."""
    page, lang = phone
    page.goto(f"{app_url}?page={name}&present=1&lang={lang}")
    page.locator("#outline").wait_for(state="detached")
    page.wait_for_selector("#insight[data-painted]")
    page.wait_for_function(_ALL_PAINTED)
    require_inside(page, *boxes(page, "#insight .more-said"))
    hidden = page.locator("#insight .insight").evaluate("(box) => box.scrollHeight - box.clientHeight")
    assert hidden <= 2, "no line of the first sentence is out of sight"
    rooms = page.locator(".chart-area >> visible=true").evaluate_all(
        "(areas) => areas.map((one) => one.clientHeight / parseFloat(getComputedStyle(one).fontSize))"
    )
    assert all(room >= 10 for room in rooms), f"lines of text that are as high as each chart: {rooms}"
    assert bool(rooms) is (name not in ("anatomy", "map"))
