"""Run the night: `bash tests/night.sh [--seed N] [--go-on] [pytest arguments]`. It prints its seed first and last.

1. Every test with all its cases, with draws of the seed.
2. The scripts' properties, with draws of the seed, and the types of all Python.
3. Journeys that were once red in the gate of this machine (`.suspects`), twenty times each.
4. The quick tests and each page in a browser with another gradio.
5. Mutations of what changed since `--since`, a day unless it is given, against the gate.

A night that was cut short goes on with `--go-on`: files whose tests were all green with its seed do not run again.
With arguments for pytest it runs these tests alone. Nothing waits for a night: its exit status tells what it found.
"""

import argparse
import datetime
import os
import subprocess
import sys
from typing import Final

from tests.gate import ALONE, ROOT, SPREAD, SUSPECTS, run_pytest

AGAIN: Final = 20
"""Runs of a journey that was red once."""
DONE: Final = ROOT / ".night"
"""The tests that were green in the night of a seed, which the file's name ends in; one a line."""
NOTHING_LEFT: Final = 5
"""pytest's exit status for a run without tests."""
OTHER_GRADIO: Final = "6.30.0"
"""The version before the pinned one; later ones have to be tried before the pin moves."""
MUTATIONS: Final = 30
"""Places of each kind that are broken, of those in files that changed."""


def today() -> int:
    """Return the date as a number: the seed of a night that names none."""
    return int(datetime.datetime.now(datetime.UTC).strftime("%Y%m%d"))


def suspects() -> list[str]:
    """Return the journeys that were red and then green."""
    return sorted(set(SUSPECTS.read_text(encoding="utf-8").split("\n")) - {""}) if SUSPECTS.exists() else []


def run_suspects() -> list[str]:
    """Run each suspect many times, and return those that were red again."""
    found = []
    for name in suspects():
        red = sum(run_pytest(*ALONE, name) != 0 for _ in range(AGAIN))
        say(f"{name}: red in {red} of {AGAIN} runs")
        found += [f"a journey that is red now and then: {name}"] if red else []
    return found


def run_command(what: str, *command: str, **variables: str) -> list[str]:
    """Run another part of the night, and return what to say of it if it is red."""
    say(what)
    status = subprocess.run(command, cwd=ROOT, env=os.environ | variables, check=False).returncode
    return [f"{what}: exit status {status}"] if status else []


def say(line: str) -> None:
    """Print a line at once, between the lines of pytest."""
    sys.stdout.write(f"night: {line}\n")
    sys.stdout.flush()


def main() -> int:
    """Read the command line, run the night, and return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=today(), help="of everything that is drawn; the date by default")
    parser.add_argument("--since", default="1 day ago", help="mutations are of files that changed since")
    parser.add_argument("--go-on", action="store_true", help="leave out what an earlier part of this night has run")
    options, named = parser.parse_known_args()
    say(f"seed {options.seed}: bash tests/night.sh --seed {options.seed}")
    if named and options.go_on:
        parser.error("--go-on is of a whole night: named tests run again")
    if named:
        status = run_pytest(*ALONE, *named, seed=options.seed)
        say(f"seed {options.seed}")
        return status
    done = DONE.with_name(f"{DONE.name}-{options.seed}")
    if not options.go_on:
        done.unlink(missing_ok=True)
    status = run_pytest(*SPREAD, f"--done={done}", seed=options.seed)
    found = [] if status == 0 or (options.go_on and status == NOTHING_LEFT) else ["tests"]
    found += run_command("scripts", "bash", "tests/scripts/run.sh", "test", HEADLIGHT_NIGHT=str(options.seed))
    heap = "--max-old-space-size=8192"  # with less pyright forgets what it knows, and begins again
    found += run_command("types", sys.executable, "-m", "pyright", "--pythonpath", sys.executable, NODE_OPTIONS=heap)
    found += run_suspects()
    found += run_command(
        f"gradio {OTHER_GRADIO}", "bash", "tests/run.sh", "-m", "quick or smoke", HEADLIGHT_GRADIO=OTHER_GRADIO
    )
    for of in ("modules", "scripts"):
        mutations = (sys.executable, "-m", "benchmarks.mutations")
        found += run_command(f"which tests run the {of}", *mutations, "cover", "--of", of)
        drawn = ("--count", str(MUTATIONS), "--seed", str(options.seed), "--since", options.since)
        found += run_command(f"mutations of {of} that changed", *mutations, "run", "--of", of, *drawn)
    for line in found:
        say(f"red: {line}")
    say(f"seed {options.seed}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
