"""Read a visitor's weights of attention from an npz, npy or safetensors file.

A file is hostile until checked. The bounds, whatever it holds:

- 16 MiB at most; of npz and safetensors only the arrays that can be weights, and those of tokens, are opened;
- at most 512 tokens, 128 heads and 256 layers, and 4,000,000 weights together, by the headers, before memory is taken;
- nothing in the file is run: no pickle, no object arrays;
- names and tokens are a stranger's text: shortened, without signs that steer a terminal.
"""

import io
import json
import re
import unicodedata
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from math import prod
from pathlib import PurePath
from typing import IO, Any, Final

import numpy as np

from attention_core import InvalidInput
from visualiser.upload.beforehand import NOTHING, FileSizes
from visualiser.upload.npz_archive import BROKEN, CENTRAL_ENTRY, NUMBER, npy_header, read_exactly
from visualiser.upload.refusals import printable, refusal, shape_text
from visualiser.upload.safetensors_file import DTYPES, entry_of, header_of
from visualiser.upload.size_limits import FILE_LIMIT, MAXIMUM_NUMBERS, check_bytes

MOST_WEIGHTS: Final = MAXIMUM_NUMBERS
"""The most numbers in all layers: as float32 they fit `FILE_LIMIT` bytes."""
MOST_TOKENS: Final = 512
"""The page Model reads no more of a text either; `pages.model.reach` says how many where it runs."""
MOST_LAYERS: Final = 256
MOST_HEADS: Final = 128
SUFFIXES: Final = (".npz", ".npy", ".safetensors")
HEADVIS: Final = ".json"

_PATTERNS: Final = re.compile(r"(.*\.)?(hook_)?(attn_)?pattern|.*/weights", re.DOTALL)
"""The names of weights in caches of runs, `blocks.0.attn.hook_pattern` of TransformerLens, and in this page's npz."""
_TOKENS: Final = ("tokens", "source/tokens", "target/tokens")
_ENTRIES: Final = 2048  # that are listed
LONGEST_HEADER: Final = 512 * 2**10
"""Of a safetensors file, in bytes."""
_LONGEST_NAME: Final = 60
_LONGEST_TOKEN: Final = 40
_WIDEST_TOKENS: Final = 1024  # signs that a string of an array of tokens may have room for
_MOST_STRINGS: Final = 4096
_STRINGS: Final = re.compile(r"[<>|=]?([US])(\d{1,6})")


@dataclass(frozen=True)
class Told:
    """An array of a file as its header tells it, with what reads its numbers."""

    shape: tuple[int, ...]
    width: int
    read: Callable[[], np.ndarray]


@dataclass(frozen=True)
class ReadWeights:
    """The arrays that can be weights, by their names in the file, and the tokens: a list for each sequence."""

    arrays: Mapping[str, np.ndarray]
    tokens: tuple[tuple[str, ...], ...]


def is_called_weights(name: str) -> bool:
    """Return True for a name under which caches of runs have weights."""
    return _PATTERNS.fullmatch(name) is not None


def is_headvis(name: str) -> bool:
    """Return True for the name of a head's file of HeadVis, which `attention_core.learned.headvis` reads."""
    return PurePath(name).suffix.lower() == HEADVIS


def read_weights(name: str, body: bytes, longest: int) -> ReadWeights:
    """Return what can be weights in the file `name`, float32; n is at most `longest`.

    Raises `InvalidInput`: `weights_file_none` if nothing can be, `weights_file_size` for an array outside the bounds,
    `weights_file_strings` for tokens that are no strings, and as `read_upload` does of a file that cannot be read.
    """
    suffix = _suffix(name, body)
    try:
        told, tokens = _listed(suffix, body, longest)
        return ReadWeights({each: _float32(one.read()) for each, one in told.items()}, tokens)
    except InvalidInput:
        raise
    except (*BROKEN, MemoryError, RecursionError) as broken:
        raise refusal("upload_unreadable", format=suffix[1:]) from broken


