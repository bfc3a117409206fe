"""The locks hold everything listed and installed, each file with its hash, and nothing of a single machine."""

import os
import re
from importlib.metadata import distributions, version
from itertools import combinations
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[1]
LOCKS = ("requirements.lock", "tests/requirements.lock", "docs/requirements.lock", "requirements-models.lock")
NOT_LOCKED = {"torch"}
"""Every build of it, and every mirror's, has a different hash."""
NO_REQUIREMENT = {"pip"}


def entries(path: str) -> list[tuple[Requirement, list[str]]]:
    """Return each locked requirement with its hashes."""
    text = (ROOT / path).read_text(encoding="utf-8")
    found = []
    for block in re.split(r"\n(?=\S)", "\n".join(line for line in text.splitlines() if not line.startswith("#"))):
        written, *hashes = re.split(r"\s+\\\n\s+--hash=", block.strip())
        found.append((Requirement(written), hashes))
    return found


def locked(path: str) -> dict[str, str]:
    """Return the version of each package for the running Python and system."""
    applying = [
        requirement for requirement, _ in entries(path) if not requirement.marker or requirement.marker.evaluate()
    ]
    return {canonicalize_name(one.name): str(one.specifier).removeprefix("==") for one in applying}


def listed(path: str) -> dict[str, str]:
    lines = (ROOT / path).read_text(encoding="utf-8").splitlines()
    wanted = [Requirement(line) for line in lines if line and not line.startswith("#")]
    return {canonicalize_name(one.name): str(one.specifier).removeprefix("==") for one in wanted}


@pytest.mark.parametrize("path", LOCKS)
def test_every_entry_is_one_version_with_its_hashes(path):
    assert entries(path)
    for requirement, hashes in entries(path):
        assert re.fullmatch(r"==[^*,]+", str(requirement.specifier)), requirement
        assert requirement.url is None
        assert hashes, requirement
        assert all(re.fullmatch(r"sha256:[0-9a-f]{64}", one) for one in hashes), requirement


@pytest.mark.parametrize("path", LOCKS)
def test_what_is_listed_is_locked_in_the_same_version(path):
    wanted = listed(path.replace(".lock", ".txt"))
    have = locked(path)
    assert {name: have.get(name) for name in wanted.keys() - NOT_LOCKED} == {
        name: wanted[name] for name in wanted.keys() - NOT_LOCKED
    }


def test_what_is_installed_is_locked_in_the_same_version():
    have = locked(LOCKS[1]) | locked(LOCKS[0])
    # torch's CUDA builds bring further packages, and the night runs with another gradio
    of_torch = {"triton"}
    other = {"gradio", "gradio-client"} if os.environ.get("HEADLIGHT_GRADIO") else set()
    for distribution in distributions():
        name = canonicalize_name(distribution.name)
        if name in NOT_LOCKED | NO_REQUIREMENT | of_torch | other or name.startswith(("nvidia-", "cuda-")):
            continue
        assert have.get(name) == distribution.version, name
    assert version("torch").split("+")[0] == listed("requirements.txt")["torch"]


def test_all_locks_agree():
    for one, other in combinations(map(locked, LOCKS), 2):
        for name in one.keys() & other.keys():
            assert one[name] == other[name], name


@pytest.mark.parametrize("path", [*LOCKS, "tests/lock.sh"])
def test_no_machines_index_is_named_and_torch_is_left_to_the_installer(path):
    text = (ROOT / path).read_text(encoding="utf-8")
    assert "://" not in text
    if path in LOCKS:
        assert not [one.name for one, _ in entries(path) if re.match(r"torch$|nvidia-|cuda-|triton$", one.name)]


def test_an_environment_is_made_from_the_locks_with_hashes():
    shell = (ROOT / "tests/environment.sh").read_text(encoding="utf-8")
    windows = (ROOT / "tests/run.ps1").read_text(encoding="utf-8").replace("\\", "/")
    for script in (shell, windows):
        # entmax asks for torch, which has no hash, so nothing is asked here: `pip check` finds what is missing
        locked_part = r"--no-deps --require-hashes[\s\\]+-r requirements\.lock -r tests/requirements\.lock"
        assert re.search(rf"{locked_part}(.*\n)*.*-r requirements\.txt(.*\n)+?.*-m pip check", script)


def test_tests_take_the_same_variables_on_windows_and_another_gradio_in_the_same_way():
    shell, windows = ((ROOT / f"tests/run.{kind}").read_text(encoding="utf-8") for kind in ("sh", "ps1"))
    assert set(re.findall(r"\$\{?(HEADLIGHT_\w+)", shell)) <= set(re.findall(r"\$env:(HEADLIGHT_\w+)", windows))
    for script in (shell, windows):
        assert re.search(r"-m venv --clear \.venv-gradio\n(.*\n)*.*locked\.pth(.*\n)*.*pip install .*gradio==", script)


def test_the_site_is_made_from_its_lock_with_hashes():
    script = (ROOT / "docs/build.sh").read_text(encoding="utf-8").replace("\\\n", " ")
    (install,) = re.findall(r"pip install\b(.*?)(?=\|\||\n)", script)
    assert {"--require-hashes", "--no-deps", "docs/requirements.lock"} <= set(install.split())


def test_the_container_is_made_from_the_lock_with_hashes_and_torch_alone_is_not():
    dockerfile = (ROOT / "deploy/Dockerfile").read_text(encoding="utf-8").replace("\\\n", " ")
    installs = re.findall(r"pip install\b(.*?)(?=&&|\n|\Z)", dockerfile)
    locked_part, torch = (one.split() for one in installs)
    assert locked_part == ["--require-hashes", "-r", "/tmp/requirements.lock"]
    # without torch's dependencies only torch lacks a hash; `pip check` finds any that is missing
    assert {"--no-deps", '"$torch"'} <= set(torch)
    assert [one for one in torch if not one.startswith(("-", "http"))] == ['"$torch"']
    assert re.search(r"torch=\$\(grep -x 'torch==\.\*' /tmp/requirements\.txt\)", dockerfile)
    assert re.search(r"pip check\b", dockerfile)
    assert "COPY requirements.txt requirements.lock /tmp/" in dockerfile
