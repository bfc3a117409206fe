"""The Model page's answers: what of a link is shown, in which order, and what a posed question keeps back."""

import json
from dataclasses import replace
from types import SimpleNamespace
from typing import Any
from urllib.parse import quote, urlencode

import gradio as gr
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attention_core.language import corpus, shipped
from attention_core.learned import LABELS, DocumentModel, Score
from attention_core.learned import NAMES as TEXT
from tests.draws import cases
from tests.visualiser.pieces import opened
from visualiser import models
from visualiser.figures.plots.model_heads import model_heads as all_heads
from visualiser.pages.model import (
    CHANGED,
    HEAD,
    MEASURES,
    MOST_TOKENS,
    OF_BOTH,
    OF_KEY,
    OF_PICTURES,
    OVERVIEW,
    QUESTIONS,
    RULES,
    SAYS,
    questions,
    sentences,
)
from visualiser.pages.model import live as page
from visualiser.pages.model.endpoint import model_heads
from visualiser.pages.model.posing import CHOICES, Posing
from visualiser.server.live.page_request import PageRequest
from visualiser.server.rooms.question_parser import PREDICTED
from visualiser.state import share
from visualiser.state.view import View

PREVIOUS, KEY = QUESTIONS[:2]
LAYERS = {"headlight": 2, "headlight-one-layer": 1}


def ask(query: str = "", **extra: Any) -> PageRequest:
    return PageRequest(query, None, frozenset(), b"", "en", "light", 0, "", extra, "model")


def pieces(query: str) -> list[tuple[dict[str, Any], bytes]]:
    return [opened(piece) for piece in page.frame(ask(query))]


def named(query: str, part: str) -> tuple[dict[str, Any], bytes]:
    """Return the part of a name, with its numbers."""
    return next(found for found in pieces(query) if found[0]["part"] == part)


def read(query: str = "") -> page.Read:
    return page.read(ask(query))


def revealed(query: str, question: str, answer: Any) -> dict[str, Any]:
    return opened(b"".join(page.reveal(ask(query, prediction={"name": question, "answer": answer}))))[0]


@pytest.mark.slow
@settings(max_examples=cases(30), deadline=None)
@given(
    model=st.sampled_from([*LAYERS]),
    layer=st.integers(1, 2),
    head=st.integers(1, 4),
    row=st.integers(0, 200),
    text=st.text(min_size=1, max_size=60),
)
def test_what_is_shown_is_the_models_own(model: str, layer: int, head: int, row: int, text: str) -> None:
    """The weights of the head, bit for bit; a layer or a row that is not there becomes the last one."""
    found = read(urlencode({"model": model, "layer": layer, "head": head, "row": row, "text": text}))
    if found.state.config.text != text:  # a text without a character that stays
        return
    own = shipped(LAYERS[model]).model(text).layers
    shown = found.shown
    assert (shown.layer, shown.head) == (min(layer, len(own)), head)
    assert shown.row == min(row, len(shown.run.tokens) - 1)
    np.testing.assert_array_equal(shown.weights, own[shown.layer - 1].weights[head - 1].numpy())
    assert shown.key == int(shown.weights[shown.row].argmax())


@pytest.mark.parametrize(
    ("query", "layer", "head", "told"),
    [
        ("layer=2&head=4", 2, 4, ()),
        ("layer=9", 2, 1, ("layer=9 is outside 1 … 2; using 2.",)),
        ("head=9", 1, 4, ("head=9 is outside 1 … 4; using 4.",)),
        (
            "model=headlight-one-layer&layer=2&head=5",
            1,
            4,
            ("layer=2 is outside 1 … 1; using 1.", "head=5 is outside 1 … 4; using 4."),
        ),
    ],
)
def test_what_a_model_lacks_becomes_the_nearest_with_a_notice(
    query: str, layer: int, head: int, told: tuple[str, ...]
) -> None:
    found = read(query)
    assert (found.shown.layer, found.shown.head) == (layer, head)
    assert len(found.notices) == len(told)
    for notice, name in zip(found.notices, [one.split("=")[0] for one in told], strict=True):
        assert name in notice
    assert (found.state.config.layer, found.state.view.head) == (layer, head)


