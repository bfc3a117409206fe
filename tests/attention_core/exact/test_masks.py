"""Allowed keys of every query, written out, and properties derived without testing every cell."""

from dataclasses import dataclass
from operator import and_, or_

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from attention_core import AttentionConfig
from attention_core.exact import mask_choices
from attention_core.exact.masks import CAUSAL, EVERYTHING, Band, Mask, combine, padding, position
from attention_core.exact.masks import window as near
from tests.draws import cases


@dataclass(frozen=True)
class Every(Mask):
    """A mask that defines only `allows`: keys a multiple of `step` away."""

    step: int

    def allows(self, query, key):
        return (key - query) % self.step == 0


@dataclass(frozen=True)
class First(Mask):
    """The first keys for every query: `allows` returns one row."""

    keys: int

    def allows(self, query, key):
        return key < self.keys


def causal(n_q: int, n_k: int) -> torch.Tensor:
    return CAUSAL.dense(n_q, n_k)


def window(n_q: int, n_k: int, width: int) -> torch.Tensor:
    return near(width).dense(n_q, n_k)


sides = st.none() | st.integers(0, 9)
simple = st.builds(Band, sides, sides) | st.builds(Every, st.integers(1, 4)) | st.builds(First, st.integers(0, 9))
any_mask = st.recursive(simple, lambda m: st.builds(and_, m, m) | st.builds(or_, m, m))


def test_causal():
    assert causal(3, 3).int().tolist() == [[1, 0, 0], [1, 1, 0], [1, 1, 1]]


def test_causal_with_earlier_keys_puts_the_last_query_at_the_last_key():
    assert causal(2, 5).int().tolist() == [[1, 1, 1, 1, 0], [1, 1, 1, 1, 1]]


def test_causal_with_more_queries_than_keys_leaves_the_first_without_any():
    assert causal(3, 2).int().tolist() == [[0, 0], [1, 0], [1, 1]]


def test_window():
    assert window(4, 4, 1).int().tolist() == [[1, 1, 0, 0], [1, 1, 1, 0], [0, 1, 1, 1], [0, 0, 1, 1]]
    assert window(2, 4, 1).int().tolist() == [[0, 1, 1, 1], [0, 0, 1, 1]]


def test_a_window_wider_than_the_text_hides_nothing():
    assert window(5, 5, 5).all()


def test_padding():
    assert padding(torch.tensor([2, 0, 3]), 3).int().tolist() == [[[1, 1, 0]], [[0, 0, 0]], [[1, 1, 1]]]


def test_combine_allows_what_every_mask_allows():
    both = combine(causal(3, 3), None, window(3, 3, 1))
    assert both is not None
    assert both.int().tolist() == [[1, 0, 0], [1, 1, 0], [0, 1, 1]]
    assert combine(None, None) is None


def test_and_keeps_what_both_allow_and_or_what_either_does():
    assert (CAUSAL & near(1)).dense(3, 3).int().tolist() == [[1, 0, 0], [1, 1, 0], [0, 1, 1]]
    assert (near(0) | First(1)).dense(3, 3).int().tolist() == [[1, 0, 0], [1, 1, 0], [1, 0, 1]]
    assert (CAUSAL & Every(2)).dense(3, 4).int().tolist() == [[0, 1, 0, 0], [1, 0, 1, 0], [0, 1, 0, 1]]


def test_two_bands_are_one():
    assert CAUSAL & near(3) == Band(3, 0)
    assert EVERYTHING & near(3) == near(3)
    assert [mask.everything for mask in (EVERYTHING, CAUSAL, near(3), EVERYTHING | CAUSAL, First(9))] == [
        True, False, False, True, False,
    ]  # fmt: skip


@pytest.mark.slow
@settings(max_examples=cases(300), deadline=None)
@given(mask=any_mask, n_q=st.integers(1, 17), n_k=st.integers(1, 17), data=st.data())
def test_what_a_mask_says_of_ranges_is_true_of_every_cell(mask, n_q, n_k, data):
    dense = mask.dense(n_q, n_k)
    query, key = torch.arange(n_q), torch.arange(n_k)
    assert torch.equal(dense, torch.stack([mask.allows(q + n_k - n_q, key).expand(n_k) for q in query]))
    assert torch.equal(mask.counts(position(query, n_q, n_k), n_k), dense.sum(-1))
    assert torch.equal(mask.dense(n_q, n_k, torch.tensor([n_q - 1, 0])), dense[[n_q - 1, 0]])
    first = data.draw(st.integers(0, n_q - 1))
    last = data.draw(st.integers(first, n_q - 1))
    ends = position(first, n_q, n_k), position(last, n_q, n_k)
    outside = torch.ones(n_k, dtype=torch.bool)
    outside[mask.reach(*ends, n_k)] = False
    assert not dense[first : last + 1, outside].any()
    assert dense[first : last + 1, mask.free(*ends, n_k)].all()
    assert not mask.everything or dense.all()
    rows, columns = (torch.tensor(sorted({0, n} | data.draw(st.sets(st.integers(0, n))))) for n in (n_q, n_k))
    expected = [[bool(dense[a:b, c:d].any()) for c, d in _pairs(columns)] for a, b in _pairs(rows)]
    assert mask.opens(position(rows, n_q, n_k), columns).tolist() == expected


def _pairs(edges: torch.Tensor) -> list[tuple[int, int]]:
    return list(zip(edges.tolist(), edges[1:].tolist(), strict=False))


@given(mask=st.builds(Band, sides, sides), by=st.integers(-5, 5))
def test_a_band_moves_with_the_count_of_positions(mask, by):
    query, key = torch.arange(12).unsqueeze(-1), torch.arange(12)
    assert torch.equal(mask.moved(by).allows(query + by, key), mask.allows(query, key))


@pytest.mark.parametrize(
    ("name", "expected"), [("none", EVERYTHING), ("causal", Band(None, 0)), ("window", Band(3, 3))]
)
def test_a_config_names_its_mask(name, expected):
    config = AttentionConfig(mask=name, window=3)
    assert mask_choices.of(config) == expected
    dense = mask_choices.dense(config, 5, 7, (4, 0))
    assert (None if dense is None else dense.tolist()) == (
        None if name == "none" else expected.dense(5, 7)[[4, 0]].tolist()
    )
