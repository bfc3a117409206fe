"""Imports go one way: no module imports itself through others, wherever in its file the import stands."""

import ast
from collections.abc import Iterator
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


def modules(folder: Path) -> dict[str, Path]:
    """Return the modules below a folder of the clone, by their full names."""
    return {
        ".".join(path.relative_to(folder.parent).with_suffix("").parts).removesuffix(".__init__"): path
        for path in folder.rglob("*.py")
    }


def imported(path: Path, known: dict[str, Path], top: str) -> Iterator[str]:
    """Yield those of the `known` modules that a file imports; programs of one folder name each other without it."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        names: list[str] = []
        if isinstance(node, ast.ImportFrom) and node.module:
            inner = [f"{node.module}.{alias.name}" for alias in node.names]
            names = [name if {name, f"{top}.{name}"} & known.keys() else node.module for name in inner]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        yield from (found for name in names for found in (name, f"{top}.{name}") if found in known)


@pytest.mark.slow
@pytest.mark.parametrize("top", ["attention_core", "visualiser", "benchmarks"])
def test_no_module_imports_itself_through_others(top: str) -> None:
    known = modules(ROOT / top)
    TopologicalSorter({name: set(imported(path, known, top)) for name, path in known.items()}).prepare()


def test_a_circle_is_found(tmp_path: Path) -> None:
    folder = tmp_path / "programs"
    folder.mkdir()
    (folder / "first.py").write_text("from programs import second\n")
    (folder / "second.py").write_text("def late():\n    import third\n")
    (folder / "third.py").write_text("from first import late\n")
    known = modules(folder)
    found = {name: set(imported(path, known, "programs")) for name, path in known.items()}
    assert found == {
        "programs.first": {"programs.second"},
        "programs.second": {"programs.third"},
        "programs.third": {"programs.first"},
    }
