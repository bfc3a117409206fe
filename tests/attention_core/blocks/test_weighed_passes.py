"""Passes, tiles, pooled tiles and overviews with a softcap, a sink or gates: the whole matrix in float64, in blocks."""

import math
from typing import Any

import pytest
import torch
from torch import Tensor

from attention_core import InvalidInput, attention_overview, attention_passes, attention_statistics, attention_tile
from attention_core.blocks.block_pass import Blocks, Pass
from attention_core.blocks.compatibility import DotProducts
from attention_core.blocks.mask import allowed
from attention_core.blocks.pooled_tiles import pooled_tile
from attention_core.blocks.row_statistics import finished
from attention_core.blocks.weighing import weighing
from attention_core.exact.gates import GatedRows, gate_sums
from attention_core.exact.masks import CAUSAL, EVERYTHING
from attention_core.exact.row_sums import SummedRows, row_sums
from attention_core.exact.sunk_rows import SunkRows
from tests.attention_core import oracles
from tests.attention_core.sequences import drawn, scores_of

WAYS: list[dict[str, Any]] = [
    {"softcap": 0.4},
    {"softcap": 3.0},
    {"softcap": 50.0},
    {"sink": -2.0},
    {"sink": 3.0, "softcap": 3.0},
    {"sigmoid": True},
    {"sigmoid": True, "softcap": 3.0},
]
N_Q, N_K, D_K = 37, 53, 11


def exact(
    scores: Tensor, mask: Tensor | None, softcap: float = 0.0, sink: float = -math.inf, sigmoid: bool = False
) -> tuple[Tensor, dict[str, Tensor]]:
    """Return weights and statistics in float64 from whole matrices."""
    scores = scores.double()
    treated = softcap * (scores / softcap).tanh() if softcap else scores
    slopes = 1 - (scores / softcap).tanh() ** 2 if softcap else torch.ones_like(scores)
    masked = treated if mask is None else treated.masked_fill(~mask, -torch.inf)
    if sigmoid:
        p = (masked - math.log(scores.shape[-1])).sigmoid()
        cells = p * (1 - p) * slopes
        found = {"mass": p.sum(-1), "jacobian_trace": cells.sum(-1), "jacobian_norm": cells.norm(dim=-1)}
        return p, found | {"largest_weight": p.amax(-1), "sum_of_squares": p.square().sum(-1)}
    beside = torch.cat([masked, torch.full_like(masked[..., :1], sink)], -1)
    every = beside.softmax(-1).nan_to_num(0.0)
    p = every[..., :-1]
    J = (torch.diag_embed(p) - p.unsqueeze(-1) * p.unsqueeze(-2)) * slopes.unsqueeze(-2)
    found = {
        "logsumexp": beside.logsumexp(-1), "entropy": torch.special.entr(every).sum(-1),
        "jacobian_norm": J.norm(dim=(-2, -1)), "jacobian_trace": J.diagonal(dim1=-2, dim2=-1).sum(-1),
        "largest_weight": p.amax(-1), "sum_of_squares": p.square().sum(-1),
    }  # fmt: skip
    return p, found | ({"sink_weight": every[..., -1]} if sink > -math.inf else {})


@pytest.mark.slow
@pytest.mark.night(but=3)
@pytest.mark.parametrize("scale", [0.3, 4.0])
@pytest.mark.parametrize("mask", ["none", "causal", "given"])
@pytest.mark.parametrize("way", WAYS, ids=str)
def test_statistics_tiles_and_overviews_are_those_of_the_whole_matrix(way: dict, mask: str, scale: float) -> None:
    Q, K = drawn(n_q=N_Q, n_k=N_K, d_k=D_K)
    given = torch.rand(2, 6, N_Q, N_K, generator=torch.Generator().manual_seed(1)) < 0.4
    given[0, 1, 3] = False
    options = {"none": {}, "causal": {"causal": True}, "given": {"mask": given}}[mask]
    there = {"none": None, "causal": oracles.causal(N_Q, N_K), "given": given}[mask]
    scores = scores_of(Q, K, scale)
    p, wanted = exact(scores, there, **way)
    found = attention_statistics(Q, K, scale=scale, histogram=8, overview=9, block=10, **options, **way)
    plain = attention_statistics(Q, K, scale=scale, histogram=8, block=10, **options)
    for name, value in wanted.items():
        torch.testing.assert_close(found.statistic(name).double(), value, rtol=3e-5, atol=1e-8, msg=name)
    for name in ("score_mean", "score_variance"):
        assert torch.equal(getattr(found, name), getattr(plain, name))  # of the scores before the cap
    assert found.histogram is not None
    assert plain.histogram is not None
    assert torch.equal(found.histogram.counts, plain.histogram.counts)
    sink = {key: value for key, value in way.items() if key == "sink"}
    tiled = {key: value for key, value in way.items() if key != "sink"}
    lse = found.logsumexp if "logsumexp" in found.names else None
    close: dict[str, Any] = {"rtol": 3e-5, "atol": 1e-8}
    tile = attention_tile(Q, K, slice(3, 30), slice(7, 50), lse, scale=scale, **options, **tiled)
    torch.testing.assert_close(tile.double(), p[..., 3:30, 7:50], **close)
    again = attention_overview(
        Q, K, 9, logsumexp=plain.logsumexp if lse is None else lse, scale=scale, **options, **way
    )
    made = attention_overview(Q, K, 9, scale=scale, **options, **sink, **tiled)
    for picture in (found.overview, again, made):
        assert picture is not None
        for i, row in enumerate(p.split(5, -2)):  # 37 queries in blocks of 5, 53 keys in blocks of 6
            for j, cells in enumerate(row.split(6, -1)):
                torch.testing.assert_close(picture.mean[..., i, j].double(), cells.mean((-2, -1)), **close)
                torch.testing.assert_close(picture.maximum[..., i, j].double(), cells.amax((-2, -1)), **close)
    if mask != "given":
        one = None if lse is None else lse[0, 1]
        squares = pooled_tile(
            Q[0, 1], K[0, 0], slice(3, 30), slice(7, 50), one, 50, scale=scale,
            mask=EVERYTHING if mask == "none" else CAUSAL, **tiled,
        )  # fmt: skip
        cells = p[0, 1, 3:30, 7:50]
        for square, value in zip(squares, (cells.mean(), cells.max()), strict=True):
            torch.testing.assert_close(square.double().squeeze(), value, **close)


