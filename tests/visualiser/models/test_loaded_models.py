"""Loaded models within a bound: the least recently used leaves, one load at a time, a failed one changes nothing."""

import random
import threading
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from attention_core import Cancelled, InvalidInput, checkpoint, stopping
from attention_core.models.folder import MOST_SUBFOLDERS
from visualiser.models import folder
from visualiser.models.folder import LoadedModels
from visualiser.server.settings import MEBIBYTE

NOTHING: Callable[[float], None] = lambda done: None  # noqa: E731


@dataclass
class Files:
    """In place of the files of a folder: models of so many MiB, and what happens when one is loaded."""

    sizes: dict[str, int]
    happens: Callable[[str, Callable[[float], None]], None] = lambda name, progress: None
    loads: list[str] = field(default_factory=list)
    at_once: int = 0
    most_at_once: int = 0

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self.sizes)

    def sized(self, name: str) -> Any:
        return Described(name, self.sizes[name] * MEBIBYTE)

    def load(self, name: str, progress: Callable[[float], None]) -> Any:
        self.at_once += 1
        self.most_at_once = max(self.most_at_once, self.at_once)
        try:
            self.loads.append(name)
            self.happens(name, progress)
            return Described(name, self.sizes[name] * MEBIBYTE)
        finally:
            self.at_once -= 1


@dataclass(frozen=True, eq=False)
class Described:
    name: str
    bytes: int


def models(files: Files, megabytes: int) -> LoadedModels:
    made = LoadedModels(None, megabytes * MEBIBYTE, 0)
    made._folder = files  # pyright: ignore[reportAttributeAccessIssue]
    return made


def kept(store: LoadedModels) -> list[str]:
    """Return what is loaded, the least recently used first, without using it."""
    return list(store._kept)


def test_without_a_folder_there_are_none() -> None:
    store = LoadedModels(None, 1, 1)
    assert store.names() == ()
    assert store.loaded("m") is None


def test_the_least_recently_used_leaves() -> None:
    store = models(Files({"a": 4, "b": 4, "c": 4}), 8)
    a, b = store.load("a", NOTHING), store.load("b", NOTHING)
    assert store.loaded("a") is a
    store.load("c", NOTHING)
    assert kept(store) == ["a", "c"]
    assert store.loaded("b") is None
    assert store.bytes("b") == 0
    assert store.load("b", NOTHING) is not b


@pytest.mark.parametrize("seed", range(30))
def test_any_story_of_loads_is_that_of_a_plain_list(seed: int) -> None:
    draw = random.Random(seed)
    files = Files({f"m{number}": draw.randrange(1, 9) for number in range(6)})
    most = draw.randrange(6, 20)
    store, plain = models(files, most), OrderedDict[str, int]()
    for _ in range(60):
        name = draw.choice(list(files.sizes))
        if draw.random() < 0.4:
            assert (store.loaded(name) is not None) == (name in plain)
            if name in plain:
                plain.move_to_end(name)
        elif files.sizes[name] > most:
            with pytest.raises(InvalidInput):
                store.load(name, NOTHING)
        else:
            store.load(name, NOTHING)
            plain[name] = files.sizes[name]
            plain.move_to_end(name)
            while sum(plain.values()) > most:
                plain.popitem(last=False)
        assert kept(store) == list(plain)


def test_a_model_larger_than_the_bound_is_refused_before_it_is_loaded() -> None:
    files = Files({"a": 4, "large": 9})
    store = models(files, 8)
    store.load("a", NOTHING)
    with pytest.raises(
        InvalidInput,
        match=r"^The model large would take 9 MB, and 8 MB are for models here: HEADLIGHT_MODEL_MB=128 would do\.$",
    ) as caught:
        store.load("large", NOTHING)
    assert (caught.value.code, caught.value.details) == (
        "model_too_large",
        {"value": "large", "megabytes": 9, "limit": 8, "enough": "128"},
    )
    assert files.loads == ["a"]
    assert kept(store) == ["a"]