def test_a_key_past_the_end_is_the_last_and_minus_one_is_the_one_read_most() -> None:
    n = len(read().shown.run.tokens)
    assert read("key=127").shown.key == n - 1
    assert read("key=0").shown.key == 0
    found = read("key=-1&row=9&layer=2").shown
    assert found.weights[9, found.key] == found.weights[9].max()


@pytest.mark.parametrize("measure", MEASURES)
@pytest.mark.parametrize("over", ["corpus", "text"])
def test_heads_stand_in_the_order_of_a_measure_and_those_without_it_last(measure: str, over: str) -> None:
    query = urlencode({"sort": measure, "over": over, "text": "cats run ."})
    found = read(query)
    order = page.ordered(found)
    assert sorted(order) == [*range(8)]
    values = [found.shown.measured(measure, *found.shown.heads[place]) for place in order]
    there = [value for value in values if not np.isnan(value)]
    assert there == sorted(there, reverse=True)
    assert all(np.isnan(value) for value in values[len(there) :])
    assert page._values(found)["order"] == order


def test_the_default_order_is_the_models() -> None:
    assert page.ordered(read()) == [*range(8)]
    assert page.ordered(read("model=headlight-one-layer")) == [*range(4)]


def test_only_the_labelled_heads_can_be_shown() -> None:
    found = read("only=labelled")
    order = page.ordered(found)
    assert order
    assert all(found.shown.labels.get(found.shown.heads[place]) for place in order)
    assert len(order) == len(found.shown.labels)


def test_the_text_changes_no_label_and_the_corpus_no_measure_of_the_text() -> None:
    one, other = read("over=text"), read("over=text&text=the+old+dog+waits+.")
    assert one.shown.labels == other.shown.labels
    assert not np.allclose(one.shown.measures["entropy"], other.shown.measures["entropy"])
    one, other = read(), read("text=the+old+dog+waits+.")
    for name, values in one.shown.measures.items():
        np.testing.assert_array_equal(values, other.shown.measures[name])


@pytest.mark.parametrize(
    ("query", "key"),
    [
        ("layer=2", "model.does"),
        ("head=4", "model.does"),
        ("layer=2&over=text", "model.does_text"),
        ("layer=2&head=4&over=text", "model.does_elsewhere"),  # agreement is measured over the corpus alone
        ("layer=2&over=text&text=Anna", "model.does_elsewhere"),  # no token comes twice
        ("head=3", "model.no_label_corpus"),
        ("head=3&over=text", "model.no_label_text"),
    ],
)
def test_the_headline_speaks_of_what_the_measures_are_taken_over(query: str, key: str) -> None:
    found = read(query)
    gist, said, *_ = sentences.insight(found.shown, found.model, found.footnote)
    assert (gist.key, said.key) == (f"short.{key}", key)
    if key == "model.does_text":
        whole = read("layer=2").shown.measured("induction", 2, 1)
        assert (said.facts["score"], said.facts["corpus"]) == (found.shown.measured("induction", 2, 1), whole)


def test_a_head_that_nobody_measured_is_not_said_to_have_no_label() -> None:
    """A model that is loaded is measured over the corpus meanwhile; weights that were handed over never are."""
    found = read("head=3&over=text")
    shown = replace(found.shown, labels={}, known=replace(found.shown.known, documents=0))
    gist, said, *_ = sentences.insight(shown, found.model, found.footnote)
    assert (gist.key, said.key) == ("short.model.not_measured", "model.not_measured")
    (caption,) = all_heads.sentence(shown, View())
    assert caption.key == "table.model_heads.unmeasured"
    (caption,) = all_heads.sentence(replace(found.shown, labels={}), View())
    assert caption.key == "table.model_heads.none"


def test_a_share_of_some_rows_is_told_with_its_rows_and_its_chance() -> None:
    """By sums of its own: 0.91 of the weight on some rows was told as 0.91 of all weight, of which it is 0.352."""
    model = models.find("headlight")
    assert isinstance(model, DocumentModel)
    mass, chance, rows, every = 0.0, 0.0, 0, 0
    for document in corpus():
        weights = model.document(document).layers[1].weights[0].double().numpy()
        every += len(document.words)
        for place in document.known("repeat") if document.kind == "repeats" else ():
            earlier = [key + 1 for key in range(place.query) if document.words[key] == document.words[place.query]]
            mass += weights[place.query, earlier].sum()
            chance += len(earlier) / (place.query + 1)
            rows += 1
    found = read("layer=2")
    _, said, *_ = sentences.insight(found.shown, found.model, found.footnote)
    assert said.facts["score"] == pytest.approx(mass / rows, rel=1e-5)
    assert said.facts["chance"] == pytest.approx(chance / rows, rel=1e-5)
    assert (said.facts["rows"], said.facts["of"]) == (rows, every) == (1624, 9216)
    assert said.written("en") == (
        "Where it can (1624 of 9216 rows over the corpus), head 2.1 gives 0.91 of its weight to what followed the same "
        "token earlier (chance: 0.0659)."
    )


