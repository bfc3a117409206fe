"""Gradient descent on a stack of models, one step at a time."""

from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

import torch
from torch import Tensor
from torch.optim.adam import adam

from attention_core.cancellation import checkpoint
from attention_core.experiments.seed_stack import Parameters

__all__ = ["looks"]

Examples = TypeVar("Examples")

_BETAS = (0.9, 0.99)  # a memory of 100 steps for the squares: these trainings take a few hundred steps
_FARTHEST = 25  # most steps between two looks at the models, and so the longest wait for a cancel or pause


def looks(steps: int) -> tuple[int, ...]:
    """Return the steps at which the models are measured: the start, the end and at least nine in between."""
    apart = min(_FARTHEST, -(-steps // 10))
    return (*range(0, steps, apart), steps)


def descent(
    parameters: Parameters,
    loss: Callable[[Parameters, Examples], Tensor],
    batches: Iterable[Examples],
    learning_rate: float,
    steps: int,
) -> Iterator[int]:
    """Run Adam on fresh batches and yield each of `looks(steps)`, with the gradients of the next batch still unused.

    Adam updates each number on its own, so a stack learns as its models would alone.
    """
    moments = _Moments(list(parameters.values()))
    pauses = set(looks(steps))
    for step, batch in zip(range(steps + 1), batches, strict=False):  # the last batch is for its gradients alone
        checkpoint()
        for parameter in parameters.values():
            parameter.grad = None
        with torch.enable_grad():
            found = loss(parameters, batch)
            checkpoint()
            found.backward()
        if step in pauses:
            yield step
        if step < steps:
            moments.step(learning_rate)


class _Moments:
    """Adam's averages of each parameter's gradient and of its square.

    The step is that of `torch.optim.Adam`. The class itself loads torch's compiler on first use: 70 MB, and a second
    without a chance to cancel.
    """

    def __init__(self, parameters: list[Tensor]) -> None:
        self._parameters = parameters
        self._first, self._second = ([torch.zeros_like(each) for each in parameters] for _ in range(2))
        self._steps = [torch.zeros((), device=each.device) for each in parameters]

    @torch.no_grad()
    def step(self, learning_rate: float) -> None:
        """Move each parameter by its gradient. A parameter without one stays."""
        moved = [i for i, parameter in enumerate(self._parameters) if parameter.grad is not None]
        gradients = [gradient for each in self._parameters if (gradient := each.grad) is not None]
        of = ([kept[i] for i in moved] for kept in (self._parameters, self._first, self._second, self._steps))
        parameters, first, second, steps = of
        adam(
            parameters, gradients, first, second, [], steps, fused=True, amsgrad=False, beta1=_BETAS[0],
            beta2=_BETAS[1], lr=learning_rate, weight_decay=0.0, eps=1e-8, maximize=False,
        )  # fmt: skip
