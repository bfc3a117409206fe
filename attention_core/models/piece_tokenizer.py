"""The tokenizers of Marian's translations, from their files alone: pieces with scores, and a vocabulary beside them.

transformers reads them with the package sentencepiece. Here the little that is needed of a sentencepiece model is read
by its format (a protocol buffer: numbered fields, each a number or a stretch of bytes), and the package tokenizers cuts
by the same rule: the segmentation with the largest sum of scores (Kudo 2018, arXiv 1804.10959).
"""

import importlib
import json
import struct
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

__all__ = ["PieceTokenizer"]

_BLANK: Final = "▁"
_MOST_PIECES: Final = 2**20
_NORMAL, _USER_DEFINED = 1, 4
_UNIGRAM: Final = 1
# fields of the file, of a piece, of the settings of training and of normalising
_PIECES, _TRAINED, _NORMALISED = 1, 2, 3
_PIECE, _SCORE, _TYPE = 1, 2, 3
_MODEL_TYPE: Final = 3
_CHARACTERS: Final = 2


class _Encoding(NamedTuple):
    """A text that is cut, under the names of the package tokenizers."""

    ids: list[int]
    tokens: list[str]
    offsets: list[tuple[int, int]]
    special_tokens_mask: list[int]


@dataclass(frozen=True)
class _Model:
    """What a file of pieces says: the pieces that a text may have with their scores, and how characters are mapped."""

    scores: Mapping[str, float]
    characters: bytes


class PieceTokenizer:
    """A tokenizer under the names that transformers' have, for `Cutter`; threads may share it.

    A piece that the vocabulary lacks is the unknown one. A code such as ">>fra<<" before a text is a token of its own.
    Behind every text stands the token that ends it.
    """

    is_fast = True

    def __init__(self, pieces: bytes, vocabulary: bytes, settings: Mapping[str, Any]) -> None:
        """Raise `ValueError`, or what a damaged file brings about, for files that are none."""
        made: Any = importlib.import_module("tokenizers")
        models, normalizers, pre_tokenizers = made.models, made.normalizers, made.pre_tokenizers
        found, ids = _model(pieces), _vocabulary(vocabulary)
        self._names = {number: name for name, number in ids.items()}
        self._ids = ids
        self._unknown = self.unk_token_id = ids[_name(settings, "unk_token", "<unk>")]
        self._end = ids[_name(settings, "eos_token", "</s>")]
        padding = ids.get(_name(settings, "pad_token", "<pad>"), self._end)
        self.all_special_ids = [self._end, self._unknown, padding]
        here = [
            (name, found.scores[name]) if name in found.scores else (f"\0{number}", 0.0)
            for number, name in sorted(self._names.items())
        ]
        self._known = len(here)
        if sorted(self._names) != list(range(self._known)):
            raise ValueError("a vocabulary numbers its pieces from 0")
        lacking = [(name, score) for name, score in found.scores.items() if name not in ids]
        self._backend = made.Tokenizer(models.Unigram([*here, *lacking], unk_id=self._unknown, byte_fallback=False))
        blanks = [normalizers.Replace(one, " ") for one in ("\n", "\t", "\r")]
        mapped = [normalizers.Precompiled(found.characters)] if found.characters else blanks
        self._backend.normalizer = normalizers.Sequence(mapped)
        self._backend.pre_tokenizer = pre_tokenizers.Sequence(
            [pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Metaspace(replacement=_BLANK, prepend_scheme="always")]
        )

    @property
    def backend_tokenizer(self) -> "PieceTokenizer":
        return self

    def __len__(self) -> int:
        return self._known

    def no_truncation(self) -> None:
        """Nothing is cut off."""

    def no_padding(self) -> None:
        """Nothing is filled up."""

    def encode(self, text: str, add_special_tokens: bool = True) -> _Encoding:
        """Return the tokens of a text."""
        code = text[: text.find("<<") + 2] if text.startswith(">>") else ""
        code = code if code in self._ids else ""
        made = self._backend.encode(text[len(code) :], add_special_tokens=False)
        ids = [self._of_vocabulary(*one) for one in zip(made.ids, made.tokens, strict=True)]
        offsets = [(start + len(code), stop + len(code)) for start, stop in made.offsets]
        tokens, added = list(made.tokens), [0] * len(ids)
        if code:
            ids, tokens, offsets = [self._ids[code], *ids], [code, *tokens], [(0, len(code)), *offsets]
            added = [0, *added]
        if add_special_tokens:
            end = self._names[self._end]
            ids, tokens, offsets, added = [*ids, self._end], [*tokens, end], [*offsets, (0, 0)], [*added, 1]
        return _Encoding(ids, tokens, offsets, added)

    def _of_vocabulary(self, number: int, piece: str) -> int:
        """Return the number of a piece; one of the other language, which is unknown here, has its own."""
        return self._ids.get(piece, self._unknown) if number == self._unknown or number >= self._known else number

    def decode(self, ids: Sequence[int], skip_special_tokens: bool = False) -> str:
        """Return what the pieces with these numbers spell."""
        special = self.all_special_ids if skip_special_tokens else []
        return "".join(self._names.get(one, "") for one in ids if one not in special).replace(_BLANK, " ").lstrip(" ")

    def convert_ids_to_tokens(self, ids: Sequence[int]) -> list[str | None]:
        """Return what the numbers are called; None for one that nothing is called by."""
        return [self._names.get(one) for one in ids]


