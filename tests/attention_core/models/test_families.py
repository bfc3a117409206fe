"""Captured weights are those of each family's own eager attention, bit for bit, and capturing changes no output."""

from functools import cache
from itertools import combinations

import pytest
import torch
import transformers as hf

from attention_core.models import Capture, capture
from tests.attention_core.models.held import added, held, own_weights, rebuilt
from tests.attention_core.models.small_models import READ, SEEN, N, text

pytestmark = pytest.mark.slow

TEXTS = (
    "BERT", "DistilBERT", "GPT-2", "OPT", "Llama", "Gemma 2", "gpt-oss", "DeepSeek V3", "T5", "BART", "GPT-J", "BLOOM",
)  # fmt: skip
"""Families that are tried with padding as well."""
SCALED_BEFORE = ("OPT", "Whisper")
"""Their queries are multiplied by the factor before attention gets them."""
BIASED = ("T5", "Swin")
UNSCALED = ("Gemma 4", "T5")
COUNTS = {
    "ALBERT": 2, "Qwen 3 Next": 1, "Gemma 3": 6, "T5": 6, "BART": 8, "Whisper": 8, "CLIP": 4, "Swin": 4, "LLaVA": 4,
    "Swin v2": 4,
}  # fmt: skip
"""Calls of one run; two in every other family."""


@cache
def run(family: str) -> Capture:
    return held(*{**READ, **SEEN}[family]())


@pytest.mark.night(but=12)
@pytest.mark.parametrize("family", [*READ, *SEEN])
def test_weights_and_output_are_the_model_s_own(family: str) -> None:
    found = run(family)
    assert len(found.layers) == COUNTS.get(family, 2)
    assert tuple(layer.name for layer in found.layers) == found.names
    assert [layer.index for layer in found.layers] == list(range(len(found.layers)))


@pytest.mark.parametrize("family", [*READ, *SEEN])
def test_weights_follow_from_scores(family: str) -> None:
    for layer in run(family).layers:
        columns = [layer.scores] if layer.sink_score is None else [layer.scores, layer.sink_score[..., None]]
        beside = torch.zeros(()) if layer.sink is None else layer.sink
        torch.testing.assert_close(torch.cat(columns, -1).softmax(-1)[..., : layer.scores.shape[-1]], layer.weights)
        torch.testing.assert_close(layer.weights.sum(-1), (1 - beside).expand(layer.weights.shape[:-1]))
        assert (layer.sink is not None) == (family == "gpt-oss")


@pytest.mark.parametrize("family", READ)
def test_scores_follow_from_queries_and_keys(family: str) -> None:
    """To the bit, unless the query was multiplied by its factor before."""
    for layer in run(family).layers:
        assert layer.V is not None
        assert layer.V.shape[-2] == layer.scores.shape[-1]
        if family not in BIASED or (layer.kind == "cross"):
            bound = 8 * 2.0**-24 * float(rebuilt(layer).abs().max()) if family in SCALED_BEFORE else 0.0
            assert added(layer).abs().max() <= bound


@pytest.mark.parametrize("family", SEEN)
def test_families_that_attend_by_themselves_give_scores_and_weights_alone(family: str) -> None:
    for layer in run(family).layers:
        assert (layer.Q, layer.K, layer.V, layer.scale, layer.softcap) == (None,) * 5


def test_a_bias_is_in_the_scores() -> None:
    """T5's depends on the distance alone; Swin's is that of each of its windows, in the half that is not shifted."""
    encoder = added(run("T5").layers[0])
    assert encoder.abs().max() > 0.1
    torch.testing.assert_close(encoder[:, 1:, 1:], encoder[:, :-1, :-1], rtol=0, atol=1e-4)
    first = added(run("Swin").layers[0])
    assert first.shape[:2] == (16, 2)
    assert first.abs().max() > 0.1
    torch.testing.assert_close(first, first[:1].expand_as(first), rtol=0, atol=1e-4)


def test_the_factor_is_the_one_that_a_model_applies() -> None:
    for family in UNSCALED:
        assert {layer.scale for layer in run(family).layers} == {1.0}
    for family in ("GPT-2", "Llama", "BERT", "BART", *SCALED_BEFORE):
        assert {layer.scale for layer in run(family).layers} == {8**-0.5}
    assert {layer.scale for layer in run("Gemma 2").layers} == {7**-0.5}
    assert {layer.scale for layer in run("DeepSeek V3").layers} == {12**-0.5}


def test_self_and_cross_attention_are_told_apart() -> None:
    for family, encoder, decoder in (("T5", 2, 2), ("BART", 2, 3), ("Whisper", 2, 3)):
        kinds = [layer.kind for layer in run(family).layers]
        assert kinds == ["self"] * encoder + ["self", "cross"] * decoder
    crossed = [layer for layer in run("BART").layers if layer.kind == "cross"]
    assert {layer.weights.shape for layer in crossed} == {(3, 7, N)}
    alone = [family for family in (*READ, *SEEN) if family not in ("T5", "BART", "Whisper")]
    assert {layer.kind for family in alone for layer in run(family).layers} == {"self"}


def test_a_name_is_the_module_and_the_number_of_its_call() -> None:
    assert run("BERT").names == ("encoder.layer.0.attention.self#1", "encoder.layer.1.attention.self#1")
    shared = "encoder.albert_layer_groups.0.albert_layers.0.attention"
    assert run("ALBERT").names == (f"{shared}#1", f"{shared}#2")
    assert run("Qwen 3 Next").names == ("model.layers.3.self_attn#1",)
    assert run("GPT-J").names == ("transformer.h.0.attn#1", "transformer.h.1.attn#1")


