"""A folder's model is measured over the corpus once it is loaded: once, within a bound, never by a page's frame."""

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from attention_core import Cancelled, InvalidInput, stopping
from attention_core.learned import CorpusMeasures, Given, corpus_measures, corpus_texts
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
from visualiser.server.admission.clients import Client
from visualiser.server.admission.cost import Cost
from visualiser.server.admission.entry import RUNS_AT_ONCE, Admission, admission
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
        for name in ("gpt2", "llama"):
            write(root, name)
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


def ran(link: str = LINK, *, computes: bool = True, **wish: bool) -> list[dict[str, Any]]:
    request = replace(asking(link, "model"), extra=wish)
    return headers(with_error_part(loading.load)(request, Run(computes)))


def measuring_of(parts: list[dict[str, Any]]) -> str | None:
    """Return what a frame says of measuring the heads."""
    entry = next(part["values"] for part in parts if part["part"] == "model")
    said = entry["structure"]["measuring"]
    return entry["values"][said["$"]] if isinstance(said, dict) else said


def test_a_model_opens_before_its_heads_are_measured_once_for_two_visitors(
    serve: Callable[[int], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    serve(2**27)
    let = threading.Event()
    counted = Counted(lambda done: let.wait(20))
    monkeypatch.setattr(measuring, "corpus_measures", counted)
    monkeypatch.setattr(listing, "corpus_measures", None)  # which a frame of this model has no use for
    assert [part["part"] for part in frame("model")] == ["state", "unloaded", "figures"]
    assert frame("explore")[-1]["part"] == "error"
    assert ran()[-1] == {"part": "ended", "megabytes": 1, "again": False, "bytes": 0}
    with ThreadPoolExecutor(4) as threads:
        first = threads.submit(ran, measure=True)
        assert counted.begun.acquire(timeout=20)
        assert measuring_of(frame("model")) == ""
        assert frame("explore")[-1]["part"] != "error"
        assert loading.price(replace(asking(LINK, "model"), extra={"measure": True})).line == "followers"
        second = threads.submit(ran, computes=False, measure=True)
        let.set()
        for one in (first, second):
            assert one.result(60)[-1] == {"part": "ended", "megabytes": 1, "again": False, "bytes": 0}
    assert measuring_of(frame("model")) is None
    assert (counted.times, counted.documents) == (1, DOCUMENTS)


def test_who_waits_for_another_model_asks_again_and_takes_no_place(
    serve: Callable[[int], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    serve(2**27)
    let = threading.Event()
    counted = Counted(lambda done: let.wait(20))
    monkeypatch.setattr(measuring, "corpus_measures", counted)
    ran()
    other = LINK.replace("gpt2", "llama")
    with ThreadPoolExecutor(2) as threads:
        first = threads.submit(ran, measure=True)
        assert counted.begun.acquire(timeout=20)
        cost = loading.price(asking(other, "model"))
        assert (cost.line, cost.memory) == ("followers", 0)
        second = threads.submit(ran, other, computes=False)
        let.set()
        first.result(60)
        found = second.result(60)
    assert [part["part"] for part in found] in (["waiting", "ended"], ["ended"])
    assert found[-1]["again"] is True
    assert not models.is_loaded("llama")
    assert loading.price(asking(other, "model")).line == "runs"
    assert ran(other)[-1]["again"] is False
    assert models.is_loaded("llama")


def test_to_measure_a_model_that_has_left_ends_and_does_not_ask_again(serve: Callable[[int], None]) -> None:
    serve(2**27)
    assert not models.is_loaded("gpt2")
    assert ran(measure=True) == [{"part": "ended", "megabytes": 1, "again": False, "bytes": 0}]


def test_the_measures_are_those_of_the_corpus(serve: Callable[[int], None]) -> None:
    serve(2**27)
    model = models.load("gpt2")
    told: list[float] = []
    models.measure("gpt2", told.append)
    assert told == sorted(told)
    assert told[-1] == 1
    assert len(told) == DOCUMENTS
    own, found = corpus_measures(model).means, models.measured("gpt2").means
    assert own.keys() == found.keys()
    assert all(own[name].nan_to_num().equal(found[name].nan_to_num()) for name in own)


@pytest.mark.night(but=1)
@pytest.mark.parametrize(
    ("lang", "said"),
    [
        (
            "en",
            "The model gpt2 would take 1 MB more to read the corpus, and 0 MB are for that here: "
            "HEADLIGHT_MEMORY_MB=128 would do.",
        ),
        (
            "ko",
            "gpt2 모델로 코퍼스를 읽으려면 메모리가 1 MB 더 필요하지만, 여기서 그 일에 쓸 수 있는 메모리는 0 MB입니다. "
            "HEADLIGHT_MEMORY_MB=128이면 됩니다.",
        ),
    ],
)
def test_over_the_limit_the_model_is_there_and_says_why_its_heads_are_not_measured(
    serve: Callable[[int], None], monkeypatch: pytest.MonkeyPatch, lang: str, said: str
) -> None:
    serve(2**18)
    counted = Counted()
    monkeypatch.setattr(measuring, "corpus_measures", counted)
    link = f"{LINK}&lang={lang}"
    assert ran(link)[-1]["part"] == "ended"
    last = ran(link, measure=True)[-1]
    assert (last["part"], last["message"]) == ("error", said)
    assert counted.times == 0
    assert measuring_of(frame("model", link)) == said


def test_a_page_of_an_unmeasured_model_keeps_a_change_that_needs_the_corpus(serve: Callable[[int], None]) -> None:
    serve(2**27)
    link = f"{LINK}&changes=mean@1.1"
    ran(link)
    before = frame("model", link)
    assert "changes=mean%401.1" in before[0]["query"]
    ran(link, measure=True)
    after = frame("model", link)
    assert "changes=mean%401.1" in after[0]["query"]
    assert not after[0]["notices"]


@pytest.mark.parametrize("name", ["gpt2", "llama"])
def test_the_limit_is_that_of_the_longest_document_and_it_is_exact(serve: Callable[[int], None], name: str) -> None:
    serve(2**27)
    model: Any = models.load(name)
    texts = corpus_texts()
    assert [model.positions(Given(text)) for text in texts] == [len(model.run(text).tokens) for text in texts]
    needed = max(models.work(sizes_of(model, model.positions(Given(text)))).memory for text in texts)
    with TensorMemory() as memory:
        measuring.measure(model, needed, lambda done: None)
    assert memory.peak <= needed
    with pytest.raises(InvalidInput) as caught:
        measuring.measure(model, needed - 1, lambda done: None)
    assert caught.value.code == "model_corpus"


def test_a_visitor_who_leaves_while_the_heads_are_measured_leaves_the_model(
    serve: Callable[[int], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    serve(2**27)
    left = threading.Event()
    counted = Counted(lambda done: left.set() if done == 3 else None)
    monkeypatch.setattr(measuring, "corpus_measures", counted)
    models.load("gpt2")
    with stopping(left.is_set), pytest.raises(Cancelled):
        models.measure("gpt2")
    assert counted.documents == 3
    assert (models.is_loaded("gpt2"), models.is_measured("gpt2"), models.unmeasurable("gpt2")) == (True, False, None)


def test_a_load_holds_the_memory_that_measuring_may_take(serve: Callable[[int], None]) -> None:
    serve(2**27)
    assert loading.price(asking(LINK, "model")).memory == settings.run_memory()
    assert abs(settings.run_memory() - admission().long.total) <= 1
    served = {"GRADIO_SERVER_NAME": "0.0.0.0", "HEADLIGHT_MEMORY_MB": str(settings.memory() // 2**20)}
    assert abs(RUNS_AT_ONCE * settings.run_memory(served) - admission().long.total) <= RUNS_AT_ONCE


@pytest.mark.parametrize(
    ("here", "megabytes", "to_fetch", "own", "served"),
    [
        (True, 1, 0, True, True),
        (True, 199, 0, True, True),
        (True, 200, 0, True, False),
        (False, 87, 87, True, True),
        (False, 600, 500, False, False),
        (False, 250, 125, False, False),
        (False, 0, 0, False, False),
    ],
)
def test_a_link_loads_what_is_light_or_the_owner_s(
    here: bool, megabytes: float, to_fetch: float, own: bool, served: bool
) -> None:
    about = models.Described("m", False, megabytes, 0, here=here, to_fetch=to_fetch)
    assert (loading.loads_by_itself(about, True), loading.loads_by_itself(about, False)) == (own, served)


def test_a_cost_of_the_followers_takes_none_of_the_places_of_runs() -> None:
    lines = Admission(2**30, 2)
    tickets = [lines.run(Client(f"10.0.0.{at}"), Cost(1.0, 0, line="followers")) for at in range(5)]
    assert all(ticket.turn_came for ticket in tickets)
    assert (lines.runs.working, lines.fetches.working, lines.followers.working) == (0, 0, 5)
