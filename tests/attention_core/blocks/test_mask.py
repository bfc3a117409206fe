"""Masks computed from positions equal those of `masks`, block by block."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from attention_core import InvalidInput
from attention_core.blocks.mask import allowed, chosen
from attention_core.exact import masks
from attention_core.exact.masks import CAUSAL, EVERYTHING
from tests.attention_core import oracles
from tests.draws import cases

CPU = torch.device("cpu")


@settings(max_examples=cases(300), deadline=None)
@given(
    n_q=st.integers(1, 17),
    n_k=st.integers(1, 17),
    causal=st.booleans(),
    window=st.none() | st.integers(0, 19),
    seed=st.none() | st.integers(0, 99),
    data=st.data(),
)
def test_every_cell_of_any_block(n_q, n_k, causal, window, seed, data):
    given_mask = None if seed is None else torch.rand(2, 1, n_k, generator=torch.Generator().manual_seed(seed)) < 0.6
    expected = masks.combine(
        oracles.causal(n_q, n_k) if causal else None,
        None if window is None else oracles.window(n_q, n_k, window),
        given_mask,
    )
    expected = torch.ones(2, n_q, n_k, dtype=torch.bool) if expected is None else expected.expand(2, n_q, n_k)
    cells = allowed((2,), n_q, n_k, *chosen(causal, window, given_mask))
    start = data.draw(st.integers(0, n_q - 1))
    rows = slice(start, data.draw(st.integers(start + 1, n_q)))
    assert torch.equal(cells.keys((2,), rows), expected[:, rows].sum(-1))
    reach = cells.columns(rows)
    outside = torch.ones(n_k, dtype=torch.bool)
    outside[reach] = False
    assert not expected[:, rows][..., outside].any()
    start = data.draw(st.integers(0, n_k - 1))
    columns = slice(start, data.draw(st.integers(start + 1, n_k)))
    for head in range(2):
        found = torch.ones(columns.stop - columns.start, rows.stop - rows.start, dtype=torch.bool)
        for strip, forbidden in cells.strips((head,), rows, columns, CPU):
            found[strip] &= ~forbidden
        assert torch.equal(found, expected[head, rows, columns].mT)


def test_a_long_causal_row_block_masks_only_its_diagonal():
    """Keys that every query of the block may see are not tested."""
    cells = allowed((), 1009, 1009, CAUSAL)
    rows = slice(500, 507)
    assert cells.columns(rows) == slice(0, 507)
    strips = cells.strips((), rows, slice(0, 507), CPU)
    assert [strip for strip, _ in strips] == [slice(501, 507)]


def test_what_is_no_mask():
    with pytest.raises(InvalidInput, match=r"^mask must be broadcastable to the scores, 2 × 3 × 5; got 4 × 5\.$"):
        allowed((2,), 3, 5, EVERYTHING, torch.ones(4, 5, dtype=torch.bool))
    with pytest.raises(InvalidInput, match=r"^mask must be a tensor of booleans; got 3 × 5\.$"):
        chosen(False, None, torch.ones(3, 5))
    with pytest.raises(InvalidInput, match=r"^window must be at least 0; got -1\.$"):
        chosen(False, -1, None)
