"""One row in detail: a column that opens when a query is locked, tells of that row, and gives its space back."""

from collections.abc import Callable

import numpy as np
import pytest
from playwright.sync_api import Page

from attention_core import AttentionConfig, compute
from tests.browser import drawn

OF_ROW = ("row-weights", "jacobian")
CONFIG = AttentionConfig(source="text")


@pytest.fixture(scope="module")
def page(open_module_page: Callable[..., Page]) -> Page:
    return open_module_page("source=text")


def width(page: Page) -> float:
    box = page.locator("#figure-heat-maps").bounding_box()
    assert box is not None
    return box["width"]


def click_row(page: Page, row: int) -> None:
    page.mouse.click(*drawn.in_view(page, *drawn.panels(page)[0].centre(row, 0)))


def wait_row(page: Page, row: int) -> None:
    """Wait until both figures of the row are painted."""
    for name in OF_ROW:
        page.locator(f"#figure-{name}[data-painted='source=text&row={row}']").wait_for()


def assert_closed(page: Page) -> None:
    """Expect no column, nothing drawn, and nothing said of a row."""
    drawn.wait_painted(page, "source=text")
    assert not page.locator("#row-detail").is_visible()
    assert drawn.panels(page, "jacobian") == []
    for name in OF_ROW:
        assert page.locator(f"#figure-{name}").get_attribute("data-painted") is None


def test_nothing_is_drawn_of_a_row_that_nobody_chose(page: Page) -> None:
    assert_closed(page)


@pytest.mark.parametrize("way", ["button", "Escape", "same row"])
def test_the_column_opens_beside_the_maps_and_closes(page: Page, way: str) -> None:
    assert_closed(page)
    before = width(page)
    click_row(page, 2)
    wait_row(page, 2)
    result = compute(CONFIG)
    assert result.tokens is not None
    assert (
        page.locator("#row-detail").get_by_role("heading").first.inner_text() == f"Query 2 “{result.tokens[2]}”, head 1"
    )
    bars = drawn.trace(page, "row-weights", kind="weights")
    np.testing.assert_allclose(bars["y"], result.weights[0, 2], rtol=1e-5)
    row, maps, panels = (page.locator(name).bounding_box() for name in ("#row-detail", "#figure-heat-maps", "#panels"))
    assert row is not None and maps is not None and panels is not None  # noqa: PT018
    assert maps["x"] + maps["width"] <= row["x"] + 1
    assert row["x"] + row["width"] <= panels["x"] + 1
    assert width(page) < before
    if way == "button":
        page.locator("#row-close").click()
    elif way == "Escape":
        page.locator("#row-close").focus()
        page.keyboard.press("Escape")
    else:
        click_row(page, 2)
    assert_closed(page)
    assert width(page) == before
    if way != "same row":
        assert page.evaluate("document.activeElement === document.querySelector('#figure-heat-maps .stage')")


@pytest.mark.parametrize(("wide", "high"), [(390, 844), (844, 390)])
def test_on_a_phone_the_row_takes_the_place_of_the_panels(open_page: Callable[..., Page], wide: int, high: int) -> None:
    page = open_page("row=3", viewport={"width": wide, "height": high})
    page.locator("#figure-jacobian[data-painted='row=3']").wait_for()
    for name in ("#row-close", "#figure-heat-maps", "#figure-row-weights"):
        box = page.locator(name).bounding_box()
        assert box is not None
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= wide
        assert box["y"] + box["height"] <= high
    page.locator("#row-close").click()
    page.locator("#row-detail").wait_for(state="hidden")
    scores = page.locator("#figure-score-distribution").bounding_box()
    assert scores is not None
    assert scores["x"] + scores["width"] <= wide
