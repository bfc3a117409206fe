"""Bounding boxes of what a page shows: inside the window, and none over another."""

from dataclasses import dataclass
from itertools import combinations

from playwright.sync_api import Page

SIZES = (
    (1024, 640), (1280, 720), (1366, 768), (1920, 1080), (2560, 1440), (3840, 2160), (390, 844), (844, 390),
)  # fmt: skip
"""The windows in which every page is one screen: laptops, projectors, a wall, a phone in both ways."""

_SLACK = 1.0
"""Pixels that rounding may add."""

_BOXES = """(selectors) => selectors.flatMap((selector) => {
  const found = [...document.querySelectorAll(selector)].filter((one) => one.checkVisibility());
  return (found.length ? found : [null]).map((one, i) => {
    if (!one) return { name: selector, box: null };
    const { left, top, right, bottom } = one.getBoundingClientRect();
    let cut = 0;
    for (let around = one.parentElement; around && around !== document.body; around = around.parentElement) {
      const [room, { display, overflowX, overflowY }] = [around.getBoundingClientRect(), getComputedStyle(around)];
      if (display === "contents") continue; // it has no box that could clip
      if (overflowX !== "visible") cut = Math.max(cut, room.left - left, right - room.right);
      if (overflowY !== "visible") cut = Math.max(cut, room.top - top, bottom - room.bottom);
    }
    return { name: found.length > 1 ? `${selector} ${i}` : selector, box: [left, top, right, bottom, cut] };
  });
})"""


@dataclass(frozen=True)
class Box:
    """A visible element's place in the window, in CSS pixels; `cut`: how far it reaches out of what clips it."""

    name: str
    left: float
    top: float
    right: float
    bottom: float
    cut: float = 0.0

    @property
    def width(self) -> float:
        return self.right - self.left

    @property
    def height(self) -> float:
        return self.bottom - self.top

    def over(self, other: "Box") -> bool:
        """Return True if the two share more than rounding explains."""
        across = min(self.right, other.right) - max(self.left, other.left)
        down = min(self.bottom, other.bottom) - max(self.top, other.top)
        return across > _SLACK and down > _SLACK


def boxes(page: Page, *selectors: str) -> list[Box]:
    """Return the boxes of all visible elements that the selectors name; each selector must have at least one."""
    found = page.evaluate(_BOXES, list(selectors))
    missing = [one["name"] for one in found if one["box"] is None]
    assert not missing, f"not visible: {', '.join(missing)}"
    return [Box(one["name"], *one["box"]) for one in found]


def require_inside(page: Page, *found: Box) -> None:
    """Fail if a box reaches out of the window or of what clips it, or has no area."""
    width, height = page.evaluate("() => [innerWidth, innerHeight]")
    for one in found:
        assert one.width > _SLACK, f"{one} has no width"
        assert one.height > _SLACK, f"{one} has no height"
        assert one.left >= -_SLACK, f"{one} begins left of the window"
        assert one.top >= -_SLACK, f"{one} begins above the window"
        assert one.right <= width + _SLACK, f"{one} ends right of {width}"
        assert one.bottom <= height + _SLACK, f"{one} ends below {height}"
        assert one.cut <= _SLACK, f"{one} is cut off"


def require_apart(*found: Box) -> None:
    """Fail if two boxes overlap."""
    for first, second in combinations(found, 2):
        assert not first.over(second), f"{first} and {second} overlap"


def require_still(page: Page) -> None:
    """Fail if the page itself can be scrolled in either way."""
    inner, room = page.evaluate(
        """() => { const { scrollWidth, scrollHeight } = document.documentElement;
          return [[scrollWidth, scrollHeight], [innerWidth, innerHeight]]; }"""
    )
    assert inner[0] <= room[0], f"the page is {inner[0]} wide in a window of {room[0]}"
    assert inner[1] <= room[1], f"the page is {inner[1]} high in a window of {room[1]}"


def require_together(page: Page, *selectors: str) -> list[Box]:
    """Fail unless all these stand in the window, apart from each other, on a page that does not scroll."""
    require_still(page)
    found = boxes(page, *selectors)
    require_inside(page, *found)
    require_apart(*found)
    return found


def require_scrolled(page: Page, least: float, *figures: str) -> None:
    """Fail unless each figure is scrolled to, as wide as the window allows, apart, and its drawing at least so high."""
    found = boxes(page, *figures)
    require_apart(*found)
    width, end = page.evaluate("() => [innerWidth, document.documentElement.scrollHeight - scrollY]")
    (bar,) = boxes(page, "#controls")
    for figure, one in zip(figures, found, strict=True):
        assert one.left >= -_SLACK, f"{one} begins left of the window"
        assert one.right <= width + _SLACK, f"{one} ends right of {width}"
        assert one.bottom <= end - bar.height + _SLACK, f"{one} ends under the controls"
        assert one.cut <= _SLACK, f"{one} is cut off"
        for drawing in boxes(page, f"{figure} .stage, {figure} .chart-area"):
            assert drawing.height >= least, f"{drawing} is {drawing.height} high"
            assert drawing.cut <= _SLACK, f"{drawing} is cut off"
