"""Every allowed score is counted in the bin of its edges."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from attention_core import attention_statistics
from attention_core.blocks.histogram import cells
from tests.attention_core.oracles import causal
from tests.attention_core.sequences import drawn, scores_of
from tests.draws import cases


def counted(scores, edges):
    """Count with numpy, head by head."""
    heads = scores.reshape(-1, *scores.shape[-2:]).double().numpy()
    counts = np.stack([np.histogram(head[np.isfinite(head)], edges.double().numpy())[0] for head in heads])
    return torch.from_numpy(counts).view(*scores.shape[:-2], -1)


def whole_numbers(seed, batch=(2, 3), n_q=17, n_k=23):
    """Return Q and K whose scores are exact in float32, in any order of sums and at any power of two as scale."""
    generator = torch.Generator().manual_seed(seed)
    return tuple(torch.randint(-3, 4, (*batch, n, 5), generator=generator).float() for n in (n_q, n_k))


@pytest.mark.night
@pytest.mark.slow
@settings(max_examples=cases(60), deadline=None)
@given(
    bins=st.integers(1, 70),
    seed=st.integers(0, 999),
    scale=st.sampled_from([0.0, 2.0**-100, 0.125, 1.0, -3.0, 2.0**100]),
    masked=st.booleans(),
    block=st.sampled_from([None, 1, 7]),
)
def test_a_number_of_bins_covers_every_score(bins, seed, scale, masked, block):
    Q, K = whole_numbers(seed)
    found = attention_statistics(Q, K, scale=scale, causal=masked, histogram=bins, block=block).histogram
    assert found is not None
    assert 1 <= found.counts.shape[-1] <= bins
    assert found.edges.shape == (found.counts.shape[-1] + 1,)
    scores = scores_of(Q, K, scale)
    if masked:
        scores = scores.masked_fill(~causal(17, 23), -torch.inf)
    assert torch.equal(found.counts, counted(scores, found.edges))
    assert torch.equal(found.counts.sum(-1), scores.isfinite().sum((-2, -1)))
    assert not found.below.any()
    assert not found.above.any()
    assert found.counts.sum((0, 1))[0] > 0
    assert found.counts.sum((0, 1))[-1] > 0
    assert torch.equal(found.edges.diff(), found.edges.diff()[:1].expand_as(found.edges.diff()))


@pytest.mark.parametrize("block", [None, 5])
def test_given_edges_count_what_lies_outside_and_the_last_edge_inside(block):
    Q, K = whole_numbers(0)
    edges = torch.tensor([-7.0, -2.0, 0.0, 0.5, 11.0])
    found = attention_statistics(Q, K, scale=1.0, causal=True, histogram=edges, block=block).histogram
    assert found is not None
    scores = scores_of(Q, K, 1.0).masked_fill(~causal(17, 23), -torch.inf)
    assert torch.equal(found.counts, counted(scores, edges))
    assert torch.equal(found.below, ((scores < -7) & scores.isfinite()).sum((-2, -1)))
    assert torch.equal(found.above, (scores > 11).sum((-2, -1)))
    assert found.below.sum() > 0
    assert found.above.sum() > 0
    assert (scores == 11).sum() > 0


def test_bins_are_used_up_where_scores_are_far_below_their_bound():
    """‖q‖‖k‖ is six times the largest score at d_k 1024; the fine grid still gives about as many bins as wanted."""
    Q, K = drawn((2,), 101, 103, 1024, groups=1)
    found = attention_statistics(Q, K, histogram=64).histogram
    assert found is not None
    assert 48 <= found.counts.shape[-1] <= 64
    scores = scores_of(Q, K, 1 / 32)
    assert found.edges[0] <= scores.min()
    assert scores.max() <= found.edges[-1]


def test_cells_are_a_power_of_two_and_at_least_eight_to_a_bin():
    assert [cells(bins) for bins in (1, 512, 513, 4096)] == [4096, 4096, 8192, 32768]
