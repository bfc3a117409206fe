"""One line for each cell of each head's map, streamed: eight heads of 512 × 512 are two million lines."""

from collections.abc import Iterator

import numpy as np

from attention_core import AttentionResult, checkpoint, treatments
from attention_core.exact.formats import MARKS
from visualiser.drawing.cells import sunk
from visualiser.export.digits import digits
from visualiser.export.lines import MARK, ORIGIN, encoded, labels
from visualiser.export.origin import Origin

COLUMNS = ("head", "query", "key", "query_token", "key_token", "score", "scaled", "allowed", "weight", ORIGIN)
CAPPED_COLUMN = "capped"
"""The column after `scaled` if a treatment acts: the scores that are weighed."""
MARK_COLUMN = "mark"
"""The last column before the origin if a number format left a mark: one of `MARKS` on the weight, or nothing."""
SINK = "sink"
"""What stands in the column "key" of the line of a sink."""
_MARKS = (b"", *(name.encode() for name in MARKS))


def cells_csv(result: AttentionResult, origin: Origin | None = None) -> Iterator[bytes]:
    """Yield a CSV file with `COLUMNS`, a query row at a time; `allowed` is 0 where the mask forbids the key, else 1.
    The first line ends with the file's origin, if given. A row with a sink has one more line, whose key is `SINK`: no
    score of q and k, its b as the scaled score, which no mask forbids and no softcap bends, and its weight. So each row
    adds up to 1.

    What a number format made ∞ or NaN is written inf, -inf and nan, and `MARK_COLUMN` says what it did. A row is one
    template with four fields a line: half the time of writing lines one by one.
    """
    queries, query_tokens, key_tokens = labels(result)
    marks, capped = result.marks("weights"), bool(treatments.acting(result.config))
    yield MARK + encoded([_columns(capped, marks is not None)])
    stages = [result.scores, result.scaled, *([result.masked] if capped else []), result.weights]
    sinks = sunk(result, "weights")
    before = [b"%d," % key for key in range(len(key_tokens))]
    if sinks is not None:
        before, key_tokens = [*before, SINK.encode() + b","], [*key_tokens, ""]
    allowed, width = len(stages) - 1, len(stages) + 1 + (marks is not None)
    places = [*range(allowed), allowed + 1]
    after = [b",%b%b,\r\n" % (_cell(token), b",%b" * width) for token in key_tokens]
    fields = [b"1"] * (width * len(key_tokens))
    keys = width * result.weights.shape[2]
    origin_cell = b"" if origin is None else _cell(origin.line)
    shared: bytes | None = None
    lines: list[bytes] = []
    for head, cells in enumerate(zip(*stages, strict=True)):
        for row, query in enumerate(queries):
            checkpoint()
            start, token = b"%d,%d," % (head + 1, query), _cell(query_tokens[row])
            if token != shared:  # without tokens all rows are alike
                shared, lines = token, [key + token + rest for key, rest in zip(before, after, strict=True)]
            numbers = digits(np.stack([stage[row] for stage in cells], axis=-1))
            for column, place in enumerate(places):
                fields[place:keys:width] = numbers[column :: len(stages)]
            if marks is not None:
                fields[width - 1 : keys : width] = [_MARKS[code] for code in marks[head, row].tolist()]
            if result.mask is not None:
                fields[allowed:keys:width] = [b"1" if may else b"0" for may in result.mask[row].tolist()]
            if sinks is not None:
                b, weight = digits(np.array([result.config.sink, sinks[head, row]], np.float32))
                fields[keys:] = [b"", *[b] * (allowed - 1), b"1", weight, b""][:width]
            shown = [lines[0].removesuffix(b"\r\n") + origin_cell + b"\r\n", *lines[1:]] if origin_cell else lines
            yield (start + start.join(shown)) % tuple(fields)
            origin_cell = b""


def _columns(capped: bool, marked: bool) -> tuple[str, ...]:
    before, after = COLUMNS[: COLUMNS.index("allowed")], COLUMNS[COLUMNS.index("allowed") : -1]
    return (*before, *([CAPPED_COLUMN] if capped else []), *after, *([MARK_COLUMN] if marked else []), ORIGIN)


def _cell(token: str) -> bytes:
    """Write a token as a cell of a CSV line and as part of a template."""
    return encoded([[token, ""]]).removesuffix(b",\r\n").replace(b"%", b"%%")
