"""Pages that are led from link to link as a lesson leads them: what a test left is put away, and nothing is loaded."""

from typing import Any
from urllib.parse import parse_qs

from playwright.sync_api import Page

from tests.browser import drawn
from tests.browser.lent import VIEWPORT
from tests.browser.visits import Visits

_ELSEWHERE = ("page", "lang", "__theme", "lesson", "step", "room", "source", "pin")
"""Parameters whose change is a visit of its own: of the document, the tab, a file, or the state beside this one."""

_TIDY = """() => {
  document.activeElement?.blur();
  getSelection()?.removeAllRanges();
  for (const one of document.querySelectorAll(":popover-open")) one.hidePopover();
  for (const one of document.querySelectorAll("details.menu[open], details.saves[open], details.behind[open]")) {
    one.open = false;
  }
  for (const one of document.querySelectorAll("*")) {
    if (one.scrollTop || one.scrollLeft) one.scrollTo({ left: 0, top: 0, behavior: "instant" });
  }
}"""

_AROUND = """async () => {
  let page;
  while (typeof (page = (await window.headlight)?.act("valueOf"))?.state?.canonical !== "string") {
    await new Promise(requestAnimationFrame);
  }
  const all = (selector) => [...document.querySelectorAll(selector)].map((one) => one.id || one.className);
  return JSON.stringify([
    { ...localStorage }, { ...sessionStorage }, window.name, document.cookie, document.documentElement.className,
    document.body.className, all("details[open]"), all("dialog[open], :popover-open, [data-run=running]"),
    all("#group-more:not([hidden]), [aria-expanded=true]"), page.message.error.textContent, page.state.upload,
    [...page.figures.all.values()].map(({ living }) => living?.windows?.size ?? 0), page.leader.lead.role,
  ]);
}"""
"""What an opened page holds beside its link: stores, classes, what is open, an error, a file, zoomed maps, a room."""

_LEAD = """async (link) => {
  const page = (await headlight).act("valueOf");
  for (const one of document.querySelectorAll("[data-painted]")) delete one.dataset.painted;
  await page.ways.goTo(link);
  await page.updates.answered;
  // the address is written a moment later
  const late = performance.now() + 5000;
  while (!location.search.includes(page.state.canonical) && performance.now() < late) {
    await new Promise(requestAnimationFrame);
  }
}"""


class Led:
    """The pages of one test file, one for each kind of context."""

    def __init__(self, visits: Visits) -> None:
        self._visits = visits
        self._pages: dict[str, tuple[Page, str, str]] = {}

    def open(self, query: str = "", *, painted: bool = True, **context_options: Any) -> Page:
        """Return a page at `query` in a state like that of `Visits.open`; the test before may have had it.

        It is loaded if the link asks for another document or tab, or if a test left what cannot be put away.
        """
        viewport = context_options.pop("viewport", VIEWPORT)
        kind = repr(sorted(context_options.items()))
        page, last, around = self._pages.get(kind, (None, "", ""))
        if page is None or page.__dict__.get("spent"):
            page = self._visits.open(query, painted=painted, viewport=viewport, **context_options)
            self._keep(kind, page, query)
            return page
        page.mouse.move(-20, -20)
        page.set_viewport_size(viewport)
        page.evaluate(_TIDY)
        if _outside(query) == _outside(last) and page.evaluate(_AROUND) == around:
            page.evaluate(_LEAD, query)
        else:
            self._visits.anew(page, query)
        if painted:
            drawn.wait_painted(page)
        self._keep(kind, page, query)
        return page

    def _keep(self, kind: str, page: Page, query: str) -> None:
        self._pages[kind] = page, query, page.evaluate(_AROUND)

    def forget(self) -> None:
        """Have every page opened anew: a test has failed, and left who knows what."""
        self._pages.clear()


def _outside(query: str) -> dict[str, list[str]]:
    return {name: values for name, values in parse_qs(query).items() if name in _ELSEWHERE}
