"""A server that goes and comes back: the page says so, marks its last picture as old, and recovers by itself."""

import json
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Page, Request, Route

from attention_core import AttentionConfig
from tests.browser import controls, drawn
from tests.browser.brought import explored
from tests.browser.comparison import assert_page_shows, picture, query
from tests.browser.served import FLEETING, Served, serving
from tests.browser.visits import unroute
from tests.ports import free_port
from visualiser import locale
from visualiser.state.view import View

NETWORK = [r"net::ERR", r"status of 5\d\d", r"Connection", r"connection", r"Could not", r"fetch"]
"""Console messages of Chromium and gradio's client when a server is gone."""
FRAMES = "**/headlight/page/explore"


def wait_failed(page: Page, message: str) -> None:
    """Wait until every figure and the page show the message."""
    page.wait_for_function(
        """([names, message]) =>
          names.every((name) => document.getElementById(`figure-${name}`).dataset.error === message)
          && document.querySelector("#message .error").textContent === message""",
        arg=[list(drawn.FIGURES), message],
    )


def assert_kept(page: Page, before: dict, painted: str) -> None:
    """Expect the last good picture, with the state it shows and a note that it is old."""
    assert picture(page) == before
    for name in drawn.FIGURES:
        figure = page.locator(f"#figure-{name}")
        if name in drawn.OF_ROW and "row=" not in painted:
            assert figure.is_hidden()
            continue
        assert figure.get_attribute("data-painted") == painted
        note = figure.locator(".stale-note")
        assert note.is_visible()
        assert note.inner_text() == locale.text("en", "live.stale")
    assert page.locator("#message .error").is_visible()


def assert_recovered(page: Page, config: AttentionConfig, view: View | None = None) -> None:
    """Expect the new picture and no trace of the failure."""
    assert_page_shows(page, config, view)
    page.wait_for_function("() => document.querySelectorAll('[data-error]').length === 0")
    page.wait_for_function("() => document.querySelector('#message .error').hidden")
    assert page.locator(".stale-note").locator("visible=true").count() == 0
    controls.wait_shown(page, d_k=config.d_k)


@pytest.fixture
def own() -> Iterator[list[Served]]:
    """A list for servers of this test only; it holds the one that runs now."""
    running: list[Served] = []
    yield running
    for app in running:
        if app.process.poll() is None:
            app.end()


def test_a_killed_server_is_noticed_and_its_return_too(open_page: Callable[..., Page], own: list[Served]) -> None:
    port = free_port()
    own.append(Served(port, FLEETING))
    page = open_page("n=12&h=3", url=own[0].url, expected_errors=NETWORK)
    page.wait_for_load_state("networkidle")  # gradio's later scripts have come
    before = picture(page)
    own[0].end()
    controls.slide(page, "d_k", 40)
    wait_failed(page, locale.text("en", "live.lost"))
    assert_kept(page, before, "n=12&h=3")
    controls.wait_shown(page, d_k=40)
    with serving(port, FLEETING) as again:
        assert again.process.poll() is None
        assert_recovered(page, AttentionConfig(n=12, h=3, d_k=40))


@pytest.fixture(scope="module")
def shared(open_module_page: Callable[..., Page]) -> Page:
    """Return a page of which tests lose requests: each ends it recovered."""
    return open_module_page("n=12&h=3", expected_errors=NETWORK)


def test_an_error_of_the_server_is_told_and_overcome(shared: Page) -> None:
    page = shared
    explored(page, "n=12&h=3&row=2")
    before = picture(page)
    page.route(FRAMES, lambda route: route.fulfill(status=500, content_type="text/plain", body="Internal Server Error"))
    controls.slide(page, "d_k", 40)
    wait_failed(page, locale.text("en", "live.lost"))
    assert_kept(page, before, "n=12&h=3&row=2")
    unroute(page)
    assert_recovered(page, AttentionConfig(n=12, h=3, d_k=40), View(row=2))


def test_an_answer_that_breaks_off_is_told_and_overcome(shared: Page) -> None:
    page = shared
    explored(page, "n=12&h=3")
    before = picture(page)

    def cut(route: Route) -> None:
        body = route.fetch().body()
        route.fulfill(status=200, content_type="application/octet-stream", body=body[:900])

    page.route(FRAMES, cut)
    controls.slide(page, "d_k", 40)
    wait_failed(page, locale.text("en", "live.lost"))
    assert_kept(page, before, "n=12&h=3")
    unroute(page)
    assert_recovered(page, AttentionConfig(n=12, h=3, d_k=40))


def test_the_newest_wish_is_painted_when_the_server_is_back(shared: Page) -> None:
    page = shared
    explored(page, "n=12&h=3")
    page.route(FRAMES, lambda route: route.abort("connectionrefused"))
    controls.slide(page, "d_k", 40)
    wait_failed(page, locale.text("en", "live.lost"))
    controls.slide(page, "d_k", 50)
    controls.choose(page, "mask", "causal")
    unroute(page)
    config = AttentionConfig(n=12, h=3, d_k=50, mask="causal")
    assert_recovered(page, config)
    page.wait_for_function("(link) => location.search === `?${link}`", arg=query(config))


def busy(retry: float) -> Callable[[Route], None]:
    """Answer as a server that has no room for now."""
    body = json.dumps({"message": "Room soon.", "retry": retry})
    return lambda route: route.fulfill(status=503, content_type="application/json", body=body)


def test_a_busy_server_is_asked_again_and_nothing_counts_as_failed(shared: Page) -> None:
    page = shared
    explored(page, "n=12&h=3")
    page.route(FRAMES, busy(0.05))
    controls.slide(page, "d_k", 40)
    waiting = page.locator("#message .waiting")
    page.wait_for_function("() => document.querySelector('#message .waiting').textContent === 'Room soon.'")
    assert page.locator("[data-error]").count() == 0
    assert page.locator("#message .error").is_hidden()
    unroute(page)
    assert_recovered(page, AttentionConfig(n=12, h=3, d_k=40))
    assert waiting.is_hidden()


def test_a_newer_wish_takes_the_place_of_one_that_waits(shared: Page) -> None:
    page = shared
    explored(page, "n=12&h=3")
    page.set_default_timeout(40_000)
    page.route(FRAMES, busy(58))
    controls.slide(page, "d_k", 40)
    page.locator("#message .waiting:visible").wait_for()
    unroute(page)
    controls.slide(page, "d_k", 50)
    assert_recovered(page, AttentionConfig(n=12, h=3, d_k=50))


def test_an_update_that_nobody_wants_any_more_is_ended(open_page: Callable[..., Page]) -> None:
    page = open_page("n=12&h=3", expected_errors=NETWORK)
    page.set_default_timeout(40_000)  # shorter than the page's own patience
    held: list[Request] = []
    ended: list[Request] = []

    def hold(route: Route) -> None:
        if "d_k=40" in (route.request.post_data_buffer or b"").decode(errors="replace"):
            held.append(route.request)  # never answered; unrouting would let it continue
        else:
            route.continue_()

    page.on("requestfailed", lambda request: ended.append(request))
    page.route(FRAMES, hold)
    controls.slide(page, "d_k", 40)
    while not held:
        page.evaluate("() => new Promise(requestAnimationFrame)")
    controls.slide(page, "d_k", 50)
    while not set(held) <= set(ended):
        page.evaluate("() => new Promise(requestAnimationFrame)")
    assert_recovered(page, AttentionConfig(n=12, h=3, d_k=50))
