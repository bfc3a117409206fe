"""A part of an answer as its reader takes it: u32 length | JSON | numbers."""

import json
import struct
from typing import Any


def opened(piece: bytes) -> tuple[dict[str, Any], bytes]:
    """Return the JSON and the numbers of a part, which begin aligned, or typed arrays could not lie over them."""
    (length,) = struct.unpack_from("<I", piece)
    header, blocks = json.loads(piece[4 : 4 + length]), piece[4 + length :]
    assert length % 4 == 0
    assert len(blocks) == header["bytes"]
    return header, blocks


def plainly(value: Any) -> Any:
    """Return what a part says, its sentences without the reasons of their numbers (`visualiser.reasons.explained`)."""
    if isinstance(value, dict):
        return {name: plainly(value) for name, value in value.items()}
    if not isinstance(value, list):
        return value
    numbers = [piece for piece in value if isinstance(piece, list)]
    if numbers and all(isinstance(piece, str) or _is_explained(piece) for piece in value):
        return "".join(piece if isinstance(piece, str) else piece[0] for piece in value)
    return [plainly(value) for value in value]


def _is_explained(piece: Any) -> bool:
    return isinstance(piece, list) and len(piece) == 4 and all(isinstance(text, str) for text in piece)


def header(piece: bytes) -> dict[str, Any]:
    """Return the JSON of a part."""
    return opened(piece)[0]
