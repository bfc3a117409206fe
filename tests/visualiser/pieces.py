"""A part of an answer as its reader takes it: u32 length | JSON | numbers."""

import json
import struct
from typing import Any


def header(piece: bytes) -> dict[str, Any]:
    """Return the JSON of a part."""
    (length,) = struct.unpack_from("<I", piece)
    return json.loads(piece[4 : 4 + length])
