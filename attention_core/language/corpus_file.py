"""The evaluation corpus: 144 documents of 64 tokens, in a file, so that another torch scores the same texts.

Each head's score is measured over it and not over a text at hand: on one narrow text a head may do what it rarely does
elsewhere.
"""

import json
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Final

from attention_core.language.texts import KINDS, Document, Place, documents
from attention_core.language.words import SHOWN

__all__ = ["corpus"]

EACH: Final = 48
"""Documents of each kind."""

_SEED: Final = 0
_FILE: Final = Path(__file__).parent / "shipped" / "corpus.json"


@cache
def corpus() -> tuple[Document, ...]:
    """Return the documents of the shipped file."""
    return tuple(
        Document(entry["kind"], tuple(entry["text"].split("  ")), tuple(Place(*place) for place in entry["places"]))
        for entry in json.loads(_FILE.read_text(encoding="utf-8"))
    )


def drawn() -> tuple[Document, ...]:
    """Draw the corpus anew, from a stream that no training reads."""
    return tuple(document for kind in KINDS for document in islice(documents(_SEED, "evaluation", kind, SHOWN), EACH))


def written(found: tuple[Document, ...]) -> str:
    """Return the file's text, a document a line; two blanks part the words, because `<word 1>` has one."""
    lines = [
        json.dumps(
            {
                "kind": document.kind,
                "text": "  ".join(document.words),
                "places": [[place.kind, place.query, place.key] for place in document.places],
            },
            ensure_ascii=False,
        )
        for document in found
    ]
    return "[\n" + ",\n".join(lines) + "\n]\n"
