"""Why is one screen: curves, maps, scores and factor stand together while the marker moves, at every size."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page

from tests.browser.boxes import (
    SIZES,
    boxes,
    require_apart,
    require_inside,
    require_scrolled,
    require_still,
    require_together,
)

DESKTOPS = tuple(size for size in SIZES if size[0] >= 1024)
SCREENS = tuple(size for size in SIZES if size[1] >= 640)
"""The windows of one screen; lower ones scroll."""
CURVES = ("sweep", "mechanism-scores", "temperature")
STRIP = ("mechanism-maps", "mechanism-scores", "temperature", "numerics")
STATES = ("n=13&seeds=2&scaling=custom&scale=0.3", "n=13&seeds=2&lang=ko", "n=13&seeds=2&curves=keys&lang=ko")

BAR = 120
"""CSS pixels: the most that a phone's controls may take of its height."""
LEAST = 24
"""CSS pixels: the least width and height of a panel's axes in which a curve can be read."""
SMALLEST = 60
"""CSS pixels: the least side of a heat map."""

_PAINTED = """() => ["sweep", "mechanism-maps", "mechanism-scores", "temperature", "numerics"].every((name) => {
  const root = document.getElementById(`figure-${name}`);
  if (root?.dataset.painted === undefined) return false;
  const { area, canvas } = root.living;
  // a chart has been painted at the size that it has now
  return !area || !root.checkVisibility() || canvas.width === Math.round(area.clientWidth * devicePixelRatio);
})"""
_PANELS = """(name) => {
  const { panels, area } = document.getElementById(`figure-${name}`).living;
  const { left, top } = area.getBoundingClientRect();
  return panels.map(({ box }) => [left + box.left, top + box.top, box.right - box.left, box.bottom - box.top]);
}"""


@pytest.fixture(scope="module", params=STATES)
def desk(request: pytest.FixtureRequest, open_module_page: Callable[..., Page]) -> Page:
    return open_module_page(f"page=why&predict=false&{request.param}", painted=False)


def sized(page: Page, size: tuple[int, int]) -> None:
    """Give the window a size and wait until everything is painted at it."""
    page.set_viewport_size({"width": size[0], "height": size[1]})
    page.wait_for_function(_PAINTED)


def require_legible(page: Page, *names: str) -> None:
    """Expect axes with room for a curve, and words in the window."""
    for name in names:
        for left, top, width, height in page.evaluate(_PANELS, name):
            assert width >= LEAST, f"{name}: a panel at {left, top} is {width} wide"
            assert height >= LEAST, f"{name}: a panel at {left, top} is {height} high"
        require_inside(page, *boxes(page, f"#figure-{name} .word", f"#figure-{name} .chart-legend"))
        require_apart(*boxes(page, f"#figure-{name} .word.heading", f"#figure-{name} .chart-legend"))


@pytest.mark.parametrize("size", DESKTOPS, ids=str)
def test_curves_maps_scores_and_factor_stand_together(desk: Page, size: tuple[int, int]) -> None:
    sized(desk, size)
    stages = [f"#figure-{name}" for name in ("sweep", "mechanism-maps", "mechanism-scores", "temperature")]
    require_together(desk, "#banner", "#insight", "#controls", *stages)
    for stage in stages:
        require_together(desk, f"{stage} header > :is(.bars, .tools):not(:empty)", f"{stage} .stage")
    require_legible(desk, *CURVES)
    maps = boxes(desk, "#figure-mechanism-maps canvas.cells")
    require_inside(desk, *maps)
    assert min(one.width for one in maps) >= SMALLEST
    assert len(desk.evaluate(_PANELS, "sweep")) == (2 if "curves=keys" in desk.url else 6)
    require_apart(*boxes(desk, "#figure-sweep h2", "#control-curves", "#figure-sweep .tools"))
    require_apart(*boxes(desk, "#control-curves", "#figure-sweep .chart-legend", "#figure-sweep .word.heading"))
    require_inside(desk, *boxes(desk, "#control-curves"))
    require_inside(desk, *boxes(desk, "#figure-sweep .marker", "#control-d_k", "#control-scaling", "#control-scale"))


