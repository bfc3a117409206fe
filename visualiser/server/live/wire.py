"""The binary form in which a figure reaches the browser.

A drawing is a tree of Python values (its *structure*: titles, axes, colours) with numpy values in it (its *data*). The
structure changes only when the number of heads, the tokens or the language do, so it is sent once and then named by its
hash; the data travels as raw little-endian bytes, never as JSON text. Heat map cells become one byte each: 0 says
"masked", 1 … 255 are steps on the colour axis. Bytes are for colours only; the values a visitor reads come from the
rows route at full precision.

One part = ``u32 length of the header | header (UTF-8 JSON) | padding to 4 bytes | binary blocks``. A response may hold
several parts in a row.
"""

import hashlib
import struct
from collections.abc import Container, Mapping
from typing import Any, Final

import numpy as np
import orjson
import torch

from visualiser.figures.drawing import Drawing, Layout, Trace

LEVELS = 255
"""Codes 1 … 255 span the colour axis; 0 is kept for a cell that the mask forbids."""

TOGETHER = 65_536
"""So many cells of several maps are coded in one go: four times as many bytes still fit a core's cache."""

SHORT: Final = 65_536
"""Bytes of blocks that are copied behind their header, to leave together."""


class Piece(bytes):
    """The bytes of one part, with the structures that it carries: it can be told again without some of them.

    One answer, computed for a browser that knows no structure, serves every browser that asks the same.
    """

    structures: Mapping[str, bytes]

    @classmethod
    def of(cls, content: bytes, structures: Mapping[str, bytes]) -> "Piece":
        """A part's bytes and, by hash, the JSON of each structure inside it."""
        piece = cls(content)
        piece.structures = structures
        return piece

    def without(self, known: Container[str]) -> "Piece":
        """The same part without the structures whose hash is in `known`; itself if it has none of them."""
        if not any(digest in known for digest in self.structures):
            return self
        left = {digest: structure for digest, structure in self.structures.items() if digest not in known}
        return Piece.of(b"".join(self.apart(known)), left)

    def apart(self, known: Container[str]) -> tuple[bytes | memoryview, ...]:
        """`without` as it is sent: whole where it is short, since each send costs as much as copying; else the header,
        made anew, and the blocks, which are shared and not copied."""
        if not any(digest in known for digest in self.structures):
            return (self,)
        (length,) = struct.unpack_from("<I", self)
        text = self[4 : 4 + length]
        for digest, structure in self.structures.items():
            if digest in known:
                # No text can look like this: inside a string each quote has a backslash before it, never a brace.
                bare = b'{"hash":"%s"' % digest.encode()
                text = text.replace(b'%s,"structure":%s' % (bare, structure), bare)
        header, blocks = _headed(text.rstrip(b" ")), memoryview(self)[4 + length :]
        return (header, blocks) if len(blocks) > SHORT else (header + blocks,)


def _headed(text: bytes) -> bytes:
    """A header with its length before it, padded so that the blocks begin aligned."""
    padding = -len(text) % 4
    return struct.pack("<I", len(text) + padding) + text + b" " * padding


