"""Files of a Marian tokenizer, written here by the format of sentencepiece's models."""

import json
import struct
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Final

NORMAL, UNKNOWN, CONTROL = 1, 2, 3
Piece = tuple[str, float, int]

_AROUND: Final[tuple[Piece, ...]] = (("<unk>", 0.0, UNKNOWN), ("<s>", 0.0, CONTROL), ("</s>", 0.0, CONTROL))
_LETTERS: Final = "abcdefghijklmnopqrstuvwxyz.,▁"
_ENGLISH: Final = ("▁the", "▁cat", "▁keys", "▁are", "▁lost", "▁old", "▁s")
_GERMAN: Final = ("▁die", "▁Katze", "▁Schlüssel", "▁sind", "▁alt")


def of(words: Iterable[str]) -> tuple[Piece, ...]:
    """Return words, and the letters that anything else is cut into."""
    found = [(word, -2.0, NORMAL) for word in words]
    return (*_AROUND, *found, *((letter, -6.0, NORMAL) for letter in _LETTERS))


def written(pieces: Iterable[Piece], kind: int = 1) -> bytes:
    """Return a file of pieces."""
    listed = (
        _field(1, _field(1, piece.encode()) + _field(2, score) + _field(3, of_type)) for piece, score, of_type in pieces
    )
    return b"".join(listed) + _field(2, _field(3, kind)) + _field(3, _field(1, b"identity"))


def _field(number: int, value: float | bytes) -> bytes:
    if isinstance(value, bytes):
        return _varint(number << 3 | 2) + _varint(len(value)) + value
    if isinstance(value, float):
        return _varint(number << 3 | 5) + struct.pack("<f", value)
    return _varint(number << 3) + _varint(value)


def _varint(number: int) -> bytes:
    found = b""
    while number > 127:
        found, number = found + bytes([number & 127 | 128]), number >> 7
    return found + bytes([number])


ENGLISH: Final = of(_ENGLISH)
GERMAN: Final = of(_GERMAN)
VOCABULARY: Final[Mapping[str, int]] = MappingProxyType(
    {
        name: number
        for number, name in enumerate(
            ("</s>", "<unk>", *_ENGLISH, *_GERMAN, *(one for one in _LETTERS if one != "z"), "ß", ">>deu<<", "<pad>")
        )
    }
)
"""Of both languages; "z" is a piece that it lacks."""


@dataclass(frozen=True)
class Pieces:
    """A tokenizer that can only be saved."""

    source: bytes = written(ENGLISH)
    target: bytes = written(GERMAN)
    vocabulary: str = json.dumps(dict(VOCABULARY))
    settings: str = json.dumps(
        {"eos_token": "</s>", "unk_token": {"content": "<unk>"}, "tokenizer_class": "MarianTokenizer"}
    )

    def save_pretrained(self, path: Path) -> None:
        (path / "source.spm").write_bytes(self.source)
        (path / "target.spm").write_bytes(self.target)
        (path / "vocab.json").write_text(self.vocabulary, encoding="utf-8")
        (path / "tokenizer_config.json").write_text(self.settings, encoding="utf-8")
