"""The harm of a rude visitor to the others, in numbers: the rounds of tests/attacks, each attack and then a mixed load.

    python -m benchmarks.bounds [--only NAME …] [--combinations 6] [--minutes 3] [--seed 1]

The attackers have another loopback address than the polite visitor, and share their process with it, so its times are
upper bounds. The mixed load is a class at work and, a third of the time, one attack. Linux only: memory, files and CPU
come from /proc. A goal is only reported as met or missed.
"""

import argparse
import time
from collections.abc import Callable
from random import Random
from statistics import median

from benchmarks.machine import described, load
from benchmarks.verdicts import verdict
from tests.attacks.attacked import Attacked, Found, attacked
from tests.attacks.known import KNOWN, ORDINARY

MEMORY, MEDIAN, WORST, AFTER, DRIFT = 1000.0, 0.1, 2.0, 0.4, 0.1
"""Goals: megabytes above a fresh app's; seconds of a polite frame, median and worst; seconds of CPU after leaving (two
cores for 0.2 s have 0.4); the share by which memory may differ between a sixth of the mixed load and its end."""

COLUMNS = "MB above fresh · after | polite frame median · worst ms, refused | CPU after s | files | answers"


def main() -> None:
    """Run all attacks and print the results."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--only", nargs="+", choices=list(KNOWN), help="these attacks, no combinations, no mixed load")
    options.add_argument("--combinations", type=int, default=6)
    options.add_argument("--minutes", type=float, default=3.0, help="of mixed load; 30 is what the goal is about")
    options.add_argument("--seed", type=int, default=1)
    chosen = options.parse_args()
    random = Random(chosen.seed)
    plan = [[name] for name in chosen.only or KNOWN]
    if not chosen.only:
        plan += [random.sample(list(KNOWN), random.randint(2, 4)) for _ in range(chosen.combinations)]
    print(*described(), sep="\n")
    with attacked() as app:
        print(f"fresh     {app.fresh.memory:.0f} MB, {app.fresh.files} files, {app.fresh.threads} threads\n")
        print(f"{'attack':27} {COLUMNS}", flush=True)
        found = {"+".join(names): shown(app, names, random) for names in plan}
        levels = [] if chosen.only else mixed(app, random, 60 * chosen.minutes)
    goals(found, levels)
    print(f"\nload      {load()} at the end")


def shown(app: Attacked, names: list[str], random: Random) -> Found:
    """Run a round and print its row."""
    one = app.round(names, random.randrange(10**6))
    frames = f"{1000 * median(one.seconds):6.0f} · {1000 * max(one.seconds):6.0f}, {len(one.refused)}"
    answers = " ".join(f"{name}:{count}" for name, count in sorted((one.counts + one.honest).items()))
    print(
        f"{'+'.join(names):27} {one.peak:6.0f} · {one.after:5.0f} | {frames} | {one.cpu_after:5.2f} | "
        f"{one.files} | {answers} {' '.join(one.refused + one.log + one.disk)}",
        flush=True,
    )
    return one


def mixed(app: Attacked, random: Random, seconds: float) -> list[float]:
    """Run rounds of a class at work, some with an attack; return the memory above fresh after each."""
    print(f"\nmixed load for {seconds / 60:g} minutes", flush=True)
    levels, until = [], time.monotonic() + seconds
    while time.monotonic() < until:
        attack = [] if random.random() < 2 / 3 else [random.choice(list(KNOWN))]
        levels.append(shown(app, [ORDINARY, *attack], random).after)
    return levels


def goals(found: dict[str, Found], levels: list[float]) -> None:
    """Print each goal as met or missed."""
    checks: list[tuple[str, Callable[[Found], bool]]] = [
        (f"at most {MEMORY:.0f} MB above fresh", lambda one: one.peak <= MEMORY),
        (f"polite frames' median ≤ {1000 * MEDIAN:.0f} ms", lambda one: median(one.seconds) <= MEDIAN),
        (f"polite frames' worst ≤ {WORST:g} s", lambda one: max(one.seconds) <= WORST),
        ("polite visitor never refused", lambda one: not one.refused),
        (f"CPU after leaving ≤ {AFTER:g} s", lambda one: one.cpu_after <= AFTER),
        ("log: short lines, no visitor's text, no traceback; nothing on disk", lambda one: not one.log + one.disk),
    ]
    print("\ngoals (stated for two cores, the machine otherwise idle)")
    for sentence, met in checks:
        missed = [name for name, one in found.items() if not met(one)]
        print(verdict(not missed, f"{sentence}{': ' if missed else ''}{', '.join(missed)}"))
    if levels:
        early, late = levels[len(levels) // 6], levels[-1]
        sentence = f"mixed load ends {late:.0f} MB above fresh, {early:.0f} MB early, ± {DRIFT:.0%}"
        print(verdict(abs(late - early) <= DRIFT * abs(early), sentence))


if __name__ == "__main__":
    main()
