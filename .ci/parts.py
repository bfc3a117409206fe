"""Run what a change has to pass: what takes seconds before what takes minutes. Print the slowest parts and their cost.

The cost is the processor time of all processes, browsers included. On Linux this process takes over the orphans of its
children (prctl 36), whose time nobody else would count. A run that costs more than `BUDGET` is red.
"""

import ctypes
import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Final

ROOT: Final = Path(__file__).resolve().parents[1]
BUDGET: Final = 1700
"""Seconds of the processor that a whole run may take: 15 minutes of two cores."""
SLOWEST: Final = 10
SUBREAPER: Final = 36
PYTHON: Final = (sys.executable, "-m")
SCRIPTS: Final = ("bash", "tests/scripts/run.sh")
PRODUCT: Final = (".ci", "app.py", "attention_core", "docs", "visualiser")
"""What pyright checks here: a wrong type in a test shows when it runs. The night checks all."""
REPORT: Final = "HEADLIGHT_REPORT"


@dataclass
class Part:
    """A command, and what it took."""

    name: str
    command: Sequence[str]
    seconds: float = 0.0
    cpu: float = 0.0
    status: int = 0
    shown: bool = False
    """Its output is shown while it runs, and not at its end."""
    output: IO[bytes] = field(default_factory=tempfile.TemporaryFile)
    process: subprocess.Popen[bytes] | None = None
    began: float = 0.0

    def start(self) -> None:
        """Start the command."""
        self.began = time.monotonic()
        output = None if self.shown else self.output
        self.process = subprocess.Popen(self.command, cwd=ROOT, stdout=output, stderr=output, start_new_session=True)

    def end(self, status: int, used: resource.struct_rusage) -> None:
        """Note what the command took, and show what it printed."""
        self.seconds, self.cpu = time.monotonic() - self.began, used.ru_utime + used.ru_stime
        self.status = os.waitstatus_to_exitcode(status)
        self.output.seek(0)
        sys.stdout.buffer.write(self.output.read())
        print(f"ci: {self.name}: {'green' if self.status == 0 else 'RED'}, {self.seconds:.0f} s", flush=True)


def stages() -> list[list[Part]]:
    """Return the parts: those of one stage run side by side."""
    return [
        [
            Part("lint", (*PYTHON, "ruff", "check", ".")),
            Part("format", (*PYTHON, "ruff", "format", "--check", ".")),
            Part("lint and format of scripts", (*SCRIPTS, "format lint")),
        ],
        [
            Part("types", (*PYTHON, "pyright", "--pythonpath", sys.executable, *PRODUCT)),
            Part("types and tests of scripts", (*SCRIPTS, "types test")),
            Part("pages of docs/", ("bash", "docs/build.sh")),
        ],
        [Part("tests", ("bash", "tests/run.sh"), shown=True)],
    ]


def run(stage: list[Part]) -> bool:
    """Run the parts of a stage side by side; return False, and end the others, once one is red."""
    waiting: dict[int, Part] = {}
    for part in stage:
        part.start()
        assert part.process is not None
        waiting[part.process.pid] = part
    red = False
    while waiting:
        pid, status, used = os.wait4(-1, 0)
        if (part := waiting.pop(pid, None)) is None:
            continue  # an orphan that this process has taken over
        part.end(status, used)
        if part.status != 0 and not red:
            red = True
            for other in waiting:
                os.killpg(other, signal.SIGTERM)
    return not red


def reap(patience: float = 10.0) -> None:
    """Wait for orphans that are still ending, so that their time is counted."""
    until = time.monotonic() + patience
    while time.monotonic() < until:
        try:
            if os.waitpid(-1, os.WNOHANG)[0] == 0:
                time.sleep(0.1)
        except ChildProcessError:
            return


def processor_seconds() -> float:
    """Return the processor time of all processes that this one has waited for, also before it became this program."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def main() -> int:
    """Run all stages, print the slowest parts, and return the exit status."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(SUBREAPER, 1, 0, 0, 0)
    began, before, green, done = time.monotonic(), processor_seconds(), True, list[Part]()
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder, "report.json")
        os.environ[REPORT] = str(report)
        for stage in stages():
            done += stage
            if not (green := run(stage)):
                break
        files = json.loads(report.read_text("utf-8"))["seconds"] if report.exists() else {}
    reap()
    took = {part.name: part.seconds for part in done if part.name != "tests"} | files
    print(f"ci: the {SLOWEST} slowest parts, in seconds of wall")
    for name in sorted(took, key=took.__getitem__, reverse=True)[:SLOWEST]:
        print(f"ci: {took[name]:7.1f}  {name}")
    cost = processor_seconds() - before  # without what .ci/run has installed
    print(f"ci: {time.monotonic() - began:.0f} s, {cost:.0f} seconds of the processor of {BUDGET}")
    if cost > BUDGET:
        print("ci: RED: it costs more than its budget; docs/contributing.md says what belongs to the night.")
        green = False
    return 0 if green else 1


if __name__ == "__main__":
    sys.exit(main())
