from typing import Any

import numpy as np

from visualiser.figures.plots.jacobian import drawing, jacobian
from visualiser.state.view import View
from visualiser.theme import DIVERGING


def test_cells_are_diag_p_minus_p_p_of_the_locked_row(result):
    one = result()
    p = one.weights[1, 4].numpy()
    figure: Any = jacobian(one, View(row=4, head=2))
    trace = figure.data[0]
    np.testing.assert_allclose(trace.z, np.diag(p) - np.outer(p, p), rtol=1e-6, atol=1e-9)
    assert trace.meta == {"panel": 0, "kind": "cells", "head": 2, "row": 4}


def test_without_a_row_or_head_it_is_the_last_row_of_the_first_head(result):
    one = result()
    last = one.weights.shape[1] - 1
    np.testing.assert_array_equal(drawing(one).data[0]["z"], drawing(one, View(row=last, head=1)).data[0]["z"])


def test_the_scale_is_centred_at_zero_and_axes_say_which_is_which(result):
    figure: Any = jacobian(result())
    layout = figure.layout
    assert layout.coloraxis.cmin == -layout.coloraxis.cmax
    assert [list(stop) for stop in layout.coloraxis.colorscale] == DIVERGING
    assert layout.xaxis.title.text == "score of key j"
    assert layout.yaxis.title.text == "weight of key i"


def test_masked_keys_are_open(result):
    one = result(mask="causal")
    cells = drawing(one, View(row=2)).data[0]["z"]
    assert np.isfinite(cells[:3, :3]).all()
    assert np.isnan(cells[3:]).all()
    assert np.isnan(cells[:, 3:]).all()
