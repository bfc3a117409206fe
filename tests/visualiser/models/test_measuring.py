"""A folder's model is measured over the corpus while it is loaded: once, within a bound, never by a page's frame."""

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from attention_core import Cancelled, InvalidInput, stopping
from attention_core.learned import CorpusMeasures, corpus_measures, corpus_texts
from attention_core.studies.tensor_memory import TensorMemory
from tests.attention_core.models.small_folders import write
from tests.offline import offline
from tests.visualiser.pieces import opened
from tests.visualiser.works import asking
from visualiser import models
from visualiser.models import listing, measuring
from visualiser.models.folder import LoadedModels
from visualiser.models.run_work import sizes_of
from visualiser.pages.model import loading
from visualiser.server import settings
from visualiser.server.admission.entry import RUNS_AT_ONCE, admission
from visualiser.server.live.answering import LIVE
from visualiser.server.live.page import with_error_part
from visualiser.server.live.runs import Run

pytestmark = pytest.mark.slow

LINK = "source=model&model=gpt2&layer=1&text=the+cat"
DOCUMENTS = len(corpus_texts())


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("models")
    with offline():
        write(root, "gpt2")
    return root


@pytest.fixture
def serve(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    """Return a function that serves the folder, with so many bytes for reading the corpus."""

    def served(most_run_bytes: int) -> None:
        monkeypatch.setattr(listing, "FOLDER", LoadedModels(folder, 2**30, most_run_bytes))

    return served


class Counted:
    """A reading of the corpus that counts how often it begins and how many documents are read."""

    def __init__(self, happens: Callable[[int], object] = lambda done: None) -> None:
        self.begun, self.documents, self._happens = threading.Semaphore(0), 0, happens
        self.times = 0

    def __call__(self, model: Any, progress: Callable[[int, int], object]) -> CorpusMeasures:
        self.times += 1
        self.begun.release()

        def told(done: int, documents: int) -> None:
            self.documents += 1
            self._happens(done)
            progress(done, documents)

        return corpus_measures(model, progress=told)


def headers(pieces: Iterator[bytes]) -> list[dict[str, Any]]:
    return [opened(piece)[0] for piece in pieces]


def frame(page: str, link: str = LINK) -> list[dict[str, Any]]:
    return headers(with_error_part(LIVE[page].frame[0])(asking(link, page)))


def load(link: str = LINK) -> list[dict[str, Any]]:
    return headers(with_error_part(loading.load)(asking(link, "model"), Run()))


def test_two_visitors_at_once_measure_once_and_a_frame_never_does(
    serve: Callable[[int], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    serve(2**27)
    let = threading.Event()
    counted = Counted(lambda done: let.wait(20))
    monkeypatch.setattr(measuring, "corpus_measures", counted)
    monkeypatch.setattr(listing, "corpus_measures", None)  # which a frame of this model has no use for
    with ThreadPoolExecutor(4) as threads:
        loads = [threads.submit(load) for _ in range(2)]
        assert counted.begun.acquire(timeout=20)
        # the model is read, and nobody finds it before it is measured
        assert not models.is_loaded("gpt2")
        assert [part["part"] for part in frame("model")] == ["state", "unloaded", "figures"]
        assert frame("explore")[-1]["part"] == "error"
        let.set()
        parts = [one.result(60) for one in loads]
        assert [found[-1]["part"] for found in parts] == ["ended", "ended"]
        assert frame("explore")[-1]["part"] != "error"  # a visitor of another page has the model as well
        shown = list(threads.map(frame, ["model"] * 2))
    assert [found[-1]["part"] for found in shown] == ["figures", "figures"]
    assert (counted.times, counted.documents) == (1, DOCUMENTS)


def test_the_measures_are_those_of_the_corpus(serve: Callable[[int], None]) -> None:
    serve(2**27)
    told: list[float] = []
    model = models.load("gpt2", told.append)
    assert told == sorted(told)
    assert told[-1] == 1
    assert sum(share > 0.8 for share in told) == DOCUMENTS
    own, found = corpus_measures(model).means, models.measured("gpt2").means
    assert own.keys() == found.keys()
    assert all(own[name].nan_to_num().equal(found[name].nan_to_num()) for name in own)


@pytest.mark.night(but=1)
@pytest.mark.parametrize(
    ("lang", "said"),
    [
        ("en", "The model gpt2 would take 1 MB more to read the corpus, and 0 MB are for that here."),
        (
            "ko",
            "gpt2 모델로 코퍼스를 읽으려면 메모리가 1 MB 더 필요하지만, 여기서 그 일에 쓸 수 있는 메모리는 0 MB입니다.",
        ),
    ],
)
def test_over_the_limit_there_is_a_sentence_and_no_work(
    serve: Callable[[int], None], monkeypatch: pytest.MonkeyPatch, lang: str, said: str
) -> None:
    serve(2**18)
    counted = Counted()
    monkeypatch.setattr(measuring, "corpus_measures", counted)
    last = load(f"{LINK}&lang={lang}")[-1]
    assert (last["part"], last["message"]) == ("error", said)
    assert counted.times == 0
    assert not models.is_loaded("gpt2")


@pytest.mark.night
def test_the_limit_is_that_of_the_longest_document(serve: Callable[[int], None]) -> None:
    serve(2**27)
    model: Any = models.load("gpt2")
    longest = max(len(model.run(text).tokens) for text in corpus_texts())
    needed = models.work(sizes_of(model, longest)).memory
    with TensorMemory() as memory:
        measuring.measure(model, needed, lambda done: None)
    assert memory.peak <= needed
    with pytest.raises(InvalidInput) as caught:
        measuring.measure(model, needed - 1, lambda done: None)
    assert caught.value.code == "model_corpus"


def test_a_visitor_who_leaves_while_the_heads_are_measured_changes_nothing(
    serve: Callable[[int], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    serve(2**27)
    left = threading.Event()
    counted = Counted(lambda done: left.set() if done == 3 else None)
    monkeypatch.setattr(measuring, "corpus_measures", counted)
    with stopping(left.is_set), pytest.raises(Cancelled):
        models.load("gpt2")
    assert counted.documents == 3
    assert not models.is_loaded("gpt2")
    with pytest.raises(InvalidInput) as caught:
        models.measured("gpt2")
    assert caught.value.code == "model_not_loaded"


def test_a_load_holds_the_memory_that_measuring_may_take(serve: Callable[[int], None]) -> None:
    serve(2**27)
    assert loading.price(asking(LINK, "model")).memory == settings.run_memory()
    assert abs(RUNS_AT_ONCE * settings.run_memory() - admission().long.total) <= RUNS_AT_ONCE
