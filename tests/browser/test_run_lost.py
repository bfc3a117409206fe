"""A server lost during a run: the page says in one sentence what is lost, and one button starts it again."""

import signal
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, Route

from tests.browser import controls
from tests.browser.mapped import wait
from tests.browser.served import FLEETING, Served
from tests.browser.test_server_gone import NETWORK
from tests.browser.visits import Visits, unroute
from tests.ports import free_port
from visualiser.locale import text

TRAINING = "page=train&predict=false&task=recall&widths=64,256&mechanisms=additive&steps=1200"
MAP = "n=16384&h=4&d_k=64&page=map"
FINITE = """() => { const { data } = document.querySelector("#figure-train-accuracy").living.shown;
  return Number.isFinite(data.find((trace) => trace.meta?.curve === "additive")?.y?.[0]); }"""
SENTENCES = """() => [
  ...document.querySelectorAll("#message .error, #message .waiting, .map-gone p, .run .said, .stale-note"),
].filter((one) => one.checkVisibility()).map((one) => one.textContent).filter(Boolean)"""
BUTTONS = """() => [...document.querySelectorAll("#run button")].filter((button) => button.checkVisibility())
  .map((button) => button.textContent)"""


class Servers:
    """One server after the other on the same port, and visits to it."""

    def __init__(self, chromium: Browser) -> None:
        self.port = free_port()
        self.running: list[Served] = []
        self.start()
        self.visits = Visits(chromium, self.running[0].url)

    def start(self) -> None:
        self.running.append(Served(self.port, FLEETING))

    @property
    def present(self) -> Served:
        """The last one that was started."""
        return self.running[-1]

    def open(self, query: str, **options: Any) -> Page:
        return self.visits.open(query, painted=False, expected_errors=NETWORK, **options)


@pytest.fixture(scope="module")
def line(chromium: Browser) -> Iterator[Servers]:
    own = Servers(chromium)
    yield own
    for app in own.running:
        if app.process.poll() is None:
            app.end()


@pytest.fixture
def servers(line: Servers) -> Iterator[Servers]:
    """Begin with a server that runs: the last of the test before, unless that test failed."""
    if line.present.process.poll() is not None:
        line.start()
    yield line
    line.visits.end()


def state(page: Page, wanted: str) -> None:
    page.locator(f"[data-run={wanted}]").wait_for()


def wait_status(page: Page, lang: str, key: str) -> None:
    """Wait until this is said about the run, and expect no other sentence about the server."""
    page.wait_for_function("(text) => document.querySelector('.run .said').textContent === text", arg=text(lang, key))
    assert page.evaluate(SENTENCES) == [text(lang, key)]


def begun(page: Page, lang: str) -> None:
    """Start the run of the page, unless it has begun by itself."""
    controls.begin(page)
    state(page, "running")


def mended(page: Page, lang: str) -> None:
    """Expect the sentence to say that the server is back, and start the run with the one button."""
    page.locator(".run .said", has_text=text(lang, "run.lost")).wait_for()
    wait_status(page, lang, "run.lost")
    assert page.evaluate(BUTTONS) == [text(lang, "run.again")]
    page.locator("#run-start").click()
    page.wait_for_function("() => document.querySelector('[data-run=running] progress')?.value > 0")
    assert page.locator("[data-error]").count() == 0
    page.locator("#run-cancel").click()
    wait_status(page, lang, "run.cancelled")


def test_a_training_that_dies_with_its_server_is_started_again(servers: Servers) -> None:
    lang = "ko"
    page = servers.open(f"{TRAINING}&lang={lang}")
    page.locator("#figure-train-accuracy[data-painted*='page=train']").wait_for()
    begun(page, lang)
    page.wait_for_function(FINITE)
    servers.present.kill()
    state(page, "lost")
    wait_status(page, lang, "run.lost_away")
    assert page.evaluate(FINITE), "what was drawn until then stays"
    servers.start()
    mended(page, lang)


TAKEN = """() => performance.getEntriesByType("resource")
  .filter(({ name }) => name.endsWith("/page/train")).length > 1"""
