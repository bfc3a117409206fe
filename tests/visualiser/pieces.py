"""A part of an answer as its reader takes it: u32 length | JSON | numbers."""

import json
import struct
from typing import Any


def opened(piece: bytes) -> tuple[dict[str, Any], bytes]:
    """Return the JSON and the numbers of a part, which begin aligned, or typed arrays could not lie over them."""
    (length,) = struct.unpack_from("<I", piece)
    said, blocks = json.loads(piece[4 : 4 + length]), piece[4 + length :]
    assert length % 4 == 0
    assert len(blocks) == said["bytes"]
    return said, blocks


def plainly(said: Any) -> Any:
    """Return what a part says, its sentences without the reasons of their numbers (`visualiser.reasons.explained`)."""
    if isinstance(said, dict):
        return {name: plainly(value) for name, value in said.items()}
    if not isinstance(said, list):
        return said
    numbers = [piece for piece in said if isinstance(piece, list)]
    if numbers and all(isinstance(piece, str) or _asked(piece) for piece in said):
        return "".join(piece if isinstance(piece, str) else piece[0] for piece in said)
    return [plainly(value) for value in said]


def _asked(piece: Any) -> bool:
    return isinstance(piece, list) and len(piece) == 4 and all(isinstance(text, str) for text in piece)


def header(piece: bytes) -> dict[str, Any]:
    """Return the JSON of a part."""
    return opened(piece)[0]
