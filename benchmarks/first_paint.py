"""The time to the first picture, beside an empty gradio app with torch: on a warm server, and from `python app.py`.

    python -m benchmarks.first_paint [--visits 9] [--starts 5]

Both apps are visited in turns in fresh profiles, so that other load affects both alike. Requests and bytes are those of
the browser's network, compressed, with headers; a second visit is in the same profile.
"""

import argparse
from dataclasses import dataclass, field
from statistics import median
from typing import Any

from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

from benchmarks.machine import described, load
from benchmarks.verdicts import chromium, verdict
from tests.server_process import server

WATCH = """
window.firstPaint = new Promise((resolve) => {
  const now = () => performance.timeOrigin + performance.now();
  let maps = 0;
  const look = () => {
    const figures = [...document.querySelectorAll('[id^="figure-"]')].filter((figure) => figure.checkVisibility());
    const empty = document.getElementById("empty");
    if (empty?.getClientRects().length && empty.textContent.includes("torch")) {
      requestAnimationFrame(() => requestAnimationFrame(() => resolve([now(), now()])));
    } else if (figures.length && figures.every((figure) => figure.dataset.painted !== undefined)) {
      resolve([maps || now(), now()]);
    } else {
      const early = document.querySelector("#outline .outlined-page");
      const own = document.getElementById("figure-heat-maps");
      if (!maps && [early, own].some((place) => place?.dataset.painted !== undefined)) maps = now();
      requestAnimationFrame(look);
    }
  };
  requestAnimationFrame(look);
});
"""
"""Milliseconds since the epoch of the first heat maps and of all figures, or of the text in the empty app.

The first heat maps are those in the outline (assets/js/pages/explore/early.js), in the place of the page's own.
"""


TIMES_MAPS, TIMES_ALL = 1.5, 2.5
MOST_REQUESTS, MOST_BYTES, MOST_BYTES_AGAIN = 75, 900_000, 60_000
COLD_TIMES = 1.3


class Traffic:
    """The answers that came to a page since this was made, before it is sent anywhere."""

    def __init__(self, context: BrowserContext, page: Page) -> None:
        self._asked: set[str] = set()
        self._came: dict[str, int] = {}
        network = context.new_cdp_session(page)
        network.on("Network.requestWillBeSent", self._sent)
        network.on("Network.dataReceived", self._coming)
        network.on("Network.loadingFinished", self._ended)
        network.send("Network.enable")

    @property
    def requests(self) -> int:
        """How many addresses were asked."""
        return len(self._asked)

    @property
    def size(self) -> int:
        """Bytes on the way, compressed, with headers."""
        return sum(self._came.values())

    def _sent(self, event: dict[str, Any]) -> None:
        if not event["request"]["url"].startswith("data:"):
            self._asked.add(event["requestId"])

    def _coming(self, event: dict[str, Any]) -> None:
        # the browser does not tell the end of an answer that came long before the page read it
        self._came[event["requestId"]] = self._came.get(event["requestId"], 0) + event["encodedDataLength"]

    def _ended(self, event: dict[str, Any]) -> None:
        self._came[event["requestId"]] = event["encodedDataLength"]


@dataclass
class Visits:
    """Visits to a warm server: seconds from the request to the heat maps and to everything; the last one's traffic."""

    maps: list[float] = field(default_factory=list)
    everything: list[float] = field(default_factory=list)
    requests: int = 0
    size: int = 0
    size_again: int = 0

    def visit(self, browser: Browser, address: str) -> None:
        """Visit twice in a fresh profile, and note the first visit's times."""
        context = browser.new_context(viewport={"width": 1280, "height": 720})
        try:
            maps, everything, self.requests, self.size = _traffic(context, address)
            self.maps.append(maps)
            self.everything.append(everything)
            *_, self.size_again = _traffic(context, address)
        finally:
            context.close()


def _traffic(context: BrowserContext, address: str) -> tuple[float, float, int, int]:
    page = context.new_page()
    page.add_init_script(WATCH)
    traffic = Traffic(context, page)
    page.goto(address, wait_until="commit")
    maps, everything = page.evaluate("window.firstPaint")
    began = page.evaluate("performance.timeOrigin")
    page.wait_for_load_state("networkidle")
    page.close()
    return (maps - began) / 1000, (everything - began) / 1000, traffic.requests, traffic.size


def warm_visits(browser: Browser, visits: int) -> tuple[Visits, Visits]:
    """Visit Headlight and the empty app in turns, after one visit of each that only warms them."""
    ours, empty = Visits(), Visits()
    with server("app.py") as mine, server("benchmarks/empty_app.py") as theirs:
        for turn in range(visits + 1):
            for found, address in ((ours, mine.address), (empty, theirs.address)):
                (found if turn else Visits()).visit(browser, f"{address}/")
    return ours, empty


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


def report_visits(ours: Visits, empty: Visits) -> None:
    """Print times and traffic of the visits to warm servers."""
    base = median(empty.maps)
    to_maps, to_all = median(ours.maps) / base, median(ours.everything) / base
    print(
        f"\nseconds from the request to the first paint on a warm server, medians of {len(ours.maps)}, fresh profiles"
    )
    print(f"  empty gradio app      {base:.2f}")
    print(f"  Headlight, heat maps  {median(ours.maps):.2f} ({to_maps:.2f}×)")
    print(f"  Headlight, all        {median(ours.everything):.2f} ({to_all:.2f}×)")
    print(f"  traffic               {ours.requests} requests, {ours.size:,} bytes; again {ours.size_again:,} bytes")
    print(f"  of the empty app      {empty.requests} requests, {empty.size:,} bytes; again {empty.size_again:,} bytes")
    print(verdict(to_maps <= TIMES_MAPS, f"heat maps {to_maps:.2f} × the empty app, at most {TIMES_MAPS}"))
    print(verdict(to_all <= TIMES_ALL, f"everything {to_all:.2f} × the empty app, at most {TIMES_ALL}"))
    print(verdict(ours.requests <= MOST_REQUESTS, f"{ours.requests} requests, at most {MOST_REQUESTS}"))
    print(verdict(ours.size <= MOST_BYTES, f"{ours.size:,} bytes, at most {MOST_BYTES:,}"))
    print(
        verdict(ours.size_again <= MOST_BYTES_AGAIN, f"again {ours.size_again:,} bytes, at most {MOST_BYTES_AGAIN:,}")
    )


def report_starts(found: FirstPaints) -> None:
    """Print the seconds from the start of the process to the first picture."""
    to_maps, to_all = found.ratios()
    print(f"\nseconds from `python app.py` to the first paint in a fresh profile, medians of {len(found.empty)}")
    print(f"  empty gradio app that imports torch  {median(found.empty):.2f}")
    print(f"  Headlight, heat maps                 {median(found.maps):.2f} ({to_maps:.2f}×)")
    print(f"  Headlight, all figures               {median(found.everything):.2f} ({to_all:.2f}×)")
    print(verdict(to_maps <= COLD_TIMES, f"first paint: {to_maps:.2f} × the empty app, at most {COLD_TIMES}"))


def main() -> None:
    """Measure and print."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--visits", type=int, default=9, help="measured visits to each warm server")
    options.add_argument("--starts", type=int, default=5, help="measured starts of each app; 0 leaves them out")
    chosen = options.parse_args()
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=chromium())
        try:
            print(*described(browser.version), sep="\n")
            report_visits(*warm_visits(browser, chosen.visits))
            if chosen.starts:
                report_starts(first_paints(browser, chosen.starts))
            print(f"\nload      {load()} at the end")
        finally:
            browser.close()


if __name__ == "__main__":
    main()
