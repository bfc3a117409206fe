"""Hostile npz files: zip bombs, archives that lie, pickles, headers that are none."""

import io
import zipfile

import numpy as np
import pytest

from tests.visualiser.upload.refusals import HEADER, TRUNCATED, UNREADABLE, refused


@pytest.mark.night
@pytest.mark.slow
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


@pytest.mark.slow
def test_a_member_longer_than_its_own_header_says(archive, npy, peak_mebibytes):
    body = archive({"Q.npy": npy("<f4", (2, 3)) + bytes(300 * 2**20), "K.npy": b""})
    with peak_mebibytes() as peak:
        refused("bomb.npz", body, "upload_truncated", TRUNCATED.format("Q", 24, 300 * 2**20))
    assert peak.mebibytes < 2


@pytest.mark.night
@pytest.mark.slow
def test_an_archive_whose_list_lies_about_a_member(archive, npy, peak_mebibytes):
    """The list at the end states 24 bytes of numbers, but the compressed stream continues for 300 MiB."""
    header = len(npy("<f4", (2, 3)))
    body = bytearray(archive({"Q.npy": npy("<f4", (2, 3)) + bytes(300 * 2**20), "K.npy": b""}))
    entry = body.index(b"PK\x01\x02")
    body[entry + 24 : entry + 28] = (header + 24).to_bytes(4, "little")
    with peak_mebibytes() as peak:
        refused("bomb.npz", bytes(body), "upload_unreadable", UNREADABLE.format("npz"))
    assert peak.mebibytes < 4


@pytest.mark.night
@pytest.mark.slow
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
