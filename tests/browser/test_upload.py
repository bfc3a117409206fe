"""A visitor's own Q, K and V: sound files are drawn unchanged, others are refused in words and change nothing."""

import io
import json
import struct
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import safetensors.numpy
import torch
from playwright.sync_api import Page

from attention_core import AttentionConfig, AttentionInputs, AttentionResult, compute
from tests.browser import controls, drawn
from tests.browser.comparison import assert_heat_maps, assert_page_shows, assert_result, picture
from visualiser import locale
from visualiser.state.view import View

Arrays = dict[str, np.ndarray]
REFUSALS = [r"status of 4(13|22)"]
"""Console messages of Chromium when the server refuses a file."""


def numbers(**shapes: tuple[int, ...]) -> Arrays:
    generator = np.random.default_rng(23)
    return {name: generator.standard_normal(shape).astype(np.float32) for name, shape in shapes.items()}


CROSS = numbers(Q=(3, 5, 11), K=(3, 7, 11), V=(3, 7, 13))
"""Prime shapes: h = 3, n_q = 5, n_k = 7, d_k = 11, d_v = 13."""
FLAT = numbers(Q=(5, 11), K=(7, 11))


def npz(arrays: Mapping[str, Any]) -> bytes:
    stream = io.BytesIO()
    np.savez_compressed(stream, **arrays)
    return stream.getvalue()


def csv(arrays: Arrays) -> bytes:
    width = max(array.shape[-1] for array in arrays.values())
    lines = [",".join(["tensor", "head", "position", *map(str, range(width))])]
    for name, array in arrays.items():
        for head, position in np.ndindex(array.shape[:2]):
            lines.append(",".join([name, str(head), str(position), *map(repr, array[head, position].tolist())]))
    return "\n".join(lines).encode()


def give(page: Page, name: str, content: bytes) -> None:
    """Choose a file in the page's file box."""
    page.locator("#upload-file").set_input_files({"name": name, "mimeType": "", "buffer": content})


def wait_status(page: Page, sentence: str) -> None:
    """Wait until the line under the file box says this."""
    page.wait_for_function("(wanted) => document.getElementById('upload-said').textContent === wanted", arg=sentence)


def computed(arrays: Arrays, **config: Any) -> AttentionResult:
    """Return the result of `compute` for these arrays."""
    Q, K, V = (torch.from_numpy(arrays.get(name, arrays["K"])) for name in "QKV")
    Q, K, V = (tensor if tensor.dim() == 3 else tensor[None] for tensor in (Q, K, V))
    return compute(AttentionConfig(source="upload", **config), AttentionInputs(Q, K, V), device="cpu")


GOOD = {
    "h × n × d in npz": ("heads.npz", npz(CROSS), CROSS, "3 heads, 5 queries, 7 keys, d_k 11, d_v 13."),
    "h × n × d in safetensors": (
        "heads.safetensors",
        safetensors.numpy.save(CROSS),
        CROSS,
        "3 heads, 5 queries, 7 keys, d_k 11, d_v 13.",
    ),
    "h × n × d in CSV": ("heads.csv", csv(CROSS), CROSS, "3 heads, 5 queries, 7 keys, d_k 11, d_v 13."),
    "n × d without V in npz": ("one.npz", npz(FLAT), FLAT, "1 heads, 5 queries, 7 keys, d_k 11, d_v 11."),
    "n × d without V in safetensors": (
        "one.safetensors",
        safetensors.numpy.save(FLAT),
        FLAT,
        "1 heads, 5 queries, 7 keys, d_k 11, d_v 11.",
    ),
}


def test_nothing_changes_until_a_file_is_chosen(drawer: Page) -> None:
    before = picture(drawer)
    controls.choose(drawer, "source", "upload")
    wait_status(drawer, locale.text("en", "upload.invite"))
    assert picture(drawer) == before


@pytest.fixture(scope="module")
def drawer(open_module_page: Callable[..., Page]) -> Page:
    """Return a page that is given one file after the other."""
    return open_module_page("n=12&lang=en")


