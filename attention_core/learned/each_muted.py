"""What each head costs: how much less probable the text is without it, head by head, beside other changes.

How this can mislead: what one head costs is not its share of the whole. Where another head takes over, the first costs
little, and both together cost more than the sum; heads that need each other each cost all that they do together.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

import torch
from jaxtyping import Float
from torch import Tensor

from attention_core.cancellation import checkpoint
from attention_core.changes import Change
from attention_core.learned.given import Given
from attention_core.learned.run import ModelRun
from attention_core.learned.says import Said, SayingModel, Says, divergence

__all__ = ["HeadCosts", "batch_bytes", "head_costs"]

MOST_BYTES: Final = 2**27
"""Of the tensors of a batch."""
_PRODUCTS: Final = 2_000_000_000
"""Multiply-adds of a batch, about 0.2 s: nobody waits longer to cancel."""


@dataclass(frozen=True, eq=False)
class HeadCosts:
    """What each head costs.

    heads   layers and heads of the run, from 0
    nats    of a text ln p with the head less ln p without it: positive where the head helps. Of anything else that is
            said KL(with ‖ without), never negative
    log     ln p of the text with all of them; None if the nats are distances
    """

    heads: tuple[tuple[int, int], ...]
    nats: Float[Tensor, " heads"]
    log: float | None

    @property
    def of_text(self) -> bool:
        """True if the nats are those of a text's log-probability, and not distances."""
        return self.log is not None


def head_costs(
    model: SayingModel,
    given: str | Given,
    most: int | None = None,
    changes: Sequence[Change] = (),
    heads: Sequence[tuple[int, int]] | None = None,
    at: int | None = None,
    progress: Callable[[float], object] = lambda done: None,
) -> HeadCosts | None:
    """Run a model without each head, several at a time, and compare what it says; None if it says no distribution.

    Parameters
    ----------
    model, given, most, changes, at
        As for `SayingModel.says`. The changes hold in every run.
    heads
        Layers and heads from 0; None for all of the run.
    progress
        Called with the share that is done.

    Raises
    ------
    Cancelled
        If a `stopping` around this call says so, between two batches.
    """
    before = model.says(given, most, changes, at)
    if not isinstance(before, Said):
        return None
    heads = every_head(model.run(given, most)) if heads is None else tuple(heads)
    size = batch_of(model, model.positions(given if isinstance(given, Given) else Given(given)))
    nats = in_batches(
        heads,
        size,
        lambda some: [_cost(before, one) for one in model.says_without_each(some, given, most, changes, at)],
        progress,
    )
    return HeadCosts(heads, torch.tensor(nats, dtype=torch.float64), before.text_log if before.reads_on else None)


def every_head(run: ModelRun) -> tuple[tuple[int, int], ...]:
    """Return the layers and heads of a run, from 0."""
    return tuple((layer, head) for layer, one in enumerate(run.layers) for head in range(one.weights.shape[-3]))


def in_batches(
    heads: Sequence[tuple[int, int]],
    size: int,
    measured: Callable[[Sequence[tuple[int, int]]], Sequence[float]],
    progress: Callable[[float], object],
) -> list[float]:
    """Measure heads, at most `size` at a time. Raises `Cancelled` between two batches, as `head_costs` says."""
    found: list[float] = []
    for first in range(0, len(heads), size):
        checkpoint()
        found += measured(heads[first : first + size])
        progress(len(found) / len(heads))
    return found


def _cost(before: Said, after: Says | None) -> float:
    assert isinstance(after, Said)
    if before.reads_on:
        return before.text_log - after.text_log
    return float(divergence(before, after).sum())


def batch_bytes(model: SayingModel, n: int, heads: int) -> int:
    """Return the bytes of the largest batch in a run over n positions."""
    return min(heads, batch_of(model, n)) * sequence_bytes(model, n)


def batch_of(model: SayingModel, n: int) -> int:
    """Return how many heads are muted at once in a run over n positions."""
    size = sequence_bytes(model, n)
    return max(1, min(MOST_BYTES // size, _PRODUCTS // max(1, model.multiply_adds(n))))


def sequence_bytes(model: SayingModel, n: int) -> int:
    """Return the bytes that one sequence of a batch takes: its logits and their logarithms, and a layer on its way."""
    return 4 * (3 * n * model.outcomes + 6 * model.h * n**2 + 16 * model.h * max(1, model.d_k) * n)
