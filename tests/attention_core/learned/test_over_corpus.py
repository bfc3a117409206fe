"""What heads do over the corpus: the numbers of the page on the language model, and the labels that follow."""

import math
import threading
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import chain

import pytest
import torch

from attention_core import Cancelled
from attention_core.cancellation import stopping
from attention_core.changes import Change
from attention_core.language import corpus, read, shipped
from attention_core.language.measures import chance
from attention_core.language.words import NUMBERED
from attention_core.learned import (
    HEAD_MEASURES,
    LABELS,
    SHIPPED,
    CorpusMeasures,
    DocumentModel,
    Given,
    LearnedModel,
    ModelRun,
    Score,
    TokenModel,
    corpus_measures,
    footnote_4,
    head_measures,
    labels,
    mean_measures,
    shipped_model,
)
from attention_core.learned.over_corpus import measured_documents, text_of, token_lists
from attention_core.models import CapturedLayer


class AnyModel:
    """The shipped model as one that reads texts and knows nothing of documents."""

    def __init__(self, seen: Callable[[str], object] = lambda text: None) -> None:
        self._model = shipped_model("headlight")
        self._seen = seen
        self.name, self.layers, self.h, self.d_k = "any", 2, 4, 16
        self.most_tokens, self.pairs, self.takes = 64, (), frozenset({"text"})
        self.delimiters, self.positional, self.parameters = self._model.delimiters, frozenset({1}), 53_248

    def run(self, given: str | Given, most: int | None = None, changes: Sequence[Change] = ()) -> ModelRun:
        self._seen(given if isinstance(given, str) else given.text)
        return self._model.run(given, most)

    def positions(self, given: Given) -> int:
        return self._model.positions(given)

    def multiply_adds(self, n: int) -> int:
        return self._model.multiply_adds(n)


@pytest.mark.parametrize("name", SHIPPED)
def test_the_scores_of_a_shipped_model_are_those_of_its_file(name: str):
    stated = shipped(SHIPPED[name]).evaluation.heads
    found = corpus_measures(shipped_model(name))
    assert found.documents == len(corpus()) == 144
    for measure in ("previous_token", "induction", "same_token", "sink", "agreement", "bracket"):
        torch.testing.assert_close(found.scores[measure], torch.tensor(stated[measure], dtype=torch.float64))


def test_the_known_heads_of_the_shipped_model():
    found = corpus_measures(shipped_model("headlight"))
    assert float(found.means["previous_token"][0, 0]) == pytest.approx(0.91, abs=0.005)
    assert float(found.means["induction"][1, 0]) == pytest.approx(0.91, abs=0.005)
    assert float(found.means["sink"][1, 0]) == pytest.approx(0.50, abs=0.006)
    given = [[tuple(label.measure for label in head) for head in layer] for layer in labels(found)]
    assert given == [
        [("previous_token",), (), (), ("own_token",)],
        [("induction",), ("agreement", "induction"), (), ("agreement", "bracket", "induction")],
    ]
    [[[twin], *others]] = labels(corpus_measures(shipped_model("headlight-one-layer")))
    assert (twin.measure, round(twin.score, 3)) == ("bracket", 0.972)
    assert others == [(), (), ()]


def test_chances_over_the_corpus_are_those_of_even_heads():
    found = corpus_measures(shipped_model("headlight"))
    assert set(found.chance) == {name for name, measure in HEAD_MEASURES.items() if measure.chance} | set(
        found.annotated
    )
    for name in ("previous_token", "induction", "same_token", "sink", "agreement", "bracket"):
        torch.testing.assert_close(found.chance[name], torch.full((2, 4), chance(name, corpus()), dtype=torch.float64))


def test_another_model_reads_the_first_documents_of_each_kind_as_texts():
    read_texts: list[str] = []
    told: list[tuple[int, int]] = []
    model: LearnedModel = AnyModel(read_texts.append)
    assert not isinstance(model, DocumentModel)
    assert isinstance(shipped_model("headlight"), DocumentModel)
    found = corpus_measures(model, 2, lambda done, count: told.append((done, count)))
    kinds = {kind: [one for one in corpus() if one.kind == kind][:2] for kind in ("sentences", "pairs", "repeats")}
    assert sorted(read_texts) == sorted(text_of(one) for one in chain(*kinds.values()))
    assert told == [(done, 6) for done in range(1, 7)]
    assert (found.documents, dict(found.annotated)) == (6, {})
    of_all = mean_measures((model.run(text) for text in tuple(read_texts)), model.delimiters)
    for name, rows in found.means.items():
        if name != "induction":
            torch.testing.assert_close(rows, of_all[name], equal_nan=True)


