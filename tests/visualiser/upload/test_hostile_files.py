"""Hostile files: each is refused in words, within the time and memory that `visualiser.upload` states."""

import io
import time
from typing import Any

import numpy as np
import pytest
import safetensors.numpy
from hypothesis import given, settings
from hypothesis import strategies as st

from attention_core import InvalidInput
from tests.draws import cases
from tests.visualiser.upload.refusals import HEADING, refused
from visualiser.locale import texts
from visualiser.upload import FILE_LIMIT, FORMATS, read_upload


def test_a_csv_of_fifty_megabytes_is_not_read(peak_mebibytes):
    body = b"Q,0,0,1\n" * (50 * 2**20 // 8)
    assert texts("en")  # read once, by whatever asks first
    with peak_mebibytes() as peak:
        sentence = "The file has 52428800 bytes or more; at most 16777216 bytes are read."
        refused("large.csv", body, "upload_too_large", sentence)
    assert peak.mebibytes < 1


@pytest.fixture
def largest(npz):
    """Files close to `FILE_LIMIT` with as many numbers as are read, the most expensive of each format."""
    wide = {"Q": np.random.default_rng(3).standard_normal((8, 512, 240)), "K": np.zeros((8, 512, 240))}
    digits = b",1.5" * 330
    lines = [
        b"%s,%d,%d%s" % (name, head, position, digits)
        for name in (b"Q", b"K", b"V")
        for head in range(8)
        for position in range(490)
    ]
    return {
        ".npz": npz(wide),
        ".safetensors": safetensors.numpy.save({name: array.astype(np.float64) for name, array in wide.items()}),
        ".csv": b"\n".join([b"tensor,head,position", *lines]),
    }


@pytest.mark.night
@pytest.mark.slow
@pytest.mark.parametrize("extension", FORMATS)
def test_the_dearest_file_stays_within_the_stated_bounds(largest, extension, peak_mebibytes):
    body = largest[extension]
    assert 0.4 * FILE_LIMIT < len(body) <= FILE_LIMIT
    started = time.process_time()
    read_upload("heads" + extension, body)
    # time of this process alone, so that a busy machine does not fail the test
    assert time.process_time() - started < 10
    with peak_mebibytes() as peak:
        read_upload("heads" + extension, body)
    assert peak.mebibytes < 160


@settings(max_examples=cases(200), deadline=None)
@given(body=st.binary(max_size=400), extension=st.sampled_from(list(FORMATS)))
def test_noise_is_refused(body, extension):
    with pytest.raises(InvalidInput, match=r"\w"):
        read_upload("noise" + extension, body)


@settings(max_examples=cases(300), deadline=None)
@given(data=st.data())
def test_a_damaged_file_is_read_or_refused_and_nothing_else(data):
    queries, keys = np.arange(30, dtype=np.float32).reshape(2, 3, 5), np.ones((2, 7, 5), np.float32)
    tensors: dict[str, Any] = {"Q": queries, "K": keys}
    stream = io.BytesIO()
    np.savez_compressed(stream, **tensors)
    lines = "\n".join(f"{name},0,{row},1,2" for name in "QK" for row in range(3))
    bodies = {
        ".npz": stream.getvalue(),
        ".safetensors": safetensors.numpy.save(tensors),
        ".csv": HEADING + lines.encode(),
    }
    extension = data.draw(st.sampled_from(list(bodies)))
    body = bytearray(bodies[extension])
    for _ in range(data.draw(st.integers(1, 4))):
        body[data.draw(st.integers(0, len(body) - 1))] = data.draw(st.integers(0, 255))
    try:
        inputs = read_upload("damaged" + extension, bytes(body))
    except InvalidInput as problem:
        code = problem.code
    else:
        code = "upload_read" if inputs.Q.isfinite().all() and inputs.Q.shape[-1] == inputs.K.shape[-1] else "wrong"
    assert code.startswith("upload_")
