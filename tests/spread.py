"""The order of test files that pytest-xdist spreads over processes, the daily subset, and what a run draws."""

import hashlib
import os
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from random import SystemRandom
from typing import Final, TypeVar

import pytest
from xdist.scheduler import LoadFileScheduling

PROXIES = "tests/deploy/"
"""A folder whose tests share replicas of the app, and proxies in front of them."""
SERVED = (PROXIES, "tests/browser/")
"""Folders whose tests ask a running app."""

ROOT: Final = Path(__file__).resolve().parents[1]
RUNS: Final = int(os.environ.get("HEADLIGHT_RUNS", "1"))
"""How many of the cases that take long a run has: one, or so many by night, with every random case."""
EXAMPLES: Final = 35 if RUNS == 1 else 100
"""Examples of a property, if the test does not say how many."""
QUICK_EXAMPLES: Final = 20
"""The same in the daily subset."""
SHARE: Final = 3 if RUNS == 1 else 1
"""A whole run draws one of so many random cases."""
QUICK_SHARE: Final = 10
"""The daily subset draws one of so many."""

LEAST_SERVED: Final = 1
"""Cases that a whole run keeps of each test with a browser or a running app, if it has more."""
SERVED_SHARE: Final = 4
"""It keeps one of so many, if those are more."""

daily = False
"""True in a run of the daily subset alone."""


def cases(most: int) -> int:
    """Return how many of `most` random cases are drawn: a third by day, a tenth in the daily subset, at least ten."""
    return max(min(most, 10), most // (QUICK_SHARE if daily else SHARE))


def fixed_cases(most: int) -> int:
    """Return how many of `most` cases are taken that are the same in each run: a whole run leaves none of them out."""
    return max(min(most, 10), most // QUICK_SHARE) if daily else most


Case = TypeVar("Case")


def chosen(cases: Sequence[Case]) -> list[Case]:
    """Return `RUNS` of the cases, drawn at random, and print them: a failing test shows which it had."""
    drawn = SystemRandom().sample(cases, min(RUNS, len(cases)))
    print(f"Of {len(cases)}: {drawn}"[:500])  # noqa: T201 - pytest shows it with a failure
    return drawn


def split(items: Sequence[pytest.Item], seed: str) -> tuple[list[pytest.Item], list[pytest.Item]]:
    """Return the tests that a whole run has and those that it leaves to others.

    Of the cases of one test with a browser or a running app it keeps `LEAST_SERVED` or one in `SERVED_SHARE`, those
    that `seed` draws. Tests of a file that have the same cases keep the same, whose pages they share.
    """
    cases: dict[str, list[str]] = defaultdict(list)
    for item in items:
        if _asks_app(item):
            test, _, case = item.nodeid.partition("[")
            cases[test].append(case)
    left: set[str] = set()
    for test, its in cases.items():
        file = test.partition("::")[0]
        ranked = sorted(its, key=lambda case: hashlib.sha256(f"{seed}/{file}/{case}".encode()).digest())
        left |= {f"{test}[{case}" for case in ranked[max(LEAST_SERVED, -(-len(its) // SERVED_SHARE)) :]}
    return [item for item in items if item.nodeid not in left], [item for item in items if item.nodeid in left]


def is_served(path: Path) -> bool:
    """Return True for a folder whose tests ask a running app."""
    return any(path == ROOT / folder for folder in SERVED)


class ByFile(LoadFileScheduling):
    """Give each process whole parts."""

    def _split_scope(self, nodeid: str) -> str:
        return part(nodeid)


def part(nodeid: str) -> str:
    """Return the name of what one process runs whole: a file, or the folder whose tests share replicas."""
    return PROXIES if nodeid.startswith(PROXIES) else nodeid.partition("::")[0]


def quick(item: pytest.Item) -> bool:
    """True if a test belongs to the daily subset: not marked `slow`, and without a browser or a running app."""
    return not (_asks_app(item) or item.get_closest_marker("slow"))


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
    return 1 if _browses(item) else 2 if item.get_closest_marker("slow") else 3


def _asks_app(item: pytest.Item) -> bool:
    return _browses(item) or item.nodeid.startswith(SERVED)


def _browses(item: pytest.Item) -> bool:
    return "chromium" in getattr(item, "fixturenames", ())
