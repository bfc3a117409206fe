"""The estimated cost of an answer against its real one: never less, and at most twice as much.

Memory is counted exactly: every tensor from its creation to its end, and Python's own memory besides. Multiply-adds are
counted operation by operation. Seconds are not tested (docs/class-server.md has their errors): they only order
requests.
"""

import gc
import math
import tracemalloc
from collections.abc import Iterator
from functools import partial
from random import Random
from typing import Any

import jaxtyping
import pytest
import torch
from torch.utils.flop_counter import FlopCounterMode

from attention_core import AttentionConfig, attention_statistics
from attention_core.learned import SHIPPED
from attention_core.studies.tensor_memory import TensorMemory
from attention_core.threads import beginnings
from tests import draws
from tests.visualiser.works import KINDS, Work, file, frame, map_run_text, question, run
from visualiser.maps.kept import BINS, Kept
from visualiser.models import kept as kept_results
from visualiser.models import runs, sayings, without_heads
from visualiser.pages.map import calibration
from visualiser.pages.map.store import STORE
from visualiser.pages.why import COMPARED
from visualiser.server.admission.cost import MEBIBYTE
from visualiser.server.admission.entry import admission

pytestmark = pytest.mark.slow

FLOOR = 2 * MEBIBYTE
"""Costs below this are not compared: they are as good as free."""

FEW_PRODUCTS = 10**7
"""A millisecond's multiply-adds."""

LARGEST = "n=512&h=16&d_k=1024&d_model=1024&tie=false"

DRAWN = {
    **dict.fromkeys(("frame", "row", "map tiles", "map figure", "map plan"), 4),
    **dict.fromkeys(("map run", "map csv", "map npz", "upload safetensors", "upload npz", "anatomy", "why"), 3),
    **dict.fromkeys(("curves", "cost page", "train page", "file html", "file figure"), 1),
}
"""The number of random cases of each kind; `OTHERS` for every other kind."""

OTHERS = 2

LONG = frozenset({"frame", "map run", "map run text", "map run upload", "training", "why", "reveal", "pinned"})
"""Kinds whose cases take seconds: a run has some of them."""

SMALLER = {"map run text": partial(map_run_text, longest=2048)}
"""Kinds that are counted operation by operation at a smaller size: `test_a_long_map` has the largest."""


@pytest.fixture(autouse=True)
def _no_map_left(known_speed: calibration.Speed) -> Iterator[None]:
    """Measure no machine, and leave no map behind."""
    yield
    for name in tuple(STORE._kept):
        STORE.drop(name)


@pytest.fixture(autouse=True)
def _unchecked() -> Iterator[None]:
    """Disable shape checks, which each test of the night has: with traced memory a check takes longer than the work."""
    before = jaxtyping.config.jaxtyping_disable
    jaxtyping.config.update("jaxtyping_disable", True)
    yield
    jaxtyping.config.update("jaxtyping_disable", before)


@pytest.fixture(scope="module", autouse=True)
def _once() -> None:
    """Load what torch loads when tensors are first counted; it belongs to no answer."""
    torch.optim.Adam([torch.zeros(1)])
    for _ in range(2):
        taken(frame("explore", "n=9&mask=causal"))


def taken(work: Work, parts: int | None = None) -> int:
    """Return the peak bytes of this work."""
    gc.collect()
    tracemalloc.start()
    try:
        with TensorMemory() as memory:
            size = work.done(parts)
        own = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert size
    return memory.peak + own


def products(work: Work, parts: int | None = None) -> int:
    """Return the multiply-adds of its matrix products."""
    with FlopCounterMode(display=False, custom_mapping={torch.ops.aten.mv: _matrix_times_vector}) as counted:
        assert counted.mode is not None
        token = beginnings.set((counted.mode.__enter__,))  # also counts threads that share the work
        try:
            work.done(parts)
        finally:
            beginnings.reset(token)
    return counted.get_total_flops() // 2


def _matrix_times_vector(matrix: Any, vector: Any, *_: Any, **__: Any) -> int:
    return 2 * math.prod(matrix)


def assert_fits(work: Work, parts: int | None = None) -> None:
    declared = work.cost
    if declared.multiply_adds:
        counted = products(work, parts)
        assert counted <= declared.multiply_adds <= 2 * max(counted, FEW_PRODUCTS), work.label
    really = taken(work, parts)
    if really > declared.memory:
        really = taken(work, parts)  # again, without what the first run made and kept
    assert really <= declared.memory <= 2 * max(really, FLOOR), work.label


@pytest.mark.night
@pytest.mark.parametrize("kind", KINDS)
def test_what_is_drawn_at_random(kind: str) -> None:
    seeds = range(DRAWN.get(kind, OTHERS))
    for seed in draws.chosen(seeds) if kind in LONG else seeds:
        # the other cells of that file are made like the first
        assert_fits(SMALLER.get(kind, KINDS[kind])(Random(seed)), 24 if kind == "file cells" else None)


