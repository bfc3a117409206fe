"""Run the gate: `python -m tests.gate`, which `bash tests/run.sh` calls.

1. Every test of the gate, in one process a core.
2. Each journey that was red once more, alone and in a fresh process: red twice is red. Red then green passes; it is
   named at the end and noted in `.suspects`, and the night runs it twenty times.
3. The cases of `tests/regressions.toml`: what nights have found, each with the night's seed. One with `fails = true` is
   a known fault: it has to fail until somebody mends it and takes the line away.

With arguments it runs pytest with these, and no more.
"""

import json
import os
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[1]
REGRESSIONS: Final = ROOT / "tests" / "regressions.toml"
SUSPECTS: Final = ROOT / ".suspects"
"""Journeys that were red and then green on this machine, one a line."""
JOURNEYS: Final = "tests/browser/"
AGAIN: Final = 5
"""More red journeys than that are no accident, and do not run again."""
SPREAD: Final = ("-n", "auto", "--maxprocesses", "8", "--dist", "loadfile", "--no-loadscope-reorder")
ALONE: Final = ("-n", "0", "-q")
OTHER_ENDS: Final = (0, 1)
"""pytest's exit statuses for tests that ran: all green, some red. Any other one is no test's."""


@dataclass(frozen=True)
class Regression:
    """A case that a night found: the test, the night's seed, and whether its fault is still there."""

    test: str
    seed: int
    because: str
    fails: bool = False


def run_pytest(*arguments: str, seed: int | None = None) -> int:
    """Run pytest in a process of its own and return its exit status; `seed` makes it a part of that night."""
    environment = {name: value for name, value in os.environ.items() if name != "HEADLIGHT_NIGHT" or seed is None}
    if seed is not None:
        environment["HEADLIGHT_NIGHT"] = str(seed)
    sys.stdout.flush()
    return subprocess.run(
        [sys.executable, "-m", "pytest", *arguments], cwd=ROOT, env=environment, check=False
    ).returncode


def run_journeys_again(failed: Sequence[str]) -> list[str]:
    """Run red journeys once more, each in a fresh process, and return those that are green now."""
    if not 0 < len(failed) <= AGAIN:
        return []
    say(f"once more, each alone: {', '.join(failed)}")
    green = [name for name in failed if run_pytest(*ALONE, name) == 0]
    with SUSPECTS.open("a", encoding="utf-8") as suspects:
        suspects.writelines(f"{name}\n" for name in green)
    return green


def regressions(path: Path = REGRESSIONS) -> list[Regression]:
    """Return the cases in a file. Raise `TypeError` for a key that none has."""
    return [Regression(**case) for case in tomllib.loads(path.read_text(encoding="utf-8")).get("case", [])]


def run_regressions(cases: Sequence[Regression]) -> list[str]:
    """Run the cases, those of one seed together, and return what is not as it should be."""
    wrong = []
    for seed in sorted({case.seed for case in cases if not case.fails}):
        tests = [case.test for case in cases if case.seed == seed and not case.fails]
        if run_pytest(*ALONE, *tests, seed=seed) != 0:
            wrong.append(f"what the night of {seed} found fails again: bash tests/night.sh --seed {seed} {tests}")
    for case in cases:
        if case.fails:
            say(f"a known fault, which has to fail: {case.test}: {case.because}")
            status = run_pytest(*ALONE, case.test, seed=case.seed)
            if status != 1:
                wrong.append(f"{case.test} does not fail any more: take `fails = true` away ({REGRESSIONS.name})")
    return wrong


def say(line: str) -> None:
    """Print a line at once, between the lines of pytest."""
    sys.stdout.write(f"gate: {line}\n")
    sys.stdout.flush()


def gate() -> int:
    """Run the whole gate and return its exit status."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(os.environ.get("HEADLIGHT_REPORT", Path(folder, "report.json")))
        status = run_pytest(*SPREAD, f"--report={report}")
        failed: list[str] = json.loads(report.read_text("utf-8"))["failed"] if report.exists() else []
    if status not in OTHER_ENDS:
        return status
    journeys = [name for name in failed if name.startswith(JOURNEYS)]
    green = run_journeys_again(journeys)
    wrong = [f"red: {name}" for name in failed if name not in green]
    wrong += run_regressions(regressions())
    for name in green:
        say(f"red, then green alone: {name} (the night runs it twenty times)")
    for line in wrong:
        say(line)
    say("red" if wrong else "green")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(run_pytest(*SPREAD, *sys.argv[1:]) if sys.argv[1:] else gate())
