"""Inspecting one query row: hovering previews it everywhere, a click or Enter locks it, keys walk, titles enlarge."""

import math
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from attention_core import AttentionConfig, AttentionResult, compute
from tests.browser import controls, drawn
from tests.browser.boxes import boxes
from tests.browser.comparison import assert_cells, assert_near, assert_page_shows, query, stage_cells
from visualiser.drawing.map_colours import limits
from visualiser.locale import number
from visualiser.state.view import View
from visualiser.theme import WEIGHTS

START = "n=13&h=3&mask=causal"
CONFIG = AttentionConfig(n=13, h=3, mask="causal")
STAGE = "#figure-heat-maps .stage"
WIDTH = "(({ x }) => x[1] - x[0])(document.querySelector('#figure-heat-maps').living.panels[0].box)"
"""JavaScript for the number of keys that the heat maps show side by side."""
LINES = """(() => {
  const tops = document.querySelector('#figure-heat-maps').living.panels.map(({ box }) => box.top);
  return [...new Set(tops)].map((top) => tops.filter((other) => other === top).length);
})()"""
"""JavaScript for the number of heads in each line of the heat maps."""


@pytest.fixture(scope="module")
def shared(open_module_page: Callable[..., Page]) -> Page:
    return open_module_page(START)


@pytest.fixture
def page(shared: Page, app_url: str) -> Page:
    shared.mouse.move(1, 1)
    shared.goto(f"{app_url}?{START}")
    drawn.wait_painted(shared, START)
    return shared


@pytest.fixture(scope="module")
def result() -> AttentionResult:
    return compute(CONFIG)


def point(page: Page, head: int, row: int, column: int) -> None:
    """Move the pointer onto a cell and wait until the tooltip shows its value."""
    panel = drawn.panels(page)[head - 1]
    page.mouse.move(*drawn.in_view(page, *panel.centre(row, column)))
    wait_tip(page, head, row, column)


def leave(page: Page) -> None:
    """Move the pointer away. The marks go back to the locked row in the next frame."""
    page.mouse.move(1, 1)
    page.evaluate("new Promise(requestAnimationFrame)")


def wait_tip(page: Page, head: int, row: int, column: int) -> None:
    page.wait_for_function(
        """(place) => { const tip = document.querySelector("#figure-heat-maps .tip");
          const [value, named] = [...tip.children].map((part) => part.textContent);
          return !tip.hidden && named === place && value !== "…"; }""",
        arg=f"head {head} · query {row} → key {column}",
    )


def value(page: Page) -> str:
    return page.locator("#figure-heat-maps .tip strong").inner_text()


def marks(page: Page, kind: str) -> list[tuple[float, float, float, float]]:
    """Return the visible frames of a kind: left, top, width, height on the page."""
    return page.evaluate(
        """(kind) => [...document.querySelectorAll(`#figure-heat-maps ${kind}`)].filter((mark) => !mark.hidden)
          .map((mark) => mark.getBoundingClientRect())
          .map((box) => [box.left + scrollX, box.top + scrollY, box.width, box.height])""",
        kind,
    )


def assert_marked(page: Page, kind: str, row: int) -> None:
    """Expect a frame of the kind around this row in every head."""
    panels = drawn.panels(page)
    found = marks(page, kind)
    assert len(found) == len(panels)
    for panel, (left, top, width, height) in zip(panels, found, strict=True):
        cell = panel.height / len(panel.rows)
        assert left == pytest.approx(panel.left, abs=1)
        assert width == pytest.approx(panel.width, abs=1)
        assert top + height / 2 == pytest.approx(panel.centre(row, 0)[1], abs=1)
        assert height == pytest.approx(cell, abs=1)


