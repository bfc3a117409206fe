"""Gradient descent on a stack of models, one step at a time."""

from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

import torch
from torch import Tensor

from attention_core.cancellation import checkpoint
from attention_core.experiments.stacked import Parameters

Examples = TypeVar("Examples")

_BETAS = (0.9, 0.99)  # a memory of 100 steps for the squares: these trainings are a few hundred steps long
_FARTHEST = 25  # steps between two looks at the models at most: who cancels or pauses waits no longer than that


def looks(steps: int) -> tuple[int, ...]:
    """The steps at which the models are looked at: the start, the end and at least nine in between."""
    apart = min(_FARTHEST, -(-steps // 10))
    return (*range(0, steps, apart), steps)


def descent(
    parameters: Parameters,
    loss: Callable[[Parameters, Examples], Tensor],
    batches: Iterable[Examples],
    learning_rate: float,
    steps: int,
) -> Iterator[int]:
    """Adam on fresh batches. Stops at each of `looks(steps)`, the gradients of the next batch in place, not yet used.

    Adam works on single numbers, so that a stack learns as its models would alone.
    """
    adam = torch.optim.Adam(list(parameters.values()), lr=learning_rate, betas=_BETAS, fused=True)
    pauses = set(looks(steps))
    for step, batch in zip(range(steps + 1), batches, strict=False):  # the last batch is for its gradients alone
        checkpoint()
        adam.zero_grad(set_to_none=True)
        with torch.enable_grad():
            found = loss(parameters, batch)
            checkpoint()
            found.backward()
        if step in pauses:
            yield step
        if step < steps:
            adam.step()