@pytest.mark.parametrize(("name", "content", "arrays", "sizes"), GOOD.values(), ids=GOOD.keys())
def test_a_good_file_is_drawn_as_it_is(drawer: Page, name: str, content: bytes, arrays: Arrays, sizes: str) -> None:
    page = drawer
    controls.choose(page, "source", "gaussian")
    drawn.wait_painted(page, "n=12&lang=en")
    give(page, name, content)
    drawn.wait_painted(page, "source=upload&lang=en")
    assert_result(page, computed(arrays), View())
    assert page.locator("#upload-said").inner_text() == f"{name}: {sizes}"
    controls.wait_shown(page, source="upload")


def test_an_upload_follows_the_controls(open_page: Callable[..., Page]) -> None:
    page = open_page()
    controls.choose(page, "source", "upload")
    give(page, "heads.npz", npz(CROSS))
    drawn.wait_painted(page, "source=upload")
    controls.choose(page, "scaling", "none")
    drawn.wait_painted(page, "scaling=none&source=upload")
    assert_result(page, computed(CROSS, scaling="none"), View())
    controls.choose(page, "mask", "causal")
    drawn.wait_painted(page, "scaling=none&mask=causal&source=upload")
    assert_result(page, computed(CROSS, scaling="none", mask="causal"), View())
    other = numbers(Q=(2, 7, 3), K=(2, 5, 3))
    give(page, "others.safetensors", safetensors.numpy.save(other))
    wait_status(page, "others.safetensors: 2 heads, 7 queries, 5 keys, d_k 3, d_v 3.")
    page.wait_for_function("() => document.querySelectorAll('#figure-heat-maps canvas.cells').length === 2")
    controls.choose(page, "scaling", "sqrt_d_k")
    drawn.wait_painted(page, "mask=causal&source=upload")
    assert_result(page, computed(other, mask="causal"), View())
    controls.choose(page, "mask", "none")
    controls.choose(page, "source", "gaussian")
    assert_page_shows(page, AttentionConfig())


def test_a_link_to_an_upload_shows_random_tensors_and_says_so(open_page: Callable[..., Page]) -> None:
    for lang in ("en", "ko"):
        page = open_page(f"source=upload&n=9&h=2&lang={lang}")
        assert page.locator("#message .notices").inner_text() == locale.text(lang, "notice.no_upload")
        assert drawn.wait_painted(page) == f"n=9&h=2&lang={lang}"
        controls.wait_shown(page, source="gaussian", n=9, h=2)
        assert_heat_maps(page, compute(AttentionConfig(n=9, h=2)), View())


def safetensors_file(header: object, content: bytes = b"") -> bytes:
    text = json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + content


def archive(members: Mapping[str, bytes]) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as opened:
        for name, content in members.items():
            opened.writestr(name, content)
    return stream.getvalue()


NOT_A_NUMBER = {**CROSS, "K": np.where(np.arange(7)[:, None] == 4, np.float32(np.nan), CROSS["K"])}
HEADING = "tensor,head,position,0,1"
LYING = {
    "Q": {"dtype": "F32", "shape": [3, 5, 11], "data_offsets": [0, 8]},
    "K": {"dtype": "F32", "shape": [2, 1], "data_offsets": [8, 16]},
}
BAD: dict[str, tuple[str, bytes, str, dict[str, Any]]] = {
    "another kind": ("notes.txt", b"Q", "upload_format", {"came": "notes.txt", "choices": ".npz, .safetensors, .csv"}),
    "no npz": ("a.npz", b"PK\x03\x04 no archive", "upload_unreadable", {"format": "npz"}),
    "pickled objects": (
        "a.npz",
        npz({"Q": np.array([{}], dtype=object), "K": CROSS["K"]}),
        "upload_dtype",
        {"name": "Q", "came": "|O"},
    ),
    "a zip bomb": (
        "a.npz",
        archive({"Q.npy": b"\x93NUMPY\x01\x00" + bytes(2**26), "K.npy": b""}),
        "upload_header",
        {"name": "Q"},
    ),
    "no K": ("a.npz", npz({"Q": CROSS["Q"], "x": CROSS["V"]}), "upload_missing", {"name": "K", "came": "Q, x"}),
    "a NaN": ("a.npz", npz(NOT_A_NUMBER), "upload_not_finite", {"name": "K", "index": "0, 4, 0", "came": "nan"}),
    "one axis": ("a.npz", npz({"Q": np.ones(7), "K": np.ones(7)}), "upload_rank", {"name": "Q", "came": "7"}),
    "complex numbers": (
        "a.npz",
        npz({"Q": np.ones((5, 3), complex), "K": np.ones((5, 3))}),
        "upload_dtype",
        {"name": "Q", "came": "?c16"},
    ),
    "513 keys": (
        "a.npz",
        npz({"Q": np.ones((5, 3)), "K": np.ones((513, 3))}),
        "upload_size",
        {"name": "K", "field": "n", "came": 513, "minimum": 2, "maximum": 512},
    ),
    "widths that differ": (
        "a.npz",
        npz({"Q": np.ones((5, 3)), "K": np.ones((5, 2))}),
        "upload_mismatch",
        {"name": "K", "field": "d", "like": "Q", "expected": 3, "came": 2},
    ),
    "no safetensors": ("a.safetensors", b"\xff" * 40, "upload_unreadable", {"format": "safetensors"}),
    "a header that lies": (
        "a.safetensors",
        safetensors_file(LYING, bytes(16)),
        "upload_truncated",
        {"name": "Q", "expected": 660, "came": 8},
    ),
    "no heading": (
        "a.csv",
        b"Q,0,0,1,2",
        "upload_csv_heading",
        {"expected": "tensor,head,position,0,1,…", "came": "Q,0,0,1,2"},
    ),
    "a word for a number": (
        "a.csv",
        f"{HEADING}\nQ,0,0,1,two".encode(),
        "upload_csv_number",
        {"line": 2, "came": "two"},
    ),
    "a gap": (
        "a.csv",
        f"{HEADING}\nQ,0,0,1,2\nQ,0,2,1,2\nK,0,0,1,2\nK,0,1,1,2".encode(),
        "upload_csv_gap",
        {"name": "Q", "head": 0, "position": 1},
    ),
}


