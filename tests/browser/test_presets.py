"""Each preset brings the page to the state it promises, and Reset brings it back."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page

from attention_core import AttentionConfig, compute
from tests.browser import controls, drawn
from tests.browser.brought import explored
from tests.browser.comparison import assert_cells, assert_page_shows, query, stage_cells
from visualiser.drawing.map_colours import compared_limits as limits
from visualiser.pages.explore.presets import PRESETS
from visualiser.state.view import View
from visualiser.theme import WEIGHTS

PROMISED = {
    "base": {"d_model": 512, "h": 8, "d_k": 64},
    "unscaled_512": {"d_k": 512, "scaling": "none"},
    "scaled_512": {"d_k": 512},
    "additive_512": {"d_k": 512, "mechanism": "additive"},
    "causal": {"mask": "causal"},
    "sentence": {"source": "text"},
}


@pytest.fixture(scope="module")
def page(open_module_page: Callable[..., Page]) -> Page:
    return open_module_page("n=5&h=2&scaling=none&seed=3&row=1")


def choose(page: Page, name: str) -> None:
    """Open the menu and choose a preset, or "reset"."""
    page.locator("#menus .presets > summary").click()
    page.locator("#reset" if name == "reset" else f"#preset-{name}").click()
    assert not page.locator("#menus .presets .sheet").is_visible(), "the menu closes over the figures"


def test_each_preset_moves_controls_and_figures(page: Page) -> None:
    for name, values in PROMISED.items():
        choose(page, name)
        config = AttentionConfig(**values)
        result = assert_page_shows(page, config)
        controls.wait_shown(page, **({"h": 8, "seed": 0, "row": None, "tie": config.tie, "d_k": 64} | values))
        if name == "sentence":
            assert result.tokens is not None
            assert len(set(result.tokens)) < len(result.tokens), "the sentence repeats words"


def test_one_wide_head_against_eight_narrow_ones(page: Page) -> None:
    choose(page, "one_against_eight")
    drawn.wait_painted(page, query(AttentionConfig(), pinned="h=1"))
    a, b = compute(AttentionConfig(h=1)), compute(AttentionConfig())
    assert a.config.d_k == 512
    low, high = limits(a, b, View()).axis
    page.locator("#side-all").click()
    panels = drawn.panels(page)
    assert [panel.title for panel in panels] == ["A · head 1", *(f"B · head {head}" for head in range(1, 9))]
    for panel, numbers in zip(panels, (*stage_cells(a, "weights"), *stage_cells(b, "weights")), strict=True):
        assert_cells(panel, numbers, WEIGHTS, low, high)


def test_reset_undoes_everything_but_the_language(page: Page) -> None:
    choose(page, "reset")
    choose(page, "unscaled_512")
    drawn.wait_painted(page, query(AttentionConfig(d_k=512, scaling="none")))
    page.locator("#pin").click()
    controls.write(page, "row", 3)
    drawn.wait_painted(page, "d_k=512&scaling=none&row=3&pin=d_k%3D512%26scaling%3Dnone")
    choose(page, "reset")
    assert_page_shows(page, AttentionConfig())
    controls.wait_shown(page, d_k=64, tie=True, scaling="sqrt_d_k", row=None, lang="en")
    assert page.locator("#pin").get_attribute("aria-pressed") == "false"


def test_a_pinned_state_stays_beside_a_preset_and_both_are_named_by_what_differs(page: Page) -> None:
    explored(page, "d_k=512&scaling=none")
    page.locator("#pin").click()
    drawn.wait_painted(page, "d_k=512&scaling=none&pin=d_k%3D512%26scaling%3Dnone")
    assert page.locator(".pinned").first.inner_text() == "A and B are still the same: change a control, and B changes."
    choose(page, "scaled_512")
    drawn.wait_painted(page, "d_k=512&pin=d_k%3D512%26scaling%3Dnone")
    scaling = "Scaling"
    assert page.locator(".pinned").first.text_content() == f"A: {scaling} = none · B: {scaling} = 1/√d_k"
    choose(page, "base")
    drawn.wait_painted(page, "pin=d_k%3D512%26scaling%3Dnone")
    expected = f"A: d_k = 512, {scaling} = none · B: d_k = 64, {scaling} = 1/√d_k"
    assert page.locator(".pinned").first.text_content() == expected


def test_every_preset_says_what_it_will_show(page: Page, app_url: str) -> None:
    page.goto(f"{app_url}?lang=ko")
    drawn.wait_painted(page)
    page.locator("#menus .presets > summary").click()
    promises = page.locator("#menus .presets .promise").all_inner_texts()
    assert len(promises) == len(PRESETS) + 1
    assert len(set(promises)) == len(promises)
    page.keyboard.press("Escape")
