"""The app, the benchmarks and the documents take from the core what its modules offer: the names in their `__all__`."""

import ast
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
READERS = sorted(
    [ROOT / "app.py", *(path for room in ("visualiser", "benchmarks", "docs") for path in (ROOT / room).rglob("*.py"))]
)


@cache
def is_module(name: str) -> bool:
    try:
        return find_spec(name) is not None
    except ModuleNotFoundError:  # its parent is no package
        return False


def taken(tree: ast.AST) -> Iterator[tuple[str, str]]:
    """Yield each name that is taken from the core, with its module, also if it is read from an imported module."""
    modules = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "attention_core":
            for alias in node.names:
                full = f"{node.module}.{alias.name}"
                if is_module(full):
                    modules[alias.asname or alias.name] = full
                else:
                    yield str(node.module), alias.name
        elif isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name.split(".")[0] == "attention_core":
                    modules[alias.asname or alias.name] = alias.name
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and (module := modules.get(ast.unparse(node.value))):
            yield module, node.attr


def not_offered(source: str) -> list[str]:
    """Return what a source takes from the core although no `__all__` names it."""
    found = set(taken(ast.parse(source)))
    return sorted(f"{module}.{name}" for module, name in found if name not in offered(module) and name[:2] != "__")


def offered(module: str) -> list[str]:
    return getattr(import_module(module), "__all__", [])


@pytest.mark.slow
def test_what_is_taken_from_the_core_is_offered() -> None:
    found = {path.relative_to(ROOT).as_posix(): not_offered(path.read_text(encoding="utf-8")) for path in READERS}
    assert {name: names for name, names in found.items() if names} == {}


def test_a_name_that_is_not_offered_is_found() -> None:
    source = """
import attention_core.config as config
from attention_core import compute
from attention_core.exact import mask_choices as masks
from attention_core.config import BOUNDS, kept_to_itself
from attention_core.validation import _named
print(config.CHOICES, config.DEFAULT_TEXT, masks.MASKS, masks.dense)
"""
    assert not_offered(source) == [
        "attention_core.config.DEFAULT_TEXT",
        "attention_core.config.kept_to_itself",
        "attention_core.exact.mask_choices.dense",
        "attention_core.validation._named",
    ]


def test_no_underscore_is_offered() -> None:
    modules = [path.relative_to(ROOT) for path in (ROOT / "attention_core").rglob("*.py") if path.stem != "__main__"]
    names = {".".join(path.with_suffix("").parts).removesuffix(".__init__") for path in modules}
    assert [(name, one) for name in sorted(names) for one in offered(name) if one.startswith("_")] == []
