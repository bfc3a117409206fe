"""Changes in every family that can be captured, in half precision, and with a cache."""

import copy
from collections.abc import Callable
from typing import Any, Final

import pytest
import torch
from torch import Tensor

from attention_core.models import Factor, Hide, Mean, Mute, Normalise, Replace, Treat, Uniform, capture
from tests.attention_core.models.held import added, same
from tests.attention_core.models.small_models import READ, SEEN, N

pytestmark = pytest.mark.slow


@pytest.mark.night(but=3)
@pytest.mark.parametrize("family", [*READ, *SEEN])
def test_without_a_change_the_output_is_the_model_s_own_bit_for_bit(family: str) -> None:
    model, inputs = {**READ, **SEEN}[family]()
    with torch.no_grad():
        own = model(**copy.deepcopy(inputs))
    plain = capture(model, **copy.deepcopy(inputs))
    for changes in ((), []):
        found = capture(model, changes=changes, **copy.deepcopy(inputs))
        assert same(found.output, own)
        assert all(torch.equal(a.weights, b.weights) for a, b in zip(found.layers, plain.layers, strict=True))


@pytest.mark.night(but=8)
@pytest.mark.parametrize("family", [*READ, *SEEN])
def test_a_muted_head_reads_nothing_in_any_family_and_its_neighbours_as_before(family: str) -> None:
    model, inputs = {**READ, **SEEN}[family]()
    whole = capture(model, **copy.deepcopy(inputs))
    found = capture(model, changes=[Mute(0, 1)], **copy.deepcopy(inputs))
    weights, own = found.layers[0].weights, whole.layers[0].weights
    heads = torch.arange(own.shape[-3])
    assert bool((weights[..., 1, :, :] == 0).all())
    assert torch.equal(weights[..., heads != 1, :, :], own[..., heads != 1, :, :])
    assert not same(found.output, whole.output)


@pytest.mark.night(but=8)
@pytest.mark.parametrize("family", READ)
def test_a_head_with_the_output_0_adds_what_a_muted_one_adds(family: str) -> None:
    """Whatever stands between a head and W_O: DeepSeek's values are narrower than its keys, Swin's come in windows."""
    model, inputs = READ[family]()
    own, muted = (capture(model, changes=changes, **inputs) for changes in ((), [Mute(0, 1)]))
    V = own.layers[0].V
    assert V is not None
    zeros = capture(model, changes=[Mean(0, 1, (0.0,) * V.shape[-1])], **inputs)
    assert torch.equal(zeros.layers[0].weights, own.layers[0].weights)
    for one, other in zip(muted.layers[1:], zeros.layers[1:], strict=True):
        torch.testing.assert_close(one.weights, other.weights, rtol=1e-4, atol=1e-5)


