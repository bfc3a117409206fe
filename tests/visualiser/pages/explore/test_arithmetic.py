"""The widths written out: their values, the origin of d_k, and the latest change."""

from typing import Any

import pytest

from attention_core import AttentionConfig, AttentionInputs, compute, draw_inputs
from attention_core.inputs.tensors import Trained
from visualiser.locale import message
from visualiser.pages.explore.arithmetic import sentences


def written(before: AttentionConfig | None = None, **config: Any) -> list[str]:
    return message.write_all(sentences(compute(AttentionConfig(**config)), before), "en")


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        ({}, "d_k = d_v = d_model / h = 512 / 8 = 64"),
        ({"h": 3}, "d_k = d_v = ⌊d_model / h⌋ = ⌊512 / 3⌋ = ⌊170.67⌋ = 170"),
        ({"d_k": 512}, "d_k = d_v = 512, chosen freely (tied it would be d_model / h = 512 / 8 = 64)"),
        ({"h": 16, "d_model": 8}, "d_k = d_v = max(1, ⌊d_model / h⌋) = max(1, ⌊8 / 16⌋) = 1"),
    ],
)
def test_d_k_is_derived_as_it_was_chosen(config: dict[str, Any], expected: str) -> None:
    assert written(**config)[0] == expected


def test_the_shapes_follow() -> None:
    assert written(n=7, h=2, d_k=5)[1] == "Q: 2 × 7 × 5 · K: 2 × 7 × 5 · scores: 2 × 7 × 7"


def test_grouped_keys_have_their_own_number_of_heads() -> None:
    drawn = draw_inputs(AttentionConfig(n=3, h=6, d_k=5))
    given = AttentionInputs(Q=drawn.Q, K=drawn.K, V=drawn.V, trained=Trained(0.5, grouped=2))
    said = message.write_all(sentences(compute(AttentionConfig(source="model"), given), None), "en")
    assert "Q: 6 × 3 × 5 · K: 2 × 3 × 5, each for 3 heads of queries · scores: 6 × 3 × 3" in said


def test_what_changed_is_named_with_its_consequence() -> None:
    assert written(AttentionConfig(), h=4)[2:] == ["Just changed: h from 8 to 4 and d_k from 64 to 128."]
    assert written(AttentionConfig(h=4), h=4) == written(h=4)


def test_another_source_is_no_change_of_widths() -> None:
    assert len(written(AttentionConfig(), source="text")) == 2


def test_a_files_widths_are_not_called_a_change() -> None:
    """The link says n = 32, h = 8; the file has others, which no control just changed."""
    drawn = draw_inputs(AttentionConfig(n=3, h=2, d_k=5))
    given = AttentionInputs(Q=drawn.Q, K=drawn.K, V=drawn.V)
    config = AttentionConfig(source="upload")
    found = sentences(compute(config, given), config)
    assert [sentence.key for sentence in found] == ["arithmetic.upload", "arithmetic.shapes"]


def test_what_no_other_control_shows_is_said_if_it_is_on() -> None:
    assert written(qk_norm=True)[2:] == ["QK-norm: ‖q‖ = ‖k‖ = √d_k (a vector of zeros stays 0)"]
    assert written(n=256, log_n=True)[2:] == ["Factor times ln n / ln 32 = ln 256 / ln 32 = 1.6"]
    assert len(written(n=256, log_n=True, mechanism="additive")) == 2  # it has no factor
