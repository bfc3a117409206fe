"""One app for the whole run; every visit fails on an error or on a request to another host."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from tests.browser.served import Served, serving
from tests.browser.visits import Visits
from visualiser.server.http import assets


@pytest.fixture(scope="session")
def served() -> Iterator[Served]:
    """The app that all tests share."""
    with serving() as app:
        yield app


@pytest.fixture(scope="session")
def app_url(served: Served) -> str:
    """Its address, ending in a slash."""
    return served.url


@pytest.fixture
def open_page(chromium: Browser, app_url: str) -> Iterator[Callable[..., Page]]:
    """`open_page(query="", **context_options)`: a fresh visitor; see `Visits.open`."""
    visits = Visits(chromium, app_url)
    yield visits.open
    visits.end()


@pytest.fixture(scope="module")
def open_module_page(chromium: Browser, app_url: str) -> Iterator[Callable[..., Page]]:
    """Like `open_page`, for a page that the tests of one module share."""
    visits = Visits(chromium, app_url)
    yield visits.open
    visits.end()


@pytest.fixture(scope="module")
def module(chromium: Browser, app_url: str) -> Iterator[Callable[[str, str, Any], Any]]:
    """`module("axes", "(m, given) => …", given)` runs an expression over one of our scripts, by itself."""
    base = f"{app_url}gradio_api/headlight/assets/{assets.version()}/"
    # a page of the same origin without gradio; being none of ours it may run no script, were it not for the context
    page = chromium.new_page(bypass_csp=True)
    page.goto(f"{base}locales/en.json")

    def run(name: str, expression: str, given: Any) -> Any:
        return page.evaluate(f"async (given) => ({expression})(await import('{base}js/{name}.js'), given)", given)

    yield run
    page.close()
