"""Imports of the visible part go one way: each room imports what the table of docs/architecture.md allows it."""

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from tests import layers
from tests.layers import ROOT

LATE = {"visualiser": frozenset({"notebook"})}
"""What a package without a room imports when somebody asks for it."""
MODULES = sorted((ROOT / "visualiser").rglob("*.py"))


def name_of(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


@cache
def imported(path: Path) -> frozenset[str]:
    """Return the modules of `visualiser` that this one imports, wherever in its file."""
    return frozenset(_imported(path))


def _imported(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("visualiser"):
            for alias in node.names:
                inner = f"{node.module}.{alias.name}"
                yield inner if inner in names() else str(node.module)
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name.startswith("visualiser"))


@cache
def names() -> frozenset[str]:
    return frozenset(map(name_of, MODULES))


def table() -> dict[str, frozenset[str]]:
    return layers.table("room of `visualiser`")


def room(module: str) -> str | None:
    """Return a module's room; None for a package that holds rooms and no code."""
    inner = module.removeprefix("visualiser").lstrip(".")
    return max((one for one in table() if f"{inner}.".startswith(f"{one}.")), key=len, default=None)


def page(module: str) -> str | None:
    """Return the package of the page that this module is part of; None if it is part of none."""
    _, _, inner = module.partition("visualiser.pages.")
    first = inner.split(".")[0]
    return first if first and (ROOT / "visualiser" / "pages" / first).is_dir() else None


def test_every_module_has_a_room_and_every_room_a_module() -> None:
    roomless = {name for name in names() if room(name) is None}
    assert roomless == {"visualiser", "visualiser.server"}
    assert {room(name) for name in names() - roomless} == set(table())


def test_a_room_imports_what_its_row_names() -> None:
    beyond: dict[str, set[str | None]] = {}
    for path in MODULES:
        own = room(name_of(path))
        # the bare package of the pages holds no code: a page is found by its name
        found = {room(name) for name in imported(path) if name != "visualiser.pages"} - {own}
        beyond[name_of(path)] = found - (table()[own] if own else LATE.get(name_of(path), frozenset()))
    assert {name: rooms for name, rooms in beyond.items() if rooms} == {}


def test_every_permission_is_used() -> None:
    used: dict[str, set[str | None]] = {}
    for path in MODULES:
        used.setdefault(str(room(name_of(path))), set()).update(map(room, imported(path)))
    spare = {own: above - used[own] for own, above in table().items() if own not in ("pages", "launch", "notebook")}
    assert {own: above for own, above in spare.items() if above} == {}


def test_no_page_imports_another() -> None:
    found = {name_of(path): {page(name) for name in imported(path)} - {None} for path in MODULES}
    assert {name: pages for name, pages in found.items() if page(name) and pages - {page(name)}} == {}
