"""Figure 2 (right) against a head-by-head oracle and against torch's module with the same weights."""

import math
from functools import partial

import pytest
import torch

from attention_core import additive_attention, dot_product_attention, multi_head_attention
from attention_core.exact.masks import padding
from tests.attention_core import oracles

H, D_K, D_V, D_OUT = 3, 5, 7, 19
N_Q, N_K, D_MODEL, D_KV = 11, 13, 17, 23


def numbers(*shape, seed=0):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed + sum(shape)))


def weights():
    return numbers(H, D_MODEL, D_K), numbers(H, D_KV, D_K), numbers(H, D_KV, D_V), numbers(H * D_V, D_OUT)


def test_cross_attention_against_float64_head_by_head():
    X_q, X_kv = numbers(N_Q, D_MODEL) / 4, numbers(N_K, D_KV) / 4
    W_Q, W_K, W_V, W_O = weights()
    mask = numbers(N_Q, N_K) > -0.5
    mask[3] = False
    ours = multi_head_attention(X_q, X_kv, W_Q, W_K, W_V, W_O, mask=mask)

    heads, plain_heads = [], []
    for i in range(H):
        Q, K, V = X_q.double() @ W_Q[i].double(), X_kv.double() @ W_K[i].double(), X_kv.double() @ W_V[i].double()
        heads.append(oracles.attention(Q, K, V, scale=1 / math.sqrt(D_K), mask=mask)[2])
        plain_scores = (X_q @ W_Q[i]) @ (X_kv @ W_K[i]).mT / math.sqrt(D_K)
        plain_heads.append(plain_scores.masked_fill(~mask, -torch.inf).softmax(-1).nan_to_num() @ (X_kv @ W_V[i]))
    oracles.assert_as_exact_as(torch.stack(plain_heads), ours.heads, torch.stack(heads))
    oracles.assert_as_exact_as(torch.cat(plain_heads, -1), ours.concatenation, torch.cat(heads, -1))
    oracles.assert_as_exact_as(torch.cat(plain_heads, -1) @ W_O, ours.output, torch.cat(heads, -1) @ W_O.double())
    assert not ours.output[3].any()


@pytest.mark.parametrize("masked", [False, True])
def test_against_torchs_module_with_copied_weights(masked):
    """In float64, where both are exact to 1e-12; d_model = h · d_k, as that module demands."""
    d_model = H * D_K
    module = torch.nn.MultiheadAttention(d_model, H, bias=False, batch_first=True, kdim=D_KV, vdim=D_KV).double()
    X_q, X_kv = numbers(2, N_Q, d_model).double(), numbers(2, N_K, D_KV).double()
    projections = (module.q_proj_weight, module.k_proj_weight, module.v_proj_weight)
    W_Q, W_K, W_V = (W.detach().mT.unflatten(1, (H, D_K)).transpose(0, 1) for W in projections)
    mask = padding(torch.tensor([4, N_K]), N_K) if masked else None
    with torch.no_grad():
        theirs, their_weights = module(
            X_q, X_kv, X_kv, average_attn_weights=False, key_padding_mask=None if mask is None else ~mask.squeeze(-2)
        )
    ours = multi_head_attention(X_q, X_kv, W_Q, W_K, W_V, module.out_proj.weight.detach().mT, mask=mask)
    assert torch.allclose(ours.weights, their_weights, rtol=1e-12, atol=1e-15)
    assert torch.allclose(ours.output, theirs, rtol=1e-11, atol=1e-13)


def test_one_head_with_identities_is_plain_attention():
    X = numbers(N_Q, D_K)
    eye = torch.eye(D_K)
    ours = multi_head_attention(X, X, eye[None], eye[None], eye[None], eye, attention=dot_product_attention)
    assert torch.equal(ours.output, dot_product_attention(X, X, X).output)


def test_any_attention_function_serves():
    parameters = numbers(H, D_K, 29), numbers(H, D_K, 29, seed=1), numbers(H, 29)
    attention = partial(additive_attention, **dict(zip(("W_q", "W_k", "w"), parameters, strict=True)))
    X_q, X_kv = numbers(N_Q, D_MODEL), numbers(N_K, D_KV)
    ours = multi_head_attention(X_q, X_kv, *weights(), attention=attention)
    assert torch.equal(ours.weights, additive_attention(ours.Q, ours.K, ours.V, *parameters).weights)


def test_every_intermediate_has_its_shape():
    ours = multi_head_attention(numbers(2, N_Q, D_MODEL), numbers(2, N_K, D_KV), *weights())
    assert ours.Q.shape == (2, H, N_Q, D_K)
    assert ours.K.shape == (2, H, N_K, D_K)
    assert ours.V.shape == (2, H, N_K, D_V)
    assert ours.scores.shape == ours.scaled.shape == ours.masked.shape == ours.weights.shape == (2, H, N_Q, N_K)
    assert ours.heads.shape == (2, H, N_Q, D_V)
    assert ours.concatenation.shape == (2, N_Q, H * D_V)
    assert ours.output.shape == (2, N_Q, D_OUT)
