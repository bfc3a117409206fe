"""A model whose attention is a kernel, or a function of the caller's: what is captured is what that computes."""

import copy
from collections.abc import Iterator
from functools import partial
from typing import Any

import pytest
import torch
import torch.nn.functional as F
import transformers as hf
from torch import Tensor, nn
from torch._dynamo.utils import counters
from torch.utils._pytree import tree_leaves
from transformers.modeling_utils import AttentionInterface

from attention_core import InvalidInput
from attention_core.changes import Factor, Hide, Replace, Treat
from attention_core.models import capture, long_statistics
from tests.attention_core.models.held import same
from tests.attention_core.models.small_fused import D_K, PATCH, SIDE, H, fused
from tests.attention_core.models.small_models import READ, VOCABULARY, N, text

pytestmark = pytest.mark.slow

BY_ITSELF = ("Gemma 2", "gpt-oss")
"""Families without SDPA."""
SWITCHED = [family for family in READ if family not in BY_ITSELF]

LEAST = torch.finfo(torch.float32).min


def padding(left: bool) -> Tensor:
    """Return a mask of one text with three places of padding."""
    mask = torch.ones(1, N, dtype=torch.long)
    mask[:, :3] = 0
    return mask if left else mask.flip(1)


def booleans(silent: bool = False) -> Tensor:
    """Return a causal mask without key 2 but for itself; `silent` leaves the first row nothing."""
    mask = torch.ones(N, N, dtype=torch.bool).tril()
    mask[:, 2] = False
    mask[2, 2] = True
    if silent:
        mask[:, 0] = False
    return mask[None, None]


MASKS = {
    "none": {},
    "padding": {"attention_mask": padding(left=False)},
    "padding on the left": {"attention_mask": padding(left=True)},
    "booleans": {"attention_mask": booleans()},
    "booleans, a silent row": {"attention_mask": booleans(silent=True)},
    "numbers": {"attention_mask": torch.zeros(1, 1, N, N).masked_fill(~booleans(silent=True), LEAST)},
}


@torch.no_grad()
def own_run(model: nn.Module, inputs: dict[str, Any]) -> Any:
    return model(**copy.deepcopy(inputs))


def floats(output: Any) -> list[Tensor]:
    return [one for one in tree_leaves(output) if isinstance(one, Tensor) and one.is_floating_point()]


def kernel(family: str) -> tuple[Any, dict[str, Any]]:
    model, inputs = READ[family]()
    model.set_attn_implementation("sdpa")
    return model, inputs


@pytest.mark.night(but=2)
@pytest.mark.parametrize("family", sorted(SWITCHED, key=lambda family: family not in ("Llama", "BERT")))
def test_a_model_with_a_kernel_says_what_it_says_by_itself(family: str) -> None:
    model, inputs = kernel(family)
    tried = 0
    for mask in MASKS.values() if "input_ids" in inputs else [{}]:
        given = inputs | mask
        try:
            own = own_run(model, given)
        except (RuntimeError, ValueError, IndexError):  # a family that takes no such mask
            continue
        tried += 1
        for a, b in zip(floats(own), floats(capture(model, **copy.deepcopy(given)).output), strict=True):
            torch.testing.assert_close(a, b, rtol=0, atol=2e-5)
        assert same(own_run(model, given), own)
    assert tried >= (3 if "input_ids" in inputs else 1)


@pytest.mark.parametrize("given", [text(), text(padded=3)], ids=["whole", "padded"])
def test_a_model_that_cannot_be_switched_is_read_as_it_was_loaded(given: dict[str, Any]) -> None:
    config = hf.FalconConfig(vocab_size=VOCABULARY, hidden_size=24, num_hidden_layers=2, num_attention_heads=3)
    model = hf.FalconForCausalLM._from_config(config, attn_implementation="sdpa").eval()
    found = capture(model, **given)
    torch.testing.assert_close(found.output.logits, own_run(model, given).logits, rtol=0, atol=1e-6)
    assert [layer.weights.shape for layer in found.layers] == [(3, N, N)] * 2