def scores_as_keys(scores: Tensor, way: dict) -> dict[str, Tensor]:
    """Return the statistics of a pass whose only query has these float32 scores, in stretches of 4096 keys."""
    cells = allowed((), 1, len(scores), EVERYTHING, None)
    how = weighing(len(scores), way.get("softcap"), way.get("sink"), way.get("sigmoid", False))
    state = Pass(
        DotProducts(torch.ones(1, 1), scores.unsqueeze(-1), 1.0), cells, Blocks(1, 4096, 32), None, None, 1, how
    )
    for _ in state.run():
        pass
    return finished(how.rows(state.sums, torch.tensor([len(scores)]), torch.float32))


@pytest.mark.slow
@pytest.mark.parametrize("spread", [0.0, 1.0, 8.0, 40.0])
@pytest.mark.parametrize("way", WAYS, ids=str)
def test_rows_of_many_keys_keep_their_digits(way: dict, spread: float) -> None:
    """20,011 keys: the same sums in memory, in float64, from the same scores; a cap rounds them anew in a pass."""
    scores = spread * torch.randn(20_011, generator=torch.Generator().manual_seed(2))
    found = scores_as_keys(scores, way)
    curve = weighing(1, way.get("softcap")).curve
    masked = scores if curve is None else curve.value(scores.double()).float()
    keys, one = torch.tensor([len(scores)]), (masked.unsqueeze(0), scores.unsqueeze(0), curve)
    if way.get("sigmoid"):
        rows: Any = GatedRows(gate_sums(one[0], len(scores), *one[1:]), keys, torch.float64, len(scores))
    elif "sink" in way:
        rows = SunkRows(row_sums(*one), keys, torch.float64, way["sink"])
    else:
        rows = SummedRows(row_sums(*one), keys, torch.float64)
    bound = 2.0**-20 * (1 if curve is None else 1 + min(way["softcap"], 5 * spread) / 4)
    for name, value in finished(rows).items():
        if name not in ("logsumexp", "ceiling"):
            torch.testing.assert_close(found[name].double().view(1), value, rtol=bound, atol=1e-44, msg=name)


def test_scores_that_leave_their_format_are_an_overflow_although_a_cap_would_hide_them() -> None:
    Q = torch.full((1, 3, 2), 1e20)
    for way in WAYS:
        with pytest.raises(InvalidInput, match="small enough for every number computed in float32") as refused:
            attention_statistics(Q, -Q, scale=1.0, **way)
        assert refused.value.code == "overflow"


def test_what_cannot_be_together_is_refused_by_name() -> None:
    Q = torch.ones(1, 2, 3)
    with pytest.raises(
        InvalidInput, match=r"^sink must be None with sigmoid gates, which have no denominator; got 1\.0\.$"
    ):
        attention_passes(Q, Q, sink=1.0, sigmoid=True)
    with pytest.raises(InvalidInput, match=r"^softcap must be between 0"):
        attention_statistics(Q, Q, softcap=-1.0)
    gates = attention_statistics(Q, Q, sigmoid=True)
    assert gates.names == ("sum_of_squares", "jacobian_norm", "jacobian_trace", "largest_weight", "mass")
    with pytest.raises(InvalidInput, match=r"^statistic must be one of sum_of_squares, .*; got effective_keys\.$"):
        _ = gates.effective_keys
    assert torch.equal(attention_statistics(Q, Q, softcap=0.0).entropy, attention_statistics(Q, Q).entropy)
