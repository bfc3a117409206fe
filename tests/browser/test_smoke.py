"""Every page paints, and one event of gradio reaches its script: what another gradio breaks first."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from visualiser.state.parameters import PAGES

pytestmark = pytest.mark.smoke

WATCH = "addEventListener('headlight-unknown', () => window.unknown = true)"


@pytest.mark.parametrize("name", PAGES)
def test_a_page_paints(open_page: Callable[..., Page], name: str) -> None:
    """No text that gradio makes at its start is refused."""
    page = open_page(f"page={name}", painted=False, init_script=WATCH)
    page.locator("#outline").wait_for(state="detached")
    page.locator("[data-painted]").first.wait_for()
    assert page.evaluate("window.unknown === undefined")


def test_a_press_reaches_the_page(open_page: Callable[..., Page]) -> None:
    page = open_page("n=5&h=1")
    seed = page.locator("#control-seed input")
    expect(seed).to_have_value("0")
    page.locator("#new-draw").dispatch_event("click")  # it is folded away
    expect(seed).not_to_have_value("0")
