"""A layer of a trained model as inputs of `compute`, whose own steps make the same scores and weights of them."""

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from attention_core.errors import InvalidInput
from attention_core.inputs.tensors import AttentionInputs, Trained
from attention_core.learned.run import LearnedLayer, ModelRun
from attention_core.validation import whole_number

__all__ = ["layer_inputs", "queries_of"]

ROUNDING = 1e-4
"""The share by which a rebuilt score may differ from the model's: more is a bias."""


def layer_inputs(run: ModelRun, layer: int, head: int = 0) -> AttentionInputs:
    """Return Q, K and V of a layer with what the model does to its scores, for `compute` with `source="model"`.

    Keys and values of grouped queries are repeated for each head. A learned sink differs from head to head: such a
    layer is given a head at a time.

    Parameters
    ----------
    run
        A text as a model read it.
    layer
        Number of the layer, from 1.
    head
        Number of the head, from 1; 0 takes all of a layer without a sink, the first of one with it.

    Raises
    ------
    InvalidInput
        `out_of_range` for a layer or a head that is not there; `no_queries` for a layer that has no Q and K to give;
        `learned_bias` for scores with a bias; `learned_mask` for a mask that no choice of `mask` is;
        `learned_windows` for a layer that attends within windows of a picture, each by itself.
    """
    found = run.layers[whole_number("layer", layer, 1, len(run.layers)) - 1]
    if run.windows[layer - 1] is not None:
        raise _in_windows(found.name)
    h, n_q, n_k = found.weights.shape
    head = whole_number("head", head, 0, h)
    queries, keys, scale = queries_of(found)
    if found.V is None:
        raise no_queries(found.name)
    chosen = slice(head - 1, head) if head else slice(0, 1) if found.sink_score is not None else slice(None)
    Q, K, V = (of_every_head(tensor, h)[chosen].float() for tensor in (queries, keys, found.V))
    mask, window = _mask(found, found.allowed, n_q, n_k)
    grouped = keys.shape[0] if len(Q) == h > keys.shape[0] else 0
    trained = Trained(scale, mask, window, found.softcap or 0.0, _sink(found, chosen), grouped)
    _require_no_bias(found, chosen, Q, K, trained)
    keys_of = run.keys(layer)
    line = keys_of if run.queries(layer) is keys_of and n_k == len(keys_of) else None
    return AttentionInputs(Q, K, V, None if line is None else line.tokens, trained=trained, line=line)


def queries_of(layer: LearnedLayer) -> tuple[Float[Tensor, "h n_q d_k"], Float[Tensor, "h_k n_k d_k"], float]:
    """Return Q, K and the factor of a layer. Raises `InvalidInput` (`no_queries`) if it does not have them."""
    if layer.Q is None or layer.K is None or layer.scale is None:
        raise no_queries(layer.name)
    return layer.Q, layer.K, layer.scale


def no_queries(name: str) -> InvalidInput:
    """Return the error for a layer that has no Q and K to give."""
    return InvalidInput("no_queries", f"{name} gives scores and weights, and no queries and keys.", value=name)


def of_every_head(tensor: Tensor, h: int) -> Tensor:
    """Repeat the keys or values of grouped queries: head i reads group i · h_k / h."""
    return tensor.repeat_interleave(h // tensor.shape[0], 0) if tensor.shape[0] != h else tensor


def _mask(layer: LearnedLayer, allowed: Bool[Tensor, "h n_q n_k"], n_q: int, n_k: int) -> tuple[str, int]:
    """Return the choice of `mask`, and its window, that allows the same cells."""
    every = allowed[0]
    if bool((allowed == every).all()):
        if bool(every.all()):
            return "none", 1
        distance = torch.arange(n_k) - torch.arange(n_q).unsqueeze(1)
        if torch.equal(every, distance <= 0):
            return "causal", 1
        reach = int(distance[every].abs().max())
        if reach and torch.equal(every, distance.abs() <= reach):
            return "window", reach
    raise own_mask(layer.name)


def _sink(layer: LearnedLayer, chosen: slice) -> float | None:
    return None if layer.sink_score is None else float(layer.sink_score[chosen][0, 0])


def _require_no_bias(layer: LearnedLayer, chosen: slice, Q: Tensor, K: Tensor, trained: Trained) -> None:
    made = Q.double() @ K.double().mT * trained.factor
    if trained.softcap:
        made = trained.softcap * torch.tanh(made / trained.softcap)
    allowed = layer.allowed[chosen]
    off = (made - layer.scores[chosen].double()).abs()[allowed]
    if off.numel() and float(off.max()) > ROUNDING * max(1.0, float(made.abs().max())):
        raise own_bias(layer.name)


def own_mask(name: str) -> InvalidInput:
    """Return the error for a layer whose mask no choice of `mask` is."""
    return InvalidInput("learned_mask", f"{name} has a mask of its own, which no choice of mask is.", value=name)


def _in_windows(name: str) -> InvalidInput:
    return InvalidInput(
        "learned_windows", f"{name} attends within windows of a picture, each by itself: it has no one map.", value=name
    )


def own_bias(name: str) -> InvalidInput:
    """Return the error for a layer whose scores are no products of q and k alone."""
    return InvalidInput(
        "learned_bias", f"{name} adds a bias to its scores, which is no product of q and k.", value=name
    )