@pytest.mark.night(but=8)
@pytest.mark.parametrize("family", READ)
def test_a_treated_score_is_made_of_the_first_layer_s_own_queries_and_keys(family: str) -> None:
    """c · tanh of the model's own cap of q̂ · k̂ × its factor × ours, and then its bias: in float64, from what it was."""
    model, inputs = READ[family]()
    model = model.double()
    inputs = {name: one.double() if one.is_floating_point() else one for name, one in inputs.items()}
    own = capture(model, layers=[0], **inputs).layers[0]
    found = capture(
        model, layers=[0], changes=[Factor(1.7, heads=[1]), Treat(qk_norm=True, softcap=1.1, heads=[1])], **inputs
    )
    assert own.Q is not None
    assert own.K is not None
    assert own.scale is not None
    shared = own.Q.shape[-3] // own.K.shape[-3]
    q, k = (
        one / one.square().mean(-1, keepdim=True).sqrt() for one in (own.Q[..., 1, :, :], own.K[..., 1 // shared, :, :])
    )
    s = q @ k.mT * own.scale * 1.7
    if own.softcap:
        s = own.softcap * torch.tanh(s / own.softcap)
    s = 1.1 * torch.tanh(s / 1.1) + added(own)[..., 1, :, :]
    allowed = own.allowed[..., 1, :, :]
    scores = found.layers[0].scores
    torch.testing.assert_close(scores[..., 1, :, :][allowed], s[allowed], rtol=1e-6, atol=1e-6)
    assert torch.equal(found.layers[0].allowed, own.allowed)
    others = torch.arange(scores.shape[-3]) != 1
    assert torch.equal(scores[..., others, :, :], own.scores[..., others, :, :])


@pytest.mark.parametrize("family", ["GPT-J", "BLOOM", "MPNet"])
@pytest.mark.parametrize("change", [Mute(1, 2), Uniform(1, 2), Hide(3), Normalise("sigmoid"), Replace(1, 2, 0, 1)])
def test_families_that_attend_by_themselves_multiply_the_changed_weights_with_their_values(
    family: str, change: Any
) -> None:
    """As TransformerLens would see it: what enters W_O, beside the weights that the capture shows and the values."""
    model, inputs = SEEN[family]()
    path, projection, split = _OUT[family]
    kept: dict[str, Tensor] = {}
    attention = model.get_submodule(path)
    handles = [
        attention.get_submodule(projection).register_forward_pre_hook(lambda _, given: kept.update(z=given[0])),
        attention.get_submodule(split[0]).register_forward_hook(lambda _, given, made: kept.update(v=made)),
    ]
    whole = capture(model, **inputs).layers[1].weights
    found = capture(model, changes=[change], **inputs).layers[1].weights
    for handle in handles:
        handle.remove()
    V, z = split[1](kept["v"][0]), kept["z"][0].unflatten(-1, (3, 8)).transpose(0, 1)
    torch.testing.assert_close(z, found @ V, rtol=1e-4, atol=1e-5)
    assert not torch.equal(found, whole)
    if isinstance(change, Hide):
        assert bool((found[..., 3] == 0).all())
    if isinstance(change, (Hide, Uniform, Replace)):
        torch.testing.assert_close(found.sum(-1), torch.ones(found.shape[:2]))


_OUT: Final[dict[str, tuple[str, str, tuple[str, Callable[[Tensor], Tensor]]]]] = {
    "GPT-J": ("transformer.h.1.attn", "out_proj", ("v_proj", lambda v: v.unflatten(-1, (3, 8)).transpose(0, 1))),
    "BLOOM": (
        "transformer.h.1.self_attention",
        "dense",
        ("query_key_value", lambda qkv: qkv.unflatten(-1, (3, 3, 8))[..., 2, :].transpose(0, 1)),
    ),
    "MPNet": ("encoder.layer.1.attention.attn", "o", ("v", lambda v: v.unflatten(-1, (3, 8)).transpose(0, 1))),
}
"""A module, its W_O, and what makes its values."""


def test_half_precision_stays_half_precision() -> None:
    model, inputs = READ["Llama"]()
    changes = [Factor(1.5), Treat(qk_norm=True), Hide(0), Normalise("entmax"), Uniform(1, 2), Mean(0, 1, (0.5,) * 8)]
    whole = capture(model, changes=changes, **inputs).output.logits
    found = capture(model.to(torch.bfloat16), changes=changes, **inputs).output.logits
    assert found.dtype == torch.bfloat16
    assert float((found - whole).abs().max()) < 0.1 * float(whole.abs().max())


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
@pytest.mark.parametrize("treat", [Treat(softcap=0.5), Treat(qk_norm=True)])
def test_a_treatment_of_large_scores_keeps_the_digits_of_half_precision(dtype: torch.dtype, treat: Treat) -> None:
    """Scores of 15 × 13 have steps of 1 in bfloat16, and those that are capped at 0.5 need finer ones.

    Ten roundings of a score of size 1 or less move no weight by more; q̂ · k̂ × 13 / √8 may be larger.
    """
    model, inputs = READ["Llama"]()
    model = model.to(dtype)
    own = capture(model, layers=[0], **inputs).layers[0]
    found = capture(model, layers=[0], changes=[Factor(13.0), treat], **inputs).layers[0]
    assert own.Q is not None
    assert own.K is not None
    assert own.scale is not None
    assert own.scores[own.allowed].abs().max() > 10
    Q, K = own.Q.double(), own.K.double().repeat_interleave(3, 0)
    if treat.qk_norm:
        Q, K = (one / one.square().mean(-1, keepdim=True).sqrt() for one in (Q, K))
    s = Q @ K.mT * own.scale * 13
    if treat.softcap:
        s = 0.5 * torch.tanh(s / 0.5)
    weights = s.masked_fill(~own.allowed, -torch.inf).softmax(-1)
    size = max(1.0, float(s[own.allowed].abs().max()))
    assert float((found.weights.double() - weights).abs().max()) < 2 * size * torch.finfo(dtype).eps


def test_a_cache_brings_the_keys_before_and_is_written_once() -> None:
    """A `Replace` runs the model twice."""
    model, inputs = READ["Llama"]()
    ids = inputs["input_ids"]

    def cache() -> Any:
        with torch.no_grad():
            return model(input_ids=ids[:, : N - 2], use_cache=True).past_key_values

    own = capture(model, input_ids=ids[:, N - 2 :], past_key_values=cache())
    kept = cache()
    found = capture(
        model, changes=[Replace(0, 0, 0, 1), Hide(3, layers=[0])], input_ids=ids[:, N - 2 :], past_key_values=kept
    )
    assert kept.get_seq_length() == N
    assert found.layers[0].weights.shape == (6, 2, N)
    assert torch.equal(found.layers[0].weights[0], own.layers[0].weights[1])
    assert bool((found.layers[0].weights[1:, :, 3] == 0).all())
