"""Key presses on the d_k slider and in the text of the page Model, timed by the browser from the key to the picture."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import cycle
from statistics import median
from urllib.parse import parse_qs

from playwright.sync_api import Browser, Page

HEAT_MAPS = "figure-heat-maps"
PATIENCE = 60_000
"""Milliseconds to wait for one picture."""

LIVE = """([all, place]) => {
  const figures = [...document.querySelectorAll('[data-painted][id^="figure-"]')];
  const before = new Map(figures.map((figure) => [figure, figure.dataset.painted]));
  const maps = document.getElementById(place);
  window.measured = new Promise((resolve) => {
    let start = 0, first = 0;
    document.addEventListener("keydown", (event) => { start = event.timeStamp; }, { once: true, capture: true });
    const observer = new MutationObserver(() => {
      const painted = (figure) => figure.dataset.painted !== before.get(figure);
      if (!first && painted(maps)) first = performance.now() - start;
      if (!first || (all && !figures.every(painted))) return;
      observer.disconnect();
      resolve([first, performance.now() - start]);
    });
    for (const figure of figures) observer.observe(figure, { attributes: true, attributeFilter: ["data-painted"] });
  });
}"""
"""Headlight reports a painted picture itself: `data-painted` changes two animation frames after drawing."""

PLOT = """(wanted) => {
  const maps = document.getElementById("figure-heat-maps");
  window.measured = new Promise((resolve) => {
    let start = 0;
    document.addEventListener("keydown", (event) => { start = event.timeStamp; }, { once: true, capture: true });
    const drawn = () => maps.querySelector(".js-plotly-plot")?._fullLayout?.meta === wanted
      && maps.querySelectorAll(".heatmaplayer image").length === 8;
    const look = () => {
      if (!drawn()) return;
      observer.disconnect();
      const painted = () => resolve(Array(2).fill(performance.now() - start));
      requestAnimationFrame(() => requestAnimationFrame(painted));
    };
    const observer = new MutationObserver(look);
    observer.observe(maps, { subtree: true, childList: true, attributes: true });
  });
}"""
"""gr.Plot reports nothing, so this waits two animation frames after its eight pictures are in the document."""


WEIGH = """() => {
  const fetched = window.fetch;
  window.weights = [];
  window.fetch = async (...given) => {
    const answer = await fetched(...given);
    if (given[1]?.method === "POST") window.weights.push(answer.clone().arrayBuffer().then((body) => {
      const header = new DataView(body).getUint32(0, true);
      const text = new TextDecoder().decode(new Uint8Array(body, 4, Math.min(header, body.byteLength - 4)));
      return [text.startsWith('{"part"') ? 4 + header + JSON.parse(text).bytes : body.byteLength, body.byteLength];
    }));
    return answer;
  };
}"""
"""A count of the bytes of each answer and, if it comes in parts (visualiser.server.live.wire), of its first part."""


@dataclass
class Series:
    """The cost of one page's presses: milliseconds to the heat maps and to everything."""

    maps: list[float] = field(default_factory=list)
    everything: list[float] = field(default_factory=list)


