"""The words that the language model knows, and how any text becomes their numbers.

The vocabulary is English, because the generator's grammar is: `the keys to the cabinet are` shows agreement over a
distance in six words, with nothing but an s to carry the number, and the page's other language has no such agreement.

A word that is not among them is numbered by its first appearance: `the cat 고양이 cat 고양이` has the ids of `the`,
`cat`, `<word 1>`, `cat`, `<word 1>`. So every text in every language can be read, and two mentions of one word stay one
word for the heads that look for repeats. There are as many numbered words as a reading can hold.
"""

from dataclasses import dataclass
from typing import Final

from attention_core.text import beginning, readable

__all__ = ["BEGINNING", "SHOWN", "WORDS", "Reading", "read"]

SHOWN: Final = 64
"""Most tokens of a reading, its first one included. The model was trained on longer texts (`recipe.CONTEXT`)."""

BEGINNING: Final = "<bos>"
"""The first token of every reading, before any word: heads that have nothing to read may read it."""

FIRST_NAMES: Final = ("Anna", "Ben", "Clara", "David", "Emma", "Felix", "Grace", "Henry", "Iris", "Jacob")
LAST_NAMES: Final = (
    "Baker", "Carter", "Cooper", "Fisher", "Mason", "Miller", "Porter", "Taylor", "Turner", "Weaver",
)  # fmt: skip
_NOUNS: Final = (
    "key", "cabinet", "dog", "cat", "book", "letter", "teacher", "student", "friend", "door", "garden", "house",
    "river", "table", "tree", "bridge",
)  # fmt: skip
NOUNS: Final = tuple((noun, noun + "s") for noun in _NOUNS)
"""Singular and plural."""
PREPOSITIONS: Final = ("to", "near", "in", "on", "under", "behind", "beside", "from")
COPULAS: Final = (("is", "are"), ("was", "were"))
INTRANSITIVE: Final = (("sleeps", "sleep"), ("waits", "wait"), ("falls", "fall"))
TRANSITIVE: Final = (("sees", "see"), ("knows", "know"), ("likes", "like"), ("finds", "find"))
ADJECTIVES: Final = ("old", "new", "red", "green", "small", "large", "cold", "warm")
BRACKETS: Final = (("(", ")"), ("[", "]"), ("{", "}"))

NUMBERED: Final = tuple(f"<word {number}>" for number in range(1, SHOWN))
"""Words that are not in the vocabulary, in the order in which a text brings them."""


def _flat(pairs: tuple[tuple[str, str], ...]) -> tuple[str, ...]:
    return tuple(word for pair in pairs for word in pair)


WORDS: Final = (
    BEGINNING,
    *NUMBERED,
    *FIRST_NAMES,
    *LAST_NAMES,
    *_flat(NOUNS),
    *PREPOSITIONS,
    "the",
    "and",
    ".",
    ",",
    *_flat(COPULAS),
    *_flat(INTRANSITIVE),
    *_flat(TRANSITIVE),
    *ADJECTIVES,
    *_flat(BRACKETS),
)
"""Every token; its place is its id."""

LISTED: Final = (*FIRST_NAMES, *LAST_NAMES, *_flat(NOUNS), *_flat(INTRANSITIVE), *_flat(TRANSITIVE), *ADJECTIVES)
"""The words that say something: lists and pairs are made of them and of numbered words."""

IDS: Final = {word: number for number, word in enumerate(WORDS)}
_FOLDED: Final = {word.casefold(): IDS[word] for word in WORDS if not word.startswith("<")}


@dataclass(frozen=True)
class Reading:
    """A text as the model reads it.

    tokens  as they were typed, after `BEGINNING`
    ids     their places in `WORDS`
    cut     True if the text goes on after the last token
    """

    tokens: tuple[str, ...]
    ids: tuple[int, ...]
    cut: bool

    @property
    def words(self) -> tuple[str, ...]:
        """The tokens as the model knows them."""
        return tuple(WORDS[number] for number in self.ids)


def read(text: str) -> Reading:
    """Return the first `SHOWN` − 1 words and marks of `text`, and their ids. Capitals and small letters are the same.

    >>> reading = read("The keys to the 서랍 are")
    >>> reading.tokens
    ('<bos>', 'The', 'keys', 'to', 'the', '서랍', 'are')
    >>> reading.words
    ('<bos>', 'the', 'keys', 'to', 'the', '<word 1>', 'are')

    A text without a word gives `BEGINNING` alone. Raises `InvalidInput` (`not_a_text`, `text_too_long`).
    """
    typed = beginning(readable(text), "words", SHOWN)
    ids, numbers = [IDS[BEGINNING]], dict[str, int]()
    for token in typed[: SHOWN - 1]:
        folded = token.casefold()
        known = _FOLDED.get(folded)
        ids.append(IDS[NUMBERED[numbers.setdefault(folded, len(numbers))]] if known is None else known)
    return Reading((BEGINNING, *typed[: SHOWN - 1]), tuple(ids), len(typed) >= SHOWN)
