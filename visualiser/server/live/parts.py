"""The parts of every page's answers, in the form of `visualiser.server.live.wire`."""

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Any

from visualiser.drawing.drawing import Drawing
from visualiser.figures.figure import Figure, Subject
from visualiser.locale import text
from visualiser.reasons.explained import Explained
from visualiser.reasons.kinds import KINDS, formula
from visualiser.server.live import wire
from visualiser.server.live.page_request import PageRequest
from visualiser.state import share
from visualiser.state.view import View
from visualiser.tables import Column, Table


class Structures:
    """The hashes of the structures that the browser has: those it named, and those sent to it since."""

    def __init__(self, known: Iterable[str] = ()) -> None:
        self._known = set(known)

    def entry(self, part: wire.Part, tree: Any) -> dict[str, Any]:
        """Return `wire.entry` and remember what it sends."""
        found = wire.entry(part, tree, self._known)
        self._known.add(found["hash"])
        return found


def state(shown: share.State, notices: Sequence[str], **more: Any) -> bytes:
    """Return the canonical link, the value of every control, and notices of what had to be changed."""
    header = {"part": "state", "query": share.canonical(shown), "controls": share.as_values(shown), "notices": notices}
    return wire.Part().close({**header, **more})


def figures(
    drawings: Mapping[str, Drawing],
    structures: Structures,
    *,
    lang: str = "",
    tables: Mapping[str, Table] | None = None,
    summaries: Mapping[str, str] | None = None,
    insight: Sequence[Explained] | None = None,
    with_arithmetic: bool = False,
    **more: Any,
) -> bytes:
    """Return some figures with their tables and summaries, and the sentences above. What is left out stays as it is.

    `lang` is the language of the tables. `with_arithmetic`: they bring the arithmetic of all their numbers, which no
    question to the server can give later.
    """
    part = wire.Part()
    header = {
        "part": "figures",
        "drawings": {name: structures.entry(part, wire.encode_drawing(drawing)) for name, drawing in drawings.items()},
        "tables": {
            name: structures.entry(part, table_tree(table, lang, with_arithmetic))
            for name, table in (tables or {}).items()
        },
        "summaries": summaries or {},
        "insight": insight,
        **more,
    }
    return part.close(header)


def shown(
    pictures: Sequence[Figure[Subject, ...]],
    subject: Subject,
    view: View,
    structures: Structures,
    *,
    summaries: Mapping[str, str] | None = None,
    **more: Any,
) -> bytes:
    """Return some figures of one subject, as `figures` does; the page's script paints some without a drawing.

    `summaries` are those of others.
    """
    return figures(
        {each.name: each.drawing(subject, view) for each in pictures if each.painter != "script"},
        structures,
        lang=view.lang,
        tables={each.name: each.table(subject, view) for each in pictures if each.is_tabled},
        summaries={**{each.name: each.summary(subject, view) for each in pictures}, **(summaries or {})},
        **more,
    )


def values(name: str, tree: Any, structures: Structures, **more: Any) -> bytes:
    """Return a part of one page's own: a tree of Python and numpy values under the part's name."""
    part = wire.Part()
    return part.close({"part": name, "values": structures.entry(part, tree), **more})


def progress(done: float, seconds_left: float | None = None, **more: Any) -> bytes:
    """Return the fraction of a run that is done (0 … 1) and the seconds it will still take."""
    return wire.Part().close({"part": "progress", "done": done, "seconds_left": seconds_left, **more})


def waiting(before: int, at_once: int) -> bytes:
    """Return the place in line: `before` runs must end first; `at_once` run at the same time."""
    return wire.Part().close({"part": "waiting", "before": before, "at_once": at_once})


def started(run: str) -> bytes:
    """Return the part that a run has its place. Its name serves to pause or cancel it."""
    return wire.Part().close({"part": "began", "run": run})


@cache
def beat() -> bytes:
    """Return a sign of life for a silent stream; pages ignore it."""
    return wire.Part().close({"part": "beat"})


def ended(**more: Any) -> bytes:
    """Return the part that a run is complete."""
    return wire.Part().close({"part": "ended", **more})


def failure(message: str, query: str = "", **more: Any) -> bytes:
    """Return a sentence for the visitor."""
    return wire.Part().close({"part": "error", "query": query, "message": message, **more})


def table_tree(shown: Table, lang: str, with_arithmetic: bool = False) -> dict[str, Any]:
    """Return a table as a tree for `wire.entry`, with the formula and the section of every column that can be asked.

    `with_arithmetic`: with that of its numbers as well, one text if it is that of all.
    """
    return {"caption": shown.caption, "columns": [_column(column, lang, with_arithmetic) for column in shown.columns]}


def _column(column: Column, lang: str, with_arithmetic: bool) -> dict[str, Any]:
    tree: dict[str, Any] = {"label": column.label, "values": column.values, "typed": column.typed}
    if column.kind:
        tree["asked"] = [formula(lang, column.kind), KINDS[column.kind].section]
    if column.formula:
        tree["asked"] = [column.formula.formula, column.formula.section]
    if with_arithmetic and column.made:
        reasons = [column.made(line) for line in range(len(column.values))]
        made = [one.written(lang) if one else "" for one in reasons]
        tree["made"] = made[:1] if len(set(made)) == 1 else made
    return tree


def arithmetic_of(
    pictures: Sequence[Figure[Subject, ...]], subject: Subject, view: View, request: PageRequest
) -> bytes:
    """Return `arithmetic` of the table of that of some figures which `request` names."""
    found = next((each for each in pictures if each.is_tabled and each.name == request.extra.get("table")), None)
    return arithmetic(found and found.table(subject, view), request)


def arithmetic(shown: Table | None, request: PageRequest) -> bytes:
    """Return the arithmetic of the numbers of one line of a table, one text for each column, empty without any."""
    line = request.extra.get("line")
    if shown is None or type(line) is not int or not 0 <= line < len(shown.columns[0].values):
        return failure(text(request.lang, "error.bad_request"))
    reasons = [column.made(line) if column.made else None for column in shown.columns]
    made = [one.written(request.lang) if one else "" for one in reasons]
    return wire.Part().close({"part": "arithmetic", "made": made})
