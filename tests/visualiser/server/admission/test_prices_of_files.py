"""What reading a file is priced at, by its sizes alone: the formulas by hand."""

import pytest

from visualiser.server.admission.cost import MEBIBYTE, upload, weights
from visualiser.upload.beforehand import FileSizes


@pytest.mark.parametrize(
    ("sizes", "seconds", "bytes_above"),
    [
        # numbers of four bytes or fewer are copied as they are read, wider ones twice
        (FileSizes(10**6, 400_000, width=2), 0.036, 8_600_000 + 2_880_000),
        (FileSizes(10**6, 400_000, width=4), 0.036, 8_600_000 + 2_880_000),
        (FileSizes(10**6, 400_000, width=8), 0.036, 16_800_000 + 2_880_000),
        # a CSV's lines are strings first, and its numbers are parsed
        (FileSizes(10**6, 400_000, width=8, rows=1000), 0.336, 18_270_000 + 2_880_000),
    ],
)
def test_vectors(sizes: FileSizes, seconds: float, bytes_above: int) -> None:
    cost = upload(sizes, 8_000_000)
    assert cost.seconds == pytest.approx(seconds)
    assert cost.memory == MEBIBYTE + bytes_above


def test_weights_of_attention() -> None:
    cost = weights(FileSizes(10**6, 400_000, width=4), 4_000_000)
    assert cost.seconds == pytest.approx(0.082)
    assert cost.memory == MEBIBYTE + 16_000_000 + 3_200_000
