"""A page that is lent again is like a new one, and one that cannot be cleaned is not lent again."""

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Browser, Error, Page, Request

from tests.browser.lent import OPTIONS, Lending
from tests.browser.visits import PATIENCE

_LEFT = """async () => ({
  local: { ...localStorage }, session: { ...sessionStorage }, name: window.name, cookie: document.cookie,
  databases: (await indexedDB.databases()).length, before: history.length,
  dark: matchMedia("(prefers-color-scheme: dark)").matches, paper: matchMedia("print").matches,
  size: [innerWidth, innerHeight], under: document.querySelectorAll("button:hover").length,
})"""

_LEAVE = """async () => {
  localStorage.a = sessionStorage.a = window.name = "left";
  document.cookie = "a=left";
  await new Promise((resolve) => { indexedDB.open("left").onsuccess = resolve; });
  history.pushState(null, "", "?n=7");
}"""


@pytest.fixture
def rest(app_url: str) -> str:
    return f"{app_url}manifest.json"


def test_a_page_that_is_lent_again_is_like_a_new_one(chromium: Browser, rest: str) -> None:
    lending = Lending(chromium, rest)
    found: list[dict[str, Any]] = []
    asked: list[Request] = []
    for turn in range(2):
        loan = lending.lend(OPTIONS, PATIENCE)
        page = loan.page
        page.goto(rest)
        loan.alone()
        page.evaluate("document.body.innerHTML = '<button style=\"width: 40px; height: 40px\">'")
        page.wait_for_function("() => document.querySelector('button')")
        found.append(page.evaluate(_LEFT))
        if turn:
            break
        page.on("request", lambda sent: asked.append(sent))
        page.evaluate(_LEAVE)
        page.locator("button").hover()
        assert page.evaluate(_LEFT)["under"] == 1
        page.emulate_media(media="print", color_scheme="dark")
        page.set_viewport_size({"width": 390, "height": 844})
        page.route("**/*", lambda route: route.abort())
        assert page.evaluate(_LEFT) != found[0]
        lending.take(loan)
        asked.clear()
    lending.end()
    assert found[1] == found[0]
    assert asked == []


SPENT: dict[str, Callable[[Page], Any]] = {
    "a script of its own": lambda page: page.add_init_script("window.left = 1"),
    "a clock": lambda page: page.clock,
    "its context": lambda page: page.context,
    "closed": lambda page: page.close(),
}


@pytest.mark.parametrize("what", SPENT)
def test_a_page_that_cannot_be_cleaned_is_not_lent_again(chromium: Browser, rest: str, what: str) -> None:
    lending = Lending(chromium, rest)
    kept = lending.lend(OPTIONS, PATIENCE)
    lending.take(kept)
    assert lending.lend(OPTIONS, PATIENCE) is kept
    SPENT[what](kept.page)
    lending.take(kept)
    assert lending.lend(OPTIONS, PATIENCE) is not kept
    lending.end()


def test_a_page_is_lent_in_its_own_context(chromium: Browser, rest: str) -> None:
    lending = Lending(chromium, rest)
    kept = lending.lend(OPTIONS, PATIENCE)
    lending.take(kept)
    touched = lending.lend({**OPTIONS, "has_touch": True}, PATIENCE)
    assert touched is not kept
    lending.take(touched, clean=False)
    assert lending.lend({**OPTIONS, "has_touch": True}, PATIENCE) is not touched
    lending.end()


def test_history_is_forgotten_once_the_browser_has_exchanged_two_pages(chromium: Browser, rest: str) -> None:
    lending = Lending(chromium, rest)
    loan = lending.lend(OPTIONS, PATIENCE)
    loan.page.goto(rest)
    loan.page.goto(f"{rest}?again")
    device, sent = loan.device, []

    class Exchanging:
        def send(self, method: str) -> None:
            sent.append(method)
            if len(sent) < 3:
                raise Error("Protocol error (Page.resetNavigationHistory): Not attached to an active page")
            device.send(method)

    vars(loan)["device"] = Exchanging()
    loan.alone()
    assert (sent, loan.page.evaluate("history.length")) == (["Page.resetNavigationHistory"] * 3, 1)
    lending.end()
