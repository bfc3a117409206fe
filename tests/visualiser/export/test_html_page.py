"""The HTML file draws and hovers in a browser without a network, and no typed text becomes markup."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from string import Template
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Browser, Page

from attention_core import AttentionConfig, AttentionResult, compute, stopping
from visualiser.drawing import drawing
from visualiser.drawing.drawing import Drawing
from visualiser.export import Origin, html, page
from visualiser.export.page import table_markup
from visualiser.figures.figure import Figure
from visualiser.figures.plots.entropy import entropy
from visualiser.figures.plots.heat_maps import heat_maps
from visualiser.locale import text
from visualiser.locale.message import write_all
from visualiser.pages.explore import MAPS, PANELS, ROW
from visualiser.pages.explore.sentences import insight
from visualiser.state.view import View
from visualiser.tables import Column, Table

HOSTILE = "</script><script>document.title='taken'</script> <b> --> <!-- the the 고양이"
CELLS = """Array.from(document.querySelector('.js-plotly-plot')._fullData)
    .filter((trace) => trace.type === 'heatmap')
    .map((trace) => trace.z.map((row) => [...row]))"""
DRAWN = ".js-plotly-plot .main-svg"

KOREAN = View(lang="ko")
LINK = "https://example.org/?text=<i>&lang=ko"
ORIGIN = Origin(link=LINK, seed="7", headlight="1.2.3", torch="4.5", plotly="6.7", date="2026-01-02T03:04:05Z")


def shown(result: AttentionResult, view: View) -> list[tuple[Figure[Any, ...], Any, Drawing]]:
    return [(figure, result, figure.drawing(result, view)) for figure in (heat_maps, entropy)]


@pytest.fixture
def result() -> AttentionResult:
    return compute(AttentionConfig(source="text", text=HOSTILE, h=2, d_k=5, tie=False))


@pytest.fixture
def document(result: AttentionResult) -> str:
    return html(shown(result, KOREAN), KOREAN, ORIGIN, ["1 < 2 <u>"])


@pytest.fixture
def opened(chromium: Browser, document: str, tmp_path: Path) -> Iterator[tuple[Page, list[str]]]:
    """Open the page in an offline browser; collect its requests and errors."""
    (tmp_path / "headlight.html").write_text(document, encoding="utf-8")
    context = chromium.new_context(offline=True)
    page = context.new_page()
    noise: list[str] = []
    page.on("request", lambda request: noise.append(request.url))
    page.on("console", lambda message: noise.append(message.text))
    page.on("pageerror", lambda error: noise.append(str(error)))
    page.goto((tmp_path / "headlight.html").as_uri())
    page.wait_for_selector(DRAWN, state="attached")  # a polled function would be an eval, which the page forbids
    yield page, noise
    context.close()


def test_it_draws_the_result_and_asks_for_nothing(opened, result, tmp_path):
    page, noise = opened
    assert page.locator(".js-plotly-plot").count() == 2
    drawn = page.evaluate(CELLS)
    np.testing.assert_array_equal(np.array(drawn, np.float32), result.weights.numpy())
    assert noise == [(tmp_path / "headlight.html").as_uri()]


def test_it_hovers(opened):
    page, _ = opened
    page.locator(".js-plotly-plot .nsewdrag").first.hover()
    page.wait_for_selector(".hoverlayer .hovertext")
    assert page.locator(".hoverlayer .hovertext").first.text_content()


def test_nothing_typed_becomes_markup(opened):
    page, _ = opened
    assert page.title() == "Headlight로 그린 어텐션"
    assert page.locator("main b, main i, main u").count() == 0
    assert page.get_by_text("1 < 2 <u>").count() == 1
    assert page.get_attribute("main a", "href") == "https://example.org/?text=<i>&lang=ko"


def test_it_has_the_numbers_and_a_sentence_for_screen_readers(opened):
    page, _ = opened
    assert page.locator("figure table").count() == 2
    assert page.locator("figure table tbody tr").count() > 2
    for picture in page.locator("[role=img]").all():
        assert picture.get_attribute("aria-label")


def test_it_is_in_the_language_and_theme_of_the_page():
    document = html([], View(theme="dark", lang="ko"))
    assert '<html lang="ko">' in document
    assert "color-scheme: dark" in document


def test_an_address_that_is_none_is_no_link():
    document = html([], View(), replace(ORIGIN, link="javascript:alert(1)"))
    assert "<a " not in document.split("<script>")[0]
    assert "javascript:alert(1)</code>" in document


def test_its_origin_stands_in_its_head_and_at_its_end(opened):
    page, _ = opened
    for name, value in ORIGIN.values.items():
        assert page.get_attribute(f'meta[name="headlight:{name}"]', "content") == value
    assert page.locator("footer").inner_text() == ORIGIN.line


@pytest.mark.slow
def test_explore_at_32_tokens_and_a_locked_row_is_at_most_a_megabyte_and_a_half(result):
    result, view = compute(AttentionConfig()), View(row=3)
    figures = [(figure, result, figure.drawing(result, view)) for figure in (MAPS, *PANELS, *ROW)]
    assert len(figures) == 6
    assert len(html(figures, view, ORIGIN, write_all(insight(result, view), view.lang)).encode()) <= 1_500_000


def test_a_browser_that_cannot_unpack_says_so_and_shows_the_numbers(chromium, document, tmp_path):
    (tmp_path / "headlight.html").write_text(document, encoding="utf-8")
    context = chromium.new_context(offline=True)
    context.add_init_script("delete window.DecompressionStream")
    page = context.new_page()
    page.goto((tmp_path / "headlight.html").as_uri())
    assert page.get_by_role("alert").inner_text() == text("ko", "export.html.old")
    page.locator("summary").first.click()
    assert page.locator("table").first.is_visible()
    context.close()


def test_a_browser_that_unpacks_says_nothing(opened):
    page, _ = opened
    assert not page.locator("#old").is_visible()


def test_it_looks_whether_to_stop_between_any_two_steps(result: AttentionResult, monkeypatch) -> None:
    happened: list[str] = []

    def noted(owner: Any, name: str) -> None:
        function = getattr(owner, name)

        def called(*arguments: Any, **named: Any) -> Any:
            happened.append(name)
            return function(*arguments, **named)

        monkeypatch.setattr(owner, name, called)

    def look() -> bool:
        happened.append("look")
        return False

    noted(Figure, "summary")
    for name in ("embedded", "table_markup"):
        noted(page, name)
    noted(drawing, "_written")
    noted(Template, "substitute")
    with stopping(look):
        html(shown(result, KOREAN), View())
    assert happened.count("embedded") == happened.count("table_markup") == 2
    assert happened.count("substitute") == 3
    assert [pair for pair in pairwise(happened) if "look" not in pair] == []


def test_a_token_has_its_own_direction_in_a_table() -> None:
    found = table_markup(Table("c", [Column("key", np.arange(1)), Column("token", ["القطة"], typed=True)]))
    assert '<td>0</td><td dir="auto">القطة</td>' in found
