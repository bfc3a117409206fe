"""The harm of a rude visitor to the others: memory, waiting, and the time until all is back after he left.

    python benchmarks/bounds.py [--only NAME …] [--seconds 10] [--width 1] [--combinations 6] [--seed 1] [--minutes 3]

Every attack of `benchmarks/attacks.py`, then combinations drawn at random, then a mixed load. Each runs in a process of
its own from another loopback address, beside a polite visitor (`benchmarks/polite.py`) in a third process; the app is
one process throughout, with at most 1,024 open files, and is started anew only when an attack leaves it busy, or takes
more than `--stop-at` megabytes. Linux only: memory, files, threads and CPU come from /proc.

The polite visitor also starts a short training every ten seconds during an attack. A refused training counts as any
other refusal. A run that waits in line shows only by its wait.

`back` is the time from the attack's end until memory is within a tenth of its earlier value, and files and threads are
at most two more than before. `CPU after` is the server's processor time from the first look after the attack's end (ten
looks a second), less the polite visitor's share. A goal is only reported as met or missed.
"""

import argparse
from collections.abc import Callable
from random import Random

from attacks import KNOWN, ORDINARY
from bounded_round import Found, Rounds
from logged import LONGEST_LINE
from machine import described, load

MEMORY, MEDIAN, WORST, AFTER, DRIFT = 1000.0, 0.1, 2.0, 0.4, 0.1
"""Goals: megabytes above a fresh app's; seconds of a polite frame, median and worst; seconds of CPU after leaving (two
cores for 0.2 s have 0.4); the share by which memory may differ between minute 5 and the end."""


def main() -> None:
    """Run all attacks and print the results."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--only", nargs="+", choices=list(KNOWN), help="these attacks, no combinations, no mixed load")
    options.add_argument("--seconds", type=float, default=10.0, help="of each attack")
    options.add_argument("--settle", type=float, default=15.0, help="seconds to wait until all is back")
    options.add_argument("--width", type=float, default=1.0, help="times as many connections of each attack")
    options.add_argument("--combinations", type=int, default=6)
    options.add_argument("--seed", type=int, default=1, help="of the combinations and of the mixed load")
    options.add_argument("--minutes", type=float, default=3.0, help="of mixed load; 30 is what the goal is about")
    options.add_argument("--stop-at", type=float, default=4000.0, help="megabytes at which an attack is ended")
    options.add_argument("--same-address", action="store_true", help="attack from the polite visitor's own address")
    chosen = options.parse_args()
    print(*described(), sep="\n")
    print(f"attacks   {chosen.seconds:g} s each, width {chosen.width:g}, seed {chosen.seed}", flush=True)
    random, found = Random(chosen.seed), []
    source = "127.0.0.1" if chosen.same_address else "127.0.0.2"
    with Rounds(chosen.seconds, chosen.settle, chosen.width, chosen.stop_at, source) as rounds:
        print(f"fresh     {rounds.fresh.memory:.0f} MB, {rounds.fresh.files} files, {rounds.fresh.threads} threads\n")
        heading()
        for names in plan(chosen.only, chosen.combinations, random):
            found.append(rounds.attack(names, random.randrange(10**6)))
            print(row(found[-1]), flush=True)
        drift = None if chosen.only or not chosen.minutes else mixed(rounds, random, chosen.minutes)
    verdicts(found, drift)
    print(f"\nload      {load()} at the end")


def plan(only: list[str] | None, combinations: int, random: Random) -> list[tuple[str, ...]]:
    """Return the attacks one by one, then several at once."""
    if only:
        return [(name,) for name in only]
    drawn = [tuple(random.sample(list(KNOWN), random.randint(2, 4))) for _ in range(combinations)]
    return [(name,) for name in KNOWN] + drawn


FOREIGN = ("foreign 200", "credentials reflected")
"""The counts of `foreign-origins` that must stay 0."""

COLUMNS = (
    "MB above fresh · after | polite frame median · worst ms, refused, unanswered | upload worst ms | "
    "its runs · worst s to a picture | "
    "back: memory · files · threads s | CPU after s | log kB, longest line, visitors' lines, tracebacks | disk MB | "
    "answers"
)


def heading() -> None:
    """Print the table's head."""
    print(f"{'attack':27} {COLUMNS}")


