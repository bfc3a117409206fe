"""The polite visitor of `benchmarks/polite.py` as a process beside another load, and the answers to its requests."""

import json
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Self

SCRIPT = Path(__file__).with_name("polite.py")


@dataclass
class Polite:
    """Measurements of the polite visitor: seconds per frame, counts, longest upload, each run's time to its picture."""

    median: float = 0.0
    worst: float = 0.0
    refused: int = 0
    unanswered: int = 0
    upload: float = 0.0
    runs: list[float] = field(default_factory=list)


class Beside:
    """The visitor's process; its input is closed at the end of the block, and its `lines` are kept."""

    def __init__(self, address: str) -> None:
        self.lines: list[dict] = []
        self._out = tempfile.TemporaryFile()  # noqa: SIM115  closed after the process has ended
        self._process = subprocess.Popen(
            [sys.executable, str(SCRIPT), address], stdin=subprocess.PIPE, stdout=self._out, stderr=subprocess.DEVNULL
        )

    def __enter__(self) -> Self:
        return self

    def runs(self, wanted: bool) -> None:
        """Start or stop the visitor's short runs. On a stop it leaves a run that is under way."""
        assert self._process.stdin is not None
        self._process.stdin.write(b"run\n" if wanted else b"rest\n")
        self._process.stdin.flush()

    def __exit__(self, *error: object) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        try:
            self._process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._out.seek(0)
        self.lines = [json.loads(line) for line in self._out.read().splitlines()]
        self._out.close()


def met(lines: list[dict], began: float, left: float) -> Polite:
    """Return the visitor's measurements from `began` to `left`.

    An unanswered request counts with the time until now. A run that ended without a picture counts with the time until
    `left`.
    """
    answered = [line for line in lines if "seconds" in line and began <= line["began"] <= left]
    frames = [line for line in answered if line["kind"] == "frame"]
    asked = {
        (line["kind"], line["began"]) for line in lines if "seconds" not in line and began <= line["began"] <= left
    }
    waiting = asked - {(line["kind"], line["began"]) for line in answered}
    seconds = [line["seconds"] for line in frames]
    seconds += [time.monotonic() - at for kind, at in waiting if kind == "frame"]
    uploads = [line["seconds"] for line in answered if line["kind"] == "upload"]
    uploads += [time.monotonic() - at for kind, at in waiting if kind == "upload"]
    runs = [line["seconds"] for line in answered if line["kind"] == "run"]
    runs += [left - at for kind, at in waiting if kind == "run"]
    return Polite(
        median(seconds) if seconds else float("inf"),
        max(seconds, default=float("inf")),
        sum(line["status"] != 200 for line in answered),
        sum(kind != "run" for kind, _ in waiting),
        max(uploads, default=0.0),
        runs,
    )
