"""A head's file of HeadVis on the page Model: its passages are layers, sparse, and opened without their model."""

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from attention_core import InvalidInput
from tests.attention_core.learned.headvis.head_file import AS_THEIRS, with_field
from tests.visualiser.pages.model.test_weights import request
from visualiser import models
from visualiser.locale import LANGUAGES, text
from visualiser.locale.message import Message, write_all
from visualiser.models.file_weights import ReadFile, read_file
from visualiser.notebook.things import Handed, Wish, handed
from visualiser.pages.model import MOST_TOKENS, sentences
from visualiser.pages.model.live import frame
from visualiser.pages.model.present import figures_of
from visualiser.pages.model.reading import read
from visualiser.server.admission import cost
from visualiser.server.live import routes
from visualiser.upload.weights import sizes_of_weights

FILE = AS_THEIRS.encode()


@pytest.fixture
def file() -> ReadFile:
    return read_file("L3H11.json", FILE, MOST_TOKENS)


def opened(file: ReadFile, **settings: object):
    return read(request(file.name, file.file, **settings))


def many(count: int, n: int, token: str = "a") -> bytes:
    """Return a file with so many passages of n tokens, a band of each ten, the strongest last."""
    one = {"tokens": [token] * n, "attention_indices": [n], "attention_values": [0.5], "seq_len": n}
    return json.dumps(
        {
            "sequences": [
                {**one, "sequence_id": number, "interval": 1 + number // 10, "max_activation": number / 1000}
                for number in range(count)
            ]
        },
        ensure_ascii=False,
    ).encode()


def test_each_passage_is_a_layer_with_tokens_of_its_own(file: ReadFile) -> None:
    strongest, lowest = opened(file, layer=1).shown, opened(file, layer=2).shown
    assert strongest.run.queries(1).tokens == (" sat", "\n")
    assert lowest.run.queries(2).tokens == ("The", " cat", "é", "\ufffd")
    expected = np.zeros((4, 4), np.float32)
    expected[[0, 1, 1, 2, 2], [0, 0, 1, 0, 2]] = [1, 0.93, 0.005, 0.5, 0.25]
    np.testing.assert_allclose(lowest.weights, expected, rtol=1e-6)
    np.testing.assert_array_equal(lowest.allowed, np.tri(4, dtype=bool))  # no zero is taken for a mask


def test_what_needs_whole_rows_is_not_measured(file: ReadFile) -> None:
    shown = opened(file, layer=2).shown
    for name in shown.measures:
        assert math.isnan(shown.measured(name, 2, 1)), name
    assert np.isnan(shown.entropy).all()


def test_a_row_says_how_much_of_it_the_file_has(file: ReadFile) -> None:
    found = opened(file, layer=2, row=2)
    said = write_all(sentences.insight(found.shown, found.model, found.footnote), "en")
    assert text("en", "model.passage_row", sum=0.75, query="2 “é”") in said


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_page_says_that_it_is_sparse_and_which_passage_it_is(file: ReadFile, lang: str) -> None:
    found = opened(file, layer=2, lang=lang)
    said = write_all(sentences.insight(found.shown, found.model, found.footnote), lang)
    head = text(lang, "model.head_of_passage", head="4.12", passage="2")
    assert said[:2] == [
        text(lang, f"{kind}model.rows_sparse", head=head, least=0.0, most=1.0) for kind in ("short.", "")
    ]
    assert text(lang, "model.passage", name="2.1", head="4.12", passage=2, count=2, interval="1", id="40") in said
    assert text(lang, "table.head_row.left_out", query="3") in said  # the last row has no weight in the file
    assert text(lang, "model.passage_alone") in said
    assert text(lang, "model.weights_alone") not in said


def test_the_page_answers(file: ReadFile) -> None:
    for layer in (1, 2):
        answer = b"".join(map(bytes, frame(request(file.name, file.file, layer=layer))))
        assert b'"failure"' not in answer
    names = {figure.name for figure in figures_of(opened(file).shown)}
    assert "head-entropy" not in names
    assert "head-map" in names


def test_a_name_that_says_no_head_is_told_so() -> None:
    found = opened(read_file("mine.json", FILE, MOST_TOKENS)).shown
    assert isinstance(found.called, Message)
    assert found.called.written("en") == "? (passage 1)"


def test_the_one_form_is_the_same_run(file: ReadFile) -> None:
    held = models.taken_up(file.file, MOST_TOKENS)
    assert held is not None
    run = held.model.run("")
    assert run.lines == file.run.lines
    assert [vars(layer)["interval"] for layer in run.layers] == [10, 1]


@pytest.mark.parametrize(
    ("old", "new"), [("4.12", "4.<>"), ("[[10,", "[[1.,"), ("[[10, 7], ", "["), (r"\"The\", ", ""), (r"\" sat\", ", "")]
)
def test_a_form_that_somebody_changed_is_no_file(file: ReadFile, old: str, new: str) -> None:
    body, was = file.file, old.encode()
    assert was in body
    assert models.taken_up(body.replace(was, new.encode().ljust(len(was))), MOST_TOKENS) is None


def test_of_many_passages_the_strongest_of_each_band_fit() -> None:
    body = many(50, 400)
    found = read_file("L0H0.json", body, MOST_TOKENS)
    assert found.passages == 50
    names = [layer.name for layer in found.run.layers]
    assert len(names) == 4_000_000 // 400**2
    assert names[:5] == [f"interval 5, sequence {number}" for number in range(49, 44, -1)]
    assert names[-5:] == [f"interval 1, sequence {number}" for number in range(9, 4, -1)]


@pytest.mark.parametrize(("token", "least"), [(" said", 244), ('"\\' * 20, 18), ("\U0001d7fb" * 40, 18)])
def test_long_tokens_leave_fewer_passages_and_a_form_that_opens(token: str, least: int) -> None:
    found = read_file("L0H0.json", many(300, 128, token), MOST_TOKENS)
    held = models.taken_up(found.file, MOST_TOKENS)
    assert held is not None
    assert held.model.run("").lines == found.run.lines
    assert least <= len(found.run.layers) <= 244


def test_a_file_is_priced_by_its_size() -> None:
    small, large = (len(body) for body in (FILE, many(50, 400)))
    found = [sizes_of_weights("L0H0.json", b" " * size, MOST_TOKENS) for size in (small, large)]
    assert all(cost.weights(one, size).memory > 16 * size for one, size in zip(found, (small, large), strict=True))
    assert 2 * 2 + 4 * 4 <= found[0].numbers < found[1].numbers == 4_000_000


@pytest.mark.parametrize("lang", LANGUAGES)
def test_what_the_upload_says(file: ReadFile, lang: str) -> None:
    (part,) = routes.read_weights_file("L3H11.json", FILE, lang)
    assert text(lang, "weights.read_passages", name="L3H11.json", count=2, all=2).encode() in bytes(part)
    assert file.file in bytes(part)


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (b"[]", "headvis_field"),
        (b"nothing", "headvis_json"),
        (b'{"sequences": []}', "headvis_none"),
        (many(2, 513), "headvis_none"),
        (with_field([0, 4, 5, 8, 16], "sequences", 0, "attention_indices"), "headvis_index"),
    ],
)
def test_another_file_is_refused_in_a_sentence(body: bytes, code: str) -> None:
    with pytest.raises(InvalidInput) as problem:
        read_file("L0H0.json", body, MOST_TOKENS)
    assert problem.value.code == code
    assert str(problem.value) == text("en", f"error.{code}", **problem.value.details)
    assert text("ko", f"error.{code}", **problem.value.details) != str(problem.value)


def shown(x: Any) -> Handed:
    return handed(x, Wish())


def test_a_notebook_shows_a_path_and_an_object_of_json(tmp_path: Path) -> None:
    path = tmp_path / "L3H11.json"
    path.write_bytes(FILE)
    for x, head in ((path, "4.12"), (str(path), "4.12"), (json.loads(AS_THEIRS), "")):
        found = shown(x)
        run = models.find(str(found.settings["model"])).run("")
        assert [vars(layer)["head"] for layer in run.layers] == [head, head]
        assert found.notes == ()
    assert shown(json.loads(many(50, 400))).notes == ("notebook.passages",)
