"""Visits to the page in a real browser, each watched for errors and for requests that leave this machine."""

import re
from collections.abc import Sequence
from typing import Any
from urllib.parse import urlsplit

from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, Request

from tests.browser import drawn
from tests.browser.lent import OPTIONS, Lending, Loan

PATIENCE = 120_000
"""Milliseconds after which a condition counts as never met; a passing test never waits this long."""


class Visits:
    """Opens pages in separate contexts and collects everything that should not have happened there."""

    def __init__(self, browser: Browser, url: str, lending: Lending | None = None) -> None:
        """`lending` has the pages of tests before; without it each page is new."""
        self.browser = browser
        self.url = url
        self.problems: list[str] = []
        self._lending = lending
        self._contexts: list[BrowserContext] = []
        self._loans: list[Loan] = []

    def open(
        self,
        query: str = "",
        *,
        painted: bool = True,
        expected_errors: Sequence[str] = (),
        url: str | None = None,
        init_script: str | None = None,
        new: bool = False,
        **context_options: Any,
    ) -> Page:
        """Open a page at `query`, with every figure painted unless `painted` is False.

        `expected_errors` are regular expressions for console errors that a test provokes on purpose. A page that was
        another visitor's has kept scripts and styles in its caches; `new` gives one that has loaded nothing.
        """
        options = {**OPTIONS, **context_options}
        loan = None
        if self._lending and not (new or url or init_script):
            loan = self._lending.lend(options, PATIENCE)
            self._loans.append(loan)
            context, page = loan.context, loan.page
        else:
            context = self.browser.new_context(**options)
            context.set_default_timeout(PATIENCE)
            self._contexts.append(context)
            if init_script:
                context.add_init_script(init_script)
            page = context.new_page()
        self._watch(context, page, [re.compile(pattern) for pattern in expected_errors])
        page.goto((url or self.url) + (f"?{query}" if query else ""))
        if loan:
            loan.alone()
        if painted:
            drawn.wait_painted(page)
        return page

    def anew(self, page: Page, query: str) -> None:
        """Load `query` as a new visitor on a lent page of these visits."""
        (loan,) = (one for one in self._loans if one.page is page)
        assert self._lending
        loan.empty(self._lending.rest)
        page.goto(f"{self.url}?{query}")
        loan.alone()

    def require_quiet(self) -> None:
        """Fail if anything went wrong so far."""
        problems, self.problems = self.problems, []
        assert not problems, "\n".join(problems)

    def _watch(self, context: BrowserContext, page: Page, allowed: Sequence[re.Pattern[str]]) -> None:
        def console(message: ConsoleMessage) -> None:
            if message.type == "error" and not any(pattern.search(message.text) for pattern in allowed):
                self.problems.append(f"console error: {message.text} ({message.location.get('url', '')})")

        page.on("console", console)
        page.on("pageerror", lambda problem: self.problems.append(f"uncaught error: {problem}"))
        context.on("request", self._request)

    def _request(self, sent: Request) -> None:
        parts = urlsplit(sent.url)
        if parts.scheme not in ("data", "blob") and parts.hostname != "127.0.0.1":
            self.problems.append(f"a request left this machine: {sent.url}")

    def end(self, clean: bool = True) -> None:
        """Close all pages, or give them back if `clean`, and fail if anything went wrong meanwhile."""
        for context in self._contexts:
            context.close()
        self._contexts.clear()
        for loan in self._loans:
            assert self._lending
            loan.context.remove_listener("request", self._request)
            self._lending.take(loan, clean and not self.problems)
        self._loans.clear()
        self.require_quiet()


def unroute(page: Page) -> None:
    """Take away the routes of a page after their handlers have ended: the page keeps asking, and one may be at work.

    A handler that never answers would be waited for without end.
    """
    page.unroute_all(behavior="wait")
