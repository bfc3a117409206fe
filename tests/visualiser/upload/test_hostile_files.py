"""Hostile files: each is refused in words, within the time and memory that `visualiser.upload` states."""

import io
import re
import time
import zipfile
from typing import Any

import numpy as np
import pytest
import safetensors.numpy
from hypothesis import given, settings
from hypothesis import strategies as st

from attention_core import InvalidInput
from visualiser.upload import FILE_LIMIT, FORMATS, read_upload

UNREADABLE = (
    "The file is no {} file, or it is damaged; save it once more, without encryption and without pickled objects."
)
HEADER = (
    "The description of {0} in the file is damaged, or {0} is no plain array of numbers; "
    "save it as one (float32, for example)."
)
TRUNCATED = (
    "The shape of {} accounts for {} bytes, and the file holds {} for it; the file is cut off or its header is wrong."
)


def refused(name: str, body: bytes, code: str, message: str) -> None:
    with pytest.raises(InvalidInput, match=f"^{re.escape(message)}$") as caught:
        read_upload(name, body)
    assert caught.value.code == code


def test_a_csv_of_fifty_megabytes_is_not_read(peak_mebibytes):
    body = b"Q,0,0,1\n" * (50 * 2**20 // 8)
    with peak_mebibytes() as peak:
        said = "The file has 52428800 bytes or more; at most 16777216 bytes are read."
        refused("large.csv", body, "upload_too_large", said)
    assert peak.mebibytes < 1


# npz


def test_a_zip_bomb_is_never_inflated(archive, npy, peak_mebibytes):
    bomb = npy("<f4", (16, 512, 1024)) + bytes(512 * 2**20)
    body = archive({"Q.npy": bomb, "K.npy": b""})
    del bomb
    assert len(body) < 2**20
    with peak_mebibytes() as peak:
        refused(
            "bomb.npz",
            body,
            "upload_numbers",
            f"Q, K and V together hold {16 * 512 * 1024} numbers or more (a missing V counts as K); "
            "at most 4000000 are read.",
        )
    assert peak.mebibytes < 2


def test_a_member_longer_than_its_own_header_says(archive, npy, peak_mebibytes):
    body = archive({"Q.npy": npy("<f4", (2, 3)) + bytes(300 * 2**20), "K.npy": b""})
    with peak_mebibytes() as peak:
        refused("bomb.npz", body, "upload_truncated", TRUNCATED.format("Q", 24, 300 * 2**20))
    assert peak.mebibytes < 2


def test_an_archive_whose_list_lies_about_a_member(archive, npy, peak_mebibytes):
    """The list at the end states 24 bytes of numbers, but the compressed stream continues for 300 MiB."""
    header = len(npy("<f4", (2, 3)))
    body = bytearray(archive({"Q.npy": npy("<f4", (2, 3)) + bytes(300 * 2**20), "K.npy": b""}))
    entry = body.index(b"PK\x01\x02")
    body[entry + 24 : entry + 28] = (header + 24).to_bytes(4, "little")
    with peak_mebibytes() as peak:
        refused("bomb.npz", bytes(body), "upload_unreadable", UNREADABLE.format("npz"))
    assert peak.mebibytes < 4


def test_an_archive_of_a_hundred_thousand_members(peak_mebibytes):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as opened:
        for number in range(100_000):
            opened.writestr(f"{number:x}", b"")
    body = stream.getvalue()
    with peak_mebibytes() as peak:
        refused(
            "many.npz",
            body,
            "upload_members",
            "The archive holds 100000 entries; at most 64 are read. Save only Q, K and V.",
        )
    assert peak.mebibytes < 1


def test_an_archive_in_an_archive_is_another_name(archive, arrays, npz):
    message = "The file has no Q; Q and K are needed and V may be added. It holds: inner.npz, deep/Q, ??script?."
    refused(
        "nested.npz",
        archive({"inner.npz": npz(arrays), "deep/Q.npy": b"", "\n<script>.npy": b""}),
        "upload_missing",
        message,
    )


def test_a_member_that_stands_twice(npy):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as opened:
        opened.writestr("Q.npy", npy("<f4", (2, 1), bytes(8)))
        opened.writestr("q.npy", npy("<f4", (2, 1), bytes(8)))
    refused("twice.npz", stream.getvalue(), "upload_duplicate", "The file has Q twice; give it once.")


def test_an_array_of_objects_is_not_unpickled(npz, arrays):
    arrays["Q"] = np.array([[print, print], [print, print]], dtype=object)
    refused(
        "objects.npz", npz(arrays), "upload_dtype", "Q is stored as |O; give floats (16, 32 or 64 bits) or integers."
    )


def test_a_member_that_is_a_pickle(archive):
    refused(
        "objects.npz",
        archive({"Q.npy": b"\x80\x04\x8c\x05print\x93.", "K.npy": b""}),
        "upload_header",
        HEADER.format("Q"),
    )


@pytest.mark.parametrize(
    ("array", "shown"),
    [
        (np.zeros((5, 11), complex), "<c16"),
        (np.full((5, 11), "0.1"), "<U3"),
        (np.zeros((5, 11), bool), "|b1"),
        (np.zeros((5, 11), "datetime64[s]"), "<M8[s]"),
        (np.zeros((5, 11), [("real", "f4")]), "[(?real?, ?<f4?)]"),
    ],
)
def test_dtypes_that_are_no_numbers(npz, arrays, array, shown):
    arrays["Q"] = array
    message = f"Q is stored as {shown.replace('<', '?')}; give floats (16, 32 or 64 bits) or integers."
    refused("heads.npz", npz(arrays), "upload_dtype", message)


@pytest.mark.parametrize(
    ("descr", "shape", "fortran_order"),
    [
        ("<f4", [2, 3], False),
        ("<f4", (2, 3.0), False),
        ("<f4", (True, True), False),
        ("<f4", "2,3", False),
        ("<f4", (2, 3), "yes"),
    ],
)
def test_npy_headers_of_the_wrong_kind(archive, npy, descr, shape, fortran_order):
    body = archive({"Q.npy": npy(descr, shape, bytes(24), fortran_order), "K.npy": b""})
    refused("heads.npz", body, "upload_header", HEADER.format("Q"))


@pytest.mark.parametrize(
    "member",
    [
        b"",
        b"\x93NUMPY\x09\x00" + bytes(100),
        b"\x93NUMPY\x02\x00\xff\xff\xff\x7f" + bytes(100),
        b"\x93NUMPY\x01\x00\x10\x00__import__('os')",
        b"\x93NUMPY\x01\x00\x00\x04" + b"(" * 1024,
        b"\x93NUMPY\x01\x00\x00\x04" + b"-" * 1023 + b"1",
    ],
)
def test_npy_headers_that_are_none(archive, member):
    refused("heads.npz", archive({"Q.npy": member, "K.npy": b""}), "upload_header", HEADER.format("Q"))


@pytest.mark.parametrize(
    ("shape", "field", "shown", "bounds"),
    [
        ((2**62, 2**62), "n", "> 10^12", "2 and 512"),
        ((-1, 3), "n", "-1", "2 and 512"),
        ((10**300, 3), "n", "> 10^12", "2 and 512"),
    ],
)
def test_npy_headers_that_lie_about_shapes(archive, npy, shape, field, shown, bounds):
    message = (
        f"Q must have {field} between {bounds}; its {field} is {shown} (n counts vectors, d their components, h heads)."
    )
    refused("heads.npz", archive({"Q.npy": npy("<f4", shape), "K.npy": b""}), "upload_size", message)


def test_a_shape_larger_than_its_bytes(archive, npy, peak_mebibytes):
    body = archive({"Q.npy": npy("<f8", (4, 500, 1000), bytes(24)), "K.npy": b""})
    with peak_mebibytes() as peak:
        refused("heads.npz", body, "upload_truncated", TRUNCATED.format("Q", 16_000_000, 24))
    assert peak.mebibytes < 1


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_compressions_that_numpy_never_writes(npy, method):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", method) as opened:
        opened.writestr("Q.npy", npy("<f4", (2, 1), bytes(8)))
        opened.writestr("K.npy", npy("<f4", (2, 1), bytes(8)))
    refused("heads.npz", stream.getvalue(), "upload_unreadable", UNREADABLE.format("npz"))


def test_an_encrypted_archive(npz, arrays):
    body = bytearray(npz(arrays))
    for signature, offset in ((b"PK\x01\x02", 8), (b"PK\x03\x04", 6)):
        body[body.index(signature) + offset] |= 1
    refused("heads.npz", bytes(body), "upload_unreadable", UNREADABLE.format("npz"))


# safetensors


def test_a_header_that_claims_to_be_huge(peak_mebibytes):
    with peak_mebibytes() as peak:
        refused("huge.safetensors", b"\xff" * 8 + b"{}", "upload_unreadable", UNREADABLE.format("safetensors"))
    assert peak.mebibytes < 1


def test_a_header_that_is_huge(safetensors_file, peak_mebibytes):
    body = safetensors_file('{"a":' * 2**20 + "1" + "}" * 2**20)
    with peak_mebibytes() as peak:
        refused("huge.safetensors", body, "upload_unreadable", UNREADABLE.format("safetensors"))
    assert peak.mebibytes < 1


@pytest.mark.parametrize(
    "text",
    ["", "{", "[]", "1", "null", '"Q"', '{"Q": NaN', "[" * 60_000, '{"a":' * 12_000, "\x00", "[[[1]]]", "1" * 5000],
)
def test_headers_that_are_no_table(safetensors_file, text):
    refused("heads.safetensors", safetensors_file(text), "upload_unreadable", UNREADABLE.format("safetensors"))


@pytest.mark.parametrize(
    "body", [b"", b"\x02", b"\x02\x00\x00\x00\x00\x00\x00\x00{", b"\xff\xfe\x00\x00\x00\x00\x00\x00"]
)
def test_safetensors_cut_off_in_the_header(body):
    refused("heads.safetensors", body, "upload_unreadable", UNREADABLE.format("safetensors"))


def test_safetensors_cut_off_in_the_numbers(arrays):
    body = safetensors.numpy.save({"Q": arrays["Q"], "K": arrays["K"]})[:-3]
    refused("heads.safetensors", body, "upload_truncated", TRUNCATED.format("Q", 660, 657))


def entry(**other: object) -> dict[str, object]:
    return {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24], **other}


