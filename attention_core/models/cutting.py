"""A text as a model's own tokenizer cuts it, each token by its own name.

A name is that of the vocabulary (`TokenNames`), so a run has the same names whether it came from a text or as numbers.
What a token stands for in the text is told beside it where the name does not say it: of the unknown token.
"""

import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from attention_core.cancellation import checkpoint
from attention_core.errors import InvalidInput
from attention_core.learned.positions import Line
from attention_core.models.token_names import TokenNames
from attention_core.models.tokenizer_growth import Growth

__all__ = ["tokens_of"]

_LONG: Final = 16
"""Characters a token, of which hardly a text has as many."""


@dataclass(frozen=True)
class Cut:
    """The tokens of a text.

    ids     in the model's vocabulary
    tokens  their names
    cut     True if the text goes on
    forms   as the vocabulary has them
    stands  what each unknown token stands for in the text, empty for any other; empty altogether if it is not known
    """

    ids: tuple[int, ...]
    tokens: tuple[str, ...]
    cut: bool
    forms: tuple[str, ...] = ()
    stands: tuple[str, ...] = ()

    def line(self, name: str, cut: bool | None = None) -> Line:
        """Return the tokens as a line of positions; `cut` if something else says that the text goes on."""
        goes_on = self.cut if cut is None else cut
        return Line(name, self.tokens, self.ids, cut=goes_on, forms=self.forms, stands=self.stands)

    def __add__(self, other: "Cut") -> "Cut":
        """Return these tokens and others behind them."""
        stands = (*(self.stands or ("",) * len(self.ids)), *(other.stands or ("",) * len(other.ids)))
        return Cut(
            (*self.ids, *other.ids), (*self.tokens, *other.tokens), other.cut, (*self.forms, *other.forms), stands
        )


class Cutter:
    """A tokenizer of transformers, shared by threads: nothing of it changes after it is made."""

    def __init__(self, tokenizer: Any) -> None:
        self._tokenizer = tokenizer
        self._backend = tokenizer.backend_tokenizer if tokenizer.is_fast else None
        if self._backend is not None:  # a file may ask for a length that all texts are filled up to
            self._backend.no_truncation()
            self._backend.no_padding()
        self.special = frozenset(map(int, tokenizer.all_special_ids))
        self.names = TokenNames(tokenizer)
        self._growth = Growth(self._backend)
        self._unknown: int | None = getattr(tokenizer, "unk_token_id", None)
        self.mask: int | None = getattr(tokenizer, "mask_token_id", None)
        """The number of the token that stands for a masked word; None without one."""

    def named(self, number: int) -> str:
        """Return the name of a token by itself."""
        return self.names.alone(number)

    def cut(self, text: str, most: int, alone: bool = False) -> Cut:
        """Return the first tokens of a text, at most `most`; what the tokenizer puts behind a text stays behind it.

        `alone` leaves out what it puts around every text.
        """
        if self._backend is None:
            return self._without_places(text, most, alone)
        made = self._encoded(text, special=not alone)
        kept = _kept(made.special_tokens_mask, most, alone)
        return self._cut(text, made, kept)

    def _encoded(self, text: str, special: bool) -> Any:
        """Return a text as the fast tokenizer cuts it. Raises `InvalidInput`: `text_grows`, `text_not_cut`."""
        self._growth.require(text)
        assert self._backend is not None
        try:
            return self._backend.encode(text, add_special_tokens=special)
        except BaseException as problem:  # a pattern that takes too many steps ends in a panic of Rust
            if type(problem).__name__ != "PanicException":
                raise
            raise InvalidInput(
                "text_not_cut",
                "The model's tokenizer cannot cut this text. A shorter one, or one of other words, may be read.",
            ) from None

    def _cut(self, text: str, made: Any, kept: Sequence[int]) -> Cut:
        """Return the tokens at some places of an encoding."""
        ids = tuple(made.ids[place] for place in kept)
        places = (made.offsets[place] for place in kept)
        stands = tuple(
            text[start:stop] if number == self._unknown else ""
            for number, (start, stop) in zip(ids, places, strict=True)
        )
        return Cut(ids, self.names.of(ids), len(kept) < len(made.ids), self.names.forms(ids), stands)

    def count(self, text: str, most: int, alone: bool = False) -> int:
        """Return how many tokens a text has, at most `most`: what `cut` would keep, without naming it.

        A text of more than `_LONG` characters for each of them counts as `most`: nobody waits for it to be read whole.
        """
        if len(text) > _LONG * most:
            return most
        if self._backend is None:
            return min(most, len(self._tokenizer(text, add_special_tokens=not alone)["input_ids"]))
        return min(most, len(self._encoded(text, special=not alone).ids))

    @property
    def tells_places(self) -> bool:
        """True if the tokenizer says where its tokens stand in a text; `encoded` needs it."""
        return self._backend is not None

    def encoded(self, text: str, special: bool) -> tuple[Cut, list[tuple[int, int]]]:
        """Return all tokens of a text and the characters that each stands for, empty for one that is added.

        `special` has the tokenizer put its own tokens around the text. Only for a tokenizer that tells places.
        """
        made = self._encoded(text, special)
        return self._cut(text, made, range(len(made.ids))), made.offsets

    def of_ids(self, ids: Sequence[int]) -> Cut:
        """Return tokens by their numbers."""
        return Cut(tuple(ids), self.names.of(ids), False, self.names.forms(ids))

    def around(self, ids: Sequence[int]) -> tuple[int, ...]:
        """Return tokens between those that the tokenizer puts around every text."""
        one = self.cut("a", _LONG).ids
        before = next((place for place, number in enumerate(one) if number not in self.special), 0)
        behind = next((place for place, number in enumerate(reversed(one)) if number not in self.special), 0)
        return (*one[:before], *ids, *one[len(one) - behind :])

    @property
    def ordinary(self) -> tuple[int, ...]:
        """The tokens of which a text may consist: all but special ones."""
        return tuple(number for number in range(len(self._tokenizer)) if number not in self.special)

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
        """Cut by a tokenizer that does not tell where its tokens stand."""
        ids = [int(one) for one in self._tokenizer(text, add_special_tokens=not alone)["input_ids"]]
        kept = _kept([int(number in self.special) for number in ids], most, alone)
        found = tuple(ids[place] for place in kept)
        return replace(self.of_ids(found), cut=len(kept) < len(ids))


def tokens_of(tokenizer: Any, ids: Sequence[int]) -> tuple[str, ...]:
    """Return the names of tokens of transformers' tokenizer by their numbers."""
    return TokenNames(tokenizer).of(list(map(int, ids)))


def _kept(added: Sequence[int], most: int, alone: bool) -> list[int]:
    """Return the places that are kept: the first ones, and those that are put behind every text."""
    if len(added) <= most or alone:
        return list(range(min(most, len(added))))
    behind = next((number for number, one in enumerate(reversed(added)) if not one), 0)
    behind = min(behind, most - 1)
    return [*range(most - behind), *range(len(added) - behind, len(added))]
