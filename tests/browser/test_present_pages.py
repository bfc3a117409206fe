"""Map and Anatomy in present mode: legible from the last row, and nothing cut off."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.browser import mapped
from tests.browser.boxes import boxes, require_apart, require_inside, require_still, require_together
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
    assert [(said, size) for said, size in written if size < 0.024 * height - 0.01] == []


@pytest.mark.parametrize(("width", "height"), SIZES)
@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_presented_map_is_legible(open_page: Callable[..., Page], width: int, height: int, lang: str) -> None:
    page = open_page(f"page=map&present=1&lang={lang}", painted=False, viewport={"width": width, "height": height})
    mapped.wait(page)
    page.wait_for_selector("#insight[data-painted]")
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


@pytest.mark.parametrize(("width", "height"), SIZES)
@pytest.mark.parametrize("state", ["&predict=true", "&step=scores", "&lang=ko&step=weights"])
def test_a_presented_walk_is_legible(open_page: Callable[..., Page], width: int, height: int, state: str) -> None:
    page = open_page(f"page=anatomy&present=1{state}", painted=False, viewport={"width": width, "height": height})
    painted(page)
    require_legible(page, height)
    assert page.evaluate(CUT, "#insight .insight, .half figcaption, .figure h2, .pieces, .step-says, #predict") == []
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


@pytest.mark.parametrize(("width", "height"), SIZES)
@pytest.mark.parametrize("name", ["explore", "map", "why"])
def test_a_presented_colour_bar_keeps_its_bright_end(
    open_page: Callable[..., Page], name: str, width: int, height: int
) -> None:
    page = open_page(f"page={name}&present=1", painted=False, viewport={"width": width, "height": height})
    page.wait_for_selector("#insight[data-painted]")
    bars = boxes(page, ".bars .strip")
    require_inside(page, *bars)
    require_apart(*bars, *boxes(page, ".figure .tools"))


@pytest.mark.parametrize(("width", "height"), SIZES)
def test_a_presented_explore_names_its_curves(open_page: Callable[..., Page], width: int, height: int) -> None:
    page = open_page("present=1&row=3", viewport={"width": width, "height": height})
    require_legible(page, height)
    entries = boxes(page, ".legends .entry")
    require_inside(page, *entries)
    require_apart(*entries, *boxes(page, "#panels", "#figure-heat-maps canvas.cells"))
    said = page.locator(".legends").inner_text()
    for name in ("exact density", "weight < 1/100 of the largest", "ceiling ln n", "largest possible, 0.5"):
        assert name in said
    page.keyboard.press("Escape")
    expect(page.locator("#figure-score-distribution .chart-legend")).to_be_visible()
    expect(page.locator(".legends")).to_be_hidden()


@pytest.mark.parametrize("name", PAGES)
def test_the_way_back_covers_no_button(open_page: Callable[..., Page], name: str) -> None:
    """Without the sentences, as in a lesson, figures reach the corner in which it stands."""
    page = open_page(f"page={name}&present=1&hide=insight", painted=False, viewport={"width": 1280, "height": 720})
    page.locator("#insight[data-painted]").wait_for(state="attached")
    covered = page.evaluate(
        """() => {
          const box = (one) => one.getBoundingClientRect();
          const back = box(document.getElementById("way-back"));
          const over = ({ left, right, top, bottom }) =>
            left < back.right && right > back.left && top < back.bottom && bottom > back.top;
          return [...document.querySelectorAll(".enlarge")].filter((one) => over(box(one))).map(({ title }) => title);
        }"""
    )
    assert covered == []


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("name", PAGES)
def test_a_presented_phone_that_stands_has_room_for_its_figures(
    open_page: Callable[..., Page], name: str, lang: str
) -> None:
    """Its type is hardly larger than usual; the sentence is whole, or the way to its rest is in sight."""
    page = open_page(
        f"page={name}&present=1&lang={lang}",
        painted=False,
        viewport={"width": 390, "height": 844},
        is_mobile=True,
        has_touch=True,
    )
    page.locator("#outline").wait_for(state="detached")
    page.wait_for_selector("#insight[data-painted]")
    page.wait_for_function(_ALL_PAINTED)
    require_inside(page, *boxes(page, "#insight .more-said"))
    said = page.locator("#insight .insight").evaluate("(box) => box.scrollHeight - box.clientHeight")
    assert said <= 2, "no line of the first sentence is out of sight"
    rooms = page.locator(".chart-area >> visible=true").evaluate_all(
        "(areas) => areas.map((one) => one.clientHeight / parseFloat(getComputedStyle(one).fontSize))"
    )
    assert all(room >= 10 for room in rooms), f"lines of text that are as high as each chart: {rooms}"
    assert bool(rooms) is (name not in ("anatomy", "map"))
