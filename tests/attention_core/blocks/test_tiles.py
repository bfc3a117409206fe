"""A computed rectangle equals that part of the whole matrix."""

import math

import pytest
import torch

from attention_core import (
    InvalidInput,
    additive_attention_statistics,
    additive_attention_tile,
    attention_statistics,
    attention_tile,
)
from attention_core.exact.scores import additive_scores
from tests.attention_core import oracles
from tests.attention_core.blocks.test_statistics import MASKS, mask_of
from tests.attention_core.sequences import drawn, per_head, scores_of

ROWS, COLUMNS = slice(3, 20), range(11, 42)


@pytest.mark.night(but=5)
@pytest.mark.parametrize("options", MASKS, ids=lambda options: "+".join(options) or "everything")
@pytest.mark.parametrize("scale", [None, 1.0, 40.0])
def test_against_float64(options, scale):
    Q, K = drawn()
    statistics = attention_statistics(Q, K, scale=scale, **options)
    mask = mask_of(options, 37, 53)
    factor = 1 / math.sqrt(11) if scale is None else scale

    def whole(dtype):
        scores = scores_of(Q.to(dtype), K.to(dtype), factor)
        masked = scores if mask is None else scores.masked_fill(~mask, -torch.inf)
        return masked[..., 3:20, 11:42], masked.softmax(-1).nan_to_num(0.0)[..., 3:20, 11:42]

    (plain_scores, plain), (exact_scores, exact) = whole(torch.float32), whole(torch.float64)
    tile = attention_tile(Q, K, ROWS, COLUMNS, statistics.logsumexp, scale=scale, **options)
    rounding = torch.finfo(torch.float32).eps * statistics.logsumexp.nan_to_num(neginf=0).abs().max()
    oracles.assert_as_exact_as(plain + rounding, tile, exact)
    assert (tile <= 1).all()
    scores = attention_tile(Q, K, ROWS, COLUMNS, None, scale=scale, stage="scores", **options)
    hidden = exact_scores.isneginf()
    assert torch.equal(scores.isneginf(), hidden)
    plain_scores, scores, exact_scores = (s.masked_fill(hidden, 0.0) for s in (plain_scores, scores, exact_scores))
    oracles.assert_as_exact_as(plain_scores + 1e-6 * factor, scores, exact_scores)


def test_one_cell_and_everything():
    Q, K = drawn((), 7, 5)
    lse = attention_statistics(Q, K).logsumexp
    whole = attention_tile(Q, K, slice(None), slice(None), lse)
    assert whole.shape == (7, 5)
    torch.testing.assert_close(whole.sum(-1), torch.ones(7))
    cell = attention_tile(Q, K, range(6, 7), slice(4, 5), lse)
    torch.testing.assert_close(cell, whole[6:, 4:])


def test_additive_with_other_parameters_in_every_head():
    Q, K = drawn((2, 6), 23, 29, 5)
    generator = torch.Generator().manual_seed(3)
    W_q, W_k, w = (torch.randn(6, *shape, generator=generator) for shape in ((5, 7), (5, 7), (7,)))
    lse = additive_attention_statistics(Q, K, W_q, W_k, w, causal=True).logsumexp
    tile = additive_attention_tile(Q, K, W_q, W_k, w, slice(2, 19), slice(3, 28), lse, causal=True)
    wide = (tensor.double() for tensor in (Q, per_head(Q, K), W_q, W_k, w))
    scores = additive_scores(*wide).masked_fill(torch.ones(23, 29).triu(7).bool(), -torch.inf)
    torch.testing.assert_close(tile.double(), scores.softmax(-1)[..., 2:19, 3:28], rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"rows": slice(37, 38)}, "rows must be between 0 and 36; got 37."),
        ({"rows": slice(5, 5)}, "rows must be between 6 and 37; got 5."),
        ({"columns": range(50, 54)}, "columns must be between 51 and 53; got 54."),
        ({"columns": range(0, 10, 2)}, "columns must be a slice or a range with step 1; got range(0, 10, 2)."),
        ({"columns": slice(-3, None)}, "columns must be between 0 and 52; got -3."),
        ({"stage": "masked"}, "stage must be one of weights, scores; got 'masked'."),
        ({"logsumexp": None}, "logsumexp must be that of attention_statistics for weights; only scores do without."),
    ],
    ids=str,
)
def test_what_is_no_rectangle(change, message):
    Q, K = drawn()
    wanted = {"rows": ROWS, "columns": COLUMNS, "logsumexp": torch.zeros(2, 6, 37)} | change
    with pytest.raises(InvalidInput) as caught:
        attention_tile(Q, K, **wanted)
    assert str(caught.value) == message
