"""The processes of one run, by torch.distributed: gloo between CPUs, nccl between GPUs, nothing for a single one.

Only three things cross between ranks: agreement (reductions of a few bytes before the work), the number of the next
block (a counter in the store that torchrun keeps), and the results at the end.
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

T = TypeVar("T")


class RankLost(Exception):
    """Another rank ended, or did not answer in time."""

    def __init__(self) -> None:
        super().__init__(
            "Another rank ended, or did not answer in time. "
            "The same command continues from the blocks that are written."
        )


class FailedElsewhere(Exception):
    """A step failed on another rank, which says why."""


class Ranks:
    """This process among its `world`; `device` is where it computes, `store` what it shares with the others."""

    def __init__(self, device: torch.device, rank: int = 0, world: int = 1, store: Store | None = None) -> None:
        self.device, self.rank, self.world = device, rank, world
        self._alone = count()
        self._counter = None
        if store is not None:
            # Under a name of its own: torchrun's store outlives ranks that it starts again, and so would the count.
            name = self.sum(torch.tensor([secrets.randbits(62) if rank == 0 else 0])).item()
            self._counter = PrefixStore(f"blocks/{name}", store)

    def claim(self) -> int:
        """A number that no other rank gets, from 0 on: whoever is faster takes more."""
        if self._counter is None:
            return next(self._alone)
        try:
            return self._counter.add("claimed", 1) - 1
        except RuntimeError as error:
            raise RankLost from error

    def sum(self, tensor: Shaped[Tensor, "..."]) -> Shaped[Tensor, "..."]:
        """Σ over the ranks, on the CPU of every rank."""
        return self._reduced(tensor, dist.ReduceOp.SUM)

    def least(self, tensor: Shaped[Tensor, "..."]) -> Shaped[Tensor, "..."]:
        """The smallest of the ranks' values, number by number."""
        return self._reduced(tensor, dist.ReduceOp.MIN)

    def sum_on_first(self, tensor: Shaped[Tensor, "..."]) -> Shaped[Tensor, "..."]:
        """Σ over the ranks, on the CPU of rank 0; what the others get back means nothing."""
        return self._reduced(tensor, dist.ReduceOp.SUM, first=True)

    def together(self, step: Callable[[], T]) -> T:
        """`step` on every rank; where one raises `InvalidInput`, none goes on and the first such rank says why."""
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
        """Whether every rank came with the same bytes (of one length): the least and the negated largest, at once."""
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
    """Joins the ranks that torchrun's environment variables announce; without them this process is all there is.

    Raises `InvalidInput` for a device that is not there (`resolve`), or that has fewer GPUs than ranks (`gpu_count`),
    and `RankLost` where the others do not come within `timeout` seconds.
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
    # Not after an exception: a rank that failed must end, and not wait for others to say farewell.
    dist.destroy_process_group()


def _attempt() -> str:
    """How often torchrun has started these ranks again, so that none calls at the address of a dead one.

    Only on one machine: on several each torchrun counts for itself.
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
