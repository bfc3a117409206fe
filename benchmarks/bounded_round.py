"""One round of `benchmarks/bounds.py`: the app, a polite visitor and an attack, each a process, and the results."""

import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from types import TracebackType
from typing import Self

from beside import Beside, Polite, met
from logged import failures
from rude import MARK
from server import Server, server
from watch import Sample, Watch, forget_peak, look, peak, rest

HERE = Path(__file__).parent
FILES = 1024
"""Descriptors the app may open: the limit of a process on many systems."""
LEFT = 1000.0
"""Megabytes above a fresh app's that an attack may leave behind before the app is restarted."""
ALONE = 2.0
"""Seconds that the polite visitor is alone before an attack."""


@dataclass
class Back:
    """Seconds from the attack's end until each value was back; None if not within the time waited."""

    memory: float | None
    files: float | None
    threads: float | None


@dataclass
class Log:
    """The app's log of a round."""

    kilobytes: float
    longest: int
    visitors: int
    tracebacks: int


@dataclass
class Found:
    """The results of one round."""

    names: tuple[str, ...]
    peak: float
    after: float
    polite: Polite
    back: Back
    cpu_after: float
    log: Log
    disk: float
    counts: dict[str, int] = field(default_factory=dict)
    ended: str = ""


class Rounds:
    """The app through several rounds."""

    def __init__(self, seconds: float, settle: float, width: float, most: float, source: str) -> None:
        self.seconds, self.settle, self.width, self.most, self.source = seconds, settle, width, most, source
        self._stack = ExitStack()

    def __enter__(self) -> Self:
        self._start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._stack.close()

    def _start(self) -> None:
        """Start a fresh app and measure it after its first frames."""
        folder = Path(self._stack.enter_context(tempfile.TemporaryDirectory()))
        self.log = folder / "log"
        self.disk = folder / "gradio"
        self.disk.mkdir()
        file = self._stack.enter_context(self.log.open("wb"))
        here = {"GRADIO_TEMP_DIR": str(self.disk)}
        self.app: Server = self._stack.enter_context(server("app.py", log=file, environment=here))
        self.pid = self.app.process.pid
        resource.prlimit(self.pid, resource.RLIMIT_NOFILE, (FILES, FILES))
        rest(self.pid)
        with Beside(self.app.address) as visitor:
            time.sleep(2 * ALONE)
            self.fresh: Sample = look(self.pid)
            visitor.runs(True)  # memory that the first run loads is not the attack's
            time.sleep(2 * ALONE)
        self.watch = Watch(self.pid, self.most)
        self._stack.callback(self.watch.close)

    def _again(self) -> None:
        self._stack.close()
        self._start()

    def attack(self, names: tuple[str, ...], seed: int) -> Found:
        """Run one attack, or several at once, and return the results."""
        if not self.watch.alive:  # memory grew on after the last attack until the watch ended the app
            self._again()
        with Beside(self.app.address) as visitor:
            time.sleep(ALONE)
            began, before = time.monotonic(), look(self.pid)
            log_at = self.log.stat().st_size
            rate = _rate(self.watch.between(began - ALONE / 2, began))
            forget_peak(self.pid)
            visitor.runs(True)
            outcome = self._rude(names, self.seconds, seed, self.width)
            visitor.runs(False)
            left = outcome.get("left", time.monotonic())
            self._settle(before, left, rate)
            ended = "" if self.watch.alive else f"ended above {self.most:.0f} MB" if self.watch.exceeded else "it died"
            found = self._found(names, began, left, before, rate, log_at)
            found.ended, found.counts = ended, outcome.get("counts", {})
        found.polite = met(visitor.lines, began, left)
        if ended or found.cpu_after > 1.0 or found.polite.unanswered or found.after > LEFT:
            found.ended = ended or "left busy or large: started anew"
            self._again()
        return found

    def mixed(self, names: list[tuple[str, ...]], seconds: float, seed: int) -> tuple[float, float, Found]:
        """Run many short rounds in a row; return memory after a sixth of the time and at the end."""
        with Beside(self.app.address) as visitor:
            time.sleep(ALONE)
            began, before = time.monotonic(), look(self.pid)
            log_at, counts = self.log.stat().st_size, {}
            visitor.runs(True)
            for number, each in enumerate(names):
                rest = began + seconds - time.monotonic()
                if rest < 1.0 or not self.watch.alive:
                    break
                outcome = self._rude(each, min(12.0, rest), seed + number, 0.3 if len(each) > 1 else 1.0)
                for name, count in outcome.get("counts", {}).items():
                    counts[name] = counts.get(name, 0) + count
            visitor.runs(False)
            left = time.monotonic()
            self._settle(before, left, 0.1)
            found = self._found(("mixed load",), began, left, before, 0.1, log_at)
            found.counts = counts
            found.ended = "" if self.watch.alive else "the app is gone"
        found.polite = met(visitor.lines, began, left)
        early = began + seconds / 6
        levels = self.watch.between(early - 10, early + 10), self.watch.between(left - 20, left)
        first, last = (median(sample.memory for sample in level) if level else 0.0 for level in levels)
        return first, last, found

    def _rude(self, names: tuple[str, ...], seconds: float, seed: int, width: float) -> dict:
        command = [sys.executable, str(HERE / "attacks.py"), self.app.address, *names]
        command += ["--seconds", str(seconds), "--width", str(width), "--seed", str(seed), "--source", self.source]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        until = time.monotonic() + seconds + 20
        while process.poll() is None and time.monotonic() < until and self.watch.alive:
            time.sleep(0.05)
        if process.poll() is None:
            process.kill()
        out, errors = process.communicate()
        if process.returncode == 0:
            return json.loads(out)
        if self.watch.alive:
            sys.stderr.write(errors.decode()[-2000:])
        return {}

    def _settle(self, before: Sample, left: float, rate: float) -> None:
        """Wait until everything is back and the processor rests, at most `settle` seconds."""
        while self.watch.alive and time.monotonic() < left + self.settle:
            time.sleep(0.25)
            now = time.monotonic()
            back = _back(self.watch.between(left, now), before, left)
            calm = _rate(self.watch.between(now - 1, now)) < rate + 0.15
            if now > left + 2 and calm and None not in (back.memory, back.files, back.threads):
                return

    def _found(
        self, names: tuple[str, ...], began: float, left: float, before: Sample, rate: float, log_at: int
    ) -> Found:
        now = time.monotonic()
        during, after = self.watch.between(began, now), self.watch.between(left, now)
        highest = max((sample.memory for sample in during), default=0.0)
        if self.watch.alive:
            highest = max(highest, peak(self.pid))
        spent = after[-1].cpu - after[0].cpu - rate * (after[-1].at - after[0].at) if len(after) > 1 else 0.0
        with self.log.open("rb") as file:
            file.seek(log_at)
            log = _log(file.read())
        disk = sum(path.stat().st_size for path in self.disk.rglob("*") if path.is_file()) / 1e6
        level = during[-1].memory if during else 0.0
        return Found(
            names,
            highest - self.fresh.memory,
            level - self.fresh.memory,
            Polite(),
            _back(self.watch.between(left, now), before, left),
            max(0.0, spent),
            log,
            disk,
        )


def _rate(samples: list[Sample]) -> float:
    """Return processor seconds per second."""
    if len(samples) < 2:
        return 0.0
    return (samples[-1].cpu - samples[0].cpu) / max(1e-6, samples[-1].at - samples[0].at)


def _back(samples: list[Sample], before: Sample, left: float) -> Back:
    def since(fits: Callable[[Sample], bool]) -> float | None:
        """Return the time from which all samples fit."""
        when = None
        for sample in samples:
            if not fits(sample):
                when = None
            elif when is None:
                when = sample.at - left
        return when

    return Back(
        since(lambda sample: sample.memory <= 1.1 * before.memory),
        since(lambda sample: sample.files <= before.files + 2),
        since(lambda sample: sample.threads <= before.threads + 2),
    )


def _log(written: bytes) -> Log:
    lines = written.split(b"\n")
    return Log(
        len(written) / 1e3,
        max(map(len, lines)),
        sum(MARK.encode() in line for line in lines),
        len(failures(written)),
    )
