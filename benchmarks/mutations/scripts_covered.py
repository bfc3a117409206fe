"""Pytest plugin: write down which browser tests run which function of which script.

Chromium counts the calls of each function; pages load single scripts instead of bundles for it, and no page is lent to
a second test, which would lose that route. The file
$HEADLIGHT_COVERED/PROCESS.json maps a script's path to the spans of its functions ("start-end", offsets in characters),
and each span to the tests that ran it.
"""

import json
import os
from collections import defaultdict
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, CDPSession, Error, Page, Route

from tests.browser.lent import Loan

_found: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
_sessions: dict[BrowserContext, list[CDPSession]] = defaultdict(list)


def _single(route: Route) -> None:
    """Answer a bundle by its first script, which imports the others."""
    name = route.request.url.rpartition("/")[2]
    path = "../js/main.js" if name == "headlight.js" else f"../js/later/{name}"
    route.fulfill(body=f'export * from "{path}";', content_type="text/javascript")


def _watched(page: Page) -> Page:
    page.route("**/headlight/assets/*/bundle/*.js", _single)
    session = page.context.new_cdp_session(page)
    session.send("Profiler.enable")
    session.send("Profiler.startPreciseCoverage", {"callCount": True, "detailed": False})
    _sessions[page.context].append(session)
    return page


def _collect(context: BrowserContext) -> None:
    """Write down what ran since the last time; V8 counts anew from here."""
    test = os.environ.get("PYTEST_CURRENT_TEST", "").rpartition(" ")[0]
    for session in _sessions[context]:
        with suppress(Error):  # a page that has been closed or has crashed
            for script in session.send("Profiler.takePreciseCoverage")["result"]:
                path = script["url"].partition("/headlight/assets/")[2].partition("/")[2]
                if path.startswith("js/"):
                    for function in script["functions"]:
                        span = function["ranges"][0]
                        if span["count"]:
                            _found[path][f"{span['startOffset']}-{span['endOffset']}"].add(test)


def _end(context: BrowserContext) -> None:
    _collect(context)
    del _sessions[context]


def _not_again(self: Loan, rest: str) -> bool:
    return False


def _before(owner: Any, name: str, first: Any) -> None:
    ending = getattr(owner, name)

    def ended(self: Any, *arguments: Any, **options: Any) -> None:
        first(self)
        ending(self, *arguments, **options)

    setattr(owner, name, ended)


def _after_opening(owner: Any) -> None:
    opening = owner.new_page

    def opened(self: Any, *arguments: Any, **options: Any) -> Page:
        return _watched(opening(self, *arguments, **options))

    owner.new_page = opened


def pytest_configure() -> None:
    _after_opening(Browser)
    _after_opening(BrowserContext)
    Loan.back = _not_again
    _before(BrowserContext, "close", _end)
    _before(Page, "close", lambda page: _collect(page.context))


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_teardown() -> None:
    """Collect before the test's pages are closed, from those that several tests share, too."""
    for context in list(_sessions):
        _collect(context)


@pytest.hookimpl
def pytest_sessionfinish() -> None:
    folder = Path(os.environ["HEADLIGHT_COVERED"])
    folder.mkdir(parents=True, exist_ok=True)
    tree = {path: {span: sorted(tests) for span, tests in spans.items()} for path, spans in _found.items()}
    if tree:
        (folder / f"{os.environ.get('PYTEST_XDIST_WORKER', 'one')}.json").write_text(json.dumps(tree))
