"""The attention functions against oracles from the paper and against torch's own."""

import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from attention_core import InvalidInput, additive_attention, dot_product_attention, scaled_dot_product_attention
from attention_core.exact.attention import weigh
from attention_core.shapes import require_shapes
from tests.attention_core import oracles
from tests.attention_core.oracles import causal
from tests.draws import cases

N_Q, N_K, D_K, D_V, HIDDEN = 11, 7, 5, 3, 13


def numbers(*shape, seed=0, dtype=torch.float32):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed + sum(shape))).to(dtype)


def some_mask():
    """Return a random mask with one row empty and one full."""
    mask = numbers(N_Q, N_K, seed=9) > 0
    mask[2], mask[4] = False, True
    return mask


def qkv(dtype=torch.float32, *batch):
    return (numbers(*batch, n, d, seed=i, dtype=dtype) for i, (n, d) in enumerate([(N_Q, D_K), (N_K, D_K), (N_K, D_V)]))


def plain_attention(Q, K, V, scale, mask, scores=None):
    """Compute the textbook formula in the precision of its arguments."""
    scores = Q @ K.mT if scores is None else scores
    weights = (scores * scale).masked_fill(~mask, -torch.inf).softmax(-1).nan_to_num()
    return scores, weights, weights @ V


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16])
@pytest.mark.parametrize("mask", [some_mask(), torch.ones(N_Q, N_K, dtype=torch.bool)], ids=["masked", "open"])
@pytest.mark.parametrize("mechanism", ["scaled", "dot product", "additive"])
def test_against_float64(mechanism, mask, dtype):
    Q, K, V = qkv(dtype)
    if mechanism == "additive":
        parameters = [t.to(dtype) for t in (numbers(D_K, HIDDEN), numbers(D_K, HIDDEN, seed=1), numbers(HIDDEN))]
        W_q, W_k, w = parameters
        ours, scale = additive_attention(Q, K, V, W_q, W_k, w, mask=mask), 1.0
        compatibility = oracles.additive(*(t.double().numpy() for t in parameters))
        plain_scores = ((Q @ W_q).unsqueeze(1) + K @ W_k).tanh() @ w
    else:
        attention = {"scaled": scaled_dot_product_attention, "dot product": dot_product_attention}[mechanism]
        ours, scale = attention(Q, K, V, mask=mask), 1 / math.sqrt(D_K) if mechanism == "scaled" else 1.0
        compatibility, plain_scores = oracles.dot, None
    exact = oracles.attention(Q, K, V, compatibility, scale, mask)
    plain = plain_attention(Q, K, V, scale, mask, plain_scores)
    for p, o, e in zip(plain, (ours.scores, ours.weights, ours.output), exact, strict=True):
        oracles.assert_as_exact_as(p, o, e)


@pytest.mark.parametrize("mask", [None, some_mask()], ids=["open", "masked"])
def test_against_torchs_own(mask):
    """Same output as torch's fused function, within 2 × its error against the oracle."""
    Q, K, V = qkv()
    theirs = torch.nn.functional.scaled_dot_product_attention(Q, K, V, attn_mask=mask)
    exact = oracles.attention(Q, K, V, scale=1 / math.sqrt(D_K), mask=mask)[2]
    oracles.assert_as_exact_as(theirs, scaled_dot_product_attention(Q, K, V, mask=mask).output, exact)


def test_every_stage_is_kept():
    Q, K, V = qkv()
    mask = some_mask()
    result = scaled_dot_product_attention(Q, K, V, mask=mask)
    assert torch.equal(result.scores, Q @ K.mT)
    assert torch.equal(result.scaled, result.scores * (1 / math.sqrt(D_K)))
    assert torch.equal(result.masked, result.scaled.masked_fill(~mask, -torch.inf))
    assert torch.equal(result.weights == 0, ~mask)
    assert torch.equal(result.output, result.weights @ V)


def test_a_fully_masked_row_reads_nothing():
    Q, K, V = (t.requires_grad_() for t in qkv())
    result = scaled_dot_product_attention(Q, K, V, mask=some_mask())
    assert not result.weights[2].any()
    assert not result.output[2].any()
    result.output.sum().backward()
    assert all(t.grad is not None and t.grad.isfinite().all() for t in (Q, K, V))


