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


def header(piece: bytes) -> dict[str, Any]:
    """Return the JSON of a part."""
    return opened(piece)[0]
