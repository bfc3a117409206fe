"""Free memory goes back to the system if glibc keeps it; elsewhere nothing happens."""

import platform
import subprocess
import sys
import threading

import pytest

from visualiser.server import allocator

GLIBC = platform.libc_ver()[0] == "glibc"
FREED = """
import sys, threading
from pathlib import Path
from visualiser.server import allocator

def held():
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096 / 2**20

assert allocator.setup()
# small blocks, with one that stays above the free ones: the arena's end cannot move
kept = [bytearray(600) for _ in range(200_000)]
last = bytearray(600)
full = held()
del kept
allocator.trim_soon(0.0)
allocator.trim_soon(0.0)
for thread in threading.enumerate():
    if thread is not threading.main_thread():
        thread.join()
print(full - held() > 90)
"""


class Library:
    """An allocator that counts its calls."""

    def __init__(self) -> None:
        self.asked: list[tuple[int, ...]] = []
        self.trimmed = threading.Semaphore(0)

    def mallopt(self, name: int, value: int) -> int:
        self.asked.append((name, value))
        return 1

    def malloc_trim(self, pad: int) -> int:
        self.trimmed.release()
        return 1


def test_the_allocator_of_this_machine_takes_it_or_there_is_none():
    asked = "from visualiser.server import allocator; print(allocator.setup())"
    assert subprocess.check_output([sys.executable, "-c", asked], text=True).strip() == str(GLIBC)


@pytest.mark.parametrize("free", [FREED] if GLIBC else [])
def test_what_is_freed_goes_back(free):
    assert subprocess.check_output([sys.executable, "-c", free], text=True).strip() == "True"


def test_arenas_are_bounded(monkeypatch):
    library = Library()
    monkeypatch.setattr(allocator, "_glibc", lambda: library)
    assert allocator.setup()
    assert library.asked == [(-8, 2)]


def test_works_that_end_together_trim_once(monkeypatch):
    """The pause outlasts the test, which ends it by hand: however slow the machine, all works end within it."""
    library, trimming = Library(), allocator._Trimming()
    monkeypatch.setattr(allocator, "_glibc", lambda: library)
    monkeypatch.setattr(allocator, "_trimming", trimming)
    for _ in range(100):
        allocator.trim_soon(3600.0)
    timers = [thread for thread in threading.enumerate() if isinstance(thread, threading.Timer)]
    (timer,) = (each for each in timers if each.function == trimming._trim)
    timer.function()
    timer.cancel()
    timer.join()
    assert library.trimmed.acquire(blocking=False)
    assert not library.trimmed.acquire(blocking=False)
    allocator.trim_soon(0.0)
    assert library.trimmed.acquire(timeout=20), "and again later"


def test_without_glibc_nothing_happens(monkeypatch):
    monkeypatch.setattr(allocator, "_glibc", lambda: None)
    assert not allocator.setup()
    before = threading.active_count()
    allocator.trim_soon(0.0)
    assert threading.active_count() == before
