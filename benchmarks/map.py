"""The Map page's times: a turn of the wheel → the exact tiles painted; the overview → painted, beside SDPA.

    python benchmarks/map.py [--n 16384] [--dives 4] [--overviews 5]

Needs playwright (tests/requirements.txt) and a Chromium (HEADLIGHT_CHROMIUM, or the system's). A dive is a series of
turns of the wheel from the whole map down to four tokens across. Each turn halves the window, at a place drawn from a
seed. Half of the dives rest between two turns as a hand does. A turn is timed by the browser from the event to
`data-painted`, which is written two animation frames after the exact cells of the visible window are drawn (about 33 ms
of every number here). The overview is timed from the press of the button until all of it is painted (all heads, strips,
sentences). It takes turns with torch's `scaled_dot_product_attention` at the same size, so that other load affects both
alike. Prints Markdown. A target is only reported as met or missed: a busy machine is no bug.
"""

import argparse
import random
import sys
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

import torch
from latency import middle_high
from machine import described, load
from playwright.sync_api import Browser, Page, sync_playwright
from server import server
from verdicts import chromium, verdict

sys.path.append(str(Path(__file__).parent.parent))  # the clone, for any working directory

from attention_core import AttentionConfig
from attention_core.inputs import sources

HEADS, D_K = 8, 64
SHORT = 4096
MILLISECONDS = 100.0
TIMES_SDPA = 3.0
SINGLE_CELLS = 256
"""Tokens across at which tiles show single cells; closer steps need no further tiles."""

PAUSES = {300: "a hand's pause of 300 ms between two turns", 0: "no pause"}
"""Milliseconds between two turns. In a pause the page fetches the likely tiles of the next turn."""

PATIENCE = 180_000
"""Milliseconds to wait for one picture; the first is the whole map of a long sequence."""

TURN = """() => {
  const figure = document.getElementById("figure-map");
  const before = figure.dataset.painted;
  window.measured = new Promise((resolve) => {
    let start = 0;
    const wheel = (event) => { start ||= event.timeStamp; };
    document.addEventListener("wheel", wheel, { capture: true, passive: true });
    const observer = new MutationObserver(() => {
      if (figure.dataset.painted === before) return;
      observer.disconnect();
      document.removeEventListener("wheel", wheel, { capture: true });
      const took = performance.now() - start;
      setTimeout(() => resolve([took, figure.dataset.painted]));
    });
    observer.observe(figure, { attributes: true, attributeFilter: ["data-painted"] });
  });
}"""
"""Milliseconds from the wheel's event to the new picture, and the new link."""

PRESS = """() => new Promise((resolve) => {
  const figure = document.getElementById("figure-map");
  delete figure.dataset.painted;
  const observer = new MutationObserver(() => {
    if (figure.dataset.painted === undefined) return;
    observer.disconnect();
    resolve(performance.now() - start);
  });
  observer.observe(figure, { attributes: true, attributeFilter: ["data-painted"] });
  const start = performance.now();
  document.getElementById("run-start").click();
})"""


