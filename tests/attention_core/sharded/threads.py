"""Ranks as threads of this process, each with its own folder, so that many runs are short."""

import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from pathlib import Path

import torch
import torch.distributed as dist
from torch import Tensor

from attention_core.sharded.command_line import parse
from attention_core.sharded.ranks import Ranks
from attention_core.sharded.run import run

PATIENCE = 60.0


class Meeting:
    """Where the threads of one run bring their tensors, and the count of the blocks they take."""

    def __init__(self, world: int) -> None:
        self.barrier = threading.Barrier(world, timeout=PATIENCE)
        self.brought: list[Tensor] = [torch.empty(0)] * world
        self.turns = count()


class ThreadRank(Ranks):
    """One rank of a meeting."""

    def __init__(self, rank: int, meeting: Meeting) -> None:
        super().__init__(torch.device("cpu"), rank, meeting.barrier.parties)
        self._meeting = meeting

    def claim(self) -> int:
        return next(self._meeting.turns)

    def _reduced(self, tensor: Tensor, operation: dist.ReduceOp.RedOpType, first: bool = False) -> Tensor:
        self._meeting.brought[self.rank] = tensor
        self._meeting.barrier.wait()
        every = torch.stack(self._meeting.brought)
        self._meeting.barrier.wait()
        return every.amin(0) if operation == dist.ReduceOp.MIN else every.sum(0, dtype=tensor.dtype)


def run_in_threads(arguments: Sequence[str], folders: Sequence[Path]) -> None:
    """Run the command with one rank for each folder; the first gets the result."""
    meeting = Meeting(len(folders))

    def one(rank: int) -> None:
        try:
            run(parse([*arguments, "--out", str(folders[rank])]), ThreadRank(rank, meeting))
        except BaseException:
            meeting.barrier.abort()
            raise

    with ThreadPoolExecutor(len(folders)) as threads:
        for ended in [threads.submit(one, rank) for rank in range(len(folders))]:
            ended.result()