def assert_row_in_panels(page: Page, result: AttentionResult, row: int) -> None:
    """Expect a mark for this row in the panels below, for a preview as for a lock."""
    page.wait_for_function(
        """([name, wanted]) => { const { data } = document.querySelector("#figure-entropy").living.shown;
          const trace = data.find((one) => one.meta?.row_of === name);
          return trace.y.length === wanted.length && wanted.every((y, i) => Math.abs(y - trace.y[i]) < 1e-4); }""",
        arg=["entropy", result.entropy[:, row].tolist()],
    )
    assert_near(drawn.trace(page, "gradient", row_of="jacobian_norm")["y"], result.jacobian_norm[:, row])
    assert_near(drawn.trace(page, "gradient", row_of="jacobian_trace")["y"], result.jacobian_trace[:, row])
    scores = [score for score in result.masked[0, row].tolist() if math.isfinite(score)]
    assert_near(drawn.trace(page, "score-distribution", row_of="scores")["x"], scores)


def test_hovering_previews_the_row_in_all_heads_and_all_panels(page: Page, result: AttentionResult) -> None:
    for head, row, column in ((2, 9, 4), (1, 2, 0), (3, 12, 12)):
        point(page, head, row, column)
        assert value(page) == number(result.weights[head - 1, row, column].item())
        assert_marked(page, ".row-mark:not(.is-locked)", row)
        assert_row_in_panels(page, result, row)
        (left, top, width, height), *others = marks(page, ".cell-mark")
        assert len(others) == 2  # the same key in the other heads
        x, y = drawn.panels(page)[0].centre(row, column)
        assert (left + width / 2, top + height / 2) == (pytest.approx(x, abs=1.5), pytest.approx(y, abs=1.5))
    point(page, 2, 3, 8)
    assert value(page) == "masked"
    leave(page)
    page.wait_for_function("() => document.querySelector('#figure-heat-maps .tip').hidden")
    assert not marks(page, ".row-mark")
    page.wait_for_function(
        """() => { const { data } = document.querySelector("#figure-entropy").living.shown;
          return data.find((one) => one.meta?.row_of === "entropy").y.length === 0; }"""
    )
    assert query(CONFIG) == drawn.wait_painted(page)  # a preview is no state


def test_a_pointer_that_leaves_within_a_frame_points_at_nothing(page: Page) -> None:
    x, y = drawn.in_view(page, *drawn.panels(page)[0].centre(7, 3))
    page.evaluate(
        """async ([selector, x, y]) => { const stage = document.querySelector(selector);
          stage.dispatchEvent(new PointerEvent("pointermove", { clientX: x, clientY: y }));
          stage.dispatchEvent(new PointerEvent("pointerleave"));
          for (let i = 0; i < 3; i += 1) await new Promise(requestAnimationFrame); }""",
        [STAGE, x, y],
    )
    assert page.locator("#figure-heat-maps .tip").is_hidden()
    assert not marks(page, ".row-mark")


def test_a_click_locks_and_a_second_lets_go(page: Page, result: AttentionResult) -> None:
    panel = drawn.panels(page)[1]
    place = drawn.in_view(page, *panel.centre(7, 3))
    page.mouse.click(*place)
    leave(page)
    assert_page_shows(page, CONFIG, View(row=7))
    assert_marked(page, ".row-mark.is-locked", 7)
    assert_row_in_panels(page, result, 7)
    controls.wait_shown(page, row=7)
    caption, lines = drawn.table(page, "heat-maps")
    assert "7" in caption
    assert len(lines) == 1 + CONFIG.n
    assert float(lines[1 + 5][-1]) == pytest.approx(result.weights[0, 7, 5].item(), rel=5e-3)
    point(page, 1, 10, 2)  # preview another row while the lock stays
    assert_marked(page, ".row-mark:not(.is-locked)", 10)
    assert_marked(page, ".row-mark.is-locked", 7)
    assert_row_in_panels(page, result, 10)
    leave(page)
    assert_row_in_panels(page, result, 7)
    page.mouse.click(*drawn.in_view(page, *drawn.panels(page)[0].centre(7, 9)))
    leave(page)
    assert_page_shows(page, CONFIG)
    controls.wait_shown(page, row=None)
    page.wait_for_function("() => [...document.querySelectorAll('.row-mark.is-locked')].every((mark) => mark.hidden)")


