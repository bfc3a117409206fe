"""A layer of a long run as inputs of `compute` and of passes, as `layer_inputs` makes them of a short one."""

from torch import Tensor

from attention_core.exact.masks import Band
from attention_core.inputs.tensors import AttentionInputs, Trained
from attention_core.learned.positions import Line
from attention_core.learned.trained_inputs import no_queries, of_every_head, own_bias, own_mask
from attention_core.models.long_run import LongLayer
from attention_core.validation import whole_number

__all__ = ["long_inputs"]


def long_inputs(layer: LongLayer, line: Line | None = None, head: int = 0) -> AttentionInputs:
    """Return Q, K and V of a layer whose tensors were kept, with what the model does to its scores.

    `line` has the tokens that it read.

    `head`, from 1, takes one head alone; 0 takes all of a layer without a learned sink, the first of one with it.

    Raises
    ------
    InvalidInput
        `out_of_range` for a head that is not there; `no_queries`, `learned_bias` and `learned_mask` as `layer_inputs`.
    """
    if layer.Q is None or layer.K is None or layer.V is None or layer.scale is None:
        raise no_queries(layer.name)
    h, _, _ = layer.Q.shape
    head = whole_number("head", head, 0, h)
    if layer.biased:
        raise own_bias(layer.name)
    mask, window = _choice(layer)
    chosen = slice(head - 1, head) if head else slice(0, 1) if layer.sinks is not None else slice(None)
    Q, K, V = (_chosen(of_every_head(tensor, h), chosen) for tensor in (layer.Q, layer.K, layer.V))
    sink = None if layer.sinks is None else layer.sinks[chosen.start]
    trained = Trained(layer.scale, mask, window, layer.softcap or 0.0, sink)
    return AttentionInputs(Q, K, V, None if line is None else line.tokens, trained=trained, line=line)


def _chosen(tensor: Tensor, heads: slice) -> Tensor:
    return tensor[heads].float()


def _choice(layer: LongLayer) -> tuple[str, int]:
    """Return the choice of `mask`, and its window, that allows what the layer's rule does."""
    band = layer.mask
    if band == Band():
        return "none", 1
    if band == Band(after=0):
        return "causal", 1
    if band is not None and band.before == band.after and band.before:
        return "window", band.before
    raise own_mask(layer.name)
