"""The suggestion of a refusal fits, and one more does not; over random states, pins, files and calls."""

from collections.abc import Callable, Mapping
from urllib.parse import urlencode

import gradio as gr
import numpy as np
import pytest
import safetensors.numpy
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.alone import alone
from tests.draws import cases
from visualiser.locale import LANGUAGES, text
from visualiser.pages import admitted, shell
from visualiser.pages.anatomy import price as anatomy_price
from visualiser.pages.explore import price as explore
from visualiser.pages.explore import take_away
from visualiser.server.admission.cost import MEBIBYTE, Cost
from visualiser.server.admission.entry import Admission
from visualiser.server.admission.fitting import Fit, largest, lowered
from visualiser.server.admission.refusal import Refusal
from visualiser.server.live.answering import LIVE
from visualiser.server.live.page_request import PageRequest
from visualiser.server.live.smaller import smaller
from visualiser.server.settings import LEAST_MEMORY

MANY = settings(max_examples=cases(80), deadline=None, derandomize=True)
Price = Callable[[PageRequest], Cost]


def asking(named: Mapping[str, object], page: str, upload: bytes = b"") -> PageRequest:
    return PageRequest(urlencode(named), None, frozenset(), upload, "en", "light", 0, "http://x/", {"row": 0}, page)


def refused(request: PageRequest, price: Price, megabytes: int) -> Refusal | None:
    """Return the refusal of this question on a server of so much memory; None if it is let in."""
    try:
        alone(Admission(megabytes * MEBIBYTE, 2).require(price(request), smaller(request, price)))
    except Refusal as refusal:
        return refusal
    return None


def assert_true(refusal: Refusal | None, named: Mapping[str, object], admit: Callable[[dict], Refusal | None]) -> None:
    """Expect the suggested state to be let in, and the next larger one to be refused."""
    if refusal is None:
        return
    assert refusal.status == 422
    assert refusal.key in ("error.too_costly_fits", "error.too_costly_unpinned")
    name, value = str(refusal.fields["name"]), int(str(refusal.fields["value"]))
    kept = dict(named)
    if refusal.key == "error.too_costly_unpinned":
        del kept["pin"]
        assert admit(dict(named) | {name: 2 if name == "n" else 1}) is not None, "unpinned without need"
    came = int(str(named[name]))
    assert admit(kept | {name: value}) is None
    if value == came:
        assert refusal.key == "error.too_costly_unpinned"
    else:
        assert value < came
        assert admit(kept | {name: value + 1}) is not None


SIZES = {
    "n": st.integers(200, 512), "h": st.integers(8, 16), "d_k": st.integers(400, 1024), "tie": st.just("false"),
    "d_model": st.sampled_from((64, 512, 1024)), "mechanism": st.sampled_from(("dot_product", "additive")),
    "mask": st.sampled_from(("none", "causal")), "dtype": st.sampled_from(("float32", "bfloat16")),
    "source": st.sampled_from(("gaussian", "structured")),
}  # fmt: skip
LARGE = st.fixed_dictionaries(SIZES)
SERVERS = st.integers(150, LEAST_MEMORY)
"""Megabytes; less than a server starts with, so that most random states are refused."""


@MANY
@given(LARGE, st.none() | LARGE, st.sampled_from(("frame", "row", *take_away.KINDS)), SERVERS)
def test_of_explore(shown: dict, pinned: dict | None, route: str, megabytes: int) -> None:
    price = {"frame": explore.frame, "row": explore.row}.get(route) or explore.file(route)
    named = shown | ({"pin": urlencode(pinned)} if pinned else {})

    def admit(named: Mapping[str, object]) -> Refusal | None:
        return refused(asking(named, "explore"), price, megabytes)

    assert_true(admit(named), named, admit)


def test_random_states_are_refused_in_every_way() -> None:
    large = {"n": 512, "h": 16, "d_k": 1024, "tie": "false"}
    beside = refused(asking(large | {"n": 9, "pin": urlencode(large | {"n": 180})}, "explore"), explore.frame, 1024)
    assert beside is None
    beside = refused(asking(large | {"pin": urlencode(large | {"n": 180})}, "explore"), explore.frame, LEAST_MEMORY)
    alone = refused(asking(large | {"pin": urlencode(large)}, "explore"), explore.frame, LEAST_MEMORY)
    assert (beside and beside.key, alone and alone.key) == ("error.too_costly_fits", "error.too_costly_unpinned")


