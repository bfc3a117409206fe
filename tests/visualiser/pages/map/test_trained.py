"""The Map of a layer of a trained model, against the model's own run."""

import io
from typing import Any
from urllib.parse import quote

import gradio as gr
import numpy as np
import pytest
import torch

from attention_core import InvalidInput
from attention_core.inputs.tensors import AttentionInputs, Trained
from attention_core.learned import ModelRun, shipped_model
from tests.visualiser.pieces import opened, plainly
from visualiser.locale import text
from visualiser.pages.map import endpoint, files, live, passes, price, rows, sentences, sequence
from visualiser.pages.map.sequence import subject
from visualiser.pages.map.store import STORE
from visualiser.pages.map.tiles import squares
from visualiser.pages.of_model import TrainedLayer
from visualiser.server.live.page_request import PageRequest
from visualiser.server.live.runs import Run

SENTENCE = " ".join(["the keys to the cabinet are old .", "Anna Miller sees Ben Taylor .", "Anna Miller waits ."] * 3)
TRAINED = f"page=map&source=model&text={quote(SENTENCE)}"


def run(model: str = "headlight") -> ModelRun:
    return shipped_model(model).run(SENTENCE)


def request(query: str, body: bytes = b"", **extra: Any) -> PageRequest:
    return PageRequest(query, None, frozenset(), body, "en", "light", 0, "", extra, "map")


def said(query: str, body: bytes = b"") -> dict[str, Any]:
    """Return the headers of the plan's parts, by kind."""
    headers = (plainly(opened(piece)[0]) for piece in live.frame(request(query, body)))
    return {header["part"]: header for header in headers}


def passed(query: str, body: bytes = b"") -> tuple[str, list[dict[str, Any]]]:
    """Run the pass; return the map's id and the headers of its parts."""
    parts = [plainly(opened(piece)[0]) for piece in passes.run(request(query, body), Run())]
    return parts[-1]["id"], parts


@pytest.mark.parametrize(("model", "layer"), [("headlight", 1), ("headlight", 2), ("headlight-one-layer", 1)])
def test_the_map_has_the_weights_of_the_models_own_layer(model: str, layer: int) -> None:
    name, parts = passed(f"{TRAINED}&model={model}&layer={layer}")
    kept, own = STORE.get(name), run(model).layers[layer - 1]
    n = len(run(model).tokens)
    assert (parts[0]["n_q"], parts[0]["n_k"], parts[0]["heads"]) == (n, n, 4)
    assert kept.tokens == run(model).tokens
    for head in range(4):
        mean, _ = squares(kept, head + 1, slice(0, n), slice(0, n), 1)
        allowed = own.allowed[head].numpy()
        np.testing.assert_allclose(mean[allowed], own.weights[head].numpy()[allowed], rtol=2e-5, atol=1e-7)
        assert np.isnan(mean[~allowed]).all()
    opened_row = rows.row_of(kept, 2, n - 1)
    np.testing.assert_allclose(opened_row.weights, own.weights[1, n - 1], rtol=1e-5, atol=1e-7)
    p = own.weights.double()
    entropy = torch.special.entr(p).sum(-1)
    np.testing.assert_allclose(kept.statistics.entropy, entropy, rtol=1e-4, atol=1e-5)


def test_scale_multiplies_the_trained_factor() -> None:
    name, _ = passed(f"{TRAINED}&layer=2&scale=2.5")
    kept, own = STORE.get(name), run().layers[1]
    assert kept.config.factor == pytest.approx(2.5 * 0.25)
    weights = (2.5 * own.scores.double()).softmax(-1)
    shown = np.nan_to_num(rows.row_of(kept, 3, 20).weights)  # the mask forbids what comes later
    np.testing.assert_allclose(shown, weights[2, 20], rtol=1e-4, atol=1e-6)


def test_the_plan_says_the_models_tokens_and_sizes() -> None:
    found = said(f"{TRAINED}&layer=2")
    n = len(run().tokens)
    assert {name: found["state"]["controls"][name] for name in ("n", "h", "d_k")} == {"n": n, "h": 4, "d_k": 16}
    assert (found["plan"]["n"], found["plan"]["limit"]) == (n, 64)
    assert found["plan"]["trained"] == {"layers": 2, "mask": "causal"}
    assert said("page=map")["plan"]["trained"] is None
    assert len(found["plan"]["sentences"]) == 1  # what this machine takes is more than what the model reads
    # the canonical link names the model's own settings and none that it decides
    assert found["state"]["query"].startswith("source=model&page=map&text=the+keys")
    assert found["state"]["query"].endswith("&layer=2")