def test_the_keyboard_walks_locks_and_lets_go(page: Page, result: AttentionResult) -> None:
    stage = page.locator(STAGE)
    stage.focus()
    stage.press("ArrowDown")
    wait_tip(page, 1, 0, 0)
    assert value(page) == "1"  # the first query sees only itself
    stage.press("ArrowDown")
    stage.press("ArrowDown")
    stage.press("ArrowRight")
    wait_tip(page, 1, 2, 1)
    assert value(page) == number(result.weights[0, 2, 1].item())
    assert_marked(page, ".row-mark:not(.is-locked)", 2)
    assert_row_in_panels(page, result, 2)
    spoken = page.locator("#message .spoken").inner_text()
    assert spoken == f"head 1 · query 2 → key 1 {value(page)}"
    stage.press("End")
    wait_tip(page, 1, 12, 1)
    stage.press("ArrowDown")  # no row below the last
    stage.press("PageUp")
    wait_tip(page, 1, 2, 1)
    stage.press("ArrowUp")
    stage.press("ArrowLeft")
    wait_tip(page, 1, 1, 0)
    stage.press("Enter")
    assert_page_shows(page, CONFIG, View(row=1))
    assert_marked(page, ".row-mark.is-locked", 1)
    stage.press("Escape")
    assert_page_shows(page, CONFIG)
    assert page.locator("#figure-heat-maps .tip").is_hidden()
    assert not marks(page, ".row-mark")


def test_the_value_is_that_of_the_stage_at_three_digits(page: Page) -> None:
    page.goto(page.url.split("?")[0] + "?n=13&h=3&d_k=512&scaling=none&stage=scaled")
    drawn.wait_painted(page, "n=13&h=3&d_k=512&scaling=none&stage=scaled")
    scores = compute(AttentionConfig(n=13, h=3, d_k=512, scaling="none")).scaled
    for head, row, column in ((1, 0, 12), (3, 12, 1)):
        point(page, head, row, column)
        assert value(page) == number(scores[head - 1, row, column].item())
    controls.choose(page, "stage", "weights")
    weights = compute(AttentionConfig(n=13, h=3, d_k=512, scaling="none")).weights
    drawn.wait_painted(page, "n=13&h=3&d_k=512&scaling=none")
    least = int(weights[1, 4].argmin())
    point(page, 2, 4, least)
    assert weights[1, 4, least] < 1e-6
    assert value(page) == number(weights[1, 4, least].item())  # far too small for a colour to show


def test_a_title_enlarges_its_head_and_gives_it_back(page: Page, result: AttentionResult) -> None:
    page.get_by_role("button", name="head 3", exact=True).click()
    assert_page_shows(page, CONFIG, View(head=3))
    controls.wait_shown(page, head=3)
    assert len(drawn.panels(page)) == 1
    panel = drawn.panels(page)[0]
    page.mouse.move(*drawn.in_view(page, *panel.centre(11, 6)))
    wait_tip(page, 3, 11, 6)
    assert value(page) == number(result.weights[2, 11, 6].item())
    leave(page)  # or the pointer would preview a row of the smaller maps
    page.get_by_role("button", name="head 3", exact=True).press("Enter")
    assert_page_shows(page, CONFIG)
    controls.wait_shown(page, head=0)


def test_keys_zoom_all_heads_together(page: Page, result: AttentionResult) -> None:
    stage = page.locator(STAGE)
    stage.focus()
    for _ in range(7):
        stage.press("ArrowDown")
    wait_tip(page, 1, 6, 0)
    stage.press("+")
    page.wait_for_function(f"() => {WIDTH} < 7")
    for panel in drawn.panels(page):
        assert panel.y[0] - panel.y[1] == pytest.approx(6.5)
        assert panel.x[0] == pytest.approx(-0.5)
        assert 6 in panel.rows
    assert_visible_cells(page, result)
    stage.press("0")
    page.wait_for_function(f"() => {WIDTH} === 13")
    assert drawn.panels(page)[2].rows == list(range(13))


