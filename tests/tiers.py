"""Which tests run when, and in what order: the gate, its quick subset, and the night.

The gate has every test but those of the night, whose names do not change from run to run. The night has all of them:

- folders in `NIGHT`, and tests marked `night`; of one marked `night(but=2)` the gate has the first two cases;
- tests in a browser that `tests/browser/journeys.txt` does not name;
- tests that need a program which the gate does not install.
"""

from collections import Counter
from collections.abc import Collection, Sequence
from functools import cache
from pathlib import Path
from typing import Final

import pytest
from xdist.scheduler import LoadFileScheduling

ROOT: Final = Path(__file__).resolve().parents[1]
PROXIES: Final = "tests/deploy/"
"""A folder whose tests share replicas of the app, and proxies in front of them."""
NIGHT: Final = (PROXIES, "tests/fuzz/", "tests/attacks/", "tests/published/")
"""Folders whose tests are drawn, attack a server, or need programs or models of their own."""
BROWSER: Final = "tests/browser/"
JOURNEYS: Final = ROOT / BROWSER / "journeys.txt"
"""The tests in a browser that the gate has: one a line, of all its cases or of one, under the file's name."""
PROGRAMS: Final = frozenset({"redis_server"})
"""Fixtures that start a program which the night installs."""


@cache
def journeys() -> frozenset[str]:
    """Return the node ids in `JOURNEYS`: `file::test` for all cases of a test, `file::test[case]` for one."""
    found, file = set[str](), ""
    for line in JOURNEYS.read_text(encoding="utf-8").splitlines():
        text = line.partition("  #")[0].rstrip()
        if not text or text.startswith("#"):
            continue
        if text.startswith("test_"):
            file = f"{BROWSER}{text}"
        else:
            found.add(f"{file}::{text.strip()}")
    return frozenset(found)


def of_gate(items: Sequence[pytest.Item]) -> list[pytest.Item]:
    """Return the tests of these that the gate has. All cases of a test have to be among them, in their order."""
    cases = Counter[str]()
    kept = []
    for item in items:
        test = item.nodeid.partition("[")[0]
        cases[test] += 1
        if _is_gate(item, cases[test]):
            kept.append(item)
    return kept


def _is_gate(item: pytest.Item, case: int) -> bool:
    """Return True if the gate has the case of this number, from 1 on."""
    night = item.get_closest_marker("night")
    if night is not None and case > night.kwargs.get("but", 0):
        return False
    if item.nodeid.startswith(NIGHT) or needs_program(item):
        return False
    return not needs_browser(item) or bool({item.nodeid, item.nodeid.partition("[")[0]} & journeys())


def of_quick(items: Sequence[pytest.Item]) -> list[pytest.Item]:
    """Return the tests of the gate that need no browser, no running app and no second."""
    return [item for item in of_gate(items) if not needs_browser(item) and not item.get_closest_marker("slow")]


def of_open_files(items: Sequence[pytest.Item], done: Collection[str]) -> list[pytest.Item]:
    """Return the tests of what runs whole (`part`) and is not yet done: a test may need those before it."""
    open_files = {part(item.nodeid) for item in items if item.nodeid not in done}
    return [item for item in items if part(item.nodeid) in open_files]


def is_left_out(path: Path, quick: bool) -> bool:
    """Return True for a folder or file of which a run has no test, so that nothing in it is imported."""
    if path.parent == ROOT / BROWSER and path.name.startswith("test_"):
        return all(part(name) != f"{BROWSER}{path.name}" for name in journeys())
    return any(path == ROOT / folder for folder in (*NIGHT, *([BROWSER] if quick else [])))


def unknown_journeys(items: list[pytest.Item]) -> list[str]:
    """Return the journeys that name no test of these."""
    known = {name for item in items for name in (item.nodeid, item.nodeid.partition("[")[0])}
    return sorted(journeys() - known)


def needs_browser(item: pytest.Item) -> bool:
    """Return True for a test that drives a browser or asks the app that browsers share."""
    return "chromium" in getattr(item, "fixturenames", ()) or item.nodeid.startswith(BROWSER)


def needs_program(item: pytest.Item) -> bool:
    """Return True for a test with a program that only the night installs."""
    return bool(PROGRAMS & set(getattr(item, "fixturenames", ())))


class ByFile(LoadFileScheduling):
    """Give each process whole parts."""

    def _split_scope(self, nodeid: str) -> str:
        return part(nodeid)


def part(nodeid: str) -> str:
    """Return the name of what one process runs whole: a file, or the folder whose tests share replicas."""
    return PROXIES if nodeid.startswith(PROXIES) else nodeid.partition("::")[0]


def in_order(items: list[pytest.Item]) -> list[pytest.Item]:
    """Put the files that take longest first, so that no process runs one of them alone at the end."""
    turns: dict[str, int] = {}
    for item in items:
        name = part(item.nodeid)
        turns[name] = min(turns.get(name, 3), _turn(item))
    return sorted(items, key=lambda item: turns[part(item.nodeid)])


def _turn(item: pytest.Item) -> int:
    if item.nodeid.startswith(PROXIES):
        return 0
    return 1 if needs_browser(item) else 2 if item.get_closest_marker("slow") else 3