@pytest.mark.parametrize(
    "broken",
    [
        7,
        [],
        {},
        {"dtype": "F32"},
        entry(dtype=4),
        entry(shape="23"),
        entry(shape=[2, -3]),
        entry(shape=[2, 3.0]),
        entry(shape=None),
        entry(data_offsets=[0]),
        entry(data_offsets=[24, 0]),
        entry(data_offsets=[-24, 0]),
        entry(data_offsets=["0", "24"]),
        entry(data_offsets={"a": 0}),
    ],
)
def test_safetensors_entries_of_the_wrong_kind(safetensors_file, broken):
    body = safetensors_file({"Q": broken, "K": entry()}, bytes(24))
    refused("heads.safetensors", body, "upload_header", HEADER.format("Q"))


@pytest.mark.parametrize(
    ("lie", "code", "message"),
    [
        (entry(shape=[2, 4]), "upload_truncated", TRUNCATED.format("Q", 32, 24)),
        (entry(data_offsets=[0, 2**60]), "upload_truncated", TRUNCATED.format("Q", 24, 2**60)),
        (entry(data_offsets=[8, 32]), "upload_truncated", TRUNCATED.format("Q", 24, 16)),
        (entry(data_offsets=[2**70, 2**70 + 24]), "upload_truncated", TRUNCATED.format("Q", 24, 0)),
        (
            entry(dtype="F8_E4M3"),
            "upload_dtype",
            "Q is stored as F8_E4M3; give floats (16, 32 or 64 bits) or integers.",
        ),
        (entry(dtype="BOOL"), "upload_dtype", "Q is stored as BOOL; give floats (16, 32 or 64 bits) or integers."),
        (
            entry(dtype="<b>" * 99),
            "upload_dtype",
            f"Q is stored as {'?b?' * 20}…; give floats (16, 32 or 64 bits) or integers.",
        ),
    ],
)
def test_safetensors_entries_that_lie(safetensors_file, lie, code, message):
    refused("heads.safetensors", safetensors_file({"Q": lie, "K": entry()}, bytes(24)), code, message)


