"""The endpoints of the Cost and Train pages: the core's own numbers, and bounds that a stranger cannot leave."""

import gradio as gr
import pytest

from attention_core.contenders import CONTENDERS
from attention_core.experiments import QualityExperiment, QualitySnapshot
from attention_core.experiments import train as trained
from visualiser.pages.cost_endpoint import cost
from visualiser.pages.train_endpoint import train


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
