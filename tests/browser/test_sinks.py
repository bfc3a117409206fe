"""The column of a sink beside each head's map: its colours and place, and what points at it."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from playwright.sync_api import Page

from attention_core import AttentionConfig, AttentionResult, compute
from tests.browser import controls, drawn
from tests.browser.comparison import assert_cells, query
from visualiser.drawing.map_colours import compared_limits, full_range, limits
from visualiser.locale import number
from visualiser.state.view import View
from visualiser.theme import DIVERGING, WEIGHTS

START = "n=13&h=3&mask=causal&normalisation=sink&sink=1"
CONFIG = AttentionConfig(n=13, h=3, mask="causal", normalisation="sink", sink=1)
STAGE = "#figure-heat-maps .stage"

_STRIPS = """() => {
  const { living } = document.querySelector("#figure-heat-maps");
  return living.seen.filter((i) => living.strips.of(i)).map((i) => {
    const { view, rows, box } = living.strips.of(i);
    const pixels = view.getContext("2d").getImageData(0, 0, view.width, view.height).data;
    const [bottom, top] = box.y;
    const seen = Array.from({ length: rows }, (_, row) => row).filter((row) => row > top && row < bottom);
    const of = seen.flatMap((row) => {
      const down = Math.floor(((row - top) / (bottom - top)) * view.height);
      const from = 4 * (down * view.width + Math.floor(view.width / 2));
      return [...pixels.slice(from, from + 4)];
    });
    const at = view.getBoundingClientRect();
    return { panel: i, rows: seen, pixels: of, background: getComputedStyle(view).backgroundImage,
      box: [at.left + scrollX, at.top + scrollY, at.width, at.height] };
  });
}"""
_MARKS = """(kind) => [...document.querySelectorAll(`#figure-heat-maps ${kind}`)].filter((mark) => !mark.hidden)
  .map((mark) => mark.getBoundingClientRect())
  .map((at) => [at.left + scrollX, at.top + scrollY, at.width, at.height])"""
_WORDS = """() => [...document.querySelectorAll("#figure-heat-maps .word")]
  .map((word) => ({ text: word.textContent, kind: word.className, box: word.getBoundingClientRect().toJSON() }))"""


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


def strips(page: Page) -> list[drawn.Panel]:
    """Return the columns on screen as panels of one column."""
    found = []
    for strip in page.evaluate(_STRIPS):
        assert strip["background"] == "none"  # nothing of a sink is masked
        left, top, width, height = strip["box"]
        rows = strip["rows"]
        pixels = np.array(strip["pixels"], np.uint8).reshape(len(rows), 1, 4)
        y = [rows[-1] + 0.5, rows[0] - 0.5]
        found.append(drawn.Panel(f"sink {strip['panel']}", rows, [0], pixels, left, top, width, height, [-0.5, 0.5], y))
    return found


def left(result: AttentionResult) -> torch.Tensor:
    """Return h × n_q × 1: what the keys leave of 1."""
    return (1 - result.weights.double().sum(-1)).unsqueeze(-1)


def point(page: Page, head: int, row: int) -> str:
    """Move the pointer onto a sink's cell, and return the value that is then shown."""
    page.mouse.move(*drawn.in_view(page, *strips(page)[head - 1].centre(row, 0)))
    return told(page, f"head {head} · query {row} → sink")


def told(page: Page, place: str) -> str:
    page.wait_for_function(
        """(place) => { const tip = document.querySelector("#figure-heat-maps .tip");
          const [value, named] = [...tip.children].map((part) => part.textContent);
          return !tip.hidden && named === place && value !== "…"; }""",
        arg=place,
    )
    return page.locator("#figure-heat-maps .tip strong").inner_text()


@pytest.mark.parametrize("view", [View(), View(colour="log"), View(colour_range="full"), View(colour_range="per_head")])
def test_each_head_has_a_column_in_the_colours_of_its_keys(page: Page, result: AttentionResult, view: View) -> None:
    controls.choose(page, "colour", view.colour)
    controls.choose(page, "colour_range", view.colour_range)
    drawn.wait_painted(page, query(CONFIG, view))
    panels, columns = drawn.panels(page), strips(page)
    assert len(panels) == len(columns) == 3
    values = left(result).log10() if view.colour == "log" else left(result)
    for head, (panel, strip) in enumerate(zip(panels, columns, strict=True), 1):
        own = full_range(result, (head,), "weights", view.colour) if view.colour_range == "per_head" else None
        low, high = own or limits(result, view).axis
        assert_cells(strip, values[head - 1], WEIGHTS, low, high)
        assert panel.left + panel.width < strip.left
        assert (strip.top, strip.height) == (panel.top, panel.height)
    after = [one.left for one in panels if one.top == panels[0].top][1:]
    for strip, next_panel in zip(columns, after, strict=False):
        assert strip.left + strip.width < next_panel


