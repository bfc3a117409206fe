"""What an answer is said to cost beforehand against what it takes: never less, and at most twice as much.

Memory is counted exactly: every tensor when it is made and when it goes, and what Python itself holds beside them.
Seconds are no test's business: they order requests, and nothing else hangs on them.
"""

import gc
import itertools
import tracemalloc
from collections.abc import Callable, Iterator

import numpy as np
import pytest
import safetensors.numpy
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from attention_core.tensor_memory import TensorMemory
from visualiser.live import costs, take_away
from visualiser.live.asking import Ask
from visualiser.live.page import LIVE, telling
from visualiser.server.cost import MEBIBYTE, Cost

FLOOR = 2 * MEBIBYTE
"""Below this nothing is told apart: whatever costs less is as good as free."""

FEW = settings(
    max_examples=8,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    derandomize=True,
    phases=[Phase.generate],  # to shrink what takes a second to measure would take minutes
)


def asking(query: str, page: str, upload: bytes = b"", **extra: object) -> Ask:
    return Ask(query, None, frozenset(), upload, "en", "light", 0, "http://x/", extra, page)


def taken(make: Callable[[], Iterator[bytes]]) -> int:
    """The most bytes held at one moment while an answer is made, once everything that is made only once is there."""
    for _ in make():
        pass
    gc.collect()
    tracemalloc.start()
    try:
        with TensorMemory() as memory:
            pieces = list(make())
        own = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert pieces
    return memory.peak + own


def assert_fits(cost: Cost, make: Callable[[], Iterator[bytes]]) -> None:
    really = taken(make)
    if really > cost.memory:
        really = taken(make)  # without what was made once and is kept from now on
    assert cost.memory >= really
    assert cost.memory <= 2 * max(really, FLOOR)


@pytest.fixture(scope="module", autouse=True)
def _once() -> None:
    """What torch loads when tensors are counted for the first time is nobody's answer."""
    ask = asking("n=9&mask=causal", "explore")
    taken(lambda: telling(LIVE["explore"].frame[0])(ask))


@st.composite
def links(draw: st.DrawFn) -> str:
    """Any state of Explore whose scores take a moment at the most."""
    n, h = draw(st.integers(2, 200)), draw(st.integers(1, 16))
    d_k, d_model = 2 ** draw(st.integers(0, 9)), 2 ** draw(st.integers(3, 9))
    mechanism = draw(st.sampled_from(("dot_product", "additive" if h * n**2 * d_k < 2**25 else "dot_product")))
    named = {
        "n": n, "h": h, "d_k": d_k, "d_model": d_model, "tie": "false", "mechanism": mechanism,
        "mask": draw(st.sampled_from(("none", "causal", "window"))),
        "scaling": draw(st.sampled_from(("none", "sqrt_d_k"))),
        "source": draw(st.sampled_from(("gaussian", "structured", "text"))),
        "split": "characters", "text": ("abcdefghij " * 40)[:n],
        "dtype": draw(st.sampled_from(("float32", "float16", "bfloat16"))),
        "stage": draw(st.sampled_from(("weights", "scores", "masked"))),
    }  # fmt: skip
    return "&".join(f"{name}={value}" for name, value in named.items())


@FEW
@given(links())
def test_an_update_of_explore(query: str) -> None:
    ask = asking(query, "explore")
    answer, price = LIVE["explore"].frame
    assert_fits(price(ask), lambda: telling(answer)(ask))


@settings(FEW, max_examples=6)
@given(links(), st.sampled_from(sorted(take_away.KINDS)))
def test_a_file(query: str, kind: str) -> None:
    ask = asking(query, "explore", figure="heat-maps")
    content = take_away.KINDS[kind].content

    def beginning() -> Iterator[bytes]:
        yield from itertools.islice(content(ask), 20 if kind == "cells" else None)  # what follows is made like it

    assert_fits(costs.file(kind)(ask), beginning)


@settings(FEW, max_examples=3)
@given(links())
def test_a_row(query: str) -> None:
    ask = asking(query, "explore", row=1)
    answer, price = LIVE["explore"].questions["row"]
    assert_fits(price(ask), lambda: telling(answer)(ask))


@settings(FEW, max_examples=2)
@given(st.integers(1, 16), st.integers(2, 200), st.integers(2, 200), st.integers(1, 100))
def test_an_upload_costs_by_its_own_sizes(h: int, n_q: int, n_k: int, d: int) -> None:
    sizes = {"Q": n_q, "K": n_k, "V": n_k}
    file = safetensors.numpy.save({name: np.ones((h, n, d), np.float32) / d for name, n in sizes.items()})
    for query in ("source=upload", "n=9&pin=source%3Dupload"):
        ask = asking(query, "explore", file)
        answer, price = LIVE["explore"].frame
        assert_fits(price(ask), lambda ask=ask, answer=answer: telling(answer)(ask))


@settings(FEW, max_examples=2)
@given(links(), links())
def test_a_pinned_state_costs_as_well(query: str, pinned: str) -> None:
    ask = asking(f"{query}&pin={pinned.replace('&', '%26').replace('=', '%3D')}", "explore")
    alone = asking(query, "explore")
    answer, price = LIVE["explore"].frame
    assert price(ask).memory > price(alone).memory
    assert price(ask).memory >= taken(lambda: telling(answer)(ask))


@settings(FEW, max_examples=2)
@given(st.integers(2, 128), st.integers(0, 10), st.integers(1, 2))
def test_the_why_page(n: int, power: int, seeds: int) -> None:
    ask = asking(f"n={n}&d_k={2**power}&seeds={seeds}", "why")
    for answer, price in (LIVE["why"].frame, *([LIVE["why"].questions["curves"]] if n * seeds < 64 else [])):
        assert_fits(price(ask), lambda answer=answer: telling(answer)(ask))


@settings(FEW, max_examples=5)
@given(
    st.integers(2, 64), st.integers(1, 8), st.integers(1, 8), st.integers(3, 8), st.integers(1, 4),
    st.sampled_from(("dot_product", "additive")), st.sampled_from(("text", "gaussian")),
)  # fmt: skip
def test_the_anatomy_page(n: int, h: int, width: int, model: int, layer: int, mechanism: str, source: str) -> None:
    text = ("abcdefghij" * 7)[:n]
    query = f"n={n}&h={h}&d_k={2**width}&tie=false&d_model={2**model}&layer={layer}&mechanism={mechanism}"
    ask = asking(f"{query}&source={source}&split=characters&text={text}", "anatomy")
    answer, price = LIVE["anatomy"].frame
    assert_fits(price(ask), lambda: telling(answer)(ask))


@pytest.mark.parametrize("page", ["cost", "train"])
def test_pages_of_points(page: str) -> None:
    ask = asking("predict=false", page, reveal=True)
    answer, price = LIVE[page].frame
    assert taken(lambda: telling(answer)(ask)) <= price(ask).memory
