"""Files to upload, sound and hostile, made with the libraries' own writers and then altered."""

import io
import json
import struct
import tracemalloc
import zipfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest

Writer = Callable[[Mapping[str, np.ndarray]], bytes]


@pytest.fixture
def arrays() -> dict[str, np.ndarray]:
    """Return prime shapes: h = 3, n_q = 5, n_k = 7, d_k = 11, d_v = 13."""
    generator = np.random.default_rng(17)
    shapes = {"Q": (3, 5, 11), "K": (3, 7, 11), "V": (3, 7, 13)}
    return {name: generator.standard_normal(shape).astype(np.float32) for name, shape in shapes.items()}


@pytest.fixture
def npz() -> Writer:
    def write(arrays: Mapping[str, Any]) -> bytes:
        stream = io.BytesIO()
        np.savez_compressed(stream, **arrays)
        return stream.getvalue()

    return write


@pytest.fixture
def archive() -> Callable[[Mapping[str, bytes]], bytes]:
    """Write a zip with exactly these members."""

    def write(members: Mapping[str, bytes]) -> bytes:
        stream = io.BytesIO()
        with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as opened:
            for name, content in members.items():
                opened.writestr(name, content)
        return stream.getvalue()

    return write


@pytest.fixture
def npy() -> Callable[..., bytes]:
    """Write a .npy file with any header."""

    def write(descr: object, shape: object, content: bytes = b"", fortran_order: object = False) -> bytes:
        header = f"{{'descr': {descr!r}, 'fortran_order': {fortran_order!r}, 'shape': {shape!r}, }}\n".encode()
        return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + content

    return write


@pytest.fixture
def safetensors_file() -> Callable[[object, bytes], bytes]:
    """Write a safetensors file with this header (JSON text, or a value for it) and these numbers."""

    def write(header: object, content: bytes = b"") -> bytes:
        text = (header if isinstance(header, str) else json.dumps(header)).encode()
        return struct.pack("<Q", len(text)) + text + content

    return write


@pytest.fixture
def csv_file() -> Writer:
    def write(arrays: Mapping[str, np.ndarray]) -> bytes:
        width = max(array.shape[-1] for array in arrays.values())
        lines = [",".join(["tensor", "head", "position", *map(str, range(width))])]
        for name, array in arrays.items():
            for (head, position), _ in np.ndenumerate(array[:, :, 0]):
                lines.append(",".join([name, str(head), str(position), *map(repr, array[head, position].tolist())]))
        return "\n".join(lines).encode()

    return write


@pytest.fixture
def peak_mebibytes() -> Callable[[], object]:
    """Measure the peak memory of a block, in MiB, above that before it."""

    class Peak:
        mebibytes = 0.0

    @contextmanager
    def measure() -> Iterator[Peak]:
        peak = Peak()
        tracemalloc.start()
        try:
            yield peak
        finally:
            peak.mebibytes = tracemalloc.get_traced_memory()[1] / 2**20
            tracemalloc.stop()

    return measure
