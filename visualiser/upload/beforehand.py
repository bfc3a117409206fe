"""The size of a file's tensors before it is read, from its headers alone."""

import json
import zipfile
from dataclasses import dataclass
from io import BytesIO
from math import prod
from pathlib import PurePath

import numpy as np

from attention_core import InvalidInput
from visualiser.upload.npz_archive import BROKEN, CENTRAL_ENTRY, MAXIMUM_MEMBERS, read_header
from visualiser.upload.safetensors_file import DTYPES, LONGEST_HEADER, read_entry
from visualiser.upload.size_limits import MAXIMUM_NUMBERS, tensor_name


@dataclass(frozen=True)
class FileSizes:
    """Upper bounds: `numbers` in all tensors, `largest` in one of them, `width` in bytes of each, `rows` of lines."""

    numbers: int = 0
    largest: int = 0
    width: int = 0
    rows: int = 0


NOTHING = FileSizes()
"""The sizes of a file that is refused without being read."""


def sizes_from_header(name: str, body: bytes, longest: int) -> FileSizes:
    """Return the sizes that `read_upload` would read with these arguments. Takes milliseconds for a file of 16 MiB."""
    extension = PurePath(name).suffix.lower()
    if extension == ".csv":
        rows = body.count(b"\n") + 1
        numbers = min(MAXIMUM_NUMBERS, body.count(b","))  # empty cells count as numbers
        return FileSizes(numbers, numbers, 8, rows)
    try:
        sizes = {".npz": _npz, ".safetensors": _safetensors}[extension](body, longest)
    except (InvalidInput, KeyError, *BROKEN):
        return NOTHING
    if "V" not in sizes and "K" in sizes:
        sizes["V"] = sizes["K"]  # V becomes K
    numbers = [count for count, _ in sizes.values()]
    if not numbers or sum(numbers) > MAXIMUM_NUMBERS:
        return NOTHING
    return FileSizes(sum(numbers), max(numbers), max(width for _, width in sizes.values()))


def _npz(body: bytes, longest: int) -> dict[str, tuple[int, int]]:
    """Return for each tensor its count of numbers and their width in bytes."""
    if body.count(CENTRAL_ENTRY) > MAXIMUM_MEMBERS:
        return {}
    found: dict[str, tuple[int, int]] = {}
    with zipfile.ZipFile(BytesIO(body)) as archive:
        for member in archive.infolist():
            if name := tensor_name(member.filename.removesuffix(".npy")):
                with archive.open(member) as stream:
                    dtype, _, shape, _ = read_header(name, stream, longest)
                found[name] = prod(shape), dtype.itemsize
    return found


def _safetensors(body: bytes, longest: int) -> dict[str, tuple[int, int]]:
    length = int.from_bytes(body[:8], "little")
    if length > min(LONGEST_HEADER, len(body) - 8):
        return {}
    entries = json.loads(body[8 : 8 + length].decode(), object_pairs_hook=tuple)
    found: dict[str, tuple[int, int]] = {}
    for key, entry in entries if isinstance(entries, tuple) else ():
        if name := tensor_name(key):
            dtype, shape, _, _ = read_entry(name, entry, longest)
            found[name] = prod(shape), max(4, np.dtype(DTYPES[dtype]).itemsize)
    return found
