"""Broken and lying files: each is refused in words, takes little, and the next visitor is served."""

import struct

import numpy as np
import pytest
import safetensors.numpy
from fastapi.testclient import TestClient

from tests.visualiser.conftest import parts, wrapped
from visualiser import locale
from visualiser.server.live.routes import PREFIX


@pytest.mark.parametrize(
    "upload",
    [
        b"",
        b"garbage",
        b"\xff" * 64,
        struct.pack("<Q", 2**63) + b"{}",
        struct.pack("<Q", 20) + b'{"Q":' * 4,
        bytes(2**20),
    ],
    ids=["empty", "text", "ones", "a header of 2^63 bytes", "a broken header", "a mebibyte of zeros"],
)
def test_an_upload_that_is_none_is_refused_in_words(client: TestClient, upload: bytes) -> None:
    message = locale.text("en", "error.upload_unreadable", format="safetensors")
    row = parts(
        client.post(f"{PREFIX}/page/explore/row", content=wrapped({"query": "source=upload", "row": 0}, upload))
    )
    assert [(part["part"], part["message"]) for part in row] == [("error", message)]
    frame = parts(client.post(f"{PREFIX}/page/explore", content=wrapped({"query": "source=upload"}, upload)))
    if upload:
        assert [(part["part"], part["message"]) for part in frame] == [("error", message)]
        taken = client.post(f"{PREFIX}/take-away/explore/html", content=wrapped({"query": "source=upload"}, upload))
        assert (taken.status_code, taken.json()) == (422, {"message": message})
    else:  # a link to another visitor's file
        assert frame[0]["notices"] == [locale.text("en", "notice.no_upload")]


def test_an_upload_with_endlessly_many_heads_is_refused_in_words(client: TestClient) -> None:
    header = b'{"Q":{"shape":[1e999,2,3]},"K":{"shape":[1,2,3]},"V":{"shape":[1,2,3]}}'
    body = wrapped({"query": "source=upload"}, struct.pack("<Q", len(header)) + header)
    assert [part["part"] for part in parts(client.post(f"{PREFIX}/page/explore", content=body))] == ["error"]


def test_tensors_that_fit_a_file_but_no_page_are_refused(client: TestClient) -> None:
    wide = safetensors.numpy.save({"Q": np.zeros((17, 2, 2), np.float32), "K": np.zeros((16, 2, 2), np.float32)})
    (error,) = parts(client.post(f"{PREFIX}/page/explore", content=wrapped({"query": "source=upload"}, wide)))
    assert error["message"] == locale.text(
        "en", "error.upload_size", name="Q", field="h", came="17", minimum=1, maximum=16
    )


@pytest.mark.parametrize("name", ["../../etc/passwd", "a.pkl", "", "x" * 60_000, "<img src=x onerror=alert(1)>"])
def test_a_file_of_another_kind_is_refused_without_a_look_at_it(client: TestClient, name: str) -> None:
    answer = client.post(f"{PREFIX}/upload", params={"name": name}, content=b"\x80\x04\x95junk")
    assert answer.status_code == 422
    assert ".npz, .safetensors, .csv" in answer.json()["message"]
    assert "<" not in answer.json()["message"]


@pytest.mark.parametrize(
    ("named", "preferred", "lang"),
    [({}, "ko", "ko"), ({"lang": "en"}, "ko", "en"), ({"lang": "xx"}, "ko, en;q=0.5", "ko")],
)
def test_a_read_file_is_told_of_in_the_visitors_language(
    client: TestClient, named: dict[str, str], preferred: str, lang: str
) -> None:
    file = safetensors.numpy.save({"Q": np.zeros((2, 3, 4), np.float32), "K": np.zeros((2, 5, 4), np.float32)})
    answer = client.post(
        f"{PREFIX}/upload",
        params={"name": "a.safetensors", **named},
        headers={"Accept-Language": preferred},
        content=file,
    )
    (part,) = parts(answer)
    assert part["message"] == locale.text(lang, "upload.read", name="a.safetensors", h=2, n_q=3, n_k=5, d_k=4, d_v=4)
