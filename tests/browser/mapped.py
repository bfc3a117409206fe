"""The Map page, moved and read back from its pixels, and the same weights computed densely in float64."""

import base64
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from playwright.sync_api import Page

from attention_core.inputs import sources
from tests.browser.drawn import Panel
from visualiser.drawing.colour import colour_range
from visualiser.state import share
from visualiser.theme import WEIGHTS

QUERY = "n=1500&h=2&d_k=16&seed=3&page=map"
"""A map of 1,500 tokens: an overview of 6 × 6 tokens a cell, and two levels of tiles below it."""

_WINDOW = """([rows, columns, view]) => {
  const canvas = document.querySelector(".map-cells canvas");
  const brush = canvas.getContext("2d", { willReadFrequently: true });
  const { data } = brush.getImageData(0, 0, canvas.width, canvas.height);
  const at = (place, start, length) => Math.floor(((place - start) / length) * canvas.width);
  const pixels = new Uint8Array(rows.length * columns.length * 4);
  rows.forEach((row, i) => columns.forEach((column, j) => {
    const from = 4 * (at(row, view.top, view.down) * canvas.width + at(column, view.left, view.across));
    pixels.set(data.subarray(from, from + 4), 4 * (i * columns.length + j));
  }));
  let text = "";
  for (let at = 0; at < pixels.length; at += 8192) text += String.fromCharCode(...pixels.subarray(at, at + 8192));
  return btoa(text);
}"""


@dataclass(frozen=True)
class View:
    """A window in cells."""

    left: float
    top: float
    across: float
    down: float


def weights(query: str = QUERY) -> torch.Tensor:
    """Return the dense weights of a link's state, h × n × n, in float64 from the core's Q and K."""
    config = share.read(query).state.config
    Q, K = (sources.per_head(config, None, name).double() for name in "QK")
    return torch.softmax(config.factor * Q @ K.mT, dim=-1)


def pooled(values: torch.Tensor, size: int, maximum: bool) -> torch.Tensor:
    """Pool an n × n matrix into squares of `size` tokens; the last may be smaller."""
    bands = [band.amax(0) if maximum else band.mean(0) for band in values.split(size, dim=0)]
    across = [block.amax(1) if maximum else block.mean(1) for block in torch.stack(bands).split(size, dim=1)]
    return torch.stack(across, dim=1)


def wait(page: Page, *holding: str) -> str:
    """Wait until map and strips are painted with one link that holds all of these, and return the link."""
    page.wait_for_function(
        """(holding) => ["map", "strips"].every((name) => {
          const painted = document.getElementById(`figure-${name}`)?.dataset.painted;
          return painted !== undefined && holding.every((part) => `&${painted}&`.includes(`&${part}&`));
        })""",
        arg=list(holding),
    )
    painted = page.locator("#figure-map").get_attribute("data-painted")
    assert painted is not None
    return painted


def settled(page: Page) -> str:
    """Wait until the window is at rest and the address names the painted state; return the link."""
    page.wait_for_function(
        """() => { const { painted, wanted } = document.getElementById("figure-map").dataset;
          return painted !== undefined && painted === wanted && location.search.slice(1) === painted; }"""
    )
    return page.evaluate("location.search.slice(1)")


def view(link: str, n: int = 1500) -> View:
    """Return the window of a link."""
    own = share.read(link).state.own
    across = own["across"] or n
    return View(own["left"], own["top"], across, across)


def seen(page: Page, shown: View, size: int, *, n: int = 1500) -> tuple[NDArray[np.uint8], slice, slice]:
    """Return the colours of the cells of `size` tokens whose middles are visible, with their rows and columns."""

    def visible(start: float, length: float) -> slice:
        first = int(np.ceil((start + 0.02 * size) / size - 0.5))
        last = int(np.floor((min(start + length, n) - 0.02 * size) / size - 0.5))
        return slice(first, last + 1)

    rows, columns = visible(shown.top, shown.down), visible(shown.left, shown.across)
    middles = [[(i + 0.5) * size for i in range(part.start, part.stop)] for part in (rows, columns)]
    shape = len(middles[0]), len(middles[1]), 4
    text = page.evaluate(_WINDOW, [*middles, vars(shown)])
    return np.frombuffer(base64.b64decode(text), np.uint8).reshape(shape), rows, columns


def assert_painted(
    page: Page, shown: View, exact: torch.Tensor, size: int, colour: str = "log", scaled_by: torch.Tensor | None = None
) -> None:
    """Expect the colour of its weight in every visible cell, on a scale with the figures' ends.

    `exact` holds the squares of `size` tokens of one head. The scale follows `scaled_by` (default: all of `exact`).
    """
    pixels, rows, columns = seen(page, shown, size)
    low, high = colour_range(exact if scaled_by is None else scaled_by, "weights", colour)
    read: Any = Panel(
        "", [*range(rows.start, rows.stop)], [*range(columns.start, columns.stop)], pixels, 0, 0, 1, 1, [], []
    )
    found = read.values(WEIGHTS, low, high)
    expected = exact[rows, columns].numpy()
    expected = np.clip(np.log10(expected) if colour == "log" else expected, low, high)
    assert found.shape == expected.shape
    assert found.size > 100
    # one step of 254, and half of one for rounding
    assert np.abs(found - expected).max() <= 1.6 * (high - low) / 254


def at(page: Page, x: float, y: float) -> tuple[float, float]:
    """Scroll the map into view and return one of its points, given as fractions, in the window."""
    cells = page.locator(".map-cells")
    cells.scroll_into_view_if_needed()
    found = cells.bounding_box()
    assert found is not None
    return found["x"] + x * found["width"], found["y"] + y * found["height"]


def wheel(page: Page, x: float, y: float, *notches: float) -> str:
    """Turn the wheel over a point of the map and return the link of the window at rest."""
    page.mouse.move(*at(page, x, y))
    before = page.locator("#figure-map").get_attribute("data-painted")
    for notch in notches:
        page.mouse.wheel(0, notch)
    # the browser handles a turn of the wheel when it has time
    page.wait_for_function("(before) => document.getElementById('figure-map').dataset.painted !== before", arg=before)
    return settled(page)


def go(page: Page, query: int, key: int) -> str:
    """Type a position, go there and return the link of the window at rest."""
    page.locator("#map-query").fill(str(query))
    page.locator("#map-key").fill(str(key))
    page.locator("#map-go").click()
    return settled(page)
