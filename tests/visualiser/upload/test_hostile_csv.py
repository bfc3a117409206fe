"""CSV files that are wrong, line by line, and as spreadsheets write them."""

import pytest

from tests.visualiser.upload.refusals import HEADING, UNREADABLE, refused
from visualiser.upload import read_upload

LINES = [
    (b"", "upload_csv_heading", "The first line of the CSV must be “tensor,head,position,0,1,…”; it is “”."),
    (b"a,b\n1,2", "upload_csv_heading", "The first line of the CSV must be “tensor,head,position,0,1,…”; it is “a,b”."),
    (HEADING + b"X,0,0,1,2", "upload_csv_line", "Line 2 of the CSV: expected Q, K, V; found “X”."),
    (
        HEADING + b"Q,0,0,1,2\nQ,0,0,1,2",
        "upload_csv_twice",
        "Line 3 of the CSV gives Q, head 0, position 0 a second time.",
    ),
    (HEADING + b"Q,16,0,1,2", "upload_csv_line", "Line 2 of the CSV: expected head: 0 … 15; found “16”."),
    (HEADING + b"Q,-1,0,1,2", "upload_csv_line", "Line 2 of the CSV: expected head: 0 … 15; found “-1”."),
    (HEADING + b"Q,0,512,1,2", "upload_csv_line", "Line 2 of the CSV: expected position: 0 … 511; found “512”."),
    (
        HEADING + b"Q,0," + b"9" * 5000 + b",1",
        "upload_csv_line",
        f"Line 2 of the CSV: expected position: 0 … 511; found “{'9' * 60}…”.",
    ),
    (HEADING + b"Q", "upload_csv_line", "Line 2 of the CSV: expected head: 0 … 15; found “”."),
    (HEADING + b"Q,0,0", "upload_csv_line", "Line 2 of the CSV: expected d: 1 … 1024; found “0”."),
    (HEADING + b"Q,0,0" + b",1" * 1025, "upload_csv_line", "Line 2 of the CSV: expected d: 1 … 1024; found “1025”."),
    (
        HEADING + b"Q,0,0,1,=HYPERLINK(1)",
        "upload_csv_number",
        "Line 2 of the CSV: every component must be a number, and “=HYPERLINK(1)” is none.",
    ),
    (
        HEADING + b"Q,0,0,1_0,2",
        "upload_csv_number",
        "Line 2 of the CSV: every component must be a number, and “1_0” is none.",
    ),
    (
        HEADING + b"Q,0,0,,2",
        "upload_csv_number",
        "Line 2 of the CSV: every component must be a number, and “” is none.",
    ),
    (
        HEADING + b"Q,0,0,1,2\nQ,0,1,1",
        "upload_csv_width",
        "Line 3 of the CSV: the first line of Q has 2 numbers, so each must; this one has 1.",
    ),
    (
        HEADING + b"Q,0,0,1,2\nQ,0,2,1,2",
        "upload_csv_gap",
        "The CSV lacks Q, head 0, position 1; every head needs every position from 0 on.",
    ),
    (
        HEADING + b'Q,0,0,"1,2',
        "upload_csv_line",
        "Line 2 of the CSV: expected Q,0,0,0.12,…; found “unexpected end of data”.",
    ),
    (HEADING + b"Q,0,0,\xff", "upload_unreadable", UNREADABLE.format("csv")),
    (b"\n" * 10**6, "upload_csv_heading", "The first line of the CSV must be “tensor,head,position,0,1,…”; it is “”."),
    (HEADING + b"\n" * 10**6, "upload_csv_lines", "The CSV has more than 49152 lines, more than Q, K and V can need."),
    (b"1" * 10**6, "upload_csv_line", "Line 1 of the CSV: expected ≤ 65536; found “> 65536”."),
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