def test_a_sentence_without_rows_is_of_a_measure_over_all_of_them() -> None:
    """Of an encoder every row has a neighbour; of a causal model the first has none."""
    found = read("head=1")
    everywhere = Score(0.75, 0.25, 20, 20)
    shown = replace(found.shown, known=SimpleNamespace(score=lambda measure, layer, head: everywhere))
    assert sentences.behaviour(found.shown).key == "model.does"
    assert sentences.behaviour(shown).key == "model.does_every"
    here = replace(shown, counts=found.shown.known.rows, measures=found.shown.known.means)
    assert sentences.behaviour(here).key == "model.does_text"  # here the first row does not count


def test_the_head_that_reads_its_own_token_has_that_label() -> None:
    """Without a measure of it, it was called one of marks, with 0.219."""
    said = sentences.behaviour(read("layer=1&head=4").shown)
    assert said.facts["behaviour"].key == "model.behaviour.own_token"
    assert said.facts["score"] == pytest.approx(0.973, abs=5e-4)
    assert "gives 0.973 of its weight to the query's own token" in said.written("en")


def test_without_a_label_the_largest_of_all_measured_shares_is_named() -> None:
    """Agreement and brackets among them, which only the corpus has."""
    for head in (2, 3):
        shown = read(f"layer=1&head={head}").shown
        said = sentences.behaviour(shown)
        shares = {
            name: shown.measured(name, 1, head) for name in ("agreement", "bracket", "own_token", *SHARES_OF_TEXTS)
        }
        assert said.key == "model.no_label_corpus"
        assert said.facts["measure"].key == f"measure.{max(shares, key=lambda name: shares[name])}"
        assert said.facts["score"] == max(shares.values())


SHARES_OF_TEXTS = ("sink", "previous_token", "induction", "same_token", "delimiter", "local")


def test_without_a_question_every_figure_comes_with_its_words() -> None:
    header, _ = named("layer=2", "figures")
    there = [each for each in (*OVERVIEW, SAYS, *HEAD) if each not in (*OF_PICTURES, *OF_BOTH, *CHANGED, OF_KEY[1])]
    assert {*header["tables"]} == {each.name for each in there if each.is_tabled}
    assert {*header["summaries"]} == {each.name for each in there}
    assert header["insight"]


@pytest.mark.slow
@pytest.mark.parametrize("question", QUESTIONS)
@pytest.mark.parametrize("layer", [1, 2])
def test_what_answers_a_question_is_not_sent(question: str, layer: int) -> None:
    """No drawing, no table, no sentence, no label, no order by a measure, and no number of a covered figure."""
    query = f"predict=true&question={question}&layer={layer}&head=2&sort=induction&only=labelled"
    found = read(query)
    posed = found.posed
    assert posed is not None
    assert posed.choice.name == question
    answered = pieces(query)
    header = next(head for head, _ in answered if head["part"] == "figures")
    assert header["insight"] == []
    assert not header.get("tables")
    assert not header.get("summaries")
    values = page._values(found)
    assert (values["labels"], values["order"]) == ([""] * 8, [*range(8)])
    assert values["key"] == (found.shown.key if question != KEY else -1)
    sent = b"".join(numbers for _, numbers in answered)
    weights = np.where(found.shown.allowed, found.shown.weights, np.nan).astype(np.float32)
    assert (weights.tobytes() in sent) is (question != KEY)
    assert (np.concatenate(page.small_maps(found.shown)).tobytes() in sent) is (question != KEY)
    assert weights.tobytes() in b"".join(numbers for _, numbers in pieces(f"layer={layer}&head=2"))
    written = json.dumps([head for head, _ in answered])
    for name in posed.covered:
        assert f'"{name}": {{' not in written
    assert "figure" not in {opened(piece)[0].get("part") for piece in page.figure(ask(query))}


