"""Our sinks, softcaps and QK-norm beside those of the modelling code of transformers, in memory and in passes."""

from collections.abc import Iterable, Iterator

import torch
from torch import Tensor

from attention_core import AttentionConfig, AttentionInputs, attention_statistics, attention_tile, compute, treatments
from attention_core.exact.attention import weigh
from attention_core.exact.masks import band
from attention_core.exact.rms_norm import rms_norm
from attention_core.exact.scores import dot_product_scores
from attention_core.normalisations import weights as normalise
from tests.references.comparing import UNITS, Compared, worst
from tests.references.modelling import Layer

Found = dict[str, Tensor]


def configuration(layer: Layer, head: int) -> AttentionConfig:
    """Return our settings for one head of a layer; its mask if that is the causal one."""
    return AttentionConfig(
        source="upload", scaling="custom", scale=layer.scale, mask="causal", softcap=layer.softcap,
        qk_norm=layer.qk_norm, normalisation="softmax" if layer.sinks is None else "sink",
        sink=0.0 if layer.sinks is None else layer.sinks[head].item(),
    )  # fmt: skip


def heads(layer: Layer, dtype: torch.dtype) -> Iterator[tuple[Tensor, Tensor, Tensor]]:
    """Yield Q, K and V (1 × n × d_k) of each head; several heads may share K and V."""
    shared = len(layer.Q) // len(layer.K)
    for head, Q in enumerate(layer.Q):
        at = head // shared
        Q, K, V = (tensor.to(dtype).unsqueeze(0) for tensor in (Q, layer.K[at], layer.V[at]))
        yield Q, K, V


def in_memory(layer: Layer, dtype: torch.dtype) -> Found:
    """Return our weights and output: by `compute` in float32 under a causal mask, else by the functions below it."""
    made = []
    for head, (Q, K, V) in enumerate(heads(layer, dtype)):
        config = configuration(layer, head)
        if dtype == torch.float32 and layer.window is None:
            result = compute(config, AttentionInputs(Q, K, V), device="cpu")
            made.append((result.weights, result.output))
            continue
        if layer.qk_norm:
            Q, K = rms_norm(Q), rms_norm(K)
        mask = band(True, None if layer.window is None else layer.window - 1).dense(Q.shape[1], K.shape[1])
        p = weigh(dot_product_scores(Q, K), mask, config.factor, normalise(config), treatments.of(config))[2]
        made.append((p, p @ V))
    weights, output = (torch.cat(every) for every in zip(*made, strict=True))
    return {"weights": weights, "output": output}


def streamed(layer: Layer) -> Found:
    """Return our weights as one tile, entropy and a sink's share, without an n × n matrix; in float32, K as it is."""
    Q, K = layer.Q.float(), layer.K.float()
    if layer.qk_norm:
        Q, K = rms_norm(Q), rms_norm(K)
    shared = len(Q) // len(K)
    groups = [(slice(None), slice(None), None)]
    if layer.sinks is not None:  # a call has one sink for all its heads
        one = [slice(head, head + 1) for head in range(len(Q))]
        groups = [(one[head], one[head // shared], sink.item()) for head, sink in enumerate(layer.sinks)]
    found = []
    for of_q, of_k, sink in groups:
        how = {"scale": layer.scale, "causal": True, "softcap": layer.softcap}
        how["window"] = None if layer.window is None else layer.window - 1
        statistics = attention_statistics(Q[of_q], K[of_k], sink=sink, block=8, **how)
        tile = attention_tile(Q[of_q], K[of_k], slice(None), slice(None), statistics.logsumexp, **how)
        numbers = {"weights, streamed": tile, "entropy, streamed": statistics.entropy}
        found.append(numbers | ({} if sink is None else {"sink weight, streamed": statistics.sink_weight}))
    return {name: torch.cat([one[name] for one in found]) for name in found[0]}


def theirs(layer: Layer) -> Found:
    """Return the model's weights and output, and what follows from the weights."""
    beside = (1 - layer.weights.sum(-1, keepdim=True)).clamp_min(0.0)  # below 0 by rounding alone
    outcomes = layer.weights if layer.sinks is None else torch.cat([layer.weights, beside], -1)
    entropy = torch.special.entr(outcomes).sum(-1)
    found = {"weights": layer.weights, "output": layer.output}
    found |= {"weights, streamed": layer.weights, "entropy, streamed": entropy}
    return found | ({} if layer.sinks is None else {"sink weight, streamed": beside[..., 0]})


def largest_score(layer: Layer) -> float:
    """Return the largest scaled score in size, before a cap and with those that are masked; a sink is one, too."""
    Q, K = (rms_norm(tensor) if layer.qk_norm else tensor for tensor in (layer.Q, layer.K))
    scores = Q @ K.repeat_interleave(len(Q) // len(K), 0).mT * layer.scale
    sinks = [] if layer.sinks is None else [layer.sinks.abs().max()]
    return max(float(one) for one in (scores.abs().max(), *sinks))


def compared_with_models(layers: Iterable[Layer]) -> Iterator[Compared]:
    """Yield every comparison. Float64 is that of the model: a model that rounds to float32 is off by that."""
    for layer in layers:
        size = max(1.0, largest_score(layer))
        single = in_memory(layer, torch.float32) | streamed(layer)
        double = in_memory(layer, torch.float64)
        for quantity, values in theirs(layer).items():
            true = values.numpy()
            yield Compared(
                layer.name,
                layer.name.split(",")[0],
                quantity,
                true.size,
                worst(double[quantity].numpy(), true, size * layer.unit) if quantity in double else None,
                worst(single[quantity].double().numpy(), true, size * UNITS[torch.float32]),
            )
