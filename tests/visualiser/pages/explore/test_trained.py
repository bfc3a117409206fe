"""Explore shows a layer of a trained model: its own numbers, and what is said of them."""

import dataclasses
import json
import math
import runpy
from collections.abc import Sequence
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from urllib.parse import quote, urlencode

import gradio as gr
import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from attention_core import InvalidInput
from attention_core.changes import Change
from attention_core.config import REPEATING_TEXT
from attention_core.language import shipped
from attention_core.learned import ModelRun, shipped_model
from tests.draws import cases
from tests.visualiser.pieces import opened
from visualiser.export import snippet
from visualiser.export.learned_layer import NEEDS, NEEDS_FOLDER, needs
from visualiser.locale import LANGUAGES, text, texts
from visualiser.models import runs
from visualiser.models.kept import Kept
from visualiser.pages.explore import price, questions
from visualiser.pages.explore.endpoint import attention
from visualiser.pages.explore.frame import frame, result_of, reveal, row
from visualiser.pages.explore.next_step import suggestion
from visualiser.pages.explore.presets import PRESETS
from visualiser.pages.explore.take_away import KINDS
from visualiser.server.live.page_request import PageRequest
from visualiser.state import share

LAYER = f"source=model&layer=2&text={quote(REPEATING_TEXT)}"
ROOT = Path(__file__).resolve().parents[4]


def asking(query: str, **extra: Any) -> PageRequest:
    return PageRequest(query, "n=4", frozenset(), b"", "en", "light", 0, "", extra, "explore")


