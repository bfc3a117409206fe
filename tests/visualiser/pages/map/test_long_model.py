"""The Map of a folder's model over a text longer than it reads at once, and the numbers of its every head."""

import csv
import io
import threading
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

import gradio as gr
import numpy as np
import pytest
import torch
import transformers as hf

from attention_core import AttentionConfig, Cancelled, InvalidInput
from attention_core.learned import HEAD_MEASURES, ModelRun, head_measures
from attention_core.models import FolderModel
from tests.attention_core.models.small_folders import write
from tests.attention_core.models.small_models import built
from tests.offline import offline
from tests.visualiser.pieces import opened, plainly
from visualiser import models
from visualiser.locale import text
from visualiser.models import folder, listing, long_texts
from visualiser.pages.map import every_head, live, passes, price, sequence
from visualiser.pages.map.heads_endpoint import ENDPOINT
from visualiser.pages.map.long_layer import Unread, told_by
from visualiser.pages.map.store import STORE
from visualiser.pages.map.tiles import squares
from visualiser.server.live.page_request import PageRequest
from visualiser.server.live.runs import Run

pytestmark = pytest.mark.slow

TEXT = " ".join(["Anna", "sees", "Ben", "."][place % 4] for place in range(700))
N = 1200
MODELS = {
    "gpt2": lambda: built(hf.GPT2LMHeadModel, hf.GPT2Config(
        vocab_size=320, n_embd=24, n_layer=3, n_head=3, n_positions=N, bos_token_id=0, eos_token_id=0)),
    "gemma": lambda: built(hf.Gemma2ForCausalLM, hf.Gemma2Config(
        vocab_size=320, hidden_size=24, num_hidden_layers=2, num_attention_heads=4, num_key_value_heads=2, head_dim=8,
        intermediate_size=17, max_position_embeddings=N, sliding_window=64, pad_token_id=0)),
}  # fmt: skip


@pytest.fixture(scope="module")
def loaded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[folder.LoadedModels]:
    root = tmp_path_factory.mktemp("models")
    with offline():
        found = folder.LoadedModels(root, 2**30, 2**30)
        for name, make in MODELS.items():
            write(root, name, make())
            found._listed = float("-inf")
            found.load(name, lambda done: None)
        yield found


@pytest.fixture(autouse=True)
def _folder(loaded: folder.LoadedModels, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listing, "FOLDER", loaded)
    monkeypatch.setattr(sequence, "MOST_RUN_BYTES", 2**24)  # 416 tokens at once
    long_texts._KEPT.clear()


def model(name: str = "gpt2") -> FolderModel:
    found = models.long_model(name)
    assert found is not None
    return found


def request(query: str = "layer=2", body: bytes = TEXT.encode(), **extra: Any) -> PageRequest:
    query = f"page=map&source=model&model=gpt2&{query}"
    return PageRequest(query, None, frozenset(), body, "en", "light", 0, "", extra, "map")


def headers(pieces: Iterator[bytes]) -> list[dict[str, Any]]:
    return [plainly(opened(piece)[0]) for piece in pieces]


def planned(asked: PageRequest) -> dict[str, Any]:
    return {header["part"]: header for header in headers(live.frame(asked))}