def test_a_tensor_that_stands_twice(safetensors_file):
    text = '{"Q": {"dtype": "F32"}, "K": {}, "Q": {}}'
    refused("twice.safetensors", safetensors_file(text), "upload_duplicate", "The file has Q twice; give it once.")


# CSV

HEADING = b"tensor,head,position,0,1\n"
LINES = [
    (b"", "upload_csv_heading", "The first line of the CSV must be “tensor,head,position,0,1,…”; it is “”."),
    (b"a,b\n1,2", "upload_csv_heading", "The first line of the CSV must be “tensor,head,position,0,1,…”; it is “a,b”."),
    (HEADING + b"X,0,0,1,2", "upload_csv_line", "Line 2 of the CSV: expected Q, K, V; “X” came."),
    (
        HEADING + b"Q,0,0,1,2\nQ,0,0,1,2",
        "upload_csv_twice",
        "Line 3 of the CSV gives Q, head 0, position 0 a second time.",
    ),
    (HEADING + b"Q,16,0,1,2", "upload_csv_line", "Line 2 of the CSV: expected head: 0 … 15; “16” came."),
    (HEADING + b"Q,-1,0,1,2", "upload_csv_line", "Line 2 of the CSV: expected head: 0 … 15; “-1” came."),
    (HEADING + b"Q,0,512,1,2", "upload_csv_line", "Line 2 of the CSV: expected position: 0 … 511; “512” came."),
    (
        HEADING + b"Q,0," + b"9" * 5000 + b",1",
        "upload_csv_line",
        f"Line 2 of the CSV: expected position: 0 … 511; “{'9' * 60}…” came.",
    ),
    (HEADING + b"Q", "upload_csv_line", "Line 2 of the CSV: expected head: 0 … 15; “” came."),
    (HEADING + b"Q,0,0", "upload_csv_line", "Line 2 of the CSV: expected d: 1 … 1024; “0” came."),
    (HEADING + b"Q,0,0" + b",1" * 1025, "upload_csv_line", "Line 2 of the CSV: expected d: 1 … 1024; “1025” came."),
    (
        HEADING + b"Q,0,0,1,=HYPERLINK(1)",
        "upload_csv_number",
        "Line 2 of the CSV: every component must be a number; “=HYPERLINK(1)” came.",
    ),
    (HEADING + b"Q,0,0,1_0,2", "upload_csv_number", "Line 2 of the CSV: every component must be a number; “1_0” came."),
    (HEADING + b"Q,0,0,,2", "upload_csv_number", "Line 2 of the CSV: every component must be a number; “” came."),
    (
        HEADING + b"Q,0,0,1,2\nQ,0,1,1",
        "upload_csv_width",
        "Line 3 of the CSV: the first line of Q has 2 numbers, so each must; 1 came.",
    ),
    (
        HEADING + b"Q,0,0,1,2\nQ,0,2,1,2",
        "upload_csv_gap",
        "The CSV lacks Q, head 0, position 1; every head needs every position from 0 on.",
    ),
    (
        HEADING + b'Q,0,0,"1,2',
        "upload_csv_line",
        "Line 2 of the CSV: expected Q,0,0,0.12,…; “unexpected end of data” came.",
    ),
    (HEADING + b"Q,0,0,\xff", "upload_unreadable", UNREADABLE.format("csv")),
    (b"\n" * 10**6, "upload_csv_heading", "The first line of the CSV must be “tensor,head,position,0,1,…”; it is “”."),
    (HEADING + b"\n" * 10**6, "upload_csv_lines", "The CSV has more than 49152 lines, more than Q, K and V can need."),
    (b"1" * 10**6, "upload_csv_line", "Line 1 of the CSV: expected ≤ 65536; “> 65536” came."),
]


@pytest.mark.parametrize(("body", "code", "message"), LINES, ids=range(len(LINES)))
def test_csv_lines_that_are_wrong(body, code, message):
    refused("heads.csv", body, code, message)


def test_csv_as_spreadsheets_write_it():
    lines = ["\ufefftensor,head,position,0,1", '"Q",0,0, 1 ,-2e-1', "Q,0,1,3,4", "k,0,0,5,6", "k,0,1,7,8"]
    padded = ["V,0,0,9,", "V,0,1,10,", ",,,,", ""]
    inputs = read_upload("heads.csv", "\r\n".join(lines + padded).encode())
    assert inputs.Q.tolist() == [[[1.0, pytest.approx(-0.2)], [3.0, 4.0]]]
    assert inputs.V.tolist() == [[[9.0], [10.0]]]


# every format


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


@settings(max_examples=200, deadline=None)
@given(body=st.binary(max_size=400), extension=st.sampled_from(list(FORMATS)))
def test_noise_is_refused(body, extension):
    with pytest.raises(InvalidInput, match=r"\w"):
        read_upload("noise" + extension, body)


@settings(max_examples=300, deadline=None)
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
