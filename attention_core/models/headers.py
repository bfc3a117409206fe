"""The header of a safetensors file, checked before anything is made of it: what the file holds, and where.

Eight bytes with the header's length, the header as JSON, then the numbers without a gap
(https://github.com/huggingface/safetensors#format). A header may claim what it likes: only what lies in the file, fits
its shape and leaves no byte over is taken, so the sizes that follow from it are those of real bytes.
"""

import json
from dataclasses import dataclass
from math import prod
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

import torch

__all__ = ["Placed", "Unusable", "placed"]

LONGEST_HEADER: Final = 2**24  # bytes: the largest models that are published have headers of a few MB
_MOST_AXES: Final = 16
_TYPES: Final = MappingProxyType(
    {
        "F64": torch.float64, "F32": torch.float32, "F16": torch.float16, "BF16": torch.bfloat16,
        "I64": torch.int64, "I32": torch.int32, "I16": torch.int16, "I8": torch.int8, "U8": torch.uint8,
        "BOOL": torch.bool,
    }
)  # fmt: skip


class Unusable(Exception):
    """A file that is not what its name says. `quantised` if its numbers are of a format that only quantisation has."""

    def __init__(self, *, quantised: bool = False) -> None:
        super().__init__("quantised" if quantised else "damaged")
        self.quantised = quantised


@dataclass(frozen=True)
class Placed:
    """A tensor in a file: its bytes are `start` … `stop` of the file."""

    name: str
    dtype: torch.dtype
    shape: tuple[int, ...]
    start: int
    stop: int

    @property
    def loaded_bytes(self) -> int:
        """Bytes in memory: 4 for each float, whatever the file has; other numbers as they are."""
        return 4 * prod(self.shape) if self.dtype.is_floating_point else self.stop - self.start


def placed(path: Path) -> tuple[Placed, ...]:
    """Return the tensors of a file in the order of their bytes. Raises `Unusable`, and `OSError` as files do."""
    whole = path.stat().st_size
    with path.open("rb") as file:
        length = int.from_bytes(file.read(8), "little")
        if whole < 8 or length > min(LONGEST_HEADER, whole - 8):
            raise Unusable
        written = file.read(length)
    try:
        # pairs and not a dict: JSON lets a key stand twice, and Python would silently keep the last
        entries = json.loads(written.decode(), object_pairs_hook=tuple)
    except (ValueError, RecursionError):
        raise Unusable from None
    if not isinstance(entries, tuple):
        raise Unusable
    found = [_placed(name, entry, 8 + length) for name, entry in entries if name != "__metadata__"]
    found.sort(key=lambda one: (one.start, one.stop))
    at = 8 + length
    for one in found:
        if one.start != at:
            raise Unusable
        at = one.stop
    if at != whole or len({one.name for one in found}) != len(found):
        raise Unusable
    return tuple(found)


def _placed(name: str, entry: object, beginning: int) -> Placed:
    try:
        fields: dict[str, Any] = dict(entry if isinstance(entry, tuple) else ())
        dtype, shape, (start, stop) = fields["dtype"], tuple(fields["shape"]), fields["data_offsets"]
    except (ValueError, TypeError, KeyError):
        raise Unusable from None
    if (
        not isinstance(dtype, str)
        or len(shape) > _MOST_AXES
        or not all(type(number) is int and 0 <= number < 2**48 for number in (*shape, start, stop))
    ):
        raise Unusable
    if dtype not in _TYPES:
        raise Unusable(quantised=True)
    if stop - start != prod(shape) * _TYPES[dtype].itemsize:
        raise Unusable
    return Placed(name, _TYPES[dtype], shape, beginning + start, beginning + stop)
