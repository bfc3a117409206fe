"""What the tokens of a model are called: by its own vocabulary, whatever text they were cut from.

A name is what a token spells, its leading blank included, so " Lily" is not "Lily": of a vocabulary of pieces (▁Lily)
and of one of bytes (ĠLily). WordPiece says itself what goes on within a word, and keeps its own form, "##ily". A token
that spells only a part of a character is called by that character and the number of the part, "한₂"; one whose bytes
become no character, "<0xED>". A sign that nobody sees is its number, "U+00A0". Special tokens, the unknown one among
them, have their own names.
"""

import json
import re
import unicodedata
from collections.abc import Iterator, Sequence
from typing import Any, Final

__all__ = ["TokenNames"]

_BLANK: Final = "▁"
_BYTE: Final = re.compile(r"<0x([0-9A-Fa-f]{2})>")
_SUBSCRIPTS: Final = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")
_UNSEEN: Final = frozenset({"Cc", "Cf", "Cn", "Co", "Mn", "Me", "Zl", "Zp", "Zs"})
"""Kinds of characters that show nothing by themselves."""
_SHOWN: Final = frozenset("\n\t ")
"""Those of them that every drawing has a sign for."""
_JOINED: Final = frozenset({"Mn", "Me"})
"""Kinds of them that are part of the character before them."""
_JOINERS: Final = frozenset("\u200c\u200d")
"""Characters that shape the letters, or the emoji, beside them."""


class TokenNames:
    """The names of a tokenizer's tokens, a slow one's or a fast one's."""

    def __init__(self, tokenizer: Any) -> None:
        self._tokenizer = tokenizer
        self._special = frozenset(map(int, tokenizer.all_special_ids))
        kinds = _kinds(getattr(getattr(tokenizer, "backend_tokenizer", None), "decoder", None))
        self._of_bytes = "ByteLevel" in kinds or hasattr(tokenizer, "byte_decoder")
        self._of_words = "WordPiece" in kinds
        self._is_byte = getattr(tokenizer, "_utf_vocab_size", 0) == 256
        """ByT5: a token is a byte, and its form the letter of that number."""

    def forms(self, ids: Sequence[int]) -> tuple[str, ...]:
        """Return the forms that the vocabulary has: ▁Lily, ĠLily, ##ily."""
        found = self._tokenizer.convert_ids_to_tokens([int(one) for one in ids])
        return tuple(f"<{number}>" if form is None else str(form) for number, form in zip(ids, found, strict=True))

    def of(self, ids: Sequence[int]) -> tuple[str, ...]:
        """Return the names of the tokens of a run."""
        forms, names = self.forms(ids), list[str]()
        waiting: list[bytes] = []
        for number, form in zip(ids, forms, strict=True):
            if number in self._special or self._of_words:
                names += _spelled(waiting)
                waiting = []
                names.append(form)
            else:
                waiting.append(self._bytes(form))
        return (*names, *_spelled(waiting))

    def alone(self, number: int) -> str:
        """Return the name of a token by itself."""
        return self.of([number])[0]

    def _bytes(self, form: str) -> bytes:
        if self._of_bytes and all(sign in _ALPHABET for sign in form):
            return bytes(_ALPHABET[sign] for sign in form)
        if self._is_byte and len(form) == 1:
            return form.encode("latin-1")
        if byte := _BYTE.fullmatch(form):
            return bytes([int(byte[1], 16)])
        return form.replace(_BLANK, " ").encode("utf-8", "surrogatepass")


def _kinds(decoder: Any) -> set[str]:
    """Return the kinds of a decoder of the package tokenizers, and of those that it is made of."""
    if decoder is None:
        return set()

    def walk(node: Any) -> Iterator[str]:
        if isinstance(node, dict):
            yield str(node.get("type", ""))
            for one in node.get("decoders", ()):
                yield from walk(one)

    return set(walk(json.loads(decoder.__getstate__())))


def _alphabet() -> dict[str, int]:
    """Return the bytes that the letters of byte-level vocabularies stand for: those that can be seen are themselves."""
    seen = [*range(ord("!"), ord("~") + 1), *range(ord("¡"), ord("¬") + 1), *range(ord("®"), ord("ÿ") + 1)]
    others = [byte for byte in range(256) if byte not in seen]
    return {chr(byte): byte for byte in seen} | {chr(256 + at): byte for at, byte in enumerate(others)}


_ALPHABET: Final = _alphabet()


def _spelled(pieces: Sequence[bytes]) -> list[str]:
    """Return what each of some neighbouring pieces spells."""
    joined, at, ends = b"".join(pieces), 0, list[int]()
    for piece in pieces:
        at += len(piece)
        ends.append(at)
    names, place = [""] * len(pieces), 0
    for start, stop, character in _characters(joined):
        while ends[place] <= start:
            place += 1
        first, last = place, place
        while ends[last] < stop:
            last += 1
        for part, one in enumerate(range(first, last + 1), 1):
            number = str(part).translate(_SUBSCRIPTS) if last > first else ""
            names[one] += f"{_seen(character)}{number}" if number else character
    return [_seen(name) for name in names]


def _characters(joined: bytes) -> Iterator[tuple[int, int, str]]:
    """Yield the characters of bytes with their places; a byte of none is its own, <0xED>."""
    at = 0
    while at < len(joined):
        lead = joined[at]
        size = 1 if lead < 0x80 else 2 if lead >> 5 == 0b110 else 3 if lead >> 4 == 0b1110 else 4
        try:
            character = joined[at : at + size].decode()
        except UnicodeDecodeError:
            size, character = 1, f"<0x{lead:02X}>"
        yield at, at + size, character
        at += size


def _seen(name: str) -> str:
    """Return a name with the number of each character that nobody sees; beside others marks and joiners are seen."""
    kinds = [(sign, unicodedata.category(sign)) for sign in name]
    alone = all(kind in _UNSEEN for _, kind in kinds)

    def unseen(sign: str, kind: str) -> bool:
        if sign in _SHOWN or kind not in _UNSEEN:
            return False
        return alone or not (sign in _JOINERS or kind in _JOINED)

    return "".join(f"U+{ord(sign):04X}" if unseen(sign, kind) else sign for sign, kind in kinds)