@pytest.mark.night
def test_a_plan_reads_nothing_and_says_how_long_reading_and_the_pass_take(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(FolderModel, "read_long", None)  # no plan may begin it
    monkeypatch.setattr(FolderModel, "run", None)
    _, _, subject = sequence.subject(request())
    assert isinstance(subject.trained, Unread)
    found = planned(request())
    assert {name: found["state"]["controls"][name] for name in ("n", "h", "d_k")} == {"n": N, "h": 3, "d_k": 8}
    assert (found["plan"]["n"], found["plan"]["limit"]) == (N, N)
    assert found["plan"]["trained"] == {"layers": 3, "mask": "none"}
    assert found["plan"]["expected_seconds"] >= long_texts.work(model(), N, 2, 1, 1).seconds
    assert found["state"]["notices"] == [text("en", "notice.model_cut", n=N)]
    assert price.plan(request()).seconds < 0.1
    assert price.run(request()).memory >= long_texts.work(model(), N, 2, 1, 1).memory


@pytest.mark.parametrize(("most", "said"), [(800, "notice.text_cut"), (N, "notice.model_cut")])
def test_it_is_told_what_ends_a_text_the_page_or_the_model(
    most: int, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """800 tokens are more than this model takes at once, and fewer than it has positions."""
    assert model().most_tokens < 800 < N == model().context
    monkeypatch.setattr(sequence, "most_read", lambda config: most)
    assert sequence.subject(request())[1] == (text("en", said, n=most),)


def test_a_layer_that_is_not_there_becomes_the_last_one() -> None:
    state, notices, _ = sequence.subject(request("layer=7"))
    assert state.config.layer == 3
    assert any("layer" in notice for notice in notices)


def test_the_map_has_the_weights_of_the_model_s_own_layer() -> None:
    parts = headers(passes.run(request(), Run()))
    order = [part["part"] for part in parts]
    assert order.index("map") < order.index("strips")
    done = [part["done"] for part in parts if part["part"] == "progress"]
    assert done == sorted(done)
    assert done[-1] == pytest.approx(1.0)
    kept = STORE.get(parts[-1]["id"])
    own = model().run(TEXT, 512)  # rows of a causal model do not hang on what comes later
    assert kept.tokens is not None
    assert (len(kept.tokens), kept.tokens[:512]) == (N, own.tokens)
    weights = own.layers[1].weights
    for head in range(3):
        mean, _ = squares(kept, head + 1, slice(0, 512), slice(0, 512), 1)
        allowed = own.layers[1].allowed[head].numpy()
        np.testing.assert_allclose(mean[allowed], weights[head].numpy()[allowed], rtol=2e-3, atol=1e-6)
        assert np.isnan(mean[~allowed]).all()
    # the layer is kept: its plan knows the mask, and a second run does not read it
    assert planned(request())["plan"]["trained"] == {"layers": 3, "mask": "causal"}


def test_a_text_that_is_read_at_once_stays_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(FolderModel, "read_long", None)
    _, _, subject = sequence.subject(request(f"layer=2&text={quote('Anna sees Ben .')}", b""))
    assert subject.given is not None


@pytest.mark.night
def test_a_mask_that_no_choice_is_is_refused_by_name() -> None:
    asked = request("layer=1&model=gemma")
    with pytest.raises(InvalidInput) as caught:
        list(passes.run(asked, Run()))
    assert caught.value.code == "learned_mask"
    assert headers(passes.run(request("layer=2&model=gemma"), Run()))[-1]["part"] == "ended"


def test_a_cancelled_run_ends_while_it_reads() -> None:
    run = Run()
    run.cancel()
    with pytest.raises(Cancelled):
        list(passes.run(request(), run))
    assert not long_texts._KEPT


def test_what_is_told_by_a_thread_comes_in_order_and_its_problem_is_raised() -> None:
    def broken(progress: Any) -> None:
        progress(0.5)
        raise InvalidInput("text_empty", "no")

    with pytest.raises(InvalidInput, match="no"):
        list(told_by(broken, Run(), 1.0))
    assert threading.active_count() < 100


def right(own: FolderModel) -> dict[str, list[list[float]]]:
    """Return the measures of all heads over the first 512 tokens, which a run at once has."""
    run = own.run(TEXT, 512)
    found = head_measures(ModelRun.of_text(run.tokens, run.ids, run.layers, run.cut), own.delimiters)
    return {name: rows.tolist() for name, rows in found.items() if HEAD_MEASURES[name].of_any_text}


@pytest.mark.night(but=1)
@pytest.mark.parametrize("name", MODELS)
def test_every_head_has_the_measures_of_a_run_at_once(name: str) -> None:
    own = model(name)
    told: list[float] = []
    found = every_head.read(AttentionConfig(source="model", model=name, text=TEXT), 512, told.append)
    assert (found.n, found.cut, len(found.names)) == (512, True, own.layers)
    assert told[-1] == 1.0
    assert "picture" not in found.values  # it is a text alone
    for measure, rows in right(own).items():
        np.testing.assert_allclose(found.values[measure], rows, rtol=5e-3, atol=1e-4, err_msg=measure)
    weights = own.run(TEXT, 512).layers[1].weights.double()
    np.testing.assert_allclose(
        found.values["largest_weight"][1], weights.amax(-1).mean(-1).numpy(), rtol=1e-3, atol=1e-5
    )
    entropy = torch.special.entr(weights).sum(-1)
    np.testing.assert_allclose(found.values["effective_keys"][1], entropy.exp().mean(-1).numpy(), rtol=1e-3)


def test_the_endpoint_answers_for_every_head_and_a_short_winded_model_as_well() -> None:
    answer: Any = ENDPOINT.function(model="gpt2", text=TEXT)
    assert (answer["tokens"], answer["cut"], answer["names"]) == (N, True, ["h.0.attn#1", "h.1.attn#1", "h.2.attn#1"])
    assert [len(rows) for rows in answer["values"]["entropy"]] == [3, 3, 3]
    assert ENDPOINT.price({"model": "gpt2", "text": TEXT}).memory >= long_texts.work(model(), N, 3, 3).memory
    small: Any = ENDPOINT.function(model="headlight", text="Anna Miller sees Ben")
    assert (small["tokens"], small["cut"]) == (5, False)
    assert small["values"]["entropy"][0][0] > 0
    with pytest.raises(gr.Error, match="nothing"):
        ENDPOINT.function(model="nothing", text="Anna")


@pytest.mark.night
def test_the_file_has_one_line_for_each_head() -> None:
    parts = [opened(piece) for piece in passes.run(request(wanted="heads"), Run())]
    kinds = [header["part"] for header, _ in parts]
    assert kinds[-2:] == ["file", "ended"]
    found = every_head.read(AttentionConfig(source="model", model="gpt2", text=TEXT), N)
    lines = list(csv.DictReader(io.StringIO(every_head.lines(found).decode("utf-8-sig"))))
    assert [(line["layer"], line["head"]) for line in lines] == [(str(a), str(b)) for a in (1, 2, 3) for b in (1, 2, 3)]
    for line in lines:
        at = int(line["layer"]) - 1, int(line["head"]) - 1
        assert line["tokens"] == str(N)
        for name, values in found.values.items():
            written = line["entropy_nats" if name == "entropy" else name]
            assert float(written or "nan") == pytest.approx(values[at[0]][at[1]], rel=1e-6, nan_ok=True), name
    assert {line["next_token"] for line in lines} == {""}  # a causal model has no row for it


def test_the_file_waits_while_a_question_is_open() -> None:
    (part,) = headers(passes.run(request("layer=2&predict=true&question=narrow_head", wanted="heads"), Run()))
    assert part["message"] == text("en", "predict.files_wait")
