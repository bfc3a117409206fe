"""Lone surrogates in JSON: legal there, as ``\\ud800``, but no encoding can write a text that holds one."""

import json
import re
from typing import Any, Final

_HALF: Final = re.compile(rb"\\u[dD][89a-fA-F]")


def read_whole(written: bytes) -> Any:
    """Return the value of a JSON text, each lone surrogate replaced by U+FFFD. Raise `ValueError`, `RecursionError`."""
    said = json.loads(written)
    return _whole(said) if _HALF.search(written) else said


def write_whole(said: Any, written: bytes) -> bytes:
    """Return the JSON of `said`, which `read_whole` made of `written`: the same bytes if these hold no lone surrogate.

    Raises `RecursionError`, because writing allows less depth than reading.
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
