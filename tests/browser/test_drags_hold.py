"""Drags follow mouse and finger whatever came before: near misses, selections, right clicks, lost captures, scrolls."""

import random
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page

from tests import draws
from tests.browser.hands import Finger, Mouse, disturbances
from tests.browser.mapped import settled, view

SEED = draws.seed("drags")
ROUNDS = 1 if draws.NIGHT is None else 20
"""How often each thing comes before a drag."""

THUMB = 16
"""Pixels of a slider's thumb: its middle goes from half of it to half of it before the end."""

SLOP = 24
"""Pixels below which the browser takes a finger's way for a tap, and the map every way for a click."""

HANDS: dict[str, Callable[[Page, random.Random], Mouse | Finger]] = {"mouse": Mouse, "finger": Finger}

_PLACE = """(range) => {
  const { x, y, width, height } = range.getBoundingClientRect();
  const [value, low, high] = [range.value, range.min, range.max].map(Number);
  return { x, y: y + height / 2, width, value, low, high };
}"""


def screen(hand: str) -> dict[str, Any]:
    """Return the context of a laptop, with a screen that can be touched or without."""
    return {"viewport": {"width": 1280, "height": 720}, "has_touch": hand == "finger"}


def away(generator: random.Random, start: float, low: float, high: float) -> float:
    """Draw a place between two ends that is no tap away from the start."""
    while abs((end := generator.uniform(low, high)) - start) < SLOP:
        pass
    return end


def thumb(place: dict[str, float]) -> float:
    """Return where the middle of the thumb is."""
    share = (place["value"] - place["low"]) / (place["high"] - place["low"])
    return place["x"] + THUMB / 2 + share * (place["width"] - THUMB)


@pytest.mark.parametrize("hand", HANDS)
@pytest.mark.parametrize("name", ["d_k", "n"])
def test_a_slider_follows(open_page: Callable[..., Page], name: str, hand: str) -> None:
    """One is logarithmic, the other gradio's own."""
    page = open_page("n=8&h=2&d_model=16&d_k=20", **screen(hand))
    slider, box = (page.locator(f"#control-{name} input[type={kind}]") for kind in ("range", "number"))
    low, high = (float(box.get_attribute(end) or 0) for end in ("min", "max"))
    logarithmic = page.locator(f"#control-{name} .log-slider").count() == 1
    generator = random.Random(SEED)
    does = HANDS[hand](page, generator)

    def at(x: float, place: dict[str, float]) -> float:
        share = min(1, max(0, (x - place["x"] - THUMB / 2) / (place["width"] - THUMB)))
        return low * (high / low) ** share if logarithmic else low + share * (high - low)

    for what in disturbances(generator, does.kinds, ROUNDS):
        before = slider.evaluate(_PLACE)
        does.disturbs(what, thumb(before), before["y"])
        place = slider.evaluate(_PLACE)
        start = thumb(place) + generator.uniform(-5, 5)
        end = away(generator, start, place["x"], place["x"] + place["width"])
        does.drag((start, place["y"]), (end, place["y"]))
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


@pytest.mark.parametrize("hand", HANDS)
def test_a_marker_follows_while_it_is_dragged_and_only_then(open_page: Callable[..., Page], hand: str) -> None:
    page = open_page("n=8&seeds=1&page=why&predict=false", painted=False, **screen(hand))
    page.locator("#figure-sweep .marker").first.wait_for()
    generator = random.Random(SEED)
    does = HANDS[hand](page, generator)
    for what in disturbances(generator, does.kinds, ROUNDS):
        before = page.evaluate(_MARKED)
        does.disturbs(what, before["x"], before["y"])
        place = page.evaluate(_MARKED)
        if hand == "mouse":
            page.mouse.move(generator.uniform(*place["ends"]), place["y"] + 20)
            assert page.evaluate(_MARKED)["value"] == place["value"], f"seed {SEED}: without a press after {what}"
        end = away(generator, place["x"], *place["ends"])
        does.drag((place["x"], place["y"]), (end, place["y"]))
        least, most = (min(1024, max(1, page.evaluate(_VALUE, end + apart))) for apart in (-2, 2))
        assert round(least) <= page.evaluate(_MARKED)["value"] <= round(most), f"seed {SEED}: after {what}"


@pytest.mark.parametrize("hand", HANDS)
def test_a_map_follows(open_page: Callable[..., Page], hand: str) -> None:
    """A drag moves the window by its own length, in tokens, held at the map's edges."""
    n, across = 600, 60
    middle = (n - across) / 2
    page = open_page(
        f"page=map&n={n}&h=1&left={middle:g}&top={middle:g}&across={across}", painted=False, **screen(hand)
    )
    page.wait_for_selector("#figure-map[data-painted]")
    cells = page.locator(".map-cells")
    generator = random.Random(SEED)
    does = HANDS[hand](page, generator)

    def within(value: float, wide: float) -> float:
        return min(n - wide, max(0.0, value))

    for what in disturbances(generator, does.kinds, ROUNDS):
        box = cells.bounding_box()
        assert box is not None
        x, y, wide, high = box["x"], box["y"], box["width"], box["height"]
        does.disturbs(what, x + wide / 2, y + high / 2)
        before = view(settled(page), n)
        start = generator.uniform(0.2, 0.8), generator.uniform(0.2, 0.8)
        end = away(generator, start[0] * wide, 0.2 * wide, 0.8 * wide) / wide, generator.uniform(0.2, 0.8)
        first, last = ((x + wide * right, y + high * down) for right, down in (start, end))
        does.drag(first, last)
        after = view(settled(page), n)
        assert after.across == before.across, f"seed {SEED}: after {what}"
        for moved, stood, way, least in [
            (after.left, before.left, start[0] - end[0], 0.02),
            (after.top, before.top, start[1] - end[1], 0.02),
        ]:
            expected = within(stood + way * before.across, before.across)
            assert abs(moved - expected) <= least * before.across, f"seed {SEED}: after {what}"
