"""A text as a model's own tokenizer cuts it, and each token as it stands in the text.

Joined, the tokens of a text are the text: what lies between two tokens, such as a blank, stands before the second. A
character that a reader sees as one is shown whole by the first of its tokens, be it an emoji of four bytes, a family of
seven code points or a syllable of three jamo. Each further token of that character is `CONTINUED`: the parts by
themselves would be broken characters. Tokens that the tokenizer adds have their names, `[CLS]`, `<s>`.
"""

import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from attention_core.cancellation import checkpoint
from attention_core.text import character_ends

__all__ = ["CONTINUED"]

CONTINUED: Final = "◌"
"""A token that is a further piece of the character before it. Unicode's own sign for "something else stands here"."""

_BLANKS: Final = frozenset("▁Ġ")
"""Marks of a blank in vocabularies, which a tokenizer may put in by itself."""


@dataclass(frozen=True)
class Cut:
    """The tokens of a text.

    ids     in the model's vocabulary
    tokens  as the text has them
    cut     True if the text goes on
    """

    ids: tuple[int, ...]
    tokens: tuple[str, ...]
    cut: bool


class Cutter:
    """A tokenizer of transformers, shared by threads: nothing of it changes after it is made."""

    def __init__(self, tokenizer: Any) -> None:
        self._tokenizer = tokenizer
        self._backend = tokenizer.backend_tokenizer if tokenizer.is_fast else None
        if self._backend is not None:  # a file may ask for a length that all texts are filled up to
            self._backend.no_truncation()
            self._backend.no_padding()
        self.special = frozenset(map(int, tokenizer.all_special_ids))

    def cut(self, text: str, most: int) -> Cut:
        """Return the first tokens of a text, at most `most`; what the tokenizer puts behind a text stays behind it."""
        if self._backend is None:
            return self._without_places(text, most)
        made = self._backend.encode(text)
        added = made.special_tokens_mask
        kept = _kept(added, most)
        tokens = [
            made.tokens[place] if added[place] else shown
            for place, shown in enumerate(_as_in_text(text, made.tokens, made.offsets))
        ]
        return Cut(
            tuple(made.ids[place] for place in kept), tuple(tokens[place] for place in kept), len(kept) < len(added)
        )

    def delimiters(self) -> frozenset[int]:
        """Return the ids of all special tokens, and of those that are nothing but marks or line ends."""
        return self.special | frozenset(self._marks())

    def _marks(self) -> Iterator[int]:
        for number in range(len(self._tokenizer)):
            if number % 4096 == 0:
                checkpoint()
            written = self._decoded([number])
            signs = written.strip()
            if all(unicodedata.category(sign)[0] == "P" for sign in signs) if signs else "\n" in written:
                yield number

    def _decoded(self, ids: Sequence[int]) -> str:
        if self._backend is not None:
            return self._backend.decode(list(ids), skip_special_tokens=False)
        return self._tokenizer.decode(list(ids), skip_special_tokens=False, clean_up_tokenization_spaces=False)

    def _without_places(self, text: str, most: int) -> Cut:
        """Cut by a tokenizer that does not tell where its tokens stand: each is what it adds to the decoded text."""
        ids = [int(one) for one in self._tokenizer(text)["input_ids"]]
        names = self._tokenizer.convert_ids_to_tokens(ids)
        added = [int(number in self.special) for number in ids]
        kept = _kept(added, most)
        tokens, read, decoded = list[str](), list[int](), ""
        for place in kept:
            if added[place]:
                tokens.append(names[place])
                continue
            read.append(ids[place])
            longer = self._decoded(read)
            new = longer[len(decoded) :] if longer.startswith(decoded) and not longer.endswith("\ufffd") else ""
            tokens.append(new or CONTINUED)
            decoded += new
        return Cut(tuple(ids[place] for place in kept), tuple(tokens), len(kept) < len(ids))


def _kept(added: Sequence[int], most: int) -> list[int]:
    """Return the places that are kept: the first ones, and those that are put behind every text."""
    if len(added) <= most:
        return list(range(len(added)))
    behind = next((number for number, one in enumerate(reversed(added)) if not one), 0)
    behind = min(behind, most - 1)
    return [*range(most - behind), *range(len(added) - behind, len(added))]


def _as_in_text(text: str, names: Sequence[str], places: Sequence[tuple[int, int]]) -> Iterator[str]:
    """Yield each token as it stands in the text."""
    ends = character_ends(text)
    seen = 0
    for name, (start, stop) in zip(names, places, strict=True):
        until = ends[stop - 1] if stop else 0
        covered = text[seen:until]
        if covered and set(name) <= _BLANKS and text[start:stop].strip():
            yield name  # a blank that is not in the text; its place is that of the character behind it
        elif covered:
            seen = until
            yield covered
        else:
            yield CONTINUED if stop > start else name
