"""A text as a model's own tokenizer cuts it, and each token as it stands in the text.

Joined, the tokens of a text are the text: what lies between two tokens, such as a blank, stands before the second. A
character that a reader sees as one is shown whole by the first of its tokens, be it an emoji of four bytes, a family of
seven code points or a syllable of three jamo. Each further token of that character is `CONTINUED`: the parts by
themselves would be broken characters. Tokens that the tokenizer adds have their names, `[CLS]`, `<s>`.
"""

import unicodedata
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from attention_core.cancellation import checkpoint
from attention_core.text import character_ends

__all__ = ["CONTINUED", "tokens_of"]

CONTINUED: Final = "◌"
"""A token that is a further piece of the character before it. Unicode's own sign for "something else stands here"."""

_BLANKS: Final = frozenset("▁Ġ")
"""Marks of a blank in vocabularies, which a tokenizer may put in by itself."""

_LONG: Final = 16
"""Characters a token, of which hardly a text has as many."""


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
        self.mask: int | None = getattr(tokenizer, "mask_token_id", None)
        """The number of the token that stands for a masked word; None without one."""

    def named(self, number: int) -> str:
        """Return a token by itself, a special one by its name, and a broken character by its number."""
        if number in self.special:
            return str(self._tokenizer.convert_ids_to_tokens(number))
        written = self._decoded([number])
        broken = any(unicodedata.category(sign) in ("Cc", "Cs", "Cn") or sign == "\ufffd" for sign in written.strip())
        return f"<{number}>" if broken or not written else written

    def cut(self, text: str, most: int, alone: bool = False) -> Cut:
        """Return the first tokens of a text, at most `most`; what the tokenizer puts behind a text stays behind it.

        `alone` leaves out what it puts around every text.
        """
        if self._backend is None:
            return self._without_places(text, most, alone)
        made = self._backend.encode(text, add_special_tokens=not alone)
        added = made.special_tokens_mask
        kept = _kept(added, most, alone)
        tokens = [
            made.tokens[place] if added[place] else shown
            for place, shown in enumerate(_as_in_text(text, made.tokens, made.offsets))
        ]
        return Cut(
            tuple(made.ids[place] for place in kept), tuple(tokens[place] for place in kept), len(kept) < len(added)
        )

    def count(self, text: str, most: int, alone: bool = False) -> int:
        """Return how many tokens a text has, at most `most`: what `cut` would keep, without naming it.

        A text of more than `_LONG` characters for each of them counts as `most`: nobody waits for it to be read whole.
        """
        if len(text) > _LONG * most:
            return most
        if self._backend is None:
            return min(most, len(self._tokenizer(text, add_special_tokens=not alone)["input_ids"]))
        return min(most, len(self._backend.encode(text, add_special_tokens=not alone).ids))

    @property
    def tells_places(self) -> bool:
        """True if the tokenizer says where its tokens stand in a text; `encoded` needs it."""
        return self._backend is not None

    def encoded(self, text: str, special: bool) -> tuple[Cut, list[tuple[int, int]]]:
        """Return all tokens of a text and the characters that each stands for, empty for one that is added.

        `special` has the tokenizer put its own tokens around the text. Only for a tokenizer that tells places.
        """
        made: Any = self._tokenizer.backend_tokenizer.encode(text, add_special_tokens=special)
        names = zip(made.special_tokens_mask, made.tokens, _as_in_text(text, made.tokens, made.offsets), strict=True)
        tokens = tuple(name if added else shown for added, name, shown in names)
        return Cut(tuple(made.ids), tokens, False), made.offsets

    def written(self, ids: Sequence[int]) -> str:
        """Return the text of tokens, without special ones."""
        return self._decoded([one for one in ids if one not in self.special])

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

    def _without_places(self, text: str, most: int, alone: bool) -> Cut:
        """Cut by a tokenizer that does not tell where its tokens stand: each is what it adds to the decoded text."""
        ids = [int(one) for one in self._tokenizer(text, add_special_tokens=not alone)["input_ids"]]
        kept = _kept([int(number in self.special) for number in ids], most, alone)
        found = tuple(ids[place] for place in kept)
        return Cut(found, self.spelled(found), len(kept) < len(ids))

    def spelled(self, ids: Sequence[int]) -> tuple[str, ...]:
        """Return each token as what it adds to the decoded text; one without a name is called by its number."""
        return _as_they_add(self._tokenizer.convert_ids_to_tokens(list(ids)), ids, self.special, self._decoded)


def tokens_of(tokenizer: Any, ids: Sequence[int]) -> tuple[str, ...]:
    """Return the texts of tokens by their numbers: each is what it adds to the decoded text, a special one its name."""
    ids = list(map(int, ids))
    special = frozenset(map(int, tokenizer.all_special_ids))

    def decoded(read: Sequence[int]) -> str:
        return tokenizer.decode(list(read), skip_special_tokens=False, clean_up_tokenization_spaces=False)

    return _as_they_add(tokenizer.convert_ids_to_tokens(ids), ids, special, decoded)


def _as_they_add(
    names: Sequence[str | None],
    ids: Sequence[int],
    special: Collection[int],
    decode: Callable[[Sequence[int]], str],
) -> tuple[str, ...]:
    """Return what each token adds to the decoded text."""
    tokens, read, decoded = list[str](), list[int](), ""
    for number, name in zip(ids, names, strict=True):
        if name is None or number in special:
            tokens.append(f"<{number}>" if name is None else name)
            continue
        read.append(number)
        longer = decode(read)
        new = longer[len(decoded) :] if longer.startswith(decoded) and not longer.endswith("\ufffd") else ""
        tokens.append(new.lstrip("\ufffd") or CONTINUED)  # bytes of no character stand before it
        decoded += new
    return tuple(tokens)


def _kept(added: Sequence[int], most: int, alone: bool) -> list[int]:
    """Return the places that are kept: the first ones, and those that are put behind every text."""
    if len(added) <= most or alone:
        return list(range(min(most, len(added))))
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