def row(found: Found) -> str:
    """Return the table's row of one attack."""
    polite, back, log = found.polite, found.back, found.log
    came = " ".join(f"{name}:{count}" for name, count in sorted(found.counts.items()))
    return (
        f"{'+'.join(found.names):27} {found.peak:6.0f} · {found.after:5.0f} | "
        f"{1000 * polite.median:6.0f} · {1000 * polite.worst:6.0f}, {polite.refused}, {polite.unanswered} | "
        f"{1000 * polite.upload:6.0f} | {len(polite.runs)} · {max(polite.runs, default=0.0):.1f} | "
        f"{_seconds(back.memory)} · {_seconds(back.files)} · {_seconds(back.threads)} | "
        f"{found.cpu_after:5.2f} | {log.kilobytes:.0f}, {log.longest}, {log.visitors}, {log.tracebacks} | "
        f"{found.disk:.0f} | {came}{'' if not found.ended else '  ' + found.ended}"
    )


def _seconds(value: float | None) -> str:
    return "never" if value is None else f"{value:.1f}"


def mixed(rounds: Rounds, random: Random, minutes: float) -> tuple[float, float, Found]:
    """Run ordinary visitors and, a third of the time, a narrow attack; return memory early and late, and results."""
    print(f"\nmixed load for {minutes:g} minutes, memory read after a sixth of them and at the end", flush=True)
    names = [(ORDINARY,) if random.random() < 2 / 3 else (ORDINARY, random.choice(list(KNOWN))) for _ in range(1000)]
    early, late, found = rounds.mixed(names, 60 * minutes, random.randrange(10**6))
    print(row(found), f"\n{'':27} memory {early:.0f} MB early, {late:.0f} MB at the end", sep="", flush=True)
    return early, late, found


def verdicts(found: list[Found], drift: tuple[float, float, Found] | None) -> None:
    """Print each goal as met or missed."""
    print("\ngoals (stated for two cores, the machine otherwise idle)")
    every = found + ([drift[2]] if drift else [])
    _goal(every, lambda one: one.peak <= MEMORY, f"at most {MEMORY:.0f} MB above fresh")
    _goal(every, lambda one: one.polite.median <= MEDIAN, f"polite frames' median ≤ {1000 * MEDIAN:.0f} ms")
    _goal(every, lambda one: one.polite.worst <= WORST, f"polite frames' worst ≤ {WORST:g} s")
    _goal(every, lambda one: not one.polite.refused + one.polite.unanswered, "polite visitor never refused")
    _goal(found, lambda one: one.cpu_after <= AFTER, f"CPU after leaving ≤ {AFTER:g} s")
    _goal(every, lambda one: None not in (one.back.files, one.back.threads), "all files and threads back")
    _goal(
        every,
        lambda one: one.log.longest <= LONGEST_LINE and not one.log.visitors,
        "log: short lines, no visitor's text",
    )
    _goal(every, lambda one: not one.log.tracebacks, "log: no traceback")
    _goal(every, lambda one: not one.disk, "nothing of gradio's uploads on disk")
    _goal(every, lambda one: not any(one.counts.get(name) for name in FOREIGN), "no foreign origin is served")
    if drift:
        early, late, _ = drift
        _say(
            abs(late - early) <= DRIFT * early, f"mixed load ends at {late:.0f} MB, {early:.0f} MB early, ± {DRIFT:.0%}"
        )


def _goal(found: list[Found], met: Callable[[Found], bool], sentence: str) -> None:
    missed = ["+".join(one.names) for one in found if not met(one)]
    _say(not missed, f"{sentence}{': ' if missed else ''}{', '.join(missed)}")


def _say(met: bool, sentence: str) -> None:
    print(f"  {'met   ' if met else 'missed'}  {sentence}")


if __name__ == "__main__":
    main()
