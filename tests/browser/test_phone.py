"""Phones and windows at 200 %: all heads, one panel, one control at a time, and every control and page within reach."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from attention_core import AttentionConfig
from tests.browser import controls, drawn
from tests.browser.boxes import boxes, require_apart, require_inside, require_still, require_together
from tests.browser.brought import Desk
from tests.browser.comparison import assert_page_shows

STANDING, LYING, ZOOMED = (390, 844), (844, 390), (640, 360)
MAPS = "#figure-heat-maps canvas.cells:not([hidden])"
BAR = "#controls"
MOST = 120
"""The bar's largest height in pixels."""


def phone(size: tuple[int, int]) -> dict[str, object]:
    """Return the context of a phone with a screen of this size."""
    return {"viewport": {"width": size[0], "height": size[1]}, "is_mobile": True, "has_touch": True}


def swipe(page: Page, start: tuple[float, float], way: tuple[float, float]) -> None:
    """Move a finger over the screen as a visitor does."""
    session = page.context.new_cdp_session(page)
    for kind, part in (("touchStart", 0.0), *(("touchMove", step / 8) for step in range(1, 9)), ("touchEnd", None)):
        points = [] if part is None else [{"x": start[0] + part * way[0], "y": start[1] + part * way[1]}]
        session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})


def wait_panel(page: Page, panel: int) -> None:
    """Wait until this panel alone lies in the window with all its width, and its dot says so."""
    page.wait_for_function(
        """(panel) => { const dots = [...document.querySelectorAll("#side + .dots button")];
          const room = document.getElementById("side").getBoundingClientRect();
          const seen = [...document.querySelectorAll("#panels > *")].map((one) => {
            const { left, right } = one.getBoundingClientRect();
            return left >= room.left - 1 && right <= room.right + 1; });
          return seen.every((inside, i) => inside === (i === panel)) &&
            dots.every((dot, i) => dot.ariaCurrent === (i === panel + 2 ? "true" : null)); }""",
        arg=panel,
    )


@pytest.fixture(scope="module")
def held(open_module_page: Callable[..., Page]) -> Desk:
    """Return phones that tests bring to their states."""
    return Desk(open_module_page, is_mobile=True, has_touch=True)


@pytest.fixture(scope="module")
def desk(open_module_page: Callable[..., Page]) -> Desk:
    return Desk(open_module_page)


@pytest.mark.parametrize("size", [STANDING, LYING, ZOOMED])
@pytest.mark.parametrize("query", ["n=9&h=1", "n=9&lang=ko", "n=9&h=16&mask=causal"])
def test_heads_one_panel_and_one_control_share_the_screen(held: Desk, size: tuple[int, int], query: str) -> None:
    page = held(query, size)
    maps = require_together(page, MAPS)
    assert len(maps) == (16 if "h=16" in query else 1 if "h=1" in query else 8)
    bar, stage, sentence = require_together(page, BAR, "#stage-row", "#insight")
    assert bar.height <= MOST
    panel = boxes(page, "#figure-score-distribution")[0]
    require_inside(page, panel)
    require_apart(bar, stage, sentence, panel, *maps)
    assert min(panel.width, panel.height) > 100
    shown = page.locator("#controls .one:visible")
    assert shown.count() == 1
    control = boxes(page, "#controls .one.is-shown")[0]
    require_inside(page, control)
    assert control.top >= bar.top
    assert control.bottom <= bar.bottom


def test_a_name_brings_its_control(open_page: Callable[..., Page]) -> None:
    page = open_page("n=9&h=2&mask=window", **phone(STANDING))
    names = page.locator(".control-names button:not([hidden])")
    seen = set()
    for i in range(names.count()):
        names.nth(i).tap()
        shown = page.locator("#controls .one:visible")
        assert shown.count() == 1
        found = shown.get_attribute("id")
        assert found == names.nth(i).get_attribute("aria-controls")
        require_inside(page, *boxes(page, f"#{found}", BAR))
        assert boxes(page, BAR)[0].height <= MOST
        seen.add(found)
    hidden = {"scale", "sink", "split", "text", "positions", "seed", "stage", "lang"}
    wanted = {*controls.SLIDERS, *controls.RADIOS, *controls.NUMBERS, *controls.FLAGS} - hidden
    assert seen == {f"control-{name}" for name in wanted} | {"seed-row"}
    controls.choose(page, "mask", "none")
    drawn.wait_painted(page, "n=9&h=2")
    assert page.locator(".control-names [aria-controls=control-window]").is_hidden()
    controls.slide(page, "h", 4)
    assert_page_shows(page, AttentionConfig(n=9, h=4))


