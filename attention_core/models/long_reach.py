"""How long a text a model reads row by row, and what a token and a pair of tokens take there. All is measured."""

import inspect
import math
from collections.abc import Sequence
from typing import Any, Final

import torch

from attention_core.cancellation import checkpoint
from attention_core.models.long_run import MOST_SQUARE, long_statistics, require_length

LONGEST: Final = 16_384
"""Tokens of the longest text that is read row by row, whatever a model declares."""
SPARE: Final = 8
"""Places that a model with learned positions may lose of those that it declares, as RoBERTa does two."""
_PRIME: Final = 61
"""Tokens of the run in which tensors are told by their axes: no width of a model is this number."""


def long_sizes(reader: Any, token: int, most: int) -> tuple[int, float]:
    """Return the bytes of a token in the widest tensor, and of a pair of tokens in the largest n × n one."""
    n = min(_PRIME, most)
    found = long_statistics(reader, layers=None, **run_inputs(reader, [token] * n))
    return -(-found.widest // n), found.square / n**2


def longest_context(reader: Any, token: int, most: int, sizes: tuple[int, float], queries: bool) -> int:
    """Return the longest text that is read row by row, at least `most`.

    What the configuration declares, at most `LONGEST`; fewer for a model that makes n × n tensors by itself; and tried
    if a table of positions may end before it. A model that attends by itself, whose h × n × n are all made, reads
    `most`.
    """
    declared = getattr(reader.config.get_text_config(), "max_position_embeddings", None)
    if not queries or not isinstance(declared, int) or declared <= most + SPARE:
        return most
    longest = min(declared, LONGEST)
    if sizes[1]:
        longest = min(longest, math.isqrt(int(MOST_SQUARE / sizes[1])))
    if not any(declared <= size <= declared + SPARE for one in reader.parameters() for size in one.shape[:1]):
        return max(most, longest)
    for tried in range(longest, longest - SPARE - 1, -1):
        checkpoint()
        try:
            require_length(reader, **run_inputs(reader, [token] * tried))
        except (IndexError, RuntimeError, ValueError):
            continue
        return max(most, tried)
    return most


def run_inputs(reader: Any, ids: Sequence[int]) -> dict[str, Any]:
    """Return the arguments of a run: ids, and what the reader has a name for: a mask that lets all through, no cache.

    No segments: GPT-2 would add the embedding of word 0 to each token.
    """
    made = torch.tensor([ids], device=reader.device)
    given: dict[str, Any] = {"attention_mask": torch.ones_like(made), "use_cache": False}
    known = inspect.signature(reader.forward).parameters
    return {"input_ids": made} | {key: value for key, value in given.items() if key in known}