FRAMES = "() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(resolve))))"
PREVIEW = """() => [...document.querySelectorAll("#origin, #figure-train-accuracy .brief, .is-pill")]
  .filter((one) => one.checkVisibility()).map((one) => one.textContent).filter(Boolean)"""


def test_curves_of_a_lost_run_are_not_taken_for_the_result_that_came_with_the_page(servers: Servers) -> None:
    page = servers.open("page=train&predict=false")
    page.locator("#origin:visible").wait_for()
    controls.begin(page)
    page.wait_for_function("() => document.querySelector('[data-run=running] progress')?.value > 0")
    servers.present.kill()
    state(page, "lost")
    servers.start()
    wait_status(page, "en", "run.lost")
    page.wait_for_function(TAKEN)
    page.evaluate(FRAMES)  # what the answer changes is painted
    assert page.evaluate(PREVIEW) == []


def test_a_map_that_dies_with_its_server_is_started_again(servers: Servers) -> None:
    page = servers.open(MAP)
    page.wait_for_function("() => /16384/.test(document.getElementById('map-plan')?.textContent)")
    begun(page, "en")
    page.wait_for_function("() => document.querySelector('#run progress').value > 0.01")
    servers.present.kill()
    state(page, "lost")
    wait_status(page, "en", "run.lost_away")
    servers.start()
    mended(page, "en")


def test_a_server_that_freezes_is_noticed_while_its_connection_stays_open(servers: Servers) -> None:
    page = servers.open(TRAINING)
    page.locator("#figure-train-accuracy[data-painted*='page=train']").wait_for()
    page.clock.install()
    begun(page, "en")
    page.wait_for_function(FINITE)
    servers.present.process.send_signal(signal.SIGSTOP)
    page.clock.fast_forward(31_000)
    while not page.locator("[data-run=lost]").count():
        page.clock.fast_forward(6_000)
    wait_status(page, "en", "run.lost_away")
    servers.present.process.send_signal(signal.SIGCONT)
    page.clock.fast_forward(6_000)
    mended(page, "en")


def test_a_finished_map_whose_server_was_restarted_is_said_to_be_gone(servers: Servers) -> None:
    lang = "ko"
    page = servers.open(f"n=700&h=2&d_k=16&page=map&lang={lang}")
    wait(page)
    servers.present.kill()
    for name in ("query", "key"):
        page.locator(f"#map-{name}").fill("600")
    page.locator("#map-go").click()
    page.locator("#message .error:visible").wait_for()
    assert page.locator("#message .error").inner_text() == text(lang, "map.lost")
    servers.start()
    page.locator("#map-again:visible").wait_for()
    gone = text(lang, "error.map_gone_elsewhere")
    assert page.evaluate(SENTENCES) == [gone]
    assert page.evaluate(BUTTONS) == [text(lang, "map.again")]
    page.locator("#map-again").click()
    wait(page, "across=32")
    assert page.evaluate(SENTENCES) == [text(lang, "run.ended")]


def test_a_map_of_another_replica_is_said_to_be_gone(servers: Servers, open_page: Callable[..., Page]) -> None:
    """One server made the map, another is asked about it, as behind a proxy without sticky sessions."""
    other = servers.present.url

    def astray(route: Route) -> None:
        # a proxy passes on the browser's host; here the origin is changed to match instead
        headers = {**route.request.headers, "origin": other.rstrip("/")}
        route.fulfill(response=route.fetch(url=other + route.request.url.split("/", 3)[3], headers=headers))

    page = open_page("n=700&h=2&d_k=16&page=map", painted=False)
    wait(page)
    page.route("**/page/map/tiles", astray)
    for name in ("query", "key"):
        page.locator(f"#map-{name}").fill("600")
    page.locator("#map-go").click()
    page.locator("#map-again:visible").wait_for()
    assert page.evaluate(SENTENCES) == [text("en", "error.map_gone_elsewhere")]
    unroute(page)
    page.locator("#map-again").click()
    wait(page, "across=32")
