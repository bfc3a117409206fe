"""Imports of the core go one way: from what measures to what computes to what attention begins with."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2] / "attention_core"

LAYERS = (
    {"errors"},
    {"cached", "cancellation", "shapes", "validation"},
    {"text", "device", "threads", "prose"},
    {"config"},
    {"treatments"},
    {"inputs"},
    {"exact"},
    {"blocks"},
    {"normalisations"},
    {"mechanisms", "changes"},
    {"result"},
    {"studies", "language"},
    {"learned"},
    {"models"},
    {"experiments", "sharded"},
)
"""Packages and modules of the top, each layer above those it may import."""

LEVEL = {name: level for level, names in enumerate(LAYERS) for name in names}


def imported(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("attention_core"):
            names = [alias.name for alias in node.names] if node.module == "attention_core" else []
            yield from names or [str(node.module).split(".")[1]]
        elif isinstance(node, ast.Import):
            yield from (alias.name.split(".")[1] for alias in node.names if alias.name.startswith("attention_core."))


def test_every_room_has_a_layer() -> None:
    there = {path.stem for path in ROOT.glob("*.py")} | {
        path.name for path in ROOT.iterdir() if (path / "__init__.py").exists()
    }
    assert there - {"__init__"} == set(LEVEL)


@pytest.mark.slow
@pytest.mark.parametrize("path", sorted(ROOT.rglob("*.py")), ids=lambda path: path.relative_to(ROOT).as_posix())
def test_no_import_goes_up(path: Path) -> None:
    own = path.relative_to(ROOT).parts[0].removesuffix(".py")
    if own == "__init__":
        return
    for name in imported(path):
        assert name == own or LEVEL[name] < LEVEL[own], f"{own} imports {name}"
