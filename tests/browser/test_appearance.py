"""Dark and light, a phone's width, and the numbers below a colour bar."""

import io
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import Locator, Page

from attention_core import AttentionConfig, compute
from tests.browser import boxes, controls, drawn
from tests.browser.comparison import assert_page_shows
from visualiser.drawing.map_colours import limits
from visualiser.state.view import View
from visualiser.theme import DIVERGING, WEIGHTS, template

PHONE = {"viewport": {"width": 390, "height": 844}, "is_mobile": True, "has_touch": True}


_GRID_PAINTED = """(colour) => {
  // at least one line of the grid has this colour
  const canvas = document.querySelector("#figure-entropy canvas");
  const brush = canvas.getContext("2d");
  const { data } = brush.getImageData(0, 0, canvas.width, canvas.height);
  const [red, green, blue] = [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16));
  let count = 0;
  for (let i = 0; i < data.length; i += 4) {
    if (data[i] === red && data[i + 1] === green && data[i + 2] === blue && data[i + 3] === 255) count += 1;
  }
  return count > canvas.width / 2;
}"""


def brightness(page: Page, selector: str, what: str) -> float:
    """Return a computed colour's brightness from 0 (black) to 255, seen through transparent elements."""
    return page.evaluate(
        """([selector, what]) => {
          let element = document.querySelector(selector), colour;
          do { colour = getComputedStyle(element)[what]; element = element.parentElement; }
          while (element && what === "backgroundColor" && /, 0\\)$|transparent/.test(colour));
          const brush = document.createElement("canvas").getContext("2d");
          brush.fillStyle = colour; brush.fillRect(0, 0, 1, 1);
          return Math.max(...brush.getImageData(0, 0, 1, 1).data.subarray(0, 3)); }""",
        [selector, what],
    )


def assert_theme(page: Page, theme: str) -> None:
    """Expect the theme's paper and letters, on the page and in the figures."""
    page.wait_for_function(_GRID_PAINTED, arg=template(theme)["layout"]["xaxis"]["gridcolor"])
    papers = [brightness(page, f"#figure-{name} .stage", "backgroundColor") for name in ("entropy", "heat-maps")]
    letters = [
        brightness(page, selector, "color")
        for selector in ("#figure-entropy h2", "#figure-entropy .word.tick", "#figure-heat-maps .panel-title")
    ]
    if theme == "light":
        assert min(papers) > 200 > 130 > max(letters)
    else:
        assert max(papers) < 75 < 170 < min(letters)


def test_the_dark_button(open_page: Callable[..., Page]) -> None:
    page = open_page("n=9&h=2", color_scheme="light")
    assert_theme(page, "light")
    page.get_by_role("button", name="Dark", exact=True).click()
    assert_theme(page, "dark")
    assert_page_shows(page, AttentionConfig(n=9, h=2))  # cells have the same colours on both grounds
    controls.slide(page, "n", 5)
    assert_page_shows(page, AttentionConfig(n=5, h=2))
    assert_theme(page, "dark")
    page.wait_for_function("() => location.search === '?n=5&h=2'")
    page.reload()
    drawn.wait_painted(page, "n=5&h=2")
    assert_theme(page, "dark")  # the choice is remembered
    page.get_by_role("button", name="Light", exact=True).click()
    assert_theme(page, "light")


def test_a_dark_system_gets_a_dark_page(open_page: Callable[..., Page]) -> None:
    page = open_page("n=9&h=2", color_scheme="dark")
    assert_theme(page, "dark")
    page.get_by_role("button", name="Light", exact=True).wait_for()


def reachable(page: Page, target: Locator) -> bool:
    """True if a control, scrolled to, lies inside the window and nothing covers its middle."""
    return target.evaluate(
        """(element) => { element.scrollIntoView({ block: "center", behavior: "instant" });
          const box = element.getBoundingClientRect();
          const over = document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2);
          const inside = box.width > 0 && box.left >= 0 && box.right <= innerWidth + 0.5;
          return inside && (element.contains(over) || over.contains(element)); }"""
    )


def test_a_phone_needs_no_sideways_scrolling_and_reaches_everything(open_page: Callable[..., Page]) -> None:
    page = open_page("mask=window&scaling=custom&normalisation=sink&source=text", **PHONE)
    assert page.locator("#control-n").is_hidden()  # a text counts its own tokens
    names = {*controls.SLIDERS, *controls.RADIOS, *controls.FLAGS, *controls.NUMBERS, "text"} - {"n"}
    for name in sorted(names):
        # the language that is spoken needs no button
        parts = controls.reveal(page, f"#control-{name} :is(input, textarea){':not(:checked)' * (name == 'lang')}")
        for part in parts.all():
            assert reachable(page, part), name
    for name in ("new-draw", "pin", "reset", "preset-causal", "take-link", "take-html", "dark"):
        assert reachable(page, controls.reveal(page, f"#{name}")), name
    controls.reveal(page, "#preset-base").tap()
    assert_page_shows(page, AttentionConfig())
    for query in (
        "",
        "n=64&h=16",
        "source=text&text=" + "w" * 200 + " 나 다",
        "pin=h%3D4&mask=causal&row=3",
        "lang=ko&head=1",
    ):
        if query:
            page.goto(page.url.split("?")[0] + "?" + query)
            drawn.wait_painted(page)
        wide = page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
        assert wide[0] <= 390, query
        assert wide[1] <= 390, query


def test_a_narrow_window_redraws_for_its_width(open_page: Callable[..., Page]) -> None:
    page = open_page("n=9")
    wide = boxes.boxes(page, "#figure-heat-maps canvas.cells")
    page.set_viewport_size({"width": 390, "height": 844})
    page.wait_for_function("() => document.querySelector('#figure-heat-maps canvas.cells').clientWidth < 120")
    narrow = boxes.require_together(page, "#figure-heat-maps canvas.cells")
    assert len(narrow) == len(wide) == 8
    assert_page_shows(page, AttentionConfig(n=9))


@pytest.mark.parametrize(("stage", "scale"), [("weights", WEIGHTS), ("scores", DIVERGING)])
def test_numbers_stand_below_their_colours(led_page: Callable[..., Page], stage: str, scale: list[list[Any]]) -> None:
    page = led_page(f"n=9&h=2&stage={stage}")
    bar = page.locator("#figure-heat-maps .colour-bar")
    bar.scroll_into_view_if_needed()
    strip, *ticks = (place.bounding_box() for place in (bar.locator(".strip"), *bar.locator(".ticks span").all()))
    assert strip is not None
    line = np.asarray(Image.open(io.BytesIO(page.screenshot())).convert("RGBA"))[int(strip["y"]) + 6]
    middles = [tick["x"] + tick["width"] / 2 for tick in ticks if tick]
    columns = np.clip(middles, strip["x"] + 1, strip["x"] + strip["width"] - 2).astype(int)
    numbers = [float(number.replace("−", "-")) for number in bar.locator(".ticks span").all_inner_texts()]
    low, high = limits(compute(AttentionConfig(n=9, h=2)), View(stage=stage)).axis
    read = drawn.Panel("", [0], columns.tolist(), line[None, columns], 0, 0, 1, 1, [], [])
    assert len(numbers) > 2
    np.testing.assert_array_equal(numbers, sorted(numbers))
    pixel = (high - low) / strip["width"]
    np.testing.assert_allclose(read.values(scale, low, high, steps=2041), [numbers], rtol=0, atol=2 * pixel)
