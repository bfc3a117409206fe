"""One page brought to many states and into many windows, so that each can be looked at without opening it."""

from collections.abc import Callable
from functools import partial
from urllib.parse import parse_qs, parse_qsl

from playwright.sync_api import Page

from tests.browser import drawn
from visualiser.state import share

MOST = 3
"""Pages of a desk that are open at once: each costs a fiftieth of a core while it only stands there."""

NARROW = 700
"""CSS pixels: a window up to this width has another layout, which the server knows of."""

_TIDY = """() => {
  document.activeElement?.blur();
  for (const menu of document.querySelectorAll("details.menu[open]")) menu.open = false;
}"""

_FRAMES = """async () => {
  for (let i = 0; i < 3; i++) await new Promise(requestAnimationFrame);
}"""

_SIZED = """([width, height]) => innerWidth === width && innerHeight === height &&
  [...document.querySelectorAll(".figure-place")].every(({ living }) => {
    const { area, canvas } = living ?? {};
    return !area?.checkVisibility() || canvas.width === Math.round(area.clientWidth * devicePixelRatio);
  })"""
"""The window has this size, and each chart is painted at the size that it has there."""

_SHOWS = """(wanted) => {
  const matches = (query) => {
    const link = new URLSearchParams(query);
    return wanted.every(([name, value]) => link.get(name) === value);
  };
  const seen = [...document.querySelectorAll(".figure-place")].filter((one) => one.checkVisibility());
  const painted = seen.map(({ dataset }) => dataset.painted);
  return document.querySelector("#insight[data-painted]") && matches(location.search) &&
    painted.every((one) => one !== undefined) && painted.some(matches);
}"""
"""Address and figures show a state, whatever else they say of it."""


def brought(page: Page, link: str) -> None:
    """Bring a page to the state of a link without loading it, as a lesson does. Its language stays."""
    page.evaluate(_TIDY)
    page.evaluate("(link) => headlight.then((page) => page.act('ways.goTo', link))", link)


def explored(page: Page, link: str) -> None:
    """Bring Explore to the state of a link, and wait until all of it is painted."""
    brought(page, link)
    drawn.wait_painted(page, share.canonical(share.read(link).state))


def sized(page: Page, width: int, height: int) -> None:
    """Give the window a size, and wait until the page is laid out and painted in it."""
    page.set_viewport_size({"width": width, "height": height})
    page.evaluate(_FRAMES)
    page.wait_for_function(_SIZED, arg=[width, height])


class Desk:
    """Pages that tests share: one for each page, language and kind of window; the last few stay open."""

    def __init__(self, open_page: Callable[..., Page], **context_options: object) -> None:
        self._open = partial(open_page, **context_options)
        self._pages: dict[tuple[str | bool, ...], Page] = {}

    def __call__(self, link: str = "", size: tuple[int, int] = (1360, 900)) -> Page:
        """Return a page that shows the state of a link in a window of this size."""
        width, height = size
        fields = {name: values[0] for name, values in parse_qs(link).items()}
        name = fields.get("page", "explore")
        # without a link a visitor is welcomed; the link of a map that stays keeps its look
        place = (name, fields.get("lang", ""), width <= NARROW, not link, name == "map" and "present" in fields)
        page = self._pages.pop(place, None)
        if page is None:
            while len(self._pages) >= MOST:
                self._pages.pop(next(iter(self._pages))).close()
            viewport = {"width": width, "height": height}
            page = self._open(link, painted=name == "explore", viewport=viewport)
        else:
            brought(page, link)
        self._pages[place] = page
        canonical = share.canonical(share.read(link).state)
        if name == "explore":
            drawn.wait_painted(page, canonical)
        else:
            page.wait_for_function(_SHOWS, arg=parse_qsl(canonical))
        sized(page, width, height)
        return page
