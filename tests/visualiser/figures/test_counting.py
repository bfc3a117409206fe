"""Statistics found faster than by torch's own functions are exactly equal to theirs."""

import math

import numpy as np
import pytest
import torch

from attention_core import AttentionConfig, compute
from visualiser.drawing.boxes import five_numbers
from visualiser.drawing.saturation import CACHED, bins, histograms, saturated_share, threshold
from visualiser.figures.plots.heat_maps import heat_maps
from visualiser.state.view import View


@pytest.mark.parametrize("rows", [1, 2, 3, 5, 8, 31, 512])
def test_five_numbers_are_torchs_quantiles(rows: int) -> None:
    values = torch.randn(3, rows, generator=torch.Generator().manual_seed(rows)).exp()
    shares = torch.tensor([0.0, 0.25, 0.5, 0.75, 1.0])
    np.testing.assert_array_equal(five_numbers(values), torch.quantile(values, shares, dim=-1).double().numpy())


@pytest.mark.parametrize("m", [7, CACHED // 4 - 1, CACHED // 4 + 1, CACHED + 3])
def test_every_score_is_counted_in_its_bin(m: int) -> None:
    scores = torch.randn(3, m, generator=torch.Generator().manual_seed(m))
    edges, density = histograms(scores)
    low, step = float(scores.min()), (float(scores.max()) - float(scores.min())) / bins(m)
    places = ((scores - low) * (1 / step)).to(torch.uint8).clamp_(max=bins(m) - 1).numpy()
    counts = [[np.count_nonzero(head == place) for place in range(bins(m))] for head in places]
    np.testing.assert_allclose(density * m * step, counts, rtol=1e-12)
    assert np.sum(counts) == 3 * m
    assert len(edges) == bins(m) + 1


@pytest.mark.parametrize("n", [13, 151])
@pytest.mark.parametrize("mask", ["none", "causal"])
@pytest.mark.parametrize(("head", "row"), [(0, None), (2, None), (0, 5), (3, 5)])
def test_thresholds_and_shares_follow_from_the_masked_scores(n: int, mask: str, head: int, row: int | None) -> None:
    result, view = compute(AttentionConfig(n=n, h=3, d_k=64, scaling="none", mask=mask)), View(head=head, row=row)
    shown = result.masked if not head else result.masked[head - 1 : head]
    if row is not None:
        shown = result.masked[max(0, head - 1), row][None, None]
    most = shown.amax(-1)
    assert threshold(result, view) == pytest.approx(float(most.median()) - math.log(100), rel=1e-6)
    allowed = torch.isfinite(shown)
    far = (shown < most.unsqueeze(-1) - math.log(100)) & allowed
    assert 0 < saturated_share(result, view) == int(far.sum()) / int(allowed.sum())


def test_the_table_names_the_first_of_several_largest_cells() -> None:
    result = compute(AttentionConfig(n=5, h=2, d_k=3, scaling="custom", scale=0.0))
    columns = {column.label: list(column.values) for column in heat_maps.table(result, View()).columns}
    assert list(columns.values())[-2:] == [[0, 0], [0, 0]]