@pytest.mark.parametrize("problem", [InvalidInput("model_weights", "…"), Cancelled(), RuntimeError(), MemoryError()])
def test_a_load_that_fails_leaves_everything_as_it_was(problem: Exception) -> None:
    def happens(name: str, progress: Callable[[float], None]) -> None:
        if name == "c":
            raise problem

    files = Files({"a": 4, "b": 4, "c": 8}, happens)
    store = models(files, 8)
    there = [store.load("a", NOTHING), store.load("b", NOTHING)]
    for _ in range(2):
        with pytest.raises((InvalidInput, Cancelled)) as caught:
            store.load("c", NOTHING)
        if not isinstance(problem, (InvalidInput, Cancelled)):
            assert caught.value.code == "model_load"  # pyright: ignore[reportAttributeAccessIssue]
        assert [store.loaded("a"), store.loaded("b")] == there
    assert store.load("b", NOTHING) is there[1]
    assert files.loads == ["a", "b", "c", "c"]


class Held:
    """A load that waits until the test lets it go on."""

    def __init__(self) -> None:
        self.begun, self.let = threading.Event(), threading.Event()

    def happens(self, name: str, progress: Callable[[float], None]) -> None:
        progress(0.25)
        self.begun.set()
        while not self.let.wait(0.01):
            checkpoint()


def test_visitors_who_want_the_same_model_wait_for_one_load() -> None:
    held = Held()
    files = Files({"a": 4}, held.happens)
    store = models(files, 8)
    told: list[float] = []
    waiting = threading.Event()

    def progress(done: float) -> None:
        told.append(done)
        waiting.set()

    with ThreadPoolExecutor(3) as threads:
        first = threads.submit(store.load, "a", NOTHING)
        assert held.begun.wait(20)
        others = [threads.submit(store.load, "a", progress) for _ in range(2)]
        assert waiting.wait(20)
        held.let.set()
        found = {id(one.result(20)) for one in (first, *others)}
    assert len(found) == 1
    assert files.loads == ["a"]
    assert set(told) == {0.25}


def test_one_model_is_loaded_at_a_time() -> None:
    held = Held()
    held.let.set()
    files = Files({f"m{number}": 1 for number in range(6)}, held.happens)
    store = models(files, 3)
    with ThreadPoolExecutor(6) as threads:
        loads = [threads.submit(store.load, name, NOTHING) for name in files.sizes for _ in range(2)]
        assert all(load.result(30).name for load in loads)
    assert files.most_at_once == 1
    assert len(kept(store)) == 3


def test_a_visitor_who_leaves_stops_no_other() -> None:
    """The one who loads leaves: the next one who waits begins anew. One who waits leaves: the load goes on."""
    held, leaves = Held(), threading.Event()
    files = Files({"a": 4}, held.happens)
    store = models(files, 8)

    def left() -> None:
        with stopping(leaves.is_set), pytest.raises(Cancelled):
            store.load("a", NOTHING)

    with ThreadPoolExecutor(2) as threads:
        gone = threads.submit(left)
        assert held.begun.wait(20)
        held.begun.clear()
        stays = threads.submit(store.load, "a", NOTHING)
        leaves.set()
        gone.result(20)
        assert held.begun.wait(20)  # the second load
        threads.submit(left).result(20)  # has left already when it comes
        held.let.set()
        assert stays.result(20) is store.loaded("a")
    assert files.loads == ["a", "a"]


def test_who_waits_for_a_load_that_fails_is_told_the_same() -> None:
    held = Held()

    def happens(name: str, progress: Callable[[float], None]) -> None:
        held.happens(name, progress)
        raise InvalidInput("model_weights", "a sentence")

    files = Files({"a": 4}, happens)
    store = models(files, 8)
    waiting = threading.Event()
    with ThreadPoolExecutor(2) as threads:
        first = threads.submit(store.load, "a", NOTHING)
        assert held.begun.wait(20)
        second = threads.submit(store.load, "a", lambda done: waiting.set())
        assert waiting.wait(20)
        held.let.set()
        for one in (first, second):
            with pytest.raises(InvalidInput, match=r"^a sentence$"):
                one.result(20)
    assert files.loads == ["a"]


