"""The record of a layer by itself."""

from typing import Any

import pytest
import torch
import transformers as hf

from attention_core.models import CapturedLayer, capture


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32])
def test_a_cell_that_a_mask_let_through_is_told_from_one_that_it_did_not(dtype: torch.dtype) -> None:
    """A mask is added to a score, so in half precision what stands there is not the least number itself."""
    least = torch.finfo(dtype).min
    mask = torch.tensor([0.0, least, least, float("-inf"), 0.0], dtype=dtype)
    scores = mask + torch.tensor([-100.0, 90.0, -90.0, 90.0, 0.0], dtype=dtype)
    layer = CapturedLayer("a#1", 0, "self", None, None, None, None, None, scores[None, None], scores[None, None])
    assert layer.allowed.tolist() == [[[True, False, False, False, True]]]


@pytest.mark.slow
@pytest.mark.parametrize("kernel", ["eager", "sdpa"])
def test_a_mask_holds_below_scores_of_minus_two_hundred_thousand(kernel: str) -> None:
    """Pythia's are −110,208; a mask of −100,000 lets forbidden keys through there (TransformerLens#385)."""
    config = hf.GPTNeoXConfig(
        vocab_size=50, hidden_size=24, num_hidden_layers=2, num_attention_heads=3, intermediate_size=32,
        max_position_embeddings=32, rotary_pct=0.25, attn_implementation=kernel,
    )  # fmt: skip
    torch.manual_seed(0)
    model: Any = hf.GPTNeoXForCausalLM(config).eval()
    one = torch.tensor([275.0] * 8)
    for layer in model.gpt_neox.layers:  # each head's q, k and v stand beside each other
        layer.attention.query_key_value.bias.data = torch.cat([one, -one, torch.zeros(8)]).repeat(3)
    got = capture(model, input_ids=torch.arange(6)[None])
    seen = torch.ones(6, 6, dtype=torch.bool).tril()
    for found in got.layers:
        assert -220_000 < found.scores[:, seen].min() < -200_000
        assert found.scores[:, seen].max() < -100_000
        assert torch.equal(found.allowed[0], seen)
        assert (found.weights[:, ~seen] == 0).all()
        torch.testing.assert_close(found.weights.sum(-1), torch.ones(3, 6))
