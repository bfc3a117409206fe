"""Which query may see which key, written out."""

import torch

from attention_core.exact.masks import causal, combine, padding, window


def test_causal():
    assert causal(3, 3).int().tolist() == [[1, 0, 0], [1, 1, 0], [1, 1, 1]]


def test_causal_with_earlier_keys_puts_the_last_query_at_the_last_key():
    assert causal(2, 5).int().tolist() == [[1, 1, 1, 1, 0], [1, 1, 1, 1, 1]]


def test_causal_with_more_queries_than_keys_leaves_the_first_without_any():
    assert causal(3, 2).int().tolist() == [[0, 0], [1, 0], [1, 1]]


def test_window():
    assert window(4, 4, 1).int().tolist() == [[1, 1, 0, 0], [1, 1, 1, 0], [0, 1, 1, 1], [0, 0, 1, 1]]
    assert window(2, 4, 1).int().tolist() == [[0, 1, 1, 1], [0, 0, 1, 1]]


def test_a_window_wider_than_the_text_hides_nothing():
    assert window(5, 5, 5).all()


def test_padding():
    assert padding(torch.tensor([2, 0, 3]), 3).int().tolist() == [[[1, 1, 0]], [[0, 0, 0]], [[1, 1, 1]]]


def test_combine_allows_what_every_mask_allows():
    both = combine(causal(3, 3), None, window(3, 3, 1))
    assert both is not None
    assert both.int().tolist() == [[1, 0, 0], [1, 1, 0], [0, 1, 1]]
    assert combine(None, None) is None
