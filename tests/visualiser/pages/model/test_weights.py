"""The visitor's weights on the page Model: a request that brings the file shows them, and its files are of them."""

import io
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from tests.visualiser.upload.test_weights import TOKENS, npz, weights
from visualiser import models
from visualiser.locale import LANGUAGES, text
from visualiser.models.file_weights import ReadFile, read_file
from visualiser.pages.model import MOST_TOKENS, price
from visualiser.pages.model.live import frame
from visualiser.pages.model.reading import read
from visualiser.pages.model.take_away import FILES
from visualiser.server.admission.cost import SMALL
from visualiser.server.live import routes
from visualiser.server.live.page_request import PageRequest
from visualiser.upload.weights import MOST_TOKENS as MOST_UPLOADED

W = weights(3, 2)


@pytest.fixture
def file() -> ReadFile:
    return read_file("a.npz", npz(weights=W, tokens=np.array(TOKENS)), MOST_TOKENS)


def request(model: str, upload: bytes, **settings: object) -> PageRequest:
    link = "&".join([f"model={model}", *(f"{name}={value}" for name, value in settings.items())])
    return PageRequest(link, None, frozenset(), upload, "en", "light", 0, "http://x/", {}, "model")


def test_a_request_with_the_file_shows_its_weights(file: ReadFile) -> None:
    found = read(request(file.name, file.file, layer=3, head=2, row=4))
    assert found.notices == ()
    np.testing.assert_array_equal(found.shown.weights, W[2, 1])
    assert list(found.shown.run.tokens) == TOKENS
    assert not found.shown.scored
    mean = [W[2, 1, row, row - 1] for row in range(1, 5)]  # the token before, of this run: nobody read a corpus
    assert found.shown.measured("previous_token", 3, 2) == pytest.approx(np.mean(mean), abs=1e-6)


def test_a_layer_and_a_head_that_the_file_lacks_are_the_nearest(file: ReadFile) -> None:
    found = read(request(file.name, file.file, layer=9, head=9))
    assert (found.shown.layer, found.shown.head) == (3, 2)
    assert found.notices


@pytest.mark.parametrize("lang", LANGUAGES)
def test_without_the_file_the_first_model_is_shown_and_a_notice_says_why(file: ReadFile, lang: str) -> None:
    used = text(lang, "model.name.headlight")
    other = read_file("b.npz", npz(weights=weights(1)), MOST_TOKENS)
    for upload in (b"", b"anything", other.file):
        found = read(request(file.name, upload, layer=3, head=2, row=4, lang=lang))
        assert found.notices == (text(lang, "notice.no_weights", used=used),)
        assert (found.state.config.model, found.shown.layer, found.shown.head) == (models.DEFAULT, 1, 1)


def test_the_page_answers_with_every_figure_that_weights_have(file: ReadFile) -> None:
    answer = b"".join(map(bytes, frame(request(file.name, file.file))))
    assert b'"failure"' not in answer
    assert b"head-entropy" in answer


def test_another_request_does_not_find_what_one_brought(file: ReadFile) -> None:
    asked = request(file.name, file.file)
    assert asked.reading.state.config.model == file.name
    assert request(file.name, b"").reading.state.config.model == models.DEFAULT
    del asked
    assert models.known(file.name) is None


def test_it_is_priced_by_its_header_before_a_number_is_read(file: ReadFile) -> None:
    long = read_file("a.npy", npy(np.full((8, 400, 400), 1 / 400, np.float32)), MOST_TOKENS)
    small, large = (price.frame(request(one.name, one.file)) for one in (file, long))
    assert small.memory < SMALL.memory
    assert large.memory > 4 * 8 * 400 * 400  # also where visitors are strangers, and texts have 128 tokens
    broken = bytearray(long.file)
    broken[-4:] = np.float32(np.nan).tobytes()
    held = models.taken_up(bytes(broken), MOST_TOKENS)
    assert held is not None
    asked = request(held.model.name, bytes(broken))
    assert price.frame(asked) == large  # nothing was read


def npy(array: np.ndarray) -> bytes:
    written = io.BytesIO()
    np.save(written, array)
    return written.getvalue()


def test_the_script_prints_the_row_of_the_npz_file(file: ReadFile, tmp_path: Path) -> None:
    asked = request(file.name, file.file, layer=2, head=1, row=3)
    script, archive = (b"".join(map(bytes, FILES[kind].content(asked))) for kind in ("snippet", "npz"))
    (tmp_path / "headlight-model.npz").write_bytes(archive)
    printed = subprocess.run(
        [sys.executable, "-c", script.decode()], cwd=tmp_path, capture_output=True, text=True, check=True
    ).stdout
    found = [float(line.split()[1]) for line in printed.splitlines()]
    np.testing.assert_allclose(found, W[1, 0, 3], rtol=1e-6)
    again = read_file("headlight-model.npz", archive, MOST_TOKENS)  # the page reads its own file
    assert again.name == file.name


def test_the_html_file_has_the_tokens(file: ReadFile) -> None:
    page = b"".join(map(bytes, FILES["html"].content(request(file.name, file.file)))).decode()
    assert "고양이" in page


def test_what_the_upload_says(file: ReadFile) -> None:
    (part,) = routes.read_weights_file("<b>.npz", npz(weights=W, tokens=np.array(TOKENS)), "en")
    answer = bytes(part)
    assert text("en", "weights.read", name="<b>.npz", layers=3, h=2, n=5).encode() in answer
    assert file.name.encode() in answer
    assert file.file in answer


def test_a_file_has_as_many_tokens_as_the_page_shows() -> None:
    assert MOST_UPLOADED == MOST_TOKENS
