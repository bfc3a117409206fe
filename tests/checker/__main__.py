"""Check the sentences of every page in many random states: python -m tests.checker --states 20000 [--page explore].

The states are shared among the pages. Each false claim is printed with its link; the process then ends with 1.
"""

import argparse
import sys
import time

from tests import draws
from tests.checker.checking import checked
from tests.checker.pages import PAGES


def main() -> int:
    """Check and print."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--states", type=int, default=20_000, help="random states of all pages together")
    options.add_argument("--page", action="append", choices=sorted(PAGES), help="only this page; may be repeated")
    options.add_argument("--seed", type=int, default=draws.SEED, help="of the states")
    chosen = options.parse_args()
    pages = chosen.page or sorted(PAGES)
    each, false = -(-chosen.states // len(pages)), 0
    print(f"seed {chosen.seed}, {each} states of each page", flush=True)
    for name in pages:
        began = time.monotonic()
        found = checked(PAGES[name], each, chosen.seed)
        false += len(found)
        seconds = time.monotonic() - began
        print(f"{name}: {len(found)} of {each} states say something false, {seconds:.0f} s", flush=True)
        for link, wrong in found.items():
            print(f"  ?{link}", *wrong, sep="\n    ", flush=True)
    return 1 if false else 0


if __name__ == "__main__":
    sys.exit(main())
