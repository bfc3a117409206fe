"""Blocks of query rows, and their assignment to ranks."""

from collections.abc import Collection, Iterator, Sequence

import torch

from attention_core.sharded.ranks import Ranks


def row_blocks(n_q: int, rows: int) -> list[slice]:
    """Split 0 … n_q into blocks of `rows` query rows; the last may be shorter."""
    return [slice(start, min(n_q, start + rows)) for start in range(0, n_q, rows)]


def shares(there: Collection[int], count: int, ranks: Ranks) -> tuple[list[int], list[int]]:
    """Return, of `count` blocks, those this rank owns and those no rank has. The first rank that has a block owns it.

    Missing blocks are in reverse order. Under a causal mask late blocks cost most, so the run ends with cheap ones, for
    which no rank waits long.
    """
    seen = torch.full((count,), ranks.world)
    seen[list(there)] = ranks.rank
    owners = ranks.least(seen).tolist()
    mine = [index for index, owner in enumerate(owners) if owner == ranks.rank]
    return mine, [index for index in reversed(range(count)) if owners[index] == ranks.world]


def claimed(missing: Sequence[int], ranks: Ranks) -> Iterator[int]:
    """Yield missing blocks for this rank, always the next unclaimed one, so that no rank idles."""
    while (turn := ranks.claim()) < len(missing):
        yield missing[turn]
