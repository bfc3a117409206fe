"""The tests that run a place, from what `cover` has written down."""

import json
from collections import Counter, defaultdict
from pathlib import Path
from typing import Final

from coverage import CoverageData

from benchmarks.mutations.sites import ROOT, Site

_LONGEST: Final = 12
"""Lines of a statement."""
_OTHERS: Final = 100
"""Tests that run another line of the module."""
_SNAPSHOTS: Final = "tests/visualiser/test_snapshots.py"
"""Newer than what `cover` wrote down, or not: it takes seconds and sees most of the pages."""
_LOOKS: Final = "tests/visualiser/test_looks.py"
"""So does this of what figures look like."""
_DRAWING: Final = ("visualiser/drawing/", "visualiser/figures/", "visualiser/theme.py")


class Covering:
    """The tests that run a function of a script, or a line of a module."""

    def __init__(self, folder: Path) -> None:
        self._scripts: dict[str, dict[tuple[int, int], set[str]]] = defaultdict(lambda: defaultdict(set))
        for path in folder.glob("*.json"):
            for script, spans in json.loads(path.read_text()).items():
                for span, tests in spans.items():
                    start, _, end = span.partition("-")
                    self._scripts[f"assets/{script}"][int(start), int(end)] |= set(tests)
        self._modules: dict[str, dict[int, set[str]]] = defaultdict(lambda: defaultdict(set))
        for path in folder.glob("modules.*"):
            data = CoverageData(str(path))
            data.read()
            for file in data.measured_files():
                name = Path(file).relative_to(ROOT).as_posix()
                for line, tests in data.contexts_by_lineno(file).items():
                    self._modules[name][line] |= set(filter(None, tests))
        every = [tests for spans in self._scripts.values() for tests in spans.values()]
        every += [tests for lines in self._modules.values() for tests in lines.values()]
        self._runs = Counter(test for tests in every for test in tests)

    def tests(self, site: Site) -> list[str]:
        """Return the tests that run this place, those that run least else first."""
        if site.file.endswith(".js"):
            return self._rarest_first(self._of_script(site))
        snapshots = [_SNAPSHOTS] if site.file.startswith("visualiser/") else []
        snapshots += [_LOOKS] if site.file.startswith(_DRAWING) else []
        if found := self._rarest_first(self._of_module(site)):
            return [*found[:5], *snapshots, *found[5:]]
        return list(dict.fromkeys([*snapshots, *self._of_constant(site)]))

    def _rarest_first(self, tests: set[str]) -> list[str]:
        return sorted(tests, key=lambda test: (self._runs[test], -len(test), test))

    def _of_module(self, site: Site) -> set[str]:
        """Return the tests of the line, or of the one on which its statement begins."""
        lines = self._modules[site.file]
        began = max((line for line in lines if line <= site.line), default=0)
        return lines[began] if site.line - began <= _LONGEST else set()

    def _of_script(self, site: Site) -> set[str]:
        spans = {span: tests for span, tests in self._scripts[site.file].items() if span[0] <= site.start < span[1]}
        inner = min(spans, key=lambda span: span[1] - span[0], default=None)
        return spans[inner] if inner else set()

    def _of_constant(self, site: Site) -> list[str]:
        """Return the tests for what the import of a module runs, and no test alone: those of its own name, or of its
        folder, and some that run another line of the module.
        """
        module = Path(site.file)
        folder = ROOT / "tests" / module.parent
        own = folder / f"test_{module.stem}.py"
        others = self._rarest_first(set().union(*self._modules[site.file].values()))[:_OTHERS]
        if not others:
            others = [folder.relative_to(ROOT).as_posix()] if folder.exists() else []
        return [*([own.relative_to(ROOT).as_posix()] if own.exists() else []), *others]
