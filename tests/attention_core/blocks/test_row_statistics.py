"""Every statistic of the table: equal in all computations, within its bounds, with an attribute of its own."""

import math
from functools import cache
from operator import attrgetter

import pytest
import torch
from torch import Tensor

from attention_core import AttentionResult, AttentionStatistics, InvalidInput, attention_statistics
from attention_core.blocks.row_statistics import ROW_STATISTICS, Attribute, RowStatistic, documented, statistic
from attention_core.exact.row_sums import SummedRows, row_sums

OF_A_SOFTMAX = [each for each in ROW_STATISTICS.values() if each.common]
EVERY = pytest.mark.parametrize("each", OF_A_SOFTMAX, ids=attrgetter("name"))


def bounded(each: RowStatistic) -> bool:
    """Return whether the number of keys bounds the statistic, whatever the scores are."""
    return not math.isinf(each.most.of(torch.ones(())).item())


def test_bounds_and_uniform_values_at_a_number_of_keys_are_those_of_the_paper() -> None:
    numbers = {name: (each.most_of(7), each.uniform_of(7)) for name, each in ROW_STATISTICS.items()}
    assert numbers["entropy"] == (math.log(7), math.log(7))
    assert numbers["largest_weight"] == (1.0, 1 / 7)
    assert numbers["jacobian_norm"] == (0.5, math.sqrt(6) / 7)
    assert numbers["jacobian_trace"] == (1 - 1 / 7, 1 - 1 / 7)
    assert math.isnan(ROW_STATISTICS["logsumexp"].uniform_of(7))
    assert ROW_STATISTICS["jacobian_norm"].most_of(1) == 0.0


TOLD = {
    "logsumexp": ("lse", "nats", "scores", False),
    "entropy": ("H", "nats", "weights", True),
    "ceiling": ("ln k", "nats", "mask", True),
    "effective_keys": ("eᴴ", "keys", "weights", True),
    "sum_of_squares": ("Σp²", "1", "weights", False),
    "jacobian_norm": ("‖J‖_F", "1", "gradient", True),
    "jacobian_trace": ("tr J", "1", "gradient", True),
    "largest_weight": ("max p", "1", "weights", True),
    "sink_weight": ("1 − Σp", "1", "weights", True),
    "mass": ("Σg", "1", "weights", True),
    "support": ("|supp p|", "keys", "weights", True),
}
"""Symbol and unit as a person reads them, the stage it belongs to, and if tables list it."""


def test_symbols_and_units_are_those_of_the_paper() -> None:
    assert {name: (each.symbol, each.unit, each.kind, each.public) for name, each in ROW_STATISTICS.items()} == TOLD


SHARPNESS = (0.0, 0.3, 1.0, 3.0, 17.0, 110.0)
"""From rows that are exactly uniform to rows that are one-hot in float64."""


def drawn(scale: float, masked: bool) -> tuple[Tensor, Tensor, Tensor | None]:
    """Return float64 Q, K (7 × 37 × 1, 7 × 23 × 1), whose products are the scores, and a mask with row 3 empty."""
    generator = torch.Generator().manual_seed(round(10 * scale) + masked)
    Q, K = (torch.randn(7, n, 5, generator=generator, dtype=torch.float64) for n in (37, 23))
    mask = torch.rand(37, 23, generator=generator) < 0.3
    mask[3], mask[4, :] = False, torch.arange(23) == 11  # no key, and one
    return Q * scale, K, mask if masked else None


def in_memory(Q: Tensor, K: Tensor, mask: Tensor | None) -> SummedRows:
    """Return the sums over rows of the same scores, as whole matrices."""
    scores = Q @ K.mT
    allowed = torch.ones(scores.shape[-2:], dtype=torch.bool) if mask is None else mask
    return SummedRows(row_sums(scores.masked_fill(~allowed, -torch.inf)), allowed.sum(-1), torch.float64)


