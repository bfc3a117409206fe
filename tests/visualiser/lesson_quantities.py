"""Quantities of lessons, from the tables that a page sends at a link, read by the page's own script."""

import json
from collections.abc import Iterator, Sequence
from functools import cache, partial
from typing import Any, Final

import numpy as np

from tests.in_node import in_node
from tests.visualiser import works
from tests.visualiser.pieces import opened
from visualiser.state import share

READ: Final = "(m, given) => given.map(([table, of]) => m.quantity(table, of))"
FURTHER: Final = {"why": ("curves",)}
"""What a page asks for beside its frame."""


def quantities(wanted: Sequence[tuple[str, dict[str, Any]]]) -> list[float]:
    """Return each quantity at a link; NaN if the page sends no such table."""
    given = [[tables(link).get(of["figure"]), of] for link, of in wanted]
    return [float("nan") if found is None else found for found in in_node("lesson/quantity", READ, given)]


@cache
def tables(link: str) -> dict[str, dict[str, Any]]:
    """Return the tables that a page sends at a link, by the names of their figures."""
    page = share.read(link, "en").state.page
    works_of = [works.frame(page, link), *(works.question(page, name, link) for name in FURTHER.get(page, ()))]
    structures: dict[str, str] = {}
    return {name: table for work in works_of for piece in work.make() for name, table in _tables(piece, structures)}


def _tables(piece: bytes, structures: dict[str, str]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the tables of a part; `structures` holds those sent before, each of which is sent once."""
    header, blocks = opened(piece)
    for name, entry in header.get("tables", {}).items():
        if "structure" in entry:
            structures[entry["hash"]] = json.dumps(entry["structure"])
        values = [_listed(value, blocks) for value in entry["values"]]
        yield name, json.loads(structures[entry["hash"]], object_hook=partial(_put, values))


def _put(values: list[Any], tree: dict[str, Any]) -> Any:
    return values[tree["$"]] if tree.keys() == {"$"} else tree


def _listed(value: Any, blocks: bytes) -> Any:
    """Return the numbers of a block, None for those that JSON has not."""
    if not isinstance(value, dict):
        return value
    found = np.frombuffer(blocks, f"<{value['t']}", int(np.prod(value["s"])), value["at"])
    return [number if np.isfinite(number) else None for number in found.tolist()]


def within(value: float, limits: dict[str, Any]) -> bool:
    """Return True if a value is in the range of a claim or an answer."""
    return limits.get("from", -np.inf) <= value < limits.get("below", np.inf)
