"""Pages that are lent to one test after the other: a page that is loaded again costs half of what a new one costs."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from playwright.sync_api import Browser, BrowserContext, Error, Page

VIEWPORT: Final = {"width": 1360, "height": 900}
OPTIONS: Final[Mapping[str, Any]] = {"locale": "en-US", "viewport": VIEWPORT}
"""The context of a page, unless a test asks for another."""

_LOANS = 24
"""Tests after which a page is closed: its process keeps some of what each of them loaded."""

_SPARE = 3
"""Pages that wait at the same time."""

_EMPTY = """async () => {
  sessionStorage.clear();
  localStorage.clear();
  window.name = "";
  for (const { name } of await indexedDB.databases()) indexedDB.deleteDatabase(name);
}"""

_EXCHANGED = "Not attached to an active page"
_EXCHANGES = 1000

# what no cleaning undoes
_SPENDING: Final = (
    *("context", "clock", "add_init_script", "add_locator_handler", "expose_function", "expose_binding"),
    *("set_extra_http_headers", "set_default_timeout", "set_default_navigation_timeout", "close", "pause"),
)


class LentPage(Page):
    """A page that remembers what a test did to it."""

    spent: bool
    """True if a test did what no cleaning undoes: the page is not lent again."""
    emulated: bool
    """True if a test asked for media of its own."""
    heard: list[tuple[Any, Callable[..., Any]]]
    """Events with their listeners."""

    def __getattribute__(self, name: str) -> Any:
        if name in _SPENDING:
            self.__dict__["spent"] = True
        return super().__getattribute__(name)

    def on(self, event: Any, f: Callable[..., Any]) -> None:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Remember the listener."""
        self.heard.append((event, f))
        super().on(event, f)

    def emulate_media(self, **media: Any) -> None:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Remember that media are emulated."""
        self.emulated = True
        super().emulate_media(**media)


class Loan:
    """A page in a context of its own, for one test at a time."""

    def __init__(self, browser: Browser, options: Mapping[str, Any], timeout: float) -> None:
        self.options = options
        self.loans = 0
        self.context: BrowserContext = browser.new_context(**options)
        self.context.set_default_timeout(timeout)
        self.page = self.context.new_page()
        self.device = self.context.new_cdp_session(self.page)
        self.page.__class__ = LentPage
        self._begin()

    def _begin(self) -> None:
        self.page.__dict__.update(spent=False, emulated=False, heard=[])

    def alone(self) -> None:
        """Forget the pages before the present one: its visitor cannot go back to them.

        A page that turns to another by itself, as a student's does, has no history while the browser exchanges the two.
        """
        for _ in range(_EXCHANGES):
            try:
                self.device.send("Page.resetNavigationHistory")
                return
            except Error as problem:
                if _EXCHANGED not in problem.message:
                    raise
            self.page.wait_for_load_state()
        raise AssertionError("the page never stood still")

    def empty(self, rest: str) -> None:
        """Leave the page for `rest`, an address of its origin without scripts, and forget what it stored."""
        self.page.goto(rest)
        self.page.evaluate(_EMPTY)
        self.context.clear_cookies()

    def back(self, rest: str) -> bool:
        """Take the page back and clean it; false if it cannot be lent again."""
        page, kept = self.page, self.page.__dict__
        self.loans += 1
        if kept["spent"] or self.loans >= _LOANS or page.is_closed() or self.context.pages != [page]:
            return False
        try:
            for event, f in kept["heard"]:
                page.remove_listener(event, f)
            page.unroute_all(behavior="ignoreErrors")
            self.empty(rest)
            page.mouse.up()
            page.mouse.move(-20, -20)
            if kept["emulated"]:
                page.emulate_media(
                    media="null", color_scheme="null", reduced_motion="null", forced_colors="null", contrast="null"
                )
            if page.viewport_size != self.options["viewport"]:
                page.set_viewport_size(self.options["viewport"])
        except Error:
            return False
        self._begin()
        return True


class Lending:
    """The pages of one browser that wait for the next test."""

    def __init__(self, browser: Browser, rest: str) -> None:
        self.browser = browser
        self.rest = rest
        self._spare: list[Loan] = []

    def lend(self, options: Mapping[str, Any], timeout: float) -> Loan:
        """Return a page in a context with these options that nobody else has."""
        for loan in self._spare:
            if loan.options == options:
                self._spare.remove(loan)
                return loan
        return Loan(self.browser, options, timeout)

    def take(self, loan: Loan, clean: bool = True) -> None:
        """Take a page back; one that is not `clean` is closed."""
        if not (clean and loan.back(self.rest)):
            loan.context.close()
            return
        self._spare.append(loan)
        if len(self._spare) > _SPARE:
            self._spare.pop(0).context.close()

    def end(self) -> None:
        """Close the pages that wait."""
        while self._spare:
            self._spare.pop().context.close()