def _name(settings: Mapping[str, Any], key: str, usual: str) -> str:
    """Return a token that settings name, as a text or as an object with its content."""
    found = settings.get(key)
    found = found.get("content") if isinstance(found, dict) else found
    return found if isinstance(found, str) else usual


def _vocabulary(written: bytes) -> dict[str, int]:
    found = json.loads(written.decode())
    if not isinstance(found, dict) or not 0 < len(found) <= _MOST_PIECES:
        raise ValueError("a vocabulary is a table from pieces to numbers")
    if not all(isinstance(one, int) and not isinstance(one, bool) for one in found.values()):
        raise ValueError("a vocabulary numbers its pieces")
    return found


def _model(written: bytes) -> _Model:
    scores: dict[str, float] = {}
    characters, kind = b"", _UNIGRAM
    for field, value in _fields(written):
        if field == _PIECES and isinstance(value, bytes):
            piece, score, of_type = "", 0.0, _NORMAL
            for part, inner in _fields(value):
                if part == _PIECE and isinstance(inner, bytes):
                    piece = inner.decode()
                elif part == _SCORE and isinstance(inner, bytes):
                    (score,) = struct.unpack("<f", inner)
                elif part == _TYPE and isinstance(inner, int):
                    of_type = inner
            if of_type in (_NORMAL, _USER_DEFINED) and piece:
                scores[piece] = score
            if len(scores) > _MOST_PIECES:
                raise ValueError("too many pieces")
        elif field == _TRAINED and isinstance(value, bytes):
            kind = next((one for part, one in _fields(value) if part == _MODEL_TYPE and isinstance(one, int)), _UNIGRAM)
        elif field == _NORMALISED and isinstance(value, bytes):
            found = (one for part, one in _fields(value) if part == _CHARACTERS and isinstance(one, bytes))
            characters = next(found, b"")
    if not scores or kind != _UNIGRAM:
        raise ValueError("pieces with scores are needed")
    return _Model(scores, characters)


def _fields(written: bytes) -> Iterator[tuple[int, int | bytes]]:
    """Yield the fields of a message of a protocol buffer: their numbers, with a number or with bytes."""
    at = 0
    while at < len(written):
        tag, at = _varint(written, at)
        wire = tag & 7
        if wire == 0:
            value, at = _varint(written, at)
            yield tag >> 3, value
            continue
        size, at = _varint(written, at) if wire == 2 else ({1: 8, 5: 4}.get(wire, -1), at)
        if size < 0 or at + size > len(written):
            raise ValueError("a field ends beyond its message")
        yield tag >> 3, written[at : at + size]
        at += size


def _varint(written: bytes, at: int) -> tuple[int, int]:
    value = 0
    for place in range(10):
        byte = written[at]
        at += 1
        value |= (byte & 127) << (7 * place)
        if byte < 128:
            return value, at
    raise ValueError("a number has at most ten bytes")
