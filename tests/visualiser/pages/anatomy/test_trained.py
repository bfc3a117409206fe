"""Anatomy's walk through a layer of a trained model, against the model's own run."""

from typing import Any
from urllib.parse import quote

import gradio as gr
import numpy as np
import pytest
import torch

from attention_core import InvalidInput
from attention_core.inputs.tensors import AttentionInputs, Trained
from attention_core.learned import ModelRun, shipped_model
from tests.visualiser.pages.anatomy.test_live import asked
from visualiser.locale import LANGUAGES, texts
from visualiser.pages.anatomy import endpoint as anatomy_endpoint
from visualiser.pages.anatomy import facts, reasons, sentences
from visualiser.pages.anatomy import subject as subjects
from visualiser.pages.anatomy.subject import subject
from visualiser.pages.of_model import TrainedLayer
from visualiser.reasons.explained import explained
from visualiser.state import parameters, share

SENTENCE = "Anna Miller sees Ben Taylor . Anna"
TRAINED = f"source=model&text={quote(SENTENCE)}"


def run(model: str = "headlight") -> ModelRun:
    return shipped_model(model).run(SENTENCE)


@pytest.mark.parametrize(("model", "layer"), [("headlight", 1), ("headlight", 2), ("headlight-one-layer", 1)])
@pytest.mark.parametrize("head", [1, 4])
def test_the_walk_has_the_numbers_of_the_models_own_layer(model: str, layer: int, head: int) -> None:
    walked = asked(f"{TRAINED}&model={model}&layer={layer}&head={head}&row=5")["walk"]
    own, tensors = run(model).layers[layer - 1], walked["tensors"]
    for name, expected in (("Q", own.Q), ("K", own.K), ("V", own.V), ("weights", own.weights)):
        assert expected is not None
        shown = tensors[name]["values"].reshape(tensors[name]["rows"], tensors[name]["columns"])
        np.testing.assert_allclose(shown, expected[head - 1], rtol=1e-5, atol=1e-6)
    assert walked["factor"] == pytest.approx(0.25)
    assert (walked["trained"], walked["masked"], walked["layer"], walked["heads"]) == (True, True, layer, 4)
    assert walked["tokens"] == list(run(model).tokens)
    assert walked["own"] == {"layers": len(run(model).layers), "mask": "causal"}
    assert walked["sizes"] == {"n": 8, "h": 4, "d_k": 16, "d_v": 16, "h·d_v": 64}


def test_the_walk_begins_with_the_queries_and_ends_with_the_heads_side_by_side() -> None:
    walked = asked(f"{TRAINED}&layer=2")["walk"]
    assert (walked["steps"][0], walked["steps"][-1]) == ("queries", "concatenation")
    assert not {"X", "W_Q", "W_O", "output"} & walked["tensors"].keys()
    assert not {"x", "linear_o"} & walked["boxes"].keys()
    assert walked["boxes"]["linear_q"]["title"] == "q"
    # a link of another state may name a step that is not there: the last one is shown
    for step in ("input", "output"):
        found = asked(f"{TRAINED}&step={step}")
        assert found["state"]["controls"]["step"] == {"input": "queries", "output": "concatenation"}[step]


def test_sentences_name_the_trained_factor_and_what_multiplies_it() -> None:
    def scaled(more: str) -> str:
        return asked(f"{TRAINED}&layer=2&step=scaled{more}")["walk"]["sentences"][0]

    assert scaled("") == "Each score is multiplied by 0.25, the trained factor."
    assert scaled("&scale=3") == (
        "Each score is multiplied by 0.75 = 3 · 0.25: the scale that is set, times the trained factor."
    )
    assert "0.15 = 0.25 · 0.6: the trained factor, times ln n / ln 32 for n = 8 keys" in scaled("&log_n=true")
    box = asked(f"{TRAINED}&scale=3")["walk"]["boxes"]["scale"]
    assert box["factor"] == "3 · 0.25 = 0.75"


@pytest.mark.slow
def test_no_sentence_speaks_of_a_draw_an_x_or_a_width_that_is_not_there() -> None:
    for lang in LANGUAGES:
        for step in ("queries", "keys", "values", "scaled", "weights", "heads", "concatenation"):
            for rows in ("one", "all"):
                found = asked(f"{TRAINED}&layer=2&step={step}&rows={rows}&lang={lang}")
                said = [*found["walk"]["sentences"], *found["figures"]["insight"], *found["walk"]["said"].values()]
                said += found["figures"]["summaries"].values()
                for sentence in said:
                    assert not any(word in sentence for word in ("N(0, 1)", "W_O", "d_model", "W_Q", "{")), sentence


def test_a_settings_reason_is_the_model() -> None:
    of = subject(share.read(f"page=anatomy&{TRAINED}&layer=2").state.config)
    known = facts.facts(of, 3, 2, "scaled", "one")
    made = str(explained([*sentences.in_full(known), *sentences.step_sentences(known)], "en", reasons.reasons(known)))
    for value in ("4", "16", "0.25"):
        assert f"Layer 2 of headlight brings {value}." in made


def test_a_text_is_cut_with_a_notice() -> None:
    found = asked(f"source=model&text={quote('Anna sees Ben . ' * 30)}")
    assert found["walk"]["sizes"]["n"] == 64
    assert "first 64 tokens" in found["state"]["notices"][-1]


def test_a_mask_that_the_layer_cannot_join_is_refused_in_words() -> None:
    state = share.read(f"page=anatomy&{TRAINED}&mask=window").state
    with pytest.raises(InvalidInput) as refused:
        subject(state.config)
    assert refused.value.code == "learned_mask_twice"
    for lang in LANGUAGES:
        assert {
            f"error.{code}" for code in ("learned_mask_twice", "learned_mask", "learned_bias", "no_queries")
        } <= set(texts(lang))


