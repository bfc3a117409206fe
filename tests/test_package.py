"""`pip install .` gives a notebook the core without gradio; `headlight[app]` gives the page with all its files."""

import ast
import email
import json
import os
import re
import shutil
import subprocess
import sys
import zipfile
from importlib.metadata import PathDistribution, distribution, packages_distributions
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import attention_core
from tests.test_requirements import imported_by, pins

ROOT = Path(__file__).resolve().parents[1]
MODELS = pins("requirements-models.txt")
BUILT_FROM = (
    "attention_core",
    "visualiser",
    "assets",
    "pyproject.toml",
    "setup.py",
    "requirements.txt",
    "requirements-models.txt",
    "LICENSE",
    "README.md",
)


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the wheel from a copy, because a build writes beside its sources."""
    copy = tmp_path_factory.mktemp("sources")
    for name in BUILT_FROM:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, copy / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(ROOT / name, copy)
    options = ["--quiet", "--no-deps", "--no-build-isolation", "--no-index", "--disable-pip-version-check"]
    made = tmp_path_factory.mktemp("wheel")
    subprocess.run([sys.executable, "-m", "pip", "wheel", *options, "--wheel-dir", made, copy], check=True)
    (found,) = made.glob("*.whl")
    return found


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Unpack the wheel into a folder of packages."""
    folder = tmp_path_factory.mktemp("installed")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder)
    return folder


def metadata(installed: Path) -> PathDistribution:
    (info,) = installed.glob("headlight-*.dist-info")
    return PathDistribution(info)


def needed(requirements: list[str] | None, extra: str) -> set[str]:
    """Return the names of all distributions that these requirements bring."""
    found: set[str] = set()
    waiting = [(Requirement(one), extra) for one in requirements or []]
    while waiting:
        one, of = waiting.pop()
        name = canonicalize_name(one.name)
        if name in found or (one.marker and not one.marker.evaluate({"extra": of})):
            continue
        found.add(name)
        inner = [Requirement(text) for text in distribution(name).requires or []]
        waiting += [(text, chosen) for text in inner for chosen in ("", *one.extras)]
    return found


_GUARDED = """
import importlib.machinery, json, os, sys
allowed = {*json.loads(os.environ["ALLOWED"]), *sys.stdlib_module_names}
class Held(importlib.machinery.PathFinder):
    @classmethod
    def find_spec(cls, name, path=None, target=None):
        return super().find_spec(name, path, target) if name.partition(".")[0] in allowed else None
sys.meta_path[sys.meta_path.index(importlib.machinery.PathFinder)] = Held
sys.path.insert(0, os.environ["INSTALLED"])
"""


