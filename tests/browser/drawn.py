"""The page's drawings, read back from its pixels and from the data that it painted."""

import base64
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from playwright.sync_api import Page, TimeoutError

OF_ROW = ("row-weights", "jacobian")
"""Figures that are drawn while a row is locked."""
FIGURES = ("heat-maps", "score-distribution", "entropy", "gradient", *OF_ROW)
_IDS = [f"figure-{name}" for name in FIGURES]
CELL_FIGURES = ("heat-maps", "jacobian")

EVERYTHING = """() => {
  const texts = [document.body.textContent];
  for (const one of document.body.querySelectorAll("*")) {
    for (const name of ["title", "aria-label", "alt", "value", "aria-valuetext"]) {
      const found = one.getAttribute(name);
      if (found) texts.push(found);
    }
  }
  return texts.join("\\n");
}"""
"""All texts of the page, seen or not: what screen readers, tips and searches find."""

_PAINTED = """([ids, query, of_row]) => {
  const open = (id) => !of_row.includes(id) || document.getElementById(id)?.checkVisibility();
  const shown = ids.filter(open).map((id) => document.getElementById(id)?.dataset.painted);
  return shown.every((one) => one !== undefined && one === (query ?? shown[0]));
}"""

_STATES = "(ids) => Object.fromEntries(ids.map((id) => [id, document.getElementById(id)?.dataset.painted ?? null]))"

_PANELS = """(selector) => {
  const figure = document.querySelector(selector);
  if (!figure.checkVisibility()) return [];
  const { living } = figure;
  return living.seen.map((i) => {
    const { view, box: { x, y } } = living.panels[i];
    const copy = document.createElement("canvas");
    [copy.width, copy.height] = [view.width, view.height];
    const brush = copy.getContext("2d", { willReadFrequently: true });
    brush.drawImage(view, 0, 0);
    const { data } = brush.getImageData(0, 0, view.width, view.height);
    const inside = (range) => {
      const [low, high] = [Math.min(...range), Math.max(...range)];
      return Array.from({ length: 1024 }, (_, cell) => cell).filter((cell) => cell >= low + 0.1 && cell <= high - 0.1);
    };
    const at = (cell, [from, to], length) => Math.floor(((cell - from) / (to - from)) * length);
    // Where there are more cells than pixels, only those that own the middle of a pixel can be read.
    const readable = (range, [from, to], length) => inside(range).filter((cell) => {
      const middle = Math.min(from, to) + ((at(cell, [from, to], length) + 0.5) / length) * Math.abs(to - from);
      return Math.abs(middle - cell) < 0.4;
    });
    const down = [y[1], y[0]]; // a range begins at the bottom, pixels begin at the top
    const [rows, columns] = [readable(y, down, view.height), readable(x, x, view.width)];
    const pixels = new Uint8Array(rows.length * columns.length * 4);
    rows.forEach((row, r) => columns.forEach((column, c) => {
      const from = 4 * (at(row, down, view.height) * view.width + at(column, x, view.width));
      pixels.set(data.subarray(from, from + 4), 4 * (r * columns.length + c));
    }));
    let text = "";
    for (let start = 0; start < pixels.length; start += 8192) {
      text += String.fromCharCode(...pixels.subarray(start, start + 8192));
    }
    const box = view.getBoundingClientRect();
    return { title: living.titles.headings[i].textContent, rows, columns, pixels: btoa(text),
      box: [box.left + scrollX, box.top + scrollY, box.width, box.height], x, y };
  });
}"""

_GRAPH = """(selector) => {
  const plain = (node) => {
    if (ArrayBuffer.isView(node)) return Array.from(node);
    if (Array.isArray(node)) return node.map(plain);
    if (node === null || typeof node !== "object") return node;
    const own = Object.entries(node).filter(([key]) => !key.startsWith("_"));
    return Object.fromEntries(own.map(([key, child]) => [key, plain(child)]));
  };
  const { data, layout } = document.querySelector(selector).living.shown;
  return plain({ data, layout: { ...layout, template: null } });
}"""


@dataclass(frozen=True)
class Panel:
    """One heat map as it is on the screen: its visible cells, their colours, and its place on the page."""

    title: str
    rows: list[int]
    columns: list[int]
    pixels: NDArray[np.uint8]
    """rows × columns × 4: one RGBA pixel from the middle of each cell."""
    left: float
    top: float
    width: float
    height: float
    x: list[float]
    y: list[float]

    def centre(self, row: int, column: int) -> tuple[float, float]:
        """Return the middle of a cell on the page, in CSS pixels."""
        across = (column - self.x[0]) / (self.x[1] - self.x[0])
        down = (row - self.y[1]) / (self.y[0] - self.y[1])  # a range begins at the bottom
        return self.left + across * self.width, self.top + down * self.height

    def values(self, scale: list[list[Any]], low: float, high: float, steps: int = 255) -> NDArray[np.float64]:
        """Return the numbers of the colours on a plotly colour scale from `low` to `high`; NaN for masked cells.

        Cells have one of 255 colours; the strip of a colour bar has finer `steps`.
        """
        colours = _colours(scale, steps)
        flat = self.pixels.reshape(-1, 4).astype(int)
        seen, where = np.unique(flat, axis=0, return_inverse=True)
        numbers = np.empty(len(seen))
        for i, (*rgb, alpha) in enumerate(seen):
            if alpha == 0:
                numbers[i] = np.nan
                continue
            distance = np.abs(colours - rgb).max(axis=1)
            assert distance.min() <= 1, f"{rgb} is no colour of the scale"
            numbers[i] = low + np.flatnonzero(distance == distance.min()).mean() / (steps - 1) * (high - low)
        return numbers[where.reshape(-1)].reshape(len(self.rows), len(self.columns))


