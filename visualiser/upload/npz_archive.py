"""npz: a zip of .npy files, as `numpy.savez` writes it. numpy's own reader trusts the archive, so it is not used.

A zip bomb costs nothing here. Members are counted before they are listed; only Q, K and V are opened; of each, only
the bytes that its own header declares are inflated, in steps of 1 MiB. (A limit on the ratio would refuse honest
tensors of zeros, so there is none.)
"""

import ast
import re
import zipfile
import zlib
from io import BytesIO
from math import prod
from typing import IO

import numpy as np

from attention_core import checkpoint
from visualiser.upload.arrays import require
from visualiser.upload.refusals import printable, refusal
from visualiser.upload.size_limits import check_bytes, check_numbers, check_shape, tensor_name

MAXIMUM_MEMBERS = 64
CENTRAL_ENTRY = b"PK\x01\x02"  # precedes every entry of the archive's list
LONGEST_HEADER = 1024  # bytes; numpy writes 118 for a plain array
STEP = 2**20
NUMBER = re.compile(r"[<>|=]?([fiu])([1248])")
BROKEN = (zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError, EOFError, OSError, ValueError, IndexError)


def read_npz(body: bytes, longest: int) -> dict[str, np.ndarray]:
    """Return the archive's Q, K and V in their own dtype (floats of 2, 4, 8 bytes and integers)."""
    # the archive's own count may lie; zipfile makes an object for every entry, and every entry has this signature
    if body.count(CENTRAL_ENTRY) > MAXIMUM_MEMBERS:
        raise refusal("upload_members", came=body.count(CENTRAL_ENTRY), maximum=MAXIMUM_MEMBERS)
    try:
        with zipfile.ZipFile(BytesIO(body)) as archive:
            return read_members(archive, longest)
    except BROKEN as broken:
        if hasattr(broken, "code"):  # an InvalidInput is a ValueError and has its own message
            raise
        raise refusal("upload_unreadable", format="npz") from broken


def read_members(archive: zipfile.ZipFile, longest: int) -> dict[str, np.ndarray]:
    members: dict[str, zipfile.ZipInfo] = {}
    others = []
    for member in archive.infolist():
        stem = member.filename.removesuffix(".npy")
        name = tensor_name(stem)
        if name is None:
            others.append(stem)
        elif name in members:
            raise refusal("upload_duplicate", name=name)
        else:
            members[name] = member
    require(members, tuple(others))
    arrays, shapes = {}, {}
    for name, member in members.items():
        if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise refusal("upload_unreadable", format="npz")
        with archive.open(member) as stream:
            dtype, fortran_order, shapes[name], header_bytes = read_header(name, stream, longest)
            check_numbers(shapes)
            expected = prod(shapes[name]) * dtype.itemsize
            check_bytes(name, expected, member.file_size - header_bytes)
            flat = np.frombuffer(read_exactly(name, stream, expected), dtype)
        arrays[name] = flat.reshape(shapes[name], order="F" if fortran_order else "C")
    return arrays


def read_header(name: str, stream: IO[bytes], longest: int) -> tuple[np.dtype, bool, tuple[int, ...], int]:
    """Return dtype, column order, shape and length in bytes of the .npy header; refuse all but arrays of numbers."""
    descr, fortran_order, shape, length = npy_header(name, stream)
    if not (match := NUMBER.fullmatch(descr)) or match[1] + match[2] == "f1":
        raise refusal("upload_dtype", name=name, came=printable(descr))
    check_shape(name, shape, longest)
    return np.dtype(descr), fortran_order, shape, length


def npy_header(name: str, stream: IO[bytes]) -> tuple[str, bool, tuple[int, ...], int]:
    """Return what a .npy header says, unchecked: its dtype as written, column order, shape, and its own bytes."""
    magic = stream.read(8)
    if magic[:6] != b"\x93NUMPY" or magic[6] not in (1, 2, 3):
        raise refusal("upload_header", name=name)
    width = 2 if magic[6] == 1 else 4
    length = int.from_bytes(stream.read(width), "little")
    if length > LONGEST_HEADER:
        raise refusal("upload_header", name=name)
    try:
        header = ast.literal_eval(stream.read(length).decode("latin-1").strip())
        descr, fortran_order, shape = header["descr"], header["fortran_order"], header["shape"]
    except (ValueError, SyntaxError, TypeError, KeyError) as broken:
        raise refusal("upload_header", name=name) from broken
    if (
        not isinstance(shape, tuple)
        or not all(type(axis) is int for axis in shape)
        or not isinstance(fortran_order, bool)
    ):
        raise refusal("upload_header", name=name)
    return str(descr), fortran_order, shape, 8 + width + length


def read_exactly(name: str, stream: IO[bytes], expected: int) -> bytearray:
    """Read `expected` bytes to the end of `stream`; memory grows with the bytes that come, not with a promise."""
    content = bytearray()
    while len(content) <= expected and (part := stream.read(min(STEP, expected + 1 - len(content)))):
        checkpoint()
        content += part
    check_bytes(name, expected, len(content))
    return content
