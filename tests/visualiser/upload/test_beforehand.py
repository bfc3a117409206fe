"""A file announces at least what is read from it; a file that lies announces nothing."""

import io

import numpy as np
import pytest
import safetensors.numpy

from visualiser.upload.beforehand import NOTHING, FileSizes, sizes_from_header

TENSORS = {"Q": np.ones((2, 3, 5)), "K": np.ones((2, 7, 5)), "V": np.ones((2, 7, 11))}


def archive(**tensors: np.ndarray) -> bytes:
    stream = io.BytesIO()
    np.savez_compressed(stream, **tensors)  # type: ignore[arg-type]
    return stream.getvalue()


def test_each_format_announces_its_numbers() -> None:
    expected = FileSizes(numbers=30 + 70 + 154, largest=154, width=8)
    assert sizes_from_header("a.npz", archive(**TENSORS), 512) == expected
    assert sizes_from_header("a.safetensors", safetensors.numpy.save(TENSORS), 512) == expected
    rows = b"tensor,head,position,0,1\nQ,0,0,1,2\nK,0,0,3,4"
    assert sizes_from_header("a.csv", rows, 512) == FileSizes(numbers=12, largest=12, width=8, rows=3)


def test_a_missing_v_takes_the_place_of_k() -> None:
    without = archive(Q=TENSORS["Q"], K=TENSORS["K"])
    assert sizes_from_header("a.npz", without, 512) == FileSizes(numbers=30 + 70 + 70, largest=70, width=8)


@pytest.mark.parametrize("name", ["a.npz", "a.safetensors", "a.pt"])
@pytest.mark.parametrize("body", [b"", b"PK", b"\xff" * 64, (2).to_bytes(8, "little") + b"[]", archive(Q=np.ones(4))])
def test_what_is_refused_unread_announces_nothing(name: str, body: bytes) -> None:
    assert sizes_from_header(name, body, 512) == NOTHING


@pytest.mark.slow
def test_more_than_a_page_takes_announces_nothing() -> None:
    assert (
        sizes_from_header("a.npz", archive(Q=np.zeros((16, 512, 1024), np.int8), K=np.zeros((16, 512, 1024))), 512)
        == NOTHING
    )


def test_nothing_is_nothing() -> None:
    assert vars(NOTHING) == {"numbers": 0, "largest": 0, "width": 0, "rows": 0}
