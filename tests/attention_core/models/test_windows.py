"""How many keys a window lets a query read: the model's own, and those that are set here."""

import pytest
import torch
import transformers as hf
from torch import Tensor

from attention_core import AttentionConfig, compute
from attention_core.changes import Causal
from attention_core.models import capture
from tests.attention_core.models.small_models import READ, built, text

N = 10
LLAMA = {
    "vocab_size": 40, "hidden_size": 24, "num_hidden_layers": 2, "num_attention_heads": 3, "num_key_value_heads": 1,
    "head_dim": 8, "intermediate_size": 17,
}  # fmt: skip


def read(weights: Tensor) -> Tensor:
    """Return the cells that any head of a layer reads."""
    return (weights != 0).any(0)


def within(least: int, most: int) -> Tensor:
    """Return where the key stands from `least` to `most` places behind the query."""
    behind = torch.arange(N)[:, None] - torch.arange(N)
    return (behind >= least) & (behind <= most)


@pytest.mark.slow
@pytest.mark.parametrize("kernel", ["eager", "sdpa"])
def test_a_causal_window_of_4_is_4_keys_with_the_query_s_own(kernel: str) -> None:
    """transformers PR 40163: one kernel read 5."""
    model = built(hf.MistralForCausalLM, hf.MistralConfig(**LLAMA, sliding_window=4))
    model.set_attn_implementation(kernel)
    for layer in capture(model, **text(N)).layers:
        assert torch.equal(read(layer.weights), within(0, 3))
        assert read(layer.weights).sum(-1).tolist() == [1, 2, 3, 4, 4, 4, 4, 4, 4, 4]


@pytest.mark.slow
def test_a_local_attention_of_4_is_2_keys_on_either_side() -> None:
    """transformers PR 43030: 128 of ModernBERT is 64 + 1 + 64."""
    model, _ = READ["ModernBERT"]()
    layers = capture(model, **text(N)).layers
    local = [read(layer.weights) for layer in layers if not read(layer.weights).all()]
    assert local
    assert all(torch.equal(one, within(-2, 2)) for one in local)
    assert local[0].sum(-1).tolist() == [3, 4, 5, 5, 5, 5, 5, 5, 4, 3]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("change", "seen"), [(Causal(window=3), within(0, 2)), (Causal(causal=False, window=4), within(-3, 3))]
)
def test_a_window_of_a_change_counts_the_query_s_own_key(change: Causal, seen: Tensor) -> None:
    model, _ = READ["Llama"]()
    for layer in capture(model, changes=[change], **text(N)).layers:
        assert torch.equal(read(layer.weights), seen)


def test_the_window_of_explore_is_so_many_keys_on_either_side() -> None:
    weights = compute(AttentionConfig(n=N, h=2, d_k=8, mask="window", window=4)).weights
    assert torch.equal(read(weights), within(-4, 4))
    assert read(weights).sum(-1).max() == 9
