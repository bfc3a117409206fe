"""One line for each query row of each head: the statistics of its softmax."""

from collections.abc import Iterator, Sequence

from attention_core import AttentionResult, checkpoint
from visualiser.export.lines import MARK, ORIGIN, column, encoded, exact, labels
from visualiser.export.origin import Origin
from visualiser.listed_statistics import IN_FILES

_NAMES = [each.name for each in IN_FILES]
_PLACED = _NAMES.index("largest_weight") + 1
"""The number of statistics before the largest weight's key and token, which follow the weight itself."""

_COLUMNS = [f"{each.name}_nats" if each.unit == "nats" else each.name for each in IN_FILES]
COLUMNS = (
    *("head", "query", "token"),
    *(*_COLUMNS[:_PLACED], "largest_weight_key", "largest_weight_token", *_COLUMNS[_PLACED:]),
    ORIGIN,
)


def line(
    head: int, query: int, token: str, values: Sequence[float], key: int, tokens: Sequence[str], origin_cell: str
) -> list[object]:
    """Return one query's cells for `COLUMNS`: the `values` of `IN_FILES`; `key` has the largest weight, −1 for none.

    `origin_cell` is the cell of the last column.
    """
    place = (key, tokens[key]) if key >= 0 else ("", "")
    return [head, query, token, *map(exact, values[:_PLACED]), *place, *map(exact, values[_PLACED:]), origin_cell]


def rows_csv(result: AttentionResult, origin: Origin | None = None) -> Iterator[bytes]:
    """Yield a CSV file with `COLUMNS`, head by head. A row without an allowed key has the weight 0 and names no key."""
    queries, query_tokens, key_tokens = labels(result)
    yield MARK + encoded([COLUMNS])
    origin_cells = column(origin)
    where = result.weights.argmax(-1).masked_fill(~(result.largest_weight > 0), -1).tolist()
    shape = result.weights.shape[:2]
    statistics = [result.statistic(name).expand(shape).tolist() for name in _NAMES]
    for head in range(len(where)):
        checkpoint()
        values = zip(*(of[head] for of in statistics), strict=True)
        rows = zip(queries, query_tokens, values, where[head], strict=True)
        yield encoded(
            line(head + 1, query, token, own, key, key_tokens, next(origin_cells)) for query, token, own, key in rows
        )
