"""A page in a fresh browser, watched from within: its first painted figure, one interaction, what its tab holds.

One yardstick for every page. A figure is painted when its DOM or one of its canvases has changed for the last time and
three animation frames have begun since: in the first the browser lays out and draws, in the second it hands over, and
the third cannot begin before the picture is on the screen. (Two, as `data-painted` has it, are enough for a few pixels
of canvas; 131,072 lines of SVG come seconds later.)
"""

import json
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any, Final, NamedTuple

from playwright.sync_api import Browser, CDPSession, Locator, Page, ViewportSize, sync_playwright
from playwright.sync_api import Error as PageError

from benchmarks.traffic import Traffic
from benchmarks.verdicts import chromium

WINDOW: Final[ViewportSize] = {"width": 1280, "height": 900}
QUIET: Final = 700
"""Milliseconds without a change after which the last one counts as the last."""

WATCH: Final = """
(() => {
  const seen = (window.seen = {
    from: 0, root: ROOT, changed: 0, painted: 0, two: 0, whole: 0, pending: 0, drawn: new Set(),
  });
  let fresh = false, inner = false;
  const changed = (own) => {
    if (seen.from === null) return;
    if (own) [inner, seen.changed] = [true, performance.now()];
    if (fresh) return;
    fresh = true;
    seen.pending += 1;
    requestAnimationFrame(() => {
      const own = inner;
      fresh = inner = false;
      requestAnimationFrame(() => {
        const two = performance.now();
        requestAnimationFrame(() => {
          seen.whole = performance.now();
          if (own) [seen.two, seen.painted] = [two, seen.whole];
          seen.pending -= 1;
        });
      });
    });
  };
  const within = (node) => !seen.root || document.querySelector(seen.root)?.contains(node);
  new MutationObserver((all) => {
    const records = all.filter(({ attributeName }) => !attributeName?.startsWith("data-")); // marks
    if (records.length) changed(records.some(({ target }) => within(target)));
  })
    .observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
  for (const name of ["clearRect", "putImageData", "drawImage"]) { // one of them begins every picture on a canvas
    const own = CanvasRenderingContext2D.prototype[name];
    CanvasRenderingContext2D.prototype[name] = function (...given) {
      seen.drawn.add(this.canvas);
      changed(within(this.canvas));
      return own.apply(this, given);
    };
  }
})();
"""

ARM: Final = """(kind) => {
  Object.assign(seen, { from: null, root: null, changed: 0, painted: 0, two: 0, whole: 0 });
  for (const one of kind === "point" ? ["pointerover", "pointermove"] : [kind]) {
    document.addEventListener(one, (event) => { seen.from ??= event.timeStamp; }, { once: true, capture: true });
  }
}"""
"""Wait for an event; what changes before it does not count."""

SETTLED: Final = """(quiet) => seen.from !== null && seen.changed > seen.from && seen.pending === 0
  && seen.painted > seen.changed && performance.now() - seen.whole > quiet"""


At = Callable[[Page, int], tuple[float, float]]
"""Returns a place in the window, another one at each turn."""


@dataclass(frozen=True)
class Way:
    """A way to show attention: what it is called, where it is painted, and what a reader does there.

    done    a function of JavaScript that is true once all heads of a layer stand in the document
    root    the figure's element; None for the page
    token   where a token is, or a cell, that can be pointed at
    head    where a head is that can be chosen, by a press or by pointing
    kind    of the event that chooses it: "click" or "point"
    bring   what a reader does before the figure comes
    before  what a reader does before a token can be pointed at
    """

    name: str
    done: str
    root: str | None
    token: At
    head: At
    kind: str = "click"
    bring: Callable[[Page], None] | None = None
    before: Callable[[Page], None] | None = None


@dataclass(frozen=True)
class Seen:
    """One visit. Milliseconds and bytes; `failed` says in words what did not come, and the tab's bytes are those then.

    painted  the figure with all heads of a layer, `two` the same with two frames, `whole` everything on the page
    token    another token is pointed at, None if nothing changes; `head`: another head is chosen
    sent     bytes on the way, `read` without compression
    heap     of scripts, after a collection; `tab`: resident bytes more than an empty page's, `most` at most
    nodes    of the document
    """

    painted: float = 0.0
    two: float = 0.0
    whole: float = 0.0
    token: float | None = None
    head: float | None = None
    sent: int = 0
    read: int = 0
    heap: float = 0.0
    tab: float = 0.0
    most: float = 0.0
    nodes: int = 0
    failed: str = ""


@contextmanager
def browser() -> Iterator[Browser]:
    """Start a browser that ends with the block."""
    with sync_playwright() as driver:
        started = driver.chromium.launch(executable_path=chromium())
        try:
            yield started
        finally:
            started.close()


class Bounds(NamedTuple):
    """What one page may take: seconds until its figure stands, and bytes that its tab holds."""

    seconds: float
    bytes: float


@dataclass
class Watched:
    """What a look at a tab's processes found: the most bytes that they held, and why they were ended, if they were."""

    most: int = 0
    ended: str = ""


