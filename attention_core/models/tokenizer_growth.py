"""How much text the steps of a tokenizer may make of a text, bounded before they run.

A file of 1 kB can hold a chain of replacements that makes 30⁹ letters of one, and no step can be stopped once it runs.
So the growth of each kind of step is known here, or the tokenizer is refused. Before a text is cut of which they could
make too much, the steps run one by one, each only if what it makes at most is within the bound.
"""

import base64
import json
import math
import struct
from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import Any, Final

from attention_core.errors import InvalidInput

__all__ = ["MOST_MADE", "Growth", "require_known"]

MOST_MADE: Final = 2**20
"""Characters that all steps together may make of a text: fifty times the longest one."""
_MOST_DECODED: Final = 64
"""Characters that a decoder may make of one of a token."""
_MOST_SPECIAL: Final = 64
"""Special tokens around a text."""
_LONGEST_WORD: Final = 1000
"""Characters of a word that WordPiece takes apart, which costs their square."""

_CONSTANT: Final[Mapping[str, float]] = MappingProxyType(
    {
        "NFC": 4, "NFD": 4, "NFKC": 18, "NFKD": 18,  # of Unicode, its own bounds (UAX 15)
        "Lowercase": 3, "BertNormalizer": 12, "ByteLevel": 4, "Metaspace": 2,
        **dict.fromkeys(("Strip", "StripAccents", "Nmt"), 1),
        **dict.fromkeys(("BertPreTokenizer", "Whitespace", "WhitespaceSplit", "Split", "Punctuation", "Digits"), 1),
        **dict.fromkeys(("CharDelimiterSplit", "Delimiter", "UnicodeScripts", "FixedLength"), 1),
        **dict.fromkeys(("RobertaProcessing", "BertProcessing"), 1),
        **dict.fromkeys(("WordPiece", "BPEDecoder", "CTC", "Fuse", "ByteFallback"), 2),
    }
)  # fmt: skip
"""The characters that a step makes at most of one."""


_INNER: Final = ("normalizers", "pretokenizers", "processors", "decoders")


def require_known(tokenizer: Any, refusal: InvalidInput) -> None:
    """Raise `refusal` for a tokenizer of which a step's growth is not known, or that decodes or adds too much."""
    try:
        backend = tokenizer.backend_tokenizer
        _of(_state(backend.normalizer))
        _of(_state(backend.pre_tokenizer))
        repeats, decoded = _of(_state(backend.post_processor)), _of(_state(backend.decoder))
        word = getattr(backend.model, "max_input_chars_per_word", 0)
    except Exception:  # of files of strangers
        raise refusal from None
    if decoded > _MOST_DECODED or repeats > _MOST_SPECIAL or word > _LONGEST_WORD:
        raise refusal


class Growth:
    """What the steps of a fast tokenizer make of a text, at most. One whose steps are not told is not bounded."""

    def __init__(self, backend: Any) -> None:
        self._steps: list[tuple[Callable[[str], str], float]] = []
        self._after = 1.0
        try:
            self._steps = list(_steps(getattr(backend, "normalizer", None)))
            self._after = _of(_state(getattr(backend, "pre_tokenizer", None)))
            self._after *= _of(_state(getattr(backend, "post_processor", None)))
        except Exception:  # a step of the caller's own in Python
            self._steps, self._after = [], 1.0
        self._most = math.prod((factor for _, factor in self._steps), start=self._after)

    def require(self, text: str) -> None:
        """Raise `InvalidInput` (`text_grows`) for a text of which the steps make more than `MOST_MADE` characters."""
        if len(text) * self._most <= MOST_MADE:
            return
        for normalised, factor in self._steps:
            if len(text) * factor > 16 * MOST_MADE:
                raise _grows()
            text = normalised(text)
            if len(text) > MOST_MADE:
                raise _grows()
        if len(text) * self._after > 16 * MOST_MADE:
            raise _grows()


def _grows() -> InvalidInput:
    return InvalidInput(
        "text_grows",
        f"The model's tokenizer makes more than {MOST_MADE} characters of this text, so it is not read.",
        limit=MOST_MADE,
    )


def _state(step: Any) -> Any:
    return None if step is None else json.loads(step.__getstate__())


def _steps(normalizer: Any) -> Iterator[tuple[Callable[[str], str], float]]:
    """Yield the single steps of a normalizer with what each makes of a character."""
    state = _state(normalizer)
    if state is None:
        return
    if state["type"] == "Sequence":
        for number in range(len(state["normalizers"])):
            yield from _steps(normalizer[number])
    else:
        yield normalizer.normalize_str, _of(state)


def _of(step: Any) -> float:
    """Return how many characters a step, or those in it, makes of one. Raises `KeyError` for one that is not known."""
    if step is None:
        return 1.0
    kind = step["type"]
    match kind:
        case "Sequence":
            inner = next(step[name] for name in _INNER if name in step)
            return math.prod(map(_of, inner))
        case "Replace":
            replaced = step["pattern"].get("String")
            return 1.0 + len(step["content"]) if not replaced else max(1.0, len(step["content"]) / len(replaced))
        case "Prepend":
            return 1.0 + len(step["prepend"])
        case "Precompiled":
            return _longest(base64.b64decode(step["precompiled_charsmap"]))
        case "TemplateProcessing":
            return float(len(step["single"]))
        case _:
            return float(_CONSTANT[kind])


def _longest(characters: bytes) -> float:
    """Return the most characters that a map of SentencePiece has for one."""
    if len(characters) < 4:
        return 1.0
    (trie,) = struct.unpack_from("<I", characters)
    return float(max(1, *map(len, characters[4 + trie :].split(b"\0"))))
