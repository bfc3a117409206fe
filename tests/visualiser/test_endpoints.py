"""The endpoints of the Cost and Train pages: the core's own numbers, and bounds that no caller can exceed."""

from typing import Any

import gradio as gr
import pytest

from attention_core.experiments import QualityExperiment, QualitySnapshot
from attention_core.experiments import train as trained
from attention_core.studies.contenders import CONTENDERS
from visualiser.pages.cost.endpoint import cost
from visualiser.pages.train.endpoint import train
from visualiser.pages.why.endpoint import why


@pytest.mark.slow
def test_cost_answers_with_every_way_forward_and_backward() -> None:
    points = cost(sizes=[16, 8], d_k=4)
    assert [(p["n"], p["d_k"]) for p in points] == [(8, 4)] * 8 + [(16, 4)] * 8
    assert {p["contender"] for p in points} == set(CONTENDERS)
    assert all(p["seconds"] and p["bytes"] and p["skipped"] is None for p in points)
    explicit = [p for p in points if p["contender"] == "explicit"]
    assert explicit[0]["operations"] == CONTENDERS["explicit"].operations(8, 4, False).total


@pytest.mark.parametrize("given", [{"sizes": [8192]}, {"sizes": list(range(1, 12))}, {"n": 10**6}, {"varied": "h"}])
def test_cost_measures_nothing_that_takes_long(given: dict) -> None:
    with pytest.raises(gr.Error):
        cost(**given)


def test_train_answers_with_the_core_s_numbers() -> None:
    answer = train(task="recall", mechanism="additive", d_k=4, steps=3, seeds=2, seed=5)
    experiment = QualityExperiment(task="recall", mechanism=("additive",), d_k=(4,), steps=3, seeds=2, seed=5)
    shots = [shot for shot in trained(experiment) if isinstance(shot, QualitySnapshot)]
    assert answer["seeds"] == [5, 6]
    assert answer["accuracy"] == pytest.approx(shots[-1].accuracy.tolist())
    assert answer["score_gradient_at_start"] == pytest.approx(shots[0].score_gradient.tolist())


@pytest.mark.parametrize("given", [{"steps": 3000, "d_k": 1024}, {"mechanism": "none"}, {"d_k": 0}, {"seeds": 99}])
def test_train_refuses_what_is_too_much_or_unknown(given: dict) -> None:
    with pytest.raises(gr.Error):
        train(**given)


@pytest.mark.parametrize(
    ("call", "given", "message"),
    [
        (cost, {"sizes": [8, 8192]}, "sizes must be at most 4096, got 8192"),
        (cost, {"n": 4097, "varied": "d_k"}, "n must be at most 4096, got 4097"),
        (cost, {"sizes": list(range(1, 12))}, "at most 10 sizes are measured, got 11"),
        (why, {"d_ks": list(range(1, 18))}, "at most 16 d_ks are computed, got 17"),
        (why, {"n": 128, "seeds": 10, "d_ks": [1023, 1024, 1022]},
         "seeds · n² · Σ d_k must be at most 400000000, got 502824960; seeds = 7 would fit"),
        (train, {"steps": 3000, "d_k": 1024, "seeds": 5},
         "steps · seeds · d_k must be at most 2000000, got 15360000; steps = 390 would fit"),
    ],
)  # fmt: skip
def test_what_is_too_much_is_refused_with_what_came_and_what_would_fit(call: Any, given: dict, message: str) -> None:
    with pytest.raises(gr.Error) as refused:
        call(**given)
    assert refused.value.message == message
