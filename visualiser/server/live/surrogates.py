"""Halves of surrogate pairs in JSON: legal there, as ``\\ud800``, and no encoding can write the text that holds one."""

import json
import re
from typing import Any, Final

_HALF: Final = re.compile(rb"\\u[dD][89a-fA-F]")


def read_whole(written: bytes) -> Any:
    """The value of a JSON text, each half of a pair replaced by U+FFFD. Raises `ValueError`, `RecursionError`."""
    said = json.loads(written)
    return _whole(said) if _HALF.search(written) else said


def write_whole(said: Any, written: bytes) -> bytes:
    """The JSON text of `said`, which `read_whole` made of `written`: the same bytes where these hold no half.

    Raises `RecursionError`: writing goes less deep than reading.
    """
    return json.dumps(said).encode() if _HALF.search(written) else written


def _whole(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, list):
        return [_whole(item) for item in value]
    if isinstance(value, dict):
        return {_whole(key): _whole(item) for key, item in value.items()}
    return value