def test_an_explicit_scale():
    Q, K, V = qkv()
    assert torch.equal(scaled_dot_product_attention(Q, K, V, scale=0.3).scaled, (Q @ K.mT) * 0.3)
    assert torch.equal(scaled_dot_product_attention(Q, K, V, scale=0.0).weights, torch.full((N_Q, N_K), 1 / N_K))


def test_any_leading_axes_with_a_mask_that_broadcasts():
    Q, K, V = qkv(torch.float32, 2, 3)
    mask = numbers(2, 1, 1, N_K, seed=5) > -0.5
    result = scaled_dot_product_attention(Q, K, V, mask=mask)
    assert result.output.shape == (2, 3, N_Q, D_V)
    alone = scaled_dot_product_attention(Q[1, 2], K[1, 2], V[1, 2], mask=mask[1, 0].expand(N_Q, N_K))
    rounding = N_K * torch.finfo(torch.float32).eps
    assert torch.allclose(result.output[1, 2], alone.output, rtol=0, atol=rounding * V.abs().max().item())


def test_half_precision_is_widened_and_double_kept():
    assert scaled_dot_product_attention(*qkv(torch.float16)).output.dtype == torch.float32
    assert scaled_dot_product_attention(*qkv(torch.float64)).output.dtype == torch.float64


@settings(max_examples=cases(40), deadline=None)
@given(st.permutations(range(N_K)), st.permutations(range(N_Q)))
def test_permuting_keys_or_queries_permutes_the_weights(keys, queries):
    Q, K, V = qkv(torch.float64)
    straight = scaled_dot_product_attention(Q, K, V)
    permuted = scaled_dot_product_attention(Q[queries], K[keys], V[keys])
    rounding = 4 * N_K * torch.finfo(torch.float64).eps  # of sums taken in another order
    assert torch.allclose(permuted.weights, straight.weights[queries][:, keys], rtol=rounding, atol=0)
    assert torch.allclose(permuted.output, straight.output[queries], rtol=0, atol=rounding * V.abs().max().item())


def test_causal_attention_does_not_look_ahead():
    Q, K, V = (numbers(N_K, d, seed=i) for i, d in enumerate([D_K, D_K, D_V]))
    before = scaled_dot_product_attention(Q, K, V, mask=causal(N_K, N_K)).output[:4]
    K[4:], V[4:] = 99, 99
    assert torch.equal(scaled_dot_product_attention(Q, K, V, mask=causal(N_K, N_K)).output[:4], before)


@pytest.mark.parametrize(
    ("shapes", "message"),
    [
        ([(4, 5), (3, 7), (3, 2)], "K must be n_k × d_k = 5; got 3 × 7."),
        ([(4, 5), (3, 5), (2, 2)], "V must be n_k = 3 × d_v; got 2 × 2."),
        ([(5,), (3, 5), (3, 2)], "Q must be n_q × d_k; got 5."),
        ([(), (3, 5), (3, 2)], "Q must be n_q × d_k; got a single number."),
    ],
)
def test_axes_that_do_not_fit_are_named_with_their_sizes(shapes, message):
    """Calls the check itself: the tests' type checker stops wrong shapes earlier."""
    Q, K, V = (torch.zeros(shape) for shape in shapes)
    with pytest.raises(InvalidInput) as caught:
        require_shapes({}, Q=(Q, "n_q d_k"), K=(K, "n_k d_k"), V=(V, "n_k d_v"))
    assert (caught.value.code, str(caught.value)) == ("shape", message)


def test_a_mask_that_does_not_fit():
    """Calls the function behind the type checker, which would raise first."""
    with pytest.raises(InvalidInput) as caught:
        getattr(weigh, "__wrapped__", weigh)(torch.zeros(2, 4, 3), torch.ones(5, 3, dtype=torch.bool), 1.0)
    assert str(caught.value) == "mask must be broadcastable to the scores, 2 × 4 × 3; got 5 × 3."
