"""A class of five hundred: opening the page at once, asking at once, dragging, following the teacher.

    python -m benchmarks.class [--only openings equal different dragging following room] [--processes 2] [--repeats 3]

An empty gradio app is measured in the same run. An opening replays the requests of a real Chromium's first visit over
six connections per visitor. They are recorded here once for each app, with the request that led to each. Headlight's
include the first frame. All visitors come from one address, as a school's do, each with its own tab token. The clients
are separate processes and share the two cores with the server, so their CPU is printed, too. A goal is only reported as
met or missed.

`ulimit -n` must allow six connections for each of 500 visitors (3,200). The script raises it for itself and the server
as far as it may.
"""

import argparse
import resource
from statistics import median

from playwright.sync_api import sync_playwright

from benchmarks.class_jobs import Class, Result
from benchmarks.machine import described, load
from benchmarks.recorded import Asked, opening
from benchmarks.verdicts import chromium, verdict

PAINTED = """() => {
const figures = [...document.querySelectorAll('[id^="figure-"]')].filter((figure) => figure.checkVisibility());
return figures.length && figures.every((figure) => figure.dataset.painted !== undefined); }"""
"""Every figure in sight is painted; those of a locked row are not in sight, and without one they have no picture."""

EMPTY = """() => document.getElementById("empty")?.textContent.includes("torch")"""

STEPS = 20
"""Steps of a teacher whom a room follows, one a second."""

KINDS = ("openings", "different", "equal", "dragging", "following", "room")


def main() -> None:
    """Measure and print."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--only", nargs="+", choices=KINDS, default=KINDS)
    options.add_argument("--processes", type=int, default=2, help="of the client")
    options.add_argument("--repeats", type=int, default=3, help="of a hundred openings; the medians are compared")
    options.add_argument("--many", type=int, default=500, help="visitors of a large class")
    chosen = options.parse_args()
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(most, 65_536), most))
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=chromium(), args=["--no-sandbox", "--disable-dev-shm-usage"])
        print(*described(browser.version), sep="\n")
        with Class("app.py", chosen.processes) as ours, Class("benchmarks/empty_app.py", chosen.processes) as empty:
            goals: list[str] = []
            print(f"client    {chosen.processes} processes\n\n{'':32} {COLUMNS}", flush=True)
            if "openings" in chosen.only:
                recorded = opening(browser, ours.address, PAINTED), opening(browser, empty.address, EMPTY)
                goals += openings(ours, empty, *recorded, chosen.repeats, chosen.many)
            browser.close()
            goals += frames(ours, chosen.only, chosen.many)
    print("\ngoals (two cores, the machine otherwise idle)", *goals, sep="\n")
    print(f"\nload      {load()} at the end")


COLUMNS = "median · p95 · last s | server CPU s | client CPU s of wall s | errors"


def line(name: str, found: Result) -> None:
    """Print the row of one measurement."""
    print(
        f"{name:32} {found.median:.3f} · {found.high:.3f} · {found.last:.3f} | {found.server:.2f} | "
        f"{found.client:.2f} of {found.seconds:.2f} | {len(found.errors)} {found.errors[:1] or ''}",
        flush=True,
    )


def openings(
    ours: Class, empty: Class, our_requests: list[Asked], their_requests: list[Asked], repeats: int, many: int
) -> list[str]:
    """Measure a hundred openings of both apps in turns, and five hundred of Headlight."""
    for name, asked in (("Headlight", our_requests), ("empty app", their_requests)):
        size = sum(each.size for each in asked) / 1e6
        print(f"{f'an opening of {name}':32} {len(asked)} requests, {size:.2f} MB, depth {_depth(asked)}")
    for app, asked in ((ours, our_requests), (empty, their_requests)):
        app.openings(asked, 2)
    mine, theirs = [], []
    for _ in range(repeats):
        mine.append(ours.openings(our_requests, 100))
        line("100 openings, Headlight", mine[-1])
        theirs.append(empty.openings(their_requests, 100))
        line("100 openings, empty app", theirs[-1])
    large = ours.openings(our_requests, many)
    line(f"{many} openings, Headlight", large)
    line(f"{many} openings, empty app", empty.openings(their_requests, many))
    us, them = median(each.last for each in mine), median(each.last for each in theirs)
    errors = sum(len(each.errors) for each in mine)
    return [
        verdict(us <= them and not errors, f"100 openings {us:.2f} s, of the empty app {them:.2f} s"),
        verdict(large.last <= 20 and not large.errors, f"{many} openings {large.last:.1f} s without an error, ≤ 20 s"),
    ]


def frames(ours: Class, only: tuple[str, ...], many: int) -> list[str]:
    """Measure the requests of a class at work."""
    goals = []
    if "different" in only:
        found = ours.different(many)
        line(f"{many} different frames at once", found)
        print(f"{'':32} 95 % are answered within {found.moved} places of their turn")
        goals.append(
            verdict(found.median <= 1.5 and not found.errors, f"different: median {found.median:.2f} s, ≤ 1.5")
        )
    if "equal" in only:
        found = ours.equal(many)
        line(f"{many} equal frames at once", found)
        goals.append(verdict(found.median <= 0.4 and not found.errors, f"equal: median {found.median:.2f}, ≤ 0.4 s"))
    if "dragging" in only:
        line("200 dragging one walk for 20 s", ours.dragging(200, 20.0, own=False))
        found = ours.dragging(200, 20.0, own=True)
        line("200 dragging their own walks", found)
        middle, high = 1000 * found.median, 1000 * found.high
        met = middle <= 25 and high <= 150 and not found.errors
        goals.append(verdict(met, f"dragging: median {middle:.0f} ms, ≤ 25; p95 {high:.0f} ms, ≤ 150"))
    if "following" in only:
        alone, followed = ours.following(1, 20), ours.following(many, 20)
        line("20 states of one drag, 1 tab", alone)
        line(f"the same, {many} tabs", followed)
        each, one = 1000 * followed.server / 20, 1000 * alone.server / 20
        print(f"{'':32} {each:.0f} ms of CPU a state for {many}, {one:.1f} ms for one: {each / max(one, 0.1):.0f} ×")
    if "room" in only:
        found = ours.room(many, STEPS)
        line(f"{many} followers, {STEPS} steps of a room", found)
        print(f"{'':32} {1000 * found.server / STEPS:.0f} ms of CPU a step, frames of all followers included")
        met = found.median <= 0.5 and found.high <= 1 and not found.errors
        goal = f"room: step to frame, median {found.median:.2f} s, ≤ 0.5; p95 {found.high:.2f} s, ≤ 1; no error"
        goals.append(verdict(met, goal))
    return goals


def _depth(asked: list[Asked]) -> int:
    """Return the length of the longest chain of requests."""
    depths: list[int] = []
    for each in asked:
        depths.append(1 + (depths[each.after] if each.after is not None else 0))
    return max(depths)


if __name__ == "__main__":
    main()
