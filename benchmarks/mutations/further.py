"""Slow and browser tests that concern a module, by names: the app they ask runs in a process that no coverage sees."""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from benchmarks.mutations.sites import ROOT
from tests import tiers

MOST: Final = 6
"""Files of tests that a place meets; each takes up to a minute."""

_SEEN: Final[dict[str, tuple[str, ...]]] = {
    "attention_core/": ("browser/test_inspection.py", "visualiser/server/admission/test_cost.py"),
    "attention_core/experiments/": ("browser/test_train.py",),
    "attention_core/studies/": ("browser/test_why.py", "browser/test_cost.py"),
    "visualiser/": ("browser/test_language.py", "browser/test_appearance.py", "browser/test_predict.py"),
    "visualiser/export/": ("browser/test_take_away.py", "browser/test_anatomy_take_away.py"),
    "visualiser/figures/": ("browser/test_inspection.py", "browser/test_appearance.py"),
    "visualiser/pages/": ("browser/test_controls.py", "browser/test_accessibility.py", "browser/test_language.py"),
    "visualiser/pages/explore/": ("browser/test_inspection.py", "browser/test_pin.py", "browser/test_presets.py"),
    "visualiser/server/": ("browser/test_server_gone.py", "browser/test_visitors.py"),
    "visualiser/server/admission/": ("browser/test_map_runs.py", "browser/test_visitors.py", "deploy/test_limits.py"),
    "visualiser/server/gradio/": ("browser/test_endpoint.py", "browser/test_visitors.py"),
    "visualiser/server/http/": (
        "browser/test_content_security.py",
        "browser/test_login.py",
        "browser/test_offline.py",
        "deploy/test_pages.py",
    ),
    "visualiser/server/live/": ("browser/test_recovery.py", "browser/test_run_lost.py", "browser/test_stale.py"),
    "visualiser/state/": ("browser/test_link.py", "browser/test_controls.py", "browser/test_pin.py"),
    "visualiser/upload/": ("browser/test_upload.py",),
}
"""The tests that see what begins with a path; the longest path that fits counts."""


def journeys(file: str) -> list[str]:
    """Return the files in a browser that concern a module and of which the gate has tests."""
    named = {name.partition("::")[0] for name in tiers.journeys()}
    return [name for name in dict.fromkeys(_of(Path(file))) if name in named][:MOST]


def tests(file: str) -> list[str]:
    """Return the files of tests for a module: those that import it, those of its folder and page, those that see it."""
    return list(dict.fromkeys(_of(Path(file))))[:MOST]


def _of(module: Path) -> Iterator[str]:
    texts = {path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8") for path in _all()}
    dotted = module.with_suffix("").as_posix().replace("/", ".")
    figure = f'{module.stem.replace("_", "-")}"'
    folder = f"tests/{module.parent.as_posix()}/"
    seeing = max((start for start in _SEEN if module.as_posix().startswith(start)), key=len)
    yield from (name for name, text in texts.items() if dotted in text)
    yield from (name for name in texts if name.startswith((folder, f"tests/browser/test_{module.parent.name}")))
    if "figures" in module.parts:
        yield from (name for name, text in texts.items() if figure in text)
    yield from (f"tests/{name}" for name in _SEEN[seeing])


def _all() -> list[Path]:
    """Return the files with tests that are not quick."""
    paths = sorted((ROOT / "tests").rglob("test_*.py"))
    browsing = [path for path in paths if path.parent.name in ("browser", "deploy")]
    return browsing + [path for path in paths if path not in browsing and "mark.slow" in path.read_text("utf-8")]
