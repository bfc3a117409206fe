"""Both compatibilities against float64, in every range of their arguments."""

import pytest
import torch

from attention_core.exact.scores import additive_scores, dot_product_scores
from tests.attention_core import oracles


def numbers(*shape, scale=1.0, seed=0):
    return scale * torch.randn(*shape, generator=torch.Generator().manual_seed(seed + sum(shape)))


def network(d_k, n_hidden, scale=1.0):
    return numbers(d_k, n_hidden, scale=scale), numbers(d_k, n_hidden, scale=scale, seed=1), numbers(n_hidden)


def test_additive_score_by_hand():
    """One hidden unit: 3 · tanh(2 · 0.25 + (−1) · 0.5) = 0 and 3 · tanh(0.5 + 0) = 3 tanh ½."""
    one = torch.tensor([[1.0]], dtype=torch.float64)
    q, k = 0.25 * one, torch.tensor([[0.5], [0.0]], dtype=torch.float64)
    scores = additive_scores(q, k, 2 * one, -one, 3 * one[0])
    assert scores.tolist() == [[0.0, pytest.approx(3 * 0.46211715726000975, rel=1e-15)]]


def test_dot_product_scores_against_float64():
    Q, K = numbers(11, 5), numbers(7, 5)
    exact, _, _ = oracles.attention(Q, K, torch.zeros(7, 2))
    plain = torch.stack([torch.stack([(q * k).sum() for k in K]) for q in Q])
    oracles.assert_as_exact_as(plain, dot_product_scores(Q, K), exact)


@pytest.mark.parametrize("size", [0.01, 1.9, 2.1, 5.0, 19.0, 60.0], ids=lambda size: f"hidden size {size}")
def test_additive_scores_against_float64(size):
    """Small arguments (plain tanh), the whole range computed by exponentials, large ones (tanh again)."""
    Q, K = numbers(11, 5), numbers(7, 5)
    W_q, W_k, w = network(5, 13)
    W_q, W_k = W_q * (size / (Q @ W_q).abs().max()), W_k * (size / (K @ W_k).abs().max())
    exact, _, _ = oracles.attention(
        Q, K, torch.zeros(7, 2), oracles.additive(*(t.double().numpy() for t in (W_q, W_k, w)))
    )
    plain = ((Q @ W_q).unsqueeze(1) + K @ W_k).tanh() @ w
    oracles.assert_as_exact_as(plain, additive_scores(Q, K, W_q, W_k, w), exact)


@pytest.mark.parametrize("size", [1.0, 60.0])
def test_additive_scores_over_heads_and_blocks(size):
    """Two leading axes, parameters shared along one, more queries than a block holds."""
    Q, K = numbers(2, 3, 241, 5, scale=size).double(), numbers(2, 3, 263, 5, scale=size).double()
    W_q, W_k, w = (t.double() for t in (numbers(3, 5, 17), numbers(3, 5, 17, seed=1), numbers(3, 17)))
    scores = additive_scores(Q, K, W_q, W_k, w)
    plain = ((Q @ W_q).unsqueeze(-2) + (K @ W_k).unsqueeze(-3)).tanh() @ w[:, None, :, None]
    assert scores.shape == (2, 3, 241, 263)
    assert torch.allclose(scores, plain.squeeze(-1), rtol=1e-12, atol=1e-13 * size)


@pytest.mark.parametrize("size", [1.0, 60.0])
def test_additive_scores_have_gradients(size):
    """Blocks share memory only if no gradient needs its content."""
    Q, K, W_q, W_k, w = tensors = [
        t.double().requires_grad_() for t in (numbers(11, 5, scale=size), numbers(7, 5), *network(5, 13))
    ]
    ours = torch.autograd.grad(additive_scores(Q, K, W_q, W_k, w).square().sum(), tensors)
    plain = torch.autograd.grad((((Q @ W_q).unsqueeze(1) + K @ W_k).tanh() @ w).square().sum(), tensors)
    assert all(
        torch.allclose(a, b, rtol=1e-9, atol=1e-12 * b.abs().max().item()) for a, b in zip(ours, plain, strict=True)
    )
