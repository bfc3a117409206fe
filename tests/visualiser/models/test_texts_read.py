"""Texts are read once with a model, in a run that tells how far it is; what was read is kept within a bound."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from attention_core import InvalidInput
from attention_core.learned import corpus_texts, shipped_model
from attention_core.learned.head_texts import read_texts
from visualiser import models
from visualiser.models import listing, texts_read
from visualiser.models.kept import Kept
from visualiser.server.settings import MEBIBYTE

FEW = tuple(corpus_texts(1))
READ = tuple(text.rpartition(" ")[0] for text in FEW)
SHIPPED = "headlight-one-layer"


@pytest.fixture(autouse=True)
def fresh(monkeypatch: pytest.MonkeyPatch) -> None:
    """Three texts in the place of the synthetic corpus, and nothing read yet."""
    monkeypatch.setattr(texts_read, "corpus_texts", lambda each: FEW)
    monkeypatch.setattr(texts_read, "_KEPT", Kept(64 * MEBIBYTE, lambda one: one.reading.bytes))


def test_texts_are_read_once_and_the_share_that_is_done_grows_to_all() -> None:
    told = list[float]()
    before = models.text_readings(SHIPPED)
    assert models.text_reading(SHIPPED, "synthetic") is None
    models.read_over(SHIPPED, "synthetic", told.append)
    models.read_over(SHIPPED, "synthetic", told.append)
    lengths = [len(one.encode()) for one in READ]
    done = [sum(lengths[: number + 1]) / sum(lengths) for number in range(len(READ))]
    assert told == pytest.approx(done)
    assert models.text_readings(SHIPPED) == before + 1
    reading = models.text_reading(SHIPPED, "synthetic")
    alone = read_texts(shipped_model(SHIPPED), READ)
    assert reading is not None
    assert reading.strongest("previous_token", 1, 2) == alone.strongest("previous_token", 1, 2)


def test_another_model_of_the_same_name_has_read_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    models.read_over(SHIPPED, "synthetic")
    other = shipped_model("headlight")
    monkeypatch.setattr(texts_read, "known", lambda name: other)
    assert models.text_reading(SHIPPED, "synthetic") is None


def test_a_reading_too_large_to_be_kept_ends_its_run_and_is_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(texts_read, "_KEPT", Kept(1, lambda one: one.reading.bytes))
    models.read_over(SHIPPED, "synthetic")
    assert models.text_reading(SHIPPED, "synthetic") is None


def test_a_model_that_ships_reads_texts_in_its_own_words_alone() -> None:
    assert models.offered_texts("headlight") == ("synthetic",)
    assert models.offered_texts("nobody") == ()
    with pytest.raises(InvalidInput, match=r"^With the model headlight heads are read over: synthetic\.$") as problem:
        models.read_over("headlight", "english")
    assert problem.value.code == "unknown_texts"


def test_one_passage_that_takes_too_much_is_refused_before_anything_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(texts_read.settings, "run_memory", lambda: MEBIBYTE // 4)
    told = list[float]()
    with pytest.raises(InvalidInput, match="to read the corpus") as problem:
        models.read_over(SHIPPED, "synthetic", told.append)
    assert (problem.value.code, told, models.text_reading(SHIPPED, "synthetic")) == ("model_corpus", [], None)


@pytest.mark.parametrize(("own", "is_read"), [(True, True), (False, False)])
def test_what_takes_minutes_is_read_for_an_owner_alone(
    monkeypatch: pytest.MonkeyPatch, own: bool, is_read: bool
) -> None:
    monkeypatch.setattr(texts_read.settings, "is_own", lambda *_: own)
    monkeypatch.setattr(texts_read, "seconds", lambda name, texts: 181.0)
    if not is_read:
        with pytest.raises(InvalidInput, match="would take up to 4 minutes, and a visitor has 3 here") as problem:
            models.read_over(SHIPPED, "synthetic")
        assert problem.value.code == "texts_long"
    else:
        models.read_over(SHIPPED, "synthetic")
    assert (models.text_reading(SHIPPED, "synthetic") is not None) == is_read


class Any:
    """In place of a model of the folder: it reads any text."""

    takes = frozenset({"text"})


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(texts_read.settings, "texts", lambda: tmp_path)
    monkeypatch.setattr(texts_read, "known", lambda name: Any())
    return tmp_path


def test_the_texts_of_the_owners_folder_are_offered_by_name_and_no_other_file(folder: Path) -> None:
    (folder / "b.txt").write_text("of mine")
    (folder / "a.jsonl").write_text(json.dumps({"text": "one"}))
    (folder / "notes.md").write_text("no")
    (folder / "deep.txt").mkdir()
    assert models.offered_texts("x") == ("english", "korean", "manual", "synthetic", "a.jsonl", "b.txt")
    assert list(texts_read._passages(Any(), "a.jsonl")) == ["one"]  # pyright: ignore[reportArgumentType]
    assert texts_read._length(Any(), "b.txt") == 7  # pyright: ignore[reportArgumentType]


def test_so_many_files_are_offered(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(texts_read, "_MOST_FILES", 2)
    for name in "cab":
        (folder / f"{name}.txt").write_text("x")
    assert models.offered_texts("x")[-2:] == ("a.txt", "b.txt")


def test_a_second_visitor_waits_for_the_same_texts(monkeypatch: pytest.MonkeyPatch) -> None:
    """The step that is under way is named with its texts: who asks for others does not take its progress as theirs."""
    seen = list[object]()
    plain: Callable[..., None] = listing.take

    def watched(
        what: object, step: Callable[[Callable[[float], None]], object], progress: Callable[[float], None]
    ) -> None:
        def told(done: float) -> None:
            seen.append(models.under_way())
            progress(done)

        plain(what, step, told)  # pyright: ignore[reportArgumentType]

    monkeypatch.setattr(texts_read, "take", watched)
    models.read_over(SHIPPED, "synthetic")
    assert set(seen) == {("read", SHIPPED, "synthetic")}
    assert models.under_way() is None
