"""The time from `python app.py` to the first picture in a fresh profile, beside an empty gradio app with torch."""

from dataclasses import dataclass, field
from statistics import median

from playwright.sync_api import Browser
from server import server

WATCH = """
window.firstPaint = new Promise((resolve) => {
  const now = () => performance.timeOrigin + performance.now();
  let maps = 0;
  const look = () => {
    const figures = [...document.querySelectorAll('[id^="figure-"]')];
    const empty = document.getElementById("empty");
    if (empty?.getClientRects().length && empty.textContent.includes("torch")) {
      requestAnimationFrame(() => requestAnimationFrame(() => resolve([now(), now()])));
    } else if (figures.length && figures.every((figure) => figure.dataset.painted !== undefined)) {
      resolve([maps || now(), now()]);
    } else {
      if (!maps && document.getElementById("figure-heat-maps")?.dataset.painted !== undefined) maps = now();
      requestAnimationFrame(look);
    }
  };
  requestAnimationFrame(look);
});
"""
"""Milliseconds since the epoch of the first heat maps and of all figures, or of the text in the empty app."""


@dataclass
class FirstPaints:
    """Seconds from the start of the process, one value for each start."""

    maps: list[float] = field(default_factory=list)
    everything: list[float] = field(default_factory=list)
    empty: list[float] = field(default_factory=list)

    def ratios(self) -> tuple[float, float]:
        """Return the ratios of the medians to the empty app's: to the heat maps, and to all figures."""
        return median(self.maps) / median(self.empty), median(self.everything) / median(self.empty)


def first_paints(browser: Browser, starts: int) -> FirstPaints:
    """Start both apps `starts` times in turns, after one start of each that only warms the disk's cache."""
    found = FirstPaints()
    for start in range(starts + 1):
        maps, everything = _once(browser, "app.py")
        _, empty = _once(browser, "benchmarks/empty_app.py")
        if start:
            found.maps.append(maps)
            found.everything.append(everything)
            found.empty.append(empty)
    return found


def _once(browser: Browser, script: str) -> tuple[float, float]:
    with server(script) as running:
        context = browser.new_context(viewport={"width": 1280, "height": 900})
        try:
            page = context.new_page()
            page.add_init_script(WATCH)
            page.goto(running.address, wait_until="commit")
            maps, everything = page.evaluate("window.firstPaint")
        finally:
            context.close()
    return maps / 1000 - running.started, everything / 1000 - running.started
