"""The seed's inputs: their distributions, and the draws that stay when a control moves."""

import math

import pytest
import torch

from attention_core import AttentionConfig, InvalidInput, draw, draw_inputs
from attention_core.inputs.sources import additive_parameters, sinusoids

TEXT = "the cat saw the cat"


def text_config(**changed):
    return AttentionConfig(source="text", text=TEXT, **{"d_model": 23, "h": 3, "d_k": 5, **changed})


def test_gaussian_heads_are_the_named_draws():
    inputs = draw_inputs(AttentionConfig(n=7, h=3, d_k=5, seed=11))
    assert inputs.Q.shape == inputs.K.shape == inputs.V.shape == (3, 7, 5)
    for name in "QKV":
        for head in range(3):
            assert torch.equal(getattr(inputs, name)[head], draw(11, f"{name}/{head}", 5, 7).mT)
    assert inputs.tokens is None
    assert inputs.X is None


def test_a_larger_d_k_keeps_the_components_already_there():
    narrow, wide = (draw_inputs(AttentionConfig(n=7, h=3, d_k=d_k)) for d_k in (5, 11))
    assert torch.equal(wide.Q[..., :5], narrow.Q)
    assert torch.equal(wide.K[..., :5], narrow.K)


def test_more_heads_keep_the_heads_already_there():
    few, many = (draw_inputs(AttentionConfig(n=7, h=h, d_k=5)) for h in (2, 3))
    assert torch.equal(many.Q[:2], few.Q)


def test_another_seed_is_another_draw():
    one, other = (draw_inputs(AttentionConfig(n=7, h=2, d_k=5, seed=seed)) for seed in (0, 1))
    assert not torch.equal(one.Q, other.Q)


def test_a_text_goes_through_the_projections_of_figure_2():
    inputs = draw_inputs(text_config())
    assert inputs.tokens == ("the", "cat", "saw", "the", "cat")
    assert inputs.X is not None
    assert inputs.X.shape == (5, 23)
    for name in "QKV":
        W = getattr(inputs, f"W_{name}")
        assert W.shape == (3, 23, 5)
        assert torch.equal(W[2], draw(0, f"W_{name}/2", 23, 5) / math.sqrt(23))
        expected = torch.stack([inputs.X @ W_i for W_i in W])
        # one product a head or all at once: some processors add in another order
        torch.testing.assert_close(getattr(inputs, name), expected, rtol=1e-6, atol=1e-6)
    assert inputs.W_O is not None
    assert torch.equal(inputs.W_O, draw(0, "W_O", 15, 23) / math.sqrt(15))


def test_equal_tokens_have_equal_embeddings_until_positions_part_them():
    X = draw_inputs(text_config()).X
    assert X is not None
    assert torch.equal(X[0], X[3])
    assert torch.equal(X[1], draw(0, "token/cat", 1, 23)[0])
    assert not torch.equal(X[0], X[1])
    placed = draw_inputs(text_config(positions=True)).X
    assert placed is not None
    assert torch.equal(placed, X + sinusoids(5, 23))
    assert not torch.equal(placed[0], placed[3])


@pytest.mark.parametrize("d_model", [8, 7, 1])
def test_sinusoids_are_those_of_section_3_5(d_model):
    ours = sinusoids(11, d_model)
    for pos in range(11):
        for column in range(d_model):
            angle = pos / 10000 ** ((column - column % 2) / d_model)
            exact = math.cos(angle) if column % 2 else math.sin(angle)
            assert abs(ours[pos, column].item() - exact) <= torch.finfo(torch.float32).eps


def test_projected_components_have_variance_about_one():
    """q = x W_Q sums d_model products of N(0, 1) and N(0, 1/d_model): variance 1, judged by its own standard error."""
    words = " ".join(f"w{i}" for i in range(199))
    inputs = draw_inputs(AttentionConfig(source="text", text=words, d_model=101, h=16, d_k=13))
    per_head = inputs.Q.square().mean((-2, -1))
    assert abs(per_head.mean() - 1) < 4 * per_head.std() / math.sqrt(16)


def test_additive_parameters_are_the_named_draws():
    W_q, W_k, w = additive_parameters(AttentionConfig(h=3, d_k=5, seed=2))
    assert torch.equal(W_q[1], draw(2, "W_q/1", 5, 5) / math.sqrt(5))
    assert torch.equal(W_k[1], draw(2, "W_k/1", 5, 5) / math.sqrt(5))
    assert torch.equal(w[1], draw(2, "w/1", 1, 5)[0] / math.sqrt(5))


@pytest.mark.parametrize("source", ["upload", "model"])
def test_sources_from_outside_cannot_be_drawn(source):
    with pytest.raises(InvalidInput) as caught:
        draw_inputs(AttentionConfig(source=source))
    message = f"source '{source}' needs inputs=AttentionInputs(…): its Q, K and V come from outside."
    assert (caught.value.code, str(caught.value)) == ("inputs_missing", message)
