"""Blocks of query rows, and which rank computes or answers for which."""

from collections.abc import Collection, Iterator, Sequence

import torch

from attention_core.sharded.ranks import Ranks


def row_blocks(n_q: int, rows: int) -> list[slice]:
    """0 … n_q in blocks of `rows` query rows, the last one perhaps shorter."""
    return [slice(start, min(n_q, start + rows)) for start in range(0, n_q, rows)]


def shares(there: Collection[int], count: int, ranks: Ranks) -> tuple[list[int], list[int]]:
    """Of `count` blocks: those this rank answers for (of the ranks that see a block the first), and those nobody sees.

    What is missing comes last block first: under a causal mask late blocks cost most, and the run ends with cheap ones,
    for which no rank waits long.
    """
    seen = torch.full((count,), ranks.world)
    seen[list(there)] = ranks.rank
    owners = ranks.least(seen).tolist()
    mine = [index for index, owner in enumerate(owners) if owner == ranks.rank]
    return mine, [index for index in reversed(range(count)) if owners[index] == ranks.world]


def claimed(missing: Sequence[int], ranks: Ranks) -> Iterator[int]:
    """The missing blocks that this rank gets: always the next one, so that no rank idles while there is work."""
    while (turn := ranks.claim()) < len(missing):
        yield missing[turn]