class Measuring:
    """In place of the corpus, which these models cannot read: waits until the test lets it go on, then ends so."""

    def __init__(self, problem: InvalidInput | None = None) -> None:
        self.held, self.problem, self.times = Held(), problem, 0

    def __call__(self, model: Any, most_bytes: int, progress: Callable[[float], None]) -> Any:
        self.times += 1
        self.held.happens(model.name, progress)
        if self.problem is not None:
            raise self.problem
        return f"measures of {model.name}"


def test_a_model_is_found_before_it_is_measured_and_whoever_comes_follows(monkeypatch: pytest.MonkeyPatch) -> None:
    measuring = Measuring()
    monkeypatch.setattr(folder, "measure", measuring)
    store = models(Files({"a": 4, "b": 4}), 8)
    with ThreadPoolExecutor(3) as threads:
        a = store.load("a", NOTHING)
        assert (store.loaded("a"), store.lacks_measures("a"), store.work.under_way()) == (a, True, None)
        first = threads.submit(store.measure, "a", NOTHING)
        assert measuring.held.begun.wait(20)
        assert store.work.under_way() == ("measure", "a", "")
        following = threads.submit(lambda: list(store.work.follow()))
        second = threads.submit(store.measure, "a", NOTHING)
        measuring.held.let.set()
        for one in (first, second):
            one.result(20)
        assert set(following.result(20)) <= {0.25}
    assert (measuring.times, store.measures("a"), store.lacks_measures("a")) == (1, "measures of a", False)
    assert (store.work.under_way(), list(store.work.follow())) == (None, [])
    store.measure("a", NOTHING)
    store.measure("gone", NOTHING)
    assert measuring.times == 1
    assert not store.lacks_measures("gone")


def test_who_follows_and_leaves_stops_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    measuring, left = Measuring(), threading.Event()
    monkeypatch.setattr(folder, "measure", measuring)
    store = models(Files({"a": 4}), 8)
    store.load("a", NOTHING)

    def follows() -> None:
        with stopping(left.is_set), pytest.raises(Cancelled):
            list(store.work.follow())

    with ThreadPoolExecutor(2) as threads:
        first = threads.submit(store.measure, "a", NOTHING)
        assert measuring.held.begun.wait(20)
        gone = threads.submit(follows)
        left.set()
        gone.result(20)
        assert store.work.under_way() == ("measure", "a", "")
        measuring.held.let.set()
        first.result(20)
    assert store.measures("a") == "measures of a"


def test_heads_that_cannot_be_measured_leave_the_model_and_say_why(monkeypatch: pytest.MonkeyPatch) -> None:
    why = InvalidInput("model_corpus", "a sentence")
    measuring = Measuring(why)
    measuring.held.let.set()
    monkeypatch.setattr(folder, "measure", measuring)
    monkeypatch.setattr(folder, "unmeasured", lambda model: f"nothing of {model.name}")
    store = models(Files({"a": 4}), 8)
    a = store.load("a", NOTHING)
    assert store.unmeasurable("a") is None
    with pytest.raises(InvalidInput, match=r"^a sentence$"):
        store.measure("a", NOTHING)
    assert (store.loaded("a"), store.unmeasurable("a")) == (a, why)
    assert (store.measures("a"), store.lacks_measures("a")) == ("nothing of a", True)
    assert store.unmeasurable("b") is None


def test_names_are_listed_anew_after_a_second(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    monkeypatch.setattr("visualiser.models.folder.time.monotonic", lambda: now[0])
    files = Files({"a": 4})
    store = models(files, 8)
    assert store.names() == ("a",)
    files.sizes["b"] = 4
    assert store.names() == ("a",)
    now[0] += 2
    assert store.names() == ("a", "b")


def test_the_log_says_what_is_left_out_of_a_folder(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    for number in range(MOST_SUBFOLDERS):
        (tmp_path / f"{number:04}").mkdir()
    LoadedModels(tmp_path, 0, 0).log_left_out()
    assert caplog.messages == []
    for name in ("x", "y"):
        (tmp_path / name).mkdir()
    LoadedModels(tmp_path, 0, 0).log_left_out()
    assert caplog.messages == [
        "HEADLIGHT_MODELS: the first 500 subfolders by name are looked into, and 2 are left out; "
        "a folder of fewer would do"
    ]
