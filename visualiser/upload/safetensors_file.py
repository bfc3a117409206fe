"""safetensors: eight bytes with the header's length, the header as JSON, then the numbers.

Format: https://github.com/huggingface/safetensors#format. The library is not used: it also reads unwanted tensors,
takes headers of 100 MB, and has no bfloat16 for numpy. Nothing is copied until the offsets are known to lie in the
file and to fit the shape.
"""

import json
from math import prod
from typing import Any

import numpy as np

from attention_core import checkpoint
from visualiser.upload.arrays import require
from visualiser.upload.refusals import printable, refusal
from visualiser.upload.size_limits import check_bytes, check_numbers, check_shape, tensor_name

LONGEST_HEADER = 64 * 2**10  # bytes: some hundred tensors
# BF16 is the upper half of a float32: read as integers, widened below
DTYPES = {
    "F64": "<f8",
    "F32": "<f4",
    "F16": "<f2",
    "BF16": "<u2",
    "I64": "<i8",
    "I32": "<i4",
    "I16": "<i2",
    "I8": "<i1",
    "U8": "<u1",
}


def header_of(body: bytes, longest: int = LONGEST_HEADER) -> tuple[tuple[tuple[str, Any], ...], memoryview]:
    """Return the entries of a header of at most `longest` bytes, and the bytes of all numbers."""
    length = int.from_bytes(body[:8], "little")
    if len(body) < 8 or length > min(longest, len(body) - 8):
        raise refusal("upload_unreadable", format="safetensors")
    try:
        entries = json.loads(body[8 : 8 + length].decode(), object_pairs_hook=tuple)
    except ValueError as broken:
        raise refusal("upload_unreadable", format="safetensors") from broken
    # a tuple of pairs and not a dict: JSON lets a key stand twice, and Python would silently keep the last
    if not isinstance(entries, tuple):
        raise refusal("upload_unreadable", format="safetensors")
    return entries, memoryview(body)[8 + length :]


def read_safetensors(body: bytes, longest: int) -> dict[str, np.ndarray]:
    """Return the file's Q, K and V in their own dtype (bfloat16 as float32)."""
    entries, numbers = header_of(body)
    found: dict[str, Any] = {}
    for key, entry in entries:
        name = tensor_name(key)
        if name in found:
            raise refusal("upload_duplicate", name=name)
        if name is not None:
            found[name] = entry
    require(found, tuple(key for key, _ in entries if tensor_name(key) is None and key != "__metadata__"))
    shapes: dict[str, tuple[int, ...]] = {}
    arrays = {}
    for name, entry in found.items():
        checkpoint()
        dtype, shapes[name], start, stop = read_entry(name, entry, longest)
        check_numbers(shapes)
        check_bytes(name, prod(shapes[name]) * np.dtype(DTYPES[dtype]).itemsize, stop - start)
        check_bytes(name, stop - start, len(numbers[start:stop]))
        array = np.frombuffer(numbers[start:stop], DTYPES[dtype]).reshape(shapes[name])
        arrays[name] = (array.astype("<u4") << 16).view("<f4") if dtype == "BF16" else array
    return arrays


def read_entry(name: str, entry: object, longest: int) -> tuple[str, tuple[int, ...], int, int]:
    """Return dtype, shape, start and stop of one tensor; refuse one that is not Q, K or V of a page."""
    dtype, shape, start, stop = entry_of(name, entry)
    if dtype not in DTYPES:
        raise refusal("upload_dtype", name=name, came=printable(dtype))
    check_shape(name, shape, longest)
    return dtype, shape, start, stop


def entry_of(name: str, entry: object) -> tuple[str, tuple[int, ...], int, int]:
    """Return dtype, shape, start and stop of one tensor; refuse an entry that the format does not allow."""
    try:
        fields: dict[str, Any] = dict(entry if isinstance(entry, tuple) else ())
        dtype, shape, (start, stop) = fields["dtype"], tuple(fields["shape"]), fields["data_offsets"]
    except (ValueError, TypeError, KeyError) as broken:
        raise refusal("upload_header", name=name) from broken
    if (
        not isinstance(dtype, str)
        or not all(type(number) is int and number >= 0 for number in (*shape, start, stop))
        or start > stop
    ):
        raise refusal("upload_header", name=name)
    return dtype, shape, start, stop
