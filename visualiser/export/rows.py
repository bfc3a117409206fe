"""One line for each query row of each head: the statistics of its weights."""

from collections.abc import Iterator, Sequence

from attention_core import AttentionResult, RowStatistic, checkpoint
from visualiser.export.lines import MARK, ORIGIN, column, encoded, exact, labels
from visualiser.export.origin import Origin
from visualiser.listed_statistics import IN_FILES, of_rows


def columns(statistics: Sequence[RowStatistic]) -> tuple[str, ...]:
    """Return the heading; the largest weight's key and token follow the weight itself."""
    named = [f"{each.name}_nats" if each.unit == "nats" else each.name for each in statistics]
    before = placed(statistics)
    return (
        *("head", "query", "token"),
        *(*named[:before], "largest_weight_key", "largest_weight_token", *named[before:]),
        ORIGIN,
    )


def placed(statistics: Sequence[RowStatistic]) -> int:
    """Return the number of statistics before the largest weight's key and token."""
    return [each.name for each in statistics].index("largest_weight") + 1


def line(
    head: int,
    query: int,
    token: str,
    values: Sequence[float],
    key: int,
    tokens: Sequence[str],
    origin_cell: str,
    before: int = placed(IN_FILES),
) -> list[object]:
    """Return one query's cells below `columns`; `key` has the largest weight, −1 for none.

    `values` are those of the statistics, of which `before` come before the largest weight's place. `origin_cell` is the
    cell of the last column.
    """
    place = (key, tokens[key]) if key >= 0 else ("", "")
    return [head, query, token, *map(exact, values[:before]), *place, *map(exact, values[before:]), origin_cell]


def rows_csv(result: AttentionResult, origin: Origin | None = None) -> Iterator[bytes]:
    """Yield a CSV file with `columns`, head by head. A row without an allowed key has the weight 0 and names no key."""
    queries, query_tokens, key_tokens = labels(result)
    listed = of_rows(result.config, IN_FILES)
    before = placed(listed)
    yield MARK + encoded([columns(listed)])
    origin_cells = column(origin)
    where = result.weights.argmax(-1).masked_fill(~(result.largest_weight > 0), -1).tolist()
    shape = result.weights.shape[:2]
    statistics = [result.statistic(each.name).expand(shape).tolist() for each in listed]
    for head in range(len(where)):
        checkpoint()
        values = zip(*(of[head] for of in statistics), strict=True)
        rows = zip(queries, query_tokens, values, where[head], strict=True)
        yield encoded(
            line(head + 1, query, token, own, key, key_tokens, next(origin_cells), before)
            for query, token, own, key in rows
        )
