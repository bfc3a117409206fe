"""Gradient descent on a stack of models, one step at a time."""

from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

import torch
from torch import Tensor
from torch.optim.adam import adam

from attention_core.cancellation import checkpoint
from attention_core.experiments.seed_stack import Parameters

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

    The step is the one of `torch.optim.Adam`, whose first object in a process loads torch's compiler: 70 MB, and a
    second in which nobody can cancel.
    """

    def __init__(self, parameters: list[Tensor]) -> None:
        self._parameters = parameters
        self._first, self._second = ([torch.zeros_like(each) for each in parameters] for _ in range(2))
        self._steps = [torch.zeros(()) for _ in parameters]

    @torch.no_grad()
    def step(self, learning_rate: float) -> None:
        """Moves each parameter by the gradient that it has; one without a gradient stays."""
        moved = [i for i, parameter in enumerate(self._parameters) if parameter.grad is not None]
        gradients = [gradient for each in self._parameters if (gradient := each.grad) is not None]
        of = ([kept[i] for i in moved] for kept in (self._parameters, self._first, self._second, self._steps))
        parameters, first, second, steps = of
        adam(
            parameters, gradients, first, second, [], steps, fused=True, amsgrad=False, beta1=_BETAS[0],
            beta2=_BETAS[1], lr=learning_rate, weight_decay=0.0, eps=1e-8, maximize=False,
        )  # fmt: skip