@pytest.mark.parametrize("size", [STANDING, LYING])
def test_the_other_panels_are_a_swipe_or_a_press_away(open_page: Callable[..., Page], size: tuple[int, int]) -> None:
    page = open_page("n=9&h=2", **phone(size))
    dots = page.locator("#side + .dots button:visible")
    require_inside(page, *boxes(page, "#side + .dots button:not([hidden])"))
    assert dots.count() == 3
    wait_panel(page, 0)
    dots.nth(2).tap()
    wait_panel(page, 2)
    require_inside(page, *boxes(page, "#figure-gradient .chart-canvas"))
    middle = boxes(page, "#figure-gradient .stage")[0]
    swipe(page, (middle.left + 20, middle.top + 30), (0.7 * middle.width, 0))
    # a fast finger may carry the row on to the first panel
    page.wait_for_function("() => document.querySelectorAll('#side + .dots button')[4].ariaCurrent === null")
    page.wait_for_function(
        """() => ["score-distribution", "entropy"].some((name) => {
          const { left, right } = document.getElementById(`figure-${name}`).getBoundingClientRect();
          const room = document.getElementById("side").getBoundingClientRect();
          return left >= room.left - 1 && right <= room.right + 1; })"""
    )


def test_a_row_that_is_locked_is_moved_in(open_page: Callable[..., Page]) -> None:
    page = open_page("n=9&h=2", **phone(STANDING))
    assert page.locator("#side + .dots button").nth(0).is_hidden()
    panel = drawn.panels(page)[0]
    page.touchscreen.tap(*panel.centre(4, 4))
    drawn.wait_painted(page, "n=9&h=2&row=4")
    page.wait_for_function("() => document.querySelector('#side + .dots button').ariaCurrent === 'true'")
    require_inside(page, *boxes(page, "#figure-row-weights", "#row-close"))


def test_a_finger_zooms_no_figure(open_page: Callable[..., Page]) -> None:
    page = open_page("n=9&h=2&row=3", **phone(STANDING))
    before = [(panel.x, panel.y) for panel in drawn.panels(page)]
    page.evaluate(
        """() => { window.zooming = 0; const marks = document.querySelectorAll(".zoom-mark");
          const count = () => { window.zooming += [...marks].some((mark) => mark.checkVisibility()); };
          const seen = new MutationObserver(count);
          for (const mark of marks) seen.observe(mark, { attributes: true }); }"""
    )
    for selector in ("#figure-heat-maps", "#figure-jacobian"):
        box = boxes(page, f"{selector} canvas.cells:not([hidden])")[0]
        for across, down in ((0.6, 0.0), (0.0, 0.6), (0.5, 0.5)):
            swipe(page, (box.left + 5, box.top + 5), (across * box.width, down * box.height))
    assert page.locator(".zoom-mark").count() >= 2
    assert page.evaluate("window.zooming") == 0
    assert [(panel.x, panel.y) for panel in drawn.panels(page)] == before


def test_turning_the_phone_leaves_everything_in_its_place(open_page: Callable[..., Page]) -> None:
    page = open_page("n=9&h=8", **phone(STANDING))
    for turn in range(6):
        width, height = LYING if turn % 2 == 0 else STANDING
        page.set_viewport_size({"width": width, "height": height})
        page.wait_for_function(
            """() => { const { living } = document.getElementById("figure-heat-maps");
              const stage = document.querySelector("#figure-heat-maps .stage");
              const { left, right, top, bottom } = stage.getBoundingClientRect();
              return living.panels.every(({ view }) => { const box = view.getBoundingClientRect();
                return box.left >= left && box.right <= right && box.top >= top && box.bottom <= bottom; }); }"""
        )
        maps = require_together(page, MAPS)
        titles = boxes(page, "#figure-heat-maps .panel-title")
        assert len(maps) == len(titles) == 8
        for title, one in zip(titles, maps, strict=True):
            assert 0 <= one.top - title.bottom <= 8, f"{title} is no title of {one}"
            assert abs(title.left - one.left) <= 2
        require_apart(*maps, *titles)
        require_apart(
            *require_together(page, BAR, "#stage-row", "#insight"), *boxes(page, "#figure-score-distribution")
        )
    assert_page_shows(page, AttentionConfig(n=9))


