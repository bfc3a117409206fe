"""The Anatomy page, opened and waited for, and the configuration that it shows first."""

from typing import Any

from playwright.sync_api import Page

SMALL: dict[str, Any] = {"n": 4, "d_model": 8, "h": 2, "source": "text", "text": "the cat sat down"}


def painted(page: Page, query: str | None = None) -> str:
    """Wait until both figures show `query` (None: any), and return it."""
    page.wait_for_function(
        """(query) => {
          const shown = (name) => document.getElementById(`figure-${name}`)?.dataset.painted;
          const [a, b] = ["anatomy", "walk"].map(shown);
          return a !== undefined && a === b && (query === null || a === query); }""",
        arg=query,
    )
    return page.locator("#figure-walk").get_attribute("data-painted") or ""


def opened(page: Page, app_url: str, query: str) -> Page:
    """Visit the page in the state of `query`, and return it once it is painted."""
    page.goto(f"{app_url}?page=anatomy{'&' if query else ''}{query}")
    painted(page)
    return page
