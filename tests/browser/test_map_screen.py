"""The Map page is one screen: map, strips on the same pixels, an open row beside them, the run always in sight."""

from collections.abc import Callable

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, Route, expect

from tests.browser import mapped
from tests.browser.boxes import SIZES, Box, boxes, require_apart, require_inside, require_still, require_together
from visualiser.locale import texts

PHONES = ((390, 844), (844, 390))
PARTS = (
    "#banner",
    "#insight",
    ".map-tools",
    ".map-heads button",
    ".map-down",
    ".map-cells",
    ".map-across",
    ".map-chosen",
)
ROW = (".row-numbers", "#figure-row .chart-area", ".row-keys", "#row-close")
STATES = {"n=300&h=8": 8, "n=300&h=16&mask=causal&lang=ko&d_k=16": 16}


@pytest.fixture(scope="module")
def page(open_module_page: Callable[..., Page]) -> Page:
    return open_module_page("n=300&page=map", painted=False)


def fitted(page: Page, width: int, height: int) -> Box:
    """Give the window a size, wait until the map is fitted to it and in its place, and return its box.

    The fit is settled: to fit once more changes nothing.
    """
    page.set_viewport_size({"width": width, "height": height})
    page.wait_for_function(
        """([width, height]) => {
          const [cells, strip, across, room] = [".map-cells", ".strip-cells", ".map-across", "#figures"]
            .map((part) => document.querySelector(part).getBoundingClientRect());
          const beside = !strip.width || (width > 820 ? Math.abs(strip.top - cells.top) < 1 : strip.top > cells.bottom);
          const inside = cells.right <= room.right && across.bottom <= room.bottom;
          const { fitted } = document.getElementById("figure-map").dataset;
          return fitted === `${width} × ${height}` && beside && inside; }""",
        arg=[width, height],
    )
    (found,) = boxes(page, ".map-cells")
    page.evaluate("window.dispatchEvent(new Event('resize'))")
    assert boxes(page, ".map-cells") == [found]
    return found


def test_strips_are_painted_again_in_another_theme(page: Page, app_url: str) -> None:
    """Their pixels have the theme's colours, and no style sheet reaches them."""
    page.goto(f"{app_url}?page=map&n=600")
    mapped.wait(page)
    pixels = "document.querySelector('.strip-cells canvas').toDataURL()"
    light = page.evaluate(pixels)
    page.get_by_role("button", name="Dark", exact=True).click()
    page.wait_for_function(f"(light) => {pixels} !== light", arg=light)
    page.get_by_role("button", name="Light", exact=True).click()
    page.wait_for_function(f"(light) => {pixels} === light", arg=light)


@pytest.mark.parametrize("state", STATES)
def test_map_strips_and_row_are_on_one_screen(page: Page, app_url: str, state: str) -> None:
    page.goto(f"{app_url}?page=map&{state}")
    mapped.wait(page)
    for row in ("", "&row=200"):
        if row:
            fitted(page, 1280, 720)  # a phone that lies has no room for a position to type
            page.locator(".map-heads button").first.click()
            page.locator("#map-query").fill("200")
            page.locator("#map-key").fill("3")
            page.locator("#map-go").click()
            page.locator("#open-row").click()
            page.wait_for_selector("#figure-row[data-painted]")
        for width, height in SIZES:
            cells = fitted(page, width, height)
            assert cells.width == pytest.approx(cells.height, abs=1)
            assert page.locator(".map-heads button:visible").count() in (
                {STATES[state]} if not row else {0, STATES[state]}
            )
            heads = [] if row and 821 <= width <= 1150 else PARTS[3:4]
            below = bool(row) and (width, height) == PHONES[0]
            parts = [*PARTS[:3], *heads, *PARTS[4:], *(ROW if row and not below else ())]
            require_together(page, *parts)
            (run,) = boxes(page, "#run")
            require_inside(page, run)
            if (width, height) in PHONES:
                on_a_phone(page, cells, row=bool(row))
                if below:
                    row_below(page, cells)
                continue
            require_together(page, "#controls", *parts[2:], ".strip-title", ".strip-cells")
            assert cells.height >= (0.4 if row else 0.55) * height, "the map fills the height"
            for strip in boxes(page, ".strip-cells"):
                assert (strip.top, strip.bottom) == pytest.approx((cells.top, cells.bottom), abs=1), "the same pixels"
            require_still(page)


