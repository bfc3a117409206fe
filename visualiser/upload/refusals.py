"""The `InvalidInput` of a refused upload, and the texts in it that came from the file itself.

A file's own text (a member's name, a dtype) is shortened and stripped of all but letters, digits and plain punctuation
before it enters a message: it can break neither a line of a log nor the HTML of a page.
"""

import re

from attention_core import InvalidInput
from visualiser import locale

NOT_PRINTABLE = re.compile(r"[^\w .,:;()\[\]|=/+-]")
LONGEST = 60  # characters of a name from the file that a message repeats


def refusal(code: str, **details: str | int | float) -> InvalidInput:
    """Return the error with this `code`; its English sentence is the locale's, so that Python and the page agree."""
    return InvalidInput(code, locale.text("en", f"error.{code}", **details), **details)


def printable(text: str) -> str:
    """Cut `text` to 60 characters and replace all but letters, digits and plain punctuation by `?`."""
    cleaned = NOT_PRINTABLE.sub("?", text[:LONGEST])
    return cleaned + "…" if len(text) > LONGEST else cleaned


def axis_text(length: int) -> str:
    """Write the length of an axis; a header may claim a thousand digits, which a message does not repeat."""
    return str(length) if abs(length) < 10**12 else "> 10^12"


def shape_text(shape: tuple[int, ...]) -> str:
    """Write a shape as the paper does: `8 × 32 × 64`; at most six axes are written out."""
    return " × ".join(axis_text(axis) for axis in shape[:6]) + (" × …" if len(shape) > 6 else "") if shape else "()"
