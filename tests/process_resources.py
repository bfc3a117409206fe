"""The resources of a process, read from Linux's /proc: memory with its peaks, open files, threads, CPU time."""

import contextlib
import os
import threading
import time
from dataclasses import dataclass
from pathlib import Path

PAGE = os.sysconf("SC_PAGE_SIZE")
TICK = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True)
class Sample:
    """One look: monotonic time, resident megabytes (with children), descriptors, threads, CPU seconds."""

    at: float
    memory: float
    files: int
    threads: int
    cpu: float


def look(pid: int) -> Sample:
    """Return the current resources of a process and its children. Raises `ProcessLookupError` if it has ended."""
    memory, threads, cpu, files = 0.0, 0, 0.0, 0
    for each in (pid, *_children(pid)):
        try:
            fields = Path(f"/proc/{each}/stat").read_text().rpartition(")")[2].split()
            if fields[0] == "Z":
                raise FileNotFoundError(each)
            memory += int(fields[21]) * PAGE / 1e6
            threads += int(fields[17])
            cpu += (int(fields[11]) + int(fields[12])) / TICK
            files += len(os.listdir(f"/proc/{each}/fd"))
        except FileNotFoundError as gone:
            if each == pid:
                raise ProcessLookupError(pid) from gone
    return Sample(time.monotonic(), memory, files, threads, cpu)


RESTING, AT_MOST = 0.1, 120.0
"""Most cores that a process at rest uses; seconds after which it is measured anyway."""


def rest(pid: int) -> None:
    """Wait until a new server rests: it still compresses files after it is ready."""
    until, before = time.monotonic() + AT_MOST, look(pid).cpu
    while time.monotonic() < until:
        time.sleep(1.0)
        now = look(pid).cpu
        if now - before <= RESTING:
            return
        before = now


def _children(pid: int) -> list[int]:
    with contextlib.suppress(OSError):
        found = [int(word) for task in Path(f"/proc/{pid}/task").iterdir() for word in _words(task / "children")]
        return found + [each for child in found for each in _children(child)]
    return []


def _words(path: Path) -> list[str]:
    with contextlib.suppress(OSError):
        return path.read_text().split()
    return []


class Watch:
    """A thread that looks at a process ten times a second, and ends it above `most` megabytes."""

    def __init__(self, pid: int, most: float) -> None:
        self.pid, self.most = pid, most
        self.samples: list[Sample] = []
        self.exceeded = False
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()

    def _watch(self) -> None:
        while not self._stop.wait(0.1):
            try:
                sample = look(self.pid)
            except (ProcessLookupError, OSError):
                return
            self.samples.append(sample)
            if sample.memory > self.most and not self.exceeded:
                self.exceeded = True
                with contextlib.suppress(ProcessLookupError):
                    os.kill(self.pid, 9)
                return

    @property
    def alive(self) -> bool:
        """True if the process existed at the last look."""
        return self._thread.is_alive()

    def close(self) -> None:
        """Stop looking."""
        self._stop.set()
        self._thread.join()

    def between(self, first: float, last: float) -> list[Sample]:
        """Return the looks from `first` to `last` on the monotonic clock."""
        return [sample for sample in self.samples if first <= sample.at <= last]


def peak(pid: int) -> float:
    """Return the process's peak megabytes since `forget_peak`, without children, however brief; 0 if it has ended."""
    with contextlib.suppress(OSError):
        for line in Path(f"/proc/{pid}/status").read_text().splitlines():
            if line.startswith("VmHWM"):
                return int(line.split()[1]) * 1024 / 1e6
    return 0.0


def forget_peak(pid: int) -> None:
    """Reset the peak."""
    Path(f"/proc/{pid}/clear_refs").write_text("5")