@pytest.mark.parametrize("size", [(1024, 640), (1280, 720), (1920, 1080)], ids=str)
def test_the_number_formats_are_one_click_away_on_the_same_screen(desk: Page, size: tuple[int, int]) -> None:
    sized(desk, size)
    assert not desk.locator("#figure-numerics").is_visible()
    before, after = desk.locator("#tabs button").all()
    (place,) = boxes(desk, "#tabs")
    after.click()
    desk.wait_for_function(_PAINTED)
    require_together(desk, "#controls", "#figure-sweep", "#figure-mechanism-maps", "#figure-numerics")
    require_legible(desk, "numerics")
    (now,) = boxes(desk, "#tabs")
    assert (now.left, now.top) == pytest.approx((place.left, place.top), abs=1), "the way back stays under the pointer"
    require_together(desk, "#tabs", "#figure-numerics h2", "#figure-numerics .tools", "#figure-numerics .stage")
    before.click()
    assert desk.locator("#figure-mechanism-scores").is_visible()
    assert not desk.locator("#figure-numerics").is_visible()


@pytest.mark.parametrize("lang", ["en", "ko"])
def test_a_question_stands_in_place_of_the_sentences_that_would_answer_it(
    open_page: Callable[..., Page], lang: str
) -> None:
    page = open_page(f"page=why&n=13&seeds=2&lang={lang}&predict=true", painted=False)
    for size in SCREENS:
        sized(page, size)
        require_together(page, "#banner", "#predict", "#controls", "#figure-sweep", "#figure-mechanism-maps")
        require_together(page, "#predict label", "#predict-reveal", "#prediction-cover-lift")
    page.locator("#predict input[value=all]").check()
    page.locator("#predict-reveal").click()
    page.locator("#predict[data-verdict=false]").wait_for()
    for size in SCREENS:
        sized(page, size)
        require_together(
            page, "#banner", "#predict", "#insight", "#controls", "#figure-sweep", "#figure-mechanism-maps"
        )
        require_together(page, "#predict .predict-verdict", "#predict-again")


@pytest.mark.parametrize("size", [(844, 390), (640, 360)], ids=str)
def test_a_low_window_scrolls_to_figures_of_a_legible_height(desk: Page, size: tuple[int, int]) -> None:
    sized(desk, size)
    require_scrolled(desk, 140, *(f"#figure-{name}" for name in ("sweep", *STRIP)))
    maps = boxes(desk, "#figure-mechanism-maps canvas.cells")
    assert min(one.width for one in maps) >= SMALLEST


def test_a_phone_shows_the_curves_one_panel_and_one_control(open_page: Callable[..., Page]) -> None:
    size = (390, 844)
    viewport = {"width": size[0], "height": size[1]}
    page = open_page(
        f"page=why&predict=false&{STATES[0]}", painted=False, viewport=viewport, is_mobile=True, has_touch=True
    )
    sized(page, size)
    require_together(page, "#banner", "#insight", "#controls", "#figure-sweep", "#figure-mechanism-maps")
    require_legible(page, "sweep")
    (bar,) = boxes(page, "#controls")
    assert bar.height <= BAR or bar.width < size[0] / 4, "a bar below, or a column beside on a phone that lies"
    second = page.locator("#figure-mechanism-scores").bounding_box()
    assert second
    assert second["x"] < size[0] - 10, "a sign that there are other panels"
    maps = page.locator("#figure-mechanism-maps").bounding_box()
    assert maps
    assert maps["width"] > size[0] / 2, "one panel at a time has the room"
    assert maps["height"] > size[1] / 5, "the panels stand beside each other, not in one column"
    for name in STRIP:
        page.locator(f"#figure-{name}").evaluate(
            "(one) => one.scrollIntoView({ behavior: 'instant', inline: 'start' })"
        )
        require_inside(page, *boxes(page, f"#figure-{name} .stage"))
        require_still(page)