def main() -> None:
    """Measure and print."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--n", type=int, default=16384, help="tokens of the map that is zoomed")
    options.add_argument("--dives", type=int, default=4, help="series of zoom steps; 0 leaves them out")
    options.add_argument("--overviews", type=int, default=5, help="measured overviews; 0 leaves them out")
    chosen = options.parse_args()
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=chromium())
        try:
            print("```", *described(browser.version), "```\n", sep="\n", flush=True)
            verdicts = []
            with server("app.py") as app:
                if chosen.dives:
                    verdicts.append(zooming(browser, app.address, chosen.n, chosen.dives))
                if chosen.overviews:
                    verdicts.append(overviews(browser, app.address, chosen.overviews))
            print("\nTargets (two cores, the machine otherwise idle)\n", *verdicts, sep="\n")
            print(f"\nLoad at the end: {load()}")
        finally:
            browser.close()


def opened(browser: Browser, address: str, n: int) -> Page:
    """Open the page as a visitor and wait for the whole map."""
    page = browser.new_context(viewport={"width": 1280, "height": 900}).new_page()
    page.set_default_timeout(PATIENCE)
    page.goto(f"{address}/?page=map&n={n}&h={HEADS}&d_k={D_K}&lang=en")
    page.wait_for_function("() => document.getElementById('map-plan')?.textContent")
    page.wait_for_timeout(1000)
    if page.locator("#run-start").is_visible():
        page.locator("#run-start").click()
    page.wait_for_selector("#figure-map[data-painted]")
    return page


def zooming(browser: Browser, address: str, n: int, dives: int) -> str:
    """Print the zoom steps by the number of tokens visible afterwards; return the verdict."""
    print(f"Zoom step → exact cells painted, n = {n:,}, {HEADS} heads, d_k {D_K}, milliseconds")
    medians = {pause: dived(browser, address, n, dives, pause) for pause in PAUSES}
    hand, none = medians.values()
    goal = f"zoom onto other tiles: median {hand:.0f} ms, at most {MILLISECONDS:.0f}; without any pause {none:.0f} ms"
    return verdict(hand <= MILLISECONDS, goal)


def dived(browser: Browser, address: str, n: int, dives: int, pause: int) -> float:
    """Print the steps of a new visitor's dives; return the median of those onto other tiles."""
    page = opened(browser, address, n)
    steps: dict[int, list[float]] = {}
    draw = random.Random(pause)
    for _ in range(dives):
        page.locator("#map-all").click()
        page.wait_for_function("() => !document.getElementById('figure-map').dataset.painted.includes('across')")
        cells = page.locator(".map-cells")
        cells.scroll_into_view_if_needed()
        box = cells.bounding_box()
        assert box is not None
        x, y = (box[start] + draw.uniform(0.1, 0.9) * box[side] for start, side in (("x", "width"), ("y", "height")))
        page.mouse.move(x, y)
        across = n
        while across > 4:
            page.wait_for_timeout(pause)
            page.evaluate(TURN)
            page.mouse.wheel(0, -200)
            took, link = page.evaluate("window.measured")
            across = round(float(dict(pair.split("=") for pair in link.split("&"))["across"]))
            steps.setdefault(across, []).append(took)
    page.context.close()
    others = [took for across, found in steps.items() if across >= SINGLE_CELLS for took in found]
    rows = {f"{across:,}": found for across, found in sorted(steps.items(), reverse=True)}
    rows |= {"all": [took for found in steps.values() for took in found], "all onto other tiles": others}
    print(f"\nWith {PAUSES[pause]}\n")
    print("| tokens across | steps | median | 95th percentile |\n| ---: | ---: | ---: | ---: |")
    for name, found in rows.items():
        middle, high = middle_high(found) if len(found) > 1 else (found[0],) * 2
        print(f"| {name} | {len(found)} | {middle:.0f} | {high:.0f} |", flush=True)
    return median(others)


def overviews(browser: Browser, address: str, count: int) -> str:
    """Print the overviews beside SDPA; return the verdict."""
    config = AttentionConfig(n=SHORT, h=HEADS, d_k=D_K, source="structured")
    Q, K = (sources.per_head(config, None, name) for name in "QK")
    page = opened(browser, address, SHORT)
    with torch.inference_mode():
        ways: dict[str, Callable[[], float]] = {
            "scaled_dot_product_attention": lambda: timed(
                lambda: torch.nn.functional.scaled_dot_product_attention(Q[None], K[None], K[None])
            ),
            "the page: button → painted, with strips, sentences, all heads": lambda: page.evaluate(PRESS),
        }
        found: dict[str, list[float]] = {name: [] for name in ways}
        for turn in range(count + 1):
            for name, way in ways.items():
                took = way()
                if turn:  # the first warms up
                    found[name].append(took)
    page.context.close()
    sdpa = median(found["scaled_dot_product_attention"])
    print(f"\nOverview of {HEADS} heads, n = {SHORT:,}, d_k {D_K}, SDPA on {torch.get_num_threads()} threads\n")
    print("| what | median, ms | × SDPA |\n| --- | ---: | ---: |")
    for name, times in found.items():
        print(f"| {name} | {median(times):.0f} | {median(times) / sdpa:.2f} |")
    times = median(list(found.values())[-1]) / sdpa
    return verdict(times <= TIMES_SDPA, f"overview on the page: {times:.2f} × SDPA, at most {TIMES_SDPA:.0f}")


def timed(work: Callable[[], object]) -> float:
    """Return the milliseconds of `work`."""
    start = time.perf_counter()
    work()
    return 1000 * (time.perf_counter() - start)


if __name__ == "__main__":
    main()