def test_a_mask_of_booleans_lets_through_what_is_true() -> None:
    model, inputs = kernel("Llama")
    found = capture(model, **inputs | MASKS["booleans"])
    for layer in found.layers:
        assert torch.equal(layer.weights > 0, booleans()[0].expand_as(layer.weights))
    (long,) = {one.statistics.entropy.shape for one in long_statistics(model, **inputs | MASKS["booleans"]).layers}
    assert long == (6, N)
    entropies = [torch.special.entr(layer.weights).sum(-1) for layer in found.layers]
    for layer, entropy in zip(long_statistics(model, **inputs | MASKS["booleans"]).layers, entropies, strict=True):
        torch.testing.assert_close(layer.statistics.entropy.float(), entropy, rtol=1e-4, atol=1e-5)


def test_a_row_that_may_read_nothing_has_no_weight_if_a_kernel_gives_it_none() -> None:
    model, inputs = kernel("Llama")
    given = inputs | MASKS["booleans, a silent row"]
    assert all((layer.weights[:, 0] == 0).all() for layer in capture(model, **given).layers)
    for change in (Treat(qk_norm=True), Factor(2.0)):
        assert all((layer.weights[:, 0] == 0).all() for layer in capture(model, **given, changes=[change]).layers)
    model.set_attn_implementation("eager")
    given["attention_mask"] = MASKS["numbers"]["attention_mask"]
    assert all(torch.allclose(layer.weights[:, 0], torch.tensor(1 / N)) for layer in capture(model, **given).layers)


def doubled(
    module: nn.Module, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None, scaling: float, **_: Any
) -> tuple[Tensor, None]:
    """Attend as a caller would: twice the scores, and every key before and at a query."""
    groups = query.shape[1] // key.shape[1]
    key, value = (one.repeat_interleave(groups, 1) for one in (key, value))
    scores = query @ key.mT * (2 * scaling)
    seen = torch.ones(scores.shape[-2:], dtype=torch.bool).tril()
    return (scores.masked_fill(~seen, LEAST).softmax(-1) @ value).transpose(1, 2).contiguous(), None


def in_one_step(
    module: nn.Module, query: Tensor, key: Tensor, value: Tensor, *_: Any, **__: Any
) -> tuple[Tensor, None]:
    groups = query.shape[1] // key.shape[1]
    key, value = (one.repeat_interleave(groups, 1) for one in (key, value))
    return F.scaled_dot_product_attention(query, key, value).transpose(1, 2).contiguous(), None


def by_hand(module: nn.Module, query: Tensor, key: Tensor, value: Tensor, *_: Any, **__: Any) -> tuple[Tensor, None]:
    groups = query.shape[1] // key.shape[1]
    weights = (query @ key.repeat_interleave(groups, 1).mT).exp()
    made = weights / weights.sum(-1, keepdim=True) @ value.repeat_interleave(groups, 1)
    return made.transpose(1, 2).contiguous(), None


@pytest.fixture
def registered() -> Iterator[Any]:
    """Return a function that registers another, for one test."""
    names = []

    def register(function: Any) -> str:
        names.append(function.__name__)
        AttentionInterface.register(function.__name__, function)
        return function.__name__

    yield register
    for name in names:
        del AttentionInterface._global_mapping[name]


def switched(name: str) -> tuple[Any, dict[str, Any]]:
    model, inputs = READ["Llama"]()
    model.set_attn_implementation(name)
    return model, inputs


def test_a_function_of_the_caller_s_is_what_runs_and_what_is_read(registered: Any) -> None:
    model, inputs = switched(registered(doubled))
    eager, _ = READ["Llama"]()
    own = own_run(model, inputs)
    found = capture(model, **inputs)
    assert same(found.output, own)
    assert not same(own_run(eager, inputs), own)
    assert same(own_run(model, inputs), own)
    assert model.config._attn_implementation == "doubled"
    assert [layer.name for layer in found.layers] == ["model.layers.0.self_attn#1", "model.layers.1.self_attn#1"]
    for layer in found.layers:
        torch.testing.assert_close(layer.scores.softmax(-1), layer.weights)
        assert layer.weights.shape == (6, N, N)
        assert (layer.Q, layer.K, layer.scale) == (None, None, None)  # its scores are no products with its factor
    long = long_statistics(model, **inputs).layers
    for one, layer in zip(long, found.layers, strict=True):
        torch.testing.assert_close(
            one.statistics.entropy.float(), torch.special.entr(layer.weights).sum(-1), rtol=1e-4, atol=1e-5
        )
        assert one.scale is None


