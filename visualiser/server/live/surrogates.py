"""Lone surrogates in JSON: legal there, as ``\\ud800``, but no encoding can write a text that holds one."""

import json
import re
from typing import Any, Final

_HALF: Final = re.compile(rb"\\u[dD][89a-fA-F]")


def load_json(written: bytes) -> Any:
    """Return the value of a JSON text, each lone surrogate replaced by U+FFFD. Raise `ValueError`, `RecursionError`."""
    value = json.loads(written)
    return _without_surrogates(value) if _HALF.search(written) else value


def dump_json(value: Any, written: bytes) -> bytes:
    """Return the JSON of `value`, which `load_json` made of `written`: the same bytes if these hold no lone surrogate.

    Raises `RecursionError`, because writing allows less depth than reading.
    """
    return json.dumps(value).encode() if _HALF.search(written) else written


def _without_surrogates(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, list):
        return [_without_surrogates(item) for item in value]
    if isinstance(value, dict):
        return {_without_surrogates(key): _without_surrogates(item) for key, item in value.items()}
    return value
