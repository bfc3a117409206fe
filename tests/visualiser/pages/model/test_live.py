"""The Model page's answers: order and selection of heads, nearest places, questions, links, loading and files."""

import math
import random
import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any
from urllib.parse import urlencode

import gradio as gr
import numpy as np
import pytest

from attention_core import InvalidInput
from attention_core.learned import corpus_measures, labels, shipped_model
from tests.visualiser.pieces import opened
from visualiser import models
from visualiser.pages.model import HEAD, MEASURES, MOST_TOKENS, QUESTIONS, live, loading, reading
from visualiser.pages.model.endpoint import model_heads as endpoint
from visualiser.server.live.page import with_error_part
from visualiser.server.live.page_request import PageRequest
from visualiser.server.live.runs import Run
from visualiser.state import share

TEXT = "Anna Miller sees Ben Taylor . Anna"


def ask(extra: dict[str, Any] | None = None, **settings: Any) -> PageRequest:
    query = urlencode({"page": "model", "text": TEXT, **settings}, errors="surrogatepass")
    return PageRequest(query, None, frozenset(), b"", "en", "light", 0, "", extra or {}, "model")


def read(**settings: Any) -> reading.Read:
    return reading.read(ask(**settings))


def headers(pieces: Iterator[bytes]) -> list[dict[str, Any]]:
    return [opened(piece)[0] for piece in pieces]


@pytest.mark.parametrize("sort", MEASURES)
@pytest.mark.parametrize("over", ["corpus", "text"])
def test_heads_stand_in_the_order_of_a_measure_the_largest_first(sort: str, over: str) -> None:
    found = read(sort=sort, over=over)
    order = live.ordered(found)
    assert sorted(order) == list(range(8))
    values = [found.shown.measured(sort, *found.shown.heads[place]) for place in order]
    finite = [value for value in values if not math.isnan(value)]
    assert finite == sorted(finite, reverse=True)
    assert all(math.isnan(value) for value in values[len(finite) :])


def test_only_labelled_heads_are_shown_if_asked_for() -> None:
    found = labels(corpus_measures(shipped_model("headlight")))
    wanted = [4 * layer + head for layer in range(2) for head in range(4) if found[layer][head]]
    assert live.ordered(read(only="labelled")) == wanted
    assert live.ordered(read()) == list(range(8))
    assert set(live.ordered(read(only="labelled", sort="entropy"))) == set(wanted)


@pytest.mark.parametrize("seed", range(20))
def test_a_place_that_is_not_there_becomes_the_nearest_one_and_a_layer_or_head_is_told(seed: int) -> None:
    draws = random.Random(seed)
    layer, head, row, key = (draws.choice((1, 2, 3, 7, 40, 127)) for _ in range(4))
    found = read(layer=layer, head=head, row=row, key=key)
    n = len(found.shown.run.tokens)
    assert n == 8
    assert (found.shown.layer, found.shown.head) == (min(layer, 2), min(head, 4))
    assert (found.shown.row, found.shown.key) == (min(row, n - 1), min(key, n - 1))
    told = [name for name, value, most in (("layer", layer, 2), ("head", head, 4)) if value > most]
    assert [notice.split(" ")[0] for notice in found.notices if notice.split(" ")[0] in ("layer", "head")] == told
    assert (found.state.config.layer, found.state.view.head) == (found.shown.layer, found.shown.head)


def test_the_key_is_that_of_the_largest_weight_without_a_wish() -> None:
    for row in range(8):
        shown = read(layer=2, head=1, row=row).shown
        assert shown.key == int(np.argmax(shown.weights[row]))


