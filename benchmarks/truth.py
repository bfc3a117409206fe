"""Our numbers beside those of other libraries and of 420 digits: the worst errors, in units of rounding.

    python -m benchmarks.truth
    python -m benchmarks.truth --random 300 --seed 1

Needs tests/requirements.txt. Prints the tables of docs/truth.md: of the chosen cases, or of random ones.
"""

import argparse

from benchmarks.machine import described
from tests.references.cases import CASES, at_random
from tests.references.comparing import Compared, compared


def main() -> None:
    """Compare and print."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument(
        "--random", type=int, default=0, metavar="COUNT", help="random cases instead of the chosen ones"
    )
    options.add_argument("--seed", type=int, default=1, help="of the random cases")
    chosen = options.parse_args()
    cases = at_random(chosen.random, chosen.seed) if chosen.random else CASES
    print(*described(), sep="\n")
    found = list(compared(cases))
    print(f"{len(cases)} cases, {sum(one.count for one in found):,} numbers compared\n")
    print("| held against | quantity | cases | numbers | worst in float64 | worst in float32 | in the case |")
    print("| --- | --- | ---: | ---: | ---: | ---: | --- |")
    for reference, quantity in dict.fromkeys((one.reference, one.quantity) for one in found):
        print(line([one for one in found if (one.reference, one.quantity) == (reference, quantity)]))


def line(of: list[Compared]) -> str:
    """Return a line of the table: the worst of one quantity by one reference."""
    worst = max(of, key=lambda one: one.float32)
    doubles = [one.float64 for one in of if one.float64 is not None]
    double = f"{max(doubles):.2f}" if doubles else "–"
    count = sum(one.count for one in of)
    name = of[0].quantity.replace("_", " ")
    return f"| {of[0].reference} | {name} | {len(of)} | {count:,} | {double} | {worst.float32:.2f} | {worst.case} |"


if __name__ == "__main__":
    main()