def test_queries_and_keys_of_a_function_are_kept_where_its_scores_are_their_products(registered: Any) -> None:
    plain = partial(doubled)

    def usual(*given: Any, scaling: float, **settings: Any) -> Any:
        return plain(*given, scaling=scaling / 2, **settings)

    model, inputs = switched(registered(usual))
    eager, _ = READ["Llama"]()
    for layer, expected in zip(capture(model, **inputs).layers, capture(eager, **inputs).layers, strict=True):
        assert layer.Q is not None
        assert expected.Q is not None
        assert layer.scale == expected.scale
        torch.testing.assert_close(layer.Q, expected.Q)
        torch.testing.assert_close(layer.weights, expected.weights)


def test_a_change_acts_in_a_function_of_the_caller_s(registered: Any) -> None:
    model, inputs = switched(registered(doubled))
    found = capture(model, changes=[Hide(3)], **inputs)
    assert all((layer.weights[..., 4:, 3] == 0).all() for layer in found.layers)
    torch.testing.assert_close(found.layers[0].weights.sum(-1), torch.ones(6, N))
    with pytest.raises(InvalidInput) as caught:
        capture(model, changes=[Factor(0.1)], **inputs)
    assert caught.value.code == "change_unreached"


@pytest.mark.parametrize("function", [in_one_step, by_hand])
def test_a_function_that_makes_no_weights_is_refused_by_its_name(registered: Any, function: Any) -> None:
    model, inputs = switched(registered(function))
    for read in (capture, long_statistics):
        with pytest.raises(InvalidInput) as caught:
            read(model, **inputs)
        assert caught.value.code in ("attention_function", "attention_unread")
    with pytest.raises(InvalidInput, match=f"The attention function {function.__name__} does not make its weights"):
        capture(model, **inputs)
    assert same(own_run(model, inputs), own_run(model, inputs))


@pytest.mark.night(but=1)
@pytest.mark.parametrize("in_place", [False, True])
def test_a_compiled_model_is_captured_as_it_is_written_and_stays_compiled(in_place: bool) -> None:
    model, inputs = READ["BERT"]()
    expected = capture(model, **inputs)
    compiled: Any = model
    if in_place:
        model.compile(backend="eager")
    else:
        compiled = torch.compile(model, backend="eager")
    own = own_run(compiled, inputs)
    graphs = counters["stats"]["unique_graphs"]
    found = capture(compiled, **inputs)
    assert found.names == expected.names
    assert same(found.output, expected.output)
    assert same(own_run(compiled, inputs), own)
    assert counters["stats"]["unique_graphs"] == graphs > 0
    assert same(capture(nn.DataParallel(compiled), **inputs).output, expected.output)


def test_inputs_come_by_their_places_as_the_model_takes_them() -> None:
    model, inputs = READ["Llama"]()
    ids, changes = inputs["input_ids"], [Replace(0, 1, 0, 0)]
    found = capture(model, ids, changes=changes)
    assert same(found.output, capture(model, input_ids=ids, changes=changes).output)
    assert torch.equal(found.layers[0].weights[1], found.layers[0].weights[0])


def far_apart(kernel: str) -> tuple[Any, dict[str, Any]]:
    """Return a model in float16 whose products q · k are 64 · 40 · 40, beyond the format's 65,504."""
    config = hf.Qwen2Config(
        hidden_size=256, intermediate_size=64, num_hidden_layers=2, num_attention_heads=4, num_key_value_heads=2,
        vocab_size=VOCABULARY, attn_implementation=kernel,
    )  # fmt: skip
    torch.manual_seed(0)
    model = hf.Qwen2ForCausalLM(config)
    for name, one in model.named_parameters():
        if name.endswith(("q_proj.bias", "k_proj.bias")):
            one.data.fill_(40)
    return model.half().eval(), text()


