"""Imports of the scripts go one way, types too: each room imports what the table of docs/architecture.md allows it."""

import re
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

from tests import layers
from tests.layers import ROOT

JS = ROOT / "assets" / "js"
MODULES = sorted(JS.rglob("*.js"))
# static, dynamic and in a comment's types; a template names all modules that it may mean
IMPORT = re.compile(r"""\b(?:from|import)\s*\(?\s*["'`](\.[^"'`\s]+)["'`]""")


def name_of(path: Path) -> str:
    return path.relative_to(JS).as_posix()


def room(path: Path) -> str:
    return name_of(path).split("/")[0]


def page(path: Path) -> str | None:
    """Return the page that this module is part of; None if it is part of none."""
    return name_of(path).split("/")[1] if room(path) == "pages" else None


def table() -> dict[str, frozenset[str]]:
    return layers.table("room of `assets/js`")


@cache
def imported(path: Path) -> frozenset[Path]:
    """Return the modules of `assets/js` that this one imports, wherever in its file."""
    found: set[Path] = set()
    for named in IMPORT.findall(path.read_text(encoding="utf-8")):
        there = (path.parent / re.sub(r"\$\{.*?\}", "*", named)).resolve()
        if there.is_relative_to(JS):
            all_meant = set(JS.glob(there.relative_to(JS).as_posix()))
            assert all_meant, f"{name_of(path)} imports {named}, which is not there"
            found |= all_meant
    return frozenset(found)


def test_every_import_is_read() -> None:
    """A path that is no text would be an arrow that nobody sees."""
    for path in MODULES:
        text = path.read_text(encoding="utf-8")
        # `import.meta` is no import; words in a comment have no bracket behind them
        assert len(re.findall(r"\bimport\s*\(", text)) == len(re.findall(r"\bimport\s*\(\s*[\"'`]", text)), path


def test_every_module_has_a_room_and_every_room_a_module() -> None:
    assert {room(path) for path in MODULES} == set(table())


@pytest.mark.parametrize("own", table())
def test_a_room_imports_what_its_row_names(own: str) -> None:
    arrows = {
        (room(other), f"{name_of(path)} → {name_of(other)}")
        for path in MODULES
        if room(path) == own
        for other in imported(path)
    }
    assert [arrow for to, arrow in sorted(arrows) if to not in {own, *table()[own]}] == []


def test_every_permission_is_used() -> None:
    used: dict[str, set[str]] = {}
    for path in MODULES:
        used.setdefault(room(path), set()).update(map(room, imported(path)))
    assert {own: above - used[own] for own, above in table().items() if above - used[own]} == {}


def test_no_page_imports_another() -> None:
    pages = [path for path in MODULES if page(path)]
    assert {
        (page(path), page(other)) for path in pages for other in imported(path) if page(other) not in (page(path), None)
    } == set()


def test_no_module_imports_itself_through_others() -> None:
    TopologicalSorter({name_of(path): map(name_of, imported(path)) for path in MODULES}).prepare()
