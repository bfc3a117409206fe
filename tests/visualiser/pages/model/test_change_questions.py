"""The questions about changes are right by runs of the model that are made here, and posed only where they fit."""

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
import torch

from attention_core.changes import Factor, Mute
from attention_core.language import shipped
from attention_core.learned import NAMES, SUBJECTS, HeadCosts
from tests.visualiser.pages.model.test_live import beside_the_question, headers
from visualiser import models
from visualiser.pages.model import live, price, reading
from visualiser.server.live.page_request import PageRequest
from visualiser.state import share

TEXTS = pytest.mark.parametrize("text", [NAMES, SUBJECTS, "Anna Miller sees Ben Taylor . Anna"])


def request(question: str, extra: dict[str, Any] | None = None, **settings: Any) -> PageRequest:
    query = "&".join(
        f"{name}={value}"
        for name, value in {"page": "model", "predict": "true", "question": question, **settings}.items()
    )
    return PageRequest(query, None, frozenset(), b"", "en", "light", 0, "", extra or {}, "model")


def posed(question: str, **settings: Any) -> reading.questions.PosedQuestion:
    found = reading.read(request(question, **settings)).posed
    assert found is not None
    assert found.choice.name == question
    return found


def logs(text: str, changes: Sequence[Any] = ()) -> torch.Tensor:
    return shipped(2).model(text, changes).logits.double().log_softmax(-1)


def text_log(text: str, changes: Sequence[Any] = ()) -> float:
    run = shipped(2).model(text)
    return float(logs(text, changes)[:-1].gather(-1, run.ids[1:, None]).sum())


@pytest.mark.slow
@pytest.mark.night(but=1)
@TEXTS
def test_a_muted_head_leaves_what_it_leaves(text: str) -> None:
    seen = set()
    before = logs(text)
    for row in range(len(before)):
        for layer, head in ((1, 1), (1, 4), (2, 1), (2, 3)):
            word = int(before[row].argmax())
            p, left = (float(one[row, word].exp()) for one in (before, logs(text, [Mute(layer - 1, head - 1)])))
            found = reading.read(request("model_mute", text=text, layer=layer, head=head, row=row)).posed
            if p < 0.1:
                assert found is None or found.choice.name != "model_mute"
                continue
            assert found is not None
            right = "stays" if left >= p / 2 else "half" if left >= p / 10 else "tenth"
            assert found.rights[0] == right
            seen.add(right)
            assert found.because["before"] == pytest.approx(p, rel=1e-4)
            assert found.because["now"] == pytest.approx(left, rel=1e-3)
            assert found.found.change == {"changes": f"mute@{layer}.{head}"}
    if text == NAMES:
        assert seen == {"stays", "half", "tenth"}


@TEXTS
def test_the_head_that_costs_most_is_offered_and_right(text: str) -> None:
    found = posed("model_copies", text=text)
    costs = {
        f"{layer + 1}.{head + 1}": text_log(text) - text_log(text, [Mute(layer, head)])
        for layer in range(2)
        for head in range(4)
    }
    best = max(costs, key=lambda head: costs[head])
    assert found.rights[0] == found.because["head"] == best
    assert set(found.rights) == {head for head in found.labels if costs[head] >= costs[best] - 0.05}
    assert found.because["before"] - found.because["now"] == pytest.approx(costs[best], abs=1e-3)
    assert len(found.labels) == 6
    assert found.found.change == {"changes": f"mute@{best}"}


@TEXTS
def test_twice_the_factor_makes_the_text_more_or_less_probable(text: str) -> None:
    found = posed("model_factor", text=text)
    before, now = text_log(text), text_log(text, [Factor(2.0)])
    assert found.rights == ["likelier" if now > before else "less"]
    assert (found.because["before"], found.because["now"]) == pytest.approx((before, now), abs=1e-3)
    weights = shipped(2).model(text, [Factor(2.0)]).layers[1].weights.double()
    entropy = -(weights * weights.clamp_min(1e-300).log()).sum(-1).mean()
    assert found.because["entropy_now"] == pytest.approx(float(entropy), abs=1e-5)


@pytest.mark.slow
def test_a_question_about_a_change_that_is_made_already_is_not_posed() -> None:
    for question, made in (("model_mute", "mute@2.1"), ("model_factor", "factor:3"), ("model_factor", "mute@1.1")):
        found = reading.read(request(question, layer=2, head=1, changes=made)).posed
        assert found is None or found.choice.name != question
    other = posed("model_mute", layer=2, head=1, changes="mute@2.3")
    assert other.found.change == {"changes": "mute@2.3,mute@2.1"}
    without = posed("model_copies", changes="mute@1.4")
    assert "1.4" not in without.labels


def test_a_change_that_is_revealed_is_one_that_a_link_has() -> None:
    for question in ("model_mute", "model_copies", "model_factor"):
        found = posed(question)
        (verdict,) = headers(
            live.reveal(request(question, {"prediction": {"name": question, "answer": found.rights[0]}}))
        )
        assert verdict["right"]
        assert any(isinstance(piece, list) for piece in verdict["sentences"][-1])
        written = verdict["change"]["changes"]
        read = reading.read(request(question, predict="false", changes=written))
        assert read.state.own["changes"] == written
        assert not read.notices


@pytest.mark.parametrize("overview", ["grid", "scatter"])
@pytest.mark.parametrize("question", ["model_mute", "model_factor", "model_copies"])
def test_the_bytes_beside_a_question_are_the_same_whatever_is_true(
    question: str, overview: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = {"layer": 2, "head": 1, "predict": "true", "question": question, "overview": overview, "text": NAMES}
    before, rights = beside_the_question(**settings), posed(question, layer=2, head=1).rights
    says = models.says

    def other(config: Any, most: int, own: bytes = b"", changes: Any = (), at: int | None = None) -> Any:
        wrong = {"model_mute": (), "model_factor": (Factor(0.3),)}.get(question, changes)
        return says(config, most, own, wrong if changes else (), at)

    def costs(
        config: Any, most: int, own: bytes, heads: Any, changes: Any = (), at: Any = None, **more: Any
    ) -> HeadCosts:
        nats = torch.tensor([float(head == (1, 2)) for head in heads], dtype=torch.float64)
        found = real(config, most, own, heads, changes, at, **more)
        assert found is not None
        return replace(found, nats=nats)

    real = models.costs
    monkeypatch.setattr(models, "says", other)
    monkeypatch.setattr(models, "costs", costs)
    if question != "model_factor":
        assert posed(question, layer=2, head=1).rights != rights
    assert beside_the_question(**settings) == before


def test_what_answers_is_priced() -> None:
    plain = price.frame(request("model_mute", predict="false"))
    for question, runs in (("model_mute", 2), ("model_factor", 2), ("model_copies", 8)):
        asked = price.frame(request(question))
        sizes = models.sizes(share.read("page=model", "en", "model").state.config, 128)
        assert sizes is not None
        more = asked.multiply_adds - plain.multiply_adds
        assert more == runs * models.work(sizes).multiply_adds
        assert not math.isnan(asked.seconds)
