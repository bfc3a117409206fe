"""What pages know of a trained layer before and after it has read a text: its sizes, its price, its heads."""

from dataclasses import dataclass, replace
from typing import Any, Final

from attention_core import AttentionConfig, AttentionInputs
from attention_core.validation import whole_number
from visualiser import models
from visualiser.server.admission.cost import FLOAT, MEBIBYTE, Cost

_UNKNOWN: Final = (16, 512, 32)
"""Heads, d_k and layers that a model which is not loaded is priced with."""


@dataclass(frozen=True, eq=False)
class TrainedLayer:
    """A layer that has read a text.

    inputs  Q, K and V; of one head alone if each has a sink of its own
    heads   of the layer
    layers  of the model
    cut     True if the text goes on after the last token
    """

    inputs: AttentionInputs
    heads: int
    layers: int
    cut: bool

    @property
    def own(self) -> dict[str, Any]:
        """What a page's script needs: the layers of the model, and the layer's own mask."""
        mask = "none" if self.inputs.trained is None else self.inputs.trained.mask
        return {"layers": self.layers, "mask": mask}


def drawn_as(config: AttentionConfig, n: int) -> AttentionConfig:
    """Return a drawn configuration as large as the model's layers over `n` tokens, for prices."""
    h, d_k, _ = _sizes(config)
    return replace(config, source="gaussian", scaling="sqrt_d_k", n=n, h=h, d_k=d_k, tie=None, layer=1)


def read_cost(config: AttentionConfig, n: int) -> Cost:
    """Price a model's run over `n` tokens: every layer's scores and weights are kept, with Q, K and V."""
    h, d_k, layers = _sizes(config)
    cells, operands = layers * h * n**2, 3 * layers * h * n * d_k
    # projections and an MLP of four times the width; one layer's scores are made anew, to see that no bias is in them
    products = layers * (2 * h * n**2 * d_k + 12 * n * (h * d_k) ** 2) + 3 * h * n**2 * d_k
    return Cost(5e-3 + 2e-8 * cells + 1e-8 * operands, int(MEBIBYTE + FLOAT * (3 * cells + 2 * operands)), products)


def _sizes(config: AttentionConfig) -> tuple[int, int, int]:
    found = models.known(config.model)
    return _UNKNOWN if found is None else (found.h, found.d_k, found.layers)


def layer_of(config: AttentionConfig, most: int, head: int) -> TrainedLayer:
    """Return the layer of a configuration, its model having read at most `most` tokens of the text.

    Of heads with learned sinks `head`, from 1, is given alone. Raises as `models.inputs`.
    """
    read = models.run(config, most)
    found = read.layers[whole_number("layer", config.layer, 1, len(read.layers)) - 1]
    inputs = models.inputs(config, most, 0 if found.sink_score is None else head)
    return TrainedLayer(inputs, found.weights.shape[0], len(read.layers), read.cut)
