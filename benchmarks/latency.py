"""A student's waiting time: key press on the d_k slider → new heat maps painted, beside the same in `gr.Plot`.

On the page Model: a letter typed into the text of the shipped model → all heads painted.

    python -m benchmarks.latency [--presses 30] [--n 32 64 128 256 512]

Needs playwright (tests/requirements.txt) and a Chromium (HEADLIGHT_CHROMIUM, or the system's). Both apps run on this
machine's loopback at once and are pressed in turns, so that other load affects both alike. A press is timed by the
browser from the key event to `data-painted` (two animation frames after drawing, about 33 ms of every number here).
"drag" presses again once the heat maps are painted, while the panels below still follow. Bytes are counted before
compression, by separate presses. A target is only reported as met or missed: a busy machine is no bug.
"""

import argparse
from dataclasses import dataclass
from statistics import median, quantiles

from playwright.sync_api import Browser, sync_playwright

from benchmarks.machine import described, load
from benchmarks.presses import Series, Typist, opened, visited
from benchmarks.verdicts import chromium, verdict
from tests.server_process import server

HEADS = 8
WARM_UP = 5
TURN = 5
"""Number of presses on one app before the other's turn."""
WEIGHED = 5
"""Number of presses whose bytes are counted."""

MILLISECONDS = {32: 45.0, 64: 45.0, 128: 45.0, 256: 45.0, 512: 80.0}
MILLISECONDS_ALL = {32: 60.0, 64: 60.0, 128: 60.0, 256: 60.0, 512: 90.0}
MILLISECONDS_MODEL = 100.0
TIMES_FASTER = {128: 4, 512: 10}
BYTES_A_CELL = 1.5


def main() -> None:
    """Measure and print."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--presses", type=int, default=30, help="measured presses at each n")
    options.add_argument("--n", type=int, nargs="+", default=[32, 64, 128, 256, 512])
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
                model(browser, live.address, chosen.presses)
            print(f"\nload      {load()} at the end")
        finally:
            browser.close()


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
        mine, everything, theirs = columns[0][0], columns[2][0], columns[-1][0]
        print(f"{n:5}", *(f"{f'{middle:.0f} / {high:.0f}':>14}" for middle, high in columns), f"{theirs / mine:6.1f}×")
        if n in MILLISECONDS:
            limit = MILLISECONDS[n]
            verdicts.append(verdict(mine <= limit, f"n = {n}: heat maps {mine:.0f} ms, at most {limit:.0f}"))
        if n in MILLISECONDS_ALL:
            limit = MILLISECONDS_ALL[n]
            verdicts.append(verdict(everything <= limit, f"n = {n}: all {everything:.0f} ms, at most {limit:.0f}"))
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


def model(browser: Browser, live: str, presses: int) -> None:
    """Measure and print the page Model."""
    with visited(browser, f"{live}/?page=model&text=Anna+sees+Ben&lang=en") as page:
        typist = Typist(page)
        typist.type(WARM_UP)
        found = typist.type(presses)
    print("\npage Model, milliseconds from a letter of the text to painted, median / 95th percentile")
    columns = [middle_high(values) for values in (found.maps, found.everything)]
    print(f"{'all heads':>20} {'all figures':>14}")
    print(f"{'':5}", *(f"{f'{middle:.0f} / {high:.0f}':>14}" for middle, high in columns))
    middle = columns[0][0]
    print(verdict(middle <= MILLISECONDS_MODEL, f"all heads {middle:.0f} ms, at most {MILLISECONDS_MODEL:.0f}"))


def middle_high(values: list[float]) -> tuple[float, float]:
    """Return the median and the 95th percentile."""
    return median(values), quantiles(values, n=20, method="inclusive")[-1]


if __name__ == "__main__":
    main()
