"""The interface of a mechanism to the rest of the core and the pages."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from attention_core.blocks.compatibility import Compatibility
from attention_core.config import AttentionConfig
from attention_core.inputs import sources
from attention_core.mechanisms.operations import Operations

Parameters = Mapping[str, Float[Tensor, "..."]]
"""Parameters by name, in the order in which `scores` takes them; heads are the first axis."""


@dataclass(frozen=True)
class Work:
    """The numbers that a mechanism computes beside Q, K and the scores, and beside d_k multiply-adds for each score.

    units          elementwise values on the way to the scores
    multiply_adds  multiply-adds of further matrix products
    parameters     all parameters drawn
    loaded         parameters that exist at once
    kept           values made from queries and keys, for all heads
    block          units that exist at once
    """

    units: int = 0
    multiply_adds: int = 0
    parameters: int = 0
    loaded: int = 0
    kept: int = 0
    block: int = 0


@dataclass(frozen=True)
class Walked:
    """The way from one query to its scores, step by step.

    tensors  (row, Q, K and the parameters of one head) → the tensor of each step by its name, and "terms", each of
             whose rows adds up to one score
    boxes    boxes of Figure 2, each with its step and the axes of that step's tensor. Three axes mean all queries;
             `tensors` then gives the walked query's part
    every    the steps that the scores of all queries need
    """

    tensors: Callable[[int, Tensor, Tensor, Parameters], Mapping[str, Tensor]]
    boxes: Mapping[str, tuple[str, tuple[str, ...]]]
    every: tuple[str, ...] = ()

    @property
    def steps(self) -> tuple[str, ...]:
        """The steps before the scores, in order."""
        return tuple(step for step, _ in self.boxes.values())


def _none(config: AttentionConfig, layer: int = 1) -> Parameters:
    return {}


@dataclass(frozen=True)
class Mechanism:
    """One way to compare queries with keys. `config.SCALED` tells if the config's factor applies.

    scores      (Q, K, parameters) → the compatibilities before any scaling
    blocks      (Q, K, parameters, scale) → the scaled scores of any block, for passes over long sequences
    operations  (n, d_k, backward) → the theoretical operations of one head
    written     PyTorch code for `scores` and `scaled` from Q and K, with the `str.format` fields {factor}, {dtype}
                and {rounded}, which rounds a tensor to the number format
    parameters  (config, layer) → the parameters drawn from the config's seed
    dense       (config, Q, K) → `scores` under the config's parameters, if these should not all exist at once
    variance    (d_k) → a score's variance for q and k as in footnote 4; None if the footnote does not apply
    work        (h, n_q, n_k, d_k) → the intermediate numbers
    products    True if a score is q · k and nothing more, so that it adds up over components
    walk        the steps to the scores; None if the walk through Figure 2 refuses this mechanism by name
    """

    scores: Callable[[Tensor, Tensor, Parameters], Tensor]
    blocks: Callable[[Tensor, Tensor, Parameters, float], Compatibility]
    operations: Callable[[int, int, bool], Operations]
    written: str
    parameters: Callable[[AttentionConfig, int], Parameters] = _none
    dense: Callable[[AttentionConfig, Tensor, Tensor], Tensor] | None = None
    variance: Callable[[int], float] | None = None
    work: Callable[[int, int, int, int], Work] = lambda h, n_q, n_k, d_k: Work()
    products: bool = False
    walk: Walked | None = None

    def rounded(self, config: AttentionConfig, device: torch.device) -> Parameters:
        """Return the first layer's parameters in the config's precision."""
        drawn = self.parameters(config, 1)
        return {name: sources.rounded(config, tensor).to(device) for name, tensor in drawn.items()}

    def drawn_scores(
        self, config: AttentionConfig, Q: Float[Tensor, "h n_q d_k"], K: Float[Tensor, "h n_k d_k"]
    ) -> Float[Tensor, "h n_q n_k"]:
        """Return the scores under the parameters that `config` draws, in its precision."""
        if self.dense is not None:
            return self.dense(config, Q, K)
        return self.scores(Q, K, self.rounded(config, Q.device))