def sizes_of_weights(name: str, body: bytes, longest: int) -> FileSizes:
    """Return the sizes that `read_weights` would read with these arguments; `NOTHING` for a file that it refuses.

    Of a head's file of HeadVis a token takes three bytes at least and may have a row of `longest` weights; what Python
    makes of its text is 16 times as large at most.
    """
    if is_headvis(name):
        numbers = min(MOST_WEIGHTS, longest * len(body) // 3)
        return FileSizes(numbers, 2 * len(body), 4) if len(body) <= FILE_LIMIT else NOTHING
    try:
        told, _ = _listed(_suffix(name, body), body, longest)
    except (InvalidInput, *BROKEN, MemoryError, RecursionError):
        return NOTHING
    numbers = [prod(one.shape) for one in told.values()]
    return FileSizes(sum(numbers), max(numbers), max(one.width for one in told.values()))


def _suffix(name: str, body: bytes) -> str:
    suffix = PurePath(name).suffix.lower()
    if suffix not in SUFFIXES:
        raise refusal("upload_format", came=printable(PurePath(name).name), choices=", ".join((*SUFFIXES, HEADVIS)))
    if len(body) > FILE_LIMIT:
        raise refusal("weights_too_large", came=len(body), limit=FILE_LIMIT)
    return suffix


def _listed(suffix: str, body: bytes, longest: int) -> tuple[dict[str, Told], tuple[tuple[str, ...], ...]]:
    """Return the arrays that can be weights, none of them read, and the tokens."""
    found, tokens = {".npz": _of_npz, ".npy": _of_npy, ".safetensors": _of_safetensors}[suffix](body)
    called = {name: one for name, one in found.items() if is_called_weights(name)}
    chosen = called or {name: one for name, one in found.items() if may_be(one.shape, longest)}
    if not chosen and len(found) == 1:
        chosen = found  # its shape is told
    if not chosen:
        names = ", ".join(printable(name) for name in [*found][:6]) or "–"
        raise refusal("weights_file_none", came=names)
    for name, one in chosen.items():
        if not may_be(one.shape, longest):
            shape = shape_text(one.shape)
            raise refusal("weights_file_size", name=clean_name(name), came=shape, n=longest, h=MOST_HEADS)
    came = sum(prod(one.shape) for one in chosen.values())
    if came > MOST_WEIGHTS:
        raise refusal("weights_file_numbers_many", came=came, maximum=MOST_WEIGHTS)
    layers = sum(prod(one.shape[:-3]) for one in chosen.values())
    if layers > MOST_LAYERS:
        raise refusal("weights_file_layers", came=layers, maximum=MOST_LAYERS)
    return chosen, tuple(tuple(map(clean_token, one[: longest + 1])) for one in tokens)


def may_be(shape: tuple[int, ...], longest: int) -> bool:
    """Return True for n_q × n_k, with heads, a batch or layers before it, within the bounds."""
    if not 2 <= len(shape) <= 5 or min(shape) < 1:
        return False
    return max(shape[-2:]) <= longest and (len(shape) < 3 or shape[-3] <= MOST_HEADS) and prod(shape) < 10**12


def _of_npz(body: bytes) -> tuple[dict[str, Told], list[list[str]]]:
    if body.count(CENTRAL_ENTRY) > _ENTRIES:
        raise refusal("weights_file_entries", came=body.count(CENTRAL_ENTRY), maximum=_ENTRIES)
    found: dict[str, Told] = {}
    tokens: dict[str, list[str]] = {}
    with zipfile.ZipFile(io.BytesIO(body)) as archive:
        for member in archive.infolist():
            name = member.filename.removesuffix(".npy")
            if name == member.filename:
                continue
            if name in found or name in tokens:
                raise refusal("upload_duplicate", name=clean_name(name))
            if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
                raise refusal("upload_unreadable", format="npz")
            with archive.open(member) as stream:
                if name in _TOKENS:
                    tokens[name] = _strings(stream)
                    continue
                told = _of_stream(name, stream, member.file_size)
            if told is not None:
                found[name] = Told(*told, partial(_of_member, name, body, member))
    return found, [tokens[name] for name in _TOKENS if name in tokens]


def _of_member(name: str, body: bytes, member: zipfile.ZipInfo) -> np.ndarray:
    with zipfile.ZipFile(io.BytesIO(body)) as archive, archive.open(member) as stream:
        return _of_npy_stream(name, stream)


def _of_npy(body: bytes) -> tuple[dict[str, Told], list[list[str]]]:
    told = _of_stream("weights", io.BytesIO(body), len(body))
    if told is None:
        descr = npy_header("weights", io.BytesIO(body))[0]
        raise refusal("upload_dtype", name="weights", came=printable(descr))
    return {"weights": Told(*told, partial(_of_npy_stream, "weights", io.BytesIO(body)))}, []


def _of_stream(name: str, stream: IO[bytes], size: int) -> tuple[tuple[int, ...], int] | None:
    """Return the shape and the bytes of a number; None for what is no array of numbers."""
    descr, _, shape, header = npy_header(clean_name(name), stream)
    match = NUMBER.fullmatch(descr)
    if match is None or match[1] + match[2] == "f1":
        return None
    width = int(match[2])
    if may_be(shape, FILE_LIMIT):
        check_bytes(clean_name(name), prod(shape) * width, size - header)
    return shape, width


def _of_npy_stream(name: str, stream: IO[bytes]) -> np.ndarray:
    descr, fortran_order, shape, _ = npy_header(clean_name(name), stream)
    flat = np.frombuffer(read_exactly(clean_name(name), stream, prod(shape) * np.dtype(descr).itemsize), descr)
    return flat.reshape(shape, order="F" if fortran_order else "C")


def _strings(stream: IO[bytes]) -> list[str]:
    """Return an array of strings, which numpy writes as so many signs of four bytes, or of one."""
    descr, _, shape, _ = npy_header("tokens", stream)
    match = _STRINGS.fullmatch(descr)
    if match is None or len(shape) != 1 or int(match[2]) > _WIDEST_TOKENS or not 0 < shape[0] <= _MOST_STRINGS:
        raise refusal("weights_file_strings", came=f"{printable(descr)}, {shape_text(shape)}")
    step = int(match[2]) * (4 if match[1] == "U" else 1)
    code = "utf-8" if match[1] == "S" else "utf-32-be" if descr[0] == ">" else "utf-32-le"
    content = bytes(read_exactly("tokens", stream, step * shape[0]))
    parts = (content[step * at : step * (at + 1)] for at in range(shape[0]))
    return [part.decode(code, "replace").rstrip("\0") for part in parts]


def _of_safetensors(body: bytes) -> tuple[dict[str, Told], list[list[str]]]:
    entries, numbers = header_of(body, LONGEST_HEADER)
    found: dict[str, Told] = {}
    tokens: list[list[str]] = []
    for name, entry in entries:
        if name == "__metadata__":
            tokens = _metadata_tokens(dict(entry) if isinstance(entry, tuple) else {})
            continue
        dtype, shape, start, stop = entry_of(clean_name(name), entry)
        if dtype not in DTYPES:
            continue
        if name in found:
            raise refusal("upload_duplicate", name=clean_name(name))
        width = np.dtype(DTYPES[dtype]).itemsize
        if may_be(shape, FILE_LIMIT):
            check_bytes(clean_name(name), prod(shape) * width, stop - start)
            check_bytes(clean_name(name), stop - start, len(numbers[start:stop]))
        found[name] = Told(shape, max(4, width), partial(_tensor, dtype, shape, numbers[start:stop]))
    return found, tokens


def _tensor(dtype: str, shape: tuple[int, ...], part: memoryview) -> np.ndarray:
    array = np.frombuffer(part, DTYPES[dtype]).reshape(shape)
    return (array.astype("<u4") << 16).view("<f4") if dtype == "BF16" else array


def _metadata_tokens(metadata: Mapping[str, Any]) -> list[list[str]]:
    """Return the tokens of safetensors metadata: a list of strings as JSON, or a list for each of two sequences."""
    if "tokens" not in metadata:
        return []
    try:
        told = json.loads(str(metadata["tokens"]))
    except ValueError:
        told = None
    lists: list[Any] = (
        told if isinstance(told, list) and told and all(isinstance(one, list) for one in told) else [told]
    )
    if len(lists) > 2 or not all(isinstance(one, list) and all(isinstance(each, str) for each in one) for one in lists):
        raise refusal("weights_file_strings", came=printable(str(metadata["tokens"])[:40]))
    return lists


def _float32(array: np.ndarray) -> np.ndarray:
    with np.errstate(over="ignore"):
        return np.array(array, np.float32, order="C")


def clean_name(name: str) -> str:
    """Return a name of the file that tells most of it: its end, without signs that steer."""
    return printable(name) if len(name) <= _LONGEST_NAME else "…" + printable(name[1 - _LONGEST_NAME :])


def clean_token(token: str) -> str:
    """Return a token of the file, shortened; a control sign is �, a line end and a tab stay."""
    short = token if len(token) <= _LONGEST_TOKEN else token[: _LONGEST_TOKEN - 1] + "…"
    return "".join(
        sign if sign in "\n\t" or unicodedata.category(sign) not in ("Cc", "Cs") else "\N{REPLACEMENT CHARACTER}"
        for sign in short
    )