def test_hovering_tells_the_sinks_weight_and_marks_its_cell_in_every_head(page: Page, result: AttentionResult) -> None:
    for head, row in ((2, 9), (1, 0), (3, 12)):
        assert point(page, head, row) == number(float(left(result)[head - 1, row, 0]))
        cells = page.evaluate(_MARKS, ".cell-mark")
        assert len(cells) == 3
        for (x, y, width, height), strip in zip(cells, strips(page), strict=True):
            middle = strip.centre(row, 0)
            assert (x + width / 2, y + height / 2) == (pytest.approx(middle[0], abs=1), pytest.approx(middle[1], abs=1))
        assert len(page.evaluate(_MARKS, ".row-mark")) == 6  # of the keys, and of the sink
    panel = drawn.panels(page)[1]
    page.mouse.move(*drawn.in_view(page, *panel.centre(9, 12)))
    assert told(page, "head 2 · query 9 → key 12") == "masked"
    assert len(page.evaluate(_MARKS, ".cell-mark")) == 3  # the sink's cells are let go


def test_a_press_on_the_sink_locks_its_row_and_another_lets_go(page: Page) -> None:
    place = drawn.in_view(page, *strips(page)[1].centre(4, 0))
    page.mouse.click(*place)
    drawn.wait_painted(page, query(CONFIG, View(row=4)))
    for kind in (drawn.panels(page), strips(page)):
        frames = page.evaluate(_MARKS, ".row-mark.is-locked")
        assert len(frames) == 6
        for panel in kind:
            assert any(
                (x, width) == (pytest.approx(panel.left, abs=1), pytest.approx(panel.width, abs=1))
                and y + height / 2 == pytest.approx(panel.centre(4, 0)[1], abs=1)
                for x, y, width, height in frames
            )
    page.mouse.click(*drawn.in_view(page, *strips(page)[0].centre(4, 0)))
    drawn.wait_painted(page, query(CONFIG))


def test_the_keyboard_walks_from_the_last_key_to_the_sink(page: Page, result: AttentionResult) -> None:
    stage = page.locator(STAGE)
    stage.focus()
    stage.press("ArrowDown")
    for _ in range(13):
        stage.press("ArrowRight")
    value = told(page, "head 1 · query 0 → sink")
    assert value == number(float(left(result)[0, 0, 0]))
    assert page.locator("#message .spoken").inner_text() == f"head 1 · query 0 → sink {value}"
    stage.press("ArrowRight")  # nothing stands after it
    stage.press("ArrowDown")
    assert told(page, "head 1 · query 1 → sink") == number(float(left(result)[0, 1, 0]))
    stage.press("ArrowLeft")
    assert told(page, "head 1 · query 1 → key 12") == "masked"


def test_a_zoom_shows_the_sinks_of_its_rows(page: Page, result: AttentionResult) -> None:
    panel, strip = drawn.panels(page)[0], strips(page)[0]
    page.mouse.move(*drawn.in_view(page, *strip.centre(8, 0)))  # a drag from the sink begins at the last key
    page.mouse.down()
    page.mouse.move(*drawn.in_view(page, *panel.centre(3, 6)), steps=3)
    page.mouse.up()
    page.wait_for_function("() => document.querySelector('#figure-heat-maps').living.windows.size === 1")
    panels, columns = drawn.panels(page), strips(page)
    assert (panels[0].rows, panels[0].columns) == (list(range(3, 9)), list(range(6, 13)))
    low, high = limits(result, View()).axis
    for head, (panel, strip) in enumerate(zip(panels, columns, strict=True)):
        assert strip.rows == panel.rows
        wanted = left(result)[head].numpy()
        assert_cells(strip, wanted, WEIGHTS, low, high)
        assert (strip.top, strip.height) == (panel.top, panel.height)
    assert point(page, 2, 7) == number(float(left(result)[1, 7, 0]))
    page.mouse.dblclick(*drawn.in_view(page, *drawn.panels(page)[0].centre(4, 8)))
    page.wait_for_function("() => document.querySelector('#figure-heat-maps').living.windows.size === 0")


