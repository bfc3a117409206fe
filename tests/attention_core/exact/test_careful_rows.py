"""Every statistic and every cell of the Jacobian against 420 digits: adversarial rows, dense and streamed."""

import math

import mpmath
import pytest
import torch
from hypothesis import example, given, settings
from hypothesis import strategies as st
from torch import Tensor

from attention_core import softmax_jacobian
from attention_core.blocks.block_pass import Blocks, Pass
from attention_core.blocks.compatibility import DotProducts
from attention_core.blocks.mask import allowed
from attention_core.blocks.row_statistics import finished
from attention_core.exact.jacobian import jacobian_of_scores
from attention_core.exact.masks import EVERYTHING
from attention_core.exact.row_sums import RowSums, SummedRows, row_sums
from attention_core.exact.softmax import entropy
from tests.attention_core.exact_rows import BOUND, DIGITS, LEAST, UNIT, Real, exact, off, rows
from tests.draws import cases

ONE_HOT = ([0.0, -87.3, -88.0], [1, 1, 1])
"""The other weights are 1.2e-38 and 6e-39, on both sides of float32's smallest normal number."""


@pytest.fixture(autouse=True, scope="module")
def _digits():
    with mpmath.workdps(DIGITS):
        yield


def within(scores: list[float], counts: list[int], sums: RowSums) -> None:
    """Assert the bound for every statistic of one row."""
    keys = sum(count for s, count in zip(scores, counts, strict=True) if s != -math.inf)
    found = finished(SummedRows(sums, torch.tensor(keys), torch.float32))
    for name, true in exact(scores, counts).statistics().items():
        most = 2 if name == "sum_of_squares" else 1  # it is one over Z²
        assert off(found[name].item(), true) <= most, (name, found[name].item(), mpmath.nstr(true, 12))


def written_out(scores: list[float], counts: list[int]) -> Tensor:
    return torch.tensor(scores).repeat_interleave(torch.tensor(counts))


def one_row(sums: RowSums) -> RowSums:
    return RowSums(*(tensor.reshape(()) for tensor in vars(sums).values()))


def passed(scores: Tensor, stretch: int) -> RowSums:
    """Return the sums of a pass whose scores are the keys, 1 · s, and whose blocks have `stretch` keys."""
    mask = None if scores.isfinite().all() else scores.isfinite().unsqueeze(0)
    keys = scores.nan_to_num(neginf=0.0).unsqueeze(-1)
    cells = allowed((), 1, len(scores), EVERYTHING, mask)
    state = Pass(DotProducts(torch.ones(1, 1), keys, 1.0), cells, Blocks(1, stretch, 2), None, None)
    for _ in state.run():
        pass
    sums = state.sums
    assert isinstance(sums, RowSums)
    return sums


@settings(max_examples=cases(400), deadline=None)
@given(rows())
@example(ONE_HOT)
@example(([0.0, -51.5], [1, 1]))
@example(([50.3, -30.1, -30.2], [1, 1, 1]))
@example(([0.0], [1]))
def test_dense_rows(row):
    scores, counts = row
    within(scores, counts, one_row(row_sums(written_out(scores, counts).unsqueeze(0))))


@settings(max_examples=cases(100), deadline=None)
@given(rows(most=5, copies=8192))
@example(([3.1, 3.1 - 12.0], [1, 16384]))
def test_dense_rows_of_many_keys(row):
    """Ties round alike, so that their errors add up."""
    scores, counts = row
    within(scores, counts, one_row(row_sums(written_out(scores, counts).unsqueeze(0))))


@pytest.mark.slow
@settings(max_examples=cases(300), deadline=None)
@given(rows(), st.sampled_from([2, 4, 32]))
@example(ONE_HOT, 2)
@example(([50.3, -30.1, -30.2], [1, 1, 1]), 2)
def test_streamed_rows(row, stretch):
    """In several stretches, merged. Differences beyond float32 are an overflow there, by name, so they are left out."""
    scores, counts = row
    finite = [s for s in scores if s != -math.inf]
    if max(finite) - min(finite) > 3.4e38:
        return
    within(scores, counts, one_row(passed(written_out(scores, counts), stretch)))


