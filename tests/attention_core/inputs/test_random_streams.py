"""One stream per name: reproducible and independent of order; shorter draws are prefixes of longer ones."""

import hashlib

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from attention_core import draw
from attention_core.inputs.random_streams import draws


def test_a_draw_is_what_its_recipe_says():
    """The recipe is public: "copy as PyTorch" writes it out."""
    key = int.from_bytes(hashlib.sha256(b"7/Q/3").digest()[:8], "big") >> 1
    expected = torch.randn(48, generator=torch.Generator().manual_seed(key))[: 5 * 7].view(5, 7)
    assert torch.equal(draw(7, "Q/3", 5, 7), expected)


def test_names_and_seeds_have_streams_of_their_own():
    assert not torch.equal(draw(0, "Q/0", 5, 7), draw(0, "Q/1", 5, 7))
    assert not torch.equal(draw(0, "Q/0", 5, 7), draw(1, "Q/0", 5, 7))
    assert torch.equal(draw(0, "token/고양이", 5, 7), draw(0, "token/고양이", 5, 7))


def test_many_draws_are_the_single_draws():
    together = draws(3, ["a", "b", "c"], 5, 7)
    assert all(torch.equal(one, draw(3, name, 5, 7)) for one, name in zip(together, "abc", strict=True))


@settings(max_examples=50, deadline=None)
@given(rows=st.integers(1, 40), more=st.integers(0, 40), columns=st.integers(1, 23), seed=st.integers(0, 2**31 - 1))
def test_more_rows_keep_the_rows_already_there(rows, more, columns, seed):
    assert torch.equal(draw(seed, "x", rows + more, columns)[:rows], draw(seed, "x", rows, columns))


def test_drawing_leaves_torchs_own_generator_alone():
    before = torch.get_rng_state()
    draw(0, "x", 5, 7)
    assert torch.equal(torch.get_rng_state(), before)


@pytest.mark.parametrize(("moment", "expected"), [(1, 0), (2, 1), (3, 0), (4, 3)])
def test_numbers_are_standard_normal(moment, expected):
    """Within five standard errors of each moment of N(0, 1), whose variances are 1, 2, 15 and 96."""
    numbers = draw(0, "x", 499, 503).double()
    error = (({1: 1, 2: 2, 3: 15, 4: 96}[moment]) / numbers.numel()) ** 0.5
    assert abs((numbers**moment).mean().item() - expected) < 5 * error
