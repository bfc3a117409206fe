"""Texts with emphasis and code where no markup is shown, such as in a file."""

from typing import Final

import regex

_SIGNS: Final = regex.compile(
    r"`([^`\n]+)`|\*\*(?=\S)([^*\n]*?\S)\*\*|(?<![\p{L}0-9*])\*(?=[^\s*])([^*\n]*?[^\s*])\*(?![0-9*])"
)
"""As in assets/js/lesson/markdown.js."""


def plainly(written: str) -> str:
    """Return a text on one line, without the signs of emphasis and code."""
    return " ".join(_SIGNS.sub(lambda found: found[found.lastindex or 0], written).split())