class Presser:
    """One open page whose d_k slider is pressed one step at a time, each after the last is painted.

    The steps go to the right. Headlight's slider is logarithmic and turns at both ends.
    """

    def __init__(self, page: Page, live: bool) -> None:
        self.page, self.live = page, live
        self.slider = page.locator("#control-d_k input[type=range]")
        self._value = page.locator("#control-d_k input[type=number]") if live else self.slider
        self._key = "ArrowRight"

    def press(self, count: int, everything: bool = True) -> Series:
        """Press `count` times, waiting for all figures if `everything`, else only for the heat maps as in a drag."""
        series = Series()
        self.page.bring_to_front()
        self.slider.focus()
        for _ in range(count):
            before = int(self._value.input_value())
            if not 8 <= before <= 800:
                self._key = "ArrowLeft" if before > 800 else "ArrowRight"
            self.page.evaluate(LIVE if self.live else PLOT, [everything, HEAT_MAPS] if self.live else before + 1)
            self.page.keyboard.press(self._key if self.live else "ArrowRight")
            maps, rest = self.page.evaluate("window.measured")
            self._check(before)
            series.maps.append(maps)
            series.everything.append(rest)
        return series

    def weigh(self, count: int) -> tuple[float, float]:
        """Return median bytes of an update's heat maps and of all of it. It is not timed: counting costs time."""
        self.page.evaluate(WEIGH)
        self.press(count)
        found = self.page.evaluate("Promise.all(window.weights)")
        if len(found) < count:  # the rest after a drag makes one more
            raise RuntimeError(f"{count} presses made {len(found)} requests")
        return median(maps for maps, _ in found), median(everything for _, everything in found)

    def _check(self, before: int) -> None:
        """Check that the timed picture is that of this press."""
        shown = int(self._value.input_value())
        painted = self.page.locator(f"#{HEAT_MAPS}").get_attribute("data-painted") if self.live else f"d_k={shown}"
        # a link leaves out its default
        values = parse_qs(painted or "").get("d_k", ["64"])
        if shown == before or values != [str(shown)] or not (self.live or shown == before + 1):
            raise RuntimeError(f"pressed from d_k = {before}, the slider shows {shown}, the picture {painted}")


LONGEST = 90
"""Characters after which a text is begun again."""


class Typist:
    """The page Model, into whose text a word is typed letter by letter, each after the last is painted."""

    def __init__(self, page: Page, begin: str = "Anna sees Ben", longest: int = LONGEST) -> None:
        self.page, self._begin, self._longest = page, begin, longest
        self._letters = cycle(" the keys are old .")

    def type(self, count: int) -> Series:
        """Type so many letters at the end of the text; the maps are those of all heads."""
        series = Series()
        self.page.bring_to_front()
        box = self.page.locator("#control-text textarea")
        box.focus()
        self.page.keyboard.press("Control+End")
        for _ in range(count):
            if len(box.input_value()) > self._longest:
                box.fill(self._begin)
                self.page.wait_for_function(_IS_PAINTED, arg=box.input_value())
                self.page.keyboard.press("Control+End")
            self.page.evaluate(LIVE, [True, "figure-model-heads"])
            self.page.keyboard.press(next(self._letters))
            maps, rest = self.page.evaluate("window.measured")
            if not self.page.evaluate(_IS_PAINTED, box.input_value()):
                raise RuntimeError(f"the picture is not that of {box.input_value()!r}")
            series.maps.append(maps)
            series.everything.append(rest)
        return series


_IS_PAINTED = """(text) => {
  const painted = document.getElementById("figure-model-heads").dataset.painted ?? "";
  return new URLSearchParams(painted).get("text") === text;
}"""


@contextmanager
def opened(browser: Browser, address: str, live: bool) -> Iterator[Presser]:
    """Open Explore, or the same in `gr.Plot`, in its own profile and wait for its first picture."""
    with visited(browser, address, live) as page:
        yield Presser(page, live)


@contextmanager
def visited(browser: Browser, address: str, live: bool = True) -> Iterator[Page]:
    """Open a page in its own profile and wait for its first picture."""
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    try:
        page = context.new_page()
        page.set_default_timeout(PATIENCE)
        page.goto(address)
        if live:
            page.wait_for_function(
                """() => {
                  const shown = [...document.querySelectorAll('[id^="figure-"]')]
                    .filter((figure) => figure.checkVisibility());
                  return shown.length && shown.every((figure) => figure.dataset.painted !== undefined);
                }"""
            )
        else:
            page.wait_for_function(
                "() => document.querySelectorAll('#figure-heat-maps .heatmaplayer image').length === 8"
            )
        yield page
    finally:
        context.close()
