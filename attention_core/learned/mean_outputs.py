"""The mean output of each head over texts, before W_O: what a head adds when it is set to its mean."""

from dataclasses import dataclass, field

import torch
from jaxtyping import Float
from torch import Tensor

from attention_core.learned.run import ModelRun

__all__ = ["MeanOutputs"]

_Sum = Float[Tensor, "_ _"] | None


@dataclass
class MeanOutputs:
    """Sums of weights · V over the positions of runs of one model; filling of windows is no position."""

    _sums: list[_Sum] = field(default_factory=list)
    _counts: list[int] = field(default_factory=list)

    def add(self, run: ModelRun) -> None:
        """Add every position of a run. A layer that hands no values over has no mean."""
        if not self._counts:
            self._sums, self._counts = [None] * len(run.layers), [0] * len(run.layers)
        for number, (layer, windows) in enumerate(zip(run.layers, run.windows, strict=True)):
            if layer.V is None:
                continue
            weights, V = layer.weights.double(), layer.V.double()
            V = V.repeat_interleave(weights.shape[-3] // V.shape[-3], -3)  # grouped queries share their values
            made = weights @ V
            count = made.shape[-2]
            if windows is not None:
                there = windows >= 0
                made, count = (made * there[:, None, :, None]).sum(0), int(there.sum())
            found, before = made.sum(-2), self._sums[number]
            self._sums[number] = found if before is None else before + found
            self._counts[number] += count

    @property
    def means(self) -> tuple[Float[Tensor, "_ _"] | None, ...]:
        """The mean output of each head of each layer, None for a layer without values."""
        return tuple(
            None if one is None or not count else (one / count).to(torch.float64)
            for one, count in zip(self._sums, self._counts, strict=True)
        )
