"""The table of the peers: a column for each way, its medians, and multiples of the first's."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from statistics import median
from typing import Final

from benchmarks.peers_seen import Seen


@dataclass
class Column:
    """What is known of a way at one n.

    visits   to its page
    seconds  from tensors to the text of its output, in Python, each time
    grown    bytes by which that process grew at most
    failed   what did not come, in words; then only what was there is said
    """

    name: str
    visits: list[Seen] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    grown: list[float] = field(default_factory=list)
    failed: str = ""


def middle(found: Sequence[float | None]) -> float | None:
    """Return the median of what is a number; None if nothing is."""
    numbers = [one for one in found if one is not None]
    return median(numbers) if numbers else None


@dataclass(frozen=True)
class Line:
    """A line of the table: its title, its numbers of a column, and how they are written.

    always  True for what is known of a way whose figure did not come, too
    """

    title: str
    of: Callable[[Column], Sequence[float | None]]
    format: str = ".2f"
    unit: float = 1.0
    always: bool = False


PAINTED: Final = Line("all heads of a layer painted, s", lambda one: [each.painted for each in one.visits], unit=1e3)

LINES: Final = (
    Line("output made in Python, s", lambda one: one.seconds, always=True),
    Line("… which grows by at most, MB", lambda one: one.grown, ".0f", 1e6, always=True),
    PAINTED,
    Line("everything painted, s", lambda one: [each.whole for each in one.visits], unit=1e3),
    Line("pointing at another token, ms", lambda one: [each.token for each in one.visits], ".0f"),
    Line("choosing another head, ms", lambda one: [each.head for each in one.visits], ".0f"),
    Line("bytes on the way, MB", lambda one: [each.sent for each in one.visits], unit=1e6, always=True),
    Line("… without compression, MB", lambda one: [each.read for each in one.visits], unit=1e6, always=True),
    Line("heap of scripts, MB", lambda one: [each.heap for each in one.visits], ".1f", 1e6),
    Line("the tab, MB", lambda one: [each.tab for each in one.visits], ".0f", 1e6),
    Line("… at most, MB", lambda one: [each.most for each in one.visits], ".0f", 1e6, always=True),
    Line("nodes of the document", lambda one: [each.nodes for each in one.visits], ",.0f"),
)


def table(columns: Sequence[Column]) -> list[str]:
    """Return the lines of the table in Markdown; the first column is what the others are multiples of."""
    rows = [[line.title, *(_cell(line, one, columns[0]) for one in columns)] for line in LINES]
    return [_row(["", *(one.name for one in columns)]), _row(["---", *("---:" for _ in columns)]), *map(_row, rows)]


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _cell(line: Line, column: Column, first: Column) -> str:
    found, base = middle(line.of(column)), middle(line.of(first))
    if column.failed and not line.always:
        return column.failed if line is PAINTED else "–"
    if found is None:
        return "–"
    times = "" if column is first or not base else f" ({multiple(found / base)})"
    return f"{found / line.unit:{line.format}}{times}"


def multiple(times: float) -> str:
    """Return a multiple with two digits, or all of those before the point.

    >>> multiple(0.1234), multiple(3.456), multiple(123.4)
    ('0.12×', '3.5×', '123×')
    """
    if times >= 10:
        return f"{times:,.0f}×"
    return f"{times:.1f}×" if times >= 1 else f"{times:.2g}×"
