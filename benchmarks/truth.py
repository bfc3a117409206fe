"""Our numbers beside those of other libraries and of 420 digits: the worst errors, in units of rounding.

    python -m benchmarks.truth
    python -m benchmarks.truth --random 300 --seed 1
    python -m benchmarks.truth --after 100 --seed 1

Needs tests/requirements.txt. Prints the tables of docs/truth.md: of the chosen cases, of random ones, or of what came
after 1/√d_k: COUNT models of each architecture, COUNT rows of each kind and length, and 20 times COUNT random states.
"""

import argparse
from collections.abc import Iterator

from benchmarks.machine import described
from tests.references.cases import CASES, at_random
from tests.references.comparing import Compared, compared


def main() -> None:
    """Compare and print."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument(
        "--random", type=int, default=0, metavar="COUNT", help="random cases instead of the chosen ones"
    )
    options.add_argument(
        "--after", type=int, default=0, metavar="COUNT", help="what came after 1/√d_k instead: models, rows and states"
    )
    options.add_argument("--seed", type=int, default=1, help="of the random cases")
    chosen = options.parse_args()
    cases = at_random(chosen.random, chosen.seed) if chosen.random else CASES
    print(*described(), sep="\n")
    found = list(after_the_root(chosen.after, chosen.seed) if chosen.after else compared(cases))
    print(f"{len({one.case for one in found}):,} cases, {sum(one.count for one in found):,} numbers compared\n")
    print("| held against | quantity | cases | numbers | worst in float64 | worst in float32 | in the case |")
    print("| --- | --- | ---: | ---: | ---: | ---: | --- |")
    for reference, quantity in dict.fromkeys((one.reference, one.quantity) for one in found):
        print(line([one for one in found if (one.reference, one.quantity) == (reference, quantity)]))


def after_the_root(count: int, seed: int) -> Iterator[Compared]:
    """Yield the comparisons of sinks, softcaps, QK-norm, log n, sigmoid and entmax."""
    # seconds to import, and only here
    from tests.references.comparing_models import compared_with_models
    from tests.references.exact_states import compared_with_exact
    from tests.references.modelling import layers_of
    from tests.references.sparse_rows import compared_with_entmax

    yield from compared_with_models(layers_of(count, seed))
    yield from compared_with_entmax(count, seed)
    yield from compared_with_exact(20 * count, seed)


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