def test_heads_and_widths_are_the_model_s() -> None:
    shapes = {
        "Llama": ((6, N, 8), (2, N, 8), (2, N, 8)),
        "DeepSeek V3": ((6, N, 12), (6, N, 12), (6, N, 6)),
        "Swin": ((16, 2, 4, 6), (16, 2, 4, 6), (16, 2, 4, 6)),
    }
    for family, expected in shapes.items():
        layer = run(family).layers[0]
        assert tuple(tuple(one.shape) for one in (layer.Q, layer.K, layer.V) if one is not None) == expected


def test_masked_cells_are_known() -> None:
    """A causal mask, a sliding window of four keys, and none."""
    seen = torch.ones(N, N, dtype=torch.bool)
    causal = seen.tril()
    for family in ("GPT-2", "Llama", "DeepSeek V3", "GPT-J", "BLOOM"):
        assert all(torch.equal(layer.allowed, causal.expand_as(layer.allowed)) for layer in run(family).layers)
    for family, sliding in (("Qwen 3", (False, True)), ("Gemma 2", (True, False)), ("gpt-oss", (True, False))):
        for layer, window in zip(run(family).layers, sliding, strict=True):
            mask = causal.triu(-3) if window else causal
            assert torch.equal(layer.allowed, mask.expand_as(layer.allowed)), (family, layer.name)
    assert all(layer.allowed.all() for family in ("BERT", "ViT", "MPNet") for layer in run(family).layers)
    kept = run("DeepSeek V3.2").layers[0]
    # its indexer lets three keys through, by the mask of a model whose attention is called eager, and of no other
    assert torch.equal(kept.allowed.sum(-1), causal.sum(-1).clamp_max(3).expand(6, N))


@pytest.mark.parametrize("family", TEXTS)
def test_padding_gets_no_weight(family: str) -> None:
    model, inputs = {**READ, **SEEN}[family]()
    found = held(model, inputs | text(padded=3))
    for layer in found.layers:
        if layer.weights.shape[-1] == N:
            rows = layer.weights[:, : N - 3] if layer.kind == "self" else layer.weights
            assert (rows[..., N - 3 :] == 0).all()
            assert (rows[..., : N - 3] > 0).any(-1).all()


@pytest.mark.parametrize("family", ["Llama", "Gemma 2", "GPT-2", "GPT-J", "BLOOM"])
def test_a_cache_brings_the_keys_before(family: str) -> None:
    model, inputs = {**READ, **SEEN}[family]()
    ids = inputs["input_ids"]
    with torch.no_grad():
        cache = model(input_ids=ids[:, : N - 2], use_cache=True).past_key_values
    found = held(model, {"input_ids": ids[:, N - 2 :], "past_key_values": cache})
    for layer, whole in zip(found.layers, run(family).layers, strict=True):
        assert layer.weights.shape[-2] == 2
        keys = layer.weights.shape[-1]
        torch.testing.assert_close(layer.weights, whole.weights[:, N - 2 :, N - keys :], rtol=1e-4, atol=1e-5)


def test_a_cache_of_fixed_size_does_not_write_into_a_capture() -> None:
    model, inputs = READ["Llama"]()
    cache = hf.StaticCache(config=model.config, max_cache_len=N)
    found = capture(model, input_ids=inputs["input_ids"][:, :5], past_key_values=cache)
    (K, kept) = (found.layers[0].K, found.layers[0].weights)
    assert K is not None
    assert kept.shape == (6, 5, N)
    before = K.clone()
    with torch.no_grad():
        model(input_ids=inputs["input_ids"][:, 5:7], past_key_values=cache)
    assert torch.equal(K, before)


def test_several_sequences_are_a_leading_axis() -> None:
    model, inputs = READ["Llama"]()
    both = {name: torch.cat([one, one.flip(-1)]) for name, one in inputs.items()}
    found = held(model, both)
    assert found.layers[0].weights.shape == (2, 6, N, N)
    for layer, one in zip(found.layers, run("Llama").layers, strict=True):
        torch.testing.assert_close(layer.weights[0], one.weights, rtol=1e-4, atol=1e-6)


def test_half_precision_is_the_model_s_own_too() -> None:
    for family in ("Llama", "gpt-oss"):
        model, inputs = READ[family]()
        found = held(model.to(torch.bfloat16), inputs)
        assert {layer.weights.dtype for layer in found.layers} == {torch.bfloat16}


def test_what_a_family_rounds_after_its_softmax_is_seen_before() -> None:
    model, inputs = SEEN["GPT-J"]()
    found = capture(model.to(torch.bfloat16), **inputs)
    own = own_weights(model, inputs, found.names)
    for layer in found.layers:
        assert layer.weights.dtype == torch.float32
        assert torch.equal(layer.weights.bfloat16(), own[layer.name][0][0])


def test_the_reference_differs_from_module_to_module() -> None:
    """What a module returns is found by its name: no two of these matrices are equal, so a mix-up would show."""
    model, inputs = READ["BART"]()
    own = own_weights(model, inputs, run("BART").names)
    matrices = [one for every in own.values() for one in every]
    assert len(matrices) == 8
    assert not any(torch.equal(one, other) for one, other in combinations(matrices, 2))
