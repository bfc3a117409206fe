"""JSON of strangers, within bounds: of size, depth, and how many things it holds, each seen before anything is made.

How much memory a file takes depends on what Python makes of its bytes: `[],` becomes 21 times as large, `257,` ten.
So lists, objects and strings are counted first. There may be as many numbers as fit: the most that a file of 16 MB was
seen to take beside its bytes is 240 MB (numbers behind a character for which the text takes four bytes a character).
"""

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any, Final

from attention_core.errors import InvalidInput, shown

__all__ = ["LARGEST", "misfit", "parsed", "read_at_most", "require_size"]

LARGEST: Final = 2**24
"""Bytes of a file: HeadVis aims at 5 to 15 MB, with 200 texts of 512 tokens."""

_DEEPEST: Final = 8
"""The format has 4: an object, its list of sequences, their objects, and the lists of these."""

_MOST_LISTS: Final = 2**14
"""Lists and objects: a text has 4, so these are 4,000 texts."""

_MOST_STRINGS: Final = 2**19
"""A file of 16 MB whose rows have one weight each has some 500,000 tokens."""

_STRING: Final = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+(?:"|\\?\Z)', re.DOTALL)
"""A string, also one that never ends: each byte is looked at once."""

_BRACKETS: Final = b"[]{}"
_OTHERS: Final = bytes(set(range(256)) - set(_BRACKETS))


def require_size(size: int) -> None:
    """Raise `InvalidInput` (`headvis_size`) for a file of more bytes than are read."""
    if size > LARGEST:
        raise InvalidInput(
            "headvis_size",
            f"A head's file of HeadVis has at most {LARGEST >> 20} MB: write it with fewer texts, or fewer keys a row.",
            limit=LARGEST >> 20,
        )


def read_at_most(path: Path) -> bytes:
    """Return a file's bytes, at most one more than `LARGEST`."""
    with path.open("rb") as file:
        return file.read(LARGEST + 1)


def parsed(file: bytes) -> dict[str, Any]:
    """Return the object of a file of JSON.

    Raises
    ------
    InvalidInput
        `headvis_size`, `headvis_deep`, `headvis_crowded`; `headvis_json` for what is no JSON object in UTF-8;
        `headvis_field` for a key that stands twice in an object. NaN and Infinity, which are no JSON, come as floats.
    """
    require_size(len(file))
    _require_few(file)
    try:
        found = json.loads(file.decode("utf-8-sig"), object_pairs_hook=_object)
    except InvalidInput:
        raise
    except (ValueError, RecursionError):  # a number of more digits than Python reads is a ValueError, too
        raise InvalidInput(
            "headvis_json", "The file is no JSON object in UTF-8: choose a head's file of HeadVis, such as L3H0.json."
        ) from None
    if not isinstance(found, dict):
        raise misfit("sequences")
    return found


def _require_few(file: bytes) -> None:
    if file.count(b'"') > 2 * _MOST_STRINGS:
        raise _crowded()
    brackets = _STRING.sub(b"", file).translate(None, _OTHERS)
    if brackets.count(b"[") + brackets.count(b"{") > _MOST_LISTS:
        raise _crowded()
    depth = 0
    for bracket in brackets[: 2 * _MOST_LISTS]:  # as many as there may be; further ones close nothing
        depth += 1 if bracket in b"[{" else -1
        if depth > _DEEPEST:
            raise InvalidInput(
                "headvis_deep",
                f"The file nests more than {_DEEPEST} deep, and HeadVis' format 4: choose a head's file of HeadVis.",
                limit=_DEEPEST,
            )


def _crowded() -> InvalidInput:
    return InvalidInput(
        "headvis_crowded",
        f"The file has more than {_MOST_LISTS} lists or {_MOST_STRINGS} strings: write it with fewer texts.",
        lists=_MOST_LISTS,
        strings=_MOST_STRINGS,
    )


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        [(name, _)] = Counter(name for name, _ in pairs).most_common(1)
        raise misfit(shown(name))
    return found


def misfit(field: str) -> InvalidInput:
    """Return the error for a field that the format does not have so."""
    return InvalidInput(
        "headvis_field",
        f"{field} is missing, stands twice, or is not what HeadVis' format has there. Write the file anew.",
        field=field,
    )
