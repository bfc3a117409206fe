"""Block means and maxima against the whole matrix."""

import pytest
import torch

from attention_core import InvalidInput, additive_attention_statistics, attention_overview, attention_statistics
from attention_core.exact.scores import additive_scores
from tests.attention_core.blocks.test_statistics import MASKS, mask_of
from tests.attention_core.sequences import drawn, per_head, scores_of

pytestmark = pytest.mark.slow


def pooled(weights, bins):
    """Pool by blocks of the smallest width that gives at most `bins` of them."""
    height, width = (-(-n // bins) for n in weights.shape[-2:])
    bands = [band.split(width, -1) for band in weights.split(height, -2)]
    mean, maximum = (
        torch.stack([torch.stack([reduce(block) for block in band], -1) for band in bands], -2)
        for reduce in (lambda block: block.mean((-2, -1)), lambda block: block.amax((-2, -1)))
    )
    return mean, maximum


def weights_of(Q, K, mask):
    scores = scores_of(Q.double(), K.double(), 11**-0.5)
    return (scores if mask is None else scores.masked_fill(~mask, -torch.inf)).softmax(-1).nan_to_num(0.0)


@pytest.mark.night(but=8)
@pytest.mark.parametrize("options", MASKS, ids=lambda options: "+".join(options) or "everything")
@pytest.mark.parametrize("bins", [1, 5, 64])
@pytest.mark.parametrize("block", [None, 1, 7])
def test_every_way_to_one_overview(options, bins, block):
    """With the statistics, alone, and from a known log-sum-exp; query blocks that split the overview's rows or not."""
    Q, K = drawn((3,))
    mean, maximum = pooled(weights_of(Q, K, mask_of(options, 37, 53)), bins)
    statistics = attention_statistics(Q, K, overview=bins, block=block, **options)
    ways = (
        statistics.overview,
        attention_overview(Q, K, bins, block=block, **options),
        attention_overview(Q, K, bins, logsumexp=statistics.logsumexp, block=block, **options),
    )
    for found in ways:
        assert found is not None
        torch.testing.assert_close(found.mean.double(), mean, rtol=2e-6, atol=1e-9)
        torch.testing.assert_close(found.maximum.double(), maximum, rtol=2e-6, atol=1e-9)
        assert found.row_edges.tolist() == [*range(0, 37, -(-37 // bins)), 37]
        assert found.column_edges.tolist() == [*range(0, 53, -(-53 // bins)), 53]


def test_several_stretches_of_keys():
    """4099 keys and 517 queries are more than a block holds; each stretch has its own largest score."""
    Q, K = drawn((2,), 517, 4099, 11, groups=2)
    K = K * torch.linspace(0, 3, 4099).unsqueeze(-1)
    mean, maximum = pooled(weights_of(Q, K, None), 31)
    found = attention_statistics(Q, K, overview=31, block=517).overview
    assert found is not None
    torch.testing.assert_close(found.mean.double(), mean, rtol=1e-5, atol=1e-12)
    torch.testing.assert_close(found.maximum.double(), maximum, rtol=1e-5, atol=1e-12)


def test_a_lone_spike_is_in_the_maximum():
    """One weight of 1 among 64 × 64 cells: the mean shows a sixty-fourth of it and less."""
    K = torch.zeros(64, 1)
    K[17] = 1e3
    Q = torch.zeros(64, 1)
    Q[41] = 1.0
    found = attention_overview(Q, K, 2, block=3)
    assert found.maximum[1, 0] == 1
    assert found.maximum[0].tolist() == [1 / 64, 1 / 64]
    assert found.mean[1, 0].item() == pytest.approx((31 * 32 / 64 + 1) / 1024)


def test_additive():
    Q, K = drawn((3,), 23, 29, 5)
    W = torch.randn(5, 7, generator=torch.Generator().manual_seed(3))
    found = additive_attention_statistics(Q, K, W, W, W[0], overview=7).overview
    wide = [tensor.double() for tensor in (Q, per_head(Q, K), W, W, W[0])]
    mean, maximum = pooled(additive_scores(*wide).softmax(-1), 7)
    assert found is not None
    torch.testing.assert_close(found.mean.double(), mean, rtol=1e-5, atol=0)
    torch.testing.assert_close(found.maximum.double(), maximum, rtol=1e-5, atol=0)


def test_what_is_no_number_of_bins():
    Q, K = drawn()
    for known in (None, torch.zeros(2, 6, 37)):
        with pytest.raises(InvalidInput, match=r"^bins must be at least 1; got 0\.$"):
            attention_overview(Q, K, 0, logsumexp=known)