@pytest.mark.parametrize("question", QUESTIONS)
def test_nothing_in_the_bytes_answers_a_posed_question(question: str) -> None:
    request = ask(predict="true", question=question, layer=2, head=1, row=7)
    pieces = list(live.frame(request))
    found = headers(iter(pieces))
    assert [part["part"] for part in found] == ["state", "question", "model", "figures"]
    figures = found[-1]
    assert figures["insight"] == []
    assert figures["tables"] == {}
    assert figures["summaries"] == {}
    plain = read(layer=2, head=1, row=7)
    body = b"".join(pieces)
    covered = set(read(predict="true", question=question, layer=2, head=1, row=7).posed.covered)  # type: ignore[union-attr]
    assert covered & set(figures["drawings"]) == set()
    if question == "model_previous":
        for found_labels in labels(corpus_measures(shipped_model("headlight")))[0]:
            assert all(f"{label.score:.2f}".encode() not in body for label in found_labels)
    if question == "model_key":
        assert plain.shown.weights[7].astype("<f4").tobytes() not in body
        assert f"{plain.shown.weights[7].max():.3g}".encode() not in body
        assert not {figure.name for figure in HEAD} & set(figures["drawings"])


def other_measures(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the heads of the shipped model do over the corpus what others do."""
    found = corpus_measures(shipped_model("headlight"))
    changed = replace(
        found,
        means={name: rows.flip(0, 1) for name, rows in found.means.items()},
        annotated={name: rows.flip(0, 1) for name, rows in found.annotated.items()},
    )
    monkeypatch.setattr(models, "measured", lambda name: changed)


def beside_the_question(**settings: Any) -> bytes:
    """Return the bytes of an answer without the question itself, whose choices are chosen by what heads do."""
    pieces = [*live.frame(ask(None, **settings))]
    return b"".join(piece for piece in pieces if opened(piece)[0]["part"] != "question")


@pytest.mark.slow
@pytest.mark.parametrize("settings", [{}, {"overview": "scatter"}, {"sort": "induction", "only": "labelled"}], ids=str)
@pytest.mark.parametrize("question", QUESTIONS)
def test_the_bytes_beside_a_question_are_the_same_whatever_the_heads_do(
    question: str, settings: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = {"layer": 2, "head": 1, "row": 7, **settings}
    asked = {**plain, "predict": "true", "question": question}
    before, shown = beside_the_question(**asked), beside_the_question(**plain)
    other_measures(monkeypatch)
    assert beside_the_question(**asked) == before
    assert beside_the_question(**plain) != shown


@pytest.mark.parametrize("overview", ["grid", "scatter"])
def test_the_bytes_beside_the_question_for_a_key_are_the_same_whatever_the_head_reads(overview: str) -> None:
    settings = {"predict": "true", "question": "model_key", "layer": 2, "row": 7, "overview": overview, "over": "text"}
    assert len({read(layer=2, head=head, row=7).shown.weights.tobytes() for head in (2, 3, 4)}) == 3
    nameless = set()
    for head in (2, 3, 4):
        written = beside_the_question(head=head, **settings)
        for name in (b"head=%d", b"2.%d", b'"head":%d'):
            written = written.replace(name % head, name % 0)
        nameless.add(re.sub(rb'"hash":"\w+"', b"", written))  # of the structure, in which the head's number is
    assert len(nameless) == 1


@pytest.mark.slow
@pytest.mark.parametrize("question", QUESTIONS)
def test_an_answer_is_right_or_wrong_by_the_model_and_another_is_refused(question: str) -> None:
    settings = {"predict": "true", "question": question, "layer": 2, "head": 1, "row": 7}
    posed = read(**settings).posed
    assert posed is not None
    shown = read(layer=2, head=1, row=7).shown
    if question == "model_key":
        right = str(int(np.argmax(shown.weights[7])))
    elif question != "model_previous":
        right = posed.rights[0]  # tests/visualiser/pages/model/test_change_questions.py
    else:
        scores = corpus_measures(shipped_model("headlight")).scores["previous_token"].numpy()
        layer, head = np.unravel_index(scores.argmax(), scores.shape)
        right = f"{layer + 1}.{head + 1}"
    for answer in posed.labels:
        extra = {"prediction": {"name": question, "answer": answer}}
        (verdict,) = headers(live.reveal(ask(extra, **settings)))
        assert verdict["part"] == "verdict"
        assert verdict["right"] == (answer in posed.rights)
        assert verdict["real"][0] == right
        assert any(isinstance(piece, list) for piece in verdict["sentences"][-1])
    for answer in ("99", "", None, 3, ["0"], "nothing"):
        extra = {"prediction": {"name": question, "answer": answer}}
        (refused,) = headers(live.reveal(ask(extra, **settings)))
        assert refused["part"] == "error"
    (unasked,) = headers(live.reveal(ask({"prediction": {"name": question, "answer": right}}, layer=2)))
    assert unasked["part"] == "error"


def test_files_wait_for_the_answer_of_a_question() -> None:
    (refused,) = headers(live.figure(ask(predict="true", question=QUESTIONS[0])))
    assert refused["part"] == "error"
    (drawn,) = headers(live.figure(ask()))
    assert drawn["part"] == "figure"
    for name in ("model-heads", "head-map", "why-key"):
        extra = {"table": name, "line": 0}
        (made,) = headers(live.arithmetic_of(ask(extra, layer=2)))
        assert made["part"] == "arithmetic"
        assert any(made["made"])
        (hidden,) = headers(live.arithmetic_of(ask(extra, layer=2, predict="true", question=QUESTIONS[1])))
        assert hidden["part"] == "error"


HOSTILE = (
    {"model": "../../etc/passwd"}, {"key": "1e9"}, {"key": "-7"}, {"x": "bogus"}, {"text": "a " * 30_000},
    {"text": "\ud800 \udfff a"}, {"text": "\0"}, {"text": ""}, {"text": "a\0b"}, {"layer": "0"}, {"layer": "NaN"},
    {"row": "-1"}, {"head": "99999999999999999999"}, {"sort": "<b>"}, {"question": "model_key", "predict": "true"},
    {"text": "<script>alert(1)</script>"}, {"over": "nowhere"}, {"source": "text"}, {"source": "gaussian"},
)  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("settings", HOSTILE, ids=str)
def test_a_hostile_link_has_an_answer_or_a_sentence(settings: dict[str, str]) -> None:
    request = ask(None, **settings)
    found = headers(with_error_part(live.frame)(request))
    if found[-1]["part"] == "error":
        assert settings.keys() & {"text", "model"}
        return
    assert found[0]["part"] == "state"
    assert found[-1]["part"] == "figures"
    again = share.read(found[0]["query"], "en", "model")
    assert again.notices == ()
    assert share.canonical(again.state) == found[0]["query"]


@pytest.mark.parametrize("seed", range(25))
def test_a_link_comes_back_as_it_is(seed: int) -> None:
    draws = random.Random(seed)
    settings = {
        "layer": draws.choice((1, 2)), "head": draws.randint(1, 4), "row": draws.randrange(8), "sort": "entropy",
        "key": draws.randrange(-1, 8), "x": draws.choice(MEASURES), "y": draws.choice(MEASURES),
        "over": draws.choice(("corpus", "text")), "only": draws.choice(("all", "labelled")),
        "overview": draws.choice(("grid", "scatter")), "model": draws.choice(("headlight", "headlight-one-layer")),
    }  # fmt: skip
    if settings["model"] == "headlight-one-layer":
        settings["layer"] = 1
    found = read(**settings)
    again = reading.read(
        PageRequest(share.canonical(found.state), None, frozenset(), b"", "en", "light", 0, "", {}, "model")
    )
    assert again.state == found.state
    assert found.notices == again.notices == ()
    values = {**again.state.own, "layer": again.shown.layer, "head": again.shown.head, "row": again.shown.row}
    assert {name: values[name] for name in settings if name in values} == {
        name: value for name, value in settings.items() if name in values
    }
    assert again.shown.weights.tolist() == found.shown.weights.tolist()


def test_a_text_is_cut_where_the_model_ends() -> None:
    found = read(text=" ".join(["Anna"] * 200))
    assert found.shown.run.cut
    assert len(found.shown.run.tokens) == 64 <= MOST_TOKENS


@pytest.mark.parametrize(("layer", "head", "row"), [(1, 1, 3), (2, 4, -1), (2, 1, 0)])
def test_the_endpoint_has_the_numbers_of_the_page(layer: int, head: int, row: int) -> None:
    answer = endpoint(text=TEXT, layer=layer, head=head, row=row)
    shown = read(layer=layer, head=head, **({} if row < 0 else {"row": row})).shown
    assert answer["weights"] == shown.weights[shown.row].tolist()
    assert answer["scores"] == [None if math.isnan(score) else score for score in shown.scores[shown.row].tolist()]
    assert answer["scale"] == shown.attention.scale
    assert answer["tokens"] == list(shown.run.tokens)
    for name, rows in answer["corpus"].items():
        page = [[shown.measured(name, one + 1, other + 1) for other in range(4)] for one in range(2)]
        assert [[math.nan if one is None else one for one in found] for found in rows] == [
            pytest.approx(one, nan_ok=True) for one in page
        ]
    said = [label for label, _ in shown.labels.get((layer, head), ())]
    assert answer["labels"][layer - 1][head - 1] == said


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"layer": 3}, "layer must be between 1 and 2, got 3."),
        ({"head": 5}, "head must be between 1 and 4, got 5."),
        ({"head": 0}, "head must be between 1 and 4, got 0."),
        ({"row": 8}, "row must be between -1 and 7, got 8."),
        ({"row": -2}, "row must be between -1 and 7, got -2."),
    ],
)
def test_the_endpoint_refuses_what_is_not_there(given: dict[str, int], said: str) -> None:
    with pytest.raises(gr.Error) as refused:
        endpoint(text=TEXT, **given)  # type: ignore[arg-type]
    assert refused.value.message == said


def unloaded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the shipped model be one that has to be loaded first."""

    def find(name: str) -> None:
        raise InvalidInput("model_not_loaded", "The model is not loaded yet.", value=name, megabytes=7)

    monkeypatch.setattr(models, "find", find)
    monkeypatch.setattr(models, "megabytes", lambda name: 7)


def test_a_model_that_is_not_loaded_is_named_with_its_size_and_where_that_comes_from(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    unloaded(monkeypatch)
    state, what, said = headers(live.frame(ask()))
    assert (state["part"], what["part"], said["part"]) == ("state", "unloaded", "figures")
    assert said["drawings"] == {}
    (sentence,) = said["insight"]
    numbers = [piece for piece in sentence if isinstance(piece, list)]
    assert [number[0] for number in numbers] == ["7"]
    assert numbers[0][3] == "practice"


def test_a_load_tells_its_progress_to_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[str] = []

    def load(name: str, progress: Any) -> None:
        for share_done in (0.25, 0.5, 1.0):
            progress(share_done)
        done.append(name)

    monkeypatch.setattr(models, "load", load)
    found = headers(loading.load(ask(), Run()))
    shares = [part["done"] for part in found[:-1]]
    assert {part["part"] for part in found[:-1]} == {"progress"}
    assert shares == [0.25, 0.5, 1.0]
    assert found[-1]["part"] == "ended"
    assert done == ["headlight"]


def test_a_load_that_fails_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    def load(name: str, progress: Any) -> None:
        progress(0.5)
        raise InvalidInput("model_load", "The model could not be loaded.", value=name)

    monkeypatch.setattr(models, "load", load)
    pieces = loading.load(ask(), Run())
    assert opened(next(pieces))[0]["part"] == "progress"
    with pytest.raises(InvalidInput, match="could not be loaded"):
        list(pieces)


@pytest.mark.parametrize(("settings", "absent"), [({}, []), ({"changes": "mute@2.1", "against": "mute@1.1"}, [])])
def test_all_heads_are_sent_before_the_model_says_anything(
    settings: dict[str, Any], absent: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = list[Any]()
    says = models.says

    def heard(*given: Any) -> Any:
        asked.append(given[3])
        return says(*given)

    monkeypatch.setattr(models, "says", heard)
    pieces = live.frame(ask(**settings))
    assert opened(next(pieces))[0]["part"] == "state"
    assert opened(next(pieces))[0]["part"] == "model"
    assert asked == []
    (figures,) = headers(pieces)
    assert figures["absent"] == absent
    assert len(asked) == 1 + bool(settings)  # with what is pinned as A once more


def test_a_model_that_says_nothing_lacks_the_figure_of_what_it_says(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(models, "says", lambda *_: None)
    figures = headers(live.frame(ask()))[-1]
    assert figures["absent"] == ["model-says"]
    assert "model-says" not in figures["drawings"]
