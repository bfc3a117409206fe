"""Drags follow the mouse whatever came before: near misses, selected text, right clicks, presses that end elsewhere."""

import os
import random
from collections.abc import Callable

import pytest
from playwright.sync_api import Page

SEED = int(os.environ.get("HEADLIGHT_SEED", "71"))
STARTS, PARTS = 100, range(2)
"""Starts of each part: a busy machine takes seconds for one."""

THUMB = 16
"""Pixels of a slider's thumb: its middle goes from half of it to half of it before the end."""

_PLACE = """(range) => {
  const { x, y, width, height } = range.getBoundingClientRect();
  const [value, low, high] = [range.value, range.min, range.max].map(Number);
  return { x, y: y + height / 2, width, value, low, high };
}"""


class Mouse:
    """A mouse that does what visitors do by accident."""

    def __init__(self, page: Page, draws: random.Random) -> None:
        self.page, self.draws = page, draws

    def drag(self, start: tuple[float, float], end: tuple[float, float], steps: int = 2) -> None:
        self.page.mouse.move(*start)
        self.page.mouse.down()
        self.page.mouse.move(*end, steps=steps)
        self.page.mouse.up()

    def disturbs(self, x: float, y: float) -> str:
        """Do one of the things that came before a drag that stuck, at or beside a place; return its name."""
        draws, page = self.draws, self.page
        what = draws.choice(["miss", "select all", "double click", "right click", "let go outside", "chord"])
        match what:
            case "miss":
                self.drag((x + draws.uniform(-30, 30), y + draws.choice([-14, 14])), (x - 80, y + 3))
            case "select all":
                page.evaluate("document.activeElement?.blur()")
                page.keyboard.press("Control+a")
            case "double click":
                page.mouse.dblclick(x, y - 22)
            case "right click":
                page.mouse.move(x, y)
                page.mouse.down(button="right")
                page.mouse.move(x + 9, y, steps=2)
                page.mouse.up(button="right")
                page.keyboard.press("Escape")
            case "let go outside":
                page.mouse.move(x, y)
                page.mouse.down()
                page.mouse.move(-20, -20)
                page.mouse.up()
            case "chord":
                page.mouse.move(x, y)
                page.mouse.down()
                page.mouse.down(button="right")
                page.mouse.up()
                page.mouse.up(button="right")
        return what


def thumb(place: dict[str, float]) -> float:
    """Return where the middle of the thumb is."""
    share = (place["value"] - place["low"]) / (place["high"] - place["low"])
    return place["x"] + THUMB / 2 + share * (place["width"] - THUMB)


@pytest.mark.parametrize("name", ["d_k", "n"])
@pytest.mark.parametrize("part", PARTS)
def test_a_slider_follows(open_page: Callable[..., Page], part: int, name: str) -> None:
    """One is logarithmic, the other gradio's own."""
    page = open_page("n=8&h=2&d_model=16&d_k=20", viewport={"width": 1280, "height": 720})
    slider, box = (page.locator(f"#control-{name} input[type={kind}]") for kind in ("range", "number"))
    low, high = (float(box.get_attribute(end) or 0) for end in ("min", "max"))
    logarithmic = page.locator(f"#control-{name} .log-slider").count() == 1
    draws = random.Random(SEED + part)
    mouse = Mouse(page, draws)

    def at(x: float, place: dict[str, float]) -> float:
        share = min(1, max(0, (x - place["x"] - THUMB / 2) / (place["width"] - THUMB)))
        return low * (high / low) ** share if logarithmic else low + share * (high - low)

    for _ in range(STARTS):
        before = slider.evaluate(_PLACE)
        what = mouse.disturbs(thumb(before), before["y"])
        place = slider.evaluate(_PLACE)
        end = draws.uniform(place["x"], place["x"] + place["width"])
        mouse.drag((thumb(place) + draws.uniform(-5, 5), place["y"]), (end, place["y"]))
        least, most = (round(at(end + apart, place)) for apart in (-2, 2))
        assert least <= int(box.input_value()) <= most, f"seed {SEED}: after {what}"


_MARKED = """() => {
  const root = document.querySelector("#figure-sweep");
  const line = root.querySelector(".marker");
  const { x, y, width, height } = line.getBoundingClientRect();
  const { left, right } = root.living.panels[0].box;
  const from = root.living.area.getBoundingClientRect().left;
  const ends = [from + left, from + right];
  return { x: x + width / 2, y: y + height / 3, ends, value: Number(line.getAttribute("aria-valuenow")) };
}"""
_VALUE = """(x) => {
  const { panels, area } = document.querySelector("#figure-sweep").living;
  return panels[0].across.value(x - area.getBoundingClientRect().left);
}"""


@pytest.mark.parametrize("part", PARTS)
def test_a_marker_follows_while_it_is_dragged_and_only_then(open_page: Callable[..., Page], part: int) -> None:
    page = open_page("n=8&seeds=1&page=why&predict=false", painted=False, viewport={"width": 1280, "height": 720})
    page.locator("#figure-sweep .marker").first.wait_for()
    draws = random.Random(SEED + part)
    mouse = Mouse(page, draws)
    for _ in range(STARTS):
        before = page.evaluate(_MARKED)
        what = mouse.disturbs(before["x"], before["y"])
        place = page.evaluate(_MARKED)
        page.mouse.move(draws.uniform(*place["ends"]), place["y"] + 20)
        assert page.evaluate(_MARKED)["value"] == place["value"], f"seed {SEED}: without a press after {what}"
        end = draws.uniform(*place["ends"])
        mouse.drag((place["x"], place["y"]), (end, place["y"]))
        least, most = (min(1024, max(1, page.evaluate(_VALUE, end + apart))) for apart in (-2, 2))
        assert round(least) <= page.evaluate(_MARKED)["value"] <= round(most), f"seed {SEED}: after {what}"