def _colours(scale: list[list[Any]], steps: int) -> NDArray[np.float64]:
    """Return so many colours of a plotly scale, linear between its stops."""
    stops = [stop for stop, _ in scale]
    channels = np.array([[int(colour[at : at + 2], 16) for at in (1, 3, 5)] for _, colour in scale])
    places = np.linspace(0, 1, steps)
    return np.stack([np.interp(places, stops, channels[:, i]) for i in range(3)], axis=1)


def wait_painted(page: Page, query: str | None = None) -> str:
    """Wait until every figure and the sentences show `query` (None: any one state), and return that state's query."""
    return _wait(page, ["insight", *_IDS], query)


def wait_pictures(page: Page, query: str) -> None:
    """Wait until every figure shows `query`; during a drag the sentences follow later."""
    _wait(page, _IDS, query)


def _wait(page: Page, ids: list[str], query: str | None) -> str:
    try:
        page.wait_for_function(_PAINTED, arg=[ids, query, [f"figure-{name}" for name in OF_ROW]])
    except TimeoutError:
        raise AssertionError(f"wanted {query}, painted {page.evaluate(_STATES, ids)}") from None
    painted = page.locator("#figure-heat-maps").get_attribute("data-painted")
    assert painted is not None
    return painted


def take_clock(page: Page) -> None:
    """Install playwright's clock on Explore once it rests: the page could not end a timer that it began before."""
    page.locator("#figure-score-distribution[data-rested]").wait_for(state="attached")
    page.clock.install()


def is_open(page: Page, figure: str) -> bool:
    """True if a figure is drawn: those of a row are closed while no row is locked."""
    return figure not in OF_ROW or page.locator(f"#figure-{figure}").is_visible()


def panels(page: Page, figure: str = "heat-maps") -> list[Panel]:
    """Return the heat maps of a figure in the order of the page; none while the figure is closed."""
    found = []
    for panel in page.evaluate(_PANELS, f"#figure-{figure}"):
        left, top, width, height = panel.pop("box")
        shape = len(panel["rows"]), len(panel["columns"]), 4
        pixels = np.frombuffer(base64.b64decode(panel.pop("pixels")), np.uint8).reshape(shape)
        found.append(Panel(**panel, pixels=pixels, left=left, top=top, width=width, height=height))
    return found


def graph(page: Page, figure: str) -> dict[str, Any]:
    """Return `data` and `layout` of a figure as it is drawn now, with the marks of the row that is pointed at."""
    return page.evaluate(_GRAPH, f"#figure-{figure}")


def trace(page: Page, figure: str, **meta: Any) -> dict[str, Any]:
    """Return the first trace of a figure whose `meta` has these values."""
    return find(graph(page, figure)["data"], **meta)


def find(data: list[dict[str, Any]], **meta: Any) -> dict[str, Any]:
    """Return the first of several traces whose `meta` has these values."""
    return next(one for one in data if all(one.get("meta", {}).get(key) == value for key, value in meta.items()))


def colour_bars(page: Page, figure: str = "heat-maps") -> list[tuple[str, list[str]]]:
    """Return title and tick labels of each colour bar of a figure."""
    return [
        (bar.locator(".name").inner_text(), bar.locator(".ticks span").all_inner_texts())
        for bar in page.locator(f"#figure-{figure} .colour-bar").all()
    ]


def table(page: Page, figure: str) -> tuple[str, list[list[str]]]:
    """Return caption and lines (the heading first) of the table behind a figure."""
    return page.evaluate(
        """(selector) => { const t = document.querySelector(selector);
          const lines = [...t.rows].map((row) => [...row.cells].map((cell) => cell.textContent));
          return [t.caption.textContent, lines]; }""",
        f"#figure-{figure} .behind table",
    )


def in_view(page: Page, x: float, y: float) -> tuple[float, float]:
    """Scroll until a point of the page can be pointed at, and return its place in the window."""
    left, top = page.evaluate(
        """([x, y]) => { scrollTo({ top: Math.max(0, y - innerHeight / 2), behavior: "instant" });
          return [scrollX, scrollY]; }""",
        [x, y],
    )
    return x - left, y - top
