"""Squares of weights against their cells."""

import math

import pytest
import torch
from torch import Tensor

from attention_core import InvalidInput, attention_statistics, draw
from attention_core.blocks.pooled_tiles import pooled_tile
from attention_core.exact.masks import CAUSAL, band

N_Q, N_K, D_K = 41, 53, 7

MASKS = [{}, {"causal": True}, {"window": 5}, {"causal": True, "window": 3}, {"scale": 1.7}]


def given() -> tuple[Tensor, Tensor]:
    return draw(1, "Q", N_Q, D_K), draw(1, "K", N_K, D_K)


def dense(Q: Tensor, K: Tensor, causal: bool = False, window: int | None = None, scale: float | None = None) -> Tensor:
    scores = (Q.double() @ K.double().T) * (1 / math.sqrt(D_K) if scale is None else scale)
    offset = torch.arange(N_K) - (torch.arange(N_Q)[:, None] + N_K - N_Q)
    if causal:
        scores = scores.masked_fill(offset > 0, -torch.inf)
    if window is not None:
        scores = scores.masked_fill(offset.abs() > window, -torch.inf)
    return scores.softmax(-1).float()


def squares(weights: Tensor, cell: int) -> list[list[Tensor]]:
    return [[part.flatten() for part in band.split(cell, 1)] for band in weights.split(cell, 0)]


@pytest.mark.parametrize("options", MASKS, ids=str)
@pytest.mark.parametrize("cell", [1, 2, 4, 16, 64])
def test_a_square_is_the_mean_and_the_maximum_of_its_cells(options: dict, cell: int) -> None:
    Q, K = given()
    logsumexp = attention_statistics(Q, K, **options).logsumexp
    rows, columns = slice(3, 40), slice(11, N_K)
    mask = band(options.get("causal", False), options.get("window"))
    mean, maximum = pooled_tile(Q, K, rows, columns, logsumexp, cell, scale=options.get("scale"), mask=mask)
    cells = squares(dense(Q, K, **options)[rows, columns], cell)
    expected = torch.tensor([[part.mean() for part in band] for band in cells])
    highest = torch.tensor([[part.max() for part in band] for band in cells])
    assert mean.shape == maximum.shape == (math.ceil(37 / cell), math.ceil(42 / cell))
    torch.testing.assert_close(mean, expected, rtol=1e-5, atol=1e-7)
    torch.testing.assert_close(maximum, highest, rtol=1e-5, atol=1e-7)


def test_more_rows_than_fit_at_once_make_the_same_squares(monkeypatch: pytest.MonkeyPatch) -> None:
    Q, K = given()
    logsumexp = attention_statistics(Q, K, causal=True).logsumexp
    whole = pooled_tile(Q, K, slice(None), slice(None), logsumexp, 3, mask=CAUSAL)
    monkeypatch.setattr("attention_core.blocks.pooled_tiles._CELLS", 54 * 6)
    parts = pooled_tile(Q, K, slice(None), slice(None), logsumexp, 3, mask=CAUSAL)
    for one, other in zip(whole, parts, strict=True):
        torch.testing.assert_close(one, other, rtol=1e-6, atol=1e-9)


def test_a_query_without_any_key_has_weights_zero() -> None:
    Q, K = draw(1, "Q", 7, D_K), draw(1, "K", 5, D_K)
    logsumexp = attention_statistics(Q, K, causal=True).logsumexp
    mean, maximum = pooled_tile(Q, K, slice(0, 2), slice(0, 5), logsumexp, 1, mask=CAUSAL)
    assert mean.eq(0).all()
    assert maximum.eq(0).all()
    assert logsumexp[:2].eq(-torch.inf).all()


def test_half_precision_is_pooled_in_single() -> None:
    Q, K = (tensor.half() for tensor in given())
    logsumexp = attention_statistics(Q, K).logsumexp
    mean, _ = pooled_tile(Q, K, slice(None), slice(None), logsumexp, 2)
    cells = squares(dense(Q, K), 2)
    expected = torch.tensor([[part.mean() for part in band] for band in cells])
    torch.testing.assert_close(mean, expected, rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize(
    ("rows", "cell", "code"),
    [(slice(0, 42), 1, "out_of_range"), (slice(0, 4), 0, "out_of_range"), (range(0, 4, 2), 1, "not_a_span")],
)
def test_what_is_no_rectangle_is_refused(rows: slice | range, cell: int, code: str) -> None:
    Q, K = given()
    with pytest.raises(InvalidInput) as refused:
        pooled_tile(Q, K, rows, slice(0, 5), torch.zeros(N_Q), cell)
    assert refused.value.code == code
