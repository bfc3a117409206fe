"""Agreement of all ranks on the contents of Q and K, before any work and again at every block.

Each rank reads all of K, which it needs, and its share of Q's blocks; the blocks' digests are then joined. This detects
a machine whose copy of a file differs, and a file that changes during the run.
"""

import hashlib
from collections.abc import Sequence

import torch
from jaxtyping import Float, UInt8
from torch import Tensor

from attention_core.errors import InvalidInput
from attention_core.sharded.command_line import Options
from attention_core.sharded.files import StoredTensor, digest
from attention_core.sharded.manifest import Manifest, manifest, written_out
from attention_core.sharded.ranks import Ranks

Digests = UInt8[Tensor, "blocks 32"]


def agreed(
    options: Options,
    Q: StoredTensor,
    K: StoredTensor,
    keys: Float[Tensor, "*groups n_k d_k"],
    blocks: Sequence[slice],
    ranks: Ranks,
) -> tuple[Manifest, Digests]:
    """Return the run's manifest and a digest for each block of Q.

    Raises `InvalidInput`: `ranks_disagree`, and `not_finite` for Q.
    """
    found = {"K": digest(keys)}
    # Compare fixed-size data first: ranks with other options would have another number of blocks.
    if not ranks.same(hashlib.sha256(written_out(manifest(options, Q, K, found)).encode()).digest()):
        ranks.together(_refuse)
    digests = ranks.sum(ranks.together(lambda: _own(Q, blocks, ranks)))  # all ranks but the reader have zeros
    found["Q"] = digest(digests)
    return manifest(options, Q, K, found), digests


def queries(Q: StoredTensor, rows: slice, expected: UInt8[Tensor, "32"]) -> Float[Tensor, "*heads rows d_k"]:
    """Return these rows of Q. Raises `InvalidInput` (`input_changed`) if they differ from the agreed ones."""
    read = Q.rows(rows)
    if digest(read) != bytes(expected.tolist()):
        raise InvalidInput(
            "input_changed",
            f"{Q.name} must be the same for all ranks and all the time; in {Q.path} the rows from {rows.start} to "
            f"{rows.stop - 1} are others than at the start.",
            field=Q.name,
            path=str(Q.path),
            first=rows.start,
            last=rows.stop - 1,
        )
    return read


def _own(Q: StoredTensor, blocks: Sequence[slice], ranks: Ranks) -> Digests:
    digests = torch.zeros(len(blocks), hashlib.sha256().digest_size, dtype=torch.uint8)
    for index in range(ranks.rank, len(blocks), ranks.world):
        read = Q.rows(blocks[index])
        Q.require_finite(read)
        digests[index] = torch.frombuffer(bytearray(digest(read)), dtype=torch.uint8)
    return digests


def _refuse() -> None:
    raise InvalidInput(
        "ranks_disagree",
        "Every rank must be started with the same options and the same K and shapes of Q; they differ.",
    )
