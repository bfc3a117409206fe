"""Explore's questions: what a state can be asked, and what several draws leave open."""

from typing import Any

import pytest

from attention_core import AttentionConfig
from visualiser.pages.explore import questions
from visualiser.predictions import Band
from visualiser.state import share


@pytest.mark.parametrize(
    ("link", "changes"),
    [
        ("", {"unscaled", "wider", "heads", "causal"}),
        ("scaling=none", {"scaled", "wider", "heads", "causal"}),
        ("mechanism=additive&mask=causal", {"wider", "heads"}),
        ("d_k=512&tie=false", {"unscaled", "causal"}),
        ("h=16", {"unscaled", "wider", "causal"}),
        ("source=upload", {"unscaled", "causal"}),
        ("pin=h%3D1", set()),
    ],
)
def test_a_state_is_asked_what_its_controls_can_do(link: str, changes: set[str]) -> None:
    state = share.read(f"predict=true&{link}").state
    names = questions.askable(state, state.config)
    assert {name.split("_")[0] for name in names} - {"narrow"} == changes
    assert names[-1] == "narrow_head"
    assert questions.askable(state, AttentionConfig(h=2, dtype="float16")) == []
    assert "narrow_head" not in questions.askable(state, AttentionConfig(h=1))


@pytest.mark.parametrize(
    ("times", "right"),
    [
        (Band(3, 2.5, 4), ["doubles"]),
        (Band(2.1, 1.9, 2.3), ["doubles", "none"]),
        (Band(1.5, 1.4, 1.6), ["none"]),
        (Band(1.03, 1.01, 1.05), ["none", "stays"]),
        (Band(1.01, 1.005, 1.015), ["stays"]),
        (Band(1.3, 0.9, 1.8), ["stays"]),
        (Band(0.6, 0.4, 1.0), ["none", "halves", "stays"]),
        (Band(0.7, 0.4, 1.1), ["stays", "halves"]),
        (Band(0.45, 0.3, 0.49), ["halves"]),
    ],
)
def test_an_answer_is_right_if_the_draws_allow_it(times: Band, right: list[str]) -> None:
    assert questions.compared(times) == right


def test_a_truth_has_five_draws_and_a_file_one() -> None:
    given: dict[str, Any] = {"n": 5, "h": 2, "seed": 7}
    assert [of.seed for of in questions.draws(AttentionConfig(**given))] == [7, 8, 9, 10, 11]
    assert len(questions.draws(AttentionConfig(**given, source="upload"))) == 1
    assert len(questions.draws(AttentionConfig(**given, source="upload", mechanism="additive"))) == 5
