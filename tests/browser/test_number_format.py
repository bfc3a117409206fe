"""What a number format made ∞, NaN or 0 is marked on the maps, told under the pointer, and healed by one step."""

from collections.abc import Callable

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from attention_core import AttentionConfig, AttentionResult, compute
from attention_core.exact.formats import MARKS
from tests.browser import drawn
from visualiser.theme import MARK_COLOURS

CONFIG = AttentionConfig(n=5, h=2, d_k=512, tie=False, scaling="none", dtype="float16", subtract_max=False)
QUERY = "n=5&h=2&d_k=512&scaling=none&dtype=float16&subtract_max=false"
CELLS = """document.querySelector("#figure-heat-maps").living.panels.map(({ pixels, marks }) => ({
  marks: Array.from(marks ?? []),
  colours: Array.from(pixels, (rgba) => [rgba & 255, (rgba >> 8) & 255, (rgba >> 16) & 255]),
}))"""


@pytest.fixture(scope="module")
def page(open_module_page: Callable[..., Page]) -> Page:
    return open_module_page(QUERY)


@pytest.fixture(scope="module")
def result() -> AttentionResult:
    return compute(CONFIG, device="cpu")


def test_the_maps_mark_what_the_format_did(page: Page, result: AttentionResult) -> None:
    marks = result.marks("weights")
    assert marks is not None
    assert {1, 3} <= set(marks.flatten().tolist())
    for panel, codes in zip(page.evaluate(CELLS), marks, strict=True):
        assert panel["marks"] == codes.flatten().tolist()
        for code, colour in zip(panel["marks"], panel["colours"], strict=True):
            if code:
                assert colour == [int(MARK_COLOURS[MARKS[code - 1]][at : at + 2], 16) for at in (1, 3, 5)]


def test_a_mark_has_a_sign_beside_its_colour(page: Page, result: AttentionResult) -> None:
    marks = result.marks("weights")
    assert marks is not None
    panel = drawn.panels(page)[0]
    colours = [[int(colour[at : at + 2], 16) for at in (1, 3, 5)] for colour in MARK_COLOURS.values()]
    middles = panel.pixels[..., :3][(marks[0] > 0).numpy()]
    assert len(middles) > 5
    assert all(min(np.abs(np.array(colours) - middle).max(-1)) > 60 for middle in middles.astype(int))


def test_the_legend_and_the_sentences_say_so(page: Page) -> None:
    legend = page.locator("#figure-heat-maps .mark-legend")
    assert legend.all_inner_texts() == ["∞ or NaN", "0 or tiny"]
    expect(page.locator("#insight")).to_contain_text("9 of 10 rows are not distributions")
    assert page.locator("[data-error]").count() == 0


def test_the_pointer_tells_what_happened(page: Page, result: AttentionResult) -> None:
    marks = result.marks("weights")
    assert marks is not None
    row, column = (int(at) for at in (marks[1] == 1).nonzero()[0])
    panel = drawn.panels(page)[1]
    page.mouse.move(*drawn.in_view(page, *panel.centre(row, column)))
    expect(page.locator(".tip strong")).to_have_text("NaN · overflow to ∞")
    page.mouse.move(1, 1)


def test_the_step_that_is_offered_heals_the_rows(page: Page) -> None:
    page.locator(".offer").click()
    drawn.wait_painted(page, QUERY.replace("&subtract_max=false", ""))
    expect(page.locator("#control-subtract_max input")).to_be_checked()
    assert "1" not in {str(code) for panel in page.evaluate(CELLS) for code in panel["marks"]}
    expect(page.locator("#figure-entropy .brief")).not_to_have_text("")