@pytest.fixture(scope="module", params=["en", "ko"])
def page_with_a_file(request: pytest.FixtureRequest, open_module_page: Callable[..., Page]) -> tuple[Page, str]:
    """A page that shows a good file, in each language."""
    lang = request.param
    page = open_module_page(f"lang={lang}", expected_errors=REFUSALS)
    controls.choose(page, "source", "upload")
    give(page, "heads.npz", npz(CROSS))
    drawn.wait_painted(page, f"source=upload&lang={lang}")
    return page, lang


@pytest.mark.parametrize(("name", "content", "code", "details"), BAD.values(), ids=BAD.keys())
def test_a_bad_file_is_refused_in_words_and_changes_nothing(
    page_with_a_file: tuple[Page, str], name: str, content: bytes, code: str, details: dict[str, Any]
) -> None:
    page, lang = page_with_a_file
    before, shown = picture(page), controls.shown(page)
    give(page, name, content)
    wait_status(page, locale.text(lang, f"error.{code}", **details))
    assert picture(page) == before
    assert controls.shown(page) == shown
    assert drawn.wait_painted(page) == f"source=upload&lang={lang}"
    assert page.locator("[data-error]").count() == 0
    assert page.locator("#message .error").is_hidden()


def test_a_file_too_large_is_not_even_sent(page_with_a_file: tuple[Page, str], tmp_path: Path) -> None:
    page, lang = page_with_a_file
    large = tmp_path / "large.csv"
    large.write_bytes(bytes(16 * 2**20 + 1))
    before, sent = picture(page), []
    page.on("request", lambda request: sent.append(request.url))
    page.locator("#upload-file").set_input_files(large)
    wait_status(page, locale.text(lang, "error.upload_too_large", came=16 * 2**20 + 1, limit=16 * 2**20))
    assert picture(page) == before
    assert not [url for url in sent if "upload" in url]


def test_the_page_with_a_refused_file_goes_on_drawing_the_good_one(page_with_a_file: tuple[Page, str]) -> None:
    page, lang = page_with_a_file
    give(page, "notes.txt", b"Q")
    wait_status(page, locale.text(lang, "error.upload_format", came="notes.txt", choices=".npz, .safetensors, .csv"))
    controls.choose(page, "scaling", "d_k")
    drawn.wait_painted(page, f"scaling=d_k&source=upload&lang={lang}")
    assert_heat_maps(page, computed(CROSS, scaling="d_k"), View())
    controls.choose(page, "scaling", "sqrt_d_k")
    drawn.wait_painted(page, f"source=upload&lang={lang}")
