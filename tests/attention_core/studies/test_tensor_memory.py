"""Memory of tensors against bytes counted by hand."""

import torch

from attention_core.studies.contenders import CONTENDERS, draw_operands, prepared
from attention_core.studies.tensor_memory import TensorMemory


def test_the_peak_is_what_was_held_at_once():
    outside = torch.ones(1000)
    with TensorMemory() as memory:
        one = outside + 1  # 4000
        two = one * 2  # 8000
        del one  # 4000
        view = two.view(10, 100)[3]  # the same storage
        view.add_(1)
        three = two.sum()  # 4004
    assert (memory.now, memory.peak) == (4004, 8000)
    del two, three
    assert memory.now == 4000, "the view still holds the storage"
    del view
    assert memory.now == 0


def test_what_came_from_outside_does_not_count():
    outside = torch.ones(1000)
    with TensorMemory() as memory:
        outside.add_(1)
        torch.mul(outside, 2, out=outside)
        assert outside.view(10, 100).shape == (10, 100)
    assert memory.peak == 0


def test_the_backward_pass_counts_too():
    leaf = torch.ones(1000, requires_grad=True)
    with TensorMemory() as memory:
        (gradient,) = torch.autograd.grad(leaf.exp().sum(), leaf)
    assert memory.peak >= 8000, "exp is kept for its own derivative while that is computed"
    assert memory.now == gradient.nbytes == 4000


def peak(name, n, d_k, backward=False):
    call = prepared(CONTENDERS[name], draw_operands(n, d_k, 0, torch.device("cpu")), backward)
    with TensorMemory() as memory:
        call()
    return memory.peak


def test_each_contender_holds_what_its_description_says():
    """n = 509, d_k = 31: the hidden layer of all pairs is 4 n² d_k bytes, the matrix of scores 4 n², a block 2²²."""
    n, d_k = 509, 31
    hidden, scores, one = 4 * n * n * d_k, 4 * n * n, 4 * n * d_k
    assert hidden + scores <= peak("additive_naive", n, d_k) <= hidden + 2 * scores + 2 * one
    assert 2**22 / 2 < peak("additive_chunked", n, d_k) < 2**22 + 2 * scores + 6 * one < hidden / 3
    assert 2 * scores <= peak("explicit", n, d_k) <= 2 * scores + one
    assert one <= peak("fused", n, d_k) <= one + 4 * n
    assert peak("additive_chunked", n, d_k, backward=True) > hidden, "autograd keeps every block"
