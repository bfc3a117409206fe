"""The page stands from its first bytes: an outline until gradio has mounted it, and nothing that moves afterwards."""

import re
from collections.abc import Callable
from importlib.metadata import version

import pytest
from playwright.sync_api import Browser, Page, Route, ViewportSize, expect

from tests import draws
from visualiser.locale import text
from visualiser.server.http import assets
from visualiser.state.parameters import PAGES
from visualiser.theme import FONT

VIEWPORTS: tuple[ViewportSize, ...] = tuple(
    ViewportSize(width=width, height=height) for width, height in ((1280, 720), (1920, 1080), (390, 844))
)
MOST_SHIFT = 0.05
SHORT = {"map": "&n=300"}
"""A map that is soon there."""

WATCH = """
window.shifts = [];
window.loadings = [];
new PerformanceObserver((list) => {
  for (const { value, sources } of list.getEntries()) {
    window.shifts.push([value, ...sources.map(({ node }) => node?.id || node?.className || node?.nodeName)]);
  }
}).observe({ type: "layout-shift", buffered: true });
const look = () => {
  for (const one of document.querySelectorAll("gradio-app *")) {
    const seen = one.checkVisibility({ visibilityProperty: true }) && one.getClientRects().length;
    if (seen && /^(Loading|Initialising)/.test(one.textContent.trim())) window.loadings.push(one.textContent.trim());
  }
  requestAnimationFrame(look);
};
requestAnimationFrame(look);
"""
"""Every layout shift from the first bytes on, and what gradio says of its own start."""


def settled(page: Page) -> None:
    """Wait until the page has its figures or its question, and its sentence."""
    page.locator("#outline").wait_for(state="detached")
    page.locator("#insight[data-painted]").wait_for(state="attached")
    page.wait_for_load_state("networkidle")
    page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")


@pytest.mark.parametrize("name", PAGES)
def test_nothing_moves_while_the_page_comes(open_page: Callable[..., Page], name: str) -> None:
    """On a first visit, and on later ones, each run in another window."""
    page = open_page(f"page={name}{SHORT.get(name, '')}", painted=False, init_script=WATCH, viewport=VIEWPORTS[0])
    for i, viewport in enumerate((VIEWPORTS[0], *draws.chosen(VIEWPORTS))):
        if i:
            page.set_viewport_size(viewport)
            page.goto(page.url)
        settled(page)
        shifts = page.evaluate("window.shifts")
        assert sum(shift[0] for shift in shifts) <= MOST_SHIFT, (i, viewport, shifts)
        assert page.evaluate("window.loadings") == []


@pytest.mark.parametrize("lost", ["**/assets/Blocks-*.js", f"**/{assets.BUNDLE}"])
def test_a_page_that_does_not_come_says_so(chromium: Browser, app_url: str, lost: str) -> None:
    context = chromium.new_context(locale="en-US")
    page = context.new_page()
    page.route(lost, lambda route: route.abort())
    page.goto(f"{app_url}?page=cost&n=9", wait_until="commit")
    status = page.locator("#outline [role=status] .outlined-late")
    expect(status).to_be_visible()
    expect(status).to_contain_text(text("en", "frame.late"))
    page.unroute_all(behavior="wait")
    status.get_by_text(text("en", "frame.reload")).click()
    settled(page)
    assert page.locator("#cost.page").count() == 1
    context.close()


@pytest.mark.parametrize("lang", ["en", "ko"])
def test_a_page_whose_events_gradio_words_in_an_unknown_way_says_so(chromium: Browser, app_url: str, lang: str) -> None:
    """The document's scripts change on the way, so its policy would refuse them."""
    context = chromium.new_context(bypass_csp=True)
    page = context.new_page()

    def changed(route: Route) -> None:
        found = route.fetch()
        route.fulfill(response=found, body=found.text().replace("window.headlight).act(", "window.headlight).does("))

    page.route(re.compile(r"/\?lang="), changed)
    page.goto(f"{app_url}?lang={lang}")
    status = page.locator("#outline [role=status] .outlined-unknown")
    expect(status).to_be_visible()
    expect(status).to_contain_text(text(lang, "frame.unknown", version=version("gradio")))
    expect(page.locator(".outlined-late")).to_be_hidden()
    context.close()


def test_its_letters_are_the_pages() -> None:
    css = (assets.ROOT / "css" / "outline.css").read_text(encoding="utf-8").replace('"', "'")
    assert f" {FONT};" in css
