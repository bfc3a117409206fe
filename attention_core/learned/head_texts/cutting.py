"""Texts of any length, cut where a reader would: into pieces that a model reads at once."""

import codecs
import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from attention_core.errors import InvalidInput
from attention_core.learned.given import Given
from attention_core.learned.run import LearnedModel

__all__ = ["MOST_CHARACTERS", "MOST_POSITIONS", "file_passages", "passages", "read_at_once"]

MOST_CHARACTERS: Final = 600
"""Characters of a passage: about 150 tokens of English."""

MOST_POSITIONS: Final = 192
"""Of a passage as a model reads it: what a run takes grows with their square."""

_BYTES: Final = 2**16
"""Read at once of a file."""

_LONGEST_LINE: Final = 2**20
"""Bytes of one line of a file of texts, a JSON value each: more are not held."""

_ENDS: Final = ("\n\n", "\n", ". ", "。", " ")
"""Where a text is cut: the first of these that the second half of a passage has."""


def passages(texts: Iterable[str], most: int = MOST_CHARACTERS) -> Iterator[str]:
    """Yield texts in passages of at most `most` characters, cut behind a paragraph, a line, a sentence or a word.

    Blanks around a passage are left out, and passages without anything else.
    """
    for text in texts:
        yield from _pieces((text,), most)


def file_passages(path: Path, most: int = MOST_CHARACTERS) -> Iterator[str]:
    """Yield the passages of a file: of `.jsonl` each line's `text`, or the line if it is a string; else plain text.

    The file may be of any size: it is read as passages are taken.

    Raises
    ------
    InvalidInput
        `texts_file`, with the line, for a line of `.jsonl` that has no text or is longer than a mebibyte;
        `texts_encoding` for a file that is not UTF-8.
    """
    try:
        if path.suffix == ".jsonl":
            yield from passages(_lines(path), most)
        else:
            yield from _pieces(_decoded(path), most)
    except UnicodeDecodeError as problem:
        raise InvalidInput(
            "texts_encoding", f"{path.name} is not UTF-8: save it in that encoding.", value=path.name
        ) from problem


def read_at_once(model: LearnedModel, texts: Iterable[str]) -> Iterator[str]:
    """Yield texts in pieces of at most `MOST_POSITIONS` positions and less than the model has, by halves.

    Korean in bytes has a thousand of them.
    """
    # many models count no more positions than they have: a text that fills them all may go on behind them
    most = min(MOST_POSITIONS, model.most_tokens - 1)
    waiting: list[str] = []
    for text in texts:
        waiting.append(text)
        while waiting:
            first = waiting.pop()
            if len(first) < 2 or model.positions(Given(first)) <= most:
                yield first
            else:
                waiting += reversed([*_pieces((first,), -(-len(first) // 2))])


def _pieces(parts: Iterable[str], most: int) -> Iterator[str]:
    """Yield the passages of one text that comes in parts."""
    held, at = "", 0  # what is cut off stays until the next part: a long text is not copied a passage at a time
    for part in parts:
        held, at = held[at:] + part, 0
        while len(held) - at > most:
            end = _cut(held, at, most)
            if piece := held[at:end].strip():
                yield piece
            at = next((place for place in range(end, len(held)) if not held[place].isspace()), len(held))
    if piece := held[at:].strip():
        yield piece


def _cut(text: str, at: int, most: int) -> int:
    """Return where the passage of a longer text ends that begins at a place."""
    for end in _ENDS:
        found = text.rfind(end, at + most // 2, at + most)
        if found >= 0:
            return found + len(end)
    return at + most


def _decoded(path: Path) -> Iterator[str]:
    decoder = codecs.getincrementaldecoder("utf-8-sig")()
    with path.open("rb") as file:
        while data := file.read(_BYTES):
            yield decoder.decode(data).replace("\r\n", "\n")
    yield decoder.decode(b"", final=True)


def _lines(path: Path) -> Iterator[str]:
    with path.open("rb") as file:
        for number in range(1, 2**63):
            line = file.readline(_LONGEST_LINE + 1)
            if not line:
                return
            if line.strip():
                yield _text_of(line, number)


def _text_of(line: bytes, number: int) -> str:
    """Return the text of a line of JSON."""
    try:
        found = json.loads(line) if len(line) <= _LONGEST_LINE else None
    except (ValueError, RecursionError):
        found = None
    if isinstance(found, dict):
        found = found.get("text")
    if not isinstance(found, str):
        raise InvalidInput(
            "texts_file",
            f'Line {number} has no text: each must be JSON of at most 1 MB, a string or an object with "text".',
            line=number,
        )
    return found
