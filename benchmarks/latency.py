"""A student's waiting time: key press on the d_k slider → new heat maps painted, beside the same in `gr.Plot`.

    python benchmarks/latency.py [--presses 30] [--starts 5] [--n 16 64 128 256 512]

Needs playwright (tests/requirements.txt) and a Chromium (HEADLIGHT_CHROMIUM, or the system's). Both apps run on this
machine's loopback at once and are pressed in turns, so that other load affects both alike. A press is timed by the
browser from the key event to `data-painted` (two animation frames after drawing, about 33 ms of every number here).
"drag" presses again once the heat maps are painted, while the panels below still follow. Bytes are counted before
compression, by separate presses. A target is only reported as met or missed: a busy machine is no bug.
"""

import argparse
import os
import shutil
from dataclasses import dataclass
from statistics import median, quantiles

from first_paint import FirstPaints, first_paints
from machine import described, load
from playwright.sync_api import Browser, sync_playwright
from presses import Series, opened
from server import server

HEADS = 8
WARM_UP = 5
TURN = 5
"""Number of presses on one app before the other's turn."""
WEIGHED = 5
"""Number of presses whose bytes are counted."""
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")

MILLISECONDS = {128: 50.0, 256: 50.0, 512: 80.0}
TIMES_FASTER = {128: 4, 512: 10}
BYTES_A_CELL = 1.5
FIRST_PAINT = 1.3


def main() -> None:
    """Measure and print."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--presses", type=int, default=30, help="measured presses at each n")
    options.add_argument("--starts", type=int, default=5, help="measured starts of each app; 0 leaves them out")
    options.add_argument("--n", type=int, nargs="+", default=[16, 64, 128, 256, 512])
    chosen = options.parse_args()
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=chromium())
        try:
            print(*described(browser.version), sep="\n")
            print(
                f"presses   {chosen.presses} at each n after {WARM_UP} to warm up, {HEADS} heads, 1280 × 900 pixels\n",
                flush=True,
            )
            with server("app.py") as live, server("benchmarks/gr_plot_app.py") as plot:
                report([measured(browser, live.address, plot.address, n, chosen.presses) for n in chosen.n])
            if chosen.starts:
                report_first_paint(first_paints(browser, chosen.starts))
            print(f"\nload      {load()} at the end")
        finally:
            browser.close()


def chromium() -> str | None:
    """Return the browser to drive; None leaves the choice to playwright."""
    return os.environ.get("HEADLIGHT_CHROMIUM") or next(filter(None, map(shutil.which, BROWSERS)), None)


@dataclass(frozen=True)
class Measured:
    """The results at one n: Headlight, Headlight in a drag, gr.Plot; an update's bytes: heat maps, all, gr.Plot's."""

    n: int
    ours: Series
    drag: Series
    plot: Series
    weights: tuple[float, float, float]


def measured(browser: Browser, live: str, plot: str, n: int, presses: int) -> Measured:
    """Measure Headlight and gr.Plot at one n, in turns of `TURN` presses."""
    found = Series(), Series(), Series()
    address = f"{live}/?n={n}&d_k=64&tie=false&lang=en"
    with opened(browser, address, live=True) as ours, opened(browser, f"{plot}/?n={n}", live=False) as theirs:
        ours.press(WARM_UP)
        theirs.press(WARM_UP)
        for start in range(0, presses, TURN):
            count = min(TURN, presses - start)
            turns = ours.press(count), ours.press(count, everything=False), theirs.press(count)
            for series, turn in zip(found, turns, strict=True):
                series.maps += turn.maps
                series.everything += turn.everything
        weights = *ours.weigh(WEIGHED), theirs.weigh(WEIGHED)[1]
    return Measured(n, *found, weights)


def report(found: list[Measured]) -> None:
    """Print two tables (milliseconds, bytes), then the targets."""
    print("milliseconds from key press to painted, median / 95th percentile")
    print(f"{'n':>5} {'heat maps':>14} {'in a drag':>14} {'all figures':>14} {'gr.Plot':>14} {'ratio':>7}")
    verdicts = []
    for at in found:
        n = at.n
        columns = [middle_high(values) for values in (at.ours.maps, at.drag.maps, at.ours.everything, at.plot.maps)]
        mine, theirs = columns[0][0], columns[-1][0]
        print(f"{n:5}", *(f"{f'{middle:.0f} / {high:.0f}':>14}" for middle, high in columns), f"{theirs / mine:6.1f}×")
        if n in MILLISECONDS:
            limit = MILLISECONDS[n]
            verdicts.append(verdict(mine <= limit, f"n = {n}: median {mine:.0f} ms, at most {limit:.0f}"))
        if n in TIMES_FASTER:
            times, least = theirs / mine, TIMES_FASTER[n]
            verdicts.append(verdict(times >= least, f"n = {n}: {times:.1f} × faster than gr.Plot, at least {least}"))
    print("\nbytes an update before compression, and as multiples of one byte a cell")
    print(f"{'n':>5} {'cells':>10} {'heat maps':>20} {'whole update':>20} {'gr.Plot':>20}")
    for at in found:
        cells = HEADS * at.n**2
        print(f"{at.n:5} {cells:10,}", *(f"{f'{size:,.0f} ({size / cells:.2f}×)':>20}" for size in at.weights))
        share = at.weights[1] / cells
        verdicts.append(verdict(share <= BYTES_A_CELL, f"n = {at.n}: {share:.2f} bytes a cell, at most {BYTES_A_CELL}"))
    print("\ntargets (two cores, the machine otherwise idle)", *verdicts, sep="\n", flush=True)


def middle_high(values: list[float]) -> tuple[float, float]:
    """Return the median and the 95th percentile."""
    return median(values), quantiles(values, n=20, method="inclusive")[-1]


def report_first_paint(found: FirstPaints) -> None:
    """Print the seconds from the start of the process to the first picture."""
    to_maps, to_all = found.ratios()
    print(f"\nseconds from `python app.py` to the first paint in a fresh profile, medians of {len(found.empty)}")
    print(f"  empty gradio app that imports torch  {median(found.empty):.2f}")
    print(f"  Headlight, heat maps                 {median(found.maps):.2f} ({to_maps:.2f}×)")
    print(f"  Headlight, all figures               {median(found.everything):.2f} ({to_all:.2f}×)")
    print(verdict(to_all <= FIRST_PAINT, f"first paint: {to_all:.2f} × the empty app, at most {FIRST_PAINT}"))


def verdict(met: bool, sentence: str) -> str:
    """Return a target as met or missed."""
    return f"  {'met   ' if met else 'missed'}  {sentence}"


if __name__ == "__main__":
    main()
