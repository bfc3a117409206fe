"""Fuzz the app: send requests drawn from a grammar of all routes to a server process that this command starts.

    python -m tests.fuzz --requests 20000 --seed 1     about ten minutes
    python -m tests.fuzz --seed 1 --only 1234 77       these requests again, with their bytes

Exits with 1 if anything failed: a status above 499 other than 503 with a sentence, an apology inside an answer, no
answer, more bytes than the route may send, a traceback, a long line or a visitor's text in the log, a changed
frame for a polite visitor, memory above the bound, files left on the disk.
"""

import argparse
import re
import sys
from collections import defaultdict

from tests.fuzz.cases import case
from tests.fuzz.fuzzer import Report, fuzz
from tests.fuzz.oracle import Failure

KIND = re.compile(r"(?<=text: ).*|\d.*(?= bytes)|(?<=bytes: ).*", re.DOTALL)
"""The part of a message that differs between failures of one kind."""

SHOWN = 6
"""Requests named per kind of failure."""


def main() -> int:
    """Fuzz and print the report; return the exit status."""
    options = argparse.ArgumentParser(
        prog="python -m tests.fuzz", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("--requests", type=int, default=20_000)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--only", type=int, nargs="+", help="the numbers of single requests")
    chosen = options.parse_args()
    numbers = chosen.only or list(range(chosen.requests))
    for number in chosen.only or ():
        found = case(chosen.seed, number)
        say(f"{number}: cut {found.cut}, leave {found.leave}\n{found.data[:3000]!r}\n")
    report = fuzz(numbers, chosen.seed)
    most, first = max(report.memory, default=(0.0, 0))
    say(f"{len(numbers)} requests in {report.seconds:.0f} s")
    say(f"at most {most:.0f} MB above the fresh process (requests {first} and on), after the last {_last(report):.0f}")
    times = sorted(report.times.items(), key=lambda each: -each[1])[:12]
    routes = ", ".join(f"{name} {seconds:.0f}" for name, seconds in times)
    say(f"seconds waited, all together, by route: {routes}")
    say("answers   " + ", ".join(f"{name}: {count}" for name, count in report.statuses.most_common()))
    for seconds, number, route in sorted(report.slow, reverse=True)[:10]:
        say(f"slow      {seconds:.1f} s  request {number}, {route[:60]}")
    kinds: dict[str, list[Failure]] = defaultdict(list)
    for failure in report.failures:
        kinds[KIND.sub("…", failure.what)[:60]].append(failure)
    for which in sorted(kinds.values(), key=len, reverse=True):
        say(f"failed    {len(which)} × {which[0].what[:300]}")
        say(f"          requests {' '.join(str(failure.number) for failure in which[:SHOWN])}")
    say(f"{len(report.failures)} failures of {len(kinds)} kinds" if kinds else "no failure")
    return 1 if kinds else 0


def _last(report: Report) -> float:
    return report.memory[-1][0] if report.memory else 0.0


def say(line: str) -> None:
    """Print a line in any terminal's encoding."""
    sys.stdout.write(line.encode("utf-8", "backslashreplace").decode() + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
