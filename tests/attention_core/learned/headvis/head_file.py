"""A head's file as HeadVis writes it, made by hand after its description (anthropics/headvis, `data_pipeline.py`)."""

import json
from typing import Any, Final

from attention_core import InvalidInput
from visualiser.locale import LANGUAGES, text

AS_THEIRS: Final = """{"sequences": [
{"sequence_id": 40, "interval": 1, "tokens": ["The", " cat", "\\u00e9", "\\ufffd"],
 "attention_indices": [0, 4, 5, 8, 10], "attention_values": [1.0, 0.9300000071525574, 0.004999999888241291, 0.5, 0.25],
 "seq_len": 4, "max_activation": null},
{"sequence_id": 7, "interval": 10, "tokens": [" sat", "\\n"], "attention_indices": [3, 0],
 "attention_values": [0.75, 1], "seq_len": 2, "max_activation": 0.75}],
"qk_distance_histogram": {"bin_edges": [0, 1, 2, 4], "bin_values": [3.005, 0.93, 0.5]},
"top_query_tokens": [{"token": "The", "weight": 1.0}, {"token": " cat", "weight": 0.935}],
"top_key_tokens": [{"token": "The", "weight": 2.43}],
"histogram": {"bin_edges": [0.0, 0.5, 1.0], "bin_values": [0, 16384]},
"statistics": {"n_samples": 2, "mean_max_activation": null}, "ours": [[1]]}
"""
"""Two texts of a run with ten bands: 0.005 in float32, a text without a maximum, and a field that is not theirs."""


def with_field(value: Any, *path: str | int) -> bytes:
    """Return the file with another value at a place, such as ("sequences", 0, "seq_len")."""
    whole: dict[str, Any] = json.loads(AS_THEIRS)
    at: Any = whole
    for step in path[:-1]:
        at = at[step]
    at[path[-1]] = value
    return json.dumps(whole).encode()


def said_in_english(problem: InvalidInput) -> str:
    """Return what the page says of a refusal; every language has a sentence."""
    return {lang: text(lang, f"error.{problem.code}", **problem.details) for lang in LANGUAGES}["en"]