@pytest.mark.slow
@settings(MANY, max_examples=cases(30))
@given(st.integers(200, 512), LARGE, st.none() | LARGE, SERVERS)
def test_of_a_text_by_its_tokens(n: int, shown: dict, pinned: dict | None, megabytes: int) -> None:
    """The suggested number of tokens is tried with the beginning of the text."""
    text_ = ("abcdefghij " * 60)[: n + n // 10]
    named = shown | {"source": "text", "split": "characters"} | ({"pin": urlencode(pinned)} if pinned else {})

    def admit(named: Mapping[str, object]) -> Refusal | None:
        tokens = int(str(named["n"]))
        written = text_[: tokens + (tokens - 1) // 10]
        return refused(asking(dict(named) | {"text": written}, "explore"), explore.frame, megabytes)

    came = asking(named | {"text": text_}, "explore").reading.state.config.n
    assert_true(admit(named | {"n": came}), named | {"n": came}, admit)


@pytest.mark.slow
@settings(MANY, max_examples=12)
@given(st.integers(8, 16), st.integers(300, 512), st.integers(1, 512), st.booleans(), SERVERS)
def test_of_a_file_by_its_tokens(h: int, n: int, d: int, html: bool, megabytes: int) -> None:
    d = min(d, 4_000_000 // (3 * h * n))
    price = explore.file("html") if html else explore.frame

    def admit(named: Mapping[str, object]) -> Refusal | None:
        tokens = int(str(named["n"]))
        file = {name: np.zeros((h, min(n, tokens) if name == "Q" else tokens, d), np.float32) for name in "QKV"}
        upload = safetensors.numpy.save(file)
        request = asking({"source": "upload", "pin": "source=upload"}, "explore", upload)
        return refused(request, price, megabytes)

    assert_true(admit({"n": n}), {"n": n}, admit)


@MANY
@given(
    st.fixed_dictionaries(
        SIZES
        | {"n": st.integers(2, 64), "d_k": st.integers(256, 512), "d_model": st.sampled_from((8, 256, 512)),
           "source": st.sampled_from(("gaussian", "text")), "layer": st.integers(1, 4)}
    ),
    SERVERS,
)  # fmt: skip
def test_of_anatomy(named: dict, megabytes: int) -> None:
    def admit(named: Mapping[str, object]) -> Refusal | None:
        return refused(asking(named, "anatomy"), anatomy_price.frame, megabytes)

    assert_true(admit(named), named, admit)


@pytest.mark.parametrize("page", sorted(set(LIVE) - {"explore", "anatomy", "map"}))
def test_the_other_pages_have_room_for_all_that_they_show(page: str) -> None:
    large = {"n": 1024, "h": 16, "d_k": 1024, "tie": "false", "seeds": 10, "d_model": 1024}
    for _, price in (LIVE[page].frame, *LIVE[page].subrequests.values()):
        assert refused(asking(large, page), price, LEAST_MEMORY) is None


@MANY
@given(
    st.sampled_from(("attention", "anatomy")), st.integers(400, 512), st.integers(14, 16), st.integers(900, 1024),
    st.sampled_from(("dot_product", "additive")), st.sampled_from(("gaussian", "text")), st.integers(1, 4),
    SERVERS,
)  # fmt: skip
def test_of_a_program_s_call(
    name: str, n: int, h: int, d_k: int, mechanism: str, source: str, layer: int, megabytes: int
) -> None:
    price = shell.ENDPOINTS[name].price
    if name == "anatomy":
        n, d_k = n // 8, d_k // 2
    given_ = {"n": n, "h": h, "d_k": d_k, "d_model": 512, "tie": None, "mechanism": mechanism, "source": source,
              "layer": layer, "text": "a b c d", "split": "words", "mask": "causal", "dtype": "float16"}  # fmt: skip

    def admit(given_: dict) -> Refusal | None:
        try:
            alone(Admission(megabytes * MEBIBYTE, 2).require(price(given_), admitted._smaller(given_, price)))
        except Refusal as refusal:
            return refusal
        return None

    assert_true(admit(given_), given_, admit)


def test_a_program_is_told_what_would_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    own = Admission(LEAST_MEMORY * MEBIBYTE, 2)
    monkeypatch.setattr(admitted, "admission", lambda: own)
    found = shell.ENDPOINTS["attention"]
    call = admitted.admitted(found.function, found.price, run=found.run)
    with pytest.raises(gr.Error, match=r"may take 164 MB here\. With n = \d+ it would fit\."):
        alone(call(None, 512, 512, 16, 1024, None, "additive", "none", 1.0, "causal"))


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_sentences_name_what_came_what_there_is_and_what_fits(lang: str) -> None:
    for key in ("error.too_costly_fits", "error.too_costly_unpinned"):
        sentence = text(lang, key, needs=512, limit=328, name="n", value=77)
        assert all(part in sentence for part in ("512", "328", "n = 77"))


@pytest.mark.parametrize(("limit", "found"), [(0, None), (1, None), (2, 2), (7, 7), (20, 9)])
def test_the_largest_that_fits(limit: int, found: int | None) -> None:
    assert largest(lambda number: number <= limit, 2, 9) == found


def test_the_first_number_that_is_enough_is_named() -> None:
    assert lowered({"n": 9, "h": 5}, lambda name, value: name == "h" and value < 4) == Fit("h", 3)
    assert lowered({"n": 9, "h": 5}, lambda name, value: value < 4) == Fit("n", 3)
    assert lowered({"n": 9}, lambda name, value: False) is None
    assert lowered({"n": 9}, lambda name, value: value < 2) == Fit("n", 1)
    assert lowered({"n": 9}, lambda name, value: value < 2, 2) is None
