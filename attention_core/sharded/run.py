"""A run from its files to its result, with the same steps on every rank."""

import os
import sys
import time

from jaxtyping import Float, UInt8
from torch import Tensor

from attention_core.sharded.block import block_statistics, row_names
from attention_core.sharded.command_line import Options
from attention_core.sharded.files import StoredTensor, require_fit, stored
from attention_core.sharded.folder import Folder, Tensors
from attention_core.sharded.gather import finished, gathered
from attention_core.sharded.identity import agreed, queries
from attention_core.sharded.plan import claimed, row_blocks, shares
from attention_core.sharded.ranks import Ranks

__all__ = ["run"]


def run(options: Options, ranks: Ranks) -> None:
    """Compute the missing blocks, gather all of them, and let rank 0 write the result.

    Raises `InvalidInput` as `files`, `identity`, `folder` and `attention_statistics` do; `FailedElsewhere` if another
    rank raises it; `RankLost`.
    """
    Q, K, keys = ranks.together(lambda: _opened(options))
    blocks = row_blocks(Q.shape[-2], options.block_rows)
    content, digests = agreed(options, Q, K, keys, blocks, ranks)
    folder = Folder(options.out, content)
    ranks.together(folder.examine)
    ranks.together(folder.write_manifest)
    read = {index: folder.read_block(rows) for index, rows in enumerate(blocks)}
    # blocks of an earlier release lack newer statistics and are computed again
    there = {
        index: block for index, block in read.items() if block is not None and block.keys() >= set(row_names(options))
    }
    del read
    mine, missing = shares(there, len(blocks), ranks)
    held = {index: there.pop(index) for index in mine}
    there.clear()  # other ranks own the rest
    keys = options.compared(keys.to(ranks.device))
    for index in claimed(missing, ranks):
        started = time.perf_counter()
        held[index] = _computed(Q, keys, blocks[index], digests[index], options, ranks)
        folder.write_block(blocks[index], held[index])
        _say(ranks, blocks[index], time.perf_counter() - started)
    whole = gathered(held, blocks, options, Q, ranks)
    if ranks.rank == 0:
        folder.write_result(finished(whole, options, Q, keys))
        before = len(blocks) - len(missing)
        sys.stdout.write(f"{folder.result}: {Q.shape[-2]} rows, {len(blocks)} blocks, {before} of them from before\n")


def _opened(options: Options) -> tuple[StoredTensor, StoredTensor, Float[Tensor, "*groups n_k d_k"]]:
    """Open Q and K, and read all of K into memory."""
    Q, K = stored(options.q, "Q"), stored(options.k, "K")
    require_fit(Q, K)
    keys = K.rows(slice(None))
    K.require_finite(keys)
    return Q, K, keys


def _computed(
    Q: StoredTensor,
    keys: Float[Tensor, "*groups n_k d_k"],
    rows: slice,
    digest: UInt8[Tensor, "32"],
    options: Options,
    ranks: Ranks,
) -> Tensors:
    read = queries(Q, rows, digest)
    return block_statistics(options.compared(read.to(ranks.device)), keys, rows, Q.shape[-2], options)


def _say(ranks: Ranks, rows: slice, seconds: float) -> None:
    who = f"rank {ranks.rank} of {ranks.world} (process {os.getpid()})"
    sys.stderr.write(f"{who}: rows {rows.start} to {rows.stop - 1}, {seconds:.2f} s\n")
    sys.stderr.flush()
