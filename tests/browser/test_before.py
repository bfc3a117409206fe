"""The scores before the last change: an outline on one axis with the present ones, by the rule of Python's figure."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Page

from attention_core import AttentionConfig, compute
from tests.browser import controls, drawn
from visualiser.drawing.drawing import Drawing
from visualiser.drawing.pinned_overlay import with_before
from visualiser.figures.plots.score_distribution import drawing
from visualiser.locale import text


def scores(**settings: Any) -> Drawing:
    return drawing(compute(AttentionConfig(scaling="none", **settings)))


def shown(page: Page, wanted: Drawing) -> None:
    """Expect the page's outline and axes to be those of Python's figure."""
    outline = drawn.trace(page, "score-distribution", kind="before")
    layout = drawn.graph(page, "score-distribution")["layout"]
    np.testing.assert_allclose(outline["x"], wanted.data[-1]["x"], rtol=1e-5)
    np.testing.assert_allclose(outline["y"], wanted.data[-1]["y"], rtol=1e-5)
    assert outline["showlegend"] is wanted.data[-1]["showlegend"]
    assert outline["name"] == wanted.data[-1]["name"]
    for axis in ("xaxis", "yaxis"):
        np.testing.assert_allclose(layout[axis]["range"], wanted.layout[axis]["range"], rtol=1e-5)
    np.testing.assert_allclose(layout["shapes"][0]["x0"], wanted.layout["xaxis"]["range"][0], rtol=1e-5)


def rest(page: Page) -> None:
    """Wait until the controls rest at the state on screen: the next change is then compared with it."""
    page.wait_for_function(
        """() => { const { rested, painted } = document.getElementById("figure-score-distribution").dataset;
          return rested === painted; }"""
    )


def test_a_wider_distribution_is_seen_beside_the_narrow_one_before(open_page: Callable[..., Page]) -> None:
    page = open_page("scaling=none")
    drawn.wait_painted(page, "scaling=none")
    shown(page, with_before(scores(), None, "en"))
    rest(page)
    controls.slide(page, "d_k", 512)
    drawn.wait_painted(page, "d_k=512&scaling=none")
    shown(page, with_before(scores(d_k=512), scores(), "en"))
    rest(page)
    controls.slide(page, "d_k", 4)
    drawn.wait_painted(page, "d_k=4&scaling=none")
    cut = with_before(scores(d_k=4), scores(d_k=512), "en")
    shown(page, cut)
    assert cut.data[-1]["name"] == text("en", "figure.score_distribution.before_beyond")
    rest(page)
    controls.write(page, "row", 3)
    drawn.wait_painted(page, "d_k=4&scaling=none&row=3")
    locked = drawn.trace(page, "score-distribution", kind="before")
    assert locked["x"] == []  # the same scores: nothing to compare


def test_a_question_of_the_page_hides_the_state_before_when_a_class_is_no_longer_asked(
    open_page: Callable[..., Page],
) -> None:
    page = open_page("scaling=none")
    drawn.wait_painted(page, "scaling=none")
    rest(page)
    page.evaluate("headlight.then((page) => page.act('presence.forget', true))")  # the class is asked
    controls.slide(page, "d_k", 512)
    drawn.wait_painted(page, "d_k=512&scaling=none")
    rest(page)
    asks = "d_k=4&scaling=none&predict=true"
    page.evaluate("(link) => headlight.then((page) => page.act('ways.goTo', link))", asks)
    drawn.wait_painted(page, asks)
    page.evaluate("headlight.then((page) => page.act('presence.forget', false))")
    drawn.wait_painted(page, asks)
    assert drawn.trace(page, "score-distribution", kind="before")["x"] == []


@pytest.mark.parametrize("pin", ["d_k%3D512%26scaling%3Dnone"])
def test_a_pinned_a_is_the_only_other_state(open_page: Callable[..., Page], pin: str) -> None:
    page = open_page(f"scaling=none&pin={pin}")
    drawn.wait_painted(page, f"scaling=none&pin={pin}")
    controls.slide(page, "d_k", 4)
    drawn.wait_painted(page, f"d_k=4&scaling=none&pin={pin}")
    kinds = [trace.get("meta", {}).get("kind") for trace in drawn.graph(page, "score-distribution")["data"]]
    assert "pinned" in kinds
    assert "before" not in kinds


def test_a_narrow_state_before_is_an_area_and_no_pair_of_lines(open_page: Callable[..., Page]) -> None:
    page = open_page("scaling=none&d_k=2")
    drawn.wait_painted(page, "d_k=2&scaling=none")
    rest(page)
    controls.slide(page, "d_k", 512)
    drawn.wait_painted(page, "d_k=512&scaling=none")
    before = drawn.trace(page, "score-distribution", kind="before")
    assert before["fill"] == "tozeroy"
    # above the present bars: between the two edges is grey, beside them nothing
    inside, outside = page.evaluate(
        """() => { const { living } = document.getElementById("figure-score-distribution");
          const { panels: [panel], canvas, shown } = living;
          const { x, y } = shown.data.find(({ meta }) => meta?.kind === "before");
          const most = Math.max(...y);
          const scale = canvas.width / canvas.clientWidth, height = panel.box.top + 3;
          const edges = Array.from(x).filter((_, i) => y[i] > 0.5 * most);
          const [left, right] = [Math.min(...edges), Math.max(...edges)].map((at) => panel.across.pixel(at));
          const alpha = (at) => { const { data } = canvas.getContext("2d")
            .getImageData(Math.round(at * scale), Math.round(height * scale), 1, 1); return Array.from(data); };
          const aside = (right - left) * 3 + 8;
          return [alpha(left + (right - left) * 0.3), alpha(right + aside)]; }"""
    )
    assert inside != outside
    sample = page.locator("#figure-score-distribution .entry[data-of=before] .sample")
    assert "is-mark" in (sample.get_attribute("class") or "")
