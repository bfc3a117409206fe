"""The task of experiment 2: eight positions, each with a random value; the query names m of them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Int
from torch import Tensor

from attention_core.cancellation import checkpoint
from attention_core.experiments.heads import POSITIONS
from attention_core.inputs.random_streams import stream

_BLOCK_STEPS = 50  # as in `tasks`


@dataclass(frozen=True, eq=False)
class Named:
    """Examples of S seeds."""

    values: Int[Tensor, "S B positions"]  # the class at each position
    named: Int[Tensor, "S B m"]  # different positions, in the order of the answers

    @property
    def target(self) -> Int[Tensor, "S B m"]:
        """The correct answers."""
        return self.values.gather(-1, self.named)

    def to(self, place: torch.device) -> "Named":
        """Return the same examples on a device."""
        return Named(self.values.to(place), self.named.to(place))


def named_batches(seeds: Sequence[int], m: int, classes: int, size: int) -> Iterator[Named]:
    """Yield endless fresh training batches of `size` examples for each seed, the same for every h."""
    block = 0
    while True:
        drawn = _examples(seeds, m, classes, f"train/{block}", size * _BLOCK_STEPS)
        for values, named in zip(drawn.values.split(size, dim=1), drawn.named.split(size, dim=1), strict=True):
            yield Named(values, named)
        block += 1


def named_held_out(seeds: Sequence[int], m: int, classes: int, size: int) -> Named:
    """Draw `size` examples for each seed from a stream that no training reads."""
    return _examples(seeds, m, classes, "held out", size)


def _examples(seeds: Sequence[int], m: int, classes: int, part: str, count: int) -> Named:
    values, named = [], []
    for seed in seeds:
        checkpoint()
        generator = stream(seed, f"named/{part}")
        values.append(torch.randint(classes, (count, POSITIONS), generator=generator))
        named.append(torch.rand(count, POSITIONS, generator=generator).argsort(-1)[:, :m])
    return Named(torch.stack(values), torch.stack(named))
