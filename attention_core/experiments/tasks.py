"""The three look-up tasks, as batches for a stack of models. Every seed has its own stream of examples.

Examples come in blocks, each with its own stream. So a long training does not repeat examples, does not depend on
earlier ones, and begins with the examples of a short one.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

import torch
from jaxtyping import Float, Int
from torch import Tensor

from attention_core.cancellation import checkpoint
from attention_core.inputs.random_streams import draw, stream

__all__ = ["TASKS"]

_BLOCK_STEPS = 50  # batches drawn at once, which is cheaper and takes little memory
_NOISE = 0.3  # standard deviation of what `noisy` adds to each component of its query


@dataclass(frozen=True, eq=False)
class Batch:
    """Examples of S seeds. `queries` and `keys` are row numbers of learned tables, or vectors.

    With N = 1 all examples of a seed have the same queries and keys, so that their scores are computed once.
    """

    queries: Int[Tensor, "S N n_q"] | Float[Tensor, "S N n_q d_in"]
    keys: Int[Tensor, "S N n_k"] | Float[Tensor, "S N n_k d_in"]
    values: Int[Tensor, "S B n_k"]  # the class of each key
    correct: Int[Tensor, "S B n_q"]  # the key to look up

    @property
    def target(self) -> Int[Tensor, "S B n_q"]:
        """The correct answer: the class of the correct key."""
        return self.values.gather(-1, self.correct)

    def to(self, place: torch.device) -> "Batch":
        """Return the same examples on a device."""
        return Batch(*(tensor.to(place) for tensor in (self.queries, self.keys, self.values, self.correct)))

    def parts(self, examples: int) -> Iterator["Batch"]:
        """Yield the same examples, some at a time, or all at once if they share their scores."""
        if self.queries.shape[1] == 1:
            yield self
            return
        fields = (self.queries, self.keys, self.values, self.correct)
        for part in zip(*(field.split(examples, dim=1) for field in fields), strict=True):
            yield Batch(*part)


@dataclass(frozen=True)
class Task:
    """One look-up task. `rows` are the sizes of the learned tables of queries and keys, None for vectors."""

    classes: int
    d_in: int
    rows: tuple[int, int] | None
    draw: Callable[[int, torch.Generator, int], tuple[Tensor, Tensor, Tensor, Tensor]]


def batches(name: str, seeds: Sequence[int], size: int) -> Iterator[Batch]:
    """Yield endless fresh training batches of `size` examples for each seed."""
    block = 0
    while True:
        drawn = _examples(name, seeds, f"train/{block}", size * _BLOCK_STEPS)
        yield from _split(drawn, size)
        block += 1


def held_out(name: str, seeds: Sequence[int], size: int) -> Batch:
    """Draw `size` examples for each seed from a stream that no training reads."""
    return _examples(name, seeds, "held out", size)


def _examples(name: str, seeds: Sequence[int], part: str, count: int) -> Batch:
    found = []
    for seed in seeds:
        checkpoint()
        found.append(TASKS[name].draw(seed, stream(seed, f"{name}/{part}"), count))
    return Batch(*(torch.stack(field) for field in zip(*found, strict=True)))


def _split(drawn: Batch, size: int) -> Iterator[Batch]:
    if drawn.queries.shape[1] != 1:
        yield from drawn.parts(size)
        return
    for values, correct in zip(drawn.values.split(size, dim=1), drawn.correct.split(size, dim=1), strict=True):
        yield Batch(drawn.queries, drawn.keys, values, correct)


def _reverse(seed: int, generator: torch.Generator, count: int) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Draw 16 random tokens; output i is token 15 − i. Queries and keys are positions, each with its own table."""
    positions = torch.arange(16)
    values = torch.randint(16, (count, 16), generator=generator)
    return positions[None], positions[None], values, positions.flip(0).expand(count, 16)


def _recall(seed: int, generator: torch.Generator, count: int) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Draw 8 different keys out of 32, each with one of 8 values; the query is one of the keys."""
    keys = torch.rand(count, 32, generator=generator).argsort(-1)[:, :8]
    values = torch.randint(8, (count, 8), generator=generator)
    correct = torch.randint(8, (count, 1), generator=generator)
    return keys.gather(-1, correct), keys, values, correct


def _noisy(seed: int, generator: torch.Generator, count: int) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Draw 8 keys ~ N(0, I₁₆), each with one of 8 values; the query is one key in the seed's rotation, plus noise."""
    rotation = torch.linalg.qr(draw(seed, "noisy/rotation", 16, 16))[0]
    keys = torch.randn(count, 8, 16, generator=generator)
    values = torch.randint(8, (count, 8), generator=generator)
    correct = torch.randint(8, (count, 1), generator=generator)
    chosen = keys.gather(1, correct[..., None].expand(count, 1, 16))
    noise = torch.randn(count, 1, 16, generator=generator)
    return chosen @ rotation + _NOISE * noise, keys, values, correct


TASKS: Mapping[str, Task] = MappingProxyType(
    {
        "reverse": Task(classes=16, d_in=32, rows=(16, 16), draw=_reverse),
        "recall": Task(classes=8, d_in=32, rows=(32, 32), draw=_recall),
        "noisy": Task(classes=8, d_in=16, rows=None, draw=_noisy),
    }
)
