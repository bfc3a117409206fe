"""The page of one head: what it lists is what was read of the texts, and each passage has the weights of that head."""

import json
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from attention_core.learned import corpus_texts, shipped_model
from attention_core.learned.head_texts import TextReading
from tests.visualiser.pages.anatomy.test_live import filled
from tests.visualiser.pieces import opened, plainly
from visualiser import models
from visualiser.models import texts_read
from visualiser.models.kept import Kept
from visualiser.models.run_work import sizes_of
from visualiser.pages.model import over_texts
from visualiser.pages.model.live import LIVE
from visualiser.server.admission.cost import SMALL
from visualiser.server.live.page_request import PageRequest
from visualiser.server.settings import MEBIBYTE

FEW = tuple(corpus_texts(2))


@pytest.fixture(scope="module", autouse=True)
def few() -> Iterator[None]:
    """A few texts in the place of the synthetic corpus, and nothing read yet."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(texts_read, "corpus_texts", lambda each: FEW)
        patch.setattr(texts_read, "_KEPT", Kept(64 * MEBIBYTE, lambda one: one.reading.bytes))
        yield


def ask(query: str = "", **extra: Any) -> PageRequest:
    return PageRequest(f"texts=synthetic&{query}", None, frozenset(), b"", "en", "light", 0, "", extra, "model")


def answer(question: str, query: str = "", **extra: Any) -> dict[str, Any]:
    found = LIVE.answer(question)
    assert found is not None
    return read_part(found[0](ask(query, **extra)))


def read_part(pieces: Iterator[bytes]) -> dict[str, Any]:
    """Return the only part of an answer, with its arrays in their places."""
    [(header, blocks)] = [opened(one) for one in pieces]
    if "values" in header:
        header["values"] = filled(header["values"], blocks)
    return header


@pytest.fixture(scope="module")
def reading(few: None) -> TextReading:
    models.read_over("headlight", "synthetic")
    found = models.text_reading("headlight", "synthetic")
    assert found is not None
    return found


def test_before_the_texts_are_read_the_page_says_which_there_are() -> None:
    found = answer("head", "model=headlight-one-layer")["values"]
    assert (found["read"], found["problem"], found["texts"]) == (False, "", "synthetic")
    assert found["choices"] == [["synthetic", "the synthetic corpus"]]


def test_texts_that_a_model_cannot_read_are_refused_with_those_that_it_can() -> None:
    request = PageRequest("texts=korean", None, frozenset(), b"", "en", "light", 0, "", {}, "model")
    found = read_part(over_texts.head(request))["values"]
    assert found["problem"] == "With the model headlight heads can be read over: the synthetic corpus."
    assert found["read"] is False


def test_the_page_lists_what_was_read(reading: TextReading) -> None:
    found = answer("head", "layer=2&head=3&by=same_token")["values"]
    assert (found["layer"], found["head"], found["layers"], found["h"], found["by"]) == (2, 3, 2, 4, "same_token")
    expected = reading.strongest("same_token", 2, 3)
    assert [one["text"] for one in found["strongest"]] == [one.text for one in expected]
    assert [one["score"] for one in found["strongest"]] == [one.score for one in expected]
    bands = reading.bands("same_token", 2, 3)
    assert [[one["rows"] for one in band] for band in found["bands"]] == [[one.rows for one in band] for band in bands]
    score = reading.measures.score("same_token", 2, 3)
    [line] = [one for one in found["measures"] if one["name"] == "same_token"]
    assert (line["value"], line["chance"], line["rows"], line["of"]) == (*score[:2], score.rows, score.of)
    others = reading.measures.scores["same_token"].flatten()
    assert line["more"] == sum(float(one) > score.value for one in others)
    assert line["all"] == pytest.approx(others.float().numpy())
    joined = reading.joined(2, 3)
    assert found["counted"] == joined.rows - joined.on_first
    assert [one["rows"] for one in found["keys"]] == [one.rows for one in joined.keys[:12]]
    assert found["keys"][0]["token"] == reading.names[joined.keys[0].id]
    assert sum(found["distances"]["share"]) == pytest.approx(1, abs=1e-6)
    assert len(found["distances"]["begins"]) == len(found["distances"]["share"]) + 1


def test_measures_that_no_head_has_here_are_not_listed(reading: TextReading) -> None:
    names = [one["name"] for one in answer("head")["values"]["measures"]]
    assert "previous_token" in names
    assert not {"next_token", "induction", "picture", "monotone"} & {*names}


def test_without_a_wish_passages_are_sorted_by_what_the_head_does(
    reading: TextReading,
) -> None:
    assert answer("head", "layer=1&head=1")["values"]["by"] == "previous_token"
    above = {}
    for name in over_texts._known(reading):
        one = reading.measures.score(name, 2, 1)
        if one.chance == one.chance:
            above[name] = (one.value - one.chance) / (1 - one.chance)
    assert answer("head", "layer=2&head=1")["values"]["by"] == max(above, key=above.__getitem__)


def test_the_sentence_counts_the_rows_and_the_heads_that_have_more(reading: TextReading) -> None:
    said = answer("head", "layer=2&head=3&by=own_token")["values"]["said"]
    score = reading.measures.score("own_token", 2, 3)
    more = sum(float(one) > score.value for one in reading.measures.scores["own_token"].flatten())
    text = "".join(part if isinstance(part, str) else part[0] for part in said[0])
    assert text.startswith("Over the synthetic corpus the measure “own token” of head 2.3 is 0.")
    assert text.endswith(f"on {score.rows} of {score.of} rows; {more} of the 7 other heads have more.")
    asked = [part for part in said[0] if not isinstance(part, str)]
    assert [part[2] for part in asked][:1] == [f"Mean over the {score.rows} queries that can show it: {asked[0][0]}."]


@pytest.mark.parametrize(("changes", "said"), [("", False), ("mute@1.1", True)])
def test_that_the_changes_of_a_link_are_not_in_the_numbers_is_said(
    reading: TextReading, changes: str, said: bool
) -> None:
    found = plainly(answer("head", f"changes={changes}")["values"]["said"])
    sentence = "The model read the texts as it is: the changes of the link are not in these numbers."
    assert (sentence in found) == said


@pytest.mark.parametrize("question", ["head", "passage"])
def test_a_question_that_is_posed_is_not_answered_here(reading: TextReading, question: str) -> None:
    found = answer(question, "predict=true&by=previous_token", place=0)
    assert (found["part"], "values" in found) == ("error", False)


def test_a_layer_and_a_head_that_are_not_there_become_the_last(reading: TextReading) -> None:
    found = answer("head", "layer=9&head=9")["values"]
    assert (found["layer"], found["head"]) == (2, 4)


@pytest.mark.parametrize("at", [{"place": 1}, {"place": 0, "band": 2}])
def test_a_passage_has_the_weights_of_the_head(reading: TextReading, at: dict[str, int]) -> None:
    wished = ("previous_token", 1, 2)
    listed = reading.bands(*wished)[at["band"]] if "band" in at else reading.strongest(*wished)
    found = answer("passage", "layer=1&head=2&by=previous_token", **at)["values"]
    run = shipped_model("headlight").run(listed[at["place"]].text)
    assert found["line"]["tokens"] == list(run.lines[0].tokens)
    weights = np.where(run.layers[0].allowed[1].numpy(), run.layers[0].weights[1].numpy(), np.nan)
    np.testing.assert_array_equal(np.array(found["weights"]).reshape(found["shape"]), weights.astype(np.float32))


@pytest.mark.parametrize(
    "at", [{}, {"place": 10}, {"place": -1}, {"place": True}, {"place": 0, "band": 5}, {"place": "0"}]
)
def test_a_passage_that_is_not_there_is_refused_and_costs_nothing(reading: TextReading, at: dict[str, Any]) -> None:
    found = answer("passage", "by=previous_token", **at)
    assert found["message"] == "This passage is no longer held: read the texts again."
    assert over_texts.passage_price(ask("by=previous_token", **at)) == SMALL


def test_a_passage_costs_the_run_of_its_tokens(reading: TextReading) -> None:
    request = ask("layer=1&head=2&by=previous_token", place=0)
    needed = models.work(sizes_of(shipped_model("headlight"), 63))
    assert over_texts.passage_price(request).seconds == pytest.approx(needed.seconds)


def test_an_answer_from_before_the_texts_were_read_serves_nobody_after() -> None:
    before = ask("model=headlight-one-layer").cache_key
    models.read_over("headlight-one-layer", "synthetic")
    assert ask("model=headlight-one-layer").cache_key != before


def test_every_sentence_says_where_its_numbers_come_from(reading: TextReading) -> None:
    for part in answer("head", "layer=1&head=1")["values"]["said"]:
        numbers = [piece for piece in part if isinstance(piece, str) and any(letter.isdigit() for letter in piece)]
        assert all("head 1.1" in piece for piece in numbers), json.dumps(part)
