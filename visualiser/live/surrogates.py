"""Halves of surrogate pairs in JSON: legal there, as ``\\ud800``, and no encoding can write the text that holds one."""

import json
import re
from typing import Any, Final

_HALF: Final = re.compile(rb"\\u[dD][89a-fA-F]")


def read_whole(written: bytes) -> Any:
    """The value of a JSON text, each half of a pair replaced by U+FFFD. Raises `ValueError`, `RecursionError`."""
    said = json.loads(written)
    return _whole(said) if _HALF.search(written) else said


def write_whole(written: bytes) -> bytes:
    """A JSON text without such halves; the same bytes where there are none. Raises as `read_whole`."""
    return json.dumps(read_whole(written)).encode() if _HALF.search(written) else written


def _whole(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, list):
        return [_whole(item) for item in value]
    if isinstance(value, dict):
        return {_whole(key): _whole(item) for key, item in value.items()}
    return value