@pytest.mark.slow
@pytest.mark.parametrize("question", QUESTIONS)
def test_an_answer_is_right_wrong_or_none(question: str) -> None:
    query = f"predict=true&question={question}&layer=2&row=9"
    posed = read(query).posed
    assert posed is not None
    wrong = next(name for name in posed.labels if name not in posed.rights)
    right, not_right = (revealed(query, question, answer) for answer in (posed.rights[0], wrong))
    assert (right["right"], not_right["right"]) == (True, False)
    for answer in ("", "99.99", "<b>", None, 3, ["1.1"]):
        assert revealed(query, question, answer)["part"] == "error", answer
    assert revealed("layer=2", question, posed.rights[0])["part"] == "error"


def test_the_head_of_the_token_before_is_the_corpus_best() -> None:
    """The same text or another: what is right is what the head does over the corpus."""
    for text in ("cats run .", "Anna sees Ben . Anna waits ."):
        posed = read(f"predict=true&question={PREVIOUS}&text={quote(text)}").posed
        assert posed is not None
        heads = np.array(shipped(2).evaluation.heads["previous_token"])
        layer, head = np.unravel_index(heads.argmax(), heads.shape)
        assert posed.rights[0] == f"{layer + 1}.{head + 1}"
        assert posed.because["score"] == pytest.approx(heads.max(), abs=5e-3)


@pytest.mark.slow
def test_the_key_that_is_asked_for_is_the_one_read_most() -> None:
    """Offered are all keys, or of many those that tempt, in the order of the text."""
    run = shipped(2).model(TEXT)
    for row in range(1, run.layers[1].weights.shape[-1]):
        posed = read(f"predict=true&question={KEY}&layer=2&head=1&row={row}").posed
        assert posed is not None
        assert posed.rights[0] == str(int(run.layers[1].weights[0, row].argmax()))
        offered = [int(key) for key in posed.labels]
        assert offered == sorted(set(offered))
        assert len(offered) == min(CHOICES, row + 1)
        assert offered[-1] <= row
        words = posed.labels.values()
        assert {0, row - 1, row} <= set(offered)
        if row == 19:  # Ben, who stands in the text once more: what follows him there, and what does not
            assert {"4 “Ben”", "5 “Taylor”"} <= set(words)


