"""The Cost page in a browser: shipped results are revealed, a run grows and is cancelled, in both languages."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page

from visualiser.locale import text
from visualiser.pages.cost import live as cost
from visualiser.shipped import shipped

FIGURES = ("cost-time", "cost-memory")


def painted(page: Page) -> None:
    for name in FIGURES:
        page.locator(f"#figure-{name}[data-painted*='page=cost']").wait_for()


def drawn(page: Page, name: str) -> list[list[float | None]]:
    """Return the y of every measured curve in the graph."""
    return page.evaluate(
        """(name) => document.querySelector(`#figure-${name}`).living.shown.data
          .filter((trace) => trace.meta?.contender && trace.meta.kind !== "fit")
          .map((trace) => Array.from(trace.y, (y) => (Number.isFinite(y) ? y : null)))""",
        name,
    )


@pytest.mark.parametrize("lang", ["en", "ko"])
def test_the_shipped_measurement_answers_the_prediction(open_page: Callable[..., Page], lang: str) -> None:
    page = open_page(f"page=cost&lang={lang}&predict=true", painted=False)
    painted(page)
    assert not any(value for curve in drawn(page, "cost-time") for value in curve), lang
    page.locator("#predict input[value='same']").check()
    page.locator("#predict-reveal").click()
    page.locator("#predict[data-verdict='false']").wait_for()
    points = [cost.point_from(entry) for entry in shipped("cost").results]
    seconds = sorted(point.seconds for point in points if point.seconds is not None)
    page.wait_for_function(
        """([count]) => document.querySelector("#figure-cost-time").living.shown.data
          .flatMap((trace) => trace.meta?.contender && trace.meta.kind !== "fit" ? Array.from(trace.y) : [])
          .filter(Number.isFinite).length === count""",
        arg=[len(seconds)],
    )
    shown = sorted(value for curve in drawn(page, "cost-time") for value in curve if value)
    assert shown == pytest.approx(seconds, rel=1e-5)
    assert shipped("cost").date in page.locator("#origin").inner_text()
    assert page.locator("#run-start").inner_text() == text(lang, "run.here")


def test_every_power_of_ten_has_its_prefix(led_page: Callable[..., Page]) -> None:
    """10ms above 100µs; not 0.01s, which asks the reader to convert."""
    page = led_page("page=cost&predict=false", painted=False)
    painted(page)
    ticks = page.locator("#figure-cost-time .word.tick").all_text_contents()
    assert {"100ms", "10ms", "1ms", "100µs"} <= set(ticks)


_NOTES = """() => [...document.querySelectorAll("#figures [id^=figure-cost]")].flatMap((figure) => {
  const frame = figure.querySelector(".chart-area").getBoundingClientRect();
  const dots = figure.living.drawn.filter(({ trace }) => trace.mode?.includes("markers")).flatMap(({ panel, trace }) =>
    Array.from(trace.x, (x, i) => [frame.left + panel.across.pixel(x), frame.top + panel.up.pixel(trace.y[i])]))
    .filter(([x, y]) => Number.isFinite(x) && Number.isFinite(y));
  return [...figure.querySelectorAll(".word.note:has(sup)")].map((note) => {
    // the letters of an exponent and of its base, each in its own line
    const parts = [note.querySelector(".math, i") ?? note, note.querySelector("sup")];
    const rooms = parts.map((one) => one.getBoundingClientRect());
    return { text: note.textContent, under: dots.filter(([x, y]) => rooms.some(({ left, right, top, bottom }) => {
      const rise = (bottom - top) / 5; // a line is higher than its letters
      return x > left && x < right && y > top + rise && y < bottom - rise; })) }; }); })"""


@pytest.mark.parametrize("size", [(1280, 720), (1920, 1080), (390, 844)])
@pytest.mark.parametrize("query", ["", "&present=1", "&lang=ko"])
def test_no_exponent_is_written_on_a_marker(led_page: Callable[..., Page], query: str, size: tuple[int, int]) -> None:
    page = led_page(f"page=cost&predict=false{query}", painted=False, viewport={"width": size[0], "height": size[1]})
    painted(page)
    page.locator("#figure-cost-time .word").first.wait_for()
    notes = page.evaluate(_NOTES)
    assert notes
    assert [note for note in notes if note["under"]] == []


def test_a_run_grows_point_by_point_until_it_is_cancelled(open_page: Callable[..., Page]) -> None:
    page = open_page("page=cost&predict=false&varied=d_k&n=32", painted=False)
    painted(page)
    page.locator("#run-start").click()
    page.locator("#run[data-run='running']").wait_for()
    page.wait_for_function(
        """() => document.querySelector("#figure-cost-memory").living.shown.data
          .filter((trace) => trace.meta?.contender && trace.meta.kind !== "fit")
          .filter((trace) => Number.isFinite(trace.y[0])).length >= 4"""
    )
    # a click would wait for the page to stand still, and pictures keep coming
    page.locator("#run-cancel").dispatch_event("click")
    page.locator("#run[data-run='cancelled']").wait_for()
    measured = [curve[0] for curve in drawn(page, "cost-memory") if curve[0]]
    # softmax(QKᵀ/√d_k)V at n = 32 and d_k = 8 holds two score matrices and more
    assert min(measured) > 0
    assert max(measured) >= 4 * 32 * 32 * 8
    assert page.locator("#run-start").is_visible()


def test_a_link_restores_what_is_measured(open_page: Callable[..., Page]) -> None:
    page = open_page("page=cost&varied=d_k&n=64&d_k=9999", painted=False)
    painted(page)
    assert page.locator("#control-varied input:checked").get_attribute("value") == "d_k"
    assert page.locator("#control-n input[type=number]").input_value() == "64"
    assert page.locator("#control-d_k").is_hidden()
    assert "d_k" in page.locator(".notices").inner_text()


def test_exponents_are_written_where_they_have_room(open_page: Callable[..., Page]) -> None:
    page = open_page("page=cost&predict=false", painted=False, viewport={"width": 1280, "height": 720})
    painted(page)
    exponents = page.locator("#cost .word.note:has(sup):visible")
    page.wait_for_function("() => document.querySelectorAll('#cost .word.note sup').length > 8")
    assert exponents.count() > 8
    page.set_viewport_size({"width": 844, "height": 390})
    page.wait_for_function("() => innerHeight === 390")
    assert exponents.count() == 0
    assert page.locator("#cost .word.note:visible").count() >= 4, "the bound keeps its name"
