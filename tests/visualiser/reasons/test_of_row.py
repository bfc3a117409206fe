"""Sums in words of one row's statistics, where a weight is so close to 1 that 1 minus it has lost its digits."""

import numpy as np
import pytest

from attention_core import AttentionConfig, compute
from visualiser.locale.message import message
from visualiser.reasons.of_row import entropy_of_row, of_other_weights, trace_of_row
from visualiser.reasons.shown import Shown
from visualiser.state.view import View


def shown(head: int, row: int) -> Shown:
    return Shown(compute(AttentionConfig(n=7, h=3, d_k=256, scaling="none")), View(head=head, row=row))


def test_a_trace_below_the_digits_of_1_is_a_sum_of_terms() -> None:
    of = shown(3, 5)
    value = float(of.result.jacobian_trace[2, 5])
    assert 1e-10 < value < 1e-9
    made = trace_of_row(of, message("unread")).made
    assert (made.key, made.facts["keys"], made.facts["value"]) == ("reason.made.terms", 7, value)


def test_a_larger_trace_is_1_minus_the_squares() -> None:
    of = shown(1, 0)
    value = float(of.result.jacobian_trace[0, 0])
    assert value > 1e-9
    made = trace_of_row(of, message("unread")).made
    assert made.key == "reason.made.trace_row"
    assert 1 - float(str(made.facts["squares"])) == pytest.approx(value, rel=1e-2)


def test_the_largest_term_of_an_entropy_is_not_of_the_weight_that_is_nearly_1() -> None:
    of = shown(3, 5)
    assert float(of.result.weights[2, 5].max()) > 1 - 1e-9
    made = entropy_of_row(of, message("unread")).made
    assert made.facts["key"] != int(of.result.weights[2, 5].argmax())
    assert made.facts["term"] == pytest.approx(4.9363e-9, rel=1e-3)


def test_a_norm_of_other_weights_is_the_root_of_its_squares() -> None:
    """Of a row whose terms are not written: the sum of the squares is the norm times itself."""
    config = AttentionConfig(n=3, h=1, normalisation="sigmoid")
    made = of_other_weights(config, "jacobian_norm", np.zeros(3), 0, 3, 0.433).made
    assert made.key == "reason.made.norm_cells"
    assert float(str(made.facts["squares"])) == pytest.approx(0.433**2, rel=1e-2)
