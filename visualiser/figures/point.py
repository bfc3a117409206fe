"""One d_k on the Why √d_k page: the results of its mechanisms, and the page's own at other factors and formats."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from attention_core import (
    AttentionConfig,
    AttentionResult,
    SoftmaxAccuracy,
    Temperature,
    softmax_accuracies,
    temperature,
)
from attention_core.cached import cached_property

Results = Mapping[str, AttentionResult]
"""One-head results by the name under which `figure.mechanism.NAME` titles the panel."""

OWN = "own"
"""The name of the page's own result if its factor is neither 1 nor 1/√d_k."""


@dataclass(frozen=True)
class Point:
    """A configuration and its `results`."""

    config: AttentionConfig
    results: Results

    @cached_property
    def present(self) -> AttentionResult:
        """The dot products with the page's own factor."""
        return self.results.get(OWN) or self.results["unscaled" if self.config.factor == 1 else "scaled"]

    @cached_property
    def temperature(self) -> Temperature:
        """The weights at other factors."""
        return temperature(self.present)

    @cached_property
    def accuracies(self) -> Sequence[SoftmaxAccuracy]:
        """The softmax in three number formats."""
        return softmax_accuracies(self.present.masked)


def means(one: AttentionResult) -> dict[str, float]:
    """Return the facts of the sentences on one head."""
    return {
        "variance": float(one.score_variance),
        "largest": float(one.largest_weight.mean()),
        "entropy": float(one.entropy.mean()),
        "effective": float(one.effective_keys.mean()),
        "norm": float(one.jacobian_norm.mean()),
    }
