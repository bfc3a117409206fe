"""The sizes in an upload's header, from which its cost is known before its numbers are read."""

import json
from dataclasses import dataclass, replace

from visualiser.server.admission.cost import FLOAT, Shape
from visualiser.upload.safetensors_file import LONGEST_HEADER
from visualiser.upload.size_limits import HEADS, SHORTEST, WIDTH


@dataclass(frozen=True)
class UploadSizes:
    """A file of so many `bytes` and the sizes of its attention, clipped to the page's bounds: a header may lie."""

    shape: Shape
    bytes: int

    def lowered(self, name: str, value: int) -> "UploadSizes":
        """Return the file's first `value` heads, tokens or components, as the upload's route would write it."""
        s = self.shape
        match name:
            case "h":
                less = replace(s, h=min(s.h, value))
            case "n":
                less = replace(s, n_q=min(s.n_q, value), n_k=min(s.n_k, value))
            case _:
                less = replace(s, d_k=min(s.d_k, value), d_v=min(s.d_v, value))
        # a lying header may state more numbers than the file has bytes
        return UploadSizes(less, max(1, self.bytes - FLOAT * (_numbers(s) - _numbers(less))))


def upload_sizes(file: bytes, longest: int) -> UploadSizes | None:
    """Return the sizes in the header of a canonical file, with at most `longest` tokens; None if it cannot be read."""
    length = int.from_bytes(file[:8], "little")
    if len(file) < 8 or length > min(LONGEST_HEADER, len(file) - 8):
        return None
    try:
        header = json.loads(file[8 : 8 + length])
        (h, n_q, d_k), (_, n_k, _), (_, _, d_v) = (map(int, header[name]["shape"]) for name in "QKV")
    except (ValueError, TypeError, KeyError, OverflowError, RecursionError):
        return None  # reading the file will refuse it with a sentence
    tokens = SHORTEST, longest
    shape = Shape(
        _within(HEADS, h), _within(tokens, n_q), _within(tokens, n_k), _within(WIDTH, d_k), _within(WIDTH, d_v)
    )
    return UploadSizes(shape, len(file))


def _within(bounds: tuple[int, int], size: int) -> int:
    least, most = bounds
    return max(least, min(size, most))


def _numbers(s: Shape) -> int:
    return s.operands + s.h * s.n_k * s.d_v
