"""One line for each query row of each head: the statistics of its weights."""

from collections.abc import Iterator, Sequence
from typing import Final

from attention_core import AttentionResult, RowStatistic, checkpoint
from attention_core.learned import Line
from visualiser.export.lines import MARK, ORIGIN, column, encoded, exact, harmless, numbered, token_cells
from visualiser.export.origin import Origin
from visualiser.listed_statistics import IN_FILES, of_rows

_VOCABULARY: Final = ("form", "number")


def columns(statistics: Sequence[RowStatistic], line: Line | None = None) -> tuple[str, ...]:
    """Return the heading; the largest weight's key and token follow the weight itself.

    Tokens of a model's own have their forms and numbers in its vocabulary after them.
    """
    named = [f"{each.name}_nats" if each.unit == "nats" else each.name for each in statistics]
    before = placed(statistics)
    return (
        *("head", "query", *_named("token", line)),
        *(*named[:before], "largest_weight_key", *_named("largest_weight_token", line), *named[before:]),
        ORIGIN,
    )


def _named(token: str, line: Line | None) -> tuple[str, ...]:
    return (token, *(() if line is None or not line.forms else (f"{token}_{one}" for one in _VOCABULARY)))


def cells_of(tokens: Sequence[str], line: Line | None) -> list[tuple[str, ...]]:
    """Return the cells that name each position; `tokens` as cells, `line` what a model knows them by."""
    if line is None or not line.forms:
        return [(token,) for token in tokens]
    ids = ("" if number < 0 else str(number) for number in line.ids)
    return [(token, harmless(form), number) for token, form, number in zip(tokens, line.forms, ids, strict=False)]


def placed(statistics: Sequence[RowStatistic]) -> int:
    """Return the number of statistics before the largest weight's key and token."""
    return [each.name for each in statistics].index("largest_weight") + 1


def line(
    head: int,
    query: int,
    values: Sequence[float],
    key: int,
    names: Sequence[tuple[str, ...]],
    origin_cell: str,
    before: int = placed(IN_FILES),
) -> list[object]:
    """Return one query's cells below `columns`; `key` has the largest weight, −1 for none.

    `names` are the cells that name each position. `values` are those of the statistics, of which `before` come before
    the largest weight's place. `origin_cell` is the cell of the last column.
    """
    place = (key, *names[key]) if key >= 0 else ("", *("" for _ in names[query]))
    return [head, query, *names[query], *map(exact, values[:before]), *place, *map(exact, values[before:]), origin_cell]


def rows_csv(result: AttentionResult, origin: Origin | None = None) -> Iterator[bytes]:
    """Yield a CSV file with `columns`, head by head. A row without an allowed key has the weight 0 and names no key."""
    line_of = None if result.inputs is None else result.inputs.line
    queries, names = numbered(result), cells_of(token_cells(result), line_of)
    listed = of_rows(result.config, IN_FILES)
    before = placed(listed)
    yield MARK + encoded([columns(listed, line_of)])
    origin_cells = column(origin)
    where = result.weights.argmax(-1).masked_fill(~(result.largest_weight > 0), -1).tolist()
    shape = result.weights.shape[:2]
    statistics = [result.statistic(each.name).expand(shape).tolist() for each in listed]
    for head in range(len(where)):
        checkpoint()
        values = zip(*(of[head] for of in statistics), strict=True)
        rows = zip(queries, values, where[head], strict=True)
        yield encoded(line(head + 1, query, own, key, names, next(origin_cells), before) for query, own, key in rows)