def test_another_stage_has_no_column_and_the_weights_have_it_again(page: Page) -> None:
    width = drawn.panels(page)[0].width
    controls.choose(page, "stage", "scores")
    drawn.wait_painted(page, query(CONFIG, View(stage="scores")))
    assert not strips(page)
    assert page.locator("#figure-heat-maps canvas.is-sink").count() == 0
    controls.choose(page, "stage", "weights")
    drawn.wait_painted(page, query(CONFIG))
    assert len(strips(page)) == 3
    assert drawn.panels(page)[0].width == width


@pytest.mark.parametrize("start", [{"normalisation": "sink", "sink": 4}, {}], ids=["sink", "softmax"])
def test_each_side_of_a_comparison_has_its_own(open_page: Callable[..., Page], start: dict[str, Any]) -> None:
    a = AttentionConfig(n=9, h=2, **start)
    b = AttentionConfig(n=9, h=2, normalisation="sink", sink=1)
    link = query(b, pinned=query(a))
    page = open_page(link)
    drawn.wait_painted(page, link)
    before, after = compute(a), compute(b)
    low, high = compared_limits(before, after, View()).axis
    sides: dict[str, Any] = {"b": (left(after), WEIGHTS, low, high)}
    if start:
        reach = page.evaluate("document.querySelector('#figure-heat-maps').living.shown.layout.coloraxis2.cmax")
        sides |= {
            "a": (left(before), WEIGHTS, low, high),
            "difference": (left(after) - left(before), DIVERGING, -reach, reach),
        }
    for side in ("a", "b", "difference"):
        page.locator(f"#side-{side}").click()
        page.locator(f"#side-{side}[aria-selected=true]").wait_for()
        columns = strips(page)
        assert len(columns) == (2 if side in sides else 0)
        for head, strip in enumerate(columns):
            values, *scale = sides[side]
            assert_cells(strip, values[head], *scale)
    page.locator("#side-b").click()
    page.locator("#side-b[aria-selected=true]").wait_for()
    first, second = float(left(before)[0, 5, 0]), float(left(after)[0, 5, 0])
    told_both = f"A {number(first)} · B {number(second)} · B − A {number(second - first)}"
    assert point(page, 1, 5) == (told_both if start else f"A – · B {number(second)} · B − A –")


@pytest.mark.parametrize("lang", ["en", "ko"])
@pytest.mark.parametrize(
    ("width", "height", "more"),
    [(1280, 720, ""), (1920, 1080, "&present=1"), (390, 844, ""), (390, 844, "&columns=2"), (1280, 720, "&row=3")],
)
@pytest.mark.parametrize("source", ["gaussian", "text"])
def test_its_name_touches_no_other(
    open_page: Callable[..., Page], lang: str, width: int, height: int, more: str, source: str
) -> None:
    phone = width < 1000
    size = {"width": width, "height": height}
    page = open_page(
        f"h=8&normalisation=sink&sink=2&source={source}&lang={lang}{more}",
        viewport=size,
        is_mobile=phone,
        has_touch=phone,
    )
    drawn.wait_painted(page)
    name = {"en": "sink", "ko": "싱크"}[lang]
    words = page.evaluate(_WORDS)
    names = [word["box"] for word in words if word["text"] == name]
    assert names
    stage = page.evaluate(f"document.querySelector('{STAGE}').getBoundingClientRect().toJSON()")
    for box in names:
        assert box["right"] <= stage["right"] + 1
        assert box["bottom"] <= stage["bottom"] + 1
        for word in words:
            other = word["box"]
            if other == box or "title" in word["kind"] or "aside" in word["kind"]:
                continue
            apart = other["right"] <= box["left"] + 1 or other["left"] >= box["right"] - 1
            assert apart or other["bottom"] <= box["top"] + 1 or other["top"] >= box["bottom"] - 1, word


def test_the_row_in_detail_has_its_bar(page: Page, result: AttentionResult) -> None:
    page.mouse.click(*drawn.in_view(page, *drawn.panels(page)[1].centre(6, 2)))
    drawn.wait_painted(page, query(CONFIG, View(row=6)))
    bar = drawn.trace(page, "row-weights", kind="sink")
    assert bar["y"] == [pytest.approx(float(left(result)[0, 6, 0]), rel=1e-5)]
    caption, lines = drawn.table(page, "heat-maps")
    assert "6" in caption
    assert lines[-1][0] == "sink"
    assert float(lines[-1][-1]) == pytest.approx(float(left(result)[0, 6, 0]), rel=5e-3)
    _, last = drawn.table(page, "row-weights")
    assert last[-1] == lines[-1]
