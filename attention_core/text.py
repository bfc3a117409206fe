"""Split a text in any language into tokens.

This is no model's tokenizer. It cuts at the words and characters that a reader sees, so that the labels of a heat map
are readable. Characters are extended grapheme clusters (Unicode annex 29): a flag, a family emoji, a Hangul syllable
typed as three jamo and a letter with its accents are one character each.
"""

import re
import unicodedata
from collections.abc import Iterator
from itertools import islice

import regex

from attention_core.errors import InvalidInput, shown
from attention_core.validation import choice

__all__ = ["MAXIMUM_CHARACTERS", "beginning", "shortened", "tokens"]

MAXIMUM_TOKENS = 512
# 128 characters for each token: more than any word needs, and few enough to split in milliseconds.
MAXIMUM_CHARACTERS = 128 * MAXIMUM_TOKENS

# Chinese and Japanese write no spaces, so every ideograph and hiragana is a word. Elsewhere a word is a run of letters,
# digits and their marks, perhaps with an apostrophe or the invisible joiners of Persian and Hindi inside.
_WORD = r"""
    [\p{Han}\p{Hiragana}]\p{M}*+
  | [[\p{L}\p{N}]--[\p{Han}\p{Hiragana}]]
    (?: [[\p{L}\p{N}\p{M}]--[\p{Han}\p{Hiragana}]] | ['’\u200c\u200d](?=\p{L}) )*+
"""
# \X alone handles flags, but looks back over all regional indicators before it: 20 s for 65,000 of them.
_CHARACTER = r"\p{Regional_Indicator}{1,2}+ \p{Grapheme_Extend}*+ | \X"
_INVISIBLE = r"[\s\p{Cc}\p{Cf}\p{Zs}]++"
_PATTERNS = {
    "words": regex.compile(rf"(?V1)(?: {_INVISIBLE} | (?P<token> {_WORD} | {_CHARACTER} ) )", regex.VERBOSE),
    "characters": regex.compile(rf"(?V1)(?: {_INVISIBLE} | (?P<token> {_CHARACTER} ) )", regex.VERBOSE),
}
_CLUSTER = regex.compile(rf"(?V1){_CHARACTER}", regex.VERBOSE)
_LONE_SURROGATE = re.compile(r"[\ud800-\udfff]")


def readable(text: object, field: str = "text") -> str:
    """Return `text` with each lone surrogate, which no encoding can carry, replaced by U+FFFD.

    Raises `InvalidInput` (`not_a_text`, `text_too_long`) unless it is a string of at most `MAXIMUM_CHARACTERS`.
    `field` is what the error calls it.
    """
    if not isinstance(text, str):
        raise InvalidInput(
            "not_a_text", f"{field} must be a string; got {shown(text)}.", field=field, value=shown(text)
        )
    if len(text) > MAXIMUM_CHARACTERS:
        raise _too_long(len(text), MAXIMUM_CHARACTERS, "characters", field)
    return _LONE_SURROGATE.sub("\ufffd", text)


def character_ends(text: str) -> list[int]:
    """Return for each place of `text` the end of the character that a reader sees there: its grapheme cluster.

    >>> character_ends("a👩‍👧b")
    [1, 4, 4, 4, 5]
    """
    ends: list[int] = []
    for match in _CLUSTER.finditer(text, concurrent=False):
        ends.extend([match.end()] * (match.end() - match.start()))
    return ends


def tokens(text: str, split: str = "words") -> tuple[str, ...]:
    """Return the words or characters of `text`. Punctuation counts; spaces and invisible characters do not.

    >>> tokens("the cat, the 고양이 👩‍👩‍👧")
    ('the', 'cat', ',', 'the', '고양이', '👩‍👩‍👧')

    The text is first composed (Unicode form C), so that a word typed in two ways is one token.

    Parameters
    ----------
    text
        A text in any language.
    split
        "words" or "characters".

    Returns
    -------
    tuple of str
        At most `MAXIMUM_TOKENS` tokens.

    Raises
    ------
    InvalidInput
        `not_a_text`; `text_empty` without any token; `text_too_long` beyond `MAXIMUM_CHARACTERS` or `MAXIMUM_TOKENS`;
        `unknown_choice` for a `split` that is neither words nor characters.
    """
    written = readable(text)
    found = tuple(islice(_found(written, split), MAXIMUM_TOKENS + 1))
    if not found:
        raise InvalidInput(
            "text_empty",
            f"text must hold at least one word or character; got {shown(text)}.",
            field="text",
            value=shown(text),
        )
    if len(found) > MAXIMUM_TOKENS:
        raise _too_long(_count(written, split), MAXIMUM_TOKENS, "tokens")
    return found


def beginning(text: str, split: str, most: int) -> tuple[str, ...]:
    """Return the first `most` tokens of a text of any length, by the rules of `tokens`, without reading the rest.

    A text without tokens gives none. Raises `InvalidInput` (`unknown_choice`).
    """
    return tuple(islice(_found(_LONE_SURROGATE.sub("\ufffd", text[: 128 * most]), split), most))


def shortened(text: str, split: str, most: int) -> str:
    """Return the longest beginning of `text` that `tokens` takes and cuts into at most `most` tokens.

    A text without tokens comes back as far as it may be read. One pass finds where the first token too many begins. It
    needs no composed text: composing moves no border between tokens. Raises `InvalidInput` (`unknown_choice`).
    """
    read = _LONE_SURROGATE.sub("\ufffd", text[:MAXIMUM_CHARACTERS])
    last, end = "", len(read)
    for number, match in enumerate(_matches(read, split)):
        if number == min(most, MAXIMUM_TOKENS):
            end = match.start()
            # an apostrophe belongs to its word only before a letter, and this letter stays behind: "で" after "a'"
            end -= split == "words" and len(last) > 1 and read[:end].endswith(("'", "’"))
            break
        last = match["token"]
    return text[:end]


def _found(text: str, split: str) -> Iterator[str]:
    return (match["token"] for match in _matches(unicodedata.normalize("NFC", text), split))


def _count(text: str, split: str) -> int:
    """Return the number of tokens: three times as fast as to find them one by one."""
    found = _PATTERNS[split].findall(unicodedata.normalize("NFC", text), concurrent=False)
    return len(found) - found.count("")


def _matches(text: str, split: str) -> "Iterator[regex.Match[str]]":
    pattern = _PATTERNS[choice("split", split, tuple(_PATTERNS))]
    # `regex` would let go of the interpreter's lock at each match, and wait for it while others compute
    return (match for match in pattern.finditer(text, concurrent=False) if match["token"])


def _too_long(came: int, maximum: int, unit: str, field: str = "text") -> InvalidInput:
    return InvalidInput(
        "text_too_long",
        f"{field} must have at most {maximum} {unit}; got {came}.",
        field=field,
        value=came,
        maximum=maximum,
        unit=unit,
    )
