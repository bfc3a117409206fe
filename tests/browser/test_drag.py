"""Dragging a control: the pictures follow at once; tables and sentences are marked as old and follow when it rests."""

from collections.abc import Callable

from playwright.sync_api import Page

from attention_core import AttentionConfig
from tests.browser import controls, drawn
from tests.browser.comparison import assert_page_shows, query

TOLD = "#insight, #arithmetic, .figure .summary, .figure .behind table"

# The clock stands; the test decides when the pause after a drag ends, and the state stays the one before the drag.
_REST = """() => {
  const at = performance.now();
  performance.now = () => at;
  const real = window.setTimeout;
  window.setTimeout = (then, after, ...given) => {
    if (after === 700) return 0;
    if (after !== 180) return real(then, after, ...given);
    window.rest = then;
    return 0;
  };
}"""


def state(d_k: int) -> str:
    return query(AttentionConfig(n=12, h=3, d_k=d_k))


def staleness(page: Page) -> list[tuple[bool, bool]]:
    """Return, for the sentences and the table of each figure, if they look old and if they are marked busy."""
    found = page.locator(TOLD).evaluate_all(
        "(all) => all.map((one) => [getComputedStyle(one).opacity < 1, one.getAttribute('aria-busy') === 'true'])"
    )
    return [(old, busy) for old, busy in found]


def test_in_a_drag_the_pictures_follow_and_what_is_told_says_that_it_is_behind(open_page: Callable[..., Page]) -> None:
    page = open_page("n=12&h=3&d_k=20")
    drawn.wait_painted(page)
    page.evaluate(_REST)
    controls.slide(page, "d_k", 300)
    drawn.wait_painted(page, state(300))
    assert staleness(page) == [(False, False)] * 14
    table = drawn.table(page, "entropy")
    controls.slide(page, "d_k", 399)
    drawn.wait_pictures(page, state(399))
    assert staleness(page) == [(True, True)] * 14
    assert page.locator("#insight").get_attribute("data-painted") == state(300)
    assert drawn.table(page, "entropy") == table
    page.evaluate("window.rest()")
    assert_page_shows(page, AttentionConfig(n=12, h=3, d_k=399))
    assert staleness(page) == [(False, False)] * 14
    assert "d_k from 20 to 399" in page.locator("#arithmetic").inner_text()
    assert drawn.table(page, "entropy") != table


def test_a_single_move_asks_for_everything_at_once(open_page: Callable[..., Page]) -> None:
    page = open_page("n=12&h=3&d_k=20")
    drawn.wait_painted(page)
    page.evaluate(_REST)
    controls.slide(page, "d_k", 90)
    assert drawn.wait_painted(page, state(90)) == state(90)
    assert staleness(page) == [(False, False)] * 14
    asked: list[str] = []
    page.on("request", lambda sent: asked.append(sent.url))
    page.evaluate("window.rest()")
    page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    assert not [url for url in asked if url.endswith("/page/explore")]