@contextmanager
def watched(pids: list[int], bounds: Bounds) -> Iterator[Watched]:
    """Look at the processes of a tab until the block ends, and end them at the bounds (Linux).

    A page that is busy answers nobody, not even a driver that stops waiting, and one that takes all memory would end
    others' work.
    """
    found, over = Watched(), threading.Event()

    def look() -> None:
        until = time.monotonic() + bounds.seconds
        while not over.wait(0.25):
            held = sum(resident(pid, "VmRSS") for pid in pids)
            found.most = max(found.most, sum(resident(pid, "VmHWM") for pid in pids))
            if held > bounds.bytes:
                found.ended = f"ended at {held / 1e9:.1f} GB"
            elif time.monotonic() > until:
                found.ended = f"not within {bounds.seconds:.0f} s; it held {held / 1e9:.1f} GB then"
            if found.ended:
                for pid in pids:
                    with suppress(ProcessLookupError):
                        os.kill(pid, signal.SIGKILL)
                return

    looking = threading.Thread(target=look, daemon=True)
    looking.start()
    try:
        yield found
    finally:
        over.set()
        looking.join()


def resident(pid: int, at: str) -> int:
    """Return the resident bytes of a process: now (`VmRSS`), or the most so far (`VmHWM`); 0 if it has ended."""
    try:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    except OSError:
        return 0
    return next((1024 * int(line.split()[1]) for line in lines if line.startswith(at)), 0)


def visit(way: Way, address: str, blank: str, routes: Callable[[Page], None], bounds: Bounds) -> Seen:
    """Visit a page in a browser of its own; `blank` is an empty page of the same server, whose process it takes over.

    It is ended at its bounds.
    """
    with browser() as started:
        context = started.new_context(viewport=WINDOW)
        page = context.new_page()
        page.set_default_timeout(2000 * bounds.seconds)  # the watch ends it before
        routes(page)
        page.goto(blank)
        tabs = _tabs(started.new_browser_cdp_session())
        before = sum(resident(pid, "VmRSS") for pid in tabs)
        page.add_init_script(WATCH.replace("ROOT", json.dumps(way.root)))
        traffic = Traffic(context, page)
        began = time.monotonic()
        with watched(tabs, bounds) as looked:
            try:
                page.goto(address, wait_until="commit")
                if way.bring:
                    way.bring(page)
                page.wait_for_function(way.done, polling=100)
                page.wait_for_function(SETTLED, arg=QUIET, polling=100)
                page.wait_for_load_state("networkidle")
                painted, two, whole = page.evaluate("[seen.painted, seen.two, seen.whole]")
                sent, read = traffic.size, traffic.read
                heap, nodes = _heap(context.new_cdp_session(page))
                tab, most = (sum(resident(pid, at) for pid in tabs) - before for at in ("VmRSS", "VmHWM"))
            except PageError as problem:
                ended = looked.ended or f"{str(problem).splitlines()[0]} (after {time.monotonic() - began:.0f} s)"
                return Seen(failed=ended, most=looked.most - before)
        head = _interacted(page, way.head, way.kind)
        if way.before:
            way.before(page)
        token = _interacted(page, way.token, "point")
        return Seen(painted, two, whole, token, head, sent, read, heap, tab, most, nodes)


def centre(target: Locator) -> tuple[float, float]:
    """Return the middle of an element, which is scrolled into the window."""
    target.scroll_into_view_if_needed()
    return inside(target, 0.5, 0.5)


def inside(target: Locator, across: float, down: float) -> tuple[float, float]:
    """Return a place in an element by the shares of its sides."""
    box = target.bounding_box()
    assert box is not None, "the element is not shown"
    return box["x"] + across * box["width"], box["y"] + down * box["height"]


def _interacted(page: Page, at: At, kind: str) -> float | None:
    """Return the median milliseconds of three interactions, each with another element; None if nothing changes."""
    found: list[float] = []
    for turn in range(4):
        x, y = at(page, turn)
        page.evaluate(ARM, kind)
        page.mouse.move(x, y)
        if kind == "click":
            page.mouse.down()
            page.mouse.up()
        try:
            page.wait_for_function(SETTLED, arg=QUIET, polling=100, timeout=20_000)
        except PageError:
            return None
        if turn:  # the first comes from elsewhere
            found.append(page.evaluate("seen.painted - seen.from"))
    return median(found)


def _heap(session: CDPSession) -> tuple[float, int]:
    """Return the bytes of the scripts' heap after a collection, and the nodes of the document."""
    session.send("HeapProfiler.collectGarbage")
    session.send("Performance.enable")
    metrics: dict[str, Any] = {one["name"]: one["value"] for one in session.send("Performance.getMetrics")["metrics"]}
    return metrics["JSHeapUsedSize"], int(metrics["Nodes"])


def _tabs(session: CDPSession) -> list[int]:
    """Return the processes of tabs."""
    found = session.send("SystemInfo.getProcessInfo")["processInfo"]
    return [process["id"] for process in found if process["type"] == "renderer"]