def on_a_phone(page: Page, cells: Box, *, row: bool) -> None:
    """Fail unless the strips are there, one in full below the map and a sign of the next, or the row in their place."""
    width, height = page.evaluate("() => [innerWidth, innerHeight]")
    (controls,) = boxes(page, "#controls")
    assert width > height or height - controls.top <= 120, "one control at a time, below"
    shown = boxes(page, ".control-names", "#controls .one.is-shown", "#run")
    require_inside(page, *shown)
    require_apart(*shown)
    if row:
        return
    first, second, *_ = boxes(page, ".strip-cells")
    require_inside(page, first)
    require_apart(cells, first, controls)
    if height > width:
        assert (first.left, first.right) == pytest.approx((cells.left, cells.right), abs=1), "the same pixels"
        assert 5 < width - second.left < 100, "the next strip looks in"


def row_below(page: Page, cells: Box) -> None:
    """Fail unless the map keeps a phone's width, and the row is scrolled to, its curve of a legible height."""
    assert cells.width > 0.7 * 390
    page.locator("#figure-row").evaluate("(one) => one.scrollIntoView({ behavior: 'instant', block: 'end' })")
    found = boxes(page, *ROW, "#controls")
    require_inside(page, *found)
    require_apart(*found)
    assert found[1].height >= 140


def test_a_tap_moves_the_row_in(open_page: Callable[..., Page]) -> None:
    page = open_page("page=map&n=300&h=8", painted=False, viewport={"width": 390, "height": 844}, has_touch=True)
    mapped.wait(page)
    before = fitted(page, 390, 844)
    for _ in range(2):
        page.touchscreen.tap(before.left + 60, before.top + 80)
        page.wait_for_selector("#open-row:visible")
    page.wait_for_selector("#figure-row[data-painted]")
    shown = boxes(page, "#figure-row .row-numbers", "#figure-row .chart-area", "#run")
    require_inside(page, *shown)
    assert shown[1].height >= 140
    assert boxes(page, ".map-cells")[0].width == before.width, "the map keeps its size"


@pytest.mark.parametrize("lang", ["en", "ko"])
def test_a_laptop_at_200_percent_scrolls_over_the_map(open_page: Callable[..., Page], lang: str) -> None:
    page = open_page(f"page=map&n=300&h=8&lang={lang}", painted=False, viewport={"width": 640, "height": 360})
    mapped.wait(page)
    cells = fitted(page, 640, 360)
    assert cells.height >= 140
    heads = boxes(page, ".map-heads button")
    assert len({one.top for one in heads}) == 1, "the heads stand in one row"
    strips = boxes(page, ".strip-cells")
    assert strips[0].height >= 40
    require_apart(*boxes(page, "#insight", ".map-tools", ".map-chosen"), *heads, cells, strips[0])
    parts = boxes(page, "#run .said", "#run-start")
    require_inside(page, *parts)
    require_apart(*parts)


def test_the_plan_of_a_run_covers_no_control(page: Page) -> None:
    page.set_viewport_size({"width": 960, "height": 540})
    page.locator("#more button").click()
    page.locator("#map-plan").scroll_into_view_if_needed()
    page.evaluate(
        """() => { const top = (selector) => document.querySelector(selector).getBoundingClientRect().top;
          const away = top("#control-d_model [data-testid=block-info]") - top("#map-plan");
          document.getElementById("controls").scrollBy(0, away); }"""
    )
    plan, name = boxes(page, "#map-plan", "#control-d_model [data-testid=block-info]")
    assert plan.over(name), "the name of a control is scrolled behind the plan"
    covered = page.evaluate(
        """() => { const { left, top, right, bottom } = document.getElementById("map-plan").getBoundingClientRect();
          const run = document.getElementById("run");
          return [0.1, 0.5, 0.9].map((part) =>
            run.contains(document.elementFromPoint(left + part * (right - left), (top + bottom) / 2))); }"""
    )
    assert covered == [True, True, True], "nothing lies over the plan"


