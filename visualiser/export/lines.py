"""Lines of a CSV file that spreadsheets, pandas and R read alike.

UTF-8 with the mark that Excel needs to show Korean; numbers with nine significant digits, which restore every float32
exactly. A token is text that somebody typed: if a spreadsheet would run it as a formula, it gets an apostrophe in
front. Heads count from 1, as on the page; queries and keys from 0, as in the tensors.
"""

import csv
import io
import itertools
from collections.abc import Iterable, Iterator

from attention_core import AttentionResult
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


def labels(result: AttentionResult) -> tuple[list[int], list[str], list[str]]:
    """Return the queries' numbers, their tokens and the keys' tokens; an empty text for a missing token."""
    n_q, n_k = result.weights.shape[1:]
    queries = list(range(n_q)) if result.rows is None else list(result.rows)
    tokens = [""] * max(n_k, *(query + 1 for query in queries))
    for position, token in enumerate(result.tokens or ()):
        tokens[position] = harmless(token)
    return queries, [tokens[query] for query in queries], tokens[:n_k]
