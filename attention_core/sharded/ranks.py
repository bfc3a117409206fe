"""The processes of one run, by torch.distributed: gloo between CPUs, nccl between GPUs, nothing for a single one.

Ranks exchange only three things: agreement (reductions of a few bytes before the work), the number of the next block
(a counter in torchrun's store), and the results at the end.
"""

import os
import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from itertools import count
from typing import TypeVar

import torch
import torch.distributed as dist
from jaxtyping import Shaped
from torch import Tensor
from torch.distributed.distributed_c10d import PrefixStore, Store
from torch.distributed.rendezvous import rendezvous

from attention_core.device import resolve
from attention_core.errors import InvalidInput

__all__ = ["Ranks"]

T = TypeVar("T")


class RankLost(Exception):
    """Another rank ended, or did not answer in time."""

    def __init__(self) -> None:
        super().__init__(
            "Another rank ended, or did not answer in time. "
            "The same command continues from the blocks that are written."
        )


class FailedElsewhere(Exception):
    """A step failed on another rank, which reports the reason."""


class Ranks:
    """This process among its `world` of processes; it computes on `device` and shares `store` with the others."""

    def __init__(self, device: torch.device, rank: int = 0, world: int = 1, store: Store | None = None) -> None:
        self.device, self.rank, self.world = device, rank, world
        self._alone = count()
        self._counter = None
        if store is not None:
            # A name for this start: torchrun's store, and so the count, outlives ranks that it starts again.
            name = self.sum(torch.tensor([secrets.randbits(62) if rank == 0 else 0])).item()
            self._counter = PrefixStore(f"blocks/{name}", store)

    def claim(self) -> int:
        """Return a number that no other rank gets, counted from 0. Faster ranks take more."""
        if self._counter is None:
            return next(self._alone)
        try:
            return self._counter.add("claimed", 1) - 1
        except RuntimeError as error:
            raise RankLost from error

    def sum(self, tensor: Shaped[Tensor, "..."]) -> Shaped[Tensor, "..."]:
        """Return the sum over the ranks, on the CPU of every rank."""
        return self._reduced(tensor, dist.ReduceOp.SUM)

    def least(self, tensor: Shaped[Tensor, "..."]) -> Shaped[Tensor, "..."]:
        """Return the smallest of the ranks' values, number by number."""
        return self._reduced(tensor, dist.ReduceOp.MIN)

    def sum_on_first(self, tensor: Shaped[Tensor, "..."]) -> Shaped[Tensor, "..."]:
        """Return the sum over the ranks, on the CPU of rank 0. On other ranks the value is meaningless."""
        return self._reduced(tensor, dist.ReduceOp.SUM, first=True)

    def together(self, step: Callable[[], T]) -> T:
        """Run `step` on every rank. If any raises `InvalidInput`, all stop and the first such rank reports it."""
        failure: InvalidInput | None = None
        result: T | None = None
        try:
            result = step()
        except InvalidInput as error:
            failure = error
        first = int(self.least(torch.tensor([self.world if failure is None else self.rank])))
        if failure is not None and first == self.rank:
            raise failure
        if first < self.world:
            raise FailedElsewhere
        return result  # type: ignore[return-value]

    def same(self, data: bytes) -> bool:
        """Return True if every rank has the same bytes (of one length). One reduction finds least and largest."""
        here = torch.frombuffer(bytearray(data), dtype=torch.uint8).int()
        low, high = self.least(torch.stack([here, -here])).unbind()
        return torch.equal(low, -high)

    def _reduced(self, tensor: Tensor, operation: dist.ReduceOp.RedOpType, first: bool = False) -> Tensor:
        if self.world == 1:
            return tensor
        shared = tensor.to(self.device if self.device.type == "cuda" else "cpu", copy=True).contiguous()
        try:
            if first:
                dist.reduce(shared, 0, op=operation)
            else:
                dist.all_reduce(shared, op=operation)
            return shared.cpu()
        except RuntimeError as error:  # every error of torch.distributed is one
            raise RankLost from error


@contextmanager
def started(device: str, timeout: float) -> Iterator[Ranks]:
    """Join the ranks that torchrun's environment variables announce. Without them this process is alone.

    Raises `InvalidInput` for an unavailable device (`resolve`) or fewer GPUs than ranks (`gpu_count`), and `RankLost`
    if the others do not come within `timeout` seconds.
    """
    place = resolve(device)
    if "RANK" not in os.environ:
        yield Ranks(place)
        return
    if place.type == "cuda":
        place = _own_gpu(int(os.environ.get("LOCAL_RANK", "0")))
    patience = timedelta(seconds=timeout)
    try:
        store, rank, world = next(rendezvous("env://", timeout=patience))
        dist.init_process_group(
            "nccl" if place.type == "cuda" else "gloo",
            store=PrefixStore(f"group/{_attempt()}", store),
            rank=rank,
            world_size=world,
            timeout=patience,
        )
    except RuntimeError as error:
        raise RankLost from error
    yield Ranks(place, rank, world, store)
    # Not after an exception: a failed rank must end without waiting for the others.
    dist.destroy_process_group()


def _attempt() -> str:
    """Return how often torchrun restarted these ranks, so that none contacts a dead one.

    It is always 0 on several machines, where each torchrun has its own count.
    """
    return os.environ.get("TORCHELASTIC_RESTART_COUNT", "0") if os.environ.get("GROUP_WORLD_SIZE") == "1" else "0"


def _own_gpu(local_rank: int) -> torch.device:
    there = torch.cuda.device_count()
    if local_rank >= there:
        raise InvalidInput(
            "gpu_count",
            f"--nproc-per-node must be at most the number of GPUs of this machine, {there}; "
            f"got a rank {local_rank}, counted from 0.",
            expected=there,
            value=local_rank,
        )
    torch.cuda.set_device(local_rank)
    return torch.device("cuda", local_rank)
