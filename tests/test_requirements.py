"""Every import is listed, every listed package is imported, and every line is pinned with its reason."""

import ast
import re
import sys
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
LISTS = ("requirements.txt", "tests/requirements.txt", "docs/requirements.txt")
MODELS = "requirements-models.txt"
OURS = {"app", "attention_core", "visualiser"}
PIN = re.compile(r"(?P<name>[A-Za-z0-9._-]+)(\[[a-z]+\])?==(?P<version>[0-9][0-9.]*)")
PLUGIN = re.compile(r"^# Plugin: (?P<name>[\w-]+) — (?P<host>\w+) ", re.MULTILINE)
"""Packages that another package loads if they are installed: nothing of ours imports them."""
OPTIONAL = re.compile(r"^# Not listed: (?P<name>\w+) — ", re.MULTILINE)


def lines(path: str) -> list[str]:
    return (ROOT / path).read_text(encoding="utf-8").splitlines()


def pins(path: str) -> dict[str, str]:
    matches = (PIN.fullmatch(line) for line in lines(path))
    return {match["name"].lower(): match["version"] for match in matches if match}


def imported() -> dict[str, str]:
    """Return every top-level module that our code imports, with a file that does."""
    found = {}
    for path in [ROOT / "app.py", *(ROOT / "attention_core").rglob("*.py"), *(ROOT / "visualiser").rglob("*.py")]:
        found |= dict.fromkeys(imported_by(path.relative_to(ROOT)), str(path.relative_to(ROOT)))
    return found


def imported_by(path: Path | str) -> set[str]:
    """Return the foreign top-level modules that a file, or every file of a folder, imports."""
    files = [ROOT / path] if (ROOT / path).is_file() else (ROOT / path).rglob("*.py")
    found: set[str] = set()
    for node in (node for file in files for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))):
        if isinstance(node, ast.Import):
            found |= {alias.name.split(".")[0] for alias in node.names}
        if isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found.add(node.module.split(".")[0])
    return found - OURS - sys.stdlib_module_names


@pytest.mark.slow
def test_everything_imported_is_listed_and_everything_listed_is_imported():
    optional = set(OPTIONAL.findall("\n".join(lines("requirements.txt"))))
    plugins = {name for name, _ in PLUGIN.findall("\n".join(lines("requirements.txt")))}
    distributions = packages_distributions()
    needed = {
        distributions.get(name, [name])[0].lower(): path for name, path in imported().items() if name not in optional
    }
    assert plugins.isdisjoint(needed), "imported: no plugin"
    assert needed.keys() | plugins == pins("requirements.txt").keys(), needed


def test_a_plugin_is_one_of_a_package_that_is_listed():
    plugins = PLUGIN.findall("\n".join(lines("requirements.txt")))
    assert plugins == [("httptools", "uvicorn")]
    assert all(host in pins("requirements.txt") for _, host in plugins)


@pytest.mark.slow
def test_what_is_optional_is_imported_where_it_may_be_missing():
    optional = set(OPTIONAL.findall("\n".join(lines("requirements.txt"))))
    assert optional == {"ray", "spaces"}
    for path in [ROOT / "app.py", *(ROOT / "attention_core").rglob("*.py"), *(ROOT / "visualiser").rglob("*.py")]:
        tree = ast.parse(path.read_text(encoding="utf-8"))
        plain = [node for node in tree.body if isinstance(node, ast.Import)]
        assert not [alias.name for node in plain for alias in node.names if alias.name in optional], path


@pytest.mark.slow
def test_what_reads_models_is_pinned_as_it_is_tested_and_imported_when_it_is_asked_for():
    """The tests install it too, so its pin stands twice; nothing imports it in a statement."""
    assert pins(MODELS).items() <= pins("tests/requirements.txt").items()
    assert pins(MODELS).keys() == {"transformers"}
    assert "transformers" not in imported()


@pytest.mark.parametrize("path", [*LISTS, MODELS])
def test_every_line_is_pinned_below_its_reason(path):
    written = lines(path)
    for number, line in enumerate(written):
        if line and not line.startswith("#"):
            assert PIN.fullmatch(line), f"{path}:{number + 1} is no NAME==VERSION: {line}"
            above = written[number - 1]
            together = PIN.fullmatch(above) is not None  # two packages that share a reason
            assert above.startswith("# ") or together, f"{path}:{number + 1} has no reason above it"


def test_torch_is_the_build_that_runs_everywhere():
    """A CPU-only torch cannot run on a ZeroGPU Space; the index is the installer's choice, not ours."""
    text = "\n".join(line for line in lines("requirements.txt") if not line.startswith("#"))
    assert "torch==2.13.0" in text.splitlines()
    assert "index" not in text
    assert "+cpu" not in text


def test_no_list_repeats_another():
    names = [name for path in LISTS for name in pins(path)]
    assert len(names) == len(set(names))
