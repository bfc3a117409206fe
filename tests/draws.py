"""Seeds and numbers of random cases: fixed in the gate, the night's own at night.

`HEADLIGHT_NIGHT` is the seed of a night (`bash tests/night.sh`). Without it every draw repeats.
"""

import hashlib
import os
from collections.abc import Sequence
from random import Random
from typing import Final, TypeVar

NIGHT: Final = int(os.environ["HEADLIGHT_NIGHT"]) if os.environ.get("HEADLIGHT_NIGHT") else None
"""The seed of a night; None in the gate."""
SEED: Final = 20261128 if NIGHT is None else NIGHT
"""The seed that every other seed follows from."""
SHARE: Final = 10
"""The gate has one of so many random cases."""
LEAST: Final = 10
"""Random cases that the gate keeps of each test, if it has as many."""
EXAMPLES: Final = 20 if NIGHT is None else 100
"""Examples of a property that does not say how many."""

SUMS: Final = {"MKL_CBWR": "COMPATIBLE", "ATEN_CPU_CAPABILITY": "avx2"}
"""Variables with which torch adds up in one order on every processor with AVX2: a snapshot may show rounding errors."""

Case = TypeVar("Case")


def seed(*names: object) -> int:
    """Return the seed of a draw that these names tell from others, below 2^32."""
    written = "/".join(map(str, (SEED, *names)))
    return int.from_bytes(hashlib.sha256(written.encode()).digest()[:4], "big")


def cases(most: int) -> int:
    """Return the number of random cases to draw: `most` at night, a tenth in the gate, but at least ten."""
    return most if NIGHT is not None else max(min(most, LEAST), most // SHARE)


def chosen(cases: Sequence[Case], gate: int = 1) -> list[Case]:
    """Return the cases to run of those that take long: all at night, the first `gate` in the gate."""
    return list(cases) if NIGHT is not None else list(cases[:gate])


def generator(*names: object) -> Random:
    """Return a generator of random numbers for these names."""
    return Random(seed(*names))
