"""Texts as people write them, over which heads are measured: prose of this project, and the manual of every Python.

The prose was written for Headlight, in English and Korean: stories, dialogue, news, recipes, code with comments, and
letters. It has its licence.

>>> len(prose("english")), prose("english")[0].split()[0]
(73, 'def')
"""

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Final

from attention_core.validation import choice

__all__ = ["LANGUAGES", "manual", "prose"]

LANGUAGES: Final = ("english", "korean")

_BETWEEN: Final = "\n%\n"
"""What stands between two texts of a file, as in those of `fortune`: code has empty lines of its own."""


@cache
def prose(language: str) -> tuple[str, ...]:
    """Return the texts of `english` or `korean`, each of 440 to 940 bytes. Raises `InvalidInput` (`unknown_choice`)."""
    folder = Path(__file__).parent / choice("language", language, LANGUAGES)
    files = sorted(folder.glob("*.txt"))
    return tuple(text.strip("\n") for file in files for text in file.read_text("utf-8").split(_BETWEEN))


def manual() -> Iterator[str]:
    """Yield the topics of Python's own manual, which `help()` shows: technical English, more than 400 kB of it."""
    from pydoc_data.topics import topics  # half a megabyte that few need

    yield from (topics[name] for name in sorted(topics))
