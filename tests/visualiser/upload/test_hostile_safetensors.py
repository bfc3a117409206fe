"""Hostile safetensors files: headers that lie or are none, and files cut off."""

import pytest
import safetensors.numpy

from tests.visualiser.upload.refusals import HEADER, TRUNCATED, UNREADABLE, refused


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