def test_of_a_layer_with_sinks_one_head_is_walked_through(monkeypatch: pytest.MonkeyPatch) -> None:
    """Head 3 of 4, the only one of the tensors, whose sink is its own; the page still offers all four."""
    generator = torch.Generator().manual_seed(3)
    Q, K, V = (torch.randn(1, 5, width, generator=generator) for width in (7, 7, 2))
    inputs = AttentionInputs(Q, K, V, ("a", "b", "c", "d", "e"), trained=Trained(0.5, "causal", sink=1.5))
    heads: list[int] = []

    def layer_of(config: Any, most: int, head: int) -> TrainedLayer:
        heads.append(head)
        return TrainedLayer(inputs, 4, 3, False)

    monkeypatch.setattr(subjects, "layer_of", layer_of)
    found = asked("source=model&head=3&row=4&step=weights")
    walked = found["walk"]
    assert (heads, walked["head"], walked["heads"], walked["sizes"]["h"]) == ([3], 3, 4, 1)
    assert walked["steps"][-1] == "heads"  # one head is joined to none
    scores = (Q @ K.mT * 0.5).masked_fill(torch.ones(5, 5).triu(1) > 0, -torch.inf)[0, 4].double()
    weights = scores.exp() / (scores.exp().sum() + np.exp(1.5))
    shown = walked["tensors"]["weights"]["values"].reshape(5, 5)[4]
    np.testing.assert_allclose(shown, weights, rtol=1e-5)
    assert walked["sizes"]["d_v"] == 2
    assert "Head 3 of layer 1 of Headlight's language model works with d_k = 7 components" in str(
        found["figures"]["insight"]
    )
    assert "head 3" in found["figures"]["summaries"]["walk"]


def test_the_endpoint_walks_through_a_trained_layer() -> None:
    found: Any = anatomy_endpoint.anatomy(source="model", text=SENTENCE, layer=2, head=3, row=6)
    own = run().layers[1]
    assert own.Q is not None
    np.testing.assert_allclose(found["weights"], own.weights[2, 6], rtol=1e-5, atol=1e-7)
    np.testing.assert_allclose(found["q"], own.Q[2, 6], rtol=1e-6)
    assert (found["a"], found["output"], found["factor"]) == (None, None, pytest.approx(0.25))
    assert len(found["concatenation"]) == 64
    assert found["masked"][7] is None
    for wrong, message in (
        ({"layer": 3}, "layer must be between 1 and 2; got 3."),
        ({"head": 5}, "head must be between 1 and 4; got 5."),
        ({"model": "gpt-2"}, "model must be one of headlight, headlight-one-layer; got 'gpt-2'."),
    ):
        with pytest.raises(gr.Error) as refused:
            anatomy_endpoint.anatomy(**{"source": "model", "text": SENTENCE, **wrong})
        assert refused.value.message == message


def test_the_question_is_asked_and_judged() -> None:
    state = f"{TRAINED}&layer=2&head=2&row=7&predict=true"
    assert asked(f"{state}&step=queries")["question"]["choices"]
    weights = run().layers[1].weights[1, 7]
    best = int(weights.argmax())
    answer = {"name": "anatomy_largest", "answer": str(best)}
    assert asked(f"{state}&step=weights", prediction=answer)["verdict"]["right"] is True
    other = {"name": "anatomy_largest", "answer": str((best + 1) % 8)}
    assert asked(f"{state}&step=weights", prediction=other)["verdict"]["right"] is False


def test_drawn_layers_keep_their_range_and_a_model_has_its_own() -> None:
    assert parameters.bounds("anatomy")["layer"].maximum == 4
    for query, layer in (
        ("layer=9", 4),
        (f"{TRAINED}&layer=9", 2),
        (f"{TRAINED}&model=headlight-one-layer&layer=2", 1),
    ):
        read = share.read(f"page=anatomy&{query}")
        assert read.state.config.layer == layer
        assert len(read.notices) == 1
    assert share.canonical(share.read("page=anatomy&layer=2").state) == "page=anatomy&layer=2"


def test_grouped_keys_are_said_to_be_shared(monkeypatch: pytest.MonkeyPatch) -> None:
    """Six heads of queries read two of keys, which are repeated for each."""
    generator = torch.Generator().manual_seed(3)
    Q, K, V = (torch.randn(6, 5, width, generator=generator) for width in (7, 7, 3))
    inputs = AttentionInputs(Q, K, V, tuple("abcde"), trained=Trained(0.5, "causal", grouped=2))
    monkeypatch.setattr(subjects, "layer_of", lambda *_: TrainedLayer(inputs, 6, 3, False))
    answer = asked("source=model&head=3")
    said = answer["figures"]["summaries"]["anatomy"]
    assert "6 heads of queries, and 2 heads of keys and values, each of which serves 3 of them" in said
    boxes = answer["walk"]["boxes"]
    shown = {name: (box["symbols"], box["numbers"], box.get("shared", "")) for name, box in boxes.items()}
    assert shown["linear_q"] == ("h × n × d_k", "6 × 5 × 7", "")
    assert shown["linear_k"] == ("h_k × n × d_k", "2 × 5 × 7", "1–3 · 4–6")
    assert shown["linear_v"] == ("h_k × n × d_v", "2 × 5 × 3", "1–3 · 4–6")
    assert (shown["q"], shown["k"]) == (("n × d_k", "5 × 7", ""), ("n × d_k", "5 × 7", "1–3 · 4–6"))
    assert (answer["walk"]["sizes"]["h"], answer["walk"]["sizes"]["h_k"]) == (6, 2)
    assert "1–3 · 4–6" in str(answer["figures"])