@cache
def both(scale: float, masked: bool) -> tuple[SummedRows, AttentionStatistics]:
    """Return what is summed in memory and what is streamed, once for every statistic."""
    Q, K, mask = drawn(scale, masked)
    return in_memory(Q, K, mask), attention_statistics(Q, K, scale=1.0, mask=mask, block=8)


@pytest.mark.night(but=24)
@EVERY
@pytest.mark.parametrize("masked", [False, True], ids=["everything", "masked"])
@pytest.mark.parametrize("scale", SHARPNESS)
def test_exact_and_streamed_are_one_value_within_its_bounds(each: RowStatistic, scale: float, masked: bool) -> None:
    """259 rows in float64; a block of 8 queries and the keys in one stretch."""
    rows, found = both(scale, masked)
    streamed = found.statistic(each.name)
    exact = each.of_rows(rows).expand_as(streamed)
    torch.testing.assert_close(streamed, exact, rtol=1e-9, atol=1e-13)
    keys = rows.keys.double().expand_as(streamed)
    assert (streamed[keys == 0] == each.empty).all()
    least, most = (limit.of(keys[keys > 0]) for limit in (each.least, each.most))
    for found in (streamed[keys > 0], exact[keys > 0]):
        assert (found >= least - 1e-12).all()
        assert (found <= most * (1 + 1e-12) + 1e-12).all()


@pytest.mark.parametrize("each", [each for each in OF_A_SOFTMAX if each.uniform], ids=attrgetter("name"))
@pytest.mark.parametrize("keys", [1, 2, 3, 23])
def test_a_uniform_row_has_the_value_that_the_table_says(each: RowStatistic, keys: int) -> None:
    assert each.uniform
    zeros = torch.zeros(1, keys, dtype=torch.float64)
    found = attention_statistics(zeros.mT[:1], zeros.mT).statistic(each.name)
    torch.testing.assert_close(found, each.uniform.of(torch.tensor([float(keys)], dtype=torch.float64)))


@pytest.mark.parametrize("each", [each for each in OF_A_SOFTMAX if bounded(each)], ids=attrgetter("name"))
def test_the_bounds_are_reached_or_come_near(each: RowStatistic) -> None:
    """Two equal keys, one key and equal keys are the extremes; a bound far from all of them would hold nothing."""
    keys = 23
    scores = torch.full((3, keys), -60.0, dtype=torch.float64)
    scores[0], scores[1, 5], scores[2, 5:7] = 0.0, 60.0, 60.0
    rows = SummedRows(row_sums(scores), torch.full((3,), keys), torch.float64)
    found = each.of_rows(rows)
    for limit, reached in ((each.least, found.min()), (each.most, found.max())):
        assert reached.item() == pytest.approx(limit.of(torch.tensor(float(keys))).item(), abs=1e-6), limit.text


def test_every_statistic_is_an_attribute_of_results_and_of_passes() -> None:
    for holder in (AttentionResult, AttentionStatistics):
        assert {name for name in dir(holder) if isinstance(getattr(holder, name, None), Attribute)} == {*ROW_STATISTICS}
    assert AttentionResult.entropy.__doc__ == "−Σ p ln p (nats)."


def test_an_unknown_statistic_is_refused_by_name() -> None:
    with pytest.raises(InvalidInput) as refused:
        statistic("kurtosis")
    assert refused.value.code == "unknown_choice"
    assert str(refused.value) == f"statistic must be one of {', '.join(ROW_STATISTICS)}; got kurtosis."


def test_the_documentation_s_table_has_a_row_for_each() -> None:
    rows = {row[0]: row[1:5] for row in documented()}
    assert list(rows) == list(ROW_STATISTICS)
    assert rows["entropy"] == ("H", "nats", "−Σ p ln p", "0 … ln k")
    assert rows["ceiling"] == ("ln k", "nats", "ln k, k the keys that the mask allows", "ln k")
