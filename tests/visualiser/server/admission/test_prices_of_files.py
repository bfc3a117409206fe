"""What reading a file is priced at, by its sizes alone: the formulas by hand."""

import pytest

from visualiser.server.admission.cost import MEBIBYTE, upload, weights
from visualiser.upload.beforehand import FileSizes


@pytest.mark.parametrize(
    ("sizes", "seconds", "bytes_above"),
    [
        # 2.1 times the bytes of all numbers, at least 8.6 bytes each, and 7.2 for each number of the largest tensor
        (FileSizes(10**6, 400_000, width=2), 0.036, 8_600_000 + 2_880_000),
        (FileSizes(10**6, 400_000, width=4), 0.036, 8_600_000 + 2_880_000),
        (FileSizes(10**6, 400_000, width=8), 0.036, 16_800_000 + 2_880_000),
        # a CSV: 18 bytes a number and 270 a line, whatever the width
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