@settings(max_examples=cases(30), deadline=None)
@given(layers=st.integers(1, 6), h=st.integers(1, 12), seed=st.integers(0, 2**31), unknown=st.booleans())
def test_among_many_heads_few_are_offered_and_the_right_one_is(layers: int, h: int, seed: int, unknown: bool) -> None:
    """Beside it stand heads of its layer, then those that are best at something else, then any."""
    random = np.random.default_rng(seed)
    measured = {name: random.random((layers, h)) for name in LABELS}
    if unknown:
        measured["induction"][:] = np.nan
    heads = [(layer + 1, head + 1) for layer in range(layers) for head in range(h)]
    posed = questions._previous(Posing(read().state, SimpleNamespace(heads=heads), measured))  # type: ignore[arg-type]
    scores = measured["previous_token"]
    if layers * h < 2 or scores.max() < 0.5:
        assert posed is None
        return
    assert posed is not None
    best = heads[int(scores.argmax())]
    assert posed.rights[0] == posed.because["head"] == f"{best[0]}.{best[1]}"
    offered = [tuple(map(int, name.split("."))) for name in posed.labels or {}]
    assert offered == sorted(set(offered))
    assert len(offered) == min(CHOICES, layers * h)
    known = [heads[int(each.argmax())] for name, each in measured.items() if not (unknown and name == "induction")]
    beside = sorted((at for at in heads if at[0] == best[0]), key=lambda at: -scores[at[0] - 1, at[1] - 1])
    assert set([*dict.fromkeys([*beside[: 1 + CHOICES // 2], *known])][:CHOICES]) <= set(offered)
    assert set(posed.rights) == {
        f"{layer}.{head}" for layer, head in offered if scores[layer - 1, head - 1] >= scores.max() - 0.02
    }


def test_a_room_takes_every_question_of_the_page() -> None:
    assert CHOICES <= PREDICTED


def test_a_query_with_one_key_is_asked_nothing() -> None:
    posed = read(f"predict=true&question={KEY}&row=0").posed
    assert posed is None or posed.choice.name == PREVIOUS


HOSTILE = (
    "model=../../etc/passwd",
    "key=1e9",
    "x=entropy&x=variance",
    "x=__class__&y=sort",
    "layer=0&head=0&row=-5",
    "layer=NaN&head=1e308",
    "only=&sort=&over=",
    "%00=%00",
    "text=%ED%A0%80x",
    f"text={quote(chr(0) + 'a' + chr(0x202E))}",
    f"text={'a+' * 30_000}",
    f"text={'a' * 60_000}",
    f"text={quote('한국어 👩‍👩‍👧 ' * 60)}",
    "source=gaussian&n=512&h=64",
    "heads=3&map=none",
)


@pytest.mark.slow
@pytest.mark.parametrize("query", HOSTILE)
def test_a_hostile_link_is_answered_in_words_and_reads_no_more_than_its_bound(query: str) -> None:
    found = read(query)
    assert found.model.name in LAYERS
    assert 1 <= len(found.shown.run.tokens) <= MOST_TOKENS
    assert found.shown.key < len(found.shown.run.tokens)
    assert [head["part"] for head, _ in pieces(query)][-1] == "figures"


@settings(max_examples=cases(60), deadline=None)
@given(
    own=st.fixed_dictionaries(
        {},
        optional={
            "overview": st.sampled_from(["grid", "scatter"]),
            "over": st.sampled_from(["corpus", "text"]),
            "x": st.sampled_from(MEASURES),
            "y": st.sampled_from(MEASURES),
            "sort": st.sampled_from(["layer", *MEASURES]),
            "only": st.sampled_from(["all", "labelled"]),
            "key": st.integers(-1, MOST_TOKENS - 1),
            "model": st.sampled_from([*LAYERS]),
            "layer": st.integers(1, 12),
            "head": st.integers(1, 12),
            "row": st.integers(0, 127),
        },
    )
)
def test_a_link_survives_a_round_trip(own: dict[str, Any]) -> None:
    own = {name: value for name, value in own.items() if name in RULES.own or name in ("model", "layer", "head", "row")}
    state = share.read(urlencode({"page": "model", **own})).state
    again = share.read(share.canonical(state)).state
    assert again == state
    for name in own.keys() & RULES.own.keys():
        assert state.own[name] == own[name]


def test_the_endpoint_has_the_pages_numbers() -> None:
    for model, layers in LAYERS.items():
        for layer in range(1, layers + 1):
            found = read(urlencode({"model": model, "layer": layer, "head": 3, "row": 7, "over": "text"}))
            answer = model_heads(model=model, layer=layer, head=3, row=7, text=TEXT)  # pyright: ignore[reportCallIssue]
            shown = found.shown
            np.testing.assert_array_equal(np.array(answer["weights"], np.float32), shown.weights[7])
            scores = np.array([np.nan if one is None else one for one in answer["scores"]], np.float32)
            np.testing.assert_array_equal(scores, shown.scores[7])
            assert answer["tokens"] == [*shown.run.tokens]
            assert answer["scale"] == 0.25
            for name in shown.measures:
                there = np.array(answer["measures"][name], dtype=float)
                np.testing.assert_allclose(there, shown.measures[name].double().numpy(), equal_nan=True)
            told = [[[label for label, _ in shown.labels.get((at + 1, head + 1), ())] for head in range(4)]
                    for at in range(layers)]  # fmt: skip
            assert answer["labels"] == told
            json.dumps(answer, allow_nan=False)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"layer": 3}, "layer must be between 1 and 2, got 3."),
        ({"head": 0}, "head must be between 1 and 4, got 0."),
        ({"head": 5}, "head must be between 1 and 4, got 5."),
        ({"row": -2}, "row must be between -1 and 3, got -2."),
        ({"row": 4}, "row must be between -1 and 3, got 4."),
        ({"model": "gpt-2"}, "model must be one of headlight, headlight-one-layer; got 'gpt-2'."),
    ],
)
def test_the_endpoint_refuses_what_is_not_there(wrong: dict[str, Any], message: str) -> None:
    with pytest.raises(gr.Error) as problem:
        model_heads(**{"text": "cats run .", **wrong})
    assert problem.value.message == message
