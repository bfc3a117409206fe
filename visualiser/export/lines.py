"""Lines of a CSV file that spreadsheets, pandas and R read alike.

UTF-8 with the mark that Excel needs to show Korean; numbers with nine significant digits, which restore every float32
exactly. A token is text that somebody typed, with its white space made visible: if a spreadsheet would run it as a
formula, it gets an apostrophe in front. Heads count from 1, as on the page; queries and keys from 0, as in the tensors.
"""

import csv
import io
import itertools
from collections.abc import Iterable, Iterator

from attention_core import AttentionResult
from visualiser.drawing.labels import visible
from visualiser.export.origin import Origin

MARK = "\ufeff".encode()
ORIGIN = "origin"
"""The last column of every file: its origin in the first line, empty in the others."""

FORMULA = ("=", "+", "-", "@", "\t", "\r", "＝", "＋", "－", "＠")
"""These begin a formula in Excel, LibreOffice or Google Sheets; those of full width in editions of East Asia."""


def encoded(rows: Iterable[Iterable[object]]) -> bytes:
    """Write these rows as lines of CSV."""
    stream = io.StringIO(newline="")
    csv.writer(stream).writerows(rows)
    return stream.getvalue().encode()


def exact(value: float) -> str:
    """Write a float32 with nine significant digits."""
    return f"{value:.9g}"


def column(origin: Origin | None) -> Iterator[str]:
    """Yield the cells of the column `ORIGIN`, without end."""
    if origin is not None:
        yield origin.line
    yield from itertools.repeat("")


def harmless(token: str) -> str:
    """Return `token` in a form that no spreadsheet takes for a formula."""
    return "'" + token if token.startswith(FORMULA) else token


def cell(token: str) -> str:
    """Return `token` as a cell: as tables show it, and no formula."""
    return harmless(visible(token))


def numbered(result: AttentionResult) -> list[int]:
    """Return the numbers of the queries."""
    return list(range(result.weights.shape[1])) if result.rows is None else list(result.rows)


def token_cells(result: AttentionResult) -> list[str]:
    """Return the cells of the tokens of all positions; an empty text for a missing token."""
    tokens = [""] * max(result.weights.shape[2], *(query + 1 for query in numbered(result)))
    for position, token in enumerate(result.tokens or ()):
        tokens[position] = cell(token)
    return tokens


def labels(result: AttentionResult) -> tuple[list[int], list[str], list[str]]:
    """Return the queries' numbers, their tokens and the keys' tokens; an empty text for a missing token."""
    queries, tokens = numbered(result), token_cells(result)
    return queries, [tokens[query] for query in queries], tokens[: result.weights.shape[2]]