def test_a_document_as_text_keeps_its_words_and_which_of_them_are_the_same():
    for document in corpus():
        reading = read(text_of(document))
        assert not reading.cut
        assert len(reading.ids) == len(document.ids)
        assert len(set(zip(reading.ids, document.ids, strict=True))) == len(set(document.ids))
        for here, there in zip(reading.words, document.words, strict=True):
            assert here == there or {here, there} <= set(NUMBERED)


def test_a_caller_that_left_stops_the_reading_between_documents():
    """This model never looks for its caller, so that the corpus has to."""
    left = threading.Event()
    read_texts: list[str] = []
    model = AnyModel()
    always = model.run("Anna waits .")

    def run(given: str | Given, most: int | None = None, changes: Sequence[Change] = ()) -> ModelRun:
        read_texts.append(given if isinstance(given, str) else given.text)
        return always

    model.run = run
    with stopping(left.is_set), pytest.raises(Cancelled):
        corpus_measures(model, 8, lambda done, count: left.set() if done == 2 else None)
    assert len(read_texts) == 2


def head(chance: float = 0.0, **scores: float) -> tuple[str, ...]:
    """Return the labels of a head with these scores, 0 of every other measure, and one chance of all."""
    known = dict.fromkeys(LABELS, 0.0) | dict.fromkeys(HEAD_MEASURES, 0.0) | scores
    means = {name: torch.full((1, 1), score, dtype=torch.float64) for name, score in known.items()}
    [[found]] = labels(CorpusMeasures(1, means, {}, {name: torch.full((1, 1), chance) for name in LABELS}))
    return tuple(label.measure for label in found)


def test_a_head_has_all_labels_that_are_halfway_from_chance_to_1():
    assert head() == ()
    assert head(sink=0.499, induction=0.499) == ()
    assert head(sink=0.5) == ("sink",)
    assert head(sink=0.6, delimiter=0.75, same_token=0.7) == ("delimiter", "same_token", "sink")
    assert head(chance=0.25, sink=0.62) == ()
    assert head(chance=0.25, sink=0.625) == ("sink",)
    assert head(entropy=3.0, distance=9.0, variance=2.0) == ()
    assert head(sink=float("nan")) == ()
    assert head(chance=float("nan"), sink=1.0) == ()  # nothing is known to hold it to


def test_what_a_head_has_by_another_label_anyhow_is_no_label():
    assert head(previous_token=0.6, local=0.9, agreement=0.6, sink=0.5) == ("previous_token", "sink")
    assert head(next_token=0.6, local=0.9, agreement=0.6) == ("next_token", "agreement")
    assert head(previous_token=0.49, local=0.9) == ("local",)


def test_a_score_says_over_which_rows_it_is_a_mean():
    """Counted anew, from the words of the documents."""
    found = corpus_measures(shipped_model("headlight"))
    words = [document.words for document in corpus()]
    every = sum(map(len, words))
    repeats = sum(len(document.known("repeat")) for document in corpus() if document.kind == "repeats")
    again = sum(word in text[:place] for text in words for place, word in enumerate(text))
    verbs = sum(len(one.known("agreement")) for one in corpus() if one.kind == "sentences")
    expected = {"entropy": every, "own_token": every - 144, "induction": repeats, "same_token": again}
    expected |= {"agreement": verbs, "next_token": 0}
    for name, rows in expected.items():
        score = found.score(name, 2, 3)
        assert (score.rows, score.of) == (rows, every), name
    assert (every, repeats) == (9216, 1624)
    assert not found.score("induction", 2, 1).everywhere
    assert found.score("entropy", 2, 1).everywhere
    assert math.isnan(found.score("entropy", 2, 1).chance)
    assert found.score("picture", 2, 1).rows == 0
    assert not Score(math.nan, math.nan, 0, 0).everywhere


