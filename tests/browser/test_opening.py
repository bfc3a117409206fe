"""The opening of a page: its requests, their number and their bytes, and the first picture, asked for from the head."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from tests.browser import drawn
from tests.browser.held import Held
from visualiser.state.parameters import PAGES

MOST_REQUESTS, MOST_BYTES, MOST_BYTES_AGAIN = 75, 900_000, 60_000


@dataclass
class Traffic:
    """Requests of a page, as the browser's network counts them."""

    asked: dict[str, str] = field(default_factory=dict)
    came: dict[str, int] = field(default_factory=dict)

    def watch(self, page: Page) -> None:
        network = page.context.new_cdp_session(page)
        network.on("Network.requestWillBeSent", self._sent)
        network.on("Network.dataReceived", self._coming)
        network.on("Network.loadingFinished", self._came)
        network.send("Network.enable")

    def _sent(self, event: dict[str, Any]) -> None:
        if not event["request"]["url"].startswith("data:"):
            self.asked[event["requestId"]] = event["request"]["url"]

    def _coming(self, event: dict[str, Any]) -> None:
        # the browser does not tell the end of an answer that came long before the page read it
        name = event["requestId"]
        self.came[name] = self.came.get(name, 0) + event["encodedDataLength"]

    def _came(self, event: dict[str, Any]) -> None:
        self.came[event["requestId"]] = event["encodedDataLength"]

    @property
    def size(self) -> int:
        return sum(self.came.values())

    def named(self, part: str) -> list[str]:
        return [url for url in self.asked.values() if part in url]


def test_a_first_visit_asks_for_little_and_a_second_for_next_to_nothing(chromium: Browser, app_url: str) -> None:
    context = chromium.new_context(locale="en-US", viewport={"width": 1280, "height": 720})
    found = []
    for _ in range(2):
        page = context.new_page()
        traffic = Traffic()
        traffic.watch(page)
        page.goto(app_url)
        drawn.wait_painted(page)
        page.wait_for_load_state("networkidle")
        found.append(traffic)
        page.close()
    first, second = found
    ours = first.named("/gradio_api/")
    assert [url.rpartition("/")[2] for url in sorted(ours)] == ["headlight.js", "print.css", "en.json", "explore"]
    assert first.named("plotly") == []
    assert len(first.asked) <= MOST_REQUESTS
    assert 100_000 < first.size <= MOST_BYTES
    assert 10_000 < second.size <= MOST_BYTES_AGAIN  # the picture itself
    context.close()


@pytest.mark.parametrize(
    ("query", "stored", "context"),
    [
        *((f"page={page}", None, {}) for page in PAGES),
        ("lang=ko&n=9", None, {}),
        ("n=9", "dark", {}),
        ("n=9&__theme=light", "dark", {"color_scheme": "dark"}),
        ("n=9", None, {"color_scheme": "dark"}),
        ("n=9", None, {"viewport": {"width": 390, "height": 844}}),
    ],
)
def test_the_first_picture_is_asked_for_once(
    open_page: Callable[..., Page], query: str, stored: str | None, context: dict[str, Any]
) -> None:
    """The question from the head is the page's own: in its language, theme and width."""
    keep = f"localStorage.setItem('headlight-theme', '{stored}')" if stored else None
    asked = "window.asked = () => performance.getEntriesByType('resource').map(({ name }) => name)"
    page = open_page(query, init_script=f"{asked}; {keep or ''}", painted=False, **context)
    page.wait_for_function("() => document.querySelector('[data-painted]') !== null")
    page.wait_for_load_state("networkidle")
    name = next((page for page in PAGES if query == f"page={page}"), "explore")
    asked = page.evaluate("window.asked()")
    assert len([url for url in asked if url.endswith(f"/headlight/page/{name}")]) == 1
    assert len([url for url in asked if "/locales/" in url]) == 1


def test_it_is_asked_for_while_gradio_starts(chromium: Browser, app_url: str) -> None:
    """gradio's own scripts are held back until the question has come."""
    context = chromium.new_context()
    page = context.new_page()
    gradios = Held(page, "**/assets/Blocks-*.js")
    with page.expect_response("**/page/explore"):
        page.goto(f"{app_url}?n=7&h=2", wait_until="commit")
    assert page.locator("[id^=figure-]").count() == 0
    gradios.release()
    drawn.wait_painted(page)
    context.close()


DRAWN_FIRST = """
window.drawnFirst = new Promise((resolve) => new MutationObserver(() => {
  const maps = document.getElementById("figure-heat-maps");
  if (maps?.dataset.painted === undefined) return;
  resolve([...document.querySelectorAll("[data-drawn]")].map(({ id }) => id));
}).observe(document, { subtree: true, attributes: true, attributeFilter: ["data-painted"] }));
"""
"""The figures that are drawn when the heat maps are painted: the browser tells of it before other code runs."""


def test_the_heat_maps_are_painted_before_anything_else_is_drawn(open_page: Callable[..., Page]) -> None:
    page = open_page("n=9", init_script=DRAWN_FIRST)
    assert page.evaluate("window.drawnFirst") == ["figure-heat-maps"]


@pytest.mark.parametrize(("failing", "part"), [("**/page/explore", "page/explore"), ("**/locales/*.json", "locales")])
def test_the_page_asks_again_if_the_first_answer_fails(
    chromium: Browser, app_url: str, failing: str, part: str
) -> None:
    context = chromium.new_context()
    page = context.new_page()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.route(failing, lambda route: route.abort(), times=1)
    page.goto(f"{app_url}?n=7&h=2")
    drawn.wait_painted(page)
    assert len([url for url in asked if part in url]) == 2
    context.close()


@pytest.mark.parametrize("page", PAGES)
def test_an_open_page_asks_for_no_frame_while_nothing_moves(open_page: Callable[..., Page], page: str) -> None:
    opened = open_page(f"page={page}", painted=False, new=True)
    opened.locator("html:not(.opening)").wait_for()
    requests = opened.evaluate(
        """async () => {
          const next = window.requestAnimationFrame.bind(window);
          const frames = async (count) => {
            for (; count; count--) await new Promise((resolve) => next(() => next(resolve)));
          };
          let asked = 0;
          window.requestAnimationFrame = (callback) => (asked++, next(callback));
          // what came with the page ends sooner or later, on a busy machine later; what never rests is never quiet
          for (let tries = 40; tries; tries--) {
            asked = 0;
            await frames(40);
            if (asked <= 1) break;
          }
          return asked;
        }"""
    )
    assert requests <= 1