@pytest.mark.parametrize("size", [(844, 390), (390, 844), (1280, 720)])
def test_nothing_lies_over_the_buttons_of_the_header(desk: Desk, size: tuple[int, int]) -> None:
    page = desk("n=8", size)
    covered = page.evaluate(
        """() => [...document.querySelectorAll("#banner :is(summary, button, label, a)")].filter((one) => {
          const { left, right, top, bottom, width } = one.getBoundingClientRect();
          if (!one.checkVisibility() || width < 2 || left < 0 || right > innerWidth) return false;
          return [0.1, 0.5, 0.9].some((share) => {
            const there = document.elementFromPoint((left + right) / 2, top + share * (bottom - top));
            return !one.contains(there) && !there?.contains(one);
          });
        }).map((one) => one.textContent.trim())"""
    )
    assert covered == []


def test_all_pages_are_within_reach(open_page: Callable[..., Page]) -> None:
    page = open_page("n=9", **phone(STANDING))
    for link in page.locator("#control-page a").all():
        link.scroll_into_view_if_needed()
        box = link.bounding_box()
        assert box is not None
        assert 0 <= box["x"] <= 390 - box["width"]
        assert box["y"] <= 100
    page.locator(controls.page_link("cost")).tap()
    page.wait_for_url("**page=cost**")
    page.locator("#cost").wait_for()


@pytest.mark.parametrize("width", [769, 860, 960])
def test_a_tablet_keeps_controls_and_maps_together(desk: Desk, width: int) -> None:
    page = desk("n=9", (width, 720))
    require_still(page)
    maps = require_together(page, MAPS)
    require_inside(page, *boxes(page, "#control-d_k", "#figure-score-distribution"))
    assert all(one.width == pytest.approx(one.height, abs=1) and one.width > 90 for one in maps)


@pytest.mark.parametrize("size", [STANDING, LYING, ZOOMED])
def test_the_sentences_behind_the_first_open_and_close_by_a_tap(
    open_page: Callable[..., Page], size: tuple[int, int]
) -> None:
    page = open_page(**phone(size))
    more, offer, sentence = page.locator(".more-said"), page.locator(".offer"), "#insight .insight"
    (box, button) = boxes(page, sentence, ".more-said")
    assert box.top <= button.top
    assert button.bottom <= box.bottom + 2, "what leads to the rest is read beside the welcome"
    expect(offer).to_be_hidden()  # one next move at a time
    page.locator("#first-dismiss").click()
    shown = boxes(page, "#insight p:not([hidden])", ".more-said", ".offer")
    require_inside(page, *shown)
    require_apart(*shown[1:])
    maps = boxes(page, MAPS)
    assert page.locator("#insight p:visible").count() == 1
    offer.click(trial=True)
    more.tap()
    expect(more).to_have_attribute("aria-expanded", "true")
    assert page.locator("#insight p:visible").count() == page.locator("#insight p").count() > 2
    (opened,) = boxes(page, sentence)
    require_inside(page, opened, *boxes(page, ".offer", ".more-said"))
    assert page.locator(sentence).evaluate("(one) => one.scrollHeight - one.clientHeight") <= 2, "all of it is read"
    assert boxes(page, MAPS) == maps, "the figures stay"
    page.touchscreen.tap(size[0] / 2, size[1] - 4)
    expect(more).to_have_attribute("aria-expanded", "false")


def test_the_keyboard_opens_the_sentences(desk: Desk) -> None:
    page = desk("n=9", ZOOMED)
    more = page.locator(".more-said")
    more.focus()
    page.keyboard.press("Enter")
    expect(more).to_have_attribute("aria-expanded", "true")
    page.keyboard.press("Escape")
    expect(more).to_have_attribute("aria-expanded", "false")
    assert page.evaluate("document.activeElement.className") == "more-said"


@pytest.mark.parametrize("query", ["n=9", "n=9&lang=ko", "page=anatomy", "page=anatomy&lang=ko"])
def test_no_menu_covers_a_page_at_200_percent(desk: Desk, query: str) -> None:
    page = desk(query, ZOOMED)
    page.locator("#menus summary").first.wait_for()
    pages = boxes(page, "#control-page a")
    require_inside(page, *pages)
    require_apart(*pages, *boxes(page, "#menus summary"))