def test_a_drag_zooms_all_heads_and_a_double_click_resets(page: Page, result: AttentionResult) -> None:
    panel = drawn.panels(page)[1]
    x, y = drawn.in_view(page, *panel.centre(4, 2))
    page.mouse.move(x, y)
    page.mouse.down()
    (left, top), (right, bottom) = panel.centre(4, 2), panel.centre(10, 9)
    x, y = x + right - left, y + bottom - top
    page.mouse.move(x - 5, y - 5)
    page.mouse.move(x, y)
    page.mouse.up()
    page.wait_for_function(f"() => {WIDTH} < 10")
    for zoomed in drawn.panels(page):
        assert (sorted(zoomed.x), sorted(zoomed.y)) == ([1.5, 9.5], [3.5, 10.5])  # the cells of both ends are inside
    assert drawn.wait_painted(page) == START  # a drag is no click: no row was locked
    assert_visible_cells(page, result)
    point(page, 3, 8, 5)  # pointing reads the zoomed axes
    assert value(page) == number(result.weights[2, 8, 5].item())
    _, top, _, height = marks(page, ".row-mark:not(.is-locked)")[2]
    assert top + height / 2 == pytest.approx(drawn.panels(page)[2].centre(8, 0)[1], abs=1.5)
    assert height == pytest.approx(drawn.panels(page)[2].height / 7, rel=0.01)
    controls.choose(page, "scaling", "none")  # an update of the numbers keeps the zoom
    drawn.wait_painted(page, "n=13&h=3&scaling=none&mask=causal")
    assert sorted(drawn.panels(page)[0].x) == [1.5, 9.5]
    page.mouse.dblclick(*drawn.in_view(page, *drawn.panels(page)[1].centre(6, 6)))
    page.wait_for_function(f"() => {WIDTH} === 13")
    assert drawn.wait_painted(page) == "n=13&h=3&scaling=none&mask=causal"  # nor is a double click


def assert_visible_cells(page: Page, result: AttentionResult) -> None:
    """Expect the right cells in the zoomed view."""
    low, high = limits(result, View()).axis
    for panel, numbers in zip(drawn.panels(page), stage_cells(result, "weights"), strict=True):
        assert len(panel.rows) < 13
        assert_cells(panel, numbers, WEIGHTS, low, high)


def test_a_lock_by_the_pointer_leaves_no_mark_of_hover(open_page: Callable[..., Page]) -> None:
    page = open_page("scaling=none", viewport={"width": 1280, "height": 720})
    before = page.evaluate(LINES)
    assert before == [4, 4]
    page.mouse.move(*drawn.in_view(page, *drawn.panels(page)[4].centre(9, 5)))
    page.wait_for_selector(f"{STAGE} .tip", state="visible")
    page.mouse.down()
    page.mouse.up()
    page.wait_for_selector("#row-detail", state="visible")
    drawn.wait_painted(page, "scaling=none&row=9")
    expect(page.locator(f"{STAGE} .tip")).to_be_hidden()
    expect(page.locator(f"{STAGE} .cell-mark:visible")).to_have_count(0)
    expect(page.locator(f"{STAGE} .row-mark:not(.is-locked):visible")).to_have_count(0)
    assert page.evaluate(LINES) == before, "the heads keep their lines where the room allows"


def test_the_cell_of_the_keyboard_moves_with_its_panel(open_page: Callable[..., Page]) -> None:
    page = open_page("scaling=none", viewport={"width": 1280, "height": 720})
    page.focus(STAGE)
    for key in ("ArrowDown", "ArrowDown", "ArrowRight", "Enter"):
        page.keyboard.press(key)
    drawn.wait_painted(page, "scaling=none&row=1")
    cell, row = boxes(page, f"{STAGE} .cell-mark", f"{STAGE} .row-mark.is-locked")[:: len(drawn.panels(page))]
    assert row.left < cell.left < cell.right < row.right
    assert cell.top == pytest.approx(row.top, abs=1)
