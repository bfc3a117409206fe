"""The binary form of figures on their way to the browser.

A drawing is a tree of Python values (its *structure*: titles, axes, colours) with numpy values in it (its *data*). The
structure changes only with the number of heads, the tokens or the language. So it is sent once and then named by its
hash. The data travels as raw little-endian bytes, never as JSON text. Heat map cells become one byte each: 0 is
"masked", 1 … 255 are steps on the colour axis. Bytes are for colours only; the values that visitors read come from the
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

from visualiser.drawing.drawing import Drawing, Layout, Trace

LEVELS = 255
"""Codes 1 … 255 span the colour axis; 0 marks a masked cell."""

TOGETHER = 65_536
"""Cells of several maps coded in one call: four times as many bytes still fit a core's cache."""

SHORT: Final = 65_536
"""Bytes of blocks that are copied behind their header and sent together with it."""


class Piece(bytes):
    """The bytes of one part with its structures, any of which can be left out when it is sent.

    So one answer, computed for a browser that knows no structure, serves every browser that asks the same.
    """

    structures: Mapping[str, bytes]

    @classmethod
    def of(cls, content: bytes, structures: Mapping[str, bytes]) -> "Piece":
        """Return a part of these bytes and, by hash, the JSON of each structure inside it."""
        piece = cls(content)
        piece.structures = structures
        return piece

    def without(self, known: Container[str]) -> "Piece":
        """Return the same part without the structures whose hash is in `known`; itself if it has none of them."""
        if not any(digest in known for digest in self.structures):
            return self
        left = {digest: structure for digest, structure in self.structures.items() if digest not in known}
        return Piece.of(b"".join(self.apart(known)), left)

    def apart(self, known: Container[str]) -> tuple[bytes | memoryview, ...]:
        """Return `without` as pieces to send.

        A short part stays whole, since each send costs as much as copying. Of a longer one the header is made anew; the
        blocks are shared, not copied.
        """
        if not any(digest in known for digest in self.structures):
            return (self,)
        (length,) = struct.unpack_from("<I", self)
        text = self[4 : 4 + length]
        for digest, structure in self.structures.items():
            if digest in known:
                # No text can look like this: inside a string each quote follows a backslash, never a brace.
                bare = b'{"hash":"%s"' % digest.encode()
                text = text.replace(b'%s,"structure":%s' % (bare, structure), bare)
        header, blocks = _with_length(text.rstrip(b" ")), memoryview(self)[4 + length :]
        return (header, blocks) if len(blocks) > SHORT else (header + blocks,)


def _with_length(text: bytes) -> bytes:
    """Return a header behind its length, padded so that the blocks are aligned."""
    padding = -len(text) % 4
    return struct.pack("<I", len(text) + padding) + text + b" " * padding


class Part:
    """A collector of one part's header and binary blocks; `close()` gives its bytes."""

    def __init__(self) -> None:
        self._blocks: list[bytes | memoryview] = []
        self._length = 0
        self._structures: dict[str, bytes] = {}

    def add_structure(self, digest: str, structure: bytes) -> None:
        """Note a structure that the header will hold."""
        self._structures[digest] = structure

    def number_or_block(self, value: np.ndarray | np.generic) -> Any:
        """Return the header's entry for one numpy value: a JSON number, or the position of its bytes."""
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
        """Return the part's bytes."""
        text = orjson.dumps(
            {**header, "bytes": self._length}, option=orjson.OPT_SERIALIZE_NUMPY | orjson.OPT_NON_STR_KEYS
        )
        return Piece.of(b"".join([_with_length(text), *self._blocks]), self._structures)


def split(tree: Any, values: list[np.ndarray | np.generic]) -> bytes:
    """Return the structure of `tree` as JSON, each numpy value replaced by ``{"$": its index in values}``; fill
    `values`."""

    def stand_in(value: Any) -> Any:
        if isinstance(value, np.ndarray | np.generic):
            values.append(value)
            return {"$": len(values) - 1}
        if isinstance(value, Mapping):
            return dict(value)
        raise TypeError(f"{type(value).__name__} has no form on the wire")

    return orjson.dumps(tree, default=stand_in, option=orjson.OPT_NON_STR_KEYS)


def cells(values: np.ndarray, low: float, high: float) -> np.ndarray:
    """Return one byte a cell: 1 + round(254 · (value − low) / (high − low)), clipped; 0 for NaN.

    Torch does the arithmetic because it uses every core. The array is not changed.
    """
    span = high - low if high > low else 1.0
    # Constants are folded into one multiply-add. Adding 1.5 and truncating rounds half up.
    codes = torch.from_numpy(values).mul((LEVELS - 1) / span)
    codes = codes.add_(1.5 - low * (LEVELS - 1) / span).clamp_(1, LEVELS)
    return codes.nan_to_num_(nan=0.0).to(torch.uint8).numpy()


def encode_drawing(drawing: Drawing) -> dict[str, Any]:
    """Return a drawing as a tree for `entry`: the z of each heat map as bytes on its own colour axis."""
    codes = iter(_codes([trace for trace in drawing.data if trace["type"] == "heatmap"], drawing.layout))
    traces = [{**trace, "z": next(codes)} if trace["type"] == "heatmap" else trace for trace in drawing.data]
    return {"data": traces, "layout": drawing.layout}


def _codes(maps: list[Trace], layout: Layout) -> list[np.ndarray]:
    """Return the z of each map as bytes.

    Small maps that share an axis go together, because each call of torch costs as much as a thousand cells.
    """
    small = sum(trace["z"].size for trace in maps) <= TOGETHER
    groups: dict[object, list[int]] = {}
    for i, trace in enumerate(maps):
        alike = (trace["coloraxis"], trace["z"].shape, trace["z"].dtype)
        groups.setdefault(alike if small else i, []).append(i)
    found: dict[int, np.ndarray] = {}
    for group in groups.values():
        axis = layout[maps[group[0]]["coloraxis"]]
        values = np.stack([maps[i]["z"] for i in group]) if len(group) > 1 else maps[group[0]]["z"][None]
        found |= zip(group, cells(values, float(axis["cmin"]), float(axis["cmax"])), strict=True)
    return [found[i] for i in range(len(maps))]


def entry(part: Part, tree: Any, known: Container[str]) -> dict[str, Any]:
    """Return the header entry of one tree, without its structure if `known` holds its hash."""
    values: list[np.ndarray | np.generic] = []
    structure = split(tree, values)
    digest = hashlib.blake2b(structure, digest_size=8).hexdigest()
    found: dict[str, Any] = {"hash": digest}
    if digest not in known:
        found["structure"] = orjson.Fragment(structure)
        part.add_structure(digest, structure)
    found["values"] = [part.number_or_block(value) for value in values]
    return found
