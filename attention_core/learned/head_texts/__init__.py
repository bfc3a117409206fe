"""Heads over real texts: where each is strongest, what it joins, and its measures, read in bounded memory.

>>> from attention_core.learned import shipped_model
>>> found = read_texts(shipped_model("headlight"), ["Anna Miller sees Ben Taylor . Ben Taylor sees Anna Miller ."])
>>> [round(passage.score, 2) for passage in found.strongest("previous_token", 1, 1)]
[0.99]
"""

from attention_core.learned.head_texts.cutting import MOST_CHARACTERS, MOST_POSITIONS, file_passages, passages
from attention_core.learned.head_texts.joins import DISTANCES, Joined, Pair, Reads
from attention_core.learned.head_texts.reading import (
    BANDS,
    FEWEST_ROWS,
    STRONGEST,
    Passage,
    TextReading,
    read_texts,
)

__all__ = [
    "BANDS",
    "DISTANCES",
    "FEWEST_ROWS",
    "MOST_CHARACTERS",
    "MOST_POSITIONS",
    "STRONGEST",
    "Joined",
    "Pair",
    "Passage",
    "Reads",
    "TextReading",
    "file_passages",
    "passages",
    "read_texts",
]
