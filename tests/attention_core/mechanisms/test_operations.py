"""Operation counts against torch's own counter of matrix products, and against each other."""

import pytest
import torch
from torch.utils.flop_counter import FlopCounterMode

from attention_core.exact.scores import additive_scores
from attention_core.mechanisms.operations import (
    Operations,
    additive_operations,
    dot_product_operations,
    hidden_layer_bytes,
    score_matrix_bytes,
)
from attention_core.studies.contenders import CONTENDERS, draw_operands, prepared


def counted(name, n, d_k, backward):
    call = prepared(CONTENDERS[name], draw_operands(n, d_k, 0, torch.device("cpu")), backward)
    with FlopCounterMode(display=False) as counter:
        call()
    return counter.get_total_flops()


@pytest.mark.parametrize("backward", [False, True])
def test_matrix_operations_of_the_dot_product_are_those_torch_counts(backward):
    assert counted("explicit", 13, 7, backward) == dot_product_operations(13, 7, backward).matrix


@pytest.mark.parametrize("backward", [False, True])
def test_matrix_operations_of_the_additive_function_are_those_torch_counts(backward):
    """torch counts no matrix–vector product: its forward count lacks the 2 n² d_k of the product with w."""
    expected = additive_operations(13, 7, backward).matrix - 2 * 13 * 13 * 7
    assert counted("additive_naive", 13, 7, backward) == expected


def test_counts_by_hand():
    """n = 2, d = 3: QKᵀ and P V take 2·4·3 = 24 operations each; the hidden layer has 4·3 = 12 units."""
    assert dot_product_operations(2, 3) == Operations(matrix=48, elementwise=4 + 16, transcendental=4)
    assert additive_operations(2, 3) == Operations(matrix=72 + 24 + 24, elementwise=12 + 16, transcendental=12 + 4)
    assert additive_operations(2, 3).total == 120 + 28 + 16
    assert dot_product_operations(2, 3, backward=True) == Operations(48 + 96, 20 + 4 + 16, 4)
    assert additive_operations(2, 3, backward=True) == Operations(120 + 144 + 48, 28 + 8 * 12 + 16, 16)
    assert (hidden_layer_bytes(2, 3), score_matrix_bytes(2)) == (48, 16)


class Arithmetic:
    """Additions and multiplications of plain numbers, counted."""

    def __init__(self):
        self.count = 0

    def times(self, one, other):
        self.count += 1
        return one * other

    def plus(self, one, other):
        self.count += 1
        return one + other


def test_the_backward_count_is_that_of_the_arithmetic_that_finds_torch_s_gradients():
    """Each hidden unit of each pair: 2 for 1 − tanh², 2 products with w and ds, 1 product tanh · ds, 3 sums."""
    n, d = 3, 5
    one = torch.Generator().manual_seed(7)
    Q, K, upstream = (torch.randn(n, size, generator=one, dtype=torch.float64) for size in (d, d, n))
    w, eye = torch.randn(d, generator=one, dtype=torch.float64), torch.eye(d, dtype=torch.float64)
    leaves = [tensor.requires_grad_() for tensor in (Q, K, w)]
    # with W_q = W_k = 1 only the hidden layer and w have gradients to find
    expected = torch.autograd.grad(additive_scores(Q, K, eye, eye, w), leaves, upstream)
    hidden = (Q.unsqueeze(1) + K).tanh().tolist()
    ds, weights, counter = upstream.tolist(), w.tolist(), Arithmetic()
    dQ, dK = ([[0.0] * d for _ in range(n)] for _ in "QK")
    dw = [0.0] * d
    for i in range(n):
        for j in range(n):
            for u in range(d):
                t = hidden[i][j][u]
                slope = counter.plus(1.0, -counter.times(t, t))
                through = counter.times(counter.times(ds[i][j], weights[u]), slope)
                dQ[i][u] = counter.plus(dQ[i][u], through)
                dK[j][u] = counter.plus(dK[j][u], through)
                dw[u] = counter.plus(dw[u], counter.times(t, ds[i][j]))
    for found, true in zip((dQ, dK, dw), expected, strict=True):
        torch.testing.assert_close(torch.tensor(found, dtype=torch.float64), true)
    backward = additive_operations(n, d, backward=True).elementwise - additive_operations(n, d).elementwise
    softmax = 4 * n * n  # of the weights, counted for both mechanisms
    assert backward - softmax == counter.count == 8 * n * n * d


def test_both_functions_are_of_order_n_squared_d():
    """ "Similar in theoretical complexity": their ratio goes to (2 + 2 + 2)/(2 + 2) as n and d grow, n faster."""
    n, d_k = 10**7, 10**3
    ratio = additive_operations(n, d_k).total / dot_product_operations(n, d_k).total
    assert ratio == pytest.approx(6 / 4, rel=2e-3)
    assert additive_operations(2 * n, d_k).total / additive_operations(n, d_k).total == pytest.approx(4, rel=1e-3)
