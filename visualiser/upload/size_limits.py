"""Limits of an uploaded file: more would fit neither a screen nor a classroom's server.

Every format checks them before it takes memory for a tensor.
"""

from math import prod

from attention_core import BOUNDS
from visualiser.upload.refusals import axis_text, refusal, shape_text

FILE_LIMIT = 16 * 2**20
"""The largest file that is read, in bytes."""
MAXIMUM_NUMBERS = 4_000_000
"""The largest count in Q, K and V together, a missing V counted as K: as float32 they fit `FILE_LIMIT` bytes."""
NAMES = ("Q", "K", "V")

HEADS = (1, int(BOUNDS["h"].maximum))
SHORTEST, LONGEST = int(BOUNDS["n"].minimum), int(BOUNDS["n"].maximum)
"""The bounds on a sequence's tokens; a page of longer sequences passes its own."""
WIDTH = (1, int(BOUNDS["d_k"].maximum))


def tensor_name(name: str) -> str | None:
    """Return "Q", "K" or "V" for a name in the file, in either case; None for any other, which is not read."""
    return name.upper() if name.upper() in NAMES else None


def check_shape(name: str, shape: tuple[int, ...], longest: int) -> None:
    """Refuse a tensor that is not n × d or h × n × d, or outside the sizes that a page shows (n ≤ `longest`)."""
    if len(shape) not in (2, 3):
        raise refusal("upload_rank", name=name, came=shape_text(shape))
    heads, rows, width = (1, *shape) if len(shape) == 2 else shape
    for field, came, (minimum, maximum) in (("h", heads, HEADS), ("n", rows, (SHORTEST, longest)), ("d", width, WIDTH)):
        if not minimum <= came <= maximum:
            raise refusal("upload_size", name=name, field=field, came=axis_text(came), minimum=minimum, maximum=maximum)


def check_numbers(shapes: dict[str, tuple[int, ...]]) -> None:
    """Refuse tensors that together exceed `MAXIMUM_NUMBERS`."""
    came = sum(prod(shape) for shape in shapes.values())
    if came > MAXIMUM_NUMBERS:
        raise refusal("upload_numbers", came=came, maximum=MAXIMUM_NUMBERS)


def check_bytes(name: str, expected: int, came: int) -> None:
    """Refuse a tensor if its shape needs another number of bytes than the file holds for it."""
    if expected != came:
        raise refusal("upload_truncated", name=name, expected=expected, came=came)
