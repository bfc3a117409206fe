"""Counts of cells and hidden squares against the masks themselves."""

import itertools

import numpy as np
import pytest

from attention_core import AttentionConfig
from tests.attention_core import oracles
from visualiser.maps.geometry import cells, hidden
from visualiser.pages.map.passes import edges

SIZES = [(41, 41), (29, 53), (53, 29), (2, 2)]
CONFIGS = [AttentionConfig(mask=mask, window=width) for mask, width in (("none", 1), ("causal", 1), ("window", 3))]


def mask(config: AttentionConfig, n_q: int, n_k: int) -> np.ndarray:
    match config.mask:
        case "causal":
            return oracles.causal(n_q, n_k).numpy()
        case "window":
            return oracles.window(n_q, n_k, config.window).numpy()
    return np.ones((n_q, n_k), dtype=bool)


@pytest.mark.parametrize("config", CONFIGS, ids=lambda config: config.mask)
@pytest.mark.parametrize(("n_q", "n_k"), SIZES)
def test_cells_are_those_the_mask_lets_through(config: AttentionConfig, n_q: int, n_k: int) -> None:
    allowed = mask(config, n_q, n_k)
    assert cells(config, n_q, n_k) == allowed.sum()
    assert cells(config, n_q, n_k, 2) == allowed[:2].sum()


@pytest.mark.parametrize("config", CONFIGS, ids=lambda config: config.mask)
@pytest.mark.parametrize(("n_q", "n_k"), SIZES)
@pytest.mark.parametrize("bins", [3, 7, 64])
def test_a_square_is_hidden_when_every_cell_of_it_is(config: AttentionConfig, n_q: int, n_k: int, bins: int) -> None:
    rows, columns = edges(n_q, bins), edges(n_k, bins)
    allowed = mask(config, n_q, n_k)
    expected = [
        [not allowed[a:b, c:d].any() for c, d in itertools.pairwise(columns)] for a, b in itertools.pairwise(rows)
    ]
    np.testing.assert_array_equal(hidden(config, rows, columns, n_q, n_k), expected)
