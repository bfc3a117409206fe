"""The form of a room's code, as people type it and as it stands in a path."""

import re
from typing import Final

ALPHABET: Final = "CDFGHJKMNPQRTVWXY34679"
"""No sign looks like another one, and without vowels they spell no word."""

LENGTH: Final = 6

_CODE: Final = re.compile(rf"[{ALPHABET}]{{{LENGTH}}}")
_BETWEEN: Final = re.compile(r"[\s-]")
_LONGEST: Final = 20  # characters that are read, with spaces and hyphens


def read_code(written: str) -> str | None:
    """Return a code as the server writes it, from one that somebody typed; None if it can be none."""
    code = _BETWEEN.sub("", written[:_LONGEST]).upper()
    return code if _CODE.fullmatch(code) else None


def code_in_path(path: str) -> str | None:
    """Return the code that a path such as ``/ydg-wgh`` is; None of any other path."""
    written = path[1:].removesuffix("/")
    return read_code(written) if len(written) <= _LONGEST else None
