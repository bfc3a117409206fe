"""Write a structure as lines for a review: its sentences and short parts as they are, the rest as hashes by path."""

import hashlib
import json
import re
from collections.abc import Iterator
from typing import Any, Final

from syrupy.extensions.single_file import SingleFileSnapshotExtension, WriteMode

_WIDTH: Final = 150
"""Characters of a line that holds no sentence."""
_SHORT: Final = 40
"""Characters of a part that is written as it is."""
_WHOLE: Final = 2
"""Levels below the root whose parts are always written out."""
_SENTENCE: Final = re.compile(r"[가-힣]|[A-Za-z]{2}\S*\s+\S*[A-Za-z]{2}")
_ABSENT: Final = object()


class FoldedExtension(SingleFileSnapshotExtension):
    """Keep each folded structure as a text file of its own."""

    _write_mode = WriteMode.TEXT
    file_extension = "txt"

    def serialize(self, data: Any, **_: Any) -> str:
        """See syrupy."""
        return "".join(f"{line}\n" for line in folded(data))


def folded(value: Any) -> list[str]:
    """Return the lines of `value`. Another number, key, text or type anywhere in it changes at least one of them.

    A line begins with a path; then come parts of that place. A sentence has a line of its own where it occurs first.
    A part that is long and holds no new sentence is a hash of its JSON.
    """
    return list(_Folding().lines("", value, 0))


def differences(before: Any, after: Any, path: str = "") -> Iterator[str]:
    """Yield the path of every part that differs, with what was there and what is."""
    if type(before) is type(after) and isinstance(before, dict | list):
        old, new = _items(before), _items(after)
        for key in sorted({**old, **new}, key=str):
            yield from differences(old.get(key, _ABSENT), new.get(key, _ABSENT), _joined(path, key))
    elif _json(before) != _json(after):
        yield f"{path}: {_json(before)} → {_json(after)}"


class _Folding:
    def __init__(self) -> None:
        self._written: set[str] = set()

    def lines(self, path: str, value: Any, depth: int) -> Iterator[str]:
        if not isinstance(value, dict | list) or not value:
            yield f"{path}  {_json(value)}"
            return
        line, deeper = "", []
        for key, part in _items(value).items():
            written = _json(part)
            if isinstance(part, dict | list) and (self._speaks(part) or (depth < _WHOLE and len(written) > _SHORT)):
                deeper.append((key, part))
            elif isinstance(part, str) and self._speaks(part):
                self._written.add(part)
                yield f"{path}  {key}: {written}"
            else:
                short = f"  {key}: {written if len(written) <= _SHORT else _hash(written)}"
                if line and len(path) + len(line) + len(short) > _WIDTH:
                    yield path + line
                    line = ""
                line += short
        if line:
            yield path + line
        for key, part in deeper:
            yield from self.lines(_joined(path, key), part, depth + 1)

    def _speaks(self, value: Any) -> bool:
        """Return True if a sentence is in it that no line before holds."""
        if isinstance(value, str):
            return value not in self._written and bool(_SENTENCE.search(value))
        return isinstance(value, dict | list) and any(map(self._speaks, _items(value).values()))


def _items(value: dict[str, Any] | list[Any]) -> dict[Any, Any]:
    return dict(sorted(value.items()) if isinstance(value, dict) else enumerate(value))


def _joined(path: str, key: object) -> str:
    return f"{path}.{key}" if path else str(key)


def _json(value: Any) -> str:
    return "nothing" if value is _ABSENT else json.dumps(value, sort_keys=True, ensure_ascii=False)


def _hash(written: str) -> str:
    return "#" + hashlib.sha256(written.encode()).hexdigest()[:10]
