"""CSV: a heading `tensor,head,position,0,1,2,…`, then a line for each vector: `Q,0,0,0.12,-1.3,…`, counting from 0.

Read line by line: a line longer than 64 KiB, a head or position out of range, and one number too many are refused at
once, so that memory never exceeds what the page can show.
"""

import csv
from collections.abc import Iterator
from io import BytesIO, TextIOWrapper

import numpy as np

from attention_core import checkpoint
from visualiser.upload.refusals import printable, refusal
from visualiser.upload.size_limits import HEADS, MAXIMUM_NUMBERS, NAMES, WIDTH, tensor_name

HEADING = ("tensor", "head", "position")
LONGEST_LINE = 64 * 2**10  # characters: 1024 numbers of 60 digits each
Rows = dict[str, dict[tuple[int, int], np.ndarray]]  # tensor → (head, position) → its vector, of width d


def read_csv(body: bytes, longest: int) -> dict[str, np.ndarray]:
    """Return the arrays Q, K and V of the file, h × n × d; refuse gaps, repetitions and lines of unequal width."""
    most = 2 * len(NAMES) * HEADS[1] * longest  # twice what Q, K and V can have; the rest may be empty
    lines = csv.reader(short_lines(body, most), strict=True)
    try:
        heading = next(lines, [])
        if tuple(cell.strip().lower() for cell in heading[:3]) != HEADING:
            raise refusal(
                "upload_csv_heading",
                expected=",".join((*HEADING, "0", "1", "…")),
                came=printable(",".join(heading[:5])),
            )
        rows: Rows = {}
        count = 0
        for cells in lines:
            checkpoint()
            if any(cells):
                count += read_line(lines.line_num, cells, rows, longest)
                if count > MAXIMUM_NUMBERS:
                    raise refusal("upload_numbers", came=count, maximum=MAXIMUM_NUMBERS)
    except UnicodeDecodeError as broken:
        raise refusal("upload_unreadable", format="csv") from broken
    except csv.Error as broken:
        raise refusal(
            "upload_csv_line", line=lines.line_num, expected="Q,0,0,0.12,…", came=printable(str(broken))
        ) from broken
    return {name: stacked(name, vectors) for name, vectors in rows.items()}


def short_lines(body: bytes, most: int) -> Iterator[str]:
    """Yield the lines of the file; refuse more than `most` lines, or more than `LONGEST_LINE` characters in one."""
    stream = TextIOWrapper(BytesIO(body), encoding="utf-8-sig")
    number = 0
    while line := stream.readline(LONGEST_LINE + 1):
        number += 1
        if number > most:
            raise refusal("upload_csv_lines", maximum=most)
        if len(line) > LONGEST_LINE:
            raise refusal("upload_csv_line", line=number, expected=f"≤ {LONGEST_LINE}", came=f"> {LONGEST_LINE}")
        yield line


def read_line(line: int, cells: list[str], rows: Rows, longest: int) -> int:
    """Put one vector into `rows`; return its length."""
    while cells and not cells[-1].strip():
        cells.pop()  # spreadsheets pad a narrower tensor with empty cells
    name = tensor_name(cells[0].strip()) if cells else None
    if name is None:
        raise refusal("upload_csv_line", line=line, expected="Q, K, V", came=printable(",".join(cells[:1])))
    place = (index(line, "head", cells[1:2], HEADS[1]), index(line, "position", cells[2:3], longest))
    vector = numbers(line, cells[3:])
    vectors = rows.setdefault(name, {})
    if place in vectors:
        raise refusal("upload_csv_twice", line=line, name=name, head=place[0], position=place[1])
    width = len(next(iter(vectors.values()), vector))
    if len(vector) != width:
        raise refusal("upload_csv_width", line=line, name=name, expected=width, came=len(vector))
    vectors[place] = vector
    return len(vector)


def index(line: int, column: str, cells: list[str], stop: int) -> int:
    """Return the whole number from 0 to `stop` − 1 in the only cell of `cells`."""
    text = cells[0].strip() if cells else ""
    if not (text.isascii() and text.isdigit() and len(text) <= 6 and int(text) < stop):
        raise refusal("upload_csv_line", line=line, expected=f"{column}: 0 … {stop - 1}", came=printable(text))
    return int(text)


def numbers(line: int, cells: list[str]) -> np.ndarray:
    """Return the components of a vector; refuse fewer than one or more than `WIDTH` allows."""
    if not WIDTH[0] <= len(cells) <= WIDTH[1]:
        raise refusal("upload_csv_line", line=line, expected=f"d: {WIDTH[0]} … {WIDTH[1]}", came=str(len(cells)))
    vector = [number(cell) for cell in cells]
    if None in vector:
        raise refusal("upload_csv_number", line=line, came=printable(cells[vector.index(None)]))
    return np.array(vector, dtype=float)


def number(cell: str) -> float | None:
    """Return the number in a cell, or None. Only Python reads 1_0 as ten, so that counts as none."""
    try:
        return None if "_" in cell else float(cell)
    except ValueError:
        return None


def stacked(name: str, vectors: dict[tuple[int, int], np.ndarray]) -> np.ndarray:
    """Return the vectors as one array h × n × d; refuse a head without all positions."""
    heads, positions = (1 + max(place[axis] for place in vectors) for axis in (0, 1))
    for head in range(heads):
        checkpoint()
        for position in range(positions):
            if (head, position) not in vectors:
                raise refusal("upload_csv_gap", name=name, head=head, position=position)
    width = len(next(iter(vectors.values())))
    return np.stack([vectors[head, position] for head in range(heads) for position in range(positions)]).reshape(
        heads, positions, width
    )
