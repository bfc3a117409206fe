"""The node tests that can see a script: those that import it, or what imports it."""

import re
from functools import cache
from pathlib import Path
from typing import Final

_IMPORTED: Final = re.compile(r"""(?:from|import|await import\()\s*["'`](\.[^"'`?]+)["'`?]""")
"""An import that node follows: a type in a comment has none of these words before its bracket. What follows a "?" asks
for it anew."""
TESTS: Final = Path("tests/scripts")


def tests(file: str, tree: Path) -> list[Path]:
    """Return the files of node tests that reach `file`, a path from the root: those that import it themselves
    first, then those with few random cases.
    """
    script = (tree / file).resolve()
    found = [test for test in sorted((tree / TESTS).glob("*.test.mjs")) if script in _reached(test.resolve())]
    return sorted(found, key=lambda test: (script not in _imported(test), test.read_text("utf-8").count("fc.assert")))


def is_tested(file: str, tree: Path) -> bool:
    """Return True if a node test imports `file` itself: the others are scripts of pages, which a browser tests."""
    script = (tree / file).resolve()
    return any(script in _imported(test) for test in (tree / TESTS).glob("*.test.mjs"))


@cache
def _reached(path: Path) -> frozenset[Path]:
    """Return a script with all that it imports."""
    found, waiting = set[Path](), [path]
    while waiting:
        one = waiting.pop()
        if one in found or not one.is_file():
            continue
        found.add(one)
        waiting += _imported(one)
    return frozenset(found)


@cache
def _imported(path: Path) -> frozenset[Path]:
    named = _IMPORTED.findall(path.read_text(encoding="utf-8"))
    return frozenset((path.parent / name).resolve() for name in named if "node_modules" not in name)