def run(installed: Path, code: str, extra: str = "") -> list[str]:
    """Run `code` as in an environment of only the wheel and its requirements."""
    wanted = needed(metadata(installed).requires, extra)
    modules = [name for name, of in packages_distributions().items() if wanted & {canonicalize_name(one) for one in of}]
    allowed = json.dumps([*modules, "attention_core", "visualiser"])
    environment = {**os.environ, "ALLOWED": allowed, "INSTALLED": str(installed)}
    command = [sys.executable, "-I", "-c", _GUARDED + code]
    done = subprocess.run(command, env=environment, cwd=installed, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


@pytest.mark.night
@pytest.mark.slow
def test_the_core_computes_without_gradio(installed: Path):
    code = """
import attention_core
from attention_core import AttentionConfig, compute
result = compute(AttentionConfig())
print(tuple(result.weights.shape), round(float(result.weights.sum()), 3), attention_core.__file__)
try:
    import gradio
except ModuleNotFoundError as absent:
    print(absent)
"""
    computed, absent = run(installed, code)
    assert computed == f"(8, 32, 32) 256.0 {installed / 'attention_core' / '__init__.py'}"
    assert absent == "No module named 'gradio'"


@pytest.mark.night
@pytest.mark.slow
def test_every_module_of_the_core_finds_what_it_imports(installed: Path):
    code = """
import importlib, pkgutil
import attention_core
found = [module.name for module in pkgutil.walk_packages(attention_core.__path__, "attention_core.")]
found = [name for name in found if not name.endswith("__main__")]
for name in found:
    importlib.import_module(name)
print(len(found))
"""
    assert int(run(installed, code)[0]) > 40


@pytest.mark.slow
def test_with_the_page_its_figures_and_its_files_are_there(installed: Path):
    code = """
from attention_core import AttentionConfig, compute
from visualiser.figures import heat_maps
from visualiser.server.http import assets
from visualiser.shipped import FOLDER
print(type(heat_maps(compute(AttentionConfig(n=5, h=2)))).__name__, len(assets.scripts()), FOLDER)
"""
    (line,) = run(installed, code, extra="app")
    scripts = [
        path
        for name in ("js", "css", "locales", "lessons", "offline")
        for path in (ROOT / "assets" / name).rglob("*.*")
    ]
    scripts += (ROOT / "assets/shipped/pictures").glob("*.*")
    bundles = 1 + len(list((ROOT / "assets/js/later").glob("*.js")))
    served = len(scripts) + bundles + 1  # the server makes the bundles, and what a lesson's file may name
    assert line.split() == ["Figure", str(served), str(installed / "visualiser" / "assets" / "shipped")]


TOOLS = {"__pycache__", "node_modules"}
"""Folders that tools make, in no package."""


@pytest.mark.slow
def test_every_file_of_the_packages_is_in_the_wheel(wheel: Path):
    with zipfile.ZipFile(wheel) as archive:
        held = {name for name in archive.namelist() if ".dist-info/" not in name}
    files = [path for name in ("attention_core", "visualiser", "assets") for path in (ROOT / name).rglob("*")]
    names = {path.relative_to(ROOT).as_posix() for path in files if path.is_file() and not TOOLS & set(path.parts)}
    assert held == {re.sub(r"^assets/", "visualiser/assets/", name) for name in names}


@pytest.mark.slow
def test_the_core_asks_for_what_it_imports_from_the_pinned_versions_on(installed: Path):
    asked = [Requirement(one) for one in metadata(installed).requires or []]
    core = {one.name: str(one.specifier) for one in asked if not one.marker}
    distributions = packages_distributions()
    optional = {"ray"}
    imported = {distributions.get(name, [name])[0].lower() for name in imported_by("attention_core") - optional}
    # needed by torch's Tensor.numpy, which nothing imports
    assert core.keys() == imported | {"numpy"}
    assert core == {name: f">={pins('requirements.txt')[name]}" for name in core}


@pytest.mark.slow
def test_the_page_asks_for_every_pin(installed: Path):
    asked = [Requirement(one) for one in metadata(installed).requires or []]
    page = {
        one.name.lower(): str(one.specifier) for one in asked if one.marker and one.marker.evaluate({"extra": "app"})
    }
    assert page == {name: f"=={version}" for name, version in pins("requirements.txt").items()}


@pytest.mark.slow
def test_reading_models_asks_for_the_pins_of_its_list(installed: Path):
    asked = [Requirement(one) for one in metadata(installed).requires or []]
    chosen = [one for one in asked if one.marker and one.marker.evaluate({"extra": "models"})]
    assert {one.name: str(one.specifier) for one in chosen} == {"transformers": f"=={MODELS['transformers']}"}


@pytest.mark.slow
def test_the_command_starts_the_app(installed: Path):
    (command,) = metadata(installed).entry_points
    assert (command.name, command.value) == ("headlight", "visualiser.launch:main")
    tree = ast.parse((ROOT / "visualiser/launch.py").read_text(encoding="utf-8"))
    assert "main" in {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}


@pytest.mark.slow
def test_the_version_stands_in_one_place_and_heads_the_changelog(installed: Path):
    version = attention_core.__version__
    assert metadata(installed).version == version
    heads = re.findall(r"^## (.*)$", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert re.fullmatch(rf"{re.escape(version)} \((unreleased|\d{{4}}-\d\d-\d\d)\)", heads[0])
    assert not re.search(r"^version = \"", (ROOT / "pyproject.toml").read_text(encoding="utf-8"), re.MULTILINE)


@pytest.mark.slow
def test_the_readme_describes_the_package(installed: Path):
    described = email.message_from_string(metadata(installed).read_text("METADATA") or "")
    assert described["Description-Content-Type"] == "text/markdown"
    assert described.get_payload() == (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_package_is_built_with_what_is_locked():
    (wanted,) = re.findall(
        r'^requires = \["(.*?)"\]', (ROOT / "pyproject.toml").read_text(encoding="utf-8"), re.MULTILINE
    )
    assert f"\n{wanted} \\" in (ROOT / "requirements.lock").read_text(encoding="utf-8")