def test_a_text_too_long_for_the_link_is_read_and_its_link_keeps_the_short_one() -> None:
    long = ("Clara knows David . " * 400).encode()
    query = "page=map&source=model&layer=2&text=Anna"
    found = said(query, long)
    assert found["plan"]["n"] == 64
    assert found["state"]["notices"] == [text("en", "notice.model_cut", n=64)]
    name, _ = passed(query, long)
    kept = STORE.get(name)
    assert kept.tokens is not None
    assert kept.tokens[1:5] == ("Clara", "knows", "David", ".")
    assert kept.config.text == "Anna"


def test_a_token_that_comes_again_is_not_said_to_be_alike() -> None:
    _, parts = passed(f"{TRAINED}&layer=2")
    insight = next(part for part in parts if part["part"] == "figures")["insight"]
    count = run().tokens.count(".")
    assert text("en", "insight.map_repeated_read", token=".", count=count) in insight
    assert not any("embeddings" in sentence or "phrase" in sentence for sentence in insight)
    assert sentences._REPEATED.keys() == {"weights", "scores", "words", "read"}


def test_files_have_the_tokens_and_the_layer() -> None:
    name, _ = passed(f"{TRAINED}&layer=2")
    kept = STORE.get(name)
    archive = np.load(io.BytesIO(files.archive(kept)))
    assert archive["tokens"].tolist() == list(run().tokens)
    for setting in ('"source": "model"', '"model": "headlight"', '"layer": 2'):
        assert setting in str(archive["config"])
    lines = files.lines(kept).decode("utf-8-sig").splitlines()
    assert len(lines) == 1 + 4 * len(run().tokens)
    assert "cabinet" in lines[6]


@pytest.mark.parametrize(
    ("query", "code"),
    [
        ("mask=window", "learned_mask_twice"),
        ("text=%20%20", None),
    ],
)
def test_what_cannot_be_shown_is_refused_or_replaced_in_words(query: str, code: str | None) -> None:
    if code:
        with pytest.raises(InvalidInput) as refused:
            subject(request(f"{TRAINED}&{query}"))
        assert refused.value.code == code
    else:
        state, notices, shown = subject(request(f"page=map&source=model&{query}"))
        assert notices
        assert shown.n_q > 1
        assert state.config.source == "model"


def test_of_a_layer_with_sinks_the_first_head_is_shown_and_a_notice_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    generator = torch.Generator().manual_seed(5)
    Q, K = (torch.randn(1, 6, 3, generator=generator) for _ in range(2))
    inputs = AttentionInputs(Q, K, K, tuple("abcdef"), trained=Trained(0.5, "causal", softcap=3.0, sink=-0.5))
    monkeypatch.setattr(sequence, "layer_of", lambda config, most, head: TrainedLayer(inputs, 8, 3, False))
    _, notices, shown = subject(request("page=map&source=model"))
    assert notices == (text("en", "notice.map_one_head", heads=8),)
    assert (shown.h, shown.config.normalisation, shown.config.sink, shown.config.softcap) == (1, "sink", -0.5, 3.0)
    name, _ = passed("page=map&source=model")
    scores = 3 * torch.tanh((Q @ K.mT * 0.5).double() / 3)
    powers = scores.exp().masked_fill(torch.ones(6, 6).triu(1) > 0, 0.0)[0, 5]
    weights = powers / (powers.sum() + np.exp(-0.5))
    np.testing.assert_allclose(rows.row_of(STORE.get(name), 1, 5).weights, weights, rtol=1e-5)


def test_the_endpoint_measures_a_trained_layer() -> None:
    found: Any = endpoint.long_sequence(source="model", layer=2, text=SENTENCE)
    p = run().layers[1].weights.double()
    assert (found["n"], found["h"], found["d_k"], found["cut"]) == (len(run().tokens), 4, 16, False)
    longer: Any = endpoint.long_sequence(source="model", layer=2, text=SENTENCE * 40)
    assert (longer["n"], longer["cut"]) == (64, True)
    np.testing.assert_allclose(found["entropy"], torch.special.entr(p).sum(-1).mean(-1), rtol=1e-4)
    with pytest.raises(gr.Error, match="layer must be between 1 and 2; got 7"):
        endpoint.long_sequence(source="model", layer=7)
    with pytest.raises(gr.Error, match="source must be gaussian, structured or model here"):
        endpoint.long_sequence(source="text")


def test_a_price_counts_the_models_run() -> None:
    plain = price.run(request("page=map&source=gaussian&n=64&h=4&d_k=16"))
    trained = price.run(request(TRAINED))
    assert trained.memory > plain.memory
    assert trained.seconds > plain.seconds
    assert price.plan(request(TRAINED)).memory > price.plan(request("page=map")).memory