class Tokens(AnyModel):
    """A model that reads its tokens by their numbers, and puts one of them before and behind every text."""

    def __init__(self) -> None:
        super().__init__()
        self.vocabulary = tuple(range(10, 70))
        self.lists: list[tuple[int, ...]] = []

    def run_tokens(self, ids: Sequence[int]) -> ModelRun:
        """Attend to what followed the last mention, from the second round on, and else to the first token."""
        self.lists.append(tuple(ids))
        read = (1, *ids, 1)
        weights = torch.zeros(1, len(read), len(read))
        for query, one in enumerate(read):
            before = [key for key in range(query) if read[key] == one] if one in ids else []
            weights[0, query, before[-1] + 1 if before else 0] = 1.0
        scores = torch.zeros_like(weights).masked_fill(torch.ones_like(weights, dtype=torch.bool).triu(1), -torch.inf)
        layer = CapturedLayer("x#1", 0, "self", None, None, None, None, None, scores, weights)
        empty = replace(layer, weights=weights * 0 + 1 / len(read))
        return ModelRun.of_text(tuple(map(str, read)), read, (layer, empty), cut=False)

    def run(self, given: str | Given, most: int | None = None, changes: Sequence[Change] = ()) -> ModelRun:
        run = self.run_tokens(tuple(range(30)))
        self.lists.pop()
        return run


def test_a_perfect_head_of_induction_scores_1_over_a_models_own_tokens():
    model = Tokens()
    assert isinstance(model, TokenModel)
    found = corpus_measures(model)
    assert len(model.lists) == 8
    for ids in model.lists:
        period = next(place for place in range(1, len(ids)) if ids[place] == ids[0])
        assert 8 <= period <= len(ids) // 2
        assert len({*ids[:period]}) == period
        assert all(one == ids[place % period] for place, one in enumerate(ids))
        assert {*ids} <= {*model.vocabulary}
    assert len({*model.lists}) == 8
    periods = [len({*ids}) for ids in model.lists]
    assert len({*periods}) > 3  # no head can go by the distance alone
    rows = sum(len(ids) - 1 - period for ids, period in zip(model.lists, periods, strict=True))
    score = found.score("induction", 1, 1)
    assert (score.value, score.rows) == (1.0, rows)  # the last token of a list has no next one in it
    assert 0 < score.chance < 0.15
    assert found.score("same_token", 1, 1).rows > rows  # which is counted over every document


def test_lists_fit_a_small_model_and_are_the_same_every_time():
    assert token_lists(range(5), 3, 10) == token_lists(range(5), 3, 10)
    assert all(len(ids) == 10 and len({*ids}) == 5 for ids in token_lists(range(5), 3, 10))


def test_of_a_model_that_reads_texts_alone_nobody_knows_the_induction():
    found = corpus_measures(AnyModel(), 2)
    assert found.means["induction"].isnan().all()
    assert found.score("induction", 2, 1).rows == 0


def test_footnote_4_counts_the_heads_near_it():
    ratios = torch.tensor([[0.5, 2.0, 2.1], [0.4, float("nan"), 1.0]])
    found = footnote_4({"variance": ratios})
    assert found is not None
    assert (found.heads, found.near, found.median) == (5, 3, 1.0)
    assert (round(found.largest, 4), found.layer, found.head) == (2.1, 1, 3)
    even = footnote_4({"variance": torch.tensor([[1.0, 4.0]])})
    assert even is not None
    assert (even.median, even.largest, even.layer, even.head) == (2.5, 4.0, 1, 2)
    assert footnote_4({"variance": torch.full((2, 3), float("nan"))}) is None


def test_footnote_4_of_a_run_is_that_of_its_measures():
    model = shipped_model("headlight")
    run = model.run("Anna Miller sees Ben Taylor . Ben")
    found = footnote_4(run)
    assert found == footnote_4(head_measures(run, model.delimiters))
    assert found is not None
    assert found.heads == 8
    assert found.largest > 2  # learned heads are no random ones


@pytest.mark.slow
@pytest.mark.night(but=1)
@pytest.mark.parametrize("name", SHIPPED)
def test_what_is_kept_of_a_shipped_model_is_what_it_does(name: str) -> None:
    model = shipped_model(name)
    assert isinstance(model, DocumentModel)
    kept, found = corpus_measures(model), measured_documents(model)
    assert kept.documents == found.documents
    for table in ("means", "annotated", "chance", "rows"):
        one, other = getattr(kept, table), getattr(found, table)
        assert set(one) == set(other)
        for measure, rows in one.items():
            torch.testing.assert_close(rows, other[measure].double(), rtol=1e-4, atol=1e-6, equal_nan=True)
