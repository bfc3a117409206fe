"""A row's sums over parts of its keys, merged in any order, equal the sums over all keys."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from attention_core.blocks.row_statistics import finished
from attention_core.exact.row_sums import RowSums, SummedRows
from tests.attention_core import oracles
from tests.draws import cases

NAMES = ("largest", "at", "first", "second", "third", "gap")


def plainly(scores, start=0):
    """Compute the definition for one row of float64 scores; −inf is a forbidden key."""
    largest, at = scores.max(-1)
    if largest == -torch.inf:
        zero = torch.zeros((), dtype=torch.float64)
        return RowSums(largest, torch.tensor(-1), zero, zero, zero, zero)
    fall = largest - scores
    e = (-fall).exp()
    e[at] = 0
    gap = (e * fall.nan_to_num(posinf=0.0)).sum()
    return RowSums(largest, at + start, e.sum(), (e**2).sum(), (e**3).sum(), gap)


def close(a, b):
    for name in NAMES:
        torch.testing.assert_close(getattr(a, name), getattr(b, name), rtol=1e-12, atol=1e-300)


scores = st.lists(st.one_of(st.floats(-600, 600), st.integers(-3, 3), st.just(-torch.inf)), min_size=1, max_size=13)


@pytest.mark.slow
@settings(max_examples=cases(300), deadline=None)
@given(st.tuples(scores, scores, scores))
def test_merging_is_associative_and_what_the_whole_row_gives(parts):
    rows = [torch.tensor(part, dtype=torch.float64) for part in parts]
    starts = [0, len(rows[0]), len(rows[0]) + len(rows[1])]
    a, b, c = (plainly(row, start) for row, start in zip(rows, starts, strict=True))
    whole = plainly(torch.cat(rows))
    close(a.merge(b).merge(c), whole)
    close(a.merge(b.merge(c)), whole)
    close(c.merge(a).merge(b), whole)  # in any order: the earlier of two equal largest keys stays the largest


@settings(max_examples=cases(200), deadline=None)
@given(scores)
def test_what_follows_from_the_sums(row):
    s = torch.tensor(row, dtype=torch.float64)
    found = finished(SummedRows(plainly(s), s.isfinite().sum(), torch.float64))
    if s.max() == -torch.inf:
        assert found.pop("logsumexp") == -torch.inf
        assert {value.item() for value in found.values()} == {0.0}
        return
    p = s.softmax(-1)
    norm, trace = oracles.jacobian(p)
    entropy, ceiling = torch.special.entr(p).sum(), s.isfinite().sum().double().log()
    expected = {
        "logsumexp": s.logsumexp(-1), "entropy": entropy, "ceiling": ceiling, "sum_of_squares": (p**2).sum(),
        "jacobian_norm": norm, "jacobian_trace": trace, "largest_weight": p.max(),
    }  # fmt: skip
    for name, exact in expected.items():
        torch.testing.assert_close(found[name], exact, rtol=1e-9, atol=1e-13)


@pytest.mark.parametrize("remainder", [1e-3, 1e-9, 1e-15])
def test_a_nearly_one_hot_row_keeps_its_digits(remainder):
    """The other weight is e/(1 + e): norm and trace are both 2p(1 − p), far below float32's last place at 1."""
    zero, e = torch.zeros((), dtype=torch.float64), torch.tensor(remainder, dtype=torch.float64)
    sums = RowSums(zero, torch.tensor(5), e, e**2, e**3, -e * e.log())
    found = finished(SummedRows(sums, torch.tensor(2), torch.float32))
    p = e.double().item() / (1 + e.double().item())
    assert found["jacobian_norm"].item() == pytest.approx(2 * p * (1 - p), rel=1e-6)
    assert found["jacobian_trace"].item() == pytest.approx(2 * p * (1 - p), rel=1e-6)
    assert found["largest_weight"].item() == pytest.approx(1 - p, rel=1e-7)