class Part:
    """Collects the header and the binary blocks of one part; `close()` gives its bytes."""

    def __init__(self) -> None:
        self._blocks: list[bytes | memoryview] = []
        self._length = 0
        self._structures: dict[str, bytes] = {}

    def carries(self, digest: str, structure: bytes) -> None:
        """Notes a structure that the header will hold."""
        self._structures[digest] = structure

    def number_or_block(self, value: np.ndarray | np.generic) -> Any:
        """What stands in the header for one numpy value: a JSON number, or where to find its bytes."""
        if value.ndim == 0:
            number = value.item()
            return None if isinstance(number, float) and not np.isfinite(number) else number
        kind = value.dtype.kind
        if kind == "U" or kind == "S":
            return value.tolist()
        if value.itemsize == 8:
            value = value.astype(np.float32 if kind == "f" else np.int32 if kind == "i" else value.dtype)
        return self._block(np.ascontiguousarray(value))

    def _block(self, array: np.ndarray) -> dict[str, Any]:
        at, length = self._length, array.nbytes
        padding = -length % 4
        self._blocks.append(array.tobytes() if length < 4096 else array.data.cast("B"))
        if padding:
            self._blocks.append(b"\0" * padding)
        self._length = at + length + padding
        return {"t": array.dtype.str[1:], "s": array.shape, "at": at}

    def close(self, header: Mapping[str, Any]) -> Piece:
        """The part's bytes."""
        text = orjson.dumps(
            {**header, "bytes": self._length}, option=orjson.OPT_SERIALIZE_NUMPY | orjson.OPT_NON_STR_KEYS
        )
        return Piece.of(b"".join([_headed(text), *self._blocks]), self._structures)


def split(tree: Any, values: list[np.ndarray | np.generic]) -> bytes:
    """The structure of `tree` as JSON, each numpy value replaced by ``{"$": its index in values}``; fills `values`."""

    def stand_in(value: Any) -> Any:
        if isinstance(value, np.ndarray | np.generic):
            values.append(value)
            return {"$": len(values) - 1}
        if isinstance(value, Mapping):
            return dict(value)
        raise TypeError(f"{type(value).__name__} has no form on the wire")

    return orjson.dumps(tree, default=stand_in, option=orjson.OPT_NON_STR_KEYS)


def cells(values: np.ndarray, low: float, high: float) -> np.ndarray:
    """One byte a cell: 1 + round(254 · (value − low) / (high − low)), clipped; 0 where the value is NaN.

    Torch does the arithmetic because it uses every core; the array is not changed.
    """
    span = high - low if high > low else 1.0
    # Constants folded into one multiply-add; adding 1.5 and truncating rounds half up.
    codes = torch.from_numpy(values).mul((LEVELS - 1) / span)
    codes = codes.add_(1.5 - low * (LEVELS - 1) / span).clamp_(1, LEVELS)
    return codes.nan_to_num_(nan=0.0).to(torch.uint8).numpy()


def coded(drawing: Drawing) -> dict[str, Any]:
    """A drawing as a tree for `entry`: the z of each heat map turned into bytes on its own colour axis."""
    codes = iter(_codes([trace for trace in drawing.data if trace["type"] == "heatmap"], drawing.layout))
    traces = [{**trace, "z": next(codes)} if trace["type"] == "heatmap" else trace for trace in drawing.data]
    return {"data": traces, "layout": drawing.layout}


def _codes(maps: list[Trace], layout: Layout) -> list[np.ndarray]:
    """The z of each map as bytes; small ones that share an axis together, because each call of torch costs as much as
    a thousand cells."""
    alike = len({(trace["coloraxis"], trace["z"].shape, trace["z"].dtype) for trace in maps}) == 1
    small = sum(trace["z"].size for trace in maps) <= TOGETHER
    groups = [maps] if alike and small else [[trace] for trace in maps]
    found = []
    for group in groups:
        axis = layout[group[0]["coloraxis"]]
        values = np.stack([trace["z"] for trace in group]) if len(group) > 1 else group[0]["z"][None]
        found += list(cells(values, float(axis["cmin"]), float(axis["cmax"])))
    return found


def entry(part: Part, tree: Any, known: Container[str]) -> dict[str, Any]:
    """The header entry of one tree; its structure is left out when the browser has it already (`known` holds its
    hash)."""
    values: list[np.ndarray | np.generic] = []
    structure = split(tree, values)
    digest = hashlib.blake2b(structure, digest_size=8).hexdigest()
    found: dict[str, Any] = {"hash": digest}
    if digest not in known:
        found["structure"] = orjson.Fragment(structure)
        part.carries(digest, structure)
    found["values"] = [part.number_or_block(value) for value in values]
    return found
