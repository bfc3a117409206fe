"""A commit runs the same checks as .ci/run, with the versions of the tests' own list."""

import re
import subprocess
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parents[1]
REPOSITORIES = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8"))["repos"]
RUNNER = "bash .ci/with-tests -m "
SCRIPTS = "bash tests/scripts/run.sh "


def test_no_hook_brings_a_version_of_its_own():
    assert [one["repo"] for one in REPOSITORIES] == ["local"]
    hooks = REPOSITORIES[0]["hooks"]
    assert {hook["language"] for hook in hooks} == {"system"}
    assert all(hook["entry"].startswith((RUNNER, SCRIPTS)) for hook in hooks)


def test_every_check_of_the_scripts_is_a_hook():
    hooks = [hook for hook in REPOSITORIES[0]["hooks"] if hook["entry"].startswith(SCRIPTS)]
    assert [hook["entry"].removeprefix(SCRIPTS) for hook in hooks] == ["lint", "format", "types"]
    heard = re.compile(*{hook["files"] for hook in hooks})
    checked = ["assets/js/server/wire.js", "assets/first/functions.js", "assets/types/wire.d.ts", "assets/package.json"]
    checked += ["assets/eslint.config.js", "tests/scripts/map.test.mjs", "benchmarks/mutations/scripts.mjs"]
    assert [path for path in checked if not heard.search(path)] == []
    assert not heard.search("assets/locales/en.json")


def test_every_check_of_python_is_a_hook():
    hooked = {hook["entry"].removeprefix(RUNNER).split(" --")[0] for hook in REPOSITORIES[0]["hooks"]}
    parts = re.findall(r"\(\*PYTHON, ([^)]*)\)", (ROOT / ".ci/parts.py").read_text(encoding="utf-8"))
    checks = [part.replace('"', "").replace(",", "").split(" --")[0] for part in parts]
    assert checks == ["ruff check .", "ruff format", "pyright"]
    assert {check.removesuffix(" .") for check in checks} < hooked


def test_hooks_say_what_is_missing(tmp_path: Path):
    (tmp_path / ".ci").mkdir()
    (tmp_path / ".ci/with-tests").write_bytes((ROOT / ".ci/with-tests").read_bytes())
    run = subprocess.run(["bash", ".ci/with-tests", "-V"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (run.returncode, run.stderr) == (1, "There is no .venv-tests yet: bash tests/run.sh makes it.\n")
