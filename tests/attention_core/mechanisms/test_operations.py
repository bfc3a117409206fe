"""Operation counts against torch's own counter of matrix products, and against each other."""

import pytest
import torch
from torch.utils.flop_counter import FlopCounterMode

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
    assert additive_operations(2, 3, backward=True) == Operations(120 + 144 + 48, 28 + 7 * 12 + 16, 16)
    assert (hidden_layer_bytes(2, 3), score_matrix_bytes(2)) == (48, 16)


def test_both_functions_are_of_order_n_squared_d():
    """ "Similar in theoretical complexity": their ratio goes to (2 + 2 + 2)/(2 + 2) as n and d grow, n faster."""
    n, d_k = 10**7, 10**3
    ratio = additive_operations(n, d_k).total / dot_product_operations(n, d_k).total
    assert ratio == pytest.approx(6 / 4, rel=2e-3)
    assert additive_operations(2 * n, d_k).total / additive_operations(n, d_k).total == pytest.approx(4, rel=1e-3)
