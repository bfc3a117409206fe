"""A school network without internet: no state of the page asks another host for anything."""

import os
import shutil
from collections.abc import Callable, Iterator
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, Page

from attention_core import AttentionConfig
from tests.browser import controls, drawn
from tests.browser.comparison import assert_page_shows
from tests.browser.visits import Visits

ASKED = """() => [
  ...performance.getEntriesByType("resource").map((entry) => entry.name),
  ...[...document.querySelectorAll("link[href], script[src], img[src], iframe[src], video[src], source[src]")]
    .map((node) => node.href ?? node.src),
  ...[...document.styleSheets].flatMap((sheet) => [...sheet.cssRules].map((rule) => rule.href).filter(Boolean)),
]"""
"""JavaScript for all fetched addresses, and all that the document names for preloading or preconnecting."""


@pytest.fixture
def open_offline(chromium: Browser, app_url: str) -> Iterator[Callable[..., Page]]:
    """Open pages like `open_page`, in a browser that can resolve no name and reach no host but this machine."""
    rules = ["--no-sandbox", "--disable-dev-shm-usage", "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1"]
    # The running driver starts the second browser from the first one's program.
    program = shutil.which(os.environ.get("HEADLIGHT_CHROMIUM") or "chromium")
    browser = chromium.browser_type.launch(executable_path=program, args=rules)
    visits = Visits(browser, app_url)
    yield visits.open
    visits.end()
    browser.close()


def foreign(page: Page) -> list[str]:
    """Return the addresses on other hosts."""
    found = page.evaluate(ASKED)
    assert any("/bundle/" in address or "/js/" in address for address in found)
    parts = map(urlsplit, found)
    return [one.geturl() for one in parts if one.scheme not in ("data", "blob") and one.hostname != "127.0.0.1"]


def test_the_page_works_where_no_other_host_can_be_reached(open_offline: Callable[..., Page]) -> None:
    page = open_offline("n=12&h=3")
    assert_page_shows(page, AttentionConfig(n=12, h=3))
    controls.choose(page, "mechanism", "additive")
    assert_page_shows(page, AttentionConfig(n=12, h=3, mechanism="additive"))
    assert foreign(page) == []


@pytest.mark.parametrize(
    "query",
    ["source=text&lang=ko&n=bad", "pin=h%3D1&n=12", "source=upload&n=12&row=3&head=2&colour=log"],
)
def test_no_state_names_another_host(open_page: Callable[..., Page], query: str) -> None:
    page = open_page(query)
    page.locator("#dark").click()
    page.locator("#pin").click()
    drawn.wait_painted(page)
    with page.expect_download():
        controls.press(page, "#take-html")
    with page.expect_download():
        controls.press(page, "#figure-entropy .tool[data-format=png]")
    assert foreign(page) == []
