"""A captured layer is a state of ours: the same Q, K, V with its factor, cap, sink and mask have the same numbers."""

from collections.abc import Iterator

import pytest
import torch

from attention_core import AttentionConfig, AttentionInputs, compute
from attention_core.models import CapturedLayer, capture
from tests.attention_core.models.small_models import READ
from tests.references.comparing_models import compared_with_models, heads
from tests.references.modelling import Layer
from tests.references.test_transformers import MOST, MOST_64

pytestmark = pytest.mark.slow

FAMILIES = ("gpt-oss", "Gemma 2", "Llama", "Qwen 3", "OPT")
WINDOW = 4


def captured(family: str) -> list[CapturedLayer]:
    """Return the layers of a model in float64, in which its own rounding is out of the way."""
    model, inputs = READ[family]()
    return list(capture(model.double(), **inputs).layers)


def as_layer(family: str, layer: CapturedLayer) -> Layer:
    """Return what the comparison with transformers takes, all of it from the capture."""
    assert layer.Q is not None
    assert layer.K is not None
    assert layer.V is not None
    assert layer.scale is not None
    assert layer.softcap is not None
    n = layer.Q.shape[-2]
    seen = torch.ones(n, n, dtype=torch.bool).tril()
    window = None if torch.equal(layer.allowed[0], seen) else WINDOW
    V = layer.V.repeat_interleave(len(layer.Q) // len(layer.V), 0)
    return Layer(
        name=f"{family}, {'causal' if window is None else 'window'}, {layer.name}",
        Q=layer.Q,
        K=layer.K,
        V=layer.V,
        scale=layer.scale,
        window=window,
        softcap=layer.softcap,
        sinks=None if layer.sink_score is None else layer.sink_score[:, 0],
        qk_norm=False,
        weights=layer.weights,
        output=layer.weights @ V,
        unit=2.0**-53 if layer.sink is not None else 2.0**-24,  # all but gpt-oss round to float32 in their softmax
    )


def every_layer() -> Iterator[Layer]:
    for family in FAMILIES:
        yield from (as_layer(family, layer) for layer in captured(family))


def test_weights_outputs_entropies_and_sinks_are_ours() -> None:
    layers = list(every_layer())
    assert {layer.window for layer in layers} == {None, WINDOW}
    compared = list(compared_with_models(layers))
    assert {one.quantity for one in compared} >= {"weights", "output", "entropy, streamed", "sink weight, streamed"}
    assert [one for one in compared if not one.float32 <= MOST] == []
    assert [one for one in compared if one.float64 is not None and not one.float64 <= MOST_64] == []


def test_a_sink_is_explore_s() -> None:
    for layer in captured("gpt-oss"):
        assert layer.sink is not None
        assert layer.sink_score is not None
        assert torch.equal(layer.sink_score, layer.sink_score[:, :1].expand_as(layer.sink_score))  # one b a head
        taken = torch.exp(layer.sink_score - torch.cat([layer.scores, layer.sink_score[..., None]], -1).logsumexp(-1))
        torch.testing.assert_close(layer.sink, taken)
        torch.testing.assert_close(layer.sink, 1 - layer.weights.sum(-1))


@pytest.mark.parametrize("family", ["gpt-oss", "Gemma 2"])
def test_a_page_s_state_of_a_head_has_the_model_s_numbers(family: str) -> None:
    """The settings that a page would take: upload, a factor of its own, softcap, sink, a causal mask."""
    (full,) = [layer for layer in captured(family) if as_layer(family, layer).window is None]
    layer = as_layer(family, full)
    for head, tensors in enumerate(heads(layer, torch.float32)):
        b = None if layer.sinks is None else float(layer.sinks[head])
        config = AttentionConfig(
            source="upload", scaling="custom", scale=layer.scale, mask="causal", softcap=layer.softcap,
            normalisation="softmax" if b is None else "sink", sink=b or 0.0,
        )  # fmt: skip
        result = compute(config, AttentionInputs(*tensors), device="cpu")
        torch.testing.assert_close(result.weights[0].double(), full.weights[head], rtol=1e-5, atol=1e-6)
        allowed = full.allowed[head]
        masked = result.masked[0].double()
        assert torch.equal(masked.isfinite(), allowed)
        torch.testing.assert_close(masked[allowed], full.scores[head][allowed], rtol=1e-5, atol=1e-5)