def test_scores_beyond_float16_are_made_in_float32_as_a_kernel_does() -> None:
    """QwenLM/Qwen3#910: the same model is fine by SDPA and NaN by eager attention."""
    model, inputs = far_apart("sdpa")
    own = own_run(model, inputs)
    found = capture(model, **inputs)
    torch.testing.assert_close(found.output.logits, own.logits, rtol=0, atol=2e-3)
    for layer, long in zip(found.layers, long_statistics(model, **inputs).layers, strict=True):
        assert layer.scores.dtype == torch.float32
        assert layer.scores[layer.allowed].min() > 65504 / 8  # times 1/√64
        torch.testing.assert_close(layer.weights.sum(-1), torch.ones(4, N))
        assert torch.equal(layer.allowed[0], torch.ones(N, N, dtype=torch.bool).tril())
        entropy = torch.special.entr(layer.weights).sum(-1)
        torch.testing.assert_close(long.statistics.entropy.float(), entropy, rtol=1e-3, atol=1e-3)


def test_eager_attention_beyond_float16_is_refused_by_its_cause() -> None:
    model, inputs = far_apart("eager")
    with pytest.raises(InvalidInput, match="larger than 65,504, the largest number of float16") as caught:
        capture(model, **inputs)
    assert caught.value.details == {"value": "model.layers.0.self_attn#1"}
    with pytest.raises(InvalidInput, match="bfloat16 or float32"):
        long_statistics(model, **inputs)


def asking_torch(mask: Tensor | None, causal: bool) -> tuple[Any, dict[str, Any], int]:
    """Return a model whose layers ask torch for fused attention, its inputs and the length of its sequence."""
    model, n = fused(), (SIDE // PATCH) ** 2 + 1
    for block in model.blocks:
        block.attn.mask, block.attn.causal = mask, causal
    return model, {"pixel_values": torch.randn(1, 3, SIDE, SIDE, generator=torch.Generator().manual_seed(3))}, n


SEEN = torch.ones(26, 26, dtype=torch.bool).tril(3)


@pytest.mark.parametrize(
    ("mask", "causal", "allowed"),
    [
        (None, False, torch.ones_like(SEEN)),
        (None, True, torch.ones_like(SEEN).tril()),
        (SEEN, False, SEEN),
        (torch.zeros(26, 26).masked_fill(~SEEN, LEAST)[None, None], False, SEEN),
    ],
    ids=["all", "causal", "booleans", "numbers"],
)
def test_a_layer_that_asks_torch_for_fused_attention_is_read(mask: Any, causal: bool, allowed: Tensor) -> None:
    """timm's layers do so, whatever transformers' wrapper around them is told."""
    model, inputs, n = asking_torch(mask, causal)
    own = own_run(model, inputs)
    found = capture(model, **inputs)
    assert found.names == ("blocks.0.attn#1", "blocks.1.attn#1")
    torch.testing.assert_close(found.output.last_hidden_state, own.last_hidden_state, rtol=0, atol=2e-5)
    for layer in found.layers:
        assert layer.weights.shape == (H, n, n)
        assert torch.equal(layer.weights > 0, allowed.expand_as(layer.weights))
        assert (layer.kind, layer.scale) == ("self", D_K**-0.5)
        assert layer.Q is not None
        assert layer.K is not None
        scores = (layer.Q @ layer.K.mT * D_K**-0.5).masked_fill(~allowed, -torch.inf)
        torch.testing.assert_close(layer.weights, scores.softmax(-1))


def test_a_change_acts_in_a_layer_that_asks_torch_for_fused_attention() -> None:
    model, inputs, n = asking_torch(None, False)
    plain = capture(model, **inputs).layers[0]
    doubled = capture(model, **inputs, changes=[Factor(2.0)]).layers[0]
    torch.testing.assert_close(doubled.weights, (2 * plain.scores).softmax(-1))
    blind = capture(model, **inputs, changes=[Hide(3)])
    assert (blind.layers[1].weights[:, torch.arange(n) != 3, 3] == 0).all()
    assert not same(blind.output, own_run(model, inputs))
