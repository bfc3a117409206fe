"""One app for the whole run. Every visit fails on an error or on a request to another host."""

from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.led import Led
from tests.browser.lent import Lending
from tests.browser.served import FLEETING, Served, serving
from tests.browser.visits import PATIENCE, Visits
from visualiser.server.http import assets

expect.set_options(timeout=PATIENCE)


@pytest.fixture(scope="session")
def served() -> Iterator[Served]:
    """Serve the app that all tests share, each file compressed once: what a page holds is the same."""
    with serving(None, FLEETING) as app:
        yield app


@pytest.fixture(scope="session")
def app_url(served: Served) -> str:
    """Return its address, ending in a slash."""
    return served.url


@pytest.fixture(scope="session")
def lending(chromium: Browser, app_url: str) -> Iterator[Lending]:
    """Keep the pages that were given back, for the tests that follow."""
    pages = Lending(chromium, f"{app_url}gradio_api/headlight/assets/{assets.version()}/locales/en.json")
    yield pages
    pages.end()


@pytest.fixture
def open_page(
    chromium: Browser, app_url: str, lending: Lending, request: pytest.FixtureRequest
) -> Iterator[Callable[..., Page]]:
    """Open a page as a new visitor: `open_page(query="", **context_options)`; see `Visits.open`."""
    visits = Visits(chromium, app_url, lending)
    failed = request.session.testsfailed
    yield visits.open
    visits.end(clean=request.session.testsfailed == failed)


@pytest.fixture(scope="module")
def open_module_page(
    chromium: Browser, app_url: str, lending: Lending, request: pytest.FixtureRequest
) -> Iterator[Callable[..., Page]]:
    """Open a page that the tests of one module share, like `open_page`."""
    visits = Visits(chromium, app_url, lending)
    failed = request.session.testsfailed
    yield visits.open
    visits.end(clean=request.session.testsfailed == failed)


@pytest.fixture(scope="module")
def _led(chromium: Browser, app_url: str, lending: Lending) -> Iterator[tuple[Visits, Led]]:
    visits = Visits(chromium, app_url, lending)
    yield visits, Led(visits)
    visits.end()


@pytest.fixture
def led_page(_led: tuple[Visits, Led], request: pytest.FixtureRequest) -> Iterator[Callable[..., Page]]:
    """Lead the file's page to a link: `led_page(query="", **context_options)`, as `open_page`; see `Led.open`.

    For tests that look at a state. What concerns opening, stores, tabs or visitors takes `open_page`.
    """
    visits, led = _led
    failed = request.session.testsfailed
    yield led.open
    if request.session.testsfailed != failed:
        led.forget()
    visits.require_quiet()