@settings(max_examples=cases(300), deadline=None)
@given(rows(most=7))
@example(ONE_HOT)
@example(([0.0, -22.5], [1, 1]))
def test_cells_of_the_jacobian_from_scores(row):
    """Within half a unit, since they are rounded once; and so symmetric, with rows that sum to 0."""
    scores, counts = row
    found = jacobian_of_scores(written_out(scores, counts))
    assert torch.equal(found, found.mT)
    assert not (found.signbit() & (found == 0)).any()
    for i, line in enumerate(true_jacobian(scores)):
        for j, true in enumerate(line):
            assert abs(found[i, j].item() - true) <= 0.501 * (UNIT * abs(true) + LEAST), (i, j)
        assert abs(math.fsum(found[i].tolist())) <= len(scores) * UNIT * found[i, i].item() + 1e-44


def true_jacobian(scores: list[float]) -> list[list[Real]]:
    p = iter(exact(scores).weights)
    weights = [mpmath.mpf(0) if s == -math.inf else next(p) for s in scores]
    return [[(p_i if i == j else 0) - p_i * p_j for j, p_j in enumerate(weights)] for i, p_i in enumerate(weights)]


@settings(max_examples=cases(200), deadline=None)
@given(rows(most=7))
def test_cells_of_the_jacobian_from_weights(row):
    """As exact as weights in float32 can be: each weight, and the sum of the others, is a few units off."""
    weights = written_out(*row).double().softmax(-1).float()
    true = true_jacobian(row[0])
    found = softmax_jacobian(weights)
    for i in range(len(weights)):
        for j in range(len(weights)):
            lost = len(weights) * LEAST  # half a subnormal place of each weight
            assert abs(found[i, j].item() - true[i][j]) <= BOUND * abs(true[i][j]) + lost, (i, j)


@settings(max_examples=cases(200), deadline=None)
@given(rows())
@example(([0.0, -18.0], [1, 1]))
def test_entropy_from_weights_alone(row):
    """The bound holds for weights that are right to the last place; a subnormal weight is not."""
    weights = written_out(*row).double().softmax(-1).float()
    true = exact(row[0]).statistics()["entropy"]
    lost = 2.0**-149 * 105 * len(weights)  # ln p, 105 at most, times half a place of each weight
    assert abs(entropy(weights).item() - float(true)) <= BOUND * float(true) + lost


def test_the_gradient_of_the_entropy_is_the_analytic_one():
    """dH/dp = −ln p − 1, up to a constant that a change of p with Σ p = 1 does not see."""
    weights = torch.tensor([[0.7, 0.2, 0.1], [0.4, 0.35, 0.25]], dtype=torch.float64, requires_grad=True)
    (found,) = torch.autograd.grad(entropy(weights).sum(), weights)
    wanted = -weights.detach().log() - 1
    middle = found - found.mean(-1, keepdim=True), wanted - wanted.mean(-1, keepdim=True)
    torch.testing.assert_close(*middle, rtol=1e-12, atol=1e-12)


def test_finding_26_the_largest_key_s_own_cell():
    """p − p² is 0 in float32 from 1 − p = 6e-8 on; the cell is the sum of the others, and no other is as large."""
    scores = torch.tensor([22.5, 0.0, -1.0, -2.0])
    others = scores[1:].double().exp().sum().item() / scores.double().exp().sum().item()
    found = jacobian_of_scores(scores)
    assert found[0, 0].item() == pytest.approx(others, rel=1e-6)
    assert found[0, 0] == found.max() > 0


@pytest.mark.parametrize("remainder", [1e-23, 1e-30, 1e-37])
def test_finding_27_one_hot_with_three_keys(remainder):
    """The dense norm was 0: the square of 1e-30 is no float32. By hand: norm √2.5 r, trace 2r, H = r (1 − ln r/2)."""
    half = math.log(remainder / 2)
    scores = torch.tensor([[0.0, half, half]])
    r = 2 * math.exp(scores[0, 1].item())
    found = finished(SummedRows(row_sums(scores), torch.tensor([3]), torch.float32))
    assert found["jacobian_norm"].item() == pytest.approx(r * math.sqrt(2.5), rel=4 * UNIT)
    assert found["jacobian_trace"].item() == pytest.approx(2 * r, rel=4 * UNIT)
    assert found["entropy"].item() == pytest.approx(r * (1 - half), rel=4 * UNIT)
