"""A bound that no score exceeds, whichever head is largest, and shapes that do not fit, by their names."""

import jaxtyping
import pytest
import torch

from attention_core import InvalidInput
from attention_core.blocks.compatibility import AdditiveCompatibilities, DotProducts


def drawn(*shape: int) -> torch.Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(sum(shape)))


@pytest.mark.parametrize("largest", [0, 1])
def test_no_dot_product_exceeds_the_bound(largest: int) -> None:
    Q, K = drawn(2, 13, 5), drawn(2, 11, 5)
    Q[largest] *= 100
    bound = DotProducts(Q, K, None).bound()
    most = (Q @ K.mT).abs().max().item() / 5**0.5
    assert most <= bound <= 20 * most


def test_no_additive_score_exceeds_the_sum_of_w() -> None:
    Q, K, W_q, W_k = drawn(2, 7, 5), drawn(2, 3, 5), drawn(2, 5, 4), drawn(2, 5, 4)
    w = torch.tensor([[1.0, -2.0, 0.0, 0.5], [0.1, 0.1, 0.1, 0.1]])
    assert AdditiveCompatibilities(Q, K, W_q, W_k, w).bound() == pytest.approx(3.5 * 1.001)


def test_parameters_of_different_widths_are_refused_by_the_axis() -> None:
    Q, K = drawn(2, 7, 5), drawn(2, 3, 5)
    with pytest.raises((InvalidInput, jaxtyping.TypeCheckError), match="n_hidden"):  # whichever looks first
        AdditiveCompatibilities(Q, K, drawn(2, 5, 4), drawn(2, 5, 3), drawn(2, 4))
