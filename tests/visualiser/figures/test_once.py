"""A statistic shared by several figures and sentences is computed once per result and freed with it."""

import gc

import numpy as np
import pytest
import torch
from torch import Tensor

from attention_core import AttentionConfig, AttentionResult, compute
from visualiser.drawing import boxes, saturation
from visualiser.drawing.once import _found, once
from visualiser.pages.explore.frame import frame
from visualiser.server.live.page_request import PageRequest

N, H = 7, 3


def result(seed: int, mask: str = "none") -> AttentionResult:
    return compute(AttentionConfig(n=N, h=H, d_k=5, seed=seed, mask=mask), device="cpu")


def test_each_result_has_its_own_and_nothing_stays_without_it() -> None:
    asked: list[int] = []

    @once
    def seed(of: AttentionResult) -> int:
        asked.append(of.config.seed)
        return of.config.seed

    first, second = result(1), result(2)
    assert [seed(first), seed(second), seed(first), seed(second)] == [1, 2, 1, 2]
    assert asked == [1, 2]
    assert first in _found
    kept = len(_found)
    del first
    gc.collect()
    assert len(_found) == kept - 1


def test_two_statistics_of_one_name_are_two() -> None:
    of = result(1)
    assert saturation.pooled_moments(of) == saturation.pooled_moments(of) != boxes.mean_ceiling(of)


@pytest.mark.parametrize("mask", ["none", "causal"])
def test_boxes_and_means_are_each_statistics_own(mask: str) -> None:
    of = result(3, mask)
    for name in boxes.averaged(of.config):
        assert torch.equal(boxes.mean_over_rows(of, name), getattr(of, name).mean(-1)), name
    for name in boxes.boxed(of.config):
        np.testing.assert_array_equal(boxes.box_numbers(of, name), boxes.five_numbers(getattr(of, name)))


def test_a_whole_frame_sorts_its_rows_once(monkeypatch: pytest.MonkeyPatch) -> None:
    sorted_, sort = list[tuple[int, ...]](), boxes.five_numbers

    def noted(values: Tensor) -> np.ndarray:
        sorted_.append(tuple(values.shape))
        return sort(values)

    monkeypatch.setattr(boxes, "five_numbers", noted)
    ask = PageRequest(f"n={N}&h={H}", None, frozenset(), b"", None, "light", 0, "", {}, "explore")
    assert len(list(frame(ask))) == 2
    assert sorted_ == [(len(boxes.boxed(AttentionConfig())) * H, N)]
