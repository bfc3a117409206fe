"""The core on a GPU: its numbers against the CPU's, and its times and memory; ends with 1 where a bound is missed.

    python benchmarks/gpu.py [--device cuda] [--small] [--parts numbers formats …]

It takes ten minutes at most and needs tests/requirements.txt. Without a GPU it says so and runs the same at small
sizes on the CPU: then only numbers and memory have bounds, since a time on a machine that others use proves nothing.
`benchmarks.on_gpu` has the parts and their bounds.
"""

import argparse
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def main() -> int:
    """Run the parts and print them."""
    sys.path.insert(0, str(ROOT))  # when it is called as a file
    from benchmarks.on_gpu import PARTS, run

    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--device", default="auto", choices=("auto", "cpu", "cuda", "mps"))
    options.add_argument("--small", action="store_true", help="small sizes on a GPU, too")
    options.add_argument("--parts", nargs="+", default=list(PARTS), choices=PARTS)
    chosen = options.parse_args()
    return run(chosen.device, chosen.small, chosen.parts)


if __name__ == "__main__":
    sys.exit(main())
