"""Imports of the visible part go one way: each room imports what the table of docs/architecture.md allows it."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
MODULES = sorted((ROOT / "visualiser").rglob("*.py"))
ALL_ABOVE = "all above"


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


@cache
def table() -> dict[str, frozenset[str]]:
    """Return the rooms that each room may import, from the top of the table to its end."""
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    rows = page.split("| room of `visualiser` |")[1].split("\n\n")[0].splitlines()[2:]
    found: dict[str, frozenset[str]] = {}
    for row in rows:
        rooms, _, allowed = row.strip("| ").split(" | ")
        above = frozenset(found) if allowed == ALL_ABOVE else frozenset(re.findall(r"`(.*?)`", allowed))
        assert above <= set(found), f"{rooms} may import a room that does not stand above it"
        found |= dict.fromkeys(re.findall(r"`(.*?)`", rooms), above)
    return found


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


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_a_room_imports_what_its_row_names(path: Path) -> None:
    own = room(name_of(path))
    # the bare package of the pages holds no code: a page is found by its name
    found = {room(name) for name in imported(path) if name != "visualiser.pages"} - {own}
    assert found <= (table()[own] if own else set()), f"{own} imports {found}"


def test_every_permission_is_used() -> None:
    used: dict[str, set[str | None]] = {}
    for path in MODULES:
        used.setdefault(str(room(name_of(path))), set()).update(map(room, imported(path)))
    spare = {own: above - used[own] for own, above in table().items() if own not in ("pages", "launch")}
    assert {own: above for own, above in spare.items() if above} == {}


@pytest.mark.parametrize("path", [path for path in MODULES if page(name_of(path))], ids=name_of)
def test_no_page_imports_another(path: Path) -> None:
    assert {page(name) for name in imported(path)} <= {page(name_of(path)), None}