def parts(query: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the headers of the maps and of what is beside them."""
    headers = [opened(part)[0] for part in frame(asking(query))]
    return headers[0], headers[-1]


def plain(sentences: list[Any]) -> list[str]:
    """Return sentences without the reasons of their numbers."""
    return ["".join(one if isinstance(one, str) else one[0] for one in sentence) for sentence in sentences]


def result(query: str = LAYER) -> Any:
    return result_of(share.read(query).state, b"")


@pytest.mark.parametrize(("name", "layers"), [("headlight", 2), ("headlight-one-layer", 1)])
def test_its_weights_are_those_of_the_model(name: str, layers: int) -> None:
    for layer in range(1, layers + 1):
        found = result(f"source=model&model={name}&layer={layer}&text={quote(REPEATING_TEXT)}")
        own = shipped(layers).model(REPEATING_TEXT).layers[layer - 1]
        torch.testing.assert_close(found.weights, own.weights, rtol=1e-5, atol=1e-6)
        assert (found.config.factor, found.config.mask) == (0.25, "causal")


def test_a_head_of_layer_two_reads_what_followed() -> None:
    """That is what the preset promises."""
    chosen = PRESETS["learned_head"]
    state = share.read(urlencode(chosen)).state
    found = result_of(state, b"")
    assert found.tokens is not None
    assert (found.tokens[chosen["row"]], found.tokens[5]) == ("Ben", "Taylor")
    assert int((found.weights[:, chosen["row"]].argmax(-1) == 5).sum()) >= 2


@pytest.mark.parametrize("scale", [0.0, 0.5, 3.0])
def test_the_scale_multiplies_the_trained_factor(scale: float) -> None:
    usual, found = result(), result(f"{LAYER}&scale={scale}")
    torch.testing.assert_close(found.scaled, scale * usual.scaled, rtol=1e-6, atol=1e-6)
    torch.testing.assert_close(found.scores, usual.scores)


def test_what_is_said_of_its_origin() -> None:
    maps, beside = parts(f"{LAYER}&scale=2&source=model")
    assert maps["query"] == f"scale=2&source=model&text={REPEATING_TEXT.replace(' ', '+')}&layer=2"
    assert (maps["shape"], maps["trained"]) == ([4, 8, 8], {"layers": 2, "mask": "causal"})
    assert plain(beside["arithmetic"]) == [
        "Layer 2 of Headlight's language model: h = 4, d_k = 16, d_v = 16",
        "Q: 4 × 8 × 16 · K: 4 × 8 × 16 · scores: 4 × 8 × 8",
        "Factor: 2 × 0.25 = 0.5; the model was trained with 0.25 = 1/√d_k",
        "Causal mask: the model's own",
    ]
    assert parts("n=4")[0]["trained"] is None


def test_footnote_4_is_said_to_predict_nothing() -> None:
    _, beside = parts(f"source=model&layer=2&text={quote('the old dogs wait . ' * 9)}")
    said = " ".join(plain(beside["insight"]))
    assert "Footnote 4 predicts nothing here" in said
    assert result().predicted_variance is None


@pytest.mark.slow
@settings(max_examples=cases(20), deadline=None)
@given(scale=st.floats(0, 16), text=st.text(min_size=1, max_size=30), layer=st.integers(1, 2))
def test_no_step_moves_what_the_model_decides(scale: float, text: str, layer: int) -> None:
    query = urlencode({"source": "model", "scale": scale, "text": text, "layer": layer})
    step = suggestion(result(query))
    assert step is None or set(step.change) <= {"colour", "subtract_max"}


def test_its_one_question_is_about_its_heads() -> None:
    found = result()
    state = share.read(f"{LAYER}&predict=true").state
    assert questions.askable(state, found.config) == ["narrow_head"]
    prediction = {"prediction": {"name": "narrow_head", "answer": "1"}}
    (verdict,) = (opened(part)[0] for part in reveal(asking(f"{LAYER}&predict=true", **prediction)))
    narrow = int(found.entropy.mean(-1).argmin()) + 1
    assert verdict["part"] == "verdict"
    assert str(narrow) in verdict["real"]


def test_a_row_has_the_model_s_own_weights() -> None:
    ((header, numbers),) = (opened(part) for part in row(asking(f"{LAYER}", row=7)))
    assert header["part"] == "row"
    own = shipped(2).model(REPEATING_TEXT).layers[1].weights[:, 7]
    sent = np.frombuffer(numbers[: len(numbers) // 4 * 4], "<f4")
    assert np.abs(sent[:, None] - own.flatten().numpy()).min(0).max() < 1e-6


@pytest.mark.slow
@pytest.mark.parametrize("pin", ["?", "n=8&h=4", "source=model&text=Ben+.+Ben", "source=text", f"{LAYER}&scale=3"])
def test_it_stands_beside_any_other_state(pin: str) -> None:
    maps, beside = parts(f"{LAYER}&pin={quote(pin, safe='')}")
    assert (maps["part"], beside["part"]) == ("cells", "panels")
    maps, _ = parts(f"n=5&pin={quote(LAYER, safe='')}")
    assert maps["shape"] == [8, 5, 5]


@pytest.mark.parametrize(
    ("settings", "shape", "notices"),
    [
        ("model=../../etc/passwd", [4, 8, 8], 1),
        (f"model={'a' * 200}", [4, 8, 8], 1),
        ("model=", [4, 8, 8], 1),
        ("layer=0", [4, 8, 8], 1),
        ("layer=999", [4, 8, 8], 1),
        ("layer=NaN", [4, 8, 8], 1),
        ("layer=1e400", [4, 8, 8], 1),
        ("text=", [4, 17, 17], 1),
        (f"text={'word+' * 13_000}", [4, 64, 64], 1),
        (f"text={quote('👩‍👩‍👧')}", [4, 2, 2], 0),
        ("text=%3Cb%3E%26%00", [4, 5, 5], 0),
        ("head=9&row=99", [4, 8, 8], 2),
    ],
)
def test_whatever_a_link_says_it_is_answered(settings: str, shape: list[int], notices: int) -> None:
    maps, beside = parts(f"source=model&text={quote(REPEATING_TEXT)}&{settings}")
    assert (maps["shape"], len(maps["notices"])) == (shape, notices), maps["notices"]
    assert beside["insight"]


def test_a_text_that_the_model_cuts_is_said_to_be_cut() -> None:
    maps, _ = parts(f"source=model&text={quote('Ben ' * 63)}")
    assert (maps["shape"][1], maps["notices"]) == (64, [])
    maps, _ = parts(f"source=model&text={quote('Ben ' * 64)}")
    assert maps["notices"] == [text("en", "notice.model_cut_here", tokens=64)]


def test_another_mask_beside_the_model_s_own_is_refused_in_words() -> None:
    with pytest.raises(InvalidInput, match="mask must be none or causal beside the layer's own mask") as refused:
        parts(f"{LAYER}&mask=window")
    assert all(f"error.{refused.value.code}" in texts(lang) for lang in LANGUAGES)
    torch.testing.assert_close(result(f"{LAYER}&mask=causal").weights, result().weights)


class Sunk:
    """The shipped model as it would be with a learned sink in each head of its second layer."""

    def __init__(self) -> None:
        self.own = shipped_model("headlight")

    def __getattr__(self, name: str) -> Any:
        return getattr(self.own, name)

    def run(self, text: str, most: int | None = None, changes: Sequence[Change] = ()) -> ModelRun:
        found = self.own.run(text, most)
        first, layer = found.layers
        b = torch.tensor([-1.0, 0.5, 2.0, 3.0])[:, None].expand(4, layer.weights.shape[1])
        every = torch.cat([layer.scores, b[..., None]], -1).softmax(-1)
        own = {name: getattr(layer, name) for name in (*vars(layer), "allowed")}
        sunk = SimpleNamespace(**own | {"weights": every[..., :-1], "sink_score": b})
        return dataclasses.replace(found, layers=(first, sunk))


@pytest.fixture
def _sinks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runs, "find", lambda name: Sunk())
    monkeypatch.setattr(runs, "_KEPT", Kept(runs.MOST_BYTES, runs.size_of))


@pytest.mark.usefixtures("_sinks")
def test_a_layer_with_learned_sinks_is_shown_a_head_at_a_time() -> None:
    own = Sunk().run(REPEATING_TEXT).layers[1]
    assert own.sink_score is not None
    for head, place in ((0, 0), (1, 0), (3, 2)):
        found = result(f"{LAYER}&head={head}")
        assert (found.config.normalisation, found.config.sink) == ("sink", float(own.sink_score[place, 0]))
        torch.testing.assert_close(found.weights[0], own.weights[place], rtol=1e-5, atol=1e-6)
    maps, beside = parts(f"{LAYER}&head=3")
    assert maps["shape"] == [1, 8, 8]
    assert "head 3 of the layer, with b = 2" in plain(beside["arithmetic"])[-1]
    code = b"".join(KINDS["snippet"].content(asking(f"{LAYER}&head=3"))).decode()
    assert "(x[3 - 1 : 3] for x in (Q, K, V))" in code
    assert "\nb = 2.0\n" in code


QUOTES = '\'\'\'"\\ {x} 고양이 """ 👩‍👩‍👧 <b>'


@pytest.mark.parametrize(
    "query", [LAYER, f"{LAYER}&scale=0.37&log_n=true&qk_norm=true", f"source=model&text={quote(QUOTES)}"]
)
def test_a_script_prints_the_page_s_numbers(query: str, tmp_path: Path) -> None:
    (tmp_path / "script.py").write_bytes(b"".join(KINDS["snippet"].content(asking(query))))
    with redirect_stdout(StringIO()) as printed:
        runpy.run_path(str(tmp_path / "script.py"), run_name="__main__")
    table = [[float(cell) for cell in line.split()] for line in printed.getvalue().splitlines()[1:]]
    found = result(query)
    for line, head in zip(table, range(4), strict=True):
        entropy, norm = found.entropy[head].mean(), found.jacobian_norm[head].mean()
        wanted = [entropy, found.score_variance[head], norm, found.largest_weight[head].max()]
        assert line == pytest.approx([head + 1, *map(float, wanted)], rel=1e-5, abs=2e-6)


def test_a_folder_s_model_is_loaded_by_the_core_in_a_script() -> None:
    code = snippet(dataclasses.replace(result().config, model="bert'\"tiny"))
    compile(code, "script.py", "exec")
    assert (needs(result().config), needs(dataclasses.replace(result().config, model="tiny"))) == (NEEDS, NEEDS_FOLDER)
    assert "ModelFolder(Path(\"models\")).load('bert\\'\"tiny').run(text, 8).layers[2 - 1]" in code


def test_files_name_the_layer(tmp_path: Path) -> None:
    page = b"".join(KINDS["html"].content(asking(LAYER))).decode()
    assert "Layer 2 of Headlight&#x27;s language model" in page
    (tmp_path / "a.npz").write_bytes(b"".join(KINDS["npz"].content(asking(LAYER))))
    with np.load(tmp_path / "a.npz") as file:
        np.testing.assert_array_equal(file["Q"], result().Q.numpy())
        assert float(file["factor"]) == 0.25
        assert tuple(file["tokens"]) == result().tokens
        saved = json.loads(str(file["config"]))
    assert (saved["source"], saved["model"], saved["layer"], saved["text"]) == ("model", "headlight", 2, REPEATING_TEXT)


@pytest.mark.parametrize("length", [1, 30, 63, 64, 1000])
def test_a_price_is_known_before_the_model_runs(monkeypatch: pytest.MonkeyPatch, length: int) -> None:
    query = f"source=model&layer=2&text={'Ben+' * length}"
    n = result(query).weights.shape[1]

    def never(*_: object) -> None:
        raise AssertionError("the model runs")

    monkeypatch.setattr(runs, "find", never)
    shown, _ = price._attentions(asking(query))
    assert (shown.shape.h, shown.shape.n_q, shown.shape.d_k) == (4, n, 16)
    assert shown.run == runs.sizes_of(shipped_model("headlight"), n)
    costs = [price.frame(asking(query)), price.row(asking(query, row=0)), price.file("npz")(asking(query))]
    assert all(one.memory > 0 and one.seconds > 0 for one in costs)


def test_the_endpoint_answers_with_the_page_s_numbers() -> None:
    answer: dict[str, Any] = dict(attention(source="model", layer=2, text=REPEATING_TEXT, scale=0.5))
    found = result(f"{LAYER}&scale=0.5")
    assert (answer["n"], answer["h"], answer["d_k"], answer["d_model"], answer["tie"]) == (8, 4, 16, None, None)
    assert answer["entropy"] == pytest.approx(found.entropy.mean(-1).tolist())
    assert answer["predicted_score_variance"] is None


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"model": "../../etc/passwd"}, "model must be one of headlight, headlight-one-layer; got"),
        ({"model": "a" * 201}, "model must be a name of 1 to 200 characters"),
        ({"layer": 0}, "layer must be"),
        ({"layer": 3}, "layer must be between 1 and 2; got 3"),
        ({"layer": 999}, "layer must be between 1 and 2; got 999"),
        ({"layer": math.nan}, "layer must be a whole number"),
        ({"text": " \u200b"}, "text must hold at least one word or character"),
        ({"text": "a" * 70_000}, "text must have at most 65536 characters"),
        ({"mask": "window"}, "mask must be none or causal beside the layer's own mask"),
    ],
)
def test_the_endpoint_refuses_in_words(given: dict[str, Any], message: str) -> None:
    with pytest.raises(gr.Error, match=message):
        attention(**{"source": "model", "text": REPEATING_TEXT, **given})