@pytest.mark.parametrize("size", [(1280, 720), (1920, 1080)])
def test_no_sentence_of_the_plan_is_cut(page: Page, size: tuple[int, int]) -> None:
    page.set_viewport_size({"width": size[0], "height": size[1]})
    plan = page.locator("#map-plan")
    expect(plan).not_to_have_text("")
    assert plan.evaluate("(one) => one.scrollHeight - one.clientHeight") <= 1
    require_inside(page, *boxes(page, "#map-plan"))


def test_opening_a_row_leaves_the_map_under_the_pointer(page: Page, app_url: str) -> None:
    """Strips make the room for it: the second click on a cell does not move that cell away."""
    page.set_viewport_size({"width": 1280, "height": 720})
    page.goto(f"{app_url}?page=map&n=300&h=8")
    mapped.wait(page)
    before = fitted(page, 1280, 720)
    page.mouse.click(before.left + 0.4 * before.width, before.top + 0.7 * before.height)
    page.wait_for_selector("#open-row:visible")
    page.mouse.click(before.left + 0.4 * before.width, before.top + 0.7 * before.height)
    page.wait_for_selector("#figure-row[data-painted]")
    now = fitted(page, 1280, 720)
    assert (now.left, now.top) == pytest.approx((before.left, before.top), abs=1)
    assert now.width == pytest.approx(before.width, rel=0.02)
    (row,) = boxes(page, "#figure-row")
    assert row.width >= 180
    page.locator("#row-close").click()
    page.wait_for_function("() => !document.querySelector('#figure-row').checkVisibility()")
    assert fitted(page, 1280, 720) == before


def test_hatched_is_masked_and_nothing_else(page: Page, app_url: str) -> None:
    hatched = """() => [...document.querySelectorAll("#figure-map canvas.cells")]
      .map((one) => getComputedStyle(one).backgroundImage)"""
    page.set_viewport_size({"width": 1280, "height": 720})
    page.goto(f"{app_url}?page=map&n=300&h=2")
    page.wait_for_selector(".map-cells canvas")
    assert set(page.evaluate(hatched)) == {"none"}, "what is still to come is plain"
    mapped.wait(page)
    assert set(page.evaluate(hatched)) == {"none"}
    page.goto(f"{app_url}?page=map&n=300&h=2&mask=causal")
    mapped.wait(page)
    assert all("gradient" in one for one in page.evaluate(hatched))


def test_who_says_what_a_button_shows_reaches_it(page: Page, app_url: str) -> None:
    """WCAG 2.5.3, and whatever else axe-core finds with an open row."""
    page.set_viewport_size({"width": 1280, "height": 720})
    page.goto(f"{app_url}?page=map&n=300&h=3&row=5")
    mapped.wait(page)
    page.wait_for_selector("#figure-row[data-painted]")
    found = Axe().run(page, options={"rules": {"label-content-name-mismatch": {"enabled": True}}}).response
    assert [(one["id"], [node["target"] for node in one["nodes"]]) for one in found["violations"]] == []
    assert (
        page.locator("#map-all").evaluate("(one) => one.computedName ?? one.textContent")
        == texts("en")["map.all_short"]
    )


def test_the_page_says_what_it_is_for_and_the_run_stands_out(page: Page, app_url: str) -> None:
    page.set_viewport_size({"width": 1280, "height": 720})
    held: list[Route] = []
    page.route("**/run/map*", lambda route: held.append(route))
    with page.expect_request("**/run/map*"):
        page.goto(f"{app_url}?page=map&n=300&h=2")
    page.wait_for_selector("#insight .purpose")
    assert page.locator("#insight p").all_text_contents() == [
        texts("en")[key] for key in ("short.map.purpose", "map.purpose")
    ]
    (route,) = held  # what is asked waits until here
    route.continue_()
    mapped.wait(page)
    page.wait_for_selector("#insight[data-painted]")
    first, purpose, *others = page.locator("#insight p").all_text_contents()
    assert (len(first) <= 90, purpose, len(others) > 0) == (True, texts("en")["map.purpose"], True)
    assert page.locator("#insight p:visible").all_text_contents() == [first]
    assert page.locator(".is-primary:visible").all_inner_texts() == [texts("en")["map.start"]]
