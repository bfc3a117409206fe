"""The training of the language model: Adam, one cycle of the learning rate, fresh texts at every step."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Final

import torch
from jaxtyping import Float, Int
from torch import Tensor
from torch.optim.adam import adam

from attention_core.cancellation import checkpoint
from attention_core.device import resolve
from attention_core.language.model import CONTEXT, Parameters, forward, initial
from attention_core.language.texts import Document, documents

__all__ = ["MIXTURE", "descent"]

MIXTURE: Final = {"repeats": 8, "pairs": 8, "sentences": 16}
"""Documents of each kind in a batch."""

VERBS: Final = 5.0
"""How often the verb after a subject counts, and any other token once: verbs are few, and a guess costs little."""

RISE: Final = 0.1  # the share of the steps in which the rate rises; then it falls along a cosine
_BETAS: Final = (0.9, 0.98)
_LARGEST_NORM: Final = 1.0


@dataclass(frozen=True, eq=False)
class Batch:
    """Documents of equal length; `counts` is how often each prediction counts."""

    ids: Int[Tensor, "B n"]
    counts: Float[Tensor, "B n-1"]

    def to(self, place: torch.device) -> "Batch":
        """Return the same documents on a device."""
        return Batch(self.ids.to(place), self.counts.to(place))


def batches(seed: int, length: int = CONTEXT) -> Iterator[Batch]:
    """Yield endless fresh batches."""
    streams = [(documents(seed, "train", kind, length), count) for kind, count in MIXTURE.items()]
    while True:
        yield batch([document for stream, count in streams for document in islice(stream, count)])


def batch(drawn: list[Document]) -> Batch:
    """Return documents as numbers. What nobody can know counts as well: so heads learn to rest on the first token."""
    ids = torch.tensor([document.ids for document in drawn])
    counts = torch.ones(len(drawn), ids.shape[1] - 1)
    for row, document in zip(counts, drawn, strict=True):
        row[[place.query for place in document.places if place.kind == "agreement"]] = VERBS
    return Batch(ids, counts)


def loss(parameters: Parameters, drawn: Batch) -> Float[Tensor, ""]:
    """Return the mean cross-entropy of the next token, in nats, each prediction as often as it counts."""
    logits, _ = forward(parameters, drawn.ids)
    each = torch.nn.functional.cross_entropy(logits[:, :-1].flatten(0, 1), drawn.ids[:, 1:].flatten(), reduction="none")
    return (each * drawn.counts.flatten()).sum() / drawn.counts.sum()


def rate(step: int, steps: int, largest: float) -> float:
    """Return the learning rate of a step: from 1/25 of the largest up to it, then down to almost nothing."""
    rise = max(1.0, RISE * steps)
    if step < rise:
        return largest * (1 / 25 + (1 - 1 / 25) * (1 - math.cos(math.pi * step / rise)) / 2)
    return largest * max(1e-5, (1 + math.cos(math.pi * (step - rise) / max(1.0, steps - rise))) / 2)


def descent(
    seed: int, layers: int, steps: int, learning_rate: float, device: str = "cpu"
) -> Iterator[tuple[int, float, Parameters]]:
    """Train a model and yield each step's number, its loss before the step and the parameters after it.

    A model of one layer reads the same texts as one of two from the same seed. `device` is a name for `resolve`.
    """
    place = resolve(device)
    parameters = {name: value.to(place).requires_grad_() for name, value in initial(seed, layers).items()}
    learned = list(parameters.values())
    first, second = ([torch.zeros_like(each) for each in learned] for _ in range(2))
    counts = [torch.zeros((), device=place) for _ in learned]
    for step, drawn in zip(range(steps), batches(seed), strict=False):
        checkpoint()
        with torch.enable_grad():
            found = loss(parameters, drawn.to(place))
            gradients = list(torch.autograd.grad(found, learned))
        norm = torch.stack([gradient.norm() for gradient in gradients]).norm()
        shrunk = torch.clamp(_LARGEST_NORM / (norm + 1e-6), max=1.0)
        with torch.no_grad():  # the function and not the class, whose first use loads torch's compiler
            adam(
                learned, [gradient * shrunk for gradient in gradients], first, second, [], counts, fused=True,
                amsgrad=False, beta1=_BETAS[0], beta2=_BETAS[1], lr=rate(step, steps, learning_rate), weight_decay=0.0,
                eps=1e-8, maximize=False,
            )  # fmt: skip
        yield step + 1, found.item(), parameters
