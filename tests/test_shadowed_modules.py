"""A module is reached as an attribute of its package: nothing else there has its name."""

import ast
from collections.abc import Iterator
from pathlib import Path
from pkgutil import iter_modules

import pytest

ROOT = Path(__file__).resolve().parents[1]
TOPS = ("attention_core", "visualiser")
PACKAGES = [path.parent for top in TOPS for path in sorted((ROOT / top).rglob("__init__.py"))]


@pytest.mark.parametrize("package", PACKAGES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_no_module_is_shadowed(package: Path) -> None:
    modules = {module.name for module in iter_modules([str(package)])}
    assert modules & set(bound(package)) == set()


def bound(package: Path) -> Iterator[str]:
    """Yield the names that the package itself binds, except to its own modules."""
    own = ".".join(package.relative_to(ROOT).parts)
    for node in ast.parse((package / "__init__.py").read_text(encoding="utf-8")).body:
        if isinstance(node, ast.ImportFrom) and node.module != own:
            yield from (alias.asname or alias.name for alias in node.names)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            yield from (target.id for target in targets if isinstance(target, ast.Name))
