"""Our numbers beside those of other libraries and of 420 digits: the worst errors, in units of rounding.

    python -m benchmarks.truth

Needs tests/requirements.txt. Prints the table of docs/truth.md.
"""

from benchmarks.machine import described
from tests.references.cases import CASES
from tests.references.comparing import Compared, compared


def main() -> None:
    """Compare and print."""
    print(*described(), sep="\n")
    found = list(compared())
    print(f"{len(CASES)} cases, {sum(one.count for one in found):,} numbers compared\n")
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
