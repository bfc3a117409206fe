"""Another page changes nothing of this one: each keeps its state in the tab, and takes what was changed elsewhere."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page

from tests.browser import controls, drawn


def turn(page: Page, to: str) -> None:
    page.locator(controls.page_link(to)).click()
    page.locator(f"#{to}.page").wait_for()
    page.locator("#insight[data-painted]").wait_for(state="attached")


@pytest.mark.parametrize("storage", [True, False])
def test_by_way_of_other_pages_in_a_browser(open_page: Callable[..., Page], storage: bool) -> None:
    """Finding 3; without storage, as in a sandboxed frame, the frame's name remembers."""
    forbid = (
        """Object.defineProperty(window, "sessionStorage", { get() { throw new DOMException("SecurityError"); } });"""
    )
    link = "d_k=512&scaling=none&mask=causal&row=5"
    page = open_page(link, init_script="" if storage else forbid)
    drawn.wait_painted(page, link)
    turn(page, "why")
    turn(page, "anatomy")
    turn(page, "explore")
    drawn.wait_painted(page, link)
    controls.wait_shown(page, d_k=512, scaling="none", mask="causal", row=5, tie=False)
    turn(page, "why")
    controls.reveal(page, "#control-seed input").fill("3")
    page.wait_for_function("() => document.querySelector('#insight').dataset.painted.includes('seed=3')")
    turn(page, "explore")
    drawn.wait_painted(page, "d_k=512&scaling=none&mask=causal&seed=3&row=5")