@pytest.mark.night
@pytest.mark.parametrize(
    "query",
    [
        f"{LARGEST}&mask=window&dtype=bfloat16",
        f"{LARGEST}&source=structured",
        "n=64&h=16&d_k=1024&tie=false&mechanism=additive&dtype=float16",
        "n=2&h=16&d_k=1024&d_model=1024&tie=false&source=text&text=a+b",
        f"source=model&layer=2&dtype=bfloat16&row=5&text={'Anna+sees+' * 40}",
        f"n=2&h=1&d_k=1&tie=false&pin={LARGEST.replace('d_k=1024', 'd_k=64').replace('&', '%26').replace('=', '%3D')}",
    ],
)
def test_the_largest_updates(query: str) -> None:
    assert_fits(frame("explore", query))


@pytest.mark.night
def test_the_largest_row() -> None:
    assert_fits(question("explore", "row", f"{LARGEST}&mask=window&source=structured", row=511))


@pytest.mark.night
def test_the_largest_archive() -> None:
    assert_fits(file("npz", LARGEST))


@pytest.mark.night
def test_the_largest_curves_and_their_point() -> None:
    for curves in COMPARED:
        assert_fits(question("why", "curves", f"n=128&d_k=1024&seeds=10&tie=false&curves={curves}"))
    assert_fits(frame("why", "n=128&d_k=1024&tie=false"))


@pytest.mark.night(but=1)
@pytest.mark.parametrize("qk_norm", ["false", "true"])
@pytest.mark.parametrize("heads", [1, 16])
def test_the_largest_anatomy(qk_norm: str, heads: int) -> None:
    text = "+".join(f"word{i}" for i in range(64))
    largest = f"n=64&h={heads}&d_k=512&tie=false&layer=4&source=text&text={text}&qk_norm={qk_norm}"
    assert_fits(frame("anatomy", f"{largest}&d_model=512"))
    assert_fits(frame("anatomy", f"{largest}&d_model=2"))


@pytest.mark.night(but=1)
@pytest.mark.parametrize("weights", ["sink&softcap=2", "sigmoid", "entmax", "entmax&softcap=2"])
@pytest.mark.parametrize("d_k", [1, 512])
def test_the_largest_anatomy_of_other_weights(weights: str, d_k: int) -> None:
    largest = f"n=64&h=16&d_k={d_k}&tie=false&layer=4&source=gaussian&mask=causal&normalisation={weights}"
    assert_fits(frame("anatomy", f"{largest}&d_model=2"))


@pytest.mark.night
@pytest.mark.parametrize("model", SHIPPED)
@pytest.mark.parametrize("words", [1, 20, 64, 127])
def test_the_page_model(model: str, words: int, monkeypatch: pytest.MonkeyPatch) -> None:
    for kept in ("_COSTS", "_CURVES"):
        # else the second measurement finds what the first has kept
        monkeypatch.setattr(without_heads, kept, kept_results.Kept(0))
    text = "+".join(["Anna", "sees", "Ben", "."][i % 4] for i in range(words))
    more_states = (
        "",
        "&over=text&overview=scatter",
        "&predict=true&question=model_key",
        "&changes=mute@1.1",
        "&cost=text",
        "&changes=factor:2",
    )
    for more in more_states:
        runs._KEPT.clear()  # else the second state takes the run of the first
        sayings._KEPT.clear()
        assert_fits(frame("model", f"model={model}&text={text}{more}"))


@pytest.mark.night
@pytest.mark.parametrize("page", ["anatomy", "map"])
def test_a_trained_layer(page: str) -> None:
    text = "+".join(f"word{i}" for i in range(64))
    assert_fits(frame(page, f"source=model&layer=2&text={text}&softcap=2"))
    if page == "map":
        assert_fits(run(page, f"source=model&layer=2&text={text}&softcap=2"))


@pytest.mark.night
@pytest.mark.parametrize(
    "query",
    [
        "experiment=quality&task=reverse&mechanisms=additive&widths=1024",
        "experiment=quality&task=recall&mechanisms=additive&widths=1024",
        "experiment=quality&task=noisy&mechanisms=qk_norm_unscaled&widths=1024",
        "experiment=quality&task=noisy&mechanisms=scaled&widths=4",
        "experiment=heads&heads=8&m=8&classes=64&mlp=true",
    ],
)
def test_the_largest_trainings(query: str) -> None:
    assert_fits(run("train", f"{query}&seeds=10&steps=50"))


@pytest.mark.night
def test_a_long_map() -> None:
    words = " ".join(f"word{i}" for i in range(16_384)).encode()
    drawn = "n=16384&h=1&d_k=256&tie=false&mask=window&window=64&source=structured"
    read = "source=text&h=1&d_k=16&d_model=1024&tie=false&positions=true&mask=window&window=64"
    for query, text in draws.chosen([(drawn, b""), (read, words)]):
        assert_fits(run("map", query, text))


def test_a_word_as_long_as_a_text_makes_the_files_of_a_map_too_large() -> None:
    Q = torch.ones(2, 512, 4)
    kept = Kept(
        AttentionConfig(h=2, d_k=4, tie=False, source="text"),
        Q,
        Q,
        ("x" * 1_000_000, *["a"] * 511),
        attention_statistics(Q, Q, overview=BINS),
    )
    STORE.put("long", kept)
    for name in ("csv", "npz"):
        # numpy gives every token the room of the longest; a CSV line names the key of its largest weight
        assert question("map", name, "", id="long").cost.memory > 512 * 1_000_000
        assert question("map", name, "", id="long").cost.memory > admission().compute.total
